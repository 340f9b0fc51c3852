//! `shallows fit`.

mod holdout;
mod page;
mod planned;
mod residuals;
mod samples;
mod scale;
mod words;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use shallows::activation::Activation;
use shallows::certificate::{Certificate, Source};
use shallows::data::{Data, Recipe};
use shallows::draw::check_name;
use shallows::error::Error;
use shallows::file::{Destinations, FileRole};
use shallows::fit::{self, Effort, Fit, Options, Scores};
use shallows::network::Network;
use shallows::optimise::Method;

use crate::Common;
use crate::failure::{Failure, parse_named};
use crate::output;
use crate::progress::{INTERRUPTED, Line, finish_on_interrupt};
use crate::signs::SignsArg;
use holdout::Holdout;
use page::Page;
use samples::Samples;
use scale::TargetScaleName;

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
    #[arg(long, value_name = "FRACTION|FILE")]
    holdout: Option<String>,
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
    /// The signs that the output weights of a quadratic network may have
    #[arg(long, value_enum, default_value = "any", help_heading = "Model")]
    signs: SignsArg,
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
    /// Stop when the gradient, on the standardised table, is this small
    #[arg(long, value_name = "G", default_value = "1e-7", help_heading = "Training")]
    gradient: f64,
    /// Everything random comes from it
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Training")]
    seed: u64,
    /// How much work the automatic fit is worth: quick, normal or best; about 1 : 5 : 15 in time
    #[arg(long, value_name = "EFFORT", default_value = "normal", value_parser = parse_named::<Effort>, help_heading = "Training")]
    effort: Effort,
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

/// A number of seconds, minutes or hours.
fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(digits) => (digits, &text[digits.len()..]),
        None => (text, "s"),
    };
    let seconds = match unit {
        "h" => 3600.0,
        "m" => 60.0,
        _ => 1.0,
    };
    let given = digits.trim().parse::<f64>().ok().filter(|number| *number > 0.0);
    given
        .and_then(|number| Duration::try_from_secs_f64(number * seconds).ok())
        .ok_or_else(|| "neither a positive number of seconds nor a time such as 60s, 5m or 2h".into())
}

fn number_or_auto(text: &str) -> Result<Auto<f64>, String> {
    match text {
        "auto" => Ok(Auto(None)),
        given => given.parse().map(|value| Auto(Some(value))).map_err(|_| "neither auto nor a number".into()),
    }
}

/// Everything the account and the JSON record speak about.
struct Report<'a> {
    args: &'a FitArgs,
    data: &'a Data,
    target: &'a str,
    recipe: &'a Recipe,
    train: &'a Data,
    test: Option<&'a Data>,
    fit: &'a Fit,
    affine: &'a Network,
    /// The scores of parts left out, where they were asked for.
    folds: Option<&'a [Scores]>,
    model: &'a Path,
    /// Whether the model can give intervals.
    intervals: bool,
    /// What is proved, and where it is saved.
    proof: Option<(&'a Certificate, &'a Path)>,
    elapsed: Duration,
}

/// Run the verb.
pub fn run(args: &FitArgs, common: &Common) -> Result<(), Failure> {
    if let Some(plan) = &args.plan {
        return planned::run(args, plan, common);
    }
    let start = Instant::now();
    let model_path = args.model_path();
    let certificate_path = args.certificate.clone().unwrap_or_else(|| args.beside_model("certificate.json"));
    args.report.iter().try_for_each(|path| page::check_name(path))?;
    args.residuals.iter().try_for_each(|path| check_name(path))?;
    args.inputs()
        .writes(FileRole::Model, &model_path)
        .writes(FileRole::Certificate, &certificate_path)
        .may_write(FileRole::Report, args.report.as_ref())
        .may_write(FileRole::Residuals, args.residuals.as_ref())
        .check()?;
    let Samples { data, target, recipe, rows, used, remarks, columns, table_rows } = args.samples()?;
    let select = |rows: &Option<Vec<usize>>| rows.as_ref().map(|rows| data.select(rows));
    let (selected, test, scored) = (select(&rows.train), select(&rows.test), select(&rows.scored));
    let (train, test) = (selected.as_ref().unwrap_or(&data), test.as_ref());
    args.folds.map(|folds| fit::check_folds(train, folds)).transpose()?;
    finish_on_interrupt();
    let line = Line::new(common);
    let fit = fit::fit(train, &args.options(start), &|progress| line.show(progress));
    line.clear();
    let fit = fit?;
    remarks.iter().for_each(|words| output::remark(common, words));
    let affine = fit::affine_fit(train)?;
    let line = Line::new(common);
    let (options, scale) = (args.options(start), recipe.target_scale());
    let validate = |folds| fit::cross_validate(train, folds, scale, &options, &|progress| line.show(progress));
    let folds = args.folds.map(validate).transpose();
    line.clear();
    let folds = folds?;
    let source =
        Source { weight: args.weight.clone(), rows: used, recipe: Some(recipe.clone()), target: Some(target.clone()) };
    let record = fit.certified(train, &source, args.tolerance)?;
    let model = fit.model(&recipe, target.clone(), args.seed, scored.as_ref(), args.weight.is_some())?;
    model.save(&model_path)?;
    if let Some(record) = &record {
        record.save(&certificate_path)?;
    }
    let report = Report {
        args,
        data: &data,
        target: &target,
        recipe: &recipe,
        train,
        test,
        fit: &fit,
        affine: &affine,
        folds: folds.as_deref(),
        model: &model_path,
        intervals: model.calibration.is_some(),
        proof: record.as_ref().map(|record| (record, certificate_path.as_path())),
        elapsed: start.elapsed(),
    };
    if let Some(path) = &args.residuals {
        residuals::figure(&fit.network, train, test)?.save(path)?;
    }
    if let Some(path) = &args.report {
        Page { report: &report, model: &model, columns: &columns, remarks: &remarks, table_rows }.save(path)?;
    }
    if common.json { output::json(&words::record(&report)?) } else { output::bytes(words::words(&report)?.as_bytes()) }
}

impl FitArgs {
    fn options(&self, start: Instant) -> Options<'static> {
        Options {
            activation: self.activation.0.clone(),
            width: self.width,
            method: self.method.0,
            decay: self.decay.0,
            one_standard_error: self.one_standard_error,
            signs: self.signs.into(),
            linear: !self.no_linear,
            intercept: !self.no_intercept,
            scaling: !self.no_scaling,
            seed: self.seed,
            iterations: self.iterations,
            step: self.step,
            batch: self.batch,
            gradient: self.gradient,
            effort: self.effort,
            merge_repeats: self.merge_repeats,
            deadline: self.budget.and_then(|budget| start.checked_add(budget)),
            interrupted: Some(&INTERRUPTED),
        }
    }

    /// Everything that is read.
    fn inputs(&self) -> Destinations {
        let holdout = self.holdout.as_deref().map(Holdout::parse);
        let held_out = holdout.as_ref().and_then(Holdout::file);
        Destinations::default()
            .reads(FileRole::Table, &self.data)
            .may_read(FileRole::HeldOutRows, held_out)
            .may_read(FileRole::Plan, self.plan.as_ref())
    }

    /// As given, or the name of the data in the current folder.
    fn model_path(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| self.beside_model("safetensors"))
    }

    /// The name of the model with another ending, so that files of one fit stand together.
    fn beside_model(&self, ending: &str) -> PathBuf {
        let model = match &self.output {
            Some(path) if path.extension().is_some_and(|own| own == "safetensors") => path.with_extension(""),
            Some(path) => path.clone(),
            None => {
                let stem = self.data.file_stem().filter(|_| self.data != Path::new("-"));
                PathBuf::from(stem.unwrap_or("model".as_ref()))
            }
        };
        model.with_added_extension(ending)
    }
}
