//! Stored numbers become doubles without loss, or not at all.

#[cfg(feature = "arrow")]
use super::temporal;
use crate::error::CellProblem;

/// A number, or why a stored value is none.
#[cfg(feature = "arrow")]
pub(super) type Number = std::result::Result<f64, CellProblem>;
/// What comes of adding one cell to a column.
#[cfg(feature = "arrow")]
pub(super) type Added = std::result::Result<(), CellProblem>;

/// Doubles hold every integer up to here.
const MOST_EXACT: u64 = 1 << 53;

/// An integer that a double holds.
pub(super) fn exact(value: u64) -> std::result::Result<f64, CellProblem> {
    if value <= MOST_EXACT { Ok(value as f64) } else { Err(inexact(value)) }
}

/// A signed integer that a double holds.
pub(super) fn exact_signed(value: i64) -> std::result::Result<f64, CellProblem> {
    let exact = value.unsigned_abs() <= MOST_EXACT;
    if exact { Ok(value as f64) } else { Err(inexact(value)) }
}

/// The double next to a decimal; none where it is beyond all doubles.
#[cfg(feature = "arrow")]
pub(super) fn decimal(unscaled: i128, scale: i32) -> Number {
    let value = temporal::decimal(unscaled, scale);
    if value.is_finite() { Ok(value) } else { Err(CellProblem::LongDecimal) }
}

fn inexact(value: impl ToString) -> CellProblem {
    CellProblem::NotExact { text: value.to_string(), role: None }
}
