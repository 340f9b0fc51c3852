//! The front door: data in, trained network out.
//!
//! [`fit`] standardises the table, trains a network on it, and folds the scaling back into the weights, so that the network
//! it returns takes raw inputs and gives raw predictions. A [`Request`] says what is wanted; what it leaves open is chosen
//! from the data. A [`Model`] is the network with the names of its columns, as saved in a file.
//!
//! | file | what is in it |
//! |---|---|
//! | `request`, `options` | the four requests, and the bag of options that becomes one of them |
//! | `auto` | the automatic fit: candidates, comparison, decision, combination |
//! | `wide` | infinitely wide networks |
//! | `global`, `path` | quadratic networks at their global optimum, and the choice of their decay |
//! | `log_trial` | whether the logarithm of a target predicts it better |
//! | `local`, `train` | one network by a descent method, and the choice of its decay |
//! | `folds`, `scores` | rows left out in turn; errors |
//! | `certified`, `planned` | what is claimed about a fit; the execution of a proved descent |
//! | `explain` | what a fitted model depends on |

pub mod auto;
mod certified;
pub mod explain;
mod folds;
mod global;
mod local;
mod log_trial;
mod options;
mod path;
pub mod planned;
mod request;
mod scores;
mod train;
mod wide;

pub use auto::{Certifiable, Combination, Contender, Effort, Family, Lead, Outcome, Preference, RefusedCandidate};
pub(crate) use certified::USUAL_TOLERANCE;
pub use local::TriedDecay;
pub use log_trial::LogTrial;
pub use options::{GivenActivation, Options};
pub use request::{Automatic, Common, Descending, Local, Quadratic, Request, USUAL_GRADIENT, Wide};
pub use scores::Scores;
pub use wide::{ComparedSet, WideTraining};

use folds::Folds;

use crate::convex::SolverState;
use crate::data::{Data, Dependence, Recipe, TargetScale};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::model::{Calibration, Function, IntervalDoubt, Model};
use crate::network::{Network, QuadraticForm, Signs};
use crate::optimise::{Method, Trace};
use crate::watch::Watch;
use crate::wide::{ForwardScores, Jackknife};

/// A fitted network and how it came about.
///
/// ```
/// use shallows::{Data, Quadratic};
/// use shallows::fit::Training;
///
/// let data = Data::from_rows(&[[0.2, 1.0], [0.5, -1.0], [1.5, 0.3], [0.9, 2.0]], &[1.0, 0.3, 2.2, 4.1])?;
/// let fit = Quadratic::new().decay(0.01).fit(&data)?;
/// assert_eq!(fit.decay, 0.01);
/// let Training::Global(global) = &fit.training else { panic!("quadratic networks are fitted to the global optimum") };
/// assert!(global.state.lower_bound <= fit.objective);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fit {
    /// For raw inputs.
    pub network: Function,
    /// How it was trained.
    pub training: Training,
    /// What was minimised, at the end, in the units of the scaled table; the loss alone for a combination.
    pub objective: f64,
    /// The τ that was used; for a combination, that of the quadratic network beside it.
    pub decay: f64,
    /// The decays that were compared for one network; empty when it was given, and for the other fits, which have their own.
    pub tried: Vec<TriedDecay>,
    /// What intervals are made from; the automatic fit and wide networks have it by themselves.
    pub calibration: Option<Calibration>,
    /// Ended early: not every candidate was trained to the end, the network was trained on the rows that were not held out
    /// for the choice, or the solver did not reach the optimum.
    pub partial: bool,
}

impl Fit {
    /// The model of samples that a recipe has made. Intervals rest on rows that had no part in the fit, where there are
    /// such, and otherwise on rows that the network of the calibration leaves out in turn. That network knows a recipe that
    /// was learned from all rows: where it has learned something, and where rows count differently, nothing is proved of them.
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
            None => self.calibration.clone().map(|calibration| match calibration {
                Calibration::Jackknife(jackknife, _) => {
                    let taught = (!recipe.is_plain_but_for_centres()).then_some(IntervalDoubt::Recipe);
                    Calibration::Jackknife(jackknife, taught.or(weighted.then_some(IntervalDoubt::Weights)))
                }
                other => other,
            }),
        };
        Ok(model)
    }

    /// The quadratic network at its global optimum, with the program that it solves: the fit itself, or what stands beside
    /// an automatic one. `None` where the solver was stopped before it got there.
    pub fn certifiable(&self) -> Option<(&Network, &Global)> {
        match &self.training {
            Training::Global(global) => {
                let network = self.network.only().filter(|_| !self.partial);
                network.map(|network| (network, global.as_ref()))
            }
            Training::Combined(combination) => {
                let complete = combination.quadratic.as_ref().filter(|found| found.is_complete);
                complete.map(|found| (&found.network, &found.global))
            }
            Training::Local { .. } | Training::Wide(_) => None,
        }
    }
}

/// How the final run went. [`Fit`] shows its use.
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
    /// The output layer of a wide network, to its global optimum.
    Wide(Box<WideTraining>),
    /// Several candidates, combined by cross-validation.
    Combined(Box<Combination>),
}

/// The program whose optimum a quadratic network was fitted to, and what was found.
///
/// In raw units the program is: minimise ½Σωr² + τΣ|v_j|‖S w_j‖² with S = Diag(2^exponents). [`Fit`] shows its use.
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
    pub solution: QuadraticForm,
    /// Which solver found it.
    pub solver: &'static str,
    /// Where the solver ended, in the units of the scaled table.
    pub state: SolverState,
    /// The decays that were compared, with the cross-validated RMSE of each.
    pub path: Vec<(f64, f64)>,
}

/// Fit a network to data.
///
/// ```
/// use shallows::data::Data;
/// use shallows::fit::{Local, Scores, fit};
/// use shallows::linalg::Matrix;
/// use shallows::watch::Watch;
///
/// let X = Matrix::from_fn(40, 1, |i, _| i as f64 / 10.0);
/// let y = (0..40).map(|i| (i as f64 / 10.0).sin()).collect();
/// let data = Data::builder(X, y).build()?;
/// let request = Local::new("tanh".parse()?).width(6).decay(1e-6).into();
/// let fitted = fit(&data, &request, Watch::silent())?;
/// assert!(Scores::of(&fitted.network, &data)?.rmse < 0.05);
/// # Ok::<(), shallows::error::Error>(())
/// ```
pub fn fit(data: &Data, request: &Request, watch: Watch<'_>) -> Result<Fit> {
    let fit = without_intervals(data, request, watch)?;
    let calibration = match request {
        Request::Automatic(_) | Request::Wide(_) => calibration(data, request.common().seed, watch),
        Request::Quadratic(_) | Request::Local(_) => None,
    };
    Ok(Fit { calibration, ..fit })
}

/// What intervals are made from where no rows are set aside for them.
fn calibration(data: &Data, seed: u64, watch: Watch<'_>) -> Option<Calibration> {
    match &data.dependence {
        Some(Dependence::Times(_)) => {
            ForwardScores::fitted(data, seed, watch).map(|forward| Calibration::Forward(Box::new(forward)))
        }
        _ => Jackknife::fitted(data, seed, watch).map(|jackknife| Calibration::Jackknife(Box::new(jackknife), None)),
    }
}

/// The same without what intervals are made from.
fn without_intervals(data: &Data, request: &Request, watch: Watch<'_>) -> Result<Fit> {
    data.check_fittable()?;
    request.check()?;
    let merged = if request.common().merge_repeats { data.merged() } else { None };
    fitted(merged.as_ref().unwrap_or(data), request, watch)
}

fn fitted(data: &Data, request: &Request, watch: Watch<'_>) -> Result<Fit> {
    if !matches!(request, Request::Local(_)) {
        data.check_sizes()?;
    }
    match request {
        Request::Automatic(request) => auto::fit(data, request, watch),
        Request::Quadratic(request) => global::fit(data, request, watch),
        Request::Wide(request) => wide::fit(data, request, watch),
        Request::Local(request) => local::fit(data, request, watch),
    }
}

/// Whether data can be left out in this many parts: of rows, of groups, or of times but the first.
pub(crate) fn check_folds(data: &Data, folds: usize) -> Result<()> {
    // The first time is never judged.
    let most = match &data.dependence {
        None => data.n(),
        Some(groups @ Dependence::Groups(_)) => groups.count(),
        Some(times @ Dependence::Times(_)) => times.count() - 1,
    };
    let requirement = Requirement::CountBetween(2, most);
    let possible = (2..=most).contains(&folds);
    let refusal = || Error::parameter(Parameter::Folds, requirement, folds);
    if possible { Ok(()) } else { Err(refusal()) }
}

/// How the whole fit, choices included, does on rows it has not seen: each of `folds` parts of the rows is left out
/// once. Groups are left out whole; of rows in time each part but the first is judged by the earlier ones. The scores of each part, in the original units of a target on a scale.
///
/// ```
/// use shallows::data::TargetScale;
/// use shallows::fit::{Quadratic, cross_validate};
/// use shallows::{Data, Watch};
///
/// let rows: Vec<[f64; 1]> = (0..20).map(|i| [i as f64 / 10.0]).collect();
/// let y: Vec<f64> = rows.iter().map(|[x]| 3.0 * x * x).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// let request = Quadratic::new().decay(1e-6).into();
/// let scores = cross_validate(&data, 4, TargetScale::Identity, &request, Watch::silent())?;
/// assert!(scores.len() == 4 && scores.iter().all(|score| score.rmse < 0.01));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn cross_validate(
    data: &Data,
    folds: usize,
    scale: TargetScale,
    request: &Request,
    watch: Watch<'_>,
) -> Result<Vec<Scores>> {
    check_folds(data, folds)?;
    let dealt = Folds::deal(data, folds, request.common().seed);
    let scores = |fold| {
        let fitted = without_intervals(&data.select(&dealt.others(fold)), request, watch)?;
        Scores::in_original_units(&fitted.network, &data.select(dealt.left_out(fold)), scale)
    };
    (0..dealt.len()).take_while(|_| !watch.is_over()).map(scores).collect()
}

/// The least-squares affine function: what any network should beat.
///
/// ```
/// use shallows::Data;
/// use shallows::fit::affine_fit;
/// use shallows::linalg::Matrix;
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[1.0, 3.0, 5.0])?;
/// let affine = affine_fit(&data)?;
/// assert!((affine.predict(&Matrix::from_rows(&[[10.0]]))?[0] - 21.0).abs() < 1e-9);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn affine_fit(data: &Data) -> Result<Network> {
    data.check_fittable()?;
    train::affine(data)
}

/// Networks beyond this many parameters are refused rather than left to exhaust the memory.
const MOST_PARAMETERS: usize = 100_000_000;

fn is_too_wide(k: usize, d: usize) -> bool {
    k.saturating_mul(d + 2) > MOST_PARAMETERS
}

fn too_wide(k: usize, d: usize) -> Error {
    Error::parameter(Parameter::Parameters, Requirement::CountUpTo(MOST_PARAMETERS), k.saturating_mul(d + 2))
}
