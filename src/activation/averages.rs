//! The average slope μ(σ) = E φ'(σg) and curvature γ(σ) = E φ''(σg) of an activation, g standard normal.
//!
//! Soltanolkotabi, Javanmard and Lee (2019), Assumption 2.3, asks that each be nonzero for all σ or zero for all σ. Where
//! the two stand, for σ > 0:
//!
//! | φ | μ(σ) | γ(σ) |
//! |---|---|---|
//! | αz² + βz + γ | β | 2α |
//! | relu, leaky-relu with slope s | (1 + s)/2 | (1 − s)/(σ√(2π)), from the kink |
//! | abs | 0: φ' is odd | 2/(σ√(2π)), from the kink |
//! | softplus | ½: φ' − ½ is odd | b E σ'(bσg) > 0: φ is strictly convex |
//! | sigmoid, tanh, erf | > 0: φ is strictly increasing | 0: φ'' is odd |
//! | gelu | ½: φ' − ½ is odd | (2 + σ²)/(√(2π)(1 + σ²)^{3/2}) > 0, although gelu is not convex |
//! | cos | 0: φ' is odd | −e^{−σ²/2} |
//! | Σ c_r h_r | Σ_{r odd} c_r√r·E h_{r−1}(σg) | Σ_{r even} c_r√(r(r−1))·E h_{r−2}(σg) |
//!
//! with σ' the derivative of 1/(1 + e^{−z}) and E h_{2j}(σg) = (2j−1)!!/√((2j)!)·(σ²−1)^j: polynomials in σ² for Hermite
//! sums, whose zeros decide. At σ = 0 the curvature of a kink is infinite.

use std::f64::consts::PI;

use super::{Activation, Kinked, Smooth};

/// Which half of Assumption 2.3 the average curvature γ meets. [`curvature_case`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// (a): γ(σ) ≠ 0 for every σ.
    Curved,
    /// (b): γ(σ) = 0 for every σ.
    Flat,
    /// γ vanishes at some σ and not at others.
    Neither,
}

/// Where the average slope μ vanishes. [`curvature_case`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlopeCase {
    /// Nowhere.
    Nonzero,
    /// Everywhere.
    Zero,
    /// At some σ and not at others.
    Neither,
}

/// μ(σ) = E φ'(σg).
///
/// ```
/// use shallows::Activation;
/// use shallows::spectrum::{average_curvature, average_slope};
///
/// // E relu'(g) = ½, and E φ''(g) = 2 for z².
/// assert!((average_slope(&Activation::RELU, 1.0) - 0.5).abs() < 1e-12);
/// assert!((average_curvature(&Activation::SQUARE, 1.0) - 2.0).abs() < 1e-12);
/// ```
pub fn average_slope(activation: &Activation, sigma: f64) -> f64 {
    match activation {
        Activation::Kinked(kinked) => {
            let (line, hinge) = line_and_hinge(*kinked);
            line + 0.5 * hinge
        }
        Activation::Smooth(smooth) => match smooth {
            Smooth::Quadratic { beta, .. } => *beta,
            Smooth::Softplus { .. } | Smooth::Gelu => 0.5,
            Smooth::Sigmoid { sharpness } => sharpness * logistic_slope(sharpness * sigma),
            Smooth::Tanh => 4.0 * logistic_slope(2.0 * sigma),
            Smooth::Erf => 2.0 / (PI * (1.0 + 2.0 * sigma * sigma)).sqrt(),
            Smooth::Cos => 0.0,
            Smooth::Hermite { coefficients } => evaluated(&slope_polynomial(coefficients), sigma * sigma - 1.0),
        },
    }
}

/// γ(σ) = E φ''(σg); for the kinked in the sense of distributions, infinite at σ = 0.
/// [`average_slope`] shows its use.
pub fn average_curvature(activation: &Activation, sigma: f64) -> f64 {
    match activation {
        Activation::Kinked(kinked) => match line_and_hinge(*kinked) {
            (_, 0.0) => 0.0,
            (_, hinge) => hinge / (sigma.abs() * (2.0 * PI).sqrt()),
        },
        Activation::Smooth(smooth) => match smooth {
            Smooth::Quadratic { alpha, .. } => 2.0 * alpha,
            Smooth::Softplus { sharpness } => sharpness * logistic_slope(sharpness * sigma),
            Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Erf => 0.0,
            Smooth::Gelu => {
                let square = sigma * sigma;
                (2.0 + square) / ((2.0 * PI).sqrt() * (1.0 + square).powf(1.5))
            }
            Smooth::Cos => -(-0.5 * sigma * sigma).exp(),
            Smooth::Hermite { coefficients } => evaluated(&curvature_polynomial(coefficients), sigma * sigma - 1.0),
        },
    }
}

/// Which case of Assumption 2.3 holds for γ; the reasons are in the table above.
///
/// ```
/// use shallows::Activation;
/// use shallows::spectrum::{Case, SlopeCase, curvature_case, slope_case};
///
/// assert_eq!(curvature_case(&Activation::SQUARE), Case::Curved);
/// // An odd activation has no average curvature, an even one no average slope.
/// assert_eq!(curvature_case(&Activation::TANH), Case::Flat);
/// assert_eq!(slope_case(&Activation::COS), SlopeCase::Zero);
/// ```
pub fn curvature_case(activation: &Activation) -> Case {
    let constant = |value: f64| if value == 0.0 { Case::Flat } else { Case::Curved };
    match activation {
        Activation::Kinked(kinked) => constant(line_and_hinge(*kinked).1),
        Activation::Smooth(smooth) => match smooth {
            Smooth::Quadratic { alpha, .. } => constant(*alpha),
            Smooth::Softplus { .. } | Smooth::Gelu | Smooth::Cos => Case::Curved,
            Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Erf => Case::Flat,
            Smooth::Hermite { coefficients } => match zeros(&curvature_polynomial(coefficients)) {
                SlopeCase::Nonzero => Case::Curved,
                SlopeCase::Zero => Case::Flat,
                SlopeCase::Neither => Case::Neither,
            },
        },
    }
}

/// Where μ vanishes; the reasons are in the table above. [`curvature_case`] shows its use.
pub fn slope_case(activation: &Activation) -> SlopeCase {
    let constant = |value: f64| if value == 0.0 { SlopeCase::Zero } else { SlopeCase::Nonzero };
    match activation {
        Activation::Kinked(kinked) => {
            let (line, hinge) = line_and_hinge(*kinked);
            constant(line + 0.5 * hinge)
        }
        Activation::Smooth(smooth) => match smooth {
            Smooth::Quadratic { beta, .. } => constant(*beta),
            Smooth::Softplus { .. } | Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Erf | Smooth::Gelu => {
                SlopeCase::Nonzero
            }
            Smooth::Cos => SlopeCase::Zero,
            Smooth::Hermite { coefficients } => zeros(&slope_polynomial(coefficients)),
        },
    }
}

/// φ = line·z + hinge·relu(z).
fn line_and_hinge(kinked: Kinked) -> (f64, f64) {
    match kinked {
        Kinked::Relu => (0.0, 1.0),
        Kinked::LeakyRelu { slope } => (slope, 1.0 - slope),
        Kinked::Abs => (-1.0, 2.0),
    }
}

/// E σ'(tg) for the derivative σ' of 1/(1 + e^{−z}): the first Hermite coefficient of z ↦ σ(tz), over t.
fn logistic_slope(t: f64) -> f64 {
    /// Below, ¼ − t²/16 + … is ¼.
    const SMALL: f64 = 1e-8;
    let t = t.abs();
    if t < SMALL { 0.25 } else { Activation::Smooth(Smooth::Sigmoid { sharpness: t }).hermite(2)[1] / t }
}

/// μ as a polynomial in σ² − 1.
fn slope_polynomial(coefficients: &[f64]) -> Vec<f64> {
    let odd = coefficients.iter().enumerate().skip(1).step_by(2);
    odd.map(|(r, c)| c * (r as f64).sqrt() * even_moment(r - 1)).collect()
}

/// γ as a polynomial in σ² − 1.
fn curvature_polynomial(coefficients: &[f64]) -> Vec<f64> {
    let even = coefficients.iter().enumerate().skip(2).step_by(2);
    even.map(|(r, c)| c * ((r * (r - 1)) as f64).sqrt() * even_moment(r - 2)).collect()
}

/// (m − 1)!!/√(m!) for even m: the factor of (σ² − 1)^{m/2} in E h_m(σg).
fn even_moment(m: usize) -> f64 {
    (1..m).step_by(2).map(|odd| (odd as f64 / (odd + 1) as f64).sqrt()).product()
}

fn evaluated(polynomial: &[f64], t: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, c| sum * t + c)
}

/// Whether a polynomial vanishes on t ≥ −1: nowhere, everywhere or here and there.
fn zeros(polynomial: &[f64]) -> SlopeCase {
    let Some(degree) = polynomial.iter().rposition(|c| *c != 0.0) else { return SlopeCase::Zero };
    let p = &polynomial[..=degree];
    let mirrored: Vec<f64> = p.iter().enumerate().map(|(j, c)| if j % 2 == 0 { *c } else { -c }).collect();
    let reversed: Vec<f64> = p.iter().rev().copied().collect();
    // −1 ≤ t ≤ 0, 0 ≤ t ≤ 1, 1 ≤ t.
    let none = [mirrored.as_slice(), p, &reversed].iter().all(|p| no_zero(bernstein(p), DEEPEST));
    if none { SlopeCase::Nonzero } else { SlopeCase::Neither }
}

/// Intervals halved so often without a decision are taken to hold a zero.
const DEEPEST: usize = 40;

/// The Bernstein coefficients on [0, 1] of a polynomial given by its powers: b_i = Σ_j C(i,j)/C(m,j) a_j.
fn bernstein(powers: &[f64]) -> Vec<f64> {
    let m = powers.len() - 1;
    let binomials = |n: usize| {
        let step = move |b: &mut f64, j: usize| {
            let here = *b;
            *b *= (n - j.min(n)) as f64 / (j + 1) as f64;
            Some(here)
        };
        (0..=m).scan(1.0, step).collect::<Vec<f64>>()
    };
    let all = binomials(m);
    (0..=m).map(|i| binomials(i).iter().zip(&all).zip(powers).map(|((c, of), a)| c / of * a).sum()).collect()
}

/// Whether a polynomial has no zero in [0, 1]: its values lie between its Bernstein coefficients, of either half too.
fn no_zero(mut coefficients: Vec<f64>, depth: usize) -> bool {
    if coefficients.iter().all(|c| *c > 0.0) || coefficients.iter().all(|c| *c < 0.0) {
        return true;
    }
    let m = coefficients.len() - 1;
    // The first and the last are values.
    if depth == 0 || !(coefficients[0] * coefficients[m] > 0.0) {
        return false;
    }
    let mut left = Vec::with_capacity(m + 1);
    for step in 0..=m {
        left.push(coefficients[0]);
        (0..m - step).for_each(|i| coefficients[i] = 0.5 * (coefficients[i] + coefficients[i + 1]));
    }
    no_zero(left, depth - 1) && no_zero(coefficients, depth - 1)
}
