//! The execution of a plan: gradient descent and nothing else, with every proved inequality compared with what is observed.
//!
//! A claim about descent is one about exact arithmetic: a comparison counts only while ‖r_τ‖ is above what rounding
//! leaves of a residual.

use crate::certificate::descent::Proven;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{dot, values_of_rows};
use crate::network::{Layers, Network};
use crate::optimise::{GradientDescent, Monitor, Step, Stop, Trace, TraceRow, descent};
use crate::risk::{Decay, EmpiricalRisk};
use crate::watch::Watch;

/// What a proof bounds along a run. [`execute`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedQuantity {
    /// ‖r_τ‖, by rate^τ·‖r₀‖.
    Residual,
    /// The distance from the start.
    Distance,
    /// The length of the path.
    Path,
    /// slope·s − bend·s² + ‖r‖ after a path of length s.
    Energy,
}

impl BoundedQuantity {
    /// In the order of the comparisons.
    const ALL: [BoundedQuantity; 4] =
        [BoundedQuantity::Residual, BoundedQuantity::Distance, BoundedQuantity::Path, BoundedQuantity::Energy];

    /// As a value of JSON and in sentences.
    pub fn name(self) -> &'static str {
        match self {
            BoundedQuantity::Residual => "residual",
            BoundedQuantity::Distance => "distance",
            BoundedQuantity::Path => "path",
            BoundedQuantity::Energy => "energy",
        }
    }

    /// Its observed share of the bound at one iteration with this ‖r‖.
    fn share(self, proven: &Proven, record: &TraceRow, r: f64) -> f64 {
        let s = record.path;
        match self {
            BoundedQuantity::Residual => r / (proven.residual * (record.iteration as f64 * proven.rate.ln()).exp()),
            BoundedQuantity::Distance => record.distance / proven.path,
            BoundedQuantity::Path => s / proven.path,
            BoundedQuantity::Energy => (proven.slope * s - proven.bend * s * s + r) / proven.residual,
        }
    }
}

/// An inequality, and how close the run came to it. [`execute`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// What is bounded.
    pub quantity: BoundedQuantity,
    /// The largest observed share of the bound.
    pub worst: f64,
    /// The first iteration at which it did not hold.
    pub violated: Option<usize>,
}

/// An executed plan. [`execute`] shows its use.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// Where it ended.
    pub network: Network,
    /// Its history; objectives are (1/2n)Σr².
    pub trace: Trace,
    /// ‖r‖ at the start and at the end.
    pub residuals: (f64, f64),
    /// (‖r_end‖/‖r_0‖)^(1/iterations)
    pub rate: f64,
    /// Below this ‖r‖ is rounding.
    pub floor: f64,
    /// Proved against observed.
    pub comparisons: [Comparison; 4],
}

impl PlannedRun {
    /// How close the run came to the bound on a quantity.
    pub fn comparison(&self, quantity: BoundedQuantity) -> Option<&Comparison> {
        self.comparisons.iter().find(|comparison| comparison.quantity == quantity)
    }
}

/// Rounding in the bounds themselves; a sum of τ lengths adds ε with every term.
const SLACK: f64 = 1e-12;

/// Gradient descent by the plan from `network` on `data`, and every proved inequality compared with it.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::descent_converges;
/// use shallows::fit::planned::execute;
/// use shallows::network::Layers;
/// use shallows::optimise::Stop;
/// use shallows::{Activation, Data, Watch};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// let proven = descent_converges(&start, &data)?.proven.expect("wide enough for two rows");
/// let stop = Stop { iterations: 20, ..Stop::default() };
/// let run = execute(&start, &data, Layers::Hidden, &proven, stop, Watch::silent())?;
/// // What was proved before the first step is what happened.
/// assert!(run.comparisons.iter().all(|comparison| comparison.violated.is_none()));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn execute(
    network: &Network,
    data: &Data,
    layers: Layers,
    proven: &Proven,
    stop: Stop,
    watch: Watch<'_>,
) -> Result<PlannedRun> {
    let total = data.weights.as_ref().map_or(data.n() as f64, |weights| weights.iter().sum());
    let risk = EmpiricalRisk::new(data, network, layers, Decay::None)?;
    let floor = rounding_floor(network, data, total);
    let norm = |record: &TraceRow| (2.0 * total * record.objective.max(0.0)).sqrt();
    let mut comparisons = BoundedQuantity::ALL.map(|quantity| Comparison { quantity, worst: 0.0, violated: None });
    let mut observe = |record: &TraceRow| {
        let r = norm(record);
        // At the start the bounds are equalities.
        if r > floor && record.iteration > 0 {
            compare(&mut comparisons, proven, record, r);
        }
    };
    let mut monitor = Monitor::new(stop).watched(watch).reporting(&mut observe);
    let options = GradientDescent { step: Step::Fixed(total * proven.step) };
    let theta = descent(&risk, network.parameters(layers), &options, &mut monitor);
    let trace = monitor.into_trace();
    let mut end = network.clone();
    end.set_parameters(layers, &theta);
    let ends = |record: Option<&TraceRow>| record.map_or(f64::NAN, norm);
    let residuals = (ends(trace.records.first()), ends(trace.records.last()));
    let rate = (residuals.1 / residuals.0).powf(1.0 / trace.iterations.max(1) as f64);
    Ok(PlannedRun { network: end, trace, residuals, rate, floor, comparisons })
}

/// Compare one iteration, with its ‖r‖, with every bound.
fn compare(comparisons: &mut [Comparison; 4], proven: &Proven, record: &TraceRow, r: f64) {
    let tau = record.iteration as f64;
    for comparison in comparisons {
        let share = comparison.quantity.share(proven, record, r);
        comparison.worst = comparison.worst.max(share);
        // NaN is a violation too.
        if !(share <= 1.0 + SLACK + f64::EPSILON * tau) && comparison.violated.is_none() {
            comparison.violated = Some(record.iteration);
        }
    }
}

/// 100u·max_i Σ_l|v_lφ(w_l·x_i)|·√n: what rounding leaves of a residual.
fn rounding_floor(network: &Network, data: &Data, total: f64) -> f64 {
    let size = values_of_rows(data.n(), |i| {
        let z: Vec<f64> = (0..network.width()).map(|l| dot(network.W.row(l), data.X.row(i))).collect();
        let mut phi = vec![0.0; z.len()];
        network.activation.values(&z, &mut phi);
        phi.iter().zip(&network.v).map(|(phi, v)| (v * phi).abs()).sum()
    });
    100.0 * 0.5 * f64::EPSILON * size.into_iter().fold(0.0, f64::max) * total.sqrt()
}
