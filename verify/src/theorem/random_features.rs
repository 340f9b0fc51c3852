//! Random features suffice: the output layer alone reaches zero error.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::descent::{AtStart, JacobianPart, SpectrumProof};
use crate::error::Result;
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::network::Network;
use crate::rows::Rows;
use crate::words::{at_least, rounded_up};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "random-features",
    title: "Random features suffice: the output layer alone reaches zero error",
    claim: "With these hidden weights held fixed, for every vector of labels some output weights reach zero error on \
            these rows, and least squares finds them.",
    hypotheses: &["there are at least as many units as rows", "σ_min(φ(XWᵀ)) > 0"],
    evidence: "A Cholesky factorisation of ΦΦᵀ with Rump's shift; φ is between proved bounds.",
    limits: "About these weights, not about random ones.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 3.2, as the statement about one given W that can be computed.",
};

/// What is claimed: nothing but the theorem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {}

/// Numbers about ΦΦᵀ, Φ = φ(XWᵀ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// μ with ΦΦᵀ ⪰ μI; 0 where nothing is said.
    pub smallest: f64,
    /// A vector whose Rayleigh quotient bounds the smallest eigenvalue from above.
    #[serde(deserialize_with = "Option::deserialize")]
    pub direction: Option<Vec<f64>>,
}

/// Judge the claim.
pub fn judge(network: &Network, rows: Rows, _: &Claim, proof: &Proof) -> Result<Judgement> {
    let Proof { smallest, direction } = proof.clone();
    let spectrum = SpectrumProof { smallest, largest: None, inputs: None, direction };
    let at = AtStart::new(network, rows, JacobianPart::Output, &spectrum)?;
    Ok(judge_at(network, rows, &at))
}

/// The same with the bounds of [`StartMatrices`](crate::descent::StartMatrices) at hand, for the output layer.
pub fn judge_at(network: &Network, rows: Rows, at: &AtStart) -> Judgement {
    let (theorem, spare) = (Theorem::RandomFeatures, network.width() as i64 - rows.counted().len() as i64);
    let checks = vec![Check::count(theorem.hypothesis(0), spare), Check::positive(theorem.hypothesis(1), at.sigma)];
    let facts = vec![
        Fact { name: "sigma", value: at.sigma.low, side: Side::AtLeast, about: "σ_min(Φ)" },
        Fact { name: "sigma_at_most", value: at.sigma.high, side: Side::AtMost, about: "σ_min(Φ)" },
    ];
    Judgement::new(theorem, checks, facts, |verdict| match verdict {
        Verdict::Holds => {
            format!("training the output layer alone reaches zero error: σ_min(Φ) ≥ {}", at_least(at.sigma.low))
        }
        Verdict::Fails if spare < 0 => format!("{} more units than there are would be needed", -spare),
        _ if !at.examined => "not decided: there are too many rows to look at the spectrum of Φ".into(),
        _ => format!("not proved: σ_min(Φ) is at most {} and not proved to be above 0", rounded_up(at.sigma.high, 2)),
    })
}
