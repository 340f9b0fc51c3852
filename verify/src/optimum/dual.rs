//! Lower bounds on the objective of every competitor, from a dual point θ.
//!
//! For f = x·Mx + b·x + c with residual r, ½ωr² ≥ θr − θ²/(2ω) in every row, whatever θ is. In the coordinates
//! x̂ = H(x − m), H = Diag(2^h), and with A = Σθᵢx̂ᵢx̂ᵢᵀ, M = Σ_l v_l w_l w_lᵀ,
//!
//! ```text
//! P ≥ −θᵀy − ½Σθᵢ²/ωᵢ + ⟨A, H⁻¹MH⁻¹⟩ + (affine functions of x̂)ᵀθ + τΣ_l|v_l|‖S w_l‖²
//! ```
//!
//! *What is unpenalised and unlimited* must vanish exactly. It does for the projection θ' of [`super::basis`], at most ρ
//! away from θ and no longer than it, which costs ρ‖y − Zβ‖_ω for any β and moves A by at most ρ(Σωᵢ‖x̂ᵢ‖⁴)^½. With m ≠ 0
//! that must include 1 and every input, because x·Mx is x̂·H⁻¹MH⁻¹x̂ and an affine function.
//!
//! *What is penalised* must satisfy −Diag(T) ⪯ A ⪯ Diag(T), T_j = (τ+η)4^(e_j+h_j): then v_l(H⁻¹w_l)ᵀA(H⁻¹w_l) ≥
//! −(τ+η)|v_l|‖S w_l‖², with v ≥ 0 by the left half alone; the sum over the units is at least −τΣ|v_l|‖S w_l‖² − ηR_M. That is
//! proved by Cholesky. Where all products of inputs are projected away, A(θ') = 0 and nothing is to be proved.
//!
//! *What is limited*, ‖S b‖ ≤ R_b or |c| ≤ R_c, costs R_b‖S⁻¹Xᵀθ'‖ or R_c|1ᵀθ'|; there θ' is replaced by θ at the cost
//! of ρ(Σωᵢ‖S⁻¹xᵢ‖²)^½ or ρ, by Cauchy and Schwarz.
//!
//! θ is data: any vector of floats is an exact dual point, and rounding in the way it was found does not matter.

use serde::{Deserialize, Serialize};

use super::basis::{Basis, moments};
use super::function::QuadraticFunction;
use crate::arithmetic::{
    CompensatedSum, add_down, add_up, div_up, mul_down, mul_up, norm_up, power_of_two, proves_definite, sub_down,
};
use crate::matrix::values_of_rows;
use crate::monomial::Monomial;
use crate::rows::{Ball, ProofRows};

/// What is demanded of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// Nothing: all products of inputs are projected away.
    None,
    /// A ⪰ −Diag(T)
    Above,
    /// −Diag(T) ⪯ A ⪯ Diag(T)
    Between,
}

/// Limits on competitors; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// R_M, on Σ|v_l|‖S w_l‖².
    #[serde(deserialize_with = "Option::deserialize")]
    pub nuclear: Option<f64>,
    /// R_b, on ‖S b‖.
    #[serde(deserialize_with = "Option::deserialize")]
    pub linear: Option<f64>,
    /// R_c, on |c|.
    #[serde(deserialize_with = "Option::deserialize")]
    pub intercept: Option<f64>,
}

/// The dual problem in the coordinates of a proof.
pub struct Dual<'a> {
    rows: &'a ProofRows<'a>,
    basis: Option<Basis>,
    demand: Demand,
    exponents: &'a [i32],
    /// y − Zβ and its error.
    target: Vec<f64>,
    slack: Vec<f64>,
    /// ‖y − Zβ‖_ω from above.
    target_norm: f64,
    /// (Σωᵢ‖x̂ᵢ‖⁴)^½ from above, where A is looked at.
    quartic_norm: f64,
    /// T from below.
    bound: Vec<f64>,
}

impl<'a> Dual<'a> {
    /// With T for the level τ + η; `basis` spans what is projected away.
    pub fn new(
        rows: &'a ProofRows<'a>,
        basis: Option<Basis>,
        demand: Demand,
        level: f64,
        exponents: &'a [i32],
    ) -> Dual<'a> {
        let (target, slack) = match &basis {
            Some(basis) => basis.residual_target(rows),
            None => (rows.y.clone(), vec![0.0; rows.n()]),
        };
        let norm = |values: &[f64]| rows.weighted_norm(values.iter().copied());
        let target_norm = add_up(norm(&target), norm(&slack));
        let quartic_norm = if demand == Demand::None { 0.0 } else { rows.quartic_norm() };
        let bound = exponents.iter().zip(&rows.shifts).map(|(e, h)| scaled_down(level, e + h)).collect();
        Dual { rows, basis, demand, exponents, target, slack, target_norm, quartic_norm, bound }
    }

    /// y − Zβ for a β close to that of least squares, rounded.
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// ½‖y − Zβ‖_ω² from above: the objective of the function Zβ.
    pub fn half_square_of_target(&self) -> f64 {
        0.5 * mul_up(self.target_norm, self.target_norm).next_up()
    }

    /// The dual point of a residual: s₀ times the projection of θ⁰ = ωr, rounded.
    pub fn point(&self, residual: &[f64], scale: f64) -> Vec<f64> {
        let mut theta = self.rows.weighted(residual);
        if let Some(basis) = &self.basis {
            theta = basis.projected(self.rows, &theta);
        }
        theta.iter_mut().for_each(|t| *t *= scale);
        theta
    }

    /// The dual point of a function: that of its residual.
    pub fn point_of(&self, function: &QuadraticFunction, sign: f64, scale: f64) -> Vec<f64> {
        self.point(&function.residuals(self.rows, sign), scale)
    }

    /// ρ; 0 when nothing is projected away.
    pub fn distance(&self, theta: &[f64]) -> f64 {
        self.basis.as_ref().map_or(0.0, |basis| basis.distance(self.rows, theta))
    }

    /// Whether A of the ball, times `scale` and widened by ρ, satisfies the demand. A proof for scale 1, a guess otherwise.
    pub fn feasible(&self, ball: &Ball, scale: f64, rho: f64) -> bool {
        if self.demand == Demand::None {
            return true;
        }
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
    pub fn value(&self, theta: &[f64]) -> f64 {
        let mut linear = CompensatedSum::default();
        let (mut slack, mut square) = (0.0, 0.0);
        for (i, t) in theta.iter().enumerate() {
            linear.add_product(-t, self.target[i]);
            slack = add_up(slack, mul_up(t.abs(), self.slack[i]));
            square = add_up(square, div_up(mul_up(*t, *t), self.rows.w[i]));
        }
        let half_square = 0.5 * mul_up(square, self.rows.total.high).next_up();
        sub_down(sub_down(linear.down(), slack), half_square)
    }

    /// A proved lower bound on P of all competitors, less ηR_M, from this θ; `linear` and `intercept` are the limits R_b
    /// and R_c on functions that are allowed and not projected away.
    pub fn lower_bound(&self, theta: &[f64], linear: Option<f64>, intercept: Option<f64>) -> Option<f64> {
        let rho = self.distance(theta);
        if !(self.demand == Demand::None || self.feasible(&self.rows.outer_sum(theta), 1.0, rho)) {
            return None;
        }
        let mut value = sub_down(self.value(theta), mul_up(rho, self.target_norm));
        if let Some(limit) = intercept {
            let moment = moments(self.rows, &[Monomial::One], theta);
            value = sub_down(value, mul_up(limit, add_up(largest(&moment, &[0]), rho)));
        }
        if let Some(limit) = linear {
            let inputs: Vec<Monomial> = (0..self.rows.d()).map(Monomial::Input).collect();
            let moment = largest(&moments(self.rows, &inputs, theta), &self.back_to_scale());
            value = sub_down(value, mul_up(limit, add_up(moment, mul_up(rho, self.scaled_norm()))));
        }
        value.is_finite().then_some(value)
    }

    /// The powers of two that take x̂ to S⁻¹x, where m = 0.
    fn back_to_scale(&self) -> Vec<i32> {
        self.exponents.iter().zip(&self.rows.shifts).map(|(e, h)| -(e + h)).collect()
    }

    /// (Σωᵢ‖S⁻¹xᵢ‖²)^½ from above.
    fn scaled_norm(&self) -> f64 {
        let shifts = self.back_to_scale();
        let norm = |i: usize| norm_up(self.rows.row(i).iter().zip(&shifts).map(|(x, h)| scaled_up(x.abs(), *h)));
        self.rows.weighted_norm(values_of_rows(self.rows.n(), norm))
    }
}

/// The norm from above of numbers with errors, each times its power of two.
fn largest(moments: &[(f64, f64)], shifts: &[i32]) -> f64 {
    norm_up(moments.iter().zip(shifts).map(|((value, error), h)| scaled_up(add_up(value.abs(), *error), *h)))
}

/// x·2^h from above, for x ≥ 0 and |h| up to 2000.
fn scaled_up(x: f64, h: i32) -> f64 {
    mul_up(mul_up(x, power_of_two(h / 2)), power_of_two(h - h / 2))
}

/// level·4^e from below; NaN, which no test accepts, when 2^e is out of range.
fn scaled_down(level: f64, e: i32) -> f64 {
    const LARGEST: i32 = 500;
    if level == 0.0 {
        return 0.0;
    }
    if e.abs() > LARGEST {
        return f64::NAN;
    }
    mul_down(mul_down(level, power_of_two(e)), power_of_two(e)).max(0.0)
}
