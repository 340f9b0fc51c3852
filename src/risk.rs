//! Risks: what training minimises.
//!
//! [`Objective`] is what every optimiser needs (value, gradient, Hessian–vector product), [`LeastSquares`]
//! what Levenberg–Marquardt needs besides. [`EmpiricalRisk`] is the loss of a network on data, [`population`] that under
//! Gaussian inputs. [`escape()`] is the way down from a saddle of a quadratic network.

mod empirical;
mod escape;
pub mod population;
mod quadratic;

pub use empirical::{Decay, EmpiricalRisk};
pub use escape::{Escape, Outlook, Quartic, escape};
pub use population::PopulationRisk;
pub(crate) use quadratic::{ResidualMoments, residual_moments};

use crate::linalg::Matrix;

/// The value of an objective at a point. [`EmpiricalRisk`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// What is minimised: the loss and, where there is one, the penalty.
    pub objective: f64,
    /// ‖f − y‖/‖y‖, in the norm of the sample weights.
    pub relative_error: f64,
}

/// A twice differentiable function of a parameter vector θ.
/// [`EmpiricalRisk`] shows its use.
pub trait Objective: Sync {
    /// The length of θ.
    fn dimension(&self) -> usize;
    /// The value at θ.
    fn value(&self, theta: &[f64]) -> Value;
    /// The value at θ; its gradient is written to `gradient`.
    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value;
    /// The Hessian at θ times `direction`, written to `product`.
    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]);
    /// Where the theory of the objective knows one: the best step along a direction of negative curvature, below
    /// −`curvature_tolerance` times the size of the Hessian.
    fn known_escape(&self, _theta: &[f64], _curvature_tolerance: f64) -> Option<Vec<f64>> {
        None
    }
}

/// An objective of the form ½‖ρ(θ)‖² + ½ Σ_j τ_j θ_j². [`levenberg`](fn@crate::optimise::levenberg) shows its use.
pub trait LeastSquares: Objective {
    /// ρ(θ) and its Jacobian.
    fn linearised(&self, theta: &[f64]) -> (Vec<f64>, Matrix);
    /// The τ_j.
    fn ridge(&self) -> &[f64];
}
