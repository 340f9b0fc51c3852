//! What can be proved about a network, and nothing else.
//!
//! A theorem is a function from what it speaks about to a [`Judgement`]: its hypotheses one by one, each with the
//! measured margin and a proven bound on the error of that margin. This room sees only the network, the data and the
//! claim. It believes no solver, and shares no numerical shortcut with one: the sums and factorisations that decide a
//! verdict are its own plain loops, with directed rounding, and give the same bits on every machine; `arithmetic` names the
//! three ingredients that are not. Eigenvalues of `spectrum` and directions of `risk::escape` propose what is then proved or
//! not. A [`Certificate`] holds judgements about one network in a file, and
//! [`Certificate::verify`] computes all of them again; [`promises()`] is what can be said before training.
//!
//! | file or folder | holds | decides |
//! |---|---|---|
//! | `theorem/` | one file for each theorem: its text, its function, and its proof in the header | yes |
//! | `arithmetic/` | floating point with proofs: directed rounding, sums, factorisations, enclosures, rows | yes |
//! | `optimum/` | the objective from both sides, lower bounds by duality, what a gap is relative to | yes |
//! | `landscape/` | proved numbers at a point of the landscape of a quadratic network, and about planted ones | yes |
//! | `descent/` | proved numbers at a start, plans and the form of their rows | yes |
//! | `determined/` | independence of products; spans and rivals, which only tell | in part |
//! | `proposal/` | dual points, better networks, widths and scales to try | never |
//! | `file/` | the certificate in a file, and its verification | by equality |
//! | `words`, `document` | bounds in few digits, judgements in JSON | never |

mod arithmetic;
pub mod descent;
pub mod determined;
mod document;
pub mod file;
mod landscape;
mod optimum;
pub mod proposal;
#[cfg(test)]
mod tests;
pub mod theorem;
pub mod words;

use serde::{Deserialize, Serialize};

use crate::linalg::Matrix;
use arithmetic::add_up;

pub use crate::network::Signs;
pub use descent::{Promises, guarantee, promises};
pub use determined::{Direction, Rival, Span, rival};
pub use file::{Certificate, Source};
pub use proposal::search::{Search, find_scale, find_width};
pub use theorem::*;

/// The outcome of a check, from best to worst.
///
/// ```
/// use shallows::certificate::Verdict;
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
/// use shallows::certificate::{Check, Verdict};
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
    fn count(hypothesis: impl Into<String>, margin: i64) -> Check {
        Check { hypothesis: hypothesis.into(), margin: margin as f64, error: 0.0 }
    }

    /// A hypothesis about which nothing could be found out.
    fn open(hypothesis: impl Into<String>) -> Check {
        Check { hypothesis: hypothesis.into(), margin: 0.0, error: 1.0 }
    }

    /// A margin known to lie between two numbers; undecided when one of them is NaN or infinite.
    fn between(hypothesis: impl Into<String>, least: f64, most: f64) -> Check {
        let margin = 0.5 * least + 0.5 * most;
        let error = add_up(most, -margin).max(add_up(margin, -least));
        // The middle of a half-line is infinite, and so is its distance from the end: that must not pass for equality.
        let known = least.is_finite() && most.is_finite();
        let [margin, error] = [margin, error].map(|x| if known { x } else { f64::NAN });
        Check { hypothesis: hypothesis.into(), margin, error }
    }
}

/// A number that was proved on the way: a bound in the safe direction.
///
/// ```
/// use shallows::certificate::energy_barrier;
/// use shallows::{Activation, Network};
/// use shallows::linalg::Matrix;
///
/// let teacher = Network::new(Activation::SQUARE, Matrix::identity(2), vec![1.0, 1.0])?;
/// let judgement = energy_barrier(&teacher)?;
/// for fact in &judgement.facts {
///     println!("{}: {} ({})", fact.name, fact.value, fact.about);
/// }
/// assert_eq!(judgement.fact(judgement.facts[0].name), Some(judgement.facts[0].value));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fact {
    /// As a key of JSON.
    pub name: &'static str,
    /// The bound.
    pub value: f64,
    /// What it bounds, and from which side.
    pub about: &'static str,
}

/// A theorem applied to something given: its hypotheses, measured, and what follows.
///
/// ```
/// use shallows::certificate::{Theorem, Verdict, wide_quadratic};
/// use shallows::linalg::Matrix;
/// use shallows::network::Network;
///
/// // One input, and a unit of each sign: every local minimum in W is global.
/// let W = Matrix::from_rows(&[[0.5], [2.0]]);
/// let judgement = wide_quadratic(&Network::new("quadratic".parse()?, W, vec![1.0, -1.0])?)?;
/// assert_eq!((judgement.theorem, judgement.verdict()), (Theorem::WideQuadratic, Verdict::Holds));
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The theorem, as `shallows theorems` lists it.
    pub theorem: Theorem,
    /// Its hypotheses.
    pub checks: Vec<Check>,
    /// What `global-optimum` says in numbers.
    pub optimum: Option<Optimum>,
    /// What the other theorems prove in numbers.
    pub facts: Vec<Fact>,
    /// The direction that `strict-saddle` speaks about, k×d: its witness.
    pub direction: Option<Matrix>,
    /// What it says about the case at hand, in one sentence. A [`Certificate`] words `global-optimum` itself.
    pub statement: String,
}

impl Judgement {
    /// Of a theorem that is not about an optimum.
    fn new(theorem: Theorem, checks: Vec<Check>, facts: Vec<Fact>, statement: impl FnOnce(Verdict) -> String) -> Self {
        let mut certificate =
            Judgement { theorem, checks, optimum: None, facts, direction: None, statement: String::new() };
        certificate.statement = statement(certificate.verdict());
        certificate
    }

    /// A fact by its name.
    pub fn fact(&self, name: &str) -> Option<f64> {
        self.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value)
    }

    /// The worst verdict of the checks.
    pub fn verdict(&self) -> Verdict {
        self.checks.iter().map(Check::verdict).max().unwrap_or(Verdict::Undecided)
    }
}
