//! One run again, from its stored seed.

use super::store::{Environment, StoreReader};
use super::trial::{Trial, TrialOutcome};
use crate::error::{Error, Result, StoreProblem};
use crate::fleet;
use crate::watch::Watch;

/// A run, repeated. [`sweep`](crate::lab::sweep) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// As it is stored.
    pub trial: Trial,
    /// Who made it.
    pub environment: Environment,
    /// Who made it now.
    pub here: Environment,
    /// What came of it now.
    pub outcome: TrialOutcome,
    /// The columns in which the two differ in any bit.
    pub differences: Vec<&'static str>,
}

impl Replay {
    /// Whether every bit must agree: the same version and the same instructions.
    pub fn is_comparable(&self) -> bool {
        self.environment.version == self.here.version && self.environment.instructions == self.here.instructions
    }
}

/// Plant, start and run again what is behind one row of the store; nothing when it was interrupted.
/// [`sweep`](crate::lab::sweep) shows its use.
pub fn replay(store: &StoreReader, id: u64, watch: Watch<'_>) -> Result<Option<Replay>> {
    let (trial, environment) = store.trial(id)?;
    let specification = store.specification();
    let nothing = || Error::Store { path: store.path().to_owned(), problem: StoreProblem::Nothing };
    let Some(problem) = specification.problem(trial.cell, trial.seed, watch)? else { return Ok(None) };
    let job = specification.job(trial.cell, &problem.data, trial.seed, trial.start)?;
    let outcome = fleet::run(&[job], watch)?.into_iter().next();
    if watch.is_over() {
        return Ok(None);
    }
    let outcome = TrialOutcome::new(&outcome.ok_or_else(nothing)?, problem.teacher.as_ref())?;
    let differences = trial.outcome.differences(&outcome);
    Ok(Some(Replay { trial, environment, here: Environment::here(), outcome, differences }))
}
