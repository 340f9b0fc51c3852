//! The network is wide enough for gradient descent from a random start, with a stated probability.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "wide-enough",
    title: "The network is wide enough for gradient descent from a random start",
    claim: "With standard normal W₀ and output weights ±‖y‖/√(kn), half of each sign, gradient descent on W reaches zero \
            error at the rate 1 − λ(X)/(32B²‖X‖²) with probability at least 1 − 1/n − exp(−δ²n/(2‖X‖²)), δ = 1.",
    hypotheses: &[
        "B = max(sup|φ'|, sup|φ''|) is finite",
        "k is even",
        "every row is a unit vector",
        "λ(X) > 0",
        "√k ≥ 32B(1 + (1+δ)B)√n‖X‖/λ(X)",
        "k ≥ 20 ln(n) B²‖X‖²/λ(X)",
    ],
    evidence: "λ(X) by a Cholesky factorisation of the kernel matrix with Rump's shift.",
    limits: "About random starts, with the stated probability, not about one at hand. Entries of the kernel are taken as \
             accurate to 1e-12, which is tested and not proved.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 6.2 with the constant of (6.18); the probability as corrected.",
};
