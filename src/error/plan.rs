//! What can be wrong with a plan: each sentence and its way out, side by side.

use super::hint::Hint;
use super::text::cut;

/// Characters of a reader's complaint that a message shows.
const LONGEST_REASON: usize = 80;

/// What can be wrong with a plan.
///
/// ```
/// use shallows::certificate::descent::DescentPlan;
/// use shallows::error::{Error, PlanProblem};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("plan.json");
/// std::fs::write(&path, "no plan").unwrap();
/// assert!(matches!(DescentPlan::load(&path), Err(Error::Plan(PlanProblem::NotPlan(_)))));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanProblem {
    /// Not JSON, or not with exactly the fields of a plan.
    #[error("not a plan: {}", cut(.0, LONGEST_REASON))]
    NotPlan(String),
    /// Made for other samples.
    #[error("the plan was made for other data: its samples have the hash {stored:.12}…, these {found:.12}…")]
    OtherData {
        /// In the plan.
        stored: String,
        /// Of the table at hand.
        found: String,
    },
    /// What the plan says is proved is not.
    #[error("the plan is refused: its {field} is {stored}, but what can be proved here is {found}")]
    NotProved {
        /// Which of its numbers.
        field: &'static str,
        /// In the plan.
        stored: String,
        /// By recomputation.
        found: String,
    },
}

impl PlanProblem {
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            PlanProblem::NotPlan(_) => Hint::WritePlan,
            PlanProblem::OtherData { .. } => {
                Hint::plain("a plan holds for exactly the table, target and columns it was made for")
            }
            PlanProblem::NotProved { .. } => Hint::RenewPlan,
        }
    }
}
