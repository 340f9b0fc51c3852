//! The threads that work.

use std::mem;
use std::process;
use std::sync::Mutex;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of the last piece of work, and the process that they are in.
static IDLE: Mutex<Option<(u32, ThreadPool)>> = Mutex::new(None);

/// What `work` makes of threads that are its own for as long as it takes: pieces of work that are asked for at the same time
/// do not wait for each other, and a process that was forked has threads that exist.
pub fn with_threads<R>(work: impl FnOnce(&ThreadPool) -> R) -> PyResult<R> {
    let process = process::id();
    // The lock is not waited for: its holder may be in the process that this one was forked from.
    let idle = IDLE.try_lock().ok().and_then(|mut idle| idle.take());
    let threads = match idle {
        Some((of, threads)) if of == process => threads,
        other => {
            // Threads of another process cannot be ended from here.
            mem::forget(other);
            ThreadPoolBuilder::new().build().map_err(|error| PyRuntimeError::new_err(error.to_string()))?
        }
    };
    let result = work(&threads);
    if let Ok(mut idle) = IDLE.try_lock() {
        idle.get_or_insert((process, threads));
    }
    Ok(result)
}
