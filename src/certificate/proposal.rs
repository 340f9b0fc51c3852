//! What proposes and never decides: dual points, better networks, widths and scales to try.

pub(super) mod candidates;
pub(super) mod improvement;
pub mod search;
