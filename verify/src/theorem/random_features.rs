//! Random features suffice: the output layer alone reaches zero error.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "random-features",
    title: "Random features suffice: the output layer alone reaches zero error",
    claim: "With these hidden weights held fixed, for every vector of labels some output weights reach zero error on \
            these rows, and least squares finds them.",
    hypotheses: &["there are at least as many units as rows", "σ_min(φ(XWᵀ)) > 0"],
    evidence: "A Cholesky factorisation of ΦΦᵀ with Rump's shift, and bounds on the errors of φ.",
    limits: "About these weights, not about random ones. Assumes that φ is accurate to 4 ulp, which is tested and not \
             proved.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 3.2, as the statement about one given W that can be computed.",
};
