//! Rows dealt into folds: by chance, whole groups of them, or one block of time after the other.
//!
//! | rows | a fold | trained on |
//! |---|---|---|
//! | each for itself | rows by chance | all others |
//! | in groups | whole groups by chance, so that folds are of about one size | the other groups |
//! | in time | a block of time; the first block is never one | all earlier blocks |
//!
//! Where all rows are of one group or time, as in a part of a table, each stands for itself.

use crate::data::dependence::{rows_by_number, time_blocks};
use crate::data::{Data, Dependence};
use crate::random::{Split, Stream};

/// With fewer rows nothing is left out.
pub(super) const FEWEST_ROWS: usize = 12;

/// Fewer folds where there are many rows, and each takes long.
pub(super) fn usual_number(n: usize) -> usize {
    if n < super::auto::FEW_ROWS { 5 } else { 3 }
}

/// Rows that are left out in turn, by the seed alone or by their order in time, never by what is in them.
pub(super) struct Folds {
    /// The rows of each fold.
    left_out: Vec<Vec<usize>>,
    /// The rows of the first block of time, which are never left out; `None` where every fold is judged by all others.
    first: Option<Vec<usize>>,
    n: usize,
}

impl Folds {
    /// Deal the rows into this many folds, or fewer where there are not so many groups or times.
    pub(super) fn deal(data: &Data, folds: usize, seed: u64) -> Self {
        Folds::dependent(data, folds, seed)
            .unwrap_or_else(|| Folds::of_bundles((0..data.n()).map(|i| vec![i]), folds, seed))
    }

    /// Deal rows into this many folds so that copies of a row, target and all, are in one: a row is not left out where a copy of
    /// it stays. Rows with equal inputs and other targets are dealt for themselves, since a new row may have these inputs, too.
    /// So may a row of another group or time be a copy: only these are then dealt.
    pub(super) fn deal_apart(data: &Data, folds: usize, seed: u64) -> Self {
        let copies = || Folds { n: data.n(), ..Folds::of_bundles(data.copies().into_iter(), folds, seed) };
        Folds::dependent(data, folds, seed).unwrap_or_else(copies)
    }

    /// Bundles of rows, one to each fold in turn.
    fn of_bundles(bundles: impl ExactSizeIterator<Item = Vec<usize>>, folds: usize, seed: u64) -> Self {
        let bundles: Vec<Vec<usize>> = bundles.collect();
        let order = Stream::of_split(seed, Split::CrossValidation).permutation(bundles.len());
        let mut left_out = vec![vec![]; folds];
        order.into_iter().enumerate().for_each(|(at, bundle)| left_out[at % folds].extend(&bundles[bundle]));
        Folds { left_out, first: None, n: bundles.len() }
    }

    /// Folds of rows that depend on each other, in two groups or times at least.
    fn dependent(data: &Data, folds: usize, seed: u64) -> Option<Self> {
        let counts = |i: usize| data.weights.as_ref().is_none_or(|weights| weights[i] > 0.0);
        match data.dependence.as_ref()? {
            Dependence::Groups(groups) => Folds::of_groups(groups, counts, folds, seed),
            Dependence::Times(times) => Folds::forward(times, counts, folds),
        }
    }

    /// Whole groups: the largest first, each to the fold that has the fewest rows so far; groups of one size by chance.
    fn of_groups(groups: &[usize], counts: impl Fn(usize) -> bool, folds: usize, seed: u64) -> Option<Self> {
        let members = rows_by_number(groups);
        let size = |group: usize| members[group].iter().filter(|&&i| counts(i)).count();
        let mut order = Stream::of_split(seed, Split::CrossValidation).permutation(members.len());
        order.sort_by_key(|&group| std::cmp::Reverse(size(group)));
        let folds = folds.min(order.iter().filter(|&&group| size(group) > 0).count());
        if folds < 2 {
            return None;
        }
        let (mut left_out, mut sizes) = (vec![vec![]; folds], vec![0; folds]);
        for group in order {
            let smallest = (0..folds).min_by_key(|&fold| sizes[fold])?;
            sizes[smallest] += size(group);
            left_out[smallest].extend(&members[group]);
        }
        Some(Folds { left_out, first: None, n: groups.len() })
    }

    /// Blocks of time, one more than folds.
    fn forward(times: &[usize], counts: impl Fn(usize) -> bool, folds: usize) -> Option<Self> {
        let blocks = time_blocks(times, counts, folds + 1);
        let mut rows = vec![vec![]; blocks.iter().max().map_or(0, |last| last + 1)];
        blocks.iter().enumerate().for_each(|(i, &block)| rows[block].push(i));
        if rows.len() < 2 {
            return None;
        }
        let first = Some(rows.remove(0));
        Some(Folds { left_out: rows, first, n: times.len() })
    }

    /// Whether every row is left out once, and all others of other folds teach what is said about it.
    pub(super) fn are_exchangeable(&self) -> bool {
        self.first.is_none()
    }

    /// The fold of every row; the first, where it is never left out.
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

    /// The rows to train on where a fold is left out: those of all other folds, or of all earlier ones.
    pub(super) fn others(&self, fold: usize) -> Vec<usize> {
        let last = if self.first.is_some() { fold } else { self.len() };
        let others = (0..last).filter(|other| *other != fold);
        let first = self.first.iter().flatten().copied();
        first.chain(others.flat_map(|other| self.left_out[other].iter().copied())).collect()
    }

    /// The rows to train on and the rows of the fold, for each fold.
    pub(super) fn parts(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        (0..self.len()).map(|fold| (self.others(fold), self.left_out[fold].clone())).collect()
    }

    /// The rows that are left out once, in the order of the table.
    pub(super) fn judged(&self) -> Vec<usize> {
        let mut is_judged = vec![false; self.n];
        self.left_out.iter().flatten().for_each(|&row| is_judged[row] = true);
        (0..self.n).filter(|&row| is_judged[row]).collect()
    }

    /// ω of the rows that are left out once, which sums to 1 over them.
    pub(super) fn judged_omega(&self, data: &Data) -> Vec<f64> {
        match self.first {
            None => data.omega(),
            Some(_) => data.select(&self.judged()).omega(),
        }
    }

    /// One number per row that is left out once, in the order of the table, from one list per fold.
    pub(super) fn gathered(&self, by_fold: &[Vec<f64>]) -> Vec<f64> {
        let mut all = vec![0.0; self.n];
        for (rows, values) in self.left_out.iter().zip(by_fold) {
            rows.iter().zip(values).for_each(|(&row, value)| all[row] = *value);
        }
        self.judged().into_iter().map(|row| all[row]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Matrix;

    fn data(dependence: Dependence) -> Data {
        let n = dependence.numbers().len();
        let X = Matrix::from_fn(n, 1, |i, _| (i % 7) as f64);
        let y = (0..n).map(|i| (i % 3) as f64).collect();
        Data::builder(X, y).dependence(Some(dependence)).build().unwrap()
    }

    fn dealt(data: &Data, folds: usize) -> [Folds; 2] {
        [Folds::deal(data, folds, 3), Folds::deal_apart(data, folds, 3)]
    }

    #[test]
    fn no_group_is_on_both_sides_of_a_fold_and_every_row_is_left_out_once() {
        // Groups of very different sizes.
        let groups: Vec<usize> = (0..200).map(|i| ((i * i) % 97) % 23).collect();
        let data = data(Dependence::Groups(groups.clone()));
        for folds in dealt(&data, 5) {
            assert_eq!((folds.len(), folds.judged().len()), (5, 200));
            for (kept, left) in folds.parts() {
                assert_eq!(kept.len() + left.len(), 200);
                assert!(left.iter().all(|&i| kept.iter().all(|&j| groups[i] != groups[j])));
                assert!((20..=60).contains(&left.len()), "{}", left.len());
            }
        }
    }

    #[test]
    fn fewer_groups_are_fewer_folds_and_one_group_is_none() {
        let of = |groups: Vec<usize>| dealt(&data(Dependence::Groups(groups)), 5).map(|folds| folds.len());
        assert_eq!(of((0..30).map(|i| i % 3).collect()), [3, 3]);
        assert_eq!(of(vec![4; 30]), [5, 5]);
    }

    #[test]
    fn no_fold_is_judged_by_rows_of_its_time_or_later() {
        let times: Vec<usize> = (0..100).map(|i| (i * 37) % 40).collect();
        let data = data(Dependence::Times(times.clone()));
        for folds in dealt(&data, 4) {
            assert_eq!(folds.len(), 4);
            for (kept, left) in folds.parts() {
                assert!(!kept.is_empty() && left.iter().all(|&i| kept.iter().all(|&j| times[j] < times[i])));
            }
            let judged = folds.judged();
            assert!((70..=90).contains(&judged.len()));
            let by_fold: Vec<Vec<f64>> =
                folds.parts().iter().map(|(_, left)| left.iter().map(|&i| i as f64).collect()).collect();
            assert_eq!(folds.gathered(&by_fold), judged.iter().map(|&i| i as f64).collect::<Vec<_>>());
            assert!((folds.judged_omega(&data).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_group_without_weight_is_no_fold_of_its_own() {
        let weights = (0..30).map(|i| f64::from(u8::from(i % 3 != 0))).collect();
        let data = Data { weights: Some(weights), ..data(Dependence::Groups((0..30).map(|i| i % 3).collect())) };
        for folds in dealt(&data, 5) {
            assert_eq!((folds.len(), folds.judged().len()), (2, 30));
            assert!(folds.parts().iter().all(|(_, left)| data.select(left).omega().iter().all(|w| w.is_finite())));
        }
    }
}
