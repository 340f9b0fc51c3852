//! The hot loop: one training, start to end, in the lanes of one core.
//!
//! | file | what is there |
//! |---|---|
//! | `kernel.rs` | what goes in, what comes out, the ladder; which instructions |
//! | `avx512_double.rs`, `avx512_single.rs`, `avx2_double.rs`, `avx2_single.rs` | what a vector is, by intrinsics |
//! | `portable_double.rs`, `portable_single.rs`, `arrays.rs` | what a vector is, by arrays |
//! | `body.rs`, `passes.rs`, `curves.rs`, `workspace.rs` | the training, in terms of vectors: compiled for each of the six |
//! | `abreast.rs` | several vectors side by side, also for each of the six |
//! | `softplus_tables.rs`, `softplus_series.rs` | softplus, for vectors with tables in registers (AVX-512) and without |
//! | `double.rs`, `single.rs` | constants of the two precisions |
//!
//! The body is a child of each of the six modules that say what a vector is (the same file, by `#[path]`), as a generic
//! module would be. Its functions are inlined into the few of the parent that are compiled for the parent's
//! instructions, and so become those instructions.

// The intrinsics and the pointers of the inner loops: a bounds check or a call per vector would cost more than the
// work. Unsafe is every function here that may only run where the processor has its instructions; `train` below
// sees to that. Pointers stay inside the buffers of a workspace, whose sizes are fixed by (n, d, k) when it is made.
#![allow(unsafe_code, unsafe_op_in_unsafe_fn)]
// One body, six kinds of vectors; see above.
#![allow(clippy::duplicate_mod)]

#[cfg(target_arch = "x86_64")]
mod avx2_double;
#[cfg(target_arch = "x86_64")]
mod avx2_single;
#[cfg(target_arch = "x86_64")]
mod avx512_double;
#[cfg(target_arch = "x86_64")]
mod avx512_single;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // The tables are for AVX-512.
mod double;
mod portable_double;
mod portable_single;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // As above.
mod single;

use std::sync::atomic::{AtomicBool, Ordering};

use super::Precision;
use crate::activation::{Activation, Path};
use crate::linalg::Matrix;
use crate::optimise::{GROWTH, LADDER, Reason, Step};

/// The most iterations between two looks at the flag of interruption.
const CHECK_EVERY: usize = 256;
/// The most operations between two looks, but for one iteration: some hundredths of a second.
const CHECK_WORK: usize = 100_000_000;
/// From so many operations of an iteration on, its passes look too: a look costs nothing beside them.
const LONG_PASSES: usize = 1_000_000;
/// An activation counts for so many multiplications.
const ACTIVATION_WORK: usize = 64;

/// One training.
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
    pub(super) interrupted: Option<&'a AtomicBool>,
}

/// What it has come to.
pub(super) struct Ran {
    pub(super) W: Matrix,
    pub(super) v: Vec<f64>,
    pub(super) crossings: [Option<usize>; LADDER.len()],
    pub(super) iterations: usize,
    pub(super) reason: Reason,
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
        self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
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

/// Train with the instructions of a path; one that this processor lacks gives way to the portable one.
pub(super) fn train(path: Path, precision: Precision, task: &Task<'_>) -> Ran {
    match (path, precision) {
        // SAFETY: the guard has just found the features that the modules avx512 are compiled for.
        #[cfg(target_arch = "x86_64")]
        (Path::Avx512, Precision::Double) if path.is_available() => unsafe { avx512_double::train(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Path::Avx512, Precision::Single) if path.is_available() => unsafe { avx512_single::train(task) },
        // SAFETY: the guard has just found the features that the modules avx2 are compiled for.
        #[cfg(target_arch = "x86_64")]
        (Path::Avx2, Precision::Double) if path.is_available() => unsafe { avx2_double::train(task) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        (Path::Avx2, Precision::Single) if path.is_available() => unsafe { avx2_single::train(task) },
        // SAFETY: arrays need no features.
        (_, Precision::Double) => unsafe { portable_double::train(task) },
        // SAFETY: as above.
        (_, Precision::Single) => unsafe { portable_single::train(task) },
    }
}
