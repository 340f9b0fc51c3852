//! The numbers behind the figures, as CSV.

use std::path::{Path, PathBuf};

use super::Plot;
use crate::data::write_columns;
use crate::error::Result;
use crate::lab::{ByRule, CellCount, GridCell, Threshold, thresholds_by_rule};
use crate::statistics::intervals::wilson;
use crate::statistics::logistic::Curve;

/// Numbers under names. [`PlotJob`](crate::job::plot::PlotJob) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotTable {
    /// Of the file, without its ending.
    pub name: &'static str,
    /// Of the columns.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
}

impl PlotTable {
    /// The name of its file.
    pub(crate) fn file_name(&self) -> String {
        format!("{}.csv", self.name)
    }

    /// Write it to a folder as CSV; returns the file.
    pub fn save(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(self.file_name());
        let names: Vec<String> = self.columns.iter().map(|name| (*name).to_owned()).collect();
        let columns: Vec<Vec<f64>> = (0..names.len()).map(|j| self.rows.iter().map(|row| row[j]).collect()).collect();
        write_columns(&path, &names, &columns)?;
        Ok(path)
    }
}

/// Everything there is.
pub(super) fn tables(plot: &Plot<'_>) -> Vec<PlotTable> {
    let columns = vec![
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
    let cells = PlotTable { name: "cells", columns, rows: cells(plot) };
    let Some(axis) = plot.axes.0 else { return vec![cells] };
    let rows = plot.lines.iter().map(|(line, found)| [sizes(line.shared), ends(found)].concat()).collect();
    let columns = vec!["n", "k", "d", "half", "low", "high", "slope", "separated", "beyond"];
    let thresholds = PlotTable { name: "thresholds", columns, rows };
    let all = thresholds_by_rule(plot.specification, plot.trials, axis, plot.by);
    let row = |found: &ByRule| {
        [sizes(found.shared), vec![found.tolerance, found.within as f64], ends(&found.threshold)].concat()
    };
    let columns = vec!["n", "k", "d", "tolerance", "iterations", "half", "low", "high", "slope", "separated", "beyond"];
    let stopping = PlotTable { name: "stopping", columns, rows: all.iter().map(row).collect() };
    vec![cells, thresholds, stopping]
}

fn cells(plot: &Plot<'_>) -> Vec<Vec<f64>> {
    let row = |count: &CellCount| {
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
fn sizes(shared: GridCell) -> Vec<f64> {
    [shared.n, shared.k, shared.d].map(|x| if x == 0 { f64::NAN } else { x as f64 }).to_vec()
}

fn ends(threshold: &Option<Threshold>) -> Vec<f64> {
    match threshold {
        None => vec![f64::NAN; 6],
        Some(threshold) => {
            let (slope, separated) = match threshold.curve {
                Curve::Fitted { slope, .. } => (slope, 0.0),
                _ => (f64::NAN, 1.0),
            };
            let beyond = if threshold.is_beyond { 1.0 } else { 0.0 };
            vec![threshold.half, threshold.low, threshold.high, slope, separated, beyond]
        }
    }
}
