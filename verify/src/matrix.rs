//! Matrices as rows of numbers, and work on many rows shared by threads.
//!
//! Nothing here depends on how many threads there are: each writes what belongs to its own rows, and sums are taken along
//! trees whose shape depends on the number of rows alone.

use std::ops::{Index, IndexMut, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

/// A matrix, row after row.
///
/// ```
/// use shallows_verify::Matrix;
///
/// let A = Matrix::from_fn(2, 3, |i, j| (10 * i + j) as f64);
/// assert_eq!((A.row(1), A[(0, 2)]), (&[10.0, 11.0, 12.0][..], 2.0));
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, entries: vec![0.0; rows * cols] }
    }

    /// Entry by entry.
    pub fn from_fn(rows: usize, cols: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
        let mut matrix = Matrix::zeros(rows, cols);
        for i in 0..rows {
            for j in 0..cols {
                matrix[(i, j)] = entry(i, j);
            }
        }
        matrix
    }

    /// From entries row after row; `None` when there are not rows × cols of them.
    pub fn from_vec(rows: usize, cols: usize, entries: Vec<f64>) -> Option<Matrix> {
        (rows.checked_mul(cols) == Some(entries.len())).then_some(Matrix { rows, cols, entries })
    }

    /// From rows of equal length, of which there may be none.
    pub fn from_rows(rows: &[Vec<f64>], cols: usize) -> Option<Matrix> {
        let even = rows.iter().all(|row| row.len() == cols);
        even.then(|| Matrix { rows: rows.len(), cols, entries: rows.concat() })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.cols..][..self.cols]
    }

    /// Row i, to be written.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.cols..][..self.cols]
    }

    /// All entries, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.entries
    }

    /// All entries, row after row, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.entries
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.row(i)[j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.row_mut(i)[j]
    }
}

/// Threads that may work at once; 0 for as many as the machine has.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Let at most so many threads work at once; 0 for as many as the machine has.
pub fn use_threads(count: usize) {
    THREADS.store(count, Ordering::Relaxed);
}

fn threads() -> usize {
    /// Asking the system takes longer than a small piece of work.
    static MACHINE: OnceLock<usize> = OnceLock::new();
    match THREADS.load(Ordering::Relaxed) {
        0 => *MACHINE.get_or_init(|| thread::available_parallelism().map_or(1, |count| count.get())),
        count => count,
    }
}

/// Rows of a block of a tree sum.
pub(crate) const BLOCK: usize = 64;
/// Rows that are worth a thread.
const MANY_ROWS: usize = 512;
/// How often a tree is split into parts that threads take.
const SPLITS: usize = 5;

/// Hand tasks out, one after another, to as many threads as can be had; this one works too.
pub(crate) fn share<Task: Send>(tasks: Vec<Task>, work: &(dyn Fn(Task) + Sync)) {
    let threads = threads().min(tasks.len());
    let queue = Mutex::new(tasks.into_iter());
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let run = || {
        while let Some(task) = next() {
            work(task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // A thread that cannot be had is done without.
            let _ = thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
}

/// `width` numbers for each of n rows; `fill` is given some rows and the place for their numbers.
pub fn fill_rows(n: usize, width: usize, fill: &(dyn Fn(Range<usize>, &mut [f64]) + Sync)) -> Vec<f64> {
    let mut out = vec![0.0; n * width];
    if n <= MANY_ROWS || width == 0 {
        fill(0..n, &mut out);
        return out;
    }
    let parts = out.chunks_mut(MANY_ROWS * width).enumerate();
    let tasks = parts.map(|(at, part)| (at * MANY_ROWS..at * MANY_ROWS + part.len() / width, part)).collect();
    share(tasks, &|(rows, part)| fill(rows, part));
    out
}

/// One number for each of n rows.
pub fn values_of_rows(n: usize, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    fill_rows(n, 1, &|rows, out| out.iter_mut().zip(rows).for_each(|(out, i)| *out = value(i)))
}

/// Σ over rows 0..n in blocks of 64, added in a binary tree whose shape depends on n alone.
pub fn tree<T: Send>(n: usize, leaf: &(dyn Fn(Range<usize>) -> T + Sync), add: &(dyn Fn(&mut T, T) + Sync)) -> T {
    let whole: Vec<Range<usize>> = std::iter::once(0..n).collect();
    let parts = (0..SPLITS).fold(whole, |parts, _| parts.into_iter().flat_map(halves).collect());
    let results: Vec<Mutex<Option<T>>> = parts.iter().map(|_| Mutex::new(None)).collect();
    let tasks = parts.into_iter().zip(&results).collect();
    share(tasks, &|(rows, place): (Range<usize>, &Mutex<Option<T>>)| {
        let sum = branch(rows, usize::MAX, &|rows| leaf(rows), add);
        if let Ok(mut place) = place.lock() {
            *place = Some(sum);
        }
    });
    let results = Mutex::new(results.into_iter());
    let next = |rows: Range<usize>| {
        let place = results.lock().ok().and_then(|mut results| results.next());
        place.and_then(|place| place.into_inner().ok().flatten()).unwrap_or_else(|| leaf(rows))
    };
    branch(0..n, SPLITS, &next, add)
}

/// A part of the tree, down to its leaves or to so many splits.
fn branch<T>(rows: Range<usize>, splits: usize, leaf: &dyn Fn(Range<usize>) -> T, add: &dyn Fn(&mut T, T)) -> T {
    let [left, right] = match <[Range<usize>; 2]>::try_from(halves(rows.clone())) {
        Ok(halves) if splits > 0 => halves,
        _ => return leaf(rows),
    };
    let mut sum = branch(left, splits - 1, leaf, add);
    add(&mut sum, branch(right, splits - 1, leaf, add));
    sum
}

/// Two parts of whole blocks; what is no more than a block stays.
fn halves(rows: Range<usize>) -> Vec<Range<usize>> {
    let blocks = rows.len().div_ceil(BLOCK);
    if blocks <= 1 {
        return vec![rows];
    }
    let middle = rows.start + blocks.div_ceil(2) * BLOCK;
    vec![rows.start..middle, middle..rows.end]
}

/// The additions that a term of [`tree`] meets at most.
pub fn tree_roundings(n: usize) -> usize {
    BLOCK + n.div_ceil(BLOCK).max(1).next_power_of_two().trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of texts show the shape of the tree.
    fn shape(n: usize, threads: usize) -> String {
        use_threads(threads);
        tree(n, &|rows| format!("{}", rows.len()), &|left, right| *left = format!("({left} {right})"))
    }

    #[test]
    fn the_shape_of_a_tree_depends_on_the_number_of_rows_alone() {
        assert_eq!(shape(0, 2), "0");
        assert_eq!(shape(200, 2), "((64 64) (64 8))");
        for n in [1, 63, 64, 65, 5000, 12_345] {
            assert_eq!(shape(n, 1), shape(n, 7), "{n}");
            let shape = shape(n, 3);
            let deepest = shape.chars().scan(0, |depth, c| {
                *depth += i32::from(c == '(') - i32::from(c == ')');
                Some(*depth)
            });
            assert!(deepest.max().unwrap_or(0) as usize + BLOCK <= tree_roundings(n), "{n}");
        }
    }

    #[test]
    fn every_row_is_filled_once_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            use_threads(threads);
            let out = values_of_rows(3001, |i| i as f64);
            assert!(out.iter().enumerate().all(|(i, x)| *x == i as f64));
        }
    }
}
