//! Sixteen single-precision numbers in a register of 512 bits.

use std::arch::x86_64::*;

pub(super) use super::single as numbers;

#[path = "abreast.rs"]
mod abreast;
#[path = "body.rs"]
mod body;
#[path = "softplus_tables.rs"]
mod softplus;

pub(super) type Real = f32;
type Vector = __m512;

/// Numbers in a vector.
const LANES: usize = 16;
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
    _mm512_set1_ps(x)
}

#[inline(always)]
unsafe fn load(from: *const Real) -> Vector {
    _mm512_load_ps(from)
}

#[inline(always)]
unsafe fn store(to: *mut Real, x: Vector) {
    _mm512_store_ps(to, x);
}

#[inline(always)]
unsafe fn add(a: Vector, b: Vector) -> Vector {
    _mm512_add_ps(a, b)
}

#[inline(always)]
unsafe fn sub(a: Vector, b: Vector) -> Vector {
    _mm512_sub_ps(a, b)
}

#[inline(always)]
unsafe fn mul(a: Vector, b: Vector) -> Vector {
    _mm512_mul_ps(a, b)
}

/// 1/a for |a| far from the ends of the range: 14 bits x, and with e = 1 − ax, x(1 + e) = (1 − e²)/a.
#[inline(always)]
unsafe fn reciprocal(a: Vector) -> Vector {
    let x = _mm512_rcp14_ps(a);
    fma(x, fnma(a, x, splat(1.0)), x)
}

/// ab + c
#[inline(always)]
unsafe fn fma(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fmadd_ps(a, b, c)
}

/// c − ab
#[inline(always)]
unsafe fn fnma(a: Vector, b: Vector, c: Vector) -> Vector {
    _mm512_fnmadd_ps(a, b, c)
}

/// The larger; b where one of them is NaN.
#[inline(always)]
unsafe fn max(a: Vector, b: Vector) -> Vector {
    _mm512_max_ps(a, b)
}

/// The smaller; b where one of them is NaN.
#[inline(always)]
unsafe fn min(a: Vector, b: Vector) -> Vector {
    _mm512_min_ps(a, b)
}

/// |a| with the sign of b.
#[inline(always)]
unsafe fn copysign(a: Vector, b: Vector) -> Vector {
    let sign = splat(-0.0);
    _mm512_or_ps(_mm512_andnot_ps(sign, a), _mm512_and_ps(sign, b))
}

/// `then` where a > b.
#[inline(always)]
unsafe fn where_greater(a: Vector, b: Vector, then: Vector, otherwise: Vector) -> Vector {
    _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b), otherwise, then)
}

/// 2ⁿ from n + ROUNDER, whose low bits are those of n.
#[inline(always)]
unsafe fn power_of_two(shifted: Vector) -> Vector {
    let n = _mm512_castps_si512(shifted);
    _mm512_castsi512_ps(_mm512_slli_epi32::<23>(_mm512_add_epi32(n, _mm512_set1_epi32(127))))
}

/// a·2^⌊n⌋
#[inline(always)]
unsafe fn times_power_of_two(a: Vector, n: Vector) -> Vector {
    _mm512_scalef_ps(a, n)
}

/// Entries of a table by the four lowest bits of each number.
#[inline(always)]
unsafe fn look_up(table: &[Real; 16], places: Vector) -> Vector {
    _mm512_permutexvar_ps(_mm512_castps_si512(places), _mm512_loadu_ps(table.as_ptr()))
}

/// The sum of the lanes.
#[inline(always)]
unsafe fn sum(a: Vector) -> f64 {
    f64::from(_mm512_reduce_add_ps(a))
}

/// Writes scale·(sum of the lanes) of four vectors side by side.
#[inline(always)]
unsafe fn store_sums(to: *mut Real, scale: Real, [a, b, c, d]: [Vector; 4]) {
    const UPPER: __mmask16 = 0xff00;
    let ac = add(_mm512_mask_blend_ps(UPPER, a, c), _mm512_shuffle_f32x4::<0x4e>(a, c));
    let bd = add(_mm512_mask_blend_ps(UPPER, b, d), _mm512_shuffle_f32x4::<0x4e>(b, d));
    let pairs = add(_mm512_unpacklo_ps(ac, bd), _mm512_unpackhi_ps(ac, bd));
    let (ab, cd) = (_mm512_castps512_ps256(pairs), _mm512_extractf32x8_ps::<1>(pairs));
    let fours = _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(ab, cd), _mm256_permute2f128_ps::<0x31>(ab, cd));
    let (ab, cd) = (_mm256_castps256_ps128(fours), _mm256_extractf128_ps::<1>(fours));
    let sums = _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
    _mm_storeu_ps(to, _mm_mul_ps(sums, _mm_set1_ps(scale)));
}
