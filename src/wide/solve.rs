//! The output layer, solved exactly, and what leaving a sample out would change.
//!
//! (K + N)α = y by Cholesky, refined with residuals of the matrix itself: a factor of an ill-conditioned matrix first loses
//! the directions that K makes largest, the constant one above all, and residuals see it. With the
//! diagonal of the inverse,
//!
//! ```text
//! f₋i(x_i) − y_i = (ȳ_g − y_i − N_gα_g)/((1 − s_i) + s_iN_g(A⁻¹)_gg),        s_i = w_i/w_g,
//! ```
//!
//! f₋i the network without sample i of group g, laws and noise kept: its residual f(x_i) − y_i over one minus its leverage, the
//! posterior variance N_g − N_g²(A⁻¹)_gg over ν/w_i. Where it is alone in its group that is −α_g/(A⁻¹)_gg.
//!
//! The noise that the evidence found is compared with larger and smaller ones by these errors, first upwards, then downwards,
//! as long as they fall.
//!
//! The objective and a lower bound of any coefficients α, with r = Kα − y, ρ = ν/n and ω = w/n:
//!
//! ```text
//! P = ½ Σω_g r_g² + (ρ/2) αᵀKα,     P − D = ½ Σω_g (r_g + ρα_g/ω_g)²
//! ```
//!
//! (`verify` will prove it; here it is a number in plain arithmetic).

use super::evidence::LEAST_NOISE;
use super::law::WideKernel;
use super::samples::{GroupSample, RowGroups};
use crate::linalg::{Factor, Tiles, dot};
use crate::watch::Watch;

/// Factors of the noise that are compared.
const LARGER: [f64; 2] = [3.0, 10.0];
const SMALLER: [f64; 3] = [0.3, 0.1, 0.03];
/// Corrections of the solution; each costs a product with the matrix.
const REFINEMENTS: usize = 2;

/// The output layer of one kernel.
pub(super) struct WideSolution {
    /// ν.
    pub(super) noise: f64,
    pub(super) alpha: Vec<f64>,
    /// f₋i(x_i) − y_i of the samples.
    pub(super) left_out: Vec<f64>,
    pub(super) factor: Factor,
    /// The mean square of the errors on groups left out, each in units of its deviation.
    pub(super) spread: f64,
}

/// P, D and their difference of some coefficients.
///
/// ```
/// use shallows::Data;
/// use shallows::Watch;
/// use shallows::wide::{LayerSet, WideNetwork};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
/// let network = WideNetwork::fitted(&data, &[0..1], LayerSet::RoughRelu, 0, Watch::silent()).expect("definite");
/// let gap = network.duality_gap(&data, &network.alpha);
/// assert!(gap.gap >= 0.0 && gap.gap < 1e-9 * gap.objective);
/// // Other coefficients are worse, and the bound knows it.
/// let other = network.duality_gap(&data, &[0.0; 4]);
/// assert!(other.lower_bound <= gap.objective && gap.objective < other.objective);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualityGap {
    /// P, in units of the target squared.
    pub objective: f64,
    /// D ≤ the P of every network of these laws.
    pub lower_bound: f64,
    /// P − D, computed as the sum of squares that it is.
    pub gap: f64,
}

/// The mean squared error on samples left out with this noise and no other; infinite where the matrix is not numerically
/// definite.
pub(super) fn left_out_error(kernel: &WideKernel, noise: f64, rows: &RowGroups) -> f64 {
    attempt(kernel.tiles(&kernel.rows(&rows.X)), noise, rows).map_or(f64::INFINITY, |attempt| attempt.error)
}

/// Solve with the noise of the evidence or the multiple of it that predicts samples left out best; `None` where no matrix is
/// numerically definite.
pub(super) fn solved(kernel: &WideKernel, noise: f64, rows: &RowGroups, watch: Watch<'_>) -> Option<WideSolution> {
    let K = kernel.tiles(&kernel.rows(&rows.X));
    let tried = |factor: f64| attempt(K.clone(), factor * noise, rows);
    let mut best = tried(1.0);
    for direction in [&LARGER[..], &SMALLER[..]] {
        let mut is_better = false;
        for factor in direction {
            if (watch.is_over() && best.is_some()) || factor * noise < LEAST_NOISE {
                break;
            }
            let next = tried(*factor);
            let Some(error) = next.as_ref().map(|next| next.error) else { break };
            if best.as_ref().is_some_and(|best| best.error <= error) {
                break;
            }
            (best, is_better) = (next, true);
        }
        if is_better {
            break;
        }
    }
    let NoiseAttempt { noise, mut alpha, left_out, factor, spread, .. } = best?;
    for _ in 0..REFINEMENTS {
        let mut correction = residual(&K, &rows.noise(noise), &alpha, &rows.y);
        factor.solve_in_place(&mut correction);
        alpha.iter_mut().zip(correction).for_each(|(alpha, correction)| *alpha -= correction);
    }
    Some(WideSolution { noise, alpha, left_out, factor, spread })
}

/// One noise.
struct NoiseAttempt {
    noise: f64,
    alpha: Vec<f64>,
    left_out: Vec<f64>,
    factor: Factor,
    error: f64,
    spread: f64,
}

fn attempt(mut A: Tiles, noise: f64, rows: &RowGroups) -> Option<NoiseAttempt> {
    A.add_to_diagonal(&rows.noise(noise));
    let factor = A.factored()?;
    let mut alpha = rows.y.clone();
    factor.solve_in_place(&mut alpha);
    let diagonal = factor.inverted().diagonal_of_inverse();
    let noises = rows.noise(noise);
    let error_without = |sample: &GroupSample| {
        let (g, share) = (sample.group, rows.share(sample));
        if share == 1.0 {
            return -alpha[g] / diagonal[g];
        }
        (rows.y[g] - sample.y - noises[g] * alpha[g]) / ((1.0 - share) + share * noises[g] * diagonal[g])
    };
    let left_out: Vec<f64> = rows.samples.iter().map(error_without).collect();
    let error = mean_square(rows, &left_out);
    let spread = spread(rows, noise, &alpha, &diagonal);
    error.is_finite().then_some(NoiseAttempt { noise, alpha, left_out, factor, error, spread })
}

/// The mean square of what should have variance 1: of the errors on groups left out, (f₋g − y_g)²(A⁻¹)_gg = α_g²/(A⁻¹)_gg, and of the
/// m − 1 differences within a group, which have S/ν together. Noises that predict alike differ in it: it tells the scale of
/// all variances.
fn spread(rows: &RowGroups, noise: f64, alpha: &[f64], diagonal: &[f64]) -> f64 {
    let between: f64 = alpha.iter().zip(diagonal).map(|(alpha, entry)| alpha * alpha / entry).sum();
    let spread = (between + rows.within.iter().sum::<f64>() / noise) / rows.count();
    // Constant targets tell nothing.
    if spread > 0.0 && spread.is_finite() { spread } else { 1.0 }
}

/// The mean squared error on samples left out.
pub(super) fn mean_square(rows: &RowGroups, left_out: &[f64]) -> f64 {
    let terms = left_out.iter().zip(&rows.samples);
    terms.map(|(r, sample)| sample.weight * r * r).sum::<f64>() / rows.weights.iter().sum::<f64>()
}

/// (K + N)α − y.
fn residual(K: &Tiles, noise: &[f64], alpha: &[f64], y: &[f64]) -> Vec<f64> {
    let mut out = K.times_vector(alpha);
    let terms = out.iter_mut().zip(noise.iter().zip(alpha)).zip(y);
    terms.for_each(|((out, (noise, alpha)), y)| *out = (*out - y) + noise * alpha);
    out
}

/// P, D and P − D of any coefficients, in units of the targets of `rows`.
pub(super) fn duality_gap(K: &Tiles, noise: f64, rows: &RowGroups, alpha: &[f64]) -> DualityGap {
    let n = rows.count();
    let product = K.times_vector(alpha);
    let noises = rows.noise(noise);
    let (mut loss, mut gap) = (rows.within.iter().sum::<f64>(), 0.0);
    for g in 0..rows.len() {
        let r = product[g] - rows.y[g];
        loss += rows.weights[g] * r * r;
        gap += rows.weights[g] * (r + noises[g] * alpha[g]).powi(2);
    }
    let objective = 0.5 * (loss + noise * dot(alpha, &product)) / n;
    let gap = 0.5 * gap / n;
    DualityGap { objective, lower_bound: objective - gap, gap }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use crate::linalg::Matrix;
    use crate::random::{Purpose, Stream};
    use crate::wide::{KernelLayer, LayerLaw};

    /// 150 rows in 147 groups, weighted.
    fn groups() -> RowGroups {
        let mut stream = Stream::new(5, Purpose::Probe, 3);
        let mut X = Matrix::from_fn(150, 2, |_, _| stream.normal());
        for i in [1, 2, 90] {
            let first = X.row(0).to_vec();
            X.row_mut(i).copy_from_slice(&first);
        }
        let y = (0..150).map(|i| X[(i, 0)] * X[(i, 1)] + 0.1 * stream.normal()).collect();
        let weights = (0..150).map(|i| 1.0 + (i % 2) as f64).collect();
        RowGroups::new(&Data::builder(X, y).weights(Some(weights)).build().unwrap())
    }

    fn kernel() -> WideKernel {
        let layer = |law, signal| KernelLayer { law, signal, scales: vec![1.5, 3.0], bias: 0.7 };
        let affine = KernelLayer { law: LayerLaw::Affine, signal: 0.3, scales: vec![], bias: 0.0 };
        WideKernel { layers: vec![layer(LayerLaw::RoughByInput, 0.5), layer(LayerLaw::Relu, 1.0), affine] }
    }

    /// The same without one sample.
    fn without(rows: &RowGroups, sample: usize) -> RowGroups {
        let GroupSample { group, y, weight } = rows.samples[sample];
        let mut rest = rows.select(&(0..rows.len()).collect::<Vec<_>>());
        let (whole, mean) = (rest.weights[group], rest.y[group]);
        rest.weights[group] = whole - weight;
        rest.y[group] = (whole * mean - weight * y) / (whole - weight);
        if rows.share(&rows.samples[sample]) == 1.0 {
            return rows.select(&(0..rows.len()).filter(|g| *g != group).collect::<Vec<_>>());
        }
        rest
    }

    #[test]
    fn errors_of_samples_left_out_are_those_of_networks_without_the_sample() {
        let (rows, kernel, noise) = (groups(), kernel(), 0.02);
        let K = kernel.tiles(&kernel.rows(&rows.X));
        let all = attempt(K, noise, &rows).unwrap();
        let alone = |at: &usize| rows.share(&rows.samples[*at]) == 1.0;
        // The first group has four samples of different weights.
        assert_eq!([0, 1, 2, 90, 140].map(|at| alone(&at)), [false, false, false, false, true]);
        for left in [0, 1, 2, 7, 90, 140] {
            let rest = without(&rows, left);
            let K = kernel.tiles(&kernel.rows(&rest.X));
            let mut A = K;
            A.add_to_diagonal(&rest.noise(noise));
            let mut alpha = rest.y.clone();
            A.factored().unwrap().solve_in_place(&mut alpha);
            let sample = rows.samples[left];
            let values = kernel.between(&rows.X.select_rows(&[sample.group]), &rest.X);
            let f = dot(values.row(0), &alpha);
            assert!((f - sample.y - all.left_out[left]).abs() < 1e-10, "sample {left}");
        }
    }

    #[test]
    fn the_gap_bounds_what_the_optimum_gains_over_any_coefficients() {
        let (rows, kernel) = (groups(), kernel());
        let solution = solved(&kernel, 0.02, &rows, Watch::silent()).unwrap();
        let K = kernel.tiles(&kernel.rows(&rows.X));
        let least = duality_gap(&K, solution.noise, &rows, &solution.alpha);
        assert!(least.gap < 1e-25 * least.objective.max(1.0), "{least:?}");
        let mut stream = Stream::new(5, Purpose::Probe, 4);
        for size in [1e-6, 1e-2, 1.0, 1e3] {
            let other: Vec<f64> = solution.alpha.iter().map(|a| a + size * stream.normal()).collect();
            let gap = duality_gap(&K, solution.noise, &rows, &other);
            assert!(gap.objective - least.objective <= gap.gap, "{size}: {gap:?}");
            assert!(gap.lower_bound <= least.objective * (1.0 + 1e-12));
        }
    }

    #[test]
    fn a_kernel_far_above_the_noise_does_not_lose_the_constant_direction() {
        let rows = groups();
        let mut kernel = kernel();
        kernel.layers.iter_mut().for_each(|layer| layer.signal *= 1e9);
        let solution = solved(&kernel, 1e-6, &rows, Watch::silent()).unwrap();
        let K = kernel.tiles(&kernel.rows(&rows.X));
        let lost = residual(&K, &rows.noise(solution.noise), &solution.alpha, &rows.y);
        let shift = lost.iter().sum::<f64>() / lost.len() as f64;
        assert!(shift.abs() < 1e-4, "{shift}");
    }
}
