//! Separated rows, and what relu makes of them.
//!
//! # Arithmetic
//! Directions are computed with an error of at most 8u in norm (the sum of squares in twice the precision), distances in
//! plain arithmetic with (d+8)u relative; so δ lies between two proved numbers 32u and a few roundings apart. It is zero
//! for certain when two rows are multiples of each other, which is verified in exact arithmetic.
//!
//! # Note
//! The bound is loose, by about a factor of 1000 on random rows.

use std::cmp::Ordering;

use crate::certificate::arithmetic::rows::weighted_rows;
use crate::certificate::arithmetic::{
    CompensatedSum, U, add_up, div_down, exponent, mul_down, mul_up, power_of_two, sub_down,
};
use crate::certificate::determined::relations::equal_products;
use crate::certificate::words::at_least;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, values_of_rows};

/// Beyond n²d of this, pairs are not compared.
const MOST_WORK: f64 = 4e11;

/// Measure how far apart the directions of the rows are.
///
/// ```
/// use shallows::Data;
/// use shallows::certificate::{Verdict, separated_data};
///
/// let judge = |second: [f64; 2]| separated_data(&Data::from_rows(&[[1.0, 0.0], second], &[1.0, 2.0])?);
/// assert_eq!(judge([0.0, 1.0])?.verdict(), Verdict::Holds);
/// // A multiple of another row has the same direction.
/// assert_eq!(judge([3.0, 0.0])?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn separated_data(data: &Data) -> Result<Judgement> {
    let found = RowSeparation::new(data);
    let [low, high] = found.separation();
    let n = found.n as f64;
    let [h1, h2, h3, h4] = [0, 1, 2, 3].map(|at| Theorem::SeparatedData.text().hypotheses[at]);
    let checks = vec![
        Check::count(h1, found.n as i64 - 2),
        Check::count(h2, -(found.zeros.len() as i64)),
        Check::count(h3, -i64::from(found.parallel.is_some())),
        Check::between(h4, low, high),
    ];
    let bound = div_down(low, mul_up(100.0, mul_up(n, n)));
    let facts = if low > 0.0 { facts(low, bound) } else { vec![] };
    Ok(Judgement::new(Theorem::SeparatedData, checks, facts, |verdict| found.statement(verdict, low, bound)))
}

/// What the rows of positive weight are like.
struct RowSeparation {
    n: usize,
    zeros: Vec<usize>,
    /// Two rows that are exactly multiples of each other.
    parallel: Option<(usize, usize)>,
    /// The nearest of those that are not zero, unless there are too many.
    pair: Option<NearestRows>,
}

impl RowSeparation {
    fn new(data: &Data) -> RowSeparation {
        let is_zero = |i: &usize| data.X.row(*i).iter().all(|x| *x == 0.0);
        let (zeros, rows): (Vec<usize>, Vec<usize>) = weighted_rows(data).into_iter().partition(is_zero);
        let work = (rows.len() as f64).powi(2) * data.d() as f64;
        let pair = if rows.len() >= 2 && work <= MOST_WORK { Some(nearest(&data.X, &rows)) } else { None };
        let nearest = pair.as_ref().map(|pair| pair.rows).filter(|pair| are_parallel(&data.X, *pair));
        let parallel = neighbours_in_order(&data.X, &rows).or(nearest);
        RowSeparation { n: zeros.len() + rows.len(), zeros, parallel, pair }
    }

    /// δ from below and from above; NaN where it is not defined or not known.
    fn separation(&self) -> [f64; 2] {
        match (&self.pair, self.parallel) {
            _ if !self.zeros.is_empty() => [f64::NAN; 2],
            (_, Some(_)) => [0.0; 2],
            (Some(pair), None) => [pair.low, pair.high],
            (None, None) => [f64::NAN; 2],
        }
    }

    fn statement(&self, verdict: Verdict, low: f64, bound: f64) -> String {
        let n = self.n;
        match (self.zeros.first(), self.parallel, &self.pair) {
            _ if n < 2 => "the theorem does not apply: it takes two rows".into(),
            (Some(i), ..) => format!("the theorem does not apply: row {i} is zero and has no direction"),
            (_, Some((i, j)), _) => format!("the theorem does not apply: rows {i} and {j} are multiples of each other"),
            (.., None) => format!("undecided: {n} rows are too many to compare all pairs"),
            (.., Some(NearestRows { rows: (i, j), .. })) if verdict == Verdict::Holds => {
                let (bound, low) = (at_least(bound), at_least(low));
                format!(
                    "λ(X̄) ≥ {bound} for relu; the rows nearest in direction, {i} and {j} (of the distinct ones, counted \
                     from 0), are δ ≥ {low} apart"
                )
            }
            (.., Some(NearestRows { rows: (i, j), .. })) => {
                format!("undecided: rows {i} and {j} are too near to tell apart")
            }
        }
    }
}

fn facts(low: f64, bound: f64) -> Vec<Fact> {
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    vec![fact("separation", low, "δ, from below"), fact("eigenvalue", bound, "λ(X̄) of relu, from below: δ/(100n²)")]
}

/// Two rows and bounds on the least distance of any two.
struct NearestRows {
    rows: (usize, usize),
    low: f64,
    high: f64,
}

/// The nearest directions, up to sign, of rows that are not zero.
fn nearest(X: &Matrix, rows: &[usize]) -> NearestRows {
    let d = X.cols();
    let units = Matrix::from_row_fn(rows.len(), d, |at, out| write_direction(X.row(rows[at]), out));
    let between = |at: usize, other: usize| square_distance(units.row(at), units.row(other));
    let nearest_before = |at: usize| (0..at).map(|other| between(at, other)).fold(f64::INFINITY, f64::min);
    let least = values_of_rows(rows.len(), nearest_before);
    let at = (1..rows.len()).min_by(|a, b| least[*a].total_cmp(&least[*b])).unwrap_or(0);
    let other = (0..at).min_by(|a, b| between(at, *a).total_cmp(&between(at, *b)));
    let distance = least[at].sqrt();
    let relative = (d + 8) as f64 * U;
    // 8u for each direction, and what underflow can hide in d squares.
    let absolute = 16.0 * U + d as f64 * 1e-150;
    let low = sub_down(mul_down(distance, 1.0 - 2.0 * relative), absolute.next_up());
    let high = add_up(mul_up(distance, 1.0 + 2.0 * relative), absolute.next_up());
    // NaN where a direction could not be computed.
    let sound = units.as_slice().iter().all(|x| x.is_finite());
    let [low, high] = if sound { [low, high] } else { [f64::NAN; 2] };
    NearestRows { rows: (rows[other.unwrap_or(0)], rows[at]), low, high }
}

/// x/‖x‖ within 8u: entries of at most 2, whose squares are summed in twice the precision.
fn write_direction(x: &[f64], out: &mut [f64]) {
    let largest = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // A subnormal row is first made normal; both factors are powers of two.
    let lift = if largest.is_normal() { 1.0 } else { power_of_two(200) };
    let factor = power_of_two(-exponent(largest * lift).clamp(-1000, 1000));
    out.iter_mut().zip(x).for_each(|(out, x)| *out = x * lift * factor);
    let mut square = CompensatedSum::default();
    out.iter().for_each(|x| square.add_product(*x, *x));
    let length = square.value().0.sqrt();
    out.iter_mut().for_each(|x| *x /= length);
}

/// min(‖a − b‖², ‖a + b‖²)
fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    let (mut minus, mut plus) = ([0.0; 4], [0.0; 4]);
    let ((a_chunks, a_rest), (b_chunks, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut add = |lane: usize, a: f64, b: f64| {
        minus[lane] += (a - b) * (a - b);
        plus[lane] += (a + b) * (a + b);
    };
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        (0..4).for_each(|lane| add(lane, a[lane], b[lane]));
    }
    a_rest.iter().zip(b_rest).for_each(|(a, b)| add(0, *a, *b));
    let total = |lanes: [f64; 4]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    total(minus).min(total(plus))
}

/// Two rows that are ± a power of two times each other, found as neighbours in an order; verified exactly.
fn neighbours_in_order(X: &Matrix, rows: &[usize]) -> Option<(usize, usize)> {
    let factor = |i: usize| {
        let largest = X.row(i).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let first = X.row(i).iter().find(|x| **x != 0.0).copied().unwrap_or(1.0);
        power_of_two(-exponent(largest)).copysign(first)
    };
    let mut order: Vec<(usize, f64)> = rows.iter().map(|&i| (i, factor(i))).collect();
    let compare = |a: &(usize, f64), b: &(usize, f64)| {
        let pairs = X.row(a.0).iter().zip(X.row(b.0));
        let mut orders = pairs.map(|(x, y)| (a.1 * x).partial_cmp(&(b.1 * y)).unwrap_or(Ordering::Equal));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    order.sort_by(compare);
    let mut pairs = order.windows(2).map(|pair| (pair[0].0, pair[1].0));
    pairs.find(|&pair| are_parallel(X, pair)).map(|(i, j)| (i.min(j), i.max(j)))
}

/// Whether one of two rows that are not zero is exactly a multiple of the other.
fn are_parallel(X: &Matrix, (i, j): (usize, usize)) -> bool {
    let (a, b) = (X.row(i), X.row(j));
    let largest = (0..a.len()).max_by(|s, t| a[*s].abs().total_cmp(&a[*t].abs())).unwrap_or(0);
    a == b || (b[largest] != 0.0 && (0..a.len()).all(|t| equal_products((a[t], b[largest]), (b[t], a[largest]))))
}
