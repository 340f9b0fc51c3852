//! What is left of the error, over the number of hidden units.

use super::super::counts::{By, cells};
use super::super::grid::Symbol;
use super::super::rule::Rule;
use super::super::specification::Specification;
use super::super::threshold::{lines, threshold};
use super::super::trial::{Trial, TrialOutcome};
use super::threshold_marks::{dashed, finding};
use super::{Drawn, StudyFinding, StudyTable};
use crate::draw::{Colour, Measured, Measurements, Scale, measured};
use crate::error::Result;

/// Root mean squares of residuals, by descent and after Levenberg–Marquardt.
pub(super) struct Errors {
    pub title: &'static str,
    pub sweep: &'static str,
    /// kd = n, k(d + 1) = n, …
    pub theory: &'static [(f64, &'static str)],
    pub published: (f64, &'static str),
    /// The median error at these k is among the findings.
    pub units: &'static [usize],
}

/// Which error: its name, its colour, and how it is read off a run.
type ErrorReading = (&'static str, Colour, fn(&TrialOutcome) -> f64);

/// Below, an error is zero.
const ZERO: f64 = 1e-10;

impl Errors {
    pub(super) fn draw(&self, sweeps: &[(Specification, Vec<Trial>)]) -> Result<Drawn> {
        let (mut kinds, mut rows, mut findings) = (vec![], vec![], vec![]);
        for (specification, trials) in sweeps.iter().take(1) {
            let ways: [ErrorReading; 2] =
                [("by descent", Colour::BLUE, by_descent), ("after LM", Colour::ORANGE, after_lm)];
            for (name, colour, error) in ways {
                let marks: Vec<Measured> = medians(specification, trials, error);
                for mark in &marks {
                    let count = trials.iter().filter(|trial| trial.cell.k as f64 == mark.x).count();
                    rows.push((name.to_owned(), vec![mark.x, count as f64, mark.y, mark.low, mark.high]));
                }
                findings.extend(self.findings(name, &marks));
                let curve = marks.iter().map(|mark| (mark.x, mark.y)).collect();
                kinds.push(Measurements { name: format!("median {name}"), colour, marks, curve, dashed: false });
            }
            let counts = cells(trials, &Rule::LongRun, specification.starts);
            let every = counts.iter().rev().take_while(|count| count.share(By::Run).0 == 1.0).last();
            let what = "least k from which every run reaches zero after LM";
            findings.extend(every.map(|count| StudyFinding::exact(what, count.cell.k as f64)));
            for line in lines(&counts, &specification.grid, Symbol::K) {
                let half = threshold(&line.samples(By::Run), specification.seed);
                let what = "k½, zero after LM".to_owned();
                findings.extend(half.map(|half| finding(what, &half, 1.0, None)));
            }
        }
        let mut uprights: Vec<_> = self.theory.iter().map(|(x, label)| dashed(*x, label, Colour::Ink)).collect();
        uprights.push(dashed(self.published.0, self.published.1, Colour::PURPLE));
        let captions = (Symbol::K.words(), "root mean square of the residuals");
        let figure = measured(self.title, captions, (Scale::Linear, Scale::Log), None, &kinds, &uprights);
        let columns = vec!["reading", "k", "trials", "median", "least", "most"];
        Ok(Drawn { figure, table: StudyTable { columns, rows }, findings, runs: 0 })
    }

    fn findings(&self, name: &str, marks: &[Measured]) -> Vec<StudyFinding> {
        let finding_at = |k: &usize| {
            let mark = marks.iter().find(|mark| mark.x == *k as f64)?;
            let (what, published) = (format!("median error {name} at k = {k}, and its range"), None);
            Some(StudyFinding { what, value: mark.y, low: mark.low, high: mark.high, published, is_gap: false })
        };
        self.units.iter().filter_map(finding_at).collect()
    }
}

/// L is half the mean of squares.
fn by_descent(outcome: &TrialOutcome) -> f64 {
    (2.0 * outcome.objective).sqrt()
}

fn after_lm(outcome: &TrialOutcome) -> f64 {
    let label_size = by_descent(outcome) / outcome.relative_error;
    outcome.long_run.as_ref().map_or(f64::NAN, |run| run.relative_error * label_size)
}

/// Medians with the whole range, k by k; what is below [`ZERO`] is drawn there.
fn medians(specification: &Specification, trials: &[Trial], error: fn(&TrialOutcome) -> f64) -> Vec<Measured> {
    let mut marks = Vec::new();
    for cell in specification.cells() {
        let here = trials.iter().filter(|trial| trial.cell == cell);
        let mut errors: Vec<f64> = here.map(|trial| error(&trial.outcome).max(ZERO)).collect();
        errors.sort_by(f64::total_cmp);
        if let (Some(&low), Some(&high)) = (errors.first(), errors.last()) {
            let y = 0.5 * (errors[(errors.len() - 1) / 2] + errors[errors.len() / 2]);
            marks.push(Measured { x: cell.k as f64, y, low, high });
        }
    }
    marks
}
