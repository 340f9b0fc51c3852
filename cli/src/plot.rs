//! `shallows plot`.

mod figures;
mod tables;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shallows::lab::{
    self, By, CellCount, Expression, Line, Rule, Specification, Store, Symbol, Threshold, Trial, lines, sample,
    threshold, varying,
};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::sweep::{threshold_record, threshold_words};

/// Draw what a sweep has found: maps, curves with intervals, thresholds, a collapse
///
/// Written as SVG, PNG and CSV: the success rate over two sizes as a map, along one size as curves with Wilson intervals and
/// logistic fits, against an expression as a collapse, and the threshold as a function of tolerance and iterations. What
/// counts as a success can be chosen now: every training keeps the iterations at which it first reached relative errors of
/// 1e-1, 3e-2, 1e-2, 2.5e-3, 1e-3, 1e-4, 1e-5 and 1e-7. A sweep may still be running.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows plot my.db -o figures
  shallows plot my.db -o figures --success verdict --collapse \"k*d/n\"
  shallows plot my.db -o figures --x k --from 6 --success descent:1e-3:10000

Exit status: 0 done, 2 error")]
pub struct PlotArgs {
    /// The store that `sweep` has written
    store: PathBuf,
    /// A folder for figures and tables; it is made if there is none
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,
    /// The size along which success is followed: n, k or d [default: that of [refine], or that with most values]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    x: Option<Symbol>,
    /// The other size of the map [default: that with most values besides --x]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    y: Option<Symbol>,
    /// Curves and thresholds begin at this value of --x, where success is not monotone
    #[arg(long, value_name = "VALUE", default_value = "1")]
    from: usize,
    /// Curves and thresholds end at this value of --x
    #[arg(long, value_name = "VALUE")]
    to: Option<usize>,
    /// An expression in n, k, d (numbers, + - * / ^, sqrt, parentheses) on which all cells are to lie on one curve
    #[arg(long, value_name = "EXPRESSION", default_value = "k*d/n")]
    collapse: String,
    /// verdict, descent:TOLERANCE[:ITERATIONS] or recovers-teacher[:TOLERANCE] [default: that of the specification]
    #[arg(long, value_name = "RULE", value_parser = parse_named::<Rule>)]
    success: Option<Rule>,
    /// Count planted networks whose every start succeeds, as some papers do, rather than trainings
    #[arg(long)]
    all_starts: bool,
}

fn parse_size(text: &str) -> Result<Symbol, String> {
    Symbol::named(text).ok_or_else(|| "it must be n, k or d".into())
}

/// Everything that is drawn and written.
struct Plot<'a> {
    specification: &'a Specification,
    trials: &'a [Trial],
    rule: Rule,
    by: By,
    counts: Vec<CellCount>,
    /// Along which success is followed, and the other size of the map.
    axes: (Option<Symbol>, Option<Symbol>),
    lines: Vec<(Line, Option<Threshold>)>,
    expression: Expression,
    /// Of all cells on the expression.
    collapse: Option<Threshold>,
}

/// Run the verb.
pub fn run(args: &PlotArgs, common: &Common) -> Result<(), Failure> {
    let expression = Expression::parse(&args.collapse)?;
    let store = Store::read(&args.store)?;
    let trials = store.trials()?;
    let plot = Plot::new(args, store.specification(), &trials, expression)?;
    output::make_folder(&args.output)?;
    let mut files = Vec::new();
    figures::draw(&plot, &args.output, &mut files)?;
    tables::write(&plot, &args.output, &mut files)?;
    if common.json {
        return output::json(&plot.record(&args.store, &files));
    }
    output::bytes(plot.words(&args.output, &files).as_bytes())
}

impl<'a> Plot<'a> {
    fn new(
        args: &PlotArgs,
        specification: &'a Specification,
        trials: &'a [Trial],
        expression: Expression,
    ) -> Result<Self, Failure> {
        if trials.is_empty() {
            return Err(Failure::with_hint(
                format!("{}: no training is done yet", args.store.display()),
                "`shallows sweep SPECIFICATION` goes on with it",
            ));
        }
        let rule = args.success.unwrap_or(specification.success);
        check_rule(&rule, specification, trials)?;
        let by = if args.all_starts { By::Network } else { By::Run };
        let counts = lab::cells(trials, &rule, specification.starts);
        let axes = axes(args, specification, &counts)?;
        let threshold_of = |line: &Line| threshold(&line.samples(by), specification.seed);
        let along = |axis| lines(&counts, &specification.grid, axis);
        let lines = axes.0.map_or(vec![], along).into_iter();
        let lines = lines.map(|line| line.between(args.from, args.to.unwrap_or(usize::MAX)));
        let lines: Vec<(Line, Option<Threshold>)> =
            lines.filter(|line| !line.counts.is_empty()).map(|line| (line.clone(), threshold_of(&line))).collect();
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

    fn name(&self) -> String {
        output::printable(&self.specification.name)
    }

    fn words(&self, folder: &Path, files: &[PathBuf]) -> String {
        let what = match self.by {
            By::Run => "trainings",
            By::Network => "planted networks, all starts",
        };
        let mut out = format!("Success   {} ({what})\n", self.rule.words());
        for (line, threshold) in &self.lines {
            let at = if line.name().is_empty() { String::new() } else { format!(" at {}", line.name()) };
            let half = threshold.map_or("none".into(), |threshold| threshold_words(line.axis.name(), &threshold));
            out.push_str(&format!("Threshold {half}{at}\n"));
        }
        if let Some(threshold) = self.collapse.filter(|_| self.lines.len() > 1) {
            let name = format!("({})", self.expression);
            out.push_str(&format!("Collapse  {}\n", threshold_words(&name, &threshold)));
        }
        let names: Vec<String> =
            files.iter().filter_map(|file| file.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
        out.push_str(&format!("Saved     in {}: {}\n", folder.display(), output::wrapped(&names.join(", "), 10)));
        out
    }

    fn record(&self, store: &Path, files: &[PathBuf]) -> serde_json::Value {
        let axis = |axis: &Line| axis.axis.name();
        let of = |(line, found): &(Line, Option<Threshold>)| threshold_record(&line.name(), axis(line), found);
        json!({
            "store": store,
            "rule": self.rule,
            "all_starts": self.by == By::Network,
            "thresholds": self.lines.iter().map(of).collect::<Vec<_>>(),
            "collapse": threshold_record("", &self.expression.to_string(), &self.collapse),
            "files": files,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// A rule can only be applied to what was recorded.
fn check_rule(rule: &Rule, specification: &Specification, trials: &[Trial]) -> Result<(), Failure> {
    match rule {
        Rule::Verdict if !specification.verdict => Err(Failure::with_hint(
            "these trainings have no verdict",
            "sweep with verdict = true in [training], or choose descent:TOLERANCE",
        )),
        Rule::RecoversTeacher { .. } if trials.iter().all(|trial| trial.record.teacher_error.is_none()) => {
            Err(Failure::with_hint(
                "these trainings have no quadratic teacher to be compared with",
                "choose verdict or descent:TOLERANCE",
            ))
        }
        Rule::Descent { tolerance, .. } if *tolerance < specification.tolerance => Err(Failure::with_hint(
            format!(
                "descent ended at a relative error of {:e}: {tolerance:e} was not asked of it",
                specification.tolerance
            ),
            "choose a larger tolerance, or sweep with a smaller one in [training]",
        )),
        _ => Ok(()),
    }
}

/// The sizes of the figures.
fn axes(
    args: &PlotArgs,
    specification: &Specification,
    counts: &[CellCount],
) -> Result<(Option<Symbol>, Option<Symbol>), Failure> {
    let varying = varying(counts);
    for asked in [args.x, args.y].into_iter().flatten() {
        if !varying.contains(&asked) {
            return Err(Failure::with_hint(
                format!("{} has only one value in this sweep", asked.words()),
                "leave out --x and --y, or name sizes that vary",
            ));
        }
    }
    if args.x.is_some() && args.x == args.y {
        return Err(Failure::with_hint("--x and --y name the same size", "leave one of them out"));
    }
    let refined = specification.refine.as_ref().map(|refine| refine.axis);
    let free = |symbol: &Symbol| Some(*symbol) != args.y;
    let x = args.x.or(refined.filter(free)).or_else(|| varying.iter().copied().find(free));
    let y = args.y.or_else(|| varying.iter().copied().find(|symbol| Some(*symbol) != x));
    Ok((x, y))
}
