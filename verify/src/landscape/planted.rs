//! What theorems about planted quadratic networks measure: λ_min(W*ᵀW*), the barrier, the risk of a start.
//!
//! **Gram matrices.** fl(Σ c_j w_j w_jᵀ) with c = ±1 is a tree sum, off by at most (m + 2)u·Σ|w_j||w_j|ᵀ in every entry, so by
//! rad = (m + 2)u·Σ‖w_j‖² in the Frobenius norm, in the spectral norm and in the trace.
//!
//! **Risk.** L = ‖A‖_F² + ½(tr A)² lies between the values for ‖Â‖_F ± rad and |tr Â| ± rad, where  = fl(A); sums over the
//! entries of  are rounded outwards.

use serde::{Deserialize, Serialize};

use super::smallest::smallest;
use crate::arithmetic::{
    Enclosure, TINY, U, add_down, add_up, gram_roundings, inflated, mul_down, mul_up, plain_dot, sqrt_down, sqrt_up,
    sub_down, weighted_gram,
};
use crate::error::Result;
use crate::judgement::Check;
use crate::matrix::Matrix;
use crate::network::Network;
use crate::rows::Ball;
use crate::theorem::Theorem;

/// What bounds the least eigenvalue of a Gram matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smallest {
    /// μ, claimed to be below it.
    pub smallest: f64,
    /// A vector whose Rayleigh quotient is above it; only bounds from above need one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub vector: Option<Vec<f64>>,
}

/// The hypotheses about a teacher, the first of every theorem here: output weights 1, no affine part, σ_min(W*) > 0.
pub(crate) fn teacher_checks(theorem: Theorem, teacher: &Network, smallest: Enclosure) -> Vec<Check> {
    vec![
        Check::count(theorem.hypothesis(0), -others_than_one(teacher)),
        Check::count(theorem.hypothesis(1), -affine_terms(teacher)),
        Check::count(theorem.hypothesis(2), teacher.width() as i64 - teacher.inputs() as i64),
        Check::positive(theorem.hypothesis(3), smallest),
    ]
}

/// How many output weights are not 1.
pub(crate) fn others_than_one(network: &Network) -> i64 {
    network.v.iter().filter(|v| **v != 1.0).count() as i64
}

/// How many numbers of the affine part are not zero.
pub(crate) fn affine_terms(network: &Network) -> i64 {
    network.intercept.iter().chain(network.linear.iter().flatten()).filter(|x| **x != 0.0).count() as i64
}

/// λ_min(WᵀW) = σ_min(W)² for W with at least as many rows as columns; 0 for others.
pub(crate) fn smallest_square(W: &Matrix, proof: &Smallest) -> Result<Enclosure> {
    if W.rows() < W.cols() || W.cols() == 0 {
        return Ok(Enclosure::exactly(0.0));
    }
    smallest(&signed_gram(&[(W, 1.0)]), proof.smallest, proof.vector.as_deref())
}

/// ((d + 2)/(d + 1))·λ².
pub(crate) fn barrier(d: usize, smallest: Enclosure) -> Enclosure {
    let factor = Enclosure::exactly(d as f64 + 2.0) / Enclosure::exactly(d as f64 + 1.0);
    let at = |lambda: f64| factor * Enclosure::exactly(lambda).squared();
    Enclosure { low: at(smallest.low).low, high: at(smallest.high).high }
}

/// L(W) = ‖A‖_F² + ½(tr A)², A = WᵀW − W*ᵀW*.
pub(crate) fn risk(W: &Matrix, W_star: &Matrix) -> Enclosure {
    let Ball { center: A, radius } = signed_gram(&[(W, 1.0), (W_star, -1.0)]);
    let squares = |add: fn(f64, f64) -> f64, times: fn(f64, f64) -> f64| {
        A.as_slice().iter().fold(0.0, |sum, a| add(sum, times(*a, *a)))
    };
    let diagonal = |add: fn(f64, f64) -> f64| (0..A.rows()).fold(0.0, |sum, i| add(sum, A[(i, i)]));
    let size = Enclosure {
        low: sub_down(sqrt_down(squares(add_down, mul_down).max(0.0)), radius).max(0.0),
        high: add_up(sqrt_up(squares(add_up, mul_up)), radius),
    };
    let trace = Enclosure { low: sub_down(diagonal(add_down), radius), high: add_up(diagonal(add_up), radius) };
    let magnitude = Enclosure { low: trace.low.max(-trace.high).max(0.0), high: trace.high.max(-trace.low) };
    // `max` passes over NaN; a bound that is none must stay so.
    if !(radius.is_finite() && size.high.is_finite() && magnitude.high.is_finite()) {
        return Enclosure { low: 0.0, high: f64::INFINITY };
    }
    size.squared() + 0.5 * magnitude.squared()
}

/// Σ ±wwᵀ over the rows of some matrices of one width, and what it may be off by.
pub fn signed_gram(parts: &[(&Matrix, f64)]) -> Ball {
    let d = parts.first().map_or(0, |(W, _)| W.cols());
    let rows: Vec<(&[f64], f64)> =
        parts.iter().flat_map(|(W, sign)| (0..W.rows()).map(move |j| (W.row(j), *sign))).collect();
    let n = rows.len();
    let center = weighted_gram(n, d, |range, z, c| {
        for ((z, c), (row, sign)) in z.chunks_exact_mut(d.max(1)).zip(c).zip(&rows[range]) {
            z.copy_from_slice(row);
            *c = *sign;
        }
    });
    let size = rows.iter().fold(0.0, |sum, (row, _)| sum + plain_dot(row, row));
    let roundings = gram_roundings(n, d) + 2;
    let relative = mul_up(roundings as f64 * U, inflated(size, n + d + 8));
    let underflow = mul_up(mul_up(TINY, (n * d) as f64), 4.0 * d as f64);
    let sound = (roundings * roundings) as f64 * U < 1.0;
    Ball { center, radius: if sound { add_up(relative, underflow) } else { f64::NAN } }
}
