//! Choosing what was left open: activation and decay by held-out error, width and method by rule.
//!
//! The candidates are trained on the same three quarters of the rows (drawn from the seed) and compared on
//! the remaining quarter; the winner is trained again on all rows. With too few rows to hold any out, the
//! first candidate is taken.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::train::{Choice, Trained, Trainer, default_iterations, train};
use super::{Options, Progress, Scores, is_too_wide, too_wide};
use crate::activation::{Activation, Kinked, Smooth};
use crate::data::Data;
use crate::error::Result;
use crate::optimise::Method;
use crate::random::{Purpose, Stream};

/// One combination that was tried, and its error on the rows held out for the choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// φ.
    pub activation: Activation,
    /// τ.
    pub decay: f64,
    /// In the units of the target; infinite when the training failed.
    pub rmse: f64,
}

/// The decays compared when none is given.
const DECAYS: [f64; 4] = [1e-4, 1e-5, 1e-3, 1e-2];
/// With fewer rows than this nothing is held out.
const FEWEST_ROWS: usize = 12;
/// The global fit holds about this many matrices of the size of M.
const GLOBAL_COPIES: usize = 10;
/// The share of rows held out.
const HELD_OUT: f64 = 0.25;

/// The choice, and what it was made from.
pub(super) struct Chosen {
    pub choice: Choice,
    /// What was compared; empty when there was no choice.
    pub candidates: Vec<Candidate>,
    /// The winner as trained on the rows not held out.
    pub trained: Option<Trained>,
}

/// Settle what the options leave open.
pub(super) fn choose(data: &Data, options: &Options<'_>, progress: &(dyn Fn(Progress<'_>) + Sync)) -> Result<Chosen> {
    let mut choices = open_choices(data, options);
    let width = |choice: &Choice| match choice.trainer {
        Trainer::Local { width, .. } => width,
        Trainer::Global => options.width.unwrap_or(0),
    };
    let widest = choices.iter().map(width).max().unwrap_or(0);
    choices.retain(|choice| !is_too_wide(width(choice), data.d()));
    if choices.is_empty() {
        return Err(too_wide(widest, data.d()));
    }
    let hold_out = (HELD_OUT * data.n() as f64) as usize;
    let first = || Ok(Chosen { choice: choices[0].clone(), candidates: vec![], trained: None });
    if choices.len() == 1 || data.n() < FEWEST_ROWS {
        return first();
    }
    let order = Stream::new(options.seed, Purpose::Split, 0).permutation(data.n());
    let (test, train_rows) = order.split_at(hold_out);
    let (test, part) = (data.select(test), data.select(train_rows));
    if part.check_fittable().is_err() {
        return first();
    }
    let done = AtomicUsize::new(0);
    let total = choices.len();
    let tried: Vec<Option<(f64, Trained)>> = choices
        .par_iter()
        .map(|choice| {
            if options.is_over() {
                return None;
            }
            let trained = train(&part, choice, &shorter(options, choice), &|_| {});
            let scored = trained.and_then(|trained| Ok((Scores::of(&trained.network, &test)?.rmse, trained)));
            progress(Progress::Choosing { done: done.fetch_add(1, Ordering::Relaxed) + 1, total });
            scored.ok().filter(|(rmse, _)| rmse.is_finite())
        })
        .collect();
    let mut candidates = vec![];
    let mut best: Option<(f64, Choice, Trained)> = None;
    for (choice, tried) in choices.iter().zip(tried) {
        let Some((rmse, trained)) = tried else { continue };
        // What was cut short is no fair candidate, but better than nothing.
        let complete = !trained.was_interrupted();
        if complete {
            candidates.push(Candidate { activation: choice.activation.clone(), decay: trained.decay, rmse });
        }
        if best.as_ref().is_none_or(|(least, ..)| rmse < *least) {
            best = Some((rmse, choice.clone(), trained));
        }
    }
    Ok(match best {
        Some((_, choice, trained)) => Chosen { choice, candidates, trained: Some(trained) },
        None => Chosen { choice: choices[0].clone(), candidates, trained: None },
    })
}

/// A candidate's training ends after a third of the iterations: its error hardly changes any more.
fn shorter<'a>(options: &Options<'a>, choice: &Choice) -> Options<'a> {
    let Trainer::Local { method, .. } = choice.trainer else { return options.clone() };
    let iterations = options.iterations.unwrap_or(default_iterations(method));
    Options { iterations: Some(iterations.div_ceil(3)), ..options.clone() }
}

fn open_choices(data: &Data, options: &Options<'_>) -> Vec<Choice> {
    let activations = match &options.activation {
        Some(activation) => vec![activation.clone()],
        None => vec![
            Activation::Smooth(Smooth::Tanh),
            Activation::Smooth(Smooth::Softplus { sharpness: 1.0 }),
            Activation::Kinked(Kinked::Relu),
            Activation::SQUARE,
        ],
    };
    activations.iter().flat_map(|activation| choices_for(activation, data, options)).collect()
}

/// One choice for a global fit, which settles its decay by itself; otherwise one per decay. With so many inputs that
/// M (d×d) does not fit, a quadratic network is trained like the others.
fn choices_for(activation: &Activation, data: &Data, options: &Options<'_>) -> Vec<Choice> {
    let fits = !is_too_wide(GLOBAL_COPIES * data.d(), data.d());
    if *activation == Activation::SQUARE && options.method.is_none() && fits {
        return vec![Choice { activation: activation.clone(), trainer: Trainer::Global }];
    }
    let decays = options.decay.map_or(DECAYS.to_vec(), |decay| vec![decay]);
    let width = options.width.unwrap_or_else(|| default_width(activation, data.n(), data.d()));
    let method = options.method.unwrap_or_else(|| default_method(activation, data, width));
    let choice = |decay| Choice { activation: activation.clone(), trainer: Trainer::Local { method, width, decay } };
    decays.into_iter().map(choice).collect()
}

/// Quadratic networks: for each input (or each row, where these are fewer: only what W does to the span of
/// the rows matters) a unit of either sign, which is enough for any symmetric M. Others: about two rows for
/// every three parameters, between 6 and 40 units.
fn default_width(activation: &Activation, n: usize, d: usize) -> usize {
    match activation {
        Activation::Smooth(Smooth::Quadratic { .. }) => 2 * d.min(n),
        _ => (2 * n / (3 * (d + 2))).clamp(6, 40),
    }
}

/// Levenberg–Marquardt for smooth activations while its linear systems are small, L-BFGS otherwise.
fn default_method(activation: &Activation, data: &Data, width: usize) -> Method {
    /// Beyond this many multiply-adds an iteration takes longer than hundreds of L-BFGS iterations.
    const MOST_WORK: usize = 2_000_000_000;
    let parameters = width * (data.d() + 2) + data.d() + 1;
    let smaller = parameters.min(data.n());
    let work = smaller.saturating_mul(parameters).saturating_mul(data.n());
    let quadratic = matches!(activation, Activation::Smooth(Smooth::Quadratic { .. }));
    let smooth = matches!(activation, Activation::Smooth(_));
    if smooth && !quadratic && work <= MOST_WORK { Method::Levenberg } else { Method::Lbfgs }
}
