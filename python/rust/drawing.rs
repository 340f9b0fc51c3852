//! Figures.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use shallows::figure::{Figure, Ground};

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
