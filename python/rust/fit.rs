//! `fit`: arrays or a frame in, a model and what is known about it out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use serde_json::{Value, json};
use shallows::certificate::{Certificate, Source};
use shallows::data::split::{Aside, deal};
use shallows::data::{Data, Recipe, Roles, TargetScale};
use shallows::error::Result;
use shallows::fit as library;
use shallows::fit::{Candidate, Fit, Options, Outcome, Progress, Training};
use shallows::network::Signs;
use shallows::optimise::Reason;

use crate::arrays::{Cells, named, rows, vector};
use crate::documents::{dictionary, settings_of};
use crate::model::Model;
use crate::run::{Ending, run};
use crate::samples::learned;

/// What the options of the command say, under their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    activation: Option<String>,
    width: Option<usize>,
    method: Option<String>,
    decay: Option<f64>,
    one_standard_error: bool,
    signs: Signs,
    linear: bool,
    intercept: bool,
    scaling: bool,
    #[serde(rename = "random_state")]
    seed: u64,
    iterations: Option<usize>,
    step: Option<f64>,
    batch: Option<usize>,
    gradient: f64,
    effort: String,
    /// In seconds.
    budget: Option<f64>,
    merge_repeats: bool,
    tolerance: f64,
    target_scale: TargetScale,
    calibrate: Option<f64>,
    drop: Vec<String>,
    categorical: Vec<String>,
    refuse_gaps: bool,
}

impl Settings {
    fn options<'a>(&self, start: Instant, interrupted: &'a AtomicBool) -> Result<Options<'a>> {
        let budget = self.budget.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(Options {
            activation: self.activation.as_deref().map(str::parse).transpose()?,
            width: self.width,
            method: self.method.as_deref().map(str::parse).transpose()?,
            decay: self.decay,
            one_standard_error: self.one_standard_error,
            signs: self.signs,
            linear: self.linear,
            intercept: self.intercept,
            scaling: self.scaling,
            seed: self.seed,
            iterations: self.iterations,
            step: self.step,
            batch: self.batch,
            gradient: self.gradient,
            effort: self.effort.parse()?,
            deadline: budget.and_then(|budget| start.checked_add(budget)),
            merge_repeats: self.merge_repeats,
            interrupted: Some(interrupted),
        })
    }

    fn roles(&self, target: &str, weight: Option<&str>) -> Roles {
        Roles {
            target: Some(target.to_owned()),
            weight: weight.map(str::to_owned),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            refuse_gaps: self.refuse_gaps,
            keep_constants: !(self.linear && self.intercept),
            target_scale: self.target_scale,
        }
    }
}

/// Samples, and how they came about.
struct Samples<'a> {
    train: &'a Data,
    /// Rows that had no part in the fit, for intervals.
    scored: Option<&'a Data>,
    recipe: &'a Recipe,
    target: &'a str,
    weight: Option<&'a str>,
    /// The rows that are trained on; all when `None`.
    used: Option<Vec<usize>>,
}

/// What comes of a fit.
struct Fitted {
    model: shallows::model::Model,
    account: Value,
    /// The certificate as its file holds it.
    certificate: Option<String>,
}

/// As Python sees it.
type Returned<'py> = (Model, Bound<'py, PyAny>, Option<String>);

impl Fitted {
    fn for_python(self, py: Python<'_>) -> PyResult<Returned<'_>> {
        Ok((Model::of(self.model), dictionary(py, &self.account)?, self.certificate))
    }
}

/// What listens to a fit, and may end it.
struct Listener<'a> {
    flag: &'a AtomicBool,
    report: &'a (dyn Fn(Value) + Sync),
    start: Instant,
}

impl Samples<'_> {
    /// Fit, prove what can be proved, and put the model together.
    fn fitted(self, settings: &Settings, listener: &Listener<'_>) -> Result<Fitted> {
        let Samples { train, scored, recipe, target, weight, used } = self;
        let options = settings.options(listener.start, listener.flag)?;
        let fit = library::fit(train, &options, &|progress| (listener.report)(stage(progress)))?;
        let source = Source {
            weight: weight.map(str::to_owned),
            rows: used,
            recipe: Some(recipe.clone()),
            target: Some(target.to_owned()),
        };
        // Nobody waits for the proof any more.
        let record = match listener.flag.load(Ordering::Relaxed) {
            true => None,
            false => fit.certified(train, &source, settings.tolerance)?,
        };
        let model = fit.model(recipe, target.to_owned(), settings.seed, scored, weight.is_some())?;
        let certificate = record.as_ref().map(|record| json!(record).to_string());
        let mut account = account(&fit, record.as_ref());
        account["seconds"] = json!(listener.start.elapsed().as_secs_f64());
        Ok(Fitted { model, account, certificate })
    }
}

/// What is known about a fit, as a document.
fn account(fit: &Fit, record: Option<&Certificate>) -> Value {
    let training = match &fit.training {
        Training::Local { method, trace } => json!({
            "kind": "local", "method": method.to_string(), "iterations": trace.iterations,
            "converged": is_convergence(trace.reason), "reason": trace.reason.words(),
            "gradient": trace.records.last().map(|record| record.gradient),
        }),
        Training::Global(global) => json!({
            "kind": "global", "solver": global.solver, "iterations": global.state.iteration,
            "path": global.path.iter().map(|(decay, rmse)| json!({ "decay": decay, "rmse": rmse })).collect::<Vec<_>>(),
        }),
        Training::Combined(combination) => json!({
            "kind": "combined", "rmse": combination.rmse, "folds": combination.folds,
            "compared": combination.compared, "effort": combination.effort.to_string(),
            "outcome": match combination.outcome {
                Outcome::Affine => "affine",
                Outcome::Quadratic => "quadratic",
                Outcome::Combined => "combination",
            },
            "ahead_of_affine": combination.ahead_of_affine,
            "ahead_of_quadratic": combination.ahead_of_quadratic,
            "candidates": combination.contenders.iter().map(|contender| json!({
                "name": contender.name, "rmse": contender.rmse, "weight": contender.weight,
            })).collect::<Vec<_>>(),
        }),
    };
    let candidate = |candidate: &Candidate| json!({ "name": candidate.activation.to_string(), "decay": candidate.decay, "rmse": candidate.rmse });
    json!({
        "objective": fit.objective,
        "decay": fit.decay,
        "partial": fit.partial,
        "training": training,
        "candidates": fit.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "optimum": record.map(|record| {
            let first = &record.document()[0];
            let [verdict, objective, lower_bound, relative_gap] =
                ["verdict", "objective", "lower_bound", "relative_gap"].map(|key| first[key].clone());
            json!({ "verdict": verdict, "objective": objective, "lower_bound": lower_bound, "relative_gap": relative_gap })
        }),
    })
}

/// Fit to an array of finite numbers, which is not copied.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn fit_array<'py>(
    py: Python<'py>,
    X: PyReadonlyArray2<'py, f64>,
    y: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    names: Vec<String>,
    target: &str,
    weight: &str,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Returned<'py>> {
    let settings: Settings = settings_of(settings)?;
    let (entries, columns) = rows(&X)?;
    let (y, weights) = (vector(&y), weights.as_ref().map(vector));
    let fitted = run(py, Ending::Sudden, progress.as_ref(), |flag, report| {
        let listener = Listener { flag, report, start: Instant::now() };
        let weight = weights.as_ref().map(|_| weight);
        let roles = settings.roles(target, weight);
        learned(&entries, columns, &y, (&names, target, weights.as_deref()), &roles, |train, recipe| {
            let (scored, used) = (None, None);
            Samples { train, scored, recipe, target, weight, used }.fitted(&settings, &listener)
        })
    })?;
    fitted.for_python(py)
}

/// Whether a training ended because there was nothing left to do.
fn is_convergence(reason: Reason) -> bool {
    !matches!(reason, Reason::Iterations | Reason::Time | Reason::Interrupted)
}

/// Fit to the columns of a frame, the target and the weights among them; words and gaps become what the recipe makes of
/// them.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn fit_table<'py>(
    py: Python<'py>,
    columns: Vec<Cells<'py>>,
    names: Vec<String>,
    count: usize,
    target: &str,
    weight: Option<&str>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Returned<'py>> {
    let settings: Settings = settings_of(settings)?;
    let table = named(names, columns.iter().map(Cells::column).collect(), count)?;
    drop(columns);
    let fitted = run(py, Ending::Sudden, progress.as_ref(), |flag, report| {
        let listener = Listener { flag, report, start: Instant::now() };
        let roles = settings.roles(target, weight);
        let labelled = roles.labelled(&table)?;
        let split =
            settings.calibrate.map(|share| deal(&labelled, share, settings.seed, Aside::Calibration)).transpose()?;
        let (train, scored) = split.map_or((labelled, None), |(train, scored)| (train, Some(scored)));
        let recipe = Recipe::learn(&table, &roles, &train)?;
        let data = |rows: &[usize]| recipe.data(&table, target, weight, Some(rows));
        let (used, samples) = ((train.len() < table.rows()).then(|| train.clone()), data(&train)?);
        let scored = scored.map(|rows| data(&rows)).transpose()?;
        drop(table);
        let (train, scored) = (&samples, scored.as_ref());
        Samples { train, scored, recipe: &recipe, target, weight, used }.fitted(&settings, &listener)
    })?;
    fitted.for_python(py)
}

/// How far a fit has come, as its callback sees it.
fn stage(progress: Progress<'_>) -> Value {
    match progress {
        Progress::Choosing { done, total } => json!({ "stage": "choosing", "done": done, "total": total }),
        Progress::Refitting { done, total } => json!({ "stage": "refitting", "done": done, "total": total }),
        Progress::Solving { state } => json!({
            "stage": "solving", "iteration": state.iteration, "objective": state.objective,
            "lower_bound": state.lower_bound, "relative_gap": state.relative_gap(),
        }),
        Progress::Training { record, iterations } => json!({
            "stage": "training", "iteration": record.iteration, "iterations": iterations,
            "objective": record.objective, "gradient": record.gradient,
        }),
    }
}
