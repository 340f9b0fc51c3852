//! How likely the targets are under a law, and the derivatives by the logarithms of its parameters.
//!
//! With A = K + N, N_g = ν/w_g, and the groups of `samples.rs`,
//!
//! ```text
//! −ln p = ½ yᵀA⁻¹y + ½ ln det A + ½ Σ(m_g − 1) ln ν + ΣS_g/2ν + const
//! ∂(−ln p)/∂θ = Σ_ij B_ij ∂A_ij/∂θ + …,   B = ½(A⁻¹ − αα ᵀ),  α = A⁻¹y,
//! ```
//!
//! plus a normal prior on every logarithm but that of the noise. K, its factor, the inverse and the sum over B live in tiles;
//! the derivatives of K are recomputed in one sweep over the tiles, which costs less than keeping them.
//!
//! The logarithms are ln s₀ (affine), ln ν, then for every layer ln s, ln β where it has a bias, and the ln ℓ: one for all
//! inputs (`common`), or one for every column of the table, whose inputs share it.

use std::ops::Range;

use super::law::{KernelLayer, LayerLaw, WideKernel};
use super::rows::LayerRows;
use super::samples::RowGroups;
use super::tile::{LayerSums, add_derivatives};
use crate::linalg::{TILE_SIDE, Tiles, dot};

/// Added to the noise: targets in print have no more digits, and A stays numerically definite.
pub(super) const LEAST_NOISE: f64 = 3e-8;

/// Which logarithms there are.
#[derive(Clone, Debug)]
pub(super) struct LogParameters {
    /// The layers besides the affine one.
    pub(super) laws: Vec<LayerLaw>,
    /// The inputs of each column of the table.
    pub(super) columns: Vec<Range<usize>>,
    /// One scale for all inputs of a layer.
    pub(super) common: bool,
}

/// What a logarithm belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterKind {
    Affine,
    Noise,
    /// s of the layer with this number.
    Signal(usize),
    /// β.
    Bias(usize),
    /// ℓ of a column, or of all.
    InputScale(usize, usize),
}

impl LogParameters {
    fn scales(&self) -> usize {
        if self.common { 1 } else { self.columns.len() }
    }

    /// All of them, in order.
    pub(super) fn kinds(&self) -> Vec<ParameterKind> {
        let mut kinds = vec![ParameterKind::Affine, ParameterKind::Noise];
        for (at, law) in self.laws.iter().enumerate() {
            kinds.push(ParameterKind::Signal(at));
            kinds.extend(law.has_bias().then_some(ParameterKind::Bias(at)));
            kinds.extend((0..self.scales()).map(|column| ParameterKind::InputScale(at, column)));
        }
        kinds
    }

    /// The kernel, the affine layer last, and the noise.
    pub(super) fn kernel(&self, theta: &[f64]) -> (WideKernel, f64) {
        let inputs = self.columns.last().map_or(0, |column| column.end);
        let layer = |law| KernelLayer { law, signal: 1.0, scales: vec![1.0; inputs], bias: 0.0 };
        let mut layers: Vec<KernelLayer> = self.laws.iter().map(|law| layer(*law)).collect();
        layers.push(KernelLayer { law: LayerLaw::Affine, signal: 1.0, scales: vec![], bias: 0.0 });
        let mut noise = LEAST_NOISE;
        for (kind, theta) in self.kinds().into_iter().zip(theta) {
            let value = theta.exp();
            match kind {
                ParameterKind::Affine => layers[self.laws.len()].signal = value,
                ParameterKind::Noise => noise += value,
                ParameterKind::Signal(at) => layers[at].signal = value,
                ParameterKind::Bias(at) => layers[at].bias = value,
                ParameterKind::InputScale(at, _) if self.common => layers[at].scales.fill(value),
                ParameterKind::InputScale(at, column) => {
                    layers[at].scales[self.columns[column].clone()].fill(value);
                }
            }
        }
        (WideKernel { layers }, noise)
    }
}

/// The centre of the prior of a logarithm, and its standard deviation; infinite without a prior.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogPrior {
    pub(super) centre: f64,
    pub(super) spread: f64,
}

/// −ln p of the targets and of the parameters.
pub(super) struct WideEvidence<'a> {
    pub(super) parameters: &'a LogParameters,
    pub(super) rows: &'a RowGroups,
    pub(super) priors: &'a [LogPrior],
}

impl WideEvidence<'_> {
    /// The objective; the gradient is written beside it. Infinite where A is not numerically definite.
    pub(super) fn evaluate(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let (kernel, noise) = self.parameters.kernel(theta);
        let rows = kernel.rows(&self.rows.X);
        let mut A = kernel.tiles(&rows);
        A.add_to_diagonal(&self.rows.noise(noise));
        let Some(factor) = A.factored() else { return f64::INFINITY };
        let y = &self.rows.y;
        let mut alpha = y.clone();
        factor.solve_in_place(&mut alpha);
        let extra = self.rows.count() - self.rows.len() as f64;
        let within: f64 = self.rows.within.iter().sum();
        let likelihood = 0.5 * (dot(y, &alpha) + factor.log_determinant() + extra * noise.ln() + within / noise);
        let away = |at: usize| (theta[at] - self.priors[at].centre) / self.priors[at].spread;
        let value = likelihood + (0..theta.len()).map(|at| 0.5 * away(at).powi(2)).sum::<f64>();
        if !value.is_finite() {
            return f64::INFINITY;
        }
        let inverse = factor.inverted().inverse();
        let sums = layer_sums(&rows, &inverse, &alpha);
        let diagonal = inverse.diagonal();
        let by_row = |g: usize| 0.5 * (diagonal[g] - alpha[g] * alpha[g]) / self.rows.weights[g];
        let by_noise = (0..y.len()).map(by_row).sum::<f64>() + 0.5 * (extra - within / noise) / noise;
        self.scatter(&sums, by_noise, theta, gradient);
        gradient.iter_mut().enumerate().for_each(|(at, g)| *g += away(at) / self.priors[at].spread);
        value
    }

    /// The derivatives by the logarithms from those by the coordinates of the layers.
    fn scatter(&self, sums: &[LayerSums], by_noise: f64, theta: &[f64], gradient: &mut [f64]) {
        let LogParameters { laws, columns, common } = self.parameters;
        let sign = |at: usize| if laws[at].is_stationary() { 1.0 } else { -2.0 };
        for (at, kind) in self.parameters.kinds().into_iter().enumerate() {
            gradient[at] = match kind {
                ParameterKind::Affine => sums[laws.len()].signal,
                ParameterKind::Noise => by_noise * theta[at].exp(),
                ParameterKind::Signal(layer) => sums[layer].signal,
                // The bias is an input of scale 1/β.
                ParameterKind::Bias(layer) => -sign(layer) * sums[layer].coordinates.last().copied().unwrap_or(0.0),
                ParameterKind::InputScale(layer, column) => {
                    let inputs = if *common { 0..columns.last().map_or(0, |c| c.end) } else { columns[column].clone() };
                    sign(layer) * sums[layer].coordinates[inputs].iter().sum::<f64>()
                }
            };
        }
    }
}

/// Σ_ij B_ij ∂K_ij for every layer, in one sweep over the tiles.
fn layer_sums(rows: &[LayerRows], inverse: &Tiles, alpha: &[f64]) -> Vec<LayerSums> {
    let zero = || -> Vec<LayerSums> {
        rows.iter().map(|layer| LayerSums { signal: 0.0, coordinates: vec![0.0; layer.dimension] }).collect()
    };
    let parts = inverse.map(|block, cols, tile| {
        let mut weights = vec![0.0; tile.len()];
        // A tile below the diagonal stands for its mirror image too.
        let factor = if block == cols { 0.5 } else { 1.0 };
        let entries = weights.chunks_exact_mut(cols.len()).zip(tile.chunks_exact(cols.len()));
        for (i, (weights, entries)) in block.clone().zip(entries) {
            let terms = weights.iter_mut().zip(entries).zip(&alpha[cols.clone()]);
            terms.for_each(|((weight, entry), a)| *weight = factor * (entry - alpha[i] * a));
        }
        let mut sums = zero();
        for (layer, sums) in rows.iter().zip(&mut sums) {
            add_derivatives(layer, block.clone(), cols.start / TILE_SIDE, &weights, sums);
        }
        sums
    });
    let mut total = zero();
    for part in parts {
        for (total, part) in total.iter_mut().zip(part) {
            total.signal += part.signal;
            total.coordinates.iter_mut().zip(part.coordinates).for_each(|(total, part)| *total += part);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::linalg::Matrix;
    use crate::random::{Purpose, Stream};

    fn groups() -> RowGroups {
        let mut stream = Stream::new(5, Purpose::Probe, 1);
        let mut X = Matrix::from_fn(140, 4, |_, _| stream.normal());
        // Equal rows, as real tables have them.
        for i in 1..4 {
            let first = X.row(0).to_vec();
            X.row_mut(i).copy_from_slice(&first);
        }
        let y = (0..140).map(|i| X[(i, 0)].sin() + X[(i, 1)] * X[(i, 2)] + 0.1 * stream.normal()).collect();
        let weights = (0..140).map(|i| 1.0 + (i % 3) as f64).collect();
        RowGroups::new(&Data::builder(X, y).weights(Some(weights)).build().unwrap())
    }

    #[test]
    fn the_gradient_of_the_evidence_has_a_quadratic_taylor_error() {
        let rows = groups();
        let mut laws: Vec<Vec<LayerLaw>> = LayerLaw::ALL[..7].iter().map(|law| vec![*law]).collect();
        laws.push(vec![LayerLaw::RoughByInput, LayerLaw::Rough, LayerLaw::Relu, LayerLaw::T5]);
        for (at, laws) in laws.into_iter().enumerate() {
            for common in [false, true] {
                let parameters = LogParameters { laws: laws.clone(), columns: vec![0..1, 1..3, 3..4], common };
                let count = parameters.kinds().len();
                let mut stream = Stream::new(6, Purpose::Probe, at as u64);
                let theta: Vec<f64> = (0..count).map(|_| 0.4 * stream.normal()).collect();
                let direction: Vec<f64> = (0..count).map(|_| stream.normal()).collect();
                let priors = vec![LogPrior { centre: 0.3, spread: 2.0 }; count];
                let evidence = WideEvidence { parameters: &parameters, rows: &rows, priors: &priors };
                let mut gradient = vec![0.0; count];
                let value = evidence.evaluate(&theta, &mut gradient);
                let error = |t: f64| {
                    let moved: Vec<f64> = theta.iter().zip(&direction).map(|(x, p)| x + t * p).collect();
                    (evidence.evaluate(&moved, &mut vec![0.0; count]) - value - t * dot(&gradient, &direction)).abs()
                };
                let slope = (error(1e-2) / error(1e-3)).log10();
                assert!((slope - 2.0).abs() < 0.1, "{laws:?} {common}: {slope} {} {}", error(1e-2), error(1e-3));
            }
        }
    }
}
