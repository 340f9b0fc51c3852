//! Newton's method on the factors, once the signs and the rank of M are known.
//!
//! Write M = WᵀDW with one row of W for each eigenvalue that is not zero, D its sign. The penalty τ‖W‖_F² is smooth in
//! W, and so is everything else: with S = mat(Hm − h)
//!
//! ```text
//! ∇ = 2DWS + 2τW          along U:  2DUS + 2DW·mat(H svec(UᵀDW + WᵀDU)) + 2τU
//! ```
//!
//! From an interior-point solution a few steps converge to rounding. Rotations among the rows leave M alone, so
//! the Hessian is singular along them, or slightly indefinite off the solution; the gradient has no component there,
//! and curvatures are taken by magnitude with a tiny floor.

use super::{Cone, Reduced};
use crate::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen};
use crate::network::weighted_product;

/// Quadratic convergence needs no more.
const STEPS: usize = 8;
/// Curvatures below this share of the largest are taken as this.
const FLOOR: f64 = 1e-13;
/// Hessians beyond this size cost more than what they bring.
const MOST_UNKNOWNS: usize = 1_000;

/// The iterates svec(M), starting with the first step; none where the method does not apply.
pub(super) fn iterates(reduced: &Reduced, cone: Cone, decay: f64, m: &[f64]) -> Vec<Vec<f64>> {
    let Some((mut W, signs)) = active_factors(reduced, cone, decay, m) else { return vec![] };
    let mut found = vec![];
    for _ in 0..STEPS {
        let Some(step) = newton_step(reduced, decay, &W, &signs) else { break };
        if !(norm(&step) < norm(W.as_slice())) {
            break;
        }
        add_scaled(W.as_mut_slice(), 1.0, &step);
        found.push(reduced.vector(&weighted_product(&W, &signs, &W)));
    }
    found
}

/// The factors of the eigenvalues of M that will stay: those larger, relative to the largest, than their distance
/// |s| ≤ τ from the constraint, relative to τ.
fn active_factors(reduced: &Reduced, cone: Cone, decay: f64, m: &[f64]) -> Option<(Matrix, Vec<f64>)> {
    let d = reduced.inputs();
    let S = gradient_in_m(reduced, m);
    let (values, Q) = symmetric_eigen(&reduced.matrix(m))?;
    let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let scale = decay.max(norm(S.as_slice()));
    let active = |i: usize| {
        let q = Q.column(i);
        let pull = -values[i].signum() * dot(&q, &S.times_vector(&q));
        values[i].abs() / largest > (decay - pull) / scale
    };
    // In the positive cone a negative eigenvalue is rounding of zero.
    let possible = |i: usize| values[i] > 0.0 || (values[i] < 0.0 && cone == Cone::Symmetric);
    let kept: Vec<usize> = (0..d).filter(|&i| possible(i) && active(i)).collect();
    let W = Matrix::from_fn(kept.len(), d, |j, a| values[kept[j]].abs().sqrt() * Q[(a, kept[j])]);
    let signs = kept.iter().map(|&i| values[i].signum()).collect();
    (!kept.is_empty() && kept.len() * d <= MOST_UNKNOWNS).then_some((W, signs))
}

fn gradient_in_m(reduced: &Reduced, m: &[f64]) -> Matrix {
    reduced.matrix(&reduced.energy_and_gradient(m).1)
}

fn newton_step(reduced: &Reduced, decay: f64, W: &Matrix, signs: &[f64]) -> Option<Vec<f64>> {
    let (k, d) = (W.rows(), W.cols());
    let S = gradient_in_m(reduced, &reduced.vector(&weighted_product(W, signs, W)));
    // 2D(A S) + 2τA, the part of gradient and Hessian that looks alike.
    let straight = |A: &Matrix| {
        let AS = A.times(&S);
        Matrix::from_fn(k, d, |j, a| 2.0 * signs[j] * AS[(j, a)] + 2.0 * decay * A[(j, a)])
    };
    let mut hessian = Matrix::zeros(k * d, k * d);
    for at in 0..k * d {
        let mut U = Matrix::zeros(k, d);
        U[(at / d, at % d)] = 1.0;
        let half = weighted_product(&U, signs, W);
        let dM = Matrix::from_fn(d, d, |a, b| half[(a, b)] + half[(b, a)]);
        let dS = reduced.matrix(&reduced.H.times_vector(&reduced.vector(&dM)));
        let WdS = W.times(&dS);
        let curved = Matrix::from_fn(k, d, |j, a| 2.0 * signs[j] * WdS[(j, a)]);
        let row = hessian.row_mut(at);
        row.copy_from_slice(straight(&U).as_slice());
        add_scaled(row, 1.0, curved.as_slice());
    }
    let gradient = straight(W);
    let (values, Q) = symmetric_eigen(&hessian)?;
    let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let along = Q.transposed().times_vector(gradient.as_slice());
    let scaled: Vec<f64> = along.iter().zip(&values).map(|(g, value)| -g / value.abs().max(FLOOR * largest)).collect();
    let step = Q.times_vector(&scaled);
    step.iter().all(|s| s.is_finite()).then_some(step)
}
