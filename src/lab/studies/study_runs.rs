//! What figures without a sweep share: settings, progress and Ctrl-C, times of observation, intervals.
//!
//! Such a figure follows trainings on their way, or trains what a sweep cannot: on fresh samples, or on a population risk.
//! Its settings are a TOML file like those of sweeps, with its own keys.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::de::DeserializeOwned;

use super::super::sweep::{Progress, Watch};
use super::{Drawn, Finding};
use crate::draw::{Colour, Measured, Measurements};
use crate::error::{Error, Result, SpecificationProblem};

/// A figure of runs: its settings, and how it is drawn from them.
pub(super) struct Runs {
    pub text: &'static str,
    pub draw: fn(&str, Watch<'_>) -> Result<Drawn>,
}

/// The settings in a text.
pub(super) fn settings<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
        let problem = Box::new(SpecificationProblem::Syntax(error.message().replace('\n', ": ")));
        let line = before.matches('\n').count() + 1;
        Error::Specification { path: Path::new("settings").to_owned(), line, column: 1, problem }
    })
}

/// Counts what is done of a known amount, and hears Ctrl-C.
pub(super) struct Meter<'a> {
    watch: Watch<'a>,
    done: AtomicUsize,
    total: usize,
}

impl<'a> Meter<'a> {
    pub fn new(watch: Watch<'a>, total: usize) -> Self {
        Meter { watch, done: AtomicUsize::new(0), total }
    }

    /// So much more is done.
    pub fn add(&self, amount: usize) {
        let done = self.done.fetch_add(amount, Ordering::Relaxed) + amount;
        if let Some(report) = self.watch.report {
            report(Progress { done: done.min(self.total), total: self.total, ..Progress::default() });
        }
    }

    /// Whether somebody wants an end.
    pub fn is_over(&self) -> bool {
        self.watch.interrupted.load(Ordering::Relaxed)
    }

    /// The flag behind it.
    pub fn flag(&self) -> &'a std::sync::atomic::AtomicBool {
        self.watch.interrupted
    }
}

/// 0, 1, 2, … and then in steps of this share, up to the end.
const SPACING: f64 = 0.04;

/// The iterations that are looked at: all of the first ones, then evenly spaced by their logarithm, and the last.
pub(super) fn times(last: usize) -> Vec<usize> {
    let next = |t: &usize| (*t < last).then(|| (t + 1).max((*t as f64 * (1.0 + SPACING)) as usize).min(last));
    std::iter::successors(Some(0), next).collect()
}

/// A number with its interval: value, low, high.
pub(super) type Interval = (f64, f64, f64);

/// The quantile of Student's law that leaves 2.5 % on either side.
fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => FIRST[freedom - 1],
        // The first terms of the expansion in 1/ν around the normal quantile: right to 1e-3 here.
        _ => 1.95996 + 2.37227 / freedom as f64 + 2.82250 / (freedom * freedom) as f64,
    }
}

/// The mean with Student's 95 % interval; of one value there is none.
pub(super) fn mean(values: &[f64]) -> Interval {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n.max(2) - 1) as f64;
    let reach = student(n.max(1) - 1) * (variance / n as f64).sqrt();
    if n < 2 { (mean, f64::NAN, f64::NAN) } else { (mean, mean - reach, mean + reach) }
}

/// The geometric mean, likewise.
pub(super) fn geometric_mean(values: &[f64]) -> Interval {
    let (middle, low, high) = mean(&values.iter().map(|x| x.ln()).collect::<Vec<f64>>());
    (middle.exp(), low.exp(), high.exp())
}

/// The slope of the straight line of least squares through points, with Student's 95 % interval.
pub(super) fn slope(points: &[(f64, f64)]) -> Interval {
    let n = points.len() as f64;
    let (x_mean, y_mean) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let slope = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum::<f64>() / spread;
    let rest: f64 = points.iter().map(|(x, y)| (y - y_mean - slope * (x - x_mean)).powi(2)).sum();
    let freedom = points.len().saturating_sub(2);
    let reach = student(freedom) * (rest / freedom as f64 / spread).sqrt();
    (slope, slope - reach, slope + reach)
}

/// The exponent p of y ∝ x^p.
pub(super) fn exponent(points: &[(f64, f64)]) -> Interval {
    slope(&points.iter().map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
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

impl Finding {
    /// A number with an interval. Where there is none (one run), the number stands alone.
    pub(super) fn within(what: impl Into<String>, (value, low, high): Interval) -> Self {
        let (low, high) = if low.is_nan() { (value, value) } else { (low, high) };
        Finding { what: what.into(), value, low, high, published: None, is_gap: false }
    }

    /// With what was published.
    pub(super) fn against(self, published: f64) -> Self {
        Finding { published: Some(published), ..self }
    }
}
