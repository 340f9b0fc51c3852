//! Theorems applied to a network on rows, for a file.

use super::file::{Certificate, ProvedClaim, Source};
use super::theorem::global_optimum;
use super::{Claim, Theorem, Witness};
use crate::data::Data;
use crate::error::{CertificateProblem, Error, Result};
use crate::network::Network;

impl Certificate {
    /// Apply these theorems to a network and write down what is proved, with the proofs.
    pub fn new(
        theorems: &[Theorem],
        network: &Network,
        data: &Data,
        source: &Source,
        claim: &Claim,
        witness: Option<&Witness>,
        tolerance: f64,
    ) -> Result<Certificate> {
        let proved = |theorem: &Theorem| match theorem {
            Theorem::GlobalOptimum => global_optimum::claimed(network, data, claim, witness, tolerance),
            other => Err(Error::Certificate {
                path: None,
                problem: CertificateProblem::NotInFiles { theorem: other.id() },
            }),
        };
        let claims = theorems.iter().map(proved).collect::<Result<Vec<ProvedClaim>>>()?;
        Certificate::of_claims(claims, Some(network), None, Some((data, source)))
    }
}
