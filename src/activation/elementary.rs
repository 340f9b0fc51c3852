//! The exponential, log(1 + u), sine, cosine and error functions, as branch-free bodies the compiler can vectorise.
//!
//! Each function reduces its argument to a short interval and evaluates one polynomial there. Bounds on the errors of
//! the polynomials stand above their coefficients, which tests/references/make_polynomials.py derives. An exponential is kept as
//! a mantissa and two powers of two, so that a factor such as 1/b can be applied before the result enters the
//! subnormal range: every value is rounded there once.

use std::f64::consts::{FRAC_2_PI, FRAC_2_SQRT_PI, LOG2_E};

use super::arithmetic::{fast_two_sum, fma, horner, select, two_product, two_sum};
use super::reduction::reduce;

/// 3·2⁵¹: adding it to |x| < 2⁵¹ rounds x to an integer, which then stands in the low bits.
pub(crate) const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// The bias of the exponent of a double.
const BIAS: u64 = 1023;
/// The number of bits below the exponent of a double.
const MANTISSA_BITS: u32 = 52;
/// e^x vanishes below, even after multiplication by 10²⁰⁰, the square of the largest sharpness.
const EXPONENTIAL_VANISHES: f64 = -1300.0;
/// ln 2: the first part has 38 bits, so that its product with an exponent is exact.
const LN2: [f64; 2] = [0.6931471805582987, 1.6465949582897082e-12];
/// π/2: the first three parts have 33 bits, so that their products with integers up to 2²⁰ are exact.
const HALF_PI: [f64; 4] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];
/// Up to here |x| is reduced modulo π/2 by [`HALF_PI`]: the multiple stays below 2²⁰.
pub(super) const REDUCTION_LIMIT: f64 = 1_600_000.0;
/// Below, erf is a polynomial; above, one minus a tail.
pub(crate) const ERF_NEAR: f64 = 0.65;
/// The centre of the map that carries x ≥ 0 to −1 ≤ y ≤ 1 in [`scaled_erfc`].
pub(crate) const SCALED_ERFC_CENTRE: f64 = 3.0;

/// (eʳ − 1 − r)/r² on |r| ≤ ln2/2; error 2.6e-18.
const EXPONENTIAL: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326141,
    0.0013888888888883752,
    0.00019841269874802504,
    2.48015873255348e-05,
    2.755725542319278e-06,
    2.755727365952505e-07,
    2.5105207436985358e-08,
    2.091468013569995e-09,
];

/// (atanh(√s)/√s − 1)/s on 0 ≤ s ≤ 1/9; error 2.1e-17.
const LOGARITHM: [f64; 11] = [
    0.3333333333333333,
    0.19999999999999762,
    0.1428571428580005,
    0.11111111099118386,
    0.09090909948981357,
    0.07692271982430275,
    0.06667589315724629,
    0.05867139530651599,
    0.05422589197440007,
    0.03746071897775383,
    0.07815288900461426,
];

/// (sin(√s)/√s − 1)/s on 0 ≤ s ≤ (π/4)²; error 9.3e-18.
const SINE: [f64; 7] = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.00019841269841265065,
    2.7557319219338794e-06,
    -2.505210623231864e-08,
    1.605853159854918e-10,
    -7.586695912998733e-13,
];

/// (cos(√s) − 1 + s/2)/s² on 0 ≤ s ≤ (π/4)²; error 2.3e-18.
const COSINE: [f64; 7] = [
    0.041666666666666664,
    -0.0013888888888888887,
    2.4801587301584645e-05,
    -2.755731922140262e-07,
    2.087675579100874e-09,
    -1.1470460876247423e-11,
    4.745871232247433e-14,
];

/// erf(√s)/√s on 0 ≤ s ≤ 0.65²; error 1.5e-17.
pub(crate) const ERF: [f64; 11] = [
    FRAC_2_SQRT_PI,
    -0.3761263890318375,
    0.11283791670954922,
    -0.026866170645055833,
    0.005223977624011282,
    -0.0008548326864938173,
    0.0001205532202098794,
    -1.4925162650006643e-05,
    1.644812562737759e-06,
    -1.6114976987186543e-07,
    1.2220982889794602e-08,
];

/// (1 + 2x)·e^(x²)·erfc(x) in y = (x − 3.0)/(x + 3.0) for every x ≥ 0; error 5.6e-17.
pub(crate) const SCALED_ERFC: [f64; 25] = [
    1.2530080582697296,
    -0.13562110612458117,
    -0.04756229435345087,
    0.1296451587027606,
    -0.11927366341530699,
    0.06830802734397848,
    -0.023770514918645888,
    0.002529391816066239,
    0.0018886903591561553,
    -0.0007798322721083991,
    -0.00010515979981501177,
    0.00012509935235563107,
    4.949484992570595e-06,
    -2.0100567931289227e-05,
    -7.315105164159062e-07,
    3.472414602875686e-06,
    3.5683839153992204e-07,
    -6.166496077604353e-07,
    -1.4160064940265987e-07,
    1.0187000600072885e-07,
    4.180784698845582e-08,
    -1.3326364813003834e-08,
    -8.500397929772615e-09,
    9.885798831139365e-10,
    8.864219016427092e-10,
];

/// e^x = (1 + q)·2ⁱ·2ʲ with |q| < 0.42.
#[derive(Clone, Copy)]
pub(super) struct Exponential {
    /// e^r − 1, accurate relative to itself.
    q: f64,
    /// The rounding error of `q`.
    q_low: f64,
    /// 2ⁱ
    first: f64,
    /// 2ʲ
    second: f64,
}

impl Exponential {
    /// e^(x + low) for x ≤ 0 and |low| ≤ ulp(x).
    #[inline(always)]
    pub(super) fn new<const FMA: bool>(x: f64, low: f64) -> Self {
        let x = select(x < EXPONENTIAL_VANISHES, EXPONENTIAL_VANISHES, x);
        let shifted = fma::<FMA>(x, LOG2_E, ROUNDER);
        let n = shifted - ROUNDER;
        let r = fma::<FMA>(-n, LN2[0], x);
        let (r, r_low) = fast_two_sum(r, fma::<FMA>(-n, LN2[1], low));
        let (q, q_low) = fast_two_sum(r, fma::<FMA>(r * r, horner::<FMA, _>(r, &EXPONENTIAL), r_low));
        // n stands in the low bits; only twelve of them survive in `power_of_two`.
        let half = shifted.to_bits() >> 1;
        let rest = shifted.to_bits().wrapping_sub(half);
        Exponential { q, q_low, first: power_of_two(half), second: power_of_two(rest) }
    }

    /// factor·e^x, rounded once where it is subnormal.
    #[inline(always)]
    pub(super) fn times<const FMA: bool>(self, factor: f64) -> f64 {
        fma::<FMA>(self.q, factor, factor) * self.first * self.second
    }

    /// e^x.
    #[inline(always)]
    pub(super) fn value(self) -> f64 {
        (1.0 + self.q) * self.first * self.second
    }

    /// 1 − e^x and its rounding error, accurate relative to itself.
    #[inline(always)]
    pub(super) fn complement(self) -> (f64, f64) {
        let scale = self.first * self.second;
        // q·2ᵏ is exact, and 1 − 2ᵏ is the larger of the two unless it is 0.
        let (high, low) = fast_two_sum(1.0 - scale, -scale * self.q);
        (high, low - scale * self.q_low)
    }
}

/// e^x is no longer a normal number below.
const SMALLEST_NORMAL: f64 = -708.0;

/// e^x for x ≤ 0, within 2 units in the last place; below e⁻⁷⁰⁸ it is e⁻⁷⁰⁸. Half the work of [`Exponential`], for
/// kernels, where more digits mean nothing and subnormal numbers are as good as 0.
#[inline(always)]
pub(crate) fn exponential_of_negative<const FMA: bool>(x: f64) -> f64 {
    let x = select(x < SMALLEST_NORMAL, SMALLEST_NORMAL, x);
    let shifted = fma::<FMA>(x, LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let r = fma::<FMA>(-n, LN2[1], fma::<FMA>(-n, LN2[0], x));
    let q = fma::<FMA>(r * r, horner::<FMA, _>(r, &EXPONENTIAL), r);
    (1.0 + q) * power_of_two(shifted.to_bits())
}

/// 2ⁿ from an integer that is n modulo 2¹².
#[inline(always)]
fn power_of_two(n: u64) -> f64 {
    f64::from_bits(n.wrapping_add(BIAS) << MANTISSA_BITS)
}

/// log(1 + u)/u for 0 ≤ u ≤ 1.
///
/// With w = 1/(2 + u) and t = uw, log(1 + u) = 2 atanh t = 2t + 2t³P(t²) and 2t = u − ut.
#[inline(always)]
pub(super) fn log1p_ratio<const FMA: bool>(u: f64) -> f64 {
    let w = 1.0 / (2.0 + u);
    let t = u * w;
    let s = t * t;
    1.0 - fma::<FMA>(-2.0 * w * s, horner::<FMA, _>(s, &LOGARITHM), t)
}

/// sin x and cos x for |x| ≤ [`REDUCTION_LIMIT`].
#[inline(always)]
pub(super) fn sine_cosine<const FMA: bool>(x: f64) -> (f64, f64) {
    let shifted = fma::<FMA>(x, FRAC_2_PI, ROUNDER);
    let n = shifted - ROUNDER;
    let (r, low_1) = two_sum(fma::<FMA>(-n, HALF_PI[0], x), -n * HALF_PI[1]);
    let (r, low_2) = two_sum(r, -n * HALF_PI[2]);
    let (r, low) = fast_two_sum(r, (low_1 + low_2) - n * HALF_PI[3]);
    reduced_sine_cosine::<FMA>(shifted.to_bits(), r, low)
}

/// sin x and cos x for every other finite x.
pub(super) fn far_sine_cosine(x: f64) -> (f64, f64) {
    let (quadrant, r, low) = reduce(x);
    reduced_sine_cosine::<false>(quadrant, r, low)
}

/// The sine and cosine of nπ/2 + r + low for |r| ≤ π/4, n given modulo 4.
#[inline(always)]
fn reduced_sine_cosine<const FMA: bool>(quadrant: u64, r: f64, low: f64) -> (f64, f64) {
    let s = r * r;
    let sine = r + fma::<FMA>(r * s, horner::<FMA, _>(s, &SINE), low);
    // 1 − s/2 with its rounding error, then the rest of the series at r + low.
    let (top, error) = fast_two_sum(1.0, -0.5 * s);
    let cosine = top + (fma::<FMA>(s * s, horner::<FMA, _>(s, &COSINE), -r * low) + error);
    let swap = quadrant & 1 == 1;
    let sine_sign = (quadrant & 2) << 62;
    let cosine_sign = (quadrant.wrapping_add(1) & 2) << 62;
    (flip(select(swap, cosine, sine), sine_sign), flip(select(swap, sine, cosine), cosine_sign))
}

#[inline(always)]
fn flip(x: f64, sign: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ sign)
}

/// t² as (high, low), and e^(−t²·scale) from both parts, for t ≥ 0 and a power of two as scale.
#[inline(always)]
pub(super) fn gaussian<const FMA: bool>(t: f64, scale: f64) -> ((f64, f64), Exponential) {
    let (high, low) = two_product::<FMA>(t, t);
    ((high, low), Exponential::new::<FMA>(-scale * high, -scale * low))
}

/// e^(x²)·erfc(x) for x ≥ 0.
#[inline(always)]
pub(super) fn scaled_erfc<const FMA: bool>(x: f64) -> f64 {
    let y = (x - SCALED_ERFC_CENTRE) / (x + SCALED_ERFC_CENTRE);
    horner::<FMA, _>(y, &SCALED_ERFC) / fma::<FMA>(2.0, x, 1.0)
}

/// erf(t) for 0 ≤ t < [`ERF_NEAR`].
#[inline(always)]
pub(super) fn erf_near<const FMA: bool>(t: f64) -> f64 {
    t * horner::<FMA, _>(t * t, &ERF)
}

/// erf(t) for t ≥ 0, given e^(−t²).
#[inline(always)]
pub(super) fn erf<const FMA: bool>(t: f64, gaussian: Exponential) -> f64 {
    let far = 1.0 - gaussian.times::<FMA>(scaled_erfc::<FMA>(t));
    select(t < ERF_NEAR, erf_near::<FMA>(t), far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_of_kernels_is_within_two_units_in_the_last_place() {
        for step in 0..70_000 {
            let x = -f64::from(step) / 100.0;
            for value in [exponential_of_negative::<true>(x), exponential_of_negative::<false>(x)] {
                assert!((value - x.exp()).abs() <= 2.0 * f64::EPSILON * x.exp(), "{x}");
            }
        }
        assert_eq!(exponential_of_negative::<true>(0.0), 1.0);
        assert!(exponential_of_negative::<true>(f64::NEG_INFINITY) < 1e-300);
    }
}
