//! A model: the network, the recipe for its inputs, and what its intervals rest on.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyType};
use shallows::activation::Activation;
use shallows::data::Table;
use shallows::error::{Error, Result};
use shallows::file::write_atomically;
use shallows::linalg::Matrix;
use shallows::model::check_predictions;
use shallows::model::onnx::{GraphPrecision, onnx};
use shallows::network::Network;

use crate::arrays::{self, Cells, SharedArray, named, rows, vector};
use crate::documents::dictionary;
use crate::failure::exception;
use crate::run::{Ending, run};

/// A fitted network as the files of the command hold it.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct Model {
    model: shallows::model::Model,
}

/// Predictions, and what was remarkable about the inputs.
type Predictions<'py> = (Bound<'py, PyArray1<f64>>, Vec<String>);
/// Lower and upper ends, and what was remarkable about the inputs.
type Ends<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Vec<String>);

impl Model {
    pub fn of(model: shallows::model::Model) -> Self {
        Model { model }
    }

    pub fn inner(&self) -> &shallows::model::Model {
        &self.model
    }

    /// What `f` makes of the inputs in the rows of an array, which is copied only where the inputs are not its columns; and
    /// what was remarkable about them.
    fn with_inputs<R>(
        &self,
        entries: &Arc<SharedArray>,
        columns: usize,
        f: impl FnOnce(&Matrix) -> Result<R>,
    ) -> Result<(R, Vec<String>)> {
        let recipe = &self.model.recipe;
        let (expected, n) = (recipe.columns().len(), entries.len() / columns.max(1));
        if expected != columns {
            return Err(Error::InputCount { path: arrays::INPUTS.into(), expected, found: columns });
        }
        match recipe.positions().filter(|_| entries.iter().all(|x| x.is_finite())) {
            Some(positions) if positions.len() == columns => {
                Ok((f(&Matrix::shared(n, columns, entries.clone()))?, vec![]))
            }
            Some(positions) => {
                let entry = |i: usize, j: usize| entries[i * columns + positions[j]];
                Ok((f(&Matrix::from_fn(n, positions.len(), entry))?, vec![]))
            }
            None => self.with_table(&arrays::unnamed(entries, columns)?, f),
        }
    }

    /// The same of the rows of a table.
    fn with_table<R>(&self, table: &Table, f: impl FnOnce(&Matrix) -> Result<R>) -> Result<(R, Vec<String>)> {
        let inputs = self.model.recipe.inputs(table)?;
        Ok((f(&inputs.X)?, inputs.remarks))
    }

    fn predictions(&self, X: &Matrix) -> Result<Vec<f64>> {
        let predictions = self.model.predict(X)?;
        check_predictions(&predictions)?;
        Ok(predictions)
    }

    /// Intervals, ends apart.
    fn ends(&self, X: &Matrix, level: f64) -> Result<(Vec<f64>, Vec<f64>)> {
        Ok(self.model.finite_intervals(X, level)?.into_iter().unzip())
    }
}

#[pymethods]
impl Model {
    /// Read a file.
    #[classmethod]
    #[pyo3(signature = (path, activation=None))]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf, activation: Option<&str>) -> PyResult<Self> {
        let activation: Option<Activation> = activation.map(str::parse).transpose().map_err(exception)?;
        shallows::model::Model::load_with(path, activation).map(Model::of).map_err(exception)
    }

    /// Read a file; one from elsewhere that does not say which activation it has is taken for a quadratic network.
    #[classmethod]
    fn load_quadratic(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        shallows::model::Model::load_quadratic(path).map(Model::of).map_err(exception)
    }

    /// Read the bytes of a file.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> PyResult<Self> {
        shallows::model::Model::from_bytes(bytes).map(Model::of).map_err(exception)
    }

    /// From weights.
    #[classmethod]
    #[allow(clippy::too_many_arguments)]
    fn from_weights(
        _class: &Bound<'_, PyType>,
        activation: &str,
        W: PyReadonlyArray2<'_, f64>,
        v: PyReadonlyArray1<'_, f64>,
        bias: Option<PyReadonlyArray1<'_, f64>>,
        intercept: Option<f64>,
        linear: Option<PyReadonlyArray1<'_, f64>>,
        names: Vec<String>,
        target: String,
    ) -> PyResult<Self> {
        let (entries, d) = rows(&W)?;
        let k = entries.len() / d.max(1);
        let network = Network {
            activation: activation.parse().map_err(exception)?,
            W: Matrix::from_vec(k, d, entries.to_vec()),
            v: vector(&v),
            bias: bias.as_ref().map(vector),
            intercept,
            linear: linear.as_ref().map(vector),
        };
        shallows::model::Model::new(network, names, target, 0).map(Model::of).map_err(exception)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(exception)?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Write the file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(path)).map_err(exception)
    }

    /// The bytes of an ONNX file.
    fn to_onnx<'py>(&self, py: Python<'py>, single: bool) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &onnx(&self.model, precision(single)).map_err(exception)?))
    }

    /// Write an ONNX file.
    fn save_onnx(&self, path: PathBuf, single: bool) -> PyResult<()> {
        let bytes = onnx(&self.model, precision(single)).map_err(exception)?;
        write_atomically(&path, |file| file.write_all(&bytes)).map_err(exception)
    }

    /// The whole model as dictionaries, lists and numbers.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.model.to_json())
    }

    /// What becomes of the columns, in a line.
    #[getter]
    fn summary(&self) -> String {
        self.model.recipe.summary()
    }

    /// The columns of a table that it knows.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.model.recipe.columns().iter().map(|step| step.name.clone()).collect()
    }

    /// The inputs that these become.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.model.inputs()
    }

    /// What is predicted.
    #[getter]
    fn target(&self) -> &str {
        &self.model.target
    }

    /// The number of hidden units.
    #[getter]
    fn width(&self) -> usize {
        self.model.network.width()
    }

    /// The activations, in the order of the groups of units.
    #[getter]
    fn activations(&self) -> Vec<String> {
        self.model.network.activations().map(Activation::to_string).collect()
    }

    /// Predictions for the rows of an array.
    fn predict<'py>(&self, py: Python<'py>, X: PyReadonlyArray2<'py, f64>) -> PyResult<Predictions<'py>> {
        let (entries, columns) = rows(&X)?;
        let work = || self.with_inputs(&entries, columns, |X| self.predictions(X));
        let (predictions, remarks) = run(py, Ending::Sudden, None, |_, _| work())?;
        Ok((PyArray1::from_vec(py, predictions), remarks))
    }

    /// Predictions for the rows of a frame, whose columns are found by name.
    fn predict_table<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<Cells<'py>>,
        names: Vec<String>,
        count: usize,
    ) -> PyResult<Predictions<'py>> {
        let table = named(names, columns.iter().map(Cells::column).collect(), count)?;
        let work = || self.with_table(&table, |X| self.predictions(X));
        let (predictions, remarks) = run(py, Ending::Sudden, None, |_, _| work())?;
        Ok((PyArray1::from_vec(py, predictions), remarks))
    }

    /// Intervals for the rows of an array.
    fn intervals<'py>(&self, py: Python<'py>, X: PyReadonlyArray2<'py, f64>, level: f64) -> PyResult<Ends<'py>> {
        let (entries, columns) = rows(&X)?;
        let work = || self.with_inputs(&entries, columns, |X| self.ends(X, level));
        let ((lower, upper), remarks) = run(py, Ending::Sudden, None, |_, _| work())?;
        Ok((PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper), remarks))
    }

    /// Intervals for the rows of a frame.
    fn intervals_table<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<Cells<'py>>,
        names: Vec<String>,
        count: usize,
        level: f64,
    ) -> PyResult<Ends<'py>> {
        let table = named(names, columns.iter().map(Cells::column).collect(), count)?;
        let work = || self.with_table(&table, |X| self.ends(X, level));
        let ((lower, upper), remarks) = run(py, Ending::Sudden, None, |_, _| work())?;
        Ok((PyArray1::from_vec(py, lower), PyArray1::from_vec(py, upper), remarks))
    }

    /// How intervals of a level are made and what is proved of them: a sentence and a probability.
    fn interval_statement(&self, level: f64) -> PyResult<(String, f64)> {
        let calibration = self.model.calibration().map_err(exception)?;
        Ok((calibration.statement(level), calibration.guarantee(level)))
    }
}

fn precision(single: bool) -> GraphPrecision {
    if single { GraphPrecision::F32 } else { GraphPrecision::F64 }
}
