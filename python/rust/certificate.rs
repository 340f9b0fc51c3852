//! `certify` and `verify`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyType};
use serde::Deserialize;
use shallows::certificate::{self, Claim, Theorem};
use shallows::network::Signs;

use crate::documents::{dictionary, settings_of};
use crate::failure::exception;
use crate::model::Model;
use crate::run::{Ending, run};
use crate::samples::Given;

/// Certificates for one network on one set of rows, as the files of the command hold them.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct Record {
    record: certificate::Certificate,
}

#[pymethods]
impl Record {
    /// Read a file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        certificate::Certificate::load(path).map(|record| Record { record }).map_err(exception)
    }

    /// Read the text of a file.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        certificate::Certificate::from_json(text.as_bytes()).map(|record| Record { record }).map_err(exception)
    }

    /// The text of the file.
    fn to_json(&self) -> PyResult<String> {
        self.record.to_json().map_err(exception)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Record>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Write the file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.record.save(path).map_err(exception)
    }

    /// The certificates as dictionaries.
    fn certificates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.record.document())
    }

    /// One sentence for each certificate.
    fn statements(&self) -> Vec<String> {
        self.record.statements()
    }

    /// The worst verdict of its certificates.
    fn verdict(&self) -> String {
        self.record.verdict().to_string()
    }
}

/// What the options of the command say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    signs: Signs,
    decay: f64,
    linear: bool,
    intercept: bool,
    tolerance: f64,
    theorems: Vec<String>,
}

/// Prove what can be proved about a network.
#[pyfunction]
pub fn certify(py: Python<'_>, model: &Model, samples: Given<'_>, settings: &Bound<'_, PyDict>) -> PyResult<Record> {
    let Settings { signs, decay, linear, intercept, tolerance, theorems } = settings_of(settings)?;
    let samples = samples.samples()?;
    let model = model.inner();
    let record = run(py, Ending::Sudden, None, |_, _| {
        samples.by_model(model, |data, source| {
            let theorems = theorems.iter().map(|id| id.parse()).collect::<Result<Vec<Theorem>, _>>()?;
            let claim = Claim { signs, decay, linear, intercept, exponents: vec![0; data.d()] };
            certificate::Certificate::new(&theorems, model.only()?, data, source, &claim, None, tolerance)
        })
    })?;
    Ok(Record { record })
}

/// Compute everything in a certificate again.
#[pyfunction]
pub fn verify(py: Python<'_>, record: &Record, samples: Given<'_>, model: Option<&Model>) -> PyResult<String> {
    let samples = samples.samples()?;
    let (record, model) = (&record.record, model.map(Model::inner));
    let verdict = run(py, Ending::Sudden, None, |_, _| {
        samples.by_record(record, |data| match model {
            Some(model) => record.verify_model(data, model),
            None => record.verify(data),
        })
    })?;
    Ok(verdict.verdict().to_string())
}
