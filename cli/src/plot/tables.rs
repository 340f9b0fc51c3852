//! The numbers behind the figures, as CSV.

use std::path::{Path, PathBuf};

use shallows::data::write_columns;
use shallows::lab::logistic::Curve;
use shallows::lab::statistics::wilson;
use shallows::lab::{Cell, Threshold, thresholds_by_rule};

use super::Plot;
use crate::failure::Failure;

/// Write everything there is, and note the files.
pub fn write(plot: &Plot<'_>, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut save = |name: &str, names: &[&str], rows: Vec<Vec<f64>>| -> Result<(), Failure> {
        let path = folder.join(format!("{name}.csv"));
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let columns: Vec<Vec<f64>> = (0..names.len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
        write_columns(&path, &names, &columns)?;
        files.push(path);
        Ok(())
    };
    let names = [
        "n",
        "k",
        "d",
        "expression",
        "trainings",
        "successes",
        "undecided",
        "success",
        "low",
        "high",
        "networks",
        "all_starts",
        "all_starts_low",
        "all_starts_high",
    ];
    save("cells", &names, cells(plot))?;
    let Some(axis) = plot.axes.0 else { return Ok(()) };
    let rows = plot.lines.iter().map(|(line, found)| [sizes(line.shared), ends(found)].concat()).collect();
    save("thresholds", &["n", "k", "d", "half", "low", "high", "slope", "separated"], rows)?;
    let all = thresholds_by_rule(plot.specification, plot.trials, axis, plot.by);
    let row = |found: &shallows::lab::ByRule| {
        [sizes(found.shared), vec![found.tolerance, found.within as f64], ends(&found.threshold)].concat()
    };
    let names = ["n", "k", "d", "tolerance", "iterations", "half", "low", "high", "slope", "separated"];
    save("stopping", &names, all.iter().map(row).collect())
}

fn cells(plot: &Plot<'_>) -> Vec<Vec<f64>> {
    let row = |count: &shallows::lab::CellCount| {
        let ((successes, runs), (all, networks)) = (count.runs(), count.all_starts());
        let ((low, high), (all_low, all_high)) = (wilson(successes, runs), wilson(all, networks));
        let whole = [runs, successes, count.undecided].map(|x| x as f64);
        let place = [count.cell.n, count.cell.k, count.cell.d].map(|x| x as f64);
        let shares = [successes as f64 / runs as f64, low, high, networks as f64, all as f64, all_low, all_high];
        [&place[..], &[plot.expression.at(count.cell)], &whole, &shares].concat()
    };
    plot.counts.iter().map(row).collect()
}

/// The sizes that a line shares; those that vary along it are not numbers.
fn sizes(shared: Cell) -> Vec<f64> {
    [shared.n, shared.k, shared.d].map(|x| if x == 0 { f64::NAN } else { x as f64 }).to_vec()
}

fn ends(threshold: &Option<Threshold>) -> Vec<f64> {
    match threshold {
        None => vec![f64::NAN; 5],
        Some(threshold) => {
            let (slope, separated) = match threshold.curve {
                Curve::Fitted { slope, .. } => (slope, 0.0),
                _ => (f64::NAN, 1.0),
            };
            vec![threshold.half, threshold.low, threshold.high, slope, separated]
        }
    }
}
