//! Where descent may start.
//!
//! √γ·[I; 0] with γ = m + 4d as published, γ = m (a fifth of the risk at d = 10, m = 200), or γ = tr(M*)/d, the best of
//! all, which the labels show since E y = tr M*. Better still: E ½y(xxᵀ − I) = M*, and its mean over samples, projected to
//! the positive semidefinite matrices, is factored into a start.

use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{Matrix, sum_over_rows, symmetric_eigen};

/// √γ·[I; 0], m×d; the first m rows of it when m < d.
///
/// ```
/// use shallows::landscape::{paper_scale, scaled_identity};
///
/// let W = scaled_identity((3, 2), 4.0);
/// assert_eq!((W.row(0), W.row(1), W.row(2)), (&[2.0, 0.0][..], &[0.0, 2.0][..], &[0.0, 0.0][..]));
/// assert_eq!(paper_scale((3, 2)), 11.0);
/// ```
pub fn scaled_identity((m, d): (usize, usize), gamma: f64) -> Matrix {
    let entry = gamma.max(0.0).sqrt();
    Matrix::from_fn(m, d, |i, j| if i == j { entry } else { 0.0 })
}

/// γ = m + 4d (Gamarnik, Kızıldağ and Zadik, Theorem 2.5). [`scaled_identity`] shows its use.
pub fn paper_scale((m, d): (usize, usize)) -> f64 {
    (m + 4 * d) as f64
}

/// γ = mean(y)/d, an estimate of tr(M*)/d.
///
/// ```
/// use shallows::Data;
/// use shallows::landscape::trace_scale;
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[3.0, 5.0])?;
/// assert_eq!(trace_scale(&data), 2.0);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn trace_scale(data: &Data) -> f64 {
    let omega = data.omega();
    let mean: f64 = omega.iter().zip(&data.y).map(|(w, y)| w * y).sum();
    mean / data.d() as f64
}

/// M̂ = ½ mean(y(xxᵀ − I)), whose expectation under Gaussian inputs is M*.
///
/// ```
/// use shallows::data::teacher::{Hidden, Outputs, Teacher};
/// use shallows::landscape::{moment_matrix, spectral_start};
/// use shallows::linalg::Matrix;
///
/// // From samples of (x₁)² the matrix M* = diag(1, 0) is estimated, and a start made of it.
/// let hidden = Hidden::Given(Matrix::from_rows(&[[1.0, 0.0]]));
/// let teacher = Teacher::plant("quadratic".parse()?, (1, 2), &hidden, &Outputs::Ones, 1)?;
/// let M = moment_matrix(&teacher.sample(0..20_000)?);
/// assert!((M[(0, 0)] - 1.0).abs() < 0.1 && M[(1, 1)].abs() < 0.1);
/// let W = spectral_start(&M, 1)?;
/// assert!((W[(0, 0)].abs() - 1.0).abs() < 0.1);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn moment_matrix(data: &Data) -> Matrix {
    let (n, d) = (data.n(), data.d());
    let omega = data.omega();
    let sums = sum_over_rows(
        (n, d * d),
        || vec![0.0; d * d],
        |sum, rows| {
            for i in rows {
                let (x, weight) = (data.X.row(i), 0.5 * omega[i] * data.y[i]);
                for a in 0..d {
                    let factor = weight * x[a];
                    sum[a * d..=a * d + a].iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x);
                    sum[a * d + a] -= weight;
                }
            }
        },
        |sum, next| sum.iter_mut().zip(next).for_each(|(sum, next)| *sum += next),
    );
    Matrix::from_fn(d, d, |a, b| sums[a.max(b) * d + a.min(b)])
}

/// W with WᵀW the projection of a symmetric matrix to the positive semidefinite matrices of rank at most m.
/// [`moment_matrix`] shows its use.
pub fn spectral_start(M: &Matrix, m: usize) -> Result<Matrix> {
    let d = M.rows();
    let (values, Q) = symmetric_eigen(M).ok_or(Error::NotFinite { what: "the moments of the data" })?;
    Ok(Matrix::from_fn(m, d, |j, a| {
        // The eigenvalues ascend.
        if j < d { values[d - 1 - j].max(0.0).sqrt() * Q[(a, d - 1 - j)] } else { 0.0 }
    }))
}
