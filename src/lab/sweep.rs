//! Running a sweep: what is not yet in the store is trained, batch after batch.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

use super::grid::Cell;
use super::plan::{Plan, Planned};
use super::protocol::{Problem, network_seed};
use super::record::{Record, Trial};
use super::rule::Judgement;
use super::specification::Specification;
use super::store::Store;
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::fleet::{self, Job, Outcome};
use crate::optimise::Reason;

/// How far a sweep has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Trainings that are in the store.
    pub done: usize,
    /// Trainings of the whole sweep.
    pub total: usize,
    /// Cells of the grid all of whose trainings are done.
    pub cells_done: usize,
    /// Cells of the grid.
    pub cells: usize,
    /// Trainings that succeeded, by the rule of the specification.
    pub successes: usize,
}

/// What is said and heard while a sweep runs.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called after each training that was kept, from any thread.
    pub report: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// When somebody sets this flag, running trainings end and are not done. The sweep sets it itself when the store
    /// cannot be written.
    pub interrupted: &'a AtomicBool,
}

/// Trainings of a batch for each thread: enough that waiting for the last of a batch costs little.
const BATCH: usize = 64;
/// Numbers of a batch: an eighth of a gigabyte.
const BATCH_NUMBERS: usize = 1 << 24;

/// Train what is not yet in the store. Returns how far it came: less than all of it when it was interrupted.
///
/// # Errors
/// When a training cannot be begun or the store cannot be written; what was finished before is kept. When the store was
/// removed or replaced meanwhile.
pub fn sweep(store: &mut Store, watch: Watch<'_>) -> Result<Progress> {
    let specification = store.specification().clone();
    let trials = store.trials()?;
    let desk = Desk::new(store, &specification, &trials, watch);
    let mut plan = Plan::new(&specification);
    let mut stage = plan.first();
    while !stage.is_empty() {
        desk.run(&stage)?;
        if watch.interrupted.load(Ordering::Relaxed) {
            break;
        }
        let trials = guard(&desk.store).trials()?;
        stage = plan.next(&trials);
    }
    guard(&desk.store).check_place()?;
    let progress = guard(&desk.tally).progress;
    Ok(progress)
}

/// Where finished trainings are handed in.
struct Desk<'a> {
    specification: &'a Specification,
    store: Mutex<&'a mut Store>,
    tally: Mutex<Tally>,
    failure: Mutex<Option<Error>>,
    watch: Watch<'a>,
    /// When each thread began what it is at.
    since: Vec<Mutex<Instant>>,
}

struct Tally {
    done: HashSet<u64>,
    by_cell: HashMap<Cell, usize>,
    progress: Progress,
}

/// A training of a batch.
struct Place<'a> {
    planned: Planned,
    start: usize,
    seed: u64,
    problem: &'a Problem,
}

/// A thread that panicked while it held something leaves it as it was.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Desk<'a> {
    fn new(store: &'a mut Store, specification: &'a Specification, trials: &[Trial], watch: Watch<'a>) -> Self {
        let progress =
            Progress { total: specification.total(), cells: specification.grid.len(), ..Progress::default() };
        let mut tally = Tally { done: HashSet::new(), by_cell: HashMap::new(), progress };
        trials.iter().for_each(|trial| tally.add(trial, specification));
        Desk {
            specification,
            store: Mutex::new(store),
            tally: Mutex::new(tally),
            failure: Mutex::new(None),
            watch,
            since: (0..=rayon::current_num_threads()).map(|_| Mutex::new(Instant::now())).collect(),
        }
    }

    /// Train what of a stage is not done.
    fn run(&self, stage: &[Planned]) -> Result<()> {
        let starts = self.specification.starts;
        let pending = {
            let tally = guard(&self.tally);
            let missing = |planned: &Planned| {
                (0..starts).filter(|start| !tally.done.contains(&(planned.id + *start as u64))).collect()
            };
            let pending: Vec<(Planned, Vec<usize>)> =
                stage.iter().map(|planned| (*planned, missing(planned))).collect();
            pending.into_iter().filter(|(_, starts)| !starts.is_empty()).collect::<Vec<_>>()
        };
        let mut rest = &pending[..];
        while !rest.is_empty() && !self.watch.interrupted.load(Ordering::Relaxed) {
            let (batch, later) = rest.split_at(batch_length(rest));
            self.batch(batch)?;
            rest = later;
        }
        Ok(())
    }

    fn batch(&self, batch: &[(Planned, Vec<usize>)]) -> Result<()> {
        let seed = |planned: &Planned| network_seed(self.specification.seed, planned.cell, planned.network);
        let interrupted = self.watch.interrupted;
        let plant =
            |(planned, _): &(Planned, Vec<usize>)| self.specification.problem(planned.cell, seed(planned), interrupted);
        let problems: Option<Vec<Problem>> = batch.par_iter().map(plant).collect::<Result<_>>()?;
        let Some(problems) = problems else { return Ok(()) };
        let mut places: Vec<Place<'_>> = Vec::new();
        for (problem, (planned, starts)) in problems.iter().zip(batch) {
            let (planned, seed) = (*planned, seed(planned));
            places.extend(starts.iter().map(|&start| Place { planned, start, seed, problem }));
        }
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(places.len());
        for place in &places {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(());
            }
            jobs.push(self.specification.job(place.planned.cell, &place.problem.data, place.seed, place.start)?);
        }
        self.since.iter().for_each(|since| *guard(since) = Instant::now());
        let report = |at: usize, outcome: &Outcome| self.receive(&places[at], outcome);
        fleet::run(&jobs, fleet::Watch { report: Some(&report), interrupted: Some(interrupted) })?;
        match guard(&self.failure).take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Keep a training that has ended, and say so.
    fn receive(&self, place: &Place<'_>, outcome: &Outcome) {
        let seconds = self.seconds();
        if !self.is_finished(outcome) || guard(&self.failure).is_some() {
            return;
        }
        if let Err(failure) = self.keep(place, outcome, seconds) {
            guard(&self.failure).get_or_insert(failure);
            self.watch.interrupted.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nothing was cut short: of an interrupted verdict it cannot be told how far it would have come.
    fn is_finished(&self, outcome: &Outcome) -> bool {
        let has_verdict = self.specification.verdict && matches!(self.specification.activation, Activation::Smooth(_));
        let cut = has_verdict && (outcome.verdict.is_none() || self.watch.interrupted.load(Ordering::Relaxed));
        outcome.reason != Reason::Interrupted && !cut
    }

    fn keep(&self, place: &Place<'_>, outcome: &Outcome, seconds: f64) -> Result<()> {
        let Planned { id, cell, network } = place.planned;
        let record = Record::new(outcome, place.problem.teacher.as_ref())?;
        let id = id + place.start as u64;
        let trial = Trial { id, cell, network, start: place.start, seed: place.seed, record, seconds };
        guard(&self.store).keep(&trial)?;
        let progress = {
            let mut tally = guard(&self.tally);
            tally.add(&trial, self.specification);
            tally.progress
        };
        if let Some(report) = self.watch.report {
            report(progress);
        }
        Ok(())
    }

    /// How long this thread has been at the training that it hands in.
    fn seconds(&self) -> f64 {
        let thread = rayon::current_thread_index().unwrap_or(self.since.len() - 1).min(self.since.len() - 1);
        let mut since = guard(&self.since[thread]);
        std::mem::replace(&mut *since, Instant::now()).elapsed().as_secs_f64()
    }
}

impl Tally {
    fn add(&mut self, trial: &Trial, specification: &Specification) {
        self.done.insert(trial.id);
        let of_cell = self.by_cell.entry(trial.cell).or_insert(0);
        *of_cell += 1;
        self.progress.done += 1;
        self.progress.cells_done += usize::from(*of_cell == specification.trials * specification.starts);
        let success = specification.success.judge(&trial.record) == Judgement::Success;
        self.progress.successes += usize::from(success);
    }
}

/// As many networks as fit into a batch, at least one.
fn batch_length(pending: &[(Planned, Vec<usize>)]) -> usize {
    let most = BATCH * rayon::current_num_threads();
    let (mut trials, mut numbers) = (0, 0);
    let mut fits = |(planned, starts): &&(Planned, Vec<usize>)| {
        let Cell { n, k, d } = planned.cell;
        trials += starts.len();
        numbers += n * (d + 1) + starts.len() * k * (d + 1);
        trials <= most && numbers <= BATCH_NUMBERS
    };
    pending.iter().take_while(|one| fits(one)).count().max(1)
}
