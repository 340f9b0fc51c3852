//! `shallows explain`.

use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use shallows::data::{Data, Table};
use shallows::draw::{self, Bar, Figure, MOST_COLUMNS};
use shallows::file::{Destinations, FileRole};
use shallows::fit::explain::{Importances, Interactions, Slope, Term, Unit, importances};
use shallows::job::words;
use shallows::linalg::Matrix;
use shallows::model::Model;

use crate::Common;
use crate::failure::Failure;
use crate::output::{self, number, printable, table, wrapped};

/// Show what a saved network says about its inputs
///
/// A quadratic network is f(x) = Σ M_ab x_a x_b + b·x + c: its strongest pairs and squares are listed, with their
/// coefficients in the units of the columns. With DATA they are ranked by what they are worth in standard deviations of
/// the columns. Of any network, with DATA: by how much the error grows when a column is shuffled.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows explain energy.safetensors energy.csv                  a table on standard output
  shallows explain energy.safetensors energy.csv -o heat.svg      and the matrix M, or the importances, as a figure
  shallows explain energy.safetensors --json                      the matrix of a quadratic network, for a script

Exit status: 0 explained, 2 error")]
pub struct ExplainArgs {
    /// A model saved by `fit` or `teach`
    model: PathBuf,
    /// CSV, Parquet or NPY with the model's inputs, and with its target for importances; needed for networks that are
    /// not quadratic
    data: Option<PathBuf>,
    /// Where to draw the matrix of a quadratic network, or the importances of another: SVG or PNG by ending
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many terms, units and columns to list
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    top: u16,
    /// How often each column is shuffled
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(2..))]
    repeats: u16,
    /// The seed of the shuffles
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
}

/// What is known about a network.
struct Explanation<'a> {
    args: &'a ExplainArgs,
    model: &'a Model,
    names: Vec<String>,
    interactions: Interactions,
    /// By column, the most important first.
    importances: Option<(Importances, Vec<String>)>,
}

/// Run the verb.
pub fn run(args: &ExplainArgs, common: &Common) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        draw::check_name(path)?;
    }
    args.destinations().check()?;
    let model = Model::load(&args.model)?;
    let mut interactions = Interactions::of(&model.network);
    let Rows { inputs, labelled, remarks } = args.rows(&model)?;
    remarks.iter().for_each(|words| output::remark(common, words));
    if let Some(inputs) = &inputs {
        interactions = interactions.with_rows(inputs)?;
    }
    if !interactions.whole && labelled.is_none() {
        let kinds: Vec<String> = model.network.activations().map(ToString::to_string).collect();
        let hint = match &args.data {
            Some(data) => format!("{} has no column \"{}\"", data.display(), printable(&model.target)),
            None => format!("shallows explain {} DATA", args.model.display()),
        };
        return Err(Failure::with_hint(
            format!("a network of {} units is explained by rows with the target", kinds.join(" and ")),
            hint,
        ));
    }
    let importances = labelled.map(|data| ranked(&model, &data, args.repeats.into(), args.seed)).transpose()?;
    let names = model.inputs();
    let explanation = Explanation { args, model: &model, names, interactions, importances };
    if let Some(path) = &args.output {
        explanation.figure().save(path)?;
    }
    if common.json {
        return output::json(&explanation.record()?);
    }
    output::bytes(explanation.words()?.as_bytes())?;
    if let Some(path) = &args.output {
        output::remark(common, &format!("figure in {}", path.display()));
    }
    Ok(())
}

/// What DATA holds.
#[derive(Default)]
struct Rows {
    inputs: Option<Matrix>,
    /// Those with a target.
    labelled: Option<Data>,
    remarks: Vec<String>,
}

impl ExplainArgs {
    fn destinations(&self) -> Destinations {
        Destinations::default()
            .reads(FileRole::Model, &self.model)
            .may_read(FileRole::Table, self.data.as_ref())
            .may_write(FileRole::Figure, self.output.as_ref())
    }

    fn rows(&self, model: &Model) -> Result<Rows, Failure> {
        let Some(path) = &self.data else { return Ok(Rows::default()) };
        let mut table = Table::read(path)?;
        // An array has no names: its columns are those of the fit, and the target may come after them.
        let columns = model.recipe.columns().len();
        if !table.named && table.names.len() == columns + 1 {
            let names = model.recipe.columns().iter().map(|step| step.name.clone());
            (table.names, table.named) = (names.chain([model.target.clone()]).collect(), true);
        }
        if !table.named || !table.names.contains(&model.target) {
            let inputs = model.recipe.inputs(&table)?;
            return Ok(Rows { inputs: Some(inputs.X), labelled: None, remarks: inputs.remarks });
        }
        let roles = shallows::data::Roles { target: Some(model.target.clone()), ..Default::default() };
        let rows = roles.labelled(&table)?;
        let left = table.rows() - rows.len();
        let remarks = (left > 0).then(|| output::left_out(left, &model.target)).into_iter().collect();
        let data = model.recipe.data(&table, &model.target, None, (left > 0).then_some(rows.as_slice()))?;
        Ok(Rows { inputs: Some(data.X.clone()), labelled: Some(data), remarks })
    }
}

/// Importances by column, the largest first.
pub fn ranked(model: &Model, data: &Data, repeats: usize, seed: u64) -> Result<(Importances, Vec<String>), Failure> {
    let (names, ranges): (Vec<&str>, Vec<Range<usize>>) = model.recipe.groups().into_iter().unzip();
    let mut found = importances(&model.network, data, &ranges, repeats, seed)?;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&g, &h| found.groups[h].increase.total_cmp(&found.groups[g].increase));
    found.groups = order.iter().map(|&g| found.groups[g]).collect();
    Ok((found, order.iter().map(|&g| names[g].to_owned()).collect()))
}

/// The heat map of a quadratic network, in standard deviations where rows are known.
pub fn heat_map(interactions: &Interactions, names: &[String], target: &str) -> Figure {
    let matrix = interactions.comparable();
    let d = matrix.rows();
    let reach = |a: usize| matrix.row(a).iter().map(|x| x.abs()).fold(0.0, f64::max);
    let mut shown: Vec<usize> = (0..d).collect();
    if d > MOST_COLUMNS {
        shown.sort_by(|&a, &b| reach(b).total_cmp(&reach(a)));
        shown.truncate(MOST_COLUMNS);
        shown.sort_unstable();
    }
    let part = Matrix::from_fn(shown.len(), shown.len(), |a, b| matrix[(shown[a], shown[b])]);
    let names: Vec<String> = shown.iter().map(|&a| names[a].clone()).collect();
    let some = if d > shown.len() { format!(", the {} strongest of {d} inputs", shown.len()) } else { String::new() };
    let legend = match interactions.spread {
        Some(_) => format!("M_ab·σ_a·σ_b, in units of the target{some}"),
        None => format!("M_ab, which depends on the units of the columns{some}"),
    };
    let target: String = target.chars().take(40).collect();
    draw::heat_map(&format!("What pairs of inputs do to {target}"), &legend, &names, &part)
}

/// A bar for each of the most important columns.
pub fn importance_bars((found, names): &(Importances, Vec<String>), most: usize) -> Figure {
    let bars: Vec<Bar> = names
        .iter()
        .zip(&found.groups)
        .take(most)
        .map(|(name, group)| Bar { name: name.clone(), value: group.increase, error: Some(group.standard_error) })
        .collect();
    let caption = format!(
        "increase of the RMSE ({}) when the column is shuffled: mean of {} ± standard error, {} rows",
        number(found.rmse),
        found.repeats,
        found.rows
    );
    draw::bars("What the network needs", &caption, &bars)
}

impl Explanation<'_> {
    fn top(&self) -> usize {
        self.args.top.into()
    }

    /// An input, as a terminal can show it.
    fn name(&self, a: usize) -> String {
        printable(&self.names[a])
    }

    /// Whether there are pairs to speak of.
    fn has_terms(&self) -> bool {
        !self.interactions.is_affine()
    }

    /// What the network gives, and coefficients are in the units of: the target, or its logarithm.
    fn fitted_target(&self) -> String {
        self.model.recipe.target_name(&self.model.target)
    }

    fn figure(&self) -> Figure {
        match &self.importances {
            _ if self.interactions.whole && self.has_terms() => {
                heat_map(&self.interactions, &self.names, &self.fitted_target())
            }
            Some(importances) => importance_bars(importances, MOST_COLUMNS),
            None => {
                let slopes = self.interactions.slopes();
                let bar = |slope: &Slope| Bar {
                    name: self.names[slope.a].clone(),
                    value: slope.scaled.unwrap_or(slope.coefficient),
                    error: None,
                };
                let bars: Vec<Bar> = slopes.iter().take(MOST_COLUMNS).map(bar).collect();
                let caption = match self.interactions.spread {
                    Some(_) => "coefficient × standard deviation, in units of the target",
                    None => "coefficients, which depend on the units of the columns",
                };
                draw::bars("The linear part", caption, &bars)
            }
        }
    }

    fn words(&self) -> Result<String, Failure> {
        let mut out = String::new();
        let Explanation { model, interactions, .. } = self;
        let kinds: Vec<String> = model
            .network
            .networks()
            .iter()
            .filter(|network| network.width() > 0)
            .map(|network| format!("{} {}", network.width(), network.activation))
            .collect();
        let kinds = if kinds.is_empty() { "no".into() } else { kinds.join(", ") };
        let path = self.args.model.display();
        let _ = writeln!(
            out,
            "Network   {path}: {kinds} units, {} inputs, target \"{}\"",
            self.names.len(),
            printable(&self.fitted_target())
        );
        if let Some(importances) = &self.importances {
            let _ = write!(out, "\n{}", self.importance_words(importances));
        }
        if interactions.whole || self.has_terms() {
            if !interactions.whole {
                let words = "Of the quadratic units alone; units of other activations come on top:";
                let _ = write!(out, "\n{words}\n");
            }
            let _ = write!(out, "\n{}", self.term_words());
        }
        if interactions.whole {
            let _ = write!(out, "{}", self.slope_words());
        }
        if self.has_terms() {
            let _ = write!(out, "\n{}", self.unit_words(&interactions.units()?));
        }
        if interactions.spread.is_none() {
            let words = "Raw coefficients depend on the units of the columns: with DATA, terms are ranked by what they \
                         are worth in standard deviations.";
            let _ = write!(out, "\n{}\n", wrapped(words, 0));
        }
        Ok(out)
    }

    fn importance_words(&self, (found, names): &(Importances, Vec<String>)) -> String {
        let rows = names.iter().zip(&found.groups).take(self.top());
        let rows = rows.map(|(name, group)| {
            vec![printable(name), number(group.increase), format!("± {}", number(group.standard_error))]
        });
        let listed = table(&["Column shuffled", "RMSE grows by", "standard error"], rows.collect());
        let more = more(names.len(), self.top());
        let words = format!(
            "On {} rows, where the RMSE is {}; each column shuffled {} times. A column that others nearly determine \
             cannot be judged alone.",
            found.rows,
            number(found.rmse),
            found.repeats
        );
        format!("{listed}\n{more}  {}\n", wrapped(&words, 2))
    }

    fn term_words(&self) -> String {
        let terms = self.interactions.terms();
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
        let cancelling = match &self.importances {
            Some((found, _)) if self.interactions.cancels(found.target_deviation) => wrapped(
                "  The largest terms are many times the spread of the target and cancel each other: some inputs nearly \
                 determine others, so single coefficients should not be read alone.\n",
                2,
            ),
            _ => String::new(),
        };
        format!("{listed}\n{}{cancelling}", more(terms.len(), self.top()))
    }

    fn slope_words(&self) -> String {
        let slopes = self.interactions.slopes();
        let row = |slope: &Slope| {
            let scaled = slope.scaled.map(number);
            [Some(self.name(slope.a)), Some(number(slope.coefficient)), scaled].into_iter().flatten().collect()
        };
        let rows: Vec<Vec<String>> = slopes.iter().take(self.top()).map(row).collect();
        if rows.is_empty() {
            return String::new();
        }
        let at = match self.interactions.spread {
            Some(_) if self.has_terms() => {
                "  Of a single input, the second number is the slope at the mean of all inputs times its deviation.\n"
            }
            _ => "",
        };
        format!("\n{}\n{}{at}", self.listed("Linear part", rows), more(slopes.len(), self.top()))
    }

    /// A table of coefficients.
    fn listed(&self, first: &str, rows: Vec<Vec<String>>) -> String {
        match self.interactions.spread {
            Some(_) => table(&[first, "coefficient", "× standard deviations"], rows),
            None => table(&[first, "coefficient"], rows),
        }
    }

    fn unit_words(&self, units: &[Unit]) -> String {
        let rows = units.iter().take(self.top()).map(|unit| vec![number(unit.eigenvalue), self.leading(unit)]);
        let mut words = match self.interactions.spread {
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

    fn record(&self) -> Result<Value, Failure> {
        let Explanation { model, interactions, names, .. } = self;
        let activations: Vec<String> = model.network.activations().map(ToString::to_string).collect();
        let mut document = json!({
            "model": { "path": words::path(&self.args.model), "activation": activations.join("+"), "width": model.network.width() },
            "inputs": names,
            "target": self.fitted_target(),
            "seed": self.args.seed,
            "version": env!("CARGO_PKG_VERSION"),
        });
        if let Some((found, names)) = &self.importances {
            let group = |(name, group): (&String, &shallows::fit::explain::Importance)| json!({ "column": name, "increase": group.increase, "standard_error": group.standard_error });
            document["importance"] = json!({
                "rmse": found.rmse, "rows": found.rows, "repeats": found.repeats,
                "columns": names.iter().zip(&found.groups).map(group).collect::<Vec<_>>(),
            });
        }
        if interactions.whole || self.has_terms() {
            document["interactions"] = self.interaction_record()?;
        }
        if let Some(path) = &self.args.output {
            document["figure"] = json!({ "path": words::path(path) });
        }
        Ok(document)
    }

    fn interaction_record(&self) -> Result<Value, Failure> {
        let (interactions, names) = (&self.interactions, &self.names);
        let rows = |matrix: &Matrix| (0..matrix.rows()).map(|a| matrix.row(a).to_vec()).collect::<Vec<_>>();
        let terms = interactions.terms();
        let term = |term: &Term| {
            json!({
                "inputs": [names[term.a], names[term.b]], "coefficient": term.coefficient,
                "times_deviations": term.scaled,
            })
        };
        let slope = |slope: &Slope| json!({ "input": names[slope.a], "coefficient": slope.coefficient, "times_deviation": slope.scaled });
        let unit = |unit: &Unit| {
            let leading = leading(unit).into_iter().map(|a| json!({ "input": names[a], "weight": unit.direction[a] }));
            json!({ "eigenvalue": unit.eigenvalue, "leading": leading.collect::<Vec<_>>() })
        };
        Ok(json!({
            "whole": interactions.whole,
            "M": rows(&interactions.form.M),
            "M_times_deviations": interactions.spread.as_ref().map(|_| rows(&interactions.comparable())),
            "means": interactions.spread.as_ref().map(|spread| &spread.mean),
            "deviations": interactions.spread.as_ref().map(|spread| &spread.deviation),
            "terms": terms.iter().take(self.top()).map(term).collect::<Vec<_>>(),
            "linear": interactions.slopes().iter().map(slope).collect::<Vec<_>>(),
            "intercept": interactions.form.intercept,
            "units": interactions.units()?.iter().take(self.top()).map(unit).collect::<Vec<_>>(),
        }))
    }
}

/// Inputs whose components are at least a third of the largest, at most five of them, the largest first.
fn leading(unit: &Unit) -> Vec<usize> {
    const MOST: usize = 5;
    const SHARE: f64 = 1.0 / 3.0;
    let size = |a: usize| unit.direction[a].abs();
    let mut order: Vec<usize> = (0..unit.direction.len()).collect();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    let largest = order.first().map_or(0.0, |&a| size(a));
    order.into_iter().take(MOST).filter(|&a| size(a) >= SHARE * largest).collect()
}

/// A line that says how many were not listed.
fn more(all: usize, listed: usize) -> String {
    if all > listed { format!("  … and {} more (--top {all} lists all)\n", all - listed) } else { String::new() }
}
