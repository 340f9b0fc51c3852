//! Temporary.
use crate::linalg::{Matrix, symmetric_eigen};
/// Extremes.
pub struct Extremes { /// .
pub smallest: f64, /// .
pub smallest_vector: Vec<f64>, /// .
pub largest: f64, /// .
pub largest_vector: Vec<f64> }
/// Extremes.
pub fn extremes(A: &Matrix) -> Option<Extremes> {
    let n = A.rows();
    if A.as_slice().iter().any(|x| !x.is_finite()) || n == 0 { return None; }
    let (values, Q) = symmetric_eigen(A)?;
    Some(Extremes { smallest: values[0], smallest_vector: Q.column(0), largest: values[n-1], largest_vector: Q.column(n-1) })
}
/// .
pub struct KernelMatrix { /// .
pub matrix: Matrix, /// .
pub truncation: f64 }
/// .
pub fn hidden_kernel(a: &crate::activation::Activation, X: &Matrix) -> KernelMatrix { KernelMatrix { matrix: a.kernel().unwrap_or_else(|| a.kernel_series(100)).slopes(X), truncation: 1e-13 } }
/// .
pub fn khatri_rao_gram(X: &Matrix, power: u32) -> Matrix { let G = X.times(&X.transposed()); Matrix::from_fn(X.rows(), X.rows(), |i,j| G[(i,j)].powi(power as i32)) }
/// .
pub struct Inputs { /// .
pub singular_values: Vec<f64>, /// .
pub rank: usize, /// .
pub dependencies: Vec<Vec<f64>> }
/// .
pub fn inputs(_: &Matrix) -> Option<Inputs> { None }
/// .
pub struct Separation { /// .
pub distance: f64, /// .
pub pair: (usize, usize), /// .
pub opposite: bool }
/// .
pub fn separation(_: &Matrix) -> Option<Separation> { None }
