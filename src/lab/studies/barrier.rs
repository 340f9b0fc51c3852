//! Gamarnik, Kızıldağ and Zadik, Theorem 2.1: the least risk over W of each rank.
//!
//! The teacher has m×d independent standard normal weights; M* = W*ᵀW*. No samples are involved, so there is no sweep.

use serde::Deserialize;

use super::safe_start::gaussian_teacher;
use super::study_runs::{Meter, Runs, marked, settings};
use super::threshold_marks::dashed_curve;
use super::{Drawn, Study, StudyFinding, StudyLayout, StudyTable};
use crate::draw::{Colour, Figure, Measured, Scale, measured};
use crate::error::{Error, Result};
use crate::landscape::{Landscape, PathEnd, descent_path};
use crate::linalg::{Matrix, map_tasks};
use crate::network::weighted_product;
use crate::random::{Purpose, Stream};
use crate::risk::{Objective, PopulationRisk};
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "barrier",
    source: "Gamarnik, Kızıldağ and Zadik, Theorem 2.1 (no figure there)",
    shows: "the least risk over W of each rank: exact, searched for by descent, and of random W",
    published: "L ≥ σ_min(W*)⁴ for rank-deficient W (with L = ½E r²)",
    protocol: "One Gaussian teacher of 16 units with 8 inputs; descent over r×d matrices from random starts.",
    reasons: "The published bound is not attained: the exact barrier of rank d − 1 is larger by the factor (d + 2)/(d + 1), and \
              descent finds it to rounding.",
    layout: StudyLayout::Runs(Runs { text: include_str!("barrier.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BarrierSettings {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    units: usize,
    inputs: usize,
    /// Of descent, for each rank.
    starts: u64,
    /// Random matrices of each rank.
    points: u64,
    iterations: usize,
}

/// The least risk over W of rank r: proved, searched for by descent, and of random W.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let settings: BarrierSettings = settings(text)?;
    if [settings.units as u64, settings.inputs as u64, settings.starts, settings.points].contains(&0) {
        let requirement = "one of units, inputs, starts and points, at least one of each";
        return Err(Error::unsuitable("the figure", requirement, 0));
    }
    let d = settings.inputs;
    let meter = Meter::new(watch, d * settings.starts as usize);
    let M_star = gaussian_teacher(settings.seed, (settings.units, d), 0);
    let landscape = Landscape::new(&M_star, vec![1.0; d])?;
    let exact = landscape.barriers().unwrap_or_default();
    let unit = landscape.barrier().unwrap_or(f64::NAN);
    let least = landscape.spectrum().last().map_or(f64::NAN, |s| s * s);
    let (mut rows, mut findings) = (vec![], vec![]);
    let (mut descended, mut random) = (vec![], vec![]);
    for (r, level) in exact.iter().enumerate().take(d) {
        let found = settings.searched(&M_star, r, &meter)?;
        let drawn = settings.drawn(&M_star, r)?;
        // Descent looks for the least risk, so its mark stands there; that of random W stands at the median.
        let kinds = [("descent", &found, &mut descended, 0), ("random W", &drawn, &mut random, drawn.len() / 2)];
        for (name, risks, marks, shown) in kinds {
            let [low, middle, high] = [0, risks.len() / 2, risks.len() - 1].map(|at| risks[at]);
            marks.push(Measured { x: r as f64, y: risks[shown], low, high });
            rows.push((name.to_owned(), vec![r as f64, risks.len() as f64, low, middle, high, *level, least]));
        }
        if r + 1 == d {
            let ratio = StudyFinding::exact(format!("least risk found at rank {r} over the barrier"), found[0] / level);
            findings.push(ratio);
            findings.push(StudyFinding { published: Some(least), ..StudyFinding::exact("the barrier, ours", unit) });
            findings.push(StudyFinding::exact("the barrier over the published bound", unit / least));
        }
    }
    let figure = settings.figure((descended, random), &exact, least);
    let columns = vec!["reading", "rank", "points", "least", "median", "most", "barrier", "published"];
    Ok(Drawn { figure, table: StudyTable { columns, rows }, findings, runs: d * settings.starts as usize })
}

impl BarrierSettings {
    fn figure(&self, (descended, random): (Vec<Measured>, Vec<Measured>), exact: &[f64], published: f64) -> Figure {
        let d = self.inputs;
        let curve = exact.iter().take(d).enumerate().map(|(r, level)| (r as f64, *level)).collect();
        let ends = vec![(0.0, published), (d as f64 - 1.0, published)];
        let kinds = [
            marked("random W: median and range", Colour::GREY, random),
            dashed_curve("exact barrier of the rank", curve, Colour::ORANGE),
            marked("least found by descent", Colour::BLUE, descended),
            dashed_curve("published bound σ⁴", ends, Colour::PURPLE),
        ];
        let below = format!("Gaussian teacher of {} units with {d} inputs, population risk", self.units);
        let title = format!("The energy barrier by rank\n{below}");
        measured(&title, ("rank of W", "risk L"), (Scale::Linear, Scale::Log), None, &kinds, &[])
    }

    /// Risks that descent over r×d matrices ends at, from the least.
    fn searched(&self, M_star: &Matrix, r: usize, meter: &Meter<'_>) -> Result<Vec<f64>> {
        let risk = PopulationRisk::new(M_star.clone(), vec![1.0; r])?;
        let one = |start: u64| {
            if meter.is_over() {
                return f64::NAN;
            }
            let mut W = vec![0.0; r * M_star.rows()];
            Stream::new(self.seed ^ r as u64, Purpose::Start, start).fill_normal(&mut W);
            let path = descent_path(&risk, &W, None, PathEnd { goal: 0.0, iterations: self.iterations }, meter.watch());
            meter.add(1);
            risk.value(&path.end).objective
        };
        let mut risks: Vec<f64> = map_tasks(self.starts as usize, |start| one(start as u64));
        risks.sort_by(f64::total_cmp);
        Ok(risks)
    }

    /// Risks of random r×d matrices, each at its best scale, from the least.
    fn drawn(&self, M_star: &Matrix, r: usize) -> Result<Vec<f64>> {
        let risk = PopulationRisk::new(M_star.clone(), vec![1.0; r])?;
        let d = M_star.rows();
        let one = |point: u64| {
            let mut stream = Stream::new(self.seed ^ (1 + r as u64), Purpose::Start, point);
            let W = Matrix::from_fn(r, d, |_, _| stream.normal());
            let M = weighted_product(&W, &vec![1.0; r], &W);
            // L is quadratic in the scale c of cM: ⟨M, M*⟩ + ½ tr M tr M* over ⟨M, M⟩ + ½ (tr M)².
            let trace = |A: &Matrix| (0..d).map(|i| A[(i, i)]).sum::<f64>();
            let inner = |A: &Matrix| {
                let dot: f64 = M.as_slice().iter().zip(A.as_slice()).map(|(a, b)| a * b).sum();
                dot + 0.5 * trace(&M) * trace(A)
            };
            let scale = if r == 0 { 0.0 } else { (inner(M_star) / inner(&M)).max(0.0).sqrt() };
            let W: Vec<f64> = W.as_slice().iter().map(|w| scale * w).collect();
            risk.value(&W).objective
        };
        let mut risks: Vec<f64> = map_tasks(self.points as usize, |point| one(point as u64));
        risks.sort_by(f64::total_cmp);
        Ok(risks)
    }
}
