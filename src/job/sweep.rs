//! How many trainings of a sweep succeed, and where the threshold is.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::Result;
use crate::job::words;
use crate::lab::logistic::Curve;
use crate::lab::{
    By, CellCount, Line, Progress, Specification, Store, Symbol, Threshold, Watch, cells, lines, sweep, threshold,
    varying,
};

/// A sweep as far as it has come.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked for.
    pub specification: Specification,
    /// Where the trainings are.
    pub store: PathBuf,
    /// Successes by cell.
    pub counts: Vec<CellCount>,
    /// How far it has come.
    pub progress: Progress,
    /// Trainings that were not in the store before.
    pub new: usize,
}

/// Train what is missing, and count.
pub fn answer(store: &mut Store, watch: Watch<'_>) -> Result<Answer> {
    let before = store.count()?;
    let progress = sweep(store, watch)?;
    let specification = store.specification().clone();
    Ok(Answer {
        store: store.path().to_owned(),
        counts: cells(&store.trials()?, &specification.success, specification.starts),
        progress,
        new: progress.done - before,
        specification,
    })
}

impl Answer {
    /// Whether every training is done.
    pub fn is_complete(&self) -> bool {
        self.progress.done >= self.progress.total
    }

    /// Thresholds along the axis with most values: the name of the line, the axis, what was found.
    pub fn thresholds(&self) -> Vec<(String, Symbol, Option<Threshold>)> {
        let Some(axis) = varying(&self.counts).into_iter().next() else { return vec![] };
        let lines = lines(&self.counts, &self.specification.grid, axis);
        let of = |line: &Line| threshold(&line.samples(By::Run), self.specification.seed);
        lines.iter().map(|line| (line.name(), axis, of(line))).collect()
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let thresholds = self.thresholds();
        let Answer { specification, progress, .. } = self;
        json!({
            "store": words::path(&self.store),
            "name": specification.name,
            "trainings": { "done": progress.done, "total": progress.total, "new": self.new },
            "rule": specification.success,
            "thresholds": thresholds.iter().map(|(line, axis, found)| of_threshold(line, axis.name(), found)).collect::<Vec<_>>(),
            "cells": self.counts.iter().map(of_cell).collect::<Vec<_>>(),
            "seed": specification.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

fn of_cell(count: &CellCount) -> Value {
    let ((share, low, high), (successes, runs)) = (count.share(By::Run), count.runs());
    let (all_starts, networks) = count.all_starts();
    json!({
        "n": count.cell.n, "k": count.cell.k, "d": count.cell.d, "trainings": runs, "successes": successes,
        "undecided": count.undecided, "success": share, "low": low, "high": high, "networks": networks,
        "all_starts": all_starts,
    })
}

/// A threshold on a line; an end that is not known is null.
pub fn of_threshold(line: &str, axis: &str, threshold: &Option<Threshold>) -> Value {
    let half = threshold.map(|threshold| threshold.half).filter(|x| x.is_finite());
    let low = threshold.map(|threshold| threshold.low).filter(|x| x.is_finite());
    let high = threshold.map(|threshold| threshold.high).filter(|x| x.is_finite());
    let kind = threshold.map(|threshold| match threshold.curve {
        Curve::Fitted { .. } => "logistic",
        Curve::Separated { .. } => "separated",
        Curve::Flat => "none",
    });
    let beyond = threshold.map(|threshold| threshold.is_beyond);
    json!({ "line": line, "axis": axis, "half": half, "low": low, "high": high, "kind": kind, "beyond": beyond })
}
