//! Proved bounds on the least eigenvalue of a positive semidefinite matrix that is known up to a radius.
//!
//! Two numbers are given, and two facts decide. Below: A' − μI is positive definite by a floating Cholesky with Rump's shift, so
//! λ_min > μ. Above: λ_min ≤ xᵀA'x/xᵀx for any x ≠ 0, evaluated with an error bound.

use crate::arithmetic::{Enclosure, TINY, U, add_up, div_down, div_up, mul_up, plain_dot, proves_above, sub_down};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, values_of_rows};
use crate::rows::Ball;

/// λ_min from the bound μ below it that is claimed and, for a bound from above, a vector.
pub(crate) fn smallest(ball: &Ball, mu: f64, vector: Option<&[f64]>) -> Result<Enclosure> {
    let Ball { center, radius } = ball;
    if !mu.is_finite() || vector.is_some_and(|x| x.iter().any(|x| !x.is_finite())) {
        return Err(Error::NotFinite { what: "what bounds the least eigenvalue" });
    }
    let low = if mu > 0.0 && proves_above(center, mu, *radius) { mu } else { 0.0 };
    let high = match vector {
        Some(x) if x.len() != center.rows() => {
            let what = "entries of the vector that bounds the least eigenvalue";
            return Err(Error::Shape { what, expected: center.rows(), found: x.len() });
        }
        Some(x) => add_up(rayleigh(center, x).high, *radius),
        None => f64::INFINITY,
    };
    Ok(Enclosure { low, high: if high.is_nan() { f64::INFINITY } else { high } })
}

/// xᵀAx/xᵀx.
fn rayleigh(A: &Matrix, x: &[f64]) -> Enclosure {
    let n = x.len();
    let size: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let product = values_of_rows(n, |i| plain_dot(A.row(i), x));
    let sizes = values_of_rows(n, |i| A.row(i).iter().zip(&size).fold(0.0, |sum, (a, x)| sum + a.abs() * x));
    let (value, magnitude) = (plain_dot(x, &product), plain_dot(&size, &sizes));
    // Two sums of n terms, and the sums of sizes as much again. A product that underflows meets another entry of x.
    let largest = size.iter().copied().fold(1.0, f64::max);
    let underflow = mul_up(mul_up((n * n) as f64 + 1.0, largest), TINY);
    let error = add_up(mul_up((2 * n + 16) as f64 * 1.01 * U, magnitude), underflow);
    let square = plain_dot(x, x);
    let doubt = add_up(mul_up((n + 4) as f64 * U, square), mul_up(n as f64, TINY));
    let squares = Enclosure { low: sub_down(square, doubt), high: add_up(square, doubt) };
    if !(squares.low > 0.0) {
        return Enclosure { low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let (least, most) = (sub_down(value, error), add_up(value, error));
    let low = if least >= 0.0 { div_down(least, squares.high) } else { div_down(least, squares.low) };
    let high = if most >= 0.0 { div_up(most, squares.low) } else { div_up(most, squares.high) };
    Enclosure { low, high }
}
