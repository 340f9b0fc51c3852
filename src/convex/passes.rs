//! Passes over the data that never hold more than the data, a few vectors of n numbers and d×d matrices.
//!
//! With the affine features Z (1, x or both) the residual of M is r = P⊥(q − y), q_i = x_iᵀMx_i, where P⊥ removes
//! what the affine part explains in the metric of ω. One evaluation is two sweeps: q and Zᵀ Ω (q − y) first, then
//! r and S = Σ ω r x xᵀ.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use super::affine_inverse::AffineInverse;
use super::gram::mean_of;
use super::{Program, gram};
use crate::error::Result;
use crate::linalg::{self, Destination, Matrix, View, add_scaled, dot, multiply};
use crate::network::QuadraticForm;

/// The data of a program as the matrix-free solvers see it: centred, with the affine part projected out.
pub(super) struct Passes<'a> {
    program: &'a Program<'a>,
    /// What is subtracted from the inputs, block by block: a centred copy of the data is never held.
    mean: Vec<f64>,
    omega: Vec<f64>,
    inverse: AffineInverse,
    covariance: Matrix,
    /// The largest curvature of the loss, which costs some passes.
    pub(super) curvature: OnceLock<f64>,
    /// Buffers for a block of rows, as many as have been in use at a time.
    idle: Mutex<Vec<(Vec<f64>, Vec<f64>)>>,
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
        let d = program.data.d();
        let write_inputs = |i: usize, out: &mut [f64]| {
            let (root, x) = (omega[i].sqrt(), program.data.X.row(i).iter().zip(&mean));
            out.iter_mut().zip(x).for_each(|(out, (x, m))| *out = root * (x - m));
        };
        let covariance = linalg::gram_of_rows(program.data.n(), d, write_inputs);
        let write_affine = |i: usize, out: &mut [f64]| {
            if program.linear {
                write_inputs(i, out);
            }
            if let (true, Some(last)) = (program.intercept, out.last_mut()) {
                *last = omega[i].sqrt();
            }
        };
        let inverse = AffineInverse::new(program.data.n(), affine_width(program), &write_affine)?;
        let (curvature, idle) = (OnceLock::new(), Mutex::new(vec![]));
        Ok(Passes { program, mean, omega, inverse, covariance, curvature, idle })
    }

    pub(super) fn inputs(&self) -> usize {
        self.program.data.d()
    }

    /// r and S at M, for the labels of the program or for labels zero.
    pub(super) fn evaluate(&self, M: &Matrix, with_labels: bool) -> Evaluation {
        let mut residual = vec![0.0; self.program.data.n()];
        let moments = self.residuals(&mut residual, M, with_labels);
        let beta: Vec<f64> = self.inverse.times_vector(&moments).iter().map(|b| -b).collect();
        let (energy, S) = self.moments(&residual, &beta);
        Evaluation { energy, S, beta }
    }

    /// The first sweep: q − y, and Zᵀ Ω (q − y).
    fn residuals(&self, residual: &mut [f64], M: &Matrix, with_labels: bool) -> Vec<f64> {
        let (d, width) = (self.inputs(), affine_width(self.program));
        // q = xᵀTx with the triangle T, diagonal and doubled lower half of M: half the work.
        let T = Matrix::from_fn(d, d, |i, j| match i.cmp(&j) {
            Ordering::Greater => 2.0 * M[(i, j)],
            Ordering::Equal => M[(i, i)],
            Ordering::Less => 0.0,
        });
        linalg::sum_over_rows_into(
            residual,
            width,
            || vec![0.0; width],
            |sum, rows, out| {
                self.with_centred(rows.clone(), |X, product| {
                    linalg::times_lower(product, View::new(X, rows.len(), d), T.view());
                    let inputs = product.chunks_exact(d.max(1)).zip(X.chunks_exact(d.max(1)));
                    out.iter_mut().zip(inputs).for_each(|(r, (product, x))| *r = dot(product, x));
                    if with_labels {
                        add_scaled(out, -1.0, &self.program.data.y[rows.clone()]);
                    }
                    let s: Vec<f64> = out.iter().zip(&self.omega[rows.clone()]).map(|(r, omega)| omega * r).collect();
                    self.add_affine_moments(sum, X, &s);
                });
            },
            |sum, next| add_scaled(sum, 1.0, &next),
        )
    }

    /// The second sweep: Σ ω r² and Σ ω r x xᵀ, where r is what the first has left plus Zβ.
    fn moments(&self, residual: &[f64], beta: &[f64]) -> (f64, Matrix) {
        let d = self.inputs();
        let (energy, lower) = linalg::sum_over_rows(
            (residual.len(), d * d),
            || (0.0, vec![0.0; d * d]),
            |(energy, sum), rows| {
                self.with_centred(rows.clone(), |X, scaled| {
                    let mut r = residual[rows.clone()].to_vec();
                    self.add_affine_values(&mut r, X, beta);
                    let scaled_rows = scaled.chunks_exact_mut(d.max(1)).zip(X.chunks_exact(d.max(1)));
                    for ((out, x), (r, omega)) in scaled_rows.zip(r.iter().zip(&self.omega[rows.clone()])) {
                        let s = omega * r;
                        *energy += s * r;
                        out.iter_mut().zip(x).for_each(|(out, x)| *out = s * x);
                    }
                    let (scaled, X) = (View::new(scaled, rows.len(), d), View::new(X, rows.len(), d));
                    linalg::add_lower_product(sum, scaled.t(), X);
                });
            },
            |(energy, sum), (more, next)| {
                *energy += more;
                add_scaled(sum, 1.0, &next);
            },
        );
        (energy, Matrix::from_fn(d, d, |i, j| lower[i.max(j) * d + i.min(j)]))
    }

    /// Adds Zᵀs to `sum`.
    fn add_affine_moments(&self, sum: &mut [f64], X: &[f64], s: &[f64]) {
        let d = self.inputs();
        if self.program.linear {
            multiply(&mut sum[..d], View::new(X, s.len(), d).t(), View::new(s, s.len(), 1), Destination::Add);
        }
        if let (true, Some(last)) = (self.program.intercept, sum.last_mut()) {
            *last += s.iter().sum::<f64>();
        }
    }

    /// Adds Zβ to `r`.
    fn add_affine_values(&self, r: &mut [f64], X: &[f64], beta: &[f64]) {
        let d = self.inputs();
        if self.program.linear {
            multiply(r, View::new(X, r.len(), d), View::new(&beta[..d], d, 1), Destination::Add);
        }
        if let (true, Some(last)) = (self.program.intercept, beta.last()) {
            r.iter_mut().for_each(|r| *r += last);
        }
    }

    /// Run with the centred inputs of some rows, and as many numbers of scratch, in buffers that are kept: large ones
    /// are mapped and cleared page by page whenever they are allocated.
    fn with_centred(&self, rows: Range<usize>, run: impl FnOnce(&[f64], &mut [f64])) {
        let d = self.inputs();
        let taken = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let length = self.program.data.n().min(linalg::BLOCK_ROWS) * d;
        let mut buffers = taken.unwrap_or_else(|| (vec![0.0; length], vec![0.0; length]));
        let (X, scratch) = (&mut buffers.0[..rows.len() * d], &mut buffers.1[..rows.len() * d]);
        let raw = &self.program.data.X.as_slice()[rows.start * d..rows.end * d];
        for (out, x) in X.chunks_exact_mut(d.max(1)).zip(raw.chunks_exact(d.max(1))) {
            out.iter_mut().zip(x.iter().zip(&self.mean)).for_each(|(out, (x, m))| *out = x - m);
        }
        run(X, scratch);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(buffers);
        }
    }

    /// XᵀΩX of the centred inputs.
    pub(super) fn covariance(&self) -> &Matrix {
        &self.covariance
    }

    /// M with the affine part β in terms of the raw inputs.
    pub(super) fn form(&self, M: &Matrix, beta: &[f64]) -> QuadraticForm {
        gram::uncentred(M, beta, self.program.linear, self.program.intercept, &self.mean)
    }
}

fn affine_width(program: &Program<'_>) -> usize {
    usize::from(program.intercept) + if program.linear { program.data.d() } else { 0 }
}
