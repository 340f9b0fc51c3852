//! The operations on several vectors abreast: the chains of dependent operations of an activation are long, and a
//! processor that sees only one of them waits for it.

use super::vector::{Real, Vector};

#[inline(always)]
pub(super) unsafe fn splat<V: Vector, const R: usize>(x: V::Real) -> [V; R] {
    [V::splat(x); R]
}

/// A number that both precisions hold, or its nearest neighbour.
#[inline(always)]
pub(super) unsafe fn constant<V: Vector, const R: usize>(x: f64) -> [V; R] {
    splat(V::Real::nearest(x))
}

#[inline(always)]
pub(super) unsafe fn add<V: Vector, const R: usize>(mut a: [V; R], b: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].add(b[r]);
    }
    a
}

#[inline(always)]
pub(super) unsafe fn sub<V: Vector, const R: usize>(mut a: [V; R], b: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].sub(b[r]);
    }
    a
}

#[inline(always)]
pub(super) unsafe fn mul<V: Vector, const R: usize>(mut a: [V; R], b: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].mul(b[r]);
    }
    a
}

/// ab + c
#[inline(always)]
pub(super) unsafe fn fma<V: Vector, const R: usize>(a: [V; R], b: [V; R], mut c: [V; R]) -> [V; R] {
    for r in 0..R {
        c[r] = a[r].fma(b[r], c[r]);
    }
    c
}

/// c − ab
#[inline(always)]
pub(super) unsafe fn fnma<V: Vector, const R: usize>(a: [V; R], b: [V; R], mut c: [V; R]) -> [V; R] {
    for r in 0..R {
        c[r] = a[r].fnma(b[r], c[r]);
    }
    c
}

/// 1/a
#[inline(always)]
pub(super) unsafe fn reciprocal<V: Vector, const R: usize>(mut a: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].reciprocal();
    }
    a
}

/// The larger; b where one of them is NaN.
#[inline(always)]
pub(super) unsafe fn max<V: Vector, const R: usize>(mut a: [V; R], b: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].max(b[r]);
    }
    a
}

/// The smaller; b where one of them is NaN.
#[inline(always)]
pub(super) unsafe fn min<V: Vector, const R: usize>(mut a: [V; R], b: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].min(b[r]);
    }
    a
}

/// |a| with the sign of b.
#[inline(always)]
pub(super) unsafe fn copysign<V: Vector, const R: usize>(mut a: [V; R], b: [V; R]) -> [V; R] {
    for r in 0..R {
        a[r] = a[r].copysign(b[r]);
    }
    a
}

/// `then` where a > b.
#[inline(always)]
pub(super) unsafe fn where_greater<V: Vector, const R: usize>(
    a: [V; R],
    b: [V; R],
    mut then: [V; R],
    otherwise: [V; R],
) -> [V; R] {
    for r in 0..R {
        then[r] = a[r].where_greater(b[r], then[r], otherwise[r]);
    }
    then
}

/// 2ⁿ from n + ROUNDER, whose low bits are those of n.
#[inline(always)]
pub(super) unsafe fn power_of_two<V: Vector, const R: usize>(mut shifted: [V; R]) -> [V; R] {
    for r in 0..R {
        shifted[r] = shifted[r].power_of_two();
    }
    shifted
}

/// Σ c_i xⁱ by Horner's rule.
#[inline(always)]
pub(super) unsafe fn horner<V: Vector, const R: usize>(x: [V; R], c: &[V::Real]) -> [V; R] {
    let last = c.len() - 1;
    let mut total = splat(c[last]);
    for i in (0..last).rev() {
        total = fma(total, x, splat(c[i]));
    }
    total
}

/// For x ≤ 0: (q, 2ⁿ) with 2ˣ = (1 + q)·2ⁿ, |q| < 0.42.
#[inline(always)]
pub(super) unsafe fn exponential<V: Vector, const R: usize>(x: [V; R]) -> ([V; R], [V; R]) {
    let numbers = V::Real::NUMBERS;
    let x = max(splat(numbers.least_exponent), x);
    let shifted = add(x, splat(numbers.rounder));
    let f = sub(x, sub(shifted, splat(numbers.rounder)));
    (mul(f, horner(f, numbers.exponential)), power_of_two(shifted))
}
