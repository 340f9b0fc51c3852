//! One run of one candidate on a standardised table.

use super::workload::{Learner, Workload};
use super::{affine, evidence};
use crate::activation::Activation;
use crate::data::Data;
use crate::linalg::Matrix;
use crate::network::{Layers, Network};
use crate::optimise::{Lbfgs, Monitor, Stop, lbfgs};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk};
use crate::watch::Watch;

/// The gradient at which the run of a relu network ends.
const RELU_GRADIENT: f64 = 1e-6;

/// Train; the start comes from (seed, index). `None` when the run failed.
pub(super) fn train(
    learner: &Learner,
    table: &Data,
    workload: &Workload,
    (seed, index): (u64, u64),
    watch: Watch<'_>,
) -> Option<Network> {
    let mut stream = Stream::new(seed, Purpose::Start, index);
    let watch = watch.quietly();
    match learner {
        Learner::Affine => affine::ridge(table),
        Learner::Evidence { pace, .. } => {
            let some = subset(table, workload.evidence_rows, &mut stream);
            let start = start(learner.activation(), workload.evidence_units, table.d(), &mut stream);
            evidence::train(&some, &start, (*pace, workload.evidence_steps(*pace)), watch)
        }
        Learner::Relu { decay } => {
            let some = subset(table, workload.relu_rows, &mut stream);
            let start = start(learner.activation(), workload.relu_units, table.d(), &mut stream);
            let risk = EmpiricalRisk::new(&some, &start, Layers::Both, Decay::Weights(*decay)).ok()?;
            let mut monitor = quiet_monitor(workload.relu_iterations, RELU_GRADIENT, watch);
            let theta = lbfgs(&risk, start.parameters(Layers::Both), &Lbfgs::default(), &mut monitor);
            Some(risk.network_at(&theta))
        }
    }
}

fn quiet_monitor(iterations: usize, gradient: f64, watch: Watch<'_>) -> Monitor<'_> {
    Monitor::new(Stop { iterations, gradient, ..Stop::default() }).watched(watch)
}

/// At most this many rows, drawn without replacement.
pub(super) fn subset(table: &Data, most: usize, stream: &mut Stream) -> Data {
    if table.n() <= most {
        return table.clone();
    }
    let mut rows = stream.permutation(table.n());
    rows.truncate(most);
    table.select(&rows)
}

/// Hidden weights N(0, 1/d), biases N(0, 1), output weights N(0, 1/k), no linear part yet.
fn start(activation: Activation, k: usize, d: usize, stream: &mut Stream) -> Network {
    let spread = 1.0 / (d as f64).sqrt();
    let W = Matrix::from_fn(k, d, |_, _| spread * stream.normal());
    let bias = (0..k).map(|_| stream.normal()).collect();
    let size = 1.0 / (k as f64).sqrt();
    let v = (0..k).map(|_| size * stream.normal()).collect();
    Network { activation, W, v, bias: Some(bias), intercept: Some(0.0), linear: Some(vec![0.0; d]) }
}
