//! A wide network as fitted: the way of its inputs, its kernel, its coefficients.

use std::f64::consts::TAU;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use super::compact::kernel_times_vector;
use super::inputs::InputTransform;
use super::law::{WideKernel, block_of_kernel};
use super::learn::{LayerSet, learnt, starting};
use super::left_out::{errors_without_parts, solution};
use super::samples::RowGroups;
use super::solve::{DualityGap, SolvingSizes, WideSolution, gap_of_product, left_out_error, solved};
use crate::data::Data;
use crate::data::scaling::location_and_scale;
use crate::error::{Error, Result};
use crate::linalg::{Factor, Matrix, dot, for_row_blocks, map_tasks};
use crate::network::Predict;
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// An infinitely wide network: f(x) = mean + Σ_g α_g κ(z, z_g), z the transformed inputs.
///
/// It holds the distinct rows of the table that it was fitted to.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::wide::{LayerSet, WideNetwork};
/// use shallows::{Data, Watch};
///
/// let x: Vec<[f64; 1]> = (0..30).map(|i| [i as f64 / 5.0]).collect();
/// let y: Vec<f64> = x.iter().map(|x| x[0].sin()).collect();
/// let data = Data::from_rows(&x, &y)?;
/// let network = WideNetwork::best(&data, &[0..1], &LayerSet::ALL, 0, Watch::silent()).expect("definite");
/// let new = Matrix::from_rows(&[[1.57]]);
/// assert!((network.predict(&new)[0] - 1.0).abs() < 0.02);
/// assert!(network.deviations(&new)[0] < 0.1 && network.left_out_error < 0.1);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone)]
pub struct WideNetwork {
    /// Which layers.
    pub set: LayerSet,
    /// What becomes of raw inputs.
    pub transform: InputTransform,
    /// The mean of the target, which is subtracted.
    pub target_mean: f64,
    /// The deviation of the target; 1 for a constant one.
    pub target_deviation: f64,
    /// The unit of the kernel and of the noise as covariances: the deviation of f is in units of it. With it errors on rows left
    /// out are as large as they should be, in the mean square; predictions do not depend on it.
    pub unit: f64,
    /// The kernel, in transformed inputs.
    pub kernel: WideKernel,
    /// ν, the variance of the noise of a sample of mean weight, in squared units.
    pub noise: f64,
    /// z_g, the transformed inputs of the groups.
    pub centres: Matrix,
    /// w_g, how much each group counts; a sample counts 1 on average.
    pub weights: Vec<f64>,
    /// α, in units of the target.
    pub alpha: Vec<f64>,
    /// The root mean squared error on samples left out, in units of the target.
    pub left_out_error: f64,
    /// f₋i(x_i) − y_i for every row of the table, its copies, or its group, left out with it, laws and noise kept; of rows in time by
    /// earlier ones alone, and 0 of the earliest, which none is left to judge; plain residuals of rows of
    /// weight 0. Beyond 10 000 different rows f₋i is a network of 4000 of them: without row i where that is one of them, as it is for
    /// others.
    pub left_out: Vec<f64>,
    /// Of K + N, of the centres that posterior deviations are computed from; made again where it is missing.
    pub(crate) factor: OnceLock<Option<Factor>>,
}

impl PartialEq for WideNetwork {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |network: &WideNetwork| {
            let WideNetwork { target_mean, target_deviation, unit, noise, left_out_error, .. } = network;
            [*target_mean, *target_deviation, *unit, *noise, *left_out_error]
        };
        (self.set, &self.transform, &self.kernel, numbers(self))
            == (other.set, &other.transform, &other.kernel, numbers(other))
            && (&self.centres, &self.weights, &self.alpha) == (&other.centres, &other.weights, &other.alpha)
            && self.left_out == other.left_out
    }
}

impl fmt::Debug for WideNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (set, centres) = (self.set, self.centres.rows());
        f.debug_struct("WideNetwork")
            .field("set", &set)
            .field("kernel", &self.kernel)
            .field("centres", &centres)
            .finish()
    }
}

/// Up to this many rows sets are fitted side by side; beyond, one after another, since each needs the threads and the
/// memory, and the noise of the best alone is compared with others.
const SIDE_BY_SIDE: usize = 2000;
/// New rows whose kernel values are held at a time.
const ROWS_AT_ONCE: usize = 128;
/// Of more centres than these the factor of the matrix is not made; deviations are then computed from so many of them.
const MOST_FACTORED: usize = SolvingSizes::USUAL.exact;
const DEVIATION_CENTRES: usize = 5000;

impl WideNetwork {
    /// The set that predicts rows left out best; `None` where no set gives a numerically definite matrix.
    ///
    /// `columns` are the inputs of each column of the table, in order: the 0/1 inputs of words share a scale.
    pub fn best(
        data: &Data,
        columns: &[Range<usize>],
        sets: &[LayerSet],
        seed: u64,
        watch: Watch<'_>,
    ) -> Option<WideNetwork> {
        Some(WideNetwork::chosen(data, columns, sets, seed, watch)?.0)
    }

    /// The same with the root mean squared error on rows left out of each set that was compared, in units of the target.
    pub fn chosen(
        data: &Data,
        columns: &[Range<usize>],
        sets: &[LayerSet],
        seed: u64,
        watch: Watch<'_>,
    ) -> Option<(WideNetwork, Vec<(LayerSet, f64)>)> {
        if data.n() <= SIDE_BY_SIDE {
            let networks = WideNetwork::all(data, columns, sets, seed, watch);
            let errors = networks.iter().map(|network| (network.set, network.left_out_error)).collect();
            let better = |a: WideNetwork, b: WideNetwork| if b.left_out_error < a.left_out_error { b } else { a };
            return Some((networks.into_iter().reduce(better)?, errors));
        }
        WideNetwork::chosen_of_many(data, (columns, sets), SolvingSizes::USUAL, seed, watch)
    }

    /// The same, one set after another.
    fn chosen_of_many(
        data: &Data,
        (columns, sets): (&[Range<usize>], &[LayerSet]),
        sizes: SolvingSizes,
        seed: u64,
        watch: Watch<'_>,
    ) -> Option<(WideNetwork, Vec<(LayerSet, f64)>)> {
        let mut best: Option<(f64, LearntLaws)> = None;
        let mut errors = vec![];
        for &set in sets {
            let laws = LearntLaws::new(data, columns, set, seed, watch);
            let error = left_out_error(&laws.kernel, laws.noise, &laws.rows, sizes, seed);
            if error.is_finite() {
                errors.push((set, laws.target_deviation * error.sqrt()));
            }
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, laws));
            }
            if watch.is_over() {
                break;
            }
        }
        Some((best?.1.network(data, sizes, seed, watch)?, errors))
    }

    /// The networks of these sets, side by side; those whose matrices are not numerically definite are missing.
    pub fn all(
        data: &Data,
        columns: &[Range<usize>],
        sets: &[LayerSet],
        seed: u64,
        watch: Watch<'_>,
    ) -> Vec<WideNetwork> {
        let fitted = map_tasks(sets.len(), |at| WideNetwork::fitted(data, columns, sets[at], seed, watch));
        fitted.into_iter().flatten().collect()
    }

    /// The network of one set, its laws by evidence, its noise by the error on samples left out.
    pub fn fitted(
        data: &Data,
        columns: &[Range<usize>],
        set: LayerSet,
        seed: u64,
        watch: Watch<'_>,
    ) -> Option<WideNetwork> {
        LearntLaws::new(data, columns, set, seed, watch).network(data, SolvingSizes::USUAL, seed, watch)
    }

    /// The errors on rows from those on samples; of rows of weight 0, which are none, the plain errors.
    fn row_errors(&self, data: &Data, sample_of: &[Option<usize>], errors: &[f64]) -> Vec<f64> {
        let uncounted: Vec<usize> = (0..data.n()).filter(|&i| sample_of[i].is_none()).collect();
        let mut plain = self.predict(&data.X.select_rows(&uncounted)).into_iter();
        let mut error = |i: usize| match sample_of[i] {
            Some(sample) => errors[sample],
            None => plain.next().unwrap_or(f64::NAN) - data.y[i],
        };
        (0..data.n()).map(&mut error).collect()
    }

    /// f of raw rows.
    ///
    /// # Panics
    /// When there are fewer columns than inputs.
    pub fn predict(&self, X: &Matrix) -> Vec<f64> {
        self.of_kernel_values(X, &self.centres, &|_| (), |values| self.target_mean + dot(values, &self.alpha))
    }

    /// The posterior standard deviation of f at raw rows; that of a new target has the noise besides. NaN where the matrix
    /// is not numerically definite, which that of a fitted network is.
    ///
    /// Of a network with more than 10 000 centres it is that of the Gaussian process that knows 5000 of them alone, drawn at random: **at least
    /// as large** as the one that knows all, since what is known besides never adds to a variance
    /// ([`deviation_centres`](Self::deviation_centres) tells).
    ///
    /// # Panics
    /// When there are fewer columns than inputs.
    pub fn deviations(&self, X: &Matrix) -> Vec<f64> {
        match self.factor() {
            Some(factor) => self.deviations_of(X, factor, self.deviation_part().as_deref()),
            None => vec![f64::NAN; X.rows()],
        }
    }

    /// The same with the factor of some centres.
    fn deviations_of(&self, X: &Matrix, factor: &Factor, part: Option<&[usize]>) -> Vec<f64> {
        let some = part.map(|part| self.centres.select_rows(part));
        let centres = some.as_ref().unwrap_or(&self.centres);
        let prior = self.kernel.diagonal(&self.transform.applied(X));
        let halve = |values: &mut [f64]| factor.solve_lower_in_place(values);
        let explained = self.of_kernel_values(X, centres, &halve, |values| dot(values, values));
        let variance = prior.iter().zip(explained).map(|(prior, explained)| (prior - explained).max(0.0));
        variance.map(|variance| self.unit * variance.sqrt()).collect()
    }

    /// The number of centres that [`deviations`](Self::deviations) are computed from: all, or 5000 of more than 10 000.
    pub fn deviation_centres(&self) -> usize {
        self.deviation_part().map_or(self.centres.rows(), |part| part.len())
    }

    /// The centres that deviations are computed from, where these are not all: the same ones every time.
    fn deviation_part(&self) -> Option<Vec<usize>> {
        let n = self.centres.rows();
        (n > MOST_FACTORED).then(|| {
            let mut part = Stream::of_split(0, Split::Deviation).permutation(n);
            part.truncate(DEVIATION_CENTRES);
            part.sort_unstable();
            part
        })
    }

    /// The factor of K + N of the centres that deviations are computed from, which is made once; `None` where the matrix is not
    /// numerically definite.
    pub(super) fn factor(&self) -> Option<&Factor> {
        self.factor.get_or_init(|| self.factored(self.deviation_part().as_deref())).as_ref()
    }

    /// A network of the same laws and noise, fitted to these rows, each for itself; `None` where the matrix is not
    /// numerically definite.
    pub fn with_rows(&self, data: &Data) -> Option<WideNetwork> {
        let n = data.n();
        let bare = WideNetwork {
            centres: self.transform.applied(&data.X),
            weights: vec![1.0; n],
            alpha: data.y.iter().map(|y| y - self.target_mean).collect(),
            left_out: vec![],
            left_out_error: 0.0,
            factor: OnceLock::new(),
            ..self.clone()
        };
        let mut alpha = bare.alpha.clone();
        bare.factor()?.solve_in_place(&mut alpha);
        let network = WideNetwork { alpha, ..bare };
        network.check().is_ok().then_some(network)
    }

    fn factored(&self, part: Option<&[usize]>) -> Option<Factor> {
        let some = part.map(|part| self.centres.select_rows(part));
        let weights: Vec<f64> = match part {
            Some(part) => part.iter().map(|&g| self.weights[g]).collect(),
            None => self.weights.clone(),
        };
        let mut A = self.kernel.tiles(&self.kernel.rows(some.as_ref().unwrap_or(&self.centres)));
        A.add_to_diagonal(&weights.iter().map(|weight| self.noise / weight).collect::<Vec<_>>());
        A.factored()
    }

    /// A number for every row from its kernel values with some centres, which `change` may change a block at a time.
    fn of_kernel_values(
        &self,
        X: &Matrix,
        centres: &Matrix,
        change: &(impl Fn(&mut [f64]) + Sync),
        number: impl Fn(&[f64]) -> f64 + Sync,
    ) -> Vec<f64> {
        let n = centres.rows();
        let centres = self.kernel.rows(centres);
        let Z = self.transform.applied(X);
        let mut out = vec![0.0; Z.rows()];
        for_row_blocks(&mut out, 1, |rows, out| {
            for start in rows.clone().step_by(ROWS_AT_ONCE) {
                let end = rows.end.min(start + ROWS_AT_ONCE);
                let part = self.kernel.rows(&Z.select_rows(&(start..end).collect::<Vec<_>>()));
                let mut values = vec![0.0; (end - start) * n];
                block_of_kernel(&part, 0..end - start, &centres, &mut values);
                change(&mut values);
                let numbers = values.chunks_exact(n).map(&number);
                out[start - rows.start..end - rows.start].iter_mut().zip(numbers).for_each(|(out, x)| *out = x);
            }
        });
        out
    }

    /// Kα, what the network adds to the mean at its centres; K is never held.
    pub(super) fn kernel_sums(&self) -> Vec<f64> {
        kernel_times_vector(&self.kernel.rows(&self.centres), &self.alpha)
    }

    /// P − D of any coefficients on the rows that the network was fitted to: a number in plain arithmetic, not a proof. `None`
    /// where there is not one coefficient for every group of `data`, as where the network was fitted to a part of it.
    pub fn duality_gap(&self, data: &Data, alpha: &[f64]) -> Option<DualityGap> {
        let rows = groups(data, &self.transform, self.target_mean, 1.0);
        (rows.len() == alpha.len()).then(|| {
            let product = kernel_times_vector(&self.kernel.rows(&rows.X), alpha);
            gap_of_product(&product, self.noise, &rows, alpha)
        })
    }

    /// ln p of the targets that the network was fitted to, under its laws and its noise, in units of the target: the evidence,
    /// without the prior on the laws and without any payment for having chosen them. Rows that repeat another, target and all,
    /// count as one. `None` of a network from a file, which has no factor at hand, of one of many rows, and on other
    /// rows than its own.
    ///
    /// ```
    /// use shallows::wide::{LayerSet, WideNetwork};
    /// use shallows::{Data, Watch};
    ///
    /// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 1.0, 4.0, 2.0])?;
    /// let fitted = |data| WideNetwork::fitted(data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent());
    /// let evidence = fitted(&data).and_then(|network| network.log_evidence(&data)).expect("definite");
    /// // A target in another unit has another density.
    /// let doubled = Data::from_rows(&[[0.0], [1.0], [2.0], [4.0]], &[0.0, 2.0, 8.0, 4.0])?;
    /// let other = fitted(&doubled).and_then(|network| network.log_evidence(&doubled)).expect("definite");
    /// assert!((evidence - other - 4.0 * 2.0_f64.ln()).abs() < 1e-6);
    /// # Ok::<(), shallows::Error>(())
    /// ```
    pub fn log_evidence(&self, data: &Data) -> Option<f64> {
        let factor = self.factor.get()?.as_ref().filter(|_| self.deviation_part().is_none())?;
        let rows = groups(data, &self.transform, self.target_mean, self.unit);
        if rows.len() != self.alpha.len() {
            return None;
        }
        let mut alpha = rows.y.clone();
        factor.solve_in_place(&mut alpha);
        let (samples, within) = (rows.count(), rows.within.iter().sum::<f64>());
        let extra = samples - rows.len() as f64;
        let explained = dot(&rows.y, &alpha) + factor.log_determinant();
        // What the density of all samples has besides that of the means of groups.
        let weights = rows.samples.iter().map(|sample| sample.weight.ln()).sum::<f64>()
            - rows.weights.iter().map(|weight| weight.ln()).sum::<f64>();
        let twice = explained + extra * self.noise.ln() + within / self.noise - weights;
        Some(-0.5 * (twice + samples * (TAU * self.unit.powi(2)).ln()))
    }

    /// f₋F(x_i) − y_i for every row of the table that the network was fitted to, F the fold of the row, laws and noise kept;
    /// copies of a row in one group must be in one fold. `None` where the matrix is not numerically definite, and beyond
    /// 10 000 centres.
    pub(crate) fn errors_of_folds(&self, data: &Data, folds: &[usize]) -> Option<Vec<f64>> {
        if self.deviation_part().is_some() {
            return None;
        }
        let rows = groups(data, &self.transform, self.target_mean, 1.0);
        let inverse = self.factor()?.inverted().inverse().to_matrix();
        let mut fold_of = vec![0; rows.samples.len()];
        let counted = rows.sample_of.iter().zip(folds).filter_map(|(sample, fold)| Some(((*sample)?, fold)));
        counted.for_each(|(sample, fold)| fold_of[sample] = *fold);
        let errors = errors_without_parts(&rows, &inverse, &self.alpha, self.noise, &fold_of)?;
        Some(self.row_errors(data, &rows.sample_of, &errors))
    }

    /// f(x_i) − y_i on the second rows of each pair, f of these laws and this noise fitted to the first rows, or to 4000 of them.
    /// `None` where a matrix is not numerically definite.
    pub(crate) fn errors_across(
        &self,
        data: &Data,
        parts: &[(Vec<usize>, Vec<usize>)],
        seed: u64,
    ) -> Option<Vec<Vec<f64>>> {
        let errors = map_tasks(parts.len(), |part| {
            let (kept, left) = &parts[part];
            let mut known: Vec<usize> = Stream::of_split(seed, Split::Evidence)
                .permutation(kept.len())
                .into_iter()
                .map(|at| kept[at])
                .collect();
            known.truncate(SolvingSizes::USUAL.compared);
            let rows = groups(&data.select(&known), &self.transform, self.target_mean, 1.0);
            let alpha = solution(&self.kernel, self.noise, &rows)?;
            let left = data.select(left);
            let f = self.kernel.predictions(&self.transform.applied(&left.X), &rows.X, &alpha);
            Some(f.iter().zip(&left.y).map(|(f, y)| self.target_mean + f - y).collect::<Vec<f64>>())
        });
        errors.into_iter().collect()
    }

    /// ρ = ν/n: what half the squared norm of f − mean is multiplied by in the objective.
    pub fn decay(&self) -> f64 {
        self.noise / self.weights.iter().sum::<f64>()
    }

    /// d, the number of raw inputs.
    pub fn inputs(&self) -> usize {
        self.transform.inputs
    }

    /// Everything is finite, and there is as much of it as there should be.
    ///
    /// # Errors
    /// Where that is not so.
    pub fn check(&self) -> Result<()> {
        let (n, kept) = (self.centres.rows(), self.transform.kept.len());
        let lengths = [
            ("inputs of a centre", kept, self.centres.cols()),
            ("weights of centres", n, self.weights.len()),
            ("coefficients of centres", n, self.alpha.len()),
        ];
        if let Some((what, expected, found)) = lengths.into_iter().find(|(_, expected, found)| expected != found) {
            return Err(Error::Shape { what, expected, found });
        }
        self.transform.check()?;
        self.kernel.check(kept)?;
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        let positive = |numbers: &[f64]| numbers.iter().all(|x| *x > 0.0 && x.is_finite());
        let sound = finite(self.centres.as_slice())
            && finite(&self.alpha)
            && finite(&self.left_out)
            && finite(&[self.target_mean])
            && positive(&self.weights)
            && positive(&[self.noise, self.target_deviation, self.unit])
            && self.left_out_error >= 0.0
            && n > 0;
        if sound { Ok(()) } else { Err(Error::NotFinite { what: "the numbers of a wide network" }) }
    }
}

impl Predict for WideNetwork {
    fn predict(&self, X: &Matrix) -> Result<Vec<f64>> {
        match X.cols() == self.inputs() {
            true => Ok(WideNetwork::predict(self, X)),
            false => Err(Error::Shape { what: "columns", expected: self.inputs(), found: X.cols() }),
        }
    }
}

/// A set whose laws have been learnt, before its output layer is solved.
struct LearntLaws {
    set: LayerSet,
    transform: InputTransform,
    target_mean: f64,
    target_deviation: f64,
    rows: RowGroups,
    kernel: WideKernel,
    noise: f64,
}

impl LearntLaws {
    fn new(data: &Data, columns: &[Range<usize>], set: LayerSet, seed: u64, watch: Watch<'_>) -> Self {
        let transform = InputTransform::learnt(data, set.is_by_rank());
        let (target_mean, deviation) = location_and_scale(&data.y, &data.omega(), true);
        let is_constant = !deviation.is_finite();
        let target_deviation = if is_constant { 1.0 } else { deviation };
        let rows = groups(data, &transform, target_mean, target_deviation);
        let kept = transform.kept_columns(columns);
        let (kernel, noise) = match is_constant || kept.is_empty() || rows.len() < 2 {
            true => starting(set, kept),
            false => learnt(set, &rows, kept, seed, watch),
        };
        LearntLaws { set, transform, target_mean, target_deviation, rows, kernel, noise }
    }

    /// The network with its noise by the error on samples left out.
    fn network(self, data: &Data, sizes: SolvingSizes, seed: u64, watch: Watch<'_>) -> Option<WideNetwork> {
        let LearntLaws { set, transform, target_mean, target_deviation, rows, kernel, noise } = self;
        let WideSolution { noise, part, mut alpha, left_out, factor, spread, error } =
            solved(&kernel, noise, &rows, (sizes, seed), watch)?;
        alpha.iter_mut().for_each(|alpha| *alpha *= target_deviation);
        let some = part.map(|part| rows.select(&part));
        let RowGroups { X: centres, weights, .. } = some.as_ref().unwrap_or(&rows);
        let mut network = WideNetwork {
            set,
            transform,
            target_mean,
            target_deviation,
            unit: target_deviation * spread.sqrt(),
            kernel,
            noise,
            centres: centres.clone(),
            weights: weights.clone(),
            alpha,
            left_out_error: target_deviation * error.sqrt(),
            left_out: vec![],
            factor: factor.map_or_else(OnceLock::new, |factor| OnceLock::from(Some(factor))),
        };
        let errors: Vec<f64> = left_out.iter().map(|e| target_deviation * e).collect();
        network.left_out = network.row_errors(data, &rows.sample_of, &errors);
        Some(network)
    }
}

/// The groups of a table, transformed and divided.
fn groups(data: &Data, transform: &InputTransform, mean: f64, deviation: f64) -> RowGroups {
    let X = transform.applied(&data.X);
    let y = data.y.iter().map(|y| (y - mean) / deviation).collect();
    let names = (0..X.cols()).map(|j| format!("z{j}")).collect();
    let columns = (0..X.cols()).map(|j| j..j + 1).collect();
    let (target, weights, dependence) = (data.target.clone(), data.weights.clone(), data.dependence.clone());
    RowGroups::new(&Data { X, y, names, columns, target, weights, dependence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::solve_positive_definite;
    use crate::random::{Purpose, Stream};

    #[test]
    fn the_evidence_is_the_normal_density_of_all_targets_also_of_weighted_and_repeated_rows() {
        let mut stream = Stream::new(5, Purpose::Probe, 6);
        let mut X = Matrix::from_fn(30, 2, |_, _| stream.normal());
        for i in 20..30 {
            let first = X.row(i % 4).to_vec();
            X.row_mut(i).copy_from_slice(&first);
        }
        let y: Vec<f64> = (0..30).map(|i| 3.0 * X[(i, 0)] * X[(i, 1)] + 0.3 * stream.normal()).collect();
        let weights: Vec<f64> = (0..30).map(|i| 1.0 + (i % 3) as f64).collect();
        let mean = weights.iter().sum::<f64>() / 30.0;
        let data = Data::builder(X, y.clone()).weights(Some(weights.clone())).build().unwrap();
        let network = WideNetwork::fitted(&data, &[0..1, 1..2], LayerSet::RoughErf, 0, Watch::silent()).unwrap();
        // Σ = σ²(K + ν diag(1/w)) of all rows, none of them merged.
        let Z = network.transform.applied(&data.X);
        let (kernel, square) = (network.kernel.matrix(&Z), network.unit.powi(2));
        let noise = |i: usize| network.noise * mean / weights[i];
        let S = Matrix::from_fn(30, 30, |i, j| square * (kernel[(i, j)] + if i == j { noise(i) } else { 0.0 }));
        let r: Vec<f64> = y.iter().map(|y| y - network.target_mean).collect();
        let quadratic = dot(&r, &solve_positive_definite(&S, &r).unwrap());
        let pivots = (0..30).map(|k| {
            let block = Matrix::from_fn(k + 1, k + 1, |i, j| S[(i, j)]);
            let unit: Vec<f64> = (0..=k).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
            1.0 / solve_positive_definite(&block, &unit).unwrap()[k]
        });
        let determinant: f64 = pivots.map(f64::ln).sum();
        let expected = -0.5 * (quadratic + determinant + 30.0 * TAU.ln());
        let found = network.log_evidence(&data).unwrap();
        assert!((found - expected).abs() < 1e-6 * expected.abs(), "{found} {expected}");
    }

    #[test]
    fn errors_on_rows_left_out_are_as_large_as_their_deviations() {
        let mut stream = Stream::new(5, Purpose::Probe, 7);
        let X = Matrix::from_fn(300, 1, |_, _| stream.normal());
        // Of a line many noises predict alike.
        let y = (0..300).map(|i| 5.0 + 10.0 * X[(i, 0)] + 2.0 * stream.normal()).collect();
        let data = Data::builder(X, y).build().unwrap();
        for set in LayerSet::ALL {
            let network = WideNetwork::fitted(&data, &data.columns, set, 0, Watch::silent()).unwrap();
            let noise = network.unit * network.noise.sqrt();
            assert!((1.7..2.3).contains(&noise), "{set:?}: {noise}");
            let inverse = network.factor().unwrap().inverted().inverse().to_matrix();
            let squares = (0..300).map(|i| network.left_out[i].powi(2) * inverse[(i, i)] / network.unit.powi(2));
            assert!((squares.sum::<f64>() / 300.0 - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn the_posterior_deviation_is_that_of_the_formula() {
        let mut stream = Stream::new(5, Purpose::Probe, 5);
        let X = Matrix::from_fn(60, 2, |_, _| stream.normal());
        let y = (0..60).map(|i| 3.0 * X[(i, 0)] * X[(i, 1)] + 0.3 * stream.normal()).collect();
        let data = Data::builder(X, y).build().unwrap();
        let network = WideNetwork::fitted(&data, &[0..1, 1..2], LayerSet::RoughErf, 0, Watch::silent()).unwrap();
        let new = Matrix::from_fn(5, 2, |_, _| 2.0 * stream.normal());
        let mut A = network.kernel.matrix(&network.centres);
        (0..60).for_each(|i| A[(i, i)] += network.noise);
        let Z = network.transform.applied(&new);
        let values = network.kernel.between(&Z, &network.centres);
        // A network read from a file has no factor and makes its own.
        let bare = WideNetwork { factor: OnceLock::new(), ..network.clone() };
        assert_eq!(bare.deviations(&new), network.deviations(&new));
        for (i, (deviation, prior)) in network.deviations(&new).iter().zip(network.kernel.diagonal(&Z)).enumerate() {
            let solution = solve_positive_definite(&A, values.row(i)).unwrap();
            let expected = network.unit * (prior - dot(values.row(i), &solution)).sqrt();
            assert!((deviation - expected).abs() < 1e-6 * expected, "{deviation} {expected}");
        }
    }

    #[test]
    fn deviations_that_know_some_centres_are_at_least_those_that_know_all() {
        let mut stream = Stream::new(5, Purpose::Probe, 9);
        let X = Matrix::from_fn(200, 2, |_, _| stream.normal());
        let y = (0..200).map(|i| X[(i, 0)] * X[(i, 1)] + 0.3 * stream.normal()).collect();
        let data = Data::builder(X, y).build().unwrap();
        let network = WideNetwork::fitted(&data, &[0..1, 1..2], LayerSet::RoughRelu, 0, Watch::silent()).unwrap();
        let new = Matrix::from_fn(50, 2, |_, _| 1.5 * stream.normal());
        let part: Vec<usize> = (0..200).step_by(3).collect();
        let factor = network.factored(Some(&part)).unwrap();
        let some = network.deviations_of(&new, &factor, Some(&part));
        let all = network.deviations(&new);
        assert!(all.iter().zip(&some).all(|(all, some)| *some >= all * (1.0 - 1e-9)));
        assert!(all.iter().zip(&some).any(|(all, some)| *some > 1.01 * all));
        assert_eq!(network.deviation_centres(), 200);
    }

    #[test]
    fn a_network_of_many_rows_is_a_network_of_all_of_them() {
        let mut stream = Stream::new(5, Purpose::Probe, 10);
        let X = Matrix::from_fn(700, 3, |_, _| stream.normal());
        let y = (0..700).map(|i| 5.0 + 2.0 * (X[(i, 0)] * X[(i, 1)]).sin() + 0.2 * stream.normal()).collect();
        let data = Data::builder(X, y).build().unwrap();
        let sizes = SolvingSizes { compared: 300, exact: 400, most: 1000, rank: 100 };
        let sets = [LayerSet::RoughRelu, LayerSet::Ranks];
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let chosen =
                || WideNetwork::chosen_of_many(&data, (&data.columns, &sets), sizes, 0, Watch::silent()).unwrap();
            pool.install(chosen)
        };
        let (network, errors) = on(2);
        assert_eq!(errors.iter().map(|(set, _)| *set).collect::<Vec<_>>(), sets);
        assert!(errors.iter().all(|(set, error)| *set == network.set || *error >= errors[0].1.min(errors[1].1)));
        let gap = network.duality_gap(&data, &network.alpha).unwrap();
        assert!(gap.gap <= 1e-7 * gap.objective, "{gap:?}");
        assert_eq!((network.alpha.len(), network.left_out.len()), (700, 700));
        // Errors on rows that a network has not seen are larger than those on rows that it has.
        let f = network.predict(&data.X);
        let fitted = (0..700).map(|i| (f[i] - data.y[i]).powi(2)).sum::<f64>() / 700.0;
        assert!(network.left_out_error > fitted.sqrt() && network.left_out_error < 1.0, "{}", network.left_out_error);
        assert_eq!(on(1).0, network);
        assert_eq!(on(3).0, network);
    }
}
