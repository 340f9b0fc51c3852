//! Softplus by tables of sixteen entries, which fit into registers, and shorter series.

use super::abreast::{Vectors, add, copysign, fma, horner, max, mul, reciprocal, splat, sub, where_greater};
use super::numbers::{INVERSES, LOGARITHMS, ROOTS, ROUNDER, SHORT_EXPONENTIAL, SHORT_LOGARITHM};
use super::{self as one, Real};

/// log₂(1 + 2ᵖ) and its slope 1/(1 + 2⁻ᵖ).
///
/// With −|p| = n + f, n a multiple of 1/16, u = 2^(−|p|) = 2ⁿ·2ᶠ, and 2ⁿ is 2^(i/16) times a power of two. With cᵢ close to
/// 1/(1 + u), log(1 + u) = log(1 + r) − log cᵢ, r = cᵢ(1 + u) − 1.
#[inline(always)]
pub(super) unsafe fn softplus<const R: usize>(p: Vectors<R>) -> (Vectors<R>, Vectors<R>) {
    let x = copysign(p, splat(-1.0));
    // Adding this rounds to a multiple of 1/16.
    let rounder = splat(ROUNDER / 16.0);
    let shifted = add(x, rounder);
    let n = sub(shifted, rounder);
    let f = sub(x, n);
    let root = look_up(&ROOTS, shifted);
    let u = times_power_of_two(fma(root, mul(f, horner(f, &SHORT_EXPONENTIAL)), root), n);
    let place = fma(u, splat(15.0), splat(ROUNDER));
    let y = add(splat(1.0), u);
    let r = fma(look_up(&INVERSES, place), y, splat(-1.0));
    let logarithm = fma(r, horner(r, &SHORT_LOGARITHM), look_up(&LOGARITHMS, place));
    let w = reciprocal(y);
    let slope = where_greater(splat(0.0), p, mul(u, w), w);
    (add(logarithm, max(splat(0.0), p)), slope)
}

#[inline(always)]
unsafe fn look_up<const R: usize>(table: &[Real; 16], mut places: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        places[r] = one::look_up(table, places[r]);
    }
    places
}

#[inline(always)]
unsafe fn times_power_of_two<const R: usize>(mut a: Vectors<R>, n: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::times_power_of_two(a[r], n[r]);
    }
    a
}
