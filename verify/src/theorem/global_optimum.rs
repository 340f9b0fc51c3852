//! How far a quadratic network is from the best one.
//!
//! # Proof
//! Every dual point bounds every competitor from below: see `optimum/dual`. The objective of the network from above and from
//! below: see `optimum/primal`. What the gap is relative to: see `optimum/measure`.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "global-optimum",
    title: "How far a quadratic network is from the best one",
    claim: "P = ½Σωᵢrᵢ² + τΣ_l|v_l|‖S w_l‖² of the given network is within a relative tolerance of the least that any \
            network f(x) = Σ_l v_l(w_l·x)² + c + b·x of any width, with output weights of the allowed signs and the \
            allowed affine part, can reach on these rows. S = Diag(2^e) scales the inputs in the penalty, and is the \
            identity unless a fit balanced them. Where P is so small that only rounding is left of it, the gap is \
            relative to a floor: the largest of 1e-10 × P of the best function without units (affine, linear, constant \
            or zero, as allowed), min(1e-24, 1e-30/tolerance) × P of the zero function but at most 1e-10 × that of the \
            best constant, and 1e-290.",
    hypotheses: &[
        "the output weights have the allowed signs",
        "the affine part is of the allowed kind",
        "P − lower bound ≤ tolerance × max(P, floor)",
    ],
    evidence: "Convex duality: every dual point bounds every competitor from below. Sums with proven error bounds and \
               Cholesky factorisations with Rump's shift decide; no eigenvalue is believed. A claim that fails comes \
               with a better network.",
    limits: "About these rows, not about new ones. Where the unpenalised part cannot be proved to be determined by the \
             data, the competitors are bounded, and the bounds are part of the claim.",
    source: "Weak duality for training in M = Σ v_l w_l w_lᵀ, derived for this project; positive definiteness by Rump, \
             BIT 46 (2006) 433–452.",
};
