//! What the tests of the numbers share.

use shallows::data::Data;
use shallows::linalg::{Matrix, norm};
use shallows::random::{Purpose, Stream};

/// Standard normal entries.
pub fn normal_matrix(seed: u64, rows: usize, cols: usize, index: u64) -> Matrix {
    let mut stream = Stream::new(seed, Purpose::Probe, index);
    Matrix::from_fn(rows, cols, |_, _| stream.normal())
}

/// Samples with columns x1, x2, …
pub fn data(X: Matrix, y: Vec<f64>, weights: Option<Vec<f64>>) -> Data {
    let names = (1..=X.cols()).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).weights(weights).build().unwrap()
}

/// ‖found − expected‖ is at most a share of ‖expected‖.
#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len());
    let difference: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    let scale = norm(expected).max(f64::MIN_POSITIVE);
    assert!(norm(&difference) <= relative * scale, "found {found:?}\nexpected {expected:?}");
}
