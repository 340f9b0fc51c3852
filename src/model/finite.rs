//! A model with finite networks in place of its infinitely wide ones (`wide/drawn.rs`).
//!
//! The units asked for are divided among the networks by the absolute values of their weights, and among the layers of each by
//! their shares in its variance; every layer gets one at least. Where the inputs of a wide network are shifted and scaled, that
//! becomes part of the weights, and the result is an ordinary network. Where ranks take the place of values, they stay in front of
//! the units: that is no network of one hidden layer, and only an ONNX graph holds it.

use super::{Function, Model, WideMember};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{Matrix, add_scaled};
use crate::network::{Network, NetworkSum};
use crate::wide::{DrawnNetwork, InputTransform, LayerLaw, LayerSet};

/// Features at the centres and hidden weights at most: 1 GiB of each.
const MOST_FEATURES: usize = 1 << 27;
const MOST_WEIGHTS: usize = 1 << 27;

/// What a model becomes when units are drawn from its laws.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::model::onnx::{GraphPrecision, finite_onnx};
/// use shallows::model::{FiniteForm, Function};
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Model, Watch};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
/// let wide = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let model = Model::new(wide, Recipe::plain(vec!["x".into()]), "y".into(), 0)?;
/// let form = FiniteForm::drawn(&model, 100, 0)?;
/// let finite = form.model(&model).expect("its inputs are only shifted and scaled");
/// assert_eq!(finite.network.width(), Some(100));
/// let (root_mean_square, largest) = form.difference();
/// assert!(root_mean_square <= largest && largest < 1.0);
/// assert_eq!(form.members[0].units.iter().map(|(_, units)| units).sum::<usize>(), 100);
/// assert_eq!(finite_onnx(&model, &form, GraphPrecision::F32)?, shallows::model::onnx::onnx(&finite, GraphPrecision::F32)?);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FiniteForm {
    /// What is a network of the inputs of the model, where anything is.
    pub network: Option<NetworkSum>,
    /// What is a network of their ranks.
    pub ranked: Vec<RankedNetwork>,
    /// Of each wide network, what was drawn and how much that changes.
    pub members: Vec<DrawnMember>,
    /// The seed of the units.
    pub seed: u64,
}

/// A network of inputs that are ranks before. [`FiniteForm`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedNetwork {
    /// From the inputs of the model to those of the network.
    pub transform: InputTransform,
    /// The network.
    pub network: NetworkSum,
}

/// What was drawn for one wide network. [`FiniteForm`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnMember {
    /// Its factor in the sum.
    pub weight: f64,
    /// Its layers.
    pub set: LayerSet,
    /// How many units each layer has, the affine one left out.
    pub units: Vec<(LayerLaw, usize)>,
    /// The least objective of any output weights of these units, in squared units of the target.
    pub objective: f64,
    /// The objective of the wide network.
    pub wide_objective: f64,
    /// The deviation of the target.
    pub target_deviation: f64,
    /// How much each row counts in the fit of the wide network.
    row_weights: Vec<f64>,
    /// What it predicts at the distinct rows of the fit, less what the wide network does.
    differences: Vec<f64>,
}

impl FiniteForm {
    /// Draw so many units in all.
    ///
    /// # Errors
    /// Where the model has no wide network, or there are fewer units than layers or more than can be worked with.
    pub fn drawn(model: &Model, width: usize, seed: u64) -> Result<Self> {
        model.check()?;
        let wide = model.network.wide();
        if wide.is_empty() {
            return Err(Error::parameter(
                Parameter::Width,
                Requirement::OnlyWith(&["infinitely wide networks"]),
                width,
            ));
        }
        let units = divided(wide, width)?;
        let mut form = FiniteForm { network: None, ranked: vec![], members: vec![], seed };
        let mut terms: Vec<(f64, Network)> =
            model.network.networks().iter().map(|network| (1.0, network.clone())).collect();
        let mut first = 0;
        for (WideMember { weight, network: wide }, units) in wide.iter().zip(&units) {
            let DrawnNetwork { network, objective, wide_objective, differences } = wide.drawn(units, seed, first)?;
            first += units.len() as u64;
            let laws = wide.kernel.layers.iter().map(|layer| layer.law).zip(units.iter().copied());
            form.members.push(DrawnMember {
                weight: *weight,
                set: wide.set,
                units: laws.filter(|(law, _)| *law != LayerLaw::Affine).collect(),
                objective,
                wide_objective,
                target_deviation: wide.target_deviation,
                row_weights: wide.weights.clone(),
                differences,
            });
            let transform = &wide.transform;
            if transform.ranks.is_some() && !transform.kept.is_empty() {
                let parts = network.networks().iter().map(|network| (*weight, network));
                let network = NetworkSum::weighted(parts)?;
                form.ranked.push(RankedNetwork { transform: transform.clone(), network });
            } else {
                terms.extend(network.networks().iter().map(|network| (*weight, of_raw_inputs(network, transform))));
            }
        }
        if !terms.is_empty() {
            form.network = Some(NetworkSum::weighted(terms.iter().map(|(weight, network)| (*weight, network)))?);
        }
        Ok(form)
    }

    /// f(x_i) for every row of X, on the scale on which the model was fitted.
    ///
    /// # Errors
    /// When X does not have the inputs of the model.
    pub fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        let mut f = match &self.network {
            Some(network) => network.predict(X)?,
            None => vec![0.0; X.rows()],
        };
        for RankedNetwork { transform, network } in &self.ranked {
            if X.cols() != transform.inputs {
                return Err(Error::Shape { what: "columns", expected: transform.inputs, found: X.cols() });
            }
            add_scaled(&mut f, 1.0, &network.predict(&transform.applied(X))?);
        }
        Ok(f)
    }

    /// The model with finite networks alone; `None` where ranks stand before them. It has no calibration: that belongs to the wide
    /// networks.
    pub fn model(&self, model: &Model) -> Option<Model> {
        let network = self.network.clone().filter(|_| self.ranked.is_empty())?;
        Some(Model { network: Function::from(network), calibration: None, ..model.clone() })
    }

    /// The root mean square and the largest of the differences from the wide networks at the distinct rows of their fit, in units
    /// of the target (of its logarithm where that was fitted). Where the networks of a sum were fitted to different rows, bounds on
    /// both.
    pub fn difference(&self) -> (f64, f64) {
        let sizes = |differences: &[f64]| {
            let square: f64 = differences.iter().map(|x| x * x).sum();
            let largest = differences.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            ((square / differences.len().max(1) as f64).sqrt(), largest)
        };
        let rows = self.members.first().map_or(&[][..], |first| &first.row_weights);
        if self.members.iter().all(|member| member.row_weights == rows) {
            let at = |g: usize| self.members.iter().map(|member| member.weight * member.differences[g]).sum();
            return sizes(&(0..rows.len()).map(at).collect::<Vec<f64>>());
        }
        let bounds = self.members.iter().map(|member| (member.weight.abs(), sizes(&member.differences)));
        bounds
            .fold((0.0, 0.0), |(mean, most), (weight, (next, largest))| (mean + weight * next, most + weight * largest))
    }

    /// The deviation of the target.
    pub fn target_deviation(&self) -> f64 {
        self.members.first().map_or(1.0, |member| member.target_deviation)
    }

    /// M, the number of units that were drawn.
    pub fn width(&self) -> usize {
        self.members.iter().flat_map(|member| &member.units).map(|(_, units)| units).sum()
    }
}

/// The units of every layer of every network.
fn divided(wide: &[WideMember], width: usize) -> Result<Vec<Vec<usize>>> {
    let laws = |member: &WideMember| member.network.kernel.layers.iter().map(|layer| layer.law).collect::<Vec<_>>();
    let drawn: Vec<Vec<bool>> =
        wide.iter().map(|member| laws(member).iter().map(|law| *law != LayerLaw::Affine).collect()).collect();
    let least = drawn.iter().flatten().filter(|drawn| **drawn).count().max(1);
    let most = |member: &WideMember| {
        let (n, k) = (member.network.centres.rows(), member.network.inputs());
        (MOST_FEATURES / n.max(1)).min(MOST_WEIGHTS / (k + 2))
    };
    let most = wide.iter().map(most).min().unwrap_or(0).max(least);
    if !(least..=most).contains(&width) {
        return Err(Error::parameter(Parameter::Width, Requirement::CountBetween(least, most), width));
    }
    let shares = wide.iter().flat_map(|member| {
        let weight = member.weight.abs();
        member.network.shares().into_iter().map(move |share| weight * share)
    });
    let shares: Vec<f64> = shares.collect();
    let drawn_flat: Vec<bool> = drawn.iter().flatten().copied().collect();
    let mut rest = apportioned(&shares, &drawn_flat, width).into_iter();
    Ok(drawn.iter().map(|layers| rest.by_ref().take(layers.len()).collect()).collect())
}

/// `total` by shares: one for each place that gets any, and the others by the largest remainders.
fn apportioned(shares: &[f64], gets_any: &[bool], total: usize) -> Vec<usize> {
    let places: Vec<usize> = (0..shares.len()).filter(|&at| gets_any[at]).collect();
    let mut counts = vec![0; shares.len()];
    if places.is_empty() {
        return counts;
    }
    let sum: f64 = places.iter().map(|&at| shares[at]).sum();
    let is_usable = sum > 0.0 && sum.is_finite();
    let share = |at: usize| if is_usable { shares[at] / sum } else { 1.0 / places.len() as f64 };
    let more = total - places.len();
    places.iter().for_each(|&at| counts[at] = 1 + (more as f64 * share(at)) as usize);
    let mut left = total.saturating_sub(counts.iter().sum());
    let mut order = places.clone();
    let remainder = |at: usize| (more as f64 * share(at)).fract();
    order.sort_by(|&a, &b| remainder(b).total_cmp(&remainder(a)).then(a.cmp(&b)));
    for &at in order.iter().cycle() {
        if left == 0 {
            break;
        }
        counts[at] += 1;
        left -= 1;
    }
    counts
}

/// A network of z = (x − mean)/deviation as one of x.
fn of_raw_inputs(network: &Network, transform: &InputTransform) -> Network {
    let InputTransform { inputs, kept, mean, deviation, .. } = transform;
    let spread = |weights: &[f64], out: &mut [f64]| {
        kept.iter().zip(weights).zip(deviation).for_each(|((j, w), deviation)| out[*j] = w / deviation);
    };
    let shift = |weights: &[f64]| -> f64 {
        weights.iter().zip(mean.iter().zip(deviation)).map(|(w, (mean, deviation))| w * (mean / deviation)).sum()
    };
    let mut W = Matrix::zeros(network.width(), *inputs);
    let mut bias = network.bias.clone().unwrap_or_else(|| vec![0.0; network.width()]);
    for (unit, bias) in bias.iter_mut().enumerate() {
        spread(network.W.row(unit), W.row_mut(unit));
        *bias -= shift(network.W.row(unit));
    }
    let linear = network.linear.as_ref().map(|b| {
        let mut out = vec![0.0; *inputs];
        spread(b, &mut out);
        out
    });
    let shifted = network.linear.as_ref().map_or(0.0, |b| shift(b));
    let intercept = network.intercept.map(|c| c - shifted).or((shifted != 0.0).then_some(-shifted));
    let (activation, v) = (network.activation.clone(), network.v.clone());
    Network { activation, W, v, bias: Some(bias), intercept, linear }
}
