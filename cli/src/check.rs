//! `shallows check`.

mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::certificate::Theorem;
use shallows::certificate::descent::Start;
use shallows::certificate::descent::frame::RowScaling;
use shallows::data::Roles;
use shallows::data::recipe::{DateUse, WordOrder};
use shallows::job::check::{CheckJob, CheckRequest, Sought};

use crate::GlobalArgs;
use crate::failure::{Failure, parse_named, parse_theorem};
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
  shallows check planted.csv --certificate start.json      what was judged, with the proofs, for `verify`
  shallows check planted.csv --find-width                  the smallest width with a proof at the published scale
  shallows check table.csv -a quadratic --rival other.safetensors
                                                           do the rows determine a quadratic network? if not, show two

Exit status: 0 what was asked for is proved, 1 it is not, 2 error. Without --theorem, --find-width or --find-scale what is
asked for is convergence of training the hidden layer (with --activation quadratic: or that the network is determined)")]
pub struct CheckArgs {
    data: PathBuf,
    #[arg(long, short)]
    target: Option<String>,
    #[arg(long)]
    drop: Vec<String>,
    #[arg(long)]
    categorical: Vec<String>,
    #[arg(long)]
    ordered: Vec<WordOrder>,
    #[arg(long)]
    dates: DateUse,
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    gaps: Vec<String>,
    #[arg(long, value_enum)]
    rows: RowsArg,
    #[arg(long, allow_negative_numbers = true)]
    radius: Option<f64>,
    #[arg(long, short, value_parser = parse_named::<Activation>)]
    activation: Activation,
    #[arg(long, short = 'k')]
    width: Option<usize>,
    #[arg(long, allow_negative_numbers = true, conflicts_with_all = ["find_scale", "find_width"])]
    scale: Option<f64>,
    #[arg(long, value_enum)]
    start: StartArg,
    #[arg(long)]
    seed: u64,
    #[arg(long, conflicts_with_all = ["find_scale", "width"])]
    find_width: bool,
    #[arg(long)]
    find_scale: bool,
    #[arg(long)]
    certificate: Option<PathBuf>,
    #[arg(long)]
    plan: Option<PathBuf>,
    #[arg(long)]
    both_layers: bool,
    #[arg(long, allow_negative_numbers = true)]
    tolerance: f64,
    #[arg(long)]
    affine: bool,
    #[arg(long)]
    rival: Option<PathBuf>,
    #[arg(long, value_parser = parse_theorem)]
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
pub fn run(args: &CheckArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    let job = args.job()?;
    let outcome = watched(common, |watch| job.run(watch))?;
    outcome.samples.remark().iter().for_each(|words| output::remark(common, words));
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words::words(args, &outcome).as_bytes())?;
    }
    Ok(if outcome.is_proved() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl CheckArgs {
    fn job(&self) -> Result<CheckJob, Failure> {
        let roles = Roles {
            target: self.target.clone(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            ordered: self.ordered.clone(),
            dates: self.dates,
            gap_words: self.gaps.clone(),
            ..Roles::default()
        };
        Ok(CheckJob {
            rows: self.data.clone().into(),
            roles,
            request: self.request()?,
            plan: self.plan.clone(),
            rival: self.rival.clone(),
            certificate: self.certificate.clone(),
        })
    }

    fn request(&self) -> Result<CheckRequest, Failure> {
        Ok(CheckRequest {
            activation: self.activation.clone(),
            rows: self.rows.into(),
            radius: self.radius,
            width: self.width,
            scale: self.scale,
            start: self.start.into(),
            seed: self.seed,
            sought: Sought::of_switches(self.find_width, self.find_scale)?,
            both_layers: self.both_layers,
            tolerance: self.tolerance,
            affine: self.affine,
            rival: self.rival.is_some(),
            theorems: self.theorem.clone(),
        })
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
