//! One run: what it needs, and what is refused.

use super::kernel::Task;
use crate::activation::{Activation, Kinked, Smooth};
use crate::data::Data;
use crate::error::{DataProblem, Error, Parameter, Requirement, Result};
use crate::network::{Layers, Network};
use crate::optimise::Step;
use crate::watch::Watch;

/// The numbers a run computes with. [`run`](crate::fleet::run) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 64 bits.
    Double,
    /// 32 bits: enough down to a relative error of 2.5e-3, and more than twice as fast.
    Single,
}

/// One run of gradient descent on L = ½Σωᵢrᵢ².
///
/// A batch is refused when the data are empty or not finite, when the network has no units, hidden biases or an affine
/// part, when shapes do not match, when its activation is not one of relu, softplus, quadratic, tanh, erf and Hermite
/// series, when other layers are to be trained than W or (W, v), when the step is not a positive finite number, when
/// the tolerance is not a number of at least 0, or when single precision cannot hold the numbers.
/// [`run`](crate::fleet::run) shows its use.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The samples.
    pub data: &'a Data,
    /// W₀ and v₀.
    pub start: Network,
    /// [`Layers::Hidden`]: W moves; [`Layers::Both`]: W and v move.
    pub layers: Layers,
    /// Of descent; the long run is always in double precision.
    pub precision: Precision,
    /// η, on L: the step of a paper whose loss is ½Σr² is multiplied by n.
    pub step: Step,
    /// The most steps.
    pub iterations: usize,
    /// Descent ends when ‖f − y‖/‖y‖ has fallen to this; 0 for never.
    pub tolerance: f64,
    /// Whether Levenberg–Marquardt continues from the end point. Without effect for kinked activations.
    pub long_run: bool,
}

impl Job<'_> {
    /// Whether it can be trained.
    pub(super) fn check(&self) -> Result<()> {
        self.check_shapes()?;
        if !is_trainable(&self.start.activation) {
            return Err(Error::unsuitable("the activation of a fleet", TRAINABLE, &self.start.activation));
        }
        if !matches!(self.layers, Layers::Hidden | Layers::Both) {
            let found = format!("{:?}", self.layers);
            return Err(Error::unsuitable("what a fleet trains", "the hidden layer or both", found));
        }
        let (Step::Fixed(eta) | Step::Adaptive(eta)) = self.step;
        if !(eta > 0.0 && eta.is_finite()) {
            return Err(Error::parameter(Parameter::Step, Requirement::Positive, eta));
        }
        if !(self.tolerance >= 0.0) {
            return Err(Error::parameter(Parameter::Tolerance, Requirement::AtLeast(0.0), self.tolerance));
        }
        self.check_numbers(eta)
    }

    fn check_shapes(&self) -> Result<()> {
        let Network { v, bias, intercept, linear, .. } = &self.start;
        let (n, k) = (self.data.n(), self.start.width());
        if n == 0 {
            return Err(Error::Data(DataProblem::NoRows));
        }
        if self.data.d() == 0 {
            return Err(Error::Data(DataProblem::NoInputs));
        }
        if k == 0 {
            return Err(Error::parameter(Parameter::Width, Requirement::CountFrom(1), 0));
        }
        let weights = self.data.weights.as_ref().map_or(n, Vec::len);
        for (what, expected, found) in [
            ("inputs of the network", self.start.inputs(), self.data.d()),
            ("output weights of the network", k, v.len()),
            ("targets", n, self.data.y.len()),
            ("weights", n, weights),
        ] {
            if expected != found {
                return Err(Error::Shape { what, expected, found });
            }
        }
        if bias.is_some() || intercept.is_some() || linear.is_some() {
            let requirement = "without biases and affine part";
            return Err(Error::unsuitable("the network of a fleet", requirement, "with them"));
        }
        Ok(())
    }

    /// Everything is finite, and fits into the precision.
    fn check_numbers(&self, eta: f64) -> Result<()> {
        let omega = self.data.omega();
        let [X, W] = [&self.data.X, &self.start.W].map(|matrix| matrix.as_slice());
        let parts: [(&'static str, &[f64]); 5] = [
            ("the inputs", X),
            ("the targets", &self.data.y),
            ("the sample weights", &omega),
            ("the weights of the network", W),
            ("the weights of the network", &self.start.v),
        ];
        for (what, numbers) in parts.into_iter().chain([("the steps", [eta].as_slice())]) {
            if !numbers.iter().all(|x| x.is_finite()) {
                return Err(Error::NotFinite { what });
            }
            let largest = numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            if self.precision == Precision::Single && largest > f64::from(f32::MAX) {
                return Err(Error::Precision { what, largest });
            }
        }
        Ok(())
    }

    pub(super) fn task<'a>(&'a self, omega: &'a [f64], watch: Watch<'a>) -> Task<'a> {
        Task {
            X: &self.data.X,
            y: &self.data.y,
            omega,
            activation: &self.start.activation,
            W: &self.start.W,
            v: &self.start.v,
            trains_outputs: self.layers.output(),
            step: self.step,
            iterations: self.iterations,
            tolerance: self.tolerance,
            watch,
        }
    }
}

/// The activations of [`is_trainable`], in words.
pub(crate) const TRAINABLE: &str =
    "relu, softplus, softplus:SHARPNESS, quadratic, quadratic:α,β,γ, tanh, erf or hermite:c0,c1,…";

/// Whether `kernel/curves.rs` has it.
pub(crate) fn is_trainable(activation: &Activation) -> bool {
    match activation {
        Activation::Kinked(kinked) => *kinked == Kinked::Relu,
        Activation::Smooth(smooth) => matches!(
            smooth,
            Smooth::Softplus { .. } | Smooth::Quadratic { .. } | Smooth::Tanh | Smooth::Erf | Smooth::Hermite { .. }
        ),
    }
}

/// The floating-point operations of the products of one iteration, n samples, d inputs, k units: XWᵀ and Φv on the way
/// there, their transposes on the way back. Activations are not counted.
///
/// ```
/// use shallows::fleet::flops_per_iteration;
/// use shallows::network::Layers;
///
/// // Twice the samples are twice the work.
/// let flops = |n| flops_per_iteration(n, 10, 20, Layers::Hidden);
/// assert_eq!(flops(200), 2.0 * flops(100));
/// ```
pub fn flops_per_iteration(n: usize, d: usize, k: usize, layers: Layers) -> f64 {
    let (hidden, output) = (4 * n * k * d, 2 * n * k);
    (hidden + if layers.output() { 2 * output } else { output }) as f64
}
