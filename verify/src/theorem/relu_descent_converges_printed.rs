//! Gradient descent on the hidden layer of a relu network reaches zero error, as published.
//!
//! # Note
//! β = sup|φ'|·‖v‖·‖X‖ bounds every Jacobian; the assumption on J near the start is checked by the count of `flips`.

use super::{Theorem, TheoremText};
use crate::arithmetic::Enclosure;
use crate::descent::{
    AtStart, Flips, Guarantee, JacobianPart, Proven, longest_step, never_refuted, output_norm, step_allowed,
};
pub use crate::descent::{DescentClaim as Claim, SpectrumProof as Proof};
use crate::error::Result;
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::network::Network;
use crate::rows::Rows;
use crate::words::rate_words;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "relu-descent-converges-printed",
    title: "Gradient descent on the hidden layer of a relu network reaches zero error, as published",
    claim: "Gradient descent on W with step η ≤ 1/(3β²), from this start on these rows: ‖r_τ‖ ≤ (1 − ηα²)^τ‖r₀‖ and \
            (α/3)‖W_τ − W₀‖ + ‖r_τ‖ ≤ ‖r₀‖, where α = σ_min(J₀)/2.",
    hypotheses: &[
        "φ is piecewise linear with one kink at 0",
        "σ₀ = σ_min(J₀) > 0",
        "‖J − J₀‖ ≤ α/3 within 3‖r₀‖/α of the start",
        "η ≤ 1/(3β²)",
    ],
    evidence: "As for relu-descent-converges; β = sup|φ'|·‖v‖·‖X‖ bounds every Jacobian.",
    limits: "About gradient descent in exact arithmetic, and about these rows. The count is an upper bound: where it is \
             too large the hypothesis is undecided, not refuted.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 6.13, with Assumption 4 checked by counting the units that can \
             change sides.",
};

/// Judge the claim.
pub fn judge(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    let at = AtStart::new(network, rows, JacobianPart::Hidden, proof)?;
    judge_at(network, &at, &Flips::new(network, rows)?, claim)
}

/// The same with the bounds of [`StartMatrices`](crate::descent::StartMatrices) at hand, for the hidden layer.
pub fn judge_at(network: &Network, at: &AtStart, flips: &Flips, claim: &Claim) -> Result<Judgement> {
    claim.check()?;
    let (theorem, kinked) = (Theorem::ReluDescentConvergesPrinted, flips.is_kinked());
    let alpha = Enclosure::exactly(0.5 * at.sigma.low);
    let radius = (3.0 * Enclosure::exactly(at.residual.high) / alpha).high;
    let off = flips.perturbation(at.inputs.high, radius);
    let margin = alpha / Enclosure::exactly(3.0) - Enclosure::exactly(off);
    let checks = vec![
        Check::count(theorem.hypothesis(0), if kinked { 0 } else { -1 }),
        Check::positive(theorem.hypothesis(1), at.sigma),
        // The count is an upper bound only.
        never_refuted(Check::between(theorem.hypothesis(2), margin.low, margin.high)),
        never_refuted(step_allowed(theorem.hypothesis(3), claim.step, 3.0, beta(network, at))),
    ];
    let decrease = (Enclosure::exactly(claim.step) * alpha.squared()).low.max(0.0);
    let slope = (alpha / Enclosure::exactly(3.0)).low;
    let proven = Proven { step: claim.step, residual: at.residual.high, decrease, path: radius, slope, bend: 0.0 };
    let facts = vec![Fact {
        name: "perturbation",
        value: off,
        side: Side::AtMost,
        about: "‖J − J₀‖ within 3‖r₀‖/α of the start",
    }];
    let judgement = Judgement::new(theorem, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!("the published condition holds: rate {} or better", rate_words(proven.rate())),
        _ => "the published condition is not met, or not proved to be; relu-descent-converges asks for less".into(),
    });
    Ok(Guarantee::new(judgement, proven, claim.tolerance).judgement)
}

/// A step to claim.
pub fn step_to_claim(network: &Network, at: &AtStart) -> f64 {
    longest_step(3.0, beta(network, at).high)
}

/// sup|φ'|·‖v‖·‖X‖ from above.
fn beta(network: &Network, at: &AtStart) -> Enclosure {
    let [slope, output] = [network.activation.slope_bound(), output_norm(network)].map(Enclosure::exactly);
    Enclosure::exactly((slope * output * Enclosure::exactly(at.inputs.high)).high)
}
