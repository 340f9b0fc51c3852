//! A stationary point of full rank is a global minimum.
//!
//! # Proof
//! With s the common sign (any, if τ = 0) and T = S + sτI, S = Σωᵢrᵢxᵢxᵢᵀ, row j of ∇P is 2v_jTw_j. So the
//! matrix with rows ∇_jP/(2v_j) is W_IT, and σ_min(W_I)‖T‖ ≤ ‖W_IT‖_F = g. As in `approximate-minimum`,
//! P(W) − P(M̂) ≤ ½⟨W, ∇P⟩ − ⟨S, M̂⟩ − τ‖M̂‖_*, and −⟨S, M̂⟩ = −⟨T, M̂⟩ + sτ tr M̂ ≤ ‖T‖‖M̂‖_* + τ‖M̂‖_*.
//! The same for the population risk of Gaussian inputs and a planted M*, which is not computed here: G = 2A + tr(A)I,
//! A = M − M*, takes the place of S (∇L = 2DWG); ‖G‖_F² = 4‖A‖_F² + (4 + d)(tr A)², and so
//! L = ‖A‖_F² + ½(tr A)² ≤ ¼‖G‖_F² ≤ ¼g²/σ_min(W_I)².

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{Enclosure, add_up, div_up, mul_up, sqrt_down};
use crate::error::{Result, check_not_negative};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::planted::{Smallest, smallest_square};
use crate::landscape::point::LossPoint;
use crate::landscape::{check_tolerance, within_and_below};
use crate::matrix::Matrix;
use crate::network::Network;
use crate::rows::Rows;
use crate::words::{no_less, no_more};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "full-rank-stationary",
    title: "A stationary point of full rank is a global minimum",
    claim: "Let W_I be the rows of W with v_j ≠ 0, of rank d, and g² = Σ_{j∈I}‖∇_jP‖²/(2v_j)². Then \
            P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖² is at most P(M̂) + ½⟨W,∇P⟩ + R·g/σ_min(W_I) for every quadratic network M̂ of \
            any width and signs with the same affine part and ‖M̂‖_* ≤ R. In particular ∇P = 0 makes W a global minimum.",
    hypotheses: &[
        "there is no decay, or all output weights have one sign",
        "at least d units have v_j ≠ 0 and w_j ≠ 0",
        "σ_min(W_I) > 0",
        "½⟨W,∇P⟩ + R·g/σ_min(W_I) ≤ tolerance × max(P, P of the affine part alone, 1e-290), and < P",
    ],
    evidence: "Counts; a given bound on σ_min by Rump's Cholesky test; g and ½⟨W,∇P⟩ by outward rounding.",
    limits: "About these rows and competitors up to the size R, which is part of the claim. A gradient is proved small, \
             never zero. Stationary points of lower rank (W = 0, padded narrower networks) are not covered.",
    source: "Gamarnik, Kızıldağ, Zadik (2019), Theorem 2.3, for the population risk; Soltanolkotabi, Javanmard, Lee (2019), \
             proof of Theorem 2.1, case I. The quantitative form derived for this project.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// τ
    pub decay: f64,
    /// R
    pub size: f64,
    /// How far from the best is near enough, relative to the scale.
    pub tolerance: f64,
}

/// What proves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// μ, claimed to be below σ_min(W_I)².
    pub smallest: f64,
}

/// Prove that a network of full rank is within a tolerance of every competitor up to a size.
///
/// ```
/// use shallows_verify::theorem::full_rank_stationary::{Claim, Proof, judge};
/// use shallows_verify::{Matrix, Network, Rows, Verdict};
///
/// // 3x² is the best fit of labels 3 ± 1 at x = ±1.
/// let network = Network { W: Matrix::from_fn(1, 1, |_, _| 1.0), v: vec![3.0], ..Network::zero(1) };
/// let rows = Rows::new(&[1.0, -1.0], 1, &[4.0, 2.0], None)?;
/// let claim = Claim { decay: 0.0, size: 10.0, tolerance: 1e-6 };
/// assert_eq!(judge(&network, rows, &claim, &Proof { smallest: 0.9 })?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(network: &Network, rows: Rows<'_>, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    check_tolerance(claim.tolerance)?;
    check_not_negative("the size of competitors", claim.size)?;
    let point = LossPoint::new(network, rows, claim.decay)?;
    let d = network.inputs();
    let [positive, negative] = network.sign_counts();
    let minority = if claim.decay == 0.0 { 0 } else { positive.min(negative) };
    // Rows of zeros change neither the rank nor σ_min.
    let alive = |j: &usize| network.v[*j] != 0.0 && network.W.row(*j).iter().any(|w| *w != 0.0);
    let units: Vec<usize> = (0..network.width()).filter(alive).collect();
    let W_I = Matrix::from_fn(units.len(), d, |i, j| network.W[(units[i], j)]);
    let square = smallest_square(&W_I, &Smallest { smallest: proof.smallest, vector: None })?.low;
    let sigma = if square > 0.0 { sqrt_down(square) } else { 0.0 };
    let (radial, slope) = (point.half_radial(), point.slope_per_output());
    let bound = add_up(radial.high, mul_up(claim.size, div_up(slope, sigma)));
    let gap = Enclosure { low: radial.low, high: if bound.is_nan() { f64::INFINITY } else { bound } };
    let checks = vec![
        Check::count(THEOREM.hypotheses[0], -minority),
        Check::count(THEOREM.hypotheses[1], units.len() as i64 - d as i64),
        if sigma > 0.0 { Check::count(THEOREM.hypotheses[2], 0) } else { Check::open(THEOREM.hypotheses[2]) },
        within_and_below(THEOREM.hypotheses[3], claim.tolerance, point.scale(), gap, point.objective),
    ];
    let fact = |name, value, side, about| Fact { name, value, side, about };
    let mut facts = vec![fact("gradient", point.gradient_norm(), Side::AtMost, "‖∇P(W)‖")];
    facts.push(fact("objective", point.objective.high, Side::AtMost, "P(W)"));
    if sigma > 0.0 {
        facts.push(fact("least_singular_value", sigma, Side::AtLeast, "σ_min(W_I)"));
        facts.push(fact("slope", slope, Side::AtMost, "g"));
    }
    // Otherwise the theorem bounds nothing.
    if sigma > 0.0 && minority == 0 {
        facts.push(fact("bound", bound, Side::AtMost, "P(W) − P(M̂)"));
    }
    Ok(Judgement::new(Theorem::FullRankStationary, checks, facts, |verdict| statement(verdict, claim.size, bound)))
}

fn statement(verdict: Verdict, R: f64, bound: f64) -> String {
    match verdict {
        Verdict::Holds => format!(
            "W has full rank and a gradient so small that no quadratic network of any width and signs with ‖M‖_* ≤ {} \
             and the same affine part has an objective lower by more than {}",
            no_more(R),
            no_less(bound)
        ),
        Verdict::Fails => "the theorem does not apply: a hypothesis is refuted".into(),
        Verdict::Undecided => {
            "neither proved nor refuted that W has full rank and a gradient that is small enough".into()
        }
    }
}
