//! What `certify` and `verify` leave: certificates about one network on one set of rows.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::words;
use crate::certificate::file::CertifiedPart;
use crate::certificate::{Certificate, Verdict};

/// Certificates, and where their file is. [`CertifyJob`](crate::job::certify::CertifyJob) shows its use.
#[derive(Clone, Debug)]
pub struct CertificateOutcome {
    /// What is proved, refuted or left open.
    pub certificate: Certificate,
    /// The worst verdict among them; undecided where they hold, but are about another network than the model.
    pub verdict: Verdict,
    /// The file.
    pub path: Option<PathBuf>,
    /// What is worth knowing about the table.
    pub remark: Option<String>,
    /// What of a model they are about, where one was compared.
    pub part: Option<CertifiedPart>,
}

impl CertificateOutcome {
    /// Certificates as they stand in memory or in a file.
    pub fn new(certificate: Certificate, path: Option<PathBuf>) -> Self {
        let verdict = certificate.verdict();
        CertificateOutcome { certificate, verdict, path, remark: None, part: None }
    }

    /// The same with a model that was compared: of one that they are not about, nothing is proved.
    pub(super) fn about(mut self, part: Option<CertifiedPart>) -> Self {
        if part == Some(CertifiedPart::Nothing) {
            self.verdict = self.verdict.max(Verdict::Undecided);
        }
        CertificateOutcome { part, ..self }
    }

    /// Whether every claim holds.
    pub fn holds(&self) -> bool {
        self.verdict == Verdict::Holds
    }

    /// How far the objective is above the optimum at most, where both are known: rounded up, so that what is proved stays so.
    pub fn gap(&self) -> Option<f64> {
        let (objective, bound) = (self.certificate.objective()?, self.certificate.lower_bound()?);
        Some((objective - bound).next_up())
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        let mut document = json!({
            "verdict": self.verdict.to_string(),
            "certificates": self.certificate.document(),
            "certificate": { "path": self.path.as_ref().map(words::path) },
            "version": env!("CARGO_PKG_VERSION"),
        });
        if let Some(part) = self.part {
            document["part_of_model"] = json!(part.name());
        }
        document
    }
}
