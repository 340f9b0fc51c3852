//! Exact relations among the columns and their products, each of which costs the span a dimension for certain.
//!
//! **Columns.** A column that is exactly a combination of columns before it (zero, a multiple of one of them, constant
//! where 1 counts as an input, or a combination with small whole coefficients) takes all its products with it: what is
//! left is a quadratic function of the others. **Products.** Of the columns left, x_a x_b = 0 in every row; and a column
//! of two values α, β has (x − α)(x − β) = 0, a relation between x², x and 1 where there is a 1 (or a constant column in
//! its place); where there is none, two columns of one magnitude each have proportional squares. Each of these relations
//! has a product of its own, x_a x_b or x², so they are independent. **Groups.** A group of columns that takes s joint
//! values has at most s independent functions.
//!
//! Everything is read off the stored numbers: equality, zeros, and products compared in twice the precision.

use super::features::{ProofFeatures, dimension};
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{power_of_two, two_product};
use crate::certificate::optimum::basis::Monomial;
use crate::certificate::optimum::dependence::{MOST_WORK, dependent_inputs, inside, most_superfluous};

/// What is certainly missing.
#[derive(Default)]
pub(in crate::certificate) struct Relations {
    /// The span has at most D minus this many dimensions.
    pub deficit: usize,
    /// Why, one sentence for each reason.
    pub words: Vec<String>,
}

/// Relations of single columns and of products of two.
pub(in crate::certificate) fn of_columns(features: &ProofFeatures<'_>, names: &[String]) -> Relations {
    let (rows, affine) = (&features.rows, features.affine);
    let mut words = Vec::new();
    let kept = independent_columns(features, names, &mut words);
    let mut deficit = dimension(rows.d(), affine) - dimension(kept.len(), affine);
    for (a, b) in exclusive_pairs(rows, &kept) {
        words.push(format!("{}·{} is zero in every row", names[a], names[b]));
        deficit += 1;
    }
    let unit = kept.iter().copied().find(|&j| !affine && is_constant(rows, j));
    let squares: Vec<usize> = if affine || unit.is_some() {
        kept.into_iter().filter(|&j| Some(j) != unit && has_two_values(rows, j)).collect()
    } else {
        kept.into_iter().filter(|&j| has_one_magnitude(rows, j)).skip(1).collect()
    };
    for j in squares {
        let name = &names[j];
        words.push(if affine || unit.is_some() {
            format!("{name} has only two values, so {name}² follows from {name}")
        } else {
            format!("{name} has only one magnitude, and so has a column before it")
        });
        deficit += 1;
    }
    Relations { deficit, words }
}

/// The group of columns with too few joint values that leaves the most open.
pub(in crate::certificate) fn of_groups(features: &ProofFeatures<'_>, names: &[String]) -> Relations {
    let rows = &features.rows;
    if rows.n() as f64 * (rows.d() as f64).powi(3) > MOST_WORK {
        return Relations::default();
    }
    let (inputs, columns): (Vec<usize>, Vec<Monomial>) = ((0..rows.d()).collect(), features.columns());
    let Some((group, values)) = most_superfluous(rows, &inputs, &columns) else { return Relations::default() };
    let present = columns.iter().filter(|column| inside(column, &group)).count();
    let list: Vec<&str> = group.iter().map(|&j| names[j].as_str()).collect();
    let (list, count) = (list.join(", "), values.len());
    let words = format!("{list} take only {count} joint values, and have {present} products");
    Relations { deficit: present.saturating_sub(count), words: vec![words] }
}

/// The columns that no exact relation makes superfluous.
fn independent_columns(features: &ProofFeatures<'_>, names: &[String], words: &mut Vec<String>) -> Vec<usize> {
    let (rows, affine) = (&features.rows, features.affine);
    let small = rows.n() as f64 * (rows.d() as f64).powi(2) <= MOST_WORK;
    let combinations = if small { dependent_inputs(rows, affine) } else { vec![] };
    let mut kept: Vec<usize> = Vec::new();
    for j in 0..rows.d() {
        let name = &names[j];
        let reason = if (0..rows.n()).all(|i| rows.X[(i, j)] == 0.0) {
            Some(format!("{name} is zero in every row"))
        } else if affine && is_constant(rows, j) {
            Some(format!("{name} is constant"))
        } else if let Some(&l) = kept.iter().find(|&&l| are_proportional(rows, j, l)) {
            Some(format!("{name} is exactly a multiple of {}", names[l]))
        } else if combinations.contains(&j) {
            Some(format!("{name} is exactly a combination of columns before it"))
        } else {
            None
        };
        match reason {
            Some(reason) => words.push(reason),
            None => kept.push(j),
        }
    }
    kept
}

fn is_constant(rows: &ProofRows<'_>, j: usize) -> bool {
    (1..rows.n()).all(|i| rows.X[(i, j)] == rows.X[(0, j)])
}

fn has_one_magnitude(rows: &ProofRows<'_>, j: usize) -> bool {
    (1..rows.n()).all(|i| rows.X[(i, j)].abs() == rows.X[(0, j)].abs())
}

fn has_two_values(rows: &ProofRows<'_>, j: usize) -> bool {
    let column = |i: usize| rows.X[(i, j)];
    let other = (1..rows.n()).map(column).find(|x| *x != column(0)).unwrap_or(column(0));
    (1..rows.n()).all(|i| column(i) == column(0) || column(i) == other)
}

/// Whether x_j = c·x_l in every row for some number c; both are not zero.
fn are_proportional(rows: &ProofRows<'_>, j: usize, l: usize) -> bool {
    let Some(first) = (0..rows.n()).find(|&i| rows.X[(i, l)] != 0.0) else { return false };
    let (x, z) = (rows.X[(first, j)], rows.X[(first, l)]);
    (0..rows.n()).all(|i| equal_products((rows.X[(i, j)], z), (rows.X[(i, l)], x)))
}

/// Whether ab = cd exactly; false where a product is too large or too small to tell.
pub(in crate::certificate) fn equal_products((a, b): (f64, f64), (c, d): (f64, f64)) -> bool {
    let zeros = [a == 0.0 || b == 0.0, c == 0.0 || d == 0.0];
    if zeros.contains(&true) {
        return zeros == [true; 2];
    }
    // 2^±900 leaves room for the 106 bits of a product and for the splitting of the factors.
    let range = power_of_two(-900)..power_of_two(900);
    let ((p, p_low), (q, q_low)) = (two_product(a, b), two_product(c, d));
    let safe = [a, b, c, d, p, q].iter().all(|x| range.contains(&x.abs()));
    safe && p == q && p_low == q_low
}

/// Pairs of columns of which one is zero in every row.
fn exclusive_pairs(rows: &ProofRows<'_>, columns: &[usize]) -> Vec<(usize, usize)> {
    let words = rows.n().div_ceil(64);
    let nonzero = |j: usize| {
        let mut bits = vec![0_u64; words];
        (0..rows.n()).filter(|&i| rows.X[(i, j)] != 0.0).for_each(|i| bits[i / 64] |= 1 << (i % 64));
        bits
    };
    let sparse: Vec<(usize, Vec<u64>)> = columns.iter().map(|&j| (j, nonzero(j))).collect();
    let mut pairs = Vec::new();
    for (at, (a, left)) in sparse.iter().enumerate() {
        for (b, right) in &sparse[at + 1..] {
            if left.iter().zip(right).all(|(left, right)| left & right == 0) {
                pairs.push((*a, *b));
            }
        }
    }
    pairs
}
