//! Sums over the entries of vectors.

const LANES: usize = 8;

/// xᵀy, summed in eight interleaved lanes.
///
/// ```
/// use shallows::linalg::{add_scaled, dot, norm};
///
/// assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// assert_eq!(norm(&[3.0, 4.0]), 5.0);
/// let mut y = [1.0, 1.0];
/// add_scaled(&mut y, 2.0, &[1.0, -1.0]);
/// assert_eq!(y, [3.0, -1.0]);
/// ```
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len());
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// ‖x‖₂. [`dot`] shows its use.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// y ← y + a·x. [`dot`] shows its use.
#[inline]
pub fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    assert_eq!(x.len(), y.len());
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
