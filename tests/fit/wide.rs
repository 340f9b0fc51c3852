//! Infinitely wide networks on tables where other functions come closer to the targets.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::data::Data;
use shallows::fit::{Scores, Wide};
use shallows::linalg::Matrix;
use shallows::random::{Purpose, Stream};
use shallows::wide::LayerSet;

/// Targets that an affine function of d inputs gives, and something besides.
fn table(n: usize, d: usize, besides: f64) -> Data {
    let mut stream = Stream::new(8, Purpose::Probe, (n * d) as u64);
    let X = Matrix::from_fn(n, d, |_, _| stream.normal());
    let y = (0..n).map(|i| 3.0 + X[(i, 0)] - 2.0 * X[(i, d - 1)] + besides * stream.normal()).collect();
    Data::builder(X, y).build().unwrap()
}

#[test]
fn a_table_that_an_affine_function_interpolates_is_fitted_all_the_same() {
    for (n, d, besides) in [(12, 20, 1.0), (15, 10, 1.0), (11, 10, 0.5), (6, 2, 0.0), (40, 3, 0.0)] {
        let data = table(n, d, besides);
        let mean = data.y.iter().sum::<f64>() / n as f64;
        let spread = (data.y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        for set in LayerSet::ALL {
            let fit = Wide::new().sets(&[set]).fit(&data).unwrap();
            let rmse = Scores::of(&fit.network, &data).unwrap().rmse;
            assert!(rmse <= spread, "{n} {d} {set:?}: {rmse} {spread}");
        }
    }
}
