//! `check`.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::certificate::descent::Start;
use shallows::certificate::descent::frame::RowScaling;
use shallows::certificate::theorem_named;
use shallows::data::Roles;
use shallows::data::recipe::DateUse;
use shallows::error::Result;
use shallows::job::check::{CheckJob, CheckRequest, Sought};

use crate::documents::{dictionary, settings_of};
use crate::model::Model;
use crate::run::{InterruptManner, run};
use crate::samples::{GivenSamples, RowsWithRoles, word_orders};

/// What the options of the command say, under their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckSettings {
    activation: String,
    rows: Choice,
    radius: Option<f64>,
    width: Option<usize>,
    scale: Option<f64>,
    start: Start,
    seed: u64,
    find_width: bool,
    find_scale: bool,
    both_layers: bool,
    tolerance: f64,
    affine: bool,
    rival: bool,
    certificate: Option<std::path::PathBuf>,
    theorems: Vec<String>,
    drop: Vec<String>,
    categorical: Vec<String>,
    ordered: BTreeMap<String, Vec<String>>,
    dates: DateUse,
    gaps: Vec<String>,
}

/// What is done to the rows.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Choice {
    Auto,
    Raw,
    Unit,
    Scaled,
}

impl Choice {
    fn rows(self) -> Option<RowScaling> {
        match self {
            Choice::Auto => None,
            Choice::Raw => Some(RowScaling::Raw),
            Choice::Unit => Some(RowScaling::Unit),
            Choice::Scaled => Some(RowScaling::Scaled),
        }
    }
}

/// An answer and two rivals.
type Checked<'py> = (Bound<'py, PyAny>, Option<String>, Option<(Model, Model)>);

/// What theory promises before any training: the account, the file of the plan, and two networks that agree on every row.
#[pyfunction]
pub fn check<'py>(
    py: Python<'py>,
    samples: GivenSamples<'py>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Checked<'py>> {
    let settings: CheckSettings = settings_of(settings)?;
    let samples = samples.samples()?;
    let (account, plan, rivals) = run(py, InterruptManner::Sudden, progress.as_ref(), |watch| {
        let outcome = job(&settings, samples)?.run(watch)?;
        let rivals = outcome.rivals()?.map(|[first, second]| (Model::of(first), Model::of(second)));
        let plan = outcome.judged.plan.as_ref().map(|plan| plan.to_json()).transpose()?;
        Ok((outcome.document(), plan, rivals))
    })?;
    Ok((dictionary(py, &account)?, plan, rivals))
}

fn job(settings: &CheckSettings, samples: RowsWithRoles) -> Result<CheckJob> {
    let roles = samples.roles(settings.drop.clone(), settings.categorical.clone());
    let roles = Roles {
        dates: settings.dates,
        gap_words: settings.gaps.clone(),
        ordered: word_orders(&settings.ordered)?,
        ..roles
    };
    Ok(CheckJob {
        rows: samples.rows,
        roles,
        request: request(settings)?,
        plan: None,
        rival: None,
        certificate: settings.certificate.clone(),
    })
}

fn request(settings: &CheckSettings) -> Result<CheckRequest> {
    Ok(CheckRequest {
        activation: settings.activation.parse()?,
        rows: settings.rows.rows(),
        radius: settings.radius,
        width: settings.width,
        scale: settings.scale,
        start: settings.start,
        seed: settings.seed,
        sought: Sought::of_switches(settings.find_width, settings.find_scale)?,
        both_layers: settings.both_layers,
        tolerance: settings.tolerance,
        affine: settings.affine,
        rival: settings.rival,
        theorems: settings.theorems.iter().map(|id| theorem_named(id)).collect::<Result<_>>()?,
    })
}
