//! `shallows recover`.

mod account;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use shallows::activation::{Activation, Symmetry};
use shallows::certificate::{Certificate, designed_landscape};
use shallows::data::{Data, Recipe, Roles, Table};
use shallows::fit::Model;
use shallows::network::Network;
use shallows::recover::designed::{largest_mu, smallest_lambda_general};
use shallows::recover::{Alignment, Law, Parts, Recovery, Settings, Stage, Verdict, align, normalised, recover};

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output::{self, brief};
use crate::progress::{INTERRUPTED, Line, finish_on_interrupt};

/// Find the weights of the planted network behind data with Gaussian inputs
///
/// The labels are taken to be y = Σ v_j φ(w_j·x) + noise with x ~ N(μ, Σ) and at most as many units as inputs. Moments of
/// degree 2 and 4 give the directions of the units, least squares with the true φ the rest. Rows that were held out
/// decide: what they do not support is reported as not recovered, with the reason. The support is evidence, not proof.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows teach -a relu -d 20 -k 10 -n 3000 --orthogonal --outputs uniform:1:2 -o planted.csv --save-teacher t.safetensors
  shallows recover planted.csv                             how many units, which weights
  shallows recover planted.csv --teacher t.safetensors     and how far they are from the teacher's
  shallows recover noisy.csv -a softplus --units 4 --intercept

What cannot be recovered this way: odd activations such as tanh and erf (their even moments vanish), quadratic ones (only
Σ v_j w_j w_jᵀ is determined), more units than inputs, and the signs of units where a linear part can absorb them.

Exit status: 0 recovered, 1 not recovered or refused, 2 error")]
pub struct RecoverArgs {
    /// CSV, Parquet or NPY; `-` reads CSV from standard input
    data: PathBuf,
    /// The column with the labels [default: the last]
    #[arg(long, short, value_name = "NAME")]
    target: Option<String>,
    /// A column to leave out; may be repeated
    #[arg(long, value_name = "COLUMN")]
    drop: Vec<String>,
    /// φ, as for `fit`: relu, softplus, gelu, abs, leaky-relu:0.1, cos, …
    #[arg(long, short, value_name = "NAME", default_value = "relu", value_parser = parse_named::<Activation>)]
    activation: Activation,
    /// Hidden units: a number, or auto for as many as stand out in the second moments
    #[arg(long, short = 'm', value_name = "auto|M", default_value = "auto", value_parser = parse_units)]
    units: Units,
    /// What the inputs are taken for: standard (N(0, I)), whiten (N(μ, Σ) with the mean and covariance of the rows), or
    /// auto (standard unless a test at level 0.001 speaks against it)
    #[arg(long, value_enum, default_value = "auto")]
    inputs: InputsArg,
    /// The units have biases: φ(w·x + u)
    #[arg(long)]
    biases: bool,
    /// The network has an intercept
    #[arg(long)]
    intercept: bool,
    /// The network has a linear part; with relu and its like the signs of the units are a convention then
    #[arg(long)]
    linear: bool,
    /// The model of the planted network, such as `teach --save-teacher` writes, to compare with
    #[arg(long, value_name = "MODEL")]
    teacher: Option<PathBuf>,
    /// Of the held-out rows and everything else random
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// Where to write the recovered network [default: DATA with the ending .recovered.safetensors, in this folder]
    #[arg(long, short, value_name = "MODEL")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Units {
    Auto,
    Given(usize),
}

fn parse_units(text: &str) -> Result<Units, String> {
    match text.parse() {
        _ if text == "auto" => Ok(Units::Auto),
        Ok(units) if units > 0 => Ok(Units::Given(units)),
        _ => Err("neither auto nor a positive whole number".into()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InputsArg {
    Auto,
    Standard,
    Whiten,
}

/// Everything the account and the record speak about.
struct Report<'a> {
    args: &'a RecoverArgs,
    data: &'a Data,
    recovery: &'a Recovery,
    matched: Option<Alignment>,
    certificate: Option<Certificate>,
    saved: Option<PathBuf>,
    seconds: f64,
}

/// Run the verb.
pub fn run(args: &RecoverArgs, common: &Common) -> Result<ExitCode, Failure> {
    let since = Instant::now();
    let destination = args.destination();
    output::check_destination(&destination, &args.data)?;
    let data = args.samples()?;
    let teacher = args.teacher.as_deref().map(|path| read_teacher(path, &data)).transpose()?;
    finish_on_interrupt();
    let recovery = args.recovered(&data, common)?;
    let is_recovered = recovery.verdict == Verdict::Recovered;
    let network = recovery.network.as_ref().filter(|_| is_recovered);
    if let Some(network) = network {
        Model::new(network.clone(), data.names.clone(), data.target.clone(), args.seed)?.save(&destination)?;
    }
    let matched = match (&teacher, &recovery.network) {
        (Some(teacher), Some(found)) => Some(compared(found, teacher)?),
        _ => None,
    };
    let certificate = network.map(|network| landscape_of(network, &recovery)).transpose()?.flatten();
    let saved = network.map(|_| destination);
    let seconds = since.elapsed().as_secs_f64();
    let report = Report { args, data: &data, recovery: &recovery, matched, certificate, saved, seconds };
    if common.json {
        output::json(&account::record(&report))?;
    } else {
        output::bytes(account::words(&report).as_bytes())?;
    }
    Ok(if is_recovered { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What is proved about the designed objective F of the recovered units, where they have length one and positive
/// output weights, as F wants them.
fn landscape_of(network: &Network, recovery: &Recovery) -> Result<Option<Certificate>, Failure> {
    if !matches!(network.activation, Activation::Kinked(_))
        || network.bias.is_some()
        || network.v.iter().any(|v| *v <= 0.0)
    {
        return Ok(None);
    }
    let sigma_4 = recovery.information.coefficient(4);
    let (mu, lambda) = (largest_mu(&network.v), smallest_lambda_general(&network.v, sigma_4));
    Ok(Some(designed_landscape(network, sigma_4, mu, lambda)?))
}

/// The units beside the teacher's; those of positively homogeneous activations at length one.
fn compared(found: &Network, teacher: &Network) -> Result<Alignment, Failure> {
    let (found, teacher) = (normalised(found.clone()), normalised(teacher.clone()));
    Ok(align((&found.W, &found.v), (&teacher.W, &teacher.v))?)
}

fn read_teacher(path: &Path, data: &Data) -> Result<Network, Failure> {
    let model = Model::load(path)?;
    let network = model.only()?.clone();
    let (expected, found) = (network.inputs(), data.d());
    if expected != found {
        let message = format!("the teacher has {expected} inputs, but the table has {found} besides its target");
        return Err(Failure::with_hint(message, "--target and --drop set columns aside"));
    }
    Ok(network)
}

impl RecoverArgs {
    fn destination(&self) -> PathBuf {
        let stem = self.data.file_stem().filter(|_| self.data.as_os_str() != "-").unwrap_or("planted".as_ref());
        self.output.clone().unwrap_or_else(|| Path::new(stem).with_extension("recovered.safetensors"))
    }

    /// The table as it is: weights of scaled or encoded columns would not be the planted ones.
    fn samples(&self) -> Result<Data, Failure> {
        let table = Table::read(&self.data)?;
        let roles = Roles { target: self.target.clone(), drop: self.drop.clone(), ..Roles::default() };
        let target = roles.target(&table)?;
        let rows = roles.labelled(&table)?;
        let kept = |name: &&String| **name != target && !self.drop.contains(name);
        let names = table.names.iter().filter(kept).cloned().collect();
        Ok(Recipe::plain(names).data(&table, &target, None, Some(&rows))?)
    }

    fn recovered(&self, data: &Data, common: &Common) -> Result<Recovery, Failure> {
        let settings = Settings {
            activation: self.activation.clone(),
            units: match self.units {
                Units::Auto => None,
                Units::Given(units) => Some(units),
            },
            law: match self.inputs {
                InputsArg::Auto => Law::Tested,
                InputsArg::Standard => Law::Standard,
                InputsArg::Whiten => Law::Whitened,
            },
            parts: Parts { biases: self.biases, intercept: self.intercept, linear: self.linear },
            seed: self.seed,
            interrupted: Some(&INTERRUPTED),
        };
        let line = Line::new(common);
        let recovery = recover(data, &settings, &mut |stage| line.say(&stage_words(stage)));
        line.clear();
        Ok(recovery?)
    }

    /// Whether w and −w are the same unit.
    fn is_even(&self) -> bool {
        self.activation.symmetry() == Symmetry::Even
    }
}

fn stage_words(stage: Stage) -> String {
    match stage {
        Stage::Inputs => "looking at the inputs".into(),
        Stage::Moments => "averaging moments of degree 2 and 4".into(),
        Stage::Start { units, number, error } => {
            let so_far = error.map_or(String::new(), |error| format!(", held-out error so far {}", brief(error)));
            format!("{units} units, start {number}{so_far}")
        }
        Stage::Errors => "standard errors".into(),
    }
}
