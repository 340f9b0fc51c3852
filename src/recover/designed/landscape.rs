//! P', G and F, as functions of B.
//!
//! With S = BᵀB and N = T(·, ·, S), the sum over all pairs is Σ_{j,k} T(b_j,b_j,b_k,b_k) = ⟨N, S⟩, so that
//!
//! ```text
//! value     c₁(⟨N, S⟩ − Σq_j) − μc₂ Σq_j + λ Σ_j (b_jᵀM₁b_j − 1)(b_jᵀM₂b_j − 1) + ½δ‖B‖_F²,   q_j = T(b_j,b_j,b_j,b_j)
//! ∂ b_j     4c₁(N b_j − t_j) − 4μc₂ t_j + 2λ[(b_jᵀM₂b_j − 1)M₁b_j + (b_jᵀM₁b_j − 1)M₂b_j] + δ b_j,   t_j = T(·,b_j,b_j,b_j)
//! along V   4c₁(N v_j + Ṅ b_j − 3s_j) − 12μc₂ s_j + …,   s_j = T(·,v_j,b_j,b_j),  Ṅ = T(·,·,VᵀB + BᵀV)
//! ```
//!
//! instead of m² contractions. G has M₁ = M₂ = I and F has M₁ = M₂ = M. On samples the square of an estimate is not an
//! unbiased estimate of a square, but the product over two independent halves of the data is: M₁ and M₂ are then the
//! second moments of either half.

use super::{Target, check_positive};
use crate::error::{Error, Parameter, Result};
use crate::linalg::{Matrix, add_scaled, dot, gram};
use crate::risk::{Objective, Value};

/// P', G or F of a target: an objective on B, row after row.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::optimise::{Lbfgs, Monitor, Stop, lbfgs};
/// use shallows::recover::designed::{Designed, Target, largest_mu, read_orthonormal, smallest_lambda_orthonormal};
/// use shallows::recover::recovery_error;
///
/// // G has no bad minima: from any start, its minimum shows the units of the teacher.
/// let (a, B, sigma_4) = ([1.0, 1.0], Matrix::identity(2), 0.2);
/// let target = Target::of_teacher(&a, &B)?;
/// let (mu, lambda) = (largest_mu(&a), 2.0 * smallest_lambda_orthonormal(&a, sigma_4));
/// let objective = Designed::orthonormal(target.clone(), 2, sigma_4, mu, lambda)?;
/// let mut monitor = Monitor::new(Stop { gradient: 1e-10, iterations: 1000, ..Stop::default() });
/// let minimum = lbfgs(&objective, vec![0.9, 0.3, -0.2, 1.1], &Lbfgs::default(), &mut monitor);
/// let units = read_orthonormal(&target, &Matrix::from_vec(2, 2, minimum))?;
/// assert!(recovery_error(&units.B, &B).is_ok_and(|error| error < 1e-6));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Designed {
    target: Target,
    rows: usize,
    /// c₁
    cross: f64,
    /// μc₂
    own: f64,
    lambda: f64,
    lengths: [Matrix; 2],
    delta: f64,
}

impl Designed {
    /// P' for a B of this many rows: the pairs alone. Meant for unit rows ([`super::UnitRows`]); elsewhere B = 0 is its
    /// minimum.
    pub fn pairs(target: Target, rows: usize) -> Self {
        let lengths = [Matrix::zeros(0, 0), Matrix::zeros(0, 0)];
        Designed { target, rows, cross: 1.0, own: 0.0, lambda: 0.0, lengths, delta: 0.0 }
    }

    /// G: for orthonormal teachers. σ̂_4 ≠ 0, μ and λ positive.
    pub fn orthonormal(target: Target, rows: usize, sigma_4: f64, mu: f64, lambda: f64) -> Result<Self> {
        let identity = Matrix::identity(target.inputs());
        Self::with_lengths(target, rows, sigma_4, (mu, lambda), [identity.clone(), identity])
    }

    /// F: for teachers with independent rows; M is the target's.
    pub fn general(target: Target, rows: usize, sigma_4: f64, mu: f64, lambda: f64) -> Result<Self> {
        let M = target.second().clone();
        Self::with_lengths(target, rows, sigma_4, (mu, lambda), [M.clone(), M])
    }

    /// F without the bias of a squared estimate: M₁ and M₂ are the normalised second moments of two independent halves
    /// of the data.
    pub fn general_from_halves(
        target: Target,
        rows: usize,
        sigma_4: f64,
        (mu, lambda): (f64, f64),
        halves: [Matrix; 2],
    ) -> Result<Self> {
        for M in &halves {
            let expected = target.inputs();
            if (M.rows(), M.cols()) != (expected, expected) {
                return Err(Error::Shape { what: "columns of a half's M", expected, found: M.cols() });
            }
            if M.as_slice().iter().any(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what: "the moments" });
            }
        }
        Self::with_lengths(target, rows, sigma_4, (mu, lambda), halves)
    }

    fn with_lengths(
        target: Target,
        rows: usize,
        sigma_4: f64,
        (mu, lambda): (f64, f64),
        lengths: [Matrix; 2],
    ) -> Result<Self> {
        check_positive(Parameter::FourthCoefficient, sigma_4.abs())?;
        check_positive(Parameter::Mu, mu)?;
        check_positive(Parameter::Lambda, lambda)?;
        let (cross, c_2) = coefficients(sigma_4);
        Ok(Designed { target, rows, cross, own: mu * c_2, lambda, lengths, delta: 0.0 })
    }

    /// The same with the term ½δ‖B‖_F², which keeps rows out of the complement of the teacher's span when the teacher
    /// has fewer units than inputs.
    pub fn with_shrinkage(mut self, delta: f64) -> Result<Self> {
        check_positive(Parameter::Delta, delta)?;
        self.delta = delta;
        Ok(self)
    }

    fn matrix(&self, theta: &[f64]) -> Matrix {
        Matrix::from_vec(self.rows, self.target.inputs(), theta.to_vec())
    }

    /// b_jᵀM₁b_j − 1 and b_jᵀM₂b_j − 1, with M₁B and M₂B.
    fn excess(&self, B: &Matrix) -> Option<[(Vec<f64>, Matrix); 2]> {
        let excess = |M: &Matrix| {
            let MB = B.times(M);
            ((0..self.rows).map(|j| dot(B.row(j), MB.row(j)) - 1.0).collect(), MB)
        };
        (self.lambda != 0.0).then(|| [excess(&self.lengths[0]), excess(&self.lengths[1])])
    }
}

/// c₁ = √6|σ̂_4| and c₂ = |σ̂_4|/(2√6).
pub(super) fn coefficients(sigma_4: f64) -> (f64, f64) {
    (6.0_f64.sqrt() * sigma_4.abs(), sigma_4.abs() / (2.0 * 6.0_f64.sqrt()))
}

impl Objective for Designed {
    fn dimension(&self) -> usize {
        self.rows * self.target.inputs()
    }

    fn value(&self, theta: &[f64]) -> Value {
        self.gradient(theta, &mut vec![0.0; theta.len()])
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let B = self.matrix(theta);
        let S = gram(&B);
        let N = self.target.times_matrix(&S);
        let (NB, cubes) = (B.times(&N), self.target.cubes(&B));
        let quartics = dot(B.as_slice(), cubes.as_slice());
        let mut value = self.cross * (dot(N.as_slice(), S.as_slice()) - quartics) - self.own * quartics;
        value += 0.5 * self.delta * dot(theta, theta);
        for (at, out) in gradient.iter_mut().enumerate() {
            let (n, t) = (NB.as_slice()[at], cubes.as_slice()[at]);
            *out = 4.0 * self.cross * (n - t) - 4.0 * self.own * t + self.delta * theta[at];
        }
        if let Some([(p, PB), (q, QB)]) = self.excess(&B) {
            value += self.lambda * dot(&p, &q);
            let d = self.target.inputs();
            for (j, out) in gradient.chunks_exact_mut(d.max(1)).enumerate() {
                add_scaled(out, 2.0 * self.lambda * q[j], PB.row(j));
                add_scaled(out, 2.0 * self.lambda * p[j], QB.row(j));
            }
        }
        Value { objective: value, relative_error: f64::NAN }
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let (B, V) = (self.matrix(theta), self.matrix(direction));
        let half = V.transposed().times(&B);
        let d = self.target.inputs();
        let S_dot = Matrix::from_fn(d, d, |a, b| half[(a, b)] + half[(b, a)]);
        let (N, N_dot) = (self.target.times_matrix(&gram(&B)), self.target.times_matrix(&S_dot));
        let (NV, NB, squares) = (V.times(&N), B.times(&N_dot), self.target.cubes_along(&B, &V));
        for (at, out) in product.iter_mut().enumerate() {
            let s = squares.as_slice()[at];
            let pairs = NV.as_slice()[at] + NB.as_slice()[at] - 3.0 * s;
            *out = 4.0 * self.cross * pairs - 12.0 * self.own * s + self.delta * direction[at];
        }
        if let Some([(p, PB), (q, QB)]) = self.excess(&B) {
            let [PV, QV] = [V.times(&self.lengths[0]), V.times(&self.lengths[1])];
            for (j, out) in product.chunks_exact_mut(d.max(1)).enumerate() {
                add_scaled(out, 2.0 * self.lambda * q[j], PV.row(j));
                add_scaled(out, 2.0 * self.lambda * p[j], QV.row(j));
                add_scaled(out, 4.0 * self.lambda * dot(B.row(j), QV.row(j)), PB.row(j));
                add_scaled(out, 4.0 * self.lambda * dot(B.row(j), PV.row(j)), QB.row(j));
            }
        }
    }
}
