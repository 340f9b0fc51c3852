//! What theorems about gradient descent from a given start stand on, and the plan that they give.
//!
//! | file | holds |
//! |---|---|
//! | `frame` | how the rows of a table are brought into the form the theorems speak about |
//! | `plan` | a start and a step with a proof, in a file |
//! | `promises` | every theorem about a start, applied to it |

pub mod frame;
pub mod plan;
pub(crate) mod promises;

pub use frame::{RowFrame, RowScaling};
pub use plan::{DescentPlan, PlannedStart, PreparedRows, ProvedStart, Proven, Start};
pub use promises::{Promises, guarantee, promises};
