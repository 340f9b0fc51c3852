//! `explain`.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::job::explain::ExplainJob;

use crate::documents::{dictionary, settings_of};
use crate::drawing::Drawing;
use crate::model::ModelOrPath;
use crate::run::{Ending, run};
use crate::samples::Given;

/// What the options of the command say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    top: usize,
    repeats: Option<usize>,
    seed: Option<u64>,
}

/// What the command prints with `--json`, the figure, and what was remarkable about the rows.
type Explained<'py> = (Bound<'py, PyAny>, Drawing, Vec<String>);

/// What a network says about its inputs.
#[pyfunction]
pub fn explain<'py>(
    py: Python<'py>,
    model: ModelOrPath<'py>,
    samples: Option<Given<'py>>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Explained<'py>> {
    let Settings { top, repeats, seed } = settings_of(settings)?;
    let rows = samples.map(Given::samples).transpose()?.map(|samples| samples.rows);
    let job = ExplainJob { model: model.given(), rows, figure: None, top, repeats, seed };
    let (document, figure, remarks) = run(py, Ending::Sudden, None, |watch| {
        let outcome = job.run(watch)?;
        Ok((outcome.document(), outcome.figure(), outcome.remarks))
    })?;
    Ok((dictionary(py, &document)?, Drawing::of(figure), remarks))
}
