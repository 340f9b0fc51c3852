//! Which runs a sweep consists of, in what order, and where refinement puts more.
//!
//! First every cell gets its networks. Then, where `[refine]` asks for it, more are planted in rounds. A round puts its
//! networks, one after the other, where they lower the variance of the measured curve most: a cell with m networks and
//! success probability p contributes p(1 − p)/(m + m₀), so the next goes where p(1 − p)/((m + m₀)(m + m₀ + 1)) is
//! largest, the first of equals; m₀ = 5 is what the neighbours of a cell count for. With s successes
//! p is (s + m₀q)/(m + m₀), where q is read off the line between the neighbours, of which each stands at (s + ½)/(m + 1).
//! The choice depends on the results of earlier rounds and on nothing else, so a sweep that was interrupted makes the
//! same choices again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::grid::{GridCell, Symbol};
use super::rule::RunRuling;
use super::specification::Specification;
use super::trial::Trial;

/// Rounds of refinement.
const ROUNDS: usize = 20;
/// The networks that what is known of a cell from its neighbours counts for.
const NEIGHBOURS: f64 = 5.0;

/// One planted network to be trained from each of its starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// The number of the run from the first start; the others follow.
    pub id: u64,
    pub cell: GridCell,
    pub network: usize,
}

/// What has been planned so far.
pub(super) struct SweepSchedule<'a> {
    specification: &'a Specification,
    /// Networks planned for each cell.
    networks: BTreeMap<GridCell, usize>,
    next_id: u64,
    /// Networks of the refinement that are not planned yet.
    left: usize,
}

impl<'a> SweepSchedule<'a> {
    pub(super) fn new(specification: &'a Specification) -> Self {
        let left = specification.refine.as_ref().map_or(0, |refine| refine.trials);
        SweepSchedule { specification, networks: BTreeMap::new(), next_id: 1, left }
    }

    /// The grid.
    pub(super) fn first(&mut self) -> Vec<Planned> {
        let cells = self.specification.cells();
        let networks = self.specification.trials;
        cells.into_iter().flat_map(|cell| vec![cell; networks]).map(|cell| self.planned(cell)).collect()
    }

    /// A round of refinement, by the results of everything planned before; empty when there is nothing left to plan.
    pub(super) fn next(&mut self, trials: &[Trial]) -> Vec<Planned> {
        let Some(refine) = self.specification.refine.as_ref().filter(|_| self.left > 0) else { return vec![] };
        let size = refine.trials.div_ceil(ROUNDS).min(self.left);
        let candidates = self.candidates(trials);
        let mut networks: Vec<usize> = candidates.iter().map(|(cell, _)| self.count(*cell)).collect();
        // Positive numbers are ordered as their bits are.
        let gain = |p: f64, m: f64| (p * (1.0 - p) / (m * (m + 1.0))).to_bits();
        let entry = |at: usize, m: usize| (gain(candidates[at].1, m as f64 + NEIGHBOURS), Reverse(at));
        let mut heap: BinaryHeap<(u64, Reverse<usize>)> =
            networks.iter().enumerate().map(|(at, m)| entry(at, *m)).collect();
        let mut round = Vec::with_capacity(size);
        while round.len() < size
            && let Some((_, Reverse(at))) = heap.pop()
        {
            round.push(candidates[at].0);
            networks[at] += 1;
            heap.push(entry(at, networks[at]));
        }
        self.left -= round.len();
        round.into_iter().map(|cell| self.planned(cell)).collect()
    }

    fn count(&self, cell: GridCell) -> usize {
        self.networks.get(&cell).copied().unwrap_or(0)
    }

    fn planned(&mut self, cell: GridCell) -> Planned {
        let count = self.networks.entry(cell).or_insert(0);
        let planned = Planned { id: self.next_id, cell, network: *count };
        *count += 1;
        self.next_id += self.specification.starts as u64;
        planned
    }

    /// The cells that may get more networks, in order, with their success probabilities.
    fn candidates(&self, trials: &[Trial]) -> Vec<(GridCell, f64)> {
        let Some(refine) = &self.specification.refine else { return vec![] };
        let grid = &self.specification.grid;
        let mut successes: HashMap<GridCell, f64> = HashMap::new();
        let share = 1.0 / self.specification.starts as f64;
        for trial in trials.iter().filter(|trial| trial.network < self.count(trial.cell)) {
            if self.specification.success.judge(&trial.outcome) == RunRuling::Success {
                *successes.entry(trial.cell).or_insert(0.0) += share;
            }
        }
        let probability = |cell: GridCell| match self.count(cell) {
            0 => None,
            m => Some((successes.get(&cell).copied().unwrap_or(0.0) + 0.5) / (m as f64 + 1.0)),
        };
        let mut lines: BTreeMap<GridCell, Vec<GridCell>> = BTreeMap::new();
        for cell in self.specification.cells() {
            lines.entry(grid.line(cell, refine.axis)).or_default().push(cell);
        }
        let mut candidates = Vec::new();
        for (line, mut cells) in lines {
            cells.extend(refine.values.iter().map(|value| grid.derived(line.with(refine.axis, *value))));
            cells.sort_by_key(|cell| cell.value(refine.axis));
            cells.dedup();
            let known: Vec<(GridCell, f64)> =
                cells.iter().filter_map(|cell| probability(*cell).map(|p| (*cell, p))).collect();
            candidates.extend(cells.iter().map(|cell| {
                let others: Vec<(GridCell, f64)> = known.iter().filter(|(other, _)| other != cell).copied().collect();
                let q = interpolated(&others, *cell, refine.axis);
                let s = successes.get(cell).copied().unwrap_or(0.0);
                (*cell, (s + NEIGHBOURS * q) / (self.count(*cell) as f64 + NEIGHBOURS))
            }));
        }
        candidates
    }
}

/// The probability on the line between the neighbours of a cell, or that of the nearest at the ends.
fn interpolated(known: &[(GridCell, f64)], cell: GridCell, axis: Symbol) -> f64 {
    let x = |cell: GridCell| cell.value(axis) as f64;
    let before = known.iter().rfind(|(other, _)| x(*other) <= x(cell));
    let after = known.iter().find(|(other, _)| x(*other) >= x(cell));
    match (before, after) {
        (Some((a, p)), Some((b, q))) if a != b => p + (q - p) * (x(cell) - x(*a)) / (x(*b) - x(*a)),
        (Some((_, p)), _) | (None, Some((_, p))) => *p,
        (None, None) => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::lab::trial::TrialOutcome;
    use crate::optimise::{LADDER, StopReason};

    const TEXT: &str = "trials = 10\n[grid]\nn = 30\nk = \"1..=9 step 2\"\nd = 5\n[student]\nactivation = \"tanh\"\n\
                        [training]\niterations = 10\n[refine]\naxis = \"k\"\ntrials = 40\nvalues = \"1..=9\"";

    fn trial(planned: &Planned, success: bool) -> Trial {
        let crossings = [success.then_some(1); LADDER.len()];
        let outcome = TrialOutcome {
            crossings,
            iterations: 10,
            reason: StopReason::Iterations,
            objective: 0.0,
            relative_error: 0.0,
            long_run: None,
            teacher_error: None,
            fingerprint: String::new(),
        };
        let Planned { id, cell, network } = *planned;
        Trial { id, cell, network, start: 0, seed: 0, outcome, seconds: 0.0 }
    }

    /// All fail below k = 5, all succeed above, every other one at 5.
    fn succeeds(planned: &Planned) -> bool {
        planned.cell.k > 5 || (planned.cell.k == 5 && planned.network.is_multiple_of(2))
    }

    #[test]
    fn networks_go_to_the_transition_and_the_plan_is_the_same_again() {
        let specification = Specification::parse(TEXT, Path::new("")).unwrap();
        let whole = |later: bool| {
            let mut schedule = SweepSchedule::new(&specification);
            let mut all = schedule.first();
            let mut rounds = 0;
            loop {
                let mut trials: Vec<Trial> = all.iter().map(|planned| trial(planned, succeeds(planned))).collect();
                if later {
                    // What later rounds have found, as after an interruption, must make no difference.
                    let cell = GridCell { n: 30, k: 2, d: 5 };
                    trials.push(trial(&Planned { id: 9999, cell, network: 500 }, true));
                }
                let round = schedule.next(&trials);
                if round.is_empty() {
                    return (all, rounds);
                }
                rounds += 1;
                all.extend(round);
            }
        };
        let (all, rounds) = whole(false);
        assert_eq!((all.len(), rounds), (90, ROUNDS));
        assert!(all.iter().map(|planned| planned.id).eq(1..=90));
        let added = |k: usize| all[50..].iter().filter(|planned| planned.cell.k == k).count();
        assert!(added(4) + added(5) + added(6) >= 32, "{:?}", (1..=9).map(added).collect::<Vec<_>>());
        assert_eq!(whole(true).0, all);
    }

    #[test]
    fn empty_cells_are_read_off_their_neighbours() {
        let cell = |k| GridCell { n: 1, k, d: 1 };
        let known = [(cell(2), 0.2), (cell(6), 0.6)];
        let at = |k| interpolated(&known, cell(k), Symbol::K);
        assert!((at(3) - 0.3).abs() < 1e-12 && at(2) == 0.2 && at(1) == 0.2 && at(9) == 0.6);
        assert_eq!(interpolated(&[], cell(1), Symbol::K), 0.5);
    }
}
