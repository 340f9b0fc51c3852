//! Wide quadratic networks have no bad minima.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "wide-quadratic",
    title: "Wide quadratic networks have no bad minima",
    claim: "With φ(z) = z² and v fixed, every local minimum of W ↦ L(W) is global, and every other stationary point \
            has a direction of negative curvature.",
    hypotheses: &["v has at least d positive entries", "v has at least d negative entries"],
    evidence: "Two integer margins. No tolerance is involved.",
    limits: "About the landscape, not about the point where a run stopped: pair it with global-optimum, which bounds \
             the gap of one given W.",
    source: "Soltanolkotabi, Javanmard, Lee (2019), Theorem 2.1. Their L is ours.",
};
