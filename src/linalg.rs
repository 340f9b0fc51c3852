//! Dense matrices, and the only file that names the matrix crate.
//!
//! A [`Matrix`] is row-major, so that a sample or a hidden unit is one contiguous slice. Products and
//! factorisations run on one thread; parallelism is over blocks of rows, through [`sum_over_rows`] and
//! [`for_row_blocks`] (`linalg/rows.rs`), and results have the same bits on any number of threads. Large symmetric
//! matrices are made and factored tile by tile instead (`linalg/tiles.rs`), with the same promise. Threads that were told
//! so leave these loops when nobody waits for them any more ([`halt`](crate::watch::halt)).

mod rows;
mod tiles;

use std::borrow::Cow;
use std::ops::{Index, IndexMut, Range};
use std::sync::atomic::{AtomicBool, Ordering};

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::watch::halt::unwind_if_halted;

pub(crate) use rows::{BLOCK_ROWS, sum_over_rows_into};
pub use rows::{for_row_blocks, sum_over_rows, values_of_rows};
pub(crate) use tiles::{Tiles, over_tiles};

/// A row-major matrix of f64.
#[derive(Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    /// Borrowed only inside of [`lend`], whose matrix nobody can keep.
    entries: Cow<'static, [f64]>,
}

impl Clone for Matrix {
    /// A copy of the entries, always: what is lent must not outlive the loan.
    fn clone(&self) -> Self {
        Matrix::from_vec(self.rows, self.cols, self.entries.to_vec())
    }
}

impl Matrix {
    /// The rows×cols matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix::from_vec(rows, cols, vec![0.0; rows * cols])
    }

    /// What `f` makes of the matrix whose entries stand in a slice, row after row; they are not copied.
    ///
    /// # Panics
    /// If there are not rows·cols entries.
    pub fn lent<R>(entries: &[f64], rows: usize, cols: usize, f: impl FnOnce(&Matrix) -> R) -> R {
        lend(entries, rows, cols, |matrix| matrix, f)
    }

    /// The identity of size n.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    /// The matrix with the given entries.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut entries = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            entries.extend((0..cols).map(|j| entry(i, j)));
        }
        Matrix { rows, cols, entries: entries.into() }
    }

    /// The matrix whose rows `fill` writes, in parallel.
    pub fn from_row_fn(rows: usize, cols: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let mut matrix = Matrix::zeros(rows, cols);
        for_row_blocks(matrix.as_mut_slice(), cols, |range, out| {
            out.chunks_exact_mut(cols.max(1)).zip(range).for_each(|(row, i)| fill(i, row));
        });
        matrix
    }

    /// A matrix from its entries, row after row.
    ///
    /// # Panics
    /// If there are not rows·cols entries.
    pub fn from_vec(rows: usize, cols: usize, entries: Vec<f64>) -> Self {
        assert_eq!(entries.len(), rows * cols, "a {rows}×{cols} matrix");
        Matrix { rows, cols, entries: entries.into() }
    }

    /// A matrix from its rows, which must be of one length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        let cols = rows.first().map_or(0, |row| row.as_ref().len());
        let entries: Vec<f64> = rows.iter().flat_map(|row| row.as_ref()).copied().collect();
        Self::from_vec(rows.len(), cols, entries)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.cols..][..self.cols]
    }

    /// Row i, writable.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries.to_mut()[i * self.cols..][..self.cols]
    }

    /// Column j, copied.
    pub fn column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    /// All entries, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.entries
    }

    /// All entries, row after row, writable.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        self.entries.to_mut()
    }

    /// The entries, row after row, taken out.
    pub fn into_vec(self) -> Vec<f64> {
        self.entries.into_owned()
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// The rows with these numbers, in this order.
    pub fn select_rows(&self, which: &[usize]) -> Self {
        let entries = which.iter().flat_map(|&i| self.row(i)).copied().collect();
        Matrix::from_vec(which.len(), self.cols, entries)
    }

    /// The whole matrix, to multiply with.
    pub fn view(&self) -> View<'_> {
        View::new(&self.entries, self.rows, self.cols)
    }

    /// Some consecutive rows, to multiply with.
    pub fn view_rows(&self, range: Range<usize>) -> View<'_> {
        View::new(&self.entries[range.start * self.cols..range.end * self.cols], range.len(), self.cols)
    }

    /// The product self · other.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(self.rows, other.cols);
        multiply(out.as_mut_slice(), self.view(), other.view(), Into::Replace);
        out
    }

    /// The product self · x.
    pub fn times_vector(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| dot(self.row(i), x)).collect()
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        debug_assert!(j < self.cols);
        &self.entries[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        debug_assert!(j < self.cols);
        let at = i * self.cols + j;
        &mut self.entries.to_mut()[at]
    }
}

/// What `f` makes of something that holds a matrix with these entries, row after row, without a copy of them. `hold`
/// must give the matrix to what it returns, and to nothing else.
///
/// # Panics
/// If there are not rows·cols entries.
#[allow(unsafe_code)]
pub(crate) fn lend<T, R>(
    entries: &[f64],
    rows: usize,
    cols: usize,
    hold: impl FnOnce(Matrix) -> T,
    f: impl FnOnce(&T) -> R,
) -> R {
    assert_eq!(entries.len(), rows * cols, "a {rows}×{cols} matrix");
    // SAFETY: the loan ends before `entries` does. The holder is dropped here; `f` sees it behind a reference of a
    // lifetime it does not know, so that it cannot keep the matrix, and the only way to a matrix of its own is `clone`,
    // which copies the entries.
    let entries: &'static [f64] = unsafe { std::mem::transmute::<&[f64], &'static [f64]>(entries) };
    f(&hold(Matrix { rows, cols, entries: Cow::Borrowed(entries) }))
}

/// A borrowed row-major matrix, or the transpose of one.
#[derive(Clone, Copy)]
pub struct View<'a>(MatRef<'a, f64>);

impl<'a> View<'a> {
    /// A rows×cols matrix stored row after row in a slice.
    pub fn new(entries: &'a [f64], rows: usize, cols: usize) -> Self {
        View(MatRef::from_row_major_slice(entries, rows, cols))
    }

    /// The transpose, without moving anything.
    pub fn t(self) -> Self {
        View(self.0.transpose())
    }

    /// These columns, without moving anything.
    pub fn columns(self, range: Range<usize>) -> Self {
        View(self.0.subcols(range.start, range.len()))
    }
}

/// Whether a product replaces what is in its destination or is added to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Into {
    /// out ← a·b
    Replace,
    /// out ← out + a·b
    Add,
}

/// The product a·b, written row after row into `out`.
pub fn multiply(out: &mut [f64], a: View<'_>, b: View<'_>, into: Into) {
    unwind_if_halted();
    let out = MatMut::from_row_major_slice_mut(out, a.0.nrows(), b.0.ncols());
    let accumulate = if into == Into::Add { Accum::Add } else { Accum::Replace };
    matmul(out, accumulate, a.0, b.0, 1.0, Par::Seq);
}

const LANES: usize = 8;

/// xᵀy, summed in eight interleaved lanes.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// ‖x‖₂.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// y ← y + a·x.
pub fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    assert_eq!(x.len(), y.len());
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// Bytes of a square matrix at most. Solvers hold a dozen of them at a time, and take a power of its side in time.
const MOST_SQUARE_BYTES: usize = 256 << 20;

/// Whether a d×d matrix can be worked with.
pub(crate) fn square_fits(d: usize) -> bool {
    d.saturating_mul(d).saturating_mul(size_of::<f64>()) <= MOST_SQUARE_BYTES
}

/// AᵀA, the d×d Gram matrix of the rows. Only one triangle is computed.
pub fn gram(A: &Matrix) -> Matrix {
    gram_unless(A, None)
}

/// [`gram`], which ends soon once somebody sets the flag, and then means nothing.
pub(crate) fn gram_unless(A: &Matrix, interrupted: Option<&AtomicBool>) -> Matrix {
    let d = A.cols();
    let lower = sum_over_rows(
        (A.rows(), d * d),
        || vec![0.0; d * d],
        |sum, rows| {
            if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return;
            }
            let block = A.view_rows(rows);
            add_lower_product(sum, block.t(), block);
        },
        |sum, next| add_scaled(sum, 1.0, &next),
    );
    Matrix::from_fn(d, d, |i, j| lower[i.max(j) * d + i.min(j)])
}

/// AᵀA for a matrix A of n rows that is never held: `fill` writes row i.
pub fn gram_of_rows(n: usize, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Matrix {
    let (lower, _) = sum_over_rows(
        (n, width * width),
        || (vec![0.0; width * width], vec![0.0; n.min(BLOCK_ROWS) * width]),
        |(sum, block), rows| {
            let block = &mut block[..rows.len() * width];
            block.chunks_exact_mut(width.max(1)).zip(rows.clone()).for_each(|(row, i)| fill(i, row));
            let block = View::new(block, rows.len(), width);
            add_lower_product(sum, block.t(), block);
        },
        |(sum, _), (next, _)| add_scaled(sum, 1.0, &next),
    );
    Matrix::from_fn(width, width, |i, j| lower[i.max(j) * width + i.min(j)])
}

/// Columns of a triangular product done together. Narrow panels waste least beyond the diagonal: of widths from 8 to 96
/// this was the fastest for 20 to 200 columns, and within 4 % of it for 400.
const PANEL: usize = 8;
/// Beyond this many columns what is wasted beyond the diagonal matters less than reading the other factor again.
const MANY_COLUMNS: usize = 512;
const WIDE_PANEL: usize = 64;

/// 0..n in panels.
fn panels(n: usize) -> impl Iterator<Item = Range<usize>> {
    let width = if n > MANY_COLUMNS { WIDE_PANEL } else { PANEL };
    (0..n).step_by(width).map(move |start| start..n.min(start + width))
}

/// The product a·T with a lower triangular T, zero above the diagonal, written row after row into `out`.
pub(crate) fn times_lower(out: &mut [f64], a: View<'_>, T: View<'_>) {
    let d = T.0.ncols();
    let mut out = MatMut::from_row_major_slice_mut(out, a.0.nrows(), d);
    for panel in panels(d) {
        let out = out.as_mut().subcols_mut(panel.start, panel.len());
        let (a, T) = (a.0.subcols(panel.start, d - panel.start), T.0.get(panel.start.., panel.clone()));
        matmul(out, Accum::Replace, a, T, 1.0, Par::Seq);
    }
}

/// Add the lower triangle of a·b to that of `out`; what is above the diagonal has no meaning.
pub(crate) fn add_lower_product(out: &mut [f64], a: View<'_>, b: View<'_>) {
    let d = b.0.ncols();
    let mut out = MatMut::from_row_major_slice_mut(out, d, d);
    for panel in panels(d) {
        let out = out.as_mut().get_mut(panel.start.., panel.clone());
        matmul(out, Accum::Add, a.0.get(panel.start.., ..), b.0.get(.., panel.clone()), 1.0, Par::Seq);
    }
}

/// Eigenvalues, ascending, and orthonormal eigenvectors (the columns) of a symmetric matrix.
///
/// Only the lower triangle is read. `None` when the iteration does not converge (NaN, infinities).
pub fn symmetric_eigen(A: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let decomposition = A.view().0.self_adjoint_eigen(faer::Side::Lower).ok()?;
    let values: Vec<f64> = decomposition.S().column_vector().iter().copied().collect();
    let U = decomposition.U();
    Some((values, Matrix::from_fn(A.rows(), A.rows(), |i, j| U[(i, j)])))
}

/// The eigenvalues alone, ascending.
pub fn symmetric_eigenvalues(A: &Matrix) -> Option<Vec<f64>> {
    A.view().0.self_adjoint_eigenvalues(faer::Side::Lower).ok()
}

/// A⁺ of a positive semidefinite matrix, scaled to a unit diagonal first; `None` where A is not finite.
pub fn pseudo_inverse(A: &Matrix) -> Option<Matrix> {
    /// Directions with less than this share (times n) of the largest eigenvalue are rounding of zero.
    const NUMERICAL_ZERO: f64 = 1e-15;
    let n = A.rows();
    if n == 0 {
        return Some(Matrix::zeros(0, 0));
    }
    let scale: Vec<f64> = (0..n).map(|i| if A[(i, i)] > 0.0 { 1.0 / A[(i, i)].sqrt() } else { 0.0 }).collect();
    let scaled = Matrix::from_fn(n, n, |i, j| scale[i] * A[(i, j)] * scale[j]);
    let (values, Q) = symmetric_eigen(&scaled)?;
    let floor = NUMERICAL_ZERO * n as f64 * values[n - 1];
    let roots: Vec<f64> = values.iter().map(|value| if *value > floor { 1.0 / value.sqrt() } else { 0.0 }).collect();
    let half = Matrix::from_fn(n, n, |i, j| scale[i] * Q[(i, j)] * roots[j]);
    Some(half.times(&half.transposed()))
}

/// σ_max of a matrix: the spectral norm. NaN when the matrix is not finite.
pub fn spectral_norm(A: &Matrix) -> f64 {
    if A.as_slice().iter().any(|x| !x.is_finite()) {
        return f64::NAN;
    }
    let scale = A.as_slice().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if scale == 0.0 {
        return 0.0;
    }
    let mut scaled = if A.rows() < A.cols() { A.transposed() } else { A.clone() };
    scaled.as_mut_slice().iter_mut().for_each(|x| *x /= scale);
    let largest = symmetric_eigen(&gram(&scaled)).and_then(|(values, _)| values.last().copied());
    largest.map_or(f64::NAN, |value| scale * value.max(0.0).sqrt())
}

/// Solve A x = b for a symmetric positive definite A by Cholesky; `None` when A is not numerically so.
pub fn solve_positive_definite(A: &Matrix, b: &[f64]) -> Option<Vec<f64>> {
    use faer::linalg::solvers::Solve;
    let factor = A.view().0.llt(faer::Side::Lower).ok()?;
    let x = factor.solve(MatRef::from_column_major_slice(b, b.len(), 1));
    let x: Vec<f64> = x.col(0).iter().copied().collect();
    x.iter().all(|value| value.is_finite()).then_some(x)
}

/// L with A = LLᵀ, lower triangular; `None` when A is not numerically positive definite. Reads the lower triangle.
pub fn factor_positive_definite(A: &Matrix) -> Option<Matrix> {
    let factor = A.view().0.llt(faer::Side::Lower).ok()?;
    let L = factor.L();
    Some(Matrix::from_fn(A.rows(), A.rows(), |i, j| if j <= i { L[(i, j)] } else { 0.0 }))
}

/// A⁻¹ and ln det A of a symmetric positive definite A; `None` when A is not numerically so. Reads the lower triangle.
pub fn invert_positive_definite(A: &Matrix) -> Option<(Matrix, f64)> {
    use faer::linalg::solvers::DenseSolveCore;
    let factor = A.view().0.llt(faer::Side::Lower).ok()?;
    let log_determinant = 2.0 * factor.L().diagonal().column_vector().iter().map(|l| l.ln()).sum::<f64>();
    let inverse = factor.inverse();
    let inverse = Matrix::from_fn(A.rows(), A.rows(), |i, j| inverse[(i.max(j), i.min(j))]);
    log_determinant.is_finite().then_some((inverse, log_determinant))
}

/// x with L x = b for a lower triangular L.
pub fn solve_lower(L: &Matrix, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in 0..x.len() {
        let (solved, rest) = x.split_at_mut(i);
        rest[0] = (rest[0] - dot(&L.row(i)[..i], solved)) / L[(i, i)];
    }
    x
}

/// x with Lᵀ x = b for a lower triangular L.
pub fn solve_lower_transposed(L: &Matrix, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in (0..x.len()).rev() {
        x[i] /= L[(i, i)];
        let (above, value) = x.split_at_mut(i);
        add_scaled(above, -value[0], &L.row(i)[..i]);
    }
    x
}

/// Replace every row b of a tile by the x with L x = b; L is lower triangular.
fn solve_rows_in_place(L: &Matrix, tile: &mut [f64]) {
    let size = L.rows();
    let rows = tile.len() / size.max(1);
    let columns = MatMut::from_column_major_slice_mut(tile, size, rows);
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(L.view().0, columns, Par::Seq);
}

/// Singular values, descending, and right singular vectors (the columns; all d of them) of an n×d matrix.
///
/// A tall matrix is reduced to its triangular factor first. `None` when the matrix is not finite.
pub fn right_singular(A: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let (n, d) = (A.rows(), A.cols());
    if A.as_slice().iter().any(|x| !x.is_finite()) {
        return None;
    }
    let square = |entry: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(d, d, entry);
    let R = if n > d {
        let factors = A.view().0.qr();
        let R = factors.thin_R();
        square(&|i, j| if i <= j { R[(i, j)] } else { 0.0 })
    } else {
        square(&|i, j| if i < n { A[(i, j)] } else { 0.0 })
    };
    let decomposition = R.view().0.svd().ok()?;
    let V = decomposition.V();
    let values: Vec<f64> = decomposition.S().column_vector().iter().copied().collect();
    Some((values, Matrix::from_fn(d, d, |i, j| V[(i, j)])))
}

/// A⁻¹ by partially pivoted LU.
pub fn inverse(A: &Matrix) -> Matrix {
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = A.view().0.partial_piv_lu().inverse();
    Matrix::from_fn(A.rows(), A.rows(), |i, j| inverse[(i, j)])
}

/// Q with orthonormal columns and an upper triangular R, A = QR (A is tall).
pub fn orthogonal_factors(A: &Matrix) -> (Matrix, Matrix) {
    let factors = A.view().0.qr();
    let (Q, R) = (factors.compute_thin_Q(), factors.thin_R());
    let R = Matrix::from_fn(R.nrows(), R.ncols(), |i, j| if i <= j { R[(i, j)] } else { 0.0 });
    (Matrix::from_fn(A.rows(), Q.ncols(), |i, j| Q[(i, j)]), R)
}

/// The upper trapezoidal R of A = QR, as many rows as the smaller side of A.
pub fn triangular_factor(A: &Matrix) -> Matrix {
    let factors = A.view().0.qr();
    let R = factors.thin_R();
    Matrix::from_fn(R.nrows(), R.ncols(), |i, j| if i <= j { R[(i, j)] } else { 0.0 })
}

/// Q, R and an order of the columns such that A's columns in that order are QR and the diagonal of R falls in size.
pub fn pivoted_factors(A: &Matrix) -> (Matrix, Matrix, Vec<usize>) {
    let factors = A.view().0.col_piv_qr();
    let (Q, R) = (factors.compute_thin_Q(), factors.thin_R());
    let R = Matrix::from_fn(R.nrows(), R.ncols(), |i, j| if i <= j { R[(i, j)] } else { 0.0 });
    let order = factors.P().arrays().0.to_vec();
    (Matrix::from_fn(A.rows(), Q.ncols(), |i, j| Q[(i, j)]), R, order)
}

/// An orthonormal basis of the span of A's columns, as columns (A is tall and of full column rank).
pub fn orthonormal_columns(A: &Matrix) -> Matrix {
    orthogonal_factors(A).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn random(rows: usize, cols: usize, index: u64) -> Matrix {
        let mut stream = Stream::new(3, Purpose::Probe, index);
        Matrix::from_fn(rows, cols, |_, _| stream.normal())
    }

    fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        let worst = a.as_slice().iter().zip(b.as_slice()).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
        assert!(worst <= tolerance, "{worst:e}");
    }

    fn naive_product(a: &Matrix, b: &Matrix) -> Matrix {
        Matrix::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|l| a[(i, l)] * b[(l, j)]).sum())
    }

    #[test]
    fn products_agree_with_the_definition_also_when_empty() {
        for (at, (n, m, p)) in [(7, 5, 3), (1, 1, 1), (0, 4, 2), (3, 0, 2), (3, 2, 0), (70, 33, 65)].iter().enumerate()
        {
            let (a, b) = (random(*n, *m, at as u64), random(*m, *p, 100 + at as u64));
            assert_close(&a.times(&b), &naive_product(&a, &b), 1e-12);
        }
    }

    #[test]
    fn products_with_a_triangle_and_to_a_triangle_agree_with_the_definition() {
        for (at, (n, d)) in [(7, 5), (1, 1), (0, 4), (70, 33), (256, 50)].iter().enumerate() {
            let (a, T) = (random(*n, *d, at as u64), random(*d, *d, 100 + at as u64));
            let lower = Matrix::from_fn(*d, *d, |i, j| if i >= j { T[(i, j)] } else { 0.0 });
            let mut out = Matrix::zeros(*n, *d);
            times_lower(out.as_mut_slice(), a.view(), lower.view());
            assert_close(&out, &naive_product(&a, &lower), 1e-12);
            let mut sum = T.clone();
            add_lower_product(sum.as_mut_slice(), a.view().t(), out.view());
            let product = naive_product(&a.transposed(), &out);
            let wanted = Matrix::from_fn(*d, *d, |i, j| if i >= j { T[(i, j)] + product[(i, j)] } else { 0.0 });
            assert_close(&Matrix::from_fn(*d, *d, |i, j| if i >= j { sum[(i, j)] } else { 0.0 }), &wanted, 1e-11);
        }
    }

    #[test]
    fn the_gram_matrix_is_the_product_with_the_transpose() {
        for (at, (n, d)) in [(1000, 17), (300, 1), (1, 5), (5, 40)].iter().enumerate() {
            let A = random(*n, *d, at as u64);
            assert_close(&gram(&A), &naive_product(&A.transposed(), &A), 1e-10);
        }
    }

    #[test]
    fn eigenpairs_reconstruct_the_matrix() {
        let B = random(9, 6, 1);
        let A = gram(&B);
        let (values, Q) = symmetric_eigen(&A).unwrap();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
        let scaled = Matrix::from_fn(6, 6, |i, j| Q[(i, j)] * values[j]);
        assert_close(&scaled.times(&Q.transposed()), &A, 1e-12);
        assert_close(&gram(&Q), &Matrix::identity(6), 1e-13);
        let alone = symmetric_eigenvalues(&A).unwrap();
        assert!(alone.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn the_spectral_norm_of_a_diagonal_is_its_largest_entry_at_any_scale() {
        for scale in [1.0, 1e-200, 1e200] {
            let A = Matrix::from_rows(&[[3.0 * scale, 0.0, 0.0], [0.0, -4.0 * scale, 0.0]]);
            assert!((spectral_norm(&A) / (4.0 * scale) - 1.0).abs() < 1e-14);
        }
        assert_eq!(spectral_norm(&Matrix::zeros(3, 2)), 0.0);
        assert!(spectral_norm(&Matrix::from_rows(&[[f64::NAN, 1.0]])).is_nan());
    }

    #[test]
    fn solving_inverts_multiplication_and_indefinite_matrices_are_refused() {
        let A = gram(&random(30, 8, 2));
        let x: Vec<f64> = random(8, 1, 3).into_vec();
        let found = solve_positive_definite(&A, &A.times_vector(&x)).unwrap();
        assert!(found.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12));
        let indefinite = Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]]);
        assert!(solve_positive_definite(&indefinite, &[1.0, 1.0]).is_none());
    }

    #[test]
    fn pivoted_factors_multiply_to_the_columns_in_their_order_and_show_the_rank() {
        for (n, d) in [(9, 4), (3, 7), (5, 5)] {
            let mut A = random(n, d, 5);
            (0..n).for_each(|i| A[(i, 2)] = 2.0 * A[(i, 0)] - A[(i, 1)]);
            let (Q, R, order) = pivoted_factors(&A);
            assert_close(&Q.times(&R), &Matrix::from_fn(n, d, |i, j| A[(i, order[j])]), 1e-13);
            let diagonal: Vec<f64> = (0..n.min(d)).map(|i| R[(i, i)].abs()).collect();
            assert!(diagonal.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
            assert_eq!(diagonal.iter().filter(|r| **r > 1e-12).count(), n.min(d - 1));
            assert_close(&gram(&triangular_factor(&A)), &gram(&A), 1e-12);
        }
    }

    #[test]
    fn orthonormal_columns_span_what_they_were_made_from() {
        let A = random(8, 3, 4);
        let Q = orthonormal_columns(&A);
        assert_close(&gram(&Q), &Matrix::identity(3), 1e-14);
        assert_close(&Q.times(&Q.transposed()).times(&A), &A, 1e-13);
    }
}
