//! Infinitely wide networks: laws of hidden weights, their kernels, and the exact output layer.
//!
//! A layer ℓ has an activation φ_ℓ and a law μ_ℓ of its hidden weights (w, u). A network is
//!
//! ```text
//! f(x) = Σ_ℓ ∫ a_ℓ(w,u) φ_ℓ(w·x + u) dμ_ℓ(w,u) + c + b·x
//! P    = ½ Σ ω_i (f(x_i) − y_i)² + (ρ/2) [ Σ_ℓ (1/s_ℓ) ∫ a_ℓ² dμ_ℓ + (c² + ‖b‖²)/s₀ ]
//! ```
//!
//! Its functions are a Hilbert space with kernel κ = Σ_ℓ s_ℓ κ_ℓ + s₀(1 + x·x'), κ_ℓ(x,x') = E φ_ℓ(w·x+u) φ_ℓ(w·x'+u), and the
//! minimiser is f = Σα_iκ(·, x_i) with (K + ρΩ⁻¹)α = y. ρ = ν/n, ν the variance of the noise of the Gaussian process that
//! predicts the same, with its evidence, its leave-one-out errors and its posterior deviation.
//!
//! | layer | φ | law of w (scales ℓ_j) | κ |
//! |---|---|---|---|
//! | rough by input | √2 cos, u uniform | w_j independent Cauchy(1/ℓ_j) | exp(−Σ\|x_j−x'_j\|/ℓ_j) |
//! | rough | √2 cos | multivariate Cauchy | exp(−r), r = ‖(x−x')/ℓ‖ |
//! | t3, t5 | √2 cos | multivariate t, 3 or 5 degrees | (1+√3r)e^{−√3r}; (1+√5r+5r²/3)e^{−√5r} |
//! | relu | √2 relu | N(0, ℓ⁻²), u ~ N(0,β²) | ‖ã‖‖ã'‖(√(1−c²) + (π−arccos c)c)/π, ã = (x/ℓ,β), c = cos∠(ã,ã') |
//! | erf | erf | the same | (2/π) arcsin(2ã·ã'/√((1+2‖ã‖²)(1+2‖ã'‖²))) |
//! | quadratic | (w·x)² | N(0, ℓ⁻²) | ‖ã‖²‖ã'‖² + 2(ã·ã')² |
//!
//! | file | what is there |
//! |---|---|
//! | `law.rs` | the layers and their kernels, matrices of them |
//! | `units.rs`, `drawn.rs` | finite layers drawn from a law; finite networks of them with the exact output layer |
//! | `rows.rs`, `tile.rs` | rows as a layer sees them; the vectorised inner loops and their derivatives |
//! | `inputs.rs`, `samples.rs` | inputs standardised or ranked; equal rows merged |
//! | `evidence.rs`, `learn.rs` | how likely the targets are, with its gradient; the most likely laws of a set of layers |
//! | `left_out.rs` | errors on samples whose group is left out with them, or that earlier ones judge |
//! | `jackknife.rs`, `left_out_groups.rs`, `forward.rs` | prediction intervals from rows or groups left out one at a time, or judged by earlier ones |
//! | `parts.rs` | what each layer adds to a prediction; the rows behind a network |
//! | `compact.rs`, `pivots.rs`, `iterative.rs` | many rows: the matrix in four bytes an entry, its large part, conjugate gradients |
//! | `claim.rs` | the network as the checker reads it |
//! | `solve.rs`, `network.rs` | coefficients, groups left out, the duality gap; predictions and their deviations |
//!
//! Everything large is in tiles that depend on the sizes alone: the same bits come out on any number of threads.

mod claim;
mod compact;
mod drawn;
mod evidence;
mod forward;
mod inputs;
mod iterative;
mod jackknife;
mod law;
mod learn;
mod left_out;
mod left_out_groups;
mod network;
mod parts;
mod pivots;
mod rows;
mod samples;
mod solve;
mod tile;
mod units;

pub use drawn::DrawnNetwork;
pub use forward::ForwardScores;
pub use inputs::{InputTransform, RankCurve};
pub use jackknife::Jackknife;
pub(crate) use jackknife::{smallest, weighted_smallest};
pub use law::{KernelLayer, LayerLaw, WideKernel};
pub use learn::LayerSet;
pub(crate) use learn::{OWN_WORK, rows_learnt_from};
pub use network::WideNetwork;
pub use solve::DualityGap;
pub(crate) use solve::SolvingSizes;
pub use units::LayerUnits;
