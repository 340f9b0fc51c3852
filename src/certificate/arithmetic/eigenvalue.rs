//! Proved bounds on the extreme eigenvalues of a symmetric matrix that is known up to a radius.
//!
//! An eigensolver proposes, and two facts decide. Below: A' − μI is positive definite by a floating Cholesky with
//! Rump's shift, so λ_min > μ. Above: λ_min ≤ xᵀA'x/xᵀx for any x ≠ 0, evaluated with an error bound. The same the
//! other way round for λ_max.

use super::enclosure::Enclosure;
use super::rows::Ball;
use crate::certificate::arithmetic::{
    TINY, U, add_up, div_down, div_up, mul_up, plain_dot, proves_above, proves_below, sub_down,
};
use crate::linalg::{Matrix, values_of_rows};
use crate::spectrum;

/// Attempts to prove a bound next to the estimate, each further away than the last.
const ATTEMPTS: usize = 4;
const FURTHER: f64 = 32.0;

/// λ_min and λ_max of every symmetric matrix in the ball.
#[derive(Clone, Copy, Debug)]
pub(in crate::certificate) struct EnclosedExtremes {
    pub smallest: Enclosure,
    pub largest: Enclosure,
}

/// Bounds for a matrix that is positive semidefinite by its nature: 0 ≤ λ_min and λ_max ≤ trace hold without proof.
pub(in crate::certificate) fn extremes(ball: &Ball) -> EnclosedExtremes {
    let Ball { center, radius } = ball;
    let n = center.rows();
    let trace = trace(center);
    let unknown = Enclosure { low: 0.0, high: add_up(trace, mul_up(n as f64, *radius)) };
    let Some(found) = estimated_extremes(ball) else {
        return EnclosedExtremes {
            smallest: Enclosure { low: 0.0, high: f64::INFINITY },
            largest: Enclosure { high: f64::INFINITY, ..unknown },
        };
    };
    let above = (0..ATTEMPTS).map(|attempt| found.largest + away(ball, attempt));
    let high = above.into_iter().find(|lambda| proves_below(center, *lambda, *radius)).unwrap_or(f64::INFINITY);
    let low = sub_down(rayleigh(center, &found.largest_vector).low, *radius).max(0.0);
    EnclosedExtremes {
        smallest: around_smallest(ball, &found),
        largest: Enclosure { low, high: high.min(unknown.high) },
    }
}

/// The same for λ_min alone, for the sake of speed.
pub(in crate::certificate) fn smallest(ball: &Ball) -> Enclosure {
    estimated_extremes(ball).map_or(Enclosure { low: 0.0, high: f64::INFINITY }, |found| around_smallest(ball, &found))
}

fn trace(A: &Matrix) -> f64 {
    (0..A.rows()).fold(0.0, |sum, i| add_up(sum, A[(i, i)]))
}

/// What an eigensolver says.
fn estimated_extremes(ball: &Ball) -> Option<spectrum::Extremes> {
    let finite = ball.radius.is_finite() && trace(&ball.center).is_finite();
    spectrum::extremes(&ball.center).filter(|_| finite)
}

/// How far from the estimate the next attempt goes: four times what the shift of the test takes away at least.
fn away(ball: &Ball, attempt: usize) -> f64 {
    let shift = (ball.center.rows() as f64 + 1.0) * U * trace(&ball.center) + ball.radius;
    4.0 * shift * FURTHER.powi(attempt as i32)
}

fn around_smallest(ball: &Ball, found: &spectrum::Extremes) -> Enclosure {
    let Ball { center, radius } = ball;
    let below = (0..ATTEMPTS).map(|attempt| found.smallest - away(ball, attempt)).take_while(|mu| *mu > 0.0);
    let low = below.into_iter().find(|mu| proves_above(center, *mu, *radius)).unwrap_or(0.0);
    Enclosure { low, high: add_up(rayleigh(center, &found.smallest_vector).high, *radius) }
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
