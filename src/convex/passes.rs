//! Passes over the data that never hold more than the data, a few vectors of n numbers and d×d matrices.
//!
//! With the affine features Z (1, x or both) the residual of M is r = P⊥(q − y), q_i = x_iᵀMx_i, where P⊥ removes
//! what the affine part explains in the metric of ω. One evaluation is two sweeps: q and Zᵀ Ω (q − y) first, then
//! r and S = Σ ω r x xᵀ.

use std::ops::Range;

use super::gram::mean_of;
use super::{Program, gram};
use crate::error::Result;
use crate::linalg::{self, Into, Matrix, View, add_scaled, dot, multiply};
use crate::network::Quadratic;

/// The data of a program as the matrix-free solvers see it: centred, with the affine part projected out.
pub(super) struct Passes<'a> {
    program: &'a Program<'a>,
    /// What is subtracted from the inputs, block by block: a centred copy of the data is never held.
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
        let omega = program.data.omega();
        let width = affine_width(program);
        let G = linalg::gram_of_rows(program.data.n(), width, |i, out| {
            let x: Vec<f64> = program.data.X.row(i).iter().zip(&mean).map(|(x, m)| x - m).collect();
            write_affine(program, &x, out);
            out.iter_mut().for_each(|z| *z *= omega[i].sqrt());
        });
        let inverse = gram::inverse_of(&G)?;
        Ok(Passes { program, mean, omega, inverse })
    }

    pub(super) fn inputs(&self) -> usize {
        self.program.data.d()
    }

    /// The centred inputs of some rows.
    fn centred(&self, rows: Range<usize>) -> Vec<f64> {
        let mut block = self.program.data.X.as_slice()[rows.start * self.inputs()..rows.end * self.inputs()].to_vec();
        block.chunks_exact_mut(self.inputs()).for_each(|x| add_scaled(x, -1.0, &self.mean));
        block
    }

    /// r and S at M, for the labels of the program or for labels zero.
    pub(super) fn evaluate(&self, M: &Matrix, with_labels: bool) -> Evaluation {
        let (n, d, width) = (self.program.data.n(), self.inputs(), affine_width(self.program));
        let mut residual = vec![0.0; n];
        linalg::for_row_blocks(&mut residual, 1, |rows, out| {
            let X = self.centred(rows.clone());
            let mut product = vec![0.0; X.len()];
            multiply(&mut product, View::new(&X, rows.len(), d), M.view(), Into::Replace);
            for (at, i) in rows.enumerate() {
                let label = if with_labels { self.program.data.y[i] } else { 0.0 };
                out[at] = dot(&product[at * d..][..d], &X[at * d..][..d]) - label;
            }
        });
        let mut beta = vec![];
        if width > 0 {
            let moments = self.affine_moments(&residual, width);
            beta = self.inverse.times_vector(&moments).iter().map(|b| -b).collect();
        }
        let (energy, S) = self.moments(&mut residual, &beta);
        Evaluation { energy, S, beta }
    }

    /// Zᵀ Ω r.
    fn affine_moments(&self, residual: &[f64], width: usize) -> Vec<f64> {
        linalg::sum_over_rows(
            (residual.len(), width),
            || vec![0.0; width],
            |sum, rows| {
                let (X, mut z) = (self.centred(rows.clone()), vec![0.0; width]);
                for (x, i) in X.chunks_exact(self.inputs()).zip(rows) {
                    write_affine(self.program, x, &mut z);
                    add_scaled(sum, self.omega[i] * residual[i], &z);
                }
            },
            |sum, next| add_scaled(sum, 1.0, &next),
        )
    }

    /// Adds Zβ to the residual, then Σ ω r² and Σ ω r x xᵀ.
    fn moments(&self, residual: &mut [f64], beta: &[f64]) -> (f64, Matrix) {
        let (n, d, width) = (residual.len(), self.inputs(), beta.len());
        if width > 0 {
            linalg::for_row_blocks(residual, 1, |rows, out| {
                let (X, mut z) = (self.centred(rows), vec![0.0; width]);
                for (r, x) in out.iter_mut().zip(X.chunks_exact(d)) {
                    write_affine(self.program, x, &mut z);
                    *r += dot(&z, beta);
                }
            });
        }
        let (energy, lower) = linalg::sum_over_rows(
            (n, d * d),
            || (0.0, vec![0.0; d * d]),
            |(energy, sum), rows| {
                let X = self.centred(rows.clone());
                let mut scaled = X.clone();
                for (row, i) in scaled.chunks_exact_mut(d).zip(rows.clone()) {
                    let s = self.omega[i] * residual[i];
                    *energy += s * residual[i];
                    row.iter_mut().for_each(|x| *x *= s);
                }
                let (scaled, X) = (View::new(&scaled, rows.len(), d), View::new(&X, rows.len(), d));
                linalg::add_lower_product(sum, scaled.t(), X);
            },
            |(energy, sum), (more, next)| {
                *energy += more;
                add_scaled(sum, 1.0, &next);
            },
        );
        (energy, Matrix::from_fn(d, d, |i, j| lower[i.max(j) * d + i.min(j)]))
    }

    /// XᵀΩX of the centred inputs.
    pub(super) fn covariance(&self) -> Matrix {
        linalg::gram_of_rows(self.program.data.n(), self.inputs(), |i, out| {
            let root = self.omega[i].sqrt();
            let x = self.program.data.X.row(i).iter().zip(&self.mean);
            out.iter_mut().zip(x).for_each(|(out, (x, m))| *out = root * (x - m));
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
