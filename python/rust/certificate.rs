//! `certify` and `verify`.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyType};
use serde::Deserialize;
use shallows::certificate::{Certificate, Theorem};
use shallows::error::Result;
use shallows::job::certificates::CertificateOutcome;
use shallows::job::certify::CertifyJob;
use shallows::job::given::{GivenCertificate, GivenModel};
use shallows::job::verify::VerifyJob;
use shallows::network::Signs;

use crate::documents::{dictionary, settings_of};
use crate::failure::exception;
use crate::model::ModelOrPath;
use crate::run::{Ending, run};
use crate::samples::{Given, Samples};

/// Certificates for one network on one set of rows, as the files of the command hold them.
#[pyclass(frozen, module = "shallows._shallows")]
pub struct Record {
    outcome: CertificateOutcome,
}

impl Record {
    pub fn of(certificate: Certificate) -> Self {
        Record { outcome: CertificateOutcome::new(certificate, None) }
    }
}

#[pymethods]
impl Record {
    /// Read a file.
    #[classmethod]
    fn load(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        let outcome = |certificate| CertificateOutcome::new(certificate, Some(path.clone()));
        Certificate::load(&path).map(|certificate| Record { outcome: outcome(certificate) }).map_err(exception)
    }

    /// Read the text of a file.
    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        Certificate::from_json(text.as_bytes()).map(Record::of).map_err(exception)
    }

    /// The text of the file.
    fn to_json(&self) -> PyResult<String> {
        self.outcome.certificate.to_json().map_err(exception)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Record>().getattr("from_json")?, (self.to_json()?,)))
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
    fn tolerance(&self) -> f64 {
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
struct Settings {
    signs: Signs,
    decay: f64,
    linear: bool,
    intercept: bool,
    tolerance: f64,
    theorems: Vec<String>,
}

impl Settings {
    fn job(&self, model: GivenModel, Samples { rows, target, weight }: Samples) -> Result<CertifyJob> {
        let Settings { signs, decay, linear, intercept, tolerance, .. } = *self;
        let theorems = self.theorems.iter().map(|id| id.parse()).collect::<Result<Vec<Theorem>>>()?;
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
    samples: Given<'_>,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Record> {
    let settings: Settings = settings_of(settings)?;
    let (model, samples) = (model.given(), samples.samples()?);
    let outcome = run(py, Ending::Sudden, None, |watch| settings.job(model, samples)?.run(watch))?;
    Ok(Record { outcome })
}

/// Compute everything in a certificate again.
#[pyfunction]
pub fn verify(
    py: Python<'_>,
    certificate: RecordOrPath<'_>,
    samples: Given<'_>,
    model: Option<ModelOrPath<'_>>,
) -> PyResult<Record> {
    let Samples { rows, target, weight } = samples.samples()?;
    let (certificate, model) = (certificate.given(), model.map(ModelOrPath::given));
    let job = VerifyJob { certificate, rows, target, weight, model };
    let outcome = run(py, Ending::Sudden, None, |watch| job.run(watch))?;
    Ok(Record { outcome })
}

/// A certificate in memory or in a file.
#[derive(FromPyObject)]
pub enum RecordOrPath<'py> {
    Memory(Bound<'py, Record>),
    File(PathBuf),
}

impl RecordOrPath<'_> {
    fn given(self) -> GivenCertificate {
        match self {
            RecordOrPath::Memory(record) => {
                GivenCertificate::Memory(Box::new(record.get().outcome.certificate.clone()))
            }
            RecordOrPath::File(path) => path.into(),
        }
    }
}
