//! Separated rows, and what relu makes of them.
//!
//! # Arithmetic
//! Directions are computed with an error of at most 8u in norm (the sum of squares in twice the precision), distances in
//! plain arithmetic with (d+8)u relative; so δ lies between two proved numbers 32u and a few roundings apart. It is zero
//! for certain when two rows are multiples of each other, which is verified in exact arithmetic.
//!
//! # Note
//! The bound is loose, by about a factor of 1000 on random rows.

use super::TheoremText;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "separated-data",
    title: "Separated rows have a positive relu kernel",
    claim: "For φ = relu and the directions x̄ᵢ = xᵢ/‖xᵢ‖ of the rows, λ(X̄) = λ_min(E[(X̄X̄ᵀ) ∘ φ'(X̄w)φ'(X̄w)ᵀ]) ≥ \
            δ/(100n²) > 0, w ~ N(0, I), δ = min over i ≠ j of min(‖x̄ᵢ − x̄ⱼ‖, ‖x̄ᵢ + x̄ⱼ‖).",
    hypotheses: &["n ≥ 2", "no row is zero", "no row is exactly a multiple of another", "δ > 0"],
    evidence: "δ lies between two proved numbers about 32u apart: directions and distances with bounded rounding \
               errors. Rows that are multiples of each other are recognised in exact arithmetic.",
    limits: "About the kernel of wide networks at the start, not about a run. The width that Theorem 2.5 asks for \
             has an unspecified constant: no width is certified. Rows of weight zero do not count. Beyond n²d = 4e11 \
             pairs are not compared.",
    source: "Oymak and Soltanolkotabi (2019), Theorem I.1 and Corollary I.2.",
};
