//! Prediction intervals by conformal prediction.
//!
//! Assumed is only that the rows of the fit and the row to predict are exchangeable (for instance drawn independently
//! from one distribution); nothing is assumed about the network. Let α be the share of rows that may fall outside.
//!
//! **Split.** The scores Rᵢ = |yᵢ − f(xᵢ)| of m rows that had no part in the fit are exchangeable with that of the new
//! row. With q the ⌈(1−α)(m+1)⌉-th smallest of them, f(x) ± q covers y with probability at least 1 − α.
//!
//! **Cross (CV+).** The n rows are dealt into K folds without looking at them; f₋ₖ is fitted on the rows outside fold
//! k, and Rᵢ = |yᵢ − f₋ₖ₍ᵢ₎(xᵢ)|. The interval reaches from the ⌊α(n+1)⌋-th smallest of f₋ₖ₍ᵢ₎(x) − Rᵢ to the
//! ⌈(1−α)(n+1)⌉-th smallest of f₋ₖ₍ᵢ₎(x) + Rᵢ. Its coverage is about 1 − α in practice, and at least
//! 1 − 2α − 2(1−α)(K−1)/(n+K) always. Proof: where y is outside, C = #{i : Rᵢ ≥ |y − f₋ₖ₍ᵢ₎(x)|} ≤ α(n+1) − 1. Given
//! the rows outside fold k, the scores of its m_k rows and of the new row are exchangeable, so that
//! pₖ = (1 + #{i in fold k : Rᵢ ≥ |y − f₋ₖ(x)|})/(m_k+1) satisfies P(pₖ ≤ t) ≤ t. The mean p̄ of the pₖ with weights
//! (m_k+1)/(n+K) is (K+C)/(n+K), at most t = (α(n+1)+K−1)/(n+K) when y is outside. For any t > 0,
//! 1{p̄ ≤ t} ≤ (2 − p̄/t)₊ ≤ Σ weightₖ (2 − pₖ/t)₊ by convexity, and E(2 − pₖ/t)₊ ≤ ∫₀^{2t}(2 − u/t)du = 2t. ∎
//! (R. F. Barber, E. J. Candès, A. Ramdas, R. J. Tibshirani, Annals of Statistics 49 (2021) 486–507, Theorem 4, has the
//! same bound up to its last term, for folds of one size.)
//!
//! **Jackknife+.** An infinitely wide network whose laws come from other rows, left out one row at a time: at least 1 − 2α.
//! [`Jackknife`] has the intervals, which are wide where rows are sparse, and the proof.
//!
//! For a target on a scale (`ln y`) all of this is about the scaled target; the way back keeps the order, so that y is
//! between the transformed ends whenever ln y is between the ends, and the guarantee is the same.

use serde::{Deserialize, Serialize};

use super::Function;
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::Matrix;
use crate::network::NetworkSum;
use crate::wide::{Jackknife, smallest};

/// What a model needs to give intervals.
///
/// ```
/// use shallows::fit::affine_fit;
/// use shallows::linalg::Matrix;
/// use shallows::model::{Calibration, Function};
/// use shallows::Data;
///
/// let rows: Vec<[f64; 1]> = (0..40).map(|i| [i as f64]).collect();
/// let y: Vec<f64> = (0..40).map(|i| i as f64 + if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// // Rows that were set aside: their errors say how wide an interval must be.
/// let f = Function::from(affine_fit(&data)?);
/// let calibration = Calibration::split(&f, &data)?;
/// assert!(calibration.is_enough_for(0.9) && !calibration.is_enough_for(0.999));
/// let (low, high) = calibration.intervals(&f, &Matrix::from_rows(&[[10.0]]), 0.9)?[0];
/// assert!(low < 10.0 && 10.0 < high);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Calibration {
    /// |y − f(x)| of rows that had no part in the fit.
    Split(Vec<f64>),
    /// For each fold the function fitted without it, and its |y − f(x)| on the rows of the fold; files of earlier versions
    /// have it.
    Cross(Vec<(NetworkSum, Vec<f64>)>),
    /// A wide network, rows of which are left out in turn, and why nothing is proved, where that is so.
    Jackknife(Box<Jackknife>, Option<IntervalDoubt>),
}

/// What the proof of intervals does not allow. [`Calibration`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalDoubt {
    /// All rows have taught what becomes of words and gaps, those too that are left out.
    Recipe,
    /// Rows count differently.
    Weights,
}

impl IntervalDoubt {
    /// As a reason.
    fn words(self) -> &'static str {
        match self {
            IntervalDoubt::Recipe => "all rows have taught what becomes of words and gaps",
            IntervalDoubt::Weights => "rows count differently",
        }
    }
}

/// From and to, for each row.
pub(crate) type Intervals = Vec<(f64, f64)>;

impl Calibration {
    /// By the rows of data that had no part in the fit of f.
    pub fn split(f: &Function, data: &Data) -> Result<Self> {
        let scores: Vec<f64> = f.predict(&data.X)?.iter().zip(&data.y).map(|(f, y)| (y - f).abs()).collect();
        let finite = scores.iter().all(|r| r.is_finite());
        if finite { Ok(Calibration::Split(scores)) } else { Err(Error::NotFinite { what: "the calibration scores" }) }
    }

    /// Intervals that are meant to cover a share of `level` of the targets; infinite where there are too few scores.
    /// They are on the scale on which f was fitted; [`Model::intervals`](super::Model::intervals) leads back to y.
    pub fn intervals(&self, f: &Function, X: &Matrix, level: f64) -> Result<Intervals> {
        check_level(level)?;
        match self {
            Calibration::Split(scores) => {
                let q = smallest(&mut scores.clone(), upper_rank(level, scores.len()));
                Ok(f.predict(X)?.into_iter().map(|f| (f - q, f + q)).collect())
            }
            Calibration::Cross(folds) => cross_intervals(folds, X, level),
            Calibration::Jackknife(jackknife, _) => {
                let expected = jackknife.network.inputs();
                if X.cols() != expected {
                    return Err(Error::Shape { what: "columns", expected, found: X.cols() });
                }
                Ok(jackknife.intervals(X, upper_rank(level, jackknife.scored.len())))
            }
        }
    }

    /// Whether there are scores enough for intervals of this level to be finite.
    pub fn is_enough_for(&self, level: f64) -> bool {
        let m = match self {
            Calibration::Split(scores) => scores.len(),
            Calibration::Cross(folds) => folds.iter().map(|(_, scores)| scores.len()).sum(),
            Calibration::Jackknife(jackknife, _) => jackknife.scored.len(),
        };
        upper_rank(level, m) <= m
    }

    /// The probability with which an interval of this level is proved to cover, for exchangeable rows; 0 where nothing is
    /// proved.
    pub fn guarantee(&self, level: f64) -> f64 {
        match self {
            Calibration::Split(_) => level,
            Calibration::Jackknife(_, Some(_)) => 0.0,
            Calibration::Jackknife(_, None) => (1.0 - 2.0 * (1.0 - level)).max(0.0),
            Calibration::Cross(folds) => {
                let n: usize = folds.iter().map(|(_, scores)| scores.len()).sum();
                let (n, K) = (n as f64, folds.len() as f64);
                (1.0 - 2.0 * (1.0 - level) - 2.0 * level * (K - 1.0) / (n + K)).max(0.0)
            }
        }
    }

    /// The method and what is proved of it, in words.
    pub fn statement(&self, level: f64) -> String {
        let (percent, proved) = (100.0 * level, (1000.0 * self.guarantee(level)).floor() / 10.0);
        match self {
            Calibration::Split(scores) => format!(
                "intervals cover {percent} % of new rows or more (split conformal, {} calibration rows), \
                 if new rows are exchangeable with those of the fit",
                scores.len()
            ),
            Calibration::Cross(folds) => format!(
                "intervals aim at {percent} % of new rows (CV+, {} folds); {proved} % is proved, \
                 if new rows are exchangeable with those of the fit",
                folds.len()
            ),
            Calibration::Jackknife(jackknife, None) => format!(
                "intervals aim at {percent} % of new rows (jackknife+ over {} rows, laws from {} others); {proved} % is \
                 proved, if new rows are exchangeable with those of the fit",
                jackknife.scored.len(),
                jackknife.network.alpha.len() - jackknife.scored.len()
            ),
            Calibration::Jackknife(jackknife, Some(doubt)) => format!(
                "intervals aim at {percent} % of new rows (jackknife+ over {} rows); nothing is proved, since {}",
                jackknife.scored.len(),
                doubt.words()
            ),
        }
    }
}

/// A level is a share: 0.9, not 90.
pub(super) fn check_level(level: f64) -> Result<()> {
    let is_share = level > 0.0 && level < 1.0;
    let problem = || Error::parameter(Parameter::Level, Requirement::ShareSuchAs(0.9), level);
    if is_share { Ok(()) } else { Err(problem()) }
}

/// ⌈level·(m+1)⌉, without being pushed over a whole number by rounding.
fn upper_rank(level: f64, m: usize) -> usize {
    const ROUNDING: f64 = 1e-12;
    let exact = level * (m + 1) as f64;
    (exact - ROUNDING * exact).ceil() as usize
}

fn cross_intervals(folds: &[(NetworkSum, Vec<f64>)], X: &Matrix, level: f64) -> Result<Intervals> {
    let f: Vec<Vec<f64>> = folds.iter().map(|(f, _)| f.predict(X)).collect::<Result<_>>()?;
    let n: usize = folds.iter().map(|(_, scores)| scores.len()).sum();
    let rank = upper_rank(level, n);
    let end = |i: usize, sign: f64| {
        let ends = folds.iter().zip(&f).flat_map(|((_, scores), f)| scores.iter().map(move |r| sign * f[i] + r));
        // ⌊α(n+1)⌋-th smallest = ⌈(1−α)(n+1)⌉-th largest, which is the mirror image of the upper end.
        sign * smallest(&mut ends.collect::<Vec<f64>>(), rank)
    };
    Ok((0..X.rows()).map(|i| (end(i, -1.0), end(i, 1.0))).collect())
}
