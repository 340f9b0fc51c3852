//! `fit`: samples in, a model and what is known about it out.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::data::recipe::DateUse;
use shallows::data::{Holdout, Reading, Roles, TargetScale};
use shallows::error::Result;
use shallows::fit::{Common, Options};
use shallows::job::fit::{FitFiles, FitJob, FitRequest};
use shallows::network::Signs;

use crate::certificate::CertificateFile;
use crate::documents::{Duration, dictionary, settings_of};
use crate::model::Model;
use crate::run::{InterruptManner, run};
use crate::samples::{GivenSamples, RowsWithRoles, word_orders};

/// What the options of the command say, under their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FitSettings {
    activation: Option<String>,
    sets: Option<Vec<String>>,
    width: Option<usize>,
    method: Option<String>,
    decay: Option<f64>,
    one_standard_error: bool,
    signs: Option<Signs>,
    linear: bool,
    intercept: bool,
    scaling: bool,
    #[serde(rename = "random_state")]
    seed: u64,
    iterations: Option<usize>,
    step: Option<f64>,
    batch: Option<usize>,
    gradient: Option<f64>,
    effort: Option<String>,
    prefer: Option<String>,
    budget: Option<Duration>,
    merge_repeats: bool,
    tolerance: Option<f64>,
    target_scale: ScaleName,
    calibrate: Option<f64>,
    holdout: Option<String>,
    folds: Option<usize>,
    findings: bool,
    drop: Vec<String>,
    categorical: Vec<String>,
    ordered: BTreeMap<String, Vec<String>>,
    dates: DateUse,
    gaps: Vec<String>,
    refuse_gaps: bool,
}

/// The scales that can be asked for: a centre is learned.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScaleName {
    Identity,
    Log,
}

impl ScaleName {
    fn scale(self) -> TargetScale {
        match self {
            ScaleName::Identity => TargetScale::Identity,
            ScaleName::Log => TargetScale::Log,
        }
    }
}

impl FitSettings {
    fn job(self, samples: RowsWithRoles) -> Result<FitJob> {
        let roles = samples.roles(self.drop.clone(), self.categorical.clone());
        let roles = Roles {
            refuse_gaps: self.refuse_gaps,
            target_scale: self.target_scale.scale(),
            dates: self.dates,
            gap_words: self.gaps.clone(),
            ordered: word_orders(&self.ordered)?,
            ..roles
        };
        // A number is a share, everything else a file: parsing cannot fail.
        let holdout = self.holdout.as_deref().and_then(|text| text.parse::<Holdout>().ok());
        Ok(FitJob {
            rows: samples.rows,
            reading: Reading { roles, holdout, calibrate: self.calibrate, seed: self.seed },
            request: FitRequest {
                fit: self.options()?.request()?,
                budget: self.budget.map(|budget| budget.0),
                folds: self.folds,
                tolerance: self.tolerance,
                findings: self.findings,
            },
            files: FitFiles::default(),
        })
    }

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
            sets: self.sets.as_ref().map(|sets| sets.iter().map(|set| set.parse()).collect()).transpose()?,
            width: self.width,
            method: self.method.as_deref().map(str::parse).transpose()?,
            decay: self.decay,
            one_standard_error: self.one_standard_error,
            signs: self.signs,
            iterations: self.iterations,
            step: self.step,
            batch: self.batch,
            gradient: self.gradient,
            effort: self.effort.as_deref().map(str::parse).transpose()?,
            prefer: self.prefer.as_deref().map(str::parse).transpose()?,
        })
    }
}

/// The model, what is known about it, the certificate.
type FittedObjects<'py> = (Model, Bound<'py, PyAny>, Option<CertificateFile>);

/// Fit to samples.
#[pyfunction]
pub fn fit<'py>(
    py: Python<'py>,
    samples: GivenSamples<'py>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<FittedObjects<'py>> {
    let settings: FitSettings = settings_of(settings)?;
    let samples = samples.samples()?;
    let (model, document, certificate) = run(py, InterruptManner::Sudden, progress.as_ref(), |watch| {
        let outcome = settings.job(samples)?.run(watch)?;
        let document = outcome.document();
        Ok((outcome.model, document, outcome.certificate))
    })?;
    Ok((Model::of(model), dictionary(py, &document)?, certificate.map(CertificateFile::of)))
}
