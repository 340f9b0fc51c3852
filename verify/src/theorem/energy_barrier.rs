//! Rank-deficient networks cannot come close to a planted quadratic one.
//!
//! # Proof
//! Let M = WᵀW, M* = W*ᵀW*, A = M − M*; E(xᵀAx)² = 2‖A‖_F² + (tr A)² gives L = ‖A‖_F² + ½(tr A)². A rank below d gives a unit x
//! with Mx = 0. In an orthonormal basis that ends with x, A consists of a block B of size d − 1, a column c and the corner −α,
//! α = xᵀM*x ≥ λ_min(M*) =: λ > 0. With τ = tr B, ‖B‖_F² ≥ τ²/(d − 1) (Cauchy and Schwarz; B is absent for d = 1), so
//!
//! ```text
//! L ≥ τ²/(d−1) + α² + ½(τ − α)² ≥ α²(1/(d+1) + 1) = α²(d+2)/(d+1) ≥ λ²(d+2)/(d+1),
//! ```
//!
//! the middle step with the best τ = α(d − 1)/(d + 1). Equality: x the last eigenvector of M*, M equal to M* + λ/(d + 1) on the
//! others, which is positive semidefinite and of rank d − 1. ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "energy-barrier",
    title: "Rank-deficient networks cannot come close to a planted quadratic one",
    claim: "With x ~ N(0, I), every network Σ(w_j·x)² of any width whose W has a rank below d has the population risk \
            L = ½E r² ≥ ((d+2)/(d+1))·σ_min(W*)⁴, and some such network attains it.",
    hypotheses: &["v* = 1", "the teacher has no affine part", "W* has at least d rows", "σ_min(W*)² > 0"],
    evidence: "λ_min(W*ᵀW*) by a Cholesky factorisation with Rump's shift, everything else with directed rounding.",
    limits: "About the population risk: that inputs are standard normal and labels without noise is assumed, not checked. \
             Students have output weights 1.",
    source: "Gamarnik, Kızıldağ and Zadik (2020), Theorem 2.1, whose risk is twice ours; the exact value was derived for \
             this project, the proof is in the file of the theorem.",
};
