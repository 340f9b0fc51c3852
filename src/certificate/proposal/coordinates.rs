//! Coordinates in which a proof is tight: columns centred and scaled, as far as that is exact.

use shallows_verify::arithmetic::{exponent, power_of_two, two_sum};
use shallows_verify::rows::{LARGEST_SHIFT, ProofRows, Rows};

use crate::error::Result;

/// The rows that count, in coordinates of size about 1. Where intercept and linear part are `free`, columns whose values lie
/// close together, far from zero, are centred: that changes neither the functions, nor their penalties, nor the moments.
pub(in crate::certificate) fn coordinates<'a>(rows: Rows<'a>, sign: f64, free: bool) -> Result<ProofRows<'a>> {
    let plain = ProofRows::new(rows, sign)?;
    let d = rows.d();
    let ranges = ranges(&plain);
    let mut centre: Vec<f64> =
        ranges.iter().map(|&(low, high)| if free { middle_if_far(low, high) } else { 0.0 }).collect();
    let exact = exact_columns(&plain, |j, x| two_sum(x, -centre[j]).1 == 0.0);
    centre.iter_mut().zip(exact).filter(|(_, exact)| !exact).for_each(|(m, _)| *m = 0.0);
    let size = |j: usize| (ranges[j].0 - centre[j]).abs().max((ranges[j].1 - centre[j]).abs());
    let mut shifts: Vec<i32> = (0..d).map(|j| -exponent(size(j)).clamp(-LARGEST_SHIFT, LARGEST_SHIFT)).collect();
    let exact = exact_columns(&plain, |j, x| {
        let (x, scaled) = (x - centre[j], (x - centre[j]) * power_of_two(shifts[j]));
        scaled.is_finite() && scaled * power_of_two(-shifts[j]) == x
    });
    shifts.iter_mut().zip(exact).filter(|(_, exact)| !exact).for_each(|(h, _)| *h = 0);
    Ok(plain.in_coordinates(&centre, &shifts)?)
}

/// The least and the largest entry of each column.
fn ranges(rows: &ProofRows<'_>) -> Vec<(f64, f64)> {
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); rows.d()];
    for i in 0..rows.n() {
        ranges.iter_mut().zip(rows.raw(i)).for_each(|(range, x)| *range = (range.0.min(*x), range.1.max(*x)));
    }
    ranges
}

/// The middle of a column whose values are closer to each other than to zero; 0 for others.
fn middle_if_far(low: f64, high: f64) -> f64 {
    let middle = 0.5 * low + 0.5 * high;
    let is_far = low * high > 0.0 && high - low <= middle.abs();
    if is_far && middle.is_finite() { middle } else { 0.0 }
}

/// The columns in which every entry passes a test.
fn exact_columns(rows: &ProofRows<'_>, is_exact: impl Fn(usize, f64) -> bool) -> Vec<bool> {
    let mut exact = vec![true; rows.d()];
    for i in 0..rows.n() {
        exact.iter_mut().zip(rows.raw(i)).enumerate().for_each(|(j, (exact, x))| *exact &= is_exact(j, *x));
    }
    exact
}
