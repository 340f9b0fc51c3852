//! Levenberg–Marquardt for ½‖ρ(θ)‖² + ½Σ τ_j θ_j².
//!
//! The step p minimises ½‖ρ + Jp‖² + ½Σ τ_j(θ_j + p_j)² + ½λ‖p‖². With D = Diag(τ + λ) it solves the p×p
//! system (JᵀJ + D) p = −(Jᵀρ + τ∘θ), or, substituting p = q − D⁻¹(τ∘θ), the n×n system
//! (J D⁻¹ Jᵀ + I) z = ρ − J D⁻¹(τ∘θ), q = −D⁻¹Jᵀz, which loses no digits as λ → 0. The smaller one is used.
//! λ follows Nielsen's rule (Madsen, Nielsen, Tingleff 2004, §3.2).

use super::{Monitor, StopReason};
use crate::linalg::{self, Matrix, add_scaled, dot, norm};
use crate::risk::{LeastSquares, Value};
use crate::watch::Watch;

/// Which linear system is solved. [`levenberg`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemForm {
    /// The smaller one.
    Smaller,
    /// One row per residual.
    Residuals,
    /// One row per parameter.
    Parameters,
}

/// Options of [`levenberg`]. [`levenberg`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levenberg {
    /// λ₀ as a share of the largest squared column norm of J.
    pub damping: f64,
    /// Which linear system is solved.
    pub form: SystemForm,
}

impl Default for Levenberg {
    fn default() -> Self {
        Levenberg { damping: 1e-3, form: SystemForm::Smaller }
    }
}

/// More damping than this leaves no step that changes θ.
const MOST_DAMPING: f64 = 1e100;
/// λ may fall to this share of the largest squared column norm: beyond it the systems are singular.
const LEAST_DAMPING: f64 = 1e-15;

/// A promised decrease below this share of the objective cannot be told from rounding.
const NOISE: f64 = 1e-14;

/// Minimise by Levenberg–Marquardt.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::network::Layers;
/// use shallows::optimise::{Levenberg, Monitor, Stop, SystemForm, levenberg};
/// use shallows::risk::{Decay, EmpiricalRisk};
/// use shallows::{Data, Network};
///
/// let data = Data::from_rows(&[[1.0]], &[4.0])?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None)?;
/// let options = Levenberg { form: SystemForm::Residuals, ..Levenberg::default() };
/// let mut monitor = Monitor::new(Stop { gradient: 1e-9, iterations: 50, ..Stop::default() });
/// let theta = levenberg(&risk, network.parameters(Layers::Hidden), &options, &mut monitor);
/// assert!((theta[0] - 2.0).abs() < 1e-8);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn levenberg(
    objective: &dyn LeastSquares,
    mut theta: Vec<f64>,
    options: &Levenberg,
    monitor: &mut Monitor<'_>,
) -> Vec<f64> {
    let ridge = objective.ridge();
    let mut damping = Damping { lambda: f64::NAN, growth: 2.0 };
    let mut value = objective.value(&theta);
    for iteration in 0.. {
        let (rho, J) = objective.linearised(&theta);
        let mut gradient = transpose_product(&J, &rho);
        gradient.iter_mut().zip(ridge.iter().zip(&theta)).for_each(|(g, (tau, t))| *g += tau * t);
        if monitor.observe(iteration, value, norm(&gradient), &theta) {
            return theta;
        }
        let system = DampedSystem::new(options.form, (rho, J), ridge, monitor.watch());
        if let Some(reason) = monitor.must_end() {
            monitor.end(reason);
            return theta;
        }
        if damping.lambda.is_nan() {
            damping.lambda = options.damping * system.largest_column;
        }
        damping.lambda = damping.lambda.max(LEAST_DAMPING * system.largest_column);
        match damping.accepted_step(objective, &system, (&theta, value, &gradient), monitor) {
            Ok(reached) => (theta, value) = reached,
            Err(reason) => {
                monitor.end(reason);
                return theta;
            }
        }
    }
    theta
}

/// λ, and by how much it grows after the next step that is rejected (Nielsen's rule).
struct Damping {
    lambda: f64,
    growth: f64,
}

impl Damping {
    /// Where a step with as much damping as it takes leads, and the value there; or why there is none.
    fn accepted_step(
        &mut self,
        objective: &dyn LeastSquares,
        system: &DampedSystem<'_>,
        (theta, value, gradient): (&[f64], Value, &[f64]),
        monitor: &Monitor<'_>,
    ) -> Result<(Vec<f64>, Value), StopReason> {
        loop {
            if let Some(step) = system.step(theta, gradient, self.lambda) {
                match try_step(objective, (theta, value), gradient, &step, self.lambda) {
                    DampedTrial::Accepted { next, reached, ratio } => {
                        self.lambda *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
                        self.growth = 2.0;
                        return Ok((next, reached));
                    }
                    DampedTrial::Noise => return Err(StopReason::Stalled),
                    DampedTrial::Rejected => {}
                }
            }
            self.lambda = (self.lambda * self.growth).max(f64::MIN_POSITIVE);
            self.growth *= 2.0;
            if self.lambda > MOST_DAMPING {
                return Err(StopReason::Stalled);
            }
            if let Some(reason) = monitor.must_end() {
                return Err(reason);
            }
        }
    }
}

enum DampedTrial {
    Accepted {
        next: Vec<f64>,
        reached: Value,
        /// Of the achieved to the promised decrease.
        ratio: f64,
    },
    Rejected,
    /// The promised decrease is below what rounding lets us see, and the gradient does not fall either.
    Noise,
}

fn try_step(
    objective: &dyn LeastSquares,
    (theta, value): (&[f64], Value),
    gradient: &[f64],
    step: &[f64],
    lambda: f64,
) -> DampedTrial {
    let mut next = theta.to_vec();
    add_scaled(&mut next, 1.0, step);
    if next == theta {
        return DampedTrial::Noise;
    }
    // From (JᵀJ + T + λ)p = −g the model falls by −gᵀp − ½pᵀ(JᵀJ + T)p = ½pᵀ(λp − g).
    let promised = 0.5 * (lambda * dot(step, step) - dot(step, gradient));
    let reached = objective.value(&next);
    let achieved = value.objective - reached.objective;
    let noise = NOISE * value.objective.abs();
    if promised <= noise && achieved.abs() <= 10.0 * noise {
        let mut there = vec![0.0; theta.len()];
        objective.gradient(&next, &mut there);
        let falls = norm(&there) < 0.5 * norm(gradient);
        return if falls { DampedTrial::Accepted { next, reached, ratio: 1.0 } } else { DampedTrial::Noise };
    }
    if achieved > 0.0 {
        DampedTrial::Accepted { next, reached, ratio: achieved / promised }
    } else {
        DampedTrial::Rejected
    }
}

/// The damped linear systems of one linearisation.
struct DampedSystem<'a> {
    rho: Vec<f64>,
    J: Matrix,
    ridge: &'a [f64],
    largest_column: f64,
    /// JᵀJ, or JJᵀ where that serves every λ (no ridge), or nothing.
    gram: Option<Matrix>,
    by_residuals: bool,
}

impl<'a> DampedSystem<'a> {
    /// Once somebody sets the flag, it is made soon, and means nothing.
    fn new(form: SystemForm, (rho, J): (Vec<f64>, Matrix), ridge: &'a [f64], watch: Watch<'_>) -> Self {
        let by_residuals = match form {
            SystemForm::Residuals => true,
            SystemForm::Parameters => false,
            SystemForm::Smaller => J.rows() < J.cols(),
        };
        let mut squares = vec![0.0; J.cols()];
        (0..J.rows()).for_each(|i| squares.iter_mut().zip(J.row(i)).for_each(|(s, j)| *s += j * j));
        let largest_column = squares.iter().fold(0.0_f64, |most, s| most.max(*s));
        let no_ridge = ridge.iter().all(|tau| *tau == 0.0);
        let gram = match (by_residuals, no_ridge) {
            (false, _) => Some(linalg::gram_unless(&J, watch)),
            (true, true) => Some(linalg::gram_unless(&J.transposed(), watch)),
            (true, false) => None,
        };
        DampedSystem { rho, J, ridge, largest_column, gram, by_residuals }
    }

    /// The step at this damping, or `None` where the system is numerically singular.
    fn step(&self, theta: &[f64], gradient: &[f64], lambda: f64) -> Option<Vec<f64>> {
        if self.by_residuals {
            self.step_by_residuals(theta, lambda)
        } else {
            self.step_by_parameters(gradient, lambda)
        }
    }

    fn step_by_parameters(&self, gradient: &[f64], lambda: f64) -> Option<Vec<f64>> {
        let mut A = self.gram.clone()?;
        (0..A.rows()).for_each(|j| A[(j, j)] += lambda + self.ridge[j]);
        let negative: Vec<f64> = gradient.iter().map(|g| -g).collect();
        linalg::solve_positive_definite(&A, &negative)
    }

    fn step_by_residuals(&self, theta: &[f64], lambda: f64) -> Option<Vec<f64>> {
        let n = self.J.rows();
        if let Some(gram) = &self.gram {
            // Without ridge, D = λI: (JJᵀ + λI) z = ρ, p = −Jᵀz.
            let mut A = gram.clone();
            (0..n).for_each(|i| A[(i, i)] += lambda);
            let z = linalg::solve_positive_definite(&A, &self.rho)?;
            return Some(transpose_product(&self.J, &z).iter().map(|p| -p).collect());
        }
        let inverse: Vec<f64> = self.ridge.iter().map(|tau| 1.0 / (tau + lambda)).collect();
        let shift: Vec<f64> = theta.iter().zip(self.ridge).zip(&inverse).map(|((t, tau), d)| tau * t * d).collect();
        let roots: Vec<f64> = inverse.iter().map(|d| d.sqrt()).collect();
        let scaled = Matrix::from_fn(self.J.cols(), n, |j, i| roots[j] * self.J[(i, j)]);
        let mut A = linalg::gram(&scaled);
        (0..n).for_each(|i| A[(i, i)] += 1.0);
        let moved = self.J.times_vector(&shift);
        let right: Vec<f64> = self.rho.iter().zip(&moved).map(|(rho, m)| rho - m).collect();
        let z = linalg::solve_positive_definite(&A, &right)?;
        let back = transpose_product(&self.J, &z);
        Some((0..theta.len()).map(|j| -inverse[j] * back[j] - shift[j]).collect())
    }
}

/// Jᵀx.
fn transpose_product(J: &Matrix, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; J.cols()];
    (0..J.rows()).for_each(|i| add_scaled(&mut out, x[i], J.row(i)));
    out
}
