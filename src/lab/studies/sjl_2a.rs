//! Soltanolkotabi, Javanmard and Lee, Figure 2a: planted softplus networks, success over k.

use super::success_curves::{CurveReading, Curves, DARK_ORANGE, EVERYWHERE, descent};
use super::{Study, StudyLayout};
use crate::draw::Colour;

/// Both figures 2 of Soltanolkotabi, Javanmard and Lee are read alike.
pub(super) const READINGS: [CurveReading; 5] = [
    CurveReading { name: "descent to 1e-2 in 20000", rule: descent(1e-2, 20_000), ..CurveReading::OF_EVERY_RUN },
    CurveReading {
        name: "descent to 1e-2",
        rule: descent(1e-2, 20_000),
        all_starts: true,
        colour: Colour::GREEN,
        is_published: true,
        ..CurveReading::OF_EVERY_RUN
    },
    CurveReading {
        name: "descent to 1e-2 in 40000",
        rule: descent(1e-2, 40_000),
        colour: Colour::GREY,
        ..CurveReading::OF_EVERY_RUN
    },
    CurveReading { name: "after LM", colour: Colour::ORANGE, ..CurveReading::OF_EVERY_RUN },
    CurveReading {
        name: "after LM",
        all_starts: true,
        colour: DARK_ORANGE,
        is_published: true,
        ..CurveReading::OF_EVERY_RUN
    },
];

/// Why ours differ, in both figures 2.
pub(super) const STOPPING: &str = "The publication does not say when a run ends. By descent the threshold moves with the tolerance and the \
     number of iterations (over k from 9.8 to 14.1); after Levenberg–Marquardt, a stand-in for infinite time, it does not. Success \
     of every start of a network is a harder demand than success of one, so that curve lies to the right.";

pub(super) const STUDY: Study = Study {
    name: "sjl-2a",
    source: "Soltanolkotabi, Javanmard and Lee, Figure 2a",
    shows: "success over k, planted softplus networks with d = 10, n = 100",
    published: "k½ = 11.40; all succeed from k = 13",
    protocol: "x ~ N(0, I), W* and W₀ with entries N(0, 1/d), v* = 1, v₀ = ±1, both layers trained with step 0.05.",
    reasons: STOPPING,
    layout: StudyLayout::Curves(Curves {
        title: "Planted softplus networks, more units\nn = 100, d = 10, both layers trained",
        sweeps: &[include_str!("sjl-2a.toml")],
        along: ("k", "k", "hidden units k"),
        readings: &READINGS,
        window: EVERYWHERE,
        bin: 0.0,
        published: Some((11.4, "published 11.40")),
        theory: &[(10.0, "kd = n")],
    }),
};
