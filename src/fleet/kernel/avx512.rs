//! Registers of 512 bits: eight doubles, or sixteen single-precision numbers. The two differ in the endings of intrinsics, in
//! the reciprocal, and where lanes are summed. There are registers enough for tables.

use std::arch::x86_64::*;

use super::vector::Vector;
use super::workspace::Workspace;
use super::{Ran, Task, body, passes, softplus_tables};

impl Vector for __m512d {
    type Real = f64;

    const LANES: usize = 8;
    // 24 sums in 32 registers.
    const TILE_UNITS: usize = 6;
    const TILE_VECTORS: usize = 4;
    const ABREAST: usize = 4;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn train(task: &Task<'_>) -> Ran {
        body::train::<Self>(task)
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn forward(work: &mut Workspace<'_, Self>) {
        passes::forward(work);
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn activate(work: &mut Workspace<'_, Self>) -> f64 {
        passes::activate(work)
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn pull_back(work: &mut Workspace<'_, Self>) {
        passes::pull_back(work);
    }

    #[inline(always)]
    unsafe fn splat(x: Self::Real) -> Self {
        _mm512_set1_pd(x)
    }

    #[inline(always)]
    unsafe fn load(from: *const Self::Real) -> Self {
        _mm512_load_pd(from)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Self::Real) {
        _mm512_store_pd(to, self);
    }

    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        _mm512_add_pd(self, b)
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm512_sub_pd(self, b)
    }

    #[inline(always)]
    unsafe fn mul(self, b: Self) -> Self {
        _mm512_mul_pd(self, b)
    }

    /// 1/self, by division: it takes nine cycles of its own unit, and the multipliers are what is scarce.
    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        _mm512_div_pd(Self::splat(1.0), self)
    }

    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        _mm512_fmadd_pd(self, b, c)
    }

    #[inline(always)]
    unsafe fn fnma(self, b: Self, c: Self) -> Self {
        _mm512_fnmadd_pd(self, b, c)
    }

    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        _mm512_max_pd(self, b)
    }

    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        _mm512_min_pd(self, b)
    }

    #[inline(always)]
    unsafe fn copysign(self, b: Self) -> Self {
        let sign = Self::splat(-0.0);
        _mm512_or_pd(_mm512_andnot_pd(sign, self), _mm512_and_pd(sign, b))
    }

    #[inline(always)]
    unsafe fn where_greater(self, b: Self, then: Self, otherwise: Self) -> Self {
        _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(self, b), otherwise, then)
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        let n = _mm512_castpd_si512(self);
        _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_add_epi64(n, _mm512_set1_epi64(1023))))
    }

    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        _mm512_reduce_add_pd(self)
    }

    #[inline(always)]
    unsafe fn store_sums([a, b, c, d]: [Self; 4], scale: Self::Real, to: *mut Self::Real) {
        const UPPER: __mmask8 = 0xf0;
        let ac = Self::add(_mm512_mask_blend_pd(UPPER, a, c), _mm512_shuffle_f64x2::<0x4e>(a, c));
        let bd = Self::add(_mm512_mask_blend_pd(UPPER, b, d), _mm512_shuffle_f64x2::<0x4e>(b, d));
        let pairs = Self::add(_mm512_unpacklo_pd(ac, bd), _mm512_unpackhi_pd(ac, bd));
        let (ab, cd) = (_mm512_castpd512_pd256(pairs), _mm512_extractf64x4_pd::<1>(pairs));
        let sums = _mm256_add_pd(_mm256_permute2f128_pd::<0x20>(ab, cd), _mm256_permute2f128_pd::<0x31>(ab, cd));
        _mm256_storeu_pd(to, _mm256_mul_pd(sums, _mm256_set1_pd(scale)));
    }

    #[inline(always)]
    unsafe fn softplus<const R: usize>(p: [Self; R]) -> ([Self; R], [Self; R]) {
        softplus_tables::softplus(p, double_entry, double_times_power)
    }
}

impl Vector for __m512 {
    type Real = f32;

    const LANES: usize = 16;
    // 24 sums in 32 registers.
    const TILE_UNITS: usize = 6;
    const TILE_VECTORS: usize = 4;
    const ABREAST: usize = 4;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn train(task: &Task<'_>) -> Ran {
        body::train::<Self>(task)
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn forward(work: &mut Workspace<'_, Self>) {
        passes::forward(work);
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn activate(work: &mut Workspace<'_, Self>) -> f64 {
        passes::activate(work)
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
    unsafe fn pull_back(work: &mut Workspace<'_, Self>) {
        passes::pull_back(work);
    }

    #[inline(always)]
    unsafe fn splat(x: Self::Real) -> Self {
        _mm512_set1_ps(x)
    }

    #[inline(always)]
    unsafe fn load(from: *const Self::Real) -> Self {
        _mm512_load_ps(from)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Self::Real) {
        _mm512_store_ps(to, self);
    }

    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        _mm512_add_ps(self, b)
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm512_sub_ps(self, b)
    }

    #[inline(always)]
    unsafe fn mul(self, b: Self) -> Self {
        _mm512_mul_ps(self, b)
    }

    /// 1/a for |a| far from the ends of the range: 14 bits x, and with e = 1 − ax, x(1 + e) = (1 − e²)/a.
    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        let x = _mm512_rcp14_ps(self);
        x.fma(self.fnma(x, Self::splat(1.0)), x)
    }

    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        _mm512_fmadd_ps(self, b, c)
    }

    #[inline(always)]
    unsafe fn fnma(self, b: Self, c: Self) -> Self {
        _mm512_fnmadd_ps(self, b, c)
    }

    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        _mm512_max_ps(self, b)
    }

    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        _mm512_min_ps(self, b)
    }

    #[inline(always)]
    unsafe fn copysign(self, b: Self) -> Self {
        let sign = Self::splat(-0.0);
        _mm512_or_ps(_mm512_andnot_ps(sign, self), _mm512_and_ps(sign, b))
    }

    #[inline(always)]
    unsafe fn where_greater(self, b: Self, then: Self, otherwise: Self) -> Self {
        _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(self, b), otherwise, then)
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        let n = _mm512_castps_si512(self);
        _mm512_castsi512_ps(_mm512_slli_epi32::<23>(_mm512_add_epi32(n, _mm512_set1_epi32(127))))
    }

    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        f64::from(_mm512_reduce_add_ps(self))
    }

    #[inline(always)]
    unsafe fn store_sums([a, b, c, d]: [Self; 4], scale: Self::Real, to: *mut Self::Real) {
        const UPPER: __mmask16 = 0xff00;
        let ac = Self::add(_mm512_mask_blend_ps(UPPER, a, c), _mm512_shuffle_f32x4::<0x4e>(a, c));
        let bd = Self::add(_mm512_mask_blend_ps(UPPER, b, d), _mm512_shuffle_f32x4::<0x4e>(b, d));
        let pairs = Self::add(_mm512_unpacklo_ps(ac, bd), _mm512_unpackhi_ps(ac, bd));
        let (ab, cd) = (_mm512_castps512_ps256(pairs), _mm512_extractf32x8_ps::<1>(pairs));
        let fours = _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(ab, cd), _mm256_permute2f128_ps::<0x31>(ab, cd));
        let (ab, cd) = (_mm256_castps256_ps128(fours), _mm256_extractf128_ps::<1>(fours));
        let sums = _mm_add_ps(_mm_movelh_ps(ab, cd), _mm_movehl_ps(cd, ab));
        _mm_storeu_ps(to, _mm_mul_ps(sums, _mm_set1_ps(scale)));
    }

    #[inline(always)]
    unsafe fn softplus<const R: usize>(p: [Self; R]) -> ([Self; R], [Self; R]) {
        softplus_tables::softplus(p, single_entry, single_times_power)
    }
}

/// Entries of a table by the four lowest bits of each number.
#[inline(always)]
fn double_entry(table: &[f64; 16], places: __m512d) -> __m512d {
    // SAFETY: called by `softplus` alone, where the processor has the instructions; both halves are inside the table.
    unsafe {
        let (low, high) = (_mm512_loadu_pd(table.as_ptr()), _mm512_loadu_pd(table.as_ptr().add(8)));
        _mm512_permutex2var_pd(low, _mm512_castpd_si512(places), high)
    }
}

/// The same in single precision.
#[inline(always)]
fn single_entry(table: &[f32; 16], places: __m512) -> __m512 {
    // SAFETY: as above.
    unsafe { _mm512_permutexvar_ps(_mm512_castps_si512(places), _mm512_loadu_ps(table.as_ptr())) }
}

/// a·2^⌊n⌋
#[inline(always)]
fn double_times_power(a: __m512d, n: __m512d) -> __m512d {
    // SAFETY: as above.
    unsafe { _mm512_scalef_pd(a, n) }
}

/// The same in single precision.
#[inline(always)]
fn single_times_power(a: __m512, n: __m512) -> __m512 {
    // SAFETY: as above.
    unsafe { _mm512_scalef_ps(a, n) }
}
