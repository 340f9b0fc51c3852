//! `shallows recover`.

mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::data::Roles;
use shallows::job::recover::{RecoverJob, recovered_path};
use shallows::recover::{Law, Parts, RecoverySettings};

use crate::GlobalArgs;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;

/// Find the weights of the planted network behind data with Gaussian inputs
///
/// The labels are taken to be y = Σ v_l φ(w_l·x) + noise with x ~ N(μ, Σ) and at most as many units as inputs. Moments of
/// degree 2 and 4 give the directions of the units, least squares with the true φ the rest. Rows that were held out
/// decide: what they do not support is reported as not recovered, with the reason. The support is evidence, not proof.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows teach -a relu -d 20 -k 10 -n 3000 --orthogonal --outputs uniform:1:2 -o planted.csv --save-teacher t.safetensors
  shallows recover planted.csv                             how many units, which weights
  shallows recover planted.csv --teacher t.safetensors     and how far they are from the teacher's
  shallows recover noisy.csv -a softplus --units 4 --intercept
  shallows recover planted.csv --certificate f.json        what is proved about the objective F with these units

What cannot be recovered this way: odd activations such as tanh and erf (their even moments vanish), quadratic ones (only
Σ v_l w_l w_lᵀ is determined), more units than inputs, and the signs of units where a linear part can absorb them.

Exit status: 0 recovered, 1 not recovered or refused, 2 error")]
pub struct RecoverArgs {
    data: PathBuf,
    #[arg(long, short)]
    target: Option<String>,
    #[arg(long)]
    drop: Vec<String>,
    #[arg(long, short, value_parser = parse_named::<Activation>)]
    activation: Activation,
    #[arg(long, short = 'm', value_parser = parse_units)]
    units: UnitsArg,
    #[arg(long, value_enum)]
    inputs: InputsArg,
    #[arg(long)]
    biases: bool,
    #[arg(long)]
    intercept: bool,
    #[arg(long)]
    linear: bool,
    #[arg(long)]
    teacher: Option<PathBuf>,
    #[arg(long)]
    seed: u64,
    #[arg(long, short)]
    output: Option<PathBuf>,
    #[arg(long)]
    certificate: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UnitsArg {
    Auto,
    Given(usize),
}

fn parse_units(text: &str) -> Result<UnitsArg, String> {
    match text.parse() {
        _ if text == "auto" => Ok(UnitsArg::Auto),
        Ok(units) if units > 0 => Ok(UnitsArg::Given(units)),
        _ => Err("neither auto nor a positive whole number".into()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InputsArg {
    Auto,
    Standard,
    Whiten,
}

/// Run the verb.
pub fn run(args: &RecoverArgs, common: &GlobalArgs) -> Result<ExitCode, Failure> {
    let outcome = watched(common, |watch| args.job().run(watch))?;
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words::words(&outcome).as_bytes())?;
    }
    if args.certificate.is_some() && outcome.certificate_path.is_none() {
        output::remark(
            common,
            "no certificate: F is about recovered relu, leaky relu or abs units without biases, v > 0",
        );
    }
    Ok(if outcome.network().is_some() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl RecoverArgs {
    fn job(&self) -> RecoverJob {
        RecoverJob {
            rows: self.data.clone().into(),
            roles: Roles { target: self.target.clone(), drop: self.drop.clone(), ..Roles::default() },
            teacher: self.teacher.clone().map(Into::into),
            settings: self.settings(),
            output: Some(self.output.clone().unwrap_or_else(|| recovered_path(&self.data))),
            certificate: self.certificate.clone(),
        }
    }

    fn settings(&self) -> RecoverySettings {
        RecoverySettings {
            activation: self.activation.clone(),
            units: match self.units {
                UnitsArg::Auto => None,
                UnitsArg::Given(units) => Some(units),
            },
            law: match self.inputs {
                InputsArg::Auto => Law::Tested,
                InputsArg::Standard => Law::Standard,
                InputsArg::Whiten => Law::Whitened,
            },
            parts: Parts { biases: self.biases, intercept: self.intercept, linear: self.linear },
            seed: self.seed,
        }
    }
}
