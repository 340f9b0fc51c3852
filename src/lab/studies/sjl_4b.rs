//! Soltanolkotabi, Javanmard and Lee, Figure 4b: random labels, quadratic networks, the error over k.

use super::remaining_errors::Errors;
use super::sjl_4a::LABELS;
use super::{Study, StudyLayout};

pub(super) const STUDY: Study = Study {
    name: "sjl-4b",
    source: "Soltanolkotabi, Javanmard and Lee, Figure 4b",
    shows: "error over k, quadratic networks with d = 20 and n = 100 random labels",
    published: "the error vanishes for kd > 1.5 n, k > 7.5",
    protocol: "As Figure 4a, with z² and step 0.002.",
    reasons: LABELS,
    layout: StudyLayout::Errors(Errors {
        title: "Random labels, quadratic\nn = 100, d = 20, both layers trained; bars show the range, zero is drawn at 1e-10",
        sweep: include_str!("sjl-4b.toml"),
        theory: &[(5.0, "kd = n")],
        published: (7.5, "published: zero beyond kd = 1.5 n"),
        units: &[10, 15],
    }),
};
