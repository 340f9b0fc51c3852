//! How far a dual point is from satisfying Zᵀθ = 0 exactly, with a proof.
//!
//! Z holds the unpenalised functions: 1, the inputs, and for τ = 0 with both signs all products of two inputs. Let T be
//! any upper triangular matrix with non-zero diagonal (hence invertible), B = ZT, and σ > 0 a proven lower bound on
//! σ_min(Ω^½B). The projection θ' of θ onto {Zᵀθ' = 0} in the norm ‖θ‖² = Σθᵢ²/ωᵢ exists, does not increase the norm, and
//!
//! ```text
//! ‖θ' − θ‖² = eᵀ(ZᵀΩZ)⁻¹e = (Tᵀe)ᵀ(BᵀΩB)⁻¹(Tᵀe) ≤ ‖Tᵀe‖²/σ² =: ρ²,        e = Zᵀθ.
//! ```
//!
//! T ≈ the inverse Cholesky factor of ZᵀΩZ makes BᵀΩB ≈ I, so that σ can be proved where ZᵀΩZ itself is far too ill
//! conditioned. B̂ = fl(ẐT) has ‖Ω^½(B̂ − B)‖_F ≤ 1.01(D+4)u‖Ω^½Z‖_F‖T‖_F =: ε, σ_min(Ω^½B̂)² ≥ μ is proved by Cholesky,
//! and σ = √μ − ε. T is a guess; nothing depends on how it was found. e is a compensated sum.

use std::ops::Range;

use super::dependence::independent;
use crate::activation::vectorised;
use crate::certificate::arithmetic::lanes::{self, AffineResiduals, HALF, TimesTriangle};
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{
    CompensatedSum, TINY, U, add_up, div_down, div_up, inflated, mul_up, norm_up, plain_dot, proves_definite,
    sqrt_down, sqrt_up, sub_down, tree, tree_roundings, two_product, weighted_gram,
};
use crate::linalg::{Matrix, for_row_blocks, values_of_rows};

/// A function of the inputs that is not penalised: 1, x_j or x_a x_b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::certificate) enum Monomial {
    One,
    Input(usize),
    Product(usize, usize),
}

impl Monomial {
    pub(crate) fn value(self, x: &[f64]) -> f64 {
        match self {
            Monomial::One => 1.0,
            Monomial::Input(j) => x[j],
            Monomial::Product(a, b) => x[a] * x[b],
        }
    }

    /// Add t·z(x) to a sum.
    pub(crate) fn add_to(self, sum: &mut CompensatedSum, t: f64, x: &[f64]) {
        match self {
            Monomial::One => sum.add(t),
            Monomial::Input(j) => sum.add_product(t, x[j]),
            Monomial::Product(a, b) => sum.add_wide_product(two_product(t, x[a]), x[b]),
        }
    }
}

#[derive(Clone)]
pub(in crate::certificate) struct Basis {
    pub columns: Vec<Monomial>,
    /// Tᵀ, lower triangular: row j is column j of T.
    Tt: Matrix,
    /// σ
    sigma: f64,
}

/// How often T is improved before giving up.
const PASSES: usize = 5;
/// With a proved σ above this T is as good as it gets. With a smaller one T is not yet an inverse factor, and a point
/// projected with it keeps a good part of what was to be taken away.
const GOOD_SIGMA: f64 = 0.9;
/// Beyond this many terms in Zᵀθ a point is projected twice, not three times.
const MANY_TERMS: usize = 10_000_000;
/// Pivots below this share of their diagonal count as zero.
pub(in crate::certificate) const NEGLIGIBLE_PIVOT: f64 = 1e-13;

impl Basis {
    /// A basis of the same functions with a proof that its columns are independent, if one is found.
    pub(crate) fn of(rows: &ProofRows<'_>, columns: Vec<Monomial>) -> Option<Basis> {
        let fewer = || Some(independent(rows, &columns)).filter(|fewer| fewer.len() < columns.len());
        Basis::prove(rows, columns.clone()).or_else(|| Basis::prove(rows, fewer()?))
    }

    /// A basis of these columns with a proof that they are independent.
    pub(crate) fn prove(rows: &ProofRows<'_>, columns: Vec<Monomial>) -> Option<Basis> {
        let mut basis = Basis::identity(columns);
        let mut best: Option<Basis> = None;
        for pass in 0..PASSES {
            let G = basis.gram(rows);
            basis.sigma = if pass > 0 { basis.proven_sigma(rows, &G) } else { f64::NAN };
            if basis.sigma > best.as_ref().map_or(0.0, |best| best.sigma) {
                best = Some(basis.clone());
            }
            if basis.sigma > GOOD_SIGMA {
                break;
            }
            basis.improve(&G, rows.total.high);
        }
        best
    }

    /// σ_min(Ω^½Z·Diag(s)) from below: Z·Diag(s) = B·(Diag(1/s)T)⁻¹, and no singular value of the inverse is below
    /// 1/‖Diag(1/s)T‖_F. The `inverses` 1/s are powers of two.
    pub(crate) fn least_singular_value(&self, inverses: &[f64]) -> f64 {
        let D = self.columns.len();
        let scaled =
            (0..D).flat_map(|j| (0..D).map(move |l| (j, l))).map(|(j, l)| mul_up(self.Tt[(j, l)].abs(), inverses[l]));
        div_down(self.sigma, norm_up(scaled))
    }

    /// The columns as they are, without a proof.
    pub(crate) fn identity(columns: Vec<Monomial>) -> Basis {
        let Tt = Matrix::identity(columns.len());
        Basis { columns, Tt, sigma: f64::NAN }
    }

    /// A basis without a proof: good to project with, not to conclude from.
    pub(crate) fn guess(rows: &ProofRows<'_>, columns: Vec<Monomial>) -> Option<Basis> {
        let mut basis = Basis::identity(columns);
        for _ in 0..2 {
            let G = basis.gram(rows);
            basis.improve(&G, rows.total.high);
        }
        basis.Tt.as_slice().iter().all(|t| t.is_finite()).then_some(basis)
    }

    /// N·B̂ᵀΩB̂
    pub(crate) fn gram(&self, rows: &ProofRows<'_>) -> Matrix {
        let D = self.columns.len();
        let identity = self.Tt == Matrix::identity(D);
        weighted_gram(rows.n(), D, |range, b, w| {
            w.copy_from_slice(&rows.w[range.clone()]);
            let mut Z = vec![0.0; b.len()];
            for (z, i) in Z.chunks_exact_mut(D).zip(range) {
                let x = rows.X.row(i);
                z.iter_mut().zip(&self.columns).for_each(|(z, column)| *z = column.value(x));
            }
            if identity {
                return b.copy_from_slice(&Z);
            }
            let (mut columns, mut products) = (vec![], vec![0.0; HALF * D]);
            for (b, Z) in b.chunks_mut(HALF * D).zip(Z.chunks(HALF * D)) {
                lanes::transposed(Z, D, HALF, &mut columns);
                vectorised(TimesTriangle { Z: &columns, T: &self.Tt, out: &mut products });
                for (i, b) in b.chunks_exact_mut(D).enumerate() {
                    b.iter_mut().zip(products.chunks_exact(HALF)).for_each(|(b, products)| *b = products[i]);
                }
            }
        })
    }

    /// Tᵀ ← L⁻¹Tᵀ with LLᵀ ≈ G/N.
    fn improve(&mut self, G: &Matrix, total: f64) {
        let D = G.rows();
        let (L, _) = guessed_cholesky(G, total);
        for i in 0..D {
            for j in 0..i {
                let (above, row) = self.Tt.as_mut_slice().split_at_mut(i * D);
                let factor = L[(i, j)];
                row[..D].iter_mut().zip(&above[j * D..][..D]).for_each(|(to, from)| *to -= factor * from);
            }
            self.Tt.row_mut(i).iter_mut().for_each(|t| *t /= L[(i, i)]);
        }
    }

    fn proven_sigma(&self, rows: &ProofRows<'_>, G: &Matrix) -> f64 {
        let D = self.columns.len();
        let regular = (0..D).all(|j| self.Tt[(j, j)] != 0.0) && self.Tt.as_slice().iter().all(|t| t.is_finite());
        if !regular {
            return f64::NAN;
        }
        let z_norm = |i: usize| {
            let x = rows.X.row(i);
            let square = self.columns.iter().fold(0.0, |sum, column| sum + column.value(x) * column.value(x));
            sqrt_up(inflated(square, D + 4))
        };
        let lengths = values_of_rows(rows.n(), z_norm);
        let T = norm_up(self.Tt.as_slice().iter().copied());
        let trace = (0..D).fold(0.0, |sum, j| add_up(sum, G[(j, j)]));
        // A product w·b that underflows is multiplied by another entry of B, and none of them is above ‖z‖‖T‖.
        let largest = add_up(1.0, mul_up(lengths.iter().copied().fold(0.0, f64::max), T));
        let underflow = mul_up(mul_up(TINY, (rows.n() * D) as f64), largest);
        let rad = add_up(mul_up(3.0 * (tree_roundings(rows.n()) + 4) as f64 * U, trace), underflow);
        let provable = |mu: &f64| {
            let mut A = G.clone();
            (0..D).for_each(|j| A[(j, j)] = sub_down(G[(j, j)], mul_up(*mu, rows.total.high)));
            proves_definite(&A, rad)
        };
        let Some(mu) = [0.9, 0.5, 0.1, 0.01].into_iter().find(provable) else { return f64::NAN };
        let Z = rows.weighted_norm(lengths);
        let underflow = mul_up(TINY * (rows.n() * D) as f64, add_up(1.0, T));
        let epsilon = add_up(mul_up(1.01 * (D + 4) as f64 * U, mul_up(Z, T)), underflow);
        sub_down(sqrt_down(mu), epsilon)
    }

    /// e = Zᵀθ, each with a bound on its error.
    fn moments(&self, rows: &ProofRows<'_>, theta: &[f64]) -> Vec<(f64, f64)> {
        let input = |column: &Monomial| if let Monomial::Input(j) = *column { Some(j) } else { None };
        let (d, inputs): (usize, Vec<usize>) = (rows.d(), self.columns.iter().filter_map(input).collect());
        let leaf = |range: Range<usize>| {
            let (t, x) = (&theta[range.clone()], &rows.X.as_slice()[range.start * d..range.end * d]);
            let mut of_inputs = lanes::moments(t, x, d, &inputs).into_iter();
            let sum = |column: &Monomial| {
                let mut sum = CompensatedSum::default();
                t.iter().zip(x.chunks_exact(d)).for_each(|(t, x)| column.add_to(&mut sum, *t, x));
                sum
            };
            let sums = self.columns.iter().map(|column| match column {
                Monomial::Input(_) => of_inputs.next().unwrap_or_else(|| sum(column)),
                _ => sum(column),
            });
            sums.collect()
        };
        let add = |left: &mut Vec<CompensatedSum>, right: Vec<CompensatedSum>| {
            left.iter_mut().zip(right).for_each(|(a, b)| a.merge(b))
        };
        tree(rows.n(), &leaf, &add).iter().map(CompensatedSum::value).collect()
    }

    /// ρ: a bound on the distance from θ to {Zᵀθ' = 0}.
    pub(crate) fn distance(&self, rows: &ProofRows<'_>, theta: &[f64]) -> f64 {
        let e = self.moments(rows, theta);
        let transformed = (0..e.len()).map(|j| {
            let mut sum = CompensatedSum::default();
            let mut slack = 0.0;
            for (t, (value, error)) in self.Tt.row(j)[..=j].iter().zip(&e) {
                sum.add_product(*t, *value);
                slack = add_up(slack, mul_up(t.abs(), *error));
            }
            add_up(sum.abs_up(), slack)
        });
        div_up(norm_up(transformed), self.sigma)
    }

    /// Coefficients g with Zg ≈ the Ω-orthogonal projection of a onto the columns, where θ = Ωa.
    pub(crate) fn coefficients(&self, rows: &ProofRows<'_>, theta: &[f64]) -> Vec<f64> {
        let e: Vec<f64> = self.moments(rows, theta).iter().map(|(value, _)| *value).collect();
        let D = e.len();
        let mut g = vec![0.0; D];
        for j in 0..D {
            let t = &self.Tt.row(j)[..=j];
            let inner = plain_dot(t, &e[..=j]);
            g.iter_mut().zip(t).for_each(|(g, t)| *g += inner * t);
        }
        g
    }

    /// θ moved next to {Zᵀθ = 0}; what is left is found by [`Basis::distance`].
    pub(crate) fn projected(&self, rows: &ProofRows<'_>, theta: &[f64]) -> Vec<f64> {
        let mut theta = theta.to_vec();
        let large = rows.n() * self.columns.len() > MANY_TERMS;
        for _ in 0..if large { 2 } else { 3 } {
            let g = self.coefficients(rows, &theta);
            theta = values_of_rows(rows.n(), |i| {
                let x = rows.X.row(i);
                let fitted = self.columns.iter().zip(&g).fold(0.0, |sum, (column, g)| sum + column.value(x) * g);
                theta[i] - rows.w[i] / rows.total.high * fitted
            });
        }
        theta
    }

    /// ŷ = fl(y − Zβ) for the β of least squares, and bounds aᵢ on |ŷᵢ − (y − Zβ)ᵢ|. Exact θ' see no difference
    /// between y and y − Zβ, whatever β is.
    pub(crate) fn residual_target(&self, rows: &ProofRows<'_>) -> (Vec<f64>, Vec<f64>) {
        let mut beta = vec![0.0; self.columns.len()];
        let (mut target, mut slack) = (rows.y.clone(), Vec::new());
        for _ in 0..2 {
            let step = self.coefficients(rows, &rows.weighted(&target));
            beta.iter_mut().zip(step).for_each(|(beta, step)| *beta += step);
            let mut pairs = Matrix::zeros(rows.n(), 2);
            for_row_blocks(pairs.as_mut_slice(), 2, |range, out| {
                let (d, mut X, mut sums) = (rows.d(), vec![], [CompensatedSum::default(); HALF]);
                for (out, start) in out.chunks_mut(2 * HALF).zip(range.clone().step_by(HALF)) {
                    let end = range.end.min(start + HALF);
                    let mut y = [0.0; HALF];
                    y[..end - start].copy_from_slice(&rows.y[start..end]);
                    lanes::transposed(&rows.X.as_slice()[start * d..end * d], d, HALF, &mut X);
                    let (columns, beta) = (&self.columns[..], &beta[..]);
                    vectorised(AffineResiduals { columns, beta, X: &X, y: &y, out: &mut sums });
                    for (out, sum) in out.chunks_exact_mut(2).zip(&sums) {
                        let (value, error) = sum.value();
                        out.copy_from_slice(&[value, error]);
                    }
                }
            });
            (target, slack) = (pairs.column(0), pairs.column(1));
        }
        (target, slack)
    }
}

/// L with LLᵀ ≈ G/N, small pivots replaced, and the columns whose pivot was small. A guess, not a proof.
pub(in crate::certificate) fn guessed_cholesky(G: &Matrix, total: f64) -> (Matrix, Vec<usize>) {
    let D = G.rows();
    let mut L = Matrix::zeros(D, D);
    let mut small = Vec::new();
    for i in 0..D {
        for j in 0..i {
            let rest = G[(i, j)] / total - plain_dot(&L.row(i)[..j], &L.row(j)[..j]);
            L[(i, j)] = rest / L[(j, j)];
        }
        let diagonal = (G[(i, i)] / total).max(f64::MIN_POSITIVE);
        let pivot = diagonal - plain_dot(&L.row(i)[..i], &L.row(i)[..i]);
        let least = NEGLIGIBLE_PIVOT * D as f64 * diagonal;
        let large = pivot > least;
        if !large {
            small.push(i);
        }
        L[(i, i)] = pivot.max(least).sqrt();
    }
    (L, small)
}
