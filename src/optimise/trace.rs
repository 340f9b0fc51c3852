//! What a run went through.

use super::stop::{Stop, StopReason, ended_by};
use crate::linalg::norm;
use crate::risk::Value;
use crate::watch::{Progress, Watch};

/// One observed iteration. [`descent`](crate::optimise::descent) shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceRow {
    /// 0 is the start.
    pub iteration: usize,
    /// What is minimised.
    pub objective: f64,
    /// ‖f − y‖/‖y‖.
    pub relative_error: f64,
    /// ‖∇‖.
    pub gradient: f64,
    /// ‖θ − θ₀‖.
    pub distance: f64,
    /// Σ‖θ_{t+1} − θ_t‖.
    pub path: f64,
}

/// When the relative error first fell to a tolerance. [`descent`](crate::optimise::descent) shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The tolerance.
    pub tolerance: f64,
    /// The first iteration at or below it.
    pub iteration: Option<usize>,
}

/// The tolerances whose first crossings are recorded.
pub const LADDER: [f64; 8] = [1e-1, 3e-2, 1e-2, 2.5e-3, 1e-3, 1e-4, 1e-5, 1e-7];

/// A long run keeps between half and all of this many records, evenly spaced.
const MOST_RECORDS: usize = 4096;

/// The history of a run. [`descent`](crate::optimise::descent) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Evenly spaced records, and always the first and the last iteration.
    pub records: Vec<TraceRow>,
    /// First crossings of a ladder of relative errors, from coarse to fine.
    pub crossings: Vec<Crossing>,
    /// Why the run ended.
    pub reason: StopReason,
    /// How many iterations were taken.
    pub iterations: usize,
}

/// Follows a run: applies the stopping rules, keeps the trace, reports progress.
///
/// ```
/// use shallows::optimise::{Monitor, Stop};
/// use shallows::watch::Watch;
///
/// let monitor = Monitor::new(Stop::default()).watched(Watch::silent());
/// assert!(monitor.into_trace().records.is_empty());
/// ```
pub struct Monitor<'a> {
    stop: Stop,
    watch: Watch<'a>,
    report: Option<&'a mut dyn FnMut(&TraceRow)>,
    start: Vec<f64>,
    previous: Vec<f64>,
    path: f64,
    /// What was travelled since the last observation, where an optimiser says so.
    travelled: Option<f64>,
    records: Vec<TraceRow>,
    stride: usize,
    crossings: Vec<Crossing>,
    last: Option<TraceRow>,
    reason: Option<StopReason>,
}

impl<'a> Monitor<'a> {
    /// A monitor for one run.
    pub fn new(stop: Stop) -> Self {
        Monitor {
            stop,
            watch: Watch::silent(),
            report: None,
            start: vec![],
            previous: vec![],
            path: 0.0,
            travelled: None,
            records: vec![],
            stride: 1,
            crossings: LADDER.iter().map(|&tolerance| Crossing { tolerance, iteration: None }).collect(),
            last: None,
            reason: None,
        }
    }

    /// Report the run here, and end it when this says so.
    pub fn watched(self, watch: Watch<'a>) -> Self {
        Monitor { watch, ..self }
    }

    /// Call this with every observed iteration, for those who compare each with something.
    pub fn reporting(mut self, report: &'a mut dyn FnMut(&TraceRow)) -> Self {
        self.report = Some(report);
        self
    }

    /// The rules in force.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Why a run must end although its iteration has not; for optimisers whose iterations are long.
    pub(super) fn must_end(&self) -> Option<StopReason> {
        ended_by(self.watch)
    }

    /// What ends the run early.
    pub(super) fn watch(&self) -> Watch<'a> {
        self.watch
    }

    /// Take note of the length of a step after which nothing is observed.
    pub(super) fn travel(&mut self, length: f64) {
        *self.travelled.get_or_insert(0.0) += length;
    }

    /// Take note of an iterate. True when the run should end here.
    pub(super) fn observe(&mut self, iteration: usize, at: Value, gradient: f64, theta: &[f64]) -> bool {
        if self.start.is_empty() {
            self.start = theta.to_vec();
            self.previous = theta.to_vec();
        }
        self.path += self.travelled.take().unwrap_or_else(|| distance(theta, &self.previous));
        self.previous.copy_from_slice(theta);
        let record = TraceRow {
            iteration,
            objective: at.objective,
            relative_error: at.relative_error,
            gradient,
            distance: distance(theta, &self.start),
            path: self.path,
        };
        self.keep(record);
        if let Some(report) = &mut self.report {
            report(&record);
        }
        let iterations = self.stop.iterations;
        self.watch.report(Progress::Training { iteration, iterations, objective: at.objective, gradient });
        self.reason = self.stop.applies(iteration, at, gradient, self.watch);
        self.reason.is_some()
    }

    /// The run ends for a reason of the optimiser's own.
    pub(super) fn end(&mut self, reason: StopReason) {
        self.reason = Some(reason);
    }

    /// The trace of the run.
    pub fn into_trace(mut self) -> Trace {
        if let Some(last) = self.last
            && self.records.last().is_none_or(|record| record.iteration != last.iteration)
        {
            self.records.push(last);
        }
        Trace {
            records: self.records,
            crossings: self.crossings,
            reason: self.reason.unwrap_or(StopReason::Stalled),
            iterations: self.last.map_or(0, |last| last.iteration),
        }
    }

    fn keep(&mut self, record: TraceRow) {
        for crossing in &mut self.crossings {
            if crossing.iteration.is_none() && record.relative_error <= crossing.tolerance {
                crossing.iteration = Some(record.iteration);
            }
        }
        self.last = Some(record);
        if !record.iteration.is_multiple_of(self.stride) {
            return;
        }
        self.records.push(record);
        if self.records.len() > MOST_RECORDS {
            self.stride *= 2;
            let stride = self.stride;
            self.records.retain(|record| record.iteration.is_multiple_of(stride));
        }
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(relative_error: f64) -> Value {
        Value { objective: relative_error, relative_error }
    }

    #[test]
    fn path_length_adds_up_and_distance_does_not() {
        let mut monitor = Monitor::new(Stop { gradient: 0.0, ..Stop::default() });
        for (iteration, theta) in [[0.0, 0.0], [3.0, 4.0], [0.0, 0.0]].iter().enumerate() {
            monitor.observe(iteration, value(1.0), 1.0, theta);
        }
        let trace = monitor.into_trace();
        let last = trace.records[2];
        assert_eq!((last.path, last.distance), (10.0, 0.0));
    }

    #[test]
    fn only_first_crossings_are_kept() {
        let mut monitor = Monitor::new(Stop { gradient: 0.0, ..Stop::default() });
        for (iteration, error) in [1.0, 0.05, 0.5, 0.009, 0.02].iter().enumerate() {
            monitor.observe(iteration, value(*error), 1.0, &[0.0]);
        }
        let found: Vec<Option<usize>> = monitor.into_trace().crossings.iter().map(|c| c.iteration).collect();
        assert_eq!(found[..4], [Some(1), Some(3), Some(3), None]);
    }

    #[test]
    fn a_long_run_is_thinned_evenly_and_keeps_both_ends() {
        let mut monitor = Monitor::new(Stop { gradient: 0.0, iterations: usize::MAX, ..Stop::default() });
        for iteration in 0..=100_001 {
            monitor.observe(iteration, value(1.0), 1.0, &[0.0]);
        }
        let records = monitor.into_trace().records;
        assert!(records.len() <= MOST_RECORDS + 1 && records.len() > MOST_RECORDS / 2 - 1);
        assert_eq!((records[0].iteration, records[records.len() - 1].iteration), (0, 100_001));
        let strides: Vec<usize> = records.windows(2).map(|pair| pair[1].iteration - pair[0].iteration).collect();
        assert!(strides[..strides.len() - 1].windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[test]
    fn a_nan_objective_ends_the_run_as_diverged() {
        let mut monitor = Monitor::new(Stop::default());
        assert!(monitor.observe(0, value(f64::NAN), 1.0, &[0.0]));
        assert_eq!(monitor.into_trace().reason, StopReason::Diverged);
    }
}
