//! `certify`: what can be proved about a saved network.

use std::path::PathBuf;

use super::certificates::CertificateOutcome;
use crate::certificate::{Certificate, Claim, Source, Theorem};
use crate::data::{Data, Table};
use crate::error::Result;
use crate::file::{Destinations, FileRole};
use crate::model::Model;
use crate::network::Signs;
use crate::watch::Watch;

/// What is asked for.
///
/// ```
/// use shallows::certificate::Theorem;
/// use shallows::data::Recipe;
/// use shallows::job::certify::CertifyJob;
/// use shallows::job::verify::VerifyJob;
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Model, Network, Verdict, Watch};
///
/// let folder = tempfile::tempdir().unwrap();
/// let [model, table, certificate] = ["m.safetensors", "t.csv", "c.json"].map(|name| folder.path().join(name));
/// std::fs::write(&table, "x,y\n1,3\n2,12\n").unwrap();
/// let network = Network::new(Activation::SQUARE, Matrix::identity(1), vec![3.0])?;
/// Model::new(network, Recipe::plain(vec!["x".into()]), "y".into(), 0)?.save(&model)?;
///
/// let theorems = vec![Theorem::GlobalOptimum];
/// let job = CertifyJob { model, table: table.clone(), theorems, certificate: Some(certificate.clone()), ..Default::default() };
/// assert_eq!(job.run(Watch::silent())?.verdict, Verdict::Holds);
/// // A stranger computes it again.
/// let again = VerifyJob { certificate, table, model: None }.run(Watch::silent())?;
/// assert_eq!(again.verdict, Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CertifyJob {
    /// The file of the model.
    pub model: PathBuf,
    /// The table; `-` is CSV on standard input.
    pub table: PathBuf,
    /// The column that is predicted; the model's, else the last, when `None`.
    pub target: Option<String>,
    /// The column of weights.
    pub weight: Option<String>,
    /// The signs that output weights of competitors may have.
    pub signs: Signs,
    /// τ, the weight of the penalty Σ|v|‖w‖² on raw inputs.
    pub decay: f64,
    /// Whether competitors may have a linear part.
    pub linear: bool,
    /// Whether competitors may have an intercept.
    pub intercept: bool,
    /// The relative gap up to which the network counts as optimal.
    pub tolerance: f64,
    /// Which theorems.
    pub theorems: Vec<Theorem>,
    /// Where to write the certificate.
    pub certificate: Option<PathBuf>,
}

impl Default for CertifyJob {
    fn default() -> Self {
        CertifyJob {
            model: PathBuf::new(),
            table: PathBuf::new(),
            target: None,
            weight: None,
            signs: Signs::Any,
            decay: 0.0,
            linear: true,
            intercept: true,
            tolerance: 1e-6,
            theorems: vec![Theorem::GlobalOptimum],
            certificate: None,
        }
    }
}

impl CertifyJob {
    /// Read the model and the table, prove what can be proved, and write the certificate where a file is named.
    pub fn run(&self, _watch: Watch<'_>) -> Result<CertificateOutcome> {
        Destinations::default()
            .reads(FileRole::Model, &self.model)
            .reads(FileRole::Table, &self.table)
            .may_write(FileRole::Certificate, self.certificate.as_ref())
            .check()?;
        let model = Model::load_quadratic(&self.model)?;
        let table = Table::read(&self.table)?;
        let (samples, source) = Source::of_model(&model, &table, self.target.as_deref(), self.weight.as_deref())?;
        drop(table);
        let certificate = self.run_on(&model, &samples.data, &source)?;
        self.certificate.iter().try_for_each(|path| certificate.save(path))?;
        let (verdict, path, remark) = (certificate.verdict(), self.certificate.clone(), samples.remark());
        Ok(CertificateOutcome { certificate, verdict, path, remark })
    }

    /// The same for a model and samples in memory; nothing is written.
    pub fn run_on(&self, model: &Model, data: &Data, source: &Source) -> Result<Certificate> {
        let claim = Claim {
            signs: self.signs,
            decay: self.decay,
            linear: self.linear,
            intercept: self.intercept,
            exponents: vec![0; data.d()],
        };
        Certificate::new(&self.theorems, model.only()?, data, source, &claim, None, self.tolerance)
    }
}
