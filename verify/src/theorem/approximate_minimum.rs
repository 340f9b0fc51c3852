//! How far a quadratic network is from any competitor of a given size.
//!
//! # Proof
//! With M = Σ v_jw_jw_jᵀ and r̂ the residual of M̂, ½r² − ½r̂² ≤ r(r − r̂) gives L(M) − L(M̂) ≤ ⟨S, M − M̂⟩, and
//! ⟨S, M⟩ + τΣ|v_j|‖w_j‖² = ½⟨W, ∇P⟩ since ∇P = 2DWS + 2τ|D|W. What is left, −⟨S, M̂⟩ − τ‖M̂‖_*, is at most
//! (‖S‖ − τ)‖M̂‖_*, and −⟨S + τI, M̂⟩ ≤ σ tr M̂ for M̂ ⪰ 0. If r̂ = 0, then L(M) = ½⟨S, M − M̂⟩ exactly: half of it.
//!
//! # Note
//! The published condition on an approximate local minimum (v = ν1, k > d, ∇²L ⪰ −ε_H) implies S ⪰ −(ε_H/2ν)I, hence
//! P(W) − P(M̂) ≤ ½‖∇‖‖W‖ + (ε_H/2ν) tr M̂; σ is measured instead, and is never larger. The constants of the paper are 2 to 4
//! times larger than necessary.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "approximate-minimum",
    title: "How far a quadratic network is from any competitor of a given size",
    claim: "P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖² of the given network is at most P of every quadratic network M̂ of any width, \
            with output weights of the allowed signs, the same affine part and ‖M̂‖_* ≤ R, plus ½⟨W, ∇P⟩ + σR; \
            S = Σωᵢrᵢxᵢxᵢᵀ, and σ = max(0, ‖S‖ − τ), for v ≥ 0 max(0, −λ_min(S) − τ), for v ≤ 0 max(0, λ_max(S) − τ). \
            Where the labels are those of such a network and τ = 0, P(W) is at most half of that sum.",
    hypotheses: &[
        "the output weights have the allowed signs",
        "½⟨W,∇P⟩ + σR ≤ tolerance × max(P, P of the affine part alone, 1e-290), and < P",
    ],
    evidence: "½⟨W,∇P⟩ by outward rounding; σ by Rump's Cholesky test on S within a proved radius. No Hessian and no \
               eigenvalue takes part.",
    limits: "About these rows and competitors up to the size R, which is part of the claim. ∇²L ⪰ −ε_H, for v = ν1 and \
             k > d, implies σ ≤ ε_H/(2ν): the published bound for approximate local minima, with its constants corrected, \
             follows and is never smaller.",
    source: "After Soltanolkotabi, Javanmard, Lee (2019), Theorem 2.2, (2.1); this form derived for this project.",
};
