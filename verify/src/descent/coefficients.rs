//! Hermite coefficients a_r = E φ'(g)h_r(g), g standard normal, between proved bounds.
//!
//! Σ a_r tʳ/√(r!) = E φ'(g)e^{tg − t²/2}, and by parts a_r = (φ'')^_{r−1}/√r. So
//!
//! * αz² + βz + γ: β, 2α. A Hermite series: a_r = √(r+1)c_{r+1}.
//! * erf: E(2/√π)e^{−g²}e^{tg−t²/2} = 2/√(3π)·e^{−t²/3}: a_0 = 2/√(3π), a_{r+2} = −(2/3)√((r+1)/(r+2))·a_r, no odd ones.
//! * cos: −E sin(g)e^{tg−t²/2} = −e^{−1/2}sin t: a_1 = −e^{−1/2}, a_{r+2} = −a_r/√((r+1)(r+2)), no even ones.
//! * gelu: a_0 = ½ and E φ''(g)e^{tg−t²/2} = (3/2 − t²/4)e^{−t²/4}/(2√π): a_{2m+1} = (m + 3/2)p_m/(2√π·√(2m+1)) with p_0 = 1,
//!   p_{m+1} = −½√((2m+1)/(2m+2))·p_m, no other even ones. (p_m = (−1/4)^m√((2m)!)/m!.)
//! * sigmoid, tanh, softplus from D_r = E σ'(bg)h_r(g), which is 0 for odd r: a_r = bD_r; 4D_r with b = 2; and a_0 = ½, a_r = bD_{r−1}/√r.
//!
//! **D_r by the trapezoidal rule** with step h. The integrand is analytic for |Im x| < π/b. On |y| ≤ a = min(1.5/b, 2) < π/(2b),
//! |cosh(b(x+iy)/2)|² = sinh²(bx/2) + cos²(by/2) ≥ ½, so |σ'| ≤ ½; the density is e^{y²/2} times that at x; and by Cauchy and
//! Schwarz ∫|h_r(x+iy)|density(x)dx ≤ (Σ_m (r over m)y^{2m}/m!)^½ ≤ e^{|y|√r}. So the integral of the absolute value on every such line
//! is at most N = ½e^{a²/2 + a√r} ≤ ½e^{10} for r ≤ 16, and the rule is off by at most 2N/(e^{2πa/h} − 1) (Trefethen and
//! Weideman, SIAM Review 56 (2014), Theorem 5.1). With h ≤ a/11 that is below e^{10}/(e^{69} − 1) < 10⁻²³. Nodes beyond
//! T = min(16, 64/b) are left out: there σ'(bx) ≤ e^{−b|x|}, |h_r|√density ≤ 1 (Cramér) and √density ≤ e^{−x²/4}, so they are worth
//! at most 2∫_T^∞ e^{−x²/4−bx}dx ≤ 2min(⅛e^{−64}, e^{−64}/b) < 10⁻²⁷. Everything else is computed between bounds; those of
//! h_r grow with r, which is why r ends at 16.

use std::f64::consts::FRAC_2_SQRT_PI;

use crate::activation::Activation;
use crate::arithmetic::{Enclosure, exponent, power_of_two};
use crate::elementary::{decreasing, exp};

/// Coefficients that are known, at most: a_0, …, a_16.
pub const MOST_TERMS: usize = 17;
/// What the trapezoidal rule and its nodes that are left out can be off by.
const QUADRATURE: f64 = 2e-23;

fn number(x: f64) -> Enclosure {
    Enclosure::exactly(x)
}

fn root(r: usize) -> Enclosure {
    number(r as f64).sqrt()
}

/// a_0, …, a_{count−1}; `None` for activations with a kink, and more than [`MOST_TERMS`] of them.
pub fn slope_coefficients(activation: &Activation, count: usize) -> Option<Vec<Enclosure>> {
    if count > MOST_TERMS {
        return None;
    }
    let zero = number(0.0);
    let two_by_root_pi = Enclosure { low: FRAC_2_SQRT_PI.next_down(), high: FRAC_2_SQRT_PI.next_up() };
    let mut found = match activation {
        Activation::Quadratic { alpha, beta, .. } => vec![number(*beta), 2.0 * number(*alpha)],
        Activation::Hermite { coefficients } => {
            coefficients.iter().enumerate().skip(1).map(|(r, c)| *c * root(r)).collect()
        }
        Activation::Erf => {
            let ratio =
                |r: usize| number(-2.0) * (number((r + 1) as f64) / number((r + 2) as f64)).sqrt() / number(3.0);
            every_other(count, 0, two_by_root_pi / root(3), ratio)
        }
        Activation::Cos => {
            let ratio = |r: usize| number(-1.0) / number(((r + 1) * (r + 2)) as f64).sqrt();
            every_other(count, 1, number(-1.0) * exp(-0.5), ratio)
        }
        Activation::Gelu => {
            let ratio = |r: usize| number(-0.5) * (number(r as f64) / number((r + 1) as f64)).sqrt();
            let powers = every_other(count, 1, 0.25 * two_by_root_pi, ratio);
            let term = |(r, p): (usize, Enclosure)| (0.5 * r as f64 + 1.0) * p / root(r.max(1));
            let mut found: Vec<Enclosure> = powers.into_iter().enumerate().map(term).collect();
            found.iter_mut().take(1).for_each(|a| *a = number(0.5));
            found
        }
        Activation::Sigmoid { sharpness } => logistic(*sharpness, count).iter().map(|D| *sharpness * *D).collect(),
        Activation::Tanh => logistic(2.0, count).iter().map(|D| 4.0 * *D).collect(),
        Activation::Softplus { sharpness } => {
            let higher = logistic(*sharpness, count).into_iter().enumerate();
            let higher = higher.map(|(r, D)| *sharpness * D / root(r + 1));
            std::iter::once(number(0.5)).chain(higher).collect()
        }
        Activation::Relu | Activation::LeakyRelu { .. } | Activation::Abs => return None,
    };
    found.resize(count, zero);
    Some(found)
}

/// 0 but for r = start, start + 2, …: first, first·ratio(start), first·ratio(start)·ratio(start + 2), …
fn every_other(count: usize, start: usize, first: Enclosure, ratio: impl Fn(usize) -> Enclosure) -> Vec<Enclosure> {
    let (mut found, mut next) = (vec![number(0.0); count], first);
    for r in (start..count).step_by(2) {
        found[r] = next;
        next = next * ratio(r);
    }
    found
}

/// D_0, …, D_{count−1}
fn logistic(b: f64, count: usize) -> Vec<Enclosure> {
    let width = (1.5 / b).min(2.0);
    // A power of two at most a/11, so that nodes are exact.
    let h = power_of_two(exponent(width / 11.0));
    let last = ((64.0 / b).min(16.0) / h).ceil() as usize;
    let half = Activation::Sigmoid { sharpness: b };
    let mut sums = vec![number(0.0); count];
    for j in 0..=last {
        let x = j as f64 * h;
        let density = decreasing(|square| exp(-square), 0.5 * number(x).squared());
        // Nodes ±x, and σ'(bx) = sigmoid'(x)/b.
        let weight = if j == 0 { 1.0 } else { 2.0 } * half.slope(number(x)) * density;
        let (mut before, mut now) = (number(0.0), number(1.0));
        for r in 0..count {
            if r.is_multiple_of(2) {
                sums[r] = sums[r] + weight * now;
            }
            let next = (x * now - root(r) * before) / root(r + 1);
            (before, now) = (now, next);
        }
    }
    // The density has the factor 1/√(2π) = (2/√π)/(2√2).
    let factor = Enclosure { low: FRAC_2_SQRT_PI.next_down(), high: FRAC_2_SQRT_PI.next_up() } / root(8);
    let off = Enclosure { low: -QUADRATURE, high: QUADRATURE };
    let scaled =
        |r: usize, sum: Enclosure| h * (factor * sum) / number(b) + if r.is_multiple_of(2) { off } else { number(0.0) };
    sums.into_iter().enumerate().map(|(r, sum)| scaled(r, sum)).collect()
}
