//! Symmetric tensors of order four, every entry stored once.
//!
//! T_abce does not depend on the order of its indices, so C(d+3, 4) numbers hold all d⁴ of them: those with
//! a ≤ b ≤ c ≤ e, in groups by b. Group b is a row-major block of b + 1 rows (a = 0, …, b) and (d−b)(d−b+1)/2 columns,
//! the pairs (c, e) with b ≤ c ≤ e in lexicographic order. A group is thus one matrix product away from data:
//! Σ_i y_i x_ia x_ib · x_ic x_ie is (weights × rows)ᵀ times (pairs of the tail).
//!
//! With s = the number of orders of (a, b, c, e) that leave it unchanged, the tensor is the sum, over the stored entries
//! t and all 24 orders of their indices, of (t/s) e_a⊗e_b⊗e_c⊗e_e. Every contraction below is written with these
//! weights t/s, and so needs no case for equal indices.

mod basis;
mod contract;

use std::ops::Range;

use crate::linalg::{Destination, Matrix, View, add_scaled, dot, map_tasks, multiply};
use crate::watch::halt::unwind_if_halted;

/// A symmetric tensor of order 4 over R^d.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::SymmetricTensor;
///
/// let T = SymmetricTensor::from_units(&[2.0], &Matrix::from_rows(&[[0.6, 0.8]]));
/// assert!((T.quartic(&[0.6, 0.8]) - 2.0).abs() < 1e-12);
/// // Symmetric: the order of indices does not matter.
/// assert_eq!(T.entry(0, 0, 1, 1), T.entry(1, 0, 1, 0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricTensor {
    d: usize,
    entries: Vec<f64>,
    /// Group b is at `offsets[b]..offsets[b + 1]`.
    offsets: Vec<usize>,
}

/// The number of pairs (c, e) with b ≤ c ≤ e < d.
fn tail(d: usize, b: usize) -> usize {
    (d - b) * (d - b + 1) / 2
}

/// The orders of a ≤ b ≤ c ≤ e that leave it unchanged.
fn stabiliser(a: usize, b: usize, c: usize, e: usize) -> f64 {
    let equal = [a == b, b == c, c == e];
    match equal {
        [true, true, true] => 24.0,
        [true, true, false] | [false, true, true] => 6.0,
        [true, false, true] => 4.0,
        [false, false, false] => 1.0,
        _ => 2.0,
    }
}

impl SymmetricTensor {
    /// The zero tensor over R^d.
    pub fn zeros(d: usize) -> Self {
        let mut offsets = vec![0];
        for b in 0..d {
            offsets.push(offsets[b] + (b + 1) * tail(d, b));
        }
        SymmetricTensor { d, entries: vec![0.0; offsets[d]], offsets }
    }

    /// Σ_i a_i b_i⊗b_i⊗b_i⊗b_i, the b_i being the rows of B.
    pub fn from_units(a: &[f64], B: &Matrix) -> Self {
        let (m, d) = (B.rows(), B.cols());
        let mut tensor = SymmetricTensor::zeros(d);
        for b in 0..d {
            let left = Matrix::from_fn(b + 1, m, |row, i| a[i] * B[(i, row)] * B[(i, b)]);
            let pairs = tail_pairs(B, b);
            multiply(tensor.group_mut(b), left.view(), pairs.view(), Destination::Replace);
        }
        tensor
    }

    /// d
    pub fn dimension(&self) -> usize {
        self.d
    }

    /// The stored entries: C(d+3, 4) of them, group after group.
    pub fn as_slice(&self) -> &[f64] {
        &self.entries
    }

    /// The stored entries, writable.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Group b, row after row.
    pub fn group(&self, b: usize) -> &[f64] {
        &self.entries[self.offsets[b]..self.offsets[b + 1]]
    }

    /// Group b, row after row, writable.
    pub fn group_mut(&mut self, b: usize) -> &mut [f64] {
        &mut self.entries[self.offsets[b]..self.offsets[b + 1]]
    }

    /// The number of columns of group b.
    pub fn tail(&self, b: usize) -> usize {
        tail(self.d, b)
    }

    /// T_ijkl, in any order of the indices.
    pub fn entry(&self, i: usize, j: usize, k: usize, l: usize) -> f64 {
        self.entries[self.place(i, j, k, l)]
    }

    /// Where T_ijkl is stored.
    fn place(&self, i: usize, j: usize, k: usize, l: usize) -> usize {
        let mut sorted = [i, j, k, l];
        sorted.sort_unstable();
        let [a, b, c, e] = sorted;
        self.offsets[b] + a * tail(self.d, b) + pair(self.d - b, c - b, e - b)
    }

    /// ‖T‖_F, over all d⁴ entries.
    pub fn norm(&self) -> f64 {
        self.inner(self).sqrt()
    }

    /// ⟨T, S⟩, over all d⁴ entries.
    ///
    /// # Panics
    /// If the tensors are not of one dimension.
    pub fn inner(&self, other: &SymmetricTensor) -> f64 {
        assert_eq!(self.d, other.d, "tensors of one dimension");
        let mut weighted = Vec::new();
        let group = |b: usize| {
            self.write_weighted(b, &mut weighted);
            24.0 * dot(&weighted, other.group(b))
        };
        (0..self.d).map(group).sum()
    }

    /// T ← T + c·S.
    ///
    /// # Panics
    /// If the tensors are not of one dimension.
    pub fn add_scaled(&mut self, c: f64, other: &SymmetricTensor) {
        assert_eq!(self.d, other.d, "tensors of one dimension");
        add_scaled(&mut self.entries, c, &other.entries);
    }

    /// T ← c·T.
    pub fn scale(&mut self, c: f64) {
        self.entries.iter_mut().for_each(|t| *t *= c);
    }

    /// Group b with every entry divided by its stabiliser.
    fn write_weighted(&self, b: usize, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(self.group(b));
        let width = self.tail(b);
        for (a, row) in out.chunks_exact_mut(width).enumerate() {
            let mut start = 0;
            for c in b..self.d {
                let slice = &mut row[start..start + self.d - c];
                slice[0] /= stabiliser(a, b, c, c);
                let others = stabiliser(a, b, c, self.d);
                if others != 1.0 {
                    slice[1..].iter_mut().for_each(|t| *t /= others);
                }
                start += self.d - c;
            }
        }
    }

    /// The sum over all groups of what `add` adds to `length` zeros, in parallel and in a fixed order.
    fn sum_over_groups(&self, length: usize, add: impl Fn(usize, &[f64], &mut [f64]) + Sync) -> Vec<f64> {
        let task_sum = |task: &Range<usize>| {
            let mut sum = vec![0.0; length];
            let mut weighted = Vec::new();
            for b in task.clone() {
                unwind_if_halted();
                self.write_weighted(b, &mut weighted);
                add(b, &weighted, &mut sum);
            }
            sum
        };
        let tasks = self.tasks();
        let mut partial = map_tasks(tasks.len(), |at| task_sum(&tasks[at])).into_iter();
        let mut total = partial.next().unwrap_or_else(|| vec![0.0; length]);
        partial.for_each(|next| add_scaled(&mut total, 1.0, &next));
        total
    }

    /// Runs of groups with about [`TASK_ENTRIES`] entries or more, at most [`MOST_TASKS`]; they follow from d alone.
    fn tasks(&self) -> Vec<Range<usize>> {
        let share = (self.entries.len() / MOST_TASKS).max(TASK_ENTRIES);
        let mut tasks = Vec::new();
        let mut start = 0;
        for b in 0..self.d {
            if self.offsets[b + 1] - self.offsets[start] >= share || b + 1 == self.d {
                tasks.push(start..b + 1);
                start = b + 1;
            }
        }
        tasks
    }
}

/// Below this many entries (a contraction of some ten microseconds) a second thread costs more than it saves.
const TASK_ENTRIES: usize = 4096;
const MOST_TASKS: usize = 16;

/// The place of the pair (i, j), i ≤ j < n, among all such pairs in lexicographic order.
fn pair(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i + 1) / 2 + j - i
}

/// For every row u of U: the products u_c u_e of the pairs b ≤ c ≤ e, in the order of the columns of group b.
fn tail_pairs(U: &Matrix, b: usize) -> Matrix {
    let d = U.cols();
    let mut products = Matrix::zeros(U.rows(), tail(d, b));
    for j in 0..U.rows() {
        let u = U.row(j);
        let mut rest = products.row_mut(j);
        for c in b..d {
            let (slice, after) = rest.split_at_mut(d - c);
            slice.iter_mut().zip(&u[c..]).for_each(|(product, other)| *product = u[c] * other);
            rest = after;
        }
    }
    products
}

/// A group as a matrix.
fn group_view(group: &[f64], rows: usize) -> View<'_> {
    View::new(group, rows, group.len() / rows.max(1))
}

#[cfg(test)]
mod tests;
