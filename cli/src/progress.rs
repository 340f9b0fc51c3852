//! Progress on standard error, and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use shallows::fit::Progress;

use crate::Common;
use crate::failure::Failure;
use crate::output::number;

/// Set by the first Ctrl-C.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell reports for a program ended by Ctrl-C.
const STATUS_INTERRUPTED: i32 = 130;

/// From now on the first Ctrl-C asks for an early end, the second ends the program at once.
pub fn catch_interrupts() -> Result<(), Failure> {
    let handler = || {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(STATUS_INTERRUPTED);
        }
        eprintln!("\ninterrupted: finishing with the best network so far (again to quit at once)");
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

    /// Take the line away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
