//! Accelerated proximal gradient (FISTA) with adaptive restart, one evaluation per iteration.
//!
//! The step 1/L comes from a power iteration on the Hessian V ↦ Σ ω (xᵀVx)^⊥ x xᵀ and is shortened if the upper
//! model is ever violated. The proximal map is soft-thresholding of eigenvalues.

use super::passes::{Evaluation, Passes};
use super::{Cone, Limits, Program, Solution, State, penalty, scaled_dual};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen};
use crate::random::{Purpose, Stream};

/// Power iterations for the step, and the safety factor on their result, which approaches L from below.
const POWER_STEPS: usize = 12;
const SAFETY: f64 = 1.05;

/// Solve by accelerated proximal gradient.
pub(super) fn solve(program: &Program<'_>, limits: &Limits<'_>, report: &mut dyn FnMut(&State)) -> Result<Solution> {
    let passes = Passes::new(program)?;
    let d = passes.inputs();
    solve_from(&passes, program, &Matrix::zeros(d, d), limits, report)
}

/// The same from a given M, for data that have been prepared.
pub(super) fn solve_from(
    passes: &Passes<'_>,
    program: &Program<'_>,
    start: &Matrix,
    limits: &Limits<'_>,
    report: &mut dyn FnMut(&State),
) -> Result<Solution> {
    let mut lipschitz = SAFETY * largest_curvature(passes);
    if !lipschitz.is_finite() {
        return Err(Error::NotFinite { what: "the products of the inputs" });
    }
    if lipschitz == 0.0 {
        // The products explain nothing: any step does.
        lipschitz = 1.0;
    }
    let mut M = start.clone();
    let mut ahead = M.clone();
    let mut momentum = 1.0_f64;
    let mut at = passes.evaluate(&ahead, true);
    let (mut best, mut lower_bound): (Option<(Matrix, Evaluation, State)>, f64) = (None, 0.0);
    for iteration in 0..limits.iterations {
        let Some(next) = proximal_step(&ahead, &at.S, lipschitz, program) else {
            return Err(Error::NotFinite { what: "the products of the inputs" });
        };
        let there = passes.evaluate(&next, true);
        let mut step = next.clone();
        add_scaled(step.as_mut_slice(), -1.0, ahead.as_slice());
        let square = dot(step.as_slice(), step.as_slice());
        let model = at.energy + 2.0 * dot(at.S.as_slice(), step.as_slice()) + lipschitz * square;
        if there.energy > model + 1e-12 * there.energy.abs() {
            lipschitz *= 1.5;
            continue;
        }
        let state = state_of(program, &next, &there, iteration, &mut lower_bound);
        report(&state);
        // Restart when the momentum points uphill (O'Donoghue and Candès).
        let mut change = next.clone();
        add_scaled(change.as_mut_slice(), -1.0, M.as_slice());
        let restart = dot(step.as_slice(), change.as_slice()) < 0.0;
        momentum = if restart { 1.0 } else { momentum };
        let faster = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let weight = (momentum - 1.0) / faster;
        momentum = faster;
        M = next.clone();
        ahead = next;
        if best.as_ref().is_none_or(|(_, _, kept)| state.objective < kept.objective) {
            best = Some((M.clone(), there, state));
        }
        if state.relative_gap() <= limits.gap || limits.interrupted() {
            break;
        }
        add_scaled(ahead.as_mut_slice(), weight, change.as_slice());
        at = passes.evaluate(&ahead, true);
    }
    let (M, evaluation, state) = match best {
        Some(best) => best,
        // Every step was too long: the start is what there is.
        None => {
            let at = passes.evaluate(start, true);
            let state = state_of(program, start, &at, 0, &mut lower_bound);
            (start.clone(), at, state)
        }
    };
    if !state.objective.is_finite() {
        return Err(Error::NotFinite { what: "the products of the inputs" });
    }
    let state = State { lower_bound, ..state };
    Ok(Solution { form: passes.form(&M, &evaluation.beta), state, solver: "proximal gradient" })
}

fn state_of(program: &Program<'_>, M: &Matrix, at: &Evaluation, iteration: usize, lower_bound: &mut f64) -> State {
    let objective = 0.5 * at.energy + penalty(M, program.cone, program.decay);
    if let Some((values, _)) = symmetric_eigen(&at.S) {
        let spectrum = (values[0], values[values.len() - 1]);
        let inner = dot(at.S.as_slice(), M.as_slice());
        *lower_bound = lower_bound.max(scaled_dual(at.energy, inner, spectrum, program.cone, program.decay));
    }
    State { iteration, objective, lower_bound: *lower_bound }
}

/// The minimiser of ⟨S, V⟩ + ½L‖V − M‖² + τR(V).
fn proximal_step(M: &Matrix, S: &Matrix, lipschitz: f64, program: &Program<'_>) -> Option<Matrix> {
    let mut target = M.clone();
    add_scaled(target.as_mut_slice(), -1.0 / lipschitz, S.as_slice());
    let (values, Q) = symmetric_eigen(&target)?;
    let threshold = program.decay / lipschitz;
    let shrunk: Vec<f64> = values
        .iter()
        .map(|&value| match program.cone {
            Cone::Symmetric => value.signum() * (value.abs() - threshold).max(0.0),
            Cone::Positive => (value - threshold).max(0.0),
        })
        .collect();
    let d = M.rows();
    let scaled = Matrix::from_fn(d, d, |i, j| Q[(i, j)] * shrunk[j]);
    let product = scaled.times(&Q.transposed());
    Some(Matrix::from_fn(d, d, |i, j| 0.5 * (product[(i, j)] + product[(j, i)])))
}

/// λ_max of the Hessian, by power iteration.
fn largest_curvature(passes: &Passes<'_>) -> f64 {
    let d = passes.inputs();
    let mut stream = Stream::new(0, Purpose::Probe, 0);
    let mut V = Matrix::identity(d);
    V.as_mut_slice().iter_mut().for_each(|v| *v += 0.1 * stream.normal());
    V = Matrix::from_fn(d, d, |i, j| 0.5 * (V[(i, j)] + V[(j, i)]));
    let mut value = 0.0;
    for _ in 0..POWER_STEPS {
        let length = norm(V.as_slice());
        V.as_mut_slice().iter_mut().for_each(|v| *v /= length);
        let next = passes.evaluate(&V, false).S;
        value = norm(next.as_slice());
        if !(value > 0.0 && value.is_finite()) {
            return value;
        }
        V = next;
    }
    value
}
