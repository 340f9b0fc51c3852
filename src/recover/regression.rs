//! Least squares of y on all Hermite polynomials of degree at most two.
//!
//! The features of x are 1, x_a, (x_a² − 1)/√2 and x_a x_c (a < c): orthonormal under N(0, I), so that the normal
//! equations are well conditioned, and the coefficients estimate E[y], E[yx] and E[y(xxᵀ − I)]. They do so with the
//! variance of the residual alone: what degree ≤ 2 explains of y does not disturb them, as it would the plain averages.

use std::f64::consts::SQRT_2;

use crate::error::{Error, RecoverProblem, Result};
use crate::linalg::{self, Matrix, dot, factor_positive_definite, gram_of_rows, solve_lower, solve_lower_transposed};

/// The number of features of d inputs: C(d + 2, 2).
///
/// ```
/// // 1, x₁, x₂, x₁², x₁x₂, x₂²
/// assert_eq!(shallows::recover::feature_count(2), 6);
/// ```
pub fn feature_count(d: usize) -> usize {
    (d + 1) * (d + 2) / 2
}

/// The features of one row, in the order 1, x, then the products x_a x_c with a ≤ c, a first.
pub(super) fn write_features(x: &[f64], out: &mut [f64]) {
    out[0] = 1.0;
    out[1..=x.len()].copy_from_slice(x);
    let mut products = out[x.len() + 1..].iter_mut();
    for (a, x_a) in x.iter().enumerate() {
        for (x_c, out) in x[a..].iter().zip(products.by_ref()) {
            *out = x_a * x_c;
        }
    }
    let mut diagonal = x.len() + 1;
    for (a, x_a) in x.iter().enumerate() {
        out[diagonal] = (x_a * x_a - 1.0) / SQRT_2;
        diagonal += x.len() - a;
    }
}

/// The sums of products of features and target over some rows.
#[derive(Clone)]
struct NormalEquations {
    /// FᵀF, with Fᵀy as its last row and column.
    sums: Matrix,
    rows: usize,
}

impl NormalEquations {
    fn of(X: &Matrix, y: &[f64], rows: &[usize]) -> Self {
        let p = feature_count(X.cols());
        let sums = gram_of_rows(rows.len(), p + 1, |at, out| {
            write_features(X.row(rows[at]), out);
            out[p] = y[rows[at]];
        });
        NormalEquations { sums, rows: rows.len() }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sums = self.sums.clone();
        linalg::add_scaled(sums.as_mut_slice(), 1.0, other.sums.as_slice());
        NormalEquations { sums, rows: self.rows + other.rows }
    }

    fn solve(&self, d: usize) -> Result<Regression> {
        let p = feature_count(d);
        let n = self.rows as f64;
        let A = Matrix::from_fn(p, p, |i, j| self.sums[(i, j)] / n);
        let right: Vec<f64> = (0..p).map(|i| self.sums[(p, i)] / n).collect();
        let problem = RecoverProblem::FewRowsForProducts { rows: self.rows, needed: p };
        if self.rows <= p {
            return Err(Error::Recover(problem));
        }
        let factor = factor_positive_definite(&A).ok_or(Error::Recover(RecoverProblem::DependentProducts))?;
        let coefficients = solve_lower_transposed(&factor, &solve_lower(&factor, &right));
        Ok(Regression { d, coefficients, factor })
    }
}

/// The fitted polynomial of degree at most two. [`rank`](fn@crate::recover::rank) shows its use.
#[derive(Clone)]
pub struct Regression {
    d: usize,
    coefficients: Vec<f64>,
    /// The Cholesky factor of FᵀF/n.
    factor: Matrix,
}

impl Regression {
    /// The fit to all rows.
    pub fn of(X: &Matrix, y: &[f64]) -> Result<Self> {
        let rows: Vec<usize> = (0..X.rows()).collect();
        NormalEquations::of(X, y, &rows).solve(X.cols())
    }

    /// The fits to all rows, to those of even and to those of odd number.
    pub(super) fn crossed(X: &Matrix, y: &[f64]) -> Result<[Self; 3]> {
        let half = |parity: usize| (parity..X.rows()).step_by(2).collect::<Vec<usize>>();
        let [even, odd] = [0, 1].map(|parity| NormalEquations::of(X, y, &half(parity)));
        let d = X.cols();
        Ok([even.plus(&odd).solve(d)?, even.solve(d)?, odd.solve(d)?])
    }

    /// An estimate of `E[y]`.
    pub fn constant(&self) -> f64 {
        self.coefficients[0]
    }

    /// An estimate of `E[yx]`.
    pub fn linear(&self) -> &[f64] {
        &self.coefficients[1..=self.d]
    }

    /// An estimate of `E[y(xxᵀ − I)]`.
    pub fn second(&self) -> Matrix {
        symmetric_from_features(self.d, &self.coefficients)
    }

    /// y minus the fit, of one row; `features` is scratch space.
    pub(super) fn residual(&self, x: &[f64], y: f64, features: &mut [f64]) -> f64 {
        write_features(x, features);
        y - dot(features, &self.coefficients)
    }

    /// y minus the fit, of all rows.
    pub fn residuals(&self, X: &Matrix, y: &[f64]) -> Vec<f64> {
        let p = self.coefficients.len();
        let mut out = y.to_vec();
        linalg::for_row_blocks(&mut out, 1, |rows, out| {
            let mut features = vec![0.0; p];
            for (i, out) in rows.zip(out) {
                *out = self.residual(X.row(i), *out, &mut features);
            }
        });
        out
    }

    /// (FᵀF/n)⁻¹ times `right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        solve_lower_transposed(&self.factor, &solve_lower(&self.factor, right))
    }
}

/// The matrix E[y(xxᵀ − I)] whose coefficients these are: √2 times that of (x_a² − 1)/√2 on the diagonal.
pub(super) fn symmetric_from_features(d: usize, coefficients: &[f64]) -> Matrix {
    let mut out = Matrix::zeros(d, d);
    let mut at = d + 1;
    for a in 0..d {
        for c in a..d {
            let entry = coefficients[at];
            out[(a, c)] = if a == c { SQRT_2 * entry } else { entry };
            out[(c, a)] = out[(a, c)];
            at += 1;
        }
    }
    out
}
