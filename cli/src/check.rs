//! `shallows check`.

mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::certificate::Rival;
use shallows::certificate::descent::Start;
use shallows::certificate::descent::frame::{RADIUS, RowScaling};
use shallows::data::{Data, Recipe, Roles, Table};
use shallows::file::{Destinations, FileRole};
use shallows::job::check::{Answer, Question, Sought, Stage};
use shallows::model::Model;

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

/// Everything the account and the record speak about.
struct Report<'a> {
    args: &'a CheckArgs,
    answer: &'a Answer<'a>,
    rivals_saved: Option<[PathBuf; 2]>,
    seconds: f64,
}

/// Run the verb.
pub fn run(args: &CheckArgs, common: &Common) -> Result<ExitCode, Failure> {
    let since = Instant::now();
    Destinations::default()
        .reads(FileRole::Table, &args.data)
        .may_write(FileRole::Plan, args.plan.as_ref())
        .may_write(FileRole::Rival, args.rival.as_ref())
        .may_write(FileRole::FirstRival, args.rival.as_deref().map(first_rival))
        .check()?;
    let question = args.question();
    question.check()?;
    let (data, recipe, remarks) = args.samples()?;
    if args.find_width {
        finish_on_interrupt();
    }
    let line = Line::new(common);
    let answer = question.answer(&data, &|stage| {
        line.say(&stage_words(stage));
        !matches!(stage, Stage::Tried { .. }) || !INTERRUPTED.load(Ordering::Relaxed)
    });
    line.clear();
    let answer = answer?;
    if let (Some(path), Some(plan)) = (&args.plan, &answer.plan) {
        plan.save(path)?;
    }
    let saved = answer.rival.as_ref().map(|rival| args.save_rivals(rival, &recipe, &data.target));
    let rivals_saved = saved.transpose()?.flatten();
    remarks.iter().for_each(|words| output::remark(common, words));
    let report = Report { args, answer: &answer, rivals_saved, seconds: since.elapsed().as_secs_f64() };
    if common.json {
        output::json(&words::record(&report))?;
    } else {
        output::bytes(words::words(&report).as_bytes())?;
    }
    Ok(if answer.is_proved() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn stage_words(stage: Stage) -> String {
    match stage {
        Stage::Tried { width, holds } => format!("{width} units: {}", if holds { "proved" } else { "not proved" }),
        Stage::Scale => "looking for the smallest output scale".into(),
        Stage::Start => "judging the start".into(),
    }
}

impl CheckArgs {
    fn question(&self) -> Question {
        Question {
            activation: self.activation.clone(),
            rows: self.rows.into(),
            radius: self.radius,
            width: self.width,
            scale: self.scale,
            start: self.start.into(),
            seed: self.seed,
            sought: match (self.find_width, self.find_scale) {
                (true, _) => Sought::Width,
                (_, true) => Sought::Scale,
                _ => Sought::Nothing,
            },
            both_layers: self.both_layers,
            tolerance: self.tolerance,
            affine: self.affine,
            rival: self.rival.is_some(),
            theorems: self.theorem.clone(),
        }
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
        Ok((data, recipe, remarks))
    }

    /// Both networks, as models that take the columns of the table.
    fn save_rivals(&self, rival: &Rival, recipe: &Recipe, target: &str) -> Result<Option<[PathBuf; 2]>, Failure> {
        let Some(path) = &self.rival else { return Ok(None) };
        let first = first_rival(path);
        for (path, network) in [(path, &rival.second), (&first, &rival.first)] {
            Model::new(network.clone(), recipe.clone(), target.to_owned(), self.seed)?.save(path)?;
        }
        Ok(Some([path.clone(), first]))
    }
}

/// Beside the second network, with `.first` before the ending.
fn first_rival(second: &Path) -> PathBuf {
    let ending = second.extension().unwrap_or("safetensors".as_ref());
    second.with_extension("first").with_added_extension(ending)
}

impl From<StartArg> for Start {
    fn from(start: StartArg) -> Start {
        match start {
            StartArg::Antisymmetric => Start::Antisymmetric,
            StartArg::Random => Start::Random,
        }
    }
}

impl From<RowsArg> for Option<RowScaling> {
    fn from(rows: RowsArg) -> Option<RowScaling> {
        match rows {
            RowsArg::Auto => None,
            RowsArg::Raw => Some(RowScaling::Raw),
            RowsArg::Unit => Some(RowScaling::Unit),
            RowsArg::Scaled => Some(RowScaling::Scaled),
        }
    }
}
