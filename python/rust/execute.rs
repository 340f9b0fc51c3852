//! `execute`: a plan of `check`, run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::certificate::descent::DescentPlan;
use shallows::data::Roles;
use shallows::data::recipe::DateUse;
use shallows::error::Result;
use shallows::job::execute::ExecuteJob;
use shallows::job::given::GivenPlan;

use crate::documents::{Duration, dictionary, settings_of};
use crate::drawing::Drawing;
use crate::model::Model;
use crate::run::{InterruptManner, run};
use crate::samples::{GivenSamples, RowsWithRoles, word_orders};

/// What the options of the command say, under their names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExecuteSettings {
    iterations: Option<usize>,
    budget: Option<Duration>,
    drop: Vec<String>,
    categorical: Vec<String>,
    ordered: BTreeMap<String, Vec<String>>,
    dates: DateUse,
    gaps: Vec<String>,
    refuse_gaps: bool,
}

/// The text of a plan, or its file.
#[derive(FromPyObject)]
pub enum PlanOrPath {
    Text(String),
    File(PathBuf),
}

impl PlanOrPath {
    /// As the jobs of the library take it.
    fn given(self) -> Result<GivenPlan> {
        match self {
            PlanOrPath::Text(text) => Ok(GivenPlan::Memory(Box::new(DescentPlan::from_json(text.as_bytes())?))),
            PlanOrPath::File(path) => Ok(path.into()),
        }
    }
}

/// What the command prints with `--json`, the network where it can take raw rows, the curves.
type Executed<'py> = (Bound<'py, PyAny>, Option<Model>, Drawing);

/// Execute a plan, and compare every proved bound with the run.
#[pyfunction]
pub fn execute<'py>(
    py: Python<'py>,
    plan: PlanOrPath,
    samples: GivenSamples<'py>,
    settings: &Bound<'_, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Executed<'py>> {
    let settings: ExecuteSettings = settings_of(settings)?;
    let samples = samples.samples()?;
    let (document, figure, model) = run(py, InterruptManner::Orderly, progress.as_ref(), |watch| {
        let outcome = settings.job(plan, samples)?.run(watch)?;
        Ok((outcome.document(), outcome.figure(), outcome.model))
    })?;
    Ok((dictionary(py, &document)?, model.map(Model::of), Drawing::of(figure)))
}

impl ExecuteSettings {
    fn job(self, plan: PlanOrPath, samples: RowsWithRoles) -> Result<ExecuteJob> {
        let roles = samples.roles(self.drop, self.categorical);
        Ok(ExecuteJob {
            roles: Roles {
                refuse_gaps: self.refuse_gaps,
                dates: self.dates,
                gap_words: self.gaps,
                ordered: word_orders(&self.ordered)?,
                ..roles
            },
            rows: samples.rows,
            plan: plan.given()?,
            iterations: self.iterations,
            budget: self.budget.map(|budget| budget.0),
            model: None,
            curves: None,
        })
    }
}
