//! Loops over rows that the threads share. The partition depends on the sizes alone, so that sums are taken in the same order,
//! and results have the same bits, on any number of threads.

use std::ops::Range;

use super::Matrix;
use super::tasks::{Slots, for_each_part, map_tasks};
use crate::watch::halt::unwind_if_halted;

/// Rows handled together: a block of 256×100 doubles stays in the second-level cache.
pub(crate) const BLOCK_ROWS: usize = 256;
/// At most this many partial sums exist at a time, and fewer when they are large; it follows from the sizes alone,
/// so that sums do not depend on threads.
const MOST_TASKS: usize = 64;
/// The partial sums together hold at most this many numbers (256 MiB), unless there are only [`FEWEST_TASKS`].
const MOST_PARTIAL_NUMBERS: usize = 1 << 25;
const FEWEST_TASKS: usize = 8;

/// The blocks of one task, in order.
fn blocks_of(task: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = task.end;
    task.clone().step_by(BLOCK_ROWS).map(move |start| start..end.min(start + BLOCK_ROWS))
}

/// n rows, split into runs of whole blocks, one per partial sum of `length` numbers.
fn tasks(n: usize, length: usize) -> Vec<Range<usize>> {
    let count = (MOST_PARTIAL_NUMBERS / length.max(1)).clamp(FEWEST_TASKS, MOST_TASKS);
    let rows_per_task = n.div_ceil(BLOCK_ROWS).div_ceil(count) * BLOCK_ROWS;
    (0..n).step_by(rows_per_task.max(1)).map(|start| start..n.min(start + rows_per_task)).collect()
}

/// Σ over blocks of rows of what `block` adds to an accumulator, in parallel, in a fixed order.
///
/// Each task starts from `zero()`, an accumulator of about `length` numbers, adds its blocks one after another,
/// and the tasks' results are combined from first to last by `combine`.
pub(crate) fn sum_over_rows<T: Send>(
    (n, length): (usize, usize),
    zero: impl Fn() -> T + Sync,
    block: impl Fn(&mut T, Range<usize>) + Sync,
    combine: impl Fn(&mut T, T),
) -> T {
    let task_sum = |task: &Range<usize>| {
        let mut sum = zero();
        blocks_of(task).for_each(|rows| {
            unwind_if_halted();
            block(&mut sum, rows);
        });
        sum
    };
    let tasks = tasks(n, length);
    let mut partial = map_tasks(tasks.len(), |at| task_sum(&tasks[at])).into_iter();
    let mut total = partial.next().unwrap_or_else(&zero);
    partial.for_each(|next| combine(&mut total, next));
    total
}

/// The same where every row also has a number of its own: `block` gets its rows' part of `out`.
pub(crate) fn sum_over_rows_into<T: Send>(
    out: &mut [f64],
    length: usize,
    zero: impl Fn() -> T + Sync,
    block: impl Fn(&mut T, Range<usize>, &mut [f64]) + Sync,
    combine: impl Fn(&mut T, T),
) -> T {
    let tasks = tasks(out.len(), length);
    let rows_per_task = tasks.first().map_or(1, Range::len);
    let sums = Slots::new(tasks.len());
    for_each_part(out, rows_per_task, &|at, out| {
        let (task, mut sum) = (&tasks[at], zero());
        blocks_of(task).for_each(|rows| {
            unwind_if_halted();
            block(&mut sum, rows.clone(), &mut out[rows.start - task.start..rows.end - task.start]);
        });
        sums.put(at, sum);
    });
    let mut partial = sums.into_values().into_iter();
    let mut total = partial.next().unwrap_or_else(&zero);
    partial.for_each(|next| combine(&mut total, next));
    total
}

/// Run `block` on blocks of rows in parallel; each gets its rows of `out`, which has `width` entries a row.
pub(crate) fn for_row_blocks(out: &mut [f64], width: usize, block: impl Fn(Range<usize>, &mut [f64]) + Sync) {
    for_each_part(out, BLOCK_ROWS * width, &|at, chunk| {
        unwind_if_halted();
        let start = at * BLOCK_ROWS;
        block(start..start + chunk.len() / width.max(1), chunk);
    });
}

/// value(0), …, value(n − 1), computed in parallel.
pub(crate) fn values_of_rows(n: usize, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    Matrix::from_row_fn(n, 1, |i, out| out[0] = value(i)).into_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::gram;
    use crate::random::{Purpose, Stream};

    #[test]
    fn sums_over_rows_have_the_same_bits_on_any_number_of_threads() {
        let fill = |i: usize, row: &mut [f64]| Stream::new(3, Purpose::Inputs, i as u64).fill_normal(row);
        let A = Matrix::from_row_fn(20_000, 7, fill);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| gram(&A))
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(5));
    }

    #[test]
    fn row_blocks_cover_every_row_once() {
        for n in [0, 1, 255, 256, 257, 1000] {
            let mut out = vec![0.0; n * 3];
            for_row_blocks(&mut out, 3, |rows, chunk| {
                rows.enumerate().for_each(|(at, i)| chunk[at * 3..][..3].fill(i as f64 + 1.0));
            });
            assert!(out.iter().enumerate().all(|(at, x)| *x == (at / 3) as f64 + 1.0));
        }
    }
}
