//! `shallows check`.

mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::certificate::Theorem;
use shallows::certificate::descent::Start;
use shallows::certificate::descent::frame::{RADIUS, RowScaling};
use shallows::data::Roles;
use shallows::job::check::{CheckJob, CheckRequest, Sought};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;

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
    #[arg(long, value_name = "ID", value_parser = parse_named::<Theorem>)]
    theorem: Vec<Theorem>,
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

/// Run the verb.
pub fn run(args: &CheckArgs, common: &Common) -> Result<ExitCode, Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    outcome.samples.remark().iter().for_each(|words| output::remark(common, words));
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words::words(args, &outcome).as_bytes())?;
    }
    Ok(if outcome.is_proved() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl CheckArgs {
    fn job(&self) -> CheckJob {
        let roles = Roles {
            target: self.target.clone(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            ..Roles::default()
        };
        CheckJob {
            table: self.data.clone(),
            roles,
            request: self.request(),
            plan: self.plan.clone(),
            rival: self.rival.clone(),
        }
    }

    fn request(&self) -> CheckRequest {
        CheckRequest {
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
