//! Proved bounds on the least eigenvalue of a positive semidefinite matrix that is known up to a radius.
//!
//! Two numbers are given, and two facts decide. Below: A' − μI is positive definite by a floating Cholesky with Rump's shift, so
//! λ_min > μ. Above: λ_min ≤ xᵀA'x/xᵀx for any x ≠ 0, evaluated with an error bound.

use crate::arithmetic::{Enclosure, add_up, proves_above, rayleigh};
use crate::error::{Error, Result};
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
