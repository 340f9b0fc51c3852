//! xᵀAx/xᵀx with a bound on its error: it lies between the extreme eigenvalues of a symmetric A.

use super::{Enclosure, TINY, U, add_up, div_down, div_up, mul_up, plain_dot, sub_down};
use crate::matrix::{Matrix, values_of_rows};

/// xᵀAx/xᵀx; nothing is known where x is zero or too small to be squared.
pub fn rayleigh(A: &Matrix, x: &[f64]) -> Enclosure {
    let n = x.len();
    let size: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let product = values_of_rows(n, |i| plain_dot(A.row(i), x));
    let sizes = values_of_rows(n, |i| A.row(i).iter().zip(&size).fold(0.0, |sum, (a, x)| sum + a.abs() * x));
    let (value, magnitude) = (plain_dot(x, &product), plain_dot(&size, &sizes));
    // Two sums of n terms, and the sums of sizes as much again; what underflows in Ax is multiplied by |x|.
    let largest = size.iter().copied().fold(1.0, f64::max);
    let underflow = mul_up(mul_up((n * n) as f64 + 1.0, TINY), largest);
    let error = add_up(mul_up((2 * n + 16) as f64 * 1.01 * U, magnitude), underflow);
    let square = plain_dot(x, x);
    let off = add_up(mul_up((n + 4) as f64 * U, square), mul_up(n as f64, TINY));
    let squares = Enclosure { low: sub_down(square, off), high: add_up(square, off) };
    let (least, most) = (sub_down(value, error), add_up(value, error));
    if !(squares.low > 0.0 && least.is_finite() && most.is_finite()) {
        return Enclosure { low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let low = if least >= 0.0 { div_down(least, squares.high) } else { div_down(least, squares.low) };
    let high = if most >= 0.0 { div_up(most, squares.low) } else { div_up(most, squares.high) };
    Enclosure { low, high }
}

/// How often a vector is multiplied by the matrix.
const POWERS: usize = 100;

/// λ_max of a positive semidefinite A from below: the quotient of a vector that powers of A bring near the eigenvector. The bound
/// holds for any vector, so that nothing depends on how near it comes.
pub fn largest_quotient(A: &Matrix) -> f64 {
    let n = A.rows();
    let Some(first) = (0..n).max_by(|i, j| A[(*i, *i)].total_cmp(&A[(*j, *j)])) else { return 0.0 };
    let mut x = A.row(first).to_vec();
    for _ in 0..POWERS {
        let size = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if !(size > 0.0 && size.is_finite()) {
            break;
        }
        x.iter_mut().for_each(|x| *x /= size);
        x = values_of_rows(n, |i| plain_dot(A.row(i), &x));
    }
    rayleigh(A, &x).low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quotient_of_an_eigenvector_is_its_eigenvalue() {
        let A = Matrix::from_fn(3, 3, |i, j| if i == j { 3.0 } else { 1.0 });
        for (x, value) in [([1.0, 1.0, 1.0], 5.0), ([1.0, -1.0, 0.0], 2.0), ([3e-9, 0.0, -3e-9], 2.0)] {
            let found = rayleigh(&A, &x);
            assert!(found.low <= value && found.high >= value && found.high - found.low < 1e-13, "{found:?}");
        }
        assert!(largest_quotient(&A) <= 5.0 && largest_quotient(&A) > 5.0 - 1e-12);
        assert!(!(largest_quotient(&Matrix::zeros(2, 2)) > 0.0));
        assert_eq!(rayleigh(&A, &[0.0; 3]).high, f64::INFINITY);
        assert_eq!(rayleigh(&A, &[f64::NAN, 1.0, 1.0]).high, f64::INFINITY);
    }
}
