//! Accelerated proximal gradient (FISTA) with adaptive restart, one evaluation per iteration.
//!
//! The first step 1/L comes from a power iteration on the Hessian V ↦ Σ ω (xᵀVx)^⊥ x xᵀ. Low rank iterates see much
//! less curvature than the largest, so that L falls from step to step until the upper model is violated, and grows
//! then. The proximal map is soft-thresholding of eigenvalues. S is affine in M: at the extrapolated point it follows
//! from the last two passes.

use super::passes::{Evaluation, Passes};
use super::{Cone, Limits, Program, Solution, SolverState, penalty, scaled_dual};
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen, symmetric_eigenvalues};
use crate::network::weighted_product;
use crate::random::{Purpose, Stream};
use crate::watch::Watch;

/// Power iterations for the step, and the safety factor on their result, which approaches L from below.
const POWER_STEPS: usize = 12;
const SAFETY: f64 = 1.05;
/// How fast L falls where the upper model holds, and grows where it is violated.
const SHORTER: f64 = 0.9;
const LONGER: f64 = 1.5;
/// Violations of the upper model below this share of the energy are rounding.
const ROUNDING: f64 = 1e-12;

/// Solve by accelerated proximal gradient.
pub(super) fn solve(program: &Program<'_>, limits: &Limits, watch: Watch<'_>) -> Result<Solution> {
    let passes = Passes::new(program)?;
    let d = passes.inputs();
    solve_from(&passes, program, &Matrix::zeros(d, d), limits, watch)
}

/// Curvatures below this share of the squared variance of the inputs are rounding of zero: where all products are affine functions,
/// as those of the words of one column are, nothing else is left.
const ROUNDING_OF_CURVATURE: f64 = 1e-15;

const NOT_FINITE: Error = Error::NotFinite { what: "the products of the inputs" };

/// The same from a given M, for data that have been prepared.
pub(super) fn solve_from(
    passes: &Passes<'_>,
    program: &Program<'_>,
    start: &Matrix,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<Solution> {
    let (mut lipschitz, least_lipschitz) = first_lipschitz(passes)?;
    let mut here = GradientPoint { M: start.clone(), S: passes.evaluate(start, true).S };
    let mut ahead = here.clone();
    let mut momentum = 1.0_f64;
    let (mut best, mut lower_bound): (Option<(Matrix, Vec<f64>, SolverState)>, f64) = (None, 0.0);
    for iteration in 0..limits.iterations {
        let (M, size) = proximal_step(&ahead, lipschitz, program).ok_or(NOT_FINITE)?;
        let Evaluation { energy, S, beta } = passes.evaluate(&M, true);
        let next = GradientPoint { M, S };
        let (step, bend) = next.minus(&ahead);
        let (square, curvature) = (dot(&step, &step), dot(&step, &bend));
        if curvature > lipschitz * square + ROUNDING * energy {
            lipschitz *= LONGER;
            continue;
        }
        lipschitz = (lipschitz * SHORTER).max(curvature / square.max(f64::MIN_POSITIVE)).max(least_lipschitz);
        let objective = 0.5 * energy + program.decay * size;
        lower_bound = lower_bound.max(dual_value(program, &next, energy));
        let state = SolverState { iteration, objective, lower_bound };
        state.report_to(watch);
        if best.as_ref().is_none_or(|(_, _, kept)| objective < kept.objective) {
            best = Some((next.M.clone(), beta, state));
        }
        if state.relative_gap() <= limits.gap || watch.is_over() {
            break;
        }
        ahead = extrapolated(&next, &here, &step, &mut momentum);
        here = next;
    }
    let (M, beta, state) = match best {
        Some(best) => best,
        // Every step was too long: the start is what there is.
        None => {
            let (beta, state) = state_at_start(passes, program, start, lower_bound);
            lower_bound = state.lower_bound;
            (start.clone(), beta, state)
        }
    };
    if !state.objective.is_finite() {
        return Err(NOT_FINITE);
    }
    Ok(Solution {
        form: passes.form(&M, &beta),
        state: SolverState { lower_bound, ..state },
        solver: "proximal gradient",
    })
}

/// L of the first step, and the least of any.
fn first_lipschitz(passes: &Passes<'_>) -> Result<(f64, f64)> {
    let lipschitz = SAFETY * *passes.curvature.get_or_init(|| largest_curvature(passes));
    if !lipschitz.is_finite() {
        return Err(NOT_FINITE);
    }
    let size: f64 = (0..passes.inputs()).map(|j| passes.covariance()[(j, j)]).sum::<f64>().powi(2);
    let least = (ROUNDING_OF_CURVATURE * size).max(f64::MIN_POSITIVE);
    // Where the products explain nothing that the affine part does not, any step does.
    Ok((if lipschitz <= least { size.max(f64::MIN_POSITIVE) } else { lipschitz }, least))
}

/// β and the state of the start, with the larger of the given lower bound and that of the start.
fn state_at_start(
    passes: &Passes<'_>,
    program: &Program<'_>,
    start: &Matrix,
    lower_bound: f64,
) -> (Vec<f64>, SolverState) {
    let Evaluation { energy, S, beta } = passes.evaluate(start, true);
    let point = GradientPoint { M: start.clone(), S };
    let objective = 0.5 * energy + penalty(start, program.cone, program.decay);
    let lower_bound = lower_bound.max(dual_value(program, &point, energy));
    (beta, SolverState { iteration: 0, objective, lower_bound })
}

/// The point ahead of `next` on the way from `here`, with Nesterov's weights; they start afresh when the momentum
/// points uphill (O'Donoghue and Candès).
fn extrapolated(next: &GradientPoint, here: &GradientPoint, step: &[f64], momentum: &mut f64) -> GradientPoint {
    let (change, _) = next.minus(here);
    let before = if dot(step, &change) < 0.0 { 1.0 } else { *momentum };
    *momentum = 0.5 * (1.0 + (1.0 + 4.0 * before * before).sqrt());
    next.beyond(here, (before - 1.0) / *momentum)
}

/// M with its S, which is affine in M: a pass gives S at two points, and arithmetic on the line through them.
#[derive(Clone)]
struct GradientPoint {
    M: Matrix,
    S: Matrix,
}

impl GradientPoint {
    /// The differences in M and in S.
    fn minus(&self, other: &GradientPoint) -> (Vec<f64>, Vec<f64>) {
        let difference = |a: &Matrix, b: &Matrix| a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a - b).collect();
        (difference(&self.M, &other.M), difference(&self.S, &other.S))
    }

    /// self + weight·(self − before).
    fn beyond(&self, before: &GradientPoint, weight: f64) -> GradientPoint {
        let mut ahead = self.clone();
        let (change, bend) = self.minus(before);
        add_scaled(ahead.M.as_mut_slice(), weight, &change);
        add_scaled(ahead.S.as_mut_slice(), weight, &bend);
        ahead
    }
}

fn dual_value(program: &Program<'_>, at: &GradientPoint, energy: f64) -> f64 {
    let Some(values) = symmetric_eigenvalues(&at.S) else { return 0.0 };
    let spectrum = (values[0], values[values.len() - 1]);
    scaled_dual(energy, dot(at.S.as_slice(), at.M.as_slice()), spectrum, program.cone, program.decay)
}

/// The minimiser of ⟨S, V⟩ + ½L‖V − M‖² + τR(V), and its R.
fn proximal_step(at: &GradientPoint, lipschitz: f64, program: &Program<'_>) -> Option<(Matrix, f64)> {
    let mut target = at.M.clone();
    add_scaled(target.as_mut_slice(), -1.0 / lipschitz, at.S.as_slice());
    let (values, Q) = symmetric_eigen(&target)?;
    let threshold = program.decay / lipschitz;
    let shrunk: Vec<f64> = values
        .iter()
        .map(|&value| match program.cone {
            Cone::Symmetric => value.signum() * (value.abs() - threshold).max(0.0),
            Cone::Positive => (value - threshold).max(0.0),
        })
        .collect();
    let (d, kept) = (at.M.rows(), (0..values.len()).filter(|&j| shrunk[j] != 0.0).collect::<Vec<_>>());
    let factor = Matrix::from_fn(kept.len(), d, |l, i| Q[(i, kept[l])]);
    let weights: Vec<f64> = kept.iter().map(|&j| shrunk[j]).collect();
    let product = weighted_product(&factor, &weights, &factor);
    let M = Matrix::from_fn(d, d, |i, j| 0.5 * (product[(i, j)] + product[(j, i)]));
    Some((M, shrunk.iter().map(|value| value.abs()).sum()))
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
