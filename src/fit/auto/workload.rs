//! How much work goes into an automatic fit.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::evidence::Pace;
use super::{CAUTION, COMPARING};
use crate::activation::{Activation, Kinked, Smooth};
use crate::error::{Error, Parameter, Requirement};
use crate::fit::wide::RELEARNT_ROWS;
use crate::wide::{LayerSet, OWN_WORK, SolvingSizes, rows_learnt_from};

/// How much time an automatic fit may take: about 1 : 5 : 15. [`Combination`](crate::fit::Combination) shows its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Two infinitely wide networks.
    Quick,
    /// All of them, and a committee where the table is small.
    #[default]
    Normal,
    /// The same with more and larger committees.
    Best,
}

impl Effort {
    const NAMES: [(&str, Effort); 3] = [("quick", Effort::Quick), ("normal", Effort::Normal), ("best", Effort::Best)];
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Effort::NAMES.iter().find(|(_, effort)| effort == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for Effort {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Effort::NAMES.iter().find(|(name, _)| *name == text).map(|(_, effort)| *effort);
        known.ok_or_else(|| Error::parameter(Parameter::Effort, Requirement::OneOf(&["quick", "normal", "best"]), text))
    }
}

/// What is trained.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Learner {
    Affine,
    /// By Levenberg–Marquardt with evidence.
    Evidence {
        activation: Smooth,
        pace: Pace,
    },
    /// By L-BFGS with this decay.
    Relu {
        decay: f64,
    },
}

impl Learner {
    pub(super) fn activation(&self) -> Activation {
        match self {
            Learner::Affine => Activation::SQUARE,
            Learner::Evidence { activation, .. } => Activation::Smooth(activation.clone()),
            Learner::Relu { .. } => Activation::Kinked(Kinked::Relu),
        }
    }

    /// Whether its networks are averaged.
    pub(super) fn is_committee(&self) -> bool {
        matches!(self, Learner::Evidence { .. } | Learner::Relu { .. })
    }

    /// In words.
    pub(super) fn name(&self, workload: &Workload) -> String {
        match self {
            Learner::Affine => "affine".into(),
            Learner::Evidence { pace, .. } => {
                let slowly = if *pace == Pace::Patient { ", patient" } else { "" };
                format!("committee of {}×{}{slowly}", workload.evidence_units, self.activation())
            }
            Learner::Relu { decay } => format!("committee of {}×relu, decay {decay:e}", workload.relu_units),
        }
    }
}

/// The sizes of everything, from the size of the table and the effort alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Workload {
    pub effort: Effort,
    rows: usize,
    inputs: usize,
    pub folds: usize,
    /// Rows that candidates are compared on.
    pub compared_rows: usize,
    /// Rows that an infinitely wide network is fitted to.
    pub wide_rows: usize,
    pub evidence_units: usize,
    pub evidence_rows: usize,
    pub evidence_iterations: usize,
    pub relu_units: usize,
    pub relu_rows: usize,
    pub relu_iterations: usize,
}

/// Up to so many rows everything is compared with everything.
pub(in crate::fit) const FEW_ROWS: usize = 2500;
/// Up to so many rows the laws of infinitely wide networks are learnt again without each fold even in a hurry.
const QUICKLY_RELEARNT_ROWS: usize = 150;
/// Choosing by cross-validation is not safe with fewer.
const SAFE_ROWS: usize = 40;
/// A step of Levenberg–Marquardt costs P³ for P parameters; with more than this, other candidates do more for the time.
const MOST_PARAMETERS: usize = 700;
/// Multiply-adds that a step of Levenberg–Marquardt, and an evaluation of a relu network, may take.
const MOST_STEP_WORK: usize = 4_000_000_000;
const MOST_GRADIENT_WORK: usize = 50_000_000;
/// Rows that an infinitely wide network is fitted to, from the most, where there is the time, to the fewest, beyond which it
/// sees some of them only.
const WIDE_ROWS: [usize; 7] = [SolvingSizes::USUAL.most, 30_000, 20_000, 10_000, 4000, 2000, 1000];
/// With fewer than so many of many rows a lower effort does more.
const ENOUGH_WIDE_ROWS: usize = 4000;
/// Kernel values of all rows with the rows that a network is fitted to, of which there are at most this many: its predictions are
/// compared, and told, on all rows.
const MOST_KERNEL_VALUES: usize = 4_000_000_000;
/// Inputs beyond which kernels cost more than they bring.
const MOST_WIDE_INPUTS: usize = 2000;
/// Multiply-adds of one pass over the data, and inputs, up to which the path of quadratic networks takes minutes.
const MOST_PASS_WORK: usize = 3_000_000_000;
const MOST_QUADRATIC_INPUTS: usize = 600;

impl Workload {
    /// The plan for this effort, or for fewer rows of infinitely wide networks or the next lower effort where there is not the
    /// time for it.
    pub(super) fn within(n: usize, d: usize, effort: Effort, time: Option<Duration>) -> Self {
        let lower = match effort {
            Effort::Best => Some(Effort::Normal),
            Effort::Normal => Some(Effort::Quick),
            Effort::Quick => None,
        };
        let workload = |wide_rows: usize| Workload { wide_rows, ..Workload::for_table(n, d, effort) };
        let fits = |one: &Workload| time.is_none_or(|time| one.fits_into(time.as_secs_f64()));
        let is_told_quickly = |rows: &usize| n.min(*rows).saturating_mul(n) <= MOST_KERNEL_VALUES;
        // More rows are worth more than more sets of layers.
        let is_enough = |rows: &usize| lower.is_none() || *rows >= ENOUGH_WIDE_ROWS;
        let wide_rows = WIDE_ROWS.into_iter().filter(is_told_quickly).filter(is_enough);
        match (wide_rows.map(workload).find(fits), lower) {
            (Some(workload), _) => workload,
            (None, Some(lower)) => Workload::within(n, d, lower, time),
            (None, None) => workload(WIDE_ROWS[WIDE_ROWS.len() - 1]),
        }
    }

    /// Whether there is the time: for all of it, and so that what comes last leaves enough for what comes before. A solution by
    /// iterations is of no use before its end, which has to come while candidates are compared.
    fn fits_into(&self, seconds: f64) -> bool {
        /// What comes last has this share at most.
        const LAST: f64 = 0.4;
        let last = CAUTION * self.ending_seconds();
        let is_exact = self.rows.min(self.wide_rows) <= SolvingSizes::USUAL.exact;
        let is_whole = is_exact || self.wide_seconds() <= COMPARING * (seconds - last);
        self.seconds() + self.ending_seconds() <= seconds && last <= LAST * seconds && is_whole
    }

    /// About how long it takes, from what the pieces took on one core of a server of 2024 (AMD EPYC, 4 GHz).
    fn seconds(&self) -> f64 {
        /// For a step of Levenberg–Marquardt per multiply-add, for a gradient of a relu network per weight and row.
        const STEP: f64 = 5.3e-11;
        const GRADIENT: f64 = 5.5e-10;
        let rows = self.rows.min(self.compared_rows) as f64;
        let at_most = |most: usize| rows.min(most as f64);
        let parameters = (self.evidence_units * (self.inputs + 2) + self.inputs + 1) as f64;
        let work_of_run = |learner: &Learner| match learner {
            Learner::Affine => 0.0,
            Learner::Evidence { pace, .. } => {
                let step = at_most(self.evidence_rows) * parameters.powi(2) + parameters.powi(3);
                STEP * self.evidence_steps(*pace) as f64 * step
            }
            Learner::Relu { .. } => {
                let weights = (self.relu_units * self.inputs) as f64;
                GRADIENT * self.relu_iterations as f64 * at_most(self.relu_rows) * weights
            }
        };
        let runs = |learner: &Learner| (self.folds * self.repeats(learner) + self.refits(learner)) as f64;
        let work: f64 = self.learners().iter().map(|learner| runs(learner) * work_of_run(learner)).sum();
        work / rayon::current_num_threads() as f64 + self.wide_seconds()
    }

    /// The same of the infinitely wide networks alone.
    fn wide_seconds(&self) -> f64 {
        /// Per cubed row that is solved with a noise; beyond the rows that are, per squared row and input.
        const SOLUTION: f64 = 2e-11;
        const NOISES: f64 = 3.0;
        const SIZES: SolvingSizes = SolvingSizes::USUAL;
        const ITERATIONS: f64 = 2.4e-9;
        let rows = self.rows.min(self.wide_rows) as f64;
        let sets = self.wide_sets().len() as f64;
        let solution = |rows: f64| SOLUTION * rows.powi(3);
        let compared = solution(rows.min(SIZES.compared as f64));
        let wide = match self.is_small() {
            true => sets * NOISES * compared,
            false if rows <= SIZES.exact as f64 => (sets + NOISES) * compared + solution(rows),
            false => (sets + NOISES) * compared + ITERATIONS * rows.powi(2) * (self.inputs + OWN_WORK) as f64,
        };
        let wide = if sets > 0.0 { wide } else { 0.0 };
        let evidence = sets * self.evidence_work(rows as usize);
        (evidence + wide) / rayon::current_num_threads() as f64
    }

    /// About how long the laws of one set of layers take from so many rows: factorisations, and kernels with their derivatives.
    fn evidence_work(&self, rows: usize) -> f64 {
        const FACTORS: f64 = 1.2e-9;
        const VALUES: f64 = 5e-8;
        let rows = rows_learnt_from(rows, self.inputs) as f64;
        FACTORS * rows.powi(3) + VALUES * rows.powi(2) * (self.inputs + OWN_WORK) as f64
    }

    /// About how long it takes from the last network on: to predict all rows with it, to prove what can be proved, and to make
    /// what intervals are made from.
    pub(super) fn ending_seconds(&self) -> f64 {
        /// Per kernel value and input of the usual layers, and how many times as long one with a bound on its error takes; per
        /// number of the table for reading it again; the laws of intervals come from so many rows.
        const VALUE: f64 = 5e-10;
        const PROVED: f64 = 2.0;
        const NUMBER: f64 = 1e-7;
        const SETS_OF_INTERVALS: f64 = 2.0;
        const ROWS_OF_INTERVALS: usize = 1000;
        let (rows, inputs) = (self.rows as f64, self.inputs as f64);
        let wide = rows.min(self.wide_rows as f64);
        let value = if self.wide_sets().is_empty() { 0.0 } else { VALUE * (self.inputs + OWN_WORK) as f64 };
        let proof = if self.rows <= self.wide_rows { PROVED * rows * rows } else { 0.0 };
        let intervals = SETS_OF_INTERVALS * self.evidence_work((self.rows / 2).min(ROWS_OF_INTERVALS));
        let work = value * (2.0 * rows * wide + proof) + NUMBER * rows * inputs + intervals;
        work / rayon::current_num_threads() as f64
    }

    /// Whether there is the time to solve for the quadratic network on all rows, where that takes passes over them.
    pub(super) fn has_time_for_passes(&self, time: Option<Duration>) -> bool {
        /// Per multiply-add of a pass, of which about so many are needed.
        const PASS: f64 = 4e-9;
        const PASSES: f64 = 40.0;
        let work = PASSES * PASS * self.rows as f64 * (self.inputs as f64).powi(2);
        time.is_none_or(|time| work / rayon::current_num_threads() as f64 <= time.as_secs_f64())
    }

    fn for_table(n: usize, d: usize, effort: Effort) -> Self {
        let few = n < FEW_ROWS;
        // About three rows for every two parameters.
        let units = if few { (n * 2 / (3 * (d + 2))).clamp(6, 40) } else { 50 };
        let evidence_units = units.min((MOST_PARAMETERS - (d + 1).min(MOST_PARAMETERS)) / (d + 2));
        let parameters = evidence_units * (d + 2) + d + 1;
        let relu_units = (n / 4).clamp(50, 200);
        Workload {
            effort,
            rows: n,
            inputs: d,
            folds: match (few, effort) {
                (true, Effort::Best) => 10.min(n),
                (true, _) => 5.min(n),
                (false, _) => 3,
            },
            compared_rows: 30_000,
            wide_rows: WIDE_ROWS[0],
            evidence_units,
            evidence_rows: (MOST_STEP_WORK / parameters.pow(2)).max(1000),
            evidence_iterations: if n > 10_000 { 40 } else { 70 },
            relu_units,
            relu_rows: (MOST_GRADIENT_WORK / (relu_units * d)).max(1000),
            relu_iterations: 700,
        }
    }

    /// Whether the weights of the combination can be chosen by cross-validation.
    pub(super) fn is_stacked(&self) -> bool {
        self.rows >= SAFE_ROWS
    }

    /// Whether a path of quadratic networks can be afforded.
    pub(super) fn quadratic_is_possible(&self) -> bool {
        let pass = self.rows.min(self.compared_rows).saturating_mul(self.inputs.saturating_pow(2));
        self.inputs <= MOST_QUADRATIC_INPUTS && pass <= MOST_PASS_WORK
    }

    /// Whether everything is compared with everything.
    pub(super) fn is_small(&self) -> bool {
        self.rows <= FEW_ROWS
    }

    /// Whether there is the time to learn the laws of infinitely wide networks again without each fold.
    pub(super) fn learns_laws_again(&self) -> bool {
        match self.effort {
            Effort::Quick => self.rows <= QUICKLY_RELEARNT_ROWS,
            Effort::Normal => self.rows <= RELEARNT_ROWS,
            Effort::Best => self.is_small(),
        }
    }

    /// The sets of layers of infinitely wide networks.
    pub(super) fn wide_sets(&self) -> Vec<LayerSet> {
        match self.effort {
            _ if self.inputs > MOST_WIDE_INPUTS => vec![],
            Effort::Quick => vec![LayerSet::RoughRelu, LayerSet::RoughErf],
            Effort::Normal | Effort::Best => LayerSet::ALL.to_vec(),
        }
    }

    /// The candidates besides the infinitely wide networks and the quadratic one; the affine model is the first.
    pub(super) fn learners(&self) -> Vec<Learner> {
        let mut learners = vec![Learner::Affine];
        let evidence = self.evidence_units >= 3;
        let committee = |activation, pace| evidence.then_some(Learner::Evidence { activation, pace });
        if !self.is_stacked() || self.effort == Effort::Quick || !(self.is_small() || self.effort == Effort::Best) {
            return learners;
        }
        learners.extend(committee(Smooth::Tanh, Pace::Brisk));
        if self.effort == Effort::Best {
            learners.extend([3e-4, 1e-5].map(|decay| Learner::Relu { decay }));
            learners.extend(committee(Smooth::Softplus { sharpness: 1.0 }, Pace::Brisk));
            learners.extend(committee(Smooth::Tanh, Pace::Patient));
        }
        learners
    }

    /// Steps of Levenberg–Marquardt.
    pub(super) fn evidence_steps(&self, pace: Pace) -> usize {
        match pace {
            Pace::Brisk => self.evidence_iterations,
            Pace::Patient => 2 * self.evidence_iterations,
        }
    }

    /// Trainings per fold.
    pub(super) fn repeats(&self, learner: &Learner) -> usize {
        match (learner, self.effort) {
            (Learner::Evidence { activation: Smooth::Tanh, .. } | Learner::Relu { .. }, Effort::Normal) => 2,
            (learner, Effort::Best) if learner.is_committee() => 2,
            _ => 1,
        }
    }

    /// Trainings on all rows.
    pub(super) fn refits(&self, learner: &Learner) -> usize {
        match (learner.is_committee(), self.effort) {
            (false, _) => 1,
            (true, Effort::Quick) => 2,
            (true, Effort::Normal) => 6,
            (true, Effort::Best) => 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_time_never_means_more_work_and_what_comes_after_it_is_counted() {
        let within =
            |seconds: Option<u64>| Workload::within(300_000, 70, Effort::Normal, seconds.map(Duration::from_secs));
        let times = [None, Some(86_400), Some(600), Some(60), Some(5), Some(1)];
        let works: Vec<Workload> = times.iter().map(|time| within(*time)).collect();
        for (pair, time) in works.windows(2).zip(&times[1..]) {
            assert!(pair[1].wide_rows <= pair[0].wide_rows, "{pair:?}");
            let is_least = pair[1].wide_rows == WIDE_ROWS[WIDE_ROWS.len() - 1];
            let whole = pair[1].seconds() + pair[1].ending_seconds();
            assert!(is_least || time.is_none_or(|time| whole <= time as f64), "{whole} s of {time:?}");
        }
        assert!(works[0].wide_rows * 300_000 <= MOST_KERNEL_VALUES && works[0].wide_rows >= 10_000);
        // What comes last leaves more than half of the time, and a solution by iterations can end while candidates are compared.
        for (n, d) in [(40_000, 24), (245_000, 77), (300_000, 70)] {
            for seconds in [30, 60, 120, 300] {
                let work = Workload::within(n, d, Effort::Normal, Some(Duration::from_secs(seconds)));
                let (rows, last) = (work.wide_rows, CAUTION * work.ending_seconds());
                let is_least = rows == WIDE_ROWS[WIDE_ROWS.len() - 1];
                assert!(is_least || last < 0.5 * seconds as f64, "{n} {d} {seconds}: {rows} rows end in {last} s");
                let comparing = COMPARING * (seconds as f64 - last);
                assert!(
                    rows <= SolvingSizes::USUAL.exact || work.wide_seconds() <= comparing,
                    "{n} {d} {seconds}: {rows}"
                );
            }
        }
        // A table that is seen whole is proved too.
        assert!(within(None).ending_seconds() > 0.0);
        assert_eq!(Workload::within(40_000, 24, Effort::Normal, None).wide_rows, 50_000);
    }
}
