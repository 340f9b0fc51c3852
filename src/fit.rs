//! The front door: data in, trained network out.
//!
//! [`fit`] standardises the table, trains a network on it, and folds the scaling back into the weights, so
//! that the network it returns takes raw inputs and gives raw predictions. What is left open (activation,
//! width, decay, method) is chosen from the data, by held-out error where that decides. Quadratic networks are
//! fitted to the global optimum, unless a method is asked for; all others by descent from a random start. A [`Model`] is
//! the network with the names of its columns, as saved in a file; [`crate::model::onnx`] exports it.

pub mod auto;
mod certified;
mod choose;
pub mod explain;
mod folds;
mod global;
mod path;
pub mod planned;
mod scores;
mod train;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub use auto::{Combination, Contender, Effort, Outcome};
pub use choose::Candidate;
pub use scores::Scores;

use choose::Chosen;
use folds::Folds;

use crate::activation::Activation;
use crate::convex::State;
use crate::data::{Data, Recipe, TargetScale};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::model::{Calibration, Model};
use crate::network::{Network, Quadratic, Signs, Sum};
use crate::optimise::{Method, Record, Trace};

/// What to fit and how. `None` means: choose for me.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// φ.
    pub activation: Option<Activation>,
    /// k.
    pub width: Option<usize>,
    /// The optimiser; `None` fits quadratic networks to the global optimum.
    pub method: Option<Method>,
    /// τ: the penalty is τ‖M‖_* for quadratic networks (as τΣ|v_j|‖w_j‖²), (τ/2)(‖W‖² + ‖v‖²) for others, on
    /// the scaled table: divided by standard deviations, for the global fit rounded to powers of two.
    pub decay: Option<f64>,
    /// Choose the largest decay within one standard error of the best, for the global fit.
    pub one_standard_error: bool,
    /// The signs that output weights may have; both for all but quadratic networks.
    pub signs: Signs,
    /// Include bᵀx.
    pub linear: bool,
    /// Include c.
    pub intercept: bool,
    /// Standardise the table before training.
    pub scaling: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// Iterations of the final training; `None` for the method's own default.
    pub iterations: Option<usize>,
    /// The fixed step of descent (`None`: adaptive), or the step of sgd.
    pub step: Option<f64>,
    /// Samples per step of sgd.
    pub batch: Option<usize>,
    /// The final training ends when its gradient (on the standardised table) is this small.
    pub gradient: f64,
    /// How much work an automatic fit is worth.
    pub effort: Effort,
    /// When the fit ends at the latest, with what it has by then; the result then depends on the machine.
    pub deadline: Option<Instant>,
    /// Take samples that occur several times as one of their joint weight, so that weights and repeats are the same thing:
    /// see [`Data::merged`]. Where there are any, the fit gives no calibration.
    pub merge_repeats: bool,
    /// Set from outside to end early with the best network so far.
    pub interrupted: Option<&'a AtomicBool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            activation: None,
            width: None,
            method: None,
            decay: None,
            one_standard_error: false,
            signs: Signs::Any,
            linear: true,
            intercept: true,
            scaling: true,
            seed: 0,
            iterations: None,
            step: None,
            batch: None,
            gradient: 1e-7,
            effort: Effort::Normal,
            deadline: None,
            merge_repeats: false,
            interrupted: None,
        }
    }
}

impl Options<'_> {
    /// Whether it is time to end.
    fn is_over(&self) -> bool {
        self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) || self.time_left() == Some(Duration::ZERO)
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether everything about the shape of the network is left open.
    fn is_automatic(&self) -> bool {
        let open = self.activation.is_none() && self.width.is_none() && self.method.is_none() && self.decay.is_none();
        open && self.linear && self.intercept && self.scaling && self.signs == Signs::Any
    }
}

/// How far a fit has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Candidates are being compared.
    Choosing {
        /// Trainings finished.
        done: usize,
        /// Trainings to do.
        total: usize,
    },
    /// What was chosen is trained again on all rows.
    Refitting {
        /// Trainings finished.
        done: usize,
        /// Trainings to do.
        total: usize,
    },
    /// The global fit.
    Solving {
        /// Where the solver is.
        state: &'a State,
    },
    /// The final training.
    Training {
        /// Where it is.
        record: &'a Record,
        /// Where it ends at the latest.
        iterations: usize,
    },
}

/// A fitted network and how it came about.
#[derive(Clone, Debug)]
pub struct Fit {
    /// For raw inputs.
    pub network: Sum,
    /// How it was trained.
    pub training: Training,
    /// What was minimised, at the end, in the units of the scaled table; the loss alone for a combination.
    pub objective: f64,
    /// The τ that was used; for a combination, that of the quadratic network beside it.
    pub decay: f64,
    /// What was compared to choose activation and decay; empty when both were given.
    pub candidates: Vec<Candidate>,
    /// What intervals are made from; only the automatic fit has it by itself.
    pub calibration: Option<Calibration>,
    /// Interrupted while choosing: the network was trained on the rows that were not held out for the choice.
    pub partial: bool,
}

impl Fit {
    /// The model of samples that a recipe has made. Intervals rest on rows that had no part in the fit, where there are
    /// such, and otherwise on the folds of an automatic fit. The functions of the folds know a recipe that was learned
    /// from all rows, so it must not have learned anything; and rows must count alike.
    pub fn model(
        &self,
        recipe: &Recipe,
        target: String,
        seed: u64,
        scored: Option<&Data>,
        weighted: bool,
    ) -> Result<Model> {
        let mut model = Model::new(self.network.clone(), recipe.clone(), target, seed)?;
        model.calibration = match scored {
            Some(scored) => Some(Calibration::split(&model.network, scored)?),
            None => self.calibration.clone().filter(|_| recipe.is_plain() && !weighted),
        };
        Ok(model)
    }

    /// The quadratic network at its global optimum, with the program that it solves: the fit itself, or what stands beside
    /// an automatic one.
    pub fn certifiable(&self) -> Option<(&Network, &Global)> {
        match &self.training {
            Training::Global(global) => self.network.only().map(|network| (network, global.as_ref())),
            Training::Combined(combination) => {
                combination.quadratic.as_ref().map(|found| (&found.network, &found.global))
            }
            Training::Local { .. } => None,
        }
    }
}

/// How the final training went.
#[derive(Clone, Debug)]
pub enum Training {
    /// By a descent method from a random start.
    Local {
        /// Which one.
        method: Method,
        /// Its history, on the standardised table.
        trace: Trace,
    },
    /// To the global optimum of a quadratic network.
    Global(Box<Global>),
    /// Several candidates, combined by cross-validation.
    Combined(Box<Combination>),
}

/// The program whose optimum a quadratic network was fitted to, and what was found.
///
/// In raw units the program is: minimise ½Σωr² + τΣ|v_j|‖S w_j‖² with S = Diag(2^exponents).
#[derive(Clone, Debug)]
pub struct Global {
    /// Of the output weights.
    pub signs: Signs,
    /// τ in raw units.
    pub raw_decay: f64,
    /// Whether a linear part is allowed.
    pub linear: bool,
    /// Whether an intercept is allowed.
    pub intercept: bool,
    /// Of the inputs: they were divided by 2^e.
    pub exponents: Vec<i32>,
    /// The solution of the program, for raw inputs; the network is narrower where a smaller width was asked for.
    pub solution: Quadratic,
    /// Which solver found it.
    pub solver: &'static str,
    /// Where the solver ended, in the units of the scaled table.
    pub state: State,
    /// The decays that were compared, with the cross-validated RMSE of each.
    pub path: Vec<(f64, f64)>,
}

/// Fit a network to data.
pub fn fit(data: &Data, options: &Options<'_>, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Fit> {
    data.check_fittable()?;
    check(options)?;
    if options.merge_repeats
        && let Some(merged) = data.merged()
    {
        let options = Options { merge_repeats: false, ..options.clone() };
        // The proof of the intervals is about rows that count alike, dealt without looking at them.
        return Ok(Fit { calibration: None, ..fit(&merged, &options, progress)? });
    }
    if options.is_automatic() && data.n() >= auto::FEWEST_ROWS {
        let auto::Automatic { network, combination, objective, calibration, partial } =
            auto::fit(data, options, progress)?;
        let decay = combination.quadratic.as_ref().map_or(0.0, |quadratic| quadratic.decay);
        let training = Training::Combined(Box::new(combination));
        return Ok(Fit { network, training, objective, decay, candidates: vec![], calibration, partial });
    }
    let Chosen { choice, candidates, trained } = choose::choose(data, options, progress)?;
    let interrupted = options.is_over();
    // Interrupted while choosing: the best candidate, trained on part of the rows, is what there is.
    let partial = interrupted && trained.is_some();
    let trained = match trained {
        Some(trained) if partial => trained,
        _ => train::train(data, &choice, options, progress)?,
    };
    let train::Trained { network, training, objective, decay } = trained;
    Ok(Fit { network: network.into(), training, objective, decay, candidates, calibration: None, partial })
}

/// Whether data can be left out in this many parts.
pub fn check_folds(data: &Data, folds: usize) -> Result<()> {
    let requirement = Requirement::CountBetween(2, data.n());
    let possible = (2..=data.n()).contains(&folds);
    let refusal = || Error::parameter(Parameter::Folds, requirement, folds);
    if possible { Ok(()) } else { Err(refusal()) }
}

/// How the whole fit, choices included, does on rows it has not seen: each of `folds` parts of the rows is left out
/// once. The scores of each part, in the original units of a target on a scale.
pub fn cross_validate(
    data: &Data,
    folds: usize,
    scale: TargetScale,
    options: &Options<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<Scores>> {
    check_folds(data, folds)?;
    let dealt = Folds::deal(data.n(), folds, options.seed);
    let scores = |fold| {
        let fitted = fit(&data.select(&dealt.kept(fold)), options, progress)?;
        Scores::in_original_units(&fitted.network, &data.select(dealt.left(fold)), scale)
    };
    (0..folds).take_while(|_| !options.is_over()).map(scores).collect()
}

/// The least-squares affine function: what any network should beat.
pub fn affine_fit(data: &Data) -> Result<Network> {
    data.check_fittable()?;
    train::affine(data)
}

fn check(options: &Options<'_>) -> Result<()> {
    let parameter = |name, requirement, value: String| Err(Error::parameter(name, requirement, value));
    if let Some(decay) = options.decay
        && !(decay >= 0.0 && decay.is_finite())
    {
        return parameter(Parameter::Decay, Requirement::AtLeast(0.0), decay.to_string());
    }
    let stepping = matches!(options.method, Some(Method::Descent | Method::Sgd));
    if let Some(step) = options.step.filter(|step| !(*step > 0.0 && step.is_finite() && stepping)) {
        let requirement = if stepping { Requirement::Positive } else { Requirement::OnlyWith(&["descent", "sgd"]) };
        return parameter(Parameter::Step, requirement, step.to_string());
    }
    if let Some(batch) = options.batch.filter(|batch| *batch == 0 || options.method != Some(Method::Sgd)) {
        let requirement = if batch == 0 { Requirement::CountFrom(1) } else { Requirement::OnlyWith(&["sgd"]) };
        return parameter(Parameter::Batch, requirement, batch.to_string());
    }
    if options.gradient.is_nan() || options.gradient < 0.0 {
        return parameter(Parameter::Gradient, Requirement::AtLeast(0.0), options.gradient.to_string());
    }
    let quadratic = options.activation.as_ref().is_none_or(|activation| *activation == Activation::SQUARE);
    if options.signs != Signs::Any && (!quadratic || options.method.is_some()) {
        let requirement = Requirement::OnlyWith(&["the global fit of a quadratic network"]);
        return parameter(Parameter::Signs, requirement, format!("{:?}", options.signs));
    }
    match options.width {
        Some(0) => parameter(Parameter::Width, Requirement::CountFrom(1), "0".into()),
        _ => Ok(()),
    }
}

/// Networks beyond this many parameters are refused rather than left to exhaust the memory.
const MOST_PARAMETERS: usize = 100_000_000;

fn is_too_wide(k: usize, d: usize) -> bool {
    k.saturating_mul(d + 2) > MOST_PARAMETERS
}

fn too_wide(k: usize, d: usize) -> Error {
    Error::parameter(Parameter::Parameters, Requirement::CountUpTo(MOST_PARAMETERS), k.saturating_mul(d + 2))
}
