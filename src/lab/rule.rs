//! When a training counts as a success: chosen after the fact, from what is recorded.

use std::str::FromStr;

use serde::Serialize;

use super::record::Record;
use crate::error::{Error, Result};
use crate::fleet::Ending;
use crate::optimise::LADDER;

/// A rule of success.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum Rule {
    /// Descent came to this relative error within so many iterations.
    Descent {
        /// A rung of the ladder.
        tolerance: f64,
        /// The iteration by which it must have.
        within: usize,
    },
    /// Levenberg–Marquardt came to zero from where descent ended.
    Verdict,
    /// The quadratic network is the teacher: ‖M − M*‖ ≤ tolerance·‖M*‖.
    RecoversTeacher {
        /// Relative, in Frobenius norm.
        tolerance: f64,
    },
}

/// What a rule says about a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It did what was asked.
    Success,
    /// It did not.
    Failure,
    /// It cannot be said: counted among the trainings, not among the successes, and shown.
    Undecided,
}

impl Rule {
    /// The judgement on a training.
    pub fn judge(&self, record: &Record) -> Judgement {
        let of = |success: bool| if success { Judgement::Success } else { Judgement::Failure };
        match self {
            Rule::Descent { tolerance, within } => {
                let rung = LADDER.iter().position(|rung| rung == tolerance);
                let crossing = rung.and_then(|rung| record.crossings[rung]);
                of(crossing.is_some_and(|iteration| iteration <= *within))
            }
            Rule::Verdict => match record.verdict.as_ref().map(|verdict| verdict.ending) {
                Some(Ending::Success) => Judgement::Success,
                Some(Ending::Stuck) => Judgement::Failure,
                Some(Ending::Undecided) | None => Judgement::Undecided,
            },
            Rule::RecoversTeacher { tolerance } => match record.teacher_error {
                Some(error) => of(error <= *tolerance),
                None => Judgement::Undecided,
            },
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Rule::Descent { tolerance, within: usize::MAX } => format!("relative error ≤ {tolerance:e} by descent"),
            Rule::Descent { tolerance, within } => {
                format!("relative error ≤ {tolerance:e} within {within} iterations of descent")
            }
            Rule::Verdict => "zero error by Levenberg–Marquardt after descent".into(),
            Rule::RecoversTeacher { tolerance } => format!("M within {tolerance:e} of the teacher's"),
        }
    }

    /// Whether a tolerance is on the ladder of recorded crossings.
    pub fn is_recorded(tolerance: f64) -> bool {
        LADDER.contains(&tolerance)
    }
}

/// The tolerances there are, in words.
pub(super) fn rungs() -> String {
    LADDER.map(|rung| format!("{rung:e}")).join(", ")
}

/// M within a thousandth is the teacher: what interpolates and is not it is off by much more.
pub(super) const TEACHER_TOLERANCE: f64 = 1e-3;

impl FromStr for Rule {
    type Err = Error;

    /// `verdict`, `descent:TOLERANCE`, `descent:TOLERANCE:ITERATIONS`, `recovers-teacher`, `recovers-teacher:TOLERANCE`.
    fn from_str(text: &str) -> Result<Rule> {
        let requirement = "verdict, descent:TOLERANCE, descent:TOLERANCE:ITERATIONS with a tolerance of 1e-1, 3e-2, 1e-2, \
                           2.5e-3, 1e-3, 1e-4, 1e-5 or 1e-7, or recovers-teacher:TOLERANCE";
        let wrong = || Error::Parameter { name: "the rule of success", requirement, value: text.to_owned() };
        let number = |text: &str| text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite()).ok_or_else(wrong);
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            ["verdict"] => Ok(Rule::Verdict),
            ["recovers-teacher"] => Ok(Rule::RecoversTeacher { tolerance: TEACHER_TOLERANCE }),
            ["recovers-teacher", tolerance] => Ok(Rule::RecoversTeacher { tolerance: number(tolerance)? }),
            ["descent", tolerance, ref rest @ ..] if rest.len() < 2 => {
                let tolerance = Some(number(tolerance)?).filter(|x| Rule::is_recorded(*x)).ok_or_else(wrong)?;
                let within = rest
                    .first()
                    .map_or(Ok(usize::MAX), |text| text.parse().ok().filter(|within| *within > 0).ok_or_else(wrong))?;
                Ok(Rule::Descent { tolerance, within })
            }
            _ => Err(wrong()),
        }
    }
}
