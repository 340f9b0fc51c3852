//! Prediction intervals by conformal prediction.
//!
//! Assumed is only that the rows of the fit and the row to predict are exchangeable (for instance drawn independently
//! from one distribution); nothing is assumed about the network. Let α be the share of rows that may fall outside.
//!
//! **Split.** The scores Rᵢ = |yᵢ − f(xᵢ)| of m rows that had no part in the fit are exchangeable with that of the new
//! row. With q the ⌈(1−α)(m+1)⌉-th smallest of them, f(x) ± q covers y with probability at least 1 − α.
//!
//! **Split by groups.** K groups of rows had no part in the fit; group k has n_k scores. With q the least score up to which there is
//! the mass (1−α)(K+1), each score having the mass 1/n_k, f(x) ± q covers y of one row of a new group with probability at least
//! 1 − α, if the K groups and the new one are exchangeable, and the rows within a group are. Proof: draw one of the K + 1 groups, and
//! one of its rows, at random: with probability 1 − α at least, its score is at most the least one up to which there is the mass
//! (1−α)(K+1) among the scores of all K + 1 groups. The new row is such a row, and q is no less: without the scores of the new
//! group less mass is below any bound. ∎ (Y. Lee, R. F. Barber, R. Willett, Distribution-free inference with hierarchical data, 2023.)
//!
//! **In time.** The latest rows, or rows that earlier ones have judged, give the scores in the same way; rows in time are not
//! exchangeable, and nothing is proved of it.
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
//! **Jackknife+.** An infinitely wide network whose laws come from other rows, left out one row at a time: at least 1 − 2α; or
//! one group at a time, for one row of a new group. [`Jackknife`] has the intervals, which are wide where rows are sparse, and the proofs.
//!
//! For a target on a scale (`ln y`) all of this is about the scaled target; the way back keeps the order, so that y is
//! between the transformed ends whenever ln y is between the ends, and the guarantee is the same.

use serde::{Deserialize, Serialize};

use super::Function;
use crate::data::dependence::rows_by_number;
use crate::data::{Data, Dependence, DependenceColumn};
use crate::error::{Error, Parameter, Requirement, Result, excerpt};
use crate::linalg::Matrix;
use crate::network::NetworkSum;
use crate::wide::{ForwardScores, Jackknife, smallest, weighted_smallest};

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
    /// The same of rows in groups: the scores of each group.
    SplitByGroup(Vec<Vec<f64>>),
    /// The same of rows later than those of the fit.
    SplitInTime(Vec<f64>),
    /// A wide network whose rows were judged by earlier ones.
    Forward(Box<ForwardScores>),
    /// For each fold the function fitted without it, and its |y − f(x)| on the rows of the fold; files of earlier versions
    /// have it.
    Cross(Vec<(NetworkSum, Vec<f64>)>),
    /// A wide network, rows or groups of which are left out in turn, and why nothing is proved, where that is so.
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
        if !scores.iter().all(|r| r.is_finite()) {
            return Err(Error::NotFinite { what: "the calibration scores" });
        }
        Ok(match &data.dependence {
            None => Calibration::Split(scores),
            Some(Dependence::Times(_)) => Calibration::SplitInTime(scores),
            Some(Dependence::Groups(groups)) => {
                let of_group = |rows: &Vec<usize>| rows.iter().map(|&i| scores[i]).collect();
                Calibration::SplitByGroup(rows_by_number(groups).iter().map(of_group).collect())
            }
        })
    }

    /// Intervals that are meant to cover a share of `level` of the targets; infinite where there are too few scores.
    /// They are on the scale on which f was fitted; [`Model::intervals`](super::Model::intervals) leads back to y.
    pub fn intervals(&self, f: &Function, X: &Matrix, level: f64) -> Result<Intervals> {
        check_level(level)?;
        match self {
            Calibration::Split(scores) | Calibration::SplitInTime(scores) => {
                let q = smallest(&mut scores.clone(), upper_rank(level, scores.len()));
                Ok(f.predict(X)?.into_iter().map(|f| (f - q, f + q)).collect())
            }
            Calibration::SplitByGroup(groups) => {
                let mass = |scores: &Vec<f64>| 1.0 / scores.len() as f64;
                let of_group = |scores: &'_ Vec<f64>| scores.iter().map(|r| (*r, mass(scores))).collect::<Vec<_>>();
                let mut scores: Vec<(f64, f64)> = groups.iter().flat_map(of_group).collect();
                let q = weighted_smallest(&mut scores, level * (groups.len() + 1) as f64);
                Ok(f.predict(X)?.into_iter().map(|f| (f - q, f + q)).collect())
            }
            Calibration::Forward(forward) => {
                check_columns(X, forward.network.inputs())?;
                Ok(forward.intervals(X, upper_rank(level, forward.scores.len())))
            }
            Calibration::Cross(folds) => cross_intervals(folds, X, level),
            Calibration::Jackknife(jackknife, _) => {
                check_columns(X, jackknife.network.inputs())?;
                Ok(match jackknife.groups {
                    None => jackknife.intervals(X, upper_rank(level, jackknife.scored.len())),
                    Some(_) => jackknife.group_intervals(X, level),
                })
            }
        }
    }

    /// Whether there are scores, or groups with scores, enough for intervals of this level to be finite.
    pub fn is_enough_for(&self, level: f64) -> bool {
        let m = match self {
            Calibration::Split(scores) | Calibration::SplitInTime(scores) => scores.len(),
            Calibration::SplitByGroup(groups) => groups.len(),
            Calibration::Forward(forward) => forward.scores.len(),
            Calibration::Cross(folds) => folds.iter().map(|(_, scores)| scores.len()).sum(),
            Calibration::Jackknife(jackknife, _) => jackknife.count(),
        };
        upper_rank(level, m) <= m
    }

    /// The probability with which an interval of this level is proved to cover, for exchangeable rows, or a row of a new group for
    /// exchangeable groups; 0 where nothing is proved.
    pub fn guarantee(&self, level: f64) -> f64 {
        match self {
            Calibration::Split(_) | Calibration::SplitByGroup(_) => level,
            Calibration::SplitInTime(_) | Calibration::Forward(_) | Calibration::Jackknife(_, Some(_)) => 0.0,
            Calibration::Jackknife(_, None) => (1.0 - 2.0 * (1.0 - level)).max(0.0),
            Calibration::Cross(folds) => {
                let n: usize = folds.iter().map(|(_, scores)| scores.len()).sum();
                let (n, K) = (n as f64, folds.len() as f64);
                (1.0 - 2.0 * (1.0 - level) - 2.0 * level * (K - 1.0) / (n + K)).max(0.0)
            }
        }
    }

    /// The method and what is proved of it, in words; the column says what groups are called.
    pub fn statement(&self, level: f64, column: Option<&DependenceColumn>) -> String {
        let (percent, proved) = (100.0 * level, (1000.0 * self.guarantee(level)).floor() / 10.0);
        let group = column.map_or("group".to_owned(), |column| excerpt(column.name()));
        match self {
            Calibration::Split(scores) => format!(
                "intervals cover {percent} % of new rows or more (split conformal, {} calibration rows), \
                 if new rows are exchangeable with those of the fit",
                scores.len()
            ),
            Calibration::SplitByGroup(groups) => format!(
                "intervals cover a row of a new {group} with a probability of {percent} % or more (hierarchical split conformal, {} \
                 calibration groups with {} rows), {}",
                groups.len(),
                groups.iter().map(Vec::len).sum::<usize>(),
                exchangeable(&group)
            ),
            Calibration::SplitInTime(scores) => format!(
                "intervals aim at {percent} % of new rows (errors of the latest {} rows by earlier ones); {NOTHING_IN_TIME}",
                scores.len()
            ),
            Calibration::Forward(forward) => format!(
                "intervals aim at {percent} % of new rows (errors of {} rows by earlier ones); {NOTHING_IN_TIME}",
                forward.scores.len()
            ),
            Calibration::Cross(folds) => format!(
                "intervals aim at {percent} % of new rows (CV+, {} folds); {proved} % is proved, \
                 if new rows are exchangeable with those of the fit",
                folds.len()
            ),
            Calibration::Jackknife(jackknife, doubt) => {
                jackknife_statement(jackknife, *doubt, (percent, proved), &group)
            }
        }
    }
}

/// A level is a share: 0.9, not 90.
pub(super) fn check_level(level: f64) -> Result<()> {
    let is_share = level > 0.0 && level < 1.0;
    let problem = || Error::parameter(Parameter::Level, Requirement::ShareSuchAs(0.9), level);
    if is_share { Ok(()) } else { Err(problem()) }
}

/// Why nothing is proved of later rows.
const NOTHING_IN_TIME: &str = "nothing is proved, since rows in time are not exchangeable";

/// What is assumed of groups.
fn exchangeable(group: &str) -> String {
    format!("if new groups by {group} are exchangeable with those of the fit, and rows within a group with each other")
}

fn jackknife_statement(
    jackknife: &Jackknife,
    doubt: Option<IntervalDoubt>,
    (percent, proved): (f64, f64),
    group: &str,
) -> String {
    let (count, others) = (jackknife.count(), jackknife.network.alpha.len() - jackknife.scored.len());
    let (what, left_out, if_exchangeable) = match jackknife.groups {
        None => ("new rows".to_owned(), "rows", "if new rows are exchangeable with those of the fit".to_owned()),
        Some(_) => (format!("the rows of a new {group}"), "groups", exchangeable(group)),
    };
    match doubt {
        None => {
            let laws = if jackknife.groups.is_some() {
                format!("{others} rows of others")
            } else {
                format!("{others} others")
            };
            let of_one = if jackknife.groups.is_some() { " for one of them" } else { "" };
            format!(
                "intervals aim at {percent} % of {what} (jackknife+ over {count} {left_out}, laws from {laws}); {proved} % is \
                 proved{of_one}, {if_exchangeable}"
            )
        }
        Some(doubt) => format!(
            "intervals aim at {percent} % of {what} (jackknife+ over {count} {left_out}); nothing is proved, since {}",
            doubt.words()
        ),
    }
}

fn check_columns(X: &Matrix, expected: usize) -> Result<()> {
    let found = X.cols();
    if found == expected { Ok(()) } else { Err(Error::Shape { what: "columns", expected, found }) }
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
