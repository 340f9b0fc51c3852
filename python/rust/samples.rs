//! Samples from Python: an array that is not copied, the columns of a frame, or a file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use shallows::data::recipe::WordOrder;
use shallows::data::{DependenceColumn, Roles};
use shallows::error::{Error, Result};
use shallows::job::given::{GivenRows, MemoryInputs, MemoryRows};

use crate::arrays::{ColumnCells, matrix, vector};

/// Where the inputs are.
#[derive(FromPyObject)]
pub enum SampleInputs<'py> {
    /// Without gaps or with NaN for them.
    Array(PyReadonlyArray2<'py, f64>),
    /// Of a frame.
    Columns(Vec<ColumnCells<'py>>),
    /// With the target and everything else.
    File(PathBuf),
}

/// What the package calls samples: an object with these attributes.
#[derive(FromPyObject)]
pub struct GivenSamples<'py> {
    #[pyo3(attribute("X"))]
    inputs: SampleInputs<'py>,
    names: Vec<String>,
    count: usize,
    y: Option<PyReadonlyArray1<'py, f64>>,
    target: Option<String>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    weight: Option<String>,
    groups: Option<String>,
    time: Option<String>,
    apart: Option<ColumnCells<'py>>,
}

/// The same, as the jobs of the library take it.
pub struct RowsWithRoles {
    pub rows: GivenRows,
    /// The name of the target.
    pub target: Option<String>,
    /// The name of the weights.
    pub weight: Option<String>,
    /// Which rows depend on each other.
    pub dependence: Option<DependenceColumn>,
}

impl GivenSamples<'_> {
    pub fn samples(self) -> PyResult<RowsWithRoles> {
        let dependence = self.groups.map(DependenceColumn::Group).or(self.time.map(DependenceColumn::Time));
        let inputs = match self.inputs {
            SampleInputs::File(path) => {
                return Ok(RowsWithRoles { rows: path.into(), target: self.target, weight: self.weight, dependence });
            }
            SampleInputs::Array(X) => MemoryInputs::Array { X: matrix(&X)?, names: self.names },
            SampleInputs::Columns(columns) => {
                let columns = columns.iter().map(ColumnCells::column).collect();
                MemoryInputs::Columns { columns, names: self.names, rows: self.count }
            }
        };
        let (y, weights) = (self.y.as_ref().map(vector), self.weights.as_ref().map(vector));
        let apart = dependence.clone().zip(self.apart.as_ref().map(ColumnCells::column)).map(Box::new);
        let rows = GivenRows::Memory(MemoryRows { inputs, y, weights, dependence: apart });
        Ok(RowsWithRoles { rows, target: self.target, weight: self.weight, dependence })
    }
}

/// Columns of words with their words in order.
pub fn word_orders(ordered: &BTreeMap<String, Vec<String>>) -> Result<Vec<WordOrder>> {
    let order = |(column, words): (&String, &Vec<String>)| WordOrder::new(column.clone(), words).map_err(Error::from);
    ordered.iter().map(order).collect()
}

impl RowsWithRoles {
    /// What the columns are for.
    pub fn roles(&self, drop: Vec<String>, categorical: Vec<String>) -> Roles {
        let (target, weight, dependence) = (self.target.clone(), self.weight.clone(), self.dependence.clone());
        Roles { target, weight, dependence, drop, categorical, ..Roles::default() }
    }
}
