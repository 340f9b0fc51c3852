//! `shallows explain`.

pub mod layers;

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use shallows::fit::explain::{ColumnGrid, Effects, Importance, PairEffect, Slope, Term, Unit};
use shallows::job::explain::{ExplainJob, ExplainOutcome, leading};
use shallows::job::importance::RankedImportances;
use shallows::model::Function;

use crate::GlobalArgs;
use crate::failure::Failure;
use crate::output::{self, brief, number, printable, table, wrapped};
use crate::progress::watched;
use layers::{layer_name, layer_words, scale_words, shown_scales};

/// Explain how a saved network uses its inputs
///
/// A quadratic network is f(x) = Σ M_ab x_a x_b + b·x + c: its strongest pairs and squares are listed, with their
/// coefficients in the units of the columns. With DATA they are ranked by what they are worth in standard deviations of
/// the columns. With DATA, for any network: how much the error grows when a column is shuffled, and what moving a column
/// does to the prediction, alone and together with another, averaged over rows that are there. An infinitely wide network
/// keeps its rows and needs no DATA for that: it also says how far a column must move to matter to each of its layers, and
/// which layer does how much.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows explain energy.safetensors energy.csv                  a table on standard output
  shallows explain energy.safetensors energy.csv -o heat.svg      and the matrix M, or the importances, as a figure
  shallows explain energy.safetensors energy.csv --effects curves  what each column does, and pairs, in a folder
  shallows explain energy.safetensors --json                      the matrix of a quadratic network, for a script

Exit status: 0 explained, 2 error")]
pub struct ExplainArgs {
    model: PathBuf,
    data: Option<PathBuf>,
    #[arg(long, short)]
    output: Option<PathBuf>,
    #[arg(long)]
    effects: Option<PathBuf>,
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    top: u16,
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..))]
    repeats: Option<u16>,
    #[arg(long)]
    seed: Option<u64>,
}

/// Run the verb.
pub fn run(args: &ExplainArgs, common: &GlobalArgs) -> Result<(), Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    outcome.remarks.iter().for_each(|words| output::remark(common, words));
    if common.json {
        return output::json(&outcome.document());
    }
    output::bytes(Explanation(&outcome).words().as_bytes())?;
    if let Some(path) = &outcome.figure_path {
        output::remark(common, &format!("figure in {}", path.display()));
    }
    if let (Some(folder), [_, ..]) = (&args.effects, outcome.effect_paths.as_slice()) {
        let curves =
            outcome.effect_paths.iter().filter(|path| path.extension().is_some_and(|end| end == "svg")).count();
        output::remark(common, &format!("{curves} figures in {}", folder.display()));
    }
    Ok(())
}

impl ExplainArgs {
    fn job(&self) -> ExplainJob {
        ExplainJob {
            model: self.model.clone().into(),
            rows: self.data.clone().map(Into::into),
            figure: self.output.clone(),
            effects: self.effects.clone(),
            top: self.top.into(),
            repeats: self.repeats.map(Into::into),
            seed: self.seed,
        }
    }
}

/// An explanation in words.
struct Explanation<'a>(&'a ExplainOutcome);

impl Explanation<'_> {
    fn top(&self) -> usize {
        self.0.top
    }

    /// An input, as a terminal can show it.
    fn name(&self, a: usize) -> String {
        printable(&self.0.names[a])
    }

    fn words(&self) -> String {
        let mut out = String::new();
        let ExplainOutcome { model, interactions, .. } = self.0;
        let kinds = kinds_of_units(&model.network);
        let path = self.0.model_path.as_deref().unwrap_or("-".as_ref()).display();
        let _ = writeln!(
            out,
            "Network   {path}: {kinds} units, {} inputs, target \"{}\"",
            self.0.names.len(),
            printable(&self.0.fitted_target())
        );
        let columns = self.column_words();
        if !columns.is_empty() {
            let _ = write!(out, "\n{columns}");
        }
        if interactions.whole || self.0.has_terms() {
            if !interactions.whole {
                let words = "Of the quadratic units alone; units of other activations come on top:";
                let _ = write!(out, "\n{words}\n");
            }
            let _ = write!(out, "\n{}", self.term_words());
        }
        if interactions.whole {
            let _ = write!(out, "{}", self.slope_words());
        }
        if self.0.has_terms() {
            let _ = write!(out, "\n{}", self.unit_words(&self.0.units));
        }
        if interactions.spread.is_none() && (interactions.whole || self.0.has_terms()) {
            let words = "Raw coefficients depend on the units of the columns: with DATA, terms are ranked by what they \
                         are worth in standard deviations.";
            let _ = write!(out, "\n{}\n", wrapped(words, 0));
        }
        out
    }

    /// What is said column by column, and the sentences below.
    fn column_words(&self) -> String {
        let ExplainOutcome { importances, effects, layers, .. } = self.0;
        let ranked = importances.as_ref().map(|ranked| &ranked.columns);
        let moved = effects.as_ref().map(|effects| effects.columns.iter().map(|one| &one.grid.column));
        let names: Vec<&String> =
            ranked.map_or_else(|| moved.into_iter().flatten().collect(), |names| names.iter().collect());
        if names.is_empty() {
            return String::new();
        }
        let scales = layers.as_ref().map_or(vec![], shown_scales);
        let mut header = vec![if importances.is_some() { "Column shuffled" } else { "Column" }];
        header.extend(importances.iter().map(|_| "RMSE grows by"));
        header.extend(effects.iter().map(|_| "effect"));
        let laws: Vec<String> = scales.iter().map(|layer| layer_name(layer.law.name())).collect();
        header.extend(laws.iter().map(String::as_str));
        let row = |name: &&String| {
            let at = ranked.and_then(|names| names.iter().position(|other| other == *name));
            let group = importances.as_ref().zip(at).map(|(ranked, at)| &ranked.found.groups[at]);
            let effect = effects.as_ref().and_then(|found| found.columns.iter().find(|one| one.grid.column == **name));
            let mut row = vec![printable(name)];
            let increase = |group: &Importance| format!("{} ± {}", brief(group.increase), brief(group.standard_error));
            row.extend(group.map(increase));
            row.extend(effect.map(|one| format!("± {}", brief(one.spread))));
            row.extend(scales.iter().map(|layer| scale_words(layer, name)));
            row
        };
        let rows: Vec<Vec<String>> = names.iter().take(self.top()).map(row).collect();
        let mut out = format!("{}\n{}", table(&header, rows), more(names.len(), self.top()));
        let mut say = |words: &str| {
            let _ = writeln!(out, "  {}", wrapped(words, 2));
        };
        importances.iter().for_each(|ranked| say(&importance_words(ranked)));
        effects.iter().for_each(|effects| say(&self.effect_words(effects)));
        layers.iter().for_each(|layers| layer_words(layers, &scales).iter().for_each(|words| say(words)));
        out
    }

    fn effect_words(&self, effects: &Effects) -> String {
        const MOST_PAIRS: usize = 3;
        const WEAK: f64 = 0.01;
        let rows = match (effects.rows, effects.is_every_row) {
            (1, true) => "the only row".to_owned(),
            (count, true) => format!("the {count} rows"),
            (count, false) => format!("{count} of the rows"),
        };
        let rows = if self.0.has_table { rows } else { format!("{rows} that the model keeps") };
        let words = format!(
            "The effect is the deviation of the mean curve of the prediction f when the column is moved in small steps over \
             {rows}; f itself varies by ± {}.",
            brief(effects.deviation)
        );
        let strong = effects.pairs.iter().filter(|pair| pair.strength > WEAK * effects.deviation);
        let name = |grid: &ColumnGrid| printable(&grid.column);
        let pair = |pair: &PairEffect| {
            format!("{} × {} ± {}", name(&pair.grids[0]), name(&pair.grids[1]), brief(pair.strength))
        };
        let pairs: Vec<String> = strong.take(MOST_PAIRS).map(pair).collect();
        match (pairs.is_empty(), effects.pairs.is_empty()) {
            (false, _) => format!("{words} Together beyond what each does alone: {}.", pairs.join(", ")),
            (true, false) if effects.deviation > 0.0 => {
                format!("{words} No two of the first columns do anything together that neither does alone.")
            }
            (true, _) => words,
        }
    }

    fn term_words(&self) -> String {
        let terms = self.0.interactions.terms();
        if terms.is_empty() {
            return "  No term of two inputs: the function is affine.\n".into();
        }
        let name = |term: &Term| match term.a == term.b {
            true => format!("{}²", self.name(term.a)),
            false => format!("{} · {}", self.name(term.a), self.name(term.b)),
        };
        let row = |term: &Term| {
            let scaled = term.scaled.map(number);
            [Some(name(term)), Some(number(term.coefficient)), scaled].into_iter().flatten().collect()
        };
        let listed = self.listed("Term", terms.iter().take(self.top()).map(row).collect());
        let cancelling = match &self.0.importances {
            Some(RankedImportances { found, .. }) if self.0.interactions.cancels(found.target_deviation) => wrapped(
                "  The largest terms are many times the spread of the target and cancel each other: some inputs nearly \
                 determine others, so single coefficients should not be read alone.\n",
                2,
            ),
            _ => String::new(),
        };
        format!("{listed}\n{}{cancelling}", more(terms.len(), self.top()))
    }

    fn slope_words(&self) -> String {
        let slopes = self.0.interactions.slopes();
        let row = |slope: &Slope| {
            let scaled = slope.scaled.map(number);
            [Some(self.name(slope.a)), Some(number(slope.coefficient)), scaled].into_iter().flatten().collect()
        };
        let rows: Vec<Vec<String>> = slopes.iter().take(self.top()).map(row).collect();
        if rows.is_empty() {
            return String::new();
        }
        let at = match self.0.interactions.spread {
            Some(_) if self.0.has_terms() => {
                "  Of a single input, the second number is the slope at the mean of all inputs times its deviation.\n"
            }
            _ => "",
        };
        format!("\n{}\n{}{at}", self.listed("Linear part", rows), more(slopes.len(), self.top()))
    }

    /// A table of coefficients.
    fn listed(&self, first: &str, rows: Vec<Vec<String>>) -> String {
        match self.0.interactions.spread {
            Some(_) => table(&[first, "coefficient", "× standard deviations"], rows),
            None => table(&[first, "coefficient"], rows),
        }
    }

    fn unit_words(&self, units: &[Unit]) -> String {
        let rows = units.iter().take(self.top()).map(|unit| vec![number(unit.eigenvalue), self.leading(unit)]);
        let mut words = match self.0.interactions.spread {
            Some(_) => "  Units: eigenvalues of M in standard deviations, and the inputs that lead\n".to_owned(),
            None => "  Units: eigenvalues of M, and the inputs that lead\n".to_owned(),
        };
        for row in rows {
            let _ = writeln!(words, "  {:>12}   {}", row[0], row[1]);
        }
        words + &more(units.len(), self.top())
    }

    /// The inputs of the largest components, with these.
    fn leading(&self, unit: &Unit) -> String {
        let leading = leading(unit);
        let parts = leading.iter().map(|&a| format!("{:+.2} {}", unit.direction[a], self.name(a)));
        parts.collect::<Vec<String>>().join("  ")
    }
}

fn importance_words(RankedImportances { found, .. }: &RankedImportances) -> String {
    format!(
        "On {} rows, where the RMSE is {}; each column shuffled {} times. A column that others nearly determine cannot be \
         judged alone.",
        found.rows,
        number(found.rmse),
        found.repeats
    )
}

/// How many units of which activation, or "no".
fn kinds_of_units(network: &Function) -> String {
    let wide = (!network.wide().is_empty()).then(|| "infinitely many".to_owned());
    let kinds: Vec<String> = network
        .networks()
        .iter()
        .filter(|network| network.width() > 0)
        .map(|network| format!("{} {}", network.width(), network.activation))
        .chain(wide)
        .collect();
    if kinds.is_empty() { "no".into() } else { kinds.join(", ") }
}

/// A line that says how many were not listed.
fn more(all: usize, listed: usize) -> String {
    if all > listed { format!("  … and {} more (--top {all} lists all)\n", all - listed) } else { String::new() }
}
