//! T̂ = Σ_i w_i H₄(x_i), contracted sample by sample: the tensor, of d⁴/24 numbers, is not formed.
//!
//! With z = b·x, q = xᵀSx − tr S and g = ⟨v, b⟩,
//!
//! ```text
//! H₄(·,b,b,b) = (z³ − 3‖b‖²z) x − 3(z² − ‖b‖²) b
//! H₄(·,v,b,b) = (z_v z² − ‖b‖²z_v − 2g z) x − (z² − ‖b‖²) v − 2(z_v z − g) b
//! H₄(·,·,S)   = q(xxᵀ − I) − 2(xxᵀS + Sxxᵀ) + 2S
//! ```
//!
//! so that a contraction with m vectors costs two matrix products of the samples with m rows, in place of the d³ numbers
//! for each sample that the tensor takes.

use crate::error::{Error, Result};
use crate::linalg::{Destination, Matrix, View, add_scaled, dot, for_row_blocks, multiply, sum_over_rows};
use crate::recover::{SymmetricTensor, fourth_moment};

/// Weighted samples.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sampled {
    X: Matrix,
    weights: Vec<f64>,
    /// Σ w xxᵀ
    second: Matrix,
    /// Σ w
    total: f64,
}

impl Sampled {
    pub(super) fn new(X: Matrix, weights: Vec<f64>) -> Result<Self> {
        let (expected, found) = (X.rows(), weights.len());
        if expected != found {
            return Err(Error::Shape { what: "labels", expected, found });
        }
        if X.as_slice().iter().chain(&weights).any(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what: "the samples" });
        }
        let mut of = Sampled { second: Matrix::zeros(X.cols(), X.cols()), total: weights.iter().sum(), X, weights };
        of.second = of.products(of.X.cols(), |i, out| {
            out.copy_from_slice(of.X.row(i));
            out.iter_mut().for_each(|x| *x *= of.weights[i]);
        });
        Ok(of)
    }

    /// Σ_i p_i x_iᵀ with the p_i that `fill` writes.
    fn products(&self, width: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Matrix {
        let d = self.X.cols();
        let sum = sum_over_rows(
            (self.X.rows(), width * d),
            || (vec![0.0; width * d], vec![]),
            |(sum, P): &mut (Vec<f64>, Vec<f64>), rows| {
                P.clear();
                P.resize(rows.len() * width, 0.0);
                P.chunks_exact_mut(width.max(1)).zip(rows.clone()).for_each(|(row, i)| fill(i, row));
                let P = View::new(P, rows.len(), width);
                multiply(sum, P.t(), self.X.view_rows(rows), Destination::Add);
            },
            |(sum, _), (next, _)| add_scaled(sum, 1.0, &next),
        );
        Matrix::from_vec(width, d, sum.0)
    }

    /// X Bᵀ
    fn along(&self, B: &Matrix) -> Matrix {
        let mut Z = Matrix::zeros(self.X.rows(), B.rows());
        for_row_blocks(Z.as_mut_slice(), B.rows(), |rows, out| {
            multiply(out, self.X.view_rows(rows), B.view().t(), Destination::Replace);
        });
        Z
    }

    /// Row j is T̂(·, b_j, b_j, b_j).
    pub(super) fn cubes(&self, B: &Matrix) -> Matrix {
        let Z = self.along(B);
        let squares = squared_lengths(B);
        let mut out = self.products(B.rows(), |i, out| {
            for ((out, z), square) in out.iter_mut().zip(Z.row(i)).zip(&squares) {
                *out = self.weights[i] * z * (z * z - 3.0 * square);
            }
        });
        let SB = B.times(&self.second);
        for (j, square) in squares.iter().enumerate() {
            let own = dot(SB.row(j), B.row(j)) - self.total * square;
            add_scaled(out.row_mut(j), -3.0 * own, B.row(j));
        }
        out
    }

    /// Row j is T̂(·, v_j, b_j, b_j).
    pub(super) fn cubes_along(&self, B: &Matrix, V: &Matrix) -> Matrix {
        let (Z, Z_v) = (self.along(B), self.along(V));
        let squares = squared_lengths(B);
        let inner: Vec<f64> = (0..B.rows()).map(|j| dot(B.row(j), V.row(j))).collect();
        let mut out = self.products(B.rows(), |i, out| {
            for (j, out) in out.iter_mut().enumerate() {
                let (z, z_v) = (Z[(i, j)], Z_v[(i, j)]);
                *out = self.weights[i] * (z_v * (z * z - squares[j]) - 2.0 * inner[j] * z);
            }
        });
        let SB = B.times(&self.second);
        for j in 0..B.rows() {
            let own = dot(SB.row(j), B.row(j)) - self.total * squares[j];
            let both = dot(SB.row(j), V.row(j)) - self.total * inner[j];
            add_scaled(out.row_mut(j), -own, V.row(j));
            add_scaled(out.row_mut(j), -2.0 * both, B.row(j));
        }
        out
    }

    /// T̂(·, ·, S) for a symmetric S.
    pub(super) fn times_matrix(&self, S: &Matrix) -> Matrix {
        let d = self.X.cols();
        let XS = self.along(S);
        let trace: f64 = (0..d).map(|a| S[(a, a)]).sum();
        let excess = |i: usize| self.weights[i] * (dot(XS.row(i), self.X.row(i)) - trace);
        let mut out = self.products(d, |i, out| {
            let q = excess(i);
            out.iter_mut().zip(self.X.row(i)).for_each(|(out, x)| *out = q * x);
        });
        let constant = dot(S.as_slice(), self.second.as_slice()) - trace * self.total;
        let both = self.second.times(S);
        for a in 0..d {
            for c in 0..d {
                out[(a, c)] += 2.0 * (self.total * S[(a, c)] - both[(a, c)] - both[(c, a)]);
            }
            out[(a, a)] -= constant;
        }
        out
    }

    /// T̂ itself.
    pub(super) fn tensor(&self) -> SymmetricTensor {
        let mut T = fourth_moment(&self.X, &self.weights);
        T.scale(self.X.rows() as f64);
        T
    }
}

/// ‖b_j‖²
fn squared_lengths(B: &Matrix) -> Vec<f64> {
    (0..B.rows()).map(|j| dot(B.row(j), B.row(j))).collect()
}
