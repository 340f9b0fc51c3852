//! Equations between the inputs that are true in every row, checked without rounding.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::arithmetic::ExactSum;
use crate::matrix::tree;
use crate::rows::ProofRows;

/// q·x_j = Σ p_l x_l + p in every row that counts, l < j, with whole numbers or with doubles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation<N = f64> {
    /// j
    pub input: usize,
    /// q ≠ 0
    pub factor: N,
    /// l and p_l
    pub terms: Vec<(usize, N)>,
    /// p
    pub constant: N,
}

/// Beyond this many parts of exact products nothing is looked at: a product of m factors has 2^(m−1).
const MOST_PARTS: f64 = 4e9;

/// Whether so many products of m factors in every row are not too much work.
pub(crate) fn is_bearable(rows: &ProofRows<'_>, products: usize, m: i32) -> bool {
    rows.n() as f64 * products as f64 * 2_f64.powi(m - 1) <= MOST_PARTS
}

/// Whether all relations of a list are not too much work.
pub(crate) fn are_bearable<N>(rows: &ProofRows<'_>, relations: &[Relation<N>]) -> bool {
    is_bearable(rows, relations.iter().map(|relation| relation.terms.len() + 2).sum(), 2)
}

impl<N> Relation<N> {
    /// Whether it is about one of d inputs and inputs before it.
    pub(crate) fn is_to_earlier(&self, d: usize) -> bool {
        self.input < d && self.terms.iter().all(|(l, _)| *l < self.input)
    }
}

impl Relation {
    /// Whether it is true of the inputs as given, in every row that counts.
    pub fn holds(&self, rows: &ProofRows<'_>) -> bool {
        is_zero_in_every_row(rows, &|x, sum| {
            sum.add_product(&[self.factor, x[self.input]]);
            sum.add_product(&[-self.constant]);
            self.terms.iter().for_each(|(l, p)| sum.add_product(&[-p, x[*l]]));
        })
    }
}

impl Relation<i64> {
    /// The same in doubles, for numbers up to 2⁵³.
    pub fn in_doubles(&self) -> Relation {
        let terms = self.terms.iter().map(|(l, p)| (*l, *p as f64)).collect();
        Relation { input: self.input, factor: self.factor as f64, terms, constant: self.constant as f64 }
    }
}

/// Whether the sum to which `add` adds what a row gives is zero in every row that counts.
pub(crate) fn is_zero_in_every_row(rows: &ProofRows<'_>, add: &(dyn Fn(&[f64], &mut ExactSum) + Sync)) -> bool {
    let is_refuted = AtomicBool::new(false);
    let leaf = |range: Range<usize>| {
        let mut sum = ExactSum::default();
        let mut is_zero = |i: usize| {
            sum.clear();
            add(rows.raw(i), &mut sum);
            sum.is_zero()
        };
        // One row is enough to refute it, and then no other need be looked at.
        let all = !is_refuted.load(Ordering::Relaxed) && range.into_iter().all(&mut is_zero);
        is_refuted.fetch_or(!all, Ordering::Relaxed);
        all
    };
    tree(rows.n(), &leaf, &|all, more| *all &= more)
}
