//! What becomes of the inputs before a wide network sees them: constant columns are dropped, ranks may take the place of
//! values, and every column gets mean 0 and deviation 1.

use std::ops::Range;

use crate::data::Data;
use crate::data::scaling::locations_and_scales;
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// The way from raw inputs to those of the kernel. [`WideNetwork`](super::WideNetwork) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct InputTransform {
    /// The number of raw inputs.
    pub inputs: usize,
    /// The inputs that vary, in order.
    pub kept: Vec<usize>,
    /// Where ranks take the place of values: for each input kept, different values in order and the rank of each.
    pub ranks: Option<Vec<RankCurve>>,
    /// What is subtracted.
    pub mean: Vec<f64>,
    /// What is then divided by.
    pub deviation: Vec<f64>,
}

/// The share of rows below a value, plus half of those equal to it; linear between the values of the training rows, flat
/// beyond them. [`WideNetwork`](super::WideNetwork) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct RankCurve {
    /// Different values, ascending.
    pub values: Vec<f64>,
    /// Their ranks between 0 and 1.
    pub ranks: Vec<f64>,
}

impl RankCurve {
    fn new(column: &[f64], omega: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..column.len()).filter(|&i| omega[i] > 0.0).collect();
        order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let (mut values, mut ranks, mut below): (Vec<f64>, Vec<f64>, f64) = (vec![], vec![], 0.0);
        for equal in order.chunk_by(|&a, &b| column[a] == column[b]) {
            let share: f64 = equal.iter().map(|&i| omega[i]).sum();
            values.push(column[equal[0]]);
            ranks.push(below + 0.5 * share);
            below += share;
        }
        RankCurve { values, ranks }
    }

    fn rank(&self, x: f64) -> f64 {
        let after = self.values.partition_point(|value| *value < x);
        match (after.checked_sub(1), self.values.get(after)) {
            (_, Some(value)) if *value == x => self.ranks[after],
            (None, _) => self.ranks[0],
            (Some(before), None) => self.ranks[before],
            (Some(before), Some(value)) => {
                let share = (x - self.values[before]) / (value - self.values[before]);
                self.ranks[before] + share * (self.ranks[after] - self.ranks[before])
            }
        }
    }
}

impl InputTransform {
    pub(super) fn learnt(data: &Data, by_rank: bool) -> Self {
        let omega = data.omega();
        let scales = locations_and_scales(data.X.as_slice(), data.d(), &omega, true);
        let kept: Vec<usize> = (0..data.d()).filter(|&j| varies(&data.X, &omega, j, scales[j].1)).collect();
        let (mean, deviation) = kept.iter().map(|&j| scales[j]).unzip();
        let plain = InputTransform { inputs: data.d(), kept, ranks: None, mean, deviation };
        if !by_rank || plain.kept.is_empty() {
            return plain;
        }
        let curves: Vec<RankCurve> = plain.kept.iter().map(|&j| RankCurve::new(&data.X.column(j), &omega)).collect();
        let none = vec![0.0; curves.len()];
        let ones = vec![1.0; curves.len()];
        let ranked = InputTransform { ranks: Some(curves), mean: none, deviation: ones, ..plain };
        let ranks = ranked.applied(&data.X);
        let (mean, deviation) = locations_and_scales(ranks.as_slice(), ranks.cols(), &omega, true).into_iter().unzip();
        InputTransform { mean, deviation, ..ranked }
    }

    /// The inputs of the kernel for raw rows.
    pub(crate) fn applied(&self, X: &Matrix) -> Matrix {
        Matrix::from_row_fn(X.rows(), self.kept.len(), |i, out| {
            for (at, out) in out.iter_mut().enumerate() {
                let x = X[(i, self.kept[at])];
                let x = self.ranks.as_ref().map_or(x, |curves| curves[at].rank(x));
                *out = (x - self.mean[at]) / self.deviation[at];
            }
        })
    }

    /// Inputs that exist, each once and in order; curves that rise; numbers to subtract and to divide by.
    pub(super) fn check(&self) -> Result<()> {
        let InputTransform { inputs, kept, ranks, mean, deviation } = self;
        let curves = ranks.as_ref().map_or(kept.len(), Vec::len);
        let count = kept.len();
        for (what, found) in
            [("means of inputs", mean.len()), ("deviations of inputs", deviation.len()), ("curves of ranks", curves)]
        {
            if found != count {
                return Err(Error::Shape { what, expected: count, found });
            }
        }
        let ascending = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        let is_curve = |curve: &RankCurve| {
            let RankCurve { values, ranks } = curve;
            let rises = ranks.windows(2).all(|pair| pair[0] <= pair[1]);
            !values.is_empty()
                && values.len() == ranks.len()
                && ascending(values)
                && rises
                && finite(values)
                && finite(ranks)
        };
        let sound = kept.windows(2).all(|pair| pair[0] < pair[1])
            && kept.last().is_none_or(|last| last < inputs)
            && finite(mean)
            && deviation.iter().all(|x| *x > 0.0 && x.is_finite())
            && ranks.iter().flatten().all(is_curve);
        if sound { Ok(()) } else { Err(Error::NotFinite { what: "the inputs of a wide network" }) }
    }

    /// The columns of the table in terms of the inputs kept; columns of which nothing is kept are gone.
    pub(super) fn kept_columns(&self, columns: &[Range<usize>]) -> Vec<Range<usize>> {
        let place = |input: usize| self.kept.partition_point(|kept| *kept < input);
        let kept = columns.iter().map(|column| place(column.start)..place(column.end));
        kept.filter(|column| !column.is_empty()).collect()
    }
}

/// Whether a column is more than rounding around one value.
fn varies(X: &Matrix, omega: &[f64], j: usize, deviation: f64) -> bool {
    let mut counted = (0..X.rows()).filter(|&i| omega[i] > 0.0).map(|i| X[(i, j)]);
    let first = counted.next();
    deviation.is_finite() && counted.any(|x| Some(x) != first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_linear_between_values_and_flat_beyond() {
        let curve = RankCurve::new(&[3.0, 1.0, 1.0, 5.0], &[0.25; 4]);
        assert_eq!(
            (curve.values.as_slice(), curve.ranks.as_slice()),
            (&[1.0, 3.0, 5.0][..], &[0.25, 0.625, 0.875][..])
        );
        assert_eq!([0.0, 1.0, 2.0, 5.0, 9.0].map(|x| curve.rank(x)), [0.25, 0.25, 0.4375, 0.875, 0.875]);
    }

    #[test]
    fn constant_columns_are_dropped_and_the_columns_of_the_table_follow() {
        let X = Matrix::from_rows(&[[1.0, 7.0, 0.0, 2.0], [2.0, 7.0, 1.0, 2.0], [4.0, 7.0, 0.0, 3.0]]);
        let data = Data::builder(X, vec![1.0, 2.0, 3.0]).build().unwrap();
        let transform = InputTransform::learnt(&data, false);
        assert_eq!(transform.kept, [0, 2, 3]);
        assert_eq!(transform.kept_columns(&[0..1, 1..2, 2..4]), [0..1, 1..3]);
        let ranked = InputTransform::learnt(&data, true).applied(&data.X);
        for j in 0..3 {
            assert!(ranked.column(j).iter().sum::<f64>().abs() < 1e-12);
        }
    }
}
