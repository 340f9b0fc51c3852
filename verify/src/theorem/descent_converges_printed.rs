//! Gradient descent on the hidden layer reaches zero error, as published.
//!
//! # Note
//! Implied by `descent-converges`, which asks for eight times less and says more. β = ‖J₀‖ + 4·Lip·‖r₀‖/α bounds ‖J‖ on the ball
//! of radius 4‖r₀‖/α. Lip is made with sup|φ''| where the paper has one letter for sup|φ'| and sup|φ''|. The loss of the paper
//! is n times ours, so our step is n times theirs.

use super::descent_converges::hidden_lipschitz;
use super::{Theorem, TheoremText};
use crate::arithmetic::Enclosure;
use crate::descent::{AtStart, Guarantee, JacobianPart, Proven, longest_step, step_allowed};
pub use crate::descent::{DescentClaim as Claim, SpectrumProof as Proof};
use crate::error::Result;
use crate::judgement::{Check, Judgement, Verdict};
use crate::network::Network;
use crate::rows::Rows;
use crate::words::rate_words;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "descent-converges-printed",
    title: "Gradient descent on the hidden layer reaches zero error, as published",
    claim: "Gradient descent on W with step η ≤ 1/(2β²), from this start on these rows: ‖r_τ‖² ≤ (1 − ηα²/2)^τ‖r₀‖², \
            ¼α‖W_τ − W₀‖ + ‖r_τ‖ ≤ ‖r₀‖, and the path is at most 4‖r₀‖/α long, where α = σ_min(J₀)/2.",
    hypotheses: &["sup|φ''| is finite", "σ₀ = σ_min(J₀) > 0", "16·Lip·‖r₀‖ ≤ σ₀²", "η ≤ 1/(2β²)"],
    evidence: "As for descent-converges; β = ‖J₀‖ + 4·Lip·‖r₀‖/α.",
    limits: "Implied by descent-converges, which asks for eight times less and says more. About exact arithmetic and \
             these rows.",
    source: "Oymak and Soltanolkotabi (2019), Corollary 6.11; their loss is n times ours.",
};

/// Judge the claim.
pub fn judge(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    judge_at(network, &AtStart::new(network, rows, JacobianPart::Hidden, proof)?, claim)
}

/// The same with the bounds of [`StartMatrices`](crate::descent::StartMatrices) at hand, for the hidden layer.
pub fn judge_at(network: &Network, at: &AtStart, claim: &Claim) -> Result<Judgement> {
    claim.check()?;
    let (curvature, theorem) = (network.activation.curvature_bound(), Theorem::DescentConvergesPrinted);
    let lipschitz = hidden_lipschitz(at, curvature);
    let margin = at.sigma.squared() - 16.0 * (lipschitz * at.residual);
    let (path, beta) = path_and_beta(at, lipschitz);
    let checks = vec![
        Check::finite(theorem.hypothesis(0), curvature),
        Check::positive(theorem.hypothesis(1), at.sigma),
        Check::between(theorem.hypothesis(2), margin.low, margin.high),
        step_allowed(theorem.hypothesis(3), claim.step, 2.0, beta),
    ];
    let alpha = Enclosure::exactly(0.5 * at.sigma.low);
    // 1 − √(1 − x) ≥ x/2.
    let decrease = (0.25 * (Enclosure::exactly(claim.step) * alpha.squared())).low.max(0.0);
    let slope = 0.25 * alpha.low;
    let proven = Proven { step: claim.step, residual: at.residual.high, decrease, path, slope, bend: 0.0 };
    let judgement = Judgement::new(theorem, checks, vec![], |verdict| match verdict {
        Verdict::Holds => format!("the published condition holds: rate {} or better", rate_words(proven.rate())),
        _ => "the published condition is not met, or not proved to be; descent-converges asks for less".into(),
    });
    Ok(Guarantee::new(judgement, proven, claim.tolerance).judgement)
}

/// A step to claim.
pub fn step_to_claim(network: &Network, at: &AtStart) -> f64 {
    let lipschitz = hidden_lipschitz(at, network.activation.curvature_bound());
    longest_step(2.0, path_and_beta(at, lipschitz).1.high)
}

/// 4‖r₀‖/α from above, and β from both sides.
fn path_and_beta(at: &AtStart, lipschitz: Enclosure) -> (f64, Enclosure) {
    let path = (4.0 * Enclosure::exactly(at.residual.high) / Enclosure::exactly(0.5 * at.sigma.low)).high;
    let high = Enclosure::exactly(at.norm.high) + Enclosure::exactly(lipschitz.high) * Enclosure::exactly(path);
    (path, Enclosure { low: at.norm.low, high: high.high })
}
