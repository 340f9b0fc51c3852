//! One run: standardise, start, optimise, fold the scaling back.

use super::Training;
use super::request::{Common, Descending};
use crate::activation::{Activation, Smooth};
use crate::data::Data;
use crate::data::scaling::{self, Centring};
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix};
use crate::network::{Layers, Network, Standardisation};
use crate::optimise::*;
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk, Objective};
use crate::watch::Watch;

/// The outcome of one run.
pub(super) struct Trained {
    /// For raw inputs.
    pub network: Network,
    pub training: Training,
    pub objective: f64,
    pub decay: f64,
}

impl Trained {
    /// Whether it was ended from outside.
    pub(super) fn was_interrupted(&self) -> bool {
        matches!(&self.training, Training::Local { trace, .. } if trace.reason == StopReason::Interrupted)
    }
}

/// A run with nothing left open.
#[derive(Clone, Copy)]
pub(super) struct Settled<'a> {
    pub activation: &'a Activation,
    pub width: usize,
    pub method: Descending,
    pub decay: f64,
    pub common: Common,
    /// `None` for the method's own default.
    pub iterations: Option<usize>,
    /// The gradient to stop at.
    pub gradient: f64,
}

/// Train on all rows of the data.
pub(super) fn train(data: &Data, settled: &Settled<'_>, watch: Watch<'_>) -> Result<Trained> {
    let parts = OptionalParts::of(settled);
    let scaling = match settled.common.scaling {
        true => scaling::standardisation(data, parts.centring())?,
        false => scaling::none(data.d()),
    };
    let table = scaling::standardised(data, &scaling)?;
    let start = parts.start(&table, settled);
    let method = settled.method.method();
    let iterations = settled.iterations.unwrap_or(default_iterations(method));
    let stop = Stop { gradient: settled.gradient, iterations, ..Stop::default() };
    let mut monitor = Monitor::new(stop).watched(watch);
    let (network, objective) = minimise(&table, &start, parts, settled, &mut monitor)?;
    let trace = monitor.into_trace();
    if trace.reason == StopReason::Diverged {
        return Err(Error::Diverged { method: method.name(), iteration: trace.iterations });
    }
    let network = network.unstandardised(&scaling).without_dead_units();
    network.check()?;
    Ok(Trained { network, training: Training::Local { method, trace }, objective, decay: settled.decay })
}

/// The least-squares affine function of the inputs, of least norm where it is not unique.
pub(super) fn affine(data: &Data) -> Result<Network> {
    let scaling = scaling::standardisation(data, Centring { inputs: true, target: true })?;
    let (d, omega) = (data.d(), data.omega());
    if data.n() <= d || !linalg::square_fits(d + 1) {
        return affine_in_span_of_rows(data, &scaling);
    }
    // The centred features are orthogonal to the constant: the normal equations are those of the slopes.
    let G = linalg::gram_of_rows(data.n(), d + 1, |i, out| {
        let x = data.X.row(i).iter().zip(scaling.mean.iter().zip(&scaling.deviation));
        let y = (data.y[i] - scaling.target_mean) / scaling.target_deviation;
        out.iter_mut().zip(x).for_each(|(out, (x, (m, s)))| *out = omega[i].sqrt() * (x - m) / s);
        out[d] = omega[i].sqrt() * y;
    });
    let block = Matrix::from_fn(d, d, |a, b| G[(a, b)]);
    let labels: Vec<f64> = (0..d).map(|a| G[(d, a)]).collect();
    let inverse = linalg::pseudo_inverse(&block).ok_or(Error::NotFinite { what: "the products of the inputs" })?;
    let linear = inverse.times_vector(&labels);
    Ok(Network::affine(Activation::SQUARE, 0.0, linear).unstandardised(&scaling))
}

/// The same from the n×n products of the rows, where those of the inputs are more: the slopes of least norm are a
/// combination Aᵀa of the centred rows A, and a = (AAᵀ)⁺y.
fn affine_in_span_of_rows(data: &Data, scaling: &Standardisation) -> Result<Network> {
    /// Directions with less than this share (times n) of the largest eigenvalue are rounding of zero.
    const NUMERICAL_ZERO: f64 = 1e-15;
    let (n, omega) = (data.n(), data.omega());
    if !linalg::square_fits(n) {
        data.check_square()?;
    }
    let A = Matrix::from_row_fn(n, data.d(), |i, out| {
        let x = data.X.row(i).iter().zip(scaling.mean.iter().zip(&scaling.deviation));
        out.iter_mut().zip(x).for_each(|(out, (x, (m, s)))| *out = omega[i].sqrt() * (x - m) / s);
    });
    let label = |i: usize| omega[i].sqrt() * (data.y[i] - scaling.target_mean) / scaling.target_deviation;
    let labels: Vec<f64> = (0..n).map(label).collect();
    let products = linalg::gram(&A.transposed());
    let (values, Q) =
        linalg::symmetric_eigen(&products).ok_or(Error::NotFinite { what: "the products of the rows" })?;
    let floor = NUMERICAL_ZERO * n as f64 * values[n - 1];
    let Qt = Q.transposed();
    let along = Qt.times_vector(&labels).into_iter().zip(&values);
    let along: Vec<f64> = along.map(|(label, value)| if *value > floor { label / value } else { 0.0 }).collect();
    let mut linear = vec![0.0; data.d()];
    Q.times_vector(&along).iter().enumerate().for_each(|(i, a)| linalg::add_scaled(&mut linear, *a, A.row(i)));
    Ok(Network::affine(Activation::SQUARE, 0.0, linear).unstandardised(scaling))
}

/// The optional parts of the network, and what follows from them.
#[derive(Clone, Copy)]
struct OptionalParts {
    quadratic: bool,
    linear: bool,
    intercept: bool,
}

impl OptionalParts {
    fn of(settled: &Settled<'_>) -> Self {
        let quadratic = matches!(settled.activation, Activation::Smooth(Smooth::Quadratic { .. }));
        OptionalParts { quadratic, linear: settled.common.linear, intercept: settled.common.intercept }
    }

    /// A quadratic unit with a bias is one without plus an affine function.
    fn bias(self) -> bool {
        !self.quadratic
    }

    fn centring(self) -> Centring {
        Centring { inputs: self.intercept && (self.bias() || self.linear), target: self.intercept }
    }

    /// In a quadratic network the size of an output weight can be moved into the hidden ones: only its sign
    /// matters, and it stays.
    fn layers(self) -> Layers {
        if self.quadratic { Layers::HiddenAndAffine } else { Layers::Both }
    }

    fn decay(self, tau: f64) -> Decay {
        match tau {
            0.0 => Decay::None,
            _ if self.quadratic => Decay::Path(tau),
            _ => Decay::Weights(tau),
        }
    }

    /// Hidden weights N(0, 1/d), biases N(0, 1); columns that are zero throughout get no weight, so that they
    /// have no influence on rows where they are not zero.
    fn start(self, table: &Data, settled: &Settled<'_>) -> Network {
        let (k, d) = (settled.width, table.d());
        let live: Vec<bool> = (0..d).map(|j| (0..table.n()).any(|i| table.X[(i, j)] != 0.0)).collect();
        let mut stream = Stream::new(settled.common.seed, Purpose::Start, 0);
        let spread = 1.0 / (d as f64).sqrt();
        let W = Matrix::from_fn(k, d, |_, j| {
            let w = spread * stream.normal();
            if live[j] { w } else { 0.0 }
        });
        let bias = (0..k).map(|_| stream.normal()).collect();
        // Alternating signs give every width units of both.
        let size = if self.quadratic { 1.0 } else { 1.0 / (k as f64).sqrt() };
        let v = (0..k).map(|j| if j % 2 == 0 { size } else { -size }).collect();
        Network {
            activation: settled.activation.clone(),
            W,
            v,
            bias: self.bias().then_some(bias),
            intercept: self.intercept.then_some(0.0),
            linear: self.linear.then(|| vec![0.0; d]),
        }
    }
}

fn minimise(
    table: &Data,
    start: &Network,
    parts: OptionalParts,
    settled: &Settled<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<(Network, f64)> {
    let (layers, decay, seed) = (parts.layers(), parts.decay(settled.decay), settled.common.seed);
    let risk = EmpiricalRisk::new(table, start, layers, decay)?;
    let theta = start.parameters(layers);
    let end = match settled.method {
        Descending::Descent { step } => {
            let step = step.map_or(GradientDescent::default().step, Step::Fixed);
            descent(&risk, theta, &GradientDescent { step }, monitor)
        }
        Descending::Lbfgs => lbfgs(&risk, theta, &Lbfgs::default(), monitor),
        Descending::Newton => newton(&risk, theta, &Newton { seed, ..Newton::default() }, monitor),
        Descending::Levenberg => levenberg(&risk, theta, &Levenberg::default(), monitor),
        Descending::Sgd { step, batch } => {
            let usual = Sgd { seed, ..Sgd::default() };
            let sgd_options = Sgd { step: step.unwrap_or(usual.step), batch: batch.unwrap_or(usual.batch), ..usual };
            sgd(SampleSource::Data(table), start, (layers, decay), &sgd_options, monitor)?.parameters(layers)
        }
    };
    let objective = risk.value(&end).objective;
    Ok((risk.network_at(&end), objective))
}

/// Enough to converge on tables of some thousand rows, unless other numbers are given.
pub(super) fn default_iterations(method: Method) -> usize {
    match method {
        Method::Levenberg | Method::Newton => 300,
        Method::Lbfgs => 2_000,
        Method::Descent => 20_000,
        Method::Sgd => 50_000,
    }
}
