//! Soltanolkotabi, Javanmard and Lee, Figure 3b: planted quadratic networks, success over d.

use super::sjl_3a::{SIGNS, readings};
use super::success_curves::{CurveReading, Curves, EVERYWHERE};
use super::{Study, StudyLayout};

const READINGS: [CurveReading; 5] = readings(20.0, 35.0);

pub(super) const STUDY: Study = Study {
    name: "sjl-3b",
    source: "Soltanolkotabi, Javanmard and Lee, Figure 3b",
    shows: "success over d, planted quadratic networks with k = 5, n = 100, in both readings",
    published: "d½ = 25.40",
    protocol: "As Figure 3a, with k = 5 and d varied.",
    reasons: SIGNS,
    layout: StudyLayout::Curves(Curves {
        title: "Planted quadratic networks, more inputs\nn = 100, k = 5; v₀ = ±1 trained, and v = 1 fixed",
        sweeps: &[include_str!("sjl-3b.toml"), include_str!("sjl-3b-v1.toml")],
        along: ("d", "d", "inputs d"),
        readings: &READINGS,
        window: EVERYWHERE,
        bin: 0.0,
        published: Some((25.4, "published 25.40")),
        theory: &[(20.0, "kd = n")],
    }),
};
