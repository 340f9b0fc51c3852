//! Long work on other threads, while the calling one listens to Ctrl-C and passes progress on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use serde_json::Value;
use shallows::error;
use shallows::job::progress::document;
use shallows::watch::{Progress, Watch};

use crate::documents::dictionary;
use crate::failure::{broken, exception};
use crate::threads::with_threads;

/// How often the interpreter is asked whether there was a Ctrl-C.
const TICK: Duration = Duration::from_millis(50);
/// How long the listener stays awake at first.
const WATCHED: Duration = Duration::from_millis(1);
/// Reports that wait for a slow callback; further ones are left out.
const MOST_WAITING: usize = 8;

/// What becomes of work that is interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InterruptManner {
    /// It ends where it is: nothing of it is kept.
    Sudden,
    /// It ends when it sees the flag, and keeps what it has done.
    Orderly,
}

/// What the threads send.
enum Message<T> {
    Report(Value),
    Ended(T),
}

/// What `work` gives. It gets a watch that asks it to end and hears its reports. The interpreter is free meanwhile. A Ctrl-C,
/// or an exception in the callback, ends the work; it has ended when the exception is raised.
pub fn run<T: Send>(
    py: Python<'_>,
    ending: InterruptManner,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Watch<'_>) -> error::Result<T> + Send,
) -> PyResult<T> {
    let (flag, listened) = (AtomicBool::new(false), progress.is_some());
    let (send, receive) = sync_channel(MOST_WAITING);
    let receive = Mutex::new(receive);
    let flag = &flag;
    let start = Instant::now();
    with_threads(|threads| {
        threads.pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // A full queue: a report is left out.
                let report = |progress: Progress| drop(send.try_send(Message::Report(document(progress))));
                let watch = Watch::silent().interruptible(flag);
                let watch = if listened { watch.reporting(&report) } else { watch };
                let result = catch_unwind(AssertUnwindSafe(|| work(watch)));
                // The listener waits for this.
                let _ = send.send(Message::Ended(result));
            });
            let mut raised = None;
            loop {
                let next = py.detach(|| match receive.lock() {
                    Ok(receive) => next(&receive, start),
                    Err(_) => Err(RecvTimeoutError::Disconnected),
                });
                let heard = match (next, progress) {
                    (Ok(Message::Ended(outcome)), _) => {
                        return match (raised, outcome) {
                            (Some(exception), _) => Err(exception),
                            (None, Ok(result)) => result.map_err(exception),
                            (None, Err(cause)) => Err(broken(cause.as_ref())),
                        };
                    }
                    (Err(RecvTimeoutError::Disconnected), _) => return Err(broken(&"the work ended without a result")),
                    (Ok(Message::Report(report)), Some(progress)) if raised.is_none() => {
                        dictionary(py, &report).and_then(|report| progress.call1((report,)).map(drop))
                    }
                    _ => Ok(()),
                };
                if raised.is_none() {
                    raised = heard.and_then(|()| py.check_signals()).err();
                    flag.store(raised.is_some(), Ordering::Relaxed);
                    threads.halt.store(raised.is_some() && ending == InterruptManner::Sudden, Ordering::Relaxed);
                }
            }
        })
    })?
}

/// The next message, within the time of a tick.
fn next<T>(receive: &Receiver<T>, start: Instant) -> Result<T, RecvTimeoutError> {
    // A small piece of work ends sooner than a thread that sleeps wakes up.
    while start.elapsed() < WATCHED {
        if let Ok(message) = receive.try_recv() {
            return Ok(message);
        }
        thread::yield_now();
    }
    receive.recv_timeout(TICK)
}
