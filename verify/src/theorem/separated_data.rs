//! Separated rows, and what relu makes of them.
//!
//! # Arithmetic
//! Directions are computed with an error of at most 8u in norm (the sum of squares in twice the precision), distances in
//! plain arithmetic with (d+8)u relative; so δ lies between two proved numbers 32u and a few roundings apart. It is zero
//! for certain when two rows are multiples of each other, which is verified in exact arithmetic.
//!
//! # Note
//! The bound is loose, by about a factor of 1000 on random rows.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{
    CompensatedSum, U, add_up, div_down, equal_products, exponent, mul_down, mul_up, power_of_two, sub_down,
};
use crate::error::{Error, Result};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::matrix::{Matrix, values_of_rows};
use crate::rows::Rows;
use crate::words::at_least;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "separated-data",
    title: "Separated rows have a positive relu kernel",
    claim: "For φ = relu and the directions x̄ᵢ = xᵢ/‖xᵢ‖ of the rows, λ(X̄) = λ_min(E[(X̄X̄ᵀ) ∘ φ'(X̄w)φ'(X̄w)ᵀ]) ≥ \
            δ/(100n²) > 0, w ~ N(0, I), δ = min over i ≠ j of min(‖x̄ᵢ − x̄ⱼ‖, ‖x̄ᵢ + x̄ⱼ‖).",
    hypotheses: &["n ≥ 2", "no row is zero", "no row is exactly a multiple of another", "δ > 0"],
    evidence: "δ lies between two proved numbers about 32u apart: directions and distances with bounded rounding \
               errors. Rows that are multiples of each other are recognised in exact arithmetic.",
    limits: "About the kernel of wide networks at the start, not about a run. The width that Theorem 2.5 asks for \
             has an unspecified constant: no width is certified. Rows of weight zero do not count. Beyond n²d = 4e11 \
             pairs are not compared.",
    source: "Oymak and Soltanolkotabi (2019), Theorem I.1 and Corollary I.2.",
};

/// Nothing: the theorem speaks about the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {}

/// What refutes it, if it is claimed to fail for that reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Two rows, one of which is exactly a multiple of the other.
    #[serde(deserialize_with = "Option::deserialize")]
    pub parallel: Option<[usize; 2]>,
}

/// Beyond n²d of this, pairs are not compared.
const MOST_WORK: f64 = 4e11;

/// Measure how far apart the directions of the rows are.
///
/// ```
/// use shallows_verify::theorem::separated_data::{Claim, Proof, judge};
/// use shallows_verify::{Rows, Verdict};
///
/// let verdict = |X: [f64; 4]| judge(Rows::new(&X, 2, &[1.0, 2.0], None)?, &Claim {}, &Proof { parallel: None });
/// assert_eq!(verdict([1.0, 0.0, 0.0, 1.0])?.verdict(), Verdict::Holds);
/// // A multiple of another row has the same direction.
/// assert_eq!(verdict([1.0, 0.0, 3.0, 0.0])?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(rows: Rows<'_>, _: &Claim, proof: &Proof) -> Result<Judgement> {
    let found = RowSeparation::new(rows, proof)?;
    let [low, high] = found.separation();
    let n = found.n as f64;
    let [h1, h2, h3, h4] = [0, 1, 2, 3].map(|at| THEOREM.hypotheses[at]);
    let checks = vec![
        Check::count(h1, found.n as i64 - 2),
        Check::count(h2, -(found.zeros.len() as i64)),
        match found.parallel {
            Some(_) => Check::count(h3, -1),
            None if low > 0.0 => Check::count(h3, 0),
            None => Check::open(h3),
        },
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
    parallel: Option<[usize; 2]>,
    /// The nearest of those that are not zero, unless there are too many.
    pair: Option<NearestRows>,
}

impl RowSeparation {
    fn new(rows: Rows<'_>, proof: &Proof) -> Result<RowSeparation> {
        let is_zero = |i: &usize| rows.row(*i).iter().all(|x| *x == 0.0);
        let counted = rows.counted();
        let named = proof.parallel.iter().flatten().find(|i| !counted.contains(i));
        if let Some(found) = named {
            let (what, must_be) = ("a row that is a multiple of another", "among those that count");
            return Err(Error::Unsuitable { what, must_be, found: found.to_string() });
        }
        let (zeros, others): (Vec<usize>, Vec<usize>) = counted.into_iter().partition(is_zero);
        let named = proof.parallel.filter(|pair| pair.iter().all(|i| others.contains(i)) && are_parallel(rows, *pair));
        let work = (others.len() as f64) * (others.len() as f64) * rows.d() as f64;
        let compared = named.is_none() && others.len() >= 2 && work <= MOST_WORK;
        let pair = if compared { Some(nearest(rows, &others)) } else { None };
        let nearest = pair.as_ref().map(|pair| pair.rows).filter(|pair| are_parallel(rows, *pair));
        Ok(RowSeparation { n: zeros.len() + others.len(), zeros, parallel: named.or(nearest), pair })
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
            (_, Some([i, j]), _) => format!("the theorem does not apply: rows {i} and {j} are multiples of each other"),
            (.., None) => format!("undecided: {n} rows are too many to compare all pairs"),
            (.., Some(NearestRows { rows: [i, j], .. })) if verdict == Verdict::Holds => {
                let (bound, low) = (at_least(bound), at_least(low));
                format!(
                    "λ(X̄) ≥ {bound} for relu; the rows nearest in direction, {i} and {j} (counted from 0), are δ ≥ {low} \
                     apart"
                )
            }
            (.., Some(NearestRows { rows: [i, j], .. })) => {
                format!("undecided: rows {i} and {j} are too near to tell apart")
            }
        }
    }
}

fn facts(low: f64, bound: f64) -> Vec<Fact> {
    let fact = |name, value, about| Fact { name, value, side: Side::AtLeast, about };
    vec![fact("separation", low, "δ"), fact("eigenvalue", bound, "δ/(100n²), which λ(X̄) of relu exceeds")]
}

/// Two rows and bounds on the least distance of any two.
struct NearestRows {
    rows: [usize; 2],
    low: f64,
    high: f64,
}

/// The nearest directions, up to sign, of rows that are not zero.
fn nearest(rows: Rows<'_>, counted: &[usize]) -> NearestRows {
    let (n, d) = (counted.len(), rows.d());
    let mut units = Matrix::zeros(n, d);
    (0..n).for_each(|at| write_direction(rows.row(counted[at]), units.row_mut(at)));
    let between = |at: usize, other: usize| square_distance(units.row(at), units.row(other));
    let nearest_before = |at: usize| (0..at).map(|other| between(at, other)).fold(f64::INFINITY, f64::min);
    let least = values_of_rows(n, nearest_before);
    let at = (1..n).min_by(|a, b| least[*a].total_cmp(&least[*b])).unwrap_or(0);
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
    NearestRows { rows: [counted[other.unwrap_or(0)], counted[at]], low, high }
}

/// x/‖x‖ within 8u: entries of about 1, whose squares are summed in twice the precision.
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

/// Whether of two different rows that are not zero one is exactly a multiple of the other.
fn are_parallel(rows: Rows<'_>, [i, j]: [usize; 2]) -> bool {
    let (a, b) = (rows.row(i), rows.row(j));
    let largest = (0..a.len()).max_by(|s, t| a[*s].abs().total_cmp(&a[*t].abs())).unwrap_or(0);
    let crosswise = |t: usize| equal_products((a[t], b[largest]), (b[t], a[largest]));
    i != j && (a == b || (b[largest] != 0.0 && (0..a.len()).all(crosswise)))
}
