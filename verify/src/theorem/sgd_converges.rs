//! Stochastic gradient descent converges, as far as the published theorem has explicit constants.
//!
//! # Note
//! ν = 16 and η̄ = 1 in the notation of the paper.

use serde::{Deserialize, Serialize};

use super::wide_enough::{no_weights, parsed};
use super::{Theorem, TheoremText};
use crate::activation::Activation;
use crate::arithmetic::Enclosure;
use crate::descent::{PowerSeries, StartRows, distance_from_unit, proves_kernel_above, slope_coefficients};
use crate::error::{Result, check_range};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::rows::Rows;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "sgd-converges",
    title: "Stochastic gradient descent converges, as far as constants are explicit",
    claim: "With standard normal W₀ and output weights ±‖y‖/√(kn), stochastic gradient descent with the stated step \
            reduces the expected ‖r‖², on an event of the stated probability, by the stated rate in every step.",
    hypotheses: &[
        "B = max(sup|φ'|, sup|φ''|) is finite",
        "every row is a unit vector, up to 1e-9",
        "μ_φ = E gφ'(g) ≠ 0",
        "σ_min(X∗X) > 0",
        "√(kd) ≥ c(B²/μ_φ²)(1+δ)κ(X)n, with a constant c that is not given",
        "every weight is 1",
    ],
    evidence: "σ_min(X∗X) by a Cholesky factorisation of (XXᵀ)∘(XXᵀ) with Rump's shift; μ_φ between proved bounds.",
    limits: "The constant c of the last hypothesis is not published, so it is never decided and the theorem is never \
             said to hold; the other hypotheses can fail. About the rows divided by their norms.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 2.6.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The name of φ.
    pub activation: String,
    /// k
    pub width: usize,
}

/// Numbers about the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// μ with (XXᵀ)∘(XXᵀ) ⪰ μI; 0 where nothing is said.
    pub smallest: f64,
}

/// Judge the claim; the best that can come of it is: undecided.
pub fn judge(rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    let activation = parsed(&claim.activation)?;
    check_range("the width", claim.width as f64, 1.0, 1e15)?;
    let rows = StartRows::new(rows)?;
    let (hypotheses, n, d) = (THEOREM.hypotheses, rows.n(), rows.d());
    let bound = activation.slope_bound().max(activation.curvature_bound());
    let (mean, unit) = (mean_slope(&activation), distance_from_unit(&rows));
    let square = if n > d * (d + 1) / 2 {
        Enclosure::exactly(0.0)
    } else if proves_kernel_above(&rows, &PowerSeries::square(), proof.smallest) {
        // A diagonal entry is 1.
        Enclosure { low: proof.smallest, high: 1.0 }
    } else {
        Enclosure { low: 0.0, high: 1.0 }
    };
    let checks = vec![
        Check::finite(hypotheses[0], bound),
        Check::between(hypotheses[1], unit.low, unit.high),
        Check::positive(hypotheses[2], mean),
        Check::positive(hypotheses[3], square),
        Check::open(hypotheses[4]),
        no_weights(hypotheses[5], &rows),
    ];
    let sigma = square.sqrt().low;
    let facts = vec![Fact { name: "sigma_khatri_rao", value: sigma, side: Side::AtLeast, about: "σ_min(X∗X)" }];
    Ok(Judgement::new(Theorem::SgdConverges, checks, facts, |verdict| match verdict {
        Verdict::Fails if mean.high == 0.0 => "the theorem says nothing about this activation: E gφ'(g) = 0".into(),
        Verdict::Fails => "the theorem does not apply".into(),
        _ => "never decided: the theorem has a constant that is not given".into(),
    }))
}

/// |μ_φ| = |E gφ'(g)| = |a_1|; 0 exactly where φ' is even.
fn mean_slope(activation: &Activation) -> Enclosure {
    if matches!(activation, Activation::Sigmoid { .. } | Activation::Tanh | Activation::Erf) {
        return Enclosure::exactly(0.0);
    }
    let found = slope_coefficients(activation, 2).and_then(|coefficients| coefficients.get(1).copied());
    match found {
        Some(Enclosure { low, high }) if low >= 0.0 => Enclosure { low, high },
        Some(Enclosure { low, high }) if high <= 0.0 => Enclosure { low: -high, high: -low },
        Some(Enclosure { low, high }) => Enclosure { low: 0.0, high: high.max(-low) },
        None => Enclosure { low: 0.0, high: f64::INFINITY },
    }
}
