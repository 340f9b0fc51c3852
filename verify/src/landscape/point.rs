//! Proved numbers at one point W of the landscape of a quadratic network with fixed output weights.
//!
//! P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖², S = Σωᵢrᵢ xᵢxᵢᵀ, M = Σ v_j w_jw_jᵀ. An affine part of the network is fixed and
//! part of the residual. With r̂ᵢ, δᵢ as in `residuals` and θᵢ = fl(ωᵢr̂ᵢ), off by εᵢ at most, the matrix S is within
//! Σ(ωᵢδᵢ + εᵢ)‖xᵢ‖² of Σθᵢxᵢxᵢᵀ, which `rows` evaluates within a proved radius. Everything else is enclosed by
//! outward rounding.

use crate::arithmetic::{
    CompensatedSum, Enclosure, add_down, add_up, div_up, mul_up, norm_up, proves_above, proves_below,
};
use crate::error::{Result, check_not_negative};
use crate::matrix::{Matrix, fill_rows};
use crate::network::Network;
use crate::residuals::{half_mean_square, penalty, residuals};
use crate::rows::{Ball, ProofRows, Rows};

/// Objectives are not told apart from 0 below this.
const LEAST: f64 = 1e-290;

/// A network on rows, with enclosures of its residuals, its moment S and its objective.
pub struct LossPoint<'a> {
    /// The network.
    pub network: &'a Network,
    /// The rows that count.
    pub rows: ProofRows<'a>,
    /// τ
    pub decay: f64,
    /// r
    pub residuals: Vec<Enclosure>,
    /// S
    pub moment: Ball,
    /// P(W)
    pub objective: Enclosure,
}

fn sum_of(sum: &CompensatedSum) -> Enclosure {
    Enclosure { low: sum.down(), high: sum.up() }
}

fn dot(a: &[f64], b: &[f64]) -> Enclosure {
    let mut sum = CompensatedSum::default();
    a.iter().zip(b).for_each(|(a, b)| sum.add_product(*a, *b));
    sum_of(&sum)
}

impl<'a> LossPoint<'a> {
    /// The network must be quadratic and fit the rows.
    pub fn new(network: &'a Network, rows: Rows<'a>, decay: f64) -> Result<LossPoint<'a>> {
        network.check_kind(rows.d())?;
        check_not_negative("the decay", decay)?;
        let rows = ProofRows::new(rows, 1.0)?;
        let found = residuals(network, &rows);
        let moment = moment(&rows, &found);
        let objective = half_mean_square(&rows, &found, penalty(network, decay, &vec![0; network.inputs()]));
        let plus_minus = |[r, error]: &[f64; 2]| Enclosure { low: (r - error).next_down(), high: add_up(*r, *error) };
        let residuals = found.iter().map(plus_minus).collect();
        Ok(LossPoint { network, rows, decay, residuals, moment, objective })
    }

    /// Σ_j|v_j| a_j·b_j
    fn weighted_dots(&self, A: &Matrix, B: &Matrix) -> Enclosure {
        let units = self.network.v.iter().enumerate();
        units.fold(Enclosure::exactly(0.0), |sum, (j, v)| sum + v.abs() * dot(A.row(j), B.row(j)))
    }

    /// Σωᵢ termᵢ
    fn mean(&self, term: impl Fn(usize) -> Enclosure) -> Enclosure {
        let sum = (0..self.rows.n()).fold(Enclosure::exactly(0.0), |sum, i| sum + self.rows.w[i] * term(i));
        sum / self.rows.total
    }

    /// ½⟨W, ∇P⟩ = ⟨S, M⟩ + τΣ|v_j|‖w_j‖², where ⟨S, M⟩ = Σωᵢrᵢ(rᵢ + yᵢ − c − b·xᵢ).
    pub(crate) fn half_radial(&self) -> Enclosure {
        let affine = |i: usize| {
            let mut sum = CompensatedSum::default();
            sum.add(self.network.intercept.unwrap_or(0.0));
            let linear = self.network.linear.iter().flatten().zip(self.rows.raw(i));
            linear.for_each(|(b, x)| sum.add_product(*b, *x));
            sum_of(&sum)
        };
        let fit = self.mean(|i| {
            let r = self.residuals[i];
            r * (r + Enclosure::exactly(self.rows.y[i]) - affine(i))
        });
        fit + self.decay * self.weighted_dots(&self.network.W, &self.network.W)
    }

    /// c₁, c₂, c₃, c₄ of P(W + tU) = P(W) + c₁t + c₂t² + c₃t³ + c₄t⁴; the curvature along U is 2c₂.
    pub fn quartic(&self, direction: &Matrix) -> [Enclosure; 4] {
        let moving: Vec<usize> =
            (0..self.network.width()).filter(|&j| direction.row(j).iter().any(|u| *u != 0.0)).collect();
        let changes = fill_rows(self.rows.n(), 4, &|range, out| {
            for (out, i) in out.chunks_exact_mut(4).zip(range) {
                let x = self.rows.raw(i);
                let (mut q, mut p) = (Enclosure::exactly(0.0), Enclosure::exactly(0.0));
                for &j in &moving {
                    let (z, s, v) = (dot(self.network.W.row(j), x), dot(direction.row(j), x), self.network.v[j]);
                    q = q + v * (z * s);
                    p = p + v * s.squared();
                }
                out.copy_from_slice(&[q.low, q.high, p.low, p.high]);
            }
        });
        let q = |i: usize| Enclosure { low: changes[4 * i], high: changes[4 * i + 1] };
        let p = |i: usize| Enclosure { low: changes[4 * i + 2], high: changes[4 * i + 3] };
        let r = |i: usize| self.residuals[i];
        let along = self.weighted_dots(&self.network.W, direction);
        let square = self.weighted_dots(direction, direction);
        [
            2.0 * (self.mean(|i| r(i) * q(i)) + self.decay * along),
            self.mean(|i| 2.0 * q(i).squared() + r(i) * p(i)) + self.decay * square,
            2.0 * self.mean(|i| q(i) * p(i)),
            0.5 * self.mean(|i| p(i).squared()),
        ]
    }

    /// (S + sτI)w_j, entry by entry, up to the radius of S times ‖w_j‖.
    fn times(&self, j: usize, sign: f64) -> Vec<Enclosure> {
        let w = self.network.W.row(j);
        let shift = |c: usize| sign * (self.decay * Enclosure::exactly(w[c]));
        (0..w.len()).map(|c| dot(self.moment.center.row(c), w) + shift(c)).collect()
    }

    /// The norm of the matrix with rows factor_j·(S + s_jτI)w_j, s_j the sign of v_j, from above.
    fn slope_norm(&self, factor: impl Fn(f64) -> f64) -> f64 {
        let lengths = self.network.v.iter().enumerate().map(|(j, v)| {
            let sign = if *v < 0.0 { -1.0 } else { 1.0 };
            // Of two bounds one of which is NaN, `max` would take the other.
            let size = |x: &Enclosure| if x.low.is_nan() { f64::NAN } else { x.high.max(-x.low) };
            let entries = norm_up(self.times(j, sign).iter().map(size));
            let doubt = mul_up(self.moment.radius, norm_up(self.network.W.row(j).iter().copied()));
            mul_up(factor(*v), add_up(entries, doubt))
        });
        norm_up(lengths)
    }

    /// ‖∇P‖ from above.
    pub(crate) fn gradient_norm(&self) -> f64 {
        self.slope_norm(|v| 2.0 * v.abs())
    }

    /// g: the norm of the matrix with rows ∇_jP/(2v_j), over the units with v_j ≠ 0, from above.
    pub(crate) fn slope_per_output(&self) -> f64 {
        self.slope_norm(|v| f64::from(u8::from(v != 0.0)))
    }

    /// True only if sign·S + (τ + σ)I is positive definite.
    pub fn proves_excess(&self, sign: f64, sigma: f64) -> bool {
        let Ball { center, radius } = &self.moment;
        let shift = if sigma == 0.0 { self.decay } else { add_down(self.decay, sigma) };
        if sign > 0.0 { proves_above(center, -shift, *radius) } else { proves_below(center, shift, *radius) }
    }

    /// What a gap is held against: max(P, P of the affine part alone, 10⁻²⁹⁰); the competitors have that part too. A bound of
    /// first order in the gradient and in S stays far above the rounding of P itself, so a P near zero cannot be the measure.
    pub(crate) fn scale(&self) -> Enclosure {
        let Network { intercept, linear, .. } = self.network.clone();
        let alone = Network { intercept, linear, ..Network::zero(self.rows.d()) };
        let alone = half_mean_square(&self.rows, &residuals(&alone, &self.rows), Enclosure::exactly(0.0));
        let found = self.objective;
        Enclosure { low: found.low.max(alone.low).max(LEAST), high: found.high.max(alone.high).max(LEAST) }
    }
}

/// S, from θ = fl(ω r̂).
fn moment(rows: &ProofRows<'_>, residuals: &[[f64; 2]]) -> Ball {
    let values: Vec<f64> = residuals.iter().map(|[value, _]| *value).collect();
    let theta = rows.weighted(&values);
    let Ball { center, radius } = rows.outer_sum(&theta);
    let doubt = theta.iter().enumerate().fold(0.0, |sum, (i, theta)| {
        let length = norm_up(rows.raw(i).iter().copied());
        let weight = div_up(rows.w[i], rows.total.low);
        let error = add_up(rows.weighting_error(*theta), mul_up(weight, residuals[i][1]));
        add_up(sum, mul_up(error, mul_up(length, length)))
    });
    Ball { center, radius: add_up(radius, doubt) }
}
