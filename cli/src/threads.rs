//! The threads of a command. Results do not depend on how many there are, so a machine that lends none is no error.

use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use rayon::{ThreadBuilder, ThreadPoolBuildError, ThreadPoolBuilder};
use shallows::certificate::use_checker_threads;

use crate::failure::Failure;

/// More than this many threads are a slip of the finger.
pub const MOST_THREADS: u16 = 1024;
/// What sets the number of threads where the command line does not.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Start the threads for all parallel work: those asked for, or else one per core. Where one per core cannot be had,
/// this thread works alone.
pub fn start(asked: Option<u16>) -> Result<(), Failure> {
    let wanted = match asked {
        Some(threads) => Some(threads),
        None => requested(std::env::var(VARIABLE).ok().as_deref())?,
    };
    let cores = || thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS.into());
    let count = wanted.map_or_else(cores, usize::from);
    let started = match (workers(count), asked) {
        (Ok(workers), _) => pool(workers),
        (Err(error), Some(_)) => return Err(Failure::threads(&error)),
        (Err(_), None) => alone(),
    };
    started.map_err(|error| Failure::threads(&error))?;
    // The checker of certificates starts threads of its own, and must not start more.
    use_checker_threads(rayon::current_num_threads());
    Ok(())
}

/// The number of threads that the environment asks for; 0 and nothing leave it to the cores.
fn requested(variable: Option<&str>) -> Result<Option<u16>, Failure> {
    let Some(text) = variable.map(str::trim).filter(|text| !matches!(*text, "" | "0")) else { return Ok(None) };
    match text.parse::<u16>() {
        Ok(threads) if threads <= MOST_THREADS => Ok(Some(threads)),
        _ => Err(Failure::with_hint(
            format!("{VARIABLE} must be a number from 1 to {MOST_THREADS}, not {text:?}"),
            format!("unset {VARIABLE} to use all cores, or give --threads"),
        )),
    }
}

/// A thread that waits until the pool gives it its work, and ends when no pool comes.
type Worker = (Sender<ThreadBuilder>, JoinHandle<()>);

/// So many threads, or none. They are started before the pool, because the global pool can be built only once:
/// after a failed attempt there would be none at all.
fn workers(count: usize) -> std::io::Result<Vec<Worker>> {
    let mut workers = Vec::with_capacity(count);
    for index in 0..count {
        let (sender, receiver) = mpsc::channel::<ThreadBuilder>();
        let work = move || receiver.recv().into_iter().for_each(ThreadBuilder::run);
        match thread::Builder::new().name(format!("worker {index}")).spawn(work) {
            Ok(handle) => workers.push((sender, handle)),
            Err(error) => {
                let (senders, handles): (Vec<_>, Vec<_>) = workers.into_iter().unzip();
                drop(senders);
                handles.into_iter().for_each(|handle| drop(handle.join()));
                return Err(error);
            }
        }
    }
    Ok(workers)
}

fn pool(workers: Vec<Worker>) -> Result<(), ThreadPoolBuildError> {
    let count = workers.len();
    let mut waiting = workers.into_iter();
    let hand_over = move |thread: ThreadBuilder| {
        let sent = waiting.next().is_some_and(|(sender, _)| sender.send(thread).is_ok());
        if sent { Ok(()) } else { Err(std::io::Error::other("a thread ended before its work")) }
    };
    ThreadPoolBuilder::new().num_threads(count).spawn_handler(hand_over).build_global()
}

fn alone() -> Result<(), ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_environment_may_ask_for_as_many_threads_as_the_command_line() {
        assert_eq!(requested(None).unwrap(), None);
        assert_eq!(requested(Some("0")).unwrap(), None);
        assert_eq!(requested(Some(" 3 ")).unwrap(), Some(3));
        assert_eq!(requested(Some("1024")).unwrap(), Some(MOST_THREADS));
        for refused in ["1025", "99999", "-1", "many"] {
            let failure = requested(Some(refused)).unwrap_err().to_string();
            assert!(failure.starts_with("error: RAYON_NUM_THREADS must be") && failure.contains("\nhint: "));
        }
    }

    #[test]
    fn workers_without_a_pool_end() {
        let (senders, handles): (Vec<_>, Vec<_>) = workers(3).unwrap().into_iter().unzip();
        drop(senders);
        handles.into_iter().for_each(|handle| handle.join().unwrap());
    }
}
