//! The threads that work.

use std::mem;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use shallows::watch::halt::heed;

/// Threads, and a way to end what they do.
pub struct Threads {
    pub pool: ThreadPool,
    /// Once it is set, what the threads compute unwinds.
    pub halt: Arc<AtomicBool>,
    /// The process that they are in.
    process: u32,
}

/// The threads of the last piece of work.
static IDLE: Mutex<Option<Threads>> = Mutex::new(None);

/// What `work` makes of threads that are its own for as long as it takes: pieces of work that are asked for at the same time
/// do not wait for each other, and a process that was forked has threads that exist.
pub fn with_threads<R>(work: impl FnOnce(&Threads) -> R) -> PyResult<R> {
    // The lock is not waited for: its holder may be in the process that this one was forked from.
    let idle = IDLE.try_lock().ok().and_then(|mut idle| idle.take());
    let threads = match idle {
        Some(threads) if threads.process == process::id() => threads,
        other => {
            // Threads of another process cannot be ended from here.
            mem::forget(other);
            Threads::new()?
        }
    };
    threads.halt.store(false, Ordering::Relaxed);
    let result = work(&threads);
    if let Ok(mut idle) = IDLE.try_lock() {
        idle.get_or_insert(threads);
    }
    Ok(result)
}

impl Threads {
    fn new() -> PyResult<Self> {
        let halt = Arc::new(AtomicBool::new(false));
        let heeded = halt.clone();
        let pool = ThreadPoolBuilder::new().start_handler(move |_| heed(heeded.clone())).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        // The checker of certificates starts threads of its own, and must not start more.
        shallows::certificate::use_checker_threads(pool.current_num_threads());
        Ok(Threads { pool, halt, process: process::id() })
    }
}
