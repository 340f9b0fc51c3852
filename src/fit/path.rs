//! Choosing the decay of a global fit by cross-validation along a path.
//!
//! The path falls geometrically from the smallest τ at which M = 0 is optimal. The rows are split into folds by the
//! seed; each fold is left out once, and the τ with the least mean squared error on the rows left out wins, or with
//! the one-standard-error rule the largest τ whose error is within one standard error (over folds) of the least.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::folds::Folds;
use super::{Options, Progress};
use crate::convex::{self, Limits, Program};
use crate::error::Result;
use crate::network::Quadratic;

/// The path has this many values, …
const STEPS: usize = 15;
/// … each this much smaller than the one before.
const RATIO: f64 = 0.316_227_766_016_837_94;
/// Folds, where the caller has none of its own.
pub(super) const FOLDS: usize = 5;
/// The errors of candidates need no more than this gap.
const GAP: f64 = 1e-5;
/// With fewer rows nothing is left out, and the smallest τ of the path is taken.
const FEWEST_ROWS: usize = 12;

/// The path with what was found along it.
pub(super) struct Path {
    /// The chosen τ.
    pub decay: f64,
    /// Each τ with its cross-validated RMSE, in the units of the scaled target; empty when nothing was left out.
    pub errors: Vec<(f64, f64)>,
    /// f(x_i) − y_i at the chosen τ when the fold of row i is left out, in the same units.
    pub residuals: Vec<f64>,
}

/// Choose τ by leaving each fold out once.
pub(super) fn decay(
    template: &Program<'_>,
    folds: &Folds,
    options: &Options<'_>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Path> {
    let data = template.data;
    let most = convex::largest_decay(template)?;
    let decays: Vec<f64> = (1..=STEPS).map(|step| most * RATIO.powi(step as i32)).collect();
    let last = decays[STEPS - 1];
    if data.n() < FEWEST_ROWS || !(most > 0.0) {
        return Ok(Path { decay: if most > 0.0 { last } else { 0.0 }, errors: vec![], residuals: vec![] });
    }
    let (done, total) = (AtomicUsize::new(0), folds.len());
    let residuals: Result<Vec<Vec<Vec<f64>>>> = (0..total)
        .into_par_iter()
        .map(|fold| {
            let residuals = fold_residuals(template, folds, fold, &decays, options);
            progress(Progress::Choosing { done: done.fetch_add(1, Ordering::Relaxed) + 1, total });
            residuals
        })
        .collect();
    let residuals = residuals?;
    let errors: Vec<Vec<f64>> = (0..total)
        .map(|fold| {
            let omega = data.select(folds.left(fold)).omega();
            let error = |r: &Vec<f64>| omega.iter().zip(r).map(|(omega, r)| omega * r * r).sum::<f64>();
            residuals[fold].iter().map(error).collect()
        })
        .collect();
    let mean = |at: usize| errors.iter().map(|fold| fold[at]).sum::<f64>() / total as f64;
    let best = (0..STEPS).fold(0, |best, at| if mean(at) < mean(best) { at } else { best });
    let spread = errors.iter().map(|fold| (fold[best] - mean(best)).powi(2)).sum::<f64>() / (total - 1) as f64;
    let within = mean(best) + (spread / total as f64).sqrt();
    let chosen =
        if options.one_standard_error { (0..=best).find(|&at| mean(at) <= within).unwrap_or(best) } else { best };
    let by_fold: Vec<Vec<f64>> = residuals.into_iter().map(|mut by_decay| by_decay.swap_remove(chosen)).collect();
    let errors = (0..STEPS).map(|at| (decays[at], mean(at).sqrt())).collect();
    Ok(Path { decay: decays[chosen], errors, residuals: folds.gathered(&by_fold) })
}

/// The residuals on one fold along the path.
fn fold_residuals(
    template: &Program<'_>,
    folds: &Folds,
    fold: usize,
    decays: &[f64],
    options: &Options<'_>,
) -> Result<Vec<Vec<f64>>> {
    let kept = template.data.select(&folds.kept(fold));
    let left = template.data.select(folds.left(fold));
    let limits = Limits { gap: GAP, interrupted: options.interrupted, deadline: options.deadline, ..Limits::default() };
    let program = Program { data: &kept, ..*template };
    let solutions = convex::solve_path(&program, decays, &limits)?;
    let residuals = |form: &Quadratic| {
        let f = form.network()?.predict(&left.X)?;
        Ok(f.iter().zip(&left.y).map(|(f, y)| f - y).collect())
    };
    solutions.iter().map(residuals).collect()
}
