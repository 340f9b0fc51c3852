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
//! conditioned. Column j of B̂ = fl(ẐT) is off by at most 1.01(D+4)u Σ_l‖Ω^½z_l‖|T_lj| =: ε_j (a product of two inputs is rounded once, a
//! sum of D products D times), so that ‖Ω^½(B̂ − B)‖ ≤ ε = (Σε_j²)^½; σ_min(Ω^½B̂)² ≥ μ is proved by Cholesky, and σ = √μ − ε, where μ = 4ε² is the least
//! that is tried. T is computed as it comes; nothing depends on its quality but σ. Without passes T is a diagonal of powers of
//! two. e is a compensated sum.

use std::collections::HashSet;
use std::ops::Range;

use crate::arithmetic::lanes::{LANES, LaneSums, Lanes, two_products};
use crate::arithmetic::{
    CompensatedSum, TINY, U, add_up, div_up, exponent, gram_roundings, inflated, larger, mul_up, norm_up, plain_dot,
    power_of_two, proves_definite, sqrt_down, sqrt_up, sub_down, weighted_gram,
};
use crate::matrix::{BLOCK, Matrix, fill_rows, tree, tree_roundings};
use crate::monomial::Monomial;
use crate::rows::ProofRows;

/// Rows side by side in plain arithmetic.
const WIDTH: usize = 8;
/// Lower bounds on σ_min(Ω^½B̂)² that are tried.
const PROVABLE: [f64; 4] = [0.9, 0.5, 0.1, 0.01];
/// Beyond this many terms in Zᵀθ a point is projected twice, not three times.
const MANY_TERMS: usize = 10_000_000;
/// Nothing is proved of more columns than this.
pub(crate) const MOST_COLUMNS: usize = 5000;
/// Pivots below this share of their diagonal count as zero.
pub const NEGLIGIBLE_PIVOT: f64 = 1e-13;

/// Beyond this many operations nothing is proved.
const MOST_WORK: f64 = 4e12;

/// How many columns can be proved to be independent at most.
pub(crate) fn most_columns(rows: &ProofRows<'_>) -> usize {
    rows.n().min(MOST_COLUMNS)
}

/// How large a column of Z is, from above.
#[derive(Clone, Copy, Default)]
struct ColumnSize {
    norm: f64,
    largest: f64,
}

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
        let work = rows.n() as f64 * (columns.len() as f64) * (columns.len() as f64) * (1 + 2 * passes) as f64;
        if columns.len() > most_columns(rows) || is_repeated || work > MOST_WORK {
            return None;
        }
        let mut basis = Basis::unproved(rows, columns, passes);
        let sizes = basis.column_sizes(rows);
        if passes == 0 {
            sizes.iter().enumerate().for_each(|(j, size)| basis.Tt[(j, j)] = power_of_two(-exponent(size.norm)));
        }
        basis.sigma = basis.proven_sigma(rows, &sizes);
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
        let is_diagonal = (0..D).all(|j| self.Tt.row(j)[..j].iter().all(|t| *t == 0.0));
        weighted_gram(rows.n(), D, |range, b, w| {
            w.copy_from_slice(&rows.w[range.clone()]);
            let (mut X, mut Z, mut B) = (vec![], vec![[0.0; WIDTH]; D + 1], vec![[0.0; WIDTH]; D + 1]);
            rows.write_columns(range, BLOCK, &mut X);
            for (start, b) in (0..BLOCK).step_by(WIDTH).zip(b.chunks_mut(WIDTH * D.max(1))) {
                Z.iter_mut().zip(&self.columns).for_each(|(z, column)| *z = values(*column, &X, BLOCK, start));
                if is_diagonal {
                    let products = B.iter_mut().zip(&Z).take(D).enumerate();
                    products.for_each(|(j, (b, z))| *b = z.map(|z| self.Tt[(j, j)] * z));
                } else {
                    self.write_products(&Z, &mut B);
                }
                for (i, b) in b.chunks_exact_mut(D.max(1)).enumerate() {
                    b.iter_mut().zip(&B).for_each(|(b, lanes)| *b = lanes[i]);
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

    fn proven_sigma(&self, rows: &ProofRows<'_>, sizes: &[ColumnSize]) -> f64 {
        let D = self.columns.len();
        let regular = (0..D).all(|j| self.Tt[(j, j)] != 0.0) && self.Tt.as_slice().iter().all(|t| t.is_finite());
        if !regular {
            return f64::NAN;
        }
        let G = self.gram(rows);
        let trace = (0..D).fold(0.0, |sum, j| add_up(sum, G[(j, j)]));
        let with_T = |j: usize, size: fn(&ColumnSize) -> f64| {
            let terms = self.Tt.row(j)[..=j].iter().zip(sizes);
            terms.fold(0.0, |sum, (t, column)| add_up(sum, mul_up(t.abs(), size(column))))
        };
        // A product w·b that underflows is multiplied by another entry of B, and none of them is above Σ max|z_l||T_lj|.
        let largest = (0..D).map(|j| with_T(j, |column| column.largest)).fold(1.0, larger);
        let cells = mul_up(TINY, rows.n() as f64 * D as f64);
        let roundings = 3.0 * (gram_roundings(rows.n(), D) + 4) as f64;
        let rad = add_up(mul_up(roundings * U, trace), mul_up(cells, mul_up(4.0, largest)));
        let T = norm_up(self.Tt.as_slice().iter().copied());
        let relative = mul_up(1.01 * (D + 4) as f64 * U, norm_up((0..D).map(|j| with_T(j, |column| column.norm))));
        let epsilon = add_up(relative, mul_up(cells, add_up(1.0, T)));
        let provable = |mu: &f64| {
            let mut A = G.clone();
            (0..D).for_each(|j| A[(j, j)] = sub_down(G[(j, j)], mul_up(*mu, rows.total.high)));
            proves_definite(&A, rad)
        };
        let least = mul_up(4.0, mul_up(epsilon, epsilon));
        let mu = PROVABLE.into_iter().chain([least]).find(provable).unwrap_or(f64::NAN);
        sub_down(sqrt_down(mu), epsilon)
    }

    /// ‖Ω^½z_l‖ and max|z_l| of every column, from above.
    fn column_sizes(&self, rows: &ProofRows<'_>) -> Vec<ColumnSize> {
        let leaf = |range: Range<usize>| {
            let mut X = vec![];
            let w = &rows.w[range.clone()];
            rows.write_columns(range, BLOCK, &mut X);
            let size = |column: &Monomial| {
                let mut sizes = ColumnSize::default();
                for (start, w) in (0..BLOCK).step_by(WIDTH).zip(w.chunks(WIDTH)) {
                    for (z, w) in values(*column, &X, BLOCK, start).iter().zip(w) {
                        sizes.norm += w * (z * z);
                        sizes.largest = larger(sizes.largest, z.abs());
                    }
                }
                sizes
            };
            self.columns.iter().map(size).collect::<Vec<ColumnSize>>()
        };
        let add = |left: &mut Vec<ColumnSize>, right: Vec<ColumnSize>| {
            for (left, right) in left.iter_mut().zip(right) {
                left.norm += right.norm;
                left.largest = larger(left.largest, right.largest);
            }
        };
        // Three roundings for each term besides the additions; a square that underflows is multiplied by a weight.
        let roundings = tree_roundings(rows.n()) + 4;
        let lost = mul_up(mul_up(TINY, rows.n() as f64), rows.w.iter().copied().fold(1.0, f64::max));
        let up = |size: ColumnSize| ColumnSize {
            norm: sqrt_up(div_up(add_up(inflated(size.norm, roundings), lost), rows.total.low)),
            largest: add_up(mul_up(size.largest, 1.0 + 4.0 * U), TINY),
        };
        tree(rows.n(), &leaf, &add).into_iter().map(up).collect()
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
