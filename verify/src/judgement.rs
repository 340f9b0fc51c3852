//! Verdicts, hypotheses and what a theorem says about the case at hand.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::arithmetic::{Enclosure, add_up};
use crate::theorem::Theorem;

/// The outcome of a check, from best to worst.
///
/// ```
/// use shallows_verify::Verdict;
///
/// assert_eq!([Verdict::Holds, Verdict::Undecided].into_iter().max(), Some(Verdict::Undecided));
/// assert_eq!(Verdict::Fails.to_string(), "fails");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Proved.
    Holds,
    /// Neither proved nor refuted.
    Undecided,
    /// Refuted.
    Fails,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Undecided => "undecided",
            Verdict::Fails => "fails",
        })
    }
}

/// One hypothesis, measured.
///
/// ```
/// use shallows_verify::{Check, Verdict};
///
/// let check = |margin, error| Check { hypothesis: "x ≥ 0".into(), margin, error }.verdict();
/// assert_eq!(check(0.3, 0.1), Verdict::Holds);
/// assert_eq!(check(0.05, 0.1), Verdict::Undecided);
/// assert_eq!(check(f64::NAN, 0.0), Verdict::Undecided);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// In our notation.
    pub hypothesis: String,
    /// Signed slack: at least 0 when the hypothesis is true.
    pub margin: f64,
    /// A proven bound on the error of the margin; 0 for counts.
    pub error: f64,
}

impl Check {
    /// A margin or an error that is not finite is undecided, never a pass.
    pub fn verdict(&self) -> Verdict {
        if !(self.margin.is_finite() && self.error.is_finite()) {
            Verdict::Undecided
        } else if self.margin >= self.error {
            Verdict::Holds
        } else if self.margin < -self.error {
            Verdict::Fails
        } else {
            Verdict::Undecided
        }
    }

    /// A hypothesis that is counted, not measured.
    pub fn count(hypothesis: impl Into<String>, margin: i64) -> Check {
        Check { hypothesis: hypothesis.into(), margin: margin as f64, error: 0.0 }
    }

    /// A hypothesis about which nothing could be found out.
    pub fn open(hypothesis: impl Into<String>) -> Check {
        Check { hypothesis: hypothesis.into(), margin: 0.0, error: 1.0 }
    }

    /// That a number is above 0, not only not below it.
    pub fn positive(hypothesis: impl Into<String>, value: Enclosure) -> Check {
        match value {
            Enclosure { high, .. } if high <= 0.0 => Check::count(hypothesis, -1),
            // Where nothing is known from above, the bound stands for the margin.
            Enclosure { low, high } if low > 0.0 => {
                Check::between(hypothesis, low, if high == f64::INFINITY { low } else { high })
            }
            // Not to be told from 0: the margin may be anything up to `high`.
            Enclosure { high, .. } if high.is_finite() => {
                Check { hypothesis: hypothesis.into(), margin: 0.5 * high, error: high }
            }
            _ => Check::open(hypothesis),
        }
    }

    /// That a bound exists.
    pub fn finite(hypothesis: impl Into<String>, bound: f64) -> Check {
        Check::count(hypothesis, if bound.is_finite() { 0 } else { -1 })
    }

    /// A margin known to lie between two numbers; undecided when one of them is NaN or infinite.
    pub fn between(hypothesis: impl Into<String>, least: f64, most: f64) -> Check {
        let margin = 0.5 * least + 0.5 * most;
        let error = add_up(most, -margin).max(add_up(margin, -least));
        // The middle of a half-line is infinite, and so is its distance from the end: that must not pass for equality.
        let known = least.is_finite() && most.is_finite();
        let [margin, error] = [margin, error].map(|x| if known { x } else { f64::NAN });
        Check { hypothesis: hypothesis.into(), margin, error }
    }
}

/// From which side a number bounds what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What it is about is at least the number.
    AtLeast,
    /// What it is about is at most the number.
    AtMost,
    /// The number itself, a count or a choice.
    Exactly,
}

/// A number that was proved on the way: a bound in the safe direction. [`Judgement`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fact {
    /// As a key of JSON.
    pub name: &'static str,
    /// The bound.
    pub value: f64,
    /// From which side.
    pub side: Side,
    /// What it bounds.
    pub about: &'static str,
}

/// A theorem applied to something given: its hypotheses, measured, and what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The theorem.
    pub theorem: Theorem,
    /// Its hypotheses.
    pub checks: Vec<Check>,
    /// What is proved in numbers.
    pub facts: Vec<Fact>,
    /// What it says about the case at hand, in one sentence.
    pub statement: String,
}

impl Judgement {
    /// With a sentence that depends on the verdict. What is not finite bounds nothing, and is no fact.
    pub fn new(
        theorem: Theorem,
        checks: Vec<Check>,
        facts: Vec<Fact>,
        statement: impl FnOnce(Verdict) -> String,
    ) -> Judgement {
        let mut judgement = Judgement { theorem, checks, facts, statement: String::new() };
        judgement.facts.retain(|fact| fact.value.is_finite());
        judgement.statement = statement(judgement.verdict());
        judgement
    }

    /// A fact by its name.
    pub fn fact(&self, name: &str) -> Option<f64> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
    }

    /// The worst verdict of the checks.
    pub fn verdict(&self) -> Verdict {
        self.checks.iter().map(Check::verdict).max().unwrap_or(Verdict::Undecided)
    }

    /// As scripts read it: `theorem`, `verdict`, `statement`, `checks` and `facts`; non-finite numbers become null.
    pub fn document(&self) -> Value {
        let check = |check: &Check| {
            json!({
                "hypothesis": check.hypothesis, "margin": check.margin, "error": check.error,
                "verdict": check.verdict(),
            })
        };
        let facts: Map<String, Value> = self.facts.iter().map(|fact| (fact.name.into(), json!(fact.value))).collect();
        json!({
            "theorem": self.theorem, "verdict": self.verdict(), "statement": self.statement,
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(), "facts": facts,
        })
    }
}
