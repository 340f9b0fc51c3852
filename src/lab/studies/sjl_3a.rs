//! Soltanolkotabi, Javanmard and Lee, Figure 3a: planted quadratic networks, success over k.

use super::success_curves::{CurveReading, Curves, DARK_ORANGE, EVERYWHERE, descent};
use super::{Study, StudyLayout};
use crate::draw::Colour;

/// Both figures 3: as stated from every start, after LM up to the ceiling that hopeless signs set, and with v = 1 to
/// the right of the dip.
pub(super) const fn readings(dip: f64, ceiling: f64) -> [CurveReading; 5] {
    [
        CurveReading {
            name: "v₀ = ±1, 1e-2",
            rule: descent(1e-2, usize::MAX),
            all_starts: true,
            colour: Colour::GREEN,
            is_published: true,
            ..CurveReading::OF_EVERY_RUN
        },
        CurveReading {
            name: "v₀ = ±1, after LM",
            all_starts: true,
            to: ceiling,
            colour: Colour::GREY,
            ..CurveReading::OF_EVERY_RUN
        },
        CurveReading {
            sweep: 1,
            name: "v = 1, 1e-2",
            rule: descent(1e-2, usize::MAX),
            from: dip,
            is_published: true,
            ..CurveReading::OF_EVERY_RUN
        },
        CurveReading {
            sweep: 1,
            name: "v = 1, after LM",
            from: dip,
            colour: Colour::ORANGE,
            ..CurveReading::OF_EVERY_RUN
        },
        CurveReading {
            sweep: 1,
            name: "v = 1, after LM",
            all_starts: true,
            from: dip,
            colour: DARK_ORANGE,
            is_published: true,
            ..CurveReading::OF_EVERY_RUN
        },
    ]
}

const READINGS: [CurveReading; 5] = readings(5.0, 10.0);

/// Why ours differ, in both figures 3.
pub(super) const SIGNS: &str = "z² is 2-homogeneous, so descent conserves ‖w_j‖² − 2v_j² of every unit: an output weight that begins at −1 \
     stays negative, and a student with fewer than two positive units cannot fit a positive teacher. The stated start \
     therefore fails for reasons of sign up to large kd; the published number is near that of v = 1, where success is high \
     at small kd, dips near kd = n and returns. The threshold with v = 1 is that of the right branch. \
     Levenberg–Marquardt is not the flow of the gradient and can flip a sign, so both verdicts are shown; where all units \
     begin negative, one start in 2ᵏ, it hardly ever does, so that for k = 5 the share of networks of which all ten starts \
     succeed stops at (31/32)¹⁰ = 0.73, and the threshold is that of the rise.";

pub(super) const STUDY: Study = Study {
    name: "sjl-3a",
    source: "Soltanolkotabi, Javanmard and Lee, Figure 3a",
    shows: "success over k, planted quadratic networks with d = 20, n = 100, in both readings",
    published: "k½ = 5.5",
    protocol: "z² networks, step 0.002: as stated (v₀ = ±1, both layers trained, every start must succeed), and with v fixed at 1.",
    reasons: SIGNS,
    layout: StudyLayout::Curves(Curves {
        title: "Planted quadratic networks, more units\nn = 100, d = 20; v₀ = ±1 trained, and v = 1 fixed",
        sweeps: &[include_str!("sjl-3a.toml"), include_str!("sjl-3a-v1.toml")],
        along: ("k", "k", "hidden units k"),
        readings: &READINGS,
        window: EVERYWHERE,
        bin: 0.0,
        published: Some((5.5, "published 5.5")),
        theory: &[(5.0, "kd = n")],
    }),
};
