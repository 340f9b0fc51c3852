//! What the tail of a Hermite series weighs: Σ_{r>R} φ̂_r² and Σ_{r>R} rφ̂_r², from above.
//!
//! Cutting the series of a kernel after R leaves Σ_{r>R} φ̂_r²(XXᵀ)^{∘r}, which is positive semidefinite, and for unit rows
//! none of its entries exceeds the tail: its spectral norm is at most n times the tail.
//!
//! * **The logistic family.** (φ^{(s)})^_r² = φ̂_{r+s}²(r+s)!/r!, so that for every s ≤ R + 1
//!
//!   ```text
//!   Σ_{r>R} φ̂_r² ≤ (R+1−s)!/(R+1)! · E φ^{(s)}(g)² ≤ (R+1−s)!/(R+1)! · sup|φ^{(s)}|²
//!   Σ_{r>R} rφ̂_r² = Σ_{r≥R} (φ')^_r² ≤ (R−s)!/R! · sup|φ^{(s+1)}|²        s ≤ R
//!   ```
//!
//!   and the least over s counts. The sigmoid of sharpness 1 has poles at ±πi, ±3πi, … with residue 1, and therefore
//!   |σ^{(s)}(x)| ≤ s! Σ_poles |x − p|^{−s−1} ≤ 2·s!·π^{−s−1}(1 − 2^{−s−1})ζ(s+1) for s ≥ 1. With sharpness b there is a
//!   factor b^s; softplus^{(s+1)} = sigmoid^{(s)}; tanh = 2 sigmoid(2z) − 1.
//! * **gelu.** φ̂_n² = (m+3/2)²C(2m,m)16^{−m}/(4πn(n−1)), n = 2m + 2, and so φ̂_{n+2}²/φ̂_n² is
//!   ¼·(m+½)/(m+1) · (m+5/2)²(m+1)(m+½)/((m+3/2)³(m+2)) ≤ ¼; with the factor (n+2)/n it is at most 0.3.
//! * **erf, cos.** φ̂_{n+2}²/φ̂_n² = (4/9)n²/((n+1)(n+2)) and 1/((n+1)(n+2)): with the factor (n+2)/n at most 4/9 and 1/6.
//!   So for gelu, erf and cos the tail is at most twice its first term.
//! * **relu.** φ̂_{2j}² = C(2j,j)4^{−j}/(2π(2j−1)²) and C(2j,j)4^{−j} ≤ 1/√(πj); sums of a convex function of j are below its
//!   integral. The tails are at most (J−1)^{−3/2}/(12π^{3/2}) and 0.6(J−1)^{−1/2}/π^{3/2}, 2J > R the first left out, J ≥ 2.
//! * **Polynomials** end.

use std::f64::consts::{LN_2, PI};

use super::{Activation, Kinked, Smooth};

/// Upper bounds on what a Hermite series leaves out. [`series_tail`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// Of Σ φ̂_r²: for E φφ.
    pub values: f64,
    /// Of Σ rφ̂_r²: for E φ'φ'.
    pub slopes: f64,
}

/// The bounds are raised by this share against the rounding of their own evaluation.
const OWN_ROUNDING: f64 = 1e-6;

/// The tails of the series that keeps φ̂_0, …, φ̂_{order−1}.
///
/// ```
/// use shallows::Activation;
/// use shallows::spectrum::series_tail;
///
/// // What is left out falls with every term that is kept; slopes fall more slowly.
/// let [short, long] = [10, 40].map(|order| series_tail(&Activation::RELU, order));
/// assert!(long.values < short.values && long.slopes < short.slopes && long.values < long.slopes);
/// ```
pub fn series_tail(activation: &Activation, order: usize) -> Tail {
    let tail = match activation {
        Activation::Kinked(Kinked::Relu) => hinge_tail(order, 0.0, 1.0),
        Activation::Kinked(Kinked::Abs) => hinge_tail(order, -1.0, 2.0),
        Activation::Kinked(Kinked::LeakyRelu { slope }) => hinge_tail(order, *slope, 1.0 - slope),
        Activation::Smooth(smooth) => match smooth {
            Smooth::Quadratic { .. } => exact_tail(activation, order, 3),
            Smooth::Hermite { coefficients } => exact_tail(activation, order, coefficients.len()),
            Smooth::Erf | Smooth::Gelu | Smooth::Cos => first_terms(activation, order),
            Smooth::Softplus { sharpness } => logistic_tail(order, |s| softplus_bound(*sharpness, s)),
            Smooth::Sigmoid { sharpness } => logistic_tail(order, |s| sigmoid_bound(*sharpness, s)),
            Smooth::Tanh => logistic_tail(order, |s| if s == 0 { 0.0 } else { LN_2 + sigmoid_bound(2.0, s) }),
        },
    };
    Tail { values: tail.values * (1.0 + OWN_ROUNDING), slopes: tail.slopes * (1.0 + OWN_ROUNDING) }
}

/// Σ φ̂_r² and Σ rφ̂_r² of the given terms.
fn sums(coefficients: &[f64], from: usize) -> Tail {
    let terms = coefficients.iter().enumerate().skip(from);
    terms.fold(Tail { values: 0.0, slopes: 0.0 }, |sum, (r, c)| Tail {
        values: sum.values + c * c,
        slopes: sum.slopes + r as f64 * c * c,
    })
}

/// Of a series with `count` terms.
fn exact_tail(activation: &Activation, order: usize, count: usize) -> Tail {
    sums(&activation.hermite(count), order)
}

/// Twice what comes next, where terms fall at least twofold from 2 on.
fn first_terms(activation: &Activation, order: usize) -> Tail {
    const SLOW: usize = 3;
    let end = order.max(SLOW);
    let (now, next) = (sums(&activation.hermite(end), order), sums(&activation.hermite(end + 2), end));
    Tail { values: now.values + 2.0 * next.values, slopes: now.slopes + 2.0 * next.slopes }
}

/// Of line·z + hinge·relu(z).
fn hinge_tail(order: usize, line: f64, hinge: f64) -> Tail {
    const SLOW: usize = 4;
    let end = order.max(SLOW);
    let mut low = Activation::RELU.hermite(end);
    low.iter_mut().for_each(|c| *c *= hinge);
    low[1] += line;
    let now = sums(&low, order);
    let before = (end.div_ceil(2) - 1) as f64;
    let scale = hinge * hinge * PI.powf(-1.5);
    Tail { values: now.values + scale * before.powf(-1.5) / 12.0, slopes: now.slopes + 0.6 * scale * before.powf(-0.5) }
}

/// ln sup|sigmoid^{(s)}| for sharpness b.
fn sigmoid_bound(b: f64, s: usize) -> f64 {
    if s == 0 {
        return 0.0;
    }
    // (1 − 2^{−t})ζ(t) = Σ 1/(odd)^t; from 3 on below ∫ by the factor of 3^{−t}(1 + 1/2 · 3/(t − 1))
    let t = (s + 1) as f64;
    let poles = (3f64.powf(-t) * (1.0 + 1.5 / (t - 1.0))).ln_1p();
    let from_poles = LN_2 + ln_factorial(s) - t * PI.ln() + poles;
    // sup|σ'| = 1/4 is attained, which the sum over the poles also finds
    s as f64 * b.ln() + from_poles
}

/// ln sup|softplus^{(s)}| for sharpness b; there is none for s = 0.
fn softplus_bound(b: f64, s: usize) -> f64 {
    match s {
        0 => f64::INFINITY,
        1 => 0.0,
        _ => sigmoid_bound(b, s - 1),
    }
}

fn ln_factorial(s: usize) -> f64 {
    (2..=s).map(|i| (i as f64).ln()).sum()
}

/// The least over s of both bounds, given ln sup|φ^{(s)}|.
fn logistic_tail(order: usize, supremum: impl Fn(usize) -> f64) -> Tail {
    let values = least(order, &supremum);
    // φ̂_0 has no part in Σ rφ̂_r²; the first term left out is that of φ' at order − 1.
    let slopes = least(order.saturating_sub(1), &|s| supremum(s + 1));
    Tail { values, slopes }
}

/// min_s sup|f^{(s)}|²(N−s)!/N! over s ≤ N, N the first term left out.
fn least(first: usize, supremum: &dyn Fn(usize) -> f64) -> f64 {
    let mut falling = 0.0;
    let mut best = f64::INFINITY;
    for s in 0..=first {
        let here = 2.0 * supremum(s) - falling;
        // The sequence is convex from s = 1 on: past its least it only grows.
        if here > best && s > 2 {
            break;
        }
        best = best.min(here);
        falling += ((first - s) as f64).ln();
    }
    best.exp()
}
