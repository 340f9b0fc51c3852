//! Sums of products of doubles without any rounding.
//!
//! A product of two doubles is the sum of two [Dekker], so a product of five is the sum of sixteen. They are added to an
//! expansion, a sum of doubles that do not overlap, smallest first, which is zero only if every part is [Shewchuk 1997, Theorem 10].
//!
//! **Range.** If factors are whole multiples of 2^a and 2^b, so are the parts into which they are split, and all that comes up in their product is a whole
//! multiple of 2^(a+b): nothing is lost while that is at least 2⁻¹⁰⁷⁴ and everything stays below 1.3·10³⁰⁰, where nothing overflows. That is checked for
//! the first two, three, … factors; other sums are unknown. A sum itself that overflows becomes NaN, which is not zero.

use super::{exponent, two_product, two_sum};

/// The most factors of a product.
const MOST_FACTORS: usize = 5;
/// The most doubles whose sum such a product is.
const MOST_PARTS: usize = 1 << (MOST_FACTORS - 1);
/// 2²⁷ + 1 times this is a double.
const LARGEST: f64 = 1.3e300;
/// The exponent of the least double.
const LEAST_BIT: i32 = -1074;

/// A sum without rounding.
///
/// ```
/// use shallows_verify::arithmetic::ExactSum;
///
/// let mut sum = ExactSum::default();
/// sum.add_product(&[0.1, 3.0]);
/// sum.add_product(&[-0.3, 1.0]);
/// assert!(!sum.is_zero() && sum.is_not_zero(), "the doubles 0.1 and 0.3 are no tenths");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ExactSum {
    /// Not overlapping, smallest first, none zero.
    parts: Vec<f64>,
    /// Whether something out of range was added.
    is_unknown: bool,
}

impl ExactSum {
    /// Add the product of one to five factors.
    pub fn add_product(&mut self, factors: &[f64]) {
        if factors.contains(&0.0) {
            self.is_unknown |= factors.iter().any(|x| !x.is_finite());
            return;
        }
        if factors.len() > MOST_FACTORS || !is_exact(factors) {
            self.is_unknown = true;
            return;
        }
        let (mut parts, mut count) = ([1.0; MOST_PARTS], 0);
        for factor in factors {
            if count == 0 {
                (parts[0], count) = (*factor, 1);
                continue;
            }
            for at in (0..count).rev() {
                (parts[2 * at], parts[2 * at + 1]) = two_product(parts[at], *factor);
            }
            count *= 2;
        }
        parts[..count].iter().filter(|part| **part != 0.0).for_each(|part| self.add(*part));
    }

    fn add(&mut self, mut carry: f64) {
        for part in &mut self.parts {
            (carry, *part) = two_sum(carry, *part);
        }
        self.parts.push(carry);
        self.parts.retain(|part| *part != 0.0);
    }

    /// Nothing added yet.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.is_unknown = false;
    }

    fn is_known(&self) -> bool {
        !self.is_unknown && self.parts.iter().all(|part| part.is_finite())
    }

    /// Whether the sum is proved to be zero.
    pub fn is_zero(&self) -> bool {
        !self.is_unknown && self.parts.is_empty()
    }

    /// Whether the sum is proved not to be zero.
    pub fn is_not_zero(&self) -> bool {
        self.is_known() && !self.parts.is_empty()
    }
}

/// Whether nothing is lost in a product of these factors, none of which is zero.
fn is_exact(factors: &[f64]) -> bool {
    let (mut bit, mut size) = (0, 1.0);
    factors.iter().all(|x| {
        bit += last_bit(*x);
        size *= x.abs();
        // A size that is rounded to zero has a last bit that is too small.
        x.abs() < LARGEST && size < LARGEST && bit >= LEAST_BIT
    })
}

/// The e of the last bit of a double that is not zero: it is an odd multiple of 2^e.
fn last_bit(x: f64) -> i32 {
    let mantissa = x.to_bits() & ((1 << 52) - 1);
    let (mantissa, unit) = if x.is_normal() { (mantissa | 1 << 52, exponent(x) - 52) } else { (mantissa, LEAST_BIT) };
    unit + mantissa.trailing_zeros() as i32
}

/// Whether ab = cd exactly; false where that cannot be told.
pub fn equal_products((a, b): (f64, f64), (c, d): (f64, f64)) -> bool {
    let mut sum = ExactSum::default();
    sum.add_product(&[a, b]);
    sum.add_product(&[-c, d]);
    sum.is_zero()
}

#[cfg(test)]
mod tests {
    use super::super::power_of_two;
    use super::*;

    #[test]
    fn exact_sums_agree_with_whole_numbers() {
        let mut state = 5_u64;
        let mut next = |bits: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as i64 % (1_i64 << bits)) - (1_i64 << (bits - 1))
        };
        let mut zeros = 0;
        for _ in 0..3000 {
            let (mut sum, mut exact) = (ExactSum::default(), 0_i128);
            let scale = power_of_two((next(8)) as i32);
            let mut add = |sum: &mut ExactSum, factors: Vec<i64>| {
                exact += factors.iter().map(|x| i128::from(*x)).product::<i128>();
                let numbers: Vec<f64> = factors.iter().map(|x| *x as f64 * scale).collect();
                sum.add_product(&numbers);
            };
            let terms: Vec<Vec<i64>> = (0..4).map(|_| (0..4).map(|_| next(24)).collect()).collect();
            terms.iter().for_each(|term| add(&mut sum, term.clone()));
            let cancel = next(2) < 0;
            for term in terms.iter().rev().filter(|_| cancel) {
                add(&mut sum, vec![-term[3], term[1], term[0], term[2]]);
            }
            assert_eq!((sum.is_zero(), sum.is_not_zero()), (exact == 0, exact != 0));
            zeros += usize::from(sum.is_zero());
        }
        assert!(zeros > 500, "{zeros}");
    }

    #[test]
    fn what_is_out_of_range_is_neither_zero_nor_not() {
        for factors in [[1e-200, 1e-200], [1e200, 1e200], [5e-324, 0.5], [f64::INFINITY, 0.0], [f64::NAN, 1.0]] {
            let mut sum = ExactSum::default();
            sum.add_product(&factors);
            sum.add_product(&[-factors[0], factors[1]]);
            assert!(!sum.is_zero() && !sum.is_not_zero(), "{factors:?}");
        }
    }

    fn is_zero(terms: &[(i64, f64)]) -> bool {
        let mut sum = ExactSum::default();
        terms.iter().for_each(|(p, x)| sum.add_product(&[*p as f64, *x]));
        sum.is_zero()
    }

    #[test]
    fn sums_of_whole_multiples_are_zero_only_if_they_are_exactly() {
        let largest = 1_i64 << 53;
        assert!(is_zero(&[]));
        assert!(is_zero(&[(3, 0.1), (-3, 0.1)]));
        assert!(!is_zero(&[(3, 0.1), (-1, 0.3)]), "0.1 is above a tenth");
        assert!(is_zero(&[(1, 1e300), (1, 1.0), (-1, 1e300), (-1, 1.0)]));
        assert!(!is_zero(&[(1, 1e300), (1, 5e-324), (-1, 1e300)]));
        // The least floats, times the largest whole numbers.
        assert!(is_zero(&[(largest, 5e-324), (-largest / 2, 1e-323)]));
        assert!(!is_zero(&[(largest, 5e-324), (1 - largest, 5e-324)]));
        let x = 1.0 + f64::EPSILON;
        assert!(is_zero(&[(largest - 1, x), (1 - largest, 1.0), (1 - largest, f64::EPSILON)]));
        assert!(!is_zero(&[(largest - 1, x), (1 - largest, 1.0), (2 - largest, f64::EPSILON)]));
        // What overflows is not known.
        assert!(!is_zero(&[(1, f64::MAX), (-1, f64::MAX)]));
        assert!(!is_zero(&[(1, f64::INFINITY), (1, 0.0)]));
    }
}
