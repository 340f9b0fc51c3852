//! Eight single-precision numbers in an array, for any processor.

#[path = "abreast.rs"]
mod abreast;
#[path = "arrays.rs"]
mod arrays;
#[path = "body.rs"]
mod body;
#[path = "softplus_series.rs"]
mod softplus;

pub(super) use super::single as numbers;
pub(super) use arrays::train;
use arrays::*;

pub(super) type Real = f32;
type Bits = u32;

/// Numbers in a vector.
const LANES: usize = 8;
/// The bits below the exponent.
const MANTISSA_BITS: u32 = 23;
/// The exponent of 1.
const BIAS: Bits = 127;
