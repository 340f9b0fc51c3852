//! Sums of products of doubles without any rounding.
//!
//! A product of two doubles is the sum of two [Dekker], so a product of five is the sum of sixteen. They are added to an
//! expansion, a sum of doubles that do not overlap, smallest first, which is zero only if every part is [Shewchuk 1997, Theorem 10].
//!
//! **Range.** Nothing is lost while no product is subnormal and none overflows. Factors, and products of the first two, three, …
//! of them, are accepted only between 2⁻⁶⁰⁰ and 2⁶⁰⁰ in size. What is split off a product of m factors is a whole multiple of the
//! product of their last bits, so at least 2⁻⁶⁰⁰⁻⁵³ᵐ, and the least part of it for m ≤ 5 is above 2⁻⁹²⁰. Other sums are unknown.

use super::{power_of_two, two_product, two_sum};

/// The most factors of a product.
const MOST_FACTORS: usize = 5;

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
        let range = power_of_two(-600)..power_of_two(600);
        let mut prefix = 1.0;
        let in_range = factors.iter().all(|x| {
            prefix *= x.abs();
            range.contains(&x.abs()) && range.contains(&prefix)
        });
        if !in_range || factors.len() > MOST_FACTORS {
            self.is_unknown = true;
            return;
        }
        let mut product = vec![1.0];
        for factor in factors {
            product = product.iter().flat_map(|part| <[f64; 2]>::from(two_product(*part, *factor))).collect();
            product.retain(|part| *part != 0.0);
        }
        product.into_iter().for_each(|part| self.add(part));
    }

    fn add(&mut self, mut carry: f64) {
        for part in &mut self.parts {
            (carry, *part) = two_sum(carry, *part);
        }
        self.parts.push(carry);
        self.parts.retain(|part| *part != 0.0);
    }

    /// Whether the sum is proved to be zero.
    pub fn is_zero(&self) -> bool {
        !self.is_unknown && self.parts.is_empty()
    }

    /// Whether the sum is proved not to be zero.
    pub fn is_not_zero(&self) -> bool {
        !self.is_unknown && !self.parts.is_empty()
    }
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
        for factors in [[1e-200, 1e-200], [1e200, 1e200], [5e-324, 1.0], [f64::INFINITY, 0.0], [f64::NAN, 1.0]] {
            let mut sum = ExactSum::default();
            sum.add_product(&factors);
            sum.add_product(&[-factors[0], factors[1]]);
            assert!(!sum.is_zero() && !sum.is_not_zero(), "{factors:?}");
        }
    }
}
