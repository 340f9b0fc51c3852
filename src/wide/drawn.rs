//! Finite networks drawn from the laws of a wide one, their output layers solved exactly.
//!
//! Layer ℓ gets M_ℓ units of its law. Their features are ψ = √(s_ℓ/M_ℓ) φ_ℓ(Wz + u), whose products average to s_ℓκ_ℓ; the affine
//! layer has its own features √s₀(z, 1), all of them. The output weights θ minimise the objective of the wide network over what
//! these features span:
//!
//! ```text
//! P̂ = ½ Σω_g (ψ(z_g)·θ − y_g)² + (ρ/2)‖θ‖²,      y_g = (Kα)_g + (ν/w_g)α_g the targets, as the coefficients tell them
//! ```
//!
//! which is (ΨᵀΩΨ + ρ)θ = ΨᵀΩy, or (ΨΨᵀ + ρΩ⁻¹)α̂ = y with θ = Ψᵀα̂, whichever is smaller. P* as a function of the kernel is a largest of
//! linear functions, so it is convex, and the kernel of the drawn units has the mean K: **P̂* ≥ P* on average over draws**. What
//! rows with equal inputs differ among themselves adds the same to both, and is left out of both.

use super::law::{KernelLayer, LayerLaw, WideKernel};
use super::network::WideNetwork;
use super::units::LayerUnits;
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, Tiles, add_scaled, dot};
use crate::network::{Network, NetworkSum};
use crate::random::{Purpose, Stream};

/// Corrections of the solution.
const REFINEMENTS: usize = 2;

/// A finite network with the laws of a wide one.
///
/// ```
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Watch};
///
/// let x: Vec<[f64; 1]> = (0..40).map(|i| [i as f64 / 5.0]).collect();
/// let y: Vec<f64> = x.iter().map(|x| x[0].sin()).collect();
/// let data = Data::from_rows(&x, &y)?;
/// let wide = WideNetwork::fitted(&data, &[0..1], LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// // Of the three layers the affine one needs no units.
/// let drawn = wide.drawn(&[300, 300, 0], 7, 0)?;
/// assert_eq!(drawn.network.width(), 600);
/// assert!(drawn.differences.iter().all(|difference| difference.abs() < 0.3));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnNetwork {
    /// The network, of transformed inputs.
    pub network: NetworkSum,
    /// P̂ of its output layer, in squared units of the target.
    pub objective: f64,
    /// P of the wide network.
    pub wide_objective: f64,
    /// What it predicts at the centres, less what the wide network does.
    pub differences: Vec<f64>,
}

/// One layer of features.
struct FeatureLayer {
    units: LayerUnits,
    /// √(s/M).
    size: f64,
}

impl WideNetwork {
    /// The share that each layer has in the variance of f at the centres before any data; none for the affine layer, which needs
    /// no units.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let variance = |layer: &KernelLayer| match layer.law {
            LayerLaw::Affine => 0.0,
            _ => WideKernel { layers: vec![layer.clone()] }.diagonal(&self.centres).iter().sum::<f64>(),
        };
        let variances: Vec<f64> = self.kernel.layers.iter().map(variance).collect();
        let total: f64 = variances.iter().sum();
        variances.iter().map(|variance| if total > 0.0 { variance / total } else { 0.0 }).collect()
    }

    /// A network of so many units for each layer (none for the affine one), drawn from this seed; `first` is the index of the
    /// first layer among those of all networks that are drawn from it.
    ///
    /// # Errors
    /// When the output layer cannot be solved in double precision.
    ///
    /// # Panics
    /// When there is not one number of units for each layer.
    pub fn drawn(&self, units: &[usize], seed: u64, first: u64) -> Result<DrawnNetwork> {
        assert_eq!(units.len(), self.kernel.layers.len(), "a number of units for every layer");
        let k = self.centres.cols();
        let mut layers = vec![];
        let mut affine = 0.0;
        for (at, (layer, &units)) in self.kernel.layers.iter().zip(units).enumerate() {
            if layer.law == LayerLaw::Affine {
                affine += layer.signal;
            } else if units > 0 {
                let mut stream = Stream::new(seed, Purpose::Units, first + at as u64);
                let size = (layer.signal / units as f64).sqrt();
                layers.push(FeatureLayer { units: LayerUnits::drawn(layer, k, units, &mut stream), size });
            }
        }
        let kernel_sums = self.kernel_sums();
        let noises: Vec<f64> = self.weights.iter().map(|weight| self.noise / weight).collect();
        let y: Vec<f64> = (0..kernel_sums.len()).map(|g| kernel_sums[g] + noises[g] * self.alpha[g]).collect();
        let features = features(&layers, affine, &self.centres);
        let unsolved = || {
            Error::unsuitable("the matrix of the output layer", "numerically definite", "singular in double precision")
        };
        let theta = solved(&features, &self.weights, self.noise, &y).ok_or_else(unsolved)?;
        let predicted = features.times_vector(&theta);
        let n: f64 = self.weights.iter().sum();
        let residuals = predicted.iter().zip(&y).zip(&self.weights);
        let loss: f64 = residuals.map(|((f, y), weight)| weight * (f - y) * (f - y)).sum();
        Ok(DrawnNetwork {
            network: network(layers, affine, &theta, k, self.target_mean)?,
            objective: 0.5 * (loss + self.noise * dot(&theta, &theta)) / n,
            // Of the exact solution the residuals are −(ν/w)α, so that both parts are one product.
            wide_objective: 0.5 * self.noise * dot(&self.alpha, &y) / n,
            differences: predicted.iter().zip(&kernel_sums).map(|(f, wide)| f - wide).collect(),
        })
    }
}

/// Ψ, a row for every centre.
fn features(layers: &[FeatureLayer], affine: f64, Z: &Matrix) -> Matrix {
    let drawn: usize = layers.iter().map(|layer| layer.units.bias.len()).sum();
    let affine_features = if affine > 0.0 { Z.cols() + 1 } else { 0 };
    Matrix::from_row_fn(Z.rows(), drawn + affine_features, |g, out| {
        let mut rest = out;
        for FeatureLayer { units, size } in layers {
            let (part, after) = rest.split_at_mut(units.bias.len());
            part.iter_mut().zip(units.features(Z.row(g))).for_each(|(out, feature)| *out = size * feature);
            rest = after;
        }
        rest.iter_mut().zip(Z.row(g).iter().chain([&1.0])).for_each(|(out, z)| *out = affine.sqrt() * z);
    })
}

/// θ; `None` where the matrix is not numerically definite.
fn solved(features: &Matrix, weights: &[f64], noise: f64, y: &[f64]) -> Option<Vec<f64>> {
    let (n, p) = (features.rows(), features.cols());
    if p <= n {
        // Features of unit weight, one in each row.
        let weighted = Matrix::from_row_fn(n, p, |g, out| {
            let root = weights[g].sqrt();
            out.iter_mut().zip(features.row(g)).for_each(|(out, feature)| *out = root * feature);
        });
        let across = weighted.transposed();
        drop(weighted);
        let mut A = Tiles::from_fn(p, |_, _, _| ());
        A.add_outer_product(&across);
        A.add_to_diagonal(&vec![noise; p]);
        let factor = A.factored()?;
        let mut theta = vec![0.0; p];
        for _ in 0..=REFINEMENTS {
            let predicted = features.times_vector(&theta);
            let residual: Vec<f64> = (0..n).map(|g| weights[g].sqrt() * (y[g] - predicted[g])).collect();
            let mut step = across.times_vector(&residual);
            add_scaled(&mut step, -noise, &theta);
            factor.solve_in_place(&mut step);
            add_scaled(&mut theta, 1.0, &step);
        }
        return Some(theta);
    }
    let mut A = Tiles::from_fn(n, |_, _, _| ());
    A.add_outer_product(features);
    A.add_to_diagonal(&weights.iter().map(|weight| noise / weight).collect::<Vec<_>>());
    let factor = A.factored()?;
    let across = features.transposed();
    let (mut alpha, mut theta) = (vec![0.0; n], vec![0.0; p]);
    for _ in 0..=REFINEMENTS {
        let predicted = features.times_vector(&theta);
        let mut step: Vec<f64> = (0..n).map(|g| y[g] - predicted[g] - noise / weights[g] * alpha[g]).collect();
        factor.solve_in_place(&mut step);
        add_scaled(&mut alpha, 1.0, &step);
        theta = across.times_vector(&alpha);
    }
    Some(theta)
}

/// The network with these output weights of its features.
fn network(layers: Vec<FeatureLayer>, affine: f64, theta: &[f64], k: usize, mean: f64) -> Result<NetworkSum> {
    let mut rest = theta;
    let mut networks = vec![];
    for FeatureLayer { units, size } in layers {
        let (part, after) = rest.split_at(units.bias.len());
        rest = after;
        let LayerUnits { activation, gain, W, bias } = units;
        let v = part.iter().map(|theta| size * gain * theta).collect();
        networks.push(Network { activation, W, v, bias: Some(bias), intercept: None, linear: None });
    }
    let activation = networks.first().map_or(Activation::RELU, |network| network.activation.clone());
    let parts: Vec<f64> = rest.iter().map(|theta| affine.sqrt() * theta).collect();
    let (linear, intercept) = parts.split_at_checked(k).unwrap_or((&[], &[]));
    let intercept = mean + intercept.first().copied().unwrap_or(0.0);
    let linear = if linear.is_empty() { vec![0.0; k] } else { linear.to_vec() };
    networks.insert(0, Network::affine(activation, intercept, linear));
    NetworkSum::weighted(networks.iter().map(|network| (1.0, network)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::watch::Watch;
    use crate::wide::LayerSet;

    /// Weighted rows, two layers that are drawn and the affine one.
    fn wide(n: usize) -> WideNetwork {
        let mut stream = Stream::new(21, Purpose::Probe, 0);
        let X = Matrix::from_fn(n, 2, |_, _| stream.normal());
        let y = (0..n).map(|i| X[(i, 0)] * X[(i, 1)] + X[(i, 0)] + 0.3 * stream.normal()).collect();
        let weights = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
        let data = Data::builder(X, y).weights(Some(weights)).build().unwrap();
        WideNetwork::fitted(&data, &[0..1, 1..2], LayerSet::RoughRelu, 0, Watch::silent()).unwrap()
    }

    /// P̂ of any output weights, from the network itself: the features are what the units give, not what the solver saw.
    fn objective(wide: &WideNetwork, units: &[usize], network: &NetworkSum) -> f64 {
        let n: f64 = wide.weights.iter().sum();
        let K = wide.kernel.matrix(&wide.centres);
        let y: Vec<f64> = (0..wide.alpha.len())
            .map(|g| wide.target_mean + dot(K.row(g), &wide.alpha) + wide.noise / wide.weights[g] * wide.alpha[g])
            .collect();
        let f = network.predict(&wide.centres).unwrap();
        let loss: f64 = (0..y.len()).map(|g| wide.weights[g] * (f[g] - y[g]).powi(2)).sum();
        let mut penalty = 0.0;
        for (layer, &units) in wide.kernel.layers.iter().zip(units) {
            let name = match layer.law {
                LayerLaw::RoughByInput => "cos",
                LayerLaw::Relu => "relu",
                _ => continue,
            };
            let group = network.networks().iter().find(|network| network.activation.to_string() == name).unwrap();
            // Both have the gain √2: v = √2 a/M of a network ∫ a φ dμ, and so ∫ a² dμ = M Σ(v/√2)².
            penalty += units as f64 / layer.signal * 0.5 * dot(&group.v, &group.v);
        }
        let affine = wide.kernel.layers.iter().find(|layer| layer.law == LayerLaw::Affine).unwrap();
        let first = &network.networks()[0];
        let (c, b) = (first.intercept.unwrap() - wide.target_mean, first.linear.as_ref().unwrap());
        penalty += (c * c + dot(b, b)) / affine.signal;
        0.5 * (loss + wide.noise * penalty) / n
    }

    #[test]
    fn no_other_output_weights_of_the_same_units_have_a_smaller_objective() {
        let wide = wide(30);
        // Fewer features than rows, and more.
        for units in [[7, 9, 0], [40, 25, 0]] {
            let drawn = wide.drawn(&units, 5, 0).unwrap();
            let least = objective(&wide, &units, &drawn.network);
            assert!((least - drawn.objective).abs() < 1e-9 * least, "{least} {}", drawn.objective);
            let f = drawn.network.predict(&wide.centres).unwrap();
            let own = wide.kernel.matrix(&wide.centres).times_vector(&wide.alpha);
            for g in 0..30 {
                assert!((f[g] - wide.target_mean - own[g] - drawn.differences[g]).abs() < 1e-9, "{g}");
            }
            let mut stream = Stream::new(6, Purpose::Probe, 1);
            for size in [1e-4, 1e-2, 1.0] {
                let mut networks = drawn.network.networks().to_vec();
                for network in &mut networks {
                    network.v.iter_mut().for_each(|v| *v += size * stream.normal());
                }
                networks[0].intercept = networks[0].intercept.map(|c| c + size * stream.normal());
                networks[0].linear.iter_mut().flatten().for_each(|b| *b += size * stream.normal());
                let other = objective(&wide, &units, &NetworkSum::new(networks).unwrap());
                assert!(other > least, "{size}: {other} {least}");
            }
        }
    }

    #[test]
    fn the_output_weights_are_those_of_dense_algebra() {
        let wide = wide(25);
        let units = [6, 5, 0];
        let drawn = wide.drawn(&units, 11, 3).unwrap();
        // ψ again: units of the same streams, one after the other.
        let mut columns: Vec<Vec<f64>> = vec![];
        for (at, layer) in wide.kernel.layers.iter().enumerate().filter(|(at, _)| units[*at] > 0) {
            let mut stream = Stream::new(11, Purpose::Units, 3 + at as u64);
            let drawn = LayerUnits::drawn(layer, 2, units[at], &mut stream);
            let features: Vec<Vec<f64>> = (0..25).map(|g| drawn.features(wide.centres.row(g))).collect();
            let size = (layer.signal / units[at] as f64).sqrt();
            columns.extend((0..units[at]).map(|unit| features.iter().map(|row| size * row[unit]).collect()));
        }
        let affine = wide.kernel.layers.iter().find(|layer| layer.law == LayerLaw::Affine).unwrap().signal.sqrt();
        columns.extend((0..2).map(|j| wide.centres.column(j).iter().map(|z| affine * z).collect()));
        columns.push(vec![affine; 25]);
        let p = columns.len();
        let weighted = |a: usize, b: &[f64]| (0..25).map(|g| wide.weights[g] * columns[a][g] * b[g]).sum::<f64>();
        let A = Matrix::from_fn(p, p, |a, b| weighted(a, &columns[b]) + if a == b { wide.noise } else { 0.0 });
        let K = wide.kernel.matrix(&wide.centres);
        let y: Vec<f64> =
            (0..25).map(|g| dot(K.row(g), &wide.alpha) + wide.noise / wide.weights[g] * wide.alpha[g]).collect();
        let right: Vec<f64> = (0..p).map(|a| weighted(a, &y)).collect();
        let theta = crate::linalg::solve_positive_definite(&A, &right).unwrap();
        for (g, f) in drawn.network.predict(&wide.centres).unwrap().into_iter().enumerate() {
            let expected = wide.target_mean + (0..p).map(|a| theta[a] * columns[a][g]).sum::<f64>();
            assert!((f - expected).abs() < 1e-8, "{f} {expected}");
        }
    }

    #[test]
    fn no_finite_layer_of_the_same_laws_has_a_smaller_objective_on_average() {
        let wide = wide(20);
        const DRAWS: usize = 400;
        for units in [3, 30] {
            let drawn = |seed: usize| wide.drawn(&[units, units, 0], seed as u64, 0).unwrap();
            let objectives: Vec<f64> = (0..DRAWS).map(|seed| drawn(seed).objective).collect();
            let least = drawn(0).wide_objective;
            let mean = objectives.iter().sum::<f64>() / DRAWS as f64;
            let square = objectives.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (DRAWS - 1) as f64;
            let error = (square / DRAWS as f64).sqrt();
            assert!(mean - 3.0 * error > least, "{units}: {mean} ± {error}, wide {least}");
            // A single draw may be lucky: on average is all that is claimed.
            let lucky = objectives.iter().filter(|objective| **objective < least).count();
            assert!(lucky < DRAWS / 2, "{units}: {lucky}");
        }
    }
}
