//! Four doubles in an array, for any processor.

#[path = "abreast.rs"]
mod abreast;
#[path = "arrays.rs"]
mod arrays;
#[path = "body.rs"]
mod body;
#[path = "softplus_series.rs"]
mod softplus;

pub(super) use super::double as numbers;
pub(super) use arrays::train;
use arrays::*;

pub(super) type Real = f64;
type Bits = u64;

/// Numbers in a vector.
const LANES: usize = 4;
/// The bits below the exponent.
const MANTISSA_BITS: u32 = 52;
/// The exponent of 1.
const BIAS: Bits = 1023;
