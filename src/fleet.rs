//! Thousands of small runs at once: the hot loop behind phase diagrams.
//!
//! A [`Job`] is one run of gradient descent of f(x) = vᵀφ(Wx) on the loss **L = ½ Σ ωᵢ rᵢ²**, which without sample
//! weights is (1/2n)Σr². A step η that a paper gives for ½Σr² is a step of nη here: the caller converts. [`run`] takes
//! jobs of unequal shapes, trains each on one core with no allocation on the way, and returns one [`RunOutcome`] per job:
//! the first iteration at which ‖f − y‖/‖y‖ fell to each rung of the [`LADDER`], the end point and, where it was asked
//! for, the [`LongRun`] of Levenberg–Marquardt.
//!
//! # What can be relied on
//!
//! Outcomes do not depend on the number of threads or on the other jobs. They depend, by rounding, on the instructions
//! of the processor ([`Instructions`]): sums run over other lanes. Single precision follows double precision down to a relative
//! error of 2.5e-3; it stalls near 5e-4, so rungs below 1e-3 are for double precision. Two runs that differ by rounding
//! part where descent is unstable: with a fixed step that is too long for the curvature; with adaptive steps, which live
//! on that very edge, so that their counts of iterations differ by several per cent between precisions and paths; and
//! where a kink or a saddle splits neighbouring paths. Measured on 480 runs of Oymak and Soltanolkotabi's Figure 2,
//! n = 100, 15000 iterations at most: for softplus the counts of both precisions agree to 0.1 % on every rung down to
//! 2.5e-3; for relu they differ by up to 13 %, and two runs that come below 2.5e-3 in their last 1300 iterations in
//! double precision do not in single.
//!
//! | file | what is there |
//! |---|---|
//! | `fleet.rs` | the batch: jobs in, outcomes out |
//! | `job.rs` | one run: what it needs, what is refused |
//! | `long_run.rs` | infinite training time, by Levenberg–Marquardt |
//! | `kernel.rs` | the hot loop and its instructions |

mod job;
mod kernel;
mod long_run;

use crate::activation::Instructions;
use crate::error::Result;
use crate::linalg::try_map_tasks;
use crate::network::Network;
use crate::optimise::{Crossing, LADDER, StopReason};
use crate::risk::{Decay, EmpiricalRisk, Objective};
use crate::watch::Watch;

pub use job::{Job, Precision, flops_per_iteration};
#[cfg(feature = "lab")]
pub(crate) use job::{TRAINABLE, is_trainable};
pub use long_run::{Ending, LongRun};

/// Takes each job that has ended, in the order of their ends and from any thread: its place in the batch, and its outcome.
pub(crate) type OnEnd<'a> = &'a (dyn Fn(usize, &RunOutcome) + Sync);

/// What a job has come to. [`run`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// The end point of descent; rounded to single precision where it was trained so.
    pub network: Network,
    /// When the relative error first fell to each rung, as the run saw it in its own precision.
    pub crossings: Vec<Crossing>,
    /// Steps taken; a step that was tried and halved is not counted.
    pub iterations: usize,
    /// Why it ended.
    pub reason: StopReason,
    /// L at the end point, in double precision; NaN where it was interrupted.
    pub objective: f64,
    /// ‖f − y‖/‖y‖ at the end point, in double precision; NaN where it was interrupted.
    pub relative_error: f64,
    /// Where Levenberg–Marquardt comes to from there; nothing where it was not asked for, has no meaning (a kinked
    /// activation) or was interrupted before it began.
    pub long_run: Option<LongRun>,
}

/// Train every job; the outcomes are in the order of the jobs.
///
/// Once the watch is over, running jobs end soon as [`StopReason::Interrupted`], and jobs that have not begun end at their
/// start. Of such a job nothing is measured, and it has no long run.
///
/// # Errors
/// When one of the jobs is not one that can be trained, before any is begun: see [`Job`].
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::fleet::{Job, Precision, run};
/// use shallows::network::Layers;
/// use shallows::optimise::Step;
/// use shallows::{Network, Watch};
///
/// let teacher = Teacher::plant("softplus".parse()?, (2, 3), &Hidden::Gaussian, &Outputs::Ones, 1)?;
/// let data = teacher.sample(0..50)?;
/// let start = Teacher::plant("softplus".parse()?, (4, 3), &Hidden::Gaussian, &Outputs::Ones, 2)?.network;
/// let job = Job {
///     data: &data,
///     start,
///     layers: Layers::Hidden,
///     precision: Precision::Double,
///     step: Step::Adaptive(0.1),
///     iterations: 200,
///     tolerance: 1e-3,
///     long_run: false,
/// };
/// // The outcome of a job does not depend on its neighbours.
/// let alone = run(&[job.clone()], Watch::silent())?;
/// let together = run(&[job.clone(), job], Watch::silent())?;
/// assert_eq!(alone[0].objective, together[1].objective);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn run(jobs: &[Job<'_>], watch: Watch<'_>) -> Result<Vec<RunOutcome>> {
    run_on(Instructions::best(), jobs, &|_, _| (), watch)
}

/// [`run`], handing over each outcome as soon as its job has ended.
///
/// # Errors
/// As [`run`].
///
/// ```
/// use shallows::Watch;
/// use shallows::fleet::run_each;
///
/// // No jobs, no outcomes, and nobody is told.
/// assert!(run_each(&[], &|_, _| panic!("there was no job"), Watch::silent())?.is_empty());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn run_each(jobs: &[Job<'_>], on_end: OnEnd<'_>, watch: Watch<'_>) -> Result<Vec<RunOutcome>> {
    run_on(Instructions::best(), jobs, on_end, watch)
}

/// With given instructions, for tests and timings. [`run`] shows its use.
#[doc(hidden)]
pub fn run_on(
    instructions: Instructions,
    jobs: &[Job<'_>],
    on_end: OnEnd<'_>,
    watch: Watch<'_>,
) -> Result<Vec<RunOutcome>> {
    jobs.iter().try_for_each(Job::check)?;
    try_map_tasks(jobs.len(), |at| {
        let outcome = train(instructions, &jobs[at], watch)?;
        on_end(at, &outcome);
        Ok(outcome)
    })
}

fn train(instructions: Instructions, job: &Job<'_>, watch: Watch<'_>) -> Result<RunOutcome> {
    if watch.is_over() {
        return Ok(RunOutcome::cut(job.start.clone(), [None; LADDER.len()], 0));
    }
    let omega = job.data.omega();
    let ran = kernel::train(instructions, job.precision, &job.task(&omega, watch));
    let network = Network { W: ran.W, v: ran.v, ..job.start.clone() };
    if ran.reason == StopReason::Interrupted {
        return Ok(RunOutcome::cut(network, ran.crossings, ran.iterations));
    }
    let risk = EmpiricalRisk::new(job.data, &network, job.layers, Decay::None)?.watched(watch);
    let theta = network.parameters(job.layers);
    let value = risk.value(&theta);
    if watch.is_over() {
        return Ok(RunOutcome::cut(network, ran.crossings, ran.iterations));
    }
    let points = (&job.start.parameters(job.layers)[..], theta);
    let long_run = if job.long_run { long_run::long_run(&risk, &network, points, watch) } else { None };
    Ok(RunOutcome {
        crossings: ladder(ran.crossings),
        iterations: ran.iterations,
        reason: ran.reason,
        objective: value.objective,
        relative_error: value.relative_error,
        long_run,
        network,
    })
}

impl RunOutcome {
    /// Of a job that was interrupted here.
    fn cut(network: Network, crossings: [Option<usize>; LADDER.len()], iterations: usize) -> Self {
        RunOutcome {
            network,
            crossings: ladder(crossings),
            iterations,
            reason: StopReason::Interrupted,
            objective: f64::NAN,
            relative_error: f64::NAN,
            long_run: None,
        }
    }
}

fn ladder(crossings: [Option<usize>; LADDER.len()]) -> Vec<Crossing> {
    LADDER.iter().zip(crossings).map(|(&tolerance, iteration)| Crossing { tolerance, iteration }).collect()
}
