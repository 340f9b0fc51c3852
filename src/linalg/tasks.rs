//! Independent tasks that the threads share. Results come back in the order of the tasks, whoever ran them.
//!
//! Everything that is not small goes through these functions. What they hand to the pool has no type parameters, so that
//! the machinery of a parallel loop is compiled once and not for every closure.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::Result;

/// Run task(0), …, task(count − 1). A thread takes one at a time, since their costs may differ by orders of magnitude.
fn for_each_task(count: usize, task: &(dyn Fn(usize) + Sync)) {
    if count == 1 {
        return task(0);
    }
    (0..count).into_par_iter().with_max_len(1).for_each(task);
}

/// Run `task` on the parts of `out`, of `size` entries each but the last, given their numbers.
pub(crate) fn for_each_part(out: &mut [f64], size: usize, task: &(dyn Fn(usize, &mut [f64]) + Sync)) {
    out.par_chunks_mut(size.max(1)).enumerate().for_each(|(at, part)| task(at, part));
}

/// task(0), …, task(count − 1).
pub(crate) fn map_tasks<T: Send>(count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let slots = Slots::new(count);
    for_each_task(count, &|at| slots.put(at, task(at)));
    slots.into_values()
}

/// The same, started in this order: what comes first is most likely done when time runs out.
pub(crate) fn map_in_order<T: Send>(count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (slots, next) = (Slots::new(count), AtomicUsize::new(0));
    for_each_task(rayon::current_num_threads().min(count), &|_| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                break;
            }
            slots.put(at, task(at));
        }
    });
    slots.into_values()
}

/// task(0), …, task(count − 1), or the error of the first that fails; those after it need not be run.
pub(crate) fn try_map_tasks<T: Send>(count: usize, task: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let (slots, first_failure) = (Slots::new(count), AtomicUsize::new(usize::MAX));
    for_each_task(count, &|at| {
        if at > first_failure.load(Ordering::Relaxed) {
            return;
        }
        let result = task(at);
        if result.is_err() {
            first_failure.fetch_min(at, Ordering::Relaxed);
        }
        slots.put(at, result);
    });
    slots.into_values().into_iter().collect()
}

/// A place for the result of every task.
pub(super) struct Slots<T>(Vec<Mutex<Option<T>>>);

impl<T> Slots<T> {
    pub(super) fn new(count: usize) -> Self {
        Slots((0..count).map(|_| Mutex::new(None)).collect())
    }

    pub(super) fn put(&self, at: usize, value: T) {
        *self.0[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }

    /// What was put, in order.
    pub(super) fn into_values(self) -> Vec<T> {
        self.0.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_come_in_order_and_the_first_failure_is_told() {
        for count in [0, 1, 2, 1000] {
            let squares: Vec<usize> = (0..count).map(|at| at * at).collect();
            assert_eq!(map_tasks(count, |at| at * at), squares);
            assert_eq!(map_in_order(count, |at| at * at), squares);
        }
        let failing = |at: usize| {
            if at % 7 == 3 { Err(Error::Shape { what: "x", expected: 0, found: at }) } else { Ok(at) }
        };
        assert_eq!(try_map_tasks(3, failing).unwrap(), [0, 1, 2]);
        for _ in 0..50 {
            let told = try_map_tasks(500, failing).unwrap_err();
            assert!(matches!(told, Error::Shape { found: 3, .. }), "{told}");
        }
    }
}
