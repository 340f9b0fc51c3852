//! `shallows plot`.

use std::path::{Path, PathBuf};

use clap::Args;
use shallows::job::plot::{PlotJob, PlotOutcome};
use shallows::lab::plot::PlotView;
use shallows::lab::{By, Expression, Rule, Symbol};
use shallows::watch::Watch;

use crate::GlobalArgs;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::runs::{file_names, threshold_words, undecided_words};

/// Draw the results of a sweep: maps, curves with intervals, thresholds, a collapse
///
/// Writes SVG, PNG and CSV files: the success rate over two sizes as a map, along one size as curves with Wilson intervals and
/// logistic fits, against an expression as a collapse, and the threshold as a function of tolerance and iterations. What
/// counts as a success can be chosen now: every run keeps the iterations at which it first reached relative errors of
/// 1e-1, 3e-2, 1e-2, 2.5e-3, 1e-3, 1e-4, 1e-5 and 1e-7. A sweep may still be running.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows plot my.db -o figures
  shallows plot my.db -o figures --success verdict --collapse \"k*d/n\"
  shallows plot my.db -o figures --x k --from 6 --success descent:1e-3:10000

Exit status: 0 done, 2 error")]
pub struct PlotArgs {
    store: PathBuf,
    #[arg(long, short)]
    output: PathBuf,
    #[arg(long, value_parser = parse_size)]
    x: Option<Symbol>,
    #[arg(long, value_parser = parse_size)]
    y: Option<Symbol>,
    #[arg(long)]
    from: usize,
    #[arg(long)]
    to: Option<usize>,
    #[arg(long)]
    collapse: String,
    #[arg(long, value_parser = parse_named::<Rule>)]
    success: Option<Rule>,
    #[arg(long)]
    all_starts: bool,
}

fn parse_size(text: &str) -> Result<Symbol, String> {
    Symbol::named(text).ok_or_else(|| "it must be n, k or d".into())
}

/// Run the verb.
pub fn run(args: &PlotArgs, common: &GlobalArgs) -> Result<(), Failure> {
    let job = PlotJob { store: args.store.clone(), view: args.view()?, folder: Some(args.output.clone()) };
    let outcome = job.run(Watch::silent())?;
    if common.json {
        return output::json(&outcome.document());
    }
    output::bytes(words(&outcome, &args.output).as_bytes())
}

impl PlotArgs {
    fn view(&self) -> Result<PlotView, Failure> {
        Ok(PlotView {
            x: self.x,
            y: self.y,
            from: self.from,
            to: self.to,
            collapse: Expression::parse(&self.collapse)?,
            success: self.success,
            all_starts: self.all_starts,
        })
    }
}

fn words(plot: &PlotOutcome, folder: &Path) -> String {
    let what = match plot.by {
        By::Run => "runs",
        By::Network => "planted networks, all starts",
    };
    let mut out = format!("Success   {} ({what})\n", plot.rule.words());
    for (line, threshold) in &plot.lines {
        let at = if line.name().is_empty() { String::new() } else { format!(" at {}", line.name()) };
        let half = threshold.map_or("none".into(), |threshold| threshold_words(line.axis.name(), &threshold));
        out.push_str(&format!("Threshold {half}{at}\n"));
    }
    if let Some(threshold) = plot.collapse.filter(|_| plot.lines.len() > 1) {
        let name = format!("({})", plot.expression);
        out.push_str(&format!("Collapse  {}\n", threshold_words(&name, &threshold)));
    }
    out.extend(undecided_words(&plot.counts));
    let without: usize = plot.counts.iter().filter(|count| !plot.expression.at(count.cell).is_finite()).count();
    if without > 0 {
        out.push_str(&format!("Left out  {without} cells, where {} is not a finite number\n", plot.expression));
    }
    out.push_str(&format!("Saved     in {}: {}\n", folder.display(), file_names(&plot.files)));
    out
}
