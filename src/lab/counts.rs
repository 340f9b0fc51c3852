//! Successes counted, cell by cell, with intervals.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::grid::{GridCell, Symbol};
use super::rule::{Rule, RunRuling};
use super::trial::Trial;
use crate::statistics::intervals::wilson;

/// What the runs of one cell came to. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct CellCount {
    /// Its sizes.
    pub cell: GridCell,
    /// Of each planted network: successes and runs, in the order of the networks.
    pub networks: Vec<(usize, usize)>,
    /// Runs of which the rule cannot say whether they succeeded; not among the successes.
    pub undecided: usize,
    /// Networks of which no start failed and some are undecided.
    pub undecided_networks: usize,
    /// Starts that a network has once the sweep is complete.
    pub starts: usize,
}

impl CellCount {
    /// Successes and runs.
    pub fn runs(&self) -> (usize, usize) {
        self.networks.iter().fold((0, 0), |(s, m), (successes, runs)| (s + successes, m + runs))
    }

    /// Networks of which every start succeeded, and networks that were trained from every start.
    pub fn all_starts(&self) -> (usize, usize) {
        let complete = self.networks.iter().filter(|(_, runs)| *runs == self.starts);
        complete.fold((0, 0), |(s, m), (successes, runs)| (s + usize::from(successes == runs), m + 1))
    }

    /// What is undecided.
    pub fn undecided(&self, by: By) -> usize {
        match by {
            By::Run => self.undecided,
            By::Network => self.undecided_networks,
        }
    }

    /// The share of runs that succeeded, with Wilson's interval: share, low, high.
    pub fn share(&self, by: By) -> (f64, f64, f64) {
        let (successes, trials) = match by {
            By::Run => self.runs(),
            By::Network => self.all_starts(),
        };
        let (low, high) = wilson(successes, trials);
        (successes as f64 / trials as f64, low, high)
    }
}

/// What is counted. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Runs.
    Run,
    /// Planted networks; one is a success when every start is.
    Network,
}

/// Successes by cell, in the order of (n, k, d). [`sweep`](crate::lab::sweep) shows its use.
pub fn cells(trials: &[Trial], rule: &Rule, starts: usize) -> Vec<CellCount> {
    let mut networks: BTreeMap<(GridCell, usize), (usize, usize, usize)> = BTreeMap::new();
    for trial in trials {
        let (successes, runs, undecided) = networks.entry((trial.cell, trial.network)).or_insert((0, 0, 0));
        *runs += 1;
        match rule.judge(&trial.outcome) {
            RunRuling::Success => *successes += 1,
            RunRuling::Undecided => *undecided += 1,
            RunRuling::Failure => {}
        }
    }
    let mut counts: Vec<CellCount> = Vec::new();
    for ((cell, _), (successes, runs, undecided)) in networks {
        let open = usize::from(undecided > 0 && successes + undecided == runs);
        match counts.last_mut() {
            Some(last) if last.cell == cell => {
                last.networks.push((successes, runs));
                last.undecided += undecided;
                last.undecided_networks += open;
            }
            _ => {
                let networks = vec![(successes, runs)];
                counts.push(CellCount { cell, networks, undecided, undecided_networks: open, starts });
            }
        }
    }
    counts
}

/// The sizes that take more than one value, that with most values first.
pub(crate) fn varying(counts: &[CellCount]) -> Vec<Symbol> {
    let values = |symbol: Symbol| counts.iter().map(|count| count.cell.value(symbol)).collect::<BTreeSet<_>>().len();
    let mut varying: Vec<Symbol> = Symbol::ALL.into_iter().filter(|symbol| values(*symbol) > 1).collect();
    varying.sort_by_key(|symbol| Reverse(values(*symbol)));
    varying
}
