//! Progress on standard error, and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use shallows::file::remove_unfinished;
use shallows::watch::{Progress, Stage, Watch};

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output::{brief, number};

/// Set by the first Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell reports for a program ended by Ctrl-C.
pub const STATUS_INTERRUPTED: u8 = 130;

/// Set while there is something that can be ended early.
static CAN_FINISH: AtomicBool = AtomicBool::new(false);

/// Set while the early end is that of a sweep.
static IS_SWEEP: AtomicBool = AtomicBool::new(false);

/// Set where no remarks are wanted.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C ends a sweep, which keeps what is finished.
#[cfg(feature = "lab")]
pub fn stop_on_interrupt() {
    IS_SWEEP.store(true, Ordering::SeqCst);
    finish_on_interrupt();
}

/// From now on the first Ctrl-C asks for an early end.
fn finish_on_interrupt() {
    CAN_FINISH.store(true, Ordering::SeqCst);
}

/// Ctrl-C ends the program without leaving half a file; where there is something to be finished, the second one does.
pub fn catch_interrupts(common: &GlobalArgs) -> Result<(), Failure> {
    IS_QUIET.store(common.quiet, Ordering::SeqCst);
    let handler = || {
        if !CAN_FINISH.load(Ordering::SeqCst) || INTERRUPTED.swap(true, Ordering::SeqCst) {
            remove_unfinished();
            std::process::exit(STATUS_INTERRUPTED.into());
        }
        let words = if IS_SWEEP.load(Ordering::SeqCst) {
            "stopping; every finished run is kept"
        } else {
            "finishing with the network reached so far"
        };
        if !IS_QUIET.load(Ordering::SeqCst) {
            eprintln!("\ninterrupted: {words} (again to quit at once)");
        }
    };
    ctrlc::set_handler(handler)
        .map_err(|source| Failure::with_hint(format!("cannot listen for Ctrl-C: {source}"), "run it again"))
}

/// Run a job: its progress on a line of the terminal, Ctrl-C as soon as it can end early with a result.
pub fn watched<T>(common: &GlobalArgs, job: impl FnOnce(Watch<'_>) -> T) -> T {
    told(common, &ProgressLine::report, job)
}

/// The same with words of its own for the progress.
pub fn told<T>(
    common: &GlobalArgs,
    tell: &(dyn Fn(&ProgressLine, Progress) + Sync),
    job: impl FnOnce(Watch<'_>) -> T,
) -> T {
    let line = ProgressLine::new(common);
    let report = |progress: Progress| tell(&line, progress);
    let outcome = job(Watch::silent().interruptible(&INTERRUPTED).reporting(&report));
    line.clear();
    outcome
}

/// A progress line that appears only on a terminal.
pub struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// A hidden line when quiet.
    pub fn new(common: &GlobalArgs) -> Self {
        if common.quiet {
            return ProgressLine(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        let template = "{msg} {wide_bar} {pos}/{len} {eta}";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        ProgressLine(bar)
    }

    /// Show how far a job has come.
    pub fn report(&self, progress: Progress) {
        match progress {
            Progress::Began(stage) => {
                if !matches!(stage, Stage::Scaling | Stage::Judging) {
                    finish_on_interrupt();
                }
                self.say(stage_words(stage));
            }
            Progress::Counted { stage, done, total } => self.count(done, total, stage_words(stage)),
            Progress::Solving { iteration, objective, lower_bound } => {
                let gap = number(progress.relative_gap());
                let (objective, bound) = (number(objective), number(lower_bound));
                let words = format!("solving: objective {objective}, lower bound {bound}, relative gap {gap}");
                self.count(iteration, 0, &words);
            }
            Progress::Training { iteration, iterations, objective, gradient } => {
                if iteration == 0 {
                    self.0.reset();
                }
                let (objective, gradient) = (number(objective), number(gradient));
                let words = format!("training: objective {objective}, gradient {gradient}");
                self.count(iteration, iterations, &words);
            }
            Progress::Tried { width, holds } => {
                self.say(&format!("{width} units: {}", if holds { "proved" } else { "not proved" }));
            }
            Progress::Started { units, number, error } => {
                let so_far = error.map_or(String::new(), |error| format!(", held-out error so far {}", brief(error)));
                self.say(&format!("{units} units, start {number}{so_far}"));
            }
            Progress::Swept { done, total, cells_done, cells, successes } => {
                let share = 100.0 * successes as f64 / done.max(1) as f64;
                self.count(done, total, &format!("{cells_done} of {cells} cells, success {share:.0} %"));
            }
            _ => {}
        }
    }

    /// Show how much of a known amount is done.
    pub fn count(&self, done: usize, total: usize, words: &str) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(words.to_owned());
    }

    /// Show words where there is nothing to be counted.
    pub fn say(&self, words: &str) {
        self.0.set_length(0);
        self.0.set_message(words.to_owned());
    }

    /// Take the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Fitting => "fitting",
        Stage::Searching => "looking for the smallest width with a proof",
        Stage::Choosing => "comparing candidates",
        Stage::Refitting => "training on all rows",
        Stage::Scaling => "looking for the smallest output scale",
        Stage::Judging => "judging the start",
        Stage::Inputs => "looking at the inputs",
        Stage::Moments => "averaging moments of degree 2 and 4",
        Stage::Errors => "standard errors",
        Stage::Runs => "training",
        Stage::Effects => "moving columns",
        _ => "working",
    }
}
