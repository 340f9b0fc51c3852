//! φ and φ' in the lanes.
//!
//! The logistic family is written in u = e^{−|p|} ≤ 1, so that nothing overflows; quotients share one reciprocal, and
//! exponents are binary, so that their fraction is exact.
//! Results are good to a few units in the last place of the larger of φ and 1 (φ' and 1).

use super::abreast::{
    add, constant, copysign, exponential, fma, fnma, horner, max, min, mul, reciprocal, splat, sub, where_greater,
};
use super::vector::{Real, Vector};
use crate::activation::{Activation, Smooth};

pub(super) const RELU: u8 = 0;
pub(super) const SOFTPLUS: u8 = 1;
pub(super) const QUADRATIC: u8 = 2;
pub(super) const TANH: u8 = 3;
pub(super) const ERF: u8 = 4;
pub(super) const HERMITE: u8 = 5;

/// An activation with its parameters in the working precision.
pub(super) enum ActivationCurve<R> {
    Relu,
    /// log₂(1 + 2ᵖ), which is b log₂e times log(1 + e^{bz})/b at p = b log₂e z: see [`stretch`].
    Softplus,
    Quadratic {
        alpha: R,
        beta: R,
        gamma: R,
    },
    Tanh,
    Erf,
    /// For each r: c_r, c_r√r, and the two factors of h_{r+1} = z h_r/√(r+1) − √(r/(r+1)) h_{r−1}.
    Hermite {
        terms: Vec<[R; 4]>,
    },
}

impl<R: Real> ActivationCurve<R> {
    pub(super) fn new(activation: &Activation) -> Self {
        match activation {
            Activation::Smooth(Smooth::Softplus { .. }) => ActivationCurve::Softplus,
            &Activation::Smooth(Smooth::Quadratic { alpha, beta, gamma }) => ActivationCurve::Quadratic {
                alpha: R::nearest(alpha),
                beta: R::nearest(beta),
                gamma: R::nearest(gamma),
            },
            Activation::Smooth(Smooth::Tanh) => ActivationCurve::Tanh,
            Activation::Smooth(Smooth::Erf) => ActivationCurve::Erf,
            Activation::Smooth(Smooth::Hermite { coefficients }) => {
                let term = |(r, c): (usize, &f64)| {
                    let r = r as f64;
                    [*c, c * r.sqrt(), 1.0 / (r + 1.0).sqrt(), (r / (r + 1.0)).sqrt()].map(R::nearest)
                };
                ActivationCurve::Hermite { terms: coefficients.iter().enumerate().map(term).collect() }
            }
            // Relu: jobs with any other activation are refused before they come here.
            _ => ActivationCurve::Relu,
        }
    }
}

/// The c of φ(z) = ψ(cz)/c, where ψ is the curve that is evaluated. With inputs c times as large and output weights c
/// times as small, f and its gradient are those of φ, and no sample pays for the stretching.
pub(super) fn stretch(activation: &Activation) -> f64 {
    match activation {
        Activation::Smooth(Smooth::Softplus { sharpness }) => sharpness * std::f64::consts::LOG2_E,
        _ => 1.0,
    }
}

/// Whether ψ' is cheaper to evaluate again than to keep.
pub(super) const fn is_cheap(kind: u8) -> bool {
    matches!(kind, RELU | QUADRATIC)
}

/// ψ of a cheap curve, which is of this kind.
#[inline(always)]
pub(super) unsafe fn value<V: Vector, const KIND: u8, const R: usize>(
    curve: &ActivationCurve<V::Real>,
    z: [V; R],
) -> [V; R] {
    match curve {
        ActivationCurve::Quadratic { alpha, beta, gamma } if KIND == QUADRATIC => {
            fma(fma(splat(*alpha), z, splat(*beta)), z, splat(*gamma))
        }
        _ => max(constant(0.0), z),
    }
}

/// sψ' of a cheap curve, which is of this kind.
#[inline(always)]
pub(super) unsafe fn slope_times<V: Vector, const KIND: u8, const R: usize>(
    curve: &ActivationCurve<V::Real>,
    z: [V; R],
    s: [V; R],
) -> [V; R] {
    match curve {
        ActivationCurve::Quadratic { alpha, beta, .. } if KIND == QUADRATIC => {
            mul(s, fma(splat(V::Real::nearest(2.0) * *alpha), z, splat(*beta)))
        }
        _ => where_greater(z, constant(0.0), s, constant(0.0)),
    }
}

/// ψ and ψ' of a curve that is not cheap and of this kind.
#[inline(always)]
pub(super) unsafe fn jet<V: Vector, const KIND: u8, const R: usize>(
    curve: &ActivationCurve<V::Real>,
    z: [V; R],
) -> ([V; R], [V; R]) {
    match (KIND, curve) {
        (TANH, _) => tanh(z),
        (ERF, _) => erf(z),
        (HERMITE, ActivationCurve::Hermite { terms }) => hermite(terms, z),
        _ => V::softplus(z),
    }
}

/// With q = e^{−2|z|} − 1: tanh|z| = −q/(2 + q), and the slope is 4(1 + q)/(2 + q)².
#[inline(always)]
unsafe fn tanh<V: Vector, const R: usize>(z: [V; R]) -> ([V; R], [V; R]) {
    let (q, scale) =
        exponential(copysign(mul(splat(V::Real::nearest(2.0) * V::Real::NUMBERS.log2_e), z), constant(-1.0)));
    let u = fma(q, scale, scale);
    let q = fma(q, scale, sub(scale, constant(1.0)));
    let w = reciprocal(add(constant(2.0), q));
    (copysign(mul(q, w), z), mul(mul(constant(4.0), u), mul(w, w)))
}

/// A polynomial near 0; farther out, one minus e^{−t²} times a polynomial in y = (t − 3)/(t + 3) over 1 + 2t.
#[inline(always)]
unsafe fn erf<V: Vector, const R: usize>(z: [V; R]) -> ([V; R], [V; R]) {
    let numbers = V::Real::NUMBERS;
    let t = min(splat(numbers.erf_far), copysign(z, constant(1.0)));
    let square = mul(t, t);
    let (q, scale) = exponential(mul(splat(-numbers.log2_e), square));
    let density = fma(q, scale, scale);
    let centre = splat(numbers.scaled_erfc_centre);
    let (sum, denominator) = (add(t, centre), fma(constant(2.0), t, constant(1.0)));
    let w = reciprocal(mul(sum, denominator));
    let y = mul(sub(t, centre), mul(denominator, w));
    let far = fnma(mul(density, mul(sum, w)), horner(y, numbers.scaled_erfc), constant(1.0));
    let near = mul(t, horner(square, numbers.erf));
    let value = where_greater(splat(numbers.erf_near), t, near, far);
    (copysign(value, z), mul(splat(numbers.frac_2_sqrt_pi), density))
}

/// Σ c_r h_r and Σ c_r √r h_{r−1} by the recurrence.
#[inline(always)]
unsafe fn hermite<V: Vector, const R: usize>(terms: &[[V::Real; 4]], z: [V; R]) -> ([V; R], [V; R]) {
    let (mut value, mut slope) = (constant(0.0), constant(0.0));
    let (mut before, mut now) = (constant(0.0), constant(1.0));
    for &[c, c_root, up, down] in terms {
        value = fma(splat(c), now, value);
        slope = fma(splat(c_root), before, slope);
        let next = fnma(splat(down), before, mul(mul(splat(up), z), now));
        (before, now) = (now, next);
    }
    (value, slope)
}
