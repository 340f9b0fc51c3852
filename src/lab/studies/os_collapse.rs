//! Beyond Oymak and Soltanolkotabi, Figure 2: is kd/n all that counts?

use super::success_curves::{CurveReading, Curves};
use super::{Study, StudyLayout};
use crate::draw::Colour;

const READINGS: [CurveReading; 3] = [
    CurveReading { name: "n = 100", samples: Some(100), is_published: true, ..CurveReading::OF_EVERY_RUN },
    CurveReading {
        name: "n = 200",
        samples: Some(200),
        colour: Colour::ORANGE,
        is_published: true,
        ..CurveReading::OF_EVERY_RUN
    },
    CurveReading {
        name: "n = 400",
        samples: Some(400),
        colour: Colour::GREEN,
        is_published: true,
        ..CurveReading::OF_EVERY_RUN
    },
];

pub(super) const STUDY: Study = Study {
    name: "os-collapse",
    source: "beyond Oymak and Soltanolkotabi, Figure 2",
    shows: "success over kd/n at n = 100 and 200 (400 in the full version), after Levenberg–Marquardt",
    published: "kd = n",
    protocol: "As Figure 2a, 1000 adaptive steps of descent, then Levenberg–Marquardt.",
    reasons: "Cells of all k and d lie on one curve: the boundary kd = n is that of the landscape. How sharp it is at each n, the \
                  intervals say.",
    layout: StudyLayout::Curves(Curves {
        title: "Random labels: kd/n is what counts\nsoftplus on the sphere, W trained, after Levenberg–Marquardt",
        sweeps: &[include_str!("os-collapse.toml")],
        along: ("k*d/n", "(kd/n)", "parameters over samples, kd/n"),
        readings: &READINGS,
        window: (0.6, 1.6),
        bin: 0.04,
        published: Some((1.0, "published: kd = n")),
        theory: &[],
    }),
};
