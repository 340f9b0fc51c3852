//! Rows dealt into folds.

use crate::random::{Purpose, Stream};

/// A partition of the rows by the seed alone, never by what is in them.
pub(super) struct Folds {
    /// The rows of each fold.
    left: Vec<Vec<usize>>,
    n: usize,
}

impl Folds {
    /// Deal n rows into this many folds.
    pub(super) fn deal(n: usize, folds: usize, seed: u64) -> Self {
        const CROSS_VALIDATION: u64 = 2;
        let order = Stream::new(seed, Purpose::Split, CROSS_VALIDATION).permutation(n);
        let fold = |fold: usize| order.iter().copied().skip(fold).step_by(folds).collect();
        Folds { left: (0..folds).map(fold).collect(), n }
    }

    /// The number of folds.
    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    /// The rows of a fold.
    pub(super) fn left(&self, fold: usize) -> &[usize] {
        &self.left[fold]
    }

    /// The rows of all other folds.
    pub(super) fn kept(&self, fold: usize) -> Vec<usize> {
        let others = (0..self.len()).filter(|other| *other != fold);
        others.flat_map(|other| self.left[other].iter().copied()).collect()
    }

    /// One number per row, from one list per fold.
    pub(super) fn gathered(&self, by_fold: &[Vec<f64>]) -> Vec<f64> {
        let mut all = vec![0.0; self.n];
        for (rows, values) in self.left.iter().zip(by_fold) {
            rows.iter().zip(values).for_each(|(&row, value)| all[row] = *value);
        }
        all
    }
}
