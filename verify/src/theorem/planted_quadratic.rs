//! Every local minimum is global, and its error is known in advance.
//!
//! # Proof
//! `wide-quadratic` makes local minima global. Independent xᵢxᵢᵀ mean that some symmetric M has xᵢᵀMxᵢ = yᵢ − c −
//! b·xᵢ for all i, and d units of each sign represent any M: the global minimum is 0. The Gram matrix of the xᵢxᵢᵀ is
//! (XXᵀ)∘(XXᵀ). With v ≥ 0 and d positive entries let W be a local minimum, so ∇L = 2DWS = 0. Either the rows with
//! v_j > 0 have rank d, and S = 0; or some a ≠ 0 on them has aᵀDW = 0, the curvature along abᵀ is 2(aᵀDa)(bᵀSb) ≥ 0, and
//! S ⪰ 0. In both cases L(M) − L(M*) ≤ ⟨S, M − M*⟩ = −⟨S, M*⟩ ≤ 0 for every M* ⪰ 0. Full row rank of X∗X, "for almost
//! every X" and d ≤ n ≤ cd² in the published theorem are not needed there.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "planted-quadratic",
    title: "Every local minimum is global, and its error is known in advance",
    claim: "With φ(z) = z², v fixed and no decay, every local minimum of W ↦ L(W) = ½Σωᵢrᵢ² fits the given inputs exactly \
            (L = 0), whatever their labels, and every other stationary point has a direction of negative curvature. With \
            a planted network at hand, whose output weights have one sign: every local minimum has L ≤ L(planted).",
    hypotheses: &[
        "there is no decay",
        "v has at least d positive entries",
        "v has at least d negative entries",
        "no row is zero or equal to another up to its sign, and n ≤ d(d+1)/2",
        "the matrices xᵢxᵢᵀ are linearly independent",
        "the planted output weights have one sign",
        "at least d output weights have that sign, and none the other",
    ],
    evidence: "Counts, and λ_min((XXᵀ)∘(XXᵀ)) > 0 by Rump's Cholesky test after scaling each row by a power of two. The \
               last two hypotheses take the place of the four before them where a planted network is given.",
    limits: "About the landscape, not about the point where a run stopped. With v ≥ 0 and labels that are not planted it is \
             false (d = n = 1, y = −1). Rows of weight zero do not count.",
    source: "Soltanolkotabi, Javanmard, Lee (2019), Theorems 2.1 (second part) and 2.2: n ≥ d and, with planted labels, the \
             condition on X are not needed.",
};
