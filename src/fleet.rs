//! Thousands of small trainings at once: the hot loop behind phase diagrams.
//!
//! A [`Job`] is one training by gradient descent of f(x) = vᵀφ(Wx) on the loss **L = ½ Σ ωᵢ rᵢ²**, which without sample
//! weights is (1/2n)Σr². A step η that a paper gives for ½Σr² is a step of nη here: the caller converts. [`run`] takes
//! jobs of unequal shapes, trains each on one core with no allocation on the way, and returns one [`Outcome`] per job:
//! the first iteration at which ‖f − y‖/‖y‖ fell to each rung of the [`LADDER`], the end point and, where it was asked
//! for, the [`Verdict`] of Levenberg–Marquardt.
//!
//! # What can be relied on
//!
//! Outcomes do not depend on the number of threads or on the other jobs. They depend, by rounding, on the instructions
//! of the processor ([`Path`]): sums run over other lanes. Single precision follows double precision down to a relative
//! error of 2.5e-3; it stalls near 5e-4, so rungs below 1e-3 are for double precision. Two runs that differ by rounding
//! part where descent is unstable: with a fixed step that is too long for the curvature; with adaptive steps, which live
//! on that very edge, so that their counts of iterations differ by several per cent between precisions and paths; and
//! where a kink or a saddle splits neighbouring paths. Measured on 480 trainings of Oymak and Soltanolkotabi's Figure 2,
//! n = 100, 15000 iterations at most: for softplus the counts of both precisions agree to 0.1 % on every rung down to
//! 2.5e-3; for relu they differ by up to 13 %, and two trainings that come below 2.5e-3 in their last 1300 iterations in
//! double precision do not in single.
//!
//! | file | what is there |
//! |---|---|
//! | `fleet.rs` | the batch: jobs in, outcomes out |
//! | `job.rs` | one training: what it needs, what is refused |
//! | `verdict.rs` | infinite training time, by Levenberg–Marquardt |
//! | `kernel.rs` | the hot loop and its instructions |

mod job;
mod kernel;
mod verdict;

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::activation::Path;
use crate::error::Result;
use crate::network::Network;
use crate::optimise::{Crossing, LADDER, Reason};
use crate::risk::{Decay, EmpiricalRisk, Objective};

pub use job::{Job, Precision, flops_per_iteration};
pub(crate) use job::{TRAINABLE, is_trainable};
pub use verdict::{Ending, Verdict};

/// Hears of each job that has ended: its place in the batch, and what it has come to.
pub type Report<'a> = &'a (dyn Fn(usize, &Outcome) + Sync);

/// What is said and heard while a batch runs.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Called as jobs end, in the order of their ends, from any thread.
    pub report: Option<Report<'a>>,
    /// When somebody sets this flag, running jobs end soon as [`Reason::Interrupted`], and jobs that have not begun
    /// end at their start. Of such a job nothing is measured, and it has no verdict.
    pub interrupted: Option<&'a AtomicBool>,
}

/// What a job has come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The end point of descent; rounded to single precision where it was trained so.
    pub network: Network,
    /// When the relative error first fell to each rung, as the training saw it in its own precision.
    pub crossings: Vec<Crossing>,
    /// Steps taken; a step that was tried and halved is not counted.
    pub iterations: usize,
    /// Why it ended.
    pub reason: Reason,
    /// L at the end point, in double precision; NaN where it was interrupted.
    pub objective: f64,
    /// ‖f − y‖/‖y‖ at the end point, in double precision; NaN where it was interrupted.
    pub relative_error: f64,
    /// Where Levenberg–Marquardt comes to from there; nothing where it was not asked for, has no meaning (a kinked
    /// activation) or was interrupted before it began.
    pub verdict: Option<Verdict>,
}

/// Train every job; the outcomes are in the order of the jobs.
///
/// # Errors
/// When one of the jobs is not one that can be trained, before any is begun: see [`Job`].
pub fn run(jobs: &[Job<'_>], watch: Watch<'_>) -> Result<Vec<Outcome>> {
    run_on(Path::best(), jobs, watch)
}

/// [`run`] with the instructions of one path, for tests and timings.
#[doc(hidden)]
pub fn run_on(path: Path, jobs: &[Job<'_>], watch: Watch<'_>) -> Result<Vec<Outcome>> {
    jobs.iter().try_for_each(Job::check)?;
    let one = |(at, job): (usize, &Job<'_>)| {
        let outcome = train(path, job, watch.interrupted)?;
        if let Some(report) = watch.report {
            report(at, &outcome);
        }
        Ok(outcome)
    };
    // One job after the other: their costs differ by orders of magnitude.
    jobs.par_iter().enumerate().with_max_len(1).map(one).collect()
}

fn train(path: Path, job: &Job<'_>, interrupted: Option<&AtomicBool>) -> Result<Outcome> {
    let is_interrupted = || interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
    if is_interrupted() {
        return Ok(Outcome::cut(job.start.clone(), [None; LADDER.len()], 0));
    }
    let omega = job.data.omega();
    let ran = kernel::train(path, job.precision, &job.task(&omega, interrupted));
    let network = Network { W: ran.W, v: ran.v, ..job.start.clone() };
    if ran.reason == Reason::Interrupted {
        return Ok(Outcome::cut(network, ran.crossings, ran.iterations));
    }
    let risk = EmpiricalRisk::new(job.data, &network, job.layers, Decay::None)?.interrupted_by(interrupted);
    let theta = network.parameters(job.layers);
    let value = risk.value(&theta);
    if is_interrupted() {
        return Ok(Outcome::cut(network, ran.crossings, ran.iterations));
    }
    let points = (&job.start.parameters(job.layers)[..], theta);
    let verdict = if job.verdict { verdict::verdict(&risk, &network, points, interrupted) } else { None };
    Ok(Outcome {
        crossings: ladder(ran.crossings),
        iterations: ran.iterations,
        reason: ran.reason,
        objective: value.objective,
        relative_error: value.relative_error,
        verdict,
        network,
    })
}

impl Outcome {
    /// Of a job that was interrupted here.
    fn cut(network: Network, crossings: [Option<usize>; LADDER.len()], iterations: usize) -> Self {
        Outcome {
            network,
            crossings: ladder(crossings),
            iterations,
            reason: Reason::Interrupted,
            objective: f64::NAN,
            relative_error: f64::NAN,
            verdict: None,
        }
    }
}

fn ladder(crossings: [Option<usize>; LADDER.len()]) -> Vec<Crossing> {
    LADDER.iter().zip(crossings).map(|(&tolerance, iteration)| Crossing { tolerance, iteration }).collect()
}
