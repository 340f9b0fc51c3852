//! What rows leave open about a quadratic network: spans and rivals, which only tell.

mod rival;
mod scaled;
mod span;

pub use rival::{Rival, rival};
pub(super) use scaled::ScaledRows;
pub use span::{Direction, Span};

/// Beyond this D only counts and exact relations decide.
pub(super) const MOST_FEATURES: usize = 5000;
