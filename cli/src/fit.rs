//! `shallows fit`.

mod page;
mod planned;
mod words;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::data::{Holdout, Reading, Roles, TargetScale};
use shallows::error::Error;
use shallows::fit::{self, Effort, Options};
use shallows::job::execute::ExecuteJob;
use shallows::job::fit::{FitFiles, FitJob, FitRequest, beside_model, model_path};
use shallows::job::words::parse_duration;
use shallows::optimise::Method;

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::watched;
use crate::signs::SignsArg;
use page::Page;

/// Fit a network to a table and save it
///
/// The network is f(x) = Σ_j v_j φ(w_j·x + u_j) + c + b·x. Inputs and target are scaled for the training; the saved
/// network takes raw inputs and gives raw predictions. Quadratic networks are fitted to the global optimum, with a
/// certificate that `shallows verify` re-checks.
#[derive(Args)]
#[command(after_help = "\
Examples:
  shallows fit energy.csv                                   choose everything from the data
  shallows fit energy.csv --effort quick --holdout 0.2      the same in seconds, judged on a fifth of the rows
  shallows fit energy.csv -a tanh -k 20 --holdout 0.2       a given network, judged on a fifth of the rows
  shallows fit planted.csv -a quadratic --decay 0 --json    no penalty, and a record for a script
  shallows fit energy.csv --holdout 0.2 --report r.html     and a page to hand on

Ctrl-C ends the training and saves the network reached so far. Exit status: 0 fitted, 2 error")]
pub struct FitArgs {
    /// CSV, Parquet or NPY; `-` reads CSV from standard input
    data: PathBuf,
    /// The column to predict [default: the last]
    #[arg(long, short, value_name = "NAME")]
    target: Option<String>,
    /// What is fitted: the target itself, or ln(y) for a positive and skewed target. Predictions, intervals and errors
    /// are in the units of y in both cases; exp of the fit to ln(y) estimates the median of y rather than its mean
    #[arg(long, value_enum, value_name = "SCALE", default_value = "identity")]
    target_scale: TargetScaleName,
    /// A column of sample weights, each at least 0
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// A column to leave out; may be repeated
    #[arg(long, value_name = "COLUMN")]
    drop: Vec<String>,
    /// A column whose numbers are names of categories; may be repeated
    #[arg(long, value_name = "COLUMN")]
    categorical: Vec<String>,
    /// Take rows that occur several times as one row of their joint weight: whether a row is repeated or has a weight then
    /// makes no difference, and no comparison leaves a row out that it has also trained on
    #[arg(long)]
    merge_repeats: bool,
    /// What to do with gaps (empty cells, NA, N/A, #N/A, NaN, null, None, ?): fill them with what the training rows
    /// teach (the median, the most frequent word, and an input that says where they are), or refuse them
    #[arg(long, value_enum, default_value = "fill")]
    missing: Missing,
    /// Rows kept out of the training to judge it: a share such as 0.2, or a file of row numbers counted from 0
    #[arg(long, value_name = "FRACTION|FILE", value_parser = holdout)]
    holdout: Option<Holdout>,
    /// Also fit K times without a K-th of the training rows, and report the errors on what was left out; takes about
    /// K times as long
    #[arg(long, value_name = "K")]
    folds: Option<usize>,
    /// A share of the other rows kept out of the training, so that `predict --interval` can give proved intervals
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true)]
    calibrate: Option<f64>,

    /// φ: auto, quadratic, relu, leaky-relu, softplus, sigmoid, tanh, erf, gelu, abs, cos or hermite; parameters
    /// follow a colon, as in softplus:10. auto compares an affine model, the certified quadratic network, and relu, cos,
    /// tanh and softplus networks by cross-validation, and combines the best into one hidden layer
    #[arg(long, short, value_name = "NAME", default_value = "auto", value_parser = named_or_auto::<Activation>, help_heading = "Model")]
    activation: Auto<Activation>,
    /// k, hidden units [default: the rank of M for quadratic, 6 to 40 by the size of the table for others]
    #[arg(long, short = 'k', value_name = "K", help_heading = "Model")]
    width: Option<usize>,
    /// τ ≥ 0 or auto: adds τ‖M‖_* (τ·tr M with --signs; M = Σ v_j w_j w_jᵀ) to the loss ½·mean r² of a quadratic
    /// network, and (τ/2)(‖W‖² + ‖v‖²) to that of others, on the scaled table. auto decides by held-out error
    #[arg(long, value_name = "auto|T", default_value = "auto", value_parser = number_or_auto, allow_negative_numbers = true, help_heading = "Model")]
    decay: Auto<f64>,
    /// With --decay auto, take the largest τ within one standard error of the best (quadratic networks)
    #[arg(long, help_heading = "Model")]
    one_standard_error: bool,
    /// The signs that the output weights of a quadratic network may have [default: any]
    #[arg(long, value_enum, help_heading = "Model")]
    signs: Option<SignsArg>,
    /// Leave out the linear part b·x
    #[arg(long, help_heading = "Model")]
    no_linear: bool,
    /// Leave out the intercept c
    #[arg(long, help_heading = "Model")]
    no_intercept: bool,
    /// Train on the raw numbers, so that τ has its literal meaning
    #[arg(long, help_heading = "Model")]
    no_scaling: bool,

    /// auto, descent, sgd, lbfgs, newton or levenberg. auto: the global optimum of quadratic networks, levenberg
    /// for other smooth activations and moderate sizes, lbfgs otherwise
    #[arg(long, short, value_name = "NAME", default_value = "auto", value_parser = named_or_auto::<Method>, help_heading = "Training")]
    method: Auto<Method>,
    /// Most iterations [default: 300 levenberg and newton, 2000 lbfgs, 20000 descent, 50000 sgd]
    #[arg(long, value_name = "N", help_heading = "Training")]
    iterations: Option<usize>,
    /// The step of sgd [default: 0.05], or a fixed step for descent [default: adaptive, never uphill]
    #[arg(long, value_name = "S", help_heading = "Training", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Samples per step of sgd [default: 32]
    #[arg(long, value_name = "N", help_heading = "Training")]
    batch: Option<usize>,
    /// Stop when the gradient, on the standardised table, is this small [default: 1e-7]
    #[arg(long, value_name = "G", help_heading = "Training")]
    gradient: Option<f64>,
    /// Everything random comes from it
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Training")]
    seed: u64,
    /// How much work the automatic fit is worth: quick, normal or best; about 1 : 5 : 15 in time [default: normal]
    #[arg(long, value_name = "EFFORT", value_parser = parse_named::<Effort>, help_heading = "Training")]
    effort: Option<Effort>,
    /// End after about this long with what there is: 60s, 5m, 2h; a first model is finished even if that takes longer.
    /// Without it the result depends on the seed alone
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Training")]
    budget: Option<Duration>,

    /// Where to save the network [default: the name of DATA with .safetensors, in the current folder]
    #[arg(long, short, value_name = "MODEL")]
    output: Option<PathBuf>,
    /// Where to save the certificate of a quadratic network [default: the name of the model with
    /// .certificate.json]
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// A page of HTML that tells everything about the fit: data, candidates, accuracy, figures, what is proved
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Where to draw observed values and residuals against predictions: SVG or PNG by ending
    #[arg(long, value_name = "FILE")]
    residuals: Option<PathBuf>,
    /// The relative gap up to which a quadratic network counts as optimal
    #[arg(long, value_name = "G", default_value = "1e-6")]
    tolerance: f64,

    /// Execute a plan of `shallows check`: gradient descent from its start, every proved bound compared with the run
    #[arg(long, value_name = "FILE", help_heading = "Plan", conflicts_with_all = [
        "holdout", "folds", "calibrate", "weight", "merge_repeats", "activation", "width", "decay", "one_standard_error", "signs",
        "no_linear", "no_intercept", "no_scaling", "method", "step", "batch", "gradient", "effort", "certificate",
        "report", "residuals", "target_scale", "tolerance", "seed",
    ])]
    plan: Option<PathBuf>,
    /// Where to draw proved and observed residuals of a plan: SVG or PNG by ending [default: the name of the
    /// model with .plan.svg]
    #[arg(long, value_name = "FILE", help_heading = "Plan", requires = "plan")]
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
pub fn run(args: &FitArgs, common: &Common) -> Result<(), Failure> {
    if let Some(plan) = &args.plan {
        return planned::run(&args.planned(plan), common);
    }
    let outcome = watched(common, |watch| args.job().run(watch))?;
    outcome.samples.remark().iter().for_each(|words| output::remark(common, words));
    if let Some(path) = &args.report {
        Page::new(&outcome).save(path)?;
    }
    if common.json { output::json(&outcome.document()) } else { output::bytes(words::words(&outcome).as_bytes()) }
}

impl FitArgs {
    fn job(&self) -> FitJob {
        let model = model_path(&self.data, self.output.as_deref());
        let certificate = self.certificate.clone();
        let certificate = certificate.unwrap_or_else(|| self.beside_model("certificate.json"));
        FitJob {
            table: self.data.clone(),
            reading: Reading {
                roles: self.roles(),
                holdout: self.holdout.clone(),
                calibrate: self.calibrate,
                seed: self.seed,
            },
            request: FitRequest {
                options: self.options(),
                budget: self.budget,
                folds: self.folds,
                tolerance: self.tolerance,
            },
            files: FitFiles {
                model: Some(model),
                certificate: Some(certificate),
                residuals: self.residuals.clone(),
                report: self.report.clone(),
            },
        }
    }

    fn planned(&self, plan: &Path) -> ExecuteJob {
        ExecuteJob {
            table: self.data.clone(),
            roles: self.roles(),
            plan: plan.to_owned(),
            iterations: self.iterations,
            budget: self.budget,
            model: model_path(&self.data, self.output.as_deref()),
            curves: self.curves.clone().unwrap_or_else(|| self.beside_model("plan.svg")),
        }
    }

    fn beside_model(&self, ending: &str) -> PathBuf {
        beside_model(&self.data, self.output.as_deref(), ending)
    }

    fn roles(&self) -> Roles {
        Roles {
            target: self.target.clone(),
            weight: self.weight.clone(),
            drop: self.drop.clone(),
            categorical: self.categorical.clone(),
            refuse_gaps: self.missing == Missing::Error,
            keep_constants: self.no_linear || self.no_intercept,
            target_scale: self.target_scale.into(),
        }
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
