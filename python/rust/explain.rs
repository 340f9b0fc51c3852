//! `explain`.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::job::explain::ExplainJob;

use crate::documents::{dictionary, settings_of};
use crate::drawing::Drawing;
use crate::model::ModelOrPath;
use crate::run::{InterruptManner, run};
use crate::samples::GivenSamples;

/// What the options of the command say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExplainSettings {
    top: usize,
    repeats: Option<usize>,
    seed: Option<u64>,
}

/// What the command prints with `--json`, the figure, curves and maps of effects by name, and what was remarkable about the
/// rows.
type Explained<'py> = (Bound<'py, PyAny>, Drawing, Vec<(String, Drawing)>, Vec<String>);

/// What a network says about its inputs.
#[pyfunction]
pub fn explain<'py>(
    py: Python<'py>,
    model: ModelOrPath<'py>,
    samples: Option<GivenSamples<'py>>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Explained<'py>> {
    let ExplainSettings { top, repeats, seed } = settings_of(settings)?;
    let rows = samples.map(GivenSamples::samples).transpose()?.map(|samples| samples.rows);
    let job = ExplainJob { model: model.given(), rows, figure: None, effects: None, top, repeats, seed };
    let (document, figure, effects, remarks) = run(py, InterruptManner::Sudden, None, |watch| {
        let outcome = job.run(watch)?;
        Ok((outcome.document(), outcome.figure(), outcome.effect_figures(), outcome.remarks))
    })?;
    let effects = effects.into_iter().map(|drawn| (drawn.name, Drawing::of(drawn.figure))).collect();
    Ok((dictionary(py, &document)?, Drawing::of(figure), effects, remarks))
}
