//! Bounds in few digits that are still bounds: rounded to the safe side.

/// An upper bound below 1 in few digits that is still one.
pub fn rate_words(rate: f64) -> String {
    if rate > 0.999 { format!("1 − {}", at_least(1.0 - rate)) } else { format!("{:.4}", rate + 5e-5) }
}

/// What four digits can add or take away.
const FOUR_DIGITS: f64 = 5.1e-4;

/// An upper bound in four digits that is still one.
pub fn at_most(bound: f64) -> String {
    format!("{:.3e}", bound + FOUR_DIGITS * bound.abs())
}

/// A lower bound in four digits that is still one.
pub fn at_least(bound: f64) -> String {
    format!("{:.3e}", bound - FOUR_DIGITS * bound.abs())
}
