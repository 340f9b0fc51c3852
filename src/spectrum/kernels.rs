//! Σ(X)_ij = x_i·x_j E φ'(x_i·w)φ'(x_j·w) and Σ̃(X)_ij = E φ(x_i·w)φ(x_j·w) for unit rows and standard normal w.
//!
//! In closed form where there is one (`activation/kernel.rs`), else as Σ_r rφ̂_r²(XXᵀ)^{∘r} and Σ_r φ̂_r²(XXᵀ)^{∘r}, cut where
//! the rest is below rounding or, for very sharp activations, after [`MOST_TERMS`]. What is cut is positive semidefinite:
//! the matrix here is never above the true one, and less than `truncation` below it.
//! Oymak and Soltanolkotabi (2020), Definitions 3.1 and 6.1.

use crate::activation::{Activation, Tail, series_tail};
use crate::linalg::Matrix;

/// A kernel matrix, as computed. [`hidden_kernel`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelMatrix {
    /// Exactly symmetric.
    pub matrix: Matrix,
    /// Bounds the spectral norm of what was cut from the series; 0 for closed forms.
    pub truncation: f64,
}

/// The longest series. It is long enough for sigmoids and softplus of sharpness up to about 9.
const MOST_TERMS: usize = 4096;
/// Series continue until what is left weighs less than this in spectral norm.
const NEGLIGIBLE: f64 = 1e-13;

/// Σ(X), the kernel of the hidden layer. The rows of X must be unit vectors.
///
/// ```
/// use shallows::Activation;
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::{hidden_kernel, output_kernel};
///
/// // E relu'(g)² = ½ and E relu(g)² = ½ on unit rows.
/// let rows = Matrix::identity(2);
/// assert!((hidden_kernel(&Activation::RELU, &rows).matrix[(0, 0)] - 0.5).abs() < 1e-12);
/// assert!((output_kernel(&Activation::RELU, &rows).matrix[(0, 0)] - 0.5).abs() < 1e-12);
/// ```
pub fn hidden_kernel(activation: &Activation, X: &Matrix) -> KernelMatrix {
    match activation.kernel() {
        Some(kernel) => KernelMatrix { matrix: kernel.slopes(X), truncation: 0.0 },
        None => series_hidden_kernel(activation, X, enough_terms(activation, X.rows(), |tail| tail.slopes)),
    }
}

/// Σ̃(X), the kernel of the output layer. The rows of X must be unit vectors. [`hidden_kernel`] shows its use.
pub fn output_kernel(activation: &Activation, X: &Matrix) -> KernelMatrix {
    match activation.kernel() {
        Some(kernel) => KernelMatrix { matrix: kernel.values(X), truncation: 0.0 },
        None => series_output_kernel(activation, X, enough_terms(activation, X.rows(), |tail| tail.values)),
    }
}

/// Σ(X) from φ̂_0, …, φ̂_{order−1}, also where there is a closed form.
///
/// ```
/// use shallows::Activation;
/// use shallows::linalg::Matrix;
/// use shallows::spectrum::{hidden_kernel, series_hidden_kernel, series_output_kernel};
///
/// // A series that is cut is never above the true kernel.
/// let rows = Matrix::identity(2);
/// let exact = hidden_kernel(&Activation::RELU, &rows).matrix[(0, 0)];
/// assert!(series_hidden_kernel(&Activation::RELU, &rows, 10).matrix[(0, 0)] < exact);
/// assert!(series_output_kernel(&Activation::RELU, &rows, 10).matrix[(0, 0)] < 0.5);
/// ```
pub fn series_hidden_kernel(activation: &Activation, X: &Matrix, order: usize) -> KernelMatrix {
    let truncation = X.rows() as f64 * series_tail(activation, order).slopes;
    KernelMatrix { matrix: activation.kernel_series(order).slopes(X), truncation }
}

/// Σ̃(X) from φ̂_0, …, φ̂_{order−1}, also where there is a closed form. [`series_hidden_kernel`] shows its use.
pub fn series_output_kernel(activation: &Activation, X: &Matrix, order: usize) -> KernelMatrix {
    let truncation = X.rows() as f64 * series_tail(activation, order).values;
    KernelMatrix { matrix: activation.kernel_series(order).values(X), truncation }
}

/// The least order at which n times the tail is negligible, or the most.
fn enough_terms(activation: &Activation, n: usize, part: impl Fn(Tail) -> f64) -> usize {
    let enough = |order: usize| n as f64 * part(series_tail(activation, order)) < NEGLIGIBLE;
    if !enough(MOST_TERMS) {
        return MOST_TERMS;
    }
    let (mut short, mut long) = (0, MOST_TERMS);
    while long - short > 1 {
        let middle = short.midpoint(long);
        if enough(middle) {
            long = middle;
        } else {
            short = middle;
        }
    }
    long
}
