//! `certify`: what can be proved about a saved network.

use std::path::PathBuf;

use super::certificates::CertificateOutcome;
use super::given::{GivenModel, GivenRows};
use crate::certificate::{Certificate, Claim, Source, Theorem, check_tolerance};
use crate::data::Data;
use crate::error::{Error, Parameter, RequestProblem, Requirement, Result};
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
/// let job = CertifyJob { theorems, certificate: Some(certificate.clone()), ..CertifyJob::default() };
/// let job = CertifyJob { model: model.into(), rows: table.clone().into(), ..job };
/// assert_eq!(job.run(Watch::silent())?.verdict, Verdict::Holds);
/// // A stranger computes it again.
/// let again = VerifyJob { certificate: certificate.into(), rows: Some(table.into()), ..VerifyJob::default() };
/// let again = again.run(Watch::silent())?;
/// assert_eq!(again.verdict, Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CertifyJob {
    /// The network.
    pub model: GivenModel,
    /// The rows.
    pub rows: GivenRows,
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
    /// Which theorems; where none is named, `wide-optimum` for a model with infinitely wide networks, else `global-optimum`.
    pub theorems: Vec<Theorem>,
    /// Where to write the certificate.
    pub certificate: Option<PathBuf>,
}

impl Default for CertifyJob {
    fn default() -> Self {
        CertifyJob {
            model: GivenModel::default(),
            rows: GivenRows::default(),
            target: None,
            weight: None,
            signs: Signs::Any,
            decay: 0.0,
            linear: true,
            intercept: true,
            tolerance: 1e-6,
            theorems: vec![],
            certificate: None,
        }
    }
}

impl CertifyJob {
    /// Take the model and the rows, prove what can be proved, and write the certificate where a file is named.
    pub fn run(mut self, _watch: Watch<'_>) -> Result<CertificateOutcome> {
        Destinations::default()
            .may_read(FileRole::Model, self.model.file())
            .may_read(FileRole::Table, self.rows.file())
            .may_write(FileRole::Certificate, self.certificate.as_ref())
            .check()?;
        check_tolerance(self.tolerance)?;
        let model = self.model.load_quadratic()?;
        let rows = std::mem::take(&mut self.rows);
        let samples = rows.by_model(&model, self.target.as_deref(), self.weight.as_deref())?;
        let certificate = self.proved(&model, &samples.data, &Source::of_samples(&samples))?;
        self.certificate.iter().try_for_each(|path| certificate.save(path))?;
        Ok(CertificateOutcome { remark: samples.remark(), ..CertificateOutcome::new(certificate, self.certificate) })
    }

    fn proved(&self, model: &Model, data: &Data, source: &Source) -> Result<Certificate> {
        if !model.network.wide().is_empty() {
            return self.proved_of_wide(model, data, source);
        }
        let claim = Claim {
            signs: self.signs,
            decay: self.decay,
            linear: self.linear,
            intercept: self.intercept,
            exponents: vec![0; data.d()],
        };
        let theorems = if self.theorems.is_empty() { &[Theorem::GlobalOptimum][..] } else { &self.theorems };
        Certificate::new(theorems, model.only()?, data, source, &claim, None, self.tolerance)
    }

    /// Of every infinitely wide network of the model; the laws and the decay are its own.
    fn proved_of_wide(&self, model: &Model, data: &Data, source: &Source) -> Result<Certificate> {
        if let Some(other) = self.theorems.iter().find(|theorem| **theorem != Theorem::WideOptimum) {
            let known = vec![Theorem::WideOptimum.id()];
            let activation = model.network.activations().join("+");
            return Err(Error::Request(RequestProblem::Theorem { theorem: other.id().into(), activation, known }));
        }
        let requirement = Requirement::OnlyWith(&["networks of finite width"]);
        let given = [
            (Parameter::Signs, self.signs != Signs::Any),
            (Parameter::Decay, self.decay != 0.0),
            (Parameter::Linear, !self.linear),
            (Parameter::Intercept, !self.intercept),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
            return Err(Error::parameter(option, requirement, ""));
        }
        let certificate = Certificate::of_wide(model.network.wide(), data, source, self.tolerance, None)?;
        certificate.ok_or(Error::Request(RequestProblem::OtherRows))
    }
}
