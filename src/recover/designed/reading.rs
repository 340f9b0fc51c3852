//! The parameters of G and F, and how the teacher is read off their minima.
//!
//! A row t·b_i of a minimum of G has −μc₂a_i t⁴ + λ(t² − 1)² stationary in t: t² = 1/(1 − μc₂a_i/λ). In the whitened
//! coordinates of F, where the output weights are 1/a_i, the same gives t² = 1/(1 − μc₂/(a_iλ)), and the rows of B^{−T}
//! (for fewer units than inputs: of the transposed pseudo-inverse) are ±√a_i b_i/t = ±√(a_i − μc₂/λ) b_i.

use super::Target;
use super::landscape::coefficients;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, inverse, norm, orthogonal_factors};

/// μ ≤ 0.12·a_min/a_max.
const MOST_MU: f64 = 0.12;

/// A cautious μ for G and F alike, for a > 0: 0.12·a_min/a_max. That F of an exactly known teacher has no other minima is
/// proved for every μ below 12 (`designed-landscape`).
/// [`Designed`](crate::recover::designed::Designed) shows its use.
pub fn largest_mu(a: &[f64]) -> f64 {
    let (least, most) = extremes(a);
    MOST_MU * least / most
}

/// 4√6|σ̂_4|·a_max: the smallest λ for G. [`Designed`](crate::recover::designed::Designed) shows its use.
pub fn smallest_lambda_orthonormal(a: &[f64], sigma_4: f64) -> f64 {
    4.0 * coefficients(sigma_4).0 * extremes(a).1
}

/// 4√6|σ̂_4|/a_min: the smallest λ for F.
///
/// ```
/// use shallows::recover::designed::{smallest_lambda_general, smallest_lambda_orthonormal};
///
/// // The same for output weights 1.
/// assert_eq!(smallest_lambda_general(&[1.0, 1.0], 0.2), smallest_lambda_orthonormal(&[1.0, 1.0], 0.2));
/// assert!(smallest_lambda_general(&[0.5, 1.0], 0.2) > smallest_lambda_general(&[1.0, 1.0], 0.2));
/// ```
pub fn smallest_lambda_general(a: &[f64], sigma_4: f64) -> f64 {
    4.0 * coefficients(sigma_4).0 / extremes(a).0
}

fn extremes(a: &[f64]) -> (f64, f64) {
    a.iter().fold((f64::INFINITY, 0.0), |(least, most), a| (least.min(*a), most.max(*a)))
}

/// The length 1/√(1 − μc₂a/λ) of the row of a minimum of G that belongs to a unit with output weight a.
///
/// ```
/// use shallows::recover::designed::minimal_row_norm;
///
/// // The weaker the pull to length one, the longer the rows.
/// assert!(minimal_row_norm(1.0, 0.2, 0.1, 10.0) > minimal_row_norm(1.0, 0.2, 0.1, 1000.0));
/// ```
pub fn minimal_row_norm(a: f64, sigma_4: f64, mu: f64, lambda: f64) -> f64 {
    1.0 / (1.0 - mu * coefficients(sigma_4).1 * a / lambda).sqrt()
}

/// Units as read off a minimum: b_i up to its sign. [`Designed`](crate::recover::designed::Designed) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// The output weights.
    pub a: Vec<f64>,
    /// The b_i, unit rows.
    pub B: Matrix,
}

/// From a minimum of G: the rows at unit length, and a_i = T(b_i, b_i, b_i, b_i).
/// [`Designed`](crate::recover::designed::Designed) shows its use.
pub fn read_orthonormal(target: &Target, minimum: &Matrix) -> Result<Units> {
    let (_, B) = unit_rows(minimum)?;
    Ok(Units { a: (0..B.rows()).map(|i| target.quartic(B.row(i))).collect(), B })
}

/// From a minimum of F (in the original coordinates): with the rows r_i of the transposed pseudo-inverse,
/// a_i = ‖r_i‖² + μc₂/λ and b_i = r_i/‖r_i‖.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::designed::read_general;
///
/// // Units of independent, not orthogonal directions are read off the rows of a minimum.
/// let minimum = Matrix::from_rows(&[[1.0, 0.0], [0.5, 1.0]]);
/// let units = read_general(&minimum, 0.2, 0.1, 100.0)?;
/// assert_eq!((units.a.len(), units.B.rows()), (2, 2));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn read_general(minimum: &Matrix, sigma_4: f64, mu: f64, lambda: f64) -> Result<Units> {
    if minimum.rows() > minimum.cols() {
        let (expected, found) = (minimum.cols(), minimum.rows());
        return Err(Error::Shape { what: "rows of a minimum with independent rows", expected, found });
    }
    // Bᵀ = QR, so that (BBᵀ)⁻¹B = R⁻¹Qᵀ.
    let (Q, R) = orthogonal_factors(&minimum.transposed());
    let (lengths, B) = unit_rows(&inverse(&R).times(&Q.transposed()))?;
    let lost = mu * coefficients(sigma_4).1 / lambda;
    Ok(Units { a: lengths.iter().map(|length| length * length + lost).collect(), B })
}

fn unit_rows(rows: &Matrix) -> Result<(Vec<f64>, Matrix)> {
    let lengths: Vec<f64> = (0..rows.rows()).map(|i| norm(rows.row(i))).collect();
    if !lengths.iter().all(|length| *length > 0.0 && length.is_finite()) {
        let found = "one with dependent or vanishing rows";
        return Err(Error::unsuitable("the minimum", "a point with independent rows", found));
    }
    Ok((lengths.clone(), Matrix::from_fn(rows.rows(), rows.cols(), |i, j| rows[(i, j)] / lengths[i])))
}
