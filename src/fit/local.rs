//! One network of one activation: width and method by rule, the decay by cross-validation where it is left open.
//!
//! The decays are compared on the folds that the automatic fit uses too, and the one with the least error on rows left out
//! is trained on all rows. With too few rows to leave any out, the first is taken.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::folds::{self, Folds};
use super::request::{Descending, Local};
use super::train::{Settled, Trained, default_iterations, train};
use super::{Fit, is_too_wide, too_wide};
use crate::activation::{Activation, Smooth};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::map_tasks;
use crate::watch::{Progress, Stage, Watch};

/// A decay that was tried, and its error on rows left out.
///
/// ```
/// use shallows::fit::{Descending, Local};
/// use shallows::Data;
///
/// let rows: Vec<[f64; 1]> = (0..30).map(|i| [i as f64 / 10.0]).collect();
/// let y: Vec<f64> = rows.iter().map(|[x]| x.sin()).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// // Without a decay some are tried on rows left out, and the best is taken.
/// let fit = Local::new("tanh".parse()?).width(3).by(Descending::Levenberg).iterations(30).fit(&data)?;
/// let best = fit.tried.iter().min_by(|a, b| a.rmse.total_cmp(&b.rmse));
/// assert_eq!(best.map(|tried| tried.decay), Some(fit.decay));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriedDecay {
    /// τ.
    pub decay: f64,
    /// In the units of the target.
    pub rmse: f64,
}

/// The decays compared when none is given.
pub(super) const DECAYS: [f64; 4] = [1e-4, 1e-5, 1e-3, 1e-2];

/// Fit one network.
pub(super) fn fit(data: &Data, request: &Local, watch: Watch<'_>) -> Result<Fit> {
    let width = request.width.unwrap_or_else(|| default_width(&request.activation, data.n(), data.d()));
    if is_too_wide(width, data.d()) {
        return Err(too_wide(width, data.d()));
    }
    let settled = Settled {
        activation: &request.activation,
        width,
        method: request.method.unwrap_or_else(|| default_method(&request.activation, data, width)),
        decay: request.decay.unwrap_or(DECAYS[0]),
        common: request.common,
        iterations: request.iterations,
        gradient: request.gradient,
    };
    let Compared { decay, tried, left_over } = match request.decay {
        Some(decay) => Compared { decay, tried: vec![], left_over: None },
        None => compared(data, &settled, watch)?,
    };
    // Ended while comparing: the best network without one fold is what there is.
    let left_over = left_over.filter(|_| watch.is_over());
    let partial = left_over.is_some();
    let trained = match left_over {
        Some(trained) => trained,
        None => train(data, &Settled { decay, ..settled }, watch)?,
    };
    let Trained { network, training, objective, decay } = trained;
    Ok(Fit { network: network.into(), training, objective, decay, tried, calibration: None, partial })
}

/// What came of the comparison.
struct Compared {
    decay: f64,
    tried: Vec<TriedDecay>,
    /// The best network of those trained without one fold.
    left_over: Option<Trained>,
}

/// Compare the decays on rows left out.
fn compared(data: &Data, settled: &Settled<'_>, watch: Watch<'_>) -> Result<Compared> {
    let nothing = || Compared { decay: DECAYS[0], tried: vec![], left_over: None };
    if data.n() < folds::FEWEST_ROWS {
        return Ok(nothing());
    }
    let dealt = Folds::deal(data, folds::usual_number(data.n()), settled.common.seed);
    let parts: Vec<(Data, Data)> =
        (0..dealt.len()).map(|fold| (data.select(&dealt.others(fold)), data.select(dealt.left_out(fold)))).collect();
    if parts.iter().any(|(kept, _)| kept.check_fittable().is_err()) {
        return Ok(nothing());
    }
    let (done, total) = (AtomicUsize::new(0), DECAYS.len() * parts.len());
    let outcomes = map_tasks(total, |job| {
        let (decay, (kept, left)) = (DECAYS[job / parts.len()], &parts[job % parts.len()]);
        if watch.is_over() {
            return None;
        }
        let trained = train(kept, &shorter(settled, decay), watch.quietly());
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch.report(Progress::Counted { stage: Stage::Choosing, done, total });
        let trained = trained.ok()?;
        let f = trained.network.predict(&left.X).ok()?;
        let residuals: Vec<f64> = f.iter().zip(&left.y).map(|(f, y)| f - y).collect();
        residuals.iter().all(|r| r.is_finite()).then_some((residuals, trained))
    });
    Ok(best(data, &dealt, outcomes))
}

fn best(data: &Data, dealt: &Folds, outcomes: Vec<Option<(Vec<f64>, Trained)>>) -> Compared {
    let (omega, mut outcomes) = (dealt.judged_omega(data), outcomes.into_iter());
    let mut tried: Vec<TriedDecay> = vec![];
    let mut left_over: Option<(f64, Trained)> = None;
    for decay in DECAYS {
        let of_decay: Vec<Option<(Vec<f64>, Trained)>> = outcomes.by_ref().take(dealt.len()).collect();
        // What was cut short is no fair candidate, but better than nothing.
        let complete = of_decay.iter().all(|outcome| outcome.as_ref().is_some_and(|(_, t)| !t.was_interrupted()));
        let mut by_fold = vec![];
        for (residuals, trained) in of_decay.into_iter().flatten() {
            let error = residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64;
            if left_over.as_ref().is_none_or(|(least, _)| error < *least) {
                left_over = Some((error, trained));
            }
            by_fold.push(residuals);
        }
        if complete {
            let residuals = dealt.gathered(&by_fold);
            let square: f64 = residuals.iter().zip(&omega).map(|(r, omega)| omega * r * r).sum();
            tried.push(TriedDecay { decay, rmse: square.sqrt() });
        }
    }
    let least = tried.iter().min_by(|a, b| a.rmse.total_cmp(&b.rmse));
    let decay = least.map_or(DECAYS[0], |least| least.decay);
    Compared { decay, tried, left_over: left_over.map(|(_, trained)| trained) }
}

/// A run of a comparison ends after a third of the iterations: its error hardly changes any more.
fn shorter<'a>(settled: &Settled<'a>, decay: f64) -> Settled<'a> {
    let iterations = settled.iterations.unwrap_or(default_iterations(settled.method.method()));
    Settled { iterations: Some(iterations.div_ceil(3)), decay, ..*settled }
}

/// Quadratic networks: for each input (or each row, where these are fewer: only what W does to the span of the rows
/// matters) a unit of either sign, which is enough for any symmetric M. Others: about three rows for every two
/// parameters, between 6 and 40 units.
pub(super) fn default_width(activation: &Activation, n: usize, d: usize) -> usize {
    match activation {
        Activation::Smooth(Smooth::Quadratic { .. }) => 2 * d.min(n),
        _ => (2 * n / (3 * (d + 2))).clamp(6, 40),
    }
}

/// Levenberg–Marquardt for smooth activations while its linear systems are small, L-BFGS otherwise.
fn default_method(activation: &Activation, data: &Data, width: usize) -> Descending {
    /// Beyond this many multiply-adds an iteration takes longer than hundreds of L-BFGS iterations.
    const MOST_WORK: usize = 2_000_000_000;
    let parameters = width * (data.d() + 2) + data.d() + 1;
    let smaller = parameters.min(data.n());
    let work = smaller.saturating_mul(parameters).saturating_mul(data.n());
    let quadratic = matches!(activation, Activation::Smooth(Smooth::Quadratic { .. }));
    let smooth = matches!(activation, Activation::Smooth(_));
    if smooth && !quadratic && work <= MOST_WORK { Descending::Levenberg } else { Descending::Lbfgs }
}
