//! Gradient descent on both layers reaches zero error, at a rate.
//!
//! # Notation
//! Lip(ρ) = ‖X‖(p + √(p² + 4B²))/2 with p = M(max|v_l| + ρ)max‖xᵢ‖; B bounds |φ'| everywhere, or for z² on what the ball of
//! radius ρ can reach.
//!
//! # Proof
//! As for `descent-converges`, with a Lipschitz constant that holds within ρ of the start. For (W, v) and (W', v') in
//! that ball the difference of row i of J is (Δ_i ⊗ xᵢ, φ(W xᵢ) − φ(W'xᵢ)) with
//! Δ_i = v∘φ'(Wxᵢ) − v'∘φ'(W'xᵢ), so ‖Δ_i‖ ≤ p‖W − W'‖ + B‖v − v'‖; and ‖φ(XWᵀ) − φ(XW'ᵀ)‖ ≤ B‖X‖‖W − W'‖. The norm of
//! the whole is at most ‖X‖ times that of the matrix [p B; B 0] applied to (‖W − W'‖, ‖v − v'‖), whose norm is
//! (p + √(p² + 4B²))/2. The iterates, and the averages of a step that begins within s*, stay within
//! s* + ‖r₀‖/(2β) ≤ ρ. ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "both-layers-converge",
    title: "Gradient descent on both layers reaches zero error",
    claim: "Gradient descent on (W, v) with step η, from this start on these rows, reaches zero error: it stays within \
            s* of the start, and ‖r_{τ+1}‖ ≤ (1 − γησ₀²(1 − z))‖r_τ‖ in every step, where \
            z = 2·Lip(ρ)·‖r₀‖/(γσ₀²).",
    hypotheses: &[
        "sup|φ''| is finite",
        "σ₀ = σ_min(J₀) > 0",
        "2·Lip(ρ)·‖r₀‖ ≤ σ₀²",
        "2·Lip(ρ)·‖r₀‖ ≤ γσ₀²",
        "s* + ‖r₀‖/(2β) ≤ ρ",
    ],
    evidence: "As for descent-converges, with a Lipschitz constant that holds within ρ of the start; some ρ are tried.",
    limits: "About gradient descent in exact arithmetic, and about these rows. Where no ρ that was tried will do, it is \
             undecided, not refuted.",
    source: "The setting of Soltanolkotabi, Javanmard and Lee (2019), Theorem 2.5, whose constants are unspecified; \
             derived for this project, with the proof in the file of the theorem.",
};
