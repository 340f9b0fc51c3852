//! What can be proved about a network, and nothing else.
//!
//! A theorem is a function from what it speaks about to a [`Certificate`]: its hypotheses one by one, each with the
//! measured margin and a proven bound on the error of that margin. This room sees only the network, the data and the
//! claim. It calls no solver, and shares no numerical shortcut with one: the sums and factorisations that decide a
//! verdict are its own plain loops, with directed rounding, and give the same bits on every machine. A
//! [`record::Record`] is a certificate in a file, and [`record::Record::verify`] recomputes all of it.

mod arithmetic;
mod basis;
mod bound;
mod candidates;
mod catalogue;
mod dependence;
mod dual;
pub mod global_optimum;
mod improvement;
mod lanes;
mod primal;
pub mod record;
mod rows;
#[cfg(test)]
mod tests;
pub mod wide_quadratic;

use serde::{Deserialize, Serialize};

pub use crate::network::Signs;
pub use catalogue::{Theorem, markdown, theorems};
pub use global_optimum::{Claim, Class, Optimum, Quadratic, global_optimum};
pub use record::{Record, Source};
pub use wide_quadratic::wide_quadratic;

/// The outcome of a check, from best to worst.
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
    /// A margin of NaN is undecided, never a pass.
    pub fn verdict(&self) -> Verdict {
        if self.margin >= self.error {
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
}

/// A theorem applied to something given.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The theorem, as `shallows theorems` lists it.
    pub theorem: &'static str,
    /// Its hypotheses.
    pub checks: Vec<Check>,
    /// What `global-optimum` says in numbers.
    pub optimum: Option<Optimum>,
}

impl Certificate {
    /// The worst verdict of the checks.
    pub fn verdict(&self) -> Verdict {
        self.checks.iter().map(Check::verdict).max().unwrap_or(Verdict::Undecided)
    }
}
