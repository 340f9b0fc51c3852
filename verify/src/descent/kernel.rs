//! Matrices p(ρ_ij) of the cosines ρ_ij of the angles between rows, with a bound on their error.
//!
//! λ(X) is the smallest eigenvalue of Σ(X)_ij = ρ_ij E φ'(x_i·w)φ'(x_j·w) = Σ_r a_r² ρ_ij^{r+1} for unit rows, a_r the Hermite coefficients of φ'. Every
//! (ρ_ij^{r+1}) is positive semidefinite (Schur), so Σ(X) ⪰ Σ_{r<R} q_r (ρ_ij^{r+1}) for 0 ≤ q_r ≤ a_r², and what bounds the eigenvalues of that from below
//! bounds λ(X). λ(X) is at most a diagonal entry, E φ'(g)² ≤ sup|φ'|².
//!
//! The rows stand for the directions xᵢ/‖xᵢ‖ in exact arithmetic. ρ̂ = fl(xᵢ·xⱼ)/√(fl(xᵢ·xᵢ)fl(xⱼ·xⱼ)) is off by at most
//! (2.1d + 5)u, as Σ|x||x| ≤ ‖xᵢ‖‖xⱼ‖; for rows of a length between ½ and 2 underflow adds less than d·2⁻¹⁰⁶⁰. p(ρ) = Σ q_r ρ^{r+1} changes by at most
//! Σ(r+1)q_r times that, and Horner's rule adds at most (2R + 4)u·Σq_r. A matrix has a norm of at most n times its largest entry.

use super::jacobian::{input_norm, length};
use super::{MOST_ROWS, StartRows};
use crate::arithmetic::{Enclosure, TINY, U, add_up, mul_up, plain_dot, proves_above};
use crate::error::{Error, Result};
use crate::matrix::{Matrix, fill_rows};
use crate::rows::{Ball, Rows};

/// Norms this close to 1 are those of unit rows that were rounded.
const UNIT: f64 = 1e-9;
/// What the norm of a matrix of such rows is multiplied by when each is divided by its norm.
pub(crate) const UNIT_ROUNDED: Enclosure = Enclosure { low: 1.0 - 2.0 * UNIT, high: 1.0 + 2.0 * UNIT };

/// p(ρ) = Σ_r q_r ρ^{r+1} with q_r ≥ 0.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerSeries(pub Vec<f64>);

impl PowerSeries {
    /// (XXᵀ)∘(XXᵀ)
    pub fn square() -> PowerSeries {
        PowerSeries(vec![0.0, 1.0])
    }

    /// a_r² from below.
    pub fn below(coefficients: &[Enclosure]) -> PowerSeries {
        let least = |a: &Enclosure| if a.low > 0.0 || a.high < 0.0 { a.squared().low.max(0.0) } else { 0.0 };
        PowerSeries(coefficients.iter().map(least).collect())
    }

    fn at(&self, rho: f64) -> f64 {
        rho * self.0.iter().rev().fold(0.0, |sum, q| sum * rho + q)
    }

    /// A bound on the error of p(ρ̂).
    fn error(&self, d: usize) -> f64 {
        let sum = self.0.iter().fold(0.0, |sum, q| add_up(sum, *q));
        let steep = self.0.iter().enumerate().fold(0.0, |sum, (r, q)| add_up(sum, mul_up((r + 1) as f64, *q)));
        let of_rho = add_up((3 * d + 8) as f64 * U, mul_up(4.0 * d as f64, TINY));
        add_up(mul_up(steep, of_rho), add_up(mul_up((2 * self.0.len() + 8) as f64 * U, sum), TINY))
    }
}

/// 1e-9 minus the largest | ‖xᵢ‖ − 1 |: not negative where every row is a unit vector up to rounding.
pub(crate) fn distance_from_unit(rows: &StartRows) -> Enclosure {
    let off = |i: usize| {
        let more = length(rows.row(i)) - Enclosure::exactly(1.0);
        more.max(Enclosure { low: -more.high, high: -more.low })
    };
    Enclosure::exactly(UNIT) - (0..rows.n()).map(off).fold(Enclosure::exactly(0.0), Enclosure::max)
}

/// p(ρ_ij) for the rows that count; every row must be a unit vector up to 1e-9. The matrix whose smallest eigenvalue a
/// proof bounds: a writer looks for it with an eigensolver, and gives the radius and a little for the shift of the test away.
pub fn kernel_gram(rows: Rows, series: &PowerSeries) -> Result<Ball> {
    let rows = StartRows::new(rows)?;
    if rows.n() > MOST_ROWS {
        return Err(Error::Range { what: "rows", least: 1.0, most: MOST_ROWS as f64, found: rows.n() as f64 });
    }
    if !(distance_from_unit(&rows).low >= 0.0) {
        let found = "a row of another length".into();
        return Err(Error::Unsuitable { what: "every row", must_be: "a unit vector", found });
    }
    Ok(gram(&rows, series))
}

fn gram(rows: &StartRows, series: &PowerSeries) -> Ball {
    let n = rows.n();
    let squares: Vec<f64> = (0..n).map(|i| plain_dot(rows.row(i), rows.row(i))).collect();
    let entry = |i: usize, j: usize| {
        let (i, j) = (i.max(j), i.min(j));
        let rho = if i == j { 1.0 } else { plain_dot(rows.row(i), rows.row(j)) / (squares[i] * squares[j]).sqrt() };
        series.at(rho.clamp(-1.0, 1.0))
    };
    let entries = fill_rows(n, n, &|range, out| {
        for (i, out) in range.zip(out.chunks_exact_mut(n)) {
            out.iter_mut().enumerate().for_each(|(j, out)| *out = entry(i, j));
        }
    });
    let center = Matrix::from_vec(n, n, entries).unwrap_or_default();
    Ball { center, radius: mul_up(n as f64, series.error(rows.d())) }
}

/// Whether every eigenvalue of p(ρ) is above μ > 0.
pub(crate) fn proves_kernel_above(rows: &StartRows, series: &PowerSeries, mu: f64) -> bool {
    if !(mu > 0.0 && rows.n() <= MOST_ROWS && distance_from_unit(rows).low >= 0.0) {
        return false;
    }
    let Ball { center, radius } = gram(rows, series);
    proves_above(&center, mu, radius)
}

/// ‖X‖², at most Λ if that is confirmed, for rows that stand as they are.
pub(crate) fn squared_inputs(rows: &StartRows, claimed: Option<f64>) -> Enclosure {
    let lengths: Vec<Enclosure> = (0..rows.n()).map(|i| length(rows.row(i))).collect();
    input_norm(rows, &rows.w, &lengths, claimed).squared()
}
