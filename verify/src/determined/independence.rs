//! Proofs that the products are independent on some of the rows, hence on all.
//!
//! **Directly** (no passes). Ĝ = fl(ZᵀZ) for Ẑ = fl(Z) meets m additions a term, and three more roundings, so it is off by at
//! most 3(m+4)u·tr Ĝ in the spectral norm (see `arithmetic`). S = Diag(2^s) brings its diagonal between 1 and 4, exactly;
//! Cholesky of SĜS with Rump's shift then proves that SZᵀZS is positive definite.
//!
//! **In a better basis.** Let T be any upper triangular matrix with non-zero diagonal, hence invertible: Z has full rank if B = ZT
//! has. B̂ = fl(ẐT) has ‖B̂ − B‖_F ≤ 1.01(D+4)u‖Z‖_F‖T‖_F =: ε, and where B̂ᵀB̂ − 4ε²I is proved positive definite, σ_min(B) ≥
//! 2ε − ε > 0. T ≈ the inverse Cholesky factor of ZᵀZ, found in a few passes, makes BᵀB ≈ I, for products so nearly dependent that
//! their Gram matrix loses them. T is a guess; nothing depends on how it was found.

use serde::{Deserialize, Serialize};

use super::{Monomial, unsuitable};
use crate::arithmetic::{
    TINY, U, add_up, exponent, inflated, mul_up, norm_up, plain_dot, power_of_two, proves_above, proves_definite,
    sqrt_down, sqrt_up, weighted_gram,
};
use crate::error::Result;
use crate::matrix::{Matrix, tree_roundings, values_of_rows};
use crate::rows::ProofRows;

/// How independence is proved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Independence {
    /// h: the proof uses x̂_j = x_j·2^(h_j).
    pub shifts: Vec<i32>,
    /// m: of the n rows that count, those numbered ⌊i·n/m⌋ are used, i = 0, …, m − 1; all when `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rows: Option<usize>,
    /// How often a basis is orthonormalised; 0 for the products as they are.
    pub passes: usize,
}

/// Beyond this many products nothing is tried.
pub(crate) const MOST_FEATURES: usize = 5000;
/// Beyond this many operations nothing is tried.
const MOST_WORK: f64 = 4e12;
const MOST_PASSES: usize = 8;
/// Rows of one tree sum; these are added one after another, since each holds D² numbers.
const CHUNK: usize = 256;
/// Pivots below this share of their diagonal count as zero.
const NEGLIGIBLE_PIVOT: f64 = 1e-13;

/// True only if the columns are linearly independent on the rows.
pub(crate) fn proves_independent(rows: ProofRows<'_>, columns: &[Monomial], proof: &Independence) -> Result<bool> {
    let n = rows.n();
    let used = proof.rows.unwrap_or(n);
    if used == 0 || used > n {
        return unsuitable("the number of rows used", "at least 1 and at most that of the rows", used);
    }
    if proof.passes > MOST_PASSES {
        return unsuitable("the number of passes", "at most 8", proof.passes);
    }
    let rows = rows.in_coordinates(&vec![0.0; proof.shifts.len()], &proof.shifts)?;
    let D = columns.len();
    let work = used as f64 * (D as f64) * (D as f64) * (1 + 2 * proof.passes) as f64;
    if D > MOST_FEATURES || D > used || work > MOST_WORK {
        return Ok(false);
    }
    let features = Features { rows: &rows, used, columns };
    Ok(if proof.passes == 0 { features.prove_directly() } else { features.prove_in_a_basis(proof.passes) })
}

/// Columns on some rows.
struct Features<'a> {
    rows: &'a ProofRows<'a>,
    used: usize,
    columns: &'a [Monomial],
}

impl Features<'_> {
    /// fl(z) of the i-th row used.
    fn z(&self, i: usize) -> Vec<f64> {
        // 2¹²⁸ has room for the product of two counts.
        let at = (i as u128 * self.rows.n() as u128 / self.used as u128) as usize;
        let x = self.rows.row(at);
        self.columns.iter().map(|column| column.value(&x)).collect()
    }

    /// fl(BᵀB) for B = fl(ZT), the rows of Tᵀ given, or Z; and the additions that a term meets at most.
    fn gram(&self, Tt: Option<&Matrix>) -> (Matrix, usize) {
        let (n, D) = (self.used, self.columns.len());
        let mut G = Matrix::zeros(D, D);
        for start in (0..n).step_by(CHUNK) {
            let part = weighted_gram(CHUNK.min(n - start), D, |range, b, c| {
                c.fill(1.0);
                for (b, i) in b.chunks_exact_mut(D.max(1)).zip(range) {
                    let z = self.z(start + i);
                    match Tt {
                        None => b.copy_from_slice(&z),
                        Some(Tt) => b.iter_mut().enumerate().for_each(|(j, b)| {
                            *b = plain_dot(&Tt.row(j)[..=j], &z[..=j]);
                        }),
                    }
                }
            });
            G.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(sum, part)| *sum += part);
        }
        (G, tree_roundings(CHUNK.min(n)) + n.div_ceil(CHUNK))
    }

    fn prove_directly(&self) -> bool {
        let D = self.columns.len();
        let (G, roundings) = self.gram(None);
        let sound = (0..D).all(|j| G[(j, j)] > 0.0 && G[(j, j)].is_finite());
        if !sound {
            return false;
        }
        let scales: Vec<f64> = (0..D).map(|j| power_of_two(-exponent(G[(j, j)]).div_euclid(2))).collect();
        let A = Matrix::from_fn(D, D, |i, j| scales[i] * G[(i, j)] * scales[j]);
        let relative = mul_up(3.0 * (roundings + 4) as f64 * U, trace(&A));
        // What underflow of products, of their products and of the scaling can change in the spectral norm.
        let largest = self.rows.largest().into_iter().fold(1.0_f64, f64::max);
        let scale = scales.iter().fold(1.0_f64, |most, scale| most.max(*scale));
        let one = mul_up(TINY, mul_up(8.0, mul_up(largest, largest)));
        let underflow = mul_up(mul_up(one, (self.used * D) as f64), mul_up(scale, scale));
        proves_definite(&A, add_up(relative, underflow))
    }

    fn prove_in_a_basis(&self, passes: usize) -> bool {
        let D = self.columns.len();
        let mut Tt = Matrix::from_fn(D, D, |i, j| if i == j { 1.0 } else { 0.0 });
        for _ in 0..passes {
            let (G, _) = self.gram(Some(&Tt));
            improve(&mut Tt, &G);
        }
        let regular = (0..D).all(|j| Tt[(j, j)] != 0.0) && Tt.as_slice().iter().all(|t| t.is_finite());
        if !regular {
            return false;
        }
        let (G, roundings) = self.gram(Some(&Tt));
        let length = |i: usize| sqrt_up(inflated(self.z(i).iter().fold(0.0, |sum, z| sum + z * z), D + 4));
        let lengths = values_of_rows(self.used, length);
        let T = norm_up(Tt.as_slice().iter().copied());
        // An underflow in a sum of squares hides no more than this in all; one in B is multiplied by another entry of B, and
        // none of them is above ‖z‖‖T‖.
        let cells = mul_up(TINY, (self.used * D) as f64);
        let largest = add_up(1.0, mul_up(lengths.iter().copied().fold(0.0, f64::max), add_up(1.0, T)));
        let radius = add_up(mul_up(3.0 * (roundings + 4) as f64 * U, trace(&G)), mul_up(cells, mul_up(4.0, largest)));
        let Z = add_up(norm_up(lengths), sqrt_up(cells));
        let epsilon = add_up(mul_up(1.01 * (D + 4) as f64 * U, mul_up(Z, T)), mul_up(cells, add_up(1.0, T)));
        let mu = mul_up(4.0, mul_up(epsilon, epsilon));
        sqrt_down(mu) > epsilon && proves_above(&G, mu, radius)
    }
}

fn trace(A: &Matrix) -> f64 {
    (0..A.rows()).fold(0.0, |sum, j| add_up(sum, A[(j, j)]))
}

/// Tᵀ ← L⁻¹Tᵀ with LLᵀ ≈ G, small pivots replaced. A guess.
fn improve(Tt: &mut Matrix, G: &Matrix) {
    let D = G.rows();
    let mut L = Matrix::zeros(D, D);
    for i in 0..D {
        for j in 0..i {
            let rest = G[(i, j)] - plain_dot(&L.row(i)[..j], &L.row(j)[..j]);
            L[(i, j)] = rest / L[(j, j)];
        }
        let diagonal = G[(i, i)].max(f64::MIN_POSITIVE);
        let pivot = diagonal - plain_dot(&L.row(i)[..i], &L.row(i)[..i]);
        L[(i, i)] = pivot.max(NEGLIGIBLE_PIVOT * D as f64 * diagonal).sqrt();
    }
    for i in 0..D {
        for j in 0..i {
            let (above, row) = Tt.as_mut_slice().split_at_mut(i * D);
            let factor = L[(i, j)];
            row[..D].iter_mut().zip(&above[j * D..][..D]).for_each(|(to, from)| *to -= factor * from);
        }
        Tt.row_mut(i).iter_mut().for_each(|t| *t /= L[(i, i)]);
    }
}
