//! `sweep`: how many runs of a grid succeed, and where the threshold is.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::Result;
use crate::file::{Destinations, FileRole};
use crate::job::given::GivenSpecification;
use crate::job::words;
use crate::lab::{
    By, CellCount, Extent, Line, Specification, StoreWriter, SweepProgress, Symbol, Threshold, cells, lines, sweep,
    threshold, varying,
};
use crate::statistics::logistic::Curve;
use crate::watch::Watch;

/// A sweep and where its runs are kept.
///
/// ```no_run
/// use std::path::PathBuf;
/// use shallows::job::given::GivenSpecification;
/// use shallows::job::sweep::SweepJob;
/// use shallows::watch::Watch;
///
/// let job = SweepJob::new(GivenSpecification::from(PathBuf::from("mine.toml")));
/// assert_eq!(job.store_path(), PathBuf::from("mine.db"));
/// let outcome = job.run(Watch::silent())?;
/// println!("{} of {} runs", outcome.progress.done, outcome.progress.total);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SweepJob {
    /// What is run.
    pub specification: GivenSpecification,
    /// All of it, or its quick version.
    pub extent: Extent,
    /// Where the runs are kept: an SQLite file, begun or resumed; called like the specification, in the current folder, when
    /// `None`.
    pub store: Option<PathBuf>,
}

/// A sweep whose store is open. [`SweepJob`] shows its use.
pub struct BegunSweep {
    store: StoreWriter,
    since: Instant,
    before: usize,
}

/// A sweep as far as it has come. [`SweepJob`] shows its use.
#[derive(Clone, Debug)]
pub struct SweepOutcome {
    /// What was asked for.
    pub specification: Specification,
    /// Where the runs are.
    pub store: PathBuf,
    /// Successes by cell.
    pub counts: Vec<CellCount>,
    /// How far it has come.
    pub progress: SweepProgress,
    /// Runs that were not in the store before.
    pub new: usize,
    /// How long it took.
    pub seconds: f64,
}

/// What a store is called whose specification has no name.
const USUAL_STORE: &str = "sweep";

impl SweepJob {
    /// All of a specification, into the store that is called like it.
    pub fn new(specification: impl Into<GivenSpecification>) -> Self {
        SweepJob { specification: specification.into(), extent: Extent::Full, store: None }
    }

    /// Where the runs are kept. The stores of the whole sweep and of its quick version are not the same.
    pub fn store_path(&self) -> PathBuf {
        let usual = || {
            let stem = self.specification.file().and_then(Path::file_stem);
            let mut name = stem.unwrap_or(USUAL_STORE.as_ref()).to_owned();
            name.push(match self.extent {
                Extent::Full => ".db",
                Extent::Quick => "-quick.db",
            });
            name.into()
        };
        self.store.clone().unwrap_or_else(usual)
    }

    /// Make the runs that are missing, and count. An interrupted sweep returns what it has: see
    /// [`SweepOutcome::is_complete`].
    ///
    /// # Errors
    /// As [`SweepJob::begin`] and [`sweep`].
    pub fn run(self, watch: Watch<'_>) -> Result<SweepOutcome> {
        self.begin()?.run(watch)
    }

    /// Open the store, so that it can be said beforehand how many runs it holds already.
    ///
    /// # Errors
    /// When the specification cannot be read, or the store cannot be opened or belongs to another specification.
    pub fn begin(self) -> Result<BegunSweep> {
        let since = Instant::now();
        let path = self.store_path();
        Destinations::default()
            .may_read(FileRole::Specification, self.specification.file())
            .writes(FileRole::Store, &path)
            .check()?;
        let store = StoreWriter::open(&path, &self.specification.load(self.extent)?)?;
        let before = store.reader().count()?;
        Ok(BegunSweep { store, since, before })
    }
}

impl BegunSweep {
    /// Runs that were in the store already.
    pub fn before(&self) -> usize {
        self.before
    }

    /// Runs of the whole sweep.
    pub fn total(&self) -> usize {
        self.store.reader().specification().total()
    }

    /// Where the runs are kept.
    pub fn store_path(&self) -> &Path {
        self.store.reader().path()
    }

    /// Make the runs that are missing, and count.
    ///
    /// # Errors
    /// As [`sweep`].
    pub fn run(mut self, watch: Watch<'_>) -> Result<SweepOutcome> {
        let progress = sweep(&mut self.store, watch)?;
        let reader = self.store.reader();
        let specification = reader.specification().clone();
        Ok(SweepOutcome {
            store: reader.path().to_owned(),
            counts: cells(&reader.trials()?, &specification.success, specification.starts),
            progress,
            new: progress.done - self.before,
            specification,
            seconds: self.since.elapsed().as_secs_f64(),
        })
    }
}

impl SweepOutcome {
    /// Whether every run is done.
    pub fn is_complete(&self) -> bool {
        self.progress.done >= self.progress.total
    }

    /// Thresholds along the axis with most values: the name of the line, the axis, what was found.
    pub fn thresholds(&self) -> Vec<(String, Symbol, Option<Threshold>)> {
        let Some(axis) = varying(&self.counts).into_iter().next() else { return vec![] };
        let lines = lines(&self.counts, &self.specification.grid, axis);
        let half = |line: &Line| threshold(&line.samples(By::Run), self.specification.seed);
        lines.iter().map(|line| (line.name(), axis, half(line))).collect()
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let thresholds = self.thresholds();
        let thresholds = thresholds.iter().map(|(line, axis, found)| threshold_document(line, axis.name(), found));
        let SweepOutcome { specification, progress, .. } = self;
        json!({
            "store": words::path(&self.store),
            "name": specification.name,
            "trainings": { "done": progress.done, "total": progress.total, "new": self.new },
            "rule": specification.success,
            "thresholds": thresholds.collect::<Vec<_>>(),
            "cells": self.counts.iter().map(cell_document).collect::<Vec<_>>(),
            "seed": specification.seed,
            "version": env!("CARGO_PKG_VERSION"),
            "seconds": self.seconds,
        })
    }
}

fn cell_document(count: &CellCount) -> Value {
    let ((share, low, high), (successes, runs)) = (count.share(By::Run), count.runs());
    let (all_starts, networks) = count.all_starts();
    json!({
        "n": count.cell.n, "k": count.cell.k, "d": count.cell.d, "trainings": runs, "successes": successes,
        "undecided": count.undecided, "success": share, "low": low, "high": high, "networks": networks,
        "all_starts": all_starts,
    })
}

/// A threshold on a line; an end that is not known is null.
pub(super) fn threshold_document(line: &str, axis: &str, threshold: &Option<Threshold>) -> Value {
    let finite = |number: fn(&Threshold) -> f64| threshold.as_ref().map(number).filter(|x| x.is_finite());
    let kind = threshold.map(|threshold| match threshold.curve {
        Curve::Fitted { .. } => "logistic",
        Curve::Separated { .. } => "separated",
        Curve::Flat => "none",
    });
    json!({
        "line": line, "axis": axis, "half": finite(|found| found.half), "low": finite(|found| found.low),
        "high": finite(|found| found.high), "kind": kind, "beyond": threshold.map(|found| found.is_beyond),
    })
}
