//! The operations on vectors for processors of which nothing is known: arrays, and no fused multiply–add.

use super::{BIAS, Bits, LANES, MANTISSA_BITS, Real, body};

pub(super) type Vector = [Real; LANES];

/// Units of a tile: with [`TILE_VECTORS`], few sums for few registers.
pub(super) const TILE_UNITS: usize = 2;
/// Vectors of samples of a tile.
pub(super) const TILE_VECTORS: usize = 2;

/// Vectors of samples whose activations are evaluated side by side.
pub(super) const ABREAST: usize = 1;

/// The whole training.
///
/// # Safety
/// None is needed; the other paths have the same signature.
pub(in super::super) unsafe fn train(task: &super::super::Task<'_>) -> super::super::Ran {
    body::train(task)
}

#[inline(never)]
pub(super) unsafe fn forward(work: &mut body::Workspace<'_>) {
    body::forward(work);
}

#[inline(never)]
pub(super) unsafe fn activate(work: &mut body::Workspace<'_>) -> f64 {
    body::activate(work)
}

#[inline(never)]
pub(super) unsafe fn pull_back(work: &mut body::Workspace<'_>) {
    body::pull_back(work);
}

#[inline(always)]
fn each(f: impl Fn(usize) -> Real) -> Vector {
    let mut out = [0.0; LANES];
    for lane in 0..LANES {
        out[lane] = f(lane);
    }
    out
}

#[inline(always)]
pub(super) fn splat(x: Real) -> Vector {
    [x; LANES]
}

#[inline(always)]
pub(super) unsafe fn load(from: *const Real) -> Vector {
    from.cast::<Vector>().read()
}

#[inline(always)]
pub(super) unsafe fn store(to: *mut Real, x: Vector) {
    to.cast::<Vector>().write(x);
}

#[inline(always)]
pub(super) fn add(a: Vector, b: Vector) -> Vector {
    each(|i| a[i] + b[i])
}

#[inline(always)]
pub(super) fn sub(a: Vector, b: Vector) -> Vector {
    each(|i| a[i] - b[i])
}

#[inline(always)]
pub(super) fn mul(a: Vector, b: Vector) -> Vector {
    each(|i| a[i] * b[i])
}

/// 1/a.
#[inline(always)]
pub(super) fn reciprocal(a: Vector) -> Vector {
    each(|i| 1.0 / a[i])
}

/// ab + c, rounded twice.
#[inline(always)]
pub(super) fn fma(a: Vector, b: Vector, c: Vector) -> Vector {
    each(|i| a[i] * b[i] + c[i])
}

/// c − ab, rounded twice.
#[inline(always)]
pub(super) fn fnma(a: Vector, b: Vector, c: Vector) -> Vector {
    each(|i| c[i] - a[i] * b[i])
}

/// The larger; b where one of them is NaN.
#[inline(always)]
pub(super) fn max(a: Vector, b: Vector) -> Vector {
    each(|i| if a[i] > b[i] { a[i] } else { b[i] })
}

/// The smaller; b where one of them is NaN.
#[inline(always)]
pub(super) fn min(a: Vector, b: Vector) -> Vector {
    each(|i| if a[i] < b[i] { a[i] } else { b[i] })
}

/// |a| with the sign of b.
#[inline(always)]
pub(super) fn copysign(a: Vector, b: Vector) -> Vector {
    each(|i| a[i].copysign(b[i]))
}

/// `then` where a > b.
#[inline(always)]
pub(super) fn where_greater(a: Vector, b: Vector, then: Vector, otherwise: Vector) -> Vector {
    each(|i| if a[i] > b[i] { then[i] } else { otherwise[i] })
}

/// 2ⁿ from n + ROUNDER, whose low bits are those of n.
#[inline(always)]
pub(super) fn power_of_two(shifted: Vector) -> Vector {
    let bits = |x: Real| -> Bits { x.to_bits() };
    each(|i| Real::from_bits(bits(shifted[i]).wrapping_add(BIAS) << MANTISSA_BITS))
}

/// The sum of the lanes.
#[inline(always)]
#[allow(clippy::useless_conversion)] // f64 or f32: this file serves both.
pub(super) fn sum(a: Vector) -> f64 {
    a.iter().fold(0.0, |sum, x| sum + f64::from(*x))
}

/// Writes scale·(sum of the lanes) of four vectors side by side.
#[inline(always)]
pub(super) unsafe fn store_sums(to: *mut Real, scale: Real, of: [Vector; 4]) {
    let sums = of.map(|a| scale * a.iter().sum::<Real>());
    to.cast::<[Real; 4]>().write_unaligned(sums);
}
