//! The affine model by ridge regression, its ridge chosen by leave-one-out error.
//!
//! With √ω∘X = USVᵀ on the centred table, the fit is f = ȳ + U S²/(S²+λ) Uᵀ√ω y (up to √ω), and the residual of row i
//! when it is left out is r_i/(1 − h_i), h_i = ω_i + Σ_j u_ij² s_j²/(s_j²+λ).

use crate::activation::Activation;
use crate::data::Data;
use crate::linalg::{self, Matrix};
use crate::network::Network;

/// The fit on a standardised table, and the residuals of the fits without row i.
pub(super) struct Ridge {
    pub network: Network,
    pub left_out: Vec<f64>,
}

/// Ridges compared, as shares of the mean squared singular value.
const RIDGES: [f64; 12] = [0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 10.0];
/// Singular values below this share of the largest are zero.
const NUMERICAL_ZERO: f64 = 1e-7;

/// Fit; `None` when the table is not finite.
pub(super) fn ridge(table: &Data) -> Option<Ridge> {
    let (n, d) = (table.n(), table.d());
    let omega = table.omega();
    let root: Vec<f64> = omega.iter().map(|omega| omega.sqrt()).collect();
    let A = Matrix::from_fn(n, d, |i, j| root[i] * table.X[(i, j)]);
    let wide = d > n;
    let (squares, Q) = linalg::symmetric_eigen(&if wide { linalg::gram(&A.transposed()) } else { linalg::gram(&A) })?;
    let largest = squares.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..squares.len()).filter(|&j| squares[j] > NUMERICAL_ZERO.powi(2) * largest).collect();
    let s2: Vec<f64> = kept.iter().map(|&j| squares[j]).collect();
    let basis = Matrix::from_fn(Q.rows(), kept.len(), |i, j| Q[(i, kept[j])]);
    // U has a column for each singular value; V = AᵀU/S.
    let U = if wide { basis } else { scaled_columns(&A.times(&basis), &s2) };
    let labels: Vec<f64> = root.iter().zip(&table.y).map(|(root, y)| root * y).collect();
    let projected = U.transposed().times_vector(&labels);
    let mean_square = s2.iter().sum::<f64>() / d as f64;
    let residuals = |ridge: f64| {
        let shrink: Vec<f64> = s2.iter().map(|s| s / (s + ridge * mean_square)).collect();
        let fitted: Vec<f64> = projected.iter().zip(&shrink).map(|(p, shrink)| p * shrink).collect();
        let row = |i: usize| {
            let leverage: f64 = omega[i] + U.row(i).iter().zip(&shrink).map(|(u, s)| u * u * s).sum::<f64>();
            let residual = linalg::dot(U.row(i), &fitted) / root[i].max(f64::MIN_POSITIVE) - table.y[i];
            residual / (1.0 - leverage).max(1e-6)
        };
        (0..n).map(row).collect::<Vec<f64>>()
    };
    let error = |left_out: &[f64]| left_out.iter().zip(&omega).map(|(r, omega)| omega * r * r).sum::<f64>();
    let mut best: Option<(f64, f64, Vec<f64>)> = None;
    for ridge in RIDGES {
        let left_out = residuals(ridge);
        let error = error(&left_out);
        if error.is_finite() && best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, ridge, left_out));
        }
    }
    let (_, ridge, left_out) = best?;
    let weights: Vec<f64> = projected.iter().zip(&s2).map(|(p, s)| p / (s + ridge * mean_square)).collect();
    let linear = A.transposed().times_vector(&U.times_vector(&weights));
    Some(Ridge { network: Network::affine(Activation::SQUARE, 0.0, linear), left_out })
}

fn scaled_columns(A: &Matrix, squares: &[f64]) -> Matrix {
    Matrix::from_fn(A.rows(), A.cols(), |i, j| A[(i, j)] / squares[j].sqrt())
}
