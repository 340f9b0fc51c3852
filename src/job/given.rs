//! What a job is given: rows, a model, a certificate, a plan, a specification; each in a file or in memory.

mod memory;
#[cfg(feature = "lab")]
mod specification;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use memory::{MemoryInputs, MemoryRows};
#[cfg(feature = "lab")]
pub use specification::GivenSpecification;

use crate::activation::Activation;
use crate::certificate::descent::DescentPlan;
use crate::certificate::file::EarlierCertificate;
use crate::certificate::{Certificate, Source};
use crate::data::{Data, Inputs, Reading, Roles, Samples, Table};
use crate::error::{CertificateProblem, Error, Result};
use crate::model::Model;

/// Rows of a table.
///
/// ```
/// use shallows::job::given::{GivenRows, MemoryRows};
/// use shallows::job::predict::PredictJob;
/// use shallows::linalg::Matrix;
/// use shallows::model::Model;
/// use shallows::watch::Watch;
/// use shallows::{Data, Quadratic};
///
/// let data = Data::from_rows(&[[1.0], [2.0], [3.0], [4.0]], &[1.0, 4.0, 9.0, 16.0])?;
/// let fit = Quadratic::new().decay(0.0).fit(&data)?;
/// let model = Model::new(fit.network, data.names.clone(), data.target.clone(), 0)?;
/// let rows = GivenRows::Memory(MemoryRows::of_array(Matrix::from_rows(&[[5.0]])));
/// let outcome = PredictJob { model: model.into(), rows, ..PredictJob::default() }.run(Watch::silent())?;
/// assert!((outcome.predictions[0] - 25.0).abs() < 1e-6);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum GivenRows {
    /// In a file; `-` is CSV on standard input.
    File(PathBuf),
    /// In memory.
    Memory(MemoryRows),
}

/// A network with the recipe for its inputs. [`GivenRows`] shows its use.
#[derive(Clone, Debug)]
pub enum GivenModel {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Memory(Arc<Model>),
}

/// Certificates about one network on one set of rows. [`CertifyJob`](crate::job::certify::CertifyJob) shows its use.
#[derive(Clone, Debug)]
pub enum GivenCertificate {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Memory(Box<Certificate>),
}

/// A plan of a proved descent. [`CheckJob`](crate::job::check::CheckJob) shows its use.
#[derive(Clone, Debug)]
pub enum GivenPlan {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Memory(Box<DescentPlan>),
}

impl Default for GivenPlan {
    fn default() -> Self {
        GivenPlan::File(PathBuf::new())
    }
}

impl From<PathBuf> for GivenPlan {
    fn from(path: PathBuf) -> Self {
        GivenPlan::File(path)
    }
}

impl GivenPlan {
    /// Its file, where it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            GivenPlan::File(path) => Some(path),
            GivenPlan::Memory(_) => None,
        }
    }

    /// The plan.
    pub fn load(self) -> Result<DescentPlan> {
        match self {
            GivenPlan::File(path) => DescentPlan::load(path),
            GivenPlan::Memory(plan) => Ok(*plan),
        }
    }
}

impl Default for GivenRows {
    fn default() -> Self {
        GivenRows::File(PathBuf::new())
    }
}

impl Default for GivenModel {
    fn default() -> Self {
        GivenModel::File(PathBuf::new())
    }
}

impl Default for GivenCertificate {
    fn default() -> Self {
        GivenCertificate::File(PathBuf::new())
    }
}

impl From<PathBuf> for GivenRows {
    fn from(path: PathBuf) -> Self {
        GivenRows::File(path)
    }
}

impl From<PathBuf> for GivenModel {
    fn from(path: PathBuf) -> Self {
        GivenModel::File(path)
    }
}

impl From<Model> for GivenModel {
    fn from(model: Model) -> Self {
        GivenModel::Memory(Arc::new(model))
    }
}

impl From<PathBuf> for GivenCertificate {
    fn from(path: PathBuf) -> Self {
        GivenCertificate::File(path)
    }
}

impl GivenCertificate {
    /// A certificate of an earlier format, from its file.
    pub(super) fn load_earlier(&self) -> Result<EarlierCertificate> {
        match self {
            GivenCertificate::File(path) => EarlierCertificate::load(path),
            GivenCertificate::Memory(_) => EarlierCertificate::from_json(b""),
        }
    }
}

impl GivenModel {
    /// Its file, where it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            GivenModel::File(path) => Some(path),
            GivenModel::Memory(_) => None,
        }
    }

    /// The model.
    pub fn load(&self) -> Result<Arc<Model>> {
        self.load_with(None)
    }

    /// The same, with the activation of a file from elsewhere that does not say which it has.
    pub fn load_with(&self, activation: Option<Activation>) -> Result<Arc<Model>> {
        match self {
            GivenModel::File(path) => Model::load_with(path, activation).map(Arc::new),
            GivenModel::Memory(model) => Ok(model.clone()),
        }
    }

    /// The same; a file from elsewhere that does not say which activation it has is taken for a quadratic network.
    pub fn load_quadratic(&self) -> Result<Arc<Model>> {
        match self {
            GivenModel::File(path) => Model::load_quadratic(path).map(Arc::new),
            GivenModel::Memory(model) => Ok(model.clone()),
        }
    }
}

impl GivenCertificate {
    /// Its file, where it is in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            GivenCertificate::File(path) => Some(path),
            GivenCertificate::Memory(_) => None,
        }
    }

    /// The certificate.
    pub fn load(self) -> Result<Certificate> {
        match self {
            GivenCertificate::File(path) => Certificate::load(path),
            GivenCertificate::Memory(certificate) => Ok(*certificate),
        }
    }
}

impl GivenRows {
    /// Their file, where they are in one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            GivenRows::File(path) => Some(path),
            GivenRows::Memory(_) => None,
        }
    }

    /// What errors and sentences call them.
    pub fn name(&self) -> String {
        self.file().map_or_else(|| memory::NAME.to_owned(), |path| path.display().to_string())
    }

    /// All columns, with the target and the weights among them, and what they are for.
    pub(super) fn table(self, roles: &Roles) -> Result<(Table, Roles)> {
        match self {
            GivenRows::File(path) => Ok((Table::read(&path)?, roles.clone())),
            GivenRows::Memory(rows) => rows.table(roles),
        }
    }

    /// Samples by a recipe that is learned from them.
    pub(super) fn learned(self, reading: &Reading) -> Result<Samples> {
        match self {
            GivenRows::File(path) => reading.learned(&Table::read(&path)?),
            GivenRows::Memory(rows) => rows.learned(reading),
        }
    }

    /// Samples of the columns as they are.
    pub(super) fn unchanged(self, roles: &Roles) -> Result<Samples> {
        match self {
            GivenRows::File(path) => roles.unchanged(&Table::read(&path)?),
            GivenRows::Memory(rows) => rows.unchanged(roles),
        }
    }

    /// Samples by the recipe of a model.
    pub(super) fn by_model(self, model: &Model, target: Option<&str>, weight: Option<&str>) -> Result<Samples> {
        match self {
            GivenRows::File(path) => Ok(Source::of_model(model, &Table::read(&path)?, target, weight)?.0),
            GivenRows::Memory(rows) => rows.by_model(model, target, weight),
        }
    }

    /// The samples that a certificate speaks about; another target or other weights than its own are refused.
    pub(super) fn by_certificate(
        self,
        certificate: &Certificate,
        target: Option<&str>,
        weight: Option<&str>,
    ) -> Result<(Data, Option<String>)> {
        let source = certificate.source()?;
        let refuse = |what: &'static str, stored: &Option<String>, found: &str| {
            let (stored, found) = (stored.clone(), found.to_owned());
            Err(Error::Certificate { path: None, problem: CertificateProblem::Subject { what, stored, found } })
        };
        let (has_target, has_weights) = match &self {
            GivenRows::File(_) => (false, false),
            GivenRows::Memory(rows) => (rows.y.is_some(), rows.weights.is_some()),
        };
        // What is given apart has the name that the certificate knows it by.
        if let Some(given) = target.filter(|given| !has_target && Some(*given) != source.target.as_deref()) {
            return refuse("target", &source.target, given);
        }
        match weight {
            given if has_weights && source.weight.is_none() => {
                return refuse("weight", &None, given.unwrap_or(memory::WEIGHTS));
            }
            Some(given) if !has_weights && Some(given) != source.weight.as_deref() => {
                return refuse("weight", &source.weight, given);
            }
            _ => {}
        }
        match self {
            GivenRows::File(path) => {
                let (data, remarks) = certificate.data_of(Table::read(&path)?)?;
                Ok((data, (!remarks.is_empty()).then(|| remarks.join("; "))))
            }
            GivenRows::Memory(rows) => Ok((rows.by_certificate(certificate, source)?, None)),
        }
    }

    /// The inputs of a model, for every row; `fill` supplies columns that are not there.
    pub(super) fn inputs(self, model: &Model, fill: &[(String, String)]) -> Result<Inputs> {
        let mut table = match self {
            GivenRows::File(path) => Table::read(&path)?,
            GivenRows::Memory(rows) if fill.is_empty() => return rows.inputs(&model.recipe),
            GivenRows::Memory(rows) => rows.input_table()?,
        };
        fill.iter().try_for_each(|(name, text)| table.fill(name, text))?;
        let inputs = model.recipe.inputs(&table)?;
        Ok(Inputs { remarks: table.remarks.into_iter().chain(inputs.remarks).collect(), ..inputs })
    }

    /// The inputs of a model, and its target where it is there.
    pub(super) fn explained(self, model: &Model) -> Result<Table> {
        match self {
            GivenRows::File(path) => Table::read(&path),
            GivenRows::Memory(rows) if rows.y.is_none() => rows.input_table(),
            GivenRows::Memory(rows) => rows.named(Some(&model.target), None).table_of(&model.recipe),
        }
    }
}
