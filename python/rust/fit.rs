//! `fit`: arrays or a frame in, a model and what is known about it out.

use std::time::{Duration, Instant};

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use serde_json::{Value, json};
use shallows::data::{Array, Reading, Roles, Samples, TargetScale};
use shallows::error::Result;
use shallows::fit::{Common, Effort, Options, USUAL_GRADIENT};
use shallows::job::fit::FitRequest;
use shallows::job::progress::document;
use shallows::model as library;
use shallows::network::Signs;
use shallows::watch::Watch;

use crate::arrays::{Cells, named, rows, vector};
use crate::documents::{dictionary, settings_of};
use crate::model::Model;
use crate::run::{Ending, run};
use crate::samples::shared;

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
    fn request(&self) -> Result<FitRequest> {
        let budget = self.budget.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(FitRequest { options: self.options()?, budget, folds: None, tolerance: self.tolerance })
    }

    /// A value that is the default counts as not given: the estimators always hand all of them over.
    fn options(&self) -> Result<Options> {
        let common = Common {
            seed: self.seed,
            linear: self.linear,
            intercept: self.intercept,
            scaling: self.scaling,
            merge_repeats: self.merge_repeats,
        };
        Ok(Options {
            common,
            activation: self.activation.as_deref().map(str::parse).transpose()?,
            width: self.width,
            method: self.method.as_deref().map(str::parse).transpose()?,
            decay: self.decay,
            one_standard_error: self.one_standard_error,
            signs: Some(self.signs).filter(|signs| *signs != Signs::Any),
            iterations: self.iterations,
            step: self.step,
            batch: self.batch,
            gradient: Some(self.gradient).filter(|gradient| *gradient != USUAL_GRADIENT),
            effort: Some(self.effort.parse()?).filter(|effort| *effort != Effort::default()),
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

/// What comes of a fit.
struct Fitted {
    model: library::Model,
    document: Value,
    /// The certificate as its file holds it.
    certificate: Option<String>,
}

/// As Python sees it.
type Returned<'py> = (Model, Bound<'py, PyAny>, Option<String>);

impl Fitted {
    fn new(settings: &Settings, samples: Samples, watch: Watch<'_>) -> Result<Fitted> {
        let since = Instant::now();
        let outcome = settings.request()?.run_on(samples, watch)?;
        let certificate = outcome.certificate.as_ref().map(|record| json!(record).to_string());
        let mut document = outcome.document();
        // The document is part of what the library does.
        document["seconds"] = json!(since.elapsed().as_secs_f64());
        Ok(Fitted { document, model: outcome.model, certificate })
    }

    fn for_python(self, py: Python<'_>) -> PyResult<Returned<'_>> {
        Ok((Model::of(self.model), dictionary(py, &self.document)?, self.certificate))
    }
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
    let (entries, _) = rows(&X)?;
    let (y, weights) = (vector(&y), weights.as_ref().map(vector));
    let fitted = run(py, Ending::Sudden, progress.as_ref(), |flag, report| {
        let tell = |progress| report(document(progress));
        let watch = Watch::silent().interruptible(flag).reporting(&tell);
        let roles = settings.roles(target, weights.as_ref().map(|_| weight));
        let (X, target) = (shared(&entries, names.len())?, target.to_owned());
        Fitted::new(&settings, roles.learned_array(Array { X, names, y, target, weights })?, watch)
    })?;
    fitted.for_python(py)
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
        let tell = |progress| report(document(progress));
        let watch = Watch::silent().interruptible(flag).reporting(&tell);
        let (roles, calibrate) = (settings.roles(target, weight), settings.calibrate);
        let samples = Reading { roles, holdout: None, calibrate, seed: settings.seed }.learned(&table)?;
        drop(table);
        Fitted::new(&settings, samples, watch)
    })?;
    fitted.for_python(py)
}
