//! NumPy arrays as the library sees them.

use std::sync::Arc;

use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use shallows::data::Column;
use shallows::linalg::Matrix;

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

/// A C-contiguous array as a matrix that is not copied.
pub fn matrix(X: &PyReadonlyArray2<'_, f64>) -> PyResult<Matrix> {
    if !X.is_c_contiguous() {
        return Err(PyValueError::new_err("X must be C-contiguous: np.ascontiguousarray(X) makes it so"));
    }
    let (entries, _array) = (X.as_slice()?, Bound::clone(X).unbind());
    let shared = SharedArray { entries: entries.as_ptr(), length: entries.len(), _array };
    Ok(Matrix::shared(X.shape()[0], X.shape()[1], Arc::new(shared)))
}

/// Whether an array holds a NaN.
#[pyfunction]
pub fn has_gaps(py: Python<'_>, X: PyReadonlyArray2<'_, f64>) -> PyResult<bool> {
    let X = matrix(&X)?;
    Ok(py.detach(|| X.as_slice().iter().any(|x| x.is_nan())))
}

/// The entries of a vector, copied.
pub fn vector(x: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    x.as_array().to_vec()
}

/// The cells of one column of a frame.
#[derive(FromPyObject)]
pub enum ColumnCells<'py> {
    /// NaN is a gap.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// None is a gap.
    Texts(Vec<Option<String>>),
}

impl ColumnCells<'_> {
    pub fn column(&self) -> Column {
        match self {
            ColumnCells::Numbers(numbers) => Column::of_numbers(vector(numbers)),
            ColumnCells::Texts(texts) => Column::of_texts(texts.iter().map(Option::as_deref)),
        }
    }
}
