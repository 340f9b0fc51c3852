//! Long work on a thread of its own, while the calling one listens to Ctrl-C and passes progress on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use serde_json::Value;
use shallows::error::Result;

use crate::arrays::dictionary;
use crate::failure::{broken, exception};

/// How often the interpreter is asked whether there was a Ctrl-C.
const TICK: Duration = Duration::from_millis(50);
/// Reports that wait for a slow callback; further ones are left out.
const MOST_WAITING: usize = 64;

/// What `work` gives. It gets a flag that asks it to end, and a place to report to. The interpreter is free meanwhile. A
/// Ctrl-C, or an exception in the callback, sets the flag; the worker has ended when the exception is raised.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&AtomicBool, &(dyn Fn(Value) + Sync)) -> Result<T> + Send,
) -> PyResult<T> {
    let (flag, listened) = (AtomicBool::new(false), progress.is_some());
    let (send, receive) = sync_channel(MOST_WAITING);
    let receive = Mutex::new(receive);
    thread::scope(|scope| {
        let flag = &flag;
        let worker = scope.spawn(move || {
            let report = |progress: Value| {
                if listened {
                    // A full queue or an ended listener: this report is left out.
                    let _ = send.try_send(progress);
                }
            };
            work(flag, &report)
        });
        let mut raised = None;
        while raised.is_none() {
            let next = py.detach(|| match receive.lock() {
                Ok(receive) => receive.recv_timeout(TICK),
                Err(_) => Err(RecvTimeoutError::Disconnected),
            });
            let heard = match (next, progress) {
                (Ok(report), Some(progress)) => {
                    dictionary(py, &report).and_then(|report| progress.call1((report,)).map(drop))
                }
                (Err(RecvTimeoutError::Disconnected), _) => break,
                _ => Ok(()),
            };
            raised = heard.and_then(|()| py.check_signals()).err();
        }
        if raised.is_some() {
            flag.store(true, Ordering::Relaxed);
        }
        let outcome = py.detach(|| worker.join());
        match (raised, outcome) {
            (Some(exception), _) => Err(exception),
            (None, Ok(result)) => result.map_err(exception),
            (None, Err(cause)) => Err(broken(cause.as_ref())),
        }
    })
}
