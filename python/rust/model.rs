//! A model: the network, the recipe for its inputs, and what its intervals rest on.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyType};
use shallows::activation::Activation;
use shallows::job::export::{ExportFormat, ExportJob, ExportPrecision};
use shallows::job::given::GivenModel;
use shallows::linalg::Matrix;
use shallows::network::Network;
use shallows::watch::Watch;

use crate::arrays::{matrix, vector};
use crate::documents::dictionary;
use crate::failure::exception;

/// A fitted network as the files of the command hold it.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct Model {
    model: Arc<shallows::model::Model>,
}

/// A model in memory or in a file.
#[derive(FromPyObject)]
pub enum ModelOrPath<'py> {
    Memory(Bound<'py, Model>),
    File(PathBuf),
}

impl ModelOrPath<'_> {
    /// As the jobs of the library take it.
    pub fn given(self) -> GivenModel {
        match self {
            ModelOrPath::Memory(model) => GivenModel::Memory(model.get().model.clone()),
            ModelOrPath::File(path) => path.into(),
        }
    }
}

impl Model {
    pub fn of(model: shallows::model::Model) -> Self {
        Model { model: Arc::new(model) }
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
        let W = matrix(&W)?;
        let network = Network {
            activation: activation.parse().map_err(exception)?,
            W: Matrix::from_vec(W.rows(), W.cols(), W.into_vec()),
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

    /// Write an ONNX file.
    fn save_onnx(&self, path: PathBuf, single: bool) -> PyResult<()> {
        let job = ExportJob {
            model: GivenModel::Memory(self.model.clone()),
            format: Some(ExportFormat::Onnx),
            precision: Some(if single { ExportPrecision::Single } else { ExportPrecision::Double }),
            activation: None,
            width: None,
            seed: None,
            output: Some(path),
        };
        job.run(Watch::silent()).map(drop).map_err(exception)
    }

    /// The whole model as dictionaries, lists and numbers.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.model.to_json())
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

    /// The number of hidden units; `None` for infinitely many.
    #[getter]
    fn width(&self) -> Option<usize> {
        self.model.network.width()
    }

    /// The activations, in the order of the groups of units.
    #[getter]
    fn activations(&self) -> Vec<String> {
        self.model.network.activations()
    }

    /// The activation and the number of units of every group of finitely many.
    #[getter]
    fn groups(&self) -> Vec<(String, usize)> {
        self.model.network.networks().iter().map(|group| (group.activation.to_string(), group.width())).collect()
    }

    /// The laws of the infinitely wide networks.
    #[getter]
    fn laws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.model.laws().into())
    }

    /// How intervals of a level are made and what is proved of them.
    fn interval_statement(&self, level: f64) -> PyResult<String> {
        self.model.interval_statement(level).map_err(exception)
    }
}
