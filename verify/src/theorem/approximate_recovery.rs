//! Nearly stationary points of F without much negative curvature are near the teacher.
//!
//! # Notation
//! With α = c₁/a and β = μc₂/a at a_min and a_max, δ₀ > 0 with 8β_min δ₀³ ≥ τδ₀ + ε (or δ₀ = ε = τ = 0), ā = 2α_max(k − 1)δ₀²,
//! ξ = ε/(2(λ − ā)), ℓ² = 1 − (ā + ε)/(2λ) − (k − 1)δ₀²:
//! 0 < a_min ≤ a_max; σ̂_4 ≠ 0; 0 < μ < 12; λ > β_max; 2λ(1 − 4ξ²) > 2ā + τ;
//! α_min(1 − μ/12) > (2ε + τ)(1 + 4δ₀²) + 2ā; κ := 4(α_min + β_min)ℓ² − 2ā − 2ε − 4β_max δ₀² > 0.
//! Then δ₁ = ε/κ and η = (k − 1)δ₁²(1 + α_max/λ) + ε/(2λ).
//!
//! # Proof
//! In the coordinates and the notation of the proof of `designed-landscape`, α_i and β_i lie between their values at a_max (min)
//! and a_min (max). For a row x put A_i = 2ᾱ_i + γ − 4β_i x_i²; then |A_i x_i| ≤ ε. The hypotheses contain that ā < λ (the last but
//! two) and that 2ā < α_min, so (k − 1)δ₀² < ¼ (the last but one).
//!
//! 1. *At most one large entry.* Let δ > 0 be the second largest |x_i|, say |x_1| ≥ |x_2| = δ. The unit vector along
//!    x_2e_1 − x_1e_2, orthogonal to x, has the curvature (x_2²(A_1 − 8β_1x_1²) + x_1²(A_2 − 8β_2x_2²))/(x_1² + x_2²) ≤ ε/δ − 8β_min δ²,
//!    since x_1² ≥ x_2². It is at least −τ: 8β_min δ³ ≤ τδ + ε. The cubic 8β_min δ³ − τδ − ε changes its sign once, so δ ≤ δ₀.
//! 2. *No small row.* Some column i has |C_ji| ≤ δ₀ in all other rows (they have k − 1 large entries at most), so ᾱ_i ≤ ā. If
//!    ‖x‖² < ½, then γ < −2λ, A_i ≤ 2ā − 2λ < 0, |x_i| ≤ ε/(2λ − 2ā) = ξ, and the curvature along e_i is at most
//!    2ā − 2λ + 8λξ² < −τ. So ‖x‖² ≥ ½, and the largest entry has x_l² ≥ ½ − (k − 1)δ₀² ≥ ¼.
//! 3. *No two rows on one unit.* Else some column i has only entries of size ≤ δ₀, and two rows have their largest entries x_l, y_l
//!    in one column, x_l² ≤ y_l². Let r = x_i/x_l, |r| ≤ 2δ₀. Along e_i − re_l ⊥ x the curvature is
//!    2ᾱ_i + γ − 12β_i x_i² + r²(A_l − 8β_l x_l²) ≤ 2ā + γ + 8δ₀²ε, and γ = A_l + 4β_l x_l² − 2ᾱ_l ≤ 2ε − 4(α_l − β_l)x_l² ≤
//!    2ε − α_min(1 − μ/12), as ᾱ_l ≥ 2α_l y_l² and β_l = (μ/12)α_l. It is at least −τ(1 + 4δ₀²), against the hypothesis.
//! 4. *Nearer.* So the largest entries lie one in each column. In the row of unit l, ᾱ_l ≤ ā and |A_l| ≤ 2ε give
//!    γ ≥ 4β_l x_l² − 2ā − 2ε, hence ‖x‖² ≥ 1 − (ā + ε)/(2λ) and x_l² ≥ ℓ². (κ > 0 implies ℓ² > 0.) For j ≠ l, ᾱ_j ≥ 2α_jℓ²,
//!    so A_j ≥ 4α_min ℓ² + 4β_min ℓ² − 2ā − 2ε − 4β_max δ₀² = κ and |x_j| ≤ ε/κ = δ₁.
//! 5. *Lengths.* A_l = 2ᾱ_l + 4λ(‖x‖² − 1) − 4β_l x_l² is x_l²/t_l² = 1 − ᾱ_l/(2λ) − Σ_{j≠l} x_j² + A_l/(4λ), with
//!    ᾱ_l ≤ 2α_max(k − 1)δ₁². ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "approximate-recovery",
    title: "Nearly stationary points of F without much negative curvature are near the teacher",
    claim: "Let F be as in designed-landscape, of any teacher of k independent units with output weights between a_min and a_max, \
            and C_ji = √a_i⟨b_i, B_j⟩. Where every entry of ∂F/∂C is at most ε in size and no row block of ∂²F/∂C² has an \
            eigenvalue below −τ, each unit i has one row j of its own with |C_ji²/t_i² − 1| ≤ η, t_i² = 1/(1 − μc₂/(a_iλ)), and \
            |C_ji| ≤ δ₁ for all other rows.",
    hypotheses: &[
        "0 < a_min ≤ a_max",
        "σ̂_4 ≠ 0",
        "μ > 0",
        "μ < 12",
        "λ > β_max = μc₂/a_min",
        "2λ(1 − 4ξ²) > 2ā + τ, ξ = ε/(2(λ − ā)), ā = 2α_max(k−1)δ₀², 8β_min δ₀³ ≥ τδ₀ + ε",
        "α_min(1 − μ/12) > (2ε + τ)(1 + 4δ₀²) + 2ā",
        "κ = 4(α_min + β_min)ℓ² − 2ā − 2ε − 4β_max δ₀² > 0, ℓ² = 1 − (ā + ε)/(2λ) − (k−1)δ₀²",
    ],
    evidence: "Formulas in k, a_min, a_max, σ̂_4, μ, λ, ε and τ with directed rounding; δ₀ is proposed and its inequality \
               verified.",
    limits: "That the output weights lie between a_min and a_max, and that gradient and curvature are bounded by ε and τ, is \
             assumed. On estimated moments ε must cover the error of the estimate; no number of samples is promised.",
    source: "After Ge, Lee and Ma (2017), Theorems 2.3 (3) and 5.1 (3); all constants were derived for this project, the proof \
             is in the file of the theorem.",
};
