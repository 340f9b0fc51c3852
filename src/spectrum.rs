//! Spectra: extreme eigenpairs, kernels of data, Khatri–Rao products, Jacobians.
//!
//! Everything here is an *estimate*: accurate to rounding as a rule, proved by nobody. It says where to look and what
//! to expect; what decides a verdict is proved elsewhere, in `certificate`. One bound is a theorem, up to the rounding of
//! the bound itself: [`KernelMatrix::truncation`], what cutting a Hermite series costs.
//!
//! | file | what is there |
//! |---|---|
//! | `extremes.rs`, `lanczos.rs` | the two ends of the spectrum of a symmetric matrix or operator |
//! | `inputs.rs` | singular values, rank and linear dependencies of the columns of X; Khatri–Rao products; κ(X) |
//! | `separation.rs` | δ, how close two rows come to each other or to each other's opposite |
//! | `kernels.rs` | Σ(X) and Σ̃(X) |
//! | `jacobian.rs` | JJᵀ of a network |
//!
//! What belongs to an activation alone stands in its room and is found here too: the average slope and curvature, and what the
//! tail of a Hermite series weighs.

mod extremes;
mod inputs;
mod jacobian;
mod kernels;
mod lanczos;
mod separation;

pub use crate::activation::{
    Case, SlopeCase, Tail, average_curvature, average_slope, curvature_case, series_tail, slope_case,
};
pub use extremes::{Extremes, extremes, extremes_of_operator};
pub use inputs::{InputSpectrum, inputs, kappa, khatri_rao_gram, khatri_rao_smallest};
pub use jacobian::jacobian_gram;
pub use kernels::{KernelMatrix, hidden_kernel, output_kernel, series_hidden_kernel, series_output_kernel};
pub use separation::{Separation, separation};
