//! Passes over the data that never hold more than the data, a few vectors of n numbers and d×d matrices.
//!
//! With the affine features Z (1, x or both) the residual of M is r = P⊥(q − y), q_i = x_iᵀMx_i, where P⊥ removes
//! what the affine part explains in the metric of ω. One evaluation is two sweeps: q and Zᵀ Ω (q − y) first, then
//! r and S = Σ ω r x xᵀ.

use super::gram::mean_of;
use super::{Program, gram};
use crate::error::Result;
use crate::linalg::{self, Into, Matrix, View, add_scaled, dot, multiply};
use crate::network::Quadratic;

/// The data of a program as the matrix-free solvers see it: centred, with the affine part projected out.
pub(super) struct Passes<'a> {
    program: &'a Program<'a>,
    /// The inputs, centred where the affine part can make up for it.
    X: Matrix,
    mean: Vec<f64>,
    omega: Vec<f64>,
    /// (ZᵀΩZ)⁺.
    inverse: Matrix,
}

/// What one evaluation gives.
pub(super) struct Evaluation {
    /// Σ ω r².
    pub energy: f64,
    /// Σ ω r x xᵀ.
    pub S: Matrix,
    /// The affine part that is best for M: slopes and intercept, as far as they exist.
    pub beta: Vec<f64>,
}

impl<'a> Passes<'a> {
    pub(super) fn new(program: &'a Program<'a>) -> Result<Self> {
        let mean = mean_of(program);
        let (n, d) = (program.data.n(), program.data.d());
        let mut X = program.data.X.clone();
        linalg::for_row_blocks(X.as_mut_slice(), d, |_, block| {
            block.chunks_exact_mut(d).for_each(|row| add_scaled(row, -1.0, &mean));
        });
        let omega = program.data.omega();
        let width = affine_width(program);
        let G = linalg::gram_of_rows(n, width, |i, out| {
            write_affine(program, X.row(i), out);
            out.iter_mut().for_each(|z| *z *= omega[i].sqrt());
        });
        let inverse = gram::pseudo_inverse(&G)?;
        Ok(Passes { program, X, mean, omega, inverse })
    }

    pub(super) fn inputs(&self) -> usize {
        self.X.cols()
    }

    /// r and S at M, for the labels of the program or for labels zero.
    pub(super) fn evaluate(&self, M: &Matrix, with_labels: bool) -> Evaluation {
        let (n, d, width) = (self.X.rows(), self.inputs(), affine_width(self.program));
        let mut residual = vec![0.0; n];
        linalg::for_row_blocks(&mut residual, 1, |rows, out| {
            let mut scratch = vec![0.0; rows.len() * d];
            multiply(&mut scratch, self.X.view_rows(rows.clone()), M.view(), Into::Replace);
            for (at, i) in rows.enumerate() {
                let label = if with_labels { self.program.data.y[i] } else { 0.0 };
                out[at] = dot(&scratch[at * d..][..d], self.X.row(i)) - label;
            }
        });
        let moments = linalg::sum_over_rows(
            (n, width),
            || vec![0.0; width],
            |sum, rows| {
                let mut z = vec![0.0; width];
                for i in rows {
                    write_affine(self.program, self.X.row(i), &mut z);
                    add_scaled(sum, self.omega[i] * residual[i], &z);
                }
            },
            |sum, next| add_scaled(sum, 1.0, &next),
        );
        let beta: Vec<f64> = self.inverse.times_vector(&moments).iter().map(|b| -b).collect();
        let (energy, S) = self.moments(&mut residual, &beta);
        Evaluation { energy, S, beta }
    }

    /// Adds Zβ to the residual, then Σ ω r² and Σ ω r x xᵀ.
    fn moments(&self, residual: &mut [f64], beta: &[f64]) -> (f64, Matrix) {
        let (n, d, width) = (self.X.rows(), self.inputs(), beta.len());
        if width > 0 {
            linalg::for_row_blocks(residual, 1, |rows, out| {
                let mut z = vec![0.0; width];
                for (r, i) in out.iter_mut().zip(rows) {
                    write_affine(self.program, self.X.row(i), &mut z);
                    *r += dot(&z, beta);
                }
            });
        }
        let (energy, lower, _) = linalg::sum_over_rows(
            (n, d * d),
            || (0.0, vec![0.0; d * d], vec![0.0; n.min(linalg::BLOCK_ROWS) * d]),
            |(energy, sum, scratch), rows| {
                let scaled = &mut scratch[..rows.len() * d];
                for (row, i) in scaled.chunks_exact_mut(d).zip(rows.clone()) {
                    let s = self.omega[i] * residual[i];
                    *energy += s * residual[i];
                    row.iter_mut().zip(self.X.row(i)).for_each(|(out, x)| *out = s * x);
                }
                let scaled = View::new(scaled, rows.len(), d);
                linalg::add_lower_product(sum, scaled.t(), self.X.view_rows(rows));
            },
            |(energy, sum, _), (more, next, _)| {
                *energy += more;
                add_scaled(sum, 1.0, &next);
            },
        );
        (energy, Matrix::from_fn(d, d, |i, j| lower[i.max(j) * d + i.min(j)]))
    }

    /// XᵀΩX of the centred inputs.
    pub(super) fn covariance(&self) -> Matrix {
        linalg::gram_of_rows(self.X.rows(), self.inputs(), |i, out| {
            let root = self.omega[i].sqrt();
            out.iter_mut().zip(self.X.row(i)).for_each(|(out, x)| *out = root * x);
        })
    }

    /// M with the affine part β in terms of the raw inputs.
    pub(super) fn form(&self, M: &Matrix, beta: &[f64]) -> Quadratic {
        gram::uncentred(M, beta, self.program.linear, self.program.intercept, &self.mean)
    }
}

fn affine_width(program: &Program<'_>) -> usize {
    usize::from(program.intercept) + if program.linear { program.data.d() } else { 0 }
}

fn write_affine(program: &Program<'_>, x: &[f64], out: &mut [f64]) {
    let d = x.len();
    if program.linear {
        out[..d].copy_from_slice(x);
    }
    if program.intercept {
        out[out.len() - 1] = 1.0;
    }
}
