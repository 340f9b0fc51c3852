//! Levenberg–Marquardt from the end point of descent, in double precision: a stand-in for infinite training time.
//!
//! It is not the flow of the gradient: for homogeneous activations it can flip the sign of an output weight that descent
//! never could. Where v is trained with such an activation, the outcome of descent and the verdict answer two questions.

use crate::activation::Activation;
use crate::linalg::norm;
use crate::network::Network;
use crate::optimise::{Levenberg, Monitor, Stop, levenberg};
use crate::risk::{EmpiricalRisk, LeastSquares, Objective};
use crate::watch::Watch;

/// Below, a relative error is a success: the run would continue to zero.
const SUCCESS: f64 = 1e-5;
/// Above, a point without slope is stuck.
const STUCK_ERROR: f64 = 1e-4;
/// Below, a scaled gradient is no slope.
const STUCK_GRADIENT: f64 = 1e-7;
/// A success ends well below its bar.
const TARGET: f64 = 1e-9;
/// Success or not, few runs need a tenth of these.
const ITERATIONS: usize = 1000;

/// Three outcomes, never two. [`run`](crate::fleet::run) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A relative error below 1e-5.
    Success,
    /// A scaled gradient below 1e-7 at a relative error above 1e-4: a stationary point that does not fit.
    Stuck,
    /// Neither; also when a number is not finite.
    Undecided,
}

impl Ending {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Success => "success",
            Ending::Stuck => "stuck",
            Ending::Undecided => "undecided",
        }
    }

    fn of(relative_error: f64, scaled_gradient: f64) -> Self {
        if relative_error < SUCCESS {
            Ending::Success
        } else if scaled_gradient < STUCK_GRADIENT && relative_error > STUCK_ERROR {
            Ending::Stuck
        } else {
            Ending::Undecided
        }
    }
}

/// Where Levenberg–Marquardt has come to. [`run`](crate::fleet::run) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct LongRun {
    /// What that means.
    pub ending: Ending,
    /// ‖f − y‖/‖y‖ there.
    pub relative_error: f64,
    /// ‖Jᵀρ‖/(‖J‖_F‖ρ‖) there, ρ the weighted residuals and J their Jacobian there or where training began, whichever
    /// is larger: between 0 and 1, without units.
    pub scaled_gradient: f64,
    /// Iterations of Levenberg–Marquardt.
    pub iterations: usize,
    /// The point.
    pub network: Network,
}

/// The long run from `theta`, to which descent came from `start`, or nothing where the activation is kinked or the
/// search was interrupted.
pub(super) fn long_run(
    risk: &EmpiricalRisk<'_>,
    network: &Network,
    (start, theta): (&[f64], Vec<f64>),
    watch: Watch<'_>,
) -> Option<LongRun> {
    let Activation::Smooth(_) = network.activation else { return None };
    let stop = Stop { gradient: 0.0, relative_error: TARGET, iterations: ITERATIONS, ..Stop::default() };
    let mut monitor = Monitor::new(stop).watched(watch.quietly());
    let theta = levenberg(risk, theta, &Levenberg::default(), &mut monitor);
    if watch.is_over() {
        return None;
    }
    let relative_error = risk.value(&theta).relative_error;
    let mut gradient = vec![0.0; theta.len()];
    risk.gradient(&theta, &mut gradient);
    let (rho, J) = risk.linearised(&theta);
    // Where J vanishes with the gradient, as that of z² does at 0, its size at the start counts.
    let (_, J_start) = risk.linearised(start);
    let slope = norm(J.as_slice()).max(norm(J_start.as_slice()));
    let scaled_gradient = norm(&gradient) / (slope * norm(&rho));
    if watch.is_over() {
        return None;
    }
    Some(LongRun {
        ending: Ending::of(relative_error, scaled_gradient),
        relative_error,
        scaled_gradient,
        iterations: monitor.into_trace().iterations,
        network: risk.network_at(&theta),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_endings_meet_at_their_bars_and_nan_is_undecided() {
        assert_eq!(Ending::of(0.99e-5, 1.0), Ending::Success);
        assert_eq!(Ending::of(1e-5, 1e-9), Ending::Undecided);
        assert_eq!(Ending::of(1e-4, 1e-9), Ending::Undecided);
        assert_eq!(Ending::of(1.01e-4, 0.99e-7), Ending::Stuck);
        assert_eq!(Ending::of(1.01e-4, 1e-7), Ending::Undecided);
        assert_eq!(Ending::of(f64::NAN, 0.0), Ending::Undecided);
        assert_eq!(Ending::of(1.0, f64::NAN), Ending::Undecided);
    }
}
