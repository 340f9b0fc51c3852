//! The large part of a kernel matrix: a partial Cholesky factor K ≈ FFᵀ with random pivots.
//!
//! A pivot is drawn with a probability proportional to what is left of the diagonal, d_i = κ_ii − ‖f_i‖², so that far rows are
//! likely and no single one is certain (Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber, Randomly pivoted Cholesky, 2023, as a
//! preconditioner: M. Díaz, E. N. Epperly, Z. Frangella, J. A. Tropp, R. J. Webber, Robust, randomized preconditioning for
//! kernel ridge regression, 2023). A block of pivots is proposed at once from the d of before, and each is then taken with
//! the share of its d that those taken before it left over: the law is that of one pivot after another, and the work is in
//! products of matrices.
//!
//! With the noise N, the **preconditioner** is the inverse of FFᵀ + D, D = N + ⅒ diag(d),
//!
//! ```text
//! (FFᵀ + D)⁻¹ = D⁻¹ − D⁻¹F (I + FᵀD⁻¹F)⁻¹ FᵀD⁻¹.
//! ```
//!
//! What is left of a kernel of rough layers has few eigenvalues near zero: with N in the place of D most of them would be far above
//! what the preconditioner takes them for, while those along F are as they are.
//!
//! Pivots end where what is left of the trace is below the noise, or below the rounding errors of d: a matrix of low rank,
//! a constant one say, gives as many as it has.

use super::law::{WideKernel, block_of_kernel};
use super::rows::LayerRows;
use crate::linalg::{
    Destination, Matrix, View, add_lower_product, add_scaled, dot, factor_positive_definite, for_row_blocks, multiply,
    solve_lower, solve_lower_transposed, solve_rows_in_place, sum_over_rows, values_of_rows,
};
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// Pivots that are proposed at a time.
const BLOCK: usize = 100;
/// What is left of a diagonal entry below this share of it is rounding.
const ROUNDING: f64 = 1e-13;
/// Pivots end where what is left of the trace is below this share of the smallest noise.
const SHARE_OF_NOISE: f64 = 0.1;

/// The share of d in D. Of 0, 0.1, 0.3 and 1 this took the fewest steps or nearly so, on kernels of rough, relu, erf and t5 layers.
const SHARE_OF_LEFT: f64 = 0.1;
/// Shares by which the diagonal of I + FᵀD⁻¹F grows until the matrix is numerically definite: any definite preconditioner will do.
const WIDENED: [f64; 4] = [0.0, 1e-14, 1e-11, 1e-8];

/// (FFᵀ + D)⁻¹.
pub(super) struct Preconditioner {
    /// n×rank; columns beyond the last pivot are zero.
    F: Matrix,
    /// 1/D_g.
    precision: Vec<f64>,
    /// L of I + FᵀD⁻¹F = LLᵀ.
    inner: Matrix,
}

/// The factor while it grows.
struct PartialFactor<'a> {
    rows: &'a [LayerRows],
    F: Matrix,
    rank: usize,
    /// κ_ii.
    diagonal: Vec<f64>,
    /// What is left of it.
    left: Vec<f64>,
}

impl Preconditioner {
    /// Of the kernel between rows X, with at most `rank` pivots. Where the watch is over, of the pivots until then.
    pub(super) fn new(
        (kernel, X): (&WideKernel, &Matrix),
        noise: &[f64],
        rank: usize,
        seed: u64,
        watch: Watch<'_>,
    ) -> Option<Preconditioner> {
        let rows = kernel.rows(X);
        let n = X.rows();
        let diagonal = kernel.diagonal(X);
        let mut factor =
            PartialFactor { rows: &rows, F: Matrix::zeros(n, rank.min(n)), rank: 0, left: diagonal.clone(), diagonal };
        let floor = SHARE_OF_NOISE * noise.iter().copied().fold(f64::INFINITY, f64::min);
        let mut stream = Stream::of_split(seed, Split::Pivots);
        while factor.rank < factor.F.cols() && factor.left.iter().sum::<f64>() > floor && !watch.is_over() {
            let proposed = factor.proposals(&mut stream);
            if !factor.grows(&kernel.rows(&X.select_rows(&proposed)), &proposed, &mut stream) {
                break;
            }
        }
        let precision: Vec<f64> =
            noise.iter().zip(&factor.left).map(|(noise, left)| 1.0 / (noise + SHARE_OF_LEFT * left)).collect();
        let sum = inner_matrix(&factor.F, &precision);
        let widened = |more: f64| {
            Matrix::from_fn(sum.rows(), sum.rows(), |i, j| sum[(i, j)] * if i == j { 1.0 + more } else { 1.0 })
        };
        let inner = WIDENED.into_iter().find_map(|more| factor_positive_definite(&widened(more)))?;
        Some(Preconditioner { F: factor.F, precision, inner })
    }

    /// (FFᵀ + D)⁻¹v.
    pub(super) fn applied(&self, v: &[f64]) -> Vec<f64> {
        let F = &self.F;
        let scaled: Vec<f64> = v.iter().zip(&self.precision).map(|(v, precision)| v * precision).collect();
        let inner = sum_over_rows(
            (F.rows(), F.cols()),
            || vec![0.0; F.cols()],
            |sum, rows| rows.for_each(|i| add_scaled(sum, scaled[i], F.row(i))),
            |total, part| add_scaled(total, 1.0, &part),
        );
        let c = solve_lower_transposed(&self.inner, &solve_lower(&self.inner, &inner));
        values_of_rows(F.rows(), |i| scaled[i] - self.precision[i] * dot(F.row(i), &c))
    }
}

/// I + FᵀD⁻¹F; only the lower triangle has a meaning.
fn inner_matrix(F: &Matrix, precision: &[f64]) -> Matrix {
    let rank = F.cols();
    let mut inner = sum_over_rows(
        (F.rows(), rank * rank),
        || Matrix::zeros(rank, rank),
        |sum, rows| {
            let scaled =
                rows.clone().flat_map(|i| F.row(i).iter().map(move |x| x * precision[i])).collect::<Vec<f64>>();
            let scaled = View::new(&scaled, rows.len(), rank);
            add_lower_product(sum.as_mut_slice(), scaled.t(), F.view_rows(rows));
        },
        |total, part| add_scaled(total.as_mut_slice(), 1.0, part.as_slice()),
    );
    (0..rank).for_each(|j| inner[(j, j)] += 1.0);
    inner
}

impl PartialFactor<'_> {
    /// Different rows, drawn by what is left of the diagonal.
    fn proposals(&self, stream: &mut Stream) -> Vec<usize> {
        let mut sum = 0.0;
        let sums: Vec<f64> = self
            .left
            .iter()
            .map(|left| {
                sum += left;
                sum
            })
            .collect();
        let room = BLOCK.min(self.F.cols() - self.rank);
        let mut proposed: Vec<usize> = vec![];
        for _ in 0..room {
            let drawn = stream.uniform() * sum;
            let pivot = sums.partition_point(|below| *below <= drawn).min(sums.len() - 1);
            if !proposed.contains(&pivot) && self.left[pivot] > 0.0 {
                proposed.push(pivot);
            }
        }
        proposed
    }

    /// Take those of the proposals that chance allows, and make their columns. False where nothing but rounding is left of
    /// any.
    fn grows(&mut self, pivots: &[LayerRows], proposed: &[usize], stream: &mut Stream) -> bool {
        let (count, rank) = (proposed.len(), self.rank);
        // What is left of the columns of the proposals.
        let mut columns = Matrix::zeros(self.F.rows(), count);
        let at_pivots = self.F.select_rows(proposed);
        for_row_blocks(columns.as_mut_slice(), count, |rows, out| {
            block_of_kernel(self.rows, rows.clone(), pivots, out);
            let (F, at_pivots) = (self.F.view_rows(rows).columns(0..rank), at_pivots.view().columns(0..rank));
            multiply(out, F, at_pivots.t(), Destination::Subtract);
        });
        let (taken, L) = self.taken(&columns.select_rows(proposed), proposed, stream);
        if taken.is_empty() {
            return false;
        }
        let width = self.F.cols();
        for_row_blocks(self.F.as_mut_slice(), width, |rows, out| {
            let chosen = |i: usize| taken.iter().map(move |&at| (i, at));
            let mut block: Vec<f64> = rows.flat_map(chosen).map(|at| columns[at]).collect();
            solve_rows_in_place(&L, &mut block);
            let blocks = out.chunks_exact_mut(width).zip(block.chunks_exact(taken.len()));
            blocks.for_each(|(out, block)| out[rank..rank + taken.len()].copy_from_slice(block));
        });
        self.rank += taken.len();
        for i in 0..self.left.len() {
            let new = &self.F.row(i)[rank..self.rank];
            let left = self.left[i] - dot(new, new);
            self.left[i] = if left > ROUNDING * self.diagonal[i] { left } else { 0.0 };
        }
        taken.iter().for_each(|&at| self.left[proposed[at]] = 0.0);
        true
    }

    /// Which proposals are taken, and the factor of what is left of the kernel between them.
    fn taken(&self, between: &Matrix, proposed: &[usize], stream: &mut Stream) -> (Vec<usize>, Matrix) {
        let mut taken: Vec<usize> = vec![];
        let mut factor: Vec<Vec<f64>> = vec![];
        for (at, &pivot) in proposed.iter().enumerate() {
            // Row `at` of the factor, were it taken: Lx = the kernel with those taken before.
            let mut row: Vec<f64> = vec![];
            for (k, &other) in taken.iter().enumerate() {
                let before = dot(&factor[k][..k], &row);
                row.push((between[(at, other)] - before) / factor[k][k]);
            }
            let left = between[(at, at)] - dot(&row, &row);
            let is_real = left > ROUNDING * self.diagonal[pivot];
            if is_real && stream.uniform() * self.left[pivot] <= left {
                row.push(left.sqrt());
                factor.push(row);
                taken.push(at);
            }
        }
        let L = Matrix::from_fn(taken.len(), taken.len(), |i, j| if j <= i { factor[i][j] } else { 0.0 });
        (taken, L)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{norm, solve_positive_definite};
    use crate::random::Purpose;
    use crate::wide::{KernelLayer, LayerLaw};

    fn layer(law: LayerLaw, signal: f64) -> KernelLayer {
        let scales = if law.has_scales() { vec![1.5, 3.0] } else { vec![] };
        KernelLayer { law, signal, scales, bias: 0.7 }
    }

    fn random(n: usize) -> (Matrix, Vec<f64>) {
        let mut stream = Stream::new(5, Purpose::Probe, n as u64);
        (Matrix::from_fn(n, 2, |_, _| stream.normal()), (0..n).map(|_| stream.normal()).collect())
    }

    /// A⁻¹v, and what the preconditioner makes of v.
    fn both(kernel: &WideKernel, X: &Matrix, v: &[f64], noise: f64, rank: usize) -> (Vec<f64>, Vec<f64>) {
        let noises: Vec<f64> = (0..X.rows()).map(|i| noise / (1.0 + (i % 3) as f64)).collect();
        let mut A = kernel.matrix(X);
        (0..X.rows()).for_each(|i| A[(i, i)] += noises[i]);
        let preconditioner = Preconditioner::new((kernel, X), &noises, rank, 1, Watch::silent()).unwrap();
        (solve_positive_definite(&A, v).unwrap(), preconditioner.applied(v))
    }

    #[test]
    fn with_as_many_pivots_as_rows_the_system_is_solved() {
        let (X, v) = random(130);
        let kernel = WideKernel { layers: vec![layer(LayerLaw::RoughByInput, 1.0), layer(LayerLaw::Affine, 0.5)] };
        let (exact, found) = both(&kernel, &X, &v, 0.05, 130);
        let far: Vec<f64> = exact.iter().zip(&found).map(|(a, b)| a - b).collect();
        // What is left of the trace is a tenth of the noise.
        assert!(norm(&far) < 0.2 * norm(&exact), "{}", norm(&far) / norm(&exact));
    }

    #[test]
    fn kernels_of_low_rank_end_the_pivots_early_and_are_solved() {
        let (X, v) = random(300);
        let same = Matrix::from_fn(300, 2, |_, j| j as f64);
        for (laws, X) in [
            (vec![LayerLaw::Affine], &X),
            (vec![LayerLaw::Quadratic, LayerLaw::Affine], &X),
            // A constant matrix.
            (vec![LayerLaw::RoughByInput], &same),
        ] {
            let kernel = WideKernel { layers: laws.iter().map(|law| layer(*law, 1.0)).collect() };
            let (exact, found) = both(&kernel, X, &v, 1e-3, 200);
            let far: Vec<f64> = exact.iter().zip(&found).map(|(a, b)| a - b).collect();
            assert!(norm(&far) < 1e-6 * norm(&exact), "{laws:?}: {}", norm(&far) / norm(&exact));
        }
    }

    #[test]
    fn a_kernel_of_nothing_is_preconditioned_by_the_noise() {
        // The quadratic kernel of rows that are all zero.
        let (X, v) = (Matrix::zeros(150, 2), random(150).1);
        let kernel = WideKernel { layers: vec![layer(LayerLaw::Quadratic, 1.0)] };
        let (exact, found) = both(&kernel, &X, &v, 0.5, 20);
        assert!(exact.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12 * a.abs()));
    }
}
