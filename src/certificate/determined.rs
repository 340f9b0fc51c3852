//! What `determined` stands on, and what it leaves open: proofs and relations decide, spans and rivals tell.

pub(super) mod features;
pub(super) mod proof;
pub(super) mod relations;
mod rival;
mod span;

pub use rival::{Rival, rival};
pub use span::{Direction, Span};

/// Beyond this D only counts and exact relations decide.
pub(super) const MOST_FEATURES: usize = 5000;
