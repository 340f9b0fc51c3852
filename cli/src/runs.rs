//! Words that `sweep`, `plot` and `figure` share: thresholds, undecided runs, files that were written.

use std::path::PathBuf;

use shallows::lab::{CellCount, Threshold};
use shallows::statistics::logistic::Curve;

use crate::output::{brief, wrapped};

/// How many runs are undecided, on a line, where some are.
pub fn undecided_words(counts: &[CellCount]) -> Option<String> {
    let undecided: usize = counts.iter().map(|count| count.undecided).sum();
    let all: usize = counts.iter().map(|count| count.runs().1).sum();
    (undecided > 0).then(|| format!("Undecided {undecided} of {all} runs, which do not count as successes\n"))
}

/// `k½ = 11.4 [10.9, 11.8]`, and how it was found where that is not the logistic.
pub fn threshold_words(name: &str, threshold: &Threshold) -> String {
    let interval = format!("[{}, {}]", brief(threshold.low), brief(threshold.high));
    let beyond = if threshold.is_beyond { ", beyond the cells of the sweep" } else { "" };
    match threshold.curve {
        Curve::Separated { .. } => {
            let between = match threshold.low.is_finite() && threshold.high.is_finite() {
                true => ", between cells that all fail and cells that all succeed",
                false => beyond,
            };
            format!("{name}½ in {interval}{between}")
        }
        _ => format!("{name}½ = {} {interval}{beyond}", brief(threshold.half)),
    }
}

/// The names of files without their folder, broken into lines beside the heading of a paragraph.
pub fn file_names(files: &[PathBuf]) -> String {
    let names = files.iter().filter_map(|file| file.file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    wrapped(&names.join(", "), 10)
}
