//! Softplus by series.

use super::abreast::{add, constant, copysign, exponential, fma, horner, max, mul, reciprocal, splat, where_greater};
use super::vector::{Real, Vector};

/// log₂(1 + 2ᵖ) and its slope 1/(1 + 2⁻ᵖ), with u = 2^(−|p|), t = u/(2 + u) and log(1 + u) = 2 atanh t.
#[inline(always)]
pub(super) unsafe fn softplus<V: Vector, const R: usize>(p: [V; R]) -> ([V; R], [V; R]) {
    let numbers = V::Real::NUMBERS;
    let (q, scale) = exponential(copysign(p, constant(-1.0)));
    let u = fma(q, scale, scale);
    let (one_more, two_more) = (add(constant(1.0), u), add(constant(2.0), u));
    let w = reciprocal(mul(one_more, two_more));
    let slope = mul(where_greater(constant(0.0), p, u, constant(1.0)), mul(two_more, w));
    let t = mul(mul(u, one_more), w);
    let s = mul(t, t);
    let series = fma(s, horner(s, numbers.logarithm), constant(1.0));
    (fma(mul(t, splat(V::Real::nearest(2.0) * numbers.log2_e)), series, max(constant(0.0), p)), slope)
}
