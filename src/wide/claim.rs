//! What a network claims about itself: the numbers of `wide-optimum`, its coefficients in the order in which the checker meets
//! their rows.

use std::collections::HashMap;

use shallows_verify::theorem::wide_optimum::{
    Claim, LayerLaw as StoredLaw, RankCurve as StoredCurve, WideLayer, WideNetwork as StoredWide,
};

use super::inputs::RankCurve;
use super::law::{KernelLayer, LayerLaw};
use super::network::WideNetwork;
use crate::data::Data;
use crate::linalg::Matrix;

impl WideNetwork {
    /// That it is within a relative tolerance of the best network of its laws; `None` where it was fitted to other rows than
    /// these.
    pub fn claim(&self, data: &Data, tolerance: f64) -> Option<Claim> {
        let alpha = alpha_by_rows(self, data)?;
        Some(Claim { network: stored(self, alpha), decay: self.decay(), tolerance })
    }
}

/// α in the order in which the rows meet their groups for the first time.
fn alpha_by_rows(network: &WideNetwork, data: &Data) -> Option<Vec<f64>> {
    let bits = |Z: &Matrix, i: usize| Z.row(i).iter().map(|z| (z + 0.0).to_bits()).collect::<Vec<u64>>();
    if network.transform.inputs != data.d() {
        return None;
    }
    let groups = 0..network.alpha.len();
    let mut coefficient: HashMap<Vec<u64>, f64> =
        groups.map(|g| (bits(&network.centres, g), network.alpha[g])).collect();
    // A centre that occurs twice is no group of rows.
    if coefficient.len() < network.alpha.len() {
        return None;
    }
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
    let curve = |curve: &RankCurve| StoredCurve { values: curve.values.clone(), ranks: curve.ranks.clone() };
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

fn law(law: LayerLaw) -> StoredLaw {
    match law {
        LayerLaw::RoughByInput => StoredLaw::RoughByInput,
        LayerLaw::Rough => StoredLaw::Rough,
        LayerLaw::T3 => StoredLaw::T3,
        LayerLaw::T5 => StoredLaw::T5,
        LayerLaw::Relu => StoredLaw::Relu,
        LayerLaw::Erf => StoredLaw::Erf,
        LayerLaw::Quadratic => StoredLaw::Quadratic,
        LayerLaw::Affine => StoredLaw::Affine,
    }
}
