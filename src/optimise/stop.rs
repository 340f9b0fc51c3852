//! When to stop, and why it stopped.

use crate::risk::Value;
use crate::watch::Watch;

/// Stopping rules; the first that applies ends the run. A [`Watch`] may end it earlier.
///
/// ```
/// use shallows::optimise::Stop;
///
/// let stop = Stop { gradient: 1e-6, iterations: 500, ..Stop::default() };
/// assert_eq!(stop.relative_error, 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// ‖∇‖ ≤ this; 0 never applies to a gradient that is not exactly zero.
    pub gradient: f64,
    /// The objective ≤ this.
    pub objective: f64,
    /// ‖f − y‖/‖y‖ ≤ this.
    pub relative_error: f64,
    /// This many iterations were taken.
    pub iterations: usize,
}

impl Default for Stop {
    fn default() -> Self {
        Stop { gradient: 1e-8, objective: f64::NEG_INFINITY, relative_error: 0.0, iterations: 10_000 }
    }
}

/// Why a run ended. [`descent`](crate::optimise::descent) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The gradient is as small as asked for.
    Gradient,
    /// The objective is as small as asked for.
    Objective,
    /// The relative error is as small as asked for.
    RelativeError,
    /// The iterations are used up.
    Iterations,
    /// The time is used up.
    Time,
    /// Interrupted from outside.
    Interrupted,
    /// No step lowers the objective any further in floating point.
    Stalled,
    /// The objective became infinite or NaN.
    Diverged,
}

impl StopReason {
    /// In words, to follow "stopped: ".
    pub fn words(self) -> &'static str {
        match self {
            StopReason::Gradient => "the gradient is as small as asked for",
            StopReason::Objective => "the objective is as small as asked for",
            StopReason::RelativeError => "the relative error is as small as asked for",
            StopReason::Iterations => "the iterations are used up",
            StopReason::Time => "the time is used up",
            StopReason::Interrupted => "interrupted",
            StopReason::Stalled => "no step lowers the objective any further in floating point",
            StopReason::Diverged => "the objective is no longer a finite number",
        }
    }
}

impl Stop {
    /// The rule that applies at this point of a run, if any.
    pub(super) fn applies(&self, iteration: usize, at: Value, gradient: f64, watch: Watch<'_>) -> Option<StopReason> {
        if !at.objective.is_finite() || gradient.is_nan() {
            return Some(StopReason::Diverged);
        }
        if gradient <= self.gradient {
            return Some(StopReason::Gradient);
        }
        if at.objective <= self.objective {
            return Some(StopReason::Objective);
        }
        if at.relative_error <= self.relative_error {
            return Some(StopReason::RelativeError);
        }
        if iteration >= self.iterations {
            return Some(StopReason::Iterations);
        }
        ended_by(watch)
    }
}

/// Why a run must end now, whatever it has reached.
pub(super) fn ended_by(watch: Watch<'_>) -> Option<StopReason> {
    match (watch.is_late(), watch.is_interrupted()) {
        (true, _) => Some(StopReason::Time),
        (false, true) => Some(StopReason::Interrupted),
        (false, false) => None,
    }
}
