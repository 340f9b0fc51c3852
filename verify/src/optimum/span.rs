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
//! Of the relations of an input only the first is looked at: a proof needs no other.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::basis::most_columns;
use crate::error::{Error, Result};
use crate::monomial::Monomial;
use crate::relation::{Relation, are_bearable};
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
    pub relations: Vec<Relation<i64>>,
    /// Inputs with few joint values.
    pub groups: Vec<Vec<usize>>,
    /// How often a basis of the columns is orthonormalised.
    pub passes: usize,
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
        if let Some(relation) = self.relations.iter().find(|relation| !is_sound(relation, d)) {
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
        // More columns are never proved to be independent, and more relations are more than a proof needs.
        if self.columns.len() > most_columns(rows) || !are_bearable(rows, &self.relations) {
            return false;
        }
        let mut found = Found::new(self, rows);
        let d = rows.d();
        // In the order of the header, all of them: later ones may need earlier ones.
        let constant = found.settle(Monomial::One);
        let some = if wanted.inputs || wanted.products { d } else { 0 };
        let inputs = (0..some).filter(|j| found.settle(Monomial::Input(*j))).count() == d;
        let mut products = (0..d).flat_map(|b| (0..=b).map(move |a| Monomial::Product(a, b)));
        (constant || !wanted.constant)
            && (inputs || !wanted.inputs)
            && (!wanted.products || products.all(|product| found.settle(product)))
    }
}

/// Whole numbers, and inputs before the one on the left.
fn is_sound(relation: &Relation<i64>, d: usize) -> bool {
    let whole = |p: i64| p.unsigned_abs() <= LARGEST_WHOLE as u64;
    let mut numbers = relation.terms.iter().map(|(_, p)| *p).chain([relation.factor, relation.constant]);
    relation.factor != 0 && relation.is_to_earlier(d) && numbers.all(whole)
}

/// Whether 1 occurs when a relation is written in the coordinates of the proof.
fn needs_constant(relation: &Relation<i64>, rows: &ProofRows<'_>) -> bool {
    let mut inputs = relation.terms.iter().map(|(l, _)| *l).chain([relation.input]);
    relation.constant != 0 || inputs.any(|j| rows.centre[j] != 0.0)
}

/// Functions that are known to be in a span.
struct Found<'a> {
    rows: &'a ProofRows<'a>,
    /// Monomials that are.
    monomials: HashSet<Monomial>,
    /// For each input the group all of whose functions are.
    group_of: Vec<Option<usize>>,
    /// For each input its relation, and whether that is true, once it is known.
    relations: Vec<Option<(&'a Relation<i64>, Option<bool>)>>,
}

impl<'a> Found<'a> {
    fn new(span: &'a Span, rows: &'a ProofRows<'a>) -> Found<'a> {
        let mut monomials: HashSet<Monomial> = span.columns.iter().copied().collect();
        let mut group_of = vec![None; rows.d()];
        let members = span.groups.iter().enumerate().flat_map(|(at, group)| group.iter().map(move |j| (*j, at)));
        members.for_each(|(j, at)| group_of[j] = Some(at));
        // How many of the columns are functions of each group alone; the constant is one of every group.
        let mut inside = vec![usize::from(monomials.contains(&Monomial::One)); span.groups.len()];
        span.columns.iter().filter_map(|column| common_group(&group_of, *column)).for_each(|at| inside[at] += 1);
        // A group without inputs says nothing that the columns do not.
        for (group, inside) in span.groups.iter().zip(inside).filter(|(group, _)| !group.is_empty()) {
            if rows.joint_values(group, false, inside) <= inside {
                monomials.insert(Monomial::One);
            } else {
                group.iter().for_each(|&j| group_of[j] = None);
            }
        }
        let mut relations = vec![None; rows.d()];
        for relation in &span.relations {
            relations[relation.input].get_or_insert((relation, None));
        }
        Found { rows, monomials, group_of, relations }
    }

    fn has(&self, monomial: Monomial) -> bool {
        common_group(&self.group_of, monomial).is_some() || self.monomials.contains(&monomial)
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
        let Some((relation, known)) = self.relations[j] else { return false };
        let alone = other.map_or(Monomial::One, Monomial::Input);
        let replaced = relation.terms.iter().all(|&(l, p)| p == 0 || self.has(times(l)))
            && (!needs_constant(relation, self.rows) || self.has(alone));
        let holds = replaced && known.unwrap_or_else(|| relation.in_doubles().holds(self.rows));
        if replaced {
            self.relations[j] = Some((relation, Some(holds)));
        }
        holds
    }
}

/// The group all of whose functions a monomial is one of; none for the constant.
fn common_group(group_of: &[Option<usize>], monomial: Monomial) -> Option<usize> {
    let mut groups = monomial.inputs().map(|j| group_of[j]);
    let first = groups.next()??;
    groups.all(|group| group == Some(first)).then_some(first)
}
