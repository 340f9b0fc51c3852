//! One training again, from its stored seed.

use std::sync::atomic::AtomicBool;

use super::record::{Record, Trial};
use super::store::{Environment, Store};
use crate::error::{Error, Result, StoreProblem};
use crate::fleet;

/// A training done again.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// As it is stored.
    pub trial: Trial,
    /// Who trained it.
    pub environment: Environment,
    /// Who trained it now.
    pub here: Environment,
    /// What came of it now.
    pub record: Record,
    /// The columns in which the two differ in any bit.
    pub differences: Vec<&'static str>,
}

impl Replay {
    /// Whether every bit must agree: the same version and the same instructions.
    pub fn is_comparable(&self) -> bool {
        self.environment.version == self.here.version && self.environment.instructions == self.here.instructions
    }
}

/// Plant, start and train again what is behind one row of the store.
pub fn replay(store: &Store, id: u64) -> Result<Replay> {
    let (trial, environment) = store.trial(id)?;
    let specification = store.specification();
    let nothing = || Error::Store { path: store.path().to_owned(), problem: StoreProblem::Nothing };
    let never = AtomicBool::new(false);
    let problem = specification.problem(trial.cell, trial.seed, &never)?.ok_or_else(nothing)?;
    let job = specification.job(trial.cell, &problem.data, trial.seed, trial.start)?;
    let outcome = fleet::run(&[job], fleet::Watch::default())?.into_iter().next();
    let record = Record::new(&outcome.ok_or_else(nothing)?, problem.teacher.as_ref())?;
    let differences = trial.record.differences(&record);
    Ok(Replay { trial, environment, here: Environment::here(), record, differences })
}
