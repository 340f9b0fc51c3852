//! Columns that are exactly dependent on others, and may be left out without changing what the rest can express.
//!
//! Two reasons are accepted. **A relation**: q·x_j = Σ p_l x_l (+ p_0 when intercept and linear part are free) with small
//! whole numbers, guessed from a floating solve and then verified in every row by exact arithmetic; then x_j and its
//! products go. **Counting**: a group of inputs takes only s different joint values on these rows, so functions of the
//! group are vectors of length s; once s of its columns are independent (which the proof of the whole basis includes) they
//! span all of them, and further columns of the group add nothing. Groups share no input, so that what one
//! keeps no other drops.

use std::collections::HashMap;

use super::basis::{Basis, Monomial, guessed_cholesky};
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{plain_dot, power_of_two, two_product, two_sum};
use crate::linalg::Matrix;

/// The largest denominator and the largest numerator of a relation.
const LARGEST_DENOMINATOR: u32 = 64;
const LARGEST_NUMERATOR: f64 = 1e6;
/// Groups of more joint values, or more work than this, are not looked for.
const MOST_VALUES: usize = 200;
pub(in crate::certificate) const MOST_WORK: f64 = 2e9;

/// Columns with the same span, fewer if some are exactly dependent.
pub(in crate::certificate) fn independent(rows: &ProofRows<'_>, columns: &[Monomial]) -> Vec<Monomial> {
    let linear = columns.iter().any(|column| matches!(column, Monomial::Input(_)));
    let constant = columns.contains(&Monomial::One);
    let affine = linear && constant;
    let dropped = dependent_inputs(rows, affine);
    let uses = |column: &Monomial, inputs: &[usize]| match *column {
        Monomial::One => false,
        Monomial::Input(j) => inputs.contains(&j),
        Monomial::Product(a, b) => inputs.contains(&a) || inputs.contains(&b),
    };
    let mut kept: Vec<Monomial> = columns.iter().filter(|column| !uses(column, &dropped)).copied().collect();
    let remaining: Vec<usize> = (0..rows.d()).filter(|j| !dropped.contains(j)).collect();
    if affine && rows.n() as f64 * (remaining.len() as f64).powi(3) <= MOST_WORK {
        drop_by_counting(rows, remaining, &mut kept);
    }
    kept
}

/// Inputs that are exact combinations of inputs before them.
pub(in crate::certificate) fn dependent_inputs(rows: &ProofRows<'_>, affine: bool) -> Vec<usize> {
    let mut columns: Vec<Monomial> = if affine { vec![Monomial::One] } else { vec![] };
    columns.extend((0..rows.d()).map(Monomial::Input));
    let G = Basis::identity(columns.clone()).gram(rows);
    let (_, small) = guessed_cholesky(&G, rows.total.high);
    let mut dropped = Vec::new();
    for &at in &small {
        let Monomial::Input(j) = columns[at] else { continue };
        let before: Vec<usize> = (0..at).filter(|other| !small.contains(other)).collect();
        let coefficients = solve(&G, &before, at);
        let raw = |(&other, a): (&usize, f64)| match columns[other] {
            Monomial::Input(l) => (Some(l), a * power_of_two(rows.shifts[l] - rows.shifts[j])),
            _ => (None, a * power_of_two(-rows.shifts[j])),
        };
        let relation: Vec<(Option<usize>, f64)> = before.iter().zip(coefficients).map(raw).collect();
        if holds_exactly(rows, j, &relation) {
            dropped.push(j);
        }
    }
    dropped
}

/// The coefficients of column `at` in the columns `before`, from the Gram matrix; a guess.
fn solve(G: &Matrix, before: &[usize], at: usize) -> Vec<f64> {
    let m = before.len();
    let (L, _) = guessed_cholesky(&Matrix::from_fn(m, m, |i, j| G[(before[i], before[j])]), 1.0);
    let mut a: Vec<f64> = before.iter().map(|&i| G[(i, at)]).collect();
    for i in 0..m {
        a[i] = (a[i] - plain_dot(&L.row(i)[..i], &a[..i])) / L[(i, i)];
    }
    for i in (0..m).rev() {
        let rest: f64 = (i + 1..m).map(|l| L[(l, i)] * a[l]).sum();
        a[i] = (a[i] - rest) / L[(i, i)];
    }
    a
}

/// Whether q·x_j = Σ p_l x_l in every row, for the whole numbers nearest to q times the coefficients. `None` is 1.
fn holds_exactly(rows: &ProofRows<'_>, j: usize, relation: &[(Option<usize>, f64)]) -> bool {
    const NEARLY_WHOLE: f64 = 1e-4;
    let raw = |i: usize, l: usize| rows.X[(i, l)] * power_of_two(-rows.shifts[l]);
    (1..=LARGEST_DENOMINATOR).map(f64::from).any(|q| {
        let whole: Vec<(Option<usize>, f64)> = relation.iter().map(|(l, a)| (*l, (q * a).round())).collect();
        let near = whole.iter().zip(relation).all(|((_, p), (_, a))| {
            (q * a - p).abs() <= NEARLY_WHOLE * p.abs().max(1.0) && p.abs() <= LARGEST_NUMERATOR
        });
        near && (0..rows.n()).all(|i| {
            let mut terms = vec![(q, raw(i, j))];
            terms.extend(whole.iter().map(|(l, p)| (-p, l.map_or(1.0, |l| raw(i, l)))));
            is_exactly_zero(&terms)
        })
    })
}

/// Whether Σ pᵢxᵢ = 0 for whole numbers pᵢ, exactly [expansions of Shewchuk 1997]. Overflow gives NaN, which is not 0.
fn is_exactly_zero(terms: &[(f64, f64)]) -> bool {
    let mut expansion: Vec<f64> = Vec::new();
    for (p, x) in terms {
        let (high, low) = two_product(*p, *x);
        for mut carry in [low, high] {
            for part in &mut expansion {
                (carry, *part) = two_sum(carry, *part);
            }
            expansion.push(carry);
        }
    }
    expansion.iter().all(|part| *part == 0.0)
}

/// Drop what groups of few joint values make superfluous.
fn drop_by_counting(rows: &ProofRows<'_>, mut inputs: Vec<usize>, columns: &mut Vec<Monomial>) {
    while let Some((group, values)) = most_superfluous(rows, &inputs, columns) {
        let members: Vec<Monomial> = columns.iter().filter(|column| inside(column, &group)).copied().collect();
        let keep = pivoted(rows, &members, &values);
        columns.retain(|column| !members.contains(column) || keep.contains(column));
        inputs.retain(|j| !group.contains(j));
    }
}

pub(in crate::certificate) fn inside(column: &Monomial, group: &[usize]) -> bool {
    match column {
        Monomial::One => true,
        Monomial::Input(j) => group.contains(j),
        Monomial::Product(a, b) => group.contains(a) && group.contains(b),
    }
}

/// The group with the most superfluous columns, and one row for each of its joint values.
pub(in crate::certificate) fn most_superfluous(
    rows: &ProofRows<'_>,
    inputs: &[usize],
    columns: &[Monomial],
) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut best: Option<(usize, Vec<usize>, Vec<usize>)> = None;
    for seed in inputs {
        let mut group = vec![*seed];
        let mut values = joint_values(rows, &group);
        while values.len() <= MOST_VALUES {
            let present = columns.iter().filter(|column| inside(column, &group)).count();
            let spare = present.saturating_sub(values.len());
            if spare > best.as_ref().map_or(0, |(most, ..)| *most) {
                best = Some((spare, group.clone(), values.clone()));
            }
            let grown = inputs.iter().filter(|j| !group.contains(j)).map(|j| {
                let larger: Vec<usize> = group.iter().chain([j]).copied().collect();
                (joint_values(rows, &larger), larger)
            });
            let Some(next) = grown.min_by_key(|(values, _)| values.len()) else { break };
            (values, group) = next;
        }
    }
    best.map(|(_, group, values)| (group, values))
}

/// The first row of each joint value of some inputs; one more than the most when there are too many.
fn joint_values(rows: &ProofRows<'_>, group: &[usize]) -> Vec<usize> {
    let mut seen = HashMap::new();
    let mut first = Vec::new();
    for i in 0..rows.n() {
        // −0 + 0 = +0: the same number has the same bits.
        let key: Vec<u64> = group.iter().map(|&j| (rows.X[(i, j)] + 0.0).to_bits()).collect();
        if seen.insert(key, ()).is_none() {
            first.push(i);
            if first.len() > MOST_VALUES {
                break;
            }
        }
    }
    first
}

/// As many columns as there are values, picked by pivoting; the constant is always among them.
fn pivoted(rows: &ProofRows<'_>, members: &[Monomial], values: &[usize]) -> Vec<Monomial> {
    let vector = |column: &Monomial| values.iter().map(|&i| column.value(rows.X.row(i))).collect::<Vec<f64>>();
    let mut left: Vec<(Monomial, f64, Vec<f64>)> = members
        .iter()
        .map(|column| {
            let z = vector(column);
            (*column, plain_dot(&z, &z), z)
        })
        .collect();
    let mut kept = Vec::new();
    while kept.len() < values.len() {
        let share = |(column, size, z): &(Monomial, f64, Vec<f64>)| {
            if *column == Monomial::One { f64::INFINITY } else { plain_dot(z, z) / size.max(f64::MIN_POSITIVE) }
        };
        let Some(at) = (0..left.len()).max_by(|a, b| share(&left[*a]).total_cmp(&share(&left[*b]))) else { break };
        let (column, _, q) = left.swap_remove(at);
        kept.push(column);
        let square = plain_dot(&q, &q).max(f64::MIN_POSITIVE);
        for (.., z) in &mut left {
            let factor = plain_dot(z, &q) / square;
            z.iter_mut().zip(&q).for_each(|(z, q)| *z -= factor * q);
        }
    }
    kept
}
