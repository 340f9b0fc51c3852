//! Hermite coefficients φ̂_r = E φ(g)h_r(g), g standard normal, h_r the normalised probabilists' Hermite polynomials.
//!
//! Write φ̂'_r for the coefficients of φ'; integration by parts gives φ̂'_r = √(r+1) φ̂_{r+1}.
//!
//! * Polynomials: exact; αz² + βz + γ = (α + γ)h_0 + βh_1 + √2α h_2.
//! * relu: φ̂_0 = 1/√(2π), φ̂_1 = ½, φ̂_2 = 1/(2√π), φ̂_{n+2} = −φ̂_n (n−1)/√((n+1)(n+2)), no other odd ones. They decay
//!   like n^{−5/4}. |z| = 2relu(z) − z and leaky-relu = s·z + (1 − s)·relu follow.
//! * cos, erf, gelu: E e^{tg−t²/2}f(g) generates √(r!)·f̂_r, and is a Gaussian integral for f = cos, erf', gelu''.
//!   The results are written above the functions.
//! * The logistic family, tanh included, from D_r = E σ'(bg)h_r(g): sigmoid' = bσ'(bz), softplus'' = bσ'(bz). D_r is a
//!   trapezoid sum with the Hermite *functions* ψ_r = h_r·√density, which neither overflow nor cancel. The integrand
//!   is analytic for |Im x| < π/b, so a step of 1/(4b) leaves an error below e^{−70}; it decays like e^{−b|x|−x²/2}, so
//!   the number of nodes is bounded for every sharpness.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

use super::arithmetic::two_sum;
use super::{Activation, Kinked, Smooth};

/// The step of the trapezoid rule where the Gaussian is narrower than the activation; its multiples are exact.
const STEP: f64 = 1.0 / 64.0;
/// ψ_r(x)ψ_0(x) is below 10⁻¹⁰⁰ beyond, for every r that fits in memory.
const REACH: f64 = 40.0;
/// The step of the trapezoid rule in units of 1/b, and the reach, where σ' is below 10⁻¹⁹.
const LOGISTIC_STEP: f64 = 0.25;
const LOGISTIC_REACH: f64 = 45.0;

impl Activation {
    /// φ̂_0, …, φ̂_{count−1}, to about 10⁻¹⁵ of the largest of them.
    pub fn hermite(&self, count: usize) -> Vec<f64> {
        let mut coefficients = match self {
            Activation::Kinked(Kinked::Relu) => relu(count),
            Activation::Kinked(Kinked::Abs) => line_and_relu(count, -1.0, 2.0),
            Activation::Kinked(Kinked::LeakyRelu { slope }) => line_and_relu(count, *slope, 1.0 - slope),
            Activation::Smooth(smooth) => match smooth {
                Smooth::Quadratic { alpha, beta, gamma } => vec![alpha + gamma, *beta, SQRT_2 * alpha],
                Smooth::Hermite { coefficients } => coefficients.clone(),
                Smooth::Softplus { sharpness } => softplus(count, *sharpness),
                Smooth::Sigmoid { sharpness } => sigmoid(count, *sharpness),
                // tanh z = 2 sigmoid(2z) − 1
                Smooth::Tanh => sigmoid(count, 2.0).iter().enumerate().map(|(r, c)| 2.0 * c - unit(r)).collect(),
                Smooth::Erf => erf(count),
                Smooth::Gelu => gelu(count),
                Smooth::Cos => cos(count),
            },
        };
        coefficients.resize(count, 0.0);
        coefficients
    }
}

/// 1 at r = 0, else 0
fn unit(r: usize) -> f64 {
    if r == 0 { 1.0 } else { 0.0 }
}

/// first, 0, first·ratio(0), 0, first·ratio(0)·ratio(2), …: every other coefficient, from `start` on.
fn alternate(count: usize, start: usize, first: f64, ratio: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut coefficients = vec![0.0; count];
    let mut next = first;
    for r in (start..count).step_by(2) {
        coefficients[r] = next;
        next *= ratio(r as f64);
    }
    coefficients
}

fn relu(count: usize) -> Vec<f64> {
    let mut coefficients = alternate(count, 2, 0.5 / PI.sqrt(), |n| -(n - 1.0) / ((n + 1.0) * (n + 2.0)).sqrt());
    for (c, low) in coefficients.iter_mut().zip([1.0 / (2.0 * PI).sqrt(), 0.5]) {
        *c = low;
    }
    coefficients
}

/// line·z + hinge·relu(z)
fn line_and_relu(count: usize, line: f64, hinge: f64) -> Vec<f64> {
    let mut coefficients = relu(count);
    coefficients.iter_mut().for_each(|c| *c *= hinge);
    if let Some(c) = coefficients.get_mut(1) {
        *c += line;
    }
    coefficients
}

/// φ̂_{2m} = (−1)^m e^{−1/2}/√((2m)!)
fn cos(count: usize) -> Vec<f64> {
    alternate(count, 0, (-0.5f64).exp(), |n| -1.0 / ((n + 1.0) * (n + 2.0)).sqrt())
}

/// E e^{−g²}e^{tg−t²/2} = e^{−t²/3}/√3, so φ̂_1 = 2/√(3π) and φ̂_{n+2} = −φ̂_n·(2/3)n/√((n+1)(n+2)) for odd n
fn erf(count: usize) -> Vec<f64> {
    alternate(count, 1, 2.0 / (3.0 * PI).sqrt(), |n| -2.0 / 3.0 * n / ((n + 1.0) * (n + 2.0)).sqrt())
}

/// φ'' = (2 − z²)·density(z) and E φ''(g)e^{tg−t²/2} = (3/2 − t²/4)e^{−t²/4}/(2√π), so
/// φ̂_n = (m + 3/2)(−1/4)^m √(n!)/(m! n(n−1) · 2√π) for n = 2m + 2, φ̂_0 = 1/(2√π) and φ̂_1 = ½
fn gelu(count: usize) -> Vec<f64> {
    let m = |n: f64| 0.5 * n - 1.0;
    let weight = |n: f64| (m(n) + 1.5) / (n * (n - 1.0)).sqrt();
    let ratio = |n: f64| -0.25 * (n * (n - 1.0)).sqrt() / (m(n) + 1.0) * weight(n + 2.0) / weight(n);
    let mut coefficients = alternate(count, 2, weight(2.0) * 0.5 / PI.sqrt(), ratio);
    for (c, low) in coefficients.iter_mut().zip([0.5 / PI.sqrt(), 0.5]) {
        *c = low;
    }
    coefficients
}

/// φ̂_0 = ½ and φ̂_r = bD_{r−1}/√r
fn sigmoid(count: usize, b: f64) -> Vec<f64> {
    let derivative = logistic_derivative(count, b);
    let higher = derivative.iter().enumerate().map(|(r, d)| b * d / ((r + 1) as f64).sqrt());
    std::iter::once(0.5).chain(higher).take(count).collect()
}

/// φ̂_1 = ½ and φ̂_r = bD_{r−2}/√(r(r−1)) for r ≥ 2
fn softplus(count: usize, b: f64) -> Vec<f64> {
    let derivative = logistic_derivative(count, b);
    let higher = derivative.iter().enumerate().map(|(r, d)| b * d / (((r + 1) * (r + 2)) as f64).sqrt());
    [softplus_mean(b), 0.5].into_iter().chain(higher).take(count).collect()
}

/// E softplus(g).
///
/// For b ≤ 1 by the trapezoid rule on softplus itself. For b > 1 softplus(z) = ∫φ''(t)(z − t)₊dt, and the even part of
/// E(g − t)₊ is density(t) + t(Φ(t) − ½), which gives the rule an analytic integrand of width 1/b.
fn softplus_mean(b: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if b <= 1.0 {
        let (x, h) = nodes(STEP, REACH);
        let mut phi = vec![0.0; x.len()];
        Activation::Smooth(Smooth::Softplus { sharpness: b }).values(&x, &mut phi);
        return h * sum(x.iter().zip(phi).map(|(&x, phi)| phi * density(x)));
    }
    let (x, h) = nodes(STEP.min(LOGISTIC_STEP / b), LOGISTIC_REACH / b);
    let scaled: Vec<f64> = x.iter().map(|x| x * FRAC_1_SQRT_2).collect();
    let (mut erf, mut curvature) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    Activation::ERF.values(&scaled, &mut erf);
    let mut unused = vec![0.0; x.len()];
    Activation::Smooth(Smooth::Sigmoid { sharpness: b }).slopes(&x, &mut unused, &mut curvature);
    h * sum((0..x.len()).map(|i| curvature[i] * (density(x[i]) + 0.5 * x[i] * erf[i])))
}

/// A sum that carries its rounding errors along.
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (total, lost) = terms.fold((0.0, 0.0), |(total, lost), term| {
        let (total, error) = two_sum(total, term);
        (total, lost + error)
    });
    total + lost
}

/// The nodes −reach, …, reach of a trapezoid rule, symmetric about 0, and their distance.
fn nodes(step: f64, reach: f64) -> (Vec<f64>, f64) {
    let half = (reach / step).ceil() as i64;
    ((-half..=half).map(|i| i as f64 * step).collect(), step)
}

/// D_r = E σ'(bg)h_r(g) for r < count, with σ the sigmoid of sharpness 1; 0 for odd r.
fn logistic_derivative(count: usize, b: f64) -> Vec<f64> {
    let (x, h) = nodes(STEP.min(LOGISTIC_STEP / b), REACH.min(LOGISTIC_REACH / b));
    let (mut unused, mut weight) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let arguments: Vec<f64> = x.iter().map(|x| b * x).collect();
    Activation::Smooth(Smooth::Sigmoid { sharpness: 1.0 }).slopes(&arguments, &mut unused, &mut weight);
    // ψ_0 = e^{−x²/4}/(2π)^{1/4}, ψ_{r+1} = (xψ_r − √r ψ_{r−1})/√(r+1)
    let ground: Vec<f64> = x.iter().map(|x| (-0.25 * x * x).exp() / (2.0 * PI).powf(0.25)).collect();
    weight.iter_mut().zip(&ground).for_each(|(w, g)| *w *= h * g);
    let (mut now, mut before) = (ground, vec![0.0; x.len()]);
    let mut coefficients = Vec::with_capacity(count);
    for r in 0..count {
        let total = sum(weight.iter().zip(&now).map(|(w, psi)| w * psi));
        coefficients.push(if r % 2 == 0 { total } else { 0.0 });
        let (down, up) = ((r as f64).sqrt(), ((r + 1) as f64).sqrt());
        for i in 0..x.len() {
            before[i] = (x[i] * now[i] - down * before[i]) / up;
        }
        std::mem::swap(&mut now, &mut before);
    }
    coefficients
}
