//! The constants of double precision: those of the activations' own kernels, and one limit.

use std::f64::consts;

pub(super) use crate::activation::{
    ERF, ERF_NEAR, EXPONENTIAL, LN2, LOGARITHM, ROUNDER, SCALED_ERFC, SCALED_ERFC_CENTRE,
};

pub(super) const LOG2_E: f64 = consts::LOG2_E;
pub(super) const FRAC_2_SQRT_PI: f64 = consts::FRAC_2_SQRT_PI;
/// e to this power is small against every rounding error, and not yet subnormal.
pub(super) const LEAST_EXPONENT: f64 = -708.0;
/// Beyond, erf is ±1 and its slope vanishes; up to here e^(−x²) is not subnormal.
pub(super) const ERF_FAR: f64 = 26.0;
