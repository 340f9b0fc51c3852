//! `lab replay`: one run of a sweep, repeated from its stored seed and compared bit by bit.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::Result;
use crate::lab::{Replay, StoreReader, TrialOutcome, reason_name, replay};
use crate::watch::Watch;

/// A run of a store.
///
/// ```no_run
/// use shallows::job::replay::ReplayJob;
/// use shallows::watch::Watch;
///
/// let job = ReplayJob { store: "mine.db".into(), trial: 17 };
/// let outcome = job.run(Watch::silent())?;
/// assert!(outcome.is_some_and(|outcome| outcome.is_identical()));
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReplayJob {
    /// The store that a sweep has written.
    pub store: PathBuf,
    /// The number of the run: the column `id` of the table `trials`.
    pub trial: u64,
}

/// A run beside what the store has of it. [`ReplayJob`] shows its use.
#[derive(Clone, Debug)]
pub struct ReplayOutcome {
    /// Both.
    pub replay: Replay,
}

impl ReplayJob {
    /// Repeat the run; nothing when it was interrupted.
    ///
    /// # Errors
    /// When the store cannot be read or has no such run.
    pub fn run(&self, watch: Watch<'_>) -> Result<Option<ReplayOutcome>> {
        Ok(replay(&StoreReader::open(&self.store)?, self.trial, watch)?.map(|replay| ReplayOutcome { replay }))
    }
}

impl ReplayOutcome {
    /// Whether every bit agrees.
    pub fn is_identical(&self) -> bool {
        self.replay.differences.is_empty()
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let Replay { trial, environment, here, differences, outcome } = &self.replay;
        let side = |outcome: &TrialOutcome| {
            json!({
                "iterations": outcome.iterations, "reason": reason_name(outcome.reason),
                "relative_error": outcome.relative_error, "crossings": outcome.crossings,
                "verdict": outcome.long_run.as_ref().map(|run| run.ending.name()),
                "teacher_error": outcome.teacher_error, "fingerprint": outcome.fingerprint,
            })
        };
        json!({
            "trial": trial.id, "n": trial.cell.n, "k": trial.cell.k, "d": trial.cell.d, "network": trial.network,
            "start": trial.start, "seed": trial.seed, "stored": side(&trial.outcome), "replayed": side(outcome),
            "identical": self.is_identical(), "differences": differences, "comparable": self.replay.is_comparable(),
            "instructions": { "stored": environment.instructions, "here": here.instructions },
            "version": here.version,
        })
    }
}
