//! The tensor in other coordinates, and as a matrix.
//!
//! T(P·, P·, P·, P·) is taken two indices at a time. For each pair (a, b) the symmetric matrix T_ab·· becomes P T_ab·· Pᵀ,
//! which is a matrix from pairs of R^d to pairs of R^r; then the same for the other two indices. That is about
//! (d² + r²)·d·r·(d + r) operations instead of the r⁴d⁴/24 of the definition.

use std::f64::consts::SQRT_2;

use super::{SymmetricTensor, pair};
use crate::linalg::{Destination, Matrix, multiply};

impl SymmetricTensor {
    /// T(P·, P·, P·, P·): entry (i, j, k, l) is T(p_i, p_j, p_k, p_l), the p_i being the r rows of P (r×d).
    pub fn in_basis(&self, P: &Matrix) -> SymmetricTensor {
        let (d, r) = (self.dimension(), P.rows());
        let (from, to) = (pairs(d), pairs(r));
        let half = Matrix::from_row_fn(from.len(), to.len(), |at, out| {
            let (a, b) = from[at];
            let slice = Matrix::from_fn(d, d, |c, e| self.entry(a, b, c, e));
            write_pairs(out, &congruent(P, &slice));
        })
        .transposed();
        let whole = Matrix::from_row_fn(to.len(), to.len(), |at, out| {
            let column = half.row(at);
            let slice = Matrix::from_fn(d, d, |a, b| column[pair(d, a.min(b), a.max(b))]);
            write_pairs(out, &congruent(P, &slice));
        });
        let mut tensor = SymmetricTensor::zeros(r);
        for (at, &(k, l)) in to.iter().enumerate() {
            for j in 0..=k {
                for i in 0..=j {
                    let place = tensor.place(i, j, k, l);
                    tensor.entries[place] = whole[(at, pair(r, i, j))];
                }
            }
        }
        tensor
    }

    /// T as a symmetric matrix over the pairs i ≤ j in lexicographic order, rows and columns of i ≠ j times √2, so that
    /// its Frobenius norm is ‖T‖_F and it takes svec(S) to svec(T(·, ·, S)).
    pub fn unfolded(&self) -> Matrix {
        let pairs = pairs(self.dimension());
        let weight = |(i, j): (usize, usize)| if i == j { 1.0 } else { SQRT_2 };
        Matrix::from_row_fn(pairs.len(), pairs.len(), |at, out| {
            let (i, j) = pairs[at];
            for (out, &(k, l)) in out.iter_mut().zip(&pairs) {
                *out = weight((i, j)) * weight((k, l)) * self.entry(i, j, k, l);
            }
        })
    }
}

/// All (i, j) with i ≤ j < n in lexicographic order.
fn pairs(n: usize) -> Vec<(usize, usize)> {
    (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect()
}

/// P A Pᵀ
fn congruent(P: &Matrix, A: &Matrix) -> Matrix {
    let PA = P.times(A);
    let mut out = Matrix::zeros(P.rows(), P.rows());
    multiply(out.as_mut_slice(), PA.view(), P.view().t(), Destination::Replace);
    out
}

/// The upper triangle of a symmetric matrix.
fn write_pairs(out: &mut [f64], A: &Matrix) {
    let mut rest = out;
    for i in 0..A.rows() {
        let (slice, after) = rest.split_at_mut(A.rows() - i);
        slice.copy_from_slice(&A.row(i)[i..]);
        rest = after;
    }
}
