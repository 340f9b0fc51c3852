//! The output layer of many rows, by conjugate gradients.
//!
//! A = K + N does not fit into memory as doubles, and its factor takes n³/3 operations. Flexible conjugate gradients (Polak and
//! Ribière's β, which forgives a preconditioner whose rounding errors differ from step to step) on the kernel matrix in four
//! bytes an entry (`compact.rs`), preconditioned by its large part (`pivots.rs`), need a few dozen products.
//!
//! What is asked of α is a small gap P − D = ½Σω_g e_g², e = Kα + Nα − y: the residual of the linear system in the norm of the
//! weights, and known after every step. At the end it is computed anew in doubles from the inputs, kernel values and all; where it
//! is larger than what was asked for, what is missing is solved for in the same way, and added. What is returned is
//! the best α that was met **with the gap that was computed in doubles**, whatever ended the search: the number
//! of steps, a deadline, an interrupt.

use super::compact::{CompactTiles, kernel_times_vector};
use super::law::WideKernel;
use super::pivots::Preconditioner;
use super::samples::RowGroups;
use super::solve::{DualityGap, gap_of_product};
use crate::linalg::{add_scaled, dot};
use crate::watch::{Progress, Watch};

/// The gap, relative to P, that is asked for; steps aim lower by a factor, for what the matrix itself has lost.
const RELATIVE_GAP: f64 = 1e-7;
const AIM: f64 = 0.1;
/// Solutions of what is missing, the first one included.
const MOST_SOLUTIONS: usize = 4;
/// Products with the matrix in all of them.
const MOST_STEPS: usize = 300;
/// A solution of what is missing that leaves more than this share of the gap is the last.
const PROGRESS: f64 = 0.5;

/// The output layer of one kernel and noise.
pub(super) struct IterativeSolution {
    pub(super) alpha: Vec<f64>,
    /// In units of the targets of the groups, computed in doubles from the inputs.
    pub(super) gap: DualityGap,
}

/// α with a small gap, and `None` where the watch is over before there is a matrix to begin with. At most `rank` pivots.
pub(super) fn solved_iteratively(
    kernel: &WideKernel,
    noise: f64,
    rows: &RowGroups,
    (rank, seed): (usize, u64),
    watch: Watch<'_>,
) -> Option<IterativeSolution> {
    let layers = kernel.rows(&rows.X);
    let K = CompactTiles::new(&layers, watch)?;
    let noises = rows.noise(noise);
    let preconditioner = Preconditioner::new((kernel, &rows.X), &noises, rank, seed, watch)?;
    let system = WideSystem { K, noises: &noises, preconditioner, noise, rows, watch };
    let mut best: Option<IterativeSolution> = None;
    let (mut alpha, mut residual, mut steps) = (vec![0.0; rows.len()], rows.y.clone(), 0);
    for _ in 0..MOST_SOLUTIONS {
        system.improve(&mut alpha, residual, &mut steps);
        let product = kernel_times_vector(&layers, &alpha);
        let gap = gap_of_product(&product, noise, rows, &alpha);
        residual = (0..rows.len()).map(|g| rows.y[g] - product[g] - noises[g] * alpha[g]).collect();
        let before = best.as_ref().map_or(f64::INFINITY, |best| best.gap.gap);
        if gap.gap < before {
            best = Some(IterativeSolution { alpha: alpha.clone(), gap });
        }
        let is_enough = gap.gap <= RELATIVE_GAP * gap.objective;
        if is_enough || steps >= MOST_STEPS || watch.is_over() || !(gap.gap < PROGRESS * before) {
            break;
        }
    }
    best
}

/// K + N with its preconditioner.
struct WideSystem<'a> {
    K: CompactTiles,
    noises: &'a [f64],
    preconditioner: Preconditioner,
    noise: f64,
    rows: &'a RowGroups,
    watch: Watch<'a>,
}

impl WideSystem<'_> {
    /// Add to α what takes this residual y − (K + N)α to almost nothing. At least one step is made.
    fn improve(&self, alpha: &mut [f64], mut residual: Vec<f64>, steps: &mut usize) {
        let n = alpha.len();
        let mut z = self.preconditioner.applied(&residual);
        let mut direction = z.clone();
        loop {
            let mut product = self.K.times_vector(&direction);
            (0..n).for_each(|g| product[g] += self.noises[g] * direction[g]);
            let (energy, slope) = (dot(&direction, &product), dot(&residual, &z));
            // Zero at the solution; not positive, or not a number, where rounding has the last word.
            if !(energy > 0.0 && slope.is_finite() && energy < f64::INFINITY) {
                return;
            }
            let length = slope / energy;
            add_scaled(alpha, length, &direction);
            let before = residual.clone();
            add_scaled(&mut residual, -length, &product);
            *steps += 1;
            let DualityGap { objective, lower_bound, gap } = self.gap(alpha, &residual);
            self.watch.report(Progress::Solving { iteration: *steps, objective, lower_bound });
            if gap <= AIM * RELATIVE_GAP * objective || *steps >= MOST_STEPS || self.watch.is_over() {
                return;
            }
            z = self.preconditioner.applied(&residual);
            let change: Vec<f64> = residual.iter().zip(&before).map(|(after, before)| after - before).collect();
            let beta = (dot(&z, &change) / slope).max(0.0);
            direction.iter_mut().zip(&z).for_each(|(direction, z)| *direction = z + beta * *direction);
        }
    }

    /// The gap of coefficients with this residual.
    fn gap(&self, alpha: &[f64], residual: &[f64]) -> DualityGap {
        let product = |g: usize| self.rows.y[g] - residual[g] - self.noises[g] * alpha[g];
        let product: Vec<f64> = (0..alpha.len()).map(product).collect();
        gap_of_product(&product, self.noise, self.rows, alpha)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::data::Data;
    use crate::linalg::Matrix;
    use crate::random::{Purpose, Stream};
    use crate::wide::{KernelLayer, LayerLaw};

    /// 500 rows in 490 groups, weighted.
    fn groups() -> RowGroups {
        let mut stream = Stream::new(5, Purpose::Probe, 6);
        let mut X = Matrix::from_fn(500, 3, |_, _| stream.normal());
        for i in 1..11 {
            let first = X.row(0).to_vec();
            X.row_mut(i).copy_from_slice(&first);
        }
        let y = (0..500).map(|i| X[(i, 0)] * X[(i, 1)] + X[(i, 2)].abs() + 0.1 * stream.normal()).collect();
        let weights = (0..500).map(|i| 1.0 + (i % 2) as f64).collect();
        RowGroups::new(&Data::builder(X, y).weights(Some(weights)).build().unwrap())
    }

    fn kernel(signal: f64) -> WideKernel {
        let layer = |law, share| KernelLayer { law, signal: share * signal, scales: vec![3.0; 3], bias: 0.7 };
        let affine = KernelLayer { law: LayerLaw::Affine, signal: 0.3 * signal, scales: vec![], bias: 0.0 };
        WideKernel { layers: vec![layer(LayerLaw::RoughByInput, 0.5), layer(LayerLaw::Relu, 1.0), affine] }
    }

    /// The least P, by a factor.
    fn least(kernel: &WideKernel, noise: f64, rows: &RowGroups) -> f64 {
        let mut A = kernel.tiles(&kernel.rows(&rows.X));
        A.add_to_diagonal(&rows.noise(noise));
        let mut alpha = rows.y.clone();
        A.factored().unwrap().solve_in_place(&mut alpha);
        gap_of_product(&kernel_times_vector(&kernel.rows(&rows.X), &alpha), noise, rows, &alpha).objective
    }

    #[test]
    fn the_solution_is_that_of_the_factor_up_to_the_gap() {
        let rows = groups();
        for (noise, rank) in [(0.5, 0), (0.02, 60), (1e-4, 200)] {
            let kernel = kernel(1.0);
            let IterativeSolution { alpha, gap } =
                solved_iteratively(&kernel, noise, &rows, (rank, 1), Watch::silent()).unwrap();
            let least = least(&kernel, noise, &rows);
            assert!(gap.gap <= RELATIVE_GAP * gap.objective, "{noise}: {gap:?}");
            assert!(gap.objective - least <= gap.gap * (1.0 + 1e-6) + 1e-14 * least && least >= gap.lower_bound);
            assert_eq!(alpha.len(), rows.len());
        }
    }

    #[test]
    fn the_gap_of_ill_conditioned_kernels_is_honest() {
        let rows = groups();
        for (signal, noise) in [(1.0, 3e-8), (1e9, 3e-8), (1e9, 1.0), (1e-9, 1.0)] {
            let kernel = kernel(signal);
            let IterativeSolution { alpha, gap } =
                solved_iteratively(&kernel, noise, &rows, (100, 1), Watch::silent()).unwrap();
            let K = kernel.matrix(&rows.X);
            let again = gap_of_product(&K.times_vector(&alpha), noise, &rows, &alpha);
            assert!(gap.gap.is_finite() && gap.objective > 0.0 && gap.gap >= 0.0, "{signal:e} {noise:e}: {gap:?}");
            // Both are sums of squares of numbers that are known up to rounding errors of Kα.
            let loose = 0.5 * gap.gap.max(again.gap) + 1e-9 * gap.objective;
            assert!((gap.gap - again.gap).abs() <= loose, "{signal:e} {noise:e}: {gap:?} {again:?}");
            // Never worse than no network at all.
            let none = gap_of_product(&vec![0.0; rows.len()], noise, &rows, &vec![0.0; rows.len()]);
            assert!(gap.objective <= none.objective * (1.0 + 1e-9), "{signal:e} {noise:e}: {gap:?} {none:?}");
        }
    }

    #[test]
    fn an_interrupted_solution_has_an_honest_gap() {
        let (rows, kernel, noise) = (groups(), kernel(1.0), 0.02);
        let flag = AtomicBool::new(false);
        let stop = |progress: Progress| {
            assert!(progress.relative_gap() >= 0.0);
            flag.store(true, Ordering::Relaxed);
        };
        let watch = Watch::silent().reporting(&stop).interruptible(&flag);
        let IterativeSolution { alpha, gap } = solved_iteratively(&kernel, noise, &rows, (20, 1), watch).unwrap();
        let least = least(&kernel, noise, &rows);
        assert!(gap.gap > RELATIVE_GAP * gap.objective && gap.objective - least <= gap.gap, "{gap:?}");
        let again = gap_of_product(&kernel_times_vector(&kernel.rows(&rows.X), &alpha), noise, &rows, &alpha);
        assert_eq!(gap, again);
    }

    #[test]
    fn targets_that_are_all_zero_need_no_step() {
        let mut rows = groups();
        rows.y.fill(0.0);
        let solution = solved_iteratively(&kernel(1.0), 0.02, &rows, (20, 1), Watch::silent()).unwrap();
        assert!(solution.alpha.iter().all(|a| *a == 0.0) && solution.gap.gap == 0.0);
    }

    #[test]
    fn solutions_have_the_same_bits_on_any_number_of_threads() {
        let rows = groups();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let solved = || solved_iteratively(&kernel(1.0), 0.02, &rows, (60, 1), Watch::silent());
            pool.install(|| solved().unwrap().alpha)
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }
}
