//! Wide networks in a model file.

use serde::{Deserialize, Serialize};

use super::{FileResult, NamedTensor, Tensors};
use crate::error::ModelProblem;
use crate::linalg::Matrix;
use crate::model::WideMember;
use crate::wide::{
    ForwardScores, InputTransform, Jackknife, KernelLayer, LayerLaw, LayerSet, RankCurve, WideKernel, WideNetwork,
};

/// What the metadata entry says of a wide network; its tensors hold the rest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WideDescription {
    weight: f64,
    set: String,
    kept: Vec<usize>,
    input_mean: Vec<f64>,
    input_deviation: Vec<f64>,
    /// How many values each curve of ranks has.
    curves: Option<Vec<usize>>,
    target_mean: f64,
    target_deviation: f64,
    unit: f64,
    noise: f64,
    left_out_error: f64,
    layers: Vec<LayerDescription>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerDescription {
    law: String,
    signal: f64,
    scales: Vec<f64>,
    bias: f64,
}

/// The curves of ranks, one after the other.
pub(super) struct CurveTensors {
    values: Vec<f64>,
    ranks: Vec<f64>,
}

impl CurveTensors {
    pub(super) fn of(network: &WideNetwork) -> Self {
        let curves = || network.transform.ranks.iter().flatten();
        CurveTensors {
            values: curves().flat_map(|curve| curve.values.clone()).collect(),
            ranks: curves().flat_map(|curve| curve.ranks.clone()).collect(),
        }
    }
}

/// The prefix of the tensors of a network of intervals.
pub(super) const JACKKNIFE: &str = "jackknife.";
/// The same of a network whose rows earlier ones have judged.
pub(super) const FORWARD: &str = "forward.";

/// What a network of intervals has in tensors besides its own numbers.
pub(super) struct JackknifeTensors {
    curves: CurveTensors,
    scored: Vec<f64>,
}

impl JackknifeTensors {
    pub(super) fn of(jackknife: &Jackknife) -> Self {
        let mut scored = vec![0.0; jackknife.network.alpha.len()];
        jackknife.scored.iter().for_each(|&at| scored[at] = 1.0);
        JackknifeTensors { curves: CurveTensors::of(&jackknife.network), scored }
    }

    pub(super) fn parts<'a>(&'a self, jackknife: &'a Jackknife) -> Vec<NamedTensor<'a>> {
        let scored = (format!("{JACKKNIFE}scored"), vec![self.scored.len()], self.scored.as_slice());
        parts(JACKKNIFE, &jackknife.network, &self.curves).into_iter().chain([scored]).collect()
    }
}

pub(super) fn prefix(at: usize) -> String {
    format!("wide{}.", at + 1)
}

/// The tensors of a network.
pub(super) fn parts<'a>(prefix: &str, network: &'a WideNetwork, curves: &'a CurveTensors) -> Vec<NamedTensor<'a>> {
    let name = |name: &str| format!("{prefix}{name}");
    let vector = |part: &str, numbers: &'a [f64]| (name(part), vec![numbers.len()], numbers);
    let shape = vec![network.centres.rows(), network.centres.cols()];
    let mut parts = vec![
        (name("centres"), shape, network.centres.as_slice()),
        vector("weights", &network.weights),
        vector("alpha", &network.alpha),
        vector("left_out", &network.left_out),
    ];
    if network.transform.ranks.is_some() {
        parts.extend([vector("values", &curves.values), vector("ranks", &curves.ranks)]);
    }
    parts
}

impl WideDescription {
    pub(super) fn of(member: &WideMember) -> Self {
        WideDescription::of_network(member.weight, &member.network)
    }

    pub(super) fn of_network(weight: f64, network: &WideNetwork) -> Self {
        let layer = |layer: &KernelLayer| LayerDescription {
            law: layer.law.name().to_owned(),
            signal: layer.signal,
            scales: layer.scales.clone(),
            bias: layer.bias,
        };
        let transform = &network.transform;
        WideDescription {
            weight,
            set: network.set.name().to_owned(),
            kept: transform.kept.clone(),
            input_mean: transform.mean.clone(),
            input_deviation: transform.deviation.clone(),
            curves: transform.ranks.as_ref().map(|curves| curves.iter().map(|curve| curve.values.len()).collect()),
            target_mean: network.target_mean,
            target_deviation: network.target_deviation,
            unit: network.unit,
            noise: network.noise,
            left_out_error: network.left_out_error,
            layers: network.kernel.layers.iter().map(layer).collect(),
        }
    }

    /// The names of its tensors.
    pub(super) fn tensors(&self, prefix: &str) -> Vec<String> {
        let curves: &[&str] = if self.curves.is_some() { &["values", "ranks"] } else { &[] };
        let names = ["centres", "weights", "alpha", "left_out"].iter().chain(curves);
        names.map(|name| format!("{prefix}{name}")).collect()
    }
}

impl Tensors<'_> {
    /// The wide network with this prefix, of d inputs; whether its numbers make sense is for its own check to say.
    pub(super) fn wide_member(&self, prefix: &str, description: WideDescription, d: usize) -> FileResult<WideMember> {
        let name = |name: &str| format!("{prefix}{name}");
        let vector = |part: &str| self.required(name(part))?.numbers();
        let unknown = |what: &str, text: &str| ModelProblem::Metadata { reason: format!("unknown {what} {text:?}") };
        let WideDescription { weight, kept, input_mean, input_deviation, .. } = &description;
        let centres = self.required(name("centres"))?;
        let centres = match centres.info.shape.as_slice() {
            &[n, columns] if columns == kept.len() && (columns > 0 || n <= 1) => {
                Matrix::from_vec(n, columns, centres.numbers()?)
            }
            _ => return Err(centres.wrong_shape(format!("n×{}", kept.len()))),
        };
        let ranks = match &description.curves {
            Some(lengths) => Some(curves(lengths, &vector("values")?, &vector("ranks")?)?),
            None => None,
        };
        let layer = |layer: &LayerDescription| {
            let law = LayerLaw::from_name(&layer.law).ok_or_else(|| unknown("layer", &layer.law))?;
            let LayerDescription { signal, scales, bias, .. } = layer;
            Ok(KernelLayer { law, signal: *signal, scales: scales.clone(), bias: *bias })
        };
        let layers = description.layers.iter().map(layer).collect::<FileResult<_>>()?;
        let network = WideNetwork {
            set: LayerSet::from_name(&description.set).ok_or_else(|| unknown("set of layers", &description.set))?,
            transform: InputTransform {
                inputs: d,
                kept: kept.clone(),
                ranks,
                mean: input_mean.clone(),
                deviation: input_deviation.clone(),
            },
            target_mean: description.target_mean,
            target_deviation: description.target_deviation,
            unit: description.unit,
            kernel: WideKernel { layers },
            noise: description.noise,
            centres,
            weights: vector("weights")?,
            alpha: vector("alpha")?,
            left_out_error: description.left_out_error,
            left_out: vector("left_out")?,
            factor: std::sync::OnceLock::new(),
        };
        Ok(WideMember { weight: *weight, network })
    }
}

impl Tensors<'_> {
    /// The network of intervals, of d inputs.
    pub(super) fn jackknife(
        &self,
        description: WideDescription,
        d: usize,
        groups: Option<Vec<usize>>,
    ) -> FileResult<Jackknife> {
        let WideMember { network, .. } = self.wide_member(JACKKNIFE, description, d)?;
        let scored = self.required(format!("{JACKKNIFE}scored"))?.vector(network.alpha.len())?;
        let places = (0..scored.len()).filter(|&at| scored[at] == 1.0).collect();
        match scored.iter().all(|x| *x == 0.0 || *x == 1.0) {
            true => Ok(match groups {
                Some(groups) => Jackknife::of_groups(network, places, groups),
                None => Jackknife::new(network, places),
            }),
            false => Err(ModelProblem::Calibration),
        }
    }

    /// The network whose rows earlier ones have judged, of d inputs.
    pub(super) fn forward(&self, description: WideDescription, d: usize) -> FileResult<ForwardScores> {
        let WideMember { network, .. } = self.wide_member(FORWARD, description, d)?;
        let scores = self.required(format!("{FORWARD}scores"))?.numbers()?;
        Ok(ForwardScores { network, scores })
    }
}

/// The curves of ranks, which stand one after the other.
fn curves(lengths: &[usize], values: &[f64], ranks: &[f64]) -> FileResult<Vec<RankCurve>> {
    let total = lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(*length));
    if total != Some(values.len()) || values.len() != ranks.len() {
        return Err(ModelProblem::Metadata { reason: "curves of ranks of other lengths than the file holds".into() });
    }
    let mut start = 0;
    let curve = |length: &usize| {
        let part = start..start + length;
        start = part.end;
        RankCurve { values: values[part.clone()].to_vec(), ranks: ranks[part].to_vec() }
    };
    Ok(lengths.iter().map(curve).collect())
}
