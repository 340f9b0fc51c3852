//! `shallows check`.

mod account;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use shallows::activation::{Activation, Kinked, Smooth};
use shallows::certificate::{
    Certificate, Promises, Rival, Search, Signs, Span, Verdict, determined, find_scale, find_width, promises, rival,
    separated_data,
};
use shallows::data::{Data, Recipe, Roles, Table};
use shallows::fit::frame::RADIUS;
use shallows::fit::plan::{About, Prepared};
use shallows::fit::{Model, Plan, Rows, Start};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output::{self, left_out};
use crate::progress::{INTERRUPTED, Line, finish_on_interrupt};

/// Say, before any training, what theory promises for this data, activation and width
///
/// The network is f(x) = Σ v_l φ(w_l·x) with ±scale as output weights; the hidden layer (or both) is trained by gradient
/// descent. Every constant is computed from the table and every verdict is proved: holds, fails (a hypothesis is false)
/// or undecided. Tables whose rows are not unit vectors are standardised and get a constant input, see --rows.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows check planted.csv                               what holds at a default width and the published scale
  shallows check planted.csv --find-scale --plan plan.json the smallest output scale with a proof, and a plan for it
  shallows fit planted.csv --plan plan.json                execute the plan, proved against observed
  shallows check planted.csv --find-width                  the smallest width with a proof at the published scale
  shallows check table.csv -a quadratic --rival other.safetensors
                                                           do the rows determine a quadratic network? if not, show two

Exit status: 0 what was asked for is proved, 1 it is not, 2 error. Without --theorem, --find-width or --find-scale what is
asked for is convergence of training the hidden layer (with --activation quadratic: or that the network is determined)")]
pub struct CheckArgs {
    /// CSV, Parquet or NPY; `-` reads CSV from standard input
    data: PathBuf,
    /// The column that would be predicted [default: the last]
    #[arg(long, short, value_name = "NAME")]
    target: Option<String>,
    /// A column to leave out; may be repeated
    #[arg(long, value_name = "COLUMN")]
    drop: Vec<String>,
    /// A column whose numbers are names of categories; may be repeated
    #[arg(long, value_name = "COLUMN")]
    categorical: Vec<String>,
    /// What is done to the rows: raw (nothing), unit (divided by their norms), scaled (standardised by columns, a
    /// constant input, one common factor), auto (raw where all rows are unit vectors, else scaled)
    #[arg(long, value_enum, default_value = "auto")]
    rows: RowsArg,
    /// The norm of the longest row when they are scaled. A larger one makes a smooth φ more curved over the rows: more
    /// is provable, at a larger output scale
    #[arg(long, value_name = "R", default_value_t = RADIUS, allow_negative_numbers = true)]
    radius: f64,

    /// φ, as for `fit`
    #[arg(long, short, value_name = "NAME", default_value = "softplus", value_parser = parse_named::<Activation>)]
    activation: Activation,
    /// k, hidden units, an even number [default: four times as many hidden weights as rows]
    #[arg(long, short = 'k', value_name = "K")]
    width: Option<usize>,
    /// The size of the output weights [default: ‖y‖/√(kn), as published]
    #[arg(long, value_name = "C", allow_negative_numbers = true, conflicts_with_all = ["find_scale", "find_width"])]
    scale: Option<f64>,
    /// How the start is drawn: antisymmetric (pairs of equal units with opposite outputs, so that f starts at 0) or
    /// random
    #[arg(long, value_enum, default_value = "antisymmetric")]
    start: StartArg,
    /// Of the start
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,

    /// Search for the smallest width that is proved to reach zero error at the published output scale
    #[arg(long, conflicts_with_all = ["find_scale", "width"])]
    find_width: bool,
    /// Search for the smallest output scale that is proved to reach zero error at this width; the plan takes twice that,
    /// for the sake of its rate
    #[arg(long)]
    find_scale: bool,
    /// Where to write the plan, for `shallows fit --plan`
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Plan the training of both layers instead of the hidden one
    #[arg(long)]
    both_layers: bool,
    /// The plan is done when ‖r‖ has fallen to this share
    #[arg(long, value_name = "E", default_value = "1e-6", allow_negative_numbers = true)]
    tolerance: f64,

    /// For quadratic networks: with intercept and linear part
    #[arg(long)]
    affine: bool,
    /// For quadratic networks that the rows do not determine: where to write a second network that agrees with a first
    /// on every row; the first is written beside it, with .first before the ending
    #[arg(long, value_name = "FILE")]
    rival: Option<PathBuf>,
    /// Ask for this theorem; may be repeated
    #[arg(long, value_name = "ID")]
    theorem: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RowsArg {
    Auto,
    Raw,
    Unit,
    Scaled,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StartArg {
    Antisymmetric,
    Random,
}

/// What was searched for, and what was found.
#[derive(Clone, Copy)]
enum Searched {
    Nothing,
    Width(Option<usize>),
    Scale(Option<f64>),
}

/// Everything the account and the record speak about.
struct Report<'a> {
    args: &'a CheckArgs,
    data: &'a Data,
    prepared: &'a Prepared,
    width: usize,
    /// Of the network that was judged.
    scale: f64,
    searched: Searched,
    certificates: &'a [Certificate],
    plan: Option<&'a Plan>,
    span: Option<&'a Span>,
    rival: Option<&'a Rival>,
    rivals_saved: Option<&'a [PathBuf; 2]>,
    seconds: f64,
}

/// Run the verb.
pub fn run(args: &CheckArgs, common: &Common) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    args.check()?;
    let (data, recipe, remarks) = args.samples()?;
    let rows = args.rows(&data);
    let prepared = Prepared::new(&data, rows, args.radius, &args.activation)?;
    let distinct = &prepared.distinct.data;
    let search = Search { activation: &args.activation, data: distinct, start: args.start.into(), seed: args.seed };
    let default_width = 2 * (2 * distinct.n()).div_ceil(distinct.d()).max(2);
    let searched = args.searched(&search, default_width, common)?;
    let width = match searched {
        Searched::Width(Some(width)) => width,
        _ => args.width.unwrap_or(default_width),
    };
    let scale = match searched {
        Searched::Scale(Some(scale)) => 2.0 * scale,
        _ => args.scale.unwrap_or_else(|| search.published_scale(width)),
    };
    let line = Line::new(common);
    line.say("judging the start");
    let Promises { mut certificates, hidden, both } = promises(&search.network(width, scale)?, distinct)?;
    if args.activation == Activation::Kinked(Kinked::Relu) {
        certificates.push(separated_data(distinct)?);
    }
    let span = args.is_quadratic().then(|| determined(&data, args.affine)).transpose()?;
    let (span, rival) = match span {
        Some((certificate, span)) => {
            let rival = args.rival.as_ref().map(|_| rival(&data, &span, None, Signs::Any)).transpose()?.flatten();
            certificates.push(certificate);
            (Some(span), rival)
        }
        None => (None, None),
    };
    line.clear();
    args.check_theorems(&certificates)?;
    let proven = if args.both_layers { both } else { hidden };
    let about = |theorem| About {
        theorem,
        data: &prepared.hash,
        rows,
        radius: args.radius,
        activation: &args.activation,
        width,
        start: args.start.into(),
        scale,
        seed: args.seed,
        both_layers: args.both_layers,
    };
    let plan =
        proven.map(|(theorem, proven)| Plan::new(about(theorem), proven, prepared.samples as f64, args.tolerance));
    if let (Some(path), Some(plan)) = (&args.plan, &plan) {
        plan.save(path)?;
    }
    let rivals_saved =
        rival.as_ref().map(|rival| args.save_rivals(rival, &recipe, &data.target)).transpose()?.flatten();
    remarks.iter().for_each(|words| output::remark(common, words));
    let report = Report {
        args,
        data: &data,
        prepared: &prepared,
        width,
        scale,
        searched,
        certificates: &certificates,
        plan: plan.as_ref(),
        span: span.as_ref(),
        rival: rival.as_ref(),
        rivals_saved: rivals_saved.as_ref(),
        seconds: start.elapsed().as_secs_f64(),
    };
    if common.json {
        output::json(&account::record(&report))?;
    } else {
        output::bytes(account::words(&report).as_bytes())?;
    }
    Ok(if report.is_proved() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl CheckArgs {
    /// What can be seen without looking at the table.
    fn check(&self) -> Result<(), Failure> {
        for path in self.plan.iter().chain(&self.rival) {
            output::check_destination(path, &self.data)?;
        }
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            let message = format!("--radius {}: not a positive number", self.radius);
            return Err(Failure::with_hint(message, "20 is the default"));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let message = format!("--tolerance {}: not between 0 and 1", self.tolerance);
            return Err(Failure::with_hint(message, "1e-6 asks for six digits"));
        }
        if self.rival.is_some() && !self.is_quadratic() {
            return Err(Failure::with_hint("--rival is about quadratic networks", "add --activation quadratic"));
        }
        if self.both_layers && matches!(self.activation, Activation::Kinked(_)) {
            let message = format!("--both-layers needs a smooth activation, not {}", self.activation);
            return Err(Failure::with_hint(
                message,
                "softplus, tanh, … are smooth; the hidden layer of relu can be planned",
            ));
        }
        if self.find_scale && self.start == StartArg::Random {
            let message = "--find-scale needs a start at f = 0";
            return Err(Failure::with_hint(message, "leave out --start random"));
        }
        Ok(())
    }

    /// Theorems that were asked for and do not speak about this activation.
    fn check_theorems(&self, certificates: &[Certificate]) -> Result<(), Failure> {
        let unknown = self.theorem.iter().find(|id| certificates.iter().all(|found| found.theorem != id.as_str()));
        let Some(id) = unknown else { return Ok(()) };
        let known: Vec<&str> = certificates.iter().map(|found| found.theorem).collect();
        let message = format!("{} does not speak about {} here", shallows::error::excerpt(id), self.activation);
        Err(Failure::with_hint(message, format!("one of {}", known.join(", "))))
    }

    /// The samples, the recipe that made them, and remarks about them.
    fn samples(&self) -> Result<(Data, Recipe, Vec<String>), Failure> {
        let table = Table::read(&self.data)?;
        let roles = Roles {
            target: self.target.clone(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            ..Roles::default()
        };
        let target = roles.target(&table)?;
        let labelled = roles.labelled(&table)?;
        let mut remarks = vec![];
        if labelled.len() < table.rows() {
            remarks.push(left_out(table.rows() - labelled.len(), &target));
        }
        let recipe = Recipe::learn(&table, &roles, &labelled)?;
        let data = recipe.data(&table, &target, None, Some(&labelled))?;
        data.check_fittable()?;
        Ok((data, recipe, remarks))
    }

    fn rows(&self, data: &Data) -> Rows {
        match self.rows {
            RowsArg::Auto => Rows::automatic(&data.X),
            RowsArg::Raw => Rows::Raw,
            RowsArg::Unit => Rows::Unit,
            RowsArg::Scaled => Rows::Scaled,
        }
    }

    /// Search for what was asked for.
    fn searched(&self, search: &Search<'_>, default_width: usize, common: &Common) -> Result<Searched, Failure> {
        if self.find_width {
            finish_on_interrupt();
            let line = Line::new(common);
            let found = find_width(search, &|width, holds| {
                line.say(&format!("{width} units: {}", if holds { "proved" } else { "not proved" }));
                !INTERRUPTED.load(std::sync::atomic::Ordering::Relaxed)
            });
            line.clear();
            return Ok(Searched::Width(found?));
        }
        if self.find_scale {
            let line = Line::new(common);
            line.say("looking for the smallest output scale");
            let found = find_scale(search, self.width.unwrap_or(default_width));
            line.clear();
            return Ok(Searched::Scale(found?));
        }
        Ok(Searched::Nothing)
    }

    /// αz², the activation that `determined` speaks about.
    fn is_quadratic(&self) -> bool {
        matches!(self.activation, Activation::Smooth(Smooth::Quadratic { alpha, beta: 0.0, gamma: 0.0 }) if alpha != 0.0)
    }

    /// Both networks, as models that take the columns of the table.
    fn save_rivals(&self, rival: &Rival, recipe: &Recipe, target: &str) -> Result<Option<[PathBuf; 2]>, Failure> {
        let Some(path) = &self.rival else { return Ok(None) };
        let ending = path.extension().unwrap_or("safetensors".as_ref()).to_owned();
        let first = path.with_extension("first").with_added_extension(&ending);
        for (path, network) in [(path, &rival.second), (&first, &rival.first)] {
            Model::new(network.clone(), recipe.clone(), target.to_owned(), self.seed)?.save(path)?;
        }
        Ok(Some([path.clone(), first]))
    }
}

impl From<StartArg> for Start {
    fn from(start: StartArg) -> Start {
        match start {
            StartArg::Antisymmetric => Start::Antisymmetric,
            StartArg::Random => Start::Random,
        }
    }
}

impl Report<'_> {
    /// Whether what was asked for is proved.
    fn is_proved(&self) -> bool {
        let holds =
            |id: &str| self.certificates.iter().any(|found| found.theorem == id && found.verdict() == Verdict::Holds);
        if !self.args.theorem.is_empty() {
            return self.args.theorem.iter().all(|id| holds(id));
        }
        let found = !matches!(self.searched, Searched::Width(None) | Searched::Scale(None));
        found && (self.plan.is_some() || holds("determined"))
    }
}
