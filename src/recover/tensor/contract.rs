//! Contractions with vectors and matrices.
//!
//! The cubes T(·, u, u, u) of many u at once are two matrix products per group b. With w = t/s, for one u,
//!
//! ```text
//! T(·,u,u,u) = 6 Σ w (u_b u_c u_e e_a + u_a u_c u_e e_b + u_a u_b u_e e_c + u_a u_b u_c e_e)
//! R_a = Σ_ce w u_c u_e      gives the first two,      Z_ce = Σ_a w u_a u_b      the other two.
//! ```
//!
//! Along v, T(·, v, u, u) is a third of the derivative of that: the same products with the derivatives of u_c u_e and
//! u_a u_b besides.

use super::{SymmetricTensor, group_view, tail_pairs};
use crate::linalg::{Destination, Matrix, add_scaled, dot, multiply};

impl SymmetricTensor {
    /// T(u, u, u, u).
    pub fn quartic(&self, u: &[f64]) -> f64 {
        dot(u, &self.cube(u))
    }

    /// T(·, u, u, u).
    pub fn cube(&self, u: &[f64]) -> Vec<f64> {
        self.cubes(&Matrix::from_rows(&[u])).into_vec()
    }

    /// T(·, u, v, v).
    pub fn square(&self, u: &[f64], v: &[f64]) -> Vec<f64> {
        self.cubes_along(&Matrix::from_rows(&[v]), &Matrix::from_rows(&[u])).1.into_vec()
    }

    /// The matrix T(·, ·, u, v).
    pub fn pair(&self, u: &[f64], v: &[f64]) -> Matrix {
        let d = self.dimension();
        self.times_matrix(&Matrix::from_fn(d, d, |i, j| 0.5 * (u[i] * v[j] + u[j] * v[i])))
    }

    /// The matrix T(·, ·, S) = Σ_kl T_··kl S_kl for a symmetric S.
    ///
    /// With S = Σ_k b_k b_kᵀ this is Σ_k T(·, ·, b_k, b_k) for the price of one of its terms.
    pub fn times_matrix(&self, S: &Matrix) -> Matrix {
        let d = self.dimension();
        let sum = self.sum_over_groups(d * d, |b, weighted, sum| {
            let width = self.tail(b);
            for (a, row) in weighted.chunks_exact(width).enumerate() {
                let mut rest = row;
                let mut ab = 0.0;
                for c in b..d {
                    let (w, after) = rest.split_at(d - c);
                    rest = after;
                    ab += dot(w, &S.row(c)[c..]);
                    sum[a * d + c] += dot(w, &S.row(b)[c..]);
                    sum[b * d + c] += dot(w, &S.row(a)[c..]);
                    add_scaled(&mut sum[a * d + c..(a + 1) * d], S[(b, c)], w);
                    add_scaled(&mut sum[b * d + c..(b + 1) * d], S[(a, c)], w);
                    add_scaled(&mut sum[c * d + c..(c + 1) * d], S[(a, b)], w);
                }
                sum[a * d + b] += ab;
            }
        });
        // Each of the six ways to split the four places in two was met once; it stands for two orders on either side.
        Matrix::from_fn(d, d, |i, j| 2.0 * (sum[i * d + j] + sum[j * d + i]))
    }

    /// Row j is T(·, b_j, b_j, b_j), b_j being row j of B.
    pub fn cubes(&self, B: &Matrix) -> Matrix {
        let (m, d) = (B.rows(), B.cols());
        let sum = self.sum_over_groups(m * d, |b, weighted, sum| {
            let (R, Z) =
                self.products(b, weighted, &tail_pairs(B, b), &Matrix::from_fn(m, b + 1, |j, a| B[(j, a)] * B[(j, b)]));
            for (j, out) in sum.chunks_exact_mut(d).enumerate() {
                let u = B.row(j);
                add_scaled(&mut out[..=b], u[b], R.row(j));
                out[b] += dot(&u[..=b], R.row(j));
                add_tail(out, Z.row(j), u, b);
            }
        });
        Matrix::from_vec(m, d, sum.into_iter().map(|x| 6.0 * x).collect())
    }

    /// The cubes T(·, b_j, b_j, b_j) and T(·, v_j, b_j, b_j), row by row.
    pub fn cubes_along(&self, B: &Matrix, V: &Matrix) -> (Matrix, Matrix) {
        let (m, d) = (B.rows(), B.cols());
        let stacked = stack(B, V);
        let sum = self.sum_over_groups(2 * m * d, |b, weighted, sum| {
            let pairs = stack(&tail_pairs(B, b), &mixed_pairs(B, V, b));
            let left = Matrix::from_fn(2 * m, b + 1, |at, a| match at.checked_sub(m) {
                None => B[(at, a)] * B[(at, b)],
                Some(j) => V[(j, a)] * B[(j, b)] + B[(j, a)] * V[(j, b)],
            });
            let (R, Z) = self.products(b, weighted, &pairs, &left);
            for (at, out) in sum.chunks_exact_mut(d).enumerate() {
                let j = at % m;
                // The derivative of each product: once with u and the derivative of the rest, once with v and the rest.
                let terms: &[(usize, usize)] = if at < m { &[(j, j)] } else { &[(j, m + j), (m + j, j)] };
                for &(vector, rest) in terms {
                    let u = stacked.row(vector);
                    add_scaled(&mut out[..=b], u[b], R.row(rest));
                    out[b] += dot(&u[..=b], R.row(rest));
                    add_tail(out, Z.row(rest), u, b);
                }
            }
        });
        let part = |part: &[f64], factor: f64| Matrix::from_vec(m, d, part.iter().map(|x| factor * x).collect());
        (part(&sum[..m * d], 6.0), part(&sum[m * d..], 2.0))
    }

    /// R (a row of b + 1 sums for each row of `pairs`) and Z (a row of sums over a for each row of `left`).
    fn products(&self, b: usize, weighted: &[f64], pairs: &Matrix, left: &Matrix) -> (Matrix, Matrix) {
        let group = group_view(weighted, b + 1);
        let mut R = Matrix::zeros(pairs.rows(), b + 1);
        multiply(R.as_mut_slice(), pairs.view(), group.t(), Destination::Replace);
        let mut Z = Matrix::zeros(left.rows(), self.tail(b));
        multiply(Z.as_mut_slice(), left.view(), group, Destination::Replace);
        (R, Z)
    }
}

/// Add Σ_{c≤e} Z_ce (u_e e_c + u_c e_e).
fn add_tail(out: &mut [f64], Z: &[f64], u: &[f64], b: usize) {
    let d = u.len();
    let mut rest = Z;
    for c in b..d {
        let (z, after) = rest.split_at(d - c);
        rest = after;
        out[c] += dot(z, &u[c..]);
        add_scaled(&mut out[c..], u[c], z);
    }
}

/// For every row: the derivatives u_c v_e + v_c u_e of the products of pairs along v.
fn mixed_pairs(U: &Matrix, V: &Matrix, b: usize) -> Matrix {
    let d = U.cols();
    let mut products = Matrix::zeros(U.rows(), super::tail(d, b));
    for j in 0..U.rows() {
        let (u, v) = (U.row(j), V.row(j));
        let mut rest = products.row_mut(j);
        for c in b..d {
            let (slice, after) = rest.split_at_mut(d - c);
            for (product, e) in slice.iter_mut().zip(c..d) {
                *product = u[c] * v[e] + v[c] * u[e];
            }
            rest = after;
        }
    }
    products
}

fn stack(above: &Matrix, below: &Matrix) -> Matrix {
    let entries = [above.as_slice(), below.as_slice()].concat();
    Matrix::from_vec(above.rows() + below.rows(), above.cols(), entries)
}
