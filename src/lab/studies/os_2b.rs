//! Oymak and Soltanolkotabi, Figure 2b: random labels on the sphere, softplus, n = 200.

use super::os_2a::SPEED;
use super::success_map::Map;
use super::{Study, StudyLayout};

pub(super) const STUDY: Study = Study {
    name: "os-2b",
    source: "Oymak and Soltanolkotabi, Figure 2b",
    shows: "success over k and d, softplus networks, n = 200 random labels on the sphere",
    published: "the boundary is kd = n, sharper than at n = 100",
    protocol: "As Figure 2a, with n = 200.",
    reasons: SPEED,
    layout: StudyLayout::Map(Map {
        title: "Random labels on the sphere, softplus, n = 200\nshare of runs that fit within 15000 iterations",
        sweeps: &[include_str!("os-2b.toml"), include_str!("os-2b-lm.toml")],
        samples: 200,
        inputs: &[12, 16, 20, 25],
    }),
};
