//! Which functions of the inputs are in the span of given columns, as functions on the rows that count.
//!
//! The columns themselves are. Others are for one of two reasons, and both are exact.
//!
//! **Counting.** If a group of inputs takes s different joint values, the functions of the group form a space of dimension s;
//! s of its functions among the columns, which are independent (that is proved by [`Basis`](super::basis::Basis)), span it.
//!
//! **Relations.** q·x_j = Σ p_l x_l + p with whole numbers and l < j, verified in every row without rounding. In the
//! coordinates of the proof, x = m + 2⁻ʰx̂, this says that x̂_j is a combination of the x̂_l, and of 1 unless p and all the
//! m of these inputs are zero. A monomial with the factor x̂_j is then a combination of the monomials with that factor
//! replaced, and in the span if all of these are. Replaced monomials come earlier in the order of their larger, then
//! their smaller factor, so that one pass in this order finds all.
//!
//! A sum of products of a whole number below 2⁵³ and a float is exact as a list of floats with that sum [expansions of
//! Shewchuk 1997]: all parts of such a product are whole multiples of the least float, so that nothing underflows, and what
//! overflows becomes NaN, which is not zero.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::basis::Monomial;
use crate::arithmetic::{two_product, two_sum};
use crate::error::{Error, Result};
use crate::matrix::tree;
use crate::rows::ProofRows;

/// Functions that are projected away, and why they span what they should.
///
/// ```
/// use shallows_verify::optimum::span::Span;
///
/// let span: Span = serde_json::from_str(r#"{"columns": [[], [0]], "relations": [], "groups": [], "passes": 1}"#)?;
/// assert_eq!(span.columns.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// Independent functions of x̂.
    pub columns: Vec<Monomial>,
    /// Inputs that are combinations of others.
    pub relations: Vec<Relation>,
    /// Inputs with few joint values.
    pub groups: Vec<Vec<usize>>,
    /// How often a basis of the columns is orthonormalised.
    pub passes: usize,
}

/// q·x_j = Σ p_l x_l + p in every row that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// j
    pub input: usize,
    /// q ≠ 0
    pub factor: i64,
    /// l < j and p_l
    pub terms: Vec<(usize, i64)>,
    /// p
    pub constant: i64,
}

/// Kinds of functions that a span must contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Functions {
    /// 1
    pub constant: bool,
    /// Every input.
    pub inputs: bool,
    /// Every product of two inputs.
    pub products: bool,
}

impl Functions {
    /// None of them.
    pub fn is_empty(self) -> bool {
        !(self.constant || self.inputs || self.products)
    }
}

/// Whole numbers up to this are floats.
const LARGEST_WHOLE: i64 = 1 << 53;
/// Most orthonormalisations.
pub const MOST_PASSES: usize = 8;

impl Span {
    /// Inputs that exist, relations to earlier inputs, groups without a common input.
    pub fn check(&self, d: usize) -> Result<()> {
        let wrong = |problem: String| Err(Error::Certificate { place: "span".into(), problem });
        let exists = |j: usize| j < d;
        if let Some(column) = self.columns.iter().find(|column| !column.is_inside(exists)) {
            return wrong(format!("{:?} has an input beyond {d}", Vec::from(*column)));
        }
        if !(1..=MOST_PASSES).contains(&self.passes) {
            return wrong(format!("passes must be between 1 and {MOST_PASSES}, not {}", self.passes));
        }
        let is_sound = |relation: &&Relation| relation.is_sound(d);
        if let Some(relation) = self.relations.iter().find(|relation| !is_sound(relation)) {
            return wrong(format!(
                "a relation of input {} to other than earlier ones, or of other than whole numbers up to 2^53",
                relation.input
            ));
        }
        let mut seen = HashSet::new();
        match self.groups.iter().flatten().find(|j| !(exists(**j) && seen.insert(**j))) {
            Some(j) => wrong(format!("input {j} is in two groups, or does not exist")),
            None => Ok(()),
        }
    }

    /// Whether these functions are in the span of the columns, if the columns are independent.
    pub fn contains(&self, rows: &ProofRows<'_>, wanted: Functions) -> bool {
        let mut found = Found::new(self, rows);
        let d = rows.d();
        // In the order of the header, all of them: later ones may need earlier ones.
        let constant = found.settle(Monomial::One);
        let inputs = (0..d).filter(|j| found.settle(Monomial::Input(*j))).count() == d;
        let products = (0..d).flat_map(|b| (0..=b).map(move |a| Monomial::Product(a, b)));
        let missing = products.filter(|product| wanted.products && !found.settle(*product)).count();
        (constant || !wanted.constant) && (inputs || !wanted.inputs) && missing == 0
    }
}

impl Relation {
    fn is_sound(&self, d: usize) -> bool {
        let whole = |p: i64| p.unsigned_abs() <= LARGEST_WHOLE as u64;
        let earlier = self.terms.iter().all(|&(l, p)| l < self.input && whole(p));
        self.input < d && self.factor != 0 && whole(self.factor) && whole(self.constant) && earlier
    }

    /// Whether it is true of the inputs as given, in every row that counts.
    pub fn holds(&self, rows: &ProofRows<'_>) -> bool {
        let leaf = |range: Range<usize>| {
            let mut expansion = Vec::new();
            range.into_iter().all(|i| {
                let x = rows.raw(i);
                let terms = self.terms.iter().map(|&(l, p)| (-p, x[l]));
                is_exactly_zero(
                    [(self.factor, x[self.input]), (-self.constant, 1.0)].into_iter().chain(terms),
                    &mut expansion,
                )
            })
        };
        tree(rows.n(), &leaf, &|all, more| *all &= more)
    }

    /// Whether 1 occurs when it is written in the coordinates of the proof.
    fn needs_constant(&self, rows: &ProofRows<'_>) -> bool {
        let mut inputs = self.terms.iter().map(|(l, _)| *l).chain([self.input]);
        self.constant != 0 || inputs.any(|j| rows.centre[j] != 0.0)
    }
}

/// Whether Σ pᵢxᵢ = 0 for whole numbers pᵢ, exactly.
fn is_exactly_zero(terms: impl Iterator<Item = (i64, f64)>, expansion: &mut Vec<f64>) -> bool {
    expansion.clear();
    for (p, x) in terms {
        let (high, low) = two_product(p as f64, x);
        for mut carry in [low, high] {
            for part in expansion.iter_mut() {
                (carry, *part) = two_sum(carry, *part);
            }
            expansion.push(carry);
        }
        // NaN is not zero, and stays.
        expansion.retain(|part| *part != 0.0);
    }
    expansion.is_empty()
}

/// Functions that are known to be in a span.
struct Found<'a> {
    rows: &'a ProofRows<'a>,
    /// Monomials that are.
    monomials: HashSet<Monomial>,
    /// For each input the group all of whose functions are.
    group_of: Vec<Option<usize>>,
    /// For each input its relations, and whether they are true, once that is known.
    relations: Vec<Vec<(&'a Relation, Option<bool>)>>,
}

impl<'a> Found<'a> {
    fn new(span: &'a Span, rows: &'a ProofRows<'a>) -> Found<'a> {
        let mut monomials: HashSet<Monomial> = span.columns.iter().copied().collect();
        let mut group_of = vec![None; rows.d()];
        // A group without inputs says nothing that the columns do not.
        for (at, group) in span.groups.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
            let members = monomials_inside(&span.columns, group);
            if joint_values(rows, group, members) <= members {
                group.iter().for_each(|&j| group_of[j] = Some(at));
                monomials.insert(Monomial::One);
            }
        }
        let mut relations = vec![vec![]; rows.d()];
        span.relations.iter().for_each(|relation| relations[relation.input].push((relation, None)));
        Found { rows, monomials, group_of, relations }
    }

    fn has(&self, monomial: Monomial) -> bool {
        let in_group = |j: usize| self.group_of[j].is_some();
        let grouped = match monomial {
            Monomial::One => false,
            Monomial::Input(j) => in_group(j),
            Monomial::Product(a, b) => in_group(a) && self.group_of[a] == self.group_of[b],
        };
        grouped || self.monomials.contains(&monomial)
    }

    /// Whether a monomial is in the span, once all before it are settled.
    fn settle(&mut self, monomial: Monomial) -> bool {
        let is_in = self.has(monomial)
            || match monomial {
                Monomial::One => false,
                Monomial::Input(j) => self.by_relation(j, None),
                Monomial::Product(a, b) => self.by_relation(b, Some(a)) || self.by_relation(a, Some(b)),
            };
        if is_in {
            self.monomials.insert(monomial);
        }
        is_in
    }

    /// Whether x̂_j, times another input if there is one, is in the span by a relation of input j.
    fn by_relation(&mut self, j: usize, other: Option<usize>) -> bool {
        let times = |l: usize| match other {
            Some(b) => Monomial::Product(l.min(b), l.max(b)),
            None => Monomial::Input(l),
        };
        for at in 0..self.relations[j].len() {
            let (relation, known) = self.relations[j][at];
            let alone = other.map_or(Monomial::One, Monomial::Input);
            let replaced = relation.terms.iter().all(|&(l, p)| p == 0 || self.has(times(l)))
                && (!relation.needs_constant(self.rows) || self.has(alone));
            if replaced {
                let holds = known.unwrap_or_else(|| relation.holds(self.rows));
                self.relations[j][at].1 = Some(holds);
                if holds {
                    return true;
                }
            }
        }
        false
    }
}

/// How many of the columns are functions of a group of inputs alone.
fn monomials_inside(columns: &[Monomial], group: &[usize]) -> usize {
    let group: HashSet<usize> = group.iter().copied().collect();
    columns.iter().filter(|column| column.is_inside(|j| group.contains(&j))).count()
}

/// How many joint values some inputs take; one more than `most` when there are more than that.
fn joint_values(rows: &ProofRows<'_>, group: &[usize], most: usize) -> usize {
    let mut seen: HashSet<Vec<u64>> = HashSet::new();
    let mut key = vec![0; group.len()];
    for i in 0..rows.n() {
        let x = rows.raw(i);
        // −0 + 0 = +0: the same number has the same bits.
        key.iter_mut().zip(group).for_each(|(key, &j)| *key = (x[j] + 0.0).to_bits());
        if !seen.contains(&key) {
            seen.insert(key.clone());
        }
        if seen.len() > most {
            break;
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_zero(terms: &[(i64, f64)]) -> bool {
        is_exactly_zero(terms.iter().copied(), &mut Vec::new())
    }

    #[test]
    fn sums_of_whole_multiples_are_zero_only_if_they_are_exactly() {
        let largest = LARGEST_WHOLE;
        assert!(is_zero(&[]));
        assert!(is_zero(&[(3, 0.1), (-3, 0.1)]));
        assert!(!is_zero(&[(3, 0.1), (-1, 0.3)]), "0.1 is above a tenth");
        assert!(is_zero(&[(1, 1e300), (1, 1.0), (-1, 1e300), (-1, 1.0)]));
        assert!(!is_zero(&[(1, 1e300), (1, 5e-324), (-1, 1e300)]));
        // The least floats, times the largest whole numbers.
        assert!(is_zero(&[(largest, 5e-324), (-largest / 2, 1e-323)]));
        assert!(!is_zero(&[(largest, 5e-324), (1 - largest, 5e-324)]));
        let x = 1.0 + f64::EPSILON;
        assert!(is_zero(&[(largest - 1, x), (1 - largest, 1.0), (1 - largest, f64::EPSILON)]));
        assert!(!is_zero(&[(largest - 1, x), (1 - largest, 1.0), (2 - largest, f64::EPSILON)]));
        // What overflows is not known.
        assert!(!is_zero(&[(1, f64::MAX), (-1, f64::MAX)]));
        assert!(!is_zero(&[(1, f64::INFINITY), (1, 0.0)]));
    }
}
