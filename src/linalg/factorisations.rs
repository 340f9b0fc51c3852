//! What is made of products and factorisations: Gram matrices, pseudo-inverses, norms, triangular systems.

use super::backend::{
    add_lower_product, orthogonal_factors, square_right_singular, symmetric_eigen, triangular_factor,
};
use super::{BLOCK_ROWS, Matrix, View, add_scaled, dot, sum_over_rows};
use crate::watch::Watch;

/// Bytes of a square matrix at most. Solvers hold a dozen of them at a time, and take a power of its side in time.
const MOST_SQUARE_BYTES: usize = 256 << 20;

/// Whether a d×d matrix can be worked with.
pub(crate) fn square_fits(d: usize) -> bool {
    d.saturating_mul(d).saturating_mul(size_of::<f64>()) <= MOST_SQUARE_BYTES
}

/// AᵀA, the d×d Gram matrix of the rows. Only one triangle is computed.
///
/// ```
/// use shallows::linalg::{Matrix, gram};
///
/// let G = gram(&Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]]));
/// assert_eq!((G.row(0), G.row(1)), (&[10.0, 14.0][..], &[14.0, 20.0][..]));
/// ```
pub fn gram(A: &Matrix) -> Matrix {
    gram_unless(A, Watch::silent())
}

/// [`gram`], which ends soon once it is interrupted, and then means nothing.
pub(crate) fn gram_unless(A: &Matrix, watch: Watch<'_>) -> Matrix {
    let d = A.cols();
    let lower = sum_over_rows(
        (A.rows(), d * d),
        || vec![0.0; d * d],
        |sum, rows| {
            if watch.is_interrupted() {
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
pub(crate) fn gram_of_rows(n: usize, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Matrix {
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

/// A⁺ of a positive semidefinite matrix, scaled to a unit diagonal first; `None` where A is not finite.
pub(crate) fn pseudo_inverse(A: &Matrix) -> Option<Matrix> {
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
pub(crate) fn spectral_norm(A: &Matrix) -> f64 {
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

/// x with L x = b for a lower triangular L.
pub(crate) fn solve_lower(L: &Matrix, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in 0..x.len() {
        let (solved, rest) = x.split_at_mut(i);
        rest[0] = (rest[0] - dot(&L.row(i)[..i], solved)) / L[(i, i)];
    }
    x
}

/// x with Lᵀ x = b for a lower triangular L.
pub(crate) fn solve_lower_transposed(L: &Matrix, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in (0..x.len()).rev() {
        x[i] /= L[(i, i)];
        let (above, value) = x.split_at_mut(i);
        add_scaled(above, -value[0], &L.row(i)[..i]);
    }
    x
}

/// Singular values, descending, and right singular vectors (the columns; all d of them) of an n×d matrix.
///
/// A tall matrix is reduced to its triangular factor first. `None` when the matrix is not finite.
pub(crate) fn right_singular(A: &Matrix) -> Option<(Vec<f64>, Matrix)> {
    let (n, d) = (A.rows(), A.cols());
    if A.as_slice().iter().any(|x| !x.is_finite()) {
        return None;
    }
    let square =
        if n > d { triangular_factor(A) } else { Matrix::from_fn(d, d, |i, j| if i < n { A[(i, j)] } else { 0.0 }) };
    square_right_singular(&square)
}

/// An orthonormal basis of the span of A's columns, as columns (A is tall and of full column rank).
///
/// ```
/// use shallows::linalg::{Matrix, gram, orthonormal_columns};
///
/// let G = gram(&orthonormal_columns(&Matrix::from_rows(&[[1.0, 2.0], [0.0, 1.0], [1.0, 0.0]])));
/// assert!((G[(0, 0)] - 1.0).abs() < 1e-14 && G[(0, 1)].abs() < 1e-14);
/// ```
pub fn orthonormal_columns(A: &Matrix) -> Matrix {
    orthogonal_factors(A).0
}

#[cfg(test)]
mod tests {
    use super::super::backend::{pivoted_factors, symmetric_eigenvalues, times_lower};
    use super::super::solve_positive_definite;
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
