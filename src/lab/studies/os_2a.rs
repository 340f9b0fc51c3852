//! Oymak and Soltanolkotabi, Figure 2a: random labels on the sphere, softplus, n = 100.

use super::success_map::Map;
use super::{Study, StudyLayout};

/// Why ours differ, in both figures 2.
pub(super) const SPEED: &str = "kd = n is the boundary of the landscape: with Levenberg–Marquardt after descent every d ≥ 4 lies on one curve \
     in kd/n. The boundary after 15000 iterations of descent lies further out and is a matter of speed. For odd k one output \
     weight is zero, so thresholds are those of even k.";

pub(super) const STUDY: Study = Study {
    name: "os-2a",
    source: "Oymak and Soltanolkotabi, Figure 2a",
    shows: "success over k and d, softplus networks, n = 100 random labels on the sphere",
    published: "the boundary is kd = n",
    protocol: "x on the unit sphere, y ~ N(0, 1), v = ±‖y‖/√(kn) fixed, W₀ ~ N(0, 1), step 0.15 of ½Σr², relative error \
                   2.5e-3 within 15000 iterations.",
    reasons: SPEED,
    layout: StudyLayout::Map(Map {
        title: "Random labels on the sphere, softplus, n = 100\nshare of runs that fit within 15000 iterations",
        sweeps: &[include_str!("os-2a.toml"), include_str!("os-2a-lm.toml")],
        samples: 100,
        inputs: &[10, 15, 20, 25],
    }),
};
