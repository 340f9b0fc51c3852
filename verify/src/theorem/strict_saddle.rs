//! A way down: this point is not a local minimum.
//!
//! # Derivation
//! The curvature along U is 2⟨UᵀDU, S⟩ + 2τΣ|v_j|‖u_j‖² + 4Σωᵢqᵢ² = Σ_j 2v_j u_jᵀ(S ± τI)u_j + 4Σωᵢqᵢ², so where S + τI (if
//! there are positive output weights) and τI − S (if there are negative ones) are proved positive definite, no curvature is
//! negative. How U was found does not matter: it is a witness, and is part of the certificate.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "strict-saddle",
    title: "A way down: this point is not a local minimum",
    claim: "P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖² of the given quadratic network, as a function of its hidden weights W, has \
            curvature at most −c < 0 along the given direction U/‖U‖, so W is not a local minimum, whatever its gradient; \
            and the given step t leads to P(W + tU) ≤ P(W) − Δ, Δ > 0. Where ∇P(W) = 0, W is a strict saddle.",
    hypotheses: &["the curvature of P along U is negative", "P(W + tU) < P(W)"],
    evidence: "The coefficients of the quartic t ↦ P(W + tU), enclosed by outward rounding. U is a witness and part of the \
               certificate. The first hypothesis is refuted where S + τI and τI − S, for the signs that occur, are proved \
               positive definite (S = Σωᵢrᵢxᵢxᵢᵀ): then no curvature is negative.",
    limits: "About W for fixed output weights and affine part, on these rows. A gradient is proved small, never proved \
             zero. U need not be the direction of lowest curvature. That none is found proves nothing.",
    source: "Soltanolkotabi, Javanmard, Lee (2019), §6.2, with a coefficient corrected; decay, weights, the quartic and the \
             rounding bounds derived for this project.",
};
