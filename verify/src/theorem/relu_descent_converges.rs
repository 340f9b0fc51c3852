//! Gradient descent on the hidden layer of a relu network reaches zero error, at a rate.
//!
//! # Notation
//! For row i, m_i is the largest number of units whose (w_l·xᵢ)² sum to at most R²‖xᵢ‖², and
//! ε = jump·max|v|·min(‖X‖√max m_i, √(Σ wᵢm_i‖xᵢ‖²)); κ = (5/6)(σ₀ − ε) − 2ε.
//!
//! # Proof
//! While ‖W − W₀‖ ≤ R every Jacobian J, and every average J̄ of Jacobians, is within ε of J₀: unit l changes sides on row
//! i only if |w_l·xᵢ| ≤ |(w'_l − w_l)·xᵢ|, and Σ_l((w'_l − w_l)·xᵢ)² ≤ R²‖xᵢ‖², so at most m_i units do; row i of the
//! difference is then Σ over those of jump·v_l e_l⊗xᵢ, whose factor before xᵢ has norm at most jump·max|v|·√m_i. Let
//! β = ‖J₀‖ + ε, g = ‖Jᵀr‖, r⁺ = r − ηJ̄Jᵀr. ‖J̄ − J‖ ≤ 2ε, so ‖r⁺‖² ≤ ‖r‖² − 2η(g² − 2ε‖r‖g) + η²β²g² and
//!
//! ```text
//! ‖r⁺‖ ≤ ‖r‖ − ηg((1 − ηβ²/2)g/‖r‖ − 2ε) ≤ ‖r‖ − κηg,
//! ```
//!
//! because g ≥ (σ₀ − ε)‖r‖ and ηβ²/2 = 1/6. Summed up: κ·path + ‖r‖ ≤ ‖r₀‖. The next iterate is within R, too:
//! ηg ≤ ηβ‖r‖ ≤ ‖r‖/(3β) ≤ ‖r‖/κ, so path + ηg ≤ (‖r₀‖ − ‖r‖)/κ + ‖r‖/κ ≤ R. g ≥ (σ₀ − ε)‖r‖ gives the rate. ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "relu-descent-converges",
    title: "Gradient descent on the hidden layer of a relu network reaches zero error",
    claim: "Gradient descent on W with step η = 1/(3β²), from this start on these rows, reaches zero error: it stays \
            within ‖r₀‖/κ of the start, and ‖r_{τ+1}‖ ≤ (1 − ηκ(σ₀ − ε))‖r_τ‖ in every step, where \
            κ = (5/6)(σ₀ − ε) − 2ε.",
    hypotheses: &["φ is piecewise linear with one kink at 0", "σ₀ = σ_min(J₀) > 0", "‖r₀‖ ≤ κR for some R"],
    evidence: "σ₀ by a Cholesky factorisation of J₀J₀ᵀ with Rump's shift; ε = sup‖J − J₀‖ over the ball of radius R by \
               counting the units that can change sides on each row.",
    limits: "About gradient descent in exact arithmetic, with φ'(0) as this program takes it, and about these rows. \
             Where the condition is not met for any R that was tried, it is undecided, not refuted.",
    source: "After Oymak and Soltanolkotabi (2019), Theorem 6.13, sharpened for this project; the proof is in the file \
             of the theorem.",
};
