//! What a sweep has found, drawn: maps, curves with intervals, thresholds, a collapse.

mod drawing;
mod tables;

use std::path::Path;

use super::{
    By, CellCount, Expression, Line, Rule, Specification, Symbol, Threshold, Trial, cells, lines, sample, threshold,
    varying,
};
use crate::draw::Figure;
use crate::error::{Error, RequestProblem, Result};

pub use tables::PlotTable;

/// What is to be seen. [`PlotJob`](crate::job::plot::PlotJob) shows its use.
#[derive(Clone, Debug)]
pub struct PlotView {
    /// The size along which success is followed; that of the refinement, or that with most values, when `None`.
    pub x: Option<Symbol>,
    /// The other size of the map; that with most values besides `x` when `None`.
    pub y: Option<Symbol>,
    /// Curves and thresholds begin at this value of `x`, where success is not monotone.
    pub from: usize,
    /// Curves and thresholds end at this value of `x`.
    pub to: Option<usize>,
    /// On which all cells are to lie on one curve.
    pub collapse: Expression,
    /// What counts as a success; what the specification says when `None`.
    pub success: Option<Rule>,
    /// Count planted networks whose every start succeeds rather than runs.
    pub all_starts: bool,
}

impl Default for PlotView {
    /// The sizes that the sweep suggests, all cells, the collapse on kd/n, the rule of the specification, by run.
    fn default() -> Self {
        let collapse = Expression::parameters_per_sample();
        PlotView { x: None, y: None, from: 1, to: None, collapse, success: None, all_starts: false }
    }
}

/// Everything that is drawn and written. [`PlotJob`](crate::job::plot::PlotJob) shows its use.
pub struct Plot<'a> {
    /// Of the sweep.
    pub specification: &'a Specification,
    /// Its runs.
    pub trials: &'a [Trial],
    /// What counts as a success.
    pub rule: Rule,
    /// What is counted.
    pub by: By,
    /// Successes by cell.
    pub counts: Vec<CellCount>,
    /// Along which success is followed, and the other size of the map.
    pub axes: (Option<Symbol>, Option<Symbol>),
    /// Cells along the first axis, with the threshold on each.
    pub lines: Vec<(Line, Option<Threshold>)>,
    /// On which all cells are to lie on one curve.
    pub expression: Expression,
    /// Of all cells on the expression.
    pub collapse: Option<Threshold>,
}

impl<'a> Plot<'a> {
    /// Count what is to be seen; `store` is what errors call the file.
    pub fn new(view: PlotView, specification: &'a Specification, trials: &'a [Trial], store: &Path) -> Result<Self> {
        if trials.is_empty() {
            return Err(Error::Request(RequestProblem::NoRun(store.to_owned())));
        }
        let rule = view.success.unwrap_or(specification.success);
        check_rule(&rule, specification, trials)?;
        let by = if view.all_starts { By::Network } else { By::Run };
        let counts = cells(trials, &rule, specification.starts);
        let axes = axes(&view, specification, &counts)?;
        let threshold_of = |line: &Line| threshold(&line.samples(by), specification.seed);
        let along = |axis| lines(&counts, &specification.grid, axis);
        let lines = axes.0.map_or(vec![], along).into_iter();
        let lines = lines.map(|line| line.between(view.from, view.to.unwrap_or(usize::MAX)));
        let lines: Vec<(Line, Option<Threshold>)> =
            lines.filter(|line| !line.counts.is_empty()).map(|line| (line.clone(), threshold_of(&line))).collect();
        if lines.is_empty() && axes.0.is_some() {
            return Err(Error::Request(RequestProblem::NoCell { from: view.from, to: view.to }));
        }
        let expression = view.collapse;
        if !counts.iter().any(|count| expression.at(count.cell).is_finite()) {
            return Err(Error::Request(RequestProblem::NoValue(expression.to_string())));
        }
        let on = |count: &CellCount| sample(expression.at(count.cell), count, by);
        let shown = lines.iter().flat_map(|(line, _)| &line.counts);
        let samples: Vec<_> = shown.map(on).filter(|sample| sample.x.is_finite()).collect();
        let collapse = threshold(&samples, specification.seed);
        Ok(Plot { specification, trials, rule, by, counts, axes, lines, expression, collapse })
    }

    /// The cells of the curves.
    fn shown(&self) -> impl Iterator<Item = &CellCount> {
        self.lines.iter().flat_map(|(line, _)| &line.counts)
    }

    /// Without codes that a reader would obey.
    fn name(&self) -> String {
        self.specification.name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
    }

    /// All figures, each with its name.
    pub fn figures(&self) -> Vec<(String, Figure)> {
        drawing::figures(self)
    }

    /// The numbers behind the figures.
    pub fn tables(&self) -> Vec<PlotTable> {
        tables::tables(self)
    }
}

/// A rule can only be applied to what was recorded.
fn check_rule(rule: &Rule, specification: &Specification, trials: &[Trial]) -> Result<()> {
    let problem = match rule {
        Rule::LongRun if !specification.verdict => RequestProblem::NoVerdict,
        Rule::RecoversTeacher { .. } if trials.iter().all(|trial| trial.outcome.teacher_error.is_none()) => {
            RequestProblem::NoQuadraticTeacher
        }
        Rule::Descent { tolerance, .. } if *tolerance < specification.tolerance => {
            RequestProblem::Tolerance { ended: specification.tolerance, tolerance: *tolerance }
        }
        Rule::Descent { within, .. } if *within != usize::MAX && *within > specification.iterations => {
            RequestProblem::Iterations { made: specification.iterations, within: *within }
        }
        _ => return Ok(()),
    };
    Err(Error::Request(problem))
}

/// The sizes of the figures.
fn axes(
    view: &PlotView,
    specification: &Specification,
    counts: &[CellCount],
) -> Result<(Option<Symbol>, Option<Symbol>)> {
    let varying = varying(counts);
    if let Some(fixed) = [view.x, view.y].into_iter().flatten().find(|asked| !varying.contains(asked)) {
        return Err(Error::Request(RequestProblem::OneValue(fixed.words())));
    }
    if view.x.is_some() && view.x == view.y {
        return Err(Error::Request(RequestProblem::SameAxis));
    }
    let refined = specification.refine.as_ref().map(|refine| refine.axis);
    let free = |symbol: &Symbol| Some(*symbol) != view.y;
    let x = view.x.or(refined.filter(free)).or_else(|| varying.iter().copied().find(free));
    let y = view.y.or_else(|| varying.iter().copied().find(|symbol| Some(*symbol) != x));
    Ok((x, y))
}
