//! Least squares over quadratic functions with more products of inputs than rows.
//!
//! The functions xᵀMx + b·x + c have the kernel κ(x, x') = (x·x')² + x·x' + 1, as far as the parts exist, and the least-squares
//! function of least norm is Σ a_i √ω_i κ(·, x_i) with a = K⁺√ω y, K_ij = √ω_i κ(x_i, x_j) √ω_j: its cost does not depend on the
//! number of products. K holds half the digits of the products; they come back when the step is repeated with what is
//! missing in place of the labels.

use super::{Matrix, add_scaled, dot, symmetric_eigen};

/// Eigenvalues below this share of the largest are rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-14;

/// Rows, and the range of their kernel matrix.
pub(crate) struct QuadraticRows {
    X: Matrix,
    /// √ω.
    roots: Vec<f64>,
    linear: bool,
    intercept: bool,
    values: Vec<f64>,
    /// Eigenvectors, in columns.
    Q: Matrix,
}

/// xᵀMx + b·x + c.
pub(crate) struct QuadraticStep {
    pub M: Matrix,
    /// Zeros without a linear part.
    pub b: Vec<f64>,
    /// 0 without an intercept.
    pub c: f64,
    /// Σω of the squares of what it takes off.
    pub square: f64,
}

impl QuadraticRows {
    /// More rows than this take longer than methods that do not factor.
    pub(crate) const MOST_ROWS: usize = 1200;

    /// Inputs near the size 1, centred where that is possible; `None` where the kernel matrix is not finite.
    pub(crate) fn new(X: Matrix, omega: &[f64], linear: bool, intercept: bool) -> Option<QuadraticRows> {
        let n = X.rows();
        let roots: Vec<f64> = omega.iter().map(|omega| omega.sqrt()).collect();
        let kernel = |i: usize, j: usize| {
            let product = dot(X.row(i), X.row(j));
            let affine = f64::from(intercept) + f64::from(linear) * product;
            roots[i] * (product * product + affine) * roots[j]
        };
        let (values, Q) = symmetric_eigen(&Matrix::from_fn(n, n, kernel))?;
        let floor = NUMERICAL_ZERO * values.last().copied().unwrap_or(0.0);
        let first = values.iter().filter(|value| !(**value > floor)).count();
        let Q = Matrix::from_fn(n, n - first, |i, j| Q[(i, first + j)]);
        Some(QuadraticRows { X, roots, linear, intercept, values: values[first..].to_vec(), Q })
    }

    /// The function of least norm that fits r as well as any.
    pub(crate) fn fitted(&self, r: &[f64]) -> QuadraticStep {
        let weighted: Vec<f64> = r.iter().zip(&self.roots).map(|(r, root)| r * root).collect();
        let along = self.Q.transposed().times_vector(&weighted);
        let scaled: Vec<f64> = along.iter().zip(&self.values).map(|(a, value)| a / value).collect();
        let coefficients = self.Q.times_vector(&scaled);
        let d = self.X.cols();
        let mut step = QuadraticStep { M: Matrix::zeros(d, d), b: vec![0.0; d], c: 0.0, square: dot(&along, &along) };
        for (i, (a, root)) in coefficients.iter().zip(&self.roots).enumerate() {
            let (a, x) = (a * root, self.X.row(i));
            for (j, xj) in x.iter().enumerate() {
                add_scaled(step.M.row_mut(j), a * xj, x);
            }
            if self.linear {
                add_scaled(&mut step.b, a, x);
            }
            if self.intercept {
                step.c += a;
            }
        }
        step
    }

    /// The values of such a function in all rows.
    pub(crate) fn values_of(&self, step: &QuadraticStep) -> Vec<f64> {
        let value = |i: usize| {
            let x = self.X.row(i);
            dot(&step.M.times_vector(x), x) + dot(&step.b, x) + step.c
        };
        (0..self.X.rows()).map(value).collect()
    }
}

impl QuadraticStep {
    /// Add another such function.
    pub(crate) fn add(&mut self, other: &QuadraticStep) {
        add_scaled(self.M.as_mut_slice(), 1.0, other.M.as_slice());
        add_scaled(&mut self.b, 1.0, &other.b);
        self.c += other.c;
    }
}
