//! How far a dual point is from satisfying Zᵀθ = 0 exactly, with a proof.
//!
//! The columns of Z are monomials of the inputs, as functions on the rows. Let T be any upper triangular matrix with
//! non-zero diagonal (hence invertible), B = ZT, and σ > 0 a proven lower bound on σ_min(Ω^½B), so that the columns of Z
//! are independent. The projection θ' of θ onto {Zᵀθ' = 0} in the norm ‖θ‖² = Σθᵢ²/ωᵢ exists, does not increase the norm,
//! and
//!
//! ```text
//! ‖θ' − θ‖² = eᵀ(ZᵀΩZ)⁻¹e = (Tᵀe)ᵀ(BᵀΩB)⁻¹(Tᵀe) ≤ ‖Tᵀe‖²/σ² =: ρ²,        e = Zᵀθ.
//! ```
//!
//! T ≈ the inverse Cholesky factor of ZᵀΩZ makes BᵀΩB ≈ I, so that σ can be proved where ZᵀΩZ itself is far too ill
//! conditioned. B̂ = fl(ẐT) has ‖Ω^½(B̂ − B)‖_F ≤ 1.01(D+4)u‖Ω^½Z‖_F‖T‖_F =: ε (a product of two inputs is rounded once, a
//! sum of D products D times), σ_min(Ω^½B̂)² ≥ μ is proved by Cholesky, and σ = √μ − ε. T is computed as it comes;
//! nothing depends on its quality but σ. e is a compensated sum.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::arithmetic::lanes::{LANES, LaneSums, Lanes, two_products};
use crate::arithmetic::{
    CompensatedSum, TINY, U, add_up, div_up, inflated, mul_up, norm_up, plain_dot, proves_definite, sqrt_down, sqrt_up,
    sub_down, weighted_gram,
};
use crate::matrix::{BLOCK, Matrix, fill_rows, tree, tree_roundings};
use crate::rows::ProofRows;

/// A function of the inputs: 1, x̂_j or x̂_a x̂_b with a ≤ b. In a file `[]`, `[j]`, `[a, b]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<usize>", into = "Vec<usize>")]
pub enum Monomial {
    /// 1
    One,
    /// x̂_j
    Input(usize),
    /// x̂_a x̂_b
    Product(usize, usize),
}

impl TryFrom<Vec<usize>> for Monomial {
    type Error = &'static str;

    fn try_from(factors: Vec<usize>) -> Result<Monomial, &'static str> {
        match factors[..] {
            [] => Ok(Monomial::One),
            [j] => Ok(Monomial::Input(j)),
            [a, b] if a <= b => Ok(Monomial::Product(a, b)),
            _ => Err("a monomial is [], [j] or [a, b] with a ≤ b"),
        }
    }
}

impl From<Monomial> for Vec<usize> {
    fn from(monomial: Monomial) -> Vec<usize> {
        match monomial {
            Monomial::One => vec![],
            Monomial::Input(j) => vec![j],
            Monomial::Product(a, b) => vec![a, b],
        }
    }
}

impl Monomial {
    /// Whether every input that occurs passes a test.
    pub fn is_inside(self, contains: impl Fn(usize) -> bool) -> bool {
        match self {
            Monomial::One => true,
            Monomial::Input(j) => contains(j),
            Monomial::Product(a, b) => contains(a) && contains(b),
        }
    }
}

/// Rows side by side in plain arithmetic.
const WIDTH: usize = 8;
/// Lower bounds on σ_min(Ω^½B̂)² that are tried.
const PROVABLE: [f64; 4] = [0.9, 0.5, 0.1, 0.01];
/// Beyond this many terms in Zᵀθ a point is projected twice, not three times.
const MANY_TERMS: usize = 10_000_000;
/// Nothing is proved of more columns than this.
const MOST_COLUMNS: usize = 5000;
/// Pivots below this share of their diagonal count as zero.
pub const NEGLIGIBLE_PIVOT: f64 = 1e-13;

/// Independent columns, with a proof that they are.
#[derive(Clone, Debug)]
pub struct Basis {
    columns: Vec<Monomial>,
    /// Tᵀ, lower triangular: row j is column j of T.
    Tt: Matrix,
    /// σ; NaN where nothing is proved, and then no distance is.
    sigma: f64,
}

impl Basis {
    /// A basis of these columns, orthonormalised `passes` times, if they are proved to be independent.
    pub fn prove(rows: &ProofRows<'_>, columns: &[Monomial], passes: usize) -> Option<Basis> {
        // Whatever a certificate asks for: no matrix of what cannot be independent, or of more than can be done.
        let is_repeated = columns.iter().collect::<HashSet<_>>().len() < columns.len();
        if columns.len() > rows.n().min(MOST_COLUMNS) || is_repeated {
            return None;
        }
        let mut basis = Basis::unproved(rows, columns, passes);
        let G = basis.gram(rows);
        basis.sigma = basis.proven_sigma(rows, &G);
        (basis.sigma > 0.0).then_some(basis)
    }

    /// A basis without a proof: good to project with, not to conclude from.
    pub fn unproved(rows: &ProofRows<'_>, columns: &[Monomial], passes: usize) -> Basis {
        let mut basis = Basis { columns: columns.to_vec(), Tt: identity(columns.len()), sigma: f64::NAN };
        for _ in 0..passes {
            let G = basis.gram(rows);
            basis.improve(&G, rows.total.high);
        }
        basis
    }

    /// The columns.
    pub fn columns(&self) -> &[Monomial] {
        &self.columns
    }

    /// σ
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// N·B̂ᵀΩB̂
    pub fn gram(&self, rows: &ProofRows<'_>) -> Matrix {
        let D = self.columns.len();
        let is_identity = self.Tt == identity(D);
        weighted_gram(rows.n(), D, |range, b, w| {
            w.copy_from_slice(&rows.w[range.clone()]);
            let (mut X, mut Z, mut B) = (vec![], vec![[0.0; WIDTH]; D + 1], vec![[0.0; WIDTH]; D + 1]);
            rows.write_columns(range, BLOCK, &mut X);
            for (start, b) in (0..BLOCK).step_by(WIDTH).zip(b.chunks_mut(WIDTH * D.max(1))) {
                Z.iter_mut().zip(&self.columns).for_each(|(z, column)| *z = values(*column, &X, BLOCK, start));
                if !is_identity {
                    self.write_products(&Z, &mut B);
                }
                let lanes = if is_identity { &Z } else { &B };
                for (i, b) in b.chunks_exact_mut(D.max(1)).enumerate() {
                    b.iter_mut().zip(lanes).for_each(|(b, lanes)| *b = lanes[i]);
                }
            }
        })
    }

    /// Σ_{l ≤ j} T_lj z_l for every j, two of them at a time. Beyond the diagonal T is zero.
    fn write_products(&self, Z: &[[f64; WIDTH]], B: &mut [[f64; WIDTH]]) {
        let D = self.columns.len();
        for j in (0..D).step_by(2) {
            let (mut first, mut second) = ([0.0; WIDTH], [0.0; WIDTH]);
            let last = (j + 1).min(D - 1);
            let rows = self.Tt.row(j)[..=last].iter().zip(&self.Tt.row(last)[..=last]);
            for ((s, t), z) in rows.zip(Z) {
                for lane in 0..WIDTH {
                    first[lane] += s * z[lane];
                    second[lane] += t * z[lane];
                }
            }
            (B[j], B[j + 1]) = (first, second);
        }
    }

    /// Tᵀ ← L⁻¹Tᵀ with LLᵀ ≈ G/N.
    fn improve(&mut self, G: &Matrix, total: f64) {
        let D = G.rows();
        let (L, _) = guessed_cholesky(G, total);
        for i in 0..D {
            let (above, row) = self.Tt.as_mut_slice().split_at_mut(i * D);
            for j in 0..i {
                let factor = L[(i, j)];
                row[..=j].iter_mut().zip(&above[j * D..][..=j]).for_each(|(to, from)| *to -= factor * from);
            }
            row[..=i].iter_mut().for_each(|t| *t /= L[(i, i)]);
        }
    }

    fn proven_sigma(&self, rows: &ProofRows<'_>, G: &Matrix) -> f64 {
        let D = self.columns.len();
        let regular = (0..D).all(|j| self.Tt[(j, j)] != 0.0) && self.Tt.as_slice().iter().all(|t| t.is_finite());
        if !regular {
            return f64::NAN;
        }
        let lengths = self.lengths(rows);
        let T = norm_up(self.Tt.as_slice().iter().copied());
        let trace = (0..D).fold(0.0, |sum, j| add_up(sum, G[(j, j)]));
        // A product w·b that underflows is multiplied by another entry of B, and none of them is above ‖z‖‖T‖.
        let largest = add_up(1.0, mul_up(2.0 * lengths.iter().copied().fold(0.0, f64::max), T));
        let underflow = mul_up(mul_up(TINY, (rows.n() * D) as f64), largest);
        let rad = add_up(mul_up(3.0 * (tree_roundings(rows.n()) + 4) as f64 * U, trace), underflow);
        let provable = |mu: &f64| {
            let mut A = G.clone();
            (0..D).for_each(|j| A[(j, j)] = sub_down(G[(j, j)], mul_up(*mu, rows.total.high)));
            proves_definite(&A, rad)
        };
        let Some(mu) = PROVABLE.into_iter().find(provable) else { return f64::NAN };
        let Z = rows.weighted_norm(lengths);
        let underflow = mul_up(TINY * (rows.n() * D) as f64, add_up(1.0, T));
        let epsilon = add_up(mul_up(1.01 * (D + 4) as f64 * U, mul_up(Z, T)), underflow);
        sub_down(sqrt_down(mu), epsilon)
    }

    /// ‖zᵢ‖ from above.
    fn lengths(&self, rows: &ProofRows<'_>) -> Vec<f64> {
        let D = self.columns.len();
        for_few_rows(rows, &|X, _, out| {
            let mut squares = [0.0; WIDTH];
            for column in &self.columns {
                let z = values(*column, X, WIDTH, 0);
                (0..WIDTH).for_each(|lane| squares[lane] += z[lane] * z[lane]);
            }
            let up = |square: f64| sqrt_up(add_up(inflated(square, D + 4), mul_up(D as f64, TINY)));
            out.iter_mut().zip(squares).for_each(|(out, square)| *out = up(square));
        })
    }

    /// e = Zᵀθ, each with a bound on its error.
    fn moments(&self, rows: &ProofRows<'_>, theta: &[f64]) -> Vec<(f64, f64)> {
        moments(rows, &self.columns, theta)
    }

    /// ρ: a bound on the distance from θ to {Zᵀθ' = 0}.
    pub fn distance(&self, rows: &ProofRows<'_>, theta: &[f64]) -> f64 {
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
    pub fn coefficients(&self, rows: &ProofRows<'_>, theta: &[f64]) -> Vec<f64> {
        let e: Vec<f64> = self.moments(rows, theta).iter().map(|(value, _)| *value).collect();
        let mut g = vec![0.0; e.len()];
        for j in 0..e.len() {
            let t = &self.Tt.row(j)[..=j];
            let inner = plain_dot(t, &e[..=j]);
            g.iter_mut().zip(t).for_each(|(g, t)| *g += inner * t);
        }
        g
    }

    /// θ moved next to {Zᵀθ = 0}; what is left is found by [`Basis::distance`].
    pub fn projected(&self, rows: &ProofRows<'_>, theta: &[f64]) -> Vec<f64> {
        let mut theta = theta.to_vec();
        let large = rows.n() * self.columns.len() > MANY_TERMS;
        for _ in 0..if large { 2 } else { 3 } {
            let g = self.coefficients(rows, &theta);
            theta = for_few_rows(rows, &|X, start, out| {
                let mut fitted = [0.0; WIDTH];
                for (column, g) in self.columns.iter().zip(&g) {
                    let z = values(*column, X, WIDTH, 0);
                    (0..WIDTH).for_each(|lane| fitted[lane] += g * z[lane]);
                }
                for (lane, out) in out.iter_mut().enumerate() {
                    let i = start + lane;
                    *out = theta[i] - rows.w[i] / rows.total.high * fitted[lane];
                }
            });
        }
        theta
    }

    /// ŷ = fl(y − Zβ) for the β of least squares, and bounds aᵢ on |ŷᵢ − (y − Zβ)ᵢ|. Exact θ' see no difference
    /// between y and y − Zβ, whatever β is.
    pub fn residual_target(&self, rows: &ProofRows<'_>) -> (Vec<f64>, Vec<f64>) {
        let mut beta = vec![0.0; self.columns.len()];
        let (mut target, mut slack) = (rows.y.clone(), Vec::new());
        for _ in 0..2 {
            let step = self.coefficients(rows, &rows.weighted(&target));
            beta.iter_mut().zip(step).for_each(|(beta, step)| *beta += step);
            let pairs = self.residuals_of(rows, &beta);
            let part = |at: usize| pairs.as_chunks::<2>().0.iter().map(|pair| pair[at]).collect();
            (target, slack) = (part(0), part(1));
        }
        (target, slack)
    }

    /// y − Zβ and its error, row after row.
    fn residuals_of(&self, rows: &ProofRows<'_>, beta: &[f64]) -> Vec<f64> {
        fill_rows(rows.n(), 2, &|range, out| {
            let mut X = vec![];
            for (out, start) in out.chunks_mut(2 * LANES).zip(range.clone().step_by(LANES)) {
                let end = range.end.min(start + LANES);
                rows.write_columns(start..end, LANES, &mut X);
                let mut sums = LaneSums::default();
                let mut y = [0.0; LANES];
                y[..end - start].copy_from_slice(&rows.y[start..end]);
                sums.add(y);
                for (column, beta) in self.columns.iter().zip(beta) {
                    add_to(&mut sums, *column, [-beta; LANES], &X, LANES, 0);
                }
                for (lane, out) in out.chunks_exact_mut(2).enumerate() {
                    let (value, error) = sums.lane(lane).value();
                    out.copy_from_slice(&[value, error]);
                }
            }
        })
    }
}

fn identity(D: usize) -> Matrix {
    Matrix::from_fn(D, D, |i, j| if i == j { 1.0 } else { 0.0 })
}

/// Σθᵢzⱼ(x̂ᵢ) for every column j, each with a bound on its error.
pub fn moments(rows: &ProofRows<'_>, columns: &[Monomial], theta: &[f64]) -> Vec<(f64, f64)> {
    let leaf = |range: Range<usize>| {
        let (mut X, mut t) = (vec![], [0.0; BLOCK]);
        t[..range.len()].copy_from_slice(&theta[range.clone()]);
        rows.write_columns(range, BLOCK, &mut X);
        let sum = |column: &Monomial| {
            let mut sums = LaneSums::default();
            for (at, t) in t.as_chunks::<LANES>().0.iter().enumerate() {
                add_to(&mut sums, *column, *t, &X, BLOCK, at * LANES);
            }
            sums.total()
        };
        columns.iter().map(sum).collect()
    };
    let add = |left: &mut Vec<CompensatedSum>, right: Vec<CompensatedSum>| {
        left.iter_mut().zip(right).for_each(|(a, b)| a.merge(b));
    };
    tree(rows.n(), &leaf, &add).iter().map(CompensatedSum::value).collect()
}

/// Add t·z(x̂) for some rows side by side.
#[inline(always)]
fn add_to(sums: &mut LaneSums, column: Monomial, t: Lanes, X: &[f64], stride: usize, start: usize) {
    let input = |j: usize| {
        let mut x = [0.0; LANES];
        x.copy_from_slice(&X[j * stride + start..][..LANES]);
        x
    };
    match column {
        Monomial::One => sums.add(t),
        Monomial::Input(j) => sums.add_products(t, input(j)),
        Monomial::Product(a, b) => sums.add_wide_products(two_products(t, input(a)), input(b)),
    }
}

/// fl(z(x̂)) for some rows side by side; x̂ input after input, `stride` apart.
#[inline(always)]
fn values(column: Monomial, X: &[f64], stride: usize, start: usize) -> [f64; WIDTH] {
    let input = |j: usize| &X[j * stride + start..][..WIDTH];
    let mut z = [1.0; WIDTH];
    match column {
        Monomial::One => {}
        Monomial::Input(j) => z.copy_from_slice(input(j)),
        Monomial::Product(a, b) => {
            let (x, y) = (input(a), input(b));
            (0..WIDTH).for_each(|lane| z[lane] = x[lane] * y[lane]);
        }
    }
    z
}

/// Given x̂ of a few rows, input after input, and the first of these rows: a number for each.
type FillFewRows<'a> = dyn Fn(&[f64], usize, &mut [f64]) + Sync + 'a;

/// One number for each row.
fn for_few_rows(rows: &ProofRows<'_>, fill: &FillFewRows<'_>) -> Vec<f64> {
    fill_rows(rows.n(), 1, &|range, out| {
        let mut X = vec![];
        for (out, start) in out.chunks_mut(WIDTH).zip(range.step_by(WIDTH)) {
            rows.write_columns(start..start + out.len(), WIDTH, &mut X);
            fill(&X, start, out);
        }
    })
}

/// L with LLᵀ ≈ G/N, small pivots replaced, and the columns whose pivot was small. A guess, not a proof.
pub fn guessed_cholesky(G: &Matrix, total: f64) -> (Matrix, Vec<usize>) {
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
        if !(pivot > least) {
            small.push(i);
        }
        L[(i, i)] = pivot.max(least).sqrt();
    }
    (L, small)
}
