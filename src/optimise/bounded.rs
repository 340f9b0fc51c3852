//! Limited-memory BFGS within bounds, for few parameters and expensive objectives: what is counted is evaluations.
//!
//! A parameter at a bound whose gradient points outwards stays there; the others move along the quasi-Newton direction, and
//! the step is projected onto the bounds (Bertsekas 1982). A step is taken when it lowers the objective by a share of
//! what the gradient promises; an objective that is not finite is a step too far.

use super::lbfgs::Metric;
use crate::linalg::{dot, norm};
use crate::watch::Watch;

/// Past steps that shape the metric.
const HISTORY: usize = 10;
/// Sufficient decrease, the customary constant (Nocedal–Wright §3.1).
const DECREASE: f64 = 1e-4;
/// A step after which the slope is still this share of what it was is too short, and is lengthened.
const CURVATURE: f64 = 0.9;
const LENGTHENED: f64 = 4.0;
/// A step is shortened to between these shares of its length.
const SHORTENED: [f64; 2] = [0.1, 0.5];

/// What a search within bounds may spend, and what it works for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedSearch {
    /// At most this many evaluations.
    pub(crate) evaluations: usize,
    /// A step that gains less is the last.
    pub(crate) least_gain: f64,
    /// No parameter moves further in a first try of a step.
    pub(crate) longest_step: f64,
}

/// The lowest point found. `evaluate` writes the gradient and returns the objective.
pub(crate) fn bounded_lbfgs(
    evaluate: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    mut theta: Vec<f64>,
    bounds: &[[f64; 2]],
    options: BoundedSearch,
    watch: Watch<'_>,
) -> Vec<f64> {
    project(&mut theta, bounds);
    let mut metric = Metric::new(HISTORY);
    let mut gradient = vec![0.0; theta.len()];
    let mut value = evaluate(&theta, &mut gradient);
    let mut left = options.evaluations.saturating_sub(1);
    while left > 0 && value.is_finite() {
        let free: Vec<bool> = (0..theta.len()).map(|at| is_free(theta[at], gradient[at], bounds[at])).collect();
        let masked = |x: &[f64]| x.iter().zip(&free).map(|(x, free)| if *free { *x } else { 0.0 }).collect::<Vec<_>>();
        let steepest = masked(&gradient);
        let mut direction = masked(&metric.descent_direction(&steepest));
        if !(dot(&direction, &gradient) < 0.0) {
            metric.forget();
            direction = steepest.iter().map(|g| -g).collect();
        }
        let first = if metric.is_empty() { (1.0 / norm(&direction)).min(1.0) } else { 1.0 };
        let longest = direction.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
        let first = first.min(options.longest_step / longest.max(f64::MIN_POSITIVE));
        let line = LineSearch { theta: &theta, value, gradient: &gradient, direction: &direction, bounds };
        let Some((next, next_value, next_gradient)) = line.search(evaluate, first, &mut left, watch) else { break };
        metric.learn([&theta, &next], [&gradient, &next_gradient]);
        let gain = value - next_value;
        (theta, value, gradient) = (next, next_value, next_gradient);
        if gain <= options.least_gain {
            break;
        }
    }
    theta
}

fn project(theta: &mut [f64], bounds: &[[f64; 2]]) {
    theta.iter_mut().zip(bounds).for_each(|(theta, [least, most])| *theta = theta.clamp(*least, *most));
}

fn is_free(theta: f64, gradient: f64, [least, most]: [f64; 2]) -> bool {
    !(theta <= least && gradient > 0.0 || theta >= most && gradient < 0.0)
}

struct LineSearch<'a> {
    theta: &'a [f64],
    value: f64,
    gradient: &'a [f64],
    direction: &'a [f64],
    bounds: &'a [[f64; 2]],
}

impl LineSearch<'_> {
    /// A point with sufficient decrease, its value and its gradient; `None` when nothing is left to spend.
    fn search(
        &self,
        evaluate: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
        first: f64,
        left: &mut usize,
        watch: Watch<'_>,
    ) -> Option<(Vec<f64>, f64, Vec<f64>)> {
        let mut t = first;
        let mut kept: Option<(Vec<f64>, f64, Vec<f64>)> = None;
        while *left > 0 && !watch.is_over() {
            let mut next: Vec<f64> = self.theta.iter().zip(self.direction).map(|(x, p)| x + t * p).collect();
            project(&mut next, self.bounds);
            let moved: Vec<f64> = next.iter().zip(self.theta).map(|(next, x)| next - x).collect();
            let promised = dot(&moved, self.gradient);
            if promised >= 0.0 {
                break;
            }
            let mut gradient = vec![0.0; next.len()];
            let value = evaluate(&next, &mut gradient);
            *left -= 1;
            if kept.as_ref().is_some_and(|(_, lower, _)| !(value < *lower)) {
                break;
            }
            if value <= self.value + DECREASE * promised {
                let is_steep = dot(&moved, &gradient) < CURVATURE * promised;
                kept = Some((next, value, gradient));
                if !is_steep || t < first {
                    break;
                }
                t *= LENGTHENED;
                continue;
            }
            // The minimum of the parabola through both values and the slope here.
            let excess = value - self.value - promised;
            let shorter = if excess.is_finite() { -0.5 * promised / excess } else { SHORTENED[0] };
            t *= shorter.clamp(SHORTENED[0], SHORTENED[1]);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: BoundedSearch = BoundedSearch { evaluations: 60, least_gain: 1e-10, longest_step: 10.0 };

    #[test]
    fn the_minimum_within_bounds_is_found() {
        // (x − 3)² + 10(y − x)², x ≤ 1: the minimum is (1, 1); without bounds it is (3, 3).
        let mut evaluations = 0;
        let mut evaluate = |p: &[f64], g: &mut [f64]| {
            evaluations += 1;
            g[0] = 2.0 * (p[0] - 3.0) - 20.0 * (p[1] - p[0]);
            g[1] = 20.0 * (p[1] - p[0]);
            (p[0] - 3.0).powi(2) + 10.0 * (p[1] - p[0]).powi(2)
        };
        let far = [f64::NEG_INFINITY, f64::INFINITY];
        let inside = bounded_lbfgs(&mut evaluate, vec![-2.0, 5.0], &[[-4.0, 1.0], far], OPTIONS, Watch::silent());
        assert!(inside[0] == 1.0 && (inside[1] - 1.0).abs() < 1e-4, "{inside:?}");
        let free = bounded_lbfgs(&mut evaluate, vec![-2.0, 5.0], &[far, far], OPTIONS, Watch::silent());
        assert!((free[0] - 3.0).abs() < 1e-3 && (free[1] - 3.0).abs() < 1e-3, "{free:?}");
        assert!(evaluations <= 120);
    }

    #[test]
    fn infinite_values_are_steps_too_far_and_the_count_is_kept() {
        let mut evaluations = 0;
        let mut evaluate = |p: &[f64], g: &mut [f64]| {
            evaluations += 1;
            g[0] = 1.0 - 1.0 / p[0];
            if p[0] > 0.0 { p[0] - p[0].ln() } else { f64::INFINITY }
        };
        let far = [[f64::NEG_INFINITY, f64::INFINITY]];
        let end = bounded_lbfgs(&mut evaluate, vec![20.0], &far, OPTIONS, Watch::silent());
        assert!((end[0] - 1.0).abs() < 1e-3, "{end:?}");
        assert!(evaluations <= 60);
    }
}
