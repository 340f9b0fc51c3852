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
//! Each of these takes n³/3 operations several times over. So on **large tables** noises are compared on a part of the rows, which
//! the laws were not learnt from, and the best is taken for all of them; beyond [`SolvingSizes::exact`] rows the solution is that
//! of `iterative.rs`, beyond [`SolvingSizes::most`] that of a random part. Errors on rows left out are then those of the network of the part that
//! noises were compared on: of its own rows without each of them, of all others as they are. They are errors on rows that a
//! network has not seen, and of a network that has seen fewer rows: too large rather than too small.
//!
//! The objective and a lower bound of any coefficients α, with r = Kα − y, ρ = ν/n and ω = w/n:
//!
//! ```text
//! P = ½ Σω_g r_g² + (ρ/2) αᵀKα,     P − D = ½ Σω_g (r_g + ρα_g/ω_g)²
//! ```
//!
//! Where samples are left out in parts, the formula is that of `left_out.rs`, and the sets and noises are compared by it.
//!
//! (`verify` will prove it; here it is a number in plain arithmetic).

use super::compact::kernel_times_vector;
use super::evidence::LEAST_NOISE;
use super::iterative::solved_iteratively;
use super::law::WideKernel;
use super::left_out::{SampleParts, errors_forward, errors_without_parts};
use super::samples::{GroupSample, RowGroups};
use crate::linalg::{Factor, Tiles, dot};
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// Factors of the noise that are compared.
const LARGER: [f64; 2] = [3.0, 10.0];
const SMALLER: [f64; 3] = [0.3, 0.1, 0.03];
/// Corrections of the solution; each costs a product with the matrix.
const REFINEMENTS: usize = 2;

/// Numbers of different rows at which ways of solving part.
#[derive(Clone, Copy)]
pub(crate) struct SolvingSizes {
    /// Up to so many, sets of layers and noises are compared on all rows; beyond, on so many of them.
    pub(crate) compared: usize,
    /// Up to so many, the output layer is solved with a factor of the matrix.
    pub(crate) exact: usize,
    /// Up to so many, it is solved at all; beyond, for so many of them.
    pub(crate) most: usize,
    /// Pivots of the preconditioner.
    pub(super) rank: usize,
}

impl SolvingSizes {
    /// 4000 rows are compared in a second; a factor of 10 000 and two matrices have 2 GB, four bytes an entry of 50 000 have 5 GB.
    pub(crate) const USUAL: SolvingSizes = SolvingSizes { compared: 4000, exact: 10_000, most: 50_000, rank: 1000 };
}

/// The output layer of one kernel.
pub(super) struct WideSolution {
    /// ν.
    pub(super) noise: f64,
    /// The groups that it is about, where these are not all.
    pub(super) part: Option<Vec<usize>>,
    pub(super) alpha: Vec<f64>,
    /// f₋i(x_i) − y_i of every sample.
    pub(super) left_out: Vec<f64>,
    /// Where it was solved with one.
    pub(super) factor: Option<Factor>,
    /// The mean square of the errors on groups left out, each in units of its deviation.
    pub(super) spread: f64,
    /// The mean squared error on samples left out.
    pub(super) error: f64,
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
/// let gap = network.duality_gap(&data, &network.alpha).expect("these are its rows");
/// assert!(gap.gap >= 0.0 && gap.gap < 1e-9 * gap.objective);
/// // Other coefficients are worse, and the bound knows it.
/// let other = network.duality_gap(&data, &[0.0; 4]).expect("four coefficients");
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

/// The mean squared error on samples left out with this noise and no other, on all samples or those of a part; infinite where the matrix
/// is not numerically definite.
pub(super) fn left_out_error(kernel: &WideKernel, noise: f64, rows: &RowGroups, sizes: SolvingSizes, seed: u64) -> f64 {
    let part = random_part(rows.len(), sizes.compared, seed).map(|part| rows.select(&part));
    let rows = part.as_ref().unwrap_or(rows);
    attempt(kernel, kernel.tiles(&kernel.rows(&rows.X)), noise, rows, rows.parts.as_ref())
        .map_or(f64::INFINITY, |attempt| attempt.error)
}

/// So many of n groups, ascending, where there are more: the last of the order of which the laws are learnt from the first.
fn random_part(n: usize, most: usize, seed: u64) -> Option<Vec<usize>> {
    (n > most).then(|| {
        let order = Stream::of_split(seed, Split::Evidence).permutation(n);
        let mut part = order[n - most..].to_vec();
        part.sort_unstable();
        part
    })
}

/// Solve with the noise of the evidence or the multiple of it that predicts samples left out best; `None` where no matrix is
/// numerically definite.
pub(super) fn solved(
    kernel: &WideKernel,
    noise: f64,
    rows: &RowGroups,
    (sizes, seed): (SolvingSizes, u64),
    watch: Watch<'_>,
) -> Option<WideSolution> {
    let Some(compared) = random_part(rows.len(), sizes.compared, seed) else {
        return solved_exactly(kernel, rows, best_noise(kernel, noise, rows, watch)?);
    };
    let some = rows.select(&compared);
    let best = best_noise(kernel, noise, &some, watch)?;
    if rows.len() <= sizes.exact && !watch.is_over() {
        let all = attempt(kernel, kernel.tiles(&kernel.rows(&rows.X)), best.noise, rows, None);
        // Parts of many rows have been left out of the network that noises were compared on.
        let of_part = |all: NoiseAttempt| match rows.parts {
            None => all,
            Some(_) => NoiseAttempt {
                left_out: errors_of_part(kernel, rows, &compared, &some, &best),
                error: best.error,
                ..all
            },
        };
        if let Some(all) = all.map(of_part) {
            return solved_exactly(kernel, rows, all);
        }
    }
    let part = random_part(rows.len(), sizes.most, seed);
    let most = part.as_ref().map(|part| rows.select(part));
    let solution = solved_iteratively(kernel, best.noise, most.as_ref().unwrap_or(rows), (sizes.rank, seed), watch);
    let left_out = errors_of_part(kernel, rows, &compared, &some, &best);
    let NoiseAttempt { noise, spread, .. } = best;
    // What a network knows by other rows of a part is not left out.
    let error = if rows.parts.is_some() { best.error } else { mean_square(rows, &left_out) };
    match solution {
        Some(solution) => {
            Some(WideSolution { noise, part, alpha: solution.alpha, left_out, factor: None, spread, error })
        }
        // There was no time for more than the part that was compared on.
        None => Some(WideSolution { left_out, part: Some(compared), error, ..solved_exactly(kernel, &some, best)? }),
    }
}

/// Errors of the network of some groups: on their samples without each of them, on the others as they are.
fn errors_of_part(
    kernel: &WideKernel,
    rows: &RowGroups,
    part: &[usize],
    some: &RowGroups,
    fitted: &NoiseAttempt,
) -> Vec<f64> {
    let f = kernel.predictions(&rows.X, &some.X, &fitted.alpha);
    let mut own = fitted.left_out.iter();
    let error = |sample: &GroupSample| match part.binary_search(&sample.group) {
        Ok(_) => own.next().copied().unwrap_or(f64::NAN),
        Err(_) => f[sample.group] - sample.y,
    };
    rows.samples.iter().map(error).collect()
}

/// The noise among its multiples that predicts samples left out best.
fn best_noise(kernel: &WideKernel, noise: f64, rows: &RowGroups, watch: Watch<'_>) -> Option<NoiseAttempt> {
    let K = kernel.tiles(&kernel.rows(&rows.X));
    let tried = |factor: f64| attempt(kernel, K.clone(), factor * noise, rows, rows.parts.as_ref());
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
    best
}

/// The solution of an attempt, refined.
fn solved_exactly(kernel: &WideKernel, rows: &RowGroups, attempt: NoiseAttempt) -> Option<WideSolution> {
    let NoiseAttempt { noise, mut alpha, left_out, factor, spread, error } = attempt;
    let layers = kernel.rows(&rows.X);
    for _ in 0..REFINEMENTS {
        let mut correction = residual(&kernel_times_vector(&layers, &alpha), &rows.noise(noise), &alpha, &rows.y);
        factor.solve_in_place(&mut correction);
        alpha.iter_mut().zip(correction).for_each(|(alpha, correction)| *alpha -= correction);
    }
    Some(WideSolution { noise, part: None, alpha, left_out, factor: Some(factor), spread, error })
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

fn attempt(
    kernel: &WideKernel,
    mut A: Tiles,
    noise: f64,
    rows: &RowGroups,
    parts: Option<&SampleParts>,
) -> Option<NoiseAttempt> {
    A.add_to_diagonal(&rows.noise(noise));
    let factor = A.factored()?;
    let mut alpha = rows.y.clone();
    factor.solve_in_place(&mut alpha);
    let inverted = factor.inverted();
    let diagonal = inverted.diagonal_of_inverse();
    let noises = rows.noise(noise);
    let error_without = |sample: &GroupSample| {
        let (g, share) = (sample.group, rows.share(sample));
        if share == 1.0 {
            return -alpha[g] / diagonal[g];
        }
        (rows.y[g] - sample.y - noises[g] * alpha[g]) / ((1.0 - share) + share * noises[g] * diagonal[g])
    };
    let left_out: Vec<f64> = match parts {
        None => rows.samples.iter().map(error_without).collect(),
        Some(SampleParts::Groups(groups)) => {
            errors_without_parts(rows, &inverted.inverse().to_matrix(), &alpha, noise, groups)?
        }
        Some(SampleParts::Blocks(blocks)) => errors_forward(kernel, noise, rows, blocks)?,
    };
    let error = mean_square_of(rows, &left_out, |sample| parts.is_none_or(|parts| parts.is_judged(sample)));
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
fn mean_square(rows: &RowGroups, left_out: &[f64]) -> f64 {
    let terms = left_out.iter().zip(&rows.samples);
    terms.map(|(r, sample)| sample.weight * r * r).sum::<f64>() / rows.weights.iter().sum::<f64>()
}

/// The same of some samples.
fn mean_square_of(rows: &RowGroups, left_out: &[f64], is_judged: impl Fn(usize) -> bool) -> f64 {
    if (0..left_out.len()).all(&is_judged) {
        return mean_square(rows, left_out);
    }
    let judged = || (0..left_out.len()).filter(|&at| is_judged(at)).map(|at| (left_out[at], rows.samples[at].weight));
    judged().map(|(r, weight)| weight * r * r).sum::<f64>() / judged().map(|(_, weight)| weight).sum::<f64>()
}

/// (K + N)α − y from Kα.
fn residual(product: &[f64], noise: &[f64], alpha: &[f64], y: &[f64]) -> Vec<f64> {
    (0..y.len()).map(|g| (product[g] - y[g]) + noise[g] * alpha[g]).collect()
}

/// P, D and P − D of any coefficients, in units of the targets of `rows`, from Kα.
pub(super) fn gap_of_product(product: &[f64], noise: f64, rows: &RowGroups, alpha: &[f64]) -> DualityGap {
    let n = rows.count();
    let noises = rows.noise(noise);
    let (mut loss, mut gap) = (rows.within.iter().sum::<f64>(), 0.0);
    for g in 0..rows.len() {
        let r = product[g] - rows.y[g];
        loss += rows.weights[g] * r * r;
        gap += rows.weights[g] * (r + noises[g] * alpha[g]).powi(2);
    }
    let objective = 0.5 * (loss + noise * dot(alpha, product)) / n;
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
        let all = attempt(&kernel, K, noise, &rows, None).unwrap();
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
        let solution = solved(&kernel, 0.02, &rows, (SolvingSizes::USUAL, 0), Watch::silent()).unwrap();
        let gap_of = |alpha: &[f64]| {
            let product = kernel_times_vector(&kernel.rows(&rows.X), alpha);
            gap_of_product(&product, solution.noise, &rows, alpha)
        };
        let least = gap_of(&solution.alpha);
        assert!(least.gap < 1e-25 * least.objective.max(1.0), "{least:?}");
        let mut stream = Stream::new(5, Purpose::Probe, 4);
        for size in [1e-6, 1e-2, 1.0, 1e3] {
            let other: Vec<f64> = solution.alpha.iter().map(|a| a + size * stream.normal()).collect();
            let gap = gap_of(&other);
            assert!(gap.objective - least.objective <= gap.gap, "{size}: {gap:?}");
            assert!(gap.lower_bound <= least.objective * (1.0 + 1e-12));
        }
    }

    #[test]
    fn a_kernel_far_above_the_noise_does_not_lose_the_constant_direction() {
        let rows = groups();
        let mut kernel = kernel();
        kernel.layers.iter_mut().for_each(|layer| layer.signal *= 1e9);
        let solution = solved(&kernel, 1e-6, &rows, (SolvingSizes::USUAL, 0), Watch::silent()).unwrap();
        let product = kernel_times_vector(&kernel.rows(&rows.X), &solution.alpha);
        let lost = residual(&product, &rows.noise(solution.noise), &solution.alpha, &rows.y);
        let shift = lost.iter().sum::<f64>() / lost.len() as f64;
        assert!(shift.abs() < 1e-4, "{shift}");
    }

    #[test]
    fn many_rows_are_solved_as_few_are_with_errors_of_a_part() {
        let (rows, kernel) = (groups(), kernel());
        let n = rows.len();
        let sizes = SolvingSizes { compared: 60, exact: 100, most: 200, rank: 40 };
        let solution = solved(&kernel, 0.02, &rows, (sizes, 3), Watch::silent()).unwrap();
        assert!(solution.part.is_none() && solution.factor.is_none());
        let all = attempt(&kernel, kernel.tiles(&kernel.rows(&rows.X)), solution.noise, &rows, None).unwrap();
        let size = all.alpha.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
        assert!((0..n).all(|g| (solution.alpha[g] - all.alpha[g]).abs() < 1e-3 * size));
        // Errors are those of the network of 60 groups: of others as they are, of its own without each of them.
        let part = random_part(n, 60, 3).unwrap();
        let some = rows.select(&part);
        let few = attempt(&kernel, kernel.tiles(&kernel.rows(&some.X)), solution.noise, &some, None).unwrap();
        let f = kernel.predictions(&rows.X, &some.X, &few.alpha);
        let mut own = few.left_out.iter();
        for (i, sample) in rows.samples.iter().enumerate() {
            let expected = match part.contains(&sample.group) {
                true => *own.next().unwrap(),
                false => f[sample.group] - sample.y,
            };
            assert!((solution.left_out[i] - expected).abs() < 1e-9, "sample {i}");
        }
        assert!(own.next().is_none() && solution.left_out.len() == 150);
        // A factor up to 200 rows gives the same coefficients, and no more than 80 rows are solved for where that is the limit.
        let exact = SolvingSizes { exact: 200, ..sizes };
        let exact = solved(&kernel, 0.02, &rows, (exact, 3), Watch::silent()).unwrap();
        assert!(exact.factor.is_some() && exact.noise == solution.noise && exact.left_out != solution.left_out);
        let least = SolvingSizes { exact: 70, most: 80, ..sizes };
        let least = solved(&kernel, 0.02, &rows, (least, 3), Watch::silent()).unwrap();
        assert_eq!((least.alpha.len(), least.part.unwrap().len(), least.left_out.len()), (80, 80, 150));
    }

    #[test]
    fn a_watch_that_is_over_leaves_the_network_of_the_part() {
        let (rows, kernel) = (groups(), kernel());
        let sizes = SolvingSizes { compared: 60, exact: 100, most: 200, rank: 40 };
        let flag = std::sync::atomic::AtomicBool::new(true);
        let solution = solved(&kernel, 0.02, &rows, (sizes, 3), Watch::silent().interruptible(&flag)).unwrap();
        let part = solution.part.unwrap();
        assert_eq!((part.len(), solution.alpha.len(), solution.left_out.len()), (60, 60, 150));
        let some = rows.select(&part);
        let product = kernel_times_vector(&kernel.rows(&some.X), &solution.alpha);
        let gap = gap_of_product(&product, solution.noise, &some, &solution.alpha);
        assert!(gap.gap < 1e-20 * gap.objective, "{gap:?}");
    }
}
