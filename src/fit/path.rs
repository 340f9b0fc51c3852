//! Choosing the decay of a global fit by cross-validation along a path.
//!
//! The path falls geometrically from the smallest τ at which M = 0 is optimal. The rows are split into folds by the
//! seed; each fold is left out once, and the τ with the least mean squared error on the rows left out wins, or with
//! the one-standard-error rule the largest τ whose error is within one standard error (over folds) of the least.

use rayon::prelude::*;

use super::{Options, Progress, Scores};
use crate::convex::{self, Limits, Program};
use crate::data::Data;
use crate::error::Result;
use crate::random::{Purpose, Stream};

/// The path has this many values, …
const STEPS: usize = 15;
/// … each this much smaller than the one before.
const RATIO: f64 = 0.316_227_766_016_837_94;
/// Folds, and the most rows per fold that are worth their time.
const FOLDS: usize = 5;
/// The errors of candidates need no more than this gap.
const GAP: f64 = 1e-5;
/// With fewer rows nothing is left out, and the smallest τ of the path is taken.
const FEWEST_ROWS: usize = 12;

/// The chosen τ, and the path with the cross-validated RMSE of each value, in the units of the scaled target.
pub(super) fn decay(
    template: &Program<'_>,
    options: &Options<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<(f64, Vec<(f64, f64)>)> {
    let data = template.data;
    let most = convex::largest_decay(template)?;
    let decays: Vec<f64> = (1..=STEPS).map(|step| most * RATIO.powi(step as i32)).collect();
    let last = decays[STEPS - 1];
    if data.n() < FEWEST_ROWS || !(most > 0.0) {
        return Ok((if most > 0.0 { last } else { 0.0 }, vec![]));
    }
    let order = Stream::new(options.seed, Purpose::Split, 2).permutation(data.n());
    let folds: Vec<(Data, Data)> = (0..FOLDS)
        .map(|fold| {
            let rows = |left: bool| {
                let at = (0..data.n()).filter(|at| (at % FOLDS == fold) == left);
                at.map(|at| order[at]).collect::<Vec<usize>>()
            };
            (data.select(&rows(false)), data.select(&rows(true)))
        })
        .collect();
    let jobs: Vec<usize> = (0..FOLDS).collect();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let errors: Result<Vec<Vec<f64>>> = jobs
        .par_iter()
        .map(|&fold| {
            let errors = fold_errors(template, &folds[fold], &decays, options);
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            progress(Progress::Choosing { done, total: FOLDS });
            errors
        })
        .collect();
    let errors = errors?;
    let mean = |at: usize| errors.iter().map(|fold| fold[at]).sum::<f64>() / FOLDS as f64;
    let best = (0..STEPS).fold(0, |best, at| if mean(at) < mean(best) { at } else { best });
    let spread = errors.iter().map(|fold| (fold[best] - mean(best)).powi(2)).sum::<f64>() / (FOLDS - 1) as f64;
    let within = mean(best) + (spread / FOLDS as f64).sqrt();
    let chosen =
        if options.one_standard_error { (0..=best).find(|&at| mean(at) <= within).unwrap_or(best) } else { best };
    Ok((decays[chosen], (0..STEPS).map(|at| (decays[at], mean(at).sqrt())).collect()))
}

/// The mean squared errors of one fold along the path.
fn fold_errors(
    template: &Program<'_>,
    (kept, left): &(Data, Data),
    decays: &[f64],
    options: &Options<'_>,
) -> Result<Vec<f64>> {
    let limits = Limits { gap: GAP, interrupted: options.interrupted, ..Limits::default() };
    let program = Program { data: kept, ..*template };
    let solutions = convex::solve_path(&program, decays, &limits)?;
    solutions.iter().map(|form| Ok(Scores::of(&form.network()?, left)?.rmse.powi(2))).collect()
}
