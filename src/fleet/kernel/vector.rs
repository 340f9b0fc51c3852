//! What a run needs of a number and of a vector: the two traits that the body is written in.

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::workspace::Workspace;
use super::{Ran, Task, softplus_series};

/// A number in the working precision.
pub(super) trait Real:
    Copy
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Sum
    + Into<f64>
    + 'static
{
    /// The constants of the curves.
    const NUMBERS: Numbers<Self>;

    /// The nearest to a double.
    fn nearest(x: f64) -> Self;

    /// |self| with the sign of another.
    fn copysign(self, sign: Self) -> Self;

    /// 2ⁿ where self is n + `rounder`, whose low bits are those of n.
    fn power_of_two(self) -> Self;
}

/// Constants in one precision. Polynomials hold the coefficient of each power, the lowest first.
pub(super) struct Numbers<R: 'static> {
    pub(super) log2_e: R,
    pub(super) frac_2_sqrt_pi: R,
    /// Adding it rounds to an integer, which then stands in the low bits.
    pub(super) rounder: R,
    /// 2 to this power is small against every rounding error, and not yet subnormal.
    pub(super) least_exponent: R,
    /// Below, erf is a polynomial; above, one minus a tail.
    pub(super) erf_near: R,
    /// Beyond, erf is ±1 and its slope vanishes; up to here e^(−x²) is not subnormal.
    pub(super) erf_far: R,
    /// The centre of the map that carries x ≥ 0 to −1 ≤ y ≤ 1 in the tail of erf.
    pub(super) scaled_erfc_centre: R,
    /// (2ᶠ − 1)/f on |f| ≤ ½.
    pub(super) exponential: &'static [R],
    /// (atanh(√s)/√s − 1)/s on 0 ≤ s ≤ 1/9.
    pub(super) logarithm: &'static [R],
    /// erf(√s)/√s on 0 ≤ s ≤ `erf_near`².
    pub(super) erf: &'static [R],
    /// (1 + 2x)·e^(x²)·erfc(x) in y = (x − centre)/(x + centre) for every x ≥ 0.
    pub(super) scaled_erfc: &'static [R],
    /// (2ᶠ − 1)/f on |f| ≤ 1/32.
    pub(super) short_exponential: &'static [R],
    /// log₂(1 + r)/r on |r| ≤ 1/29.
    pub(super) short_logarithm: &'static [R],
    /// 2^(i/16).
    pub(super) roots: &'static [R; 16],
    /// cᵢ ≈ 1/(1 + i/15).
    pub(super) inverses: &'static [R; 16],
    /// −log₂ cᵢ.
    pub(super) logarithms: &'static [R; 16],
}

/// Numbers side by side, and the instructions that work on them.
///
/// # Safety
/// Every method may run only where the processor has the instructions of the implementation. The passes are compiled for
/// those instructions; all other methods are inlined into them and become such instructions there. Pointers must be
/// aligned for a vector and stay inside their buffers.
pub(super) trait Vector: Copy {
    /// What stands in each lane.
    type Real: Real;

    /// Numbers in a vector.
    const LANES: usize;
    /// Units of a tile: with [`Vector::TILE_VECTORS`], as many sums as there are registers to spare.
    const TILE_UNITS: usize;
    /// Vectors of samples of a tile.
    const TILE_VECTORS: usize;
    /// Vectors of samples whose activations are evaluated side by side.
    const ABREAST: usize;

    /// The whole run, compiled for these instructions: [`super::body::train`].
    unsafe fn train(task: &Task<'_>) -> Ran;
    /// The same for the first pass: [`super::passes::forward`].
    unsafe fn forward(work: &mut Workspace<'_, Self>);
    /// The same for the second: [`super::passes::activate`].
    unsafe fn activate(work: &mut Workspace<'_, Self>) -> f64;
    /// The same for the third: [`super::passes::pull_back`].
    unsafe fn pull_back(work: &mut Workspace<'_, Self>);

    /// The same number in every lane.
    unsafe fn splat(x: Self::Real) -> Self;
    /// The numbers from here on.
    unsafe fn load(from: *const Self::Real) -> Self;
    /// Write the numbers from here on.
    unsafe fn store(self, to: *mut Self::Real);
    /// a + b
    unsafe fn add(self, b: Self) -> Self;
    /// a − b
    unsafe fn sub(self, b: Self) -> Self;
    /// ab
    unsafe fn mul(self, b: Self) -> Self;
    /// 1/a
    unsafe fn reciprocal(self) -> Self;
    /// ab + c
    unsafe fn fma(self, b: Self, c: Self) -> Self;
    /// c − ab
    unsafe fn fnma(self, b: Self, c: Self) -> Self;
    /// The larger; b where one of them is NaN.
    unsafe fn max(self, b: Self) -> Self;
    /// The smaller; b where one of them is NaN.
    unsafe fn min(self, b: Self) -> Self;
    /// |a| with the sign of b.
    unsafe fn copysign(self, b: Self) -> Self;
    /// `then` where a > b.
    unsafe fn where_greater(self, b: Self, then: Self, otherwise: Self) -> Self;
    /// 2ⁿ from n + `rounder`, whose low bits are those of n.
    unsafe fn power_of_two(self) -> Self;
    /// The sum of the lanes.
    unsafe fn sum(self) -> f64;
    /// Writes scale·(sum of the lanes) of four vectors side by side; no alignment is needed.
    unsafe fn store_sums(of: [Self; 4], scale: Self::Real, to: *mut Self::Real);

    /// log₂(1 + 2ᵖ) and its slope 1/(1 + 2⁻ᵖ).
    #[inline(always)]
    unsafe fn softplus<const R: usize>(p: [Self; R]) -> ([Self; R], [Self; R]) {
        softplus_series::softplus(p)
    }
}
