//! Descent from this start ends at the planted network.
//!
//! # Proof
//! The sublevel set {L ≤ L(W₀)} is bounded, since ‖WᵀW − M*‖_F² ≤ L, so limit points exist. One of them, W, has L(W) ≤ L(W₀), which
//! is below the barrier: W has rank d. It is stationary: W(2A + tr(A)I) = 0, so 2A + tr(A)I = 0; its trace (2 + d)tr A = 0 gives
//! A = 0 and L(W) = 0. L does not rise and is continuous, so the whole sequence has L → 0. ∎

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "safe-start",
    title: "Descent from this start ends at the planted network",
    claim: "With x ~ N(0, I), every sequence from W₀ along which the population risk L does not rise and whose limit points \
            are stationary, such as gradient descent with a line search, has L → 0.",
    hypotheses: &[
        "v* = 1",
        "the teacher has no affine part",
        "W* has at least d rows",
        "σ_min(W*)² > 0",
        "v = 1 at the start",
        "the start has no affine part",
        "W₀ has at least d rows",
        "L(W₀) < ((d+2)/(d+1))·σ_min(W*)⁴",
    ],
    evidence: "L(W₀) from above and the barrier from below: a Cholesky factorisation with Rump's shift, sums with directed \
               rounding.",
    limits: "About descent on the population risk in exact arithmetic, with standard normal inputs, labels without noise and a \
             known teacher. A start above the barrier gets no promise; descent from there may succeed all the same.",
    source: "Gamarnik, Kızıldağ and Zadik (2020), Theorems 2.1 and 2.3, with the exact barrier of energy-barrier; the proof \
             is in the file of the theorem.",
};
