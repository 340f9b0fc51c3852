//! Progress on standard error, and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use shallows::file::remove_unfinished;
use shallows::fit::Progress;

use crate::Common;
use crate::failure::Failure;
use crate::output::number;

/// Set by the first Ctrl-C.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell reports for a program ended by Ctrl-C.
const STATUS_INTERRUPTED: i32 = 130;

/// Set while there is something that can be ended early.
static CAN_FINISH: AtomicBool = AtomicBool::new(false);

/// Set while the early end is that of a sweep.
static IS_SWEEP: AtomicBool = AtomicBool::new(false);

/// Set where no remarks are wanted.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C ends a sweep, which keeps what is finished.
pub fn stop_on_interrupt() {
    IS_SWEEP.store(true, Ordering::SeqCst);
    finish_on_interrupt();
}

/// From now on the first Ctrl-C asks for an early end.
pub fn finish_on_interrupt() {
    CAN_FINISH.store(true, Ordering::SeqCst);
}

/// Ctrl-C ends the program without leaving half a file; where there is something to be finished, the second one does.
pub fn catch_interrupts(common: &Common) -> Result<(), Failure> {
    IS_QUIET.store(common.quiet, Ordering::SeqCst);
    let handler = || {
        if !CAN_FINISH.load(Ordering::SeqCst) || INTERRUPTED.swap(true, Ordering::SeqCst) {
            remove_unfinished();
            std::process::exit(STATUS_INTERRUPTED);
        }
        let words = if IS_SWEEP.load(Ordering::SeqCst) {
            "stopping; every finished training is kept"
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

/// A progress line that appears only on a terminal.
pub struct Line(ProgressBar);

impl Line {
    /// A hidden line when quiet.
    pub fn new(common: &Common) -> Self {
        if common.quiet {
            return Line(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        let template = "{msg} {wide_bar} {pos}/{len} {eta}";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Line(bar)
    }

    /// Show how far a fit has come.
    pub fn show(&self, progress: Progress<'_>) {
        match progress {
            Progress::Choosing { done, total } => {
                self.0.set_length(total as u64);
                self.0.set_position(done as u64);
                self.0.set_message("comparing candidates");
            }
            Progress::Refitting { done, total } => {
                self.0.set_length(total as u64);
                self.0.set_position(done as u64);
                self.0.set_message("training on all rows");
            }
            Progress::Solving { state } => {
                self.0.set_length(0);
                self.0.set_position(state.iteration as u64);
                let (objective, bound) = (number(state.objective), number(state.lower_bound));
                let gap = number(state.relative_gap());
                self.0.set_message(format!("solving: objective {objective}, lower bound {bound}, relative gap {gap}"));
            }
            Progress::Training { record, iterations } => {
                if record.iteration == 0 {
                    self.0.reset();
                    self.0.set_length(iterations as u64);
                }
                self.0.set_position(record.iteration as u64);
                let (objective, gradient) = (number(record.objective), number(record.gradient));
                self.0.set_message(format!("training: objective {objective}, gradient {gradient}"));
            }
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
