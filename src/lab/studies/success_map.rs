//! Success over k and d, with the boundaries of descent and of the landscape.

use std::collections::{BTreeMap, BTreeSet};

use super::super::counts::{By, CellCount, cells};
use super::super::expression::Expression;
use super::super::grid::Symbol;
use super::super::specification::Specification;
use super::super::threshold::{Line, Threshold, lines, sample, threshold};
use super::super::trial::Trial;
use super::threshold_marks::finding;
use super::{Drawn, StudyFinding, StudyTable};
use crate::draw::{Colour, Figure, Series, grid_map};
use crate::error::Result;
use crate::statistics::logistic::Sample;

/// A map, and the boundary after Levenberg–Marquardt where there is one.
pub(super) struct Map {
    pub title: &'static str,
    /// That of the map, and that of the boundary.
    pub sweeps: &'static [&'static str],
    /// n
    pub samples: usize,
    /// At these d the boundary of descent is among the findings.
    pub inputs: &'static [usize],
}

const DESCENT: Colour = Colour::Rgb(200, 30, 30);
const LANDSCAPE: Colour = Colour::Rgb(230, 120, 20);

impl Map {
    pub(super) fn draw(&self, sweeps: &[(Specification, Vec<Trial>)]) -> Result<Drawn> {
        let mut findings = Vec::new();
        let mut rows = Vec::new();
        let mut curves = vec![Series {
            name: "kd = n, as published".into(),
            colour: Colour::Ink,
            points: hyperbola(self.samples as f64),
        }];
        let mut shares: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (at, (specification, trials)) in sweeps.iter().enumerate() {
            let is_map = at == 0;
            let (name, colour) = if is_map { ("by descent", DESCENT) } else { ("after LM", LANDSCAPE) };
            let rule = specification.success;
            let counts = cells(trials, &rule, specification.starts);
            rows.extend(counts.iter().map(|count| (name.to_owned(), numbers(count))));
            if is_map {
                shares = counts.iter().map(|count| ((count.cell.d, count.cell.k), count.share(By::Run).0)).collect();
            }
            // For odd k one output weight is 0, and kd says less than it seems to.
            let even: Vec<CellCount> = counts.into_iter().filter(|count| count.cell.k % 2 == 0).collect();
            if is_map {
                let halves = boundary(&even, specification);
                let place = |(line, half): &(Line, Option<Threshold>)| {
                    (half.map_or(f64::NAN, |half| half.half), line.shared.d as f64)
                };
                let points = halves.iter().map(place).collect();
                curves.push(Series { name: format!("half succeed {name}, even k"), colour, points });
                findings.extend(self.along(&halves));
            } else if let Some(half) = collapse(&even, specification)? {
                let (name, n) = (format!("half {name}: kd = {:.2} n", half.value), self.samples as f64);
                curves.push(Series { name, colour, points: hyperbola(half.value * n) });
                findings.push(half);
            }
        }
        let figure = share_map(self.title, &shares, &curves);
        let columns = vec!["reading", "n", "k", "d", "x", "trials", "successes", "undecided", "share", "low", "high"];
        Ok(Drawn { figure, table: StudyTable { columns, rows }, findings, runs: 0 })
    }

    fn along(&self, halves: &[(Line, Option<Threshold>)]) -> Vec<StudyFinding> {
        let finding_at = |d: &usize| {
            let (_, half) = halves.iter().find(|(line, _)| line.shared.d == *d)?;
            let scale = *d as f64 / self.samples as f64;
            Some(finding(format!("k½·d/n by descent at d = {d}"), half.as_ref()?, scale, Some(1.0)))
        };
        self.inputs.iter().filter_map(finding_at).collect()
    }
}

/// The map of shares by (d, k).
fn share_map(title: &str, shares: &BTreeMap<(usize, usize), f64>, curves: &[Series]) -> Figure {
    let axis = |size: fn(&(usize, usize)) -> usize| -> Vec<usize> {
        shares.keys().map(size).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (ds, ks) = (axis(|key| key.0), axis(|key| key.1));
    let row = |d: &usize| ks.iter().map(|k| shares.get(&(*d, *k)).copied()).collect();
    let values: Vec<Vec<Option<f64>>> = ds.iter().map(row).collect();
    let [xs, ys] = [&ks, &ds].map(|sizes| sizes.iter().map(|x| *x as f64).collect::<Vec<f64>>());
    grid_map(title, (Symbol::K.words(), Symbol::D.words()), (&xs, &ys), &values, curves)
}

/// kd = c, over the whole map.
fn hyperbola(c: f64) -> Vec<(f64, f64)> {
    const MOST: f64 = 26.0;
    (0..=120).map(|i| MOST * (c / (MOST * MOST)).powf(1.0 - f64::from(i) / 120.0)).map(|k| (k, c / k)).collect()
}

/// k½ for each d, where there is one inside the grid.
fn boundary(counts: &[CellCount], specification: &Specification) -> Vec<(Line, Option<Threshold>)> {
    let half = |line: Line| {
        let half = threshold(&line.samples(By::Run), specification.seed);
        (line, half.filter(|half| !half.is_beyond))
    };
    lines(counts, &specification.grid, Symbol::K).into_iter().map(half).collect()
}

/// The threshold in kd/n of all cells with d ≥ 4 together.
fn collapse(counts: &[CellCount], specification: &Specification) -> Result<Option<StudyFinding>> {
    const LEAST_INPUTS: usize = 4;
    let along = Expression::parse("k*d/n")?;
    let wide = counts.iter().filter(|count| count.cell.d >= LEAST_INPUTS);
    let samples: Vec<Sample> = wide.map(|count| sample(along.at(count.cell), count, By::Run)).collect();
    let what = "kd/n at which half succeed after LM, all d ≥ 4 together".to_owned();
    let half = threshold(&samples, specification.seed);
    Ok(half.map(|half| finding(what, &half, 1.0, Some(1.0))))
}

fn numbers(count: &CellCount) -> Vec<f64> {
    let (share, low, high) = count.share(By::Run);
    let [n, k, d] = [count.cell.n, count.cell.k, count.cell.d].map(|x| x as f64);
    let (successes, runs) = count.runs();
    vec![n, k, d, k * d / n, runs as f64, successes as f64, count.undecided as f64, share, low, high]
}
