//! Success along a size or an expression, with thresholds.

use std::collections::BTreeMap;

use super::super::counts::{By, CellCount, cells};
use super::super::expression::Expression;
use super::super::rule::Rule;
use super::super::specification::Specification;
use super::super::threshold::{sample, threshold};
use super::super::trial::Trial;
use super::threshold_marks::{dashed, finding, fitted, half_words};
use super::{Drawn, StudyFinding, StudyTable};
use crate::draw::{Colour, Measured, Measurements, Scale, Upright, measured};
use crate::error::Result;
use crate::statistics::intervals::wilson;
use crate::statistics::logistic::Sample;

/// Curves in one plot.
pub(super) struct Curves {
    pub title: &'static str,
    /// The specifications.
    pub sweeps: &'static [&'static str],
    /// What success is followed along: an expression in n, k, d, its letter and its caption.
    pub along: (&'static str, &'static str, &'static str),
    pub readings: &'static [CurveReading],
    /// What was published: where, and the label.
    pub published: Option<(f64, &'static str)>,
    /// Shown and fitted are only these values of the expression.
    pub window: (f64, f64),
    /// Marks are put together in bins of this width; 0 for none.
    pub bin: f64,
    /// What theory says.
    pub theory: &'static [(f64, &'static str)],
}

/// One curve.
pub(super) struct CurveReading {
    /// The number of its sweep.
    pub sweep: usize,
    /// In the legend.
    pub name: &'static str,
    /// What counts as a success.
    pub rule: Rule,
    /// Whether all starts of a network must succeed.
    pub all_starts: bool,
    /// Only cells with so many samples.
    pub samples: Option<usize>,
    /// The threshold is fitted from here on,
    pub from: f64,
    /// and up to here.
    pub to: f64,
    pub colour: Colour,
    /// Whether the published number answers to it.
    pub is_published: bool,
}

/// Beside [`Colour::ORANGE`]: the same, for all starts.
pub(super) const DARK_ORANGE: Colour = Colour::Rgb(140, 65, 0);
/// No cell is left out.
pub(super) const EVERYWHERE: (f64, f64) = (0.0, f64::INFINITY);

impl CurveReading {
    /// All cells of the first sweep, counted by run, with a threshold on the whole curve.
    pub(super) const OF_EVERY_RUN: CurveReading = CurveReading {
        sweep: 0,
        name: "",
        rule: Rule::LongRun,
        all_starts: false,
        samples: None,
        from: 0.0,
        to: f64::INFINITY,
        colour: Colour::BLUE,
        is_published: false,
    };
}

/// Descent reaches a relative error within so many iterations.
pub(super) const fn descent(tolerance: f64, within: usize) -> Rule {
    Rule::Descent { tolerance, within }
}

/// One curve as it was found.
struct MeasuredCurve<'a> {
    reading: &'a CurveReading,
    name: String,
    by: By,
    counts: Vec<(f64, CellCount)>,
    samples: Vec<Sample>,
    threshold: Option<super::super::threshold::Threshold>,
}

impl Curves {
    /// What theory and the publication say, and where one half succeeds.
    fn uprights(&self, found: &[MeasuredCurve<'_>]) -> Vec<Upright> {
        let mut uprights: Vec<Upright> = self.theory.iter().map(|(x, label)| dashed(*x, label, Colour::Ink)).collect();
        if let Some((x, label)) = self.published {
            uprights.push(dashed(x, label, Colour::PURPLE));
        }
        let halves = found.iter().filter_map(|curve| Some((curve, curve.threshold?)));
        for (curve, half) in halves.filter(|(_, half)| !half.is_beyond) {
            let span = Some((half.low, half.high)).filter(|_| found.len() < 3);
            let colour = curve.reading.colour;
            uprights.push(Upright { x: half.half, span, label: String::new(), colour, dashed: false });
        }
        uprights
    }

    pub(super) fn draw(&self, sweeps: &[(Specification, Vec<Trial>)]) -> Result<Drawn> {
        let (expression, letter, caption) = self.along;
        let along = Expression::parse(expression)?;
        let mut found: Vec<MeasuredCurve<'_>> = Vec::new();
        for reading in self.readings {
            let Some((specification, trials)) = sweeps.get(reading.sweep) else { continue };
            if !has_meaning(reading, specification) {
                continue;
            }
            let curve = self.reading_of(reading, (specification, trials), &along);
            if !curve.counts.is_empty() {
                found.push(curve);
            }
        }
        let count = found.len();
        let kinds: Vec<Measurements> =
            found.iter().enumerate().map(|(at, found)| self.measurements(found, (at, count))).collect();
        let uprights = self.uprights(&found);
        let figure = measured(
            self.title,
            (caption, "share that succeeds"),
            (Scale::Linear, Scale::Linear),
            Some((0.0, 1.0)),
            &kinds,
            &uprights,
        );
        let findings = found.iter().filter_map(|found| self.finding(found, letter)).collect();
        Ok(Drawn { figure, table: table(&found), findings, runs: 0 })
    }

    fn reading_of<'a>(
        &self,
        reading: &'a CurveReading,
        (specification, trials): (&Specification, &[Trial]),
        along: &Expression,
    ) -> MeasuredCurve<'a> {
        let by = if reading.all_starts { By::Network } else { By::Run };
        let counts = cells(trials, &reading.rule, specification.starts).into_iter();
        let counts = counts.filter(|count| reading.samples.is_none_or(|n| count.cell.n == n));
        let counts = counts.map(|count| (along.at(count.cell), count));
        let counts: Vec<(f64, CellCount)> =
            counts.filter(|(x, _)| (self.window.0..=self.window.1).contains(x)).collect();
        let samples: Vec<Sample> = counts.iter().map(|(x, count)| sample(*x, count, by)).collect();
        let branch = reading.from..=reading.to;
        let branch: Vec<Sample> = samples.iter().filter(|sample| branch.contains(&sample.x)).cloned().collect();
        let threshold = threshold(&branch, specification.seed);
        let starts = if reading.all_starts { format!(", all {} starts", specification.starts) } else { String::new() };
        MeasuredCurve { reading, name: format!("{}{starts}", reading.name), by, counts, samples, threshold }
    }

    /// Marks of the kinds stand a little beside each other, so that none hides another.
    fn measurements(&self, found: &MeasuredCurve<'_>, (at, count): (usize, usize)) -> Measurements {
        const BESIDE: f64 = 0.006;
        let xs = || found.samples.iter().map(|sample| sample.x);
        let (first, last) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
        let mut merged: BTreeMap<i64, (f64, usize, usize)> = BTreeMap::new();
        for Sample { x, groups } in &found.samples {
            let key = if self.bin > 0.0 { (x / self.bin).round() } else { (x * 1e6).round() };
            let place = merged.entry(key as i64).or_insert((0.0, 0, 0));
            for (successes, runs) in groups {
                *place = (place.0 + x * *runs as f64, place.1 + successes, place.2 + runs);
            }
        }
        let shift = BESIDE * (last - first) * (at as f64 - 0.5 * (count - 1) as f64);
        let mark = |(sum, successes, runs): (f64, usize, usize)| {
            let (low, high) = wilson(successes, runs);
            Measured { x: sum / runs as f64 + shift, y: successes as f64 / runs as f64, low, high }
        };
        let letter = self.along.1;
        let half = found.threshold.filter(|half| !half.is_beyond);
        let half_name = half.map_or(String::new(), |half| format!(": {letter}½ {}", half_words(&half)));
        let undecided: usize = found.counts.iter().map(|(_, count)| count.undecided(found.by)).sum();
        let open = if undecided > 0 { format!(", {undecided} undecided") } else { String::new() };
        Measurements {
            name: format!("{}{half_name}{open}", found.name),
            colour: found.reading.colour,
            marks: merged.into_values().map(mark).collect(),
            curve: half.map_or(vec![], |half| fitted(&half, first.max(found.reading.from), last.min(found.reading.to))),
            dashed: false,
        }
    }

    fn finding(&self, found: &MeasuredCurve<'_>, letter: &str) -> Option<StudyFinding> {
        let published = self.published.filter(|_| found.reading.is_published).map(|(x, _)| x);
        Some(finding(format!("{letter}½, {}", found.name), &found.threshold?, 1.0, published))
    }
}

/// A rule beyond the iterations that were made says nothing new, and neither do all of one start.
fn has_meaning(reading: &CurveReading, specification: &Specification) -> bool {
    let in_time = match reading.rule {
        Rule::Descent { within, .. } => within == usize::MAX || within <= specification.iterations,
        _ => true,
    };
    in_time && !(reading.all_starts && specification.starts == 1)
}

fn table(found: &[MeasuredCurve<'_>]) -> StudyTable {
    let columns = vec!["reading", "n", "k", "d", "x", "trials", "successes", "undecided", "share", "low", "high"];
    let mut rows = Vec::new();
    for curve in found {
        for (x, count) in &curve.counts {
            let (successes, trials) = if curve.by == By::Run { count.runs() } else { count.all_starts() };
            let (share, low, high) = count.share(curve.by);
            let [n, k, d] = [count.cell.n, count.cell.k, count.cell.d].map(|x| x as f64);
            let [successes, trials, undecided] = [successes, trials, count.undecided(curve.by)].map(|x| x as f64);
            let numbers = vec![n, k, d, *x, trials, successes, undecided, share, low, high];
            rows.push((curve.name.clone(), numbers));
        }
    }
    StudyTable { columns, rows }
}
