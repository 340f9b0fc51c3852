//! Rows dealt into folds.

use crate::data::Data;
use crate::random::{Split, Stream};

/// With fewer rows nothing is left out.
pub(super) const FEWEST_ROWS: usize = 12;

/// Fewer folds where there are many rows, and each takes long.
pub(super) fn usual_number(n: usize) -> usize {
    if n < super::auto::FEW_ROWS { 5 } else { 3 }
}

/// A partition of the rows by the seed alone, never by what is in them.
pub(super) struct Folds {
    /// The rows of each fold.
    left_out: Vec<Vec<usize>>,
    n: usize,
}

impl Folds {
    /// Deal n rows into this many folds.
    pub(super) fn deal(n: usize, folds: usize, seed: u64) -> Self {
        let order = Stream::of_split(seed, Split::CrossValidation).permutation(n);
        let fold = |fold: usize| order.iter().copied().skip(fold).step_by(folds).collect();
        Folds { left_out: (0..folds).map(fold).collect(), n }
    }

    /// Deal rows into this many folds so that copies of a row, target and all, are in one: a row is not left out where a copy of
    /// it stays. Rows with equal inputs and other targets are dealt for themselves, since a new row may have these inputs, too.
    pub(super) fn deal_apart(data: &Data, folds: usize, seed: u64) -> Self {
        let copies = data.copies();
        let order = Stream::of_split(seed, Split::CrossValidation).permutation(copies.len());
        let mut left_out = vec![vec![]; folds];
        order.into_iter().enumerate().for_each(|(at, sample)| left_out[at % folds].extend(&copies[sample]));
        Folds { left_out, n: data.n() }
    }

    /// The fold of every row.
    pub(super) fn by_row(&self) -> Vec<usize> {
        let mut folds = vec![0; self.n];
        for (fold, rows) in self.left_out.iter().enumerate() {
            rows.iter().for_each(|&row| folds[row] = fold);
        }
        folds
    }

    /// The number of folds.
    pub(super) fn len(&self) -> usize {
        self.left_out.len()
    }

    /// The rows of a fold.
    pub(super) fn left_out(&self, fold: usize) -> &[usize] {
        &self.left_out[fold]
    }

    /// The rows of all other folds.
    pub(super) fn others(&self, fold: usize) -> Vec<usize> {
        let others = (0..self.len()).filter(|other| *other != fold);
        others.flat_map(|other| self.left_out[other].iter().copied()).collect()
    }

    /// One number per row, from one list per fold.
    pub(super) fn gathered(&self, by_fold: &[Vec<f64>]) -> Vec<f64> {
        let mut all = vec![0.0; self.n];
        for (rows, values) in self.left_out.iter().zip(by_fold) {
            rows.iter().zip(values).for_each(|(&row, value)| all[row] = *value);
        }
        all
    }
}
