//! Gradient descent on the hidden layer of a relu network reaches zero error, as published.
//!
//! # Note
//! β = sup|φ'|·‖v‖·‖X‖ bounds every Jacobian; the assumption on J near the start is checked by the count of `flips`.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "relu-descent-converges-printed",
    title: "Gradient descent on the hidden layer of a relu network reaches zero error, as published",
    claim: "Gradient descent on W with step η ≤ 1/(3β²), from this start on these rows: ‖r_τ‖ ≤ (1 − ηα²)^τ‖r₀‖ and \
            (α/3)‖W_τ − W₀‖ + ‖r_τ‖ ≤ ‖r₀‖, where α = σ_min(J₀)/2.",
    hypotheses: &[
        "φ is piecewise linear with one kink at 0",
        "σ₀ = σ_min(J₀) > 0",
        "‖J − J₀‖ ≤ α/3 within 3‖r₀‖/α of the start",
    ],
    evidence: "As for relu-descent-converges; β = sup|φ'|·‖v‖·‖X‖ bounds every Jacobian.",
    limits: "About gradient descent in exact arithmetic, and about these rows. The count is an upper bound: where it is \
             too large the hypothesis is undecided, not refuted.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 6.13, with Assumption 4 checked by counting the units that can \
             change sides.",
};
