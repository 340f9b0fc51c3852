//! `fit --plan`: execute a plan of `check`, and compare what was proved with what is observed.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::given::{GivenPlan, GivenRows};
use super::words;
use crate::certificate::descent::{DescentPlan, PreparedRows, ProvedStart, Proven};
use crate::data::{Data, Reading, Roles, Samples};
use crate::draw::{Colour, Figure, Scale, Series, check_name, lines};
use crate::error::Result;
use crate::file::{Destinations, FileRole};
use crate::fit::Scores;
use crate::fit::planned::{BoundedQuantity, Comparison, PlannedRun, execute};
use crate::model::Model;
use crate::network::Network;
use crate::optimise::Stop;
use crate::watch::{Progress, Stage, Watch};

/// Iterations that are not exceeded unless asked for.
const MOST_ITERATIONS: usize = 1_000_000;
/// Points of a curve.
const POINTS: usize = 41;

/// What is asked for. [`CheckJob`](crate::job::check::CheckJob) shows its use.
#[derive(Clone, Debug, Default)]
pub struct ExecuteJob {
    /// The rows.
    pub rows: GivenRows,
    /// What its columns are for.
    pub roles: Roles,
    /// The plan.
    pub plan: GivenPlan,
    /// Most iterations; those of the plan when `None`.
    pub iterations: Option<usize>,
    /// End after about this long.
    pub budget: Option<Duration>,
    /// Where to save the network; nowhere when `None`.
    pub model: Option<PathBuf>,
    /// Where to draw proved and observed residuals, as SVG or PNG; nowhere when `None`.
    pub curves: Option<PathBuf>,
}

/// What came of it. [`CheckJob`](crate::job::check::CheckJob) shows its use.
#[derive(Clone, Debug)]
pub struct ExecuteOutcome {
    /// What was to be done.
    pub plan: DescentPlan,
    /// What is proved, computed anew.
    pub proven: Proven,
    /// The rows in form.
    pub prepared: PreparedRows,
    /// What was observed.
    pub run: PlannedRun,
    /// The samples as they were given.
    pub samples: Samples,
    /// On the rows of the run; `None` where the network cannot take raw rows.
    pub scores: Option<Scores>,
    /// The network; `None` where it cannot take raw rows.
    pub model: Option<Model>,
    /// Where the table was.
    pub table: Option<PathBuf>,
    /// Where the network is.
    pub model_path: Option<PathBuf>,
    /// Where the curves are.
    pub curves_path: Option<PathBuf>,
    /// How long it took.
    pub seconds: f64,
}

impl ExecuteJob {
    /// Take the plan and the rows, prove the plan again, run it, and write the network and the curves.
    pub fn run(mut self, watch: Watch<'_>) -> Result<ExecuteOutcome> {
        let since = Instant::now();
        self.check()?;
        let table = self.rows.file().map(ToOwned::to_owned);
        let plan = std::mem::take(&mut self.plan).load()?;
        let reading = Reading { roles: self.roles.clone(), ..Reading::default() };
        let samples = std::mem::take(&mut self.rows).learned(&reading)?;
        let ProvedStart { network, rows: prepared, proven } = plan.proved_again(&samples.data)?;
        let run = self.executed(&plan, &network, (&proven, &prepared), watch)?;
        let raw = prepared.frame.raw_network(&run.network);
        let named = |network| Model::new(network, samples.recipe.clone(), samples.target.clone(), plan.seed);
        let model = raw.map(named).transpose()?;
        let scores = model.as_ref().map(|model| Scores::of(&model.network, &samples.data)).transpose()?;
        let model_path = self.model.take().filter(|_| model.is_some());
        model.iter().zip(&model_path).try_for_each(|(model, path)| model.save(path))?;
        let curves_path = self.curves.take();
        let (seconds, at) = (0.0, curves_path.clone());
        let mut outcome = ExecuteOutcome {
            plan,
            proven,
            prepared,
            run,
            samples,
            scores,
            model,
            table,
            model_path,
            curves_path,
            seconds,
        };
        at.iter().try_for_each(|path| outcome.figure().save(path))?;
        outcome.seconds = since.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// Refuse outputs that would replace each other or an input, and names that promise another format.
    fn check(&self) -> Result<()> {
        self.curves.iter().try_for_each(|path| check_name(path))?;
        Destinations::default()
            .may_read(FileRole::Table, self.rows.file())
            .may_read(FileRole::Plan, self.plan.file())
            .may_write(FileRole::Model, self.model.as_ref())
            .may_write(FileRole::Curves, self.curves.as_ref())
            .check()
    }

    fn executed(
        &self,
        plan: &DescentPlan,
        network: &Network,
        (proven, prepared): (&Proven, &PreparedRows),
        watch: Watch<'_>,
    ) -> Result<PlannedRun> {
        let planned = || (plan.iterations.number().unwrap_or(f64::MAX) as usize).min(MOST_ITERATIONS);
        let iterations = self.iterations.unwrap_or_else(planned);
        let goal = plan.tolerance * proven.residual;
        let stop = Stop {
            gradient: 0.0,
            objective: goal * goal / (2.0 * prepared.samples as f64),
            iterations,
            ..Stop::default()
        };
        watch.report(Progress::Began(Stage::Fitting));
        let data: &Data = &prepared.distinct.data;
        let end = self.budget.and_then(|budget| Instant::now().checked_add(budget));
        execute(network, data, plan.layers(), proven, stop, end.map_or(watch, |end| watch.until(end)))
    }
}

/// ‖r‖ proved and observed, iteration by iteration.
fn curves(proven: &Proven, run: &PlannedRun, samples: f64) -> Figure {
    let records = &run.trace.records;
    let stride = records.len().div_ceil(POINTS).max(1);
    let shown: Vec<_> = records.iter().step_by(stride).chain(records.last()).collect();
    let observed = shown.iter().map(|record| (record.iteration as f64, (2.0 * samples * record.objective).sqrt()));
    let bound = shown.iter().map(|record| {
        let tau = record.iteration as f64;
        (tau, proven.residual * (tau * proven.rate.ln()).exp())
    });
    let series = [
        Series { name: "proved: at most".into(), colour: Colour::ORANGE, points: bound.collect() },
        Series { name: "observed".into(), colour: Colour::BLUE, points: observed.collect() },
    ];
    lines("Proved and observed", ("iteration", "‖r‖"), (Scale::Linear, Scale::Log), &series)
}

impl ExecuteOutcome {
    /// The first bound that did not hold, and the iteration at which it did not: a proof is wrong.
    pub fn violation(&self) -> Option<(BoundedQuantity, usize)> {
        self.run.comparisons.iter().find_map(|one| one.violated.map(|iteration| (one.quantity, iteration)))
    }

    /// ‖r‖ proved and observed, iteration by iteration.
    pub fn figure(&self) -> Figure {
        curves(&self.proven, &self.run, self.prepared.samples as f64)
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let ExecuteOutcome { plan, proven, prepared, run, samples, .. } = self;
        let last = run.trace.records.last();
        let comparison =
            |one: &Comparison| json!({ "name": one.quantity.name(), "worst": one.worst, "violated": one.violated });
        let path = self.model_path.as_ref().map(words::path);
        let model = |_: &Model| json!({ "path": path, "activation": plan.activation, "width": plan.width });
        json!({
            "data": { "rows": samples.data.n(), "inputs": samples.data.d(), "hash": prepared.hash },
            "model": self.model.as_ref().map(model),
            "theorem": plan.theorem,
            "proven": proven,
            "observed": {
                "rate": run.rate, "path": last.map(|record| record.path),
                "distance": last.map(|record| record.distance), "residual": run.residuals.1,
                "iterations": run.trace.iterations, "reason": run.trace.reason.words(),
            },
            "comparisons": run.comparisons.iter().map(comparison).collect::<Vec<_>>(),
            "train": self.scores.as_ref().map(|scores| json!({ "rmse": scores.rmse, "r2": scores.r2 })),
            "curves": self.curves_path.as_ref().map(words::path),
            "seconds": self.seconds,
            "seed": plan.seed,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
