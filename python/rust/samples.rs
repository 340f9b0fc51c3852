//! Samples from Python: an array that is not copied, the columns of a frame, or a file.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use shallows::data::Roles;
use shallows::job::given::{GivenRows, MemoryInputs, MemoryRows};

use crate::arrays::{Cells, matrix, vector};

/// Where the inputs are.
#[derive(FromPyObject)]
pub enum Inputs<'py> {
    /// Without gaps or with NaN for them.
    Array(PyReadonlyArray2<'py, f64>),
    /// Of a frame.
    Columns(Vec<Cells<'py>>),
    /// With the target and everything else.
    File(PathBuf),
}

/// What the package calls samples: an object with these attributes.
#[derive(FromPyObject)]
pub struct Given<'py> {
    #[pyo3(attribute("X"))]
    inputs: Inputs<'py>,
    names: Vec<String>,
    count: usize,
    y: Option<PyReadonlyArray1<'py, f64>>,
    target: Option<String>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    weight: Option<String>,
}

/// The same, as the jobs of the library take it.
pub struct Samples {
    pub rows: GivenRows,
    /// The name of the target.
    pub target: Option<String>,
    /// The name of the weights.
    pub weight: Option<String>,
}

impl Given<'_> {
    pub fn samples(self) -> PyResult<Samples> {
        let inputs = match self.inputs {
            Inputs::File(path) => {
                return Ok(Samples { rows: path.into(), target: self.target, weight: self.weight });
            }
            Inputs::Array(X) => MemoryInputs::Array { X: matrix(&X)?, names: self.names },
            Inputs::Columns(columns) => {
                let columns = columns.iter().map(Cells::column).collect();
                MemoryInputs::Columns { columns, names: self.names, rows: self.count }
            }
        };
        let (y, weights) = (self.y.as_ref().map(vector), self.weights.as_ref().map(vector));
        let rows = GivenRows::Memory(MemoryRows { inputs, y, weights });
        Ok(Samples { rows, target: self.target, weight: self.weight })
    }
}

impl Samples {
    /// What the columns are for.
    pub fn roles(&self, drop: Vec<String>, categorical: Vec<String>) -> Roles {
        Roles { target: self.target.clone(), weight: self.weight.clone(), drop, categorical, ..Roles::default() }
    }
}
