//! Two rows of one direction, to be verified by the checker.

use std::cmp::Ordering;

use shallows_verify::arithmetic::{equal_products, exponent, power_of_two};
use shallows_verify::rows::Rows;

/// Two rows that count and are multiples of each other by ± a power of two, found as neighbours in an order. Pairs with other
/// factors are found by the checker where it compares all rows.
pub(in crate::certificate) fn parallel_rows(rows: Rows<'_>) -> Option<[usize; 2]> {
    let factor = |i: usize| {
        let largest = rows.row(i).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let first = rows.row(i).iter().find(|x| **x != 0.0)?;
        Some((i, power_of_two(-exponent(largest)).copysign(*first)))
    };
    let mut order: Vec<(usize, f64)> = rows.counted().into_iter().filter_map(factor).collect();
    let compare = |a: &(usize, f64), b: &(usize, f64)| {
        let pairs = rows.row(a.0).iter().zip(rows.row(b.0));
        let mut orders = pairs.map(|(x, y)| (a.1 * x).partial_cmp(&(b.1 * y)).unwrap_or(Ordering::Equal));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    order.sort_by(compare);
    let mut pairs = order.windows(2).map(|pair| [pair[0].0, pair[1].0]);
    pairs.find(|pair| are_parallel(rows, *pair)).map(|[i, j]| [i.min(j), i.max(j)])
}

/// Whether of two rows that are not zero one is exactly a multiple of the other.
fn are_parallel(rows: Rows<'_>, [i, j]: [usize; 2]) -> bool {
    let (a, b) = (rows.row(i), rows.row(j));
    let largest = (0..a.len()).max_by(|s, t| a[*s].abs().total_cmp(&a[*t].abs())).unwrap_or(0);
    let crosswise = |t: usize| equal_products((a[t], b[largest]), (b[t], a[largest]));
    a == b || (b[largest] != 0.0 && (0..a.len()).all(crosswise))
}
