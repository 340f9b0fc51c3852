//! What proposes and never decides: proofs for the checker, better networks, widths and scales to try.

pub(super) mod coordinates;
pub(super) mod descent;
pub(super) mod determined;
mod improvement;
pub(super) mod kernel;
pub(super) mod landscape;
mod least_squares;
pub(super) mod optimum;
mod points;
pub mod search;
pub(super) mod separation;
mod spans;
