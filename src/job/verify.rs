//! `verify`: a certificate computed again from scratch.

use std::path::PathBuf;

use super::certificates::CertificateOutcome;
use crate::certificate::Certificate;
use crate::certificate::file::Verified;
use crate::data::{Data, Table};
use crate::error::Result;
use crate::model::Model;
use crate::watch::Watch;

/// What is asked for. [`CertifyJob`](crate::job::certify::CertifyJob) shows its use.
#[derive(Clone, Debug, Default)]
pub struct VerifyJob {
    /// The file of the certificate.
    pub certificate: PathBuf,
    /// The table that it speaks about.
    pub table: PathBuf,
    /// The model that it speaks about, to be compared with the network in the certificate.
    pub model: Option<PathBuf>,
}

impl VerifyJob {
    /// Read the files, and compute everything again.
    ///
    /// # Errors
    /// If anything comes out differently.
    pub fn run(&self, _watch: Watch<'_>) -> Result<CertificateOutcome> {
        let certificate = Certificate::load(&self.certificate)?;
        let data = certificate.data(&Table::read(&self.table)?)?;
        let model = self.model.as_ref().map(Model::load_quadratic).transpose()?;
        let verdict = verify(&certificate, &data, model.as_ref())?.verdict();
        Ok(CertificateOutcome { certificate, verdict, path: Some(self.certificate.clone()), remark: None })
    }
}

/// A certificate about samples in memory, computed again.
///
/// # Errors
/// If anything comes out differently.
///
/// ```
/// use shallows::job::verify::verify;
/// use shallows::{Data, Quadratic, Verdict};
///
/// let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3], [0.9, 2.0]], &[1.0, 0.3, 2.2, 4.1])?;
/// let proof = Quadratic::new().decay(0.01).fit(&data)?.certify(&data)?;
/// assert_eq!(verify(proof.certificate(), &data, None)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn verify(certificate: &Certificate, data: &Data, model: Option<&Model>) -> Result<Verified> {
    match model {
        Some(model) => certificate.verify_model(data, model),
        None => certificate.verify(data),
    }
}
