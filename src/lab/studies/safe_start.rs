//! Gamarnik, Kızıldağ and Zadik, Theorem 2.5: which starts are below the barrier.
//!
//! Teachers have m×d independent standard normal weights; M* = W*ᵀW*. No samples are involved, so there is no sweep.

use serde::Deserialize;

use super::super::threshold::threshold;
use super::study_runs::{Meter, Runs, settings};
use super::threshold_marks::{finding, fitted, half_words};
use super::{Drawn, Study, StudyLayout, StudyTable};
use crate::draw::{Colour, Measured, Measurements, Scale, measured};
use crate::error::{Error, Result};
use crate::landscape::{Landscape, paper_scale, scaled_identity};
use crate::linalg::{Matrix, gram_of_rows, try_map_tasks};
use crate::random::{Purpose, Stream};
use crate::risk::{Objective, PopulationRisk};
use crate::statistics::intervals::wilson;
use crate::statistics::logistic::Sample;
use crate::watch::Watch;

pub(super) const STUDY: Study = Study {
    name: "safe-start",
    source: "Gamarnik, Kızıldağ and Zadik, Theorem 2.5 (no figure there)",
    shows: "share of Gaussian teachers for which the start is below the barrier, over m/d²",
    published: "m > C d² suffices, C not given; start √(m + 4d)·[I; 0]",
    protocol: "Teachers with m×d standard normal weights; the population risk at √γ·[I; 0] against the exact barrier \
               (d + 2)/(d + 1)·σ_min(W*)⁴.",
    reasons: "The order d² is right, and the constant is between 4 and 5. γ = m, which is nearer to the eigenvalues of M*, needs \
              less than half of that width.",
    layout: StudyLayout::Runs(Runs { text: include_str!("safe-start.toml"), draw }),
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SafeStartSettings {
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

/// M* of a teacher of m units; the index numbers the teachers of this shape.
pub(super) fn gaussian_teacher(seed: u64, (m, d): (usize, usize), index: u64) -> Matrix {
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

/// A share with its interval.
fn share_mark(x: f64, successes: usize, trials: usize) -> Measured {
    let (low, high) = wilson(successes, trials);
    Measured { x, y: successes as f64 / trials as f64, low, high }
}

/// P(L(W₀) < barrier) over m/d², for both scales of the start.
fn draw(text: &str, watch: Watch<'_>) -> Result<Drawn> {
    const COLOURS: [[Colour; 2]; 3] = [
        [Colour::Rgb(140, 190, 230), Colour::Rgb(245, 185, 120)],
        [Colour::BLUE, Colour::ORANGE],
        [Colour::Rgb(20, 55, 100), Colour::Rgb(140, 65, 0)],
    ];
    let settings: SafeStartSettings = settings(text)?;
    let (Widths { from, to, .. }, trials) = (&settings.width, settings.teachers);
    let shares = settings.shares()?;
    let meter = Meter::new(watch, settings.inputs.len() * shares.len() * trials as usize);
    let (mut kinds, mut rows, mut findings) = (vec![], vec![], vec![]);
    for (at, &d) in settings.inputs.iter().enumerate() {
        let colours = COLOURS[at % COLOURS.len()];
        let counted: Vec<(f64, [usize; 2])> =
            shares.iter().map(|x| settings.count(d, *x, &meter)).collect::<Result<_>>()?;
        for (which, name) in ["γ = m", "γ = m + 4d"].into_iter().enumerate() {
            let name = format!("{name}, d = {d}");
            let groups = |successes: usize| (0..trials as usize).map(|i| (usize::from(i < successes), 1)).collect();
            let samples: Vec<Sample> =
                counted.iter().map(|(x, counts)| Sample { x: *x, groups: groups(counts[which]) }).collect();
            let half = threshold(&samples, settings.seed);
            let marks: Vec<Measured> =
                counted.iter().map(|(x, counts)| share_mark(*x, counts[which], trials as usize)).collect();
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
    Ok(Drawn { figure, table: StudyTable { columns, rows }, findings, runs: 0 })
}

impl SafeStartSettings {
    /// The values of m/d².
    fn shares(&self) -> Result<Vec<f64>> {
        let Widths { from, to, step } = &self.width;
        let is_grid = *step > 0.0 && (0.0..=1e4).contains(&((to - from) / step));
        if !is_grid || self.teachers == 0 {
            let requirement = "widths that rise in steps, and at least one teacher";
            return Err(Error::unsuitable("the figure", requirement, format!("{:?}", self.width)));
        }
        Ok((0..=((to - from) / step).round() as usize).map(|i| from + step * i as f64).collect())
    }

    /// How many of the teachers have a safe start at γ = m, and at γ = m + 4d; with the m/d² that there is.
    fn count(&self, d: usize, share: f64, meter: &Meter<'_>) -> Result<(f64, [usize; 2])> {
        let m = (share * (d * d) as f64).round() as usize;
        let one = |index: u64| -> Result<[usize; 2]> {
            if meter.is_over() {
                return Ok([0, 0]);
            }
            let M_star = gaussian_teacher(self.seed, (m, d), index);
            meter.add(1);
            Ok([is_safe(&M_star, m as f64)?.into(), is_safe(&M_star, paper_scale((m, d)))?.into()])
        };
        let all: Vec<[usize; 2]> = try_map_tasks(self.teachers as usize, |index| one(index as u64))?;
        let sum = all.iter().fold([0, 0], |sum, safe| [sum[0] + safe[0], sum[1] + safe[1]]);
        Ok((m as f64 / (d * d) as f64, sum))
    }
}
