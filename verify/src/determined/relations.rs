//! Exact relations among the inputs and their products, each of which costs the span a dimension for certain.
//!
//! # Proof that they add up
//! What is missing from D dimensions is the dimension of the space of coefficient vectors whose function is zero on every row.
//! Three kinds of members of it are known. (1) Let inputs j in J have a relation q_j x_j = Σ p_l x_l + p with l < j. For every
//! monomial with an input in J, let j be the largest of these and b the other input (or none): x_b(q_j x_j − Σ p_l x_l − p) is a
//! member. Order monomials by their larger input, then by the smaller: its largest monomial is the one it belongs to. So these members
//! are independent, as many as there are monomials with an input in J, and every combination of them has a monomial
//! with such an input. (2) A group of inputs outside J that takes s values has, on the rows, at most s independent functions; of its
//! p monomials, p − s combinations at least are members. Groups share no input, hence no monomial but 1, and no multiple of
//! 1 is a member: members of different groups are independent. (3) Functions that are zero on every row, with monomials of inputs
//! outside J; each has a monomial of its own (`lead`), outside all groups, that no later one has. In a combination of (1), (2) and (3) that
//! vanishes, those of (1) drop out by their monomials with inputs in J, those of (3) one after another by their leads, and then
//! those of (2). Without an affine part the functions of a group are even, so that values count up to their sign, and zero
//! not at all.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{dimension, unsuitable};
use crate::error::Result;
use crate::monomial::Monomial;
use crate::relation::{Relation, are_bearable, is_bearable, is_zero_in_every_row};
use crate::rows::ProofRows;

/// Σ p·q·z = 0 in every row that counts, over monomials z with coefficients p·q.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vanishing {
    /// A monomial that stands in one term of this function, and in none of a later one.
    pub lead: Monomial,
    /// z, p and q; none of the numbers is zero.
    pub terms: Vec<(Monomial, f64, f64)>,
}

/// How many dimensions are certainly missing. What does not hold in every row costs none, and neither do a second relation of an
/// input and equations that are too much work.
pub(crate) fn deficit(
    rows: &ProofRows<'_>,
    affine: bool,
    relations: &[Relation],
    groups: &[Vec<usize>],
    vanishing: &[Vanishing],
) -> Result<usize> {
    let d = rows.d();
    relations.iter().try_for_each(|relation| check_relation(relation, d, affine))?;
    let (mut dropped, mut seen) = (vec![false; d], vec![!are_bearable(rows, relations); d]);
    for relation in relations {
        if !std::mem::replace(&mut seen[relation.input], true) {
            dropped[relation.input] = relation.holds(rows);
        }
    }
    let mut grouped: Vec<Option<usize>> = vec![None; d];
    for (at, group) in groups.iter().enumerate() {
        for &j in group {
            if j >= d || dropped[j] || grouped[j].is_some() {
                return unsuitable("an input of a group", "in one group and in no relation", j);
            }
            grouped[j] = Some(at);
        }
    }
    check_leads(vanishing, &dropped, &grouped, affine)?;
    let kept = dropped.iter().filter(|dropped| !**dropped).count();
    let by_relations = dimension(d, affine) - dimension(kept, affine);
    let spare = |group: &Vec<usize>| {
        let products = dimension(group.len(), affine);
        products - rows.joint_values(group, !affine, products).min(products)
    };
    let by_groups: usize = groups.iter().filter(|group| !group.is_empty()).map(spare).sum();
    let products = vanishing.iter().map(|function| function.terms.len()).sum();
    let looked_at = if is_bearable(rows, products, 4) { vanishing } else { &[] };
    Ok(by_relations + by_groups + looked_at.iter().filter(|function| vanishes(function, rows)).count())
}

fn check_relation(relation: &Relation, d: usize, affine: bool) -> Result<()> {
    let Relation { input, factor, constant, .. } = relation;
    if !relation.is_to_earlier(d) {
        return unsuitable("the inputs of a relation", "one and others before it", input);
    }
    if *factor == 0.0 {
        return unsuitable("the factor of a relation", "not zero", factor);
    }
    if *constant != 0.0 && !affine {
        return unsuitable("the constant of a relation", "zero without an affine part", constant);
    }
    Ok(())
}

/// Whether the functions that vanish are made of the right monomials, and are independent by their leads.
fn check_leads(vanishing: &[Vanishing], dropped: &[bool], grouped: &[Option<usize>], affine: bool) -> Result<()> {
    // From the last to the first: what later ones are made of.
    let mut later: HashSet<Monomial> = HashSet::new();
    for Vanishing { lead, terms } in vanishing.iter().rev() {
        for (z, p, q) in terms {
            let known = z.is_inside(|j| j < dropped.len() && !dropped[j]);
            if !known || (!affine && !matches!(z, Monomial::Product(..))) {
                let must_be = "made of inputs without a relation, and a product of two without an affine part";
                return unsuitable("a monomial of a function that vanishes", must_be, format!("{z:?}"));
            }
            if *p == 0.0 || *q == 0.0 {
                return unsuitable("a coefficient of a function that vanishes", "not zero", 0);
            }
        }
        let groups: Vec<Option<usize>> = lead.inputs().map(|j| grouped.get(j).copied().flatten()).collect();
        let inside = match groups[..] {
            [] => !grouped.iter().all(Option::is_none),
            [group] => group.is_some(),
            [a, b] => a.is_some() && a == b,
            _ => true,
        };
        let own = terms.iter().filter(|(z, ..)| z == lead).count() == 1;
        if inside || !own || later.contains(lead) {
            let must_be = "outside of groups, in one term of its function and in no later one";
            return unsuitable("the lead of a function that vanishes", must_be, format!("{lead:?}"));
        }
        later.extend(terms.iter().map(|(z, ..)| *z));
    }
    Ok(())
}

fn vanishes(function: &Vanishing, rows: &ProofRows<'_>) -> bool {
    is_zero_in_every_row(rows, &|x, sum| {
        for (z, p, q) in &function.terms {
            match *z {
                Monomial::One => sum.add_product(&[*p, *q]),
                Monomial::Input(j) => sum.add_product(&[*p, *q, x[j]]),
                Monomial::Product(a, b) => sum.add_product(&[*p, *q, x[a], x[b]]),
            }
        }
    })
}
