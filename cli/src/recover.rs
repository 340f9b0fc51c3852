//! `shallows recover`.

mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::data::Roles;
use shallows::job::recover::RecoverJob;
use shallows::recover::{Law, Parts, RecoverySettings};
use shallows::watch::{Progress, Stage, Watch};

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

/// Run the verb.
pub fn run(args: &RecoverArgs, common: &Common) -> Result<ExitCode, Failure> {
    let line = Line::new(common);
    let report = |progress: Progress| {
        // Reading is over: from now on there is something to be finished.
        finish_on_interrupt();
        line.say(&progress_words(progress));
    };
    let outcome = args.job().run(Watch::silent().reporting(&report).interruptible(&INTERRUPTED));
    line.clear();
    let outcome = outcome?;
    if common.json {
        output::json(&outcome.document())?;
    } else {
        output::bytes(words::words(&outcome).as_bytes())?;
    }
    Ok(if outcome.network().is_some() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl RecoverArgs {
    fn destination(&self) -> PathBuf {
        let stem = self.data.file_stem().filter(|_| self.data.as_os_str() != "-").unwrap_or("planted".as_ref());
        self.output.clone().unwrap_or_else(|| Path::new(stem).with_extension("recovered.safetensors"))
    }

    fn job(&self) -> RecoverJob {
        RecoverJob {
            data: self.data.clone(),
            roles: Roles { target: self.target.clone(), drop: self.drop.clone(), ..Roles::default() },
            teacher: self.teacher.clone(),
            settings: self.settings(),
            output: self.destination(),
        }
    }

    fn settings(&self) -> RecoverySettings {
        RecoverySettings {
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
        }
    }
}

fn progress_words(progress: Progress) -> String {
    match progress {
        Progress::Began(Stage::Inputs) => "looking at the inputs".into(),
        Progress::Began(Stage::Moments) => "averaging moments of degree 2 and 4".into(),
        Progress::Began(Stage::Errors) => "standard errors".into(),
        Progress::Started { units, number, error } => {
            let so_far = error.map_or(String::new(), |error| format!(", held-out error so far {}", brief(error)));
            format!("{units} units, start {number}{so_far}")
        }
        _ => String::new(),
    }
}
