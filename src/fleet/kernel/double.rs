//! The constants of double precision: some are those of the activations' own kernels, the others are derived by
//! tests/references/make_polynomials.py.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, SQRT_2};

use super::vector::{Numbers, Real};
use crate::activation::{ERF, ERF_NEAR, ROUNDER, SCALED_ERFC, SCALED_ERFC_CENTRE};

/// The bits below the exponent.
const MANTISSA_BITS: u32 = 52;
/// The exponent of 1.
const BIAS: u64 = 1023;
/// 2 to this power is small against every rounding error, and not yet subnormal.
const LEAST_EXPONENT: f64 = -1020.0;
/// Beyond, erf is ±1 and its slope vanishes; up to here e^(−x²) is not subnormal.
const ERF_FAR: f64 = 26.0;

/// (2ᶠ − 1)/f on |f| ≤ ½; error 4.0e-17.
const EXPONENTIAL: [f64; 11] = [
    LN_2,
    0.24022650695910097,
    0.0555041086648216,
    0.009618129107606888,
    0.0013333558146416936,
    0.0001540353044173605,
    1.525273382983612e-05,
    1.321544258792169e-06,
    1.0178062445845774e-07,
    7.072585949269223e-09,
    4.4549605981865186e-10,
];

/// (atanh(√s)/√s − 1)/s on 0 ≤ s ≤ 1/9; error 6.8e-17.
const LOGARITHM: [f64; 10] = [
    0.3333333333333333,
    0.20000000000007292,
    0.1428571428355438,
    0.11111111358713932,
    0.09090894718066429,
    0.07692785032479312,
    0.06657072104827468,
    0.06000536404795356,
    0.04400369243072337,
    0.08082022805971766,
];

/// (2ᶠ − 1)/f on |f| ≤ 1/32; error 4.7e-16.
const SHORT_EXPONENTIAL: [f64; 6] = [
    0.6931471805599457,
    0.24022650695910075,
    0.0555041086566393,
    0.009618129106919537,
    0.0013333781576784268,
    0.00015403723980749256,
];

/// log₂(1 + r)/r on |r| ≤ 1/29; error 2.6e-15.
const SHORT_LOGARITHM: [f64; 8] = [
    1.442695040888961,
    -0.7213475204444795,
    0.4808983470304897,
    -0.36067376028299475,
    0.2885387243787626,
    -0.24044891805407964,
    0.20648101363816754,
    -0.18068043850187973,
];

/// 2^(i/16).
const ROOTS: [f64; 16] = [
    1.0,
    1.0442737824274138,
    1.0905077326652577,
    1.1387886347566916,
    1.189207115002721,
    1.241857812073484,
    1.2968395546510096,
    1.3542555469368927,
    SQRT_2,
    1.4768261459394993,
    1.5422108254079407,
    1.6104903319492543,
    1.681792830507429,
    1.7562521603732995,
    1.8340080864093424,
    1.9152065613971474,
];

/// cᵢ ≈ 1/(1 + i/15).
const INVERSES: [f64; 16] = [
    1.0,
    0.9375,
    0.8823529411764706,
    0.8333333333333334,
    0.7894736842105263,
    0.75,
    0.7142857142857143,
    0.6818181818181818,
    0.6521739130434783,
    0.625,
    0.6,
    0.5769230769230769,
    0.5555555555555556,
    0.5357142857142857,
    0.5172413793103449,
    0.5,
];

/// −log₂ cᵢ.
const LOGARITHMS: [f64; 16] = [
    0.0,
    0.09310940439148147,
    0.18057224564182092,
    0.2630344058337938,
    0.34103691783506696,
    0.4150374992788438,
    0.4854268271702417,
    0.5525410230287788,
    0.6166713604484944,
    0.6780719051126377,
    0.7369655941662062,
    0.7935491225325738,
    0.84799690655495,
    0.9004643264490856,
    0.9510903995190535,
    1.0,
];

impl Real for f64 {
    const NUMBERS: Numbers<f64> = Numbers {
        log2_e: LOG2_E,
        frac_2_sqrt_pi: FRAC_2_SQRT_PI,
        rounder: ROUNDER,
        least_exponent: LEAST_EXPONENT,
        erf_near: ERF_NEAR,
        erf_far: ERF_FAR,
        scaled_erfc_centre: SCALED_ERFC_CENTRE,
        exponential: &EXPONENTIAL,
        logarithm: &LOGARITHM,
        erf: &ERF,
        scaled_erfc: &SCALED_ERFC,
        short_exponential: &SHORT_EXPONENTIAL,
        short_logarithm: &SHORT_LOGARITHM,
        roots: &ROOTS,
        inverses: &INVERSES,
        logarithms: &LOGARITHMS,
    };

    #[inline(always)]
    fn nearest(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn copysign(self, sign: f64) -> f64 {
        f64::copysign(self, sign)
    }

    #[inline(always)]
    fn power_of_two(self) -> f64 {
        f64::from_bits(self.to_bits().wrapping_add(BIAS) << MANTISSA_BITS)
    }
}
