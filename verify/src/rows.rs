//! The samples as the proofs see them: rows that count, exact weights, coordinates that are exact.
//!
//! The objective is defined with ωᵢ = wᵢ/N, where wᵢ > 0 are the weights as given, or 1, and N is their exact sum. A sum
//! of floats is in general no float, so N is enclosed, and every bound takes the end that is safe for it. Weights have a
//! power of two in common taken out, as far as that is exact, so that the largest is about 1: ω does not change. Rows of
//! weight zero are left out; no other row is, however small its ω.
//!
//! Proofs may use coordinates x̂ⱼ = (xⱼ − mⱼ)·2^(hⱼ). They are accepted only where both operations are exact in every row,
//! so that nothing is lost by them.

use std::collections::HashSet;
use std::ops::Range;

use crate::arithmetic::{
    CompensatedSum, Enclosure, TINY, U, add_up, div_up, exponent, gram_roundings, inflated, mul_up, norm_up, plain_dot,
    power_of_two, sqrt_up, two_product, two_sum, weighted_gram,
};
use crate::error::{Error, Result, check_finite, check_not_negative, check_range, check_shape};
use crate::matrix::{Matrix, tree, values_of_rows};

/// The largest |h| in a scaling by 2^h.
pub const LARGEST_SHIFT: i32 = 1000;
/// A*(θ) is computed in twice the working precision up to so many products.
const MOST_WIDE_PRODUCTS: f64 = 2e7;

/// Samples as they are given: inputs row after row, labels, and weights if there are any.
///
/// ```
/// use shallows_verify::Rows;
///
/// let rows = Rows::new(&[0.2, 1.0, 0.5, -1.0], 2, &[1.0, 0.3], None)?;
/// assert_eq!((rows.n(), rows.d(), rows.row(1)), (2, 2, &[0.5, -1.0][..]));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    X: &'a [f64],
    d: usize,
    y: &'a [f64],
    weights: Option<&'a [f64]>,
}

impl<'a> Rows<'a> {
    /// n·d inputs, n labels, n weights; every number finite, no weight negative.
    pub fn new(X: &'a [f64], d: usize, y: &'a [f64], weights: Option<&'a [f64]>) -> Result<Rows<'a>> {
        check_shape("inputs of all rows", y.len() * d, X.len())?;
        check_shape("weights of rows", y.len(), weights.map_or(y.len(), <[f64]>::len))?;
        check_finite("inputs", X)?;
        check_finite("labels", y)?;
        check_finite("weights of rows", weights.unwrap_or_default())?;
        weights.unwrap_or_default().iter().try_for_each(|w| check_not_negative("a weight of a row", *w))?;
        Ok(Rows { X, d, y, weights })
    }

    /// The number of rows.
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The number of inputs.
    pub fn d(&self) -> usize {
        self.d
    }

    /// The inputs of row i.
    pub fn row(&self, i: usize) -> &'a [f64] {
        &self.X[i * self.d..][..self.d]
    }

    /// The inputs of all rows.
    pub fn inputs(&self) -> &'a [f64] {
        self.X
    }

    /// The labels.
    pub fn labels(&self) -> &'a [f64] {
        self.y
    }

    /// The weights as given.
    pub fn weights(&self) -> Option<&'a [f64]> {
        self.weights
    }

    /// The rows whose weight is positive.
    pub fn counted(&self) -> Vec<usize> {
        (0..self.n()).filter(|&i| self.weights.is_none_or(|w| w[i] > 0.0)).collect()
    }
}

/// A symmetric matrix and a bound on its distance, in the spectral norm, from what it stands for.
#[derive(Clone, Debug)]
pub struct Ball {
    /// The matrix.
    pub center: Matrix,
    /// The bound; NaN where there is none.
    pub radius: f64,
}

/// The rows that count, in coordinates of a proof.
#[derive(Clone, Debug)]
pub struct ProofRows<'a> {
    given: Rows<'a>,
    /// The rows that count; all when `None`.
    kept: Option<Vec<usize>>,
    /// Labels.
    pub y: Vec<f64>,
    /// ωᵢ = wᵢ/total
    pub w: Vec<f64>,
    /// N = Σ w
    pub total: Enclosure,
    /// m
    pub centre: Vec<f64>,
    /// h
    pub shifts: Vec<i32>,
}

impl<'a> ProofRows<'a> {
    /// The rows of positive weight as they are; labels times `sign`.
    pub fn new(given: Rows<'a>, sign: f64) -> Result<ProofRows<'a>> {
        let counted = given.counted();
        if counted.is_empty() {
            return Err(Error::NoRows);
        }
        let w = match given.weights {
            Some(weights) => without_common_power(counted.iter().map(|&i| weights[i]).collect()),
            None => vec![1.0; counted.len()],
        };
        Ok(ProofRows {
            y: counted.iter().map(|&i| sign * given.y[i]).collect(),
            total: exact_sum(&w),
            w,
            centre: vec![0.0; given.d],
            shifts: vec![0; given.d],
            kept: (counted.len() < given.n()).then_some(counted),
            given,
        })
    }

    /// The same rows in the coordinates (x − m)·2^h; an error where that would not be exact.
    pub fn in_coordinates(mut self, centre: &[f64], shifts: &[i32]) -> Result<ProofRows<'a>> {
        check_shape("centres of the coordinates", self.d(), centre.len())?;
        check_shape("shifts of the coordinates", self.d(), shifts.len())?;
        let most = f64::from(LARGEST_SHIFT);
        let mut shifts_in_range =
            shifts.iter().map(|h| check_range("a shift of the coordinates", f64::from(*h), -most, most));
        shifts_in_range.try_for_each(|checked| checked)?;
        if let Some(j) = self.first_inexact(centre, shifts) {
            let found = format!("rounded in input {j}");
            return Err(Error::Unsuitable { what: "the coordinates of the proof", must_be: "exact", found });
        }
        (self.centre, self.shifts) = (centre.to_vec(), shifts.to_vec());
        Ok(self)
    }

    /// m of the n rows, those numbered ⌊i·n/m⌋, with weights 1.
    pub fn evenly_spaced(&self, m: usize) -> ProofRows<'a> {
        // 2¹²⁸ has room for the product of two counts.
        let at = |i: usize| (i as u128 * self.n() as u128 / m as u128) as usize;
        let given = |at: usize| self.kept.as_ref().map_or(at, |kept| kept[at]);
        ProofRows {
            kept: Some((0..m).map(|i| given(at(i))).collect()),
            y: (0..m).map(|i| self.y[at(i)]).collect(),
            w: vec![1.0; m],
            total: Enclosure::exactly(m as f64),
            ..self.clone()
        }
    }

    /// An input in which (x − m)·2^h is rounded in some row.
    fn first_inexact(&self, centre: &[f64], shifts: &[i32]) -> Option<usize> {
        let factors: Vec<(f64, f64)> = shifts.iter().map(|h| (power_of_two(*h), power_of_two(-h))).collect();
        let is_exact = |j: usize, x: f64| {
            let (difference, lost) = two_sum(x, -centre[j]);
            let scaled = difference * factors[j].0;
            lost == 0.0 && scaled.is_finite() && scaled * factors[j].1 == difference
        };
        let first = |rows: Range<usize>| {
            let inexact = |i: usize| self.raw(i).iter().enumerate().position(|(j, x)| !is_exact(j, *x));
            rows.filter_map(inexact).min()
        };
        tree(self.n(), &first, &|left, right| *left = [*left, right].into_iter().flatten().min())
    }

    /// The number of rows that count.
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The number of inputs.
    pub fn d(&self) -> usize {
        self.given.d
    }

    /// The inputs of row i as given.
    pub fn raw(&self, i: usize) -> &'a [f64] {
        self.given.row(self.kept.as_ref().map_or(i, |kept| kept[i]))
    }

    /// x̂ of row i.
    pub fn row(&self, i: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.d()];
        self.write_row(i, &mut x);
        x
    }

    /// Write x̂ of row i.
    pub fn write_row(&self, i: usize, out: &mut [f64]) {
        let coordinates = self.centre.iter().zip(&self.shifts);
        for ((out, x), (m, h)) in out.iter_mut().zip(self.raw(i)).zip(coordinates) {
            *out = (x - m) * power_of_two(*h);
        }
    }

    /// x̂ of some rows, one after another.
    pub fn block(&self, rows: Range<usize>) -> Vec<f64> {
        let d = self.d();
        let mut out = vec![0.0; rows.len() * d];
        out.chunks_exact_mut(d.max(1)).zip(rows).for_each(|(out, i)| self.write_row(i, out));
        out
    }

    /// x̂ of some rows, input after input: x̂ⱼ of row i at j·stride + i, zero beyond the last row.
    pub fn write_columns(&self, rows: Range<usize>, stride: usize, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.d() * stride, 0.0);
        let factors: Vec<f64> = self.shifts.iter().map(|h| power_of_two(*h)).collect();
        for (at, i) in rows.enumerate() {
            let coordinates = self.raw(i).iter().zip(self.centre.iter().zip(&factors));
            for (j, (x, (m, factor))) in coordinates.enumerate() {
                out[j * stride + at] = (x - m) * factor;
            }
        }
    }

    /// The largest |x̂| of each input.
    pub fn largest(&self) -> Vec<f64> {
        let larger = |most: &mut Vec<f64>, x: &[f64]| {
            most.iter_mut().zip(x).for_each(|(most, x)| *most = most.max(x.abs()));
        };
        let leaf = |rows: Range<usize>| {
            let mut most = vec![0.0; self.d()];
            rows.for_each(|i| larger(&mut most, &self.row(i)));
            most
        };
        tree(self.n(), &leaf, &|most, next| larger(most, &next))
    }

    /// How many values some inputs take together, with `up_to_sign` x and −x as one and zero as none; one more than `most`
    /// when there are more than that.
    pub fn joint_values(&self, inputs: &[usize], up_to_sign: bool, most: usize) -> usize {
        let (mut seen, mut key) = (HashSet::<Vec<u64>>::new(), vec![]);
        for x in (0..self.n()).map(|i| self.raw(i)) {
            let sign = match inputs.iter().map(|&j| x[j]).find(|x| *x != 0.0) {
                _ if !up_to_sign => 1.0,
                Some(first) => first.signum(),
                None => continue,
            };
            key.clear();
            // −0 + 0 = +0: the same number has the same bits.
            key.extend(inputs.iter().map(|&j| (sign * x[j] + 0.0).to_bits()));
            if !seen.contains(&key) {
                seen.insert(key.clone());
            }
            if seen.len() > most {
                break;
            }
        }
        seen.len()
    }

    /// A*(θ) = Σ θᵢ x̂ᵢx̂ᵢᵀ, within (m+2)u Σ|θᵢ|‖x̂ᵢ‖²; of small tables in twice the working precision, since there a θ that
    /// is orthogonal to all products of inputs can be shown to be so up to the rounding of θ itself.
    pub fn outer_sum(&self, theta: &[f64]) -> Ball {
        let (n, d) = (self.n(), self.d());
        if (n * d) as f64 * d as f64 <= MOST_WIDE_PRODUCTS {
            return self.wide_outer_sum(theta);
        }
        let center = self.gram_with(theta);
        // Squares that underflow may meet a large θ.
        let squares = values_of_rows(n, |i| add_up(square(&self.row(i)), mul_up(d as f64, TINY)));
        let size = theta.iter().zip(squares).fold(0.0, |sum, (t, square)| sum + t.abs() * square);
        let largest = self.largest().into_iter().fold(1.0, f64::max);
        let m = gram_roundings(n, d) + 2;
        let relative = mul_up(m as f64 * U, inflated(size, n + d + 8));
        let underflow = mul_up(mul_up(TINY, (n * d) as f64), 4.0 * largest);
        let sound = (m * m) as f64 * U < 1.0;
        Ball { center, radius: if sound { add_up(relative, underflow) } else { f64::NAN } }
    }

    /// The same by compensated sums: what is not known of the entries is bounded one by one, and ‖E‖ ≤ ‖E‖_F.
    fn wide_outer_sum(&self, theta: &[f64]) -> Ball {
        let (n, d) = (self.n(), self.d());
        let rows: Vec<Vec<f64>> = (0..n).map(|i| self.row(i)).collect();
        let (mut center, mut errors) = (Matrix::zeros(d, d), vec![]);
        for a in 0..d {
            let scaled: Vec<(f64, f64)> = theta.iter().zip(&rows).map(|(t, x)| two_product(*t, x[a])).collect();
            for b in 0..=a {
                let mut sum = CompensatedSum::default();
                scaled.iter().zip(&rows).for_each(|(product, x)| sum.add_wide_product(*product, x[b]));
                let (value, error) = sum.value();
                (center[(a, b)], center[(b, a)]) = (value, value);
                errors.extend(std::iter::repeat_n(error, if a == b { 1 } else { 2 }));
            }
        }
        Ball { center, radius: norm_up(errors) }
    }

    /// fl(Σ cᵢ x̂ᵢx̂ᵢᵀ)
    pub fn gram_with(&self, c: &[f64]) -> Matrix {
        weighted_gram(self.n(), self.d(), |range, z, weights| {
            weights.copy_from_slice(&c[range.clone()]);
            z.copy_from_slice(&self.block(range));
        })
    }

    /// (Σ ωᵢ‖x̂ᵢ‖⁴)^½ from above.
    pub fn quartic_norm(&self) -> f64 {
        let up = |i: usize| add_up(inflated(square(&self.row(i)), self.d() + 2), mul_up(self.d() as f64, TINY));
        self.weighted_norm(values_of_rows(self.n(), up))
    }

    /// (Σ ωᵢaᵢ²)^½ from above, for aᵢ of any sign.
    pub fn weighted_norm(&self, a: impl IntoIterator<Item = f64>) -> f64 {
        let sum = a.into_iter().zip(&self.w).fold(0.0, |sum, (a, w)| add_up(sum, mul_up(*w, mul_up(a, a))));
        sqrt_up(div_up(sum, self.total.low))
    }

    /// ωᵢ aᵢ in working precision.
    pub fn weighted(&self, a: &[f64]) -> Vec<f64> {
        a.iter().zip(&self.w).map(|(a, w)| a * w / self.total.high).collect()
    }

    /// How far ωᵢaᵢ may be from what [`ProofRows::weighted`] makes of it: three roundings, the width of N, and underflow.
    pub fn weighting_error(&self, weighted: f64) -> f64 {
        let Enclosure { low, high } = self.total;
        let doubt = if low == high { 0.0 } else { mul_up(1.01, div_up(add_up(high, -low), low)) };
        add_up(mul_up(3.0 * U + doubt, weighted.abs()), TINY.max(div_up(TINY, low)))
    }
}

fn square(x: &[f64]) -> f64 {
    plain_dot(x, x)
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
