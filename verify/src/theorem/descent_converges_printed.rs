//! Gradient descent on the hidden layer reaches zero error, as published.
//!
//! # Note
//! Implied by `descent-converges`, which asks for eight times less and says more. β = ‖J₀‖ + 4·Lip·‖r₀‖/α bounds ‖J‖ on the ball
//! of radius 4‖r₀‖/α. Lip is made with sup|φ''| where the paper has one letter for sup|φ'| and sup|φ''|. The loss of the paper
//! is n times ours, so our step is n times theirs.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "descent-converges-printed",
    title: "Gradient descent on the hidden layer reaches zero error, as published",
    claim: "Gradient descent on W with step η ≤ 1/(2β²), from this start on these rows: ‖r_τ‖² ≤ (1 − ηα²/2)^τ‖r₀‖², \
            ¼α‖W_τ − W₀‖ + ‖r_τ‖ ≤ ‖r₀‖, and the path is at most 4‖r₀‖/α long, where α = σ_min(J₀)/2.",
    hypotheses: &["sup|φ''| is finite", "σ₀ = σ_min(J₀) > 0", "16·Lip·‖r₀‖ ≤ σ₀²"],
    evidence: "As for descent-converges; β = ‖J₀‖ + 4·Lip·‖r₀‖/α.",
    limits: "Implied by descent-converges, which asks for eight times less and says more. About exact arithmetic and \
             these rows.",
    source: "Oymak and Soltanolkotabi (2019), Corollary 6.11; their loss is n times ours.",
};
