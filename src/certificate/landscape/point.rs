//! Proved numbers at one point W of the landscape of a quadratic network with fixed output weights.
//!
//! P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖², S = Σωᵢrᵢ xᵢxᵢᵀ, M = Σ v_j w_jw_jᵀ. An affine part of the network is fixed and
//! part of the residual. With r̂ᵢ, δᵢ as in `primal` and θᵢ = fl(ωᵢr̂ᵢ), off by εᵢ at most, the matrix S is within
//! Σ(ωᵢδᵢ + εᵢ)‖xᵢ‖² of Σθᵢxᵢxᵢᵀ, which `rows` evaluates within a proved radius. Everything else is enclosed by
//! outward rounding. No eigensolver takes part, so the numbers have the same bits on every machine.

use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::{Ball, ProofRows};
use crate::certificate::arithmetic::{CompensatedSum, TINY, U, add_down, add_up, div_up, mul_up, norm_up, sqrt_down};
use crate::certificate::arithmetic::{inflated, proves_above, proves_below, tree_roundings, weighted_gram};
use crate::certificate::optimum::measure::same_affine_part;
use crate::certificate::optimum::primal;
use crate::certificate::theorem::global_optimum::check_kind;
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::{Matrix, values_of_rows};
use crate::network::Network;

/// Halvings, in the exponent, of an interval that holds a provable bound: two digits of it.
const HALVINGS: usize = 14;
/// A provable bound is looked for down to this share of the first that can be proved.
const LEAST_SHARE: f64 = 1.0 / (1_u64 << 60) as f64;
/// Without a given size, competitors up to this many times the size of the network, or of what the labels suggest.
const REACH: f64 = 10.0;

/// A network on rows, with enclosures of its residuals, its moment S and its objective.
pub(in crate::certificate) struct LossPoint<'a> {
    pub network: &'a Network,
    pub rows: ProofRows<'a>,
    pub decay: f64,
    pub residuals: Vec<Enclosure>,
    /// S.
    pub moment: Ball,
    pub objective: Enclosure,
}

fn plus_minus(value: f64, error: f64) -> Enclosure {
    Enclosure { low: (value - error).next_down(), high: add_up(value, error) }
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
    pub(crate) fn new(network: &'a Network, data: &'a Data, decay: f64) -> Result<LossPoint<'a>> {
        network.check()?;
        check_kind(network)?;
        let (expected, found) = (data.d(), network.inputs());
        if expected != found {
            return Err(Error::Shape { what: "inputs of the network", expected, found });
        }
        if !(decay >= 0.0 && decay.is_finite()) {
            return Err(Error::parameter(Parameter::Decay, Requirement::AtLeast(0.0), decay));
        }
        let rows = ProofRows::new(data, 1.0);
        rows.check()?;
        let R = primal::residuals(network, &rows);
        let residuals = (0..rows.n()).map(|i| plus_minus(R[(i, 0)], R[(i, 1)])).collect();
        let moment = moment(&rows, &R);
        let objective = primal::objective(network, &rows, decay, &vec![0; data.d()]);
        Ok(LossPoint { network, rows, decay, residuals, moment, objective })
    }

    /// Σ_j|v_j|‖w_j‖² ≥ ‖M‖_*
    pub(crate) fn size(&self) -> Enclosure {
        self.weighted_squares(&self.network.W, &self.network.W)
    }

    /// Σ_j|v_j| a_j·b_j
    fn weighted_squares(&self, A: &Matrix, B: &Matrix) -> Enclosure {
        let units = self.network.v.iter().enumerate();
        units.fold(Enclosure::exactly(0.0), |sum, (j, v)| sum + v.abs() * dot(A.row(j), B.row(j)))
    }

    /// Σωᵢ termᵢ
    fn mean(&self, term: impl Fn(usize) -> Enclosure) -> Enclosure {
        let sum = (0..self.rows.n()).fold(Enclosure::exactly(0.0), |sum, i| sum + self.rows.w[i] * term(i));
        sum / self.rows.total
    }

    /// ½⟨W, ∇P⟩ = ⟨S, M⟩ + τΣ|v_j|‖w_j‖²
    pub(crate) fn half_radial(&self) -> Enclosure {
        let affine = |i: usize| {
            let mut sum = CompensatedSum::default();
            sum.add(self.network.intercept.unwrap_or(0.0));
            let linear = self.network.linear.iter().flatten().zip(self.rows.X.row(i));
            linear.for_each(|(b, x)| sum.add_product(*b, *x));
            sum_of(&sum)
        };
        let fit = self.mean(|i| {
            let r = self.residuals[i];
            r * (r + Enclosure::exactly(self.rows.y[i]) - affine(i))
        });
        fit + self.decay * self.size()
    }

    /// c₁, c₂, c₃, c₄ of P(W + tU) = P(W) + c₁t + c₂t² + c₃t³ + c₄t⁴; the curvature along U is 2c₂.
    pub(crate) fn quartic(&self, direction: &Matrix) -> [Enclosure; 4] {
        let moving: Vec<usize> =
            (0..self.network.width()).filter(|&j| direction.row(j).iter().any(|u| *u != 0.0)).collect();
        let changes = Matrix::from_row_fn(self.rows.n(), 4, |i, out| {
            let x = self.rows.X.row(i);
            let (mut q, mut p) = (Enclosure::exactly(0.0), Enclosure::exactly(0.0));
            for &j in &moving {
                let (z, s, v) = (dot(self.network.W.row(j), x), dot(direction.row(j), x), self.network.v[j]);
                q = q + v * (z * s);
                p = p + v * s.squared();
            }
            out.copy_from_slice(&[q.low, q.high, p.low, p.high]);
        });
        let q = |i: usize| Enclosure { low: changes[(i, 0)], high: changes[(i, 1)] };
        let p = |i: usize| Enclosure { low: changes[(i, 2)], high: changes[(i, 3)] };
        let r = |i: usize| self.residuals[i];
        let along = self.weighted_squares(&self.network.W, direction);
        let square = self.weighted_squares(direction, direction);
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
        let shift = |c: usize| sign * self.decay * Enclosure::exactly(w[c]);
        (0..w.len()).map(|c| dot(self.moment.center.row(c), w) + shift(c)).collect()
    }

    /// The norm of the matrix with rows factor_j·(S + s_jτI)w_j, s_j the sign of v_j, from above.
    fn slope_norm(&self, factor: impl Fn(f64) -> f64) -> f64 {
        let lengths = self.network.v.iter().enumerate().map(|(j, v)| {
            let sign = if *v < 0.0 { -1.0 } else { 1.0 };
            let entries = norm_up(self.times(j, sign).iter().map(|x| x.high.max(-x.low)));
            let doubt = mul_up(self.moment.radius, norm_up(self.network.W.row(j).iter().copied()));
            mul_up(factor(*v), add_up(entries, doubt))
        });
        norm_up(lengths)
    }

    /// ‖∇P‖ from above.
    pub(crate) fn gradient_norm(&self) -> f64 {
        self.slope_norm(|v| 2.0 * v.abs())
    }

    /// The norm of the matrix with rows ∇_jP/(2v_j), over the units with v_j ≠ 0, from above.
    pub(crate) fn slope_per_output(&self) -> f64 {
        self.slope_norm(|v| f64::from(u8::from(v != 0.0)))
    }

    /// The least σ ≥ 0 that could be proved to make sign·S + (τ + σ)I positive semidefinite.
    pub(crate) fn excess(&self, sign: f64) -> f64 {
        let Ball { center, radius } = &self.moment;
        let proves = |sigma: f64| {
            let shift = add_down(self.decay, sigma);
            if sign > 0.0 { proves_above(center, -shift, *radius) } else { proves_below(center, shift, *radius) }
        };
        if proves(0.0) {
            return 0.0;
        }
        let row_sum = |i: usize| center.row(i).iter().fold(*radius, |sum, x| add_up(sum, x.abs()));
        let bound = (0..center.rows()).map(row_sum).fold(f64::MIN_POSITIVE, f64::max);
        let enough = (0..8).map(|e| 2.0 * bound * f64::from(1 << e)).find(|sigma| proves(*sigma));
        enough.map_or(f64::INFINITY, |enough| bisected(enough, proves))
    }

    /// The size of competitors to speak about when none is given.
    pub(crate) fn reach(&self) -> f64 {
        let labels = self.rows.weighted_norm(self.rows.y.iter().copied());
        let lengths = values_of_rows(self.rows.n(), |i| norm_up(self.rows.X.row(i).iter().copied()));
        let inputs = self.rows.weighted_norm(lengths);
        let suggested = labels / (inputs * inputs);
        let size = self.size().high;
        REACH * if suggested.is_finite() { size.max(suggested) } else { size }
    }

    /// What a gap is held against: max(P, P of the affine part alone), which the competitors have too. A bound of first
    /// order in the gradient and in S stays far above the rounding of P itself, so a P near zero cannot be the measure.
    pub(crate) fn scale(&self) -> Enclosure {
        same_affine_part(self.objective, self.network, &self.rows)
    }
}

/// The smallest of a decreasing row of numbers below `proved` that is found to be provable too.
fn bisected(proved: f64, proves: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (proved * LEAST_SHARE, proved);
    for _ in 0..HALVINGS {
        let middle = low.sqrt() * high.sqrt();
        (low, high) = if proves(middle) { (low, middle) } else { (middle, high) };
    }
    high
}

/// S, from θ = fl(ω r̂).
fn moment(rows: &ProofRows<'_>, R: &Matrix) -> Ball {
    let theta = rows.weighted(&R.column(0));
    let Ball { center, radius } = rows.outer_sum(&theta);
    let doubt = theta.iter().enumerate().fold(0.0, |sum, (i, theta)| {
        let length = norm_up(rows.X.row(i).iter().copied());
        let weight = div_up(rows.w[i], rows.total.low);
        let error = add_up(rows.weighting_error(*theta), mul_up(weight, R[(i, 1)]));
        add_up(sum, mul_up(error, mul_up(length, length)))
    });
    Ball { center, radius: add_up(radius, doubt) }
}

/// σ_min of a matrix from below; 0 where nothing could be proved.
pub(in crate::certificate) fn least_singular_value(A: &Matrix) -> f64 {
    let (k, d) = (A.rows(), A.cols());
    if k < d || d == 0 {
        return 0.0;
    }
    let center = weighted_gram(k, d, |range, z, weights| {
        weights.fill(1.0);
        z.copy_from_slice(&A.as_slice()[range.start * d..range.end * d]);
    });
    let size = A.as_slice().iter().fold(0.0, |sum, x| sum + x * x);
    let largest = A.as_slice().iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    let relative = mul_up((tree_roundings(k) + 2) as f64 * U, inflated(size, k * d + 8));
    let radius = add_up(relative, mul_up(mul_up(TINY, (k * d) as f64), 4.0 * largest));
    let least = (0..d).map(|i| center[(i, i)]).fold(f64::INFINITY, f64::min);
    let proves = |mu: f64| proves_above(&center, mu, radius);
    // The same search upside down: 1/μ as small as can be proved.
    let first = (0..50).map(|e| least / f64::from(1 << (e % 25)) / f64::from(1 << (e - e % 25))).find(|mu| proves(*mu));
    let Some(first) = first.filter(|mu| *mu > 0.0) else { return 0.0 };
    let (mut low, mut high) = (first, least);
    for _ in 0..HALVINGS {
        let middle = low.sqrt() * high.sqrt();
        (low, high) = if middle > low && proves(middle) { (middle, high) } else { (low, middle) };
    }
    sqrt_down(low)
}
