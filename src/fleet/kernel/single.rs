//! The constants of single precision, derived by tests/references/make_polynomials.py.

use std::f32::consts;

pub(super) const LOG2_E: f32 = consts::LOG2_E;
pub(super) const FRAC_2_SQRT_PI: f32 = consts::FRAC_2_SQRT_PI;
/// 3·2²²: adding it to |x| < 2²² rounds x to an integer, which then stands in the low bits.
pub(super) const ROUNDER: f32 = 12_582_912.0;
/// ln 2: the first part has 16 bits, so that its product with an exponent is exact.
pub(super) const LN2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
/// e to this power is small against every rounding error, and not yet subnormal.
pub(super) const LEAST_EXPONENT: f32 = -87.0;
/// Below, erf is a polynomial; above, one minus a tail.
pub(super) const ERF_NEAR: f32 = 0.65;
/// The centre of the map that carries x ≥ 0 to −1 ≤ y ≤ 1 in the tail of erf.
pub(super) const SCALED_ERFC_CENTRE: f32 = 3.0;
/// Beyond, erf is ±1 and its slope vanishes; up to here e^(−x²) is not subnormal.
pub(super) const ERF_FAR: f32 = 9.0;

/// (eʳ − 1 − r)/r² on |r| ≤ ln2/2; error 6.7e-8.
pub(super) const EXPONENTIAL: [f32; 5] = [0.5, 0.166_665_78, 0.041_666_556, 0.008_363_173, 0.001_392_617_7];

/// (atanh(√s)/√s − 1)/s on 0 ≤ s ≤ 1/9; error 1.5e-7.
pub(super) const LOGARITHM: [f32; 4] = [0.333_333_2, 0.200_037_8, 0.141_183_1, 0.134_257_5];

/// erf(√s)/√s on 0 ≤ s ≤ 0.65²; error 5.9e-8.
pub(super) const ERF: [f32; 6] =
    [FRAC_2_SQRT_PI, -0.376_126_35, 0.112_836_56, -0.026_852_38, 0.005_160_077, -0.000_716_019_4];

/// (1 + 2x)·e^(x²)·erfc(x) in y = (x − 3.0)/(x + 3.0) for every x ≥ 0; error 5.3e-8.
pub(super) const SCALED_ERFC: [f32; 12] = [
    1.253_008,
    -0.135_621_1,
    -0.047_562_156,
    0.129_644_72,
    -0.119_275_28,
    0.068_313_2,
    -0.023_763_56,
    0.002_506_778_6,
    0.001_875_060_3,
    -0.000_734_082_1,
    -9.253_769e-5,
    8.007_455e-5,
];
