//! How the runs of a study without a sweep are made: settings, progress and Ctrl-C, times of observation.
//!
//! Such a study follows runs on their way, or trains what a sweep cannot: on fresh samples, or on a population risk.
//! Its settings are a TOML file like those of sweeps, with its own keys.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::de::DeserializeOwned;

use super::super::specification::{Extent, Versions};
use super::{Drawn, StudyFinding};
use crate::draw::{Colour, Measured, Measurements};
use crate::error::{Error, Result, SpecificationProblem};
use crate::statistics::intervals::Interval;
use crate::watch::{Progress, Stage, Watch};

/// A study of runs: its settings, and how it is drawn from them.
pub(super) struct Runs {
    pub text: &'static str,
    pub draw: fn(&str, Watch<'_>) -> Result<Drawn>,
}

/// The settings of one version, as a text.
pub(super) fn settings_text(text: &str, extent: Extent) -> Result<String> {
    let versions = Versions::of(text).map_err(|(place, problem)| refuse(text, place.start, problem))?;
    Ok(match (extent, versions.quick) {
        (Extent::Quick, Some(quick)) => quick,
        _ => versions.full.to_owned(),
    })
}

/// The settings in a text.
pub(super) fn settings<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let problem = SpecificationProblem::Syntax(error.message().replace('\n', ": "));
        refuse(text, error.span().map_or(0, |span| span.start), problem)
    })
}

fn refuse(text: &str, place: usize, problem: SpecificationProblem) -> Error {
    let line = text.get(..place).unwrap_or(text).matches('\n').count() + 1;
    Error::Specification { path: Path::new("settings").to_owned(), line, column: 1, problem: Box::new(problem) }
}

/// Counts what is done of a known amount, and hears Ctrl-C.
pub(super) struct Meter<'a> {
    watch: Watch<'a>,
    done: AtomicUsize,
    total: usize,
}

impl<'a> Meter<'a> {
    pub(super) fn new(watch: Watch<'a>, total: usize) -> Self {
        Meter { watch, done: AtomicUsize::new(0), total }
    }

    /// So much more is done.
    pub(super) fn add(&self, amount: usize) {
        let done = self.done.fetch_add(amount, Ordering::Relaxed) + amount;
        self.watch.report(Progress::Counted { stage: Stage::Runs, done: done.min(self.total), total: self.total });
    }

    /// Whether somebody wants an end.
    pub(super) fn is_over(&self) -> bool {
        self.watch.is_over()
    }

    /// What ends a run early; what it reports would mean nothing to the listener.
    pub(super) fn watch(&self) -> Watch<'a> {
        self.watch.quietly()
    }
}

/// 0, 1, 2, … and then in steps of this share, up to the end.
const SPACING: f64 = 0.04;

/// The iterations that are looked at: all of the first ones, then evenly spaced by their logarithm, and the last.
pub(super) fn times(last: usize) -> Vec<usize> {
    let next = |t: &usize| (*t < last).then(|| (t + 1).max((*t as f64 * (1.0 + SPACING)) as usize).min(last));
    std::iter::successors(Some(0), next).collect()
}

/// A curve over the iterations; of several runs of one kind only the first has a name.
pub(super) fn trajectory(name: &str, run: usize, colour: Colour, curve: Vec<(f64, f64)>) -> Measurements {
    let name = if run == 0 { name.to_owned() } else { String::new() };
    Measurements { name, colour, marks: vec![], curve, dashed: false }
}

/// Marks without a curve.
pub(super) fn marked(name: &str, colour: Colour, marks: Vec<Measured>) -> Measurements {
    Measurements { name: name.to_owned(), colour, marks, curve: vec![], dashed: false }
}

/// A mean as a mark.
pub(super) fn mark(x: f64, (y, low, high): Interval) -> Measured {
    Measured { x, y, low, high }
}

impl StudyFinding {
    /// A number with an interval. Where there is none (one run), the number stands alone.
    pub(super) fn within(what: impl Into<String>, (value, low, high): Interval) -> Self {
        let (low, high) = if low.is_nan() { (value, value) } else { (low, high) };
        StudyFinding { what: what.into(), value, low, high, published: None, is_gap: false }
    }

    /// With what was published.
    pub(super) fn against(self, published: f64) -> Self {
        StudyFinding { published: Some(published), ..self }
    }
}
