//! The native half of the Python package: arrays and settings in, arrays and records out; no numerical logic.

// W, X, M, … are matrices, as in the library.
#![allow(non_snake_case)]

use pyo3::prelude::*;

/// The native half of `shallows`.
#[pymodule]
mod _shallows {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
