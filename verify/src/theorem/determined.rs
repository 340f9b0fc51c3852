//! Rows that determine a quadratic network.
//!
//! # Proof
//! xᵀMx is linear in M, so two M agree on the rows exactly if their difference is orthogonal to every xᵢxᵢᵀ: M is determined
//! if and only if these span all symmetric matrices, of dimension D. That is so when the D products x_a x_b (with an affine
//! part also 1 and x_a: the rows are then (1, x)) are independent on the rows. W is determined up to what leaves
//! Σ v_l w_l w_lᵀ unchanged.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "determined",
    title: "Rows that determine a quadratic network",
    claim: "Any two quadratic networks f(x) = Σ_l v_l(w_l·x)², of any width and signs, that agree on these rows are the \
            same function; in particular a network that interpolates planted labels is the planted function. With an \
            affine part the same for f(x) + c + b·x.",
    hypotheses: &[
        "at least D rows differ by more than their sign",
        "no exact relation among the columns and their products is found",
        "the D products of two inputs are linearly independent on the rows: rank − D ≥ 0",
    ],
    evidence: "D = d(d+1)/2, or (d+1)(d+2)/2 with an affine part, where 1 counts as an input and signs matter. Rows \
               are counted; relations are verified in every row in exact arithmetic; independence is proved by Rump's \
               Cholesky test on the Gram matrix of the products, if need be in a better basis. Beyond D = 5000 only \
               counts and relations decide. The dimension of the span and its open directions are estimates and decide \
               nothing.",
    limits: "About functions, not weights. Where the span is strict, a second network of any signs exists always; with \
             v ≥ 0 it need not (rows e₁, e₂ and M* = 0: Corollary 2.7 (b) lacks the hypothesis rank M* = d). Rows of \
             weight zero do not count. Near-dependence beyond the reach of doubles is undecided.",
    source: "Gamarnik, Kızıldağ, Zadik (2019), Theorems 2.6 (a) and 2.8 (b), Corollary 2.7 (a); the same argument for \
             any signs.",
};
