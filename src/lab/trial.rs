//! What is kept of one run.

use sha2::{Digest, Sha256};

use super::grid::GridCell;
use crate::error::Result;
use crate::fleet::{Ending, RunOutcome};
use crate::linalg::norm;
use crate::network::{Network, QuadraticForm};
use crate::optimise::{LADDER, StopReason};

/// One run that has ended. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its number in the store, the same however the sweep was interrupted.
    pub id: u64,
    /// Its sizes.
    pub cell: GridCell,
    /// Which planted network of the cell, from 0.
    pub network: usize,
    /// Which start for that network, from 0.
    pub start: usize,
    /// Of the planted network, its data and, with the number of the start, the start.
    pub seed: u64,
    /// What came of it.
    pub outcome: TrialOutcome,
    /// How long it took, on one thread.
    pub seconds: f64,
}

/// What a run came to. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialOutcome {
    /// The iteration of descent at which each rung of [`LADDER`] was first reached.
    pub crossings: [Option<usize>; LADDER.len()],
    /// Steps of descent.
    pub iterations: usize,
    /// Why descent ended.
    pub reason: StopReason,
    /// L where descent ended.
    pub objective: f64,
    /// ‖f − y‖/‖y‖ there.
    pub relative_error: f64,
    /// Where Levenberg–Marquardt came to.
    pub long_run: Option<LongRunSummary>,
    /// ‖M − M*‖/‖M*‖ at the last end point, for quadratic networks with a quadratic teacher.
    pub teacher_error: Option<f64>,
    /// Of the weights where descent ended, and of those of the long run: a SHA-256 cut to 64 bits, in hexadecimal.
    pub fingerprint: String,
}

/// What is kept of a long run. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct LongRunSummary {
    /// Success, stuck or undecided.
    pub ending: Ending,
    /// ‖f − y‖/‖y‖.
    pub relative_error: f64,
    /// ‖∇L‖·‖θ‖/L.
    pub scaled_gradient: f64,
    /// Of Levenberg–Marquardt.
    pub iterations: usize,
}

impl TrialOutcome {
    /// Of a run of the fleet; the teacher where one was planted.
    pub(super) fn new(outcome: &RunOutcome, teacher: Option<&Network>) -> Result<Self> {
        let mut crossings = [None; LADDER.len()];
        outcome.crossings.iter().zip(&mut crossings).for_each(|(crossing, place)| *place = crossing.iteration);
        let last = outcome.long_run.as_ref().map_or(&outcome.network, |long_run| &long_run.network);
        let comparable = |network: &&Network| QuadraticForm::of(network).is_ok() && QuadraticForm::of(last).is_ok();
        let mut hash = Sha256::new();
        for network in [Some(&outcome.network), outcome.long_run.as_ref().map(|long_run| &long_run.network)] {
            let numbers = network.iter().flat_map(|network| network.W.as_slice().iter().chain(&network.v));
            numbers.for_each(|x| hash.update(x.to_bits().to_le_bytes()));
        }
        Ok(TrialOutcome {
            crossings,
            iterations: outcome.iterations,
            reason: outcome.reason,
            objective: outcome.objective,
            relative_error: outcome.relative_error,
            long_run: outcome.long_run.as_ref().map(|long_run| LongRunSummary {
                ending: long_run.ending,
                relative_error: long_run.relative_error,
                scaled_gradient: long_run.scaled_gradient,
                iterations: long_run.iterations,
            }),
            teacher_error: teacher.filter(comparable).map(|teacher| teacher_error(last, teacher)).transpose()?,
            fingerprint: hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// The names of the columns in which another outcome differs in any bit.
    pub fn differences(&self, other: &TrialOutcome) -> Vec<&'static str> {
        // Every NaN is stored as the same nothing.
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        let same_optional = |a: Option<f64>, b: Option<f64>| same(a.unwrap_or(f64::NAN), b.unwrap_or(f64::NAN));
        let part = |outcome: &TrialOutcome, of: fn(&LongRunSummary) -> f64| outcome.long_run.as_ref().map(of);
        let ending = |outcome: &TrialOutcome| outcome.long_run.as_ref().map(|run| (run.ending, run.iterations));
        let pair = |of: fn(&LongRunSummary) -> f64| same_optional(part(self, of), part(other, of));
        let columns = [
            ("crossings", self.crossings == other.crossings),
            ("iterations", self.iterations == other.iterations),
            ("reason", self.reason == other.reason),
            ("objective", same(self.objective, other.objective)),
            ("relative_error", same(self.relative_error, other.relative_error)),
            ("verdict", ending(self) == ending(other)),
            ("verdict_error", pair(|run| run.relative_error)),
            ("verdict_gradient", pair(|run| run.scaled_gradient)),
            ("teacher_error", same_optional(self.teacher_error, other.teacher_error)),
            ("fingerprint", self.fingerprint == other.fingerprint),
        ];
        columns.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
    }
}

/// ‖M − M*‖/‖M*‖ in Frobenius norm.
fn teacher_error(network: &Network, teacher: &Network) -> Result<f64> {
    let (M, M_star) = (QuadraticForm::of(network)?.M, QuadraticForm::of(teacher)?.M);
    let difference: Vec<f64> = M.as_slice().iter().zip(M_star.as_slice()).map(|(a, b)| a - b).collect();
    Ok(norm(&difference) / norm(M_star.as_slice()))
}

/// The names of reasons in the store.
const REASONS: [(StopReason, &str); 8] = [
    (StopReason::Gradient, "gradient"),
    (StopReason::Objective, "objective"),
    (StopReason::RelativeError, "relative-error"),
    (StopReason::Iterations, "iterations"),
    (StopReason::Time, "time"),
    (StopReason::Interrupted, "interrupted"),
    (StopReason::Stalled, "stalled"),
    (StopReason::Diverged, "diverged"),
];

/// The name of a reason.
pub(crate) fn reason_name(reason: StopReason) -> &'static str {
    REASONS.iter().find(|(own, _)| *own == reason).map_or("unknown", |(_, name)| name)
}

pub(super) fn reason_named(name: &str) -> Option<StopReason> {
    REASONS.iter().find(|(_, own)| *own == name).map(|(reason, _)| *reason)
}

pub(super) fn ending_named(name: &str) -> Option<Ending> {
    [Ending::Success, Ending::Stuck, Ending::Undecided].into_iter().find(|ending| ending.name() == name)
}
