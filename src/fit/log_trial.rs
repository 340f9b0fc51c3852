//! Whether the logarithm of a target predicts it better: one affine function by ridge regression to y and one to ln y, each
//! judged on rows left out and in the units of y.

use super::auto::ridge_fit;
use super::folds::{Folds, usual_number};
use super::{Fit, Training};
use crate::data::{Data, TargetScale};
use crate::linalg::map_tasks;
use crate::random::{Split, Stream};

/// Of more rows, so many are enough.
const MOST_ROWS: usize = 10_000;
/// The logarithm has to be better by this share.
const CLEARLY: f64 = 0.02;

/// Errors on rows left out, in the units of the target.
///
/// ```
/// use shallows::data::TargetScale;
/// use shallows::fit::{Effort, Automatic, LogTrial};
/// use shallows::Data;
///
/// let rows: Vec<[f64; 1]> = (0..60).map(|i| [i as f64 / 6.0]).collect();
/// let y: Vec<f64> = rows.iter().map(|[x]| x.exp()).collect();
/// let data = Data::from_rows(&rows, &y)?;
/// let trial = LogTrial::new(&data, TargetScale::Identity, 0).expect("all targets are positive");
/// assert!(trial.log < 1e-6 && trial.identity > 1.0);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogTrial {
    /// RMSE of an affine function fitted to y.
    pub identity: f64,
    /// RMSE of exp(f), f an affine function fitted to ln y.
    pub log: f64,
}

impl LogTrial {
    /// The trial on data whose targets are on this scale; `None` where they are not all positive, or too few.
    pub fn new(data: &Data, scale: TargetScale, seed: u64) -> Option<LogTrial> {
        let mut rows = Stream::of_split(seed, Split::Comparison).permutation(data.n());
        rows.truncate(MOST_ROWS);
        rows.sort_unstable();
        let data = data.select(&rows);
        let y: Vec<f64> = data.y.iter().map(|y| scale.original(*y)).collect();
        if scale == TargetScale::Log || data.n() < super::folds::FEWEST_ROWS || !y.iter().all(|y| *y > 0.0) {
            return None;
        }
        let logarithms = Data { y: y.iter().map(|y| y.ln()).collect(), ..data.clone() };
        let folds = Folds::deal_apart(&data, usual_number(data.n()), seed);
        let rmse = |table: &Data, original: fn(&TargetScale, f64) -> f64| {
            let predicted = map_tasks(folds.len(), |fold| {
                let affine = ridge_fit(&table.select(&folds.others(fold))).ok()?;
                affine.predict(&table.select(folds.left_out(fold)).X).ok()
            });
            let f = folds.gathered(&predicted.into_iter().collect::<Option<Vec<Vec<f64>>>>()?);
            let squares = f.iter().zip(&y).zip(data.omega()).map(|((f, y), omega)| {
                let r = original(&scale, *f) - y;
                omega * r * r
            });
            Some(squares.sum::<f64>().sqrt())
        };
        let identity = rmse(&data, |scale, f| scale.original(f))?;
        let log = rmse(&logarithms, |_, f| TargetScale::Log.original(f))?;
        Some(LogTrial { identity, log })
    }

    /// Whether the logarithm is better than the best that was found without it: the affine function or what the fit took.
    pub fn is_better(&self, fit: &Fit) -> bool {
        let taken = match &fit.training {
            Training::Combined(combination) => combination.rmse,
            _ => f64::INFINITY,
        };
        self.log < (1.0 - CLEARLY) * self.identity.min(taken)
    }
}
