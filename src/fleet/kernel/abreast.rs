//! The operations on several vectors abreast: the chains of dependent operations of an activation are long, and a
//! processor that sees only one of them waits for it.

use super::numbers::{EXPONENTIAL, LEAST_EXPONENT, ROUNDER};
use super::{self as one, Real, Vector};

pub(super) type Vectors<const R: usize> = [Vector; R];

#[inline(always)]
pub(super) unsafe fn splat<const R: usize>(x: Real) -> Vectors<R> {
    [one::splat(x); R]
}

#[inline(always)]
pub(super) unsafe fn add<const R: usize>(mut a: Vectors<R>, b: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::add(a[r], b[r]);
    }
    a
}

#[inline(always)]
pub(super) unsafe fn sub<const R: usize>(mut a: Vectors<R>, b: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::sub(a[r], b[r]);
    }
    a
}

#[inline(always)]
pub(super) unsafe fn mul<const R: usize>(mut a: Vectors<R>, b: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::mul(a[r], b[r]);
    }
    a
}

/// ab + c
#[inline(always)]
pub(super) unsafe fn fma<const R: usize>(a: Vectors<R>, b: Vectors<R>, mut c: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        c[r] = one::fma(a[r], b[r], c[r]);
    }
    c
}

/// c − ab
#[inline(always)]
pub(super) unsafe fn fnma<const R: usize>(a: Vectors<R>, b: Vectors<R>, mut c: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        c[r] = one::fnma(a[r], b[r], c[r]);
    }
    c
}

/// 1/a
#[inline(always)]
pub(super) unsafe fn reciprocal<const R: usize>(mut a: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::reciprocal(a[r]);
    }
    a
}

/// The larger; b where one of them is NaN.
#[inline(always)]
pub(super) unsafe fn max<const R: usize>(mut a: Vectors<R>, b: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::max(a[r], b[r]);
    }
    a
}

/// The smaller; b where one of them is NaN.
#[inline(always)]
pub(super) unsafe fn min<const R: usize>(mut a: Vectors<R>, b: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::min(a[r], b[r]);
    }
    a
}

/// |a| with the sign of b.
#[inline(always)]
pub(super) unsafe fn copysign<const R: usize>(mut a: Vectors<R>, b: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        a[r] = one::copysign(a[r], b[r]);
    }
    a
}

/// `then` where a > b.
#[inline(always)]
pub(super) unsafe fn where_greater<const R: usize>(
    a: Vectors<R>,
    b: Vectors<R>,
    mut then: Vectors<R>,
    otherwise: Vectors<R>,
) -> Vectors<R> {
    for r in 0..R {
        then[r] = one::where_greater(a[r], b[r], then[r], otherwise[r]);
    }
    then
}

/// 2ⁿ from n + ROUNDER, whose low bits are those of n.
#[inline(always)]
pub(super) unsafe fn power_of_two<const R: usize>(mut shifted: Vectors<R>) -> Vectors<R> {
    for r in 0..R {
        shifted[r] = one::power_of_two(shifted[r]);
    }
    shifted
}

/// Σ c_i xⁱ by Horner's rule.
#[inline(always)]
pub(super) unsafe fn horner<const R: usize, const N: usize>(x: Vectors<R>, c: &[Real; N]) -> Vectors<R> {
    let mut total = splat(c[N - 1]);
    for i in (0..N - 1).rev() {
        total = fma(total, x, splat(c[i]));
    }
    total
}

/// For x ≤ 0: (q, 2ⁿ) with 2ˣ = (1 + q)·2ⁿ, |q| < 0.42.
#[inline(always)]
pub(super) unsafe fn exponential<const R: usize>(x: Vectors<R>) -> (Vectors<R>, Vectors<R>) {
    let x = max(splat(LEAST_EXPONENT), x);
    let shifted = add(x, splat(ROUNDER));
    let f = sub(x, sub(shifted, splat(ROUNDER)));
    (mul(f, horner(f, &EXPONENTIAL)), power_of_two(shifted))
}
