//! Gamarnik, Kızıldağ and Zadik, Theorem 2.6: when the interpolating quadratic network is the teacher.

use super::super::rule::{Rule, TEACHER_TOLERANCE};
use super::success_curves::{CurveReading, Curves, EVERYWHERE};
use super::{Study, StudyLayout};
use crate::draw::Colour;

const RECOVERED: Rule = Rule::RecoversTeacher { tolerance: TEACHER_TOLERANCE };

const READINGS: [CurveReading; 4] = [
    CurveReading { name: "rank 1", rule: RECOVERED, colour: Colour::GREY, ..CurveReading::OF_EVERY_RUN },
    CurveReading { sweep: 1, name: "rank 2", rule: RECOVERED, colour: Colour::GREEN, ..CurveReading::OF_EVERY_RUN },
    CurveReading { sweep: 2, name: "rank 5", rule: RECOVERED, colour: Colour::ORANGE, ..CurveReading::OF_EVERY_RUN },
    CurveReading { sweep: 3, name: "rank 10 = d", rule: RECOVERED, is_published: true, ..CurveReading::OF_EVERY_RUN },
];

pub(super) const STUDY: Study = Study {
    name: "identifiability",
    source: "Gamarnik, Kızıldağ and Zadik, Theorem 2.6 (no figure there)",
    shows: "when the interpolating quadratic network is the teacher, over n, by the rank of the teacher; d = 10",
    published: "n* = d(d + 1)/2 = 55 samples suffice",
    protocol: "x ~ N(0, I), z² networks of 20 units with v = 1, adaptive descent to 1e-7, then Levenberg–Marquardt; success is \
                   ‖M − M*‖ ≤ 1e-3 ‖M*‖.",
    reasons: "For teachers of full rank n* is exact: with one sample less some other positive semidefinite M fits as well. \
                  Teachers of low rank lie on the edge of the cone and are determined earlier.",
    layout: StudyLayout::Curves(Curves {
        title: "When is what interpolates the teacher?\nquadratic networks of 20 units, d = 10, teachers by rank",
        sweeps: &[
            include_str!("identifiability-1.toml"),
            include_str!("identifiability-2.toml"),
            include_str!("identifiability-5.toml"),
            include_str!("identifiability-full.toml"),
        ],
        along: ("n", "n", "samples n"),
        readings: &READINGS,
        window: EVERYWHERE,
        bin: 0.0,
        published: Some((55.0, "n* = d(d + 1)/2 = 55")),
        theory: &[],
    }),
};
