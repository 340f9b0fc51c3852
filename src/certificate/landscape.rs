//! What theorems about the landscape of a quadratic network stand on.

pub(super) mod planted;
pub(super) mod point;
