//! One pass over the data, after which it is no longer needed.
//!
//! With the products s_i = svec(x_i x_iᵀ) (off-diagonal entries times √2) and the affine features z_i, the loss is
//! a quadratic function of (m, β), m = svec(M). Minimised over β it is ½mᵀHm − hᵀm + ½e, where H is the Schur
//! complement of the affine block in the Gram matrix. With both parts of the affine function present the inputs
//! are centred first, which leaves M alone and improves the conditioning.

use super::{Program, Solution, State};
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix, dot};
use crate::network::Quadratic;
use crate::risk::residual_moments;

/// The program without its data: ½mᵀHm − hᵀm + ½e over m = svec(M).
pub struct Reduced {
    d: usize,
    pub(super) H: Matrix,
    pub(super) h: Vec<f64>,
    pub(super) energy: f64,
    /// How the affine part follows from m.
    affine: Affine,
}

struct Affine {
    linear: bool,
    intercept: bool,
    /// Subtracted from the inputs.
    mean: Vec<f64>,
    /// The pseudo-inverse of the affine block.
    inverse: Matrix,
    /// The affine block's products with s, one row per affine feature.
    cross: Matrix,
    /// The affine block's products with y.
    labels: Vec<f64>,
}

/// Corrections computed from the data after the normal equations: each squares away what they lost.
const REFINEMENTS: usize = 3;

impl Reduced {
    /// One pass over the data.
    pub fn new(program: &Program<'_>) -> Result<Self> {
        let d = program.data.d();
        let products = d * (d + 1) / 2;
        let mean = mean_of(program);
        let G = feature_gram(program, &mean);
        let affine_count = usize::from(program.intercept) + if program.linear { d } else { 0 };
        let (first, last) = (products, products + affine_count);
        let block = Matrix::from_fn(affine_count, affine_count, |i, j| G[(first + i, first + j)]);
        let cross = Matrix::from_fn(affine_count, products, |i, j| G[(first + i, j)]);
        let labels: Vec<f64> = (0..affine_count).map(|i| G[(last, first + i)]).collect();
        let inverse = inverse_of(&block)?;
        let explained = inverse.times(&cross);
        let correction = cross.transposed().times(&explained);
        let H = Matrix::from_fn(products, products, |i, j| {
            G[(i.max(j), i.min(j))] - 0.5 * (correction[(i, j)] + correction[(j, i)])
        });
        let fitted = inverse.times_vector(&labels);
        let h = (0..products).map(|j| G[(last, j)] - dot(&cross.column(j), &fitted)).collect();
        let energy = (G[(last, last)] - dot(&labels, &fitted)).max(0.0);
        let affine = Affine { linear: program.linear, intercept: program.intercept, mean, inverse, cross, labels };
        Ok(Reduced { d, H, h, energy, affine })
    }

    /// The minimiser for τ = 0 over all symmetric M, of least norm where it is not unique.
    pub(super) fn least_squares(&self, program: &Program<'_>, report: &mut dyn FnMut(&State)) -> Result<Solution> {
        let inverse = inverse_of(&self.H)?;
        let mut form = self.form(&inverse.times_vector(&self.h));
        let mut best: Option<(Quadratic, f64)> = None;
        for iteration in 0..=REFINEMENTS {
            let moments = residual_moments(program.data, &form);
            let energy = moments.energy;
            report(&State { iteration, objective: 0.5 * energy, lower_bound: 0.0 });
            if best.as_ref().is_some_and(|(_, least)| energy >= *least) {
                break;
            }
            best = Some((form.clone(), energy));
            form = self.corrected(&form, &inverse, &moments);
        }
        let (form, energy) = best.ok_or(Error::NotFinite { what: "the products of the inputs" })?;
        let objective = 0.5 * energy;
        let state = State { iteration: REFINEMENTS, objective, lower_bound: objective };
        Ok(Solution { form, state, solver: "normal equations" })
    }

    /// One step of iterative refinement: the gradient from the data, the metric from the Gram matrix.
    fn corrected(&self, form: &Quadratic, inverse: &Matrix, moments: &crate::risk::ResidualMoments) -> Quadratic {
        let (d, mean) = (self.d, &self.affine.mean);
        // Moments of the centred inputs from those of the raw ones.
        let first: Vec<f64> = (0..d).map(|a| moments.first[a] - moments.zeroth * mean[a]).collect();
        let S = Matrix::from_fn(d, d, |a, b| {
            moments.second[a * d + b] - mean[a] * moments.first[b] - moments.first[a] * mean[b]
                + moments.zeroth * mean[a] * mean[b]
        });
        let mut affine_gradient = vec![];
        if self.affine.linear {
            affine_gradient.extend(&first);
        }
        if self.affine.intercept {
            affine_gradient.push(moments.zeroth);
        }
        let beta = self.affine.inverse.times_vector(&affine_gradient);
        let gradient: Vec<f64> =
            self.vector(&S).iter().enumerate().map(|(j, g)| g - dot(&self.affine.cross.column(j), &beta)).collect();
        let step = inverse.times_vector(&gradient);
        let shift: Vec<f64> = (0..beta.len())
            .map(|i| beta[i] - dot(self.affine.inverse.row(i), &self.affine.cross.times_vector(&step)))
            .collect();
        let change = self.assembled(&step, &shift);
        subtract(form, &change)
    }

    /// M and the affine part that is best for it, from m.
    pub(super) fn form(&self, m: &[f64]) -> Quadratic {
        let missing: Vec<f64> =
            self.affine.labels.iter().zip(self.affine.cross.times_vector(m)).map(|(y, s)| y - s).collect();
        self.assembled(m, &self.affine.inverse.times_vector(&missing))
    }

    fn assembled(&self, m: &[f64], beta: &[f64]) -> Quadratic {
        let Affine { linear, intercept, mean, .. } = &self.affine;
        uncentred(&self.matrix(m), beta, *linear, *intercept, mean)
    }

    /// svec: the lower triangle row by row, off-diagonal entries times √2.
    pub(super) fn vector(&self, M: &Matrix) -> Vec<f64> {
        let pairs = (0..self.d).flat_map(|a| (0..=a).map(move |b| (a, b)));
        pairs.map(|(a, b)| if a == b { M[(a, a)] } else { std::f64::consts::SQRT_2 * M[(a, b)] }).collect()
    }

    /// The inverse of svec.
    pub(super) fn matrix(&self, m: &[f64]) -> Matrix {
        Matrix::from_fn(self.d, self.d, |i, j| {
            let (a, b) = (i.max(j), i.min(j));
            let entry = m[a * (a + 1) / 2 + b];
            if a == b { entry } else { entry * std::f64::consts::FRAC_1_SQRT_2 }
        })
    }

    /// d.
    pub(super) fn inputs(&self) -> usize {
        self.d
    }
}

/// (x − μ)ᵀM(x − μ) + β·(x − μ) + γ in terms of x; β holds the slopes, then γ, as far as they exist.
pub(super) fn uncentred(M: &Matrix, beta: &[f64], linear: bool, intercept: bool, mean: &[f64]) -> Quadratic {
    let d = M.rows();
    let Mmu = M.times_vector(mean);
    let slopes = if linear { beta[..d].to_vec() } else { vec![0.0; d] };
    let constant = if intercept { beta[beta.len() - 1] } else { 0.0 };
    Quadratic {
        M: M.clone(),
        linear: linear.then(|| slopes.iter().zip(&Mmu).map(|(b, m)| b - 2.0 * m).collect()),
        intercept: intercept.then(|| constant - dot(&slopes, mean) + dot(mean, &Mmu)),
    }
}

fn subtract(form: &Quadratic, change: &Quadratic) -> Quadratic {
    let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let d = form.M.rows();
    Quadratic {
        M: Matrix::from_vec(d, d, difference(form.M.as_slice(), change.M.as_slice())),
        linear: form.linear.as_ref().zip(change.linear.as_ref()).map(|(a, b)| difference(a, b)),
        intercept: form.intercept.zip(change.intercept).map(|(a, b)| a - b),
    }
}

/// What the inputs are centred by: their mean where the affine part can make up for it.
pub(super) fn mean_of(program: &Program<'_>) -> Vec<f64> {
    let (data, d) = (program.data, program.data.d());
    if !(program.linear && program.intercept) {
        return vec![0.0; d];
    }
    let omega = data.omega();
    linalg::sum_over_rows(
        (data.n(), d),
        || vec![0.0; d],
        |sum, rows| rows.for_each(|i| linalg::add_scaled(sum, omega[i], data.X.row(i))),
        |sum, next| linalg::add_scaled(sum, 1.0, &next),
    )
}

/// The Gram matrix of (products, affine features, label), weighted by ω.
fn feature_gram(program: &Program<'_>, mean: &[f64]) -> Matrix {
    let (data, d) = (program.data, program.data.d());
    let omega = data.omega();
    let width = d * (d + 1) / 2 + if program.linear { d } else { 0 } + usize::from(program.intercept) + 1;
    linalg::gram_of_rows(data.n(), width, |i, out| {
        let x: Vec<f64> = data.X.row(i).iter().zip(mean).map(|(x, m)| x - m).collect();
        let root = omega[i].sqrt();
        let mut at = 0;
        for a in 0..d {
            for b in 0..a {
                out[at] = root * std::f64::consts::SQRT_2 * x[a] * x[b];
                at += 1;
            }
            out[at] = root * x[a] * x[a];
            at += 1;
        }
        if program.linear {
            out[at..at + d].iter_mut().zip(&x).for_each(|(out, x)| *out = root * x);
            at += d;
        }
        if program.intercept {
            out[at] = root;
            at += 1;
        }
        out[at] = root * data.y[i];
    })
}

/// The pseudo-inverse, or an error where the matrix is not finite.
pub(super) fn inverse_of(A: &Matrix) -> Result<Matrix> {
    linalg::pseudo_inverse(A).ok_or(Error::NotFinite { what: "the products of the inputs" })
}
