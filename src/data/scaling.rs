//! Standardising a table for training.
//!
//! Columns are divided by their standard deviation. They are also centred where the network can absorb the
//! shift: through hidden biases, or for quadratic activations through the affine part; otherwise their root
//! mean square takes the place of the deviation. A column that does not vary has no influence on the network
//! when it is centred.

use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::{self, Matrix};
use crate::network::Standardisation;

/// What may be centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Centring {
    pub inputs: bool,
    pub target: bool,
}

/// Deviations below this share of a column's size are rounding noise of a constant column.
const CONSTANT: f64 = 1e-13;

/// The standardisation of this table; a target that varies only by rounding is refused.
pub(crate) fn standardisation(data: &Data, centring: Centring) -> Result<Standardisation> {
    let scaling = lenient_standardisation(data, centring);
    if !scaling.target_deviation.is_finite() {
        return Err(Error::unsuitable(
            "the target",
            "a column that varies by more than 1e-13 of its size",
            format!("{} within rounding", scaling.target_mean),
        ));
    }
    Ok(scaling)
}

/// The same without refusal: the deviation of a target that varies only by rounding is infinite.
pub(crate) fn lenient_standardisation(data: &Data, centring: Centring) -> Standardisation {
    let omega = data.omega();
    let columns = locations_and_scales(data.X.as_slice(), data.d(), &omega, centring.inputs);
    let (mean, deviation) = columns.into_iter().unzip();
    let (target_mean, target_deviation) = location_and_scale(&data.y, &omega, centring.target);
    Standardisation { mean, deviation, target_mean, target_deviation }
}

/// The identity.
pub(crate) fn none(d: usize) -> Standardisation {
    Standardisation { mean: vec![0.0; d], deviation: vec![1.0; d], target_mean: 0.0, target_deviation: 1.0 }
}

/// The standardised table.
pub(crate) fn standardised(data: &Data, scaling: &Standardisation) -> Result<Data> {
    let Standardisation { mean, deviation, target_mean, target_deviation } = scaling;
    let X = Matrix::from_row_fn(data.n(), data.d(), |i, out| {
        let entries = data.X.row(i).iter().zip(mean.iter().zip(deviation));
        out.iter_mut().zip(entries).for_each(|(out, (x, (mean, deviation)))| *out = (x - mean) / deviation);
    });
    let y = data.y.iter().map(|y| (y - target_mean) / target_deviation).collect();
    let (names, target, weights) = (data.names.clone(), data.target.clone(), data.weights.clone());
    let data = Data::builder(X, y).columns(data.columns.clone()).dependence(data.dependence.clone());
    data.names(names).target(target).weights(weights).build()
}

/// Location and scale of one column.
pub(crate) fn location_and_scale(column: &[f64], omega: &[f64], centred: bool) -> (f64, f64) {
    locations_and_scales(column, 1, omega, centred)[0]
}

/// Location and scale of each of d columns, row after row in `entries`: weighted by ω and safe from overflow, since
/// columns are first divided by their largest magnitude.
pub(crate) fn locations_and_scales(entries: &[f64], d: usize, omega: &[f64], centred: bool) -> Vec<(f64, f64)> {
    let larger = |most: &mut f64, x: f64| *most = most.max(x);
    let largest = reduced(entries, d, omega, larger, |_, _, x| x.abs());
    let unit: Vec<f64> = largest.iter().map(|most| if *most > 0.0 { *most } else { 1.0 }).collect();
    let add = |sum: &mut f64, x: f64| *sum += x;
    let location = if centred { reduced(entries, d, omega, add, |w, j, x| w * (x / unit[j])) } else { vec![0.0; d] };
    let square = reduced(entries, d, omega, add, |w, j, x| w * (x / unit[j] - location[j]).powi(2));
    (0..d)
        .map(|j| match (square[j].sqrt() > CONSTANT, centred) {
            _ if largest[j] == 0.0 => (0.0, 1.0),
            (true, _) => (unit[j] * location[j], (unit[j] * square[j].sqrt()).max(f64::MIN_POSITIVE)),
            // Dividing by infinity makes the column exactly zero, and its raw weights too.
            (false, true) => (unit[j] * location[j], f64::INFINITY),
            (false, false) => (0.0, 1.0),
        })
        .collect()
}

/// For each of d columns, term(ωᵢ, j, xᵢⱼ) over the rows that count, combined in a fixed order.
fn reduced(
    entries: &[f64],
    d: usize,
    omega: &[f64],
    combine: impl Fn(&mut f64, f64) + Sync,
    term: impl Fn(f64, usize, f64) -> f64 + Sync,
) -> Vec<f64> {
    linalg::sum_over_rows(
        (omega.len(), d),
        || vec![0.0; d],
        |sum, rows| {
            let rows = omega[rows.clone()].iter().zip(entries[rows.start * d..rows.end * d].chunks_exact(d));
            for (w, row) in rows.filter(|(w, _)| **w > 0.0) {
                sum.iter_mut().zip(row).enumerate().for_each(|(j, (sum, x))| combine(sum, term(*w, j, *x)));
            }
        },
        |sum, next| sum.iter_mut().zip(next).for_each(|(sum, next)| combine(sum, next)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Data {
        let X = Matrix::from_rows(&[[1.0, 5.0, 1e300], [2.0, 5.0, -1e300], [6.0, 5.0, 0.0]]);
        Data::builder(X, vec![10.0, 20.0, 60.0]).names(["a", "b", "c"].map(String::from).to_vec()).build().unwrap()
    }

    #[test]
    fn centred_columns_have_mean_zero_and_deviation_one_even_when_huge() {
        let data = data();
        let scaled =
            standardised(&data, &standardisation(&data, Centring { inputs: true, target: true }).unwrap()).unwrap();
        for column in [scaled.X.column(0), scaled.X.column(2), scaled.y.clone()] {
            let mean = column.iter().sum::<f64>() / 3.0;
            let square = column.iter().map(|x| x * x).sum::<f64>() / 3.0;
            assert!(mean.abs() < 1e-15 && (square - 1.0).abs() < 1e-14, "{column:?}");
        }
        assert_eq!(scaled.X.column(1), [0.0; 3]);
    }

    #[test]
    fn a_row_of_weight_zero_does_not_say_how_large_a_column_is() {
        let X = Matrix::from_rows(&[[1.0], [2.0], [6.0], [1e300]]);
        let data = Data::builder(X, vec![10.0, 20.0, 60.0, -1e30]).names(vec!["a".into()]);
        let data = data.weights(Some(vec![1.0, 1.0, 1.0, 0.0])).build().unwrap();
        let scaling = standardisation(&data, Centring { inputs: true, target: true }).unwrap();
        assert!((scaling.mean[0] - 3.0).abs() < 1e-15 && (scaling.target_mean - 30.0).abs() < 1e-14, "{scaling:?}");
    }

    #[test]
    fn without_centring_zero_stays_zero() {
        let data = data();
        let scaling = standardisation(&data, Centring { inputs: false, target: false }).unwrap();
        assert_eq!((scaling.mean[0], scaling.target_mean), (0.0, 0.0));
        let scaled = standardised(&data, &scaling).unwrap();
        assert!((scaled.X.column(0).iter().map(|x| x * x).sum::<f64>() / 3.0 - 1.0).abs() < 1e-14);
    }
}
