//! Gamarnik, Kızıldağ and Zadik drew no figures: starts below the barrier, and the barrier itself.
//!
//! Teachers have m×d independent standard normal weights; M* = W*ᵀW*. No samples are involved, so there is no sweep.

use rayon::prelude::*;
use serde::Deserialize;

use super::super::logistic::Sample;
use super::super::statistics::wilson;
use super::super::sweep::Watch;
use super::super::threshold::threshold;
use super::study_runs::{Meter, settings};
use super::threshold_marks::{dashed_curve, finding, fitted, half_words};
use super::{Drawn, Finding, Table};
use crate::draw::{Colour, Measured, Measurements, Scale, measured};
use crate::error::{Error, Result};
use crate::landscape::{Landscape, descent_path, paper_scale, scaled_identity};
use crate::linalg::{Matrix, gram_of_rows};
use crate::network::weighted_product;
use crate::random::{Purpose, Stream};
use crate::risk::{Objective, PopulationRisk};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Starts {
    #[serde(rename = "name")]
    _name: String,
    seed: u64,
    inputs: Vec<usize>,
    /// For each width.
    teachers: u64,
    width: Widths,
}

/// Values of m/d².
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Widths {
    from: f64,
    to: f64,
    step: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Barrier {
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

/// M* of a teacher of m units; the index numbers the teachers of this shape.
fn teacher(seed: u64, (m, d): (usize, usize), index: u64) -> Matrix {
    let seed = seed ^ ((m as u64) << 24) ^ d as u64;
    let row = |i: usize, row: &mut [f64]| Stream::new(seed, Purpose::Teacher, index << 24 | i as u64).fill_normal(row);
    gram_of_rows(m, d, row)
}

/// Whether L at √γ·[I; 0] is below the barrier. Only M = WᵀW counts, so a student of d units is enough.
fn is_safe(M_star: &Matrix, gamma: f64) -> Result<bool> {
    let d = M_star.rows();
    let barrier = Landscape::new(M_star, vec![1.0; d])?.barrier().unwrap_or(f64::NAN);
    let risk = PopulationRisk::new(M_star.clone(), vec![1.0; d])?;
    Ok(risk.value(scaled_identity((d, d), gamma).as_slice()).objective < barrier)
}

/// P(L(W₀) < barrier) over m/d², for both scales of the start.
pub(super) fn safe_start(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    const COLOURS: [[Colour; 2]; 3] = [
        [Colour::Rgb(140, 190, 230), Colour::Rgb(245, 185, 120)],
        [Colour::BLUE, Colour::ORANGE],
        [Colour::Rgb(20, 55, 100), Colour::Rgb(140, 65, 0)],
    ];
    let of: Starts = settings(text)?;
    let is_grid = of.width.step > 0.0 && (0.0..=1e4).contains(&((of.width.to - of.width.from) / of.width.step));
    if !is_grid || of.teachers == 0 {
        let requirement = "widths that rise in steps, and at least one teacher";
        return Err(Error::Parameter { name: "the figure", requirement, value: format!("{:?}", of.width) });
    }
    let (Widths { from, to, step }, trials) = (&of.width, of.teachers);
    let shares: Vec<f64> = (0..=((to - from) / step).round() as usize).map(|i| from + step * i as f64).collect();
    let meter = Meter::new(watch, of.inputs.len() * shares.len() * trials as usize);
    let (mut kinds, mut rows, mut findings) = (vec![], vec![], vec![]);
    for (at, &d) in of.inputs.iter().enumerate() {
        let colours = COLOURS[at % COLOURS.len()];
        let counted: Vec<(f64, [usize; 2])> = shares.iter().map(|x| of.count(d, *x, &meter)).collect::<Result<_>>()?;
        for (which, name) in ["γ = m", "γ = m + 4d"].into_iter().enumerate() {
            let name = format!("{name}, d = {d}");
            let groups = |successes: usize| (0..trials as usize).map(|i| (usize::from(i < successes), 1)).collect();
            let samples: Vec<Sample> =
                counted.iter().map(|(x, counts)| Sample { x: *x, groups: groups(counts[which]) }).collect();
            let half = threshold(&samples, of.seed);
            let mark = |(x, counts): &(f64, [usize; 2])| {
                let (low, high) = wilson(counts[which], trials as usize);
                Measured { x: *x, y: counts[which] as f64 / trials as f64, low, high }
            };
            let marks: Vec<Measured> = counted.iter().map(mark).collect();
            for (mark, (_, counts)) in marks.iter().zip(&counted) {
                let numbers = [d as f64, mark.x, trials as f64, counts[which] as f64, mark.y, mark.low, mark.high];
                rows.push((name.clone(), numbers.to_vec()));
            }
            findings.extend(half.map(|half| finding(format!("m/d² at one half, {name}"), &half, 1.0, None)));
            let curve = half.map_or(vec![], |half| fitted(&half, *from, *to));
            let half_name = half.map_or(String::new(), |half| format!(": ½ at m/d² {}", half_words(&half)));
            let name = format!("{name}{half_name}");
            kinds.push(Measurements { name, colour: colours[which], marks, curve, dashed: false });
        }
    }
    let title = "Is the start below the barrier?\nW₀ = √γ·[I; 0], Gaussian teachers of m units with d inputs";
    let captions = ("m/d²", "share of teachers with L(W₀) < barrier");
    let figure = measured(title, captions, (Scale::Linear, Scale::Linear), Some((0.0, 1.0)), &kinds, &[]);
    let columns = vec!["reading", "d", "m_over_d2", "teachers", "safe", "share", "low", "high"];
    Ok(Drawn { figure, table: Table { columns, rows }, findings, trainings: 0 })
}

impl Starts {
    /// How many of the teachers have a safe start at γ = m, and at γ = m + 4d; with the m/d² that there is.
    fn count(&self, d: usize, share: f64, meter: &Meter<'_>) -> Result<(f64, [usize; 2])> {
        let m = (share * (d * d) as f64).round() as usize;
        let one = |index: u64| -> Result<[usize; 2]> {
            if meter.is_over() {
                return Ok([0, 0]);
            }
            let M_star = teacher(self.seed, (m, d), index);
            meter.add(1);
            Ok([is_safe(&M_star, m as f64)?.into(), is_safe(&M_star, paper_scale((m, d)))?.into()])
        };
        let all: Vec<[usize; 2]> = (0..self.teachers).into_par_iter().map(one).collect::<Result<_>>()?;
        let sum = all.iter().fold([0, 0], |sum, safe| [sum[0] + safe[0], sum[1] + safe[1]]);
        Ok((m as f64 / (d * d) as f64, sum))
    }
}

/// The least risk over W of rank r: proved, searched for by descent, and of random W.
pub(super) fn barrier(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    let of: Barrier = settings(text)?;
    if [of.units as u64, of.inputs as u64, of.starts, of.points].contains(&0) {
        let (name, requirement) = ("the figure", "units, inputs, starts and points, at least one of each");
        return Err(Error::Parameter { name, requirement, value: "0".into() });
    }
    let d = of.inputs;
    let meter = Meter::new(watch, d * of.starts as usize);
    let M_star = teacher(of.seed, (of.units, d), 0);
    let landscape = Landscape::new(&M_star, vec![1.0; d])?;
    let exact = landscape.barriers().unwrap_or_default();
    let unit = landscape.barrier().unwrap_or(f64::NAN);
    let least = landscape.spectrum().last().map_or(f64::NAN, |s| s * s);
    let (mut rows, mut findings) = (vec![], vec![]);
    let (mut descended, mut random) = (vec![], vec![]);
    for (r, level) in exact.iter().enumerate().take(d) {
        let found = of.searched(&M_star, r, &meter)?;
        let drawn = of.drawn(&M_star, r)?;
        for (name, risks, marks) in [("descent", &found, &mut descended), ("random W", &drawn, &mut random)] {
            let [low, middle, high] = [0, risks.len() / 2, risks.len() - 1].map(|at| risks[at]);
            marks.push(Measured { x: r as f64, y: if name == "descent" { low } else { middle }, low, high });
            rows.push((name.to_owned(), vec![r as f64, risks.len() as f64, low, middle, high, *level, least]));
        }
        if r + 1 == d {
            let ratio = Finding::exact(format!("least risk found at rank {r} over the barrier"), found[0] / level);
            findings.push(ratio);
            findings.push(Finding { published: Some(least), ..Finding::exact("the barrier, ours", unit) });
            findings.push(Finding::exact("the barrier over the published bound", unit / least));
        }
    }
    let curve = exact.iter().take(d).enumerate().map(|(r, level)| (r as f64, *level)).collect();
    let ends = vec![(0.0, least), (d as f64 - 1.0, least)];
    let line = |name: &str, colour, curve| dashed_curve(name, curve, colour);
    let marked =
        |name: &str, colour, marks| Measurements { name: name.into(), colour, marks, curve: vec![], dashed: false };
    let kinds = [
        marked("random W: median and range", Colour::GREY, random),
        line("exact barrier of the rank", Colour::ORANGE, curve),
        marked("least found by descent", Colour::BLUE, descended),
        line("published bound σ⁴", Colour::PURPLE, ends),
    ];
    let below = format!("Gaussian teacher of {} units with {d} inputs, population risk", of.units);
    let title = format!("The energy barrier by rank\n{below}");
    let captions = ("rank of W", "risk L");
    let figure = measured(&title, captions, (Scale::Linear, Scale::Log), None, &kinds, &[]);
    let columns = vec!["reading", "rank", "points", "least", "median", "most", "barrier", "published"];
    Ok(Drawn { figure, table: Table { columns, rows }, findings, trainings: d * of.starts as usize })
}

impl Barrier {
    /// Risks that descent over r×d matrices ends at, from the least.
    fn searched(&self, M_star: &Matrix, r: usize, meter: &Meter<'_>) -> Result<Vec<f64>> {
        let risk = PopulationRisk::new(M_star.clone(), vec![1.0; r])?;
        let one = |start: u64| {
            if meter.is_over() {
                return f64::NAN;
            }
            let mut W = vec![0.0; r * M_star.rows()];
            Stream::new(self.seed ^ r as u64, Purpose::Start, start).fill_normal(&mut W);
            let path = descent_path(&risk, &W, None, 0.0, self.iterations);
            meter.add(1);
            risk.value(&path.end).objective
        };
        let mut risks: Vec<f64> = (0..self.starts).into_par_iter().map(one).collect();
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
        let mut risks: Vec<f64> = (0..self.points).into_par_iter().map(one).collect();
        risks.sort_by(f64::total_cmp);
        Ok(risks)
    }
}
