//! Lower bounds on the objective of every competitor, from a dual point θ.
//!
//! For f = x·Mx + b·x + c with residual r, ½ωr² ≥ θr − θ²/(2ω) in every row, whatever θ is; so
//!
//! ```text
//! P ≥ −θᵀy − ½Σθᵢ²/ωᵢ + ⟨A*(θ), M⟩ + bᵀXᵀθ + c·1ᵀθ + τ‖SMS‖_*
//! ```
//!
//! What is unpenalised must vanish exactly: it does for the projection θ' of [`super::basis`], at most ρ away from θ, which costs ρ‖y − Zβ‖_ω for any β and widens A*(θ) by ρ(Σωᵢ‖xᵢ‖⁴)^½.
//! What is penalised must satisfy −τS² ⪯ A*(θ') ⪯ τS² (with v ≥ 0 only the left half), which is proved by Cholesky in
//! balanced coordinates: a congruence by a diagonal of powers of two. θ is data: any vector of floats is an exact dual
//! point, and rounding in the way it was found does not matter.
//!
//! Over a bounded class of competitors, ‖SMS‖_* ≤ R_M, ‖Sb‖ ≤ R_b, |c| ≤ R_c, a violation η of the matrix constraint, in
//! the coordinates S⁻¹x, costs ηR_M, and Zᵀθ ≠ 0 costs R_b‖S⁻¹Xᵀθ‖ + R_c|1ᵀθ|.

use super::basis::Basis;
use crate::certificate::arithmetic::rows::{Ball, ProofRows};
use crate::certificate::arithmetic::{
    CompensatedSum, add_down, add_up, div_up, mul_down, mul_up, norm_up, power_of_two, proves_definite, sub_down,
};
use crate::linalg::Matrix;

/// What is demanded of A*(θ).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::certificate) enum Demand {
    /// Nothing: all products are among the columns of the basis, so that A*(θ') = 0.
    None,
    /// A*(θ) ⪰ −τS²
    Above,
    /// −τS² ⪯ A*(θ) ⪯ τS²
    Between,
}

/// The dual problem in balanced coordinates.
pub(in crate::certificate) struct Dual<'a> {
    pub rows: &'a ProofRows<'a>,
    pub demand: Demand,
    pub basis: Option<Basis>,
    /// y − Zβ and its error.
    pub target: Vec<f64>,
    slack: Vec<f64>,
    /// ‖y − Zβ‖_ω from above
    target_norm: f64,
    quartic_norm: f64,
    /// The diagonal of τS² in these coordinates, from below.
    pub bound: Vec<f64>,
}

/// Limits on the competitors of a bounded class; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::certificate) struct Radii {
    pub nuclear: Option<f64>,
    pub linear: Option<f64>,
    pub intercept: Option<f64>,
}

impl<'a> Dual<'a> {
    pub(crate) fn new(
        rows: &'a ProofRows<'a>,
        demand: Demand,
        basis: Option<Basis>,
        decay: f64,
        exponents: &[i32],
    ) -> Dual<'a> {
        let (target, slack) = match &basis {
            Some(basis) => basis.residual_target(rows),
            None => (rows.y.clone(), vec![0.0; rows.n()]),
        };
        let norm = |values: &[f64]| rows.weighted_norm(values.iter().copied());
        let target_norm = add_up(norm(&target), norm(&slack));
        let bound = exponents.iter().zip(&rows.shifts).map(|(e, h)| scaled_down(decay, e + h)).collect();
        Dual { rows, demand, basis, target, slack, target_norm, quartic_norm: rows.quartic_norm(), bound }
    }

    /// A proved lower bound from this θ, if it can be proved to be feasible.
    pub(crate) fn lower_bound(&self, theta: &[f64]) -> Option<f64> {
        let rho = self.distance(theta);
        let feasible = self.demand == Demand::None || self.feasible(&self.rows.outer_sum(theta), 1.0, rho);
        let value = sub_down(self.value(theta), mul_up(rho, self.target_norm));
        (feasible && value.is_finite()).then_some(value)
    }

    /// ½‖y − Zβ‖_ω² from above: the objective of Zβ.
    pub(crate) fn half_square_of_target(&self) -> f64 {
        0.5 * mul_up(self.target_norm, self.target_norm)
    }

    /// ρ; 0 when nothing is unpenalised.
    pub(crate) fn distance(&self, theta: &[f64]) -> f64 {
        self.basis.as_ref().map_or(0.0, |basis| basis.distance(self.rows, theta))
    }

    /// Whether the ball, times `scale` and widened by ρ, satisfies the demand. Exact for scale 1, a guess otherwise.
    pub(crate) fn feasible(&self, ball: &Ball, scale: f64, rho: f64) -> bool {
        let radius = add_up(mul_up(ball.radius, scale.abs()), mul_up(rho, self.quartic_norm));
        let half = |sign: f64| {
            let mut A = ball.center.clone();
            A.as_mut_slice().iter_mut().for_each(|a| *a *= sign * scale);
            for (j, bound) in self.bound.iter().enumerate() {
                A[(j, j)] = add_down(A[(j, j)], *bound);
            }
            proves_definite(&A, radius)
        };
        half(1.0) && (self.demand == Demand::Above || half(-1.0))
    }

    /// −θᵀ(y − Zβ) − ½Σθᵢ²/ωᵢ from below.
    pub(crate) fn value(&self, theta: &[f64]) -> f64 {
        let rows = self.rows;
        let mut linear = CompensatedSum::default();
        let (mut slack, mut square) = (0.0, 0.0);
        for (i, t) in theta.iter().enumerate() {
            linear.add_product(-t, self.target[i]);
            slack = add_up(slack, mul_up(t.abs(), self.slack[i]));
            square = add_up(square, div_up(mul_up(*t, *t), rows.w[i]));
        }
        let half_square = 0.5 * mul_up(square, rows.total.high);
        sub_down(sub_down(linear.down(), slack), half_square)
    }

    /// A proved lower bound over a bounded class; `rows` in the coordinates S⁻¹x.
    pub(crate) fn bounded(&self, rows: &ProofRows<'_>, theta: &[f64], decay: f64, radii: &Radii) -> Option<f64> {
        let mut value = self.value(theta);
        let mut rho = 0.0;
        if self.basis.is_some() {
            rho = self.distance(theta);
            value = sub_down(value, mul_up(rho, self.target_norm));
        }
        if let Some(limit) = radii.intercept {
            let mut sum = CompensatedSum::default();
            theta.iter().for_each(|t| sum.add(*t));
            value = sub_down(value, mul_up(limit, sum.abs_up()));
        }
        if let Some(limit) = radii.linear {
            let moment = |j: usize| {
                let mut sum = CompensatedSum::default();
                theta.iter().enumerate().for_each(|(i, t)| sum.add_product(*t, rows.X[(i, j)]));
                sum.abs_up()
            };
            value = sub_down(value, mul_up(limit, norm_up((0..rows.d()).map(moment))));
        }
        let excess = if self.demand == Demand::None { 0.0 } else { self.excess(rows, theta, decay, rho)? };
        let value = match radii.nuclear {
            Some(limit) => sub_down(value, mul_up(limit, excess)),
            None if excess == 0.0 => value,
            None => return None,
        };
        value.is_finite().then_some(value)
    }

    /// A proved η ≥ 0 with A*(θ') between −(τ+η) and τ+η, as far as demanded; coordinates S⁻¹x.
    fn excess(&self, rows: &ProofRows<'_>, theta: &[f64], decay: f64, rho: f64) -> Option<f64> {
        let ball = rows.outer_sum(theta);
        let radius = add_up(ball.radius, mul_up(rho, rows.quartic_norm()));
        let holds = |eta: f64| {
            let half = |sign: f64| {
                let level = add_down(decay, eta);
                let shifted = |i, j| {
                    let a = sign * ball.center[(i, j)];
                    if i == j { add_down(a, level) } else { a }
                };
                proves_definite(&Matrix::from_fn(rows.d(), rows.d(), shifted), radius)
            };
            half(1.0) && (self.demand == Demand::Above || half(-1.0))
        };
        if holds(0.0) {
            return Some(0.0);
        }
        let frobenius = norm_up(ball.center.as_slice().iter().copied());
        let mut high = 2.0 * add_up(frobenius, radius);
        if !(high.is_finite() && holds(high)) {
            return None;
        }
        let mut low = 0.0;
        for _ in 0..SEARCH_STEPS {
            let middle = if low == 0.0 { high / 16.0 } else { 0.5 * (low + high) };
            if holds(middle) {
                high = middle
            } else {
                low = middle
            }
            if high - low <= 0.05 * high {
                break;
            }
        }
        Some(high)
    }
}

/// Halvings in a search for a number that a test accepts.
const SEARCH_STEPS: usize = 60;

/// decay·4^e from below; NaN, which no test accepts, when 2^e is out of range.
fn scaled_down(decay: f64, e: i32) -> f64 {
    const LARGEST: i32 = 500;
    if decay == 0.0 {
        return 0.0;
    }
    if e.abs() > LARGEST {
        return f64::NAN;
    }
    mul_down(mul_down(decay, power_of_two(e)), power_of_two(e)).max(0.0)
}
