//! A stationary point of full rank is a global minimum.
//!
//! # Proof
//! With s the common sign (any, if τ = 0) and T = S + sτI, S = Σωᵢrᵢxᵢxᵢᵀ, row j of ∇P is 2v_jTw_j. So the
//! matrix with rows ∇_jP/(2v_j) is W_IT, and σ_min(W_I)‖T‖ ≤ ‖W_IT‖_F = g. As in `approximate-minimum`,
//! P(W) − P(M̂) ≤ ½⟨W, ∇P⟩ − ⟨S, M̂⟩ − τ‖M̂‖_*, and −⟨S, M̂⟩ = −⟨T, M̂⟩ + sτ tr M̂ ≤ ‖T‖‖M̂‖_* + τ‖M̂‖_*.
//! The same for the population risk of Gaussian inputs and a planted M*, which is not computed here: G = 2A + tr(A)I,
//! A = M − M*, takes the place of S (∇L = 2DWG); ‖G‖_F² = 4‖A‖_F² + (4 + d)(tr A)², and so
//! L = ‖A‖_F² + ½(tr A)² ≤ ¼‖G‖_F² ≤ ¼g²/σ_min(W_I)².

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "full-rank-stationary",
    title: "A stationary point of full rank is a global minimum",
    claim: "Let W_I be the rows of W with v_j ≠ 0, of rank d, and g² = Σ_{j∈I}‖∇_jP‖²/(2v_j)². Then \
            P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖² is at most P(M̂) + ½⟨W,∇P⟩ + R·g/σ_min(W_I) for every quadratic network M̂ of \
            any width and signs with the same affine part and ‖M̂‖_* ≤ R. In particular ∇P = 0 makes W a global minimum.",
    hypotheses: &[
        "there is no decay, or all output weights have one sign",
        "at least d units have v_j ≠ 0 and w_j ≠ 0",
        "σ_min(W_I) > 0",
        "½⟨W,∇P⟩ + R·g/σ_min(W_I) ≤ tolerance × max(P, P of the affine part alone, 1e-290), and < P",
    ],
    evidence: "Counts; σ_min by Rump's Cholesky test; g and ½⟨W,∇P⟩ by outward rounding.",
    limits: "About these rows and competitors up to the size R, which is part of the claim. A gradient is proved small, \
             never zero. Stationary points of lower rank (W = 0, padded narrower networks) are not covered.",
    source: "Gamarnik, Kızıldağ, Zadik (2019), Theorem 2.3, for the population risk; Soltanolkotabi, Javanmard, Lee (2019), \
             proof of Theorem 2.1, case I. The quantitative form derived for this project.",
};
