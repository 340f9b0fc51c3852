//! f of any activation, on unit rows: the Hermite sum of the plain population risk, as an objective.
//!
//! On unit rows ½E(ŷ − y)² = ½Σ_k σ̂_k²‖Σ_i a*_i b*_i^{⊗k} − Σ_j a_j b_j^{⊗k}‖². With g(ρ) = Σ_k σ̂_k²ρ^k, R = BBᵀ and C = BB*ᵀ it is
//! ½Σ a_j a_l g(R_jl) − Σ a_j a*_i g(C_ji) + ½Σ a*_i a*_h g(R*_ih); that is what [`SeriesRisk`] is on all rows, and
//! [`super::UnitRows`] keeps them of length 1. The sum is cut; [`crate::risk::population::hermite_population_risk`] is its value.
//! For relu, whose sum converges slowly, there is [`super::PlainRisk`].

use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot};
use crate::network::Network;
use crate::risk::population::hermite_population_risk;
use crate::risk::{Objective, Value};

/// f of students with the activation of a teacher and fixed output weights: an objective on B, row after row.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::designed::SeriesRisk;
/// use shallows::risk::Objective;
/// use shallows::{Activation, Network};
///
/// let teacher = Network::new(Activation::TANH, Matrix::identity(2), vec![1.0, 1.0])?;
/// let risk = SeriesRisk::of_teacher(&teacher, vec![1.0, 1.0], 20)?;
/// assert!(risk.value(&[1.0, 0.0, 0.0, 1.0]).objective.abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SeriesRisk {
    a_star: Vec<f64>,
    B_star: Matrix,
    a: Vec<f64>,
    /// σ̂_k²
    weights: Vec<f64>,
    /// Σ a*_i a*_h g(R*_ih) = E y²
    size: f64,
}

impl SeriesRisk {
    /// The terms of order below `count`, against a teacher with unit rows and without biases and affine part.
    pub fn of_teacher(teacher: &Network, a: Vec<f64>, count: usize) -> Result<Self> {
        // Refuses what has no Hermite sum.
        hermite_population_risk(teacher, teacher, count)?;
        if a.iter().any(|a| !a.is_finite()) {
            return Err(Error::NotFinite { what: "the output weights" });
        }
        let weights = teacher.activation.hermite(count).iter().map(|c| c * c).collect();
        let mut risk = SeriesRisk { a_star: teacher.v.clone(), B_star: teacher.W.clone(), a, weights, size: 0.0 };
        risk.size = risk.form(&risk.a_star, &risk.B_star.times(&risk.B_star.transposed()), &risk.a_star);
        Ok(risk)
    }

    /// g, g' and g'' at ρ, by Horner's rule.
    fn powers(&self, rho: f64) -> [f64; 3] {
        self.weights
            .iter()
            .rev()
            .fold([0.0; 3], |[g, slope, half], w| [g * rho + w, slope * rho + g, half * rho + 2.0 * slope])
    }

    fn form(&self, left: &[f64], P: &Matrix, right: &[f64]) -> f64 {
        let row = |j: usize| (0..right.len()).map(|i| right[i] * self.powers(P[(j, i)])[0]).sum::<f64>();
        (0..left.len()).map(|j| left[j] * row(j)).sum()
    }

    fn matrix(&self, theta: &[f64]) -> Matrix {
        Matrix::from_vec(self.a.len(), self.B_star.cols(), theta.to_vec())
    }
}

impl Objective for SeriesRisk {
    fn dimension(&self) -> usize {
        self.a.len() * self.B_star.cols()
    }

    fn value(&self, theta: &[f64]) -> Value {
        let B = self.matrix(theta);
        let (R, C) = (B.times(&B.transposed()), B.times(&self.B_star.transposed()));
        let own = self.form(&self.a, &R, &self.a);
        let objective = 0.5 * (own + self.size) - self.form(&self.a, &C, &self.a_star);
        Value { objective, relative_error: (2.0 * objective.max(0.0) / self.size).sqrt() }
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let B = self.matrix(theta);
        for (j, out) in gradient.chunks_exact_mut(B.cols().max(1)).enumerate() {
            out.fill(0.0);
            for (sign, a, units) in [(1.0, &self.a, &B), (-1.0, &self.a_star, &self.B_star)] {
                for (i, weight) in a.iter().enumerate() {
                    let [_, slope, _] = self.powers(dot(B.row(j), units.row(i)));
                    add_scaled(out, sign * self.a[j] * weight * slope, units.row(i));
                }
            }
        }
        self.value(theta)
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let (B, V) = (self.matrix(theta), self.matrix(direction));
        for (j, out) in product.chunks_exact_mut(B.cols().max(1)).enumerate() {
            out.fill(0.0);
            for (l, weight) in self.a.iter().enumerate() {
                let [_, slope, curvature] = self.powers(dot(B.row(j), B.row(l)));
                let moved = dot(V.row(j), B.row(l)) + dot(B.row(j), V.row(l));
                add_scaled(out, self.a[j] * weight * curvature * moved, B.row(l));
                add_scaled(out, self.a[j] * weight * slope, V.row(l));
            }
            for (i, weight) in self.a_star.iter().enumerate() {
                let [_, _, curvature] = self.powers(dot(B.row(j), self.B_star.row(i)));
                let moved = dot(V.row(j), self.B_star.row(i));
                add_scaled(out, -self.a[j] * weight * curvature * moved, self.B_star.row(i));
            }
        }
    }
}
