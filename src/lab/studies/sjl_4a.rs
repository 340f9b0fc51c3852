//! Soltanolkotabi, Javanmard and Lee, Figure 4a: random labels, softplus networks, the error over k.

use super::remaining_errors::Errors;
use super::{Study, StudyLayout};

/// Why ours differ, in both figures 4.
pub(super) const LABELS: &str = "The text trains 1ᵀφ(Wx), which softplus with v = 1 cannot fit to negative labels: both layers are trained \
     from v₀ = ±1. The error of descent at a given k is a matter of time; after Levenberg–Marquardt it is zero as soon as the \
     parameters suffice; with z², which conserves the signs of v, it stays where a start has too few units of one sign.";

pub(super) const STUDY: Study = Study {
    name: "sjl-4a",
    source: "Soltanolkotabi, Javanmard and Lee, Figure 4a",
    shows: "error over k, softplus networks with d = 10 and n = 100 random labels",
    published: "the error vanishes for kd > 1.5 n, k > 15",
    protocol: "x ~ N(0, I), y ~ N(0, 1), softplus(10z)/10, both layers trained from v₀ = ±1 with step 0.02.",
    reasons: LABELS,
    layout: StudyLayout::Errors(Errors {
        title: "Random labels, softplus\nn = 100, d = 10, both layers trained; bars show the range, zero is drawn at 1e-10",
        sweep: include_str!("sjl-4a.toml"),
        theory: &[(10.0, "kd = n")],
        published: (15.0, "published: zero beyond kd = 1.5 n"),
        units: &[20, 25],
    }),
};
