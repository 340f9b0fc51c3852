//! A way out of long computations that nobody waits for any more.
//!
//! Whoever embeds the library may give the threads of a pool of its own a flag. Once the flag is set, the loops over rows and
//! tiles and the products on these threads do not continue: they unwind, without a word, to where the embedder catches
//! ([`std::panic::catch_unwind`]). Nothing of the computation is left, so that no half of a result can be taken for a
//! whole. Threads without a flag, such as those of the command, never unwind from here.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// What the embedder catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halted;

/// From now on, work on this thread unwinds once the flag is set.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use shallows::linalg::{Matrix, gram};
/// use shallows::watch::halt::heed;
///
/// // A thread whose flag is set does not finish large work; one whose flag is not set does.
/// let flag = Arc::new(AtomicBool::new(false));
/// let worker = std::thread::spawn(move || {
///     heed(flag);
///     gram(&Matrix::identity(3))
/// });
/// assert!(worker.join().is_ok());
/// ```
pub fn heed(flag: Arc<AtomicBool>) {
    FLAG.with(|own| *own.borrow_mut() = Some(flag));
}

/// Unwind if nobody waits any more.
pub(crate) fn unwind_if_halted() {
    let is_over = FLAG.with(|own| own.borrow().as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)));
    if is_over {
        resume_unwind(Box::new(Halted));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::linalg::{Matrix, sum_over_rows};

    /// Sums rows on threads that heed a flag, which is set at some row; how many rows were summed, and what came of it.
    fn halted_at(row: usize) -> (usize, Result<f64, Box<dyn std::any::Any + Send>>) {
        let flag = Arc::new(AtomicBool::new(false));
        let heeded = flag.clone();
        let threads =
            rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(move |_| heed(heeded.clone())).build();
        let seen = std::sync::atomic::AtomicUsize::new(0);
        let block = |sum: &mut f64, rows: std::ops::Range<usize>| {
            flag.fetch_or(rows.contains(&row), Ordering::Relaxed);
            seen.fetch_add(rows.len(), Ordering::Relaxed);
            *sum += rows.len() as f64;
        };
        let work = || sum_over_rows((1_000_000, 1), || 0.0, block, |a, b| *a += b);
        let outcome = catch_unwind(AssertUnwindSafe(|| threads.unwrap().install(work)));
        (seen.into_inner(), outcome)
    }

    #[test]
    fn a_flag_ends_the_work_of_its_threads_and_of_no_others() {
        let (seen, outcome) = halted_at(usize::MAX);
        assert_eq!((seen, outcome.unwrap()), (1_000_000, 1e6));
        let (seen, outcome) = halted_at(0);
        assert!(seen < 1_000_000 && outcome.unwrap_err().is::<Halted>());
        // This thread heeds no flag.
        unwind_if_halted();
        assert_eq!(Matrix::identity(2).times(&Matrix::identity(2)), Matrix::identity(2));
    }
}
