//! Eight doubles in a register of 512 bits.

use std::arch::x86_64::*;

pub(super) use super::double as numbers;

#[path = "abreast.rs"]
mod abreast;
#[path = "body.rs"]
mod body;
#[path = "softplus_tables.rs"]
mod softplus;

pub(super) type Real = f64;
type Vector = __m512d;

/// Numbers in a vector.
const LANES: usize = 8;
/// Units of a tile: with [`TILE_VECTORS`], 24 sums in 32 registers.
const TILE_UNITS: usize = 6;
/// Vectors of samples of a tile.
const TILE_VECTORS: usize = 4;

/// Vectors of samples whose activations are evaluated side by side.
const ABREAST: usize = 4;

/// The whole training, compiled for these instructions.
///
/// # Safety
/// The processor has them.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
pub(super) unsafe fn train(task: &super::Task<'_>) -> super::Ran {
    body::train(task)
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn forward(work: &mut body::Workspace<'_>) {
    body::forward(work);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn activate(work: &mut body::Workspace<'_>) -> f64 {
    body::activate(work)
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn pull_back(work: &mut body::Workspace<'_>) {
    body::pull_back(work);
}

#[inline(always)]
unsafe fn splat(x: Real) -> Vector {
    _mm512_set1_pd(x)
}

#[inline(always)]
unsafe fn load(from: *const Real) -> Vector {
    _mm512_load_pd(from)
}

#[inline(always)]
unsafe fn store(to: *mut Real, x: Vector) {
    _mm512_store_pd(to, x);
}

#[inline(always)]
unsafe fn add(a: Vector, b: Vector) -> Vector {
    _mm512_add_pd(a, b)
}

#[inline(always)]
unsafe fn sub(a: Vector, b: Vector) -> Vector {
    _mm512_sub_pd(a, b)
}

#[inline(always)]
unsafe fn mul(a: Vector, b: Vector) -> Vector {
    _mm512_mul_pd(a, b)
}

/// 1/a, by division: it takes nine cycles of its own unit, and the multipliers are what is scarce.
#[inline(always)]
unsafe fn reciprocal(a: Vector) -> Vector {
    _mm512_div_pd(splat(1.0), a)
}

/// ab + c
#[inline(always)]
unsafe fn fma(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fmadd_pd(a, b, c)
}

/// c − ab
#[inline(always)]
unsafe fn fnma(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fnmadd_pd(a, b, c)
}

/// The larger; b where one of them is NaN.
#[inline(always)]
unsafe fn max(a: Vector, b: Vector) -> Vector {
    _mm512_max_pd(a, b)
}

/// The smaller; b where one of them is NaN.
#[inline(always)]
unsafe fn min(a: Vector, b: Vector) -> Vector {
    _mm512_min_pd(a, b)
}

/// |a| with the sign of b.
#[inline(always)]
unsafe fn copysign(a: Vector, b: Vector) -> Vector {
    let sign = splat(-0.0);
    _mm512_or_pd(_mm512_andnot_pd(sign, a), _mm512_and_pd(sign, b))
}

/// `then` where a > b.
#[inline(always)]
unsafe fn where_greater(a: Vector, b: Vector, then: Vector, otherwise: Vector) -> Vector {
    _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(a, b), otherwise, then)
}

/// 2ⁿ from n + ROUNDER, whose low bits are those of n.
#[inline(always)]
unsafe fn power_of_two(shifted: Vector) -> Vector {
    let n = _mm512_castpd_si512(shifted);
    _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_add_epi64(n, _mm512_set1_epi64(1023))))
}

/// a·2^⌊n⌋
#[inline(always)]
unsafe fn times_power_of_two(a: Vector, n: Vector) -> Vector {
    _mm512_scalef_pd(a, n)
}

/// Entries of a table by the four lowest bits of each number.
#[inline(always)]
unsafe fn look_up(table: &[Real; 16], places: Vector) -> Vector {
    let (low, high) = (_mm512_loadu_pd(table.as_ptr()), _mm512_loadu_pd(table.as_ptr().add(LANES)));
    _mm512_permutex2var_pd(low, _mm512_castpd_si512(places), high)
}

/// The sum of the lanes.
#[inline(always)]
unsafe fn sum(a: Vector) -> f64 {
    _mm512_reduce_add_pd(a)
}

/// Writes scale·(sum of the lanes) of four vectors side by side.
#[inline(always)]
unsafe fn store_sums(to: *mut Real, scale: Real, [a, b, c, d]: [Vector; 4]) {
    const UPPER: __mmask8 = 0xf0;
    let ac = add(_mm512_mask_blend_pd(UPPER, a, c), _mm512_shuffle_f64x2::<0x4e>(a, c));
    let bd = add(_mm512_mask_blend_pd(UPPER, b, d), _mm512_shuffle_f64x2::<0x4e>(b, d));
    let pairs = add(_mm512_unpacklo_pd(ac, bd), _mm512_unpackhi_pd(ac, bd));
    let (ab, cd) = (_mm512_castpd512_pd256(pairs), _mm512_extractf64x4_pd::<1>(pairs));
    let sums = _mm256_add_pd(_mm256_permute2f128_pd::<0x20>(ab, cd), _mm256_permute2f128_pd::<0x31>(ab, cd));
    _mm256_storeu_pd(to, _mm256_mul_pd(sums, _mm256_set1_pd(scale)));
}
