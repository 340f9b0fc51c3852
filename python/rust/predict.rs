//! `predict`.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict};
use serde::Deserialize;
use shallows::job::predict::{PredictJob, PredictOutcome, PredictedIntervals};

use crate::documents::{dictionary, settings_of};
use crate::model::ModelOrPath;
use crate::run::{InterruptManner, run};
use crate::samples::GivenSamples;

/// Predictions for the rows of a table.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct Predictions {
    outcome: PredictOutcome,
}

/// Lower and upper ends.
type IntervalEnds<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Predictions {
    /// One for each row, in the units of the target.
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.outcome.predictions)
    }

    /// The ends of the intervals, where they were asked for.
    fn ends<'py>(&self, py: Python<'py>) -> Option<IntervalEnds<'py>> {
        let PredictedIntervals { lower, upper, .. } = self.outcome.intervals.as_ref()?;
        Some((PyArray1::from_slice(py, lower), PyArray1::from_slice(py, upper)))
    }

    /// The posterior standard deviations, where they were asked for.
    fn deviations<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.outcome.deviations.as_ref().map(|(deviations, _)| PyArray1::from_slice(py, deviations))
    }

    /// What was remarkable about the rows.
    fn remarks(&self) -> Vec<String> {
        self.outcome.remarks.clone()
    }

    /// What the command prints with `--json`.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.outcome.document())
    }
}

/// What the options of the command say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PredictSettings {
    coverage: Option<f64>,
    ignore_extra: bool,
    deviation: bool,
}

/// Predictions of a network for rows.
#[pyfunction]
pub fn predict(
    py: Python<'_>,
    model: ModelOrPath<'_>,
    samples: GivenSamples<'_>,
    fill: Vec<(String, String)>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Predictions> {
    let PredictSettings { coverage: interval, ignore_extra, deviation } = settings_of(settings)?;
    let rows = samples.samples()?.rows;
    let job = PredictJob { model: model.given(), rows, fill, ignore_extra, interval, deviation, output: None };
    let outcome = run(py, InterruptManner::Sudden, None, |watch| job.run(watch))?;
    Ok(Predictions { outcome })
}
