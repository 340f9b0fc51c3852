//! Choosing the decay of a global fit by cross-validation along a path.
//!
//! The path falls geometrically from the smallest τ at which M = 0 is optimal. The rows are split into folds by the
//! seed; each fold is left out once, and the τ with the least mean squared error on the rows left out wins, or with
//! the one-standard-error rule the largest τ whose error is within one standard error (over folds) of the least. The path
//! ends where the solver no longer gets there, since what it would choose could not be reached, and where the errors have
//! risen for some steps: the smallest decays take the longest, and rarely win. Of many rows, a part chooses.

use std::sync::Mutex;

use super::folds::Folds;
use crate::convex::{self, Limits, PathSolver, Program};
use crate::data::Data;
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
const GAP: f64 = 1e-3;
/// The path ends when the least error is so many steps back; of a candidate of many inputs, whose steps take long, so few.
const RISES: usize = 3;
const RISES_OF_MANY_INPUTS: usize = 1;
const MANY_INPUTS: usize = 32;
/// A step of the path that takes more than so many iterations is not worth its time.
const ITERATIONS: usize = 800;
/// Multiply-adds of a pass over the rows that a step of the path may take, and rows that it takes in any case.
const MOST_PASS_WORK: usize = 30_000_000;
const FEWEST_ROWS_OF_MANY: usize = 3000;
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

/// How τ is chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecayRule {
    pub one_standard_error: bool,
    /// Whether the network is one candidate among others.
    pub is_candidate: bool,
}

/// Choose τ by leaving each fold out once.
pub(super) fn decay(template: &Program<'_>, folds: &Folds, rule: DecayRule, watch: Watch<'_>) -> Result<DecayPath> {
    let data = template.data;
    let most = convex::largest_decay(template)?;
    let decays: Vec<f64> = (1..=STEPS).map(|step| most * RATIO.powi(step as i32)).collect();
    if data.n() < FEWEST_ROWS || !(most > 0.0) {
        let decay = if most > 0.0 { decays[STEPS - 1] } else { 0.0 };
        return Ok(DecayPath { decay, ..DecayPath::default() });
    }
    let is_short = rule.is_candidate && data.d() >= MANY_INPUTS;
    let rises = if is_short { RISES_OF_MANY_INPUTS } else { RISES };
    let (steps, total) = (along(template, folds, (&decays, rises), watch)?, folds.len());
    if steps.is_empty() {
        return Ok(DecayPath { decay: decays[0], ..DecayPath::default() });
    }
    let errors: Vec<f64> = steps.iter().map(PathStep::error).collect();
    let best = least(&errors);
    let spread = steps[best].errors.iter().map(|fold| (fold - errors[best]).powi(2)).sum::<f64>() / (total - 1) as f64;
    let within = errors[best] + (spread / total as f64).sqrt();
    let first_within = || errors.iter().position(|error| *error <= within).unwrap_or(best);
    let chosen = if rule.one_standard_error { first_within() } else { best };
    let taken = steps.into_iter().nth(chosen);
    let (residuals, forms) = taken.map_or((vec![], vec![]), |step| (folds.gathered(&step.residuals), step.forms));
    let errors = errors.iter().zip(&decays).map(|(error, decay)| (*decay, error.sqrt())).collect();
    Ok(DecayPath { decay: decays[chosen], errors, residuals, forms })
}

/// The place of the least of some numbers; of equal ones the first.
fn least(errors: &[f64]) -> usize {
    (0..errors.len()).fold(0, |best, at| if errors[at] < errors[best] { at } else { best })
}

/// f(x_i) − y_i at this τ when the fold of row i is left out; none where time ran out.
pub(super) fn residuals_at(decay: f64, template: &Program<'_>, folds: &Folds, watch: Watch<'_>) -> Result<Vec<f64>> {
    let steps = along(template, folds, (&[decay], RISES), watch)?;
    Ok(steps.first().map_or(vec![], |step| folds.gathered(&step.residuals)))
}

/// One τ of the path, by fold.
struct PathStep {
    forms: Vec<QuadraticForm>,
    /// On the rows of the fold.
    residuals: Vec<Vec<f64>>,
    /// Their mean square.
    errors: Vec<f64>,
}

impl PathStep {
    /// The mean over the folds.
    fn error(&self) -> f64 {
        self.errors.iter().sum::<f64>() / self.errors.len() as f64
    }
}

/// The steps of the path, all folds side by side; fewer than all where the errors have long been rising, or time ran out.
fn along(
    template: &Program<'_>,
    folds: &Folds,
    (decays, rises): (&[f64], usize),
    watch: Watch<'_>,
) -> Result<Vec<PathStep>> {
    let data = template.data;
    let most = most_rows(data.d());
    let kept: Vec<Data> = (0..folds.len()).map(|fold| data.select(&thinned(folds.others(fold), most))).collect();
    let left: Vec<Data> = (0..folds.len()).map(|fold| data.select(folds.left_out(fold))).collect();
    let programs: Vec<Program<'_>> = kept.iter().map(|data| Program { data, ..*template }).collect();
    let solver = |fold: usize| PathSolver::new(&programs[fold]).map(Mutex::new);
    let solvers = try_map_tasks(folds.len(), solver)?;
    let limits = Limits { gap: GAP, iterations: ITERATIONS };
    let mut steps: Vec<PathStep> = vec![];
    for (at, &decay) in decays.iter().enumerate() {
        let solved = try_map_tasks(folds.len(), |fold| match solvers[fold].lock() {
            Ok(mut solver) => solver.solution(decay, &limits, watch),
            Err(_) => Ok(None),
        })?;
        let Some(forms) = solved.into_iter().collect::<Option<Vec<QuadraticForm>>>() else { break };
        steps.push(judged(forms, &left)?);
        watch.report(Progress::Counted { stage: Stage::Choosing, done: at + 1, total: decays.len() });
        let errors: Vec<f64> = steps.iter().map(PathStep::error).collect();
        if watch.is_over() || least(&errors) + rises < steps.len() {
            break;
        }
    }
    Ok(steps)
}

/// Rows that a step of the path may take: a decay needs no more, and a pass over them is quick.
fn most_rows(d: usize) -> usize {
    (MOST_PASS_WORK / d.pow(2).max(1)).max(FEWEST_ROWS_OF_MANY)
}

/// So many of the rows, spread over all of them.
fn thinned(rows: Vec<usize>, most: usize) -> Vec<usize> {
    match rows.len() <= most {
        true => rows,
        false => (0..most).map(|at| rows[at * rows.len() / most]).collect(),
    }
}

/// What the solutions without each fold are worth on it.
fn judged(forms: Vec<QuadraticForm>, left: &[Data]) -> Result<PathStep> {
    let residuals = |(form, left): (&QuadraticForm, &Data)| {
        let f = form.network()?.predict(&left.X)?;
        Ok(f.iter().zip(&left.y).map(|(f, y)| f - y).collect())
    };
    let residuals = forms.iter().zip(left).map(residuals).collect::<Result<Vec<Vec<f64>>>>()?;
    let error = |(r, left): (&Vec<f64>, &Data)| r.iter().zip(left.omega()).map(|(r, omega)| omega * r * r).sum();
    let errors = residuals.iter().zip(left).map(error).collect();
    Ok(PathStep { forms, residuals, errors })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::Cone;
    use crate::linalg::Matrix;
    use crate::random::{Purpose, Stream};

    fn data(n: usize, d: usize, noise: f64) -> Data {
        let mut stream = Stream::new(11, Purpose::Probe, 9);
        let X = Matrix::from_fn(n, d, |_, _| stream.normal());
        let y = (0..n).map(|i| X[(i, 0)] * X[(i, 1)] + noise * stream.normal()).collect();
        Data::builder(X, y).build().unwrap()
    }

    fn template(data: &Data) -> Program<'_> {
        Program { data, cone: Cone::Symmetric, decay: 0.0, linear: true, intercept: true }
    }

    #[test]
    fn a_path_ends_where_the_errors_have_risen_for_some_steps_and_the_least_is_taken() {
        let data = data(120, 6, 2.0);
        let folds = Folds::deal(&data, 5, 0);
        let rule = DecayRule { one_standard_error: false, is_candidate: false };
        let path = decay(&template(&data), &folds, rule, Watch::silent()).unwrap();
        assert!(path.errors.len() < STEPS, "{:?}", path.errors);
        let least = path.errors.iter().fold(path.errors[0], |best, next| if next.1 < best.1 { *next } else { best });
        assert_eq!((path.decay, path.residuals.len()), (least.0, 120));
    }

    #[test]
    fn both_ways_along_a_path_find_the_same_errors() {
        // With 24 inputs and few rows passes over the data take less, with 9 inputs the products are gathered.
        for (n, d) in [(90, 24), (400, 9)] {
            let data = data(n, d, 0.3);
            let folds = Folds::deal(&data, 5, 0);
            let most = convex::largest_decay(&template(&data)).unwrap();
            let decays = [0.3 * most, 0.1 * most];
            let steps = along(&template(&data), &folds, (&decays, RISES), Watch::silent()).unwrap();
            let error = |r: &[f64]| (r.iter().map(|r| r * r).sum::<f64>() / n as f64).sqrt();
            for (step, decay) in steps.iter().zip(decays) {
                let mut all = vec![vec![]; 5];
                for (fold, all) in all.iter_mut().enumerate() {
                    let kept = data.select(&folds.others(fold));
                    let program = Program { data: &kept, decay, ..template(&data) };
                    let form = convex::solve(&program, &Limits::default(), Watch::silent()).unwrap().form;
                    let left = data.select(folds.left_out(fold));
                    let f = form.network().unwrap().predict(&left.X).unwrap();
                    *all = f.iter().zip(&left.y).map(|(f, y)| f - y).collect();
                }
                let [found, exact] = [&step.residuals, &all].map(|residuals| error(&folds.gathered(residuals)));
                assert!((found / exact - 1.0).abs() < 0.01, "{n} {d}: {found} {exact}");
            }
        }
    }

    #[test]
    fn of_many_rows_a_part_is_spread_over_all() {
        assert_eq!(thinned((0..10).collect(), 4), [0, 2, 5, 7]);
        assert_eq!(thinned(vec![3, 1], 4), [3, 1]);
    }
}
