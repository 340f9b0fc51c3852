//! `verify`: a certificate computed again from scratch.

use super::certificates::CertificateOutcome;
use super::given::{GivenCertificate, GivenModel, GivenRows};
use crate::error::Result;
use crate::watch::Watch;

/// What is asked for. [`CertifyJob`](crate::job::certify::CertifyJob) shows its use.
#[derive(Clone, Debug, Default)]
pub struct VerifyJob {
    /// The certificate.
    pub certificate: GivenCertificate,
    /// The rows that it speaks about.
    pub rows: GivenRows,
    /// The column that is predicted; the certificate's when `None`, and no other is accepted.
    pub target: Option<String>,
    /// The column of weights; the certificate's when `None`, and no other is accepted.
    pub weight: Option<String>,
    /// The model that it speaks about, to be compared with the network in the certificate.
    pub model: Option<GivenModel>,
}

impl VerifyJob {
    /// Take what is given, and compute everything again.
    ///
    /// # Errors
    /// If anything comes out differently.
    pub fn run(self, _watch: Watch<'_>) -> Result<CertificateOutcome> {
        let path = self.certificate.file().map(ToOwned::to_owned);
        let certificate = self.certificate.load()?;
        let data = self.rows.by_certificate(&certificate, self.target.as_deref(), self.weight.as_deref())?;
        let model = self.model.map(|model| model.load_quadratic()).transpose()?;
        let verified = match &model {
            Some(model) => certificate.verify_model(&data, model)?,
            None => certificate.verify(&data)?,
        };
        Ok(CertificateOutcome { verdict: verified.verdict(), ..CertificateOutcome::new(certificate, path) })
    }
}
