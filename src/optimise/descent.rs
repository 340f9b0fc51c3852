//! Gradient descent θ ← θ − η∇: with a fixed step, with the step of the convergence theorem, or with a
//! step that grows while the objective falls and is halved when it would rise.

use super::{Monitor, StopReason};
use crate::activation::{Activation, Bound};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix, add_scaled, dot, norm};
use crate::network::{Layers, Network};
use crate::risk::Objective;

/// How the step is chosen. [`descent`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// The same η always, as published experiments do; may diverge.
    Fixed(f64),
    /// Starts at η; ×1.03 after every step that lowers the objective, halved and retried after one that
    /// would not. Never rises (beyond rounding), so it cannot diverge.
    Adaptive(f64),
}

/// Options of [`descent`]. [`descent`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientDescent {
    /// How the step is chosen.
    pub step: Step,
}

impl Default for GradientDescent {
    fn default() -> Self {
        GradientDescent { step: Step::Adaptive(1.0) }
    }
}

/// Growth of the adaptive step after a success: 3 to 5 times fewer iterations than the best fixed step on
/// the published experiments.
pub(crate) const GROWTH: f64 = 1.03;
/// A change below this share of the objective cannot be told from rounding.
const NOISE: f64 = 1e-14;

/// Minimise by gradient descent.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::optimise::{GradientDescent, Monitor, Step, Stop, StopReason, descent};
/// use shallows::risk::{Decay, EmpiricalRisk};
/// use shallows::{Data, Network};
///
/// let data = Data::from_rows(&[[1.0]], &[4.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None)?;
/// let mut monitor = Monitor::new(Stop { gradient: 1e-9, iterations: 1000, ..Stop::default() });
/// let options = GradientDescent { step: Step::Fixed(0.05) };
/// let theta = descent(&risk, network.parameters(Layers::Hidden), &options, &mut monitor);
/// // (2x)² = 4 at x = 1.
/// assert!((theta[0] - 2.0).abs() < 1e-8);
/// let trace = monitor.into_trace();
/// assert_eq!(trace.reason, StopReason::Gradient);
/// assert!(trace.records.windows(2).all(|pair| pair[1].objective <= pair[0].objective));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn descent(
    objective: &dyn Objective,
    mut theta: Vec<f64>,
    options: &GradientDescent,
    monitor: &mut Monitor<'_>,
) -> Vec<f64> {
    let mut gradient = vec![0.0; theta.len()];
    let mut value = objective.gradient(&theta, &mut gradient);
    let (mut eta, adaptive) = match options.step {
        Step::Fixed(eta) => (eta, false),
        Step::Adaptive(eta) => (eta, true),
    };
    let mut next_gradient = gradient.clone();
    for iteration in 0.. {
        if monitor.observe(iteration, value, norm(&gradient), &theta) {
            return theta;
        }
        loop {
            let mut next = theta.clone();
            add_scaled(&mut next, -eta, &gradient);
            if next == theta {
                monitor.end(StopReason::Stalled);
                return theta;
            }
            let next_value = objective.gradient(&next, &mut next_gradient);
            // Where the change drowns in rounding, the slope at the end of the step decides.
            let level = (next_value.objective - value.objective).abs() <= NOISE * value.objective.abs();
            let falls =
                if level { dot(&gradient, &next_gradient) >= 0.0 } else { next_value.objective <= value.objective };
            if !adaptive || falls {
                (theta, value) = (next, next_value);
                std::mem::swap(&mut gradient, &mut next_gradient);
                eta *= if adaptive { GROWTH } else { 1.0 };
                break;
            }
            eta *= 0.5;
        }
    }
    theta
}

/// The largest fixed step that the convergence theorems allow on L = ½Σω_i r_i² (they have other hypotheses
/// too, which this function does not check).
///
/// Hidden layer: η = 1/(2β²) for smooth and 1/(3β²) for kinked activations, β = sup|φ'|·‖v‖₂·‖Ω^½X‖ ≥ ‖J‖
/// everywhere (Oymak–Soltanolkotabi, Theorems 6.10 and 6.13; their loss is n times ours). With hidden biases
/// X has a column of ones. Output layer: η = 1/λ_max of the (constant) Hessian. An activation of unbounded
/// slope, or both layers at once, has no such global step.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::network::Layers;
/// use shallows::optimise::theoretical_step;
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 20, 2, 1.0, 1)?;
/// assert!(theoretical_step(&start, &data, Layers::Hidden)? > 0.0);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn theoretical_step(network: &Network, data: &Data, layers: Layers) -> Result<f64> {
    let omega = data.omega();
    let weighted = |A: &Matrix| Matrix::from_fn(A.rows(), A.cols(), |i, j| omega[i].sqrt() * A[(i, j)]);
    match layers {
        Layers::Output => {
            let J = output_jacobian(network, &data.X)?;
            Ok(1.0 / linalg::spectral_norm(&weighted(&J)).powi(2))
        }
        Layers::Hidden => {
            let Bound::Finite(slope) = network.activation.slope_bound() else {
                return Err(no_step("an activation of bounded slope", network.activation.to_string()));
            };
            let X = if network.bias.is_some() { with_ones(&data.X) } else { data.X.clone() };
            let beta = slope * norm(&network.v) * linalg::spectral_norm(&weighted(&X));
            let factor = if matches!(network.activation, Activation::Smooth(_)) { 2.0 } else { 3.0 };
            Ok(1.0 / (factor * beta * beta))
        }
        Layers::Both | Layers::HiddenAndAffine => {
            Err(no_step("for one layer, hidden or output", format!("for {layers:?}")))
        }
    }
}

fn no_step(requirement: &'static str, found: String) -> Error {
    Error::unsuitable("the theoretical step", requirement, found)
}

fn with_ones(X: &Matrix) -> Matrix {
    Matrix::from_fn(X.rows(), X.cols() + 1, |i, j| if j < X.cols() { X[(i, j)] } else { 1.0 })
}

/// The Jacobian of f in (v, c, b), which does not depend on them.
fn output_jacobian(network: &Network, X: &Matrix) -> Result<Matrix> {
    let p = network.parameters(Layers::Output).len();
    let columns = (0..p).map(|j| {
        let mut unit = vec![0.0; p];
        unit[j] = 1.0;
        network.jacobian_product(Layers::Output, X, &unit)
    });
    let columns: Vec<Vec<f64>> = columns.collect::<Result<_>>()?;
    Ok(Matrix::from_rows(&columns).transposed())
}
