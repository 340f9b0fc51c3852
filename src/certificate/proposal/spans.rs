//! Columns that can be proved to be independent and to span what is not penalised.
//!
//! Columns that are exactly dependent on others are left out, for one of the two reasons that the checker accepts: a relation in
//! whole numbers, guessed from a floating solve and verified in every row, or a group of inputs with few joint values, of whose
//! functions as many are kept as there are values.

use std::collections::HashMap;

use shallows_verify::arithmetic::{plain_dot, power_of_two};
use shallows_verify::optimum::basis::{Basis, guessed_cholesky};
use shallows_verify::optimum::span::Span;
use shallows_verify::rows::ProofRows;
use shallows_verify::{Matrix, Monomial, Relation};

/// The largest denominator and the largest numerator of a relation.
const LARGEST_DENOMINATOR: u32 = 64;
const LARGEST_NUMERATOR: f64 = 1e6;
/// How far a coefficient may be from a whole number, as a share of it.
const NEARLY_WHOLE: f64 = 1e-4;
/// Groups of more joint values, or more work than this, are not looked for.
const MOST_VALUES: usize = 200;
pub(super) const MOST_WORK: f64 = 2e9;
/// How often columns are orthonormalised before giving up.
const MOST_PASSES: usize = 5;
/// With a proved σ above this a basis is as good as it gets.
const GOOD_SIGMA: f64 = 0.9;

/// The functions that are not penalised: 1, the inputs, and perhaps all products of two inputs.
pub(super) fn columns(d: usize, intercept: bool, linear: bool, products: bool) -> Vec<Monomial> {
    let mut columns: Vec<Monomial> = intercept.then_some(Monomial::One).into_iter().collect();
    columns.extend((0..d).filter(|_| linear).map(Monomial::Input));
    columns.extend((0..d).filter(|_| products).flat_map(|a| (a..d).map(move |b| Monomial::Product(a, b))));
    columns
}

/// A span of these columns with a basis that is proved, fewer of them if some are exactly dependent.
pub(super) fn proved_span(rows: &ProofRows<'_>, columns: &[Monomial]) -> Option<(Span, Basis)> {
    let all = Span { columns: columns.to_vec(), relations: vec![], groups: vec![], passes: 1 };
    if columns.len() <= rows.n()
        && let Some(found) = proved(rows, all)
    {
        return Some(found);
    }
    let fewer = independent(rows, columns);
    if fewer.columns.len() < columns.len() { proved(rows, fewer) } else { None }
}

/// The best basis of a few passes.
fn proved(rows: &ProofRows<'_>, span: Span) -> Option<(Span, Basis)> {
    let mut best: Option<(Span, Basis)> = None;
    for passes in 1..=MOST_PASSES {
        let Some(basis) = Basis::prove(rows, &span.columns, passes) else { continue };
        let sigma = basis.sigma();
        if best.as_ref().is_none_or(|(_, best)| sigma > best.sigma()) {
            best = Some((Span { passes, ..span.clone() }, basis));
        }
        if sigma > GOOD_SIGMA {
            break;
        }
    }
    best
}

/// Columns with the same span, fewer if some are exactly dependent, and why.
fn independent(rows: &ProofRows<'_>, columns: &[Monomial]) -> Span {
    let has_inputs = columns.iter().any(|column| matches!(column, Monomial::Input(_)));
    let affine = has_inputs && columns.contains(&Monomial::One);
    let relations = dependent_inputs(rows, affine);
    let is_kept = |column: &&Monomial| column.is_inside(|j| relations.iter().all(|relation| relation.input != j));
    let kept = columns.iter().filter(is_kept).copied().collect();
    let remaining: Vec<usize> =
        (0..rows.d()).filter(|j| relations.iter().all(|relation| relation.input != *j)).collect();
    let mut span = Span { columns: kept, relations, groups: vec![], passes: 1 };
    if affine && rows.n() as f64 * (remaining.len() as f64).powi(3) <= MOST_WORK {
        drop_by_counting(rows, remaining, &mut span);
    }
    span
}

/// Inputs that are exact combinations of inputs before them, with the relation.
pub(super) fn dependent_inputs(rows: &ProofRows<'_>, affine: bool) -> Vec<Relation<i64>> {
    let columns = columns(rows.d(), affine, true, false);
    let G = Basis::unproved(rows, &columns, 0).gram(rows);
    let (_, small) = guessed_cholesky(&G, rows.total.high);
    let mut relations = Vec::new();
    for &at in &small {
        let Monomial::Input(j) = columns[at] else { continue };
        let before: Vec<usize> = (0..at).filter(|other| !small.contains(other)).collect();
        let coefficients = solve(&G, &before, at);
        let input = |(&other, a): (&usize, f64)| match columns[other] {
            Monomial::Input(l) => Some((l, a * power_of_two(rows.shifts[l] - rows.shifts[j]))),
            _ => None,
        };
        let terms: Vec<(usize, f64)> = before.iter().zip(coefficients).filter_map(input).collect();
        relations.extend(relation(rows, j, &terms, affine));
    }
    relations
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

/// q·x_j = Σ p_l x_l + p for the whole numbers nearest to q times the coefficients, if that is true in every row.
fn relation(rows: &ProofRows<'_>, j: usize, terms: &[(usize, f64)], affine: bool) -> Option<Relation<i64>> {
    let coefficients: Vec<f64> = terms.iter().map(|(_, a)| *a).collect();
    (1..=LARGEST_DENOMINATOR).map(f64::from).find_map(|q| {
        let whole = whole_multiples(q, &coefficients)?;
        let whole: Vec<(usize, f64)> = terms.iter().zip(whole).map(|((l, _), p)| (*l, p)).collect();
        let x = rows.raw(0);
        let rest = q * x[j] - whole.iter().map(|(l, p)| p * x[*l]).sum::<f64>();
        let constant = if affine && rest.abs() < 1e15 { rest.round() as i64 } else { 0 };
        let terms = whole.iter().filter(|(_, p)| *p != 0.0).map(|(l, p)| (*l, *p as i64)).collect();
        let relation = Relation { input: j, factor: q as i64, terms, constant };
        relation.in_doubles().holds(rows).then_some(relation)
    })
}

/// The whole numbers nearest to q times some numbers, if all of them are near.
fn whole_multiples(q: f64, numbers: &[f64]) -> Option<Vec<f64>> {
    let whole = |a: &f64| {
        let p = (q * a).round();
        let near = (q * a - p).abs() <= NEARLY_WHOLE * p.abs().max(1.0) && p.abs() <= LARGEST_NUMERATOR;
        near.then_some(p)
    };
    numbers.iter().map(whole).collect()
}

/// The least q for which q times some numbers are nearly whole, and these whole numbers.
pub(super) fn nearly_whole(numbers: &[f64]) -> Option<(f64, Vec<f64>)> {
    (1..=LARGEST_DENOMINATOR).map(f64::from).find_map(|q| whole_multiples(q, numbers).map(|whole| (q, whole)))
}

/// Drop what groups of few joint values make superfluous.
fn drop_by_counting(rows: &ProofRows<'_>, mut inputs: Vec<usize>, span: &mut Span) {
    while let Some((group, values)) = most_superfluous(rows, &inputs, &span.columns) {
        let is_member = |column: &Monomial| column.is_inside(|j| group.contains(&j));
        let members: Vec<Monomial> = span.columns.iter().filter(|column| is_member(column)).copied().collect();
        let keep = pivoted(rows, &members, &values);
        span.columns.retain(|column| !members.contains(column) || keep.contains(column));
        inputs.retain(|j| !group.contains(j));
        span.groups.push(group);
    }
}

/// The group with the most superfluous columns, and one row for each of its joint values.
pub(super) fn most_superfluous(
    rows: &ProofRows<'_>,
    inputs: &[usize],
    columns: &[Monomial],
) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut best: Option<(usize, Vec<usize>, Vec<usize>)> = None;
    for seed in inputs {
        let mut group = vec![*seed];
        let mut values = joint_values(rows, &group);
        while values.len() <= MOST_VALUES {
            let present = columns.iter().filter(|column| column.is_inside(|j| group.contains(&j))).count();
            let spare = present.saturating_sub(values.len());
            if spare > best.as_ref().map_or(0, |(most, ..)| *most) {
                best = Some((spare, group.clone(), values.clone()));
            }
            let grown = inputs.iter().filter(|j| !group.contains(j)).map(|j| {
                let larger: Vec<usize> = group.iter().chain([j]).copied().collect();
                (joint_values(rows, &larger), larger)
            });
            // Where every row differs, further inputs add columns and no values: all of them are the best.
            let next = if values.len() < rows.n() {
                grown.min_by_key(|(values, _)| values.len())
            } else {
                (group.len() < inputs.len()).then(|| (values.clone(), inputs.to_vec()))
            };
            let Some(next) = next else { break };
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
        let x = rows.raw(i);
        // −0 + 0 = +0: the same number has the same bits.
        let key: Vec<u64> = group.iter().map(|&j| (x[j] + 0.0).to_bits()).collect();
        if seen.insert(key, ()).is_none() {
            first.push(i);
            if first.len() > MOST_VALUES {
                break;
            }
        }
    }
    first
}

/// z(x̂)
fn value(column: Monomial, x: &[f64]) -> f64 {
    match column {
        Monomial::One => 1.0,
        Monomial::Input(j) => x[j],
        Monomial::Product(a, b) => x[a] * x[b],
    }
}

/// As many columns as there are values, picked by pivoting; the constant is always among them.
fn pivoted(rows: &ProofRows<'_>, members: &[Monomial], values: &[usize]) -> Vec<Monomial> {
    let points: Vec<Vec<f64>> = values.iter().map(|&i| rows.row(i)).collect();
    let vector = |column: &Monomial| points.iter().map(|x| value(*column, x)).collect::<Vec<f64>>();
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
