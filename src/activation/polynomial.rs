//! αz² + βz + γ, within 4 ulp everywhere.
//!
//! A polynomial next to one of its roots is a small difference of large terms. Every product and sum is therefore
//! carried to twice the working precision. Points where that could fail (terms that cancel to less than 2⁻⁴⁰ of their
//! size, arguments near the ends of the range) go to exact arithmetic.

use super::arithmetic::{fma, scaled, two_product, two_sum};
use super::exact::{ExactSum, mantissa_and_exponent};
use super::jets::{Jet, constant};

/// αz²: no cancellation, hence no care.
pub(super) struct Square {
    pub(super) alpha: f64,
}

impl Jet for Square {
    const CHEAP: bool = true;

    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        // (αz)z, not α(z²): z² may overflow where αz² does not.
        ([self.alpha * z * z, 2.0 * self.alpha * z, constant(2.0 * self.alpha, z)], false)
    }
}

/// αz² + βz + γ
pub(super) struct QuadraticPolynomial {
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) gamma: f64,
}

/// Between these |z|, with coefficients in the range `FromStr` allows, no error term underflows and nothing overflows.
const PLAIN: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
/// Terms that cancel to less than this part of their size go to exact arithmetic.
const CANCELLATION: f64 = 1.0 / (1u64 << 40) as f64;

impl Jet for QuadraticPolynomial {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let QuadraticPolynomial { alpha, beta, gamma } = *self;
        let (product, product_low) = two_product::<FMA>(alpha, z);
        let (inner, inner_low) = two_sum(product, beta);
        let (outer, outer_low) = two_product::<FMA>(inner, z);
        let (sum, sum_low) = two_sum(outer, gamma);
        let value = sum + (fma::<FMA>(product_low + inner_low, z, outer_low) + sum_low);
        let (slope, slope_low) = two_sum(2.0 * product, beta);
        let slope = slope + (slope_low + 2.0 * product_low);
        let size = (product * z).abs() + (beta * z).abs() + gamma.abs();
        let distance = z.abs();
        let outside = (distance > *PLAIN.end()) | ((distance < *PLAIN.start()) & (distance > 0.0));
        ([value, slope, constant(2.0 * alpha, z)], outside | (value.abs() < CANCELLATION * size))
    }

    #[cold]
    fn rescue<const FMA: bool>(&self, z: f64) -> [f64; 3] {
        let QuadraticPolynomial { alpha, beta, gamma } = *self;
        [exact_quadratic(alpha, beta, gamma, z), exact_quadratic(0.0, 2.0 * alpha, beta, z), 2.0 * alpha]
    }
}

/// αz² + βz + γ from exact products and an exact sum.
///
/// Terms are scaled by the exponent of the largest. One that is 600 binary orders smaller matters only if the others
/// cancel exactly: two terms that cancel leave nothing or more than 2⁻²⁰⁰ of their size.
fn exact_quadratic(alpha: f64, beta: f64, gamma: f64, z: f64) -> f64 {
    const NEGLIGIBLE: i64 = 600;
    if z == 0.0 || alpha == 0.0 && beta == 0.0 {
        return gamma;
    }
    if z.is_infinite() {
        return if alpha != 0.0 { alpha * f64::INFINITY } else { beta * z };
    }
    let (m, e) = mantissa_and_exponent(z);
    let terms = [(alpha, 2), (beta, 1), (gamma, 0)].map(|(coefficient, power)| {
        let (mantissa, exponent) =
            if coefficient == 0.0 { (0.0, i64::MIN / 2) } else { mantissa_and_exponent(coefficient) };
        (mantissa, power, exponent + power * e)
    });
    let top = terms.iter().map(|term| term.2).max().unwrap_or(0);
    let near = |term: &(f64, i64, i64)| top - term.2 <= NEGLIGIBLE;
    let mut sum = ExactSum::default();
    for (mantissa, power, exponent) in terms.into_iter().filter(near) {
        sum.add_product(scaled(mantissa, exponent - top), m, power);
    }
    // The second part decides ties that the first, an ulp from the truth, cannot.
    let [high, low] = sum.leading();
    match high + low {
        0.0 => {
            let far = |k: usize| if near(&terms[k]) { 0.0 } else { [alpha, beta, gamma][k] };
            if near(&terms[0]) && near(&terms[1]) && near(&terms[2]) {
                0.0
            } else {
                exact_quadratic(far(0), far(1), far(2), z)
            }
        }
        total => scaled(total, top),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_quadratics_find_what_remains_when_the_large_terms_cancel() {
        // z² − 2z + 1 at 1 + 2⁻⁵² is 2⁻¹⁰⁴.
        assert_eq!(exact_quadratic(1.0, -2.0, 1.0, 1.0 + f64::EPSILON), f64::EPSILON * f64::EPSILON);
        // The first two terms cancel exactly, the third is 660 binary orders below them.
        assert_eq!(exact_quadratic(1e100, -1e100, 3e-100, 1.0), 3e-100);
        let z = 2f64.powi(600);
        assert_eq!(exact_quadratic(1.0, -z, 7.0, z), 7.0);
        assert_eq!(exact_quadratic(1.0, 1.0, 0.0, f64::MAX), f64::INFINITY);
        assert_eq!(exact_quadratic(1.0, 0.0, 0.0, 0.0), 0.0);
    }
}
