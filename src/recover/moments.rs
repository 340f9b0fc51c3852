//! What the samples say about a planted network: the Hermite moments of degree 0, 1, 2 and 4.
//!
//! With x ~ N(0, I) and y = Σ a_i σ(b_i·x) + noise, ‖b_i‖ = 1,
//!
//! ```text
//! E[y] = σ̂₀ Σ a_i     E[yx] = σ̂₁ Σ a_i b_i     E[y(xxᵀ − I)] = √2 σ̂₂ Σ a_i b_i b_iᵀ     E[y H₄(x)] = √24 σ̂₄ Σ a_i b_i^{⊗4}
//! ```
//!
//! The first three come from a regression of y on all polynomials of degree two, the fourth from its residual e: since
//! E[q(x) H₄(x)] = 0 for every such polynomial q, E[e H₄] = E[y H₄], but e varies far less than y. To keep the average of
//! e H₄ free of bias, the residual of each row is that of a fit to the other half of the rows, where there are enough of
//! them; else the fit to all rows is used.

use super::SymmetricTensor;
use super::regression::{Regression, feature_count};
use crate::error::Result;
use crate::linalg::{self, Destination, Matrix, View, add_scaled, multiply};

/// Estimated Hermite moments of degree 0, 1, 2 and 4.
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::recover::Moments;
///
/// let teacher = Teacher::plant("relu".parse()?, (1, 2), &Hidden::Orthogonal, &Outputs::Ones, 1)?;
/// let data = teacher.sample(0..5000)?;
/// let moments = Moments::of(&data.X, &data.y)?;
/// // E relu(g) = 1/√(2π)
/// assert!((moments.regression.constant() - 0.3989).abs() < 0.05);
/// # Ok::<(), shallows::Error>(())
/// ```
pub struct Moments {
    /// Those of degree 0, 1 and 2, from all rows.
    pub regression: Regression,
    /// `E[y H₄(x)]`.
    pub fourth: SymmetricTensor,
    /// Whether each row's residual came from a fit to other rows.
    pub crossed: bool,
}

/// Residuals come from fits to half of the rows where a half has this many rows for each coefficient: with fewer, such
/// fits add more variance than they save bias.
const ROWS_PER_COEFFICIENT: usize = 8;

impl Moments {
    /// The moments of samples whose inputs are taken to be N(0, I).
    pub fn of(X: &Matrix, y: &[f64]) -> Result<Self> {
        let crossed = X.rows() / 2 >= ROWS_PER_COEFFICIENT * feature_count(X.cols());
        let (regression, residuals) = if crossed {
            let [all, even, odd] = Regression::crossed(X, y)?;
            let (of_even, of_odd) = (odd.residuals(X, y), even.residuals(X, y));
            let residuals = of_even.into_iter().zip(of_odd).enumerate();
            (all, residuals.map(|(i, (even, odd))| if i % 2 == 0 { even } else { odd }).collect())
        } else {
            let all = Regression::of(X, y)?;
            let residuals = all.residuals(X, y);
            (all, residuals)
        };
        Ok(Moments { regression, fourth: fourth_moment(X, &residuals), crossed })
    }
}

/// The average of e·H₄(x) over the rows, in one pass: the tensor's group b is the product of the rows e x_a x_b, a ≤ b,
/// with the rows x_c x_e, b ≤ c ≤ e, so that each of its entries is computed once and by a matrix product.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::fourth_moment;
///
/// // H₄(x) = x⁴ − 6x² + 3 at x = 1 is −2.
/// let moment = fourth_moment(&Matrix::from_rows(&[[1.0]]), &[1.0]);
/// assert!((moment.entry(0, 0, 0, 0) + 2.0).abs() < 1e-12);
/// ```
pub fn fourth_moment(X: &Matrix, e: &[f64]) -> SymmetricTensor {
    let d = X.cols();
    let pairs = d * (d + 1) / 2;
    let block_rows = X.rows().min(linalg::BLOCK_ROWS);
    let zero = || HermiteSums {
        fourth: SymmetricTensor::zeros(d),
        second: vec![0.0; pairs],
        constant: 0.0,
        left: vec![0.0; block_rows * pairs],
        right: vec![0.0; block_rows * pairs],
    };
    let sums = linalg::sum_over_rows(
        (X.rows(), 2 * block_rows * pairs),
        zero,
        |sums, rows| sums.add_block(X, e, rows),
        |sums, next| sums.merge(&next),
    );
    sums.into_hermite(X.rows() as f64)
}

/// The sums of a run of rows, and its scratch space.
struct HermiteSums {
    /// Σ e x^{⊗4}
    fourth: SymmetricTensor,
    /// Σ e x_a x_b for a ≤ b, grouped by b.
    second: Vec<f64>,
    /// Σ e
    constant: f64,
    /// e x_a x_b, a row for each sample, grouped by b.
    left: Vec<f64>,
    /// x_c x_e for c ≤ e, grouped by c.
    right: Vec<f64>,
}

impl HermiteSums {
    fn add_block(&mut self, X: &Matrix, e: &[f64], rows: std::ops::Range<usize>) {
        let d = X.cols();
        let (n, pairs) = (rows.len(), self.second.len());
        let chunks = self.left.chunks_exact_mut(pairs).zip(self.right.chunks_exact_mut(pairs));
        for (i, (left, right)) in rows.zip(chunks) {
            let x = X.row(i);
            self.constant += e[i];
            let mut left_at = left.iter_mut();
            let mut right_at = right.iter_mut();
            for b in 0..d {
                let scaled = e[i] * x[b];
                x[..=b].iter().zip(left_at.by_ref()).for_each(|(x_a, out)| *out = scaled * x_a);
                x[b..].iter().zip(right_at.by_ref()).for_each(|(x_e, out)| *out = x[b] * x_e);
            }
            add_scaled(&mut self.second, 1.0, left);
        }
        let left = View::new(&self.left[..n * pairs], n, pairs);
        let right = View::new(&self.right[..n * pairs], n, pairs);
        for b in 0..d {
            let first = b * (b + 1) / 2;
            let tail = pairs - (d - b) * (d - b + 1) / 2;
            let (left, right) = (left.columns(first..first + b + 1), right.columns(tail..pairs));
            multiply(self.fourth.group_mut(b), left.t(), right, Destination::Add);
        }
    }

    fn merge(&mut self, next: &HermiteSums) {
        self.fourth.add_scaled(1.0, &next.fourth);
        add_scaled(&mut self.second, 1.0, &next.second);
        self.constant += next.constant;
    }

    /// The average of e·H₄: H₄ = x^{⊗4} − (the six x_a x_b δ_ce) + (the three δ_ab δ_ce).
    fn into_hermite(mut self, n: f64) -> SymmetricTensor {
        let d = self.fourth.dimension();
        let second = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            self.second[b * (b + 1) / 2 + a]
        };
        let is = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
        for b in 0..d {
            let mut entries = self.fourth.group_mut(b).iter_mut();
            for a in 0..=b {
                for c in b..d {
                    for (e, entry) in (c..d).zip(entries.by_ref()) {
                        let pairs = second(a, b) * is(c, e)
                            + second(a, c) * is(b, e)
                            + second(a, e) * is(b, c)
                            + second(b, c) * is(a, e)
                            + second(b, e) * is(a, c)
                            + second(c, e) * is(a, b);
                        let deltas = is(a, b) * is(c, e) + is(a, c) * is(b, e) + is(a, e) * is(b, c);
                        *entry = (*entry - pairs + self.constant * deltas) / n;
                    }
                }
            }
        }
        self.fourth
    }
}
