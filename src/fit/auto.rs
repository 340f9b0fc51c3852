//! The automatic fit: candidates from affine to very wide, compared and combined by cross-validation.
//!
//! | candidate | how it is trained |
//! |---|---|
//! | affine | ridge, chosen by leave-one-out error |
//! | quadratic | to the global optimum, decay by cross-validation |
//! | infinitely wide | laws of the hidden weights by evidence, the output layer to its global optimum |
//! | tanh, softplus | committees of small networks by Levenberg–Marquardt, decays by evidence |
//! | relu | committees of 50 to 200 units by L-BFGS, for several decays |
//!
//! All see the same folds. The combination with the least out-of-fold error (weights ≥ 0 that sum to 1) is returned,
//! unless a simpler model is as good within the noise: the affine one first, then the quadratic one, then one infinitely
//! wide network, about which the most can be proved. Members of committees are averaged, which puts their units side by side.
//! Tables of more rows than are needed to choose are compared on a sample and refitted on all rows.

mod affine;
mod combine;
mod committee;
mod compare;
mod decide;
mod evidence;
mod preference;
mod stack;
mod wide;
mod workload;

use std::time::{Duration, Instant};

use super::folds::{self, Folds};
use super::global::GivenDecay;
use super::request::Automatic;
use super::{Fit, Global, Scores, Training, global};
use crate::data::Data;
use crate::error::{Error, Parameter, RequestProblem, Result};
use crate::network::{Network, Signs};
use crate::optimise::Method;
use crate::random::{Split, Stream};
use crate::watch::Watch;

use combine::{Made, Workshop};
use compare::{StandardisedRows, cross_validated};
use decide::{CandidateComparison, Decision, QuadraticResiduals};
use workload::{Learner, Workload};

pub use combine::RefusedCandidate;
pub use decide::{Contender, Family, Outcome};
pub use preference::Preference;
pub use stack::Lead;
pub use workload::Effort;
pub(super) use workload::FEW_ROWS;

/// How the automatic fit decided.
///
/// ```
/// use shallows::fit::{Automatic, Effort, Outcome, Training};
/// use shallows::Data;
///
/// // A noisy line: the automatic fit keeps the affine function, since nothing else is ahead of it.
/// let rows: Vec<[f64; 1]> = (0..60).map(|i| [i as f64 / 10.0]).collect();
/// let y: Vec<f64> = (0..60).map(|i| 3.0 * i as f64 + if i % 3 == 0 { 0.5 } else { -0.5 }).collect();
/// let fit = Automatic::new().effort(Effort::Quick).fit(&Data::from_rows(&rows, &y)?)?;
/// let Training::Combined(decision) = &fit.training else { panic!("an automatic fit compares candidates") };
/// assert_eq!(decision.outcome, Outcome::Affine);
/// assert!(decision.contenders.len() > 1);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Combination {
    /// The candidates, the quadratic network after the others, and last their combination.
    pub contenders: Vec<Contender>,
    /// The out-of-fold RMSE of what was taken.
    pub rmse: f64,
    /// How many folds.
    pub folds: usize,
    /// How many rows were compared on.
    pub compared: usize,
    /// The effort, which may be lower than asked for where there is not the time for more.
    pub effort: Effort,
    /// What was taken: the combination, or a simpler model that is as good within the noise.
    pub outcome: Outcome,
    /// How far the combination is ahead of the affine model, where that is a candidate.
    pub ahead_of_affine: Option<Lead>,
    /// How far it is ahead of the quadratic network.
    pub ahead_of_quadratic: Option<Lead>,
    /// How far it is ahead of the best infinitely wide network, where there is one.
    pub ahead_of_wide: Option<Lead>,
    /// The quadratic network at its global optimum; `None` where the table is too large for it.
    pub quadratic: Option<Certifiable>,
    /// Candidates that looked best, but whose networks on all rows were far worse than out of fold.
    pub refusals: Vec<RefusedCandidate>,
    /// What was preferred.
    pub prefer: Preference,
}

impl Combination {
    /// The out-of-fold RMSE of the first contender of a family.
    pub fn rmse_of(&self, family: Family) -> Option<f64> {
        self.contenders.iter().find(|contender| contender.family == family).map(|contender| contender.rmse)
    }
}

/// A quadratic network at its global optimum. [`Combination`] shows its use.
#[derive(Clone, Debug)]
pub struct Certifiable {
    /// For raw inputs.
    pub network: Network,
    /// τ, on the scaled table.
    pub decay: f64,
    /// The program it solves.
    pub global: Global,
    /// Whether the solver came to its end on all rows; otherwise there is nothing to certify.
    pub is_complete: bool,
}

/// What all runs have in common.
struct AutoSetting {
    workload: Workload,
    /// The candidates besides the quadratic network.
    learners: Vec<Learner>,
    seed: u64,
}

/// With fewer rows the affine function is the only candidate.
const FEWEST_COMPARED: usize = 6;

/// Of the time there is, this share is for comparing; the rest is for refitting.
const COMPARING: f64 = 0.6;
/// Of the time for comparing, this share may go into the path of quadratic networks, which comes first.
const QUADRATIC: f64 = 0.35;
/// Of the time that is left when what comes after the last run is put aside, this share is used: a started step has to end.
const ENDING: f64 = 0.92;
/// What comes after it may take this much longer than expected.
const CAUTION: f64 = 1.3;

/// The same watch, until this share of the time that is left is used up.
fn until_share<'a>(watch: Watch<'a>, share: f64) -> Watch<'a> {
    watch.time_left().map_or(watch, |left| watch.until(Instant::now() + left.mul_f64(share)))
}

/// The same watch, but it ends earlier by this long.
fn before_the_end(watch: Watch<'_>, seconds: f64) -> Watch<'_> {
    let end = watch.time_left().map(|left| left.saturating_sub(Duration::from_secs_f64(seconds.min(MOST_SECONDS))));
    end.map_or(watch, |left| watch.until(Instant::now() + left))
}

/// A day.
const MOST_SECONDS: f64 = 86_400.0;

/// Fit automatically.
pub(super) fn fit(data: &Data, request: &Automatic, watch: Watch<'_>) -> Result<Fit> {
    let seed = request.common.seed;
    // Rows without weight say nothing, and a wide layer would give them infinite noise.
    let counted = data.weights.as_ref().filter(|weights| weights.contains(&0.0)).map(|weights| {
        let rows: Vec<usize> = (0..data.n()).filter(|&i| weights[i] > 0.0).collect();
        data.select(&rows)
    });
    let all = data;
    let data = counted.as_ref().unwrap_or(data);
    let workload = Workload::within(data.n(), data.d(), request.effort, watch.time_left());
    let learners = workload.learners_for(request);
    let is_quadratic_possible = request.method.is_none() && workload.quadratic_is_possible();
    let is_small = all.n() < folds::FEWEST_ROWS;
    if learners.is_empty() || is_small && request.narrowed_by().is_some() {
        return alone(all, request, is_quadratic_possible, watch);
    }
    let is_quadratic_possible = is_quadratic_possible && !is_small;
    compared_and_combined(data, request, AutoSetting { workload, learners, seed }, is_quadratic_possible, watch)
}

/// The fit where there is nothing to compare: the quadratic network is the only candidate that honours the request, or
/// there are too few rows for any other.
fn alone(data: &Data, request: &Automatic, is_quadratic_possible: bool, watch: Watch<'_>) -> Result<Fit> {
    match request.narrowed_by() {
        Some(option) if !is_quadratic_possible => Err(Error::Request(RequestProblem::NoCandidate { option })),
        _ => global::fit(data, &request.quadratic(), watch),
    }
}

/// The candidates by their errors on rows left out, and the network of those that do best.
fn compared_and_combined(
    data: &Data,
    request: &Automatic,
    setting: AutoSetting,
    is_quadratic_possible: bool,
    watch: Watch<'_>,
) -> Result<Fit> {
    let watch = before_the_end(watch, CAUTION * setting.workload.ending_seconds());
    let (comparing, refitting) = (until_share(watch, COMPARING), until_share(watch, ENDING));
    let most = setting.workload.compared_rows;
    let some = (data.n() > most).then(|| {
        let mut rows = Stream::of_split(setting.seed, Split::Comparison).permutation(data.n());
        rows.truncate(most);
        rows
    });
    let sample = some.as_ref().map(|rows| data.select(rows));
    let compared = sample.as_ref().unwrap_or(data);
    let folds = Folds::deal_apart(compared, setting.workload.folds, setting.seed);
    let choosing = until_share(comparing, QUADRATIC);
    // Of a sample, the mean of the solutions of the folds is enough to begin with.
    let solving = if sample.is_some() { comparing.until(Instant::now()) } else { refitting };
    let watches = global::Watches { choosing, solving };
    let across = || match global::train_across(compared, &folds, (&request.quadratic(), GivenDecay::Compared), watches)
    {
        // What overflows here need not do so elsewhere.
        Err(Error::NotFinite { .. }) => Ok(None),
        found => found.map(Some),
    };
    let quadratic = if is_quadratic_possible { across()? } else { None };
    let parts = StandardisedRows::without_each_fold(compared, &folds)?;
    let plan = (&setting.workload, setting.seed);
    let (wide, mut refusals) = match request.narrowed_by() {
        None if data.n() >= FEWEST_COMPARED => wide::candidates(data, (some.as_deref(), &folds), plan, comparing),
        None | Some(_) => (vec![], vec![]),
    };
    let candidates = cross_validated(compared, &folds, &parts, &setting, comparing);
    if candidates.first().is_none_or(|first| first.learner != setting.learners[0]) {
        return Err(Error::NotFinite { what: "the predictions of the simplest model of this table" });
    }
    // Without residuals the affine part alone interpolates: the quadratic network is no candidate of its own.
    let residuals = quadratic.as_ref().map(|found| found.residuals.clone()).filter(|r| !r.is_empty());
    let settled = |found: global::Fitted| match sample.is_some() {
        true if found.is_quick || setting.workload.has_time_for_passes(refitting.time_left()) => {
            on_all_rows(data, &folds, found, request, refitting)
        }
        true => Ok(Certifiable { is_complete: false, ..found.into() }),
        false => Ok(Certifiable::from(found)),
    };
    let quadratic = quadratic.map(settled).transpose()?;
    let (whole, omega) = (StandardisedRows::of(data)?, folds.judged_omega(compared));
    let network = quadratic.as_ref().map(|found| &found.network);
    let (candidates, whole, setting) = (&candidates, &whole, &setting);
    let wide = wide.as_slice();
    let workshop = Workshop { candidates, wide, quadratic: network, data, compared, whole, setting, watch: refitting };
    let targets = (omega.as_slice(), whole.scaling.target_deviation);
    let is_complete = quadratic.as_ref().is_some_and(|quadratic| quadratic.is_complete);
    let residuals = residuals.as_ref().map(|residuals| QuadraticResiduals { residuals, is_complete });
    let rule = (&setting.workload, request.prefer);
    let comparison = CandidateComparison::new(candidates, wide, residuals, rule, targets);
    let Made { network, decision, refusals: later } = workshop.make(&comparison)?;
    refusals.extend(later);
    let objective = 0.5 * (Scores::of(&network, data)?.rmse / whole.scaling.target_deviation).powi(2);
    let decay = quadratic.as_ref().map_or(0.0, |quadratic| quadratic.decay);
    let compared = (folds.len(), compared.n());
    let (effort, prefer) = (setting.workload.effort, request.prefer);
    let combination = combination(decision, refusals, quadratic, compared, (effort, prefer));
    let training = Training::Combined(Box::new(combination));
    let partial = comparing.is_over() || refitting.is_over();
    Ok(Fit { network, training, objective, decay, tried: vec![], calibration: None, partial })
}

fn combination(
    decision: Decision,
    refusals: Vec<RefusedCandidate>,
    quadratic: Option<Certifiable>,
    (folds, compared): (usize, usize),
    (effort, prefer): (Effort, Preference),
) -> Combination {
    Combination {
        rmse: decision.rmse(),
        contenders: decision.contenders,
        folds,
        compared,
        effort,
        outcome: decision.outcome,
        ahead_of_affine: decision.ahead_of_affine,
        ahead_of_quadratic: decision.ahead_of_quadratic,
        ahead_of_wide: decision.ahead_of_wide,
        quadratic,
        refusals,
        prefer,
    }
}

/// The quadratic network at the decay that was chosen, on all rows; where there is not the time, what there was.
fn on_all_rows(
    data: &Data,
    folds: &Folds,
    found: global::Fitted,
    request: &Automatic,
    watch: Watch<'_>,
) -> Result<Certifiable> {
    let settled = request.quadratic().decay(found.decay);
    let watches = global::Watches { choosing: watch, solving: watch };
    let near = GivenDecay::TakenNear(&found.global.solution);
    let again = global::train_across(data, folds, (&settled, near), watches)?;
    Ok(match again.is_complete {
        true => again.into(),
        false => Certifiable { is_complete: false, ..found.into() },
    })
}

/// The affine function by ridge regression.
pub(super) fn ridge_fit(data: &Data) -> Result<Network> {
    let rows = StandardisedRows::of(data)?;
    match affine::ridge(&rows.table) {
        Some(ridge) => Ok(ridge.unstandardised(&rows.scaling)),
        None => super::affine_fit(data),
    }
}

impl Automatic {
    /// The first option, in the order of their strictness, that narrows the candidates.
    pub(super) fn narrowed_by(&self) -> Option<Parameter> {
        let narrowing = [
            (Parameter::Method, self.method.is_some()),
            (Parameter::Signs, self.signs != Signs::Any),
            (Parameter::Width, self.width.is_some()),
            (Parameter::Linear, !self.common.linear),
            (Parameter::Intercept, !self.common.intercept),
            (Parameter::Scaling, !self.common.scaling),
            (Parameter::Decay, self.decay.is_some()),
        ];
        narrowing.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
    }

    /// Whether the quadratic network is the only candidate that can honour the request: there is nothing to compare.
    pub(super) fn is_quadratic_alone(&self) -> bool {
        let shape = self.common.linear && self.common.intercept && self.common.scaling && self.width.is_none();
        !shape || self.signs != Signs::Any
    }

    /// The candidate that honours the request, where there is one like this.
    fn narrowed(&self, learner: Learner) -> Option<Learner> {
        if self.is_quadratic_alone() {
            return None;
        }
        match (learner, self.method, self.decay) {
            (learner, None, None) => Some(learner),
            (learner @ Learner::Evidence { .. }, Some(Method::Levenberg), None) => Some(learner),
            (learner @ Learner::Relu { .. }, Some(Method::Lbfgs), None) => Some(learner),
            (Learner::Relu { .. }, None | Some(Method::Lbfgs), Some(decay)) => Some(Learner::Relu { decay }),
            _ => None,
        }
    }
}

impl Workload {
    /// The candidates, besides the quadratic network, that honour a request.
    fn learners_for(&self, request: &Automatic) -> Vec<Learner> {
        let mut learners: Vec<Learner> =
            self.learners().into_iter().filter_map(|learner| request.narrowed(learner)).collect();
        learners.dedup();
        learners
    }
}

impl From<global::Fitted> for Certifiable {
    fn from(found: global::Fitted) -> Self {
        let global::Fitted { network, decay, global, is_complete, .. } = found;
        Certifiable { network, decay, global, is_complete }
    }
}
