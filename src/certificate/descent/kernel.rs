//! λ(X), the smallest eigenvalue of Σ(X)_ij = x_i·x_j E φ'(x_i·w)φ'(x_j·w), with a bound on its error.
//!
//! The rows stand for the directions x_i/‖x_i‖ in exact arithmetic. Entries of the kernel are taken as accurate to
//! [`ENTRY`]·(1 + B² + M²): they come from closed forms or from Hermite series with a proven bound on what was cut off,
//! but the error of the coefficients and of the functions of the standard library is tested and not proved.

use super::jacobian::MOST_ROWS;
use super::units::{curvature_bound, slope_bound};
use crate::activation::Activation;
use crate::certificate::arithmetic::eigenvalue;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::Ball;
use crate::certificate::arithmetic::{add_up, mul_up, norm_up};
use crate::data::Data;
use crate::linalg::Matrix;
use crate::spectrum;

/// What an entry of the kernel can be off by.
const ENTRY: f64 = 1e-12;
/// Norms this close to 1 are those of unit rows that were rounded.
const UNIT: f64 = 1e-9;
/// What the norm of a matrix of such rows is multiplied by when each is divided by its norm.
pub(in crate::certificate) const ROUNDED: Enclosure = Enclosure { low: 1.0 - 2.0 * UNIT, high: 1.0 + 2.0 * UNIT };

/// The largest | ‖x_i‖ − 1 |, from above, minus what rounding explains.
pub(in crate::certificate) fn distance_from_unit(X: &Matrix) -> f64 {
    let off = |i: usize| (norm_up(X.row(i).iter().copied()) - 1.0).abs();
    UNIT - (0..X.rows()).map(off).fold(0.0, f64::max)
}

/// Whether rows stand for several equal ones: then a kernel matrix of all of them is singular.
pub(in crate::certificate) fn has_repeats(data: &Data) -> bool {
    data.weights.iter().flatten().any(|weight| *weight != 1.0)
}

/// λ(X); nothing is known for more rows than can be looked at.
pub(in crate::certificate) fn hidden_eigenvalue(activation: &Activation, data: &Data) -> Enclosure {
    let n = data.n();
    let unknown = Enclosure { low: 0.0, high: f64::INFINITY };
    if has_repeats(data) {
        return Enclosure::exactly(0.0);
    }
    if n > MOST_ROWS || !slope_bound(activation).is_finite() {
        return unknown;
    }
    let kernel = spectrum::hidden_kernel(activation, &directions(&data.X));
    let (slope, curvature) = (slope_bound(activation), curvature_bound(activation));
    // The kernel of a kinked activation depends on the angle with slope at most B².
    let curvature = if curvature.is_finite() { curvature } else { slope };
    let entry = mul_up(ENTRY, 1.0 + slope * slope + curvature * curvature);
    let radius = add_up(mul_up(n as f64, entry), kernel.truncation);
    eigenvalue::extremes(&Ball { center: kernel.matrix, radius }).smallest
}

fn directions(X: &Matrix) -> Matrix {
    Matrix::from_row_fn(X.rows(), X.cols(), |i, out| {
        let length = crate::linalg::norm(X.row(i));
        out.iter_mut().zip(X.row(i)).for_each(|(out, x)| *out = if length > 0.0 { x / length } else { 0.0 });
    })
}
