//! How good predictions are.

use crate::data::{Data, TargetScale};
use crate::error::Result;
use crate::network::Predict;

/// Errors of predictions in the units of the target, weighted like the data.
///
/// ```
/// use shallows::Data;
/// use shallows::fit::{Scores, affine_fit};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0], [3.0]], &[0.0, 1.0, 2.0, 3.0])?;
/// let scores = Scores::of(&affine_fit(&data)?, &data)?;
/// assert!(scores.rmse < 1e-9 && scores.r2.is_some_and(|r2| r2 > 0.999));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// √(Σ ω r²).
    pub rmse: f64,
    /// Σ ω |r|.
    pub mae: f64,
    /// 1 − Σ ω r² / Σ ω (y − ȳ)²; `None` when all labels are equal.
    pub r2: Option<f64>,
}

impl Scores {
    /// Of what predicts, on data.
    pub fn of(f: &impl Predict, data: &Data) -> Result<Self> {
        Self::in_original_units(f, data, TargetScale::Identity)
    }

    /// The same where the target of the data is on a scale: the errors of what is predicted, in the units of y.
    pub fn in_original_units(f: &impl Predict, data: &Data, scale: TargetScale) -> Result<Self> {
        let mut f = f.predict(&data.X)?;
        if scale != TargetScale::Log {
            return Ok(Self::of_predictions(&f, data));
        }
        f.iter_mut().for_each(|f| *f = scale.original(*f));
        let y: Vec<f64> = data.y.iter().map(|y| scale.original(*y)).collect();
        Ok(Self::of_pairs(&f, &y, &data.omega()))
    }

    /// Of given predictions.
    pub fn of_predictions(f: &[f64], data: &Data) -> Self {
        Self::of_pairs(f, &data.y, &data.omega())
    }

    fn of_pairs(f: &[f64], y: &[f64], omega: &[f64]) -> Self {
        let weighted = |term: &dyn Fn(usize) -> f64| (0..y.len()).map(|i| omega[i] * term(i)).sum::<f64>();
        let mean = weighted(&|i| y[i]);
        // In units of the largest term, so that squares neither overflow nor vanish.
        let root_mean_square = |term: &dyn Fn(usize) -> f64| {
            let largest = (0..y.len()).map(|i| term(i).abs()).fold(0.0, f64::max);
            let unit = power_of_two_in(largest);
            unit * weighted(&|i| (term(i) / unit).powi(2)).sqrt()
        };
        let rmse = root_mean_square(&|i| f[i] - y[i]);
        let spread = root_mean_square(&|i| y[i] - mean);
        Scores {
            rmse,
            mae: weighted(&|i| (f[i] - y[i]).abs()),
            r2: (spread > 0.0).then(|| 1.0 - (rmse / spread).powi(2)),
        }
    }
}

/// The largest power of two that is at most x ≥ 0 (dividing by it rounds nothing); the smallest normal one
/// for x below it.
fn power_of_two_in(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    f64::from_bits(x.min(f64::MAX).to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}
