//! Running a sweep: what is not yet in the store is run, batch after batch.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::grid::GridCell;
use super::protocol::{RunProblem, network_seed};
use super::rule::RunRuling;
use super::schedule::{Planned, SweepSchedule};
use super::specification::Specification;
use super::store::StoreWriter;
use super::trial::{Trial, TrialOutcome};
use crate::activation::Activation;
use crate::error::{Error, Result};
use crate::fleet::{self, Job, RunOutcome};
use crate::linalg::try_map_tasks;
use crate::optimise::StopReason;
use crate::watch::{Progress, Watch};

/// How far a sweep has come. [`sweep`] shows its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepProgress {
    /// Runs that are in the store.
    pub done: usize,
    /// Runs of the whole sweep.
    pub total: usize,
    /// Cells of the grid all of whose runs are done.
    pub cells_done: usize,
    /// Cells of the grid.
    pub cells: usize,
    /// Runs that succeeded, by the rule of the specification.
    pub successes: usize,
}

impl From<SweepProgress> for Progress {
    fn from(progress: SweepProgress) -> Progress {
        let SweepProgress { done, total, cells_done, cells, successes } = progress;
        Progress::Swept { done, total, cells_done, cells, successes }
    }
}

/// Runs of a batch for each thread: enough that waiting for the last of a batch costs little.
const BATCH: usize = 64;
/// Numbers of a batch: an eighth of a gigabyte.
const BATCH_NUMBERS: usize = 1 << 24;

/// Run what is not yet in the store. Returns how far it came: less than all of it when it was interrupted.
///
/// The watch hears of each run that is kept. Once it is over, running runs end and are not done; so they do when the store
/// cannot be written.
///
/// # Errors
/// When a run cannot be begun or the store cannot be written; what was finished before is kept. When the store was
/// removed or replaced meanwhile.
///
/// ```
/// use std::path::Path;
/// use shallows::Watch;
/// use shallows::lab::{By, RunRuling, Specification, StoreWriter, cells, replay, sweep};
///
/// let text = "trials = 3\n[grid]\nn = 20\nk = \"2..=4 step 2\"\nd = 2\n[student]\nactivation = \"softplus\"\n\
///             [training]\nstep = \"adaptive\"\neta = 0.1\niterations = 50\n";
/// let specification = Specification::parse(text, Path::new("mine.toml"))?;
/// let folder = tempfile::tempdir().unwrap();
/// let mut store = StoreWriter::open(&folder.path().join("mine.db"), &specification)?;
/// let progress = sweep(&mut store, Watch::silent())?;
/// assert_eq!((progress.done, progress.total), (6, 6));
///
/// let trials = store.reader().trials()?;
/// let counts = cells(&trials, &specification.success, specification.starts);
/// assert_eq!((counts.len(), counts[0].runs().1), (2, 3));
/// assert!((0.0..=1.0).contains(&counts[0].share(By::Run).0));
/// assert_ne!(specification.success.judge(&trials[0].outcome), RunRuling::Undecided);
/// // A run can be repeated, and comes out the same to the bit.
/// let again = replay(store.reader(), trials[0].id, Watch::silent())?.expect("nobody interrupts");
/// assert!(again.differences.is_empty());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn sweep(store: &mut StoreWriter, watch: Watch<'_>) -> Result<SweepProgress> {
    let specification = store.reader().specification().clone();
    let trials = store.reader().trials()?;
    let has_failed = AtomicBool::new(false);
    let desk = Desk::new(store, &specification, &trials, (watch.ending_with(&has_failed), &has_failed));
    let mut schedule = SweepSchedule::new(&specification);
    let mut stage = schedule.first();
    while !stage.is_empty() {
        desk.run(&stage)?;
        if watch.is_over() {
            break;
        }
        let trials = guard(&desk.store).reader().trials()?;
        stage = schedule.next(&trials);
    }
    guard(&desk.store).check_place()?;
    let progress = guard(&desk.tally).progress;
    Ok(progress)
}

/// Where finished runs are handed in.
struct Desk<'a> {
    specification: &'a Specification,
    store: Mutex<&'a mut StoreWriter>,
    tally: Mutex<Tally>,
    failure: Mutex<Option<Error>>,
    /// Over also when the store cannot be written.
    watch: Watch<'a>,
    has_failed: &'a AtomicBool,
    /// When each thread began what it is at.
    since: Vec<Mutex<Instant>>,
}

struct Tally {
    done: HashSet<u64>,
    by_cell: HashMap<GridCell, usize>,
    progress: SweepProgress,
}

/// A run of a batch.
struct BatchRun<'a> {
    planned: Planned,
    start: usize,
    seed: u64,
    problem: &'a RunProblem,
}

/// A thread that panicked while it held something leaves it as it was.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Desk<'a> {
    fn new(
        store: &'a mut StoreWriter,
        specification: &'a Specification,
        trials: &[Trial],
        (watch, has_failed): (Watch<'a>, &'a AtomicBool),
    ) -> Self {
        let progress =
            SweepProgress { total: specification.total(), cells: specification.grid.len(), ..SweepProgress::default() };
        let mut tally = Tally { done: HashSet::new(), by_cell: HashMap::new(), progress };
        trials.iter().for_each(|trial| tally.add(trial, specification));
        Desk {
            specification,
            store: Mutex::new(store),
            tally: Mutex::new(tally),
            failure: Mutex::new(None),
            watch,
            has_failed,
            since: (0..=rayon::current_num_threads()).map(|_| Mutex::new(Instant::now())).collect(),
        }
    }

    /// Run what of a stage is not done.
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
        while !rest.is_empty() && !self.watch.is_over() {
            let (batch, later) = rest.split_at(batch_length(rest));
            self.batch(batch)?;
            rest = later;
        }
        Ok(())
    }

    fn batch(&self, batch: &[(Planned, Vec<usize>)]) -> Result<()> {
        let seed = |planned: &Planned| network_seed(self.specification.seed, planned.cell, planned.network);
        let plant = |at: usize| {
            let (planned, _) = &batch[at];
            self.specification.problem(planned.cell, seed(planned), self.watch)
        };
        let problems: Option<Vec<RunProblem>> = try_map_tasks(batch.len(), plant)?.into_iter().collect();
        let Some(problems) = problems else { return Ok(()) };
        let mut places: Vec<BatchRun<'_>> = Vec::new();
        for (problem, (planned, starts)) in problems.iter().zip(batch) {
            let (planned, seed) = (*planned, seed(planned));
            places.extend(starts.iter().map(|&start| BatchRun { planned, start, seed, problem }));
        }
        let mut jobs: Vec<Job<'_>> = Vec::with_capacity(places.len());
        for place in &places {
            if self.watch.is_over() {
                return Ok(());
            }
            jobs.push(self.specification.job(place.planned.cell, &place.problem.data, place.seed, place.start)?);
        }
        self.since.iter().for_each(|since| *guard(since) = Instant::now());
        let on_end = |at: usize, outcome: &RunOutcome| self.receive(&places[at], outcome);
        fleet::run_each(&jobs, &on_end, self.watch.quietly())?;
        match guard(&self.failure).take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// Keep a run that has ended, and say so.
    fn receive(&self, place: &BatchRun<'_>, outcome: &RunOutcome) {
        let seconds = self.seconds();
        if !self.is_finished(outcome) || guard(&self.failure).is_some() {
            return;
        }
        if let Err(failure) = self.keep(place, outcome, seconds) {
            guard(&self.failure).get_or_insert(failure);
            self.has_failed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nothing was cut short: of an interrupted long run it cannot be told how far it would have come.
    fn is_finished(&self, outcome: &RunOutcome) -> bool {
        let has_long_run = self.specification.verdict && matches!(self.specification.activation, Activation::Smooth(_));
        let cut = has_long_run && (outcome.long_run.is_none() || self.watch.is_over());
        outcome.reason != StopReason::Interrupted && !cut
    }

    fn keep(&self, place: &BatchRun<'_>, outcome: &RunOutcome, seconds: f64) -> Result<()> {
        let Planned { id, cell, network } = place.planned;
        let outcome = TrialOutcome::new(outcome, place.problem.teacher.as_ref())?;
        let id = id + place.start as u64;
        let trial = Trial { id, cell, network, start: place.start, seed: place.seed, outcome, seconds };
        guard(&self.store).keep(&trial)?;
        let progress = {
            let mut tally = guard(&self.tally);
            tally.add(&trial, self.specification);
            tally.progress
        };
        self.watch.report(progress.into());
        Ok(())
    }

    /// How long this thread has been at the run that it hands in.
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
        let success = specification.success.judge(&trial.outcome) == RunRuling::Success;
        self.progress.successes += usize::from(success);
    }
}

/// As many networks as fit into a batch, at least one.
fn batch_length(pending: &[(Planned, Vec<usize>)]) -> usize {
    let most = BATCH * rayon::current_num_threads();
    let (mut trials, mut numbers) = (0, 0);
    let mut fits = |(planned, starts): &&(Planned, Vec<usize>)| {
        let GridCell { n, k, d } = planned.cell;
        trials += starts.len();
        numbers += n * (d + 1) + starts.len() * k * (d + 1);
        trials <= most && numbers <= BATCH_NUMBERS
    };
    pending.iter().take_while(|one| fits(one)).count().max(1)
}
