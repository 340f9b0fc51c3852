//! Oymak and Soltanolkotabi, Figure 2, relu: random labels on the sphere, n = 100.

use super::success_map::Map;
use super::{Study, StudyLayout};

pub(super) const STUDY: Study = Study {
    name: "os-2-relu",
    source: "Oymak and Soltanolkotabi, Figure 2, relu",
    shows: "success over k and d, relu networks, n = 100 random labels on the sphere",
    published: "the boundary is kd = n",
    protocol: "As Figure 2a, with relu and step 0.1.",
    reasons: "The boundary of descent after 15000 iterations lies at about 1.5 to 2.5 times kd = n: many units are off on most \
                  samples, and the rest is a matter of speed. Levenberg–Marquardt does not apply to a kinked activation, so there \
                  is no second boundary. For odd k one output weight is zero, so thresholds are those of even k.",
    layout: StudyLayout::Map(Map {
        title: "Random labels on the sphere, relu, n = 100\nshare of runs that fit within 15000 iterations",
        sweeps: &[include_str!("os-2-relu.toml")],
        samples: 100,
        inputs: &[10, 14, 20, 25],
    }),
};
