//! Thresholds: where along an axis the success probability passes one half.

use std::collections::BTreeMap;

use super::counts::{By, CellCount, cells};
use super::grid::{Grid, GridCell, Symbol};
use super::rule::Rule;
use super::specification::Specification;
use super::trial::Trial;
use crate::linalg::map_tasks;
use crate::optimise::LADDER;
use crate::statistics::logistic::{Curve, RESAMPLES, Sample, bootstrap, fit};

/// Cells along one axis. [`lines`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The axis.
    pub axis: Symbol,
    /// What its cells share; the sizes that vary are 0.
    pub shared: GridCell,
    /// Its cells, in rising order along the axis.
    pub counts: Vec<CellCount>,
}

/// A threshold with its 95 % interval. [`threshold`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// x½; infinite where it lies beyond all samples and no curve says where.
    pub half: f64,
    /// Lower end; may be −∞.
    pub low: f64,
    /// Upper end; may be ∞.
    pub high: f64,
    /// The curve behind it. Where success and failure are separated, the interval is the gap between them.
    pub curve: Curve,
    /// Whether it lies beyond all samples: then it is at most the word of the fitted curve.
    pub is_beyond: bool,
}

/// The lines of a sweep along an axis.
///
/// ```
/// use shallows::lab::{Axis, CellCount, Grid, GridCell, Symbol, lines};
///
/// let count = |k| CellCount {
///     cell: GridCell { n: 100, k, d: 10 },
///     networks: vec![(1, 1)],
///     undecided: 0,
///     undecided_networks: 0,
///     starts: 1,
/// };
/// let values = |values: &[usize]| Axis::Values(values.to_vec());
/// let grid = Grid { n: values(&[100]), k: values(&[5, 10]), d: values(&[10]) };
/// let lines = lines(&[count(5), count(10)], &grid, Symbol::K);
/// assert_eq!((lines.len(), lines[0].counts.len()), (1, 2));
/// ```
pub fn lines(counts: &[CellCount], grid: &Grid, axis: Symbol) -> Vec<Line> {
    let mut lines: BTreeMap<GridCell, Vec<CellCount>> = BTreeMap::new();
    for count in counts {
        lines.entry(grid.line(count.cell, axis)).or_default().push(count.clone());
    }
    let sorted = |mut counts: Vec<CellCount>| {
        counts.sort_by_key(|count| count.cell.value(axis));
        counts
    };
    lines.into_iter().map(|(shared, counts)| Line { axis, shared, counts: sorted(counts) }).collect()
}

impl Line {
    /// What the logistic sees.
    pub fn samples(&self, by: By) -> Vec<Sample> {
        let x = |count: &CellCount| count.cell.value(self.axis) as f64;
        self.counts.iter().map(|count| sample(x(count), count, by)).collect()
    }

    /// What its cells share, in words: `n = 100, d = 10`.
    pub fn name(&self) -> String {
        let fixed = Symbol::ALL.into_iter().filter(|symbol| self.shared.value(*symbol) > 0);
        fixed.map(|symbol| format!("{} = {}", symbol.name(), self.shared.value(symbol))).collect::<Vec<_>>().join(", ")
    }

    /// Only the cells between two values of the axis, ends included.
    pub fn between(mut self, from: usize, to: usize) -> Line {
        self.counts.retain(|count| (from..=to).contains(&count.cell.value(self.axis)));
        self
    }
}

/// The trials of a cell at any x.
pub(crate) fn sample(x: f64, count: &CellCount, by: By) -> Sample {
    let groups = match by {
        By::Run => count.networks.clone(),
        By::Network => {
            let complete = count.networks.iter().filter(|(_, runs)| *runs == count.starts);
            complete.map(|(successes, runs)| (usize::from(successes == runs), 1)).collect()
        }
    };
    Sample { x, groups }
}

/// x½ with its interval; `None` where there is no threshold.
///
/// ```
/// use shallows::lab::threshold;
/// use shallows::statistics::logistic::Sample;
///
/// // Successes out of 20 rise from none to all around x = 3.
/// let sample = |(x, wins)| Sample { x, groups: (0..20).map(|i| (usize::from(i < wins), 1)).collect() };
/// let samples = [(1.0, 0), (2.0, 4), (3.0, 10), (4.0, 16), (5.0, 20)].map(sample);
/// let found = threshold(&samples, 1).expect("a threshold");
/// assert!((found.half - 3.0).abs() < 0.1 && found.low < 3.0 && 3.0 < found.high);
/// ```
pub fn threshold(samples: &[Sample], seed: u64) -> Option<Threshold> {
    let curve = fit(samples);
    let (low, high) = match curve {
        Curve::Fitted { .. } => bootstrap(samples, RESAMPLES, seed)?,
        Curve::Separated { from, to, .. } => (from, to),
        Curve::Flat => return None,
    };
    let half = curve.half()?;
    let is_beyond = samples.iter().all(|sample| sample.x < half) || samples.iter().all(|sample| sample.x > half);
    Some(Threshold { half, low, high, curve, is_beyond })
}

/// The threshold of one line under one stopping rule. [`thresholds_by_rule`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ByRule {
    /// What the cells of the line share; the sizes that vary are 0.
    pub shared: GridCell,
    /// Relative error.
    pub tolerance: f64,
    /// Iterations.
    pub within: usize,
    /// The threshold, if there is one.
    pub threshold: Option<Threshold>,
}

/// Thresholds along an axis as a function of tolerance and number of iterations: every rung of the ladder that descent
/// could reach, and T, T/2, T/4, … of its iterations.
///
/// ```
/// use std::path::Path;
/// use shallows::lab::{By, Specification, Symbol, thresholds_by_rule};
///
/// let text = "trials = 3\n[grid]\nn = 20\nk = \"2..=4 step 2\"\nd = 2\n[student]\nactivation = \"softplus\"\n\
///             [training]\nstep = \"adaptive\"\neta = 0.1\niterations = 50\n";
/// let specification = Specification::parse(text, Path::new("mine.toml"))?;
/// // Before any run there is nothing to fit a threshold to.
/// let found = thresholds_by_rule(&specification, &[], Symbol::K, By::Run);
/// assert!(found.iter().all(|by| by.threshold.is_none()));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn thresholds_by_rule(specification: &Specification, trials: &[Trial], axis: Symbol, by: By) -> Vec<ByRule> {
    const HALVINGS: u32 = 6;
    let tolerances = LADDER.into_iter().filter(|tolerance| *tolerance >= specification.tolerance);
    let within = |halving: u32| Some(specification.iterations >> halving).filter(|within| *within > 0);
    let rules: Vec<(f64, usize)> = tolerances
        .flat_map(|tolerance| (0..HALVINGS).rev().filter_map(within).map(move |within| (tolerance, within)))
        .collect();
    let thresholds = |&(tolerance, within): &(f64, usize)| {
        let counts = cells(trials, &Rule::Descent { tolerance, within }, specification.starts);
        let by_rule = |line: Line| ByRule {
            tolerance,
            within,
            threshold: threshold(&line.samples(by), specification.seed),
            shared: line.shared,
        };
        lines(&counts, &specification.grid, axis).into_iter().map(by_rule).collect::<Vec<_>>()
    };
    map_tasks(rules.len(), |at| thresholds(&rules[at])).into_iter().flatten().collect()
}
