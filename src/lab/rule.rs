//! When a run counts as a success: chosen after the fact, from what is recorded.

use std::str::FromStr;

use serde::Serialize;

use super::trial::TrialOutcome;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::fleet::Ending;
use crate::optimise::LADDER;

/// A rule of success.
///
/// ```
/// use shallows::lab::Rule;
///
/// // Only rungs of the ladder are recorded, so only they can be asked for.
/// assert!(Rule::is_recorded(1e-2) && !Rule::is_recorded(0.3));
/// println!("{}", Rule::Descent { tolerance: 1e-2, within: 1000 }.words());
/// ```
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
    #[serde(rename = "verdict")]
    LongRun,
    /// The quadratic network is the teacher: ‖M − M*‖ ≤ tolerance·‖M*‖.
    RecoversTeacher {
        /// Relative, in Frobenius norm.
        tolerance: f64,
    },
}

/// What a rule says about a run. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunRuling {
    /// It did what was asked.
    Success,
    /// It did not.
    Failure,
    /// It cannot be said: counted among the runs, not among the successes, and shown.
    Undecided,
}

impl Rule {
    /// The ruling on a run.
    pub fn judge(&self, outcome: &TrialOutcome) -> RunRuling {
        let ruling = |success: bool| if success { RunRuling::Success } else { RunRuling::Failure };
        match self {
            Rule::Descent { tolerance, within } => {
                let rung = LADDER.iter().position(|rung| rung == tolerance);
                let crossing = rung.and_then(|rung| outcome.crossings[rung]);
                ruling(crossing.is_some_and(|iteration| iteration <= *within))
            }
            Rule::LongRun => match outcome.long_run.as_ref().map(|run| run.ending) {
                Some(Ending::Success) => RunRuling::Success,
                Some(Ending::Stuck) => RunRuling::Failure,
                Some(Ending::Undecided) | None => RunRuling::Undecided,
            },
            Rule::RecoversTeacher { tolerance } => match outcome.teacher_error {
                Some(error) => ruling(error <= *tolerance),
                None => RunRuling::Undecided,
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
            Rule::LongRun => "zero error by Levenberg–Marquardt after descent".into(),
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
        let requirement = Requirement::OneOf(&[
            "verdict",
            "descent:TOLERANCE",
            "descent:TOLERANCE:ITERATIONS (with a tolerance of 1e-1, 3e-2, 1e-2, 2.5e-3, 1e-3, 1e-4, 1e-5 or 1e-7)",
            "recovers-teacher:TOLERANCE",
        ]);
        let wrong = || Error::parameter(Parameter::SuccessRule, requirement, text);
        let number = |text: &str| text.parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite()).ok_or_else(wrong);
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            ["verdict"] => Ok(Rule::LongRun),
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
