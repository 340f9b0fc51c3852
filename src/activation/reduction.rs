//! Reduction modulo π/2 of arguments too large for a few-part π (Payne and Hanek), exact for every double.
//!
//! With |x| = m·2ᵉ, m an integer, only the digits of 2/π around the e-th matter: those before contribute multiples of
//! 4 to x·2/π, those 192 places after contribute less than 2⁻¹³⁰. No double comes nearer to a multiple of π/2 than
//! 2⁻⁶², so the remainder keeps more than 60 correct digits.

use std::f64::consts::FRAC_PI_2;

use super::arithmetic::{fast_two_sum, scaled, two_product};

/// 64 zeros, then the binary digits of 2/π.
const TWO_OVER_PI: [u64; 22] = [
    0x0000000000000000,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
    0xa9e391615ee61b08,
];
/// π/2 − fl(π/2), from 40 digits of π.
const HALF_PI_LOW: f64 = 6.123233995736766e-17;
/// The bits below the exponent of a double.
const MANTISSA_BITS: i64 = 52;

/// n mod 4 and r = (high, low) with x = nπ/2 + r, |r| ≤ π/4, for finite |x| ≥ 2²⁰.
pub(super) fn reduce(x: f64) -> (u64, f64, f64) {
    let exponent = ((x.to_bits() >> MANTISSA_BITS) & 0x7ff) as i64 - 1023 - MANTISSA_BITS;
    let mantissa = (x.to_bits() & ((1 << MANTISSA_BITS) - 1)) | (1 << MANTISSA_BITS);
    // |x|·2/π modulo 4, in units of 2⁻¹⁹⁰.
    let product = times(window((exponent + 62) as usize), mantissa);
    let quadrant = (product[0] >> 62) + ((product[0] >> 61) & 1);
    let above = product[0] >> 61 & 1 == 1;
    let fraction = [product[0] & (u64::MAX >> 2), product[1], product[2]];
    let (high, low) = if above { magnitude(complement(fraction)) } else { magnitude(fraction) };
    let (r, error) = two_product::<false>(high, FRAC_PI_2);
    let (r, r_low) = fast_two_sum(r, error + (high * HALF_PI_LOW + low * FRAC_PI_2));
    let sign = if above { -1.0 } else { 1.0 };
    if x < 0.0 {
        (quadrant.wrapping_neg() & 3, -sign * r, -sign * r_low)
    } else {
        (quadrant & 3, sign * r, sign * r_low)
    }
}

/// 192 digits of [`TWO_OVER_PI`] from the given place on, the most significant word first.
fn window(place: usize) -> [u64; 3] {
    let (word, shift) = (place / 64, place % 64);
    std::array::from_fn(|i| {
        let next = if shift == 0 { 0 } else { TWO_OVER_PI[word + i + 1] >> (64 - shift) };
        TWO_OVER_PI[word + i] << shift | next
    })
}

/// x·m modulo 2¹⁹².
fn times(x: [u64; 3], m: u64) -> [u64; 3] {
    let low = u128::from(x[2]) * u128::from(m);
    let middle = u128::from(x[1]) * u128::from(m) + (low >> 64);
    [x[0].wrapping_mul(m).wrapping_add((middle >> 64) as u64), middle as u64, low as u64]
}

/// 2¹⁹⁰ − x.
fn complement(x: [u64; 3]) -> [u64; 3] {
    let (low, borrow) = 0u64.overflowing_sub(x[2]);
    let (middle, borrow_1) = 0u64.overflowing_sub(x[1]);
    let (middle, borrow_2) = middle.overflowing_sub(u64::from(borrow));
    [(1u64 << 62).wrapping_sub(x[0]).wrapping_sub(u64::from(borrow_1 | borrow_2)), middle, low]
}

/// x·2⁻¹⁹⁰ as a sum of two doubles.
fn magnitude(x: [u64; 3]) -> (f64, f64) {
    let (x, skipped) = if x[0] == 0 { ([x[1], x[2], 0], 64) } else { (x, 0) };
    let zeros = x[0].leading_zeros();
    let digits = (u128::from(x[0]) << 64 | u128::from(x[1])) << zeros | u128::from(x[2]) << zeros >> 64;
    let high = (digits >> 75) as f64;
    let low = (digits & ((1 << 75) - 1)) as f64;
    // 53 digits above 75 others: together 128, of which 126 stand after the point.
    let exponent = -126 - skipped - i64::from(zeros);
    fast_two_sum(scaled(high, exponent + 75), scaled(low, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_double_nearest_to_a_multiple_of_half_pi_is_reduced_correctly() {
        // x = 6381956970095103·2⁷⁹⁷; the remainder has been computed with 400 digits.
        let x = 6_381_956_970_095_103.0 * 2f64.powi(797);
        let (quadrant, r, low) = reduce(x);
        assert_eq!((quadrant, r), (1, 4.687165924254628e-19));
        assert!(low.abs() <= 0.5 * f64::EPSILON * r.abs());
        assert_eq!(reduce(-x), (3, -r, -low));
    }

    #[test]
    fn small_multiples_agree_with_a_direct_reduction() {
        for n in [1_300_001u64, 1_300_002, 1_300_003, 1_300_004] {
            let x = n as f64 * FRAC_PI_2;
            let (quadrant, r, _) = reduce(x);
            // n·π/2 rounded to double, minus n·π/2.
            let (product, error) = two_product::<false>(n as f64, FRAC_PI_2);
            let expected = -error - n as f64 * HALF_PI_LOW;
            assert_eq!((product, quadrant), (x, n % 4));
            assert!((r - expected).abs() < 1e-24, "{r} not {expected}");
        }
    }
}
