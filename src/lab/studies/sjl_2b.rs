//! Soltanolkotabi, Javanmard and Lee, Figure 2b: planted softplus networks, success over d.

use super::sjl_2a::{READINGS, STOPPING};
use super::success_curves::{Curves, EVERYWHERE};
use super::{Study, StudyLayout};

pub(super) const STUDY: Study = Study {
    name: "sjl-2b",
    source: "Soltanolkotabi, Javanmard and Lee, Figure 2b",
    shows: "success over d, planted softplus networks with k = 10, n = 100",
    published: "d½ = 10.70; all succeed from d = 12",
    protocol: "As Figure 2a, with k = 10 and d varied.",
    reasons: STOPPING,
    layout: StudyLayout::Curves(Curves {
        title: "Planted softplus networks, more inputs\nn = 100, k = 10, both layers trained",
        sweeps: &[include_str!("sjl-2b.toml")],
        along: ("d", "d", "inputs d"),
        readings: &READINGS,
        window: EVERYWHERE,
        bin: 0.0,
        published: Some((10.7, "published 10.70")),
        theory: &[(10.0, "kd = n")],
    }),
};
