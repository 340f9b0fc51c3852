//! (ZᵀΩZ)⁺ of the affine features Z, as the product of its factors.
//!
//! ZᵀΩZ holds half the digits of Z: a column that is nearly a combination of others, such as a total of rounded parts, is
//! rounding of zero there, though its difference from them may be worth something. Where a first factor T of the inverse
//! says that this may be so, the Gram matrix of ZT, which is near I, corrects it.

use crate::error::{Error, Result};
use crate::linalg::{Matrix, gram_of_rows, symmetric_eigen};

/// TTᵀ = (ZᵀΩZ)⁺; the product is never formed, since it would lose what T has.
#[derive(Clone)]
pub(super) struct AffineInverse {
    T: Matrix,
}

/// Eigenvalues below this share of the largest are looked at again, …
const DOUBTFUL: f64 = 1e-10;
/// … and taken as this share at least.
const LEAST: f64 = 1e-16;
/// What the second look finds below this is rounding of zero.
const NUMERICAL_ZERO: f64 = 1e-10;

impl AffineInverse {
    /// `write` gives √ω z of a row.
    pub(super) fn new(n: usize, width: usize, write: &(dyn Fn(usize, &mut [f64]) + Sync)) -> Result<AffineInverse> {
        if width == 0 {
            return Ok(AffineInverse { T: Matrix::zeros(0, 0) });
        }
        let not_finite = || Error::NotFinite { what: "the products of the inputs" };
        let G = gram_of_rows(n, width, write);
        let scale: Vec<f64> = (0..width).map(|i| if G[(i, i)] > 0.0 { 1.0 / G[(i, i)].sqrt() } else { 0.0 }).collect();
        let scaled = Matrix::from_fn(width, width, |i, j| scale[i] * G[(i, j)] * scale[j]);
        let (values, Q) = symmetric_eigen(&scaled).ok_or_else(not_finite)?;
        let largest = values[width - 1];
        let roots: Vec<f64> = values.iter().map(|value| 1.0 / value.max(LEAST * largest).sqrt()).collect();
        let T = Matrix::from_fn(width, width, |i, j| if largest > 0.0 { scale[i] * Q[(i, j)] * roots[j] } else { 0.0 });
        if values[0] > DOUBTFUL * largest || !(largest > 0.0) {
            return Ok(AffineInverse { T });
        }
        let second = gram_of_rows(n, width, |i, out| {
            let mut z = vec![0.0; width];
            write(i, &mut z);
            out.fill(0.0);
            z.iter().enumerate().for_each(|(j, z)| crate::linalg::add_scaled(out, *z, T.row(j)));
        });
        let (values, Q) = symmetric_eigen(&second).ok_or_else(not_finite)?;
        let roots: Vec<f64> =
            values.iter().map(|value| if *value > NUMERICAL_ZERO { 1.0 / value.sqrt() } else { 0.0 }).collect();
        let correction = Matrix::from_fn(width, width, |i, j| Q[(i, j)] * roots[j]);
        Ok(AffineInverse { T: T.times(&correction) })
    }

    pub(super) fn times_vector(&self, v: &[f64]) -> Vec<f64> {
        self.T.times_vector(&self.T.transposed().times_vector(v))
    }

    pub(super) fn times(&self, A: &Matrix) -> Matrix {
        self.T.times(&self.T.transposed().times(A))
    }
}
