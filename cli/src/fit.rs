//! `shallows fit`.

mod page;
mod planned;
mod words;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use shallows::data::recipe::{DateUse, WordOrder};
use shallows::data::{DependenceColumn, Holdout, Reading, Roles, TargetScale};
use shallows::error::Error;
use shallows::fit::{self, Effort, GivenActivation, Options, Preference};
use shallows::job::execute::ExecuteJob;
use shallows::job::fit::{FitFiles, FitJob, FitRequest, beside_model, model_path};
use shallows::job::words::parse_duration;
use shallows::optimise::Method;
use shallows::wide::LayerSet;

use crate::GlobalArgs;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;
use crate::signs::SignsArg;
use page::Page;

/// Fit a network to a table and save it
///
/// The network is f(x) = Σ_l v_l φ(w_l·x + u_l) + c + b·x. Inputs and target are scaled for the run; the saved
/// network takes raw inputs and gives raw predictions. Quadratic networks are fitted to the global optimum, with a
/// certificate that `shallows verify` re-checks.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows fit energy.csv                                   choose everything from the data
  shallows fit energy.csv --effort quick --holdout 0.2      the same in seconds, judged on a fifth of the rows
  shallows fit energy.csv -a tanh -k 20 --holdout 0.2       a given network, judged on a fifth of the rows
  shallows fit planted.csv -a quadratic --decay 0 --json    no penalty, and a record for a script
  shallows fit energy.csv --holdout 0.2 --report r.html     with a report to share

Ctrl-C ends the run and saves the network reached so far. Exit status: 0 fitted, 2 error")]
pub struct FitArgs {
    data: PathBuf,
    #[arg(long, short)]
    target: Option<String>,
    #[arg(long, value_enum)]
    target_scale: TargetScaleName,
    #[arg(long)]
    weight: Option<String>,
    #[arg(long, conflicts_with = "time")]
    group: Option<String>,
    #[arg(long)]
    time: Option<String>,
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
    #[arg(long)]
    merge_repeats: bool,
    #[arg(long, value_enum)]
    missing: Missing,
    #[arg(long, value_parser = holdout)]
    holdout: Option<Holdout>,
    #[arg(long)]
    folds: Option<usize>,
    #[arg(long, allow_negative_numbers = true)]
    calibrate: Option<f64>,
    #[arg(long, short, value_parser = named_or_auto::<GivenActivation>)]
    activation: Auto<GivenActivation>,
    #[arg(long, value_delimiter = ',', value_parser = parse_named::<LayerSet>)]
    layers: Option<Vec<LayerSet>>,
    #[arg(long, short = 'k')]
    width: Option<usize>,
    #[arg(long, value_parser = number_or_auto, allow_negative_numbers = true)]
    decay: Auto<f64>,
    #[arg(long)]
    one_standard_error: bool,
    #[arg(long, value_enum)]
    signs: Option<SignsArg>,
    #[arg(long)]
    no_linear: bool,
    #[arg(long)]
    no_intercept: bool,
    #[arg(long)]
    no_scaling: bool,
    #[arg(long, short, value_parser = named_or_auto::<Method>)]
    method: Auto<Method>,
    #[arg(long)]
    iterations: Option<usize>,
    #[arg(long, allow_negative_numbers = true)]
    step: Option<f64>,
    #[arg(long)]
    batch: Option<usize>,
    #[arg(long)]
    gradient: Option<f64>,
    #[arg(long)]
    seed: u64,
    #[arg(long, value_parser = parse_named::<Effort>)]
    effort: Option<Effort>,
    #[arg(long, value_parser = parse_named::<Preference>)]
    prefer: Option<Preference>,
    #[arg(long, value_parser = duration)]
    budget: Option<Duration>,
    #[arg(long, short)]
    output: Option<PathBuf>,
    #[arg(long)]
    certificate: Option<PathBuf>,
    #[arg(long)]
    report: Option<PathBuf>,
    #[arg(long)]
    findings: bool,
    #[arg(long)]
    residuals: Option<PathBuf>,
    #[arg(long)]
    tolerance: Option<f64>,
    #[arg(long, conflicts_with_all = [
        "holdout", "folds", "calibrate", "weight", "group", "time", "merge_repeats", "activation", "layers", "width",
        "decay", "one_standard_error", "signs",
        "no_linear", "no_intercept", "no_scaling", "method", "step", "batch", "gradient", "effort", "prefer",
        "certificate",
        "report", "findings", "residuals", "target_scale", "tolerance", "seed",
    ])]
    plan: Option<PathBuf>,
    #[arg(long, requires = "plan")]
    curves: Option<PathBuf>,
}

/// What becomes of gaps.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Missing {
    Fill,
    Error,
}

/// A value, or `auto`.
#[derive(Clone, Debug, PartialEq)]
pub struct Auto<T>(Option<T>);

fn named_or_auto<T: FromStr<Err = Error>>(text: &str) -> Result<Auto<T>, String> {
    if text == "auto" { Ok(Auto(None)) } else { parse_named(text).map(|value| Auto(Some(value))) }
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "neither a positive number of seconds nor a time such as 60s, 5m or 2h".into())
}

fn holdout(text: &str) -> Result<Holdout, Infallible> {
    text.parse()
}

fn number_or_auto(text: &str) -> Result<Auto<f64>, String> {
    match text {
        "auto" => Ok(Auto(None)),
        given => given.parse().map(|value| Auto(Some(value))).map_err(|_| "neither auto nor a number".into()),
    }
}

/// Run the verb.
pub fn run(args: &FitArgs, common: &GlobalArgs) -> Result<(), Failure> {
    if let Some(plan) = &args.plan {
        return planned::run(args.planned(plan), common);
    }
    let job = args.job()?;
    let outcome = watched(common, |watch| job.run(watch))?;
    outcome.samples.remark().iter().for_each(|words| output::remark(common, words));
    outcome.samples.lone_groups().iter().for_each(|words| output::remark(common, words));
    let old = args.old_certificate(outcome.files.certificate.as_deref());
    old.iter().for_each(|words| output::remark(common, words));
    if let Some(path) = &args.report {
        Page::new(&outcome).save(path)?;
    }
    if common.json { output::json(&outcome.document()) } else { output::bytes(words::words(&outcome).as_bytes()) }
}

impl FitArgs {
    fn job(&self) -> Result<FitJob, Failure> {
        let fit = self.options().request()?;
        let usual = || fit.is_certifiable().then(|| self.beside_model("certificate.json"));
        let certificate = self.certificate.clone().or_else(usual);
        Ok(FitJob {
            rows: self.data.clone().into(),
            reading: Reading {
                roles: self.roles(),
                holdout: self.holdout.clone(),
                calibrate: self.calibrate,
                seed: self.seed,
            },
            request: FitRequest {
                fit,
                budget: self.budget,
                folds: self.folds,
                tolerance: self.tolerance,
                findings: self.findings,
            },
            files: FitFiles {
                model: Some(model_path(&self.data, self.output.as_deref())),
                certificate,
                residuals: self.residuals.clone(),
                report: self.report.clone(),
            },
        })
    }

    fn planned(&self, plan: &Path) -> ExecuteJob {
        ExecuteJob {
            rows: self.data.clone().into(),
            roles: self.roles(),
            plan: plan.to_owned().into(),
            iterations: self.iterations,
            budget: self.budget,
            model: Some(model_path(&self.data, self.output.as_deref())),
            curves: Some(self.curves.clone().unwrap_or_else(|| self.beside_model("plan.svg"))),
        }
    }

    /// That a certificate stands where that of the model would be, and this fit has written none or another file.
    fn old_certificate(&self, written: Option<&Path>) -> Option<String> {
        let usual = self.beside_model("certificate.json");
        let place = usual.canonicalize().ok()?;
        let is_new = written.and_then(|path| path.canonicalize().ok()) == Some(place);
        let shown = output::printable(&usual.display().to_string());
        (!is_new)
            .then(|| format!("{shown} was there before: this fit did not write it, and it may be about another model"))
    }

    fn beside_model(&self, ending: &str) -> PathBuf {
        beside_model(&self.data, self.output.as_deref(), ending)
    }

    fn roles(&self) -> Roles {
        Roles {
            target: self.target.clone(),
            weight: self.weight.clone(),
            dependence: self.dependence(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            ordered: self.ordered.clone(),
            dates: self.dates,
            gap_words: self.gaps.clone(),
            refuse_gaps: self.missing == Missing::Error,
            target_scale: self.target_scale.into(),
            ..Roles::default()
        }
    }

    /// Which rows depend on each other; the command line takes a group or a time.
    fn dependence(&self) -> Option<DependenceColumn> {
        let time = || self.time.clone().map(DependenceColumn::Time);
        self.group.clone().map(DependenceColumn::Group).or_else(time)
    }

    fn options(&self) -> Options {
        let common = fit::Common {
            seed: self.seed,
            linear: !self.no_linear,
            intercept: !self.no_intercept,
            scaling: !self.no_scaling,
            merge_repeats: self.merge_repeats,
        };
        Options {
            common,
            activation: self.activation.0.clone(),
            sets: self.layers.clone(),
            width: self.width,
            method: self.method.0,
            decay: self.decay.0,
            one_standard_error: self.one_standard_error,
            signs: self.signs.map(Into::into),
            iterations: self.iterations,
            step: self.step,
            batch: self.batch,
            gradient: self.gradient,
            effort: self.effort,
            prefer: self.prefer,
        }
    }
}

/// What is fitted.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TargetScaleName {
    /// y
    Identity,
    /// ln(y)
    Log,
}

impl From<TargetScaleName> for TargetScale {
    fn from(scale: TargetScaleName) -> Self {
        match scale {
            TargetScaleName::Identity => TargetScale::Identity,
            TargetScaleName::Log => TargetScale::Log,
        }
    }
}
