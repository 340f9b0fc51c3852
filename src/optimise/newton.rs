//! Trust-region Newton with Steihaug's conjugate gradients, which leaves saddles.
//!
//! Each step minimises the quadratic model gᵀp + ½pᵀHp within a ball by conjugate gradients, stopping at the
//! boundary or when a direction of negative curvature turns up, which is then followed to the boundary.
//! Where the gradient is (numerically) zero, conjugate gradients see nothing. Where the theory of the objective knows a
//! direction of negative curvature, the step goes along it, as far as is best; elsewhere a Lanczos iteration from a
//! random direction looks for negative curvature, and only when it finds none is the point accepted.

use super::{Monitor, StopReason};
use crate::linalg::{Matrix, add_scaled, dot, norm, symmetric_eigen};
use crate::random::{Purpose, Stream};
use crate::risk::{Objective, Value};

/// Options of [`newton`]. [`newton`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// The radius of the first ball.
    pub radius: f64,
    /// Curvature above −this·‖H‖ counts as non-negative.
    pub curvature_tolerance: f64,
    /// The seed of the Lanczos probe.
    pub seed: u64,
}

impl Default for Newton {
    fn default() -> Self {
        Newton { radius: 1.0, curvature_tolerance: 1e-8, seed: 0 }
    }
}

/// A step is taken when it achieves this share of the decrease that the model promised.
const ACCEPT: f64 = 1e-4;
/// Below this share the ball shrinks; above [`GOOD`] it may grow. Customary constants (Conn–Gould–Toint).
const POOR: f64 = 0.25;
const GOOD: f64 = 0.75;
/// Balls do not grow beyond this.
const LARGEST_RADIUS: f64 = 1e6;
/// Lanczos steps spent on looking for negative curvature.
const PROBE_STEPS: usize = 60;
/// A predicted decrease below this share of the objective cannot be told from rounding.
const NOISE: f64 = 1e-14;

/// Minimise by trust-region Newton.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::optimise::{Monitor, Newton, Stop, newton};
/// use shallows::risk::{Decay, EmpiricalRisk};
/// use shallows::{Data, Network};
///
/// // At W = 0 the gradient vanishes: only the curvature shows the way out.
/// let data = Data::from_rows(&[[1.0]], &[4.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[0.0]]), vec![1.0])?;
/// let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None)?;
/// let mut monitor = Monitor::new(Stop { gradient: 1e-9, iterations: 100, ..Stop::default() });
/// let theta = newton(&risk, network.parameters(Layers::Hidden), &Newton::default(), &mut monitor);
/// assert!((theta[0].abs() - 2.0).abs() < 1e-8);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn newton(objective: &dyn Objective, mut theta: Vec<f64>, options: &Newton, monitor: &mut Monitor<'_>) -> Vec<f64> {
    let mut gradient = vec![0.0; theta.len()];
    let mut value = objective.gradient(&theta, &mut gradient);
    let mut radius = options.radius;
    let mut probes = 0;
    let mut iteration = 0;
    loop {
        let length = norm(&gradient);
        let flat = length <= monitor.stop().gradient || length == 0.0;
        let mut step = None;
        if flat {
            probes += 1;
            step = objective
                .known_escape(&theta, options.curvature_tolerance)
                .or_else(|| escape(objective, &theta, &gradient, options, probes, radius));
        }
        // While there is a way out of a saddle, its vanishing gradient is no reason to stop.
        let above = (2.0 * monitor.stop().gradient).max(f64::MIN_POSITIVE);
        let shown = if step.is_some() { length.max(above) } else { length };
        if monitor.observe(iteration, value, shown, &theta) {
            return theta;
        }
        if flat && step.is_none() {
            monitor.end(StopReason::Gradient);
            return theta;
        }
        let step = step.unwrap_or_else(|| steihaug(objective, &theta, &gradient, radius));
        let accepted = accepted_step(objective, (&theta, value, &gradient), (step, flat), &mut radius);
        let escaped = || Some((way_out(objective, &theta, value, &gradient, options)?, 1.0));
        let Some((step, ratio)) = accepted.or_else(escaped) else {
            monitor.end(StopReason::Stalled);
            return theta;
        };
        radius = next_radius(radius, norm(&step), ratio);
        add_scaled(&mut theta, 1.0, &step);
        value = objective.gradient(&theta, &mut gradient);
        iteration += 1;
    }
}

/// The radius after a step of this length that achieved this share of what was promised.
fn next_radius(radius: f64, length: f64, ratio: f64) -> f64 {
    if ratio < POOR {
        POOR * length
    } else if ratio > GOOD && length > 0.99 * radius {
        (2.0 * radius).min(LARGEST_RADIUS)
    } else {
        radius
    }
}

/// The first of ever shorter steps that lowers the objective, with the ratio of achieved to promised decrease; nothing
/// once rounding hides the decrease.
fn accepted_step(
    objective: &dyn Objective,
    (theta, value, gradient): (&[f64], Value, &[f64]),
    (mut step, flat): (Vec<f64>, bool),
    radius: &mut f64,
) -> Option<(Vec<f64>, f64)> {
    loop {
        match try_step(objective, theta, value, gradient, &step) {
            NewtonTrial::Accepted(ratio) => return Some((step, ratio)),
            NewtonTrial::Noise => return None,
            NewtonTrial::Rejected => {
                *radius = POOR * norm(&step);
                step = steihaug_or_shrunk(objective, theta, gradient, &step, flat, *radius);
            }
        }
    }
}

/// Where no step of the model helps: a gradient of rounding only, yet above the tolerance, may be that of a saddle.
fn way_out(
    objective: &dyn Objective,
    theta: &[f64],
    value: Value,
    gradient: &[f64],
    options: &Newton,
) -> Option<Vec<f64>> {
    let step = objective.known_escape(theta, options.curvature_tolerance)?;
    matches!(try_step(objective, theta, value, gradient, &step), NewtonTrial::Accepted(_)).then_some(step)
}

enum NewtonTrial {
    /// With the ratio of achieved to promised decrease.
    Accepted(f64),
    Rejected,
    /// The promised decrease is below what rounding lets us see.
    Noise,
}

fn try_step(objective: &dyn Objective, theta: &[f64], value: Value, gradient: &[f64], step: &[f64]) -> NewtonTrial {
    let mut product = vec![0.0; theta.len()];
    objective.hessian_product(theta, step, &mut product);
    let promised = -(dot(gradient, step) + 0.5 * dot(step, &product));
    let mut next = theta.to_vec();
    add_scaled(&mut next, 1.0, step);
    // A model beyond the range of doubles has no usable step, and no smaller ball makes one.
    if next == theta || !norm(step).is_finite() {
        return NewtonTrial::Noise;
    }
    let reached = objective.value(&next).objective;
    let noise = NOISE * value.objective.abs();
    if promised <= noise && (reached - value.objective).abs() <= 10.0 * noise {
        // Both sides are rounding: trust the model while it still lowers the gradient.
        let mut there = vec![0.0; theta.len()];
        objective.gradient(&next, &mut there);
        return if norm(&there) < 0.5 * norm(gradient) { NewtonTrial::Accepted(1.0) } else { NewtonTrial::Noise };
    }
    let ratio = (value.objective - reached) / promised;
    if ratio > ACCEPT { NewtonTrial::Accepted(ratio) } else { NewtonTrial::Rejected }
}

/// After a rejected step: the model's minimiser in the smaller ball, or the shortened escape.
fn steihaug_or_shrunk(
    objective: &dyn Objective,
    theta: &[f64],
    gradient: &[f64],
    step: &[f64],
    flat: bool,
    radius: f64,
) -> Vec<f64> {
    if flat {
        let scale = radius / norm(step);
        step.iter().map(|s| scale * s).collect()
    } else {
        steihaug(objective, theta, gradient, radius)
    }
}

/// Steihaug's approximate minimiser of gᵀp + ½pᵀHp in the ball.
fn steihaug(objective: &dyn Objective, theta: &[f64], gradient: &[f64], radius: f64) -> Vec<f64> {
    let length = norm(gradient);
    // The forcing term min(½, √‖g‖) gives superlinear convergence.
    let tolerance = length * length.sqrt().min(0.5);
    let mut p = vec![0.0; theta.len()];
    let mut r = gradient.to_vec();
    let mut direction: Vec<f64> = r.iter().map(|r| -r).collect();
    let mut product = vec![0.0; theta.len()];
    for _ in 0..2 * theta.len().max(10) {
        objective.hessian_product(theta, &direction, &mut product);
        let curvature = dot(&direction, &product);
        let squared = dot(&r, &r);
        let alpha = squared / curvature;
        let mut next = p.clone();
        add_scaled(&mut next, alpha, &direction);
        if curvature <= 0.0 || norm(&next) >= radius || !alpha.is_finite() {
            let t = to_boundary(&p, &direction, radius);
            add_scaled(&mut p, t, &direction);
            return p;
        }
        p = next;
        add_scaled(&mut r, alpha, &product);
        if norm(&r) <= tolerance {
            return p;
        }
        let beta = dot(&r, &r) / squared;
        direction.iter_mut().zip(&r).for_each(|(d, r)| *d = beta * *d - r);
    }
    p
}

/// The t ≥ 0 with ‖p + t·direction‖ = radius.
fn to_boundary(p: &[f64], direction: &[f64], radius: f64) -> f64 {
    let (a, b, c) = (dot(direction, direction), dot(p, direction), dot(p, p) - radius * radius);
    let root = (b * b - a * c).max(0.0).sqrt();
    if b > 0.0 { -c / (b + root) } else { (root - b) / a }
}

/// A step of length `radius` along negative curvature, downhill; `None` where no such direction is found.
fn escape(
    objective: &dyn Objective,
    theta: &[f64],
    gradient: &[f64],
    options: &Newton,
    probe: u64,
    radius: f64,
) -> Option<Vec<f64>> {
    let (curvature, mut direction) = lowest_curvature(objective, theta, options, probe)?;
    if curvature >= 0.0 {
        return None;
    }
    let sign = if dot(gradient, &direction) > 0.0 { -1.0 } else { 1.0 };
    direction.iter_mut().for_each(|d| *d *= sign * radius);
    Some(direction)
}

/// Lanczos with full reorthogonalisation: the lowest Ritz value (0 where it is within tolerance of 0) and its
/// unit vector.
fn lowest_curvature(objective: &dyn Objective, theta: &[f64], options: &Newton, probe: u64) -> Option<(f64, Vec<f64>)> {
    let dimension = theta.len();
    if dimension == 0 {
        return None;
    }
    let steps = PROBE_STEPS.min(dimension);
    let mut q = vec![0.0; dimension];
    Stream::new(options.seed, Purpose::Probe, probe).fill_normal(&mut q);
    let length = norm(&q);
    q.iter_mut().for_each(|q| *q /= length);
    let mut basis: Vec<Vec<f64>> = vec![];
    let (mut diagonal, mut beside) = (vec![], vec![]);
    let mut product = vec![0.0; dimension];
    while basis.len() < steps {
        objective.hessian_product(theta, &q, &mut product);
        diagonal.push(dot(&q, &product));
        basis.push(q.clone());
        // Twice is enough (Kahan–Parlett).
        for _ in 0..2 {
            basis.iter().for_each(|b| {
                let along = dot(b, &product);
                add_scaled(&mut product, -along, b);
            });
        }
        let beta = norm(&product);
        let scale = diagonal.iter().chain(&beside).fold(0.0_f64, |most, x: &f64| most.max(x.abs()));
        if beta.is_nan() || beta <= 1e-13 * scale {
            break;
        }
        beside.push(beta);
        q = product.iter().map(|p| p / beta).collect();
    }
    lowest_ritz(&basis, (&diagonal, &beside), options.curvature_tolerance)
}

/// The lowest eigenvalue of the tridiagonal matrix of a Lanczos basis (0 where it is within tolerance of 0), and its
/// vector.
fn lowest_ritz(basis: &[Vec<f64>], (diagonal, beside): (&[f64], &[f64]), tolerance: f64) -> Option<(f64, Vec<f64>)> {
    let m = basis.len();
    let T = Matrix::from_fn(m, m, |i, j| match i.abs_diff(j) {
        0 => diagonal[i],
        1 => beside[i.min(j)],
        _ => 0.0,
    });
    let (values, vectors) = symmetric_eigen(&T)?;
    let scale = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut direction = vec![0.0; basis.first()?.len()];
    (0..m).for_each(|i| add_scaled(&mut direction, vectors[(i, 0)], &basis[i]));
    let curvature = if values[0] < -tolerance * scale { values[0] } else { 0.0 };
    Some((curvature, direction))
}
