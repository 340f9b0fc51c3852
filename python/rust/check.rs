//! `check`.

use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use serde_json::json;
use shallows::certificate::descent::Start;
use shallows::certificate::descent::frame::RowScaling;
use shallows::data::{Data, Recipe};
use shallows::error::Result;
use shallows::job::check::{Question, Sought, Stage};
use shallows::model::Model as Fitted;
use shallows::network::Network;

use crate::documents::{dictionary, settings_of};
use crate::model::Model;
use crate::run::{Ending, run};
use crate::samples::Given;

/// What the options of the command say, under their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    activation: String,
    rows: Choice,
    radius: f64,
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
    theorems: Vec<String>,
    drop: Vec<String>,
    categorical: Vec<String>,
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
    samples: Given<'py>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Checked<'py>> {
    let settings: Settings = settings_of(settings)?;
    let samples = samples.samples()?;
    let (account, plan, rivals) = run(py, Ending::Sudden, progress.as_ref(), |flag, report| {
        let question = question(&settings)?;
        question.check()?;
        samples.by_learning(settings.drop.clone(), settings.categorical.clone(), |data, recipe| {
            let answer = question.answer(data, &|stage| {
                report(match stage {
                    Stage::Tried { width, holds } => json!({ "stage": "trying", "width": width, "holds": holds }),
                    Stage::Scale => json!({ "stage": "scaling" }),
                    Stage::Start => json!({ "stage": "judging" }),
                });
                !flag.load(Ordering::Relaxed)
            })?;
            let model = |network: &Network| model(network, recipe, data, question.seed);
            let rivals = match &answer.rival {
                Some(rival) => Some((model(&rival.first)?, model(&rival.second)?)),
                None => None,
            };
            let plan = answer.plan.as_ref().map(|plan| plan.to_json()).transpose()?;
            Ok((answer.document(), plan, rivals))
        })
    })?;
    Ok((dictionary(py, &account)?, plan, rivals))
}

fn question(settings: &Settings) -> Result<Question> {
    Ok(Question {
        activation: settings.activation.parse()?,
        rows: settings.rows.rows(),
        radius: settings.radius,
        width: settings.width,
        scale: settings.scale,
        start: settings.start,
        seed: settings.seed,
        sought: match (settings.find_width, settings.find_scale) {
            (true, _) => Sought::Width,
            (_, true) => Sought::Scale,
            _ => Sought::Nothing,
        },
        both_layers: settings.both_layers,
        tolerance: settings.tolerance,
        affine: settings.affine,
        rival: settings.rival,
        theorems: settings.theorems.clone(),
    })
}

fn model(network: &Network, recipe: &Recipe, data: &Data, seed: u64) -> Result<Model> {
    Fitted::new(network.clone(), recipe.clone(), data.target.clone(), seed).map(Model::of)
}
