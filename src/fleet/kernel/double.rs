//! The constants of double precision: some are those of the activations' own kernels, the others are derived by
//! tests/references/make_polynomials.py.

use std::f64::consts::LN_2;
pub(super) use std::f64::consts::{FRAC_2_SQRT_PI, LOG2_E};

pub(super) use crate::activation::{ERF, ERF_NEAR, ROUNDER, SCALED_ERFC, SCALED_ERFC_CENTRE};

/// 2 to this power is small against every rounding error, and not yet subnormal.
pub(super) const LEAST_EXPONENT: f64 = -1020.0;
/// Beyond, erf is ±1 and its slope vanishes; up to here e^(−x²) is not subnormal.
pub(super) const ERF_FAR: f64 = 26.0;

/// (2ᶠ − 1)/f on |f| ≤ ½; error 4.0e-17.
pub(super) const EXPONENTIAL: [f64; 11] = [
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
pub(super) const LOGARITHM: [f64; 10] = [
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
