//! The type: a row-major matrix whose entries it owns, or shares with somebody.

use std::fmt;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use super::{Destination, View, dot, for_row_blocks, multiply};

/// Numbers that belong to somebody else, such as an array of another language, and live as long as they are read.
pub(crate) type SharedEntries = Arc<dyn AsRef<[f64]> + Send + Sync>;

/// A row-major matrix of f64.
///
/// ```
/// use shallows::linalg::Matrix;
///
/// let A = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!((A.rows(), A.cols(), A[(1, 0)]), (2, 2, 3.0));
/// assert_eq!(A.times_vector(&[1.0, 1.0]), [3.0, 7.0]);
/// assert_eq!(A.transposed().row(0), [1.0, 3.0]);
/// ```
#[derive(Clone)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    entries: Entries,
}

/// Where the entries are.
#[derive(Clone)]
enum Entries {
    Owned(Vec<f64>),
    Shared(SharedEntries),
}

impl Entries {
    #[inline]
    fn as_slice(&self) -> &[f64] {
        match self {
            Entries::Owned(entries) => entries,
            Entries::Shared(entries) => (**entries).as_ref(),
        }
    }

    /// Writable; what is shared is copied first.
    #[inline]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        if let Entries::Shared(shared) = self {
            *self = Entries::Owned((**shared).as_ref().to_vec());
        }
        match self {
            Entries::Owned(entries) => entries,
            // Not reached: they are owned by now.
            Entries::Shared(_) => &mut [],
        }
    }

    fn into_vec(self) -> Vec<f64> {
        match self {
            Entries::Owned(entries) => entries,
            Entries::Shared(entries) => (*entries).as_ref().to_vec(),
        }
    }
}

impl PartialEq for Matrix {
    fn eq(&self, other: &Matrix) -> bool {
        (self.rows, self.cols) == (other.rows, other.cols) && self.as_slice() == other.as_slice()
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matrix { rows, cols, .. } = self;
        f.debug_struct("Matrix").field("rows", rows).field("cols", cols).field("entries", &self.as_slice()).finish()
    }
}

impl Matrix {
    /// The rows×cols matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix::from_vec(rows, cols, vec![0.0; rows * cols])
    }

    /// A matrix whose entries belong to somebody else and are read where they are, row after row, not copied. Whoever
    /// writes to such a matrix, or takes its entries out, gets a copy of them.
    ///
    /// # Panics
    /// If there are not rows·cols entries.
    pub fn shared(rows: usize, cols: usize, entries: SharedEntries) -> Self {
        assert_eq!((*entries).as_ref().len(), rows * cols, "a {rows}×{cols} matrix");
        Matrix { rows, cols, entries: Entries::Shared(entries) }
    }

    /// The identity of size n.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    /// The matrix with the given entries.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut entries = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            entries.extend((0..cols).map(|j| entry(i, j)));
        }
        Matrix { rows, cols, entries: Entries::Owned(entries) }
    }

    /// The matrix whose rows `fill` writes, in parallel.
    pub fn from_row_fn(rows: usize, cols: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let mut matrix = Matrix::zeros(rows, cols);
        for_row_blocks(matrix.as_mut_slice(), cols, |range, out| {
            out.chunks_exact_mut(cols.max(1)).zip(range).for_each(|(row, i)| fill(i, row));
        });
        matrix
    }

    /// A matrix from its entries, row after row.
    ///
    /// # Panics
    /// If there are not rows·cols entries.
    pub fn from_vec(rows: usize, cols: usize, entries: Vec<f64>) -> Self {
        assert_eq!(entries.len(), rows * cols, "a {rows}×{cols} matrix");
        Matrix { rows, cols, entries: Entries::Owned(entries) }
    }

    /// A matrix from its rows, which must be of one length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Self {
        let cols = rows.first().map_or(0, |row| row.as_ref().len());
        let entries: Vec<f64> = rows.iter().flat_map(|row| row.as_ref()).copied().collect();
        Self::from_vec(rows.len(), cols, entries)
    }

    /// The number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row i.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries.as_slice()[i * self.cols..][..self.cols]
    }

    /// Row i, writable.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries.as_mut_slice()[i * self.cols..][..self.cols]
    }

    /// Column j, copied.
    pub fn column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    /// All entries, row after row.
    pub fn as_slice(&self) -> &[f64] {
        self.entries.as_slice()
    }

    /// All entries, row after row, writable.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        self.entries.as_mut_slice()
    }

    /// The entries, row after row, taken out.
    pub fn into_vec(self) -> Vec<f64> {
        self.entries.into_vec()
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// The rows with these numbers, in this order.
    pub fn select_rows(&self, which: &[usize]) -> Self {
        let entries = which.iter().flat_map(|&i| self.row(i)).copied().collect();
        Matrix::from_vec(which.len(), self.cols, entries)
    }

    /// The whole matrix, to multiply with.
    pub(crate) fn view(&self) -> View<'_> {
        View::new(self.entries.as_slice(), self.rows, self.cols)
    }

    /// Some consecutive rows, to multiply with.
    pub(crate) fn view_rows(&self, range: Range<usize>) -> View<'_> {
        View::new(&self.entries.as_slice()[range.start * self.cols..range.end * self.cols], range.len(), self.cols)
    }

    /// The product self · other.
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(self.rows, other.cols);
        multiply(out.as_mut_slice(), self.view(), other.view(), Destination::Replace);
        out
    }

    /// The product self · x.
    pub fn times_vector(&self, x: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| dot(self.row(i), x)).collect()
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;
    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        debug_assert!(j < self.cols);
        &self.entries.as_slice()[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        debug_assert!(j < self.cols);
        let at = i * self.cols + j;
        &mut self.entries.as_mut_slice()[at]
    }
}
