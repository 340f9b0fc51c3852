//! Error-free transformations: a rounded result together with its exact rounding error.
//!
//! Everything here is branch-free and generic over `FMA`. Where the processor has a fused multiply–add the error of a
//! product is one instruction; elsewhere it takes Dekker's splitting, which is exact as long as |a|, |b| < 2⁹⁹⁵ and the
//! product is zero or above 2⁻⁹⁶⁰. Callers that leave this range must not rely on the second component.

/// 2²⁷ + 1: multiplying by it splits a double into two halves of 26 bits (Veltkamp).
const SPLITTER: f64 = 134_217_729.0;

/// a·b + c, with one rounding when `FMA`, with two otherwise.
#[inline(always)]
pub(crate) fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// a + b and its rounding error, for any a and b whose sum does not overflow.
#[inline(always)]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// a + b and its rounding error, for |a| ≥ |b| or a = 0.
#[inline(always)]
pub(super) fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// a·b and its rounding error.
#[inline(always)]
pub(crate) fn two_product<const FMA: bool>(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    if FMA {
        return (product, a.mul_add(b, -product));
    }
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

/// `then` where the condition holds, `otherwise` where not; compiles to a blend.
#[inline(always)]
pub(crate) fn select(condition: bool, then: f64, otherwise: f64) -> f64 {
    if condition { then } else { otherwise }
}

/// Σ c_i xⁱ by Horner's rule.
#[inline(always)]
pub(crate) fn horner<const FMA: bool, const N: usize>(x: f64, c: &[f64; N]) -> f64 {
    let mut sum = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = fma::<FMA>(sum, x, c[i]);
    }
    sum
}

/// m·2ᵉ with a single rounding for m of moderate size: saturates to ±∞ and passes through the subnormals.
pub(super) fn scaled(m: f64, e: i64) -> f64 {
    let step = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
    // |m| < 2¹⁰⁰⁰ keeps m·2^(first) normal unless the final result vanishes or overflows anyway.
    let e = e.clamp(-2400, 2400);
    let (first, rest) = (e / 3, e - e / 3);
    m * step(first) * step(rest / 2) * step(rest - rest / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_an_exact_product_agree() {
        let mut x = 0.1;
        for _ in 0..1000 {
            x = (x * 1.37 + 0.61) % 9.7;
            let y = 1.0 / (x + 0.3) * 1e40;
            assert_eq!(two_product::<true>(x, y), two_product::<false>(x, y));
        }
    }

    #[test]
    fn a_sum_and_its_error_lose_nothing() {
        assert_eq!(two_sum(1.0, 1e-30), (1.0, 1e-30));
        assert_eq!(two_sum(1e-30, -1.0), (-1.0, 1e-30));
        assert_eq!(fast_two_sum(3.0, f64::EPSILON), (3.0, f64::EPSILON));
    }

    #[test]
    fn scaling_saturates_and_rounds_once() {
        assert_eq!(scaled(1.5, 4), 24.0);
        assert_eq!(scaled(-1.5, 60_000), f64::NEG_INFINITY);
        assert_eq!(scaled(1.5, -60_000), 0.0);
        // 1.5·2⁻¹⁰⁷⁴ is a tie between the two least subnormals and goes to the even one.
        assert_eq!(scaled(1.5, -1074), 1e-323);
        assert_eq!(scaled(1.0 + f64::EPSILON, -1075), 5e-324);
    }
}
