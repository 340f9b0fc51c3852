//! Infinitely wide random layers as Gaussian processes, and what the data say about their scales.
//!
//! With hidden weights w ~ N(0, Diag(λ²)) and biases of variance a, the layer of relu units has the covariance
//!
//! ```text
//! k(x, x') = (√(pp') sin θ + (π − θ) q)/2π,   q = a + Σ λ_l² x_l x'_l,  p = q(x, x),  cos θ = q/√(pp')
//! ∂k/∂q = (π − θ)/2π,   ∂k/∂p = √(p'/p) sin θ/4π                            (Cho and Saul 2009)
//! ```
//!
//! and cosines of frequencies w = λ∘g/|g₀| (multivariate Cauchy) with uniform phases and variance a have
//!
//! ```text
//! k(x, x') = a exp(−r),   r² = Σ λ_l² (x_l − x'_l)²                              (Matérn ½)
//! ```
//!
//! The functions of q and r are those of the room [`wide`](crate::wide), whose relu is √2 times this one.
//!
//! To either an affine part of variance s(1 + x·x') and noise of variance σ²/(nω_i) are added. The logarithms
//! (ln λ_1², …, ln λ_d², ln a, ln s, ln σ²) maximise the marginal likelihood of the labels,
//! −ln p = ½ yᵀK⁻¹y + ½ ln det K + const, with gradient ½ Σ_ij B_ij ∂K_ij, B = K⁻¹ − K⁻¹yyᵀK⁻¹, under a wide normal
//! prior that keeps scales of no influence from running away.

use crate::activation::{Activation, Kinked, Smooth};
use crate::data::Data;
use crate::linalg::{self, Destination, Matrix, dot, multiply};
use crate::optimise::{Lbfgs, Monitor, lbfgs};
use crate::risk::{Objective, Value};
use crate::wide::{LayerLaw, kernel_slopes};

/// Which random layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// Units max(0, w·x + u).
    Relu,
    /// Units cos(w·x + u).
    Cosine,
}

impl Layer {
    pub(super) fn activation(self) -> Activation {
        match self {
            Layer::Relu => Activation::Kinked(Kinked::Relu),
            Layer::Cosine => Activation::Smooth(Smooth::Cos),
        }
    }
}

/// The scales of a layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scales {
    /// λ_l² for each input.
    pub inputs: Vec<f64>,
    /// a: the variance of the biases of a relu layer, of the values of a cosine layer.
    pub level: f64,
    /// s.
    pub affine: f64,
    /// σ².
    pub noise: f64,
}

/// ln σ² cannot fall below: labels in print have no more digits than this, and K stays numerically definite.
const LEAST_NOISE: f64 = 1e-7;
/// Rows whose squared distance is below this share of their squared norms are equal.
const EQUAL_ROWS: f64 = 1e-11;
/// The standard deviation of the prior of each logarithm.
const PRIOR_SPREAD: f64 = 3.0;

impl Scales {
    fn from_logarithms(theta: &[f64], d: usize, common: bool) -> Self {
        let inputs = if common { vec![theta[0].exp(); d] } else { theta[..d].iter().map(|t| t.exp()).collect() };
        let rest = &theta[theta.len() - 3..];
        Scales { inputs, level: rest[0].exp(), affine: rest[1].exp(), noise: LEAST_NOISE + rest[2].exp() }
    }

    /// Where the search starts, and the centre of the prior.
    fn start(layer: Layer, d: usize, common: bool) -> Vec<f64> {
        let (input, level) = match layer {
            Layer::Relu => (2.0 / d as f64, 1.0),
            Layer::Cosine => (0.25 / d as f64, 1.0),
        };
        let mut theta = vec![f64::ln(input); if common { 1 } else { d }];
        theta.extend([f64::ln(level), f64::ln(0.1), f64::ln(0.02)]);
        theta
    }

    /// The most likely scales for standardised data; `common` gives all inputs the same scale.
    pub(super) fn learnt(layer: Layer, table: &Data, common: bool, mut monitor: Monitor<'_>) -> Self {
        let d = table.d();
        let start = Scales::start(layer, d, common);
        let evidence = LogEvidence { layer, table, common, centre: start.clone(), omega: table.omega() };
        let theta = lbfgs(&evidence, start, &Lbfgs::default(), &mut monitor);
        Scales::from_logarithms(&theta, d, common)
    }
}

/// −ln p(y)/n and the prior, as a function of the logarithms.
struct LogEvidence<'a> {
    layer: Layer,
    table: &'a Data,
    common: bool,
    centre: Vec<f64>,
    omega: Vec<f64>,
}

/// K without noise, and per pair of rows ∂k/∂q, ∂k/∂p (relu), or k/2r (cosine).
struct Covariance {
    k: Matrix,
    first: Matrix,
    /// Entry (i, j): the derivative by p_i.
    second: Option<Matrix>,
}

/// From the products q of the scaled rows and their squared lengths p.
fn relu_covariance(mut q: Matrix, p: &[f64], level: f64) -> Covariance {
    let n = p.len();
    let root: Vec<f64> = p.iter().map(|p| (p + level).sqrt()).collect();
    let (mut first, mut second) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
    for i in 0..n {
        for j in 0..n {
            let product = q[(i, j)] + level;
            let size = root[i] * root[j];
            let cosine = if i == j { 1.0 } else { product / size };
            let [value, slope, half] = kernel_slopes(LayerLaw::Relu, cosine);
            q[(i, j)] = 0.5 * size * value;
            first[(i, j)] = 0.5 * slope;
            second[(i, j)] = 0.5 * root[j] / root[i] * half;
        }
    }
    Covariance { k: q, first, second: Some(second) }
}

/// From the products q of the scaled rows and their squared lengths p.
fn cosine_covariance(mut q: Matrix, p: &[f64], level: f64) -> Covariance {
    let n = p.len();
    let mut first = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let square = p[i] + p[j] - 2.0 * q[(i, j)];
            // Equal rows: the difference is rounding, and dividing by its root would spoil the gradient.
            let square = if square > EQUAL_ROWS * (p[i] + p[j]) { square } else { 0.0 };
            let [value, slope, _] = kernel_slopes(LayerLaw::Rough, square);
            q[(i, j)] = level * value;
            first[(i, j)] = 0.5 * level * slope;
        }
    }
    Covariance { k: q, first, second: None }
}

impl LogEvidence<'_> {
    fn covariance(&self, scales: &Scales) -> Covariance {
        let (X, n) = (&self.table.X, self.table.n());
        let roots: Vec<f64> = scales.inputs.iter().map(|l| l.sqrt()).collect();
        let scaled = Matrix::from_fn(n, X.cols(), |i, l| X[(i, l)] * roots[l]);
        let mut q = vec![0.0; n * n];
        multiply(&mut q, scaled.view(), scaled.view().t(), Destination::Replace);
        let q = Matrix::from_vec(n, n, q);
        let p: Vec<f64> = (0..n).map(|i| q[(i, i)]).collect();
        match self.layer {
            Layer::Relu => relu_covariance(q, &p, scales.level),
            Layer::Cosine => cosine_covariance(q, &p, scales.level),
        }
    }

    /// The objective and, on request, its gradient; `None` where K is not numerically definite.
    fn evaluate(&self, theta: &[f64], gradient: Option<&mut [f64]>) -> Option<f64> {
        let (X, y, n, d) = (&self.table.X, &self.table.y, self.table.n(), self.table.d());
        let scales = Scales::from_logarithms(theta, d, self.common);
        let covariance = self.covariance(&scales);
        let mut linear = vec![1.0; n * n];
        multiply(&mut linear, X.view(), X.view().t(), Destination::Add);
        let noise: Vec<f64> = self.omega.iter().map(|omega| 1.0 / (n as f64 * omega)).collect();
        let mut K = covariance.k.clone();
        linalg::add_scaled(K.as_mut_slice(), scales.affine, &linear);
        (0..n).for_each(|i| K[(i, i)] += scales.noise * noise[i]);
        let (inverse, log_determinant) = linalg::invert_positive_definite(&K)?;
        let alpha = inverse.times_vector(y);
        let per_row = 1.0 / n as f64;
        let away = |j: usize| (theta[j] - self.centre[j]) / PRIOR_SPREAD;
        let prior: f64 = (0..theta.len()).map(|j| 0.5 * away(j).powi(2)).sum();
        let value = per_row * (0.5 * (dot(y, &alpha) + log_determinant) + prior);
        let Some(gradient) = gradient else { return Some(value) };
        let mut B = inverse;
        for i in 0..n {
            linalg::add_scaled(B.row_mut(i), -alpha[i], &alpha);
        }
        let (by_input, by_level) = self.scale_gradient(&scales, &covariance, &B);
        let by_affine = dot(B.as_slice(), &linear);
        let by_noise: f64 = (0..n).map(|i| B[(i, i)] * noise[i]).sum();
        let by_input: Vec<f64> = by_input.iter().zip(&scales.inputs).map(|(g, l)| g * l).collect();
        let inputs = theta.len() - 3;
        if self.common {
            gradient[0] = by_input.iter().sum();
        } else {
            gradient[..d].copy_from_slice(&by_input);
        }
        gradient[inputs] = by_level * scales.level;
        gradient[inputs + 1] = by_affine * scales.affine;
        gradient[inputs + 2] = by_noise * (scales.noise - LEAST_NOISE);
        for (j, g) in gradient.iter_mut().enumerate() {
            *g = per_row * (0.5 * *g + away(j) / PRIOR_SPREAD);
        }
        Some(value)
    }

    /// Σ_ij B_ij ∂k_ij by each λ_l², and by a.
    fn scale_gradient(&self, scales: &Scales, covariance: &Covariance, B: &Matrix) -> (Vec<f64>, f64) {
        let (X, n, d) = (&self.table.X, self.table.n(), self.table.d());
        let weighted: Vec<f64> = B.as_slice().iter().zip(covariance.first.as_slice()).map(|(b, t)| b * t).collect();
        let weighted = Matrix::from_vec(n, n, weighted);
        let product = weighted.times(X);
        let bilinear = |l: usize| (0..n).map(|i| X[(i, l)] * product[(i, l)]).sum::<f64>();
        let row_sum = |i: usize| weighted.row(i).iter().sum::<f64>();
        match &covariance.second {
            Some(second) => {
                let diagonal: Vec<f64> = (0..n).map(|i| 2.0 * dot(B.row(i), second.row(i))).collect();
                let squares = |l: usize| (0..n).map(|i| diagonal[i] * X[(i, l)].powi(2)).sum::<f64>();
                let by_level = (0..n).map(|i| row_sum(i) + diagonal[i]).sum();
                ((0..d).map(|l| bilinear(l) + squares(l)).collect(), by_level)
            }
            None => {
                let sums: Vec<f64> = (0..n).map(row_sum).collect();
                let squares = |l: usize| (0..n).map(|i| sums[i] * X[(i, l)].powi(2)).sum::<f64>();
                let by_level = dot(B.as_slice(), covariance.k.as_slice()) / scales.level;
                ((0..d).map(|l| 2.0 * (bilinear(l) - squares(l))).collect(), by_level)
            }
        }
    }
}

impl Objective for LogEvidence<'_> {
    fn dimension(&self) -> usize {
        self.centre.len()
    }

    fn value(&self, theta: &[f64]) -> Value {
        let objective = self.evaluate(theta, None).unwrap_or(f64::INFINITY);
        Value { objective, relative_error: f64::INFINITY }
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let objective = self.evaluate(theta, Some(gradient)).unwrap_or(f64::INFINITY);
        Value { objective, relative_error: f64::INFINITY }
    }

    /// By a central difference of gradients; the method that minimises this never asks for it.
    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        const STEP: f64 = 1e-5;
        let at = |t: f64| {
            let moved: Vec<f64> = theta.iter().zip(direction).map(|(x, p)| x + t * p).collect();
            let mut gradient = vec![0.0; theta.len()];
            self.evaluate(&moved, Some(&mut gradient));
            gradient
        };
        let (after, before) = (at(STEP), at(-STEP));
        product.iter_mut().zip(after.iter().zip(before)).for_each(|(p, (a, b))| *p = (a - b) / (2.0 * STEP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn table(n: usize, d: usize, weights: Option<Vec<f64>>) -> Data {
        let mut stream = Stream::new(5, Purpose::Probe, 1);
        let mut X = Matrix::from_fn(n, d, |_, _| stream.normal());
        // Two equal rows, as real tables have them.
        let first = X.row(0).to_vec();
        X.row_mut(1).copy_from_slice(&first);
        let y = (0..n).map(|i| X[(i, 0)].sin() + 0.1 * stream.normal()).collect();
        Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).weights(weights).build().unwrap()
    }

    #[test]
    fn the_gradient_of_the_evidence_has_a_quadratic_taylor_error() {
        for (layer, common) in
            [(Layer::Relu, false), (Layer::Relu, true), (Layer::Cosine, false), (Layer::Cosine, true)]
        {
            let weights = (0..30).map(|i| 1.0 + (i % 3) as f64).collect();
            let table = table(30, 3, Some(weights));
            let centre = Scales::start(layer, 3, common);
            let evidence = LogEvidence { layer, table: &table, common, omega: table.omega(), centre: centre.clone() };
            let mut stream = Stream::new(6, Purpose::Probe, 2);
            let theta: Vec<f64> = centre.iter().map(|t| t + 0.3 * stream.normal()).collect();
            let direction: Vec<f64> = theta.iter().map(|_| stream.normal()).collect();
            let mut gradient = vec![0.0; theta.len()];
            let value = evidence.gradient(&theta, &mut gradient).objective;
            let error = |t: f64| {
                let moved: Vec<f64> = theta.iter().zip(&direction).map(|(x, p)| x + t * p).collect();
                (evidence.value(&moved).objective - value - t * dot(&gradient, &direction)).abs()
            };
            let slope = (error(1e-2) / error(1e-3)).log10();
            assert!((slope - 2.0).abs() < 0.05, "{layer:?} {common}: {slope}");
        }
    }

    #[test]
    fn covariances_are_those_of_random_units() {
        let table = table(4, 3, None);
        let scales = Scales { inputs: vec![0.5, 1.5, 0.1], level: 0.7, affine: 0.0, noise: 0.0 };
        for layer in [Layer::Relu, Layer::Cosine] {
            let evidence = LogEvidence { layer, table: &table, common: false, centre: vec![], omega: vec![] };
            let K = evidence.covariance(&scales).k;
            let units = 200_000;
            let (W, u) = super::super::wide::draw(layer, &scales, units, &mut Stream::new(7, Purpose::Start, 0));
            let mut phi = vec![];
            for i in 0..4 {
                let z: Vec<f64> = (0..units).map(|j| dot(W.row(j), table.X.row(i)) + u[j]).collect();
                let mut values = vec![0.0; units];
                layer.activation().values(&z, &mut values);
                phi.push(values);
            }
            let gain = if layer == Layer::Relu { 1.0 } else { 2.0 * scales.level };
            for i in 0..4 {
                for j in 0..4 {
                    let sampled = gain * dot(&phi[i], &phi[j]) / units as f64;
                    // Five standard errors of the mean of products of unit size.
                    assert!((sampled - K[(i, j)]).abs() < 5.0 * 2.0 / (units as f64).sqrt(), "{layer:?} {i} {j}");
                }
            }
        }
    }
}
