//! `verify`: every claim of a certificate, judged from the proof it carries.

use super::certificates::CertificateOutcome;
use super::given::{GivenCertificate, GivenModel, GivenRows};
use crate::data::Table;
use crate::error::{CertificateProblem, Error, Result};
use crate::watch::Watch;

/// What is asked for. [`CertifyJob`](crate::job::certify::CertifyJob) shows its use.
#[derive(Clone, Debug, Default)]
pub struct VerifyJob {
    /// The certificate.
    pub certificate: GivenCertificate,
    /// The rows that it speaks about; `None` where it speaks about none.
    pub rows: Option<GivenRows>,
    /// The column that is predicted; the certificate's when `None`, and no other is accepted.
    pub target: Option<String>,
    /// The column of weights; the certificate's when `None`, and no other is accepted.
    pub weight: Option<String>,
    /// The model that it speaks about, to be compared with the network in the certificate. Where that is another one, fitted to
    /// the same rows beside the model, nothing is proved about the model.
    pub model: Option<GivenModel>,
}

impl VerifyJob {
    /// Take what is given, and let the checker judge every claim.
    ///
    /// # Errors
    /// If the certificate is about other rows, about rows where none are given or about none where some are, or about another
    /// model; or if it says more than its proofs give.
    pub fn run(self, _watch: Watch<'_>) -> Result<CertificateOutcome> {
        let path = self.certificate.file().map(ToOwned::to_owned);
        let certificate = match self.certificate.clone().load() {
            Err(Error::Certificate { problem: CertificateProblem::Format { found: 2 }, .. }) => {
                return self.proved_anew();
            }
            certificate => certificate?,
        };
        let (target, weight) = (self.target.as_deref(), self.weight.as_deref());
        let given = self.rows.map(|rows| rows.by_certificate(&certificate, target, weight)).transpose()?;
        let (data, remark) = given.map_or((None, None), |(data, remark)| (Some(data), remark));
        let model = self.model.map(|model| model.load_quadratic()).transpose()?;
        let part = match (&data, &model) {
            (Some(data), Some(model)) => Some(certificate.certified_part(data, model)?),
            _ => None,
        };
        let verified = match (&data, &model) {
            (Some(data), _) => certificate.verify(data)?,
            (None, Some(model)) => certificate.verify_network_without_rows(model.only()?)?,
            (None, None) => certificate.verify_without_rows()?,
        };
        let verified = verified.require_confirmed()?;
        let outcome = CertificateOutcome::new(certificate.told_by_checker(&verified), path);
        Ok(CertificateOutcome { remark, ..outcome.about(part) })
    }

    /// What a certificate without a proof claims, proved from its network, its claim and the rows.
    fn proved_anew(self) -> Result<CertificateOutcome> {
        let path = self.certificate.file().map(ToOwned::to_owned);
        let earlier = self.certificate.load_earlier()?;
        let Some(GivenRows::File(table)) = &self.rows else {
            return Err(Error::Certificate { path, problem: CertificateProblem::Format { found: 2 } });
        };
        let table = Table::read(table)?;
        let data = earlier.data(&table)?;
        let certificate = earlier.proved_anew(&data, table.rows())?;
        if let Some(model) = self.model {
            certificate.verify_model(&data, model.load_quadratic()?.as_ref())?;
        }
        let remark = Some(earlier.words());
        Ok(CertificateOutcome { remark, ..CertificateOutcome::new(certificate, path) })
    }
}
