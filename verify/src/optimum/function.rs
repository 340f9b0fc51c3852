//! A quadratic function whose residuals give a dual point.

use serde::{Deserialize, Serialize};

use crate::arithmetic::lanes::{LANES, LaneSums, two_products};
use crate::error::{Error, Result};
use crate::matrix::fill_rows;
use crate::rows::ProofRows;

/// f̃(x̂) = x̂ᵀMx̂ + b·x̂ + c
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
}

/// Rows side by side in plain arithmetic.
const WIDTH: usize = 8;
/// Beyond this many products plain arithmetic must do.
const MANY_PRODUCTS: f64 = 5e7;

impl QuadraticFunction {
    /// The zero function.
    pub fn zero(d: usize) -> QuadraticFunction {
        QuadraticFunction { M: (0..d).map(|j| vec![0.0; j + 1]).collect(), b: vec![0.0; d], c: 0.0 }
    }

    /// The right shape, every number finite.
    pub fn check(&self, d: usize) -> Result<()> {
        let shape = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
        };
        shape("rows of the triangle M", d, self.M.len())?;
        self.M
            .iter()
            .enumerate()
            .try_for_each(|(j, row)| shape("numbers in a row of the triangle M", j + 1, row.len()))?;
        shape("linear part of the function", d, self.b.len())?;
        let finite = self.M.iter().flatten().chain(&self.b).chain([&self.c]).all(|x| x.is_finite());
        if finite { Ok(()) } else { Err(Error::NotFinite { what: "the function of the proof" }) }
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
    }

    fn write_wide(&self, X: &[f64], sign: f64, y: &[f64], out: &mut [f64]) {
        let X = X.as_chunks::<LANES>().0;
        let mut sums = LaneSums::default();
        let mut labels = [0.0; LANES];
        labels[..y.len()].copy_from_slice(y);
        sums.add(labels.map(|y| -y));
        sums.add([sign * self.c; LANES]);
        for (j, (row, b)) in self.M.iter().zip(&self.b).enumerate() {
            for (l, m) in row.iter().enumerate() {
                let factor = if l == j { sign * m } else { 2.0 * sign * m };
                sums.add_wide_products(two_products([factor; LANES], X[j]), X[l]);
            }
            sums.add_products([sign * b; LANES], X[j]);
        }
        out.iter_mut().enumerate().for_each(|(lane, out)| *out = sums.lane(lane).value().0);
    }
}
