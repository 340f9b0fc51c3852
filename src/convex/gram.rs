//! One pass over the data, after which it is no longer needed.
//!
//! With the products s_i = svec(x_i x_iᵀ) (off-diagonal entries times √2) and the affine features z_i, the loss is
//! a quadratic function of (m, β), m = svec(M). Minimised over β it is ½mᵀHm − hᵀm + ½e, where H is the Schur
//! complement of the affine block in the Gram matrix. With both parts of the affine function present the inputs
//! are centred first, which leaves M alone and improves the conditioning.
//!
//! A Gram matrix holds half the digits of the data. What this loses comes back by expanding the same function around
//! a solution (m₀, β₀) instead of around 0, with its value and gradient there computed from the data:
//! ½δᵀHδ − hᵀδ + ½e over δ = m − m₀.

use std::ops::Range;

use super::affine_inverse::AffineInverse;
use super::{Program, Solution, SolverState};
use crate::error::{Error, Result};
use crate::linalg::{self, Destination, Matrix, View, dot, multiply};
use crate::network::QuadraticForm;
use crate::risk::{ResidualMoments, residual_moments};
use crate::watch::Watch;

/// The program without its data: ½δᵀHδ − hᵀδ + ½e over δ = svec(M) − m₀.
#[derive(Clone)]
pub(crate) struct Reduced {
    d: usize,
    pub(super) H: Matrix,
    pub(super) h: Vec<f64>,
    energy: f64,
    /// H once more.
    spectrum: Spectrum,
    /// m₀ with the affine part that is best for it; none for 0.
    origin: Option<(Vec<f64>, QuadraticForm)>,
    /// How the affine part follows from m.
    affine: Affine,
}

#[derive(Clone)]
struct Affine {
    linear: bool,
    intercept: bool,
    /// Subtracted from the inputs.
    mean: Vec<f64>,
    inverse: AffineInverse,
    /// The affine block's products with s, one row per affine feature.
    cross: Matrix,
    /// The affine block's products with y.
    labels: Vec<f64>,
}

/// Corrections computed from the data after the normal equations: each squares away what they lost.
const REFINEMENTS: usize = 3;
/// Curvatures below this share of the largest, for products of unit size, are rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-15;
/// A product of which the affine part leaves less than this share is explained by it.
const EXPLAINED: f64 = 1e-13;

impl Reduced {
    /// One pass over the data.
    pub(crate) fn new(program: &Program<'_>) -> Result<Self> {
        let d = program.data.d();
        let products = d * (d + 1) / 2;
        let features = FeatureRows { program, mean: mean_of(program), omega: program.data.omega() };
        let moments = features.affine_moments();
        let inverse = features.affine_inverse()?;
        let explained = inverse.times(&moments);
        let G = features.unexplained_gram(&explained);
        let cross = Matrix::from_fn(moments.rows(), products, |i, j| moments[(i, j)]);
        let H = Matrix::from_fn(products, products, |i, j| G[(i, j)]);
        let h: Vec<f64> = (0..products).map(|j| G[(products, j)]).collect();
        let sizes: Vec<f64> =
            (0..products).map(|j| (H[(j, j)] + dot(&cross.column(j), &explained.column(j))).sqrt()).collect();
        let spectrum = Spectrum::of(&H, &sizes)?;
        let full = spectrum.rank() == products;
        let (H, h) = if full { (H, h) } else { (spectrum.matrix(), spectrum.projected(&h)) };
        let labels = moments.column(products);
        let FeatureRows { mean, .. } = features;
        let affine = Affine { linear: program.linear, intercept: program.intercept, mean, inverse, cross, labels };
        Ok(Reduced { d, H, h, energy: G[(products, products)], spectrum, origin: None, affine })
    }

    /// The same program around m and the affine part that is best for it, value and gradient from the data.
    pub(super) fn around(&self, program: &Program<'_>, m: &[f64]) -> Reduced {
        let mut form = self.form(m);
        let mut moments = residual_moments(program.data, &form);
        for _ in 0..REFINEMENTS {
            let gradient = self.affine_gradient(&moments);
            let beta = self.affine.inverse.times_vector(&gradient);
            if !(dot(&gradient, &beta) > f64::EPSILON * moments.energy) {
                break;
            }
            let better = subtract(&form, &self.assembled(&vec![0.0; m.len()], &beta));
            let there = residual_moments(program.data, &better);
            if !(there.energy < moments.energy) {
                break;
            }
            (form, moments) = (better, there);
        }
        let (gradient, _) = self.gradients(&moments);
        let h = gradient.iter().map(|g| -g).collect();
        Reduced { h, energy: moments.energy, origin: Some((m.to_vec(), form)), ..self.clone() }
    }

    /// m − m₀.
    fn displacement(&self, m: &[f64]) -> Vec<f64> {
        match &self.origin {
            None => m.to_vec(),
            Some((origin, _)) => m.iter().zip(origin).map(|(m, o)| m - o).collect(),
        }
    }

    /// Σ ω r² and ½ its gradient at m.
    pub(super) fn energy_and_gradient(&self, m: &[f64]) -> (f64, Vec<f64>) {
        let step = self.displacement(m);
        let gradient: Vec<f64> = self.H.times_vector(&step).iter().zip(&self.h).map(|(a, b)| a - b).collect();
        let energy = dot(&step, &gradient) - dot(&step, &self.h) + self.energy;
        (energy.max(0.0), gradient)
    }

    /// The minimiser for τ = 0 over all symmetric M, of least norm where it is not unique.
    pub(super) fn least_squares(&self, program: &Program<'_>, watch: Watch<'_>) -> Result<Solution> {
        let inverse = self.spectrum.inverse();
        let mut form = self.form(&inverse.times_vector(&self.h));
        let mut best: Option<(QuadraticForm, SolverState)> = None;
        for iteration in 0..=REFINEMENTS {
            let moments = residual_moments(program.data, &form);
            let objective = 0.5 * moments.energy;
            let lower_bound = (objective - self.remaining_decrease(&inverse, &moments)).max(0.0);
            let state = SolverState { iteration, objective, lower_bound };
            state.report_to(watch);
            if best.as_ref().is_some_and(|(_, kept)| objective >= kept.objective) {
                break;
            }
            best = Some((form.clone(), state));
            form = self.corrected(&form, &inverse, &moments);
        }
        let (form, state) = best.ok_or(Error::NotFinite { what: "the products of the inputs" })?;
        Ok(Solution { form, state, solver: "normal equations" })
    }

    /// What an exact least-squares step would still gain: ½gᵀH⁺g, and the like for the affine part.
    fn remaining_decrease(&self, inverse: &Matrix, moments: &ResidualMoments) -> f64 {
        let (gradient, beta) = self.gradients(moments);
        0.5 * (dot(&gradient, &inverse.times_vector(&gradient)) + dot(&self.affine_gradient(moments), &beta))
    }

    /// One step of iterative refinement: the gradient from the data, the metric from the Gram matrix.
    fn corrected(&self, form: &QuadraticForm, inverse: &Matrix, moments: &ResidualMoments) -> QuadraticForm {
        let (gradient, beta) = self.gradients(moments);
        let step = inverse.times_vector(&gradient);
        let follows = self.affine.inverse.times_vector(&self.affine.cross.times_vector(&step));
        let shift: Vec<f64> = beta.iter().zip(follows).map(|(beta, follows)| beta - follows).collect();
        subtract(form, &self.assembled(&step, &shift))
    }

    /// The gradient in m once the affine part has followed, and how far it is from that.
    fn gradients(&self, moments: &ResidualMoments) -> (Vec<f64>, Vec<f64>) {
        let (d, mean) = (self.d, &self.affine.mean);
        // Moments of the centred inputs from those of the raw ones.
        let S = Matrix::from_fn(d, d, |a, b| {
            moments.second[a * d + b] - mean[a] * moments.first[b] - moments.first[a] * mean[b]
                + moments.zeroth * mean[a] * mean[b]
        });
        let beta = self.affine.inverse.times_vector(&self.affine_gradient(moments));
        let mut gradient = self.vector(&S);
        gradient.iter_mut().enumerate().for_each(|(j, g)| *g -= dot(&self.affine.cross.column(j), &beta));
        (gradient, beta)
    }

    /// The gradient in the affine part, of centred inputs.
    fn affine_gradient(&self, moments: &ResidualMoments) -> Vec<f64> {
        let mut gradient = vec![];
        if self.affine.linear {
            gradient.extend(moments.first.iter().zip(&self.affine.mean).map(|(g, mean)| g - moments.zeroth * mean));
        }
        if self.affine.intercept {
            gradient.push(moments.zeroth);
        }
        gradient
    }

    /// M and the affine part that is best for it, from m.
    pub(super) fn form(&self, m: &[f64]) -> QuadraticForm {
        let step = self.displacement(m);
        let cross = self.affine.cross.times_vector(&step);
        match &self.origin {
            None => {
                let missing: Vec<f64> = self.affine.labels.iter().zip(cross).map(|(y, s)| y - s).collect();
                self.assembled(m, &self.affine.inverse.times_vector(&missing))
            }
            Some((_, origin)) => {
                let back: Vec<f64> = step.iter().map(|s| -s).collect();
                let change = self.assembled(&back, &self.affine.inverse.times_vector(&cross));
                QuadraticForm { M: self.matrix(m), ..subtract(origin, &change) }
            }
        }
    }

    fn assembled(&self, m: &[f64], beta: &[f64]) -> QuadraticForm {
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
pub(super) fn uncentred(M: &Matrix, beta: &[f64], linear: bool, intercept: bool, mean: &[f64]) -> QuadraticForm {
    let d = M.rows();
    let Mmu = M.times_vector(mean);
    let slopes = if linear { beta[..d].to_vec() } else { vec![0.0; d] };
    let constant = if intercept { beta[beta.len() - 1] } else { 0.0 };
    QuadraticForm {
        M: M.clone(),
        linear: linear.then(|| slopes.iter().zip(&Mmu).map(|(b, m)| b - 2.0 * m).collect()),
        intercept: intercept.then(|| constant - dot(&slopes, mean) + dot(mean, &Mmu)),
    }
}

fn subtract(form: &QuadraticForm, change: &QuadraticForm) -> QuadraticForm {
    let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let d = form.M.rows();
    QuadraticForm {
        M: Matrix::from_vec(d, d, difference(form.M.as_slice(), change.M.as_slice())),
        linear: form.linear.as_ref().zip(change.linear.as_ref()).map(|(a, b)| difference(a, b)),
        intercept: form.intercept.zip(change.intercept).map(|(a, b)| a - b),
    }
}

/// H = Σ λ uuᵀ and its pseudo-inverse Σ λ⁻¹ vvᵀ, in units in which the diagonal of H is 1.
#[derive(Clone)]
struct Spectrum {
    values: Vec<f64>,
    /// The u, in columns.
    forth: Matrix,
    /// The v.
    back: Matrix,
}

impl Spectrum {
    /// Leaves out products and directions in which nothing but rounding is left: it would be taken for a tiny
    /// curvature. `sizes` are those of the products before the affine part was taken from them.
    fn of(H: &Matrix, sizes: &[f64]) -> Result<Self> {
        let D = sizes.len();
        let left = |j: usize| H[(j, j)].sqrt();
        let units: Vec<f64> = (0..D).map(|j| if left(j) > EXPLAINED * sizes[j] { left(j) } else { 0.0 }).collect();
        let shrink: Vec<f64> = units.iter().map(|unit| if *unit > 0.0 { 1.0 / unit } else { 0.0 }).collect();
        let scaled = Matrix::from_fn(D, D, |i, j| shrink[i] * H[(i, j)] * shrink[j]);
        let (values, Q) =
            linalg::symmetric_eigen(&scaled).ok_or(Error::NotFinite { what: "the products of the inputs" })?;
        let floor = NUMERICAL_ZERO * values[D - 1];
        let first = values.iter().filter(|value| !(**value > floor)).count();
        Ok(Spectrum {
            values: values[first..].to_vec(),
            forth: Matrix::from_fn(D, D - first, |i, j| units[i] * Q[(i, first + j)]),
            back: Matrix::from_fn(D, D - first, |i, j| shrink[i] * Q[(i, first + j)]),
        })
    }

    fn rank(&self) -> usize {
        self.values.len()
    }

    fn matrix(&self) -> Matrix {
        let roots: Vec<f64> = self.values.iter().map(|value| value.sqrt()).collect();
        let half = Matrix::from_fn(self.forth.rows(), self.rank(), |i, j| self.forth[(i, j)] * roots[j]);
        half.times(&half.transposed())
    }

    fn inverse(&self) -> Matrix {
        let roots: Vec<f64> = self.values.iter().map(|value| value.sqrt()).collect();
        let half = Matrix::from_fn(self.back.rows(), self.rank(), |i, j| self.back[(i, j)] / roots[j]);
        half.times(&half.transposed())
    }

    /// The part of h in the range of H.
    fn projected(&self, h: &[f64]) -> Vec<f64> {
        self.forth.times_vector(&self.back.transposed().times_vector(h))
    }
}

/// What the inputs are centred by: their mean where the affine part can make up for it.
pub(super) fn mean_of(program: &Program<'_>) -> Vec<f64> {
    let (data, d) = (program.data, program.data.d());
    if !(program.linear && program.intercept) {
        return vec![0.0; d];
    }
    let omega = data.omega();
    let mut mean = linalg::sum_over_rows(
        (data.n(), d),
        || vec![0.0; d],
        |sum, rows| rows.for_each(|i| linalg::add_scaled(sum, omega[i], data.X.row(i))),
        |sum, next| linalg::add_scaled(sum, 1.0, &next),
    );
    // The mean of equal numbers is that number, but for rounding, which would pass for an input that varies.
    let counted = || (0..data.n()).filter(|&i| omega[i] > 0.0);
    for (j, mean) in mean.iter_mut().enumerate() {
        let first = counted().next().map_or(0.0, |i| data.X[(i, j)]);
        if counted().all(|i| data.X[(i, j)] == first) {
            *mean = first;
        }
    }
    mean
}

/// The rows of features: affine ones z, products s, label.
struct FeatureRows<'a> {
    program: &'a Program<'a>,
    mean: Vec<f64>,
    omega: Vec<f64>,
}

impl FeatureRows<'_> {
    /// How many z there are.
    fn affine(&self) -> usize {
        usize::from(self.program.intercept) + if self.program.linear { self.program.data.d() } else { 0 }
    }

    /// How many s and y there are.
    fn others(&self) -> usize {
        let d = self.program.data.d();
        d * (d + 1) / 2 + 1
    }

    /// √ω z of a sample.
    fn write_affine(&self, i: usize, out: &mut [f64]) {
        let root = self.omega[i].sqrt();
        if self.program.linear {
            let x = self.program.data.X.row(i).iter().zip(&self.mean);
            out.iter_mut().zip(x).for_each(|(out, (x, m))| *out = root * (x - m));
        }
        if let (true, Some(last)) = (self.program.intercept, out.last_mut()) {
            *last = root;
        }
    }

    /// √ω z and √ω (s, y) of some samples.
    fn blocks(&self, rows: Range<usize>) -> (Vec<f64>, Vec<f64>) {
        let (affine, others) = (self.affine(), self.others());
        let (mut Z, mut F) = (vec![0.0; rows.len() * affine], vec![0.0; rows.len() * others]);
        for (at, i) in rows.enumerate() {
            self.write(i, &mut Z[at * affine..][..affine], &mut F[at * others..][..others]);
        }
        (Z, F)
    }

    fn write(&self, i: usize, affine: &mut [f64], others: &mut [f64]) {
        self.write_affine(i, affine);
        let (data, d) = (self.program.data, self.program.data.d());
        let x: Vec<f64> = data.X.row(i).iter().zip(&self.mean).map(|(x, m)| x - m).collect();
        let root = self.omega[i].sqrt();
        let mut at = 0;
        for a in 0..d {
            let scaled = root * x[a];
            others[at..at + a].iter_mut().zip(&x).for_each(|(out, x)| *out = std::f64::consts::SQRT_2 * scaled * x);
            others[at + a] = scaled * x[a];
            at += a + 1;
        }
        others[at] = root * data.y[i];
    }

    fn affine_inverse(&self) -> Result<AffineInverse> {
        let n = self.program.data.n();
        AffineInverse::new(n, self.affine(), &|i, out| self.write_affine(i, out))
    }

    /// Σ ω z (s, y)ᵀ.
    fn affine_moments(&self) -> Matrix {
        let (n, affine, others) = (self.program.data.n(), self.affine(), self.others());
        let cross = linalg::sum_over_rows(
            (n, affine * others),
            || vec![0.0; affine * others],
            |cross, rows| {
                let (Z, F) = self.blocks(rows.clone());
                let Z = View::new(&Z, rows.len(), affine);
                multiply(cross, Z.t(), View::new(&F, rows.len(), others), Destination::Add);
            },
            |cross, next| linalg::add_scaled(cross, 1.0, &next),
        );
        Matrix::from_vec(affine, others, cross)
    }

    /// The Gram matrix of what the affine features leave of (s, y): taken from each row before it is squared, since
    /// differences of squares would leave rounding in place of small curvatures.
    fn unexplained_gram(&self, explained: &Matrix) -> Matrix {
        let (n, affine, others) = (self.program.data.n(), self.affine(), self.others());
        let negative = Matrix::from_fn(affine, others, |i, j| -explained[(i, j)]);
        let lower = linalg::sum_over_rows(
            (n, others * others),
            || vec![0.0; others * others],
            |sum, rows| {
                let (Z, mut F) = self.blocks(rows.clone());
                multiply(&mut F, View::new(&Z, rows.len(), affine), negative.view(), Destination::Add);
                let F = View::new(&F, rows.len(), others);
                linalg::add_lower_product(sum, F.t(), F);
            },
            |sum, next| linalg::add_scaled(sum, 1.0, &next),
        );
        Matrix::from_fn(others, others, |i, j| lower[i.max(j) * others + i.min(j)])
    }
}
