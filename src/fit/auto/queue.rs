//! Work in order, on all threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// f(0), …, f(count − 1), started in this order: what comes first is most likely done when time runs out.
pub(super) fn in_order<T: Send + Sync>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let results: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(count) {
            scope.spawn(|_| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(place) = results.get(at) else { break };
                    let _ = place.set(f(at));
                }
            });
        }
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_is_in_its_place() {
        assert_eq!(in_order(100, |i| i * i), (0..100).map(|i| i * i).collect::<Vec<_>>());
        assert!(in_order(0, |i| i).is_empty());
    }
}
