//! Arrays as vectors, for processors of which nothing is known; no fused multiply–add.

use super::vector::{Real, Vector};
use super::workspace::Workspace;
use super::{Ran, Task, body, passes};

#[inline(always)]
fn each<R: Real, const N: usize>(f: impl Fn(usize) -> R) -> [R; N] {
    let mut out = [R::nearest(0.0); N];
    for lane in 0..N {
        out[lane] = f(lane);
    }
    out
}

impl<R: Real, const N: usize> Vector for [R; N] {
    type Real = R;

    const LANES: usize = N;
    // Few sums for few registers.
    const TILE_UNITS: usize = 2;
    const TILE_VECTORS: usize = 2;
    const ABREAST: usize = 1;

    unsafe fn train(task: &Task<'_>) -> Ran {
        body::train::<Self>(task)
    }

    #[inline(never)]
    unsafe fn forward(work: &mut Workspace<'_, Self>) {
        passes::forward(work);
    }

    #[inline(never)]
    unsafe fn activate(work: &mut Workspace<'_, Self>) -> f64 {
        passes::activate(work)
    }

    #[inline(never)]
    unsafe fn pull_back(work: &mut Workspace<'_, Self>) {
        passes::pull_back(work);
    }

    #[inline(always)]
    unsafe fn splat(x: R) -> Self {
        [x; N]
    }

    #[inline(always)]
    unsafe fn load(from: *const R) -> Self {
        from.cast::<Self>().read()
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut R) {
        to.cast::<Self>().write(self);
    }

    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        each(|i| self[i] + b[i])
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        each(|i| self[i] - b[i])
    }

    #[inline(always)]
    unsafe fn mul(self, b: Self) -> Self {
        each(|i| self[i] * b[i])
    }

    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        each(|i| R::nearest(1.0) / self[i])
    }

    /// Rounded twice.
    #[inline(always)]
    unsafe fn fma(self, b: Self, c: Self) -> Self {
        each(|i| self[i] * b[i] + c[i])
    }

    /// Rounded twice.
    #[inline(always)]
    unsafe fn fnma(self, b: Self, c: Self) -> Self {
        each(|i| c[i] - self[i] * b[i])
    }

    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        each(|i| if self[i] > b[i] { self[i] } else { b[i] })
    }

    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        each(|i| if self[i] < b[i] { self[i] } else { b[i] })
    }

    #[inline(always)]
    unsafe fn copysign(self, b: Self) -> Self {
        each(|i| self[i].copysign(b[i]))
    }

    #[inline(always)]
    unsafe fn where_greater(self, b: Self, then: Self, otherwise: Self) -> Self {
        each(|i| if self[i] > b[i] { then[i] } else { otherwise[i] })
    }

    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        each(|i| self[i].power_of_two())
    }

    #[inline(always)]
    unsafe fn sum(self) -> f64 {
        self.iter().fold(0.0, |sum, x| sum + (*x).into())
    }

    #[inline(always)]
    unsafe fn store_sums(of: [Self; 4], scale: R, to: *mut R) {
        let sums = of.map(|a| scale * a.into_iter().sum::<R>());
        to.cast::<[R; 4]>().write_unaligned(sums);
    }
}
