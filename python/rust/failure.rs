//! Errors of the library as exceptions, with hints in the words of the package.

use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use shallows::error::Error;

use crate::hints;

/// What the system refused is an `OSError`, everything else a `ValueError`; the hint is on a second line.
pub fn exception(error: Error) -> PyErr {
    let words = match error.hint() {
        Some(hint) => format!("{error}\nhint: {}", hints::words(&hint)),
        None => error.to_string(),
    };
    match &error {
        Error::Io { source, .. } => std::io::Error::new(source.kind(), words).into(),
        _ => PyValueError::new_err(words),
    }
}

/// A worker that panicked: a fault of this package, which must not look like one of the interpreter's.
pub fn broken(cause: &(dyn std::any::Any + Send)) -> PyErr {
    let words = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("internal error in shallows (please report): {}", words.unwrap_or("unknown")))
}
