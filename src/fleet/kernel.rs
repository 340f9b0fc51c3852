//! The hot loop: one run, start to end, in the lanes of one core.
//!
//! | file | what is there |
//! |---|---|
//! | `kernel.rs` | what goes in, what comes out, the ladder; which instructions |
//! | `vector.rs` | what a run needs of a vector (`Vector`) and of a number (`Real`) |
//! | `avx512.rs`, `avx2.rs`, `portable.rs` | vectors by intrinsics, and by arrays, in both precisions |
//! | `body.rs`, `passes.rs`, `curves.rs`, `workspace.rs` | the run, in terms of vectors |
//! | `abreast.rs` | several vectors side by side |
//! | `softplus_tables.rs`, `softplus_series.rs` | softplus, for vectors with tables in registers (AVX-512) and without |
//! | `double.rs`, `single.rs` | constants of the two precisions |
//!
//! Everything in terms of vectors is inlined into the four functions of each kind of vector that are compiled for its
//! instructions, and so becomes those instructions.

// The intrinsics and the pointers of the inner loops: a bounds check or a call per vector would cost more than the
// work. Unsafe is every function here that may only run where the processor has its instructions; `train` below
// sees to that. Pointers stay inside the buffers of a workspace, whose sizes are fixed by (n, d, k) when it is made.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]

mod abreast;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod body;
mod curves;
mod double;
mod passes;
mod portable;
mod single;
mod softplus_series;
#[cfg(target_arch = "x86_64")]
mod softplus_tables;
mod vector;
mod workspace;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use vector::Vector;

use super::Precision;
use crate::activation::{Activation, Instructions};
use crate::linalg::Matrix;
use crate::optimise::{GROWTH, LADDER, Step, StopReason};
use crate::watch::Watch;

/// The most iterations between two looks at the flag of interruption.
const CHECK_EVERY: usize = 256;
/// The most operations between two looks, but for one iteration: some hundredths of a second.
const CHECK_WORK: usize = 100_000_000;
/// From so many operations of an iteration on, its passes look too: a look costs nothing beside them.
const LONG_PASSES: usize = 1_000_000;
/// An activation counts for so many multiplications.
const ACTIVATION_WORK: usize = 64;

/// One run.
pub(super) struct Task<'a> {
    pub(super) X: &'a Matrix,
    pub(super) y: &'a [f64],
    /// The weight of each sample in the loss; sums to 1.
    pub(super) omega: &'a [f64],
    pub(super) activation: &'a Activation,
    pub(super) W: &'a Matrix,
    pub(super) v: &'a [f64],
    pub(super) trains_outputs: bool,
    pub(super) step: Step,
    pub(super) iterations: usize,
    pub(super) tolerance: f64,
    pub(super) watch: Watch<'a>,
}

/// What it has come to.
pub(super) struct Ran {
    pub(super) W: Matrix,
    pub(super) v: Vec<f64>,
    pub(super) crossings: [Option<usize>; LADDER.len()],
    pub(super) iterations: usize,
    pub(super) reason: StopReason,
}

impl Task<'_> {
    /// The operations of an iteration, roughly.
    fn work(&self) -> usize {
        let each = ACTIVATION_WORK + 4 * self.X.cols();
        self.X.rows().saturating_mul(self.v.len()).saturating_mul(each)
    }

    /// Iterations between two looks at the flag of interruption.
    fn check_every(&self) -> usize {
        (CHECK_WORK / self.work().max(1)).clamp(1, CHECK_EVERY)
    }

    fn has_long_passes(&self) -> bool {
        self.work() >= LONG_PASSES
    }

    fn is_interrupted(&self) -> bool {
        self.watch.is_over()
    }
}

/// The ladder of relative errors, in terms of Σωᵢrᵢ².
struct Rungs {
    energies: [f64; LADDER.len()],
    tolerance: f64,
    next: usize,
    crossings: [Option<usize>; LADDER.len()],
}

impl Rungs {
    /// A relative error ρ is an energy of ρ²·Σωᵢyᵢ²; where all labels are 0, the error is absolute.
    fn new(task: &Task<'_>, label_energy: f64) -> Self {
        let scale = if label_energy > 0.0 { label_energy } else { 1.0 };
        let energy = |tolerance: f64| tolerance * tolerance * scale;
        Rungs {
            energies: LADDER.map(energy),
            tolerance: energy(task.tolerance),
            next: 0,
            crossings: [None; LADDER.len()],
        }
    }

    #[inline(always)]
    fn climb(&mut self, iteration: usize, energy: f64) {
        while self.next < LADDER.len() && energy <= self.energies[self.next] {
            self.crossings[self.next] = Some(iteration);
            self.next += 1;
        }
    }

    #[inline(always)]
    fn is_over(&self, energy: f64) -> bool {
        energy <= self.tolerance
    }
}

/// Train with these instructions; those that this processor lacks give way to portable ones.
pub(super) fn train(instructions: Instructions, precision: Precision, task: &Task<'_>) -> Ran {
    match (instructions, precision) {
        // SAFETY: the guard has just found the features that `avx512` is compiled for.
        #[cfg(target_arch = "x86_64")]
        (Instructions::Avx512, Precision::Double) if instructions.is_available() => unsafe { __m512d::train(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Instructions::Avx512, Precision::Single) if instructions.is_available() => unsafe { __m512::train(task) },
        // SAFETY: the guard has just found the features that `avx2` is compiled for.
        #[cfg(target_arch = "x86_64")]
        (Instructions::Avx2, Precision::Double) if instructions.is_available() => unsafe { __m256d::train(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Instructions::Avx2, Precision::Single) if instructions.is_available() => unsafe { __m256::train(task) },
        // SAFETY: arrays need no features.
        (_, Precision::Double) => unsafe { <[f64; 4]>::train(task) },
        // SAFETY: as above.
        (_, Precision::Single) => unsafe { <[f32; 8]>::train(task) },
    }
}
