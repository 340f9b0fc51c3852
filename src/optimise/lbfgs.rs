//! Limited-memory BFGS (two-loop recursion) with a line search for the strong Wolfe conditions.
//!
//! Near a minimum the decrease drowns in rounding long before the gradient does. There the decrease is
//! judged by the slope instead (the approximate Wolfe condition of Hager and Zhang), so that small gradients
//! can be reached.

use std::collections::VecDeque;

use super::{Monitor, StopReason};
use crate::linalg::{add_scaled, dot, norm};
use crate::risk::{Objective, Value};

/// Options of [`lbfgs`]. [`lbfgs`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    /// How many past steps shape the metric.
    pub history: usize,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs { history: 20 }
    }
}

/// Sufficient decrease: f(t) ≤ f(0) + 1e-4·t·f'(0). The customary constant (Nocedal–Wright §3.1).
const DECREASE: f64 = 1e-4;
/// Curvature: |f'(t)| ≤ 0.9·|f'(0)|. The customary constant for quasi-Newton directions.
const CURVATURE: f64 = 0.9;
/// Below this relative change of the objective its value is rounding noise, and the slope decides.
const NOISE: f64 = 1e-13;
/// A line search that has not succeeded after this many evaluations will not.
const MOST_EVALUATIONS: usize = 50;

/// A point with its value and gradient.
struct EvaluatedPoint {
    theta: Vec<f64>,
    value: Value,
    gradient: Vec<f64>,
}

impl EvaluatedPoint {
    fn at(objective: &dyn Objective, theta: Vec<f64>) -> Self {
        let mut gradient = vec![0.0; theta.len()];
        let value = objective.gradient(&theta, &mut gradient);
        EvaluatedPoint { theta, value, gradient }
    }
}

/// Minimise by L-BFGS.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::optimise::{Lbfgs, Monitor, Stop, lbfgs};
/// use shallows::risk::{Decay, EmpiricalRisk};
/// use shallows::{Data, Network};
///
/// let data = Data::from_rows(&[[1.0]], &[4.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None)?;
/// let mut monitor = Monitor::new(Stop { gradient: 1e-9, iterations: 100, ..Stop::default() });
/// let theta = lbfgs(&risk, network.parameters(Layers::Hidden), &Lbfgs::default(), &mut monitor);
/// assert!((theta[0].abs() - 2.0).abs() < 1e-8);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn lbfgs(objective: &dyn Objective, theta: Vec<f64>, options: &Lbfgs, monitor: &mut Monitor<'_>) -> Vec<f64> {
    let mut metric = Metric::new(options.history);
    let mut point = EvaluatedPoint::at(objective, theta);
    for iteration in 0.. {
        if monitor.observe(iteration, point.value, norm(&point.gradient), &point.theta) {
            break;
        }
        let direction = metric.descent_direction(&point.gradient);
        let first_step = if metric.is_empty() { (1.0 / norm(&point.gradient)).min(1.0) } else { 1.0 };
        match line_search(objective, &point, &direction, first_step) {
            Some(next) => {
                metric.learn([&point.theta, &next.theta], [&point.gradient, &next.gradient]);
                point = next;
            }
            // A bad metric gets one more chance as plain descent; plain descent that fails is at the end.
            None if !metric.is_empty() => metric.forget(),
            None => {
                monitor.end(StopReason::Stalled);
                break;
            }
        }
    }
    point.theta
}

/// The inverse Hessian as seen through the last steps s and gradient changes g.
pub(super) struct Metric {
    pairs: VecDeque<CurvaturePair>,
    history: usize,
}

struct CurvaturePair {
    s: Vec<f64>,
    g: Vec<f64>,
    /// 1/(sᵀg).
    rho: f64,
}

impl Metric {
    pub(super) fn new(history: usize) -> Self {
        Metric { pairs: VecDeque::new(), history: history.max(1) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn forget(&mut self) {
        self.pairs.clear();
    }

    /// From the points and gradients before and after a step.
    pub(super) fn learn(&mut self, [from, to]: [&[f64]; 2], [gradient, gradient_after]: [&[f64]; 2]) {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (s, g) = (difference(to, from), difference(gradient_after, gradient));
        let curvature = dot(&s, &g);
        // The Wolfe conditions make the curvature positive, up to rounding.
        if curvature > f64::EPSILON * norm(&s) * norm(&g) {
            if self.pairs.len() == self.history {
                self.pairs.pop_front();
            }
            self.pairs.push_back(CurvaturePair { s, g, rho: 1.0 / curvature });
        }
    }

    /// −H·gradient.
    pub(super) fn descent_direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let alpha = pair.rho * dot(&pair.s, &q);
            add_scaled(&mut q, -alpha, &pair.g);
            alphas.push(alpha);
        }
        if let Some(last) = self.pairs.back() {
            let scale = 1.0 / (last.rho * dot(&last.g, &last.g));
            q.iter_mut().for_each(|q| *q *= scale);
        }
        for (pair, alpha) in self.pairs.iter().zip(alphas.iter().rev()) {
            let beta = pair.rho * dot(&pair.g, &q);
            add_scaled(&mut q, alpha - beta, &pair.s);
        }
        q
    }
}

/// One end of the interval in which a good step is known to lie.
#[derive(Clone, Copy)]
struct BracketEnd {
    t: f64,
    f: f64,
    slope: f64,
}

/// A point along `direction` that satisfies the (approximate) strong Wolfe conditions.
fn line_search(
    objective: &dyn Objective,
    from: &EvaluatedPoint,
    direction: &[f64],
    first_step: f64,
) -> Option<EvaluatedPoint> {
    let start = BracketEnd { t: 0.0, f: from.value.objective, slope: dot(&from.gradient, direction) };
    if start.slope >= 0.0 || !start.slope.is_finite() {
        return None;
    }
    let noise = NOISE * start.f.abs();
    let (mut low, mut high): (BracketEnd, Option<BracketEnd>) = (start, None);
    let mut t = first_step;
    for _ in 0..MOST_EVALUATIONS {
        let mut theta = from.theta.clone();
        add_scaled(&mut theta, t, direction);
        if theta == from.theta {
            return None;
        }
        let point = EvaluatedPoint::at(objective, theta);
        let end = BracketEnd { t, f: point.value.objective, slope: dot(&point.gradient, direction) };
        let decreases = end.f <= start.f + DECREASE * t * start.slope
            || (end.f <= start.f + noise && end.slope <= (2.0 * DECREASE - 1.0) * start.slope);
        if !decreases || !end.slope.is_finite() {
            high = Some(end);
        } else if end.slope.abs() <= -CURVATURE * start.slope {
            return Some(point);
        } else if end.slope < 0.0 {
            low = end;
        } else {
            high = Some(end);
        }
        t = match high {
            None => 4.0 * t,
            Some(high) => between(low, high),
        };
    }
    None
}

/// The minimiser of the cubic through both ends, kept away from them; the middle where that fails.
fn between(low: BracketEnd, high: BracketEnd) -> f64 {
    let width = high.t - low.t;
    let middle = low.t + 0.5 * width;
    let d1 = low.slope + high.slope - 3.0 * (high.f - low.f) / width;
    let discriminant = d1 * d1 - low.slope * high.slope;
    if !discriminant.is_finite() || discriminant < 0.0 {
        return middle;
    }
    let d2 = discriminant.sqrt();
    let t = high.t - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2.0 * d2);
    if t.is_finite() { t.clamp(low.t + 0.1 * width, high.t - 0.1 * width) } else { middle }
}
