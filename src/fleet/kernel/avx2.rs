//! Registers of 256 bits: four doubles, or eight single-precision numbers. The two differ in the endings of intrinsics, and
//! where lanes are summed.

use std::arch::x86_64::*;

use super::vector::Vector;
use super::workspace::Workspace;
use super::{Ran, Task, body, passes};

impl Vector for __m256d {
    type Real = f64;

    const LANES: usize = 4;
    // 12 sums in 16 registers.
    const TILE_UNITS: usize = 3;
    const TILE_VECTORS: usize = 4;
    const ABREAST: usize = 2;

    #[target_feature(enable = "avx2,fma")]
    unsafe fn train(task: &Task<'_>) -> Ran {
        body::train::<Self>(task)
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn forward(work: &mut Workspace<'_, Self>) {
        passes::forward(work);
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn activate(work: &mut Workspace<'_, Self>) -> f64 {
        passes::activate(work)
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn pull_back(work: &mut Workspace<'_, Self>) {
        passes::pull_back(work);
    }

    #[inline(always)]
    unsafe fn splat(x: Self::Real) -> Self {
        _mm256_set1_pd(x)
    }

    #[inline(always)]
    unsafe fn load(from: *const Self::Real) -> Self {
        _mm256_load_pd(from)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Self::Real) {
        _mm256_store_pd(to, self);
    }

    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        _mm256_add_pd(self, b)
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm256_sub_pd(self, b)
    }

    #[inline(always)]
    unsafe fn mul(self, b: Self) -> Self {
        _mm256_mul_pd(self, b)
    }

    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        _mm256_div_pd(Self::splat(1.0), self)
    }

    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        _mm256_fmadd_pd(self, b, c)
    }

    #[inline(always)]
    unsafe fn fnma(self, b: Self, c: Self) -> Self {
        _mm256_fnmadd_pd(self, b, c)
    }

    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        _mm256_max_pd(self, b)
    }

    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        _mm256_min_pd(self, b)
    }

    #[inline(always)]
    unsafe fn copysign(self, b: Self) -> Self {
        let sign = Self::splat(-0.0);
        _mm256_or_pd(_mm256_andnot_pd(sign, self), _mm256_and_pd(sign, b))
    }

    #[inline(always)]
    unsafe fn where_greater(self, b: Self, then: Self, otherwise: Self) -> Self {
        _mm256_blendv_pd(otherwise, then, _mm256_cmp_pd::<_CMP_GT_OQ>(self, b))
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        let n = _mm256_castpd_si256(self);
        _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_add_epi64(n, _mm256_set1_epi64x(1023))))
    }

    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        let halves = _mm_add_pd(_mm256_castpd256_pd128(self), _mm256_extractf128_pd::<1>(self));
        _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)))
    }

    #[inline(always)]
    unsafe fn store_sums([a, b, c, d]: [Self; 4], scale: Self::Real, to: *mut Self::Real) {
        let (ab, cd) = (_mm256_hadd_pd(a, b), _mm256_hadd_pd(c, d));
        let sums = Self::add(_mm256_blend_pd::<0b1100>(ab, cd), _mm256_permute2f128_pd::<0x21>(ab, cd));
        _mm256_storeu_pd(to, sums.mul(Self::splat(scale)));
    }
}

impl Vector for __m256 {
    type Real = f32;

    const LANES: usize = 8;
    // 12 sums in 16 registers.
    const TILE_UNITS: usize = 3;
    const TILE_VECTORS: usize = 4;
    const ABREAST: usize = 2;

    #[target_feature(enable = "avx2,fma")]
    unsafe fn train(task: &Task<'_>) -> Ran {
        body::train::<Self>(task)
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn forward(work: &mut Workspace<'_, Self>) {
        passes::forward(work);
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn activate(work: &mut Workspace<'_, Self>) -> f64 {
        passes::activate(work)
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn pull_back(work: &mut Workspace<'_, Self>) {
        passes::pull_back(work);
    }

    #[inline(always)]
    unsafe fn splat(x: Self::Real) -> Self {
        _mm256_set1_ps(x)
    }

    #[inline(always)]
    unsafe fn load(from: *const Self::Real) -> Self {
        _mm256_load_ps(from)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Self::Real) {
        _mm256_store_ps(to, self);
    }

    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        _mm256_add_ps(self, b)
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        _mm256_sub_ps(self, b)
    }

    #[inline(always)]
    unsafe fn mul(self, b: Self) -> Self {
        _mm256_mul_ps(self, b)
    }

    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        _mm256_div_ps(Self::splat(1.0), self)
    }

    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        _mm256_fmadd_ps(self, b, c)
    }

    #[inline(always)]
    unsafe fn fnma(self, b: Self, c: Self) -> Self {
        _mm256_fnmadd_ps(self, b, c)
    }

    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        _mm256_max_ps(self, b)
    }

    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        _mm256_min_ps(self, b)
    }

    #[inline(always)]
    unsafe fn copysign(self, b: Self) -> Self {
        let sign = Self::splat(-0.0);
        _mm256_or_ps(_mm256_andnot_ps(sign, self), _mm256_and_ps(sign, b))
    }

    #[inline(always)]
    unsafe fn where_greater(self, b: Self, then: Self, otherwise: Self) -> Self {
        _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps::<_CMP_GT_OQ>(self, b))
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        let n = _mm256_castps_si256(self);
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_add_epi32(n, _mm256_set1_epi32(127))))
    }

    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        let fours = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
        let pairs = _mm_add_ps(fours, _mm_movehl_ps(fours, fours));
        f64::from(_mm_cvtss_f32(_mm_add_ss(pairs, _mm_movehdup_ps(pairs))))
    }

    #[inline(always)]
    unsafe fn store_sums([a, b, c, d]: [Self; 4], scale: Self::Real, to: *mut Self::Real) {
        let pairs = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
        let sums = _mm_add_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps::<1>(pairs));
        _mm_storeu_ps(to, _mm_mul_ps(sums, _mm_set1_ps(scale)));
    }
}
