//! The border to the matrix crate: the only file that names it. Products of views, and factorisations of matrices, on one
//! thread.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::Matrix;
use crate::watch::halt::unwind_if_halted;

/// A borrowed row-major matrix, or the transpose of one.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(MatRef<'a, f64>);

impl<'a> View<'a> {
    /// A rows×cols matrix stored row after row in a slice.
    pub(crate) fn new(entries: &'a [f64], rows: usize, cols: usize) -> Self {
        View(MatRef::from_row_major_slice(entries, rows, cols))
    }

    /// The transpose, without moving anything.
    pub(crate) fn t(self) -> Self {
        View(self.0.transpose())
    }

    /// These columns, without moving anything.
    pub(crate) fn columns(self, range: Range<usize>) -> Self {
        View(self.0.subcols(range.start, range.len()))
    }
}

/// Whether a product replaces what is in its destination or is added to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Destination {
    /// out ← a·b
    Replace,
    /// out ← out + a·b
    Add,
    /// out ← out − a·b
    Subtract,
}

/// The product a·b, written row after row into `out`.
pub(crate) fn multiply(out: &mut [f64], a: View<'_>, b: View<'_>, destination: Destination) {
    unwind_if_halted();
    let out = MatMut::from_row_major_slice_mut(out, a.0.nrows(), b.0.ncols());
    let (accumulate, factor) = match destination {
        Destination::Replace => (Accum::Replace, 1.0),
        Destination::Add => (Accum::Add, 1.0),
        Destination::Subtract => (Accum::Add, -1.0),
    };
    matmul(out, accumulate, a.0, b.0, factor, Par::Seq);
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
///
/// ```
/// use shallows::linalg::{Matrix, symmetric_eigen};
///
/// let (values, vectors) = symmetric_eigen(&Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])).expect("finite");
/// assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14);
/// assert!((vectors[(0, 1)] - vectors[(1, 1)]).abs() < 1e-14);
/// ```
pub fn symmetric_eigen(A: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let decomposition = A.view().0.self_adjoint_eigen(faer::Side::Lower).ok()?;
    let values: Vec<f64> = decomposition.S().column_vector().iter().copied().collect();
    let U = decomposition.U();
    Some((values, Matrix::from_fn(A.rows(), A.rows(), |i, j| U[(i, j)])))
}

/// The eigenvalues alone, ascending.
///
/// ```
/// use shallows::linalg::{Matrix, symmetric_eigenvalues};
///
/// let values = symmetric_eigenvalues(&Matrix::from_rows(&[[2.0, 1.0], [1.0, 2.0]])).expect("finite");
/// assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14);
/// ```
pub fn symmetric_eigenvalues(A: &Matrix) -> Option<Vec<f64>> {
    A.view().0.self_adjoint_eigenvalues(faer::Side::Lower).ok()
}

/// Solve A x = b for a symmetric positive definite A by Cholesky; `None` when A is not numerically so.
///
/// ```
/// use shallows::linalg::{Matrix, solve_positive_definite};
///
/// let A = Matrix::from_rows(&[[4.0, 0.0], [0.0, 1.0]]);
/// assert_eq!(solve_positive_definite(&A, &[4.0, 2.0]), Some(vec![1.0, 2.0]));
/// assert_eq!(solve_positive_definite(&Matrix::from_rows(&[[-1.0]]), &[1.0]), None);
/// ```
pub fn solve_positive_definite(A: &Matrix, b: &[f64]) -> Option<Vec<f64>> {
    use faer::linalg::solvers::Solve;
    let factor = A.view().0.llt(faer::Side::Lower).ok()?;
    let x = factor.solve(MatRef::from_column_major_slice(b, b.len(), 1));
    let x: Vec<f64> = x.col(0).iter().copied().collect();
    x.iter().all(|value| value.is_finite()).then_some(x)
}

/// L with A = LLᵀ, lower triangular; `None` when A is not numerically positive definite. Reads the lower triangle.
pub(crate) fn factor_positive_definite(A: &Matrix) -> Option<Matrix> {
    let factor = A.view().0.llt(faer::Side::Lower).ok()?;
    let L = factor.L();
    Some(Matrix::from_fn(A.rows(), A.rows(), |i, j| if j <= i { L[(i, j)] } else { 0.0 }))
}

/// A⁻¹ and ln det A of a symmetric positive definite A; `None` when A is not numerically so. Reads the lower triangle.
pub(crate) fn invert_positive_definite(A: &Matrix) -> Option<(Matrix, f64)> {
    use faer::linalg::solvers::DenseSolveCore;
    let factor = A.view().0.llt(faer::Side::Lower).ok()?;
    let log_determinant = 2.0 * factor.L().diagonal().column_vector().iter().map(|l| l.ln()).sum::<f64>();
    let inverse = factor.inverse();
    let inverse = Matrix::from_fn(A.rows(), A.rows(), |i, j| inverse[(i.max(j), i.min(j))]);
    log_determinant.is_finite().then_some((inverse, log_determinant))
}

/// Replace every row b of a tile by the x with L x = b; L is lower triangular.
pub(crate) fn solve_rows_in_place(L: &Matrix, tile: &mut [f64]) {
    let size = L.rows();
    let rows = tile.len() / size.max(1);
    let columns = MatMut::from_column_major_slice_mut(tile, size, rows);
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(L.view().0, columns, Par::Seq);
}

/// Singular values, descending, and right singular vectors (the columns) of a square matrix; `None` where the iteration
/// does not converge.
pub(super) fn square_right_singular(A: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let decomposition = A.view().0.svd().ok()?;
    let V = decomposition.V();
    let values: Vec<f64> = decomposition.S().column_vector().iter().copied().collect();
    Some((values, Matrix::from_fn(A.rows(), A.rows(), |i, j| V[(i, j)])))
}

/// A⁻¹ by partially pivoted LU.
pub(crate) fn inverse(A: &Matrix) -> Matrix {
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = A.view().0.partial_piv_lu().inverse();
    Matrix::from_fn(A.rows(), A.rows(), |i, j| inverse[(i, j)])
}

/// Q with orthonormal columns and an upper triangular R, A = QR (A is tall).
///
/// ```
/// use shallows::linalg::{Matrix, orthogonal_factors};
///
/// let A = Matrix::from_rows(&[[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]]);
/// let (Q, R) = orthogonal_factors(&A);
/// let product = Q.times(&R);
/// assert!((0..3).all(|i| (0..2).all(|j| (product[(i, j)] - A[(i, j)]).abs() < 1e-14)));
/// ```
pub fn orthogonal_factors(A: &Matrix) -> (Matrix, Matrix) {
    let factors = A.view().0.qr();
    let (Q, R) = (factors.compute_thin_Q(), factors.thin_R());
    let R = Matrix::from_fn(R.nrows(), R.ncols(), |i, j| if i <= j { R[(i, j)] } else { 0.0 });
    (Matrix::from_fn(A.rows(), Q.ncols(), |i, j| Q[(i, j)]), R)
}

/// The upper trapezoidal R of A = QR, as many rows as the smaller side of A.
pub(crate) fn triangular_factor(A: &Matrix) -> Matrix {
    let factors = A.view().0.qr();
    let R = factors.thin_R();
    Matrix::from_fn(R.nrows(), R.ncols(), |i, j| if i <= j { R[(i, j)] } else { 0.0 })
}

/// Q, R and an order of the columns such that A's columns in that order are QR and the diagonal of R falls in size.
pub(crate) fn pivoted_factors(A: &Matrix) -> (Matrix, Matrix, Vec<usize>) {
    let factors = A.view().0.col_piv_qr();
    let (Q, R) = (factors.compute_thin_Q(), factors.thin_R());
    let R = Matrix::from_fn(R.nrows(), R.ncols(), |i, j| if i <= j { R[(i, j)] } else { 0.0 });
    let order = factors.P().arrays().0.to_vec();
    (Matrix::from_fn(A.rows(), Q.ncols(), |i, j| Q[(i, j)]), R, order)
}
