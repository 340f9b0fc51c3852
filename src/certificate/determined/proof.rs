//! Proofs that the products are independent.
//!
//! **Directly.** Ĝ = fl(ZᵀZ) for Ẑ = fl(Z) meets m additions a term, and three more roundings, so it is off by at most
//! 3(m+4)u·tr Ĝ in the spectral norm (see `arithmetic`). S = Diag(2^s) brings its diagonal between 1 and 4, exactly;
//! Cholesky of SĜS − μI with Rump's shift then proves λ_min(SZᵀZS) ≥ μ > 0.
//!
//! **In a better basis.** ZT for a triangular T that makes it nearly orthonormal, as in `basis`: for products so nearly
//! dependent that their Gram matrix loses them.

use super::features::ProofFeatures;
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{
    TINY, U, add_up, exponent, mul_down, mul_up, power_of_two, proves_definite, square, sub_down, tree_roundings,
    weighted_gram,
};
use crate::certificate::optimum::basis::{Basis, Monomial};
use crate::linalg::{Matrix, add_scaled};

/// So many rows for each product are tried before all.
const ROWS_PER_FEATURE: usize = 2;
/// Beyond n·D² of this no Gram matrix is formed.
const MOST_WORK: f64 = 1e12;
/// Beyond this no better basis is looked for.
const MOST_WORK_FOR_A_BASIS: f64 = 4e9;
/// Rows of one tree sum; these are added one after another, since each holds D² numbers.
const CHUNK: usize = 1024;

/// A proven lower bound on the least eigenvalue of the scaled Gram matrix.
pub(in crate::certificate) fn direct(features: &ProofFeatures<'_>) -> Option<f64> {
    let columns = features.columns();
    let (n, few) = (features.rows.n(), ROWS_PER_FEATURE * columns.len());
    let work = |n: usize| n as f64 * (columns.len() as f64).powi(2);
    let on = |n: usize| (work(n) <= MOST_WORK).then(|| proven_eigenvalue(&features.some_rows(n), &columns)).flatten();
    on(few.min(n)).or_else(|| if few < n { on(n) } else { None })
}

/// The same in a basis in which the products are nearly orthonormal.
pub(in crate::certificate) fn in_a_better_basis(features: &ProofFeatures<'_>) -> Option<f64> {
    let columns = features.columns();
    let most = MOST_WORK_FOR_A_BASIS / (columns.len() as f64).powi(2);
    if most < columns.len() as f64 {
        return None;
    }
    let rows = features.some_rows(most as usize);
    let basis = Basis::prove(&rows, columns.clone())?;
    let length = |column: &Monomial| -> f64 { (0..rows.n()).map(|i| square(column.value(rows.X.row(i)))).sum() };
    let inverses: Vec<f64> =
        columns.iter().map(|column| power_of_two(exponent(length(column)).div_euclid(2))).collect();
    let least = basis.least_singular_value(&inverses);
    let eigenvalue = mul_down(rows.total.low, mul_down(least, least));
    // It may be too small to be written; that the columns are independent is proved all the same.
    (least > 0.0).then_some(eigenvalue.max(0.0))
}

fn proven_eigenvalue(rows: &ProofRows<'_>, columns: &[Monomial]) -> Option<f64> {
    let D = columns.len();
    let (G, roundings) = gram(rows, columns);
    let sound = (0..D).all(|j| G[(j, j)] > 0.0 && G[(j, j)].is_finite());
    if !sound {
        return None;
    }
    let scales: Vec<f64> = (0..D).map(|j| power_of_two(-exponent(G[(j, j)]).div_euclid(2))).collect();
    let A = Matrix::from_fn(D, D, |i, j| scales[i] * G[(i, j)] * scales[j]);
    let trace = (0..D).fold(0.0, |sum, j| add_up(sum, A[(j, j)]));
    let relative = mul_up(3.0 * (roundings + 4) as f64 * U, trace);
    let radius = add_up(relative, underflow(rows, &scales));
    // The last is as little as can be proved at all.
    let candidates = [1e-2, 1e-5, 1e-8, radius];
    candidates.into_iter().find(|mu| {
        let mut shifted = A.clone();
        (0..D).for_each(|j| shifted[(j, j)] = sub_down(A[(j, j)], *mu));
        *mu > 0.0 && proves_definite(&shifted, radius)
    })
}

/// What underflow of products, of their products and of the scaling can change in the spectral norm.
fn underflow(rows: &ProofRows<'_>, scales: &[f64]) -> f64 {
    let largest = rows.X.as_slice().iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    let scale = scales.iter().fold(1.0, |most: f64, scale| most.max(*scale));
    let one = mul_up(TINY, mul_up(8.0, mul_up(largest, largest)));
    mul_up(mul_up(one, (rows.n() * scales.len()) as f64), mul_up(scale, scale))
}

/// fl(ZᵀZ), and the additions a term meets at most.
fn gram(rows: &ProofRows<'_>, columns: &[Monomial]) -> (Matrix, usize) {
    let (n, D) = (rows.n(), columns.len());
    let mut G = Matrix::zeros(D, D);
    for start in (0..n).step_by(CHUNK) {
        let part = weighted_gram(CHUNK.min(n - start), D, |range, z, c| {
            c.fill(1.0);
            for (z, i) in z.chunks_exact_mut(D).zip(range) {
                let x = rows.X.row(start + i);
                z.iter_mut().zip(columns).for_each(|(z, column)| *z = column.value(x));
            }
        });
        add_scaled(G.as_mut_slice(), 1.0, part.as_slice());
    }
    (G, tree_roundings(CHUNK.min(n)) + n.div_ceil(CHUNK))
}
