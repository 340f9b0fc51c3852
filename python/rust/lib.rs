//! The native half of the Python package: arrays and settings become the jobs of the library, their outcomes become arrays
//! and dictionaries; no numerical logic.

// W, X, M, … are matrices, as in the library.
#![allow(non_snake_case)]

mod arrays;
mod certificate;
mod check;
mod documents;
mod drawing;
mod execute;
mod explain;
mod export;
mod failure;
mod fit;
mod hints;
mod lab;
mod model;
mod planted;
mod predict;
mod run;
mod samples;
mod threads;

use pyo3::prelude::*;

/// The native half of `shallows`.
#[pymodule]
mod _shallows {
    use super::*;

    #[pymodule_export]
    use super::arrays::has_gaps;
    #[pymodule_export]
    use super::certificate::{CertificateFile, certify, verify};
    #[pymodule_export]
    use super::check::check;
    #[pymodule_export]
    use super::documents::{options, theorems};
    #[pymodule_export]
    use super::drawing::Drawing;
    #[pymodule_export]
    use super::execute::execute;
    #[pymodule_export]
    use super::explain::explain;
    #[pymodule_export]
    use super::export::export;
    #[pymodule_export]
    use super::fit::fit;
    #[pymodule_export]
    use super::lab::{figure, plot, replay, studies, sweep};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::planted::{is_file_of_start, landscape, recover, teach, write_samples};
    #[pymodule_export]
    use super::predict::{Predictions, predict};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
