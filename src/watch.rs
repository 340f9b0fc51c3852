//! Progress, interruption and deadline: one [`Watch`] for every long piece of work.
//!
//! Whoever starts the work says three things, each optional: whom to tell how far it has come, which flag means "stop", and
//! when to stop at the latest. The work reports [`Progress`], asks [`Watch::is_over`] between its steps, and ends with what
//! it has. This is the only room that reads the flag.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use shallows::watch::{Progress, Watch};
//!
//! let stop = AtomicBool::new(false);
//! let tell = |progress: Progress| eprintln!("{progress:?}");
//! let watch = Watch::silent().reporting(&tell).interruptible(&stop);
//! assert!(!watch.is_over());
//! stop.store(true, std::sync::atomic::Ordering::Relaxed);
//! assert!(watch.is_over() && watch.is_interrupted());
//! ```

pub mod halt;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Hears how far the work has come, from any thread.
pub(crate) type Report<'a> = &'a (dyn Fn(Progress) + Sync);

/// How a piece of work is watched: whom it tells, and what ends it early.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use shallows::Watch;
/// use shallows::watch::{Progress, Stage};
///
/// let flag = AtomicBool::new(false);
/// let report = |progress: Progress| println!("{progress:?}");
/// let watch = Watch::silent().reporting(&report).interruptible(&flag);
/// watch.report(Progress::Began(Stage::Fitting));
/// assert!(!watch.is_over());
/// flag.store(true, Ordering::Relaxed);
/// assert!(watch.is_over());
/// ```
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    report: Option<Report<'a>>,
    /// Any of them ends the work: that of the user, and one that the work itself may set.
    interrupted: [Option<&'a AtomicBool>; 2],
    deadline: Option<Instant>,
}

impl<'a> Watch<'a> {
    /// Nobody listens, and nothing ends the work early.
    pub const fn silent() -> Watch<'a> {
        Watch { report: None, interrupted: [None; 2], deadline: None }
    }

    /// Tell this listener how far the work has come.
    pub fn reporting(self, report: Report<'a>) -> Watch<'a> {
        Watch { report: Some(report), ..self }
    }

    /// End early, with the best result so far, once this flag is set.
    pub fn interruptible(self, flag: &'a AtomicBool) -> Watch<'a> {
        Watch { interrupted: [Some(flag), self.interrupted[1]], ..self }
    }

    /// End early also when this flag is set, which the work keeps for itself, as when its results cannot be written.
    pub fn ending_with(self, flag: &'a AtomicBool) -> Watch<'a> {
        Watch { interrupted: [self.interrupted[0], Some(flag)], ..self }
    }

    /// End at this time at the latest. Of two deadlines the earlier counts.
    pub fn until(self, deadline: Instant) -> Watch<'a> {
        let deadline = self.deadline.map_or(deadline, |other| other.min(deadline));
        Watch { deadline: Some(deadline), ..self }
    }

    /// The same without reports, for a step whose progress means nothing to the listener.
    pub fn quietly(self) -> Watch<'a> {
        Watch { report: None, ..self }
    }

    /// The same without the deadline, for a step that must be finished.
    pub fn patiently(self) -> Watch<'a> {
        Watch { deadline: None, ..self }
    }

    /// Tell the listener, if there is one.
    pub fn report(&self, progress: Progress) {
        if let Some(report) = self.report {
            report(progress);
        }
    }

    /// Whether somebody set the flag.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.iter().flatten().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the deadline has passed.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether it is time to end, for either reason.
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.is_late()
    }

    /// How long is left; `None` without a deadline.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

impl<'a> From<Option<&'a AtomicBool>> for Watch<'a> {
    /// Nobody listens; the flag, where there is one, ends the work.
    fn from(flag: Option<&'a AtomicBool>) -> Self {
        flag.map_or(Watch::silent(), |flag| Watch::silent().interruptible(flag))
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("reports", &self.report.is_some())
            .field("interrupted", &self.is_interrupted())
            .field("deadline", &self.deadline)
            .finish()
    }
}

/// How far a piece of work has come. [`Watch`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// A stage began whose length is not known.
    Began(Stage),
    /// So much of a stage of known length is done.
    Counted {
        /// Which stage.
        stage: Stage,
        /// Steps finished.
        done: usize,
        /// Steps in all.
        total: usize,
    },
    /// A convex program is being solved.
    Solving {
        /// Iterations so far.
        iteration: usize,
        /// The objective of the iterate.
        objective: f64,
        /// Where the optimum is believed to lie at the lowest.
        lower_bound: f64,
    },
    /// A network is being trained by a local method.
    Training {
        /// Iterations so far.
        iteration: usize,
        /// Where it ends at the latest.
        iterations: usize,
        /// What is minimised.
        objective: f64,
        /// The norm of its gradient.
        gradient: f64,
    },
    /// A width was tried in the search for the smallest one with a proof.
    Tried {
        /// k.
        width: usize,
        /// Whether it has a proof.
        holds: bool,
    },
    /// A start was tried in the search for planted weights.
    Started {
        /// Units looked for.
        units: usize,
        /// From 1.
        number: usize,
        /// The smallest held-out error so far, as a share of the spread of y.
        error: Option<f64>,
    },
    /// Runs of a sweep are in the store.
    Swept {
        /// Runs in the store.
        done: usize,
        /// Runs of the whole sweep.
        total: usize,
        /// Cells of the grid all of whose runs are done.
        cells_done: usize,
        /// Cells of the grid.
        cells: usize,
        /// Runs that succeeded, by the rule of the specification.
        successes: usize,
    },
}

impl Progress {
    /// (objective − lower bound)/objective of a convex program; NaN of anything else.
    pub fn relative_gap(&self) -> f64 {
        match self {
            Progress::Solving { objective, lower_bound, .. } => {
                (objective - lower_bound) / objective.abs().max(f64::MIN_POSITIVE)
            }
            _ => f64::NAN,
        }
    }
}

/// What a piece of work is busy with. [`Watch`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Learning from rows that have been read; from here on an interrupted fit keeps what it has.
    Fitting,
    /// Looking for the smallest width with a proof; from here on an interrupted search keeps what it has.
    Searching,
    /// Comparing candidates on rows left out.
    Choosing,
    /// Fitting the choice again on all rows.
    Refitting,
    /// Looking for the smallest output scale with a proof.
    Scaling,
    /// Judging a start.
    Judging,
    /// Testing the law of the inputs.
    Inputs,
    /// Averaging products of the samples.
    Moments,
    /// Computing standard errors.
    Errors,
    /// Making the runs of a study.
    Runs,
    /// Moving the columns of rows to see what they do.
    Effects,
}
