//! Errors of the library as exceptions, with the words of the command.

use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use shallows::error::Error;

/// What the system refused is an `OSError`, everything else a `ValueError`; the way out is on a line of its own.
pub fn exception(error: Error) -> PyErr {
    let words = match error.hint() {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    };
    match &error {
        Error::Io { source, .. } => std::io::Error::new(source.kind(), words).into(),
        _ => PyValueError::new_err(words),
    }
}

/// A worker that panicked: an error of ours, which must not look like one of the interpreter's.
pub fn broken(cause: &(dyn std::any::Any + Send)) -> PyErr {
    let words = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("shallows failed, which is an error of its own: {}", words.unwrap_or("unknown")))
}
