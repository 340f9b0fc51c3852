//! Least squares (τ = 0, M symmetric) by conjugate gradients on whitened inputs.
//!
//! With C = XᵀΩX = B⁻ᵀB⁻¹ and x̃ = Bᵀx the unknown is V with M = B V Bᵀ. For Gaussian inputs the Hessian in V is
//! 2I (with an intercept) or 2I + vec(I)vec(I)ᵀ (without), whose inverse is the preconditioner: half, or
//! V ↦ V/2 − tr(V)/(2(d+2))·I. Directions in which the inputs do not vary are left at zero.

use super::passes::Passes;
use super::{Limits, Program, Solution, SolverState};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen};
use crate::watch::Watch;

/// Directions with less than this share of the largest variance are rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-14;
/// The preconditioned gradient norm, relative to the first, at which nothing more is to be gained.
const SMALL: f64 = 1e-13;
/// That norm relative to the gap wanted. The gap itself is of its square, but a certificate that bounds competitors by a
/// thousand times our M loses as much times the norm.
const SHARE_OF_GAP: f64 = 1e-3;
/// The gradient is computed afresh this often.
const REFRESH: usize = 25;

/// Solve by preconditioned conjugate gradients.
pub(super) fn solve(program: &Program<'_>, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    let passes = Passes::new(program)?;
    let d = passes.inputs();
    let B = whitening(passes.covariance())?;
    let raw = |V: &Matrix| B.times(V).times(&B.transposed());
    let white = |S: &Matrix| symmetrised(&B.transposed().times(S).times(&B));
    let mut V = Matrix::zeros(d, d);
    let at = passes.evaluate(&raw(&V), true);
    let mut residual = negated(&white(&at.S));
    let mut direction = preconditioned(&residual, program.intercept);
    let mut product = dot(residual.as_slice(), direction.as_slice());
    let small = product.sqrt() * SMALL.max(SHARE_OF_GAP * limits.gap);
    let mut state = SolverState { iteration: 0, objective: 0.5 * at.energy, lower_bound: 0.0 };
    let mut energy = at.energy;
    for iteration in 1..=limits.iterations {
        state.report_to(watch);
        if !(product.sqrt() > small) || watch.is_over() {
            break;
        }
        let curved = white(&passes.evaluate(&raw(&direction), false).S);
        let curvature = dot(direction.as_slice(), curved.as_slice());
        if !(curvature > 0.0) {
            break;
        }
        let step = product / curvature;
        add_scaled(V.as_mut_slice(), step, direction.as_slice());
        energy -= step * product;
        if iteration % REFRESH == 0 {
            let at = passes.evaluate(&raw(&V), true);
            energy = at.energy;
            residual = negated(&white(&at.S));
        } else {
            add_scaled(residual.as_mut_slice(), -step, curved.as_slice());
        }
        let improved = preconditioned(&residual, program.intercept);
        let next = dot(residual.as_slice(), improved.as_slice());
        let beta = next / product;
        product = next;
        direction.as_mut_slice().iter_mut().zip(improved.as_slice()).for_each(|(d, z)| *d = beta * *d + z);
        state = SolverState {
            iteration,
            objective: 0.5 * energy.max(0.0),
            lower_bound: 0.5 * (energy - next.abs()).max(0.0),
        };
    }
    finished(&passes, &symmetrised(&raw(&V)), state)
}

fn finished(passes: &Passes<'_>, M: &Matrix, state: SolverState) -> Result<Solution> {
    let at = passes.evaluate(M, true);
    if !at.energy.is_finite() || norm(M.as_slice()).is_nan() {
        return Err(Error::NotFinite { what: "the products of the inputs" });
    }
    let objective = 0.5 * at.energy;
    let state = SolverState { objective, lower_bound: state.lower_bound.min(objective), ..state };
    Ok(Solution { form: passes.form(M, &at.beta), state, solver: "conjugate gradients" })
}

/// B with BᵀCB = I on the directions in which the inputs vary.
pub(super) fn whitening(C: &Matrix) -> Result<Matrix> {
    let d = C.rows();
    let scale: Vec<f64> = (0..d).map(|i| if C[(i, i)] > 0.0 { 1.0 / C[(i, i)].sqrt() } else { 0.0 }).collect();
    let scaled = Matrix::from_fn(d, d, |i, j| scale[i] * C[(i, j)] * scale[j]);
    let (values, Q) = symmetric_eigen(&scaled).ok_or(Error::NotFinite { what: "the products of the inputs" })?;
    let floor = NUMERICAL_ZERO * d as f64 * values[d - 1];
    let roots: Vec<f64> = values.iter().map(|value| if *value > floor { 1.0 / value.sqrt() } else { 0.0 }).collect();
    Ok(Matrix::from_fn(d, d, |i, j| scale[i] * Q[(i, j)] * roots[j]))
}

fn preconditioned(R: &Matrix, intercept: bool) -> Matrix {
    let d = R.rows();
    let trace: f64 = (0..d).map(|a| R[(a, a)]).sum();
    let shift = if intercept { 0.0 } else { trace / (2.0 * (d as f64 + 2.0)) };
    Matrix::from_fn(d, d, |i, j| 0.5 * R[(i, j)] - if i == j { shift } else { 0.0 })
}

fn negated(A: &Matrix) -> Matrix {
    Matrix::from_fn(A.rows(), A.cols(), |i, j| -A[(i, j)])
}

fn symmetrised(A: &Matrix) -> Matrix {
    Matrix::from_fn(A.rows(), A.cols(), |i, j| 0.5 * (A[(i, j)] + A[(j, i)]))
}
