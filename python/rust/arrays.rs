//! NumPy arrays as the library sees them.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use shallows::data::{Column, Table};

use crate::failure::exception;

/// What errors call the inputs.
pub const INPUTS: &str = "X";

/// The entries of an array, read where they are. The array lives as long as somebody reads them.
pub struct SharedArray {
    entries: *const f64,
    length: usize,
    _array: Py<PyArray2<f64>>,
}

// SAFETY: the entries are only read, and stay where they are as long as the array lives, which this holds. NumPy refuses to
// resize an array that others refer to, and while a function of this package runs, its arguments are borrowed for reading.
#[allow(unsafe_code)]
unsafe impl Send for SharedArray {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for SharedArray {}

impl AsRef<[f64]> for SharedArray {
    #[allow(unsafe_code)]
    fn as_ref(&self) -> &[f64] {
        // SAFETY: pointer and length are those of the slice that NumPy gave for the array held here.
        unsafe { std::slice::from_raw_parts(self.entries, self.length) }
    }
}

impl Deref for SharedArray {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        self.as_ref()
    }
}

/// The entries of a C-contiguous array, row after row, without a copy, and how many columns a row has.
pub fn rows(X: &PyReadonlyArray2<'_, f64>) -> PyResult<(Arc<SharedArray>, usize)> {
    if !X.is_c_contiguous() {
        return Err(PyValueError::new_err("X must be C-contiguous: np.ascontiguousarray(X) makes it so"));
    }
    let (entries, columns) = (X.as_slice()?, X.shape()[1]);
    let _array = Bound::clone(X).unbind();
    Ok((Arc::new(SharedArray { entries: entries.as_ptr(), length: entries.len(), _array }), columns))
}

/// Whether an array holds a NaN.
#[pyfunction]
pub fn has_gaps(py: Python<'_>, X: PyReadonlyArray2<'_, f64>) -> PyResult<bool> {
    let (entries, _) = rows(&X)?;
    Ok(py.detach(|| entries.iter().any(|x| x.is_nan())))
}

/// The entries of a vector, copied.
pub fn vector(x: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    x.as_array().to_vec()
}

/// The cells of one column of a frame.
#[derive(FromPyObject)]
pub enum Cells<'py> {
    /// NaN is a gap.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// None is a gap.
    Texts(Vec<Option<String>>),
}

impl Cells<'_> {
    pub fn column(&self) -> Column {
        match self {
            Cells::Numbers(numbers) => Column::of_numbers(vector(numbers)),
            Cells::Texts(texts) => Column::of_texts(texts.iter().map(Option::as_deref)),
        }
    }
}

/// The columns of an array as a table without names.
pub fn unnamed(entries: &[f64], columns: usize) -> shallows::error::Result<Table> {
    let rows = entries.len() / columns.max(1);
    Table::of_columns(Path::new(INPUTS), None, columns_of(entries, columns), rows)
}

/// The columns of an array.
pub fn columns_of(entries: &[f64], columns: usize) -> Vec<Column> {
    let column = |j: usize| Column::of_numbers(entries.iter().skip(j).step_by(columns).copied().collect());
    (0..columns).map(column).collect()
}

/// The columns of a frame as a table.
pub fn named(names: Vec<String>, columns: Vec<Column>, rows: usize) -> PyResult<Table> {
    Table::of_columns(Path::new(INPUTS), Some(names), columns, rows).map_err(exception)
}
