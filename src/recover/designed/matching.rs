//! f': a student with the activation σ̂_2h_2 + σ̂_4h_4, as the decomposition of a matrix and a tensor at once.
//!
//! On unit rows ½E(ŷ − y)² is, up to what does not depend on the student,
//!
//! ```text
//! ½w₂‖M − Σ_j a_j b_j b_jᵀ‖² + ½w₄‖T − Σ_j a_j b_j⊗b_j⊗b_j⊗b_j‖²,       w₂ = σ̂_2², w₄ = σ̂_4²
//! ```
//!
//! and this is what [`Matching`] is on all rows; [`super::UnitRows`] keeps them of length 1. With R = BBᵀ and
//! g(ρ) = w₂ρ² + w₄ρ⁴ it is ½(w₂‖M‖² + w₄‖T‖²) − Σ_j a_j(w₂b_jᵀMb_j + w₄T(b_j,b_j,b_j,b_j)) + ½Σ_{jk} a_j a_k g(R_jk).

use super::Target;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, add_scaled, dot};
use crate::risk::{Objective, Value};

/// f' of a target: an objective on B row after row, or on (a, B) with the output weights first.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::designed::{Matching, Target};
/// use shallows::risk::Objective;
///
/// let target = Target::of_teacher(&[1.0, 1.0], &Matrix::identity(2))?;
/// let objective = Matching::with_outputs(target, vec![1.0, 1.0], 0.3, 0.2)?;
/// // At the teacher nothing is left.
/// assert!(objective.value(&[1.0, 0.0, 0.0, 1.0]).objective.abs() < 1e-15);
/// assert!(objective.value(&[1.0, 0.0, 0.6, 0.8]).objective > 0.0);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matching {
    target: Target,
    rows: usize,
    /// The output weights, when they are not variables.
    fixed: Option<Vec<f64>>,
    w_2: f64,
    w_4: f64,
    /// w₂‖M‖² + w₄‖T‖²
    size: f64,
}

/// What the derivatives share: R, the slopes, and the terms with the target.
struct MatchingPoint {
    a: Vec<f64>,
    B: Matrix,
    R: Matrix,
    /// Rows 2w₂Mb_j + 4w₄T(·,b_j,b_j,b_j).
    pull: Matrix,
    /// w₂b_jᵀMb_j + w₄T(b_j,b_j,b_j,b_j)
    gain: Vec<f64>,
}

impl Matching {
    /// Of students with these output weights, of any sign, as a function of B.
    pub fn with_outputs(target: Target, a: Vec<f64>, sigma_2: f64, sigma_4: f64) -> Result<Self> {
        if a.iter().any(|a| !a.is_finite()) {
            return Err(Error::NotFinite { what: "the output weights" });
        }
        Self::new(target, a.len(), Some(a), sigma_2, sigma_4)
    }

    /// Of students with this many units, as a function of (a, B).
    pub fn with_free_outputs(target: Target, rows: usize, sigma_2: f64, sigma_4: f64) -> Result<Self> {
        Self::new(target, rows, None, sigma_2, sigma_4)
    }

    fn new(target: Target, rows: usize, fixed: Option<Vec<f64>>, sigma_2: f64, sigma_4: f64) -> Result<Self> {
        if !(sigma_2.is_finite() && sigma_4.is_finite()) {
            return Err(Error::NotFinite { what: "the Hermite coefficients" });
        }
        let (w_2, w_4) = (sigma_2 * sigma_2, sigma_4 * sigma_4);
        let M = target.second().as_slice();
        let size = w_2 * dot(M, M) + w_4 * target.fourth_norm_squared();
        Ok(Matching { target, rows, fixed, w_2, w_4, size })
    }

    /// How many output weights are variables: they come first in θ.
    pub fn leading(&self) -> usize {
        if self.fixed.is_some() { 0 } else { self.rows }
    }

    /// a and B of a θ.
    pub fn parts(&self, theta: &[f64]) -> (Vec<f64>, Matrix) {
        let (a, B) = theta.split_at(self.leading());
        let a = self.fixed.clone().unwrap_or_else(|| a.to_vec());
        (a, Matrix::from_vec(self.rows, self.target.inputs(), B.to_vec()))
    }

    fn point(&self, theta: &[f64]) -> MatchingPoint {
        let (a, B) = self.parts(theta);
        let (MB, cubes) = (B.times(self.target.second()), self.target.cubes(&B));
        let gain = (0..self.rows)
            .map(|j| self.w_2 * dot(B.row(j), MB.row(j)) + self.w_4 * dot(B.row(j), cubes.row(j)))
            .collect();
        let mut pull = MB;
        for (pull, t) in pull.as_mut_slice().iter_mut().zip(cubes.as_slice()) {
            *pull = 2.0 * self.w_2 * *pull + 4.0 * self.w_4 * t;
        }
        MatchingPoint { R: B.times(&B.transposed()), a, B, pull, gain }
    }

    /// g, g' and g'' at ρ.
    fn powers(&self, rho: f64) -> [f64; 3] {
        let square = rho * rho;
        [
            square * (self.w_2 + self.w_4 * square),
            rho * (2.0 * self.w_2 + 4.0 * self.w_4 * square),
            2.0 * self.w_2 + 12.0 * self.w_4 * square,
        ]
    }

    /// Row j of Σ_k a_k g'(R_jk) b_k − pull_j: the derivative in b_j is a_j times this.
    fn slope(&self, at: &MatchingPoint, j: usize) -> Vec<f64> {
        let mut slope: Vec<f64> = at.pull.row(j).iter().map(|x| -x).collect();
        for k in 0..self.rows {
            add_scaled(&mut slope, at.a[k] * self.powers(at.R[(j, k)])[1], at.B.row(k));
        }
        slope
    }

    fn value_at(&self, at: &MatchingPoint) -> Value {
        let row = |j: usize| {
            let own: f64 = (0..self.rows).map(|k| at.a[k] * self.powers(at.R[(j, k)])[0]).sum();
            at.a[j] * (0.5 * own - at.gain[j])
        };
        let objective = 0.5 * self.size + (0..self.rows).map(row).sum::<f64>();
        Value { objective, relative_error: (2.0 * objective.max(0.0) / self.size).sqrt() }
    }
}

impl Objective for Matching {
    fn dimension(&self) -> usize {
        self.leading() + self.rows * self.target.inputs()
    }

    fn value(&self, theta: &[f64]) -> Value {
        self.value_at(&self.point(theta))
    }

    fn gradient(&self, theta: &[f64], gradient: &mut [f64]) -> Value {
        let at = self.point(theta);
        let (outputs, rows) = gradient.split_at_mut(self.leading());
        for (j, out) in outputs.iter_mut().enumerate() {
            *out = (0..self.rows).map(|k| at.a[k] * self.powers(at.R[(j, k)])[0]).sum::<f64>() - at.gain[j];
        }
        for (j, out) in rows.chunks_exact_mut(self.target.inputs().max(1)).enumerate() {
            out.fill(0.0);
            add_scaled(out, at.a[j], &self.slope(&at, j));
        }
        self.value_at(&at)
    }

    fn hessian_product(&self, theta: &[f64], direction: &[f64], product: &mut [f64]) {
        let at = self.point(theta);
        let (a_dot, V) = direction.split_at(self.leading());
        let a_dot = if self.fixed.is_some() { vec![0.0; self.rows] } else { a_dot.to_vec() };
        let V = Matrix::from_vec(self.rows, self.target.inputs(), V.to_vec());
        let half = V.times(&at.B.transposed());
        let R_dot = |j: usize, k: usize| half[(j, k)] + half[(k, j)];
        let (MV, squares) = (V.times(self.target.second()), self.target.cubes_along(&at.B, &V));
        let (outputs, rows) = product.split_at_mut(self.leading());
        for (j, out) in outputs.iter_mut().enumerate() {
            let term = |k: usize| {
                let [g, slope, _] = self.powers(at.R[(j, k)]);
                a_dot[k] * g + at.a[k] * slope * R_dot(j, k)
            };
            *out = (0..self.rows).map(term).sum::<f64>() - dot(at.pull.row(j), V.row(j));
        }
        for (j, out) in rows.chunks_exact_mut(self.target.inputs().max(1)).enumerate() {
            out.fill(0.0);
            add_scaled(out, a_dot[j], &self.slope(&at, j));
            add_scaled(out, -2.0 * self.w_2 * at.a[j], MV.row(j));
            add_scaled(out, -12.0 * self.w_4 * at.a[j], squares.row(j));
            for k in 0..self.rows {
                let [_, slope, curvature] = self.powers(at.R[(j, k)]);
                add_scaled(out, at.a[j] * (a_dot[k] * slope + at.a[k] * curvature * R_dot(j, k)), at.B.row(k));
                add_scaled(out, at.a[j] * at.a[k] * slope, V.row(k));
            }
        }
    }
}
