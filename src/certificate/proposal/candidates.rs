//! Dual points worth trying. Nothing here is trusted: [`crate::certificate::optimum::dual`] proves what a point is good for.
//!
//! A residual r gives θ = ωr, moved next to {Zᵀθ = 0}. A penalty lets it be scaled into the feasible set; without one,
//! and with v ≥ 0, it is shifted along a direction in which A* grows: ω, or ω∘q with qᵢ = xᵢᵀC⁻¹xᵢ, both projected like θ
//! itself, so that with an intercept the first becomes zero and is of no use.

use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{plain_dot, proves_definite};
use crate::certificate::optimum::basis::{Basis, guessed_cholesky};
use crate::certificate::optimum::dual::{Demand, Dual, Radii};
use crate::linalg::Matrix;

/// The best proved lower bound from these residuals, over all competitors.
pub(in crate::certificate) fn best(dual: &Dual<'_>, residuals: &[Vec<f64>]) -> Option<f64> {
    let points = residuals.iter().map(|r| start(dual, dual.basis.as_ref(), r));
    let bounds = points.flat_map(|theta| {
        let penalised = dual.bound.iter().any(|bound| *bound > 0.0);
        match dual.demand {
            Demand::Above if !penalised => shifted(dual, &theta),
            Demand::Between if !penalised => None,
            _ => scaled(dual, &theta),
        }
    });
    bounds.reduce(f64::max)
}

/// The best proved lower bound from these residuals, over a bounded class.
pub(in crate::certificate) fn best_bounded(
    dual: &Dual<'_>,
    projector: Option<&Basis>,
    rows: &ProofRows<'_>,
    residuals: &[Vec<f64>],
    decay: f64,
    radii: &Radii,
) -> Option<f64> {
    let bounds = residuals.iter().flat_map(|r| {
        let theta = start(dual, projector, r);
        let s = best_scale(dual, &theta)?;
        let theta: Vec<f64> = theta.iter().map(|t| s * t).collect();
        dual.bounded(rows, &theta, decay, radii)
    });
    bounds.reduce(f64::max)
}

fn start(dual: &Dual<'_>, projector: Option<&Basis>, residual: &[f64]) -> Vec<f64> {
    let theta = dual.rows.weighted(residual);
    projector.map_or_else(|| theta.clone(), |basis| basis.projected(dual.rows, &theta))
}

/// s = −θᵀy/Σ(θᵢ²/ωᵢ) maximises the dual value of sθ.
pub(in crate::certificate) fn best_scale(dual: &Dual<'_>, theta: &[f64]) -> Option<f64> {
    let rows = dual.rows;
    let square: f64 = theta.iter().zip(&rows.w).map(|(t, w)| t * t / w * rows.total.high).sum();
    let s = -plain_dot(theta, &dual.target) / square;
    (s.is_finite() && s != 0.0).then_some(s)
}

fn times(theta: &[f64], s: f64) -> Vec<f64> {
    theta.iter().map(|t| s * t).collect()
}

/// The largest scale up to the best one that is feasible.
fn scaled(dual: &Dual<'_>, theta: &[f64]) -> Option<f64> {
    let s = best_scale(dual, theta)?;
    if dual.demand == Demand::None {
        return dual.lower_bound(&times(theta, s));
    }
    let ball = dual.rows.outer_sum(theta);
    let rho = dual.distance(theta);
    let share = largest_share(&|share| dual.feasible(&ball, share * s, share * s.abs() * rho))?;
    let ladder = [0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-6];
    ladder.into_iter().find_map(|less: f64| dual.lower_bound(&times(theta, s * share * (1.0 - less))))
}

/// The largest t ≤ 1 that a monotone test accepts, to thirteen digits.
fn largest_share(accepts: &dyn Fn(f64) -> bool) -> Option<f64> {
    const HALVINGS: usize = 100;
    let mut low = 1.0;
    let mut tries = 0..HALVINGS;
    while !accepts(low) {
        low *= 0.5;
        tries.next()?;
    }
    let mut high = if low == 1.0 { return Some(1.0) } else { 2.0 * low };
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if accepts(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// The best bound from θ + δ·direction with the smallest δ that makes A* positive definite.
fn shifted(dual: &Dual<'_>, theta: &[f64]) -> Option<f64> {
    let rows = dual.rows;
    let ones = vec![1.0; rows.n()];
    let bounds = [ones, leverages(rows)].into_iter().flat_map(|a| {
        let direction = start(dual, dual.basis.as_ref(), &a);
        let delta = shift(rows, theta, &direction)?;
        let ladder = [1.0, 1.0 + 1e-10, 1.001, 1.1, 2.0, 10.0];
        ladder.into_iter().find_map(|more| {
            let moved: Vec<f64> = theta.iter().zip(&direction).map(|(t, a)| t + delta * more * a).collect();
            let s = best_scale(dual, &moved)?.max(0.0);
            dual.lower_bound(&times(&moved, s))
        })
    });
    bounds.reduce(f64::max)
}

/// The smallest δ ≥ 0, about, with A*(θ + δ·direction) ≻ 0.
pub(in crate::certificate) fn shift(rows: &ProofRows<'_>, theta: &[f64], direction: &[f64]) -> Option<f64> {
    let (ball, toward) = (rows.outer_sum(theta), rows.outer_sum(direction));
    let definite = |delta: f64| {
        let sum = |i, j| ball.center[(i, j)] + delta * toward.center[(i, j)];
        proves_definite(&Matrix::from_fn(rows.d(), rows.d(), sum), ball.radius + delta * toward.radius)
    };
    smallest(&definite, theta, direction)
}

/// The smallest δ ≥ 0, about, that a monotone test accepts, up to a large multiple of |θ|/|direction|.
fn smallest(accepts: &dyn Fn(f64) -> bool, theta: &[f64], direction: &[f64]) -> Option<f64> {
    const STEPS: usize = 60;
    if accepts(0.0) {
        return Some(0.0);
    }
    let size = |a: &[f64]| plain_dot(a, a).sqrt();
    let mut high = 16.0 * size(theta) / size(direction);
    if !(high > 0.0 && high.is_finite()) {
        return None;
    }
    let mut tries = 0..10;
    while !accepts(high) {
        high *= 16.0;
        tries.next()?;
    }
    let mut low = 0.0;
    for _ in 0..STEPS {
        let middle = if low == 0.0 { high / 256.0 } else { (low * high).sqrt() };
        if middle < 1e-18 * size(theta) / size(direction) {
            break;
        }
        if accepts(middle) {
            high = middle
        } else {
            low = middle
        }
        if high <= 1.001 * low {
            break;
        }
    }
    Some(high)
}

/// qᵢ = xᵢᵀC⁻¹xᵢ with C = XᵀΩX.
fn leverages(rows: &ProofRows<'_>) -> Vec<f64> {
    let d = rows.d();
    let (L, _) = guessed_cholesky(&rows.gram_with(&rows.w), rows.total.high);
    let leverage = |i: usize| {
        let mut z = rows.X.row(i).to_vec();
        for a in 0..d {
            z[a] = (z[a] - plain_dot(&L.row(a)[..a], &z[..a])) / L[(a, a)];
        }
        plain_dot(&z, &z)
    };
    (0..rows.n()).map(leverage).collect()
}
