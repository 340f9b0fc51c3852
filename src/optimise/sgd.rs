//! Stochastic gradient descent: single samples, mini-batches, or fresh samples from a teacher.
//!
//! One iteration is one step. A table is visited in a new random order every epoch; a teacher never shows a
//! sample twice. What is observed is the whole table's objective once per epoch, or for a teacher the mean
//! loss of the batches since the last observation. The path length of the trace is that of all steps.

use super::{Monitor, StopReason};
use crate::data::Data;
use crate::data::teacher::Teacher;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{add_scaled, norm};
use crate::network::{Layers, Network};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk, Objective, Value};

/// Where samples come from. [`sgd`] shows its use.
#[derive(Clone, Copy)]
pub enum SampleSource<'a> {
    /// A table, epoch after epoch.
    Data(&'a Data),
    /// Fresh samples: row t·batch onwards of the teacher's endless table in step t.
    Teacher(&'a Teacher),
}

/// Options of [`sgd`]. [`sgd`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    /// The step η of the first iteration.
    pub step: f64,
    /// η_t = η/(1 + t/this); infinite for a constant step.
    pub halving: f64,
    /// Samples per step.
    pub batch: usize,
    /// The seed of the visiting order.
    pub seed: u64,
}

impl Default for Sgd {
    fn default() -> Self {
        Sgd { step: 0.05, halving: f64::INFINITY, batch: 32, seed: 0 }
    }
}

/// Observations per teacher are this many steps apart.
const TEACHER_STRIDE: usize = 100;

/// Train a network by stochastic gradient descent.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::optimise::{Monitor, SampleSource, Sgd, Stop, sgd};
/// use shallows::risk::Decay;
/// use shallows::{Data, Network};
///
/// let data = Data::from_rows(&[[1.0], [0.5]], &[4.0, 1.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let options = Sgd { step: 0.05, batch: 1, seed: 1, ..Sgd::default() };
/// let mut monitor = Monitor::new(Stop { iterations: 500, ..Stop::default() });
/// let trained = sgd(SampleSource::Data(&data), &network, (Layers::Hidden, Decay::None), &options, &mut monitor)?;
/// assert!((trained.W[(0, 0)].abs() - 2.0).abs() < 1e-3);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn sgd(
    source: SampleSource<'_>,
    network: &Network,
    (layers, decay): (Layers, Decay),
    options: &Sgd,
    monitor: &mut Monitor<'_>,
) -> Result<Network> {
    if options.batch == 0 {
        return Err(Error::parameter(Parameter::Batch, Requirement::CountFrom(1), 0));
    }
    match source {
        SampleSource::Data(data) => over_epochs(data, network, (layers, decay), options, monitor),
        SampleSource::Teacher(teacher) => over_fresh_samples(teacher, network, (layers, decay), options, monitor),
    }
}

fn over_epochs(
    data: &Data,
    network: &Network,
    (layers, decay): (Layers, Decay),
    options: &Sgd,
    monitor: &mut Monitor<'_>,
) -> Result<Network> {
    let whole = EmpiricalRisk::new(data, network, layers, decay)?;
    let mut theta = network.parameters(layers);
    let mut gradient = vec![0.0; theta.len()];
    let mut step = 0;
    for epoch in 0.. {
        let value = whole.gradient(&theta, &mut gradient);
        if monitor.observe(step, value, norm(&gradient), &theta) {
            break;
        }
        let order = Stream::new(options.seed, Purpose::Batches, epoch).permutation(data.n());
        for rows in order.chunks(options.batch) {
            let share = share_of(data, rows);
            if share > 0.0 {
                let batch = data.select(rows);
                EmpiricalRisk::new(&batch, network, layers, decay)?.gradient(&theta, &mut gradient);
                add_scaled(&mut theta, -options.step_at(step) * share, &gradient);
                monitor.travel(options.step_at(step) * share * norm(&gradient));
            }
            step += 1;
            if step >= monitor.stop().iterations {
                break;
            }
        }
    }
    Ok(whole.network_at(&theta))
}

/// The mean weight of these rows over that of all rows: what the loss of a batch must be multiplied with to
/// be an unbiased estimate of the whole table's.
fn share_of(data: &Data, rows: &[usize]) -> f64 {
    data.weights.as_ref().map_or(1.0, |weights| {
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        rows.iter().map(|&i| weights[i]).sum::<f64>() / rows.len() as f64 / mean
    })
}

fn over_fresh_samples(
    teacher: &Teacher,
    network: &Network,
    (layers, decay): (Layers, Decay),
    options: &Sgd,
    monitor: &mut Monitor<'_>,
) -> Result<Network> {
    let mut theta = network.parameters(layers);
    let mut gradient = vec![0.0; theta.len()];
    let mut mean_gradient = vec![0.0; theta.len()];
    let mut since = Value { objective: 0.0, relative_error: 0.0 };
    let mut trained = network.clone();
    for step in 0.. {
        let first = (step * options.batch) as u64;
        let batch = teacher.sample(first..first + options.batch as u64)?;
        let risk = EmpiricalRisk::new(&batch, network, layers, decay)?;
        let value = risk.gradient(&theta, &mut gradient);
        let steps = (step % TEACHER_STRIDE + 1) as f64;
        since.objective += (value.objective - since.objective) / steps;
        since.relative_error += (value.relative_error - since.relative_error) / steps;
        mean_gradient.iter_mut().zip(&gradient).for_each(|(mean, g)| *mean += (g - *mean) / steps);
        let observed = step % TEACHER_STRIDE == TEACHER_STRIDE - 1 || step >= monitor.stop().iterations || step == 0;
        if observed && monitor.observe(step, since, norm(&mean_gradient), &theta) {
            break;
        }
        if steps == TEACHER_STRIDE as f64 {
            since = Value { objective: 0.0, relative_error: 0.0 };
            mean_gradient.fill(0.0);
        }
        add_scaled(&mut theta, -options.step_at(step), &gradient);
        monitor.travel(options.step_at(step) * norm(&gradient));
        if theta.iter().any(|t| !t.is_finite()) {
            monitor.end(StopReason::Diverged);
            break;
        }
    }
    trained.set_parameters(layers, &theta);
    Ok(trained)
}

impl Sgd {
    fn step_at(&self, iteration: usize) -> f64 {
        self.step / (1.0 + iteration as f64 / self.halving)
    }
}
