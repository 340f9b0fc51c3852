//! The automatic fit: candidates from affine to very wide, compared and combined by cross-validation.
//!
//! | candidate | how it is trained |
//! |---|---|
//! | affine | ridge, chosen by leave-one-out error |
//! | quadratic | to the global optimum, decay by cross-validation |
//! | random relu and cos units | thousands, of scales that the labels make most likely; output weights by ridge |
//! | tanh, softplus | committees of small networks by Levenberg–Marquardt, decays by evidence |
//! | relu | committees of 50 to 200 units by L-BFGS, for several decays |
//!
//! All see the same folds. The combination with the least out-of-fold error (weights ≥ 0 that sum to 1) is returned as
//! one hidden layer, unless a simpler model is as good within the noise: the affine one first, then the quadratic one,
//! about which the most can be proved. Members of committees are averaged, which puts their units side by side.
//! Tables of more rows than are needed to choose are compared on a sample and refitted on all rows.

mod affine;
mod calibration;
mod committee;
mod covariance;
mod evidence;
mod plan;
mod queue;
mod stack;
mod wide;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::folds::Folds;
use super::{Global, Options, Progress, Scores, global};
use crate::data::Data;
use crate::data::scaling::{self, Centring};
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix};
use crate::model::Calibration;
use crate::network::{Network, Standardisation, Sum};
use crate::optimise::Stop;
use crate::random::{Purpose, Stream};

use committee::Rows;
use plan::{Kind, Plan};

pub use plan::Effort;

/// When to end early.
#[derive(Clone, Copy)]
struct Limit<'a> {
    deadline: Option<Instant>,
    interrupted: Option<&'a AtomicBool>,
}

impl<'a> Limit<'a> {
    /// Until this share of the time left is used up.
    fn of(options: &Options<'a>, share: f64) -> Self {
        let deadline = options.time_left().map(|time| Instant::now() + time.mul_f64(share));
        Limit { deadline, interrupted: options.interrupted }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn stop(&self, iterations: usize, gradient: f64) -> Stop<'a> {
        let time = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        Stop { iterations, gradient, time, interrupted: self.interrupted, ..Stop::default() }
    }
}

/// One candidate and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// What it is, in words.
    pub name: String,
    /// Its out-of-fold RMSE, in the units of the target.
    pub rmse: f64,
    /// Its share in the combination.
    pub weight: f64,
}

/// How the automatic fit decided.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The candidates, the quadratic network last.
    pub contenders: Vec<Contender>,
    /// The out-of-fold RMSE of the combination.
    pub rmse: f64,
    /// How many folds.
    pub folds: usize,
    /// How many rows were compared on.
    pub compared: usize,
    /// The effort, which may be lower than asked for where there is not the time for more.
    pub effort: Effort,
    /// What was taken: the combination, or a simpler model that is as good within the noise.
    pub outcome: Outcome,
    /// By how many standard errors the combination is ahead of the affine model.
    pub ahead_of_affine: f64,
    /// By how many it is ahead of the quadratic network.
    pub ahead_of_quadratic: Option<f64>,
    /// The quadratic network at its global optimum; `None` where the table is too large for it.
    pub quadratic: Option<Certifiable>,
}

/// A quadratic network at its global optimum.
#[derive(Clone, Debug)]
pub struct Certifiable {
    /// For raw inputs.
    pub network: Network,
    /// τ, on the scaled table.
    pub decay: f64,
    /// The program it solves.
    pub global: Global,
}

/// What the automatic fit took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The affine model.
    Affine,
    /// The quadratic network.
    Quadratic,
    /// The combination.
    Combined,
}

/// Standard errors by which the combination must be ahead of the affine model, …
const AHEAD_OF_AFFINE: f64 = 2.5;
/// … and of the quadratic one.
const AHEAD_OF_QUADRATIC: f64 = 2.0;
/// Committees below this weight are not refitted on all rows, and candidates below the second are left out.
const REFIT_WEIGHT: f64 = 0.05;
const LEAST_WEIGHT: f64 = 0.01;
/// A member whose held-out error is this many times the median of its committee is dropped.
const ROGUE: f64 = 3.0;

/// With fewer rows there is nothing to cross-validate.
pub(super) const FEWEST_ROWS: usize = 12;

/// A standardised part of the rows.
struct Part {
    table: Data,
    scaling: Standardisation,
}

impl Part {
    /// Part of the rows may have one and the same target, even when all have not.
    fn of(data: &Data) -> Result<Part> {
        let mut scaling = scaling::lenient_standardisation(data, Centring { inputs: true, target: true });
        if !scaling.target_deviation.is_finite() {
            scaling.target_deviation = 1.0;
        }
        Ok(Part { table: scaling::standardised(data, &scaling)?, scaling })
    }
}

/// One training of one candidate on the rows outside one fold.
struct Member {
    network: Network,
    /// f(x) − y on the rows of the fold.
    residuals: Vec<f64>,
    /// f₋ᵢ(xᵢ) − yᵢ on the rows outside, where it comes for free.
    left_out: Option<Vec<f64>>,
}

/// A candidate with all its members: by repeat, then by fold.
struct Candidate {
    kind: Kind,
    members: Vec<Vec<Member>>,
    /// Out-of-fold residuals of each repeat.
    residuals: Vec<Vec<f64>>,
}

impl Candidate {
    fn mean_residuals(&self) -> Vec<f64> {
        let share = 1.0 / self.residuals.len() as f64;
        let mut mean = vec![0.0; self.residuals[0].len()];
        self.residuals.iter().for_each(|residuals| linalg::add_scaled(&mut mean, share, residuals));
        mean
    }
}

/// What all trainings have in common.
struct Setting<'a> {
    plan: Plan,
    seed: u64,
    progress: &'a (dyn Fn(Progress<'_>) + Sync),
}

/// What came out of an automatic fit.
pub(super) struct Automatic {
    pub network: Sum,
    pub combination: Combination,
    /// ½ Σ ω r² in the units of the standardised target.
    pub objective: f64,
    pub calibration: Option<Calibration>,
    /// Ended early.
    pub partial: bool,
}

/// Of the time there is, this share is for comparing; the rest is for refitting.
const COMPARING: f64 = 0.6;
/// What is left of the time when the last training ends: for what a started step still takes, and for certifying.
const ENDING: f64 = 0.92;

/// Fit automatically.
pub(super) fn fit(data: &Data, options: &Options<'_>, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Automatic> {
    let (comparing, refitting) = (Limit::of(options, COMPARING), Limit::of(options, ENDING));
    // Rows without weight say nothing, and a wide layer would give them infinite noise.
    let counted = data.weights.as_ref().filter(|weights| weights.contains(&0.0)).map(|weights| {
        let rows: Vec<usize> = (0..data.n()).filter(|&i| weights[i] > 0.0).collect();
        data.select(&rows)
    });
    let data = counted.as_ref().unwrap_or(data);
    let plan = Plan::within(data.n(), data.d(), options.effort, options.time_left());
    let setting = Setting { plan, seed: options.seed, progress };
    let sample = (data.n() > setting.plan.compared_rows).then(|| {
        committee::subset(data, setting.plan.compared_rows, &mut Stream::new(options.seed, Purpose::Split, SAMPLE))
    });
    let compared = sample.as_ref().unwrap_or(data);
    let folds = Folds::deal(compared.n(), setting.plan.folds, options.seed);
    let possible = setting.plan.quadratic_is_possible();
    let bounded = Options { deadline: comparing.deadline, ..options.clone() };
    let mut quadratic = possible.then(|| global::train_across(compared, &folds, &bounded, progress)).transpose()?;
    let parts: Vec<Part> =
        (0..folds.len()).map(|fold| Part::of(&compared.select(&folds.kept(fold)))).collect::<Result<_>>()?;
    let mut candidates = cross_validated(compared, &folds, &parts, &setting, &comparing);
    if candidates.first().is_none_or(|first| first.kind != Kind::Affine) {
        return Err(Error::NotFinite { what: "the predictions of an affine model of this table" });
    }
    let calibration = calibration::calibrated(&candidates, &parts, &setting.plan);
    // Without residuals the affine part alone interpolates: the quadratic network is no candidate of its own.
    let residuals = quadratic.as_ref().map(|quadratic| quadratic.residuals.as_slice()).filter(|r| !r.is_empty());
    let choice = Choice::of(&candidates, residuals, &setting.plan, &compared.omega());
    if sample.is_some()
        && let Some(quadratic) = &mut quadratic
    {
        let settled = Options { decay: Some(quadratic.decay), deadline: refitting.deadline, ..options.clone() };
        *quadratic = global::train_across(data, &folds, &settled, progress)?;
    }
    let quadratic =
        quadratic.map(|global::Fitted { network, decay, global, .. }| Certifiable { network, decay, global });
    let whole = Part::of(data)?;
    let network: Sum = match (choice.outcome, &quadratic) {
        (Outcome::Affine, _) => match affine::ridge(&whole.table) {
            Some(ridge) => ridge.network.unstandardised(&whole.scaling).into(),
            None => super::affine_fit(data)?.into(),
        },
        (Outcome::Quadratic, Some(quadratic)) => quadratic.network.clone().into(),
        (_, quadratic) => {
            let quadratic = quadratic.as_ref().map(|quadratic| &quadratic.network);
            combine(&mut candidates, &choice, quadratic, &whole, &setting, &refitting)?
        }
    };
    network.check()?;
    let combination = Combination {
        contenders: choice.contenders,
        rmse: choice.rmse,
        folds: folds.len(),
        compared: compared.n(),
        effort: setting.plan.effort,
        outcome: choice.outcome,
        ahead_of_affine: choice.ahead_of_affine,
        ahead_of_quadratic: choice.ahead_of_quadratic,
        quadratic,
    };
    let objective = 0.5 * (Scores::of(&network, data)?.rmse / whole.scaling.target_deviation).powi(2);
    Ok(Automatic { network, combination, objective, calibration, partial: comparing.is_over() || refitting.is_over() })
}

/// The stream that draws the rows on which large tables are compared.
const SAMPLE: u64 = 4;

/// The weights of the candidates, the quadratic network last where there is one, and what follows from them.
struct Choice {
    weights: Vec<f64>,
    contenders: Vec<Contender>,
    rmse: f64,
    ahead_of_affine: f64,
    ahead_of_quadratic: Option<f64>,
    outcome: Outcome,
}

impl Choice {
    fn of(candidates: &[Candidate], quadratic: Option<&[f64]>, plan: &Plan, omega: &[f64]) -> Self {
        let mut residuals: Vec<Vec<f64>> = candidates.iter().map(Candidate::mean_residuals).collect();
        residuals.extend(quadratic.map(<[f64]>::to_vec));
        let weights = if plan.is_stacked() {
            pruned(stack::weights(&second_moments(candidates, &residuals, omega)))
        } else {
            equal_among_wide(candidates, residuals.len())
        };
        let mut combined = vec![0.0; omega.len()];
        weights.iter().zip(&residuals).for_each(|(w, r)| linalg::add_scaled(&mut combined, *w, r));
        let rmse = |r: &[f64]| stack::moment(omega, r, r).sqrt();
        let ahead_of_affine = stack::advantage(&residuals[0], &combined, omega);
        let ahead_of_quadratic = quadratic.map(|quadratic| stack::advantage(quadratic, &combined, omega));
        let outcome = match ahead_of_quadratic {
            _ if ahead_of_affine < AHEAD_OF_AFFINE => Outcome::Affine,
            Some(ahead) if ahead < AHEAD_OF_QUADRATIC => Outcome::Quadratic,
            _ => Outcome::Combined,
        };
        let names = candidates.iter().map(|candidate| candidate.kind.name(plan)).chain(["quadratic network".into()]);
        let contenders = names
            .zip(residuals.iter().zip(&weights))
            .map(|(name, (r, weight))| Contender { name, rmse: rmse(r), weight: *weight })
            .collect();
        let rmse = rmse(&combined);
        Choice { weights, contenders, rmse, ahead_of_affine, ahead_of_quadratic, outcome }
    }
}

/// Too few rows to choose: the wide layers in equal shares, the affine model where there is none.
fn equal_among_wide(candidates: &[Candidate], count_all: usize) -> Vec<f64> {
    let wide = |candidate: &Candidate| matches!(candidate.kind, Kind::Wide { .. });
    let count = candidates.iter().filter(|candidate| wide(candidate)).count();
    let mut weights: Vec<f64> =
        candidates.iter().map(|candidate| if wide(candidate) { 1.0 / count as f64 } else { 0.0 }).collect();
    weights.resize(count_all, 0.0);
    if count == 0 {
        weights[0] = 1.0;
    }
    weights
}

/// Train every candidate outside every fold.
fn cross_validated(
    data: &Data,
    folds: &Folds,
    parts: &[Part],
    setting: &Setting<'_>,
    limit: &Limit<'_>,
) -> Vec<Candidate> {
    let (plan, kinds) = (&setting.plan, setting.plan.kinds());
    let jobs: Vec<(usize, usize, usize)> = (0..kinds.len())
        .flat_map(|at| (0..plan.repeats(&kinds[at])).map(move |repeat| (at, repeat)))
        .flat_map(|(at, repeat)| (0..folds.len()).map(move |fold| (at, repeat, fold)))
        .collect();
    let left: Vec<Data> = (0..folds.len()).map(|fold| data.select(folds.left(fold))).collect();
    let (done, total) = (AtomicUsize::new(0), jobs.len());
    let trained = queue::in_order(total, |job| {
        let (at, repeat, fold) = jobs[job];
        // The affine model is always there; it takes no time.
        if limit.is_over() && at > 0 {
            return None;
        }
        let Part { table, scaling } = &parts[fold];
        let start = (setting.seed, ((at * 64 + repeat) * 64 + fold) as u64);
        let outcome = committee::train(&kinds[at], (table, Rows::OutsideFold), plan, start, limit);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        (setting.progress)(Progress::Choosing { done, total });
        let outcome = outcome?;
        let network = outcome.network.unstandardised(scaling);
        let f = network.predict(&left[fold].X).ok()?;
        let residuals: Vec<f64> = f.iter().zip(&left[fold].y).map(|(f, y)| f - y).collect();
        let sound = residuals.iter().all(|r| r.is_finite()) && network.check().is_ok();
        sound.then_some(Member { network, residuals, left_out: outcome.left_out })
    });
    let mut trained = trained.into_iter();
    let mut candidates: Vec<Candidate> = vec![];
    for kind in kinds {
        let repeats = (0..plan.repeats(&kind)).map(|_| trained.by_ref().take(folds.len()).collect::<Vec<_>>());
        // A repeat counts when every row was left out once.
        let members: Vec<Vec<Member>> = repeats.filter_map(|by_fold| by_fold.into_iter().collect()).collect();
        if members.is_empty() {
            continue;
        }
        let gathered = |by_fold: &Vec<Member>| {
            folds.gathered(&by_fold.iter().map(|member| member.residuals.clone()).collect::<Vec<_>>())
        };
        let residuals = members.iter().map(gathered).collect();
        candidates.push(Candidate { kind, members, residuals });
    }
    candidates
}

/// Σ ω e_a e_b. A committee of two repeats stands for the larger one that will be used: ¼·mean e² + ¾·mean e₁e₂.
fn second_moments(candidates: &[Candidate], residuals: &[Vec<f64>], omega: &[f64]) -> Matrix {
    let moment = |a: &[f64], b: &[f64]| stack::moment(omega, a, b);
    Matrix::from_fn(residuals.len(), residuals.len(), |a, b| {
        if a != b {
            return moment(&residuals[a], &residuals[b]);
        }
        match candidates.get(a).map(|candidate| candidate.residuals.as_slice()) {
            Some([first, second]) => {
                let single = 0.5 * (moment(first, first) + moment(second, second));
                0.25 * single + 0.75 * moment(first, second)
            }
            _ => moment(&residuals[a], &residuals[a]),
        }
    })
}

fn pruned(weights: Vec<f64>) -> Vec<f64> {
    let kept: f64 = weights.iter().filter(|w| **w >= LEAST_WEIGHT).sum();
    weights.into_iter().map(|w| if w >= LEAST_WEIGHT { w / kept } else { 0.0 }).collect()
}

/// The combination: committees refitted on all rows and averaged with the members of the folds, wide layers refitted.
fn combine(
    candidates: &mut [Candidate],
    choice: &Choice,
    quadratic: Option<&Network>,
    whole: &Part,
    setting: &Setting<'_>,
    limit: &Limit<'_>,
) -> Result<Sum> {
    let (plan, weights) = (&setting.plan, &choice.weights);
    let used: Vec<usize> = (0..candidates.len()).filter(|&at| weights[at] > 0.0).collect();
    let refits = |at: usize| {
        let light = candidates[at].kind.is_committee() && weights[at] < REFIT_WEIGHT;
        if light { 0 } else { plan.refits(&candidates[at].kind) }
    };
    // One refit of each before the second of any, in case time runs out.
    let most = used.iter().map(|&at| refits(at)).max().unwrap_or(0);
    let jobs: Vec<(usize, usize)> = (0..most)
        .flat_map(|refit| used.iter().map(move |&at| (at, refit)))
        .filter(|&(at, refit)| refit < refits(at))
        .collect();
    let (done, total) = (AtomicUsize::new(0), jobs.len());
    let refitted: Vec<Option<Network>> = queue::in_order(total, |job| {
        let (at, refit) = jobs[job];
        if limit.is_over() {
            return None;
        }
        let start = (setting.seed, ((at + 1) << 32 | refit) as u64);
        let outcome = committee::train(&candidates[at].kind, (&whole.table, Rows::All), plan, start, limit);
        (setting.progress)(Progress::Refitting { done: done.fetch_add(1, Ordering::Relaxed) + 1, total });
        let network = outcome?.network.unstandardised(&whole.scaling);
        network.check().is_ok().then_some(network)
    });
    let weight = weights.get(candidates.len()).copied().filter(|weight| *weight > 0.0);
    let mut terms: Vec<(f64, Network)> =
        weight.zip(quadratic).map(|(weight, network)| (weight, network.clone())).into_iter().collect();
    for at in used {
        let refits = jobs.iter().zip(&refitted).filter(|((of, _), _)| *of == at);
        let mut networks: Vec<Network> = refits.filter_map(|(_, network)| network.clone()).collect();
        if candidates[at].kind.is_committee() || networks.is_empty() {
            networks.extend(sound_members(&mut candidates[at]));
        }
        let share = weights[at] / networks.len() as f64;
        terms.extend(networks.into_iter().map(|network| (share, network)));
    }
    Sum::weighted(terms.iter().map(|(weight, network)| (*weight, network)))
}

/// The members of the folds without the rogue ones.
fn sound_members(candidate: &mut Candidate) -> Vec<Network> {
    let members: Vec<Member> = candidate.members.drain(..).flatten().collect();
    let error = |member: &Member| linalg::dot(&member.residuals, &member.residuals) / member.residuals.len() as f64;
    let mut errors: Vec<f64> = members.iter().map(error).collect();
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    members.into_iter().filter(|member| error(member) <= ROGUE * median).map(|member| member.network).collect()
}
