//! `export`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::job::export::{ExportFormat, ExportJob, ExportPrecision};
use shallows::watch::Watch;

use crate::documents::{dictionary, settings_of};
use crate::failure::exception;
use crate::model::ModelOrPath;

/// What the options of the command say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportSettings {
    format: Option<ExportFormat>,
    precision: Option<ExportPrecision>,
    activation: Option<String>,
    width: Option<usize>,
    seed: Option<u64>,
}

/// Write a network in another format.
#[pyfunction]
pub fn export<'py>(
    py: Python<'py>,
    model: ModelOrPath<'py>,
    path: PathBuf,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let ExportSettings { format, precision, activation, width, seed } = settings_of(settings)?;
    let activation = activation.as_deref().map(str::parse).transpose().map_err(exception)?;
    let job = ExportJob { model: model.given(), format, precision, activation, width, seed, output: Some(path) };
    let outcome = py.detach(|| job.run(Watch::silent())).map_err(exception)?;
    dictionary(py, &outcome.document())
}
