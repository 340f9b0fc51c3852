//! `shallows plot`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use shallows::file::{Destinations, FileRole, make_folder};
use shallows::job::figure::save;
use shallows::job::sweep::of_threshold;
use shallows::job::words;
use shallows::lab::plot::{Plot, View};
use shallows::lab::{By, Expression, Line, Rule, Store, Symbol, Threshold};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::sweep::{threshold_words, undecided_words};

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

/// Run the verb.
pub fn run(args: &PlotArgs, common: &Common) -> Result<(), Failure> {
    let view = args.view()?;
    Destinations::default()
        .reads(FileRole::Store, &args.store)
        .may_fill(FileRole::Figures, Some(&args.output))
        .check()?;
    let store = Store::read(&args.store)?;
    let trials = store.trials()?;
    let plot = Plot::new(view, store.specification(), &trials, &args.store)?;
    make_folder(&args.output)?;
    let mut files = Vec::new();
    for (name, figure) in plot.figures() {
        save(&args.output, &name, &figure, &mut files)?;
    }
    for table in plot.tables() {
        files.push(table.save(&args.output)?);
    }
    if common.json {
        return output::json(&record(&plot, &args.store, &files));
    }
    output::bytes(words(&plot, &args.output, &files).as_bytes())
}

impl PlotArgs {
    fn view(&self) -> Result<View, Failure> {
        Ok(View {
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

fn words(plot: &Plot<'_>, folder: &Path, files: &[PathBuf]) -> String {
    let what = match plot.by {
        By::Run => "trainings",
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
    let names: Vec<String> =
        files.iter().filter_map(|file| file.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
    out.push_str(&format!("Saved     in {}: {}\n", folder.display(), output::wrapped(&names.join(", "), 10)));
    out
}

fn record(plot: &Plot<'_>, store: &Path, files: &[PathBuf]) -> serde_json::Value {
    let axis = |axis: &Line| axis.axis.name();
    let of = |(line, found): &(Line, Option<Threshold>)| of_threshold(&line.name(), axis(line), found);
    json!({
        "store": words::path(store),
        "rule": plot.rule,
        "all_starts": plot.by == By::Network,
        "thresholds": plot.lines.iter().map(of).collect::<Vec<_>>(),
        "collapse": of_threshold("", &plot.expression.to_string(), &plot.collapse),
        "files": files.iter().map(words::path).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}
