//! Descent from a scaled identity ends at the planted network for most Gaussian teachers.
//!
//! # Proof
//! With probability at least 1 − 2e^{−t²/2} all singular values of W* lie between √m − √d − t and √m + √d + t, so that all
//! eigenvalues s of M* lie between lo and hi, their squares. tr M* is χ² with N = md degrees of freedom: with x = t²/2,
//! N − 2√(Nx) ≤ tr M* ≤ N + 2√(Nx) + 2x but for a probability of 2e^{−x}. Then
//!
//! ```text
//! L(W₀) = Σ(γ − s_i)² + ½(dγ − tr M*)² ≤ d·max(|γ − lo|, |hi − γ|)² + ½T²,   T = |dγ − N| + 2√(Nx) + 2x,
//! ```
//!
//! the barrier is at least ((d+2)/(d+1))·lo², and safe-start applies when the first is below the second. ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "safe-start-gaussian",
    title: "Descent from a scaled identity ends at the planted network for most Gaussian teachers",
    claim: "Let W* be m×d with independent standard normal entries and W₀ᵀW₀ = γI. With probability at least 1 − 4e^{−t²/2} over \
            W*, every sequence from W₀ along which the population risk does not rise and whose limit points are stationary \
            has L → 0.",
    hypotheses: &[
        "m ≥ d",
        "√m − √d − t > 0",
        "d·max(|γ − lo|, |hi − γ|)² + ½T² < ((d+2)/(d+1))·lo², lo and hi = (√m ∓ (√d + t))², T = |dγ − md| + 2√(md)·t/√2 + t²",
        "4e^{−t²/2} < 1",
    ],
    evidence: "Formulas in m, d, γ and t with directed rounding; t is the largest of a search.",
    limits: "About the draw of the teacher, not about one teacher: safe-start judges a given one. About the population risk, \
             standard normal inputs, no noise. Assumes that exp is accurate to 4 ulp.",
    source: "Gamarnik, Kızıldağ and Zadik (2020), Theorems 2.4 and 2.5, made explicit for this project; tails of χ² by Laurent \
             and Massart (2000), Lemma 1. The proof is in the file of the theorem.",
};
