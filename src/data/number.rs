//! Stored numbers become doubles without loss, or not at all.

use crate::error::CellProblem;

/// A number, or why a stored value is none.
#[cfg(feature = "arrow")]
pub(super) type Number = std::result::Result<f64, CellProblem>;
/// What comes of adding one cell to a column.
#[cfg(feature = "arrow")]
pub(super) type Added = std::result::Result<(), CellProblem>;

/// Doubles hold every integer up to here.
const MOST_EXACT: u64 = 1 << 53;

/// A finite number as it is, and NaN, which is a gap.
pub(super) fn finite(value: f64) -> std::result::Result<f64, CellProblem> {
    if !value.is_infinite() { Ok(value) } else { Err(CellProblem::NotFinite { text: value.to_string() }) }
}

/// An integer that a double holds.
pub(super) fn exact(value: u64) -> std::result::Result<f64, CellProblem> {
    if value <= MOST_EXACT { Ok(value as f64) } else { Err(CellProblem::NotExact { text: value.to_string() }) }
}

/// A signed integer that a double holds.
pub(super) fn exact_signed(value: i64) -> std::result::Result<f64, CellProblem> {
    let exact = value.unsigned_abs() <= MOST_EXACT;
    if exact { Ok(value as f64) } else { Err(CellProblem::NotExact { text: value.to_string() }) }
}
