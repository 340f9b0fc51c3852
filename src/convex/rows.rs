//! Least squares (τ = 0, M symmetric) where there are few rows and many products: see [`QuadraticRows`].

use super::gram::{mean_of, uncentred};
use super::{Program, Solution, SolverState};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, QuadraticRows};
use crate::network::QuadraticForm;
use crate::risk::residual_moments;
use crate::watch::Watch;

/// Each repetition brings back half the digits that are left.
const REPETITIONS: usize = 4;

/// Solve by the eigenvectors of the kernel matrix.
pub(super) fn solve(program: &Program<'_>, watch: Watch<'_>) -> Result<Solution> {
    let Program { data, linear, intercept, .. } = *program;
    let not_finite = || Error::NotFinite { what: "the products of the inputs" };
    let mean = mean_of(program);
    let X = Matrix::from_fn(data.n(), data.d(), |i, j| data.X[(i, j)] - mean[j]);
    let rows = QuadraticRows::new(X, &data.omega(), linear, intercept).ok_or_else(not_finite)?;
    let mut centred = rows.fitted(&data.y);
    let mut best: Option<(QuadraticForm, SolverState)> = None;
    for iteration in 1..=REPETITIONS {
        let slopes = if linear { centred.b.as_slice() } else { &[] };
        let beta: Vec<f64> = slopes.iter().copied().chain(intercept.then_some(centred.c)).collect();
        let form = uncentred(&centred.M, &beta, linear, intercept, &mean);
        let missing: Vec<f64> = data.y.iter().zip(rows.values_of(&centred)).map(|(y, f)| y - f).collect();
        let step = rows.fitted(&missing);
        let objective = 0.5 * residual_moments(data, &form).energy;
        let state = SolverState { iteration, objective, lower_bound: (objective - 0.5 * step.square).max(0.0) };
        state.report_to(watch);
        if best.as_ref().is_some_and(|(_, kept)| !(objective < kept.objective)) {
            break;
        }
        best = Some((form, state));
        centred.add(&step);
    }
    let (form, state) = best.filter(|(_, state)| state.objective.is_finite()).ok_or_else(not_finite)?;
    Ok(Solution { form, state, solver: "rows" })
}
