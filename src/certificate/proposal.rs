//! What proposes and never decides: proofs for the checker, better networks, widths and scales to try.

mod coordinates;
mod improvement;
pub(super) mod optimum;
mod points;
pub mod search;
mod spans;
