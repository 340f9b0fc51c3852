//! Choosing the decay of a global fit by cross-validation along a path.
//!
//! The path falls geometrically from the smallest τ at which M = 0 is optimal. The rows are split into folds by the
//! seed; each fold is left out once, and the τ with the least mean squared error on the rows left out wins, or with
//! the one-standard-error rule the largest τ whose error is within one standard error (over folds) of the least. The path
//! ends where the solver no longer gets there: what it would choose could not be reached.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::folds::Folds;
use crate::convex::{self, Limits, Program};
use crate::error::Result;
use crate::linalg::try_map_tasks;
use crate::network::QuadraticForm;
use crate::watch::{Progress, Stage, Watch};

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
#[derive(Default)]
pub(super) struct DecayPath {
    /// The chosen τ.
    pub decay: f64,
    /// Each τ with its cross-validated RMSE, in the units of the scaled target; empty when nothing was left out.
    pub errors: Vec<(f64, f64)>,
    /// f(x_i) − y_i at the chosen τ when the fold of row i is left out, in the same units.
    pub residuals: Vec<f64>,
    /// The solutions of the folds at the chosen τ.
    pub forms: Vec<QuadraticForm>,
}

/// Choose τ by leaving each fold out once.
pub(super) fn decay(
    template: &Program<'_>,
    folds: &Folds,
    one_standard_error: bool,
    watch: Watch<'_>,
) -> Result<DecayPath> {
    let data = template.data;
    let most = convex::largest_decay(template)?;
    let decays: Vec<f64> = (1..=STEPS).map(|step| most * RATIO.powi(step as i32)).collect();
    let last = decays[STEPS - 1];
    if data.n() < FEWEST_ROWS || !(most > 0.0) {
        return Ok(DecayPath { decay: if most > 0.0 { last } else { 0.0 }, ..DecayPath::default() });
    }
    let (along, total) = (along(template, folds, &decays, watch)?, folds.len());
    // Where time ran out, only what every fold has finished is compared.
    let steps = along.iter().map(Vec::len).min().unwrap_or(0);
    if steps == 0 {
        return Ok(DecayPath { decay: decays[0], ..DecayPath::default() });
    }
    let errors: Vec<Vec<f64>> = (0..total)
        .map(|fold| {
            let omega = data.select(folds.left_out(fold)).omega();
            let error =
                |step: &PathStep| omega.iter().zip(&step.residuals).map(|(omega, r)| omega * r * r).sum::<f64>();
            along[fold].iter().map(error).collect()
        })
        .collect();
    let mean = |at: usize| errors.iter().map(|fold| fold[at]).sum::<f64>() / total as f64;
    let best = (0..steps).fold(0, |best, at| if mean(at) < mean(best) { at } else { best });
    let spread = errors.iter().map(|fold| (fold[best] - mean(best)).powi(2)).sum::<f64>() / (total - 1) as f64;
    let within = mean(best) + (spread / total as f64).sqrt();
    let chosen = if one_standard_error { (0..=best).find(|&at| mean(at) <= within).unwrap_or(best) } else { best };
    let chosen_steps = along.into_iter().map(|mut steps| steps.swap_remove(chosen));
    let (by_fold, forms): (Vec<Vec<f64>>, Vec<QuadraticForm>) =
        chosen_steps.map(|step| (step.residuals, step.form)).unzip();
    let errors = (0..steps).map(|at| (decays[at], mean(at).sqrt())).collect();
    Ok(DecayPath { decay: decays[chosen], errors, residuals: folds.gathered(&by_fold), forms })
}

/// f(x_i) − y_i at this τ when the fold of row i is left out; none where time ran out.
pub(super) fn residuals_at(decay: f64, template: &Program<'_>, folds: &Folds, watch: Watch<'_>) -> Result<Vec<f64>> {
    let along = along(template, folds, &[decay], watch)?;
    if along.iter().any(Vec::is_empty) {
        return Ok(vec![]);
    }
    let by_fold: Vec<Vec<f64>> = along.into_iter().flatten().map(|step| step.residuals).collect();
    Ok(folds.gathered(&by_fold))
}

/// The steps of the path without each fold.
fn along(template: &Program<'_>, folds: &Folds, decays: &[f64], watch: Watch<'_>) -> Result<Vec<Vec<PathStep>>> {
    let (done, total) = (AtomicUsize::new(0), folds.len());
    try_map_tasks(total, |fold| {
        let steps = fold_steps(template, folds, fold, decays, watch);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch.report(Progress::Counted { stage: Stage::Choosing, done, total });
        steps
    })
}

/// One τ of the path without one fold.
struct PathStep {
    form: QuadraticForm,
    /// On the fold.
    residuals: Vec<f64>,
}

/// The steps of the path without one fold; fewer than all where time ran out.
fn fold_steps(
    template: &Program<'_>,
    folds: &Folds,
    fold: usize,
    decays: &[f64],
    watch: Watch<'_>,
) -> Result<Vec<PathStep>> {
    let kept = template.data.select(&folds.others(fold));
    let left = template.data.select(folds.left_out(fold));
    let limits = Limits { gap: GAP, ..Limits::default() };
    let program = Program { data: &kept, ..*template };
    let solutions = convex::solve_path(&program, decays, &limits, watch.quietly())?;
    let step = |form: QuadraticForm| {
        let f = form.network()?.predict(&left.X)?;
        let residuals = f.iter().zip(&left.y).map(|(f, y)| f - y).collect();
        Ok(PathStep { form, residuals })
    };
    solutions.into_iter().map(step).collect()
}
