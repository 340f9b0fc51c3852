//! One run of one candidate on a standardised table.

use super::covariance::{Layer, Scales};
use super::workload::{Learner, Workload};
use super::{affine, evidence, wide};
use crate::activation::Activation;
use crate::data::Data;
use crate::linalg::Matrix;
use crate::network::{Layers, Network};
use crate::optimise::{Lbfgs, Monitor, Stop, lbfgs};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk};
use crate::watch::Watch;

/// Gradients at which the search for scales, and the run of a relu network, end.
const SCALE_GRADIENT: f64 = 1e-4;
const RELU_GRADIENT: f64 = 1e-6;

/// A trained network, and where they come for free the residuals f₋ᵢ(xᵢ) − yᵢ of the fits without row i.
pub(super) struct TrainedMember {
    pub network: Network,
    pub left_out: Option<Vec<f64>>,
}

/// Which rows a run is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// All but those of a fold.
    OutsideFold,
    All,
}

/// Train; the start comes from (seed, index). `None` when the run failed.
pub(super) fn train(
    learner: &Learner,
    (table, rows): (&Data, Rows),
    workload: &Workload,
    (seed, index): (u64, u64),
    watch: Watch<'_>,
) -> Option<TrainedMember> {
    let mut stream = Stream::new(seed, Purpose::Start, index);
    let trained = |network| TrainedMember { network, left_out: None };
    let watch = watch.quietly();
    match learner {
        Learner::Affine => {
            affine::ridge(table).map(|ridge| TrainedMember { network: ridge.network, left_out: Some(ridge.left_out) })
        }
        Learner::Wide { layer, common } => {
            let units = if rows == Rows::All { workload.wide_units } else { workload.fold_units };
            train_wide((*layer, *common), table, (workload, units), &mut stream, watch)
        }
        Learner::Evidence { pace, .. } => {
            let some = subset(table, workload.evidence_rows, &mut stream);
            let start = start(learner.activation(), workload.evidence_units, table.d(), &mut stream);
            evidence::train(&some, &start, (*pace, workload.evidence_steps(*pace)), watch).map(trained)
        }
        Learner::Relu { decay } => {
            let some = subset(table, workload.relu_rows, &mut stream);
            let start = start(learner.activation(), workload.relu_units, table.d(), &mut stream);
            let risk = EmpiricalRisk::new(&some, &start, Layers::Both, Decay::Weights(*decay)).ok()?;
            let mut monitor = quiet_monitor(workload.relu_iterations, RELU_GRADIENT, watch);
            let theta = lbfgs(&risk, start.parameters(Layers::Both), &Lbfgs::default(), &mut monitor);
            Some(trained(risk.network_at(&theta)))
        }
    }
}

fn quiet_monitor(iterations: usize, gradient: f64, watch: Watch<'_>) -> Monitor<'_> {
    Monitor::new(Stop { iterations, gradient, ..Stop::default() }).watched(watch)
}

/// A layer of random units, of scales that are learnt from some rows.
fn train_wide(
    (layer, common): (Layer, bool),
    table: &Data,
    (workload, units): (&Workload, usize),
    stream: &mut Stream,
    watch: Watch<'_>,
) -> Option<TrainedMember> {
    let some = subset(table, workload.scale_rows, stream);
    let monitor = quiet_monitor(workload.scale_iterations, SCALE_GRADIENT, watch);
    let scales = Scales::learnt(layer, &some, common, monitor);
    // The layer takes seconds on a large table, and nobody waits for it any more.
    if watch.is_interrupted() {
        return None;
    }
    let some = subset(table, workload.wide_rows, stream);
    let fitted = wide::wide_layer(layer, &some, &scales, units, stream)?;
    let left_out = (some.n() == table.n()).then_some(fitted.left_out);
    Some(TrainedMember { network: fitted.network, left_out })
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
