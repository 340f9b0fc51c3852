//! Stochastic gradient descent converges, as far as the published theorem has explicit constants.
//!
//! # Note
//! ν = 16 and η̄ = 1 in the notation of the paper.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "sgd-converges",
    title: "Stochastic gradient descent converges, as far as constants are explicit",
    claim: "With standard normal W₀ and output weights ±‖y‖/√(kn), stochastic gradient descent with the stated step \
            reduces the expected ‖r‖², on an event of the stated probability, by the stated rate in every step.",
    hypotheses: &[
        "B = max(sup|φ'|, sup|φ''|) is finite",
        "every row is a unit vector",
        "μ_φ = E gφ'(g) ≠ 0",
        "σ_min(X∗X) > 0",
        "√(kd) ≥ c(B²/μ_φ²)(1+δ)κ(X)n, with a constant c that is not given",
    ],
    evidence: "σ_min(X∗X) by a Cholesky factorisation of (XXᵀ)∘(XXᵀ) with Rump's shift; ν = 16, η̄ = 1.",
    limits: "The constant c of the last hypothesis is not published, so it is never decided and the theorem is never \
             said to hold; the other hypotheses can fail.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 2.6.",
};
