//! The samples as the proofs see them: rows that count, exact weights, inputs scaled by powers of two.
//!
//! The objective is defined with ωᵢ = wᵢ/N, where wᵢ > 0 are the weights as given, or 1, and N is their exact sum. A sum
//! of floats is in general no float, so N is enclosed, and every bound takes the end that is safe for it. Weights have a
//! power of two in common taken out, as far as that is exact, so that the largest is about 1: ω does not change. Rows of
//! weight zero are left out; no other row is, however small its ω. An input column is multiplied by a power of two so
//! that its size is about 1, which is exact (and checked to be); where it would not be, it stays. So it is with columns
//! that are centred.

use std::borrow::Cow;
use std::ops::Range;

use super::enclosure::Enclosure;
use crate::certificate::arithmetic::{
    CompensatedSum, TINY, U, add_up, div_up, exponent, inflated, mul_up, plain_dot, power_of_two, sqrt_up,
    tree_roundings, two_sum, weighted_gram,
};
use crate::data::Data;
use crate::error::{DataProblem, Error, Result};
use crate::linalg::{Matrix, for_row_blocks, sum_over_rows, values_of_rows};

/// The largest |h| in a scaling by 2^h.
const LARGEST_SHIFT: i32 = 1000;
/// In a table of more numbers than this, columns between 2⁻³ and 2⁴ are not copied to be scaled.
const MANY_NUMBERS: usize = 10_000_000;
const NEAR_ENOUGH: i32 = 3;

pub(in crate::certificate) struct ProofRows<'a> {
    /// x̂ᵢⱼ = (xᵢⱼ − mⱼ) 2^(hⱼ), m = 0 unless centred
    pub X: Cow<'a, Matrix>,
    pub y: Vec<f64>,
    /// ωᵢ = w[i]/total
    pub w: Vec<f64>,
    /// N = Σ w
    pub total: Enclosure,
    /// h
    pub shifts: Vec<i32>,
}

/// A symmetric matrix and a bound on its distance, in the spectral norm, from what it stands for.
pub(in crate::certificate) struct Ball {
    pub center: Matrix,
    pub radius: f64,
}

impl<'a> ProofRows<'a> {
    /// The rows of positive weight, unscaled; labels times `sign`.
    pub(crate) fn new(data: &'a Data, sign: f64) -> ProofRows<'a> {
        let kept = weighted_rows(data);
        let w = match &data.weights {
            Some(weights) => without_common_power(kept.iter().map(|&i| weights[i]).collect()),
            None => vec![1.0; kept.len()],
        };
        ProofRows {
            X: if kept.len() == data.n() { Cow::Borrowed(&data.X) } else { Cow::Owned(data.X.select_rows(&kept)) },
            y: kept.iter().map(|&i| sign * data.y[i]).collect(),
            total: exact_sum(&w),
            w,
            shifts: vec![0; data.d()],
        }
    }

    /// Whether there is a row that counts.
    pub(crate) fn check(&self) -> Result<()> {
        if self.n() > 0 { Ok(()) } else { Err(Error::Data(DataProblem::WeightSum { sum: 0.0 })) }
    }

    /// Columns of size about 1, as far as powers of two do that exactly. What is near enough stays where it is.
    pub(crate) fn balanced(self) -> ProofRows<'a> {
        let large = self.X.as_slice().len() > MANY_NUMBERS;
        let shift = |largest: &f64| {
            let e = exponent(*largest).clamp(-LARGEST_SHIFT, LARGEST_SHIFT);
            if large && e.abs() <= NEAR_ENOUGH { 0 } else { -e }
        };
        let shifts: Vec<i32> = self.largest().iter().map(shift).collect();
        self.shifted(&shifts)
    }

    /// Columns whose values lie close together, far from zero, less the middle of them, where that is exact in every row
    /// (it is when none is more than twice another). Where an intercept and a linear part are free, this changes neither
    /// the functions, nor their penalties, nor the unpenalised moments.
    pub(crate) fn centred(mut self) -> ProofRows<'a> {
        let middles: Vec<f64> = self.extremes().iter().map(|&(low, high)| middle_if_far(low, high)).collect();
        let is_exact = self.exact_columns(|j, x| two_sum(x, -middles[j]).1 == 0.0);
        let middles: Vec<f64> =
            middles.iter().zip(is_exact).map(|(m, is_exact)| if is_exact { *m } else { 0.0 }).collect();
        if middles.iter().any(|m| *m != 0.0) {
            let d = self.d();
            let less = |row: &mut [f64]| row.iter_mut().zip(&middles).for_each(|(x, m)| *x -= m);
            for_row_blocks(self.X.to_mut().as_mut_slice(), d, |_, rows| rows.chunks_exact_mut(d).for_each(less));
        }
        self
    }

    /// Columns times 2^(−eⱼ); `None` when one of them would be rounded.
    pub(crate) fn scaled_by(self, exponents: &[i32]) -> Option<ProofRows<'a>> {
        let shifts: Vec<i32> = exponents.iter().map(|e| -e).collect();
        Some(self.shifted(&shifts)).filter(|rows| rows.shifts == shifts)
    }

    /// Columns times 2^h where that is exact; the others stay.
    fn shifted(mut self, shifts: &[i32]) -> ProofRows<'a> {
        let exact = self.exactly_scaled(shifts);
        self.shifts = shifts.iter().zip(exact).map(|(h, exact)| if exact { *h } else { 0 }).collect();
        if self.shifts.iter().any(|h| *h != 0) {
            let factors: Vec<f64> = self.shifts.iter().map(|h| power_of_two(*h)).collect();
            let d = self.d();
            let times = |row: &mut [f64]| row.iter_mut().zip(&factors).for_each(|(x, factor)| *x *= factor);
            for_row_blocks(self.X.to_mut().as_mut_slice(), d, |_, rows| rows.chunks_exact_mut(d).for_each(times));
        }
        self
    }

    /// Whether each column times 2^h is exact.
    fn exactly_scaled(&self, shifts: &[i32]) -> Vec<bool> {
        let factors: Vec<(f64, f64)> = shifts.iter().map(|h| (power_of_two(*h), power_of_two(-h))).collect();
        let within: Vec<bool> = shifts.iter().map(|h| h.abs() <= LARGEST_SHIFT).collect();
        if shifts.iter().all(|h| *h == 0) {
            return within;
        }
        let exact = self.exact_columns(|j, x| {
            let (forth, back) = factors[j];
            x * forth * back == x && (x * forth).is_finite()
        });
        exact.into_iter().zip(within).map(|(exact, within)| exact && within).collect()
    }

    /// The columns in which every entry passes a test.
    fn exact_columns(&self, is_exact: impl Fn(usize, f64) -> bool + Sync) -> Vec<bool> {
        let and = |all: &mut Vec<bool>, more: Vec<bool>| all.iter_mut().zip(more).for_each(|(all, more)| *all &= more);
        let look = |all: &mut Vec<bool>, range: Range<usize>| {
            for i in range {
                all.iter_mut().zip(self.X.row(i)).enumerate().for_each(|(j, (all, x))| *all &= is_exact(j, *x));
            }
        };
        sum_over_rows((self.n(), self.d()), || vec![true; self.d()], look, and)
    }

    /// The least and the largest entry of each column.
    fn extremes(&self) -> Vec<(f64, f64)> {
        let widen = |all: &mut Vec<(f64, f64)>, range: Range<usize>| {
            for i in range {
                all.iter_mut().zip(self.X.row(i)).for_each(|(all, x)| *all = (all.0.min(*x), all.1.max(*x)));
            }
        };
        let join = |all: &mut Vec<(f64, f64)>, more: Vec<(f64, f64)>| {
            all.iter_mut().zip(more).for_each(|(all, more)| *all = (all.0.min(more.0), all.1.max(more.1)));
        };
        sum_over_rows((self.n(), self.d()), || vec![(f64::INFINITY, f64::NEG_INFINITY); self.d()], widen, join)
    }

    /// The largest magnitude in each column.
    fn largest(&self) -> Vec<f64> {
        let larger =
            |most: &mut [f64], x: &[f64]| most.iter_mut().zip(x).for_each(|(most, x)| *most = most.max(x.abs()));
        sum_over_rows(
            (self.n(), self.d()),
            || vec![0.0; self.d()],
            |most, range| range.for_each(|i| larger(most, self.X.row(i))),
            |most, next| larger(most, &next),
        )
    }

    pub(crate) fn n(&self) -> usize {
        self.X.rows()
    }

    pub(crate) fn d(&self) -> usize {
        self.X.cols()
    }

    /// A*(θ) = Σ θᵢ x̂ᵢx̂ᵢᵀ, within (m+2)u Σ|θᵢ|‖x̂ᵢ‖².
    pub(crate) fn outer_sum(&self, theta: &[f64]) -> Ball {
        let (n, d) = (self.n(), self.d());
        let center = self.gram_with(theta);
        let squares = values_of_rows(n, |i| self.square(i));
        let size = theta.iter().zip(squares).fold(0.0, |sum, (t, square)| sum + t.abs() * square);
        let largest = self.largest().into_iter().fold(1.0, f64::max);
        let m = tree_roundings(n) + 2;
        let relative = mul_up(m as f64 * U, inflated(size, n + d + 8));
        let underflow = mul_up(mul_up(TINY, (n * d) as f64), 4.0 * largest);
        let sound = (m * m) as f64 * U < 1.0;
        Ball { center, radius: if sound { add_up(relative, underflow) } else { f64::NAN } }
    }

    /// fl(Σ cᵢ x̂ᵢx̂ᵢᵀ)
    pub(crate) fn gram_with(&self, c: &[f64]) -> Matrix {
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
    pub(crate) fn quartic_norm(&self) -> f64 {
        let up = |i: usize| add_up(inflated(self.square(i), self.d() + 2), mul_up(self.d() as f64, TINY));
        self.weighted_norm(values_of_rows(self.n(), up))
    }

    /// (Σ ωᵢaᵢ²)^½ from above, for aᵢ ≥ 0 or of any sign.
    pub(crate) fn weighted_norm(&self, a: impl IntoIterator<Item = f64>) -> f64 {
        let sum = a.into_iter().zip(&self.w).fold(0.0, |sum, (a, w)| add_up(sum, mul_up(*w, mul_up(a, a))));
        sqrt_up(div_up(sum, self.total.low))
    }

    /// ωᵢ aᵢ in working precision: a dual point to try.
    pub(crate) fn weighted(&self, a: &[f64]) -> Vec<f64> {
        a.iter().zip(&self.w).map(|(a, w)| a * w / self.total.high).collect()
    }

    /// How far ωᵢaᵢ may be from what [`ProofRows::weighted`] makes of it: three roundings, the width of N, and underflow.
    pub(crate) fn weighting_error(&self, weighted: f64) -> f64 {
        let Enclosure { low, high } = self.total;
        let doubt = if low == high { 0.0 } else { mul_up(1.01, div_up(add_up(high, -low), low)) };
        add_up(mul_up(3.0 * U + doubt, weighted.abs()), TINY.max(div_up(TINY, low)))
    }
}

/// The middle of a column whose values are closer to each other than to zero; 0 for others.
fn middle_if_far(low: f64, high: f64) -> f64 {
    let middle = 0.5 * low + 0.5 * high;
    let is_far = low * high > 0.0 && high - low <= middle.abs();
    if is_far && middle.is_finite() { middle } else { 0.0 }
}

/// The rows whose weight is positive, as numbers of rows.
pub(in crate::certificate) fn weighted_rows(data: &Data) -> Vec<usize> {
    (0..data.n()).filter(|&i| data.weights.as_ref().is_none_or(|w| w[i] > 0.0)).collect()
}

/// Weights times a power of two that brings the largest to about 1, or as near as all of them stay exact.
fn without_common_power(mut w: Vec<f64>) -> Vec<f64> {
    let largest = w.iter().copied().fold(0.0, f64::max);
    let mut shift = -exponent(largest).clamp(-LARGEST_SHIFT, LARGEST_SHIFT);
    let is_exact = |shift: i32| {
        let [forth, back] = [power_of_two(shift), power_of_two(-shift)];
        w.iter().all(|w| w * forth * back == *w && w * forth > 0.0)
    };
    while !is_exact(shift) {
        shift /= 2;
    }
    w.iter_mut().for_each(|w| *w *= power_of_two(shift));
    w
}

/// Σ w, exactly where no addition is rounded.
fn exact_sum(w: &[f64]) -> Enclosure {
    let (mut sum, mut plain, mut is_exact) = (CompensatedSum::default(), 0.0, true);
    for w in w {
        sum.add(*w);
        let (next, lost) = two_sum(plain, *w);
        is_exact &= lost == 0.0;
        plain = next;
    }
    if is_exact { Enclosure::exactly(plain) } else { Enclosure { low: sum.down(), high: sum.up() } }
}
