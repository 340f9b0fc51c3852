//! `wide-optimum`: the claim about a fitted network, in the order of groups that the checker finds on the rows.

use std::collections::HashMap;

use shallows_verify::theorem::wide_optimum::{
    Claim, LayerLaw, Proof, RankCurve, WideLayer, WideNetwork as StoredWide, judge,
};

use crate::certificate::Judgement;
use crate::certificate::convert::rows_for_checker;
use crate::certificate::file::ProvedClaim;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::wide::{self, KernelLayer, WideNetwork};

/// How far an infinitely wide network is from the best one of its laws; `None` where it was fitted to other rows than these.
///
/// ```
/// use shallows::certificate::{Verdict, wide_optimum};
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Watch};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
/// let network = WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let judgement = wide_optimum(&network, &data, 1e-9)?.expect("these are its rows");
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// assert!(judgement.fact("lower_bound") <= judgement.fact("objective"));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn wide_optimum(network: &WideNetwork, data: &Data, tolerance: f64) -> Result<Option<Judgement>> {
    Ok(claimed(network, data, tolerance)?.map(ProvedClaim::into_judgement))
}

pub(crate) fn claimed(network: &WideNetwork, data: &Data, tolerance: f64) -> Result<Option<ProvedClaim>> {
    let Some(alpha) = alpha_by_rows(network, data) else { return Ok(None) };
    let claim = Claim { network: stored(network, alpha), decay: network.decay(), tolerance };
    let judgement = judge(rows_for_checker(data)?, &claim, &Proof {})?;
    ProvedClaim::new(&claim, &Proof {}, judgement).map(Some)
}

/// Whether a network is the one that a claim is about.
pub(crate) fn is_about(claim: &Claim, network: &WideNetwork) -> bool {
    let sorted = |alpha: &[f64]| {
        let mut alpha = alpha.to_vec();
        alpha.sort_by(f64::total_cmp);
        alpha
    };
    // Centres may have been met in another order.
    let (ours, theirs) = (sorted(&network.alpha), sorted(&claim.network.alpha));
    ours == theirs && stored(network, claim.network.alpha.clone()) == claim.network
}

/// α in the order in which the rows meet their groups for the first time.
fn alpha_by_rows(network: &WideNetwork, data: &Data) -> Option<Vec<f64>> {
    let bits = |Z: &Matrix, i: usize| Z.row(i).iter().map(|z| (z + 0.0).to_bits()).collect::<Vec<u64>>();
    let mut coefficient: HashMap<Vec<u64>, f64> =
        (0..network.alpha.len()).map(|g| (bits(&network.centres, g), network.alpha[g])).collect();
    let counts = |i: &usize| data.weights.as_ref().is_none_or(|weights| weights[*i] > 0.0);
    let Z = network.transform.applied(&data.X);
    let mut met = HashMap::new();
    let mut alpha = Vec::with_capacity(network.alpha.len());
    for row in (0..data.n()).filter(counts).map(|i| bits(&Z, i)) {
        if met.contains_key(&row) {
            continue;
        }
        alpha.push(coefficient.remove(&row)?);
        met.insert(row, ());
    }
    coefficient.is_empty().then_some(alpha)
}

fn stored(network: &WideNetwork, alpha: Vec<f64>) -> StoredWide {
    let layer = |layer: &KernelLayer| WideLayer {
        law: law(layer.law),
        signal: layer.signal,
        scales: layer.scales.clone(),
        bias: if layer.law.has_bias() { layer.bias } else { 0.0 },
    };
    let curve = |curve: &wide::RankCurve| RankCurve { values: curve.values.clone(), ranks: curve.ranks.clone() };
    let transform = &network.transform;
    StoredWide {
        kept: transform.kept.clone(),
        ranks: transform.ranks.as_ref().map(|curves| curves.iter().map(curve).collect()),
        mean: transform.mean.clone(),
        deviation: transform.deviation.clone(),
        offset: network.target_mean,
        layers: network.kernel.layers.iter().map(layer).collect(),
        alpha,
    }
}

fn law(law: wide::LayerLaw) -> LayerLaw {
    match law {
        wide::LayerLaw::RoughByInput => LayerLaw::RoughByInput,
        wide::LayerLaw::Rough => LayerLaw::Rough,
        wide::LayerLaw::T3 => LayerLaw::T3,
        wide::LayerLaw::T5 => LayerLaw::T5,
        wide::LayerLaw::Relu => LayerLaw::Relu,
        wide::LayerLaw::Erf => LayerLaw::Erf,
        wide::LayerLaw::Quadratic => LayerLaw::Quadratic,
        wide::LayerLaw::Affine => LayerLaw::Affine,
    }
}
