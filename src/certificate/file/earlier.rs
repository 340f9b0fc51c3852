//! Certificates of earlier formats: they name a network, rows and a claim, but carry no proof.
//!
//! Their writers searched for a proof again whenever a certificate was verified. What such a file claims can therefore only be
//! proved anew, from the network, the claim and the rows; nothing else in it is looked at.

use std::path::Path;

use serde::Deserialize;

use super::{Certificate, MOST_BYTES, Source, not_certificate};
use crate::activation::Activation;
use crate::certificate::{Claim, Theorem, Witness};
use crate::data::{Data, Recipe, Table};
use crate::error::{CertificateProblem, Error, Result};
use crate::file::read_at_most;
use crate::linalg::Matrix;
use crate::network::Network;

/// The format that is proved anew.
const REPROVED: u64 = 2;

/// A certificate without a proof.
///
/// ```
/// use shallows::certificate::file::EarlierCertificate;
///
/// assert!(EarlierCertificate::from_json(b"{\"format\": \"something else\"}").is_err());
/// ```
#[derive(Clone, Debug, Deserialize)]
pub struct EarlierCertificate {
    format: String,
    format_version: u64,
    /// Of the program that wrote it.
    version: String,
    certificates: Vec<EarlierJudgement>,
    claim: Claim,
    tolerance: f64,
    data: EarlierRows,
    network: EarlierNetwork,
    witness: Option<Witness>,
}

#[derive(Clone, Debug, Deserialize)]
struct EarlierJudgement {
    theorem: Theorem,
}

#[derive(Clone, Debug, Deserialize)]
struct EarlierRows {
    hash: String,
    recipe: Recipe,
    target: String,
    weight: Option<String>,
    selected: Option<Vec<usize>>,
}

#[derive(Clone, Debug, Deserialize)]
struct EarlierNetwork {
    W: Vec<Vec<f64>>,
    v: Vec<f64>,
    u: Option<Vec<f64>>,
    c: Option<f64>,
    b: Option<Vec<f64>>,
}

impl EarlierCertificate {
    /// Read a certificate of format 2; other formats are named as what they are.
    pub fn from_json(text: &[u8]) -> Result<EarlierCertificate> {
        let earlier: EarlierCertificate = serde_json::from_slice(text).map_err(|error| not_certificate(&error))?;
        if earlier.format != shallows_verify::certificate::FORMAT || earlier.format_version != REPROVED {
            let found = earlier.format_version;
            return Err(Error::Certificate { path: None, problem: CertificateProblem::Format { found } });
        }
        Ok(earlier)
    }

    /// Read it from a file.
    pub fn load(path: &Path) -> Result<EarlierCertificate> {
        match read_at_most(path, MOST_BYTES)? {
            Some(text) => EarlierCertificate::from_json(&text),
            None => Err(Error::Certificate {
                path: Some(path.into()),
                problem: CertificateProblem::TooLarge { most: MOST_BYTES },
            }),
        }
    }

    /// What it is, in words.
    pub fn words(&self) -> String {
        format!(
            "a certificate of format {REPROVED}, written by shallows {}, carries no proof: what it claims was proved anew",
            self.version
        )
    }

    /// Which rows and columns it is about.
    pub fn source(&self) -> Source {
        let EarlierRows { recipe, target, weight, selected, .. } = self.data.clone();
        let (recipe, target) = (Some(recipe), Some(target));
        Source { weight, rows: selected, recipe, target, ..Source::default() }
    }

    /// The samples of a table that it is about.
    pub fn data(&self, table: &Table) -> Result<Data> {
        let EarlierRows { recipe, target, weight, selected, .. } = &self.data;
        recipe.check()?;
        recipe.data(table, target, weight.as_deref(), selected.as_deref())
    }

    /// Prove anew what it claims about these samples of a table with so many rows; refused where they are others.
    pub fn proved_anew(&self, data: &Data, table_rows: usize) -> Result<Certificate> {
        let (expected, found) = (self.data.hash.clone(), data.hash());
        if expected != found {
            return Err(shallows_verify::Error::OtherRows { expected, found }.into());
        }
        let theorems: Vec<Theorem> = self.certificates.iter().map(|one| one.theorem).collect();
        let source = Source { table_rows: Some(table_rows), ..self.source() };
        let network = self.network.network(data.d())?;
        Certificate::new(&theorems, &network, data, &source, &self.claim, self.witness.as_ref(), self.tolerance)
    }
}

impl EarlierNetwork {
    fn network(&self, d: usize) -> Result<Network> {
        let EarlierNetwork { W, v, u, c, b } = self.clone();
        if let Some(row) = W.iter().find(|row| row.len() != d) {
            return Err(Error::Shape { what: "columns of W in the certificate", expected: d, found: row.len() });
        }
        let W = Matrix::from_vec(W.len(), d, W.concat());
        let network = Network { activation: Activation::SQUARE, W, v, bias: u, intercept: c, linear: b };
        network.check()?;
        Ok(network)
    }
}
