//! What proposes and never decides: proofs for the checker, better networks, widths and scales to try.

mod coordinates;
pub(super) mod descent;
mod improvement;
pub(super) mod kernel;
pub(super) mod optimum;
mod points;
pub mod search;
mod spans;
