//! The constants of single precision, derived by tests/references/make_polynomials.py.

use std::f32::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, SQRT_2};

use super::vector::{Numbers, Real};

/// The bits below the exponent.
const MANTISSA_BITS: u32 = 23;
/// The exponent of 1.
const BIAS: u32 = 127;
/// 3·2²²: adding it to |x| < 2²² rounds x to an integer, which then stands in the low bits.
const ROUNDER: f32 = 12_582_912.0;
/// 2 to this power is small against every rounding error, and not yet subnormal.
const LEAST_EXPONENT: f32 = -125.0;
/// Below, erf is a polynomial; above, one minus a tail.
const ERF_NEAR: f32 = 0.65;
/// The centre of the map that carries x ≥ 0 to −1 ≤ y ≤ 1 in the tail of erf.
const SCALED_ERFC_CENTRE: f32 = 3.0;
/// Beyond, erf is ±1 and its slope vanishes; up to here e^(−x²) is not subnormal.
const ERF_FAR: f32 = 9.0;

/// (2ᶠ − 1)/f on |f| ≤ ½; error 1.3e-8.
const EXPONENTIAL: [f32; 6] = [LN_2, 0.2402265, 0.05550357, 0.009618083, 0.0013390863, 0.00015453163];

/// (atanh(√s)/√s − 1)/s on 0 ≤ s ≤ 1/9; error 1.5e-7.
const LOGARITHM: [f32; 4] = [0.3333332, 0.2000378, 0.1411831, 0.1342575];

/// erf(√s)/√s on 0 ≤ s ≤ 0.65²; error 5.9e-8.
const ERF: [f32; 6] = [FRAC_2_SQRT_PI, -0.37612635, 0.11283656, -0.02685238, 0.005160077, -0.0007160194];

/// (1 + 2x)·e^(x²)·erfc(x) in y = (x − 3.0)/(x + 3.0) for every x ≥ 0; error 5.3e-8.
const SCALED_ERFC: [f32; 12] = [
    1.253008,
    -0.1356211,
    -0.047562156,
    0.12964472,
    -0.11927528,
    0.0683132,
    -0.02376356,
    0.0025067786,
    0.0018750603,
    -0.0007340821,
    -9.253769e-5,
    8.007455e-5,
];

/// (2ᶠ − 1)/f on |f| ≤ 1/32; error 7.6e-08.
const SHORT_EXPONENTIAL: [f32; 3] = [LN_2, 0.24023356, 0.055505086];

/// log₂(1 + r)/r on |r| ≤ 1/29; error 8.3e-08.
const SHORT_LOGARITHM: [f32; 4] = [LOG2_E, -0.72134745, 0.4812417, -0.3609599];

/// 2^(i/16).
const ROOTS: [f32; 16] = [
    1.0, 1.0442737, 1.0905077, 1.1387886, 1.1892071, 1.2418578, 1.2968396, 1.3542556, SQRT_2, 1.4768262, 1.5422108,
    1.6104903, 1.6817929, 1.7562522, 1.8340081, 1.9152066,
];

/// cᵢ ≈ 1/(1 + i/15).
const INVERSES: [f32; 16] = [
    1.0, 0.9375, 0.88235295, 0.8333333, 0.7894737, 0.75, 0.71428573, 0.6818182, 0.65217394, 0.625, 0.6, 0.5769231,
    0.5555556, 0.53571427, 0.51724136, 0.5,
];

/// −log₂ cᵢ.
const LOGARITHMS: [f32; 16] = [
    0.0, 0.09310941, 0.18057224, 0.26303443, 0.34103686, 0.4150375, 0.48542678, 0.552541, 0.6166713, 0.6780719,
    0.73696554, 0.7935491, 0.84799683, 0.90046436, 0.95109046, 1.0,
];

impl Real for f32 {
    const NUMBERS: Numbers<f32> = Numbers {
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
    fn nearest(x: f64) -> f32 {
        x as f32
    }

    #[inline(always)]
    fn copysign(self, sign: f32) -> f32 {
        f32::copysign(self, sign)
    }

    #[inline(always)]
    fn power_of_two(self) -> f32 {
        f32::from_bits(self.to_bits().wrapping_add(BIAS) << MANTISSA_BITS)
    }
}
