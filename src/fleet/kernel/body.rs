//! One run, written once for every kind of vector.
//!
//! With s = ω∘r the gradient of L = ½Σωᵢrᵢ² is ∂L/∂w_l = v_l Σᵢ sᵢφ'(zᵢ_l)xᵢ and ∂L/∂v_l = Σᵢ sᵢφ(zᵢ_l). Samples lie
//! side by side in the lanes, and so does everything that belongs to one: column j of X, z, φ' and φ of unit l. An
//! iteration has three passes (`passes.rs`): z = XWᵀ, tile after tile; φ, φ', r and s; the sums over the samples.
//! Nothing is allocated on the way.

use super::vector::{Real, Vector};
use super::workspace::Workspace;
use super::{GROWTH, Ran, Rungs, Task};
use crate::optimise::{Step, StopReason};

/// Σωᵢrᵢ² at the weights of the workspace.
#[inline(always)]
unsafe fn energy<V: Vector>(work: &mut Workspace<'_, V>) -> f64 {
    V::forward(work);
    V::activate(work)
}

/// Step as far as the energy does not rise, halving η until it does not; nothing where rounding leaves no step, or
/// where a pass was cut short.
#[inline(always)]
unsafe fn falling_step<V: Vector>(work: &mut Workspace<'_, V>, eta: &mut f64, reached: f64) -> Option<f64> {
    work.keep();
    while work.step_from_kept(V::Real::nearest(*eta)) {
        let next = energy(work);
        if work.is_cut {
            work.restore();
            return None;
        }
        if next <= reached {
            *eta = (*eta * GROWTH).min(f64::MAX);
            return Some(next);
        }
        *eta *= 0.5;
    }
    None
}

/// Descend until a rule says stop.
///
/// # Safety
/// The processor has the instructions of the vector, and [`Vector::train`] is compiled for them: this is its body.
#[inline(always)]
pub(super) unsafe fn train<V: Vector>(task: &Task<'_>) -> Ran {
    let mut work = Workspace::<V>::new(task);
    let mut rungs = Rungs::new(task, work.label_energy());
    let (mut eta, adaptive) = match task.step {
        Step::Fixed(eta) => (eta, false),
        Step::Adaptive(eta) => (eta, true),
    };
    let check_every = task.check_every();
    let mut reached = energy(&mut work);
    let mut iteration = 0;
    let reason = loop {
        if work.is_cut {
            break StopReason::Interrupted;
        }
        rungs.climb(iteration, reached);
        if !reached.is_finite() {
            break StopReason::Diverged;
        }
        if rungs.is_over(reached) {
            break StopReason::RelativeError;
        }
        if iteration >= task.iterations {
            break StopReason::Iterations;
        }
        if iteration % check_every == 0 && task.is_interrupted() {
            break StopReason::Interrupted;
        }
        V::pull_back(&mut work);
        if work.is_cut {
            break StopReason::Interrupted;
        }
        let next = if adaptive {
            falling_step(&mut work, &mut eta, reached)
        } else {
            work.step(V::Real::nearest(eta));
            Some(energy(&mut work))
        };
        match next {
            Some(next) => reached = next,
            None if work.is_cut => break StopReason::Interrupted,
            None => break StopReason::Stalled,
        }
        iteration += 1;
    };
    work.finish(task, rungs, iteration, reason)
}
