//! Gradient descent on the hidden layer reaches zero error, at a rate.
//!
//! # Proof
//! The loss is ½‖r‖² with r = f − y (rows weighted by √wᵢ). Let J be the Jacobian in W, M = sup|φ''|,
//! Lip = M·max|v_l|·‖X‖·max‖xᵢ‖, so that ‖J(W) − J(W')‖ ≤ Lip·‖W − W'‖ (row i of the difference is
//! Σ_l v_l(φ'(w_l·xᵢ) − φ'(w'_l·xᵢ)) e_l⊗xᵢ, and the factors before xᵢ have norm at most M·max|v_l|·max‖xᵢ‖·‖W − W'‖).
//! Let β = ‖J₀‖ + (17/16)σ₀, η ≤ 1/(2β²), γ = 1 − ηβ²/2 − η·Lip·‖r₀‖/2, z = 2·Lip·‖r₀‖/(γσ₀²) ≤ 1, and s* the
//! smaller root of h(s) = γ(σ₀s − Lip·s²/2) = ‖r₀‖. Let s be the length of the path so far.
//!
//! One step: r⁺ = r − ηJ̄Jᵀr with the average J̄ of the Jacobian along the step, and with g = ‖Jᵀr‖
//! ‖J̄ − J‖ ≤ Lip·ηg/2. While s ≤ s* ≤ σ₀/Lip, ‖J̄‖ ≤ ‖J₀‖ + Lip·s + Lip·ηg/2 ≤ ‖J₀‖ + σ₀ + σ₀/16 = β, since
//! ηg ≤ ‖r₀‖/(2β), Lip·‖r₀‖ ≤ σ₀²/2 and β ≥ 2σ₀. So ‖r⁺‖² ≤ ‖r‖² − 2ηg²(1 − η·Lip·‖r‖/2) + η²β²g², hence
//! ‖r⁺‖ ≤ ‖r‖ − γηg²/‖r‖, and with g ≥ (σ₀ − Lip·s)‖r‖
//!
//! ```text
//! ‖r⁺‖ ≤ ‖r‖ − h'(s)·Δs,   Δs = ηg.                                                            (1)
//! ```
//!
//! h' decreases, so the sum of (1) gives h(s) + ‖r‖ ≤ ‖r₀‖. A step cannot jump over s*: by (1) h(s) + h'(s)Δs ≤
//! h(s) + ‖r‖ ≤ ‖r₀‖ = h(s*), and the tangent of the concave h at s lies above h, so it reaches h(s*) not after s*.
//! Finally g² ≥ (σ₀ − Lip·s*)²‖r‖² = σ₀²(1 − z)‖r‖² gives the rate. Larger Lip, ‖r₀‖, ‖J₀‖ and smaller σ₀ than the
//! true ones only weaken what is said, so bounds will do. ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "descent-converges",
    title: "Gradient descent on the hidden layer reaches zero error",
    claim: "Gradient descent on W with step η, from this start on these rows, reaches zero error: it stays within s* of \
            the start, and ‖r_{τ+1}‖ ≤ (1 − γησ₀²(1 − z))‖r_τ‖ in every step, where z = 2·Lip·‖r₀‖/(γσ₀²) and \
            γ = 1 − ηβ²/2 − η·Lip·‖r₀‖/2.",
    hypotheses: &["sup|φ''| is finite", "σ₀ = σ_min(J₀) > 0", "2·Lip·‖r₀‖ ≤ σ₀²", "2·Lip·‖r₀‖ ≤ γσ₀²"],
    evidence: "σ₀ by a Cholesky factorisation of J₀J₀ᵀ with Rump's shift, everything else with directed rounding.",
    limits: "About gradient descent in exact arithmetic, and about these rows. Assumes that φ and φ' are accurate to \
             4 ulp, which is tested and not proved.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 6.10 and Corollary 6.11, sharpened for this project; the proof is \
             in the file of the theorem.",
};
