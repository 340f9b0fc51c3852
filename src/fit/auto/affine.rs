//! The affine model by ridge regression, its ridge chosen by leave-one-out error.
//!
//! With √ω∘X = USVᵀ on the centred table, the fit is f = ȳ + U S²/(S²+λ) Uᵀ√ω y (up to √ω), and the residual of row i
//! when it is left out is r_i/(1 − h_i), h_i = ω_i + Σ_j u_ij² s_j²/(s_j²+λ).

use crate::activation::Activation;
use crate::data::Data;
use crate::linalg::{self, Matrix};
use crate::network::Network;

/// Ridges compared, as shares of the mean squared singular value.
const RIDGES: [f64; 14] = [0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0, 10.0, 100.0, 1000.0];
/// Singular values below this share of the largest are zero.
const NUMERICAL_ZERO: f64 = 1e-7;

/// Fit; `None` when the table is not finite.
pub(super) fn ridge(table: &Data) -> Option<Network> {
    best_of(table, &RIDGES).map(|(network, _)| network)
}

/// The best fit, and the residuals of the fits without row i.
fn best_of(table: &Data, ridges: &[f64]) -> Option<(Network, Vec<f64>)> {
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
            // A row that decides its own fit says nothing about the ridge.
            if leverage < 1.0 - NUMERICAL_ZERO { residual / (1.0 - leverage) } else { f64::INFINITY }
        };
        (0..n).map(row).collect::<Vec<f64>>()
    };
    let error = |left_out: &[f64]| left_out.iter().zip(&omega).map(|(r, omega)| omega * r * r).sum::<f64>();
    let mut best: Option<(f64, f64, Vec<f64>)> = None;
    for &ridge in ridges {
        let left_out = residuals(ridge);
        let error = error(&left_out);
        if error.is_finite() && best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, ridge, left_out));
        }
    }
    let (_, ridge, left_out) = best?;
    let weights: Vec<f64> = projected.iter().zip(&s2).map(|(p, s)| p / (s + ridge * mean_square)).collect();
    let linear = A.transposed().times_vector(&U.times_vector(&weights));
    Some((Network::affine(Activation::SQUARE, 0.0, linear), left_out))
}

fn scaled_columns(A: &Matrix, squares: &[f64]) -> Matrix {
    Matrix::from_fn(A.rows(), A.cols(), |i, j| A[(i, j)] / squares[j].sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn table(n: usize, d: usize) -> Data {
        let mut stream = Stream::new(8, Purpose::Probe, 4);
        let mut X = Matrix::from_fn(n, d, |_, _| stream.normal());
        // Centred, as the standardised tables are that this is made for.
        for j in 0..d {
            let mean = X.column(j).iter().sum::<f64>() / n as f64;
            (0..n).for_each(|i| X[(i, j)] -= mean);
        }
        let mut y: Vec<f64> = (0..n).map(|i| 2.0 * X[(i, 0)] + stream.normal()).collect();
        let mean = y.iter().sum::<f64>() / n as f64;
        y.iter_mut().for_each(|y| *y -= mean);
        Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap()
    }

    #[test]
    fn many_rows_give_nearly_the_least_squares_fit() {
        let fitted = ridge(&table(500, 3)).unwrap();
        let b = fitted.linear.unwrap();
        assert!((b[0] - 2.0).abs() < 0.2 && b[1].abs() < 0.2, "{b:?}");
    }

    #[test]
    fn with_more_columns_than_rows_labels_of_pure_noise_are_predicted_by_their_mean() {
        let mut table = table(30, 100);
        let mut stream = Stream::new(8, Purpose::Probe, 6);
        table.y = (0..30).map(|_| stream.normal()).collect();
        let mean = table.y.iter().sum::<f64>() / 30.0;
        table.y.iter_mut().for_each(|y| *y -= mean);
        let (_, left_out) = best_of(&table, &RIDGES).unwrap();
        let square = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>() / 30.0;
        // The mean itself, left out, is wrong by 30/29 of the deviation.
        assert!(square(&left_out) < 1.08 * square(&table.y));
    }

    #[test]
    fn residuals_of_rows_left_out_are_those_of_fits_without_the_row() {
        let table = table(40, 3);
        let (_, left_out) = best_of(&table, &[0.0]).unwrap();
        let least_squares = crate::fit::affine_fit(&table.select(&(1..40).collect::<Vec<_>>())).unwrap();
        let r = least_squares.predict(&table.select(&[0]).X).unwrap()[0] - table.y[0];
        assert!((r - left_out[0]).abs() < 1e-12, "{r} {}", left_out[0]);
    }
}
