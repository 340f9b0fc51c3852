//! Proved bounds on the extreme eigenvalues of a symmetric matrix that is known up to a radius.
//!
//! An eigensolver proposes, and two facts decide. Below: A' − μI is positive definite by a floating Cholesky with
//! Rump's shift, so λ_min > μ. Above: λ_min ≤ xᵀA'x/xᵀx for any x ≠ 0, evaluated with an error bound. The same the
//! other way round for λ_max.

use super::arithmetic::{TINY, U, add_up, div_down, div_up, mul_up, plain_dot, proves_above, proves_below, sub_down};
use super::enclosure::Enclosure;
use super::rows::Ball;
use crate::linalg::{Matrix, values_of_rows};
use crate::spectrum;

/// Attempts to prove a bound next to the estimate, each further away than the last.
const ATTEMPTS: usize = 4;
const FURTHER: f64 = 32.0;

/// λ_min and λ_max of every symmetric matrix in the ball.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extremes {
    pub smallest: Enclosure,
    pub largest: Enclosure,
}

/// Bounds for a matrix that is positive semidefinite by its nature: 0 ≤ λ_min and λ_max ≤ trace hold without proof.
pub(super) fn extremes(ball: &Ball) -> Extremes {
    let Ball { center, radius } = ball;
    let n = center.rows();
    let trace = (0..n).fold(0.0, |sum, i| add_up(sum, center[(i, i)]));
    let unknown = Enclosure { low: 0.0, high: add_up(trace, mul_up(n as f64, *radius)) };
    let Some(found) = spectrum::extremes(center).filter(|_| radius.is_finite() && trace.is_finite()) else {
        return Extremes {
            smallest: Enclosure { low: 0.0, high: f64::INFINITY },
            largest: Enclosure { high: f64::INFINITY, ..unknown },
        };
    };
    // What the shift of the test takes away at least.
    let shift = (n as f64 + 1.0) * U * trace + radius;
    let away = |attempt: usize| 4.0 * shift * FURTHER.powi(attempt as i32);
    let below = (0..ATTEMPTS).map(|attempt| found.smallest - away(attempt)).take_while(|mu| *mu > 0.0);
    let low = below.into_iter().find(|mu| proves_above(center, *mu, *radius)).unwrap_or(0.0);
    let above = (0..ATTEMPTS).map(|attempt| found.largest + away(attempt));
    let high = above.into_iter().find(|lambda| proves_below(center, *lambda, *radius)).unwrap_or(f64::INFINITY);
    let quotients = [&found.smallest_vector, &found.largest_vector].map(|x| rayleigh(center, x));
    let smallest = Enclosure { low, high: add_up(quotients[0].high, *radius) };
    let largest = Enclosure { low: sub_down(quotients[1].low, *radius).max(0.0), high: high.min(unknown.high) };
    Extremes { smallest, largest }
}

/// xᵀAx/xᵀx.
fn rayleigh(A: &Matrix, x: &[f64]) -> Enclosure {
    let n = x.len();
    let size: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let product = values_of_rows(n, |i| plain_dot(A.row(i), x));
    let sizes = values_of_rows(n, |i| A.row(i).iter().zip(&size).fold(0.0, |sum, (a, x)| sum + a.abs() * x));
    let (value, magnitude) = (plain_dot(x, &product), plain_dot(&size, &sizes));
    // Two sums of n terms, and the sums of sizes as much again.
    let error = add_up(mul_up((2 * n + 16) as f64 * 1.01 * U, magnitude), mul_up((n * n) as f64 + 1.0, TINY));
    let square = plain_dot(x, x);
    let roundings = (n + 4) as f64 * U;
    let squares =
        Enclosure { low: sub_down(square, mul_up(roundings, square)), high: add_up(square, mul_up(roundings, square)) };
    if !(squares.low > 0.0) {
        return Enclosure { low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let (least, most) = (sub_down(value, error), add_up(value, error));
    let low = if least >= 0.0 { div_down(least, squares.high) } else { div_down(least, squares.low) };
    let high = if most >= 0.0 { div_up(most, squares.low) } else { div_up(most, squares.high) };
    Enclosure { low, high }
}
