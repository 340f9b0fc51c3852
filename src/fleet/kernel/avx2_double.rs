//! Four doubles in a register of 256 bits.

use std::arch::x86_64::*;

pub(super) use super::double as numbers;

#[path = "abreast.rs"]
mod abreast;
#[path = "body.rs"]
mod body;
#[path = "softplus_series.rs"]
mod softplus;

pub(super) type Real = f64;
type Vector = __m256d;

/// Numbers in a vector.
const LANES: usize = 4;
/// Units of a tile: with [`TILE_VECTORS`], 12 sums in 16 registers.
const TILE_UNITS: usize = 3;
/// Vectors of samples of a tile.
const TILE_VECTORS: usize = 4;

/// Vectors of samples whose activations are evaluated side by side.
const ABREAST: usize = 2;

/// The whole training, compiled for these instructions.
///
/// # Safety
/// The processor has them.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn train(task: &super::Task<'_>) -> super::Ran {
    body::train(task)
}

#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn forward(work: &mut body::Workspace<'_>) {
    body::forward(work);
}

#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn activate(work: &mut body::Workspace<'_>) -> f64 {
    body::activate(work)
}

#[inline(never)]
#[target_feature(enable = "avx2,fma")]
unsafe fn pull_back(work: &mut body::Workspace<'_>) {
    body::pull_back(work);
}

#[inline(always)]
unsafe fn splat(x: Real) -> Vector {
    _mm256_set1_pd(x)
}

#[inline(always)]
unsafe fn load(from: *const Real) -> Vector {
    _mm256_load_pd(from)
}

#[inline(always)]
unsafe fn store(to: *mut Real, x: Vector) {
    _mm256_store_pd(to, x);
}

#[inline(always)]
unsafe fn add(a: Vector, b: Vector) -> Vector {
    _mm256_add_pd(a, b)
}

#[inline(always)]
unsafe fn sub(a: Vector, b: Vector) -> Vector {
    _mm256_sub_pd(a, b)
}

#[inline(always)]
unsafe fn mul(a: Vector, b: Vector) -> Vector {
    _mm256_mul_pd(a, b)
}

/// 1/a.
#[inline(always)]
unsafe fn reciprocal(a: Vector) -> Vector {
    _mm256_div_pd(splat(1.0), a)
}

/// ab + c
#[inline(always)]
unsafe fn fma(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm256_fmadd_pd(a, b, c)
}

/// c − ab
#[inline(always)]
unsafe fn fnma(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm256_fnmadd_pd(a, b, c)
}

/// The larger; b where one of them is NaN.
#[inline(always)]
unsafe fn max(a: Vector, b: Vector) -> Vector {
    _mm256_max_pd(a, b)
}

/// The smaller; b where one of them is NaN.
#[inline(always)]
unsafe fn min(a: Vector, b: Vector) -> Vector {
    _mm256_min_pd(a, b)
}

/// |a| with the sign of b.
#[inline(always)]
unsafe fn copysign(a: Vector, b: Vector) -> Vector {
    let sign = splat(-0.0);
    _mm256_or_pd(_mm256_andnot_pd(sign, a), _mm256_and_pd(sign, b))
}

/// `then` where a > b.
#[inline(always)]
unsafe fn where_greater(a: Vector, b: Vector, then: Vector, otherwise: Vector) -> Vector {
    _mm256_blendv_pd(otherwise, then, _mm256_cmp_pd::<_CMP_GT_OQ>(a, b))
}

/// 2ⁿ from n + ROUNDER, whose low bits are those of n.
#[inline(always)]
unsafe fn power_of_two(shifted: Vector) -> Vector {
    let n = _mm256_castpd_si256(shifted);
    _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_add_epi64(n, _mm256_set1_epi64x(1023))))
}

/// The sum of the lanes.
#[inline(always)]
unsafe fn sum(a: Vector) -> f64 {
    let halves = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd::<1>(a));
    _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)))
}

/// Writes scale·(sum of the lanes) of four vectors side by side.
#[inline(always)]
unsafe fn store_sums(to: *mut Real, scale: Real, [a, b, c, d]: [Vector; 4]) {
    let (ab, cd) = (_mm256_hadd_pd(a, b), _mm256_hadd_pd(c, d));
    let sums = add(_mm256_blend_pd::<0b1100>(ab, cd), _mm256_permute2f128_pd::<0x21>(ab, cd));
    _mm256_storeu_pd(to, mul(sums, splat(scale)));
}
