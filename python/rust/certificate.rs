//! `certify` and `verify`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyType};
use serde::Deserialize;
use shallows::certificate::{Certificate, Theorem, Verdict, theorem_named};
use shallows::error::Result;
use shallows::job::certificates::CertificateOutcome;
use shallows::job::certify::CertifyJob;
use shallows::job::given::{GivenCertificate, GivenModel};
use shallows::job::verify::VerifyJob;
use shallows::network::Signs;

use crate::documents::{dictionary, settings_of};
use crate::failure::exception;
use crate::model::ModelOrPath;
use crate::run::{InterruptManner, run};
use crate::samples::{GivenSamples, RowsWithRoles};

/// Certificates for one network on one set of rows, as the files of the command hold them.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct CertificateFile {
    outcome: CertificateOutcome,
}

impl CertificateFile {
    pub fn of(certificate: Certificate) -> Self {
        CertificateFile { outcome: CertificateOutcome::new(certificate, None) }
    }
}

#[pymethods]
impl CertificateFile {
    /// Read a file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let outcome = |certificate| CertificateOutcome::new(certificate, Some(path.clone()));
        Certificate::load(&path).map(|certificate| CertificateFile { outcome: outcome(certificate) }).map_err(exception)
    }

    /// Read the text of a file.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        Certificate::from_json(text.as_bytes()).map(CertificateFile::of).map_err(exception)
    }

    /// The text of the file.
    fn to_json(&self) -> PyResult<String> {
        self.outcome.certificate.to_json().map_err(exception)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<CertificateFile>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Write the file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.outcome.certificate.save(path).map_err(exception)
    }

    /// What the command prints with `--json`.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        dictionary(py, &self.outcome.document())
    }

    /// One sentence for each certificate.
    fn statements(&self) -> Vec<String> {
        self.outcome.certificate.statements()
    }

    /// The worst verdict of its certificates.
    fn verdict(&self) -> String {
        self.outcome.verdict.to_string()
    }

    /// Whether the network is proved to be within the tolerance of the best one.
    fn is_optimal(&self) -> bool {
        let holds = |theorem| self.outcome.certificate.verdict_of(theorem) == Some(Verdict::Holds);
        holds(Theorem::GlobalOptimum) || holds(Theorem::WideOptimum)
    }

    /// What no network of the class can get below.
    fn lower_bound(&self) -> Option<f64> {
        self.outcome.certificate.lower_bound()
    }

    /// How far the network is from that at most.
    fn gap(&self) -> Option<f64> {
        self.outcome.gap()
    }

    /// The same as a share of its objective.
    fn relative_gap(&self) -> Option<f64> {
        self.outcome.certificate.relative_gap()
    }

    /// The relative gap up to which the network counts as optimal.
    fn tolerance(&self) -> Option<f64> {
        self.outcome.certificate.tolerance()
    }

    /// What is worth knowing about the rows.
    fn remark(&self) -> Option<String> {
        self.outcome.remark.clone()
    }
}

/// What the options of the command say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CertifySettings {
    signs: Signs,
    decay: f64,
    linear: bool,
    intercept: bool,
    tolerance: f64,
    theorems: Vec<String>,
}

impl CertifySettings {
    fn job(&self, model: GivenModel, RowsWithRoles { rows, target, weight, .. }: RowsWithRoles) -> Result<CertifyJob> {
        let CertifySettings { signs, decay, linear, intercept, tolerance, .. } = *self;
        let theorems = self.theorems.iter().map(|id| theorem_named(id)).collect::<Result<Vec<Theorem>>>()?;
        let certificate = None;
        Ok(CertifyJob {
            model,
            rows,
            target,
            weight,
            signs,
            decay,
            linear,
            intercept,
            tolerance,
            theorems,
            certificate,
        })
    }
}

/// Prove what can be proved about a network.
#[pyfunction]
pub fn certify(
    py: Python<'_>,
    model: ModelOrPath<'_>,
    samples: GivenSamples<'_>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<CertificateFile> {
    let settings: CertifySettings = settings_of(settings)?;
    let (model, samples) = (model.given(), samples.samples()?);
    let outcome = run(py, InterruptManner::Sudden, None, |watch| settings.job(model, samples)?.run(watch))?;
    Ok(CertificateFile { outcome })
}

/// Judge every claim of a certificate.
#[pyfunction]
pub fn verify(
    py: Python<'_>,
    certificate: CertificateOrPath<'_>,
    samples: Option<GivenSamples<'_>>,
    model: Option<ModelOrPath<'_>>,
) -> PyResult<CertificateFile> {
    let samples = samples.map(GivenSamples::samples).transpose()?;
    let (rows, target, weight) = match samples {
        Some(RowsWithRoles { rows, target, weight, .. }) => (Some(rows), target, weight),
        None => (None, None, None),
    };
    let (certificate, model) = (certificate.given(), model.map(ModelOrPath::given));
    let job = VerifyJob { certificate, rows, target, weight, model };
    let outcome = run(py, InterruptManner::Sudden, None, |watch| job.run(watch))?;
    Ok(CertificateFile { outcome })
}

/// A certificate in memory or in a file.
#[derive(FromPyObject)]
pub enum CertificateOrPath<'py> {
    Memory(Bound<'py, CertificateFile>),
    File(PathBuf),
}

impl CertificateOrPath<'_> {
    fn given(self) -> GivenCertificate {
        match self {
            CertificateOrPath::Memory(file) => {
                GivenCertificate::Memory(Box::new(file.get().outcome.certificate.clone()))
            }
            CertificateOrPath::File(path) => path.into(),
        }
    }
}
