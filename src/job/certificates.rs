//! What `certify` and `verify` leave: certificates about one network on one set of rows.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::words;
use crate::certificate::{Certificate, Verdict};

/// Certificates, and where their file is. [`CertifyJob`](crate::job::certify::CertifyJob) shows its use.
#[derive(Clone, Debug)]
pub struct CertificateOutcome {
    /// What is proved, refuted or left open.
    pub certificate: Certificate,
    /// The worst verdict among them.
    pub verdict: Verdict,
    /// The file.
    pub path: Option<PathBuf>,
    /// What is worth knowing about the table.
    pub remark: Option<String>,
}

impl CertificateOutcome {
    /// Whether every claim holds.
    pub fn holds(&self) -> bool {
        self.verdict == Verdict::Holds
    }

    /// What a script reads.
    pub fn document(&self) -> Value {
        json!({
            "certificates": self.certificate.document(),
            "certificate": { "path": self.path.as_ref().map(words::path) },
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
