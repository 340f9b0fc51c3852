//! Figures.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyType};
use serde_json::json;
use shallows::draw::{Figure, Ground};

use crate::failure::exception;

/// A figure.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct Drawing {
    figure: Figure,
}

impl Drawing {
    pub fn of(figure: Figure) -> Self {
        Drawing { figure }
    }
}

#[pymethods]
impl Drawing {
    /// From what `to_json` gives.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let broken = |error: serde_json::Error| PyValueError::new_err(format!("this is no figure: {error}"));
        serde_json::from_str(text).map(Drawing::of).map_err(broken)
    }

    /// Every shape of the figure.
    fn to_json(&self) -> String {
        json!(self.figure).to_string()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Drawing>().getattr("from_json")?, (self.to_json(),)))
    }

    /// The text of the SVG file.
    fn svg(&self) -> String {
        self.figure.svg(Ground::Page)
    }

    /// The bytes of the PNG file.
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.figure.png()).map_err(exception)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Write a file; its ending, .svg or .png, says which.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.figure.save(&path).map_err(exception)
    }
}
