//! Softplus by series.

use super::abreast::{Vectors, add, copysign, exponential, fma, horner, max, mul, reciprocal, splat, where_greater};
use super::numbers::{LOG2_E, LOGARITHM};

/// log₂(1 + 2ᵖ) and its slope 1/(1 + 2⁻ᵖ), with u = 2^(−|p|), t = u/(2 + u) and log(1 + u) = 2 atanh t.
#[inline(always)]
pub(super) unsafe fn softplus<const R: usize>(p: Vectors<R>) -> (Vectors<R>, Vectors<R>) {
    let (q, scale) = exponential(copysign(p, splat(-1.0)));
    let u = fma(q, scale, scale);
    let (one_more, two_more) = (add(splat(1.0), u), add(splat(2.0), u));
    let w = reciprocal(mul(one_more, two_more));
    let slope = mul(where_greater(splat(0.0), p, u, splat(1.0)), mul(two_more, w));
    let t = mul(mul(u, one_more), w);
    let s = mul(t, t);
    let series = fma(s, horner(s, &LOGARITHM), splat(1.0));
    (fma(mul(t, splat(2.0 * LOG2_E)), series, max(splat(0.0), p)), slope)
}
