//! Rows in columns of size about 1, for estimates.

use shallows_verify::Monomial;
use shallows_verify::determined::dimension;
use shallows_verify::rows::Rows;

use crate::certificate::proposal::coordinates::coordinates;
use crate::error::Result;
use crate::linalg::Matrix;

/// The rows that count.
pub(in crate::certificate) struct ScaledRows {
    /// x̂_j = 2^(h_j) x_j
    pub X: Matrix,
    pub y: Vec<f64>,
    /// h
    pub shifts: Vec<i32>,
    /// Whether 1 counts as an input.
    pub affine: bool,
}

impl ScaledRows {
    pub(in crate::certificate) fn new(rows: Rows<'_>, affine: bool) -> Result<ScaledRows> {
        let rows = coordinates(rows, 1.0, false)?;
        let X = Matrix::from_row_fn(rows.n(), rows.d(), |i, out| rows.write_row(i, out));
        Ok(ScaledRows { X, y: rows.y.clone(), shifts: rows.shifts.clone(), affine })
    }

    /// D
    pub(super) fn needed(&self) -> usize {
        dimension(self.X.cols(), self.affine)
    }

    /// 1 and the inputs, if they are among them, and all products of two inputs.
    pub(super) fn columns(&self) -> Vec<Monomial> {
        Monomial::all(self.X.cols(), self.affine)
    }

    /// At most so many rows, evenly spaced.
    pub(super) fn some(&self, most: usize) -> Vec<usize> {
        let n = self.X.rows();
        let count = most.min(n);
        (0..count).map(|at| at * n / count).collect()
    }
}
