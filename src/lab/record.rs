//! What is kept of one training.

use sha2::{Digest, Sha256};

use super::grid::Cell;
use crate::error::Result;
use crate::fleet::{Ending, Outcome};
use crate::linalg::norm;
use crate::network::{Network, Quadratic};
use crate::optimise::{LADDER, Reason};

/// One training that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its number in the store, the same however the sweep was interrupted.
    pub id: u64,
    /// Its sizes.
    pub cell: Cell,
    /// Which planted network of the cell, from 0.
    pub network: usize,
    /// Which start for that network, from 0.
    pub start: usize,
    /// Of the planted network, its data and, with the number of the start, the start.
    pub seed: u64,
    /// What came of it.
    pub record: Record,
    /// How long it took, on one thread.
    pub seconds: f64,
}

/// What came of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The iteration of descent at which each rung of [`LADDER`] was first reached.
    pub crossings: [Option<usize>; LADDER.len()],
    /// Steps of descent.
    pub iterations: usize,
    /// Why descent ended.
    pub reason: Reason,
    /// L where descent ended.
    pub objective: f64,
    /// ‖f − y‖/‖y‖ there.
    pub relative_error: f64,
    /// Where Levenberg–Marquardt came to.
    pub verdict: Option<VerdictRecord>,
    /// ‖M − M*‖/‖M*‖ at the last end point, for quadratic networks with a quadratic teacher.
    pub teacher_error: Option<f64>,
    /// Of the weights where descent ended, and of those of the verdict: a SHA-256 cut to 64 bits, in hexadecimal.
    pub fingerprint: String,
}

/// What is kept of a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictRecord {
    /// Success, stuck or undecided.
    pub ending: Ending,
    /// ‖f − y‖/‖y‖.
    pub relative_error: f64,
    /// ‖∇L‖·‖θ‖/L.
    pub scaled_gradient: f64,
    /// Of Levenberg–Marquardt.
    pub iterations: usize,
}

impl Record {
    /// Of an outcome; the teacher where one was planted.
    pub(super) fn new(outcome: &Outcome, teacher: Option<&Network>) -> Result<Self> {
        let mut crossings = [None; LADDER.len()];
        outcome.crossings.iter().zip(&mut crossings).for_each(|(crossing, place)| *place = crossing.iteration);
        let last = outcome.verdict.as_ref().map_or(&outcome.network, |verdict| &verdict.network);
        let comparable = |network: &&Network| Quadratic::of(network).is_ok() && Quadratic::of(last).is_ok();
        let mut hash = Sha256::new();
        for network in [Some(&outcome.network), outcome.verdict.as_ref().map(|verdict| &verdict.network)] {
            let numbers = network.iter().flat_map(|network| network.W.as_slice().iter().chain(&network.v));
            numbers.for_each(|x| hash.update(x.to_bits().to_le_bytes()));
        }
        Ok(Record {
            crossings,
            iterations: outcome.iterations,
            reason: outcome.reason,
            objective: outcome.objective,
            relative_error: outcome.relative_error,
            verdict: outcome.verdict.as_ref().map(|verdict| VerdictRecord {
                ending: verdict.ending,
                relative_error: verdict.relative_error,
                scaled_gradient: verdict.scaled_gradient,
                iterations: verdict.iterations,
            }),
            teacher_error: teacher.filter(comparable).map(|teacher| teacher_error(last, teacher)).transpose()?,
            fingerprint: hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// The names of the columns in which another record differs in any bit.
    pub fn differences(&self, other: &Record) -> Vec<&'static str> {
        // Every NaN is stored as the same nothing.
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        let same_optional = |a: Option<f64>, b: Option<f64>| same(a.unwrap_or(f64::NAN), b.unwrap_or(f64::NAN));
        let part = |record: &Record, of: fn(&VerdictRecord) -> f64| record.verdict.as_ref().map(of);
        let ending = |record: &Record| record.verdict.as_ref().map(|verdict| (verdict.ending, verdict.iterations));
        let pair = |of: fn(&VerdictRecord) -> f64| same_optional(part(self, of), part(other, of));
        let columns = [
            ("crossings", self.crossings == other.crossings),
            ("iterations", self.iterations == other.iterations),
            ("reason", self.reason == other.reason),
            ("objective", same(self.objective, other.objective)),
            ("relative_error", same(self.relative_error, other.relative_error)),
            ("verdict", ending(self) == ending(other)),
            ("verdict_error", pair(|verdict| verdict.relative_error)),
            ("verdict_gradient", pair(|verdict| verdict.scaled_gradient)),
            ("teacher_error", same_optional(self.teacher_error, other.teacher_error)),
            ("fingerprint", self.fingerprint == other.fingerprint),
        ];
        columns.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
    }
}

/// ‖M − M*‖/‖M*‖ in Frobenius norm.
fn teacher_error(network: &Network, teacher: &Network) -> Result<f64> {
    let (M, M_star) = (Quadratic::of(network)?.M, Quadratic::of(teacher)?.M);
    let difference: Vec<f64> = M.as_slice().iter().zip(M_star.as_slice()).map(|(a, b)| a - b).collect();
    Ok(norm(&difference) / norm(M_star.as_slice()))
}

/// The names of reasons in the store.
const REASONS: [(Reason, &str); 8] = [
    (Reason::Gradient, "gradient"),
    (Reason::Objective, "objective"),
    (Reason::RelativeError, "relative-error"),
    (Reason::Iterations, "iterations"),
    (Reason::Time, "time"),
    (Reason::Interrupted, "interrupted"),
    (Reason::Stalled, "stalled"),
    (Reason::Diverged, "diverged"),
];

/// The name of a reason.
pub fn reason_name(reason: Reason) -> &'static str {
    REASONS.iter().find(|(own, _)| *own == reason).map_or("unknown", |(_, name)| name)
}

pub(super) fn reason_named(name: &str) -> Option<Reason> {
    REASONS.iter().find(|(_, own)| *own == name).map(|(reason, _)| *reason)
}

pub(super) fn ending_named(name: &str) -> Option<Ending> {
    [Ending::Success, Ending::Stuck, Ending::Undecided].into_iter().find(|ending| ending.name() == name)
}
