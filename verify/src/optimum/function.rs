//! A quadratic function whose residuals give a dual point.

use serde::{Deserialize, Serialize};

use crate::arithmetic::lanes::{LANES, LaneSums, two_products};
use crate::error::{Result, check_finite, check_shape};
use crate::matrix::fill_rows;
use crate::rows::ProofRows;

/// f̃(x̂) = x̂ᵀMx̂ + b·x̂ + c, and a second such function where the digits of one are too few: a residual that is orthogonal to
/// all products of inputs is a small difference of large terms where these products are nearly dependent.
///
/// ```
/// use shallows_verify::optimum::function::QuadraticFunction;
///
/// let function: QuadraticFunction = serde_json::from_str(r#"{"M": [[1.0], [0.5, 2.0]], "b": [0.0, 1.0], "c": 3.0}"#)?;
/// assert_eq!(function.M[1], [0.5, 2.0]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuadraticFunction {
    /// The lower triangle of a symmetric matrix: rows of 1, 2, …, d numbers.
    pub M: Vec<Vec<f64>>,
    /// d numbers.
    pub b: Vec<f64>,
    /// The constant.
    pub c: f64,
    /// What is added to all this, if anything; it has no second function itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Box<QuadraticFunction>>,
}

/// Rows side by side in plain arithmetic.
const WIDTH: usize = 8;
/// Beyond this many products plain arithmetic must do.
const MANY_PRODUCTS: f64 = 5e7;

impl QuadraticFunction {
    /// The zero function.
    pub fn zero(d: usize) -> QuadraticFunction {
        QuadraticFunction { M: (0..d).map(|j| vec![0.0; j + 1]).collect(), b: vec![0.0; d], c: 0.0, low: None }
    }

    /// The right shape, every number finite.
    pub fn check(&self, d: usize) -> Result<()> {
        check_shape("rows of the triangle M", d, self.M.len())?;
        let mut rows = self.M.iter().enumerate();
        rows.try_for_each(|(j, row)| check_shape("numbers in a row of the triangle M", j + 1, row.len()))?;
        check_shape("linear part of the function", d, self.b.len())?;
        check_finite("the function of the proof", self.M.iter().flatten().chain(&self.b).chain([&self.c]))?;
        let Some(low) = &self.low else { return Ok(()) };
        check_shape("functions added to a second function", 0, usize::from(low.low.is_some()))?;
        low.check(d)
    }

    /// sign·f̃(x̂ᵢ) − yᵢ, rounded; in twice the working precision first where that is not too much work.
    pub fn residuals(&self, rows: &ProofRows<'_>, sign: f64) -> Vec<f64> {
        let d = rows.d() as f64;
        let wide = rows.n() as f64 * d * (d + 3.0) / 2.0 <= MANY_PRODUCTS;
        fill_rows(rows.n(), 1, &|range, out| {
            let mut X = vec![];
            let width = if wide { LANES } else { WIDTH };
            for (out, start) in out.chunks_mut(width).zip(range.step_by(width)) {
                let y = &rows.y[start..start + out.len()];
                rows.write_columns(start..start + out.len(), width, &mut X);
                if wide {
                    self.write_wide(&X, sign, y, out);
                } else {
                    self.write_plain(&X, sign, y, out);
                }
            }
        })
    }

    fn write_plain(&self, X: &[f64], sign: f64, y: &[f64], out: &mut [f64]) {
        let X = X.as_chunks::<WIDTH>().0;
        let mut f = [self.c; WIDTH];
        for (j, (row, b)) in self.M.iter().zip(&self.b).enumerate() {
            let mut inner = [0.0; WIDTH];
            for (m, x) in row[..j].iter().zip(X) {
                (0..WIDTH).for_each(|lane| inner[lane] += m * x[lane]);
            }
            let x = &X[j];
            (0..WIDTH).for_each(|lane| f[lane] += x[lane] * (2.0 * inner[lane] + row[j] * x[lane] + b));
        }
        out.iter_mut().zip(y).zip(f).for_each(|((out, y), f)| *out = sign * f - y);
        if let Some(low) = &self.low {
            let (zeros, mut more) = ([0.0; WIDTH], [0.0; WIDTH]);
            low.write_plain(X.as_flattened(), sign, &zeros[..out.len()], &mut more[..out.len()]);
            out.iter_mut().zip(more).for_each(|(out, more)| *out += more);
        }
    }

    fn write_wide(&self, X: &[f64], sign: f64, y: &[f64], out: &mut [f64]) {
        let X = X.as_chunks::<LANES>().0;
        let mut sums = LaneSums::default();
        let mut labels = [0.0; LANES];
        labels[..y.len()].copy_from_slice(y);
        sums.add(labels.map(|y| -y));
        for part in [Some(self), self.low.as_deref()].into_iter().flatten() {
            part.add_wide(X, sign, &mut sums);
        }
        out.iter_mut().enumerate().for_each(|(lane, out)| *out = sums.lane(lane).value().0);
    }

    /// sign·f̃, without the second function.
    fn add_wide(&self, X: &[[f64; LANES]], sign: f64, sums: &mut LaneSums) {
        sums.add([sign * self.c; LANES]);
        for (j, (row, b)) in self.M.iter().zip(&self.b).enumerate() {
            for (l, m) in row.iter().enumerate() {
                let factor = if l == j { sign * m } else { 2.0 * sign * m };
                sums.add_wide_products(two_products([factor; LANES], X[j]), X[l]);
            }
            sums.add_products([sign * b; LANES], X[j]);
        }
    }
}
