//! The samples as the proofs see them: rows that count, exact weights, inputs scaled by powers of two.
//!
//! The objective is defined with ωᵢ = 1/n for the exact integer n, or with the stored ωᵢ of weighted data. Both are
//! written ωᵢ = wᵢ/N with f64 wᵢ > 0 and N. Rows of weight zero are left out. An input column is multiplied by a
//! power of two so that its size is about 1, which is exact (and checked to be); where it would not be, it stays.

use std::borrow::Cow;

use super::arithmetic::{TINY, div_up, sqrt_up};
use super::arithmetic::{
    U, add_up, exponent, inflated, mul_up, plain_dot, power_of_two, tree_roundings, weighted_gram,
};
use crate::data::Data;
use crate::linalg::Matrix;

/// The largest |h| in a scaling by 2^h.
const LARGEST_SHIFT: i32 = 1000;
/// In a table of more numbers than this, columns between 2⁻³ and 2⁴ are not copied to be scaled.
const MANY_NUMBERS: usize = 10_000_000;
const NEAR_ENOUGH: i32 = 3;

pub(super) struct Rows<'a> {
    /// x̂ᵢⱼ = xᵢⱼ 2^(hⱼ)
    pub X: Cow<'a, Matrix>,
    pub y: Vec<f64>,
    /// ωᵢ = w[i]/total
    pub w: Vec<f64>,
    pub total: f64,
    /// h
    pub shifts: Vec<i32>,
}

/// A symmetric matrix and a bound on its distance, in the spectral norm, from what it stands for.
pub(super) struct Ball {
    pub center: Matrix,
    pub radius: f64,
}

impl<'a> Rows<'a> {
    /// The rows with ωᵢ > 0, unscaled; labels times `sign`.
    pub fn new(data: &'a Data, sign: f64) -> Rows<'a> {
        let (omega, total) = match &data.weights {
            Some(_) => (data.omega(), 1.0),
            None => (vec![1.0; data.n()], data.n() as f64),
        };
        let kept: Vec<usize> = (0..data.n()).filter(|&i| omega[i] > 0.0).collect();
        Rows {
            X: if kept.len() == data.n() { Cow::Borrowed(&data.X) } else { Cow::Owned(data.X.select_rows(&kept)) },
            y: kept.iter().map(|&i| sign * data.y[i]).collect(),
            w: kept.iter().map(|&i| omega[i]).collect(),
            total,
            shifts: vec![0; data.d()],
        }
    }

    /// Columns of size about 1, as far as powers of two do that exactly. What is near enough stays where it is.
    pub fn balanced(mut self) -> Rows<'a> {
        let large = self.X.as_slice().len() > MANY_NUMBERS;
        for j in 0..self.d() {
            let column = self.X.column(j);
            let largest = column.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let e = exponent(largest).clamp(-LARGEST_SHIFT, LARGEST_SHIFT);
            self.scale(j, &column, if large && e.abs() <= NEAR_ENOUGH { 0 } else { -e });
        }
        self
    }

    /// Columns times 2^(−eⱼ); `None` when one of them would be rounded.
    pub fn scaled_by(mut self, exponents: &[i32]) -> Option<Rows<'a>> {
        for (j, e) in exponents.iter().enumerate() {
            let column = self.X.column(j);
            self.scale(j, &column, -e);
            if self.shifts[j] != -e {
                return None;
            }
        }
        Some(self)
    }

    /// Column j times 2^h, if that is exact.
    fn scale(&mut self, j: usize, column: &[f64], h: i32) {
        let (forth, back) = (power_of_two(h), power_of_two(-h));
        if h.abs() > LARGEST_SHIFT || column.iter().any(|x| !(x * forth * back == *x && (x * forth).is_finite())) {
            return;
        }
        self.shifts[j] = h;
        if h == 0 {
            return;
        }
        let X = self.X.to_mut();
        column.iter().enumerate().for_each(|(i, x)| X[(i, j)] = x * forth);
    }

    pub fn n(&self) -> usize {
        self.X.rows()
    }

    pub fn d(&self) -> usize {
        self.X.cols()
    }

    /// A*(θ) = Σ θᵢ x̂ᵢx̂ᵢᵀ, within (m+2)u Σ|θᵢ|‖x̂ᵢ‖².
    pub fn outer_sum(&self, theta: &[f64]) -> Ball {
        let (n, d) = (self.n(), self.d());
        let center = self.gram_with(theta);
        let size = theta.iter().enumerate().fold(0.0, |sum, (i, t)| sum + t.abs() * self.square(i));
        let largest = self.X.as_slice().iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        let m = tree_roundings(n) + 2;
        let relative = mul_up(m as f64 * U, inflated(size, n + d + 8));
        let underflow = mul_up(mul_up(TINY, (n * d) as f64), 4.0 * largest);
        let sound = (m * m) as f64 * U < 1.0;
        Ball { center, radius: if sound { add_up(relative, underflow) } else { f64::NAN } }
    }

    /// fl(Σ cᵢ x̂ᵢx̂ᵢᵀ)
    pub fn gram_with(&self, c: &[f64]) -> Matrix {
        let d = self.d();
        weighted_gram(self.n(), d, |range, z, weights| {
            weights.copy_from_slice(&c[range.clone()]);
            z.copy_from_slice(&self.X.as_slice()[range.start * d..range.end * d]);
        })
    }

    fn square(&self, i: usize) -> f64 {
        plain_dot(self.X.row(i), self.X.row(i))
    }

    /// (Σ ωᵢ‖x̂ᵢ‖⁴)^½ from above.
    pub fn quartic_norm(&self) -> f64 {
        let up = |i: usize| add_up(inflated(self.square(i), self.d() + 2), mul_up(self.d() as f64, TINY));
        self.weighted_norm((0..self.n()).map(up))
    }

    /// (Σ ωᵢaᵢ²)^½ from above, for aᵢ ≥ 0 or of any sign.
    pub fn weighted_norm(&self, a: impl Iterator<Item = f64>) -> f64 {
        let sum = a.zip(&self.w).fold(0.0, |sum, (a, w)| add_up(sum, mul_up(*w, mul_up(a, a))));
        sqrt_up(div_up(sum, self.total))
    }

    /// ωᵢ aᵢ in working precision: a dual point to try.
    pub fn weighted(&self, a: &[f64]) -> Vec<f64> {
        a.iter().zip(&self.w).map(|(a, w)| a * w / self.total).collect()
    }
}
