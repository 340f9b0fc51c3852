//! Intervals from rows that earlier rows have judged.
//!
//! The laws come from the earliest rows of those that are taken; every later block of time is predicted by the network of all
//! rows before it. The scores are |y − f|/σ, σ the deviation of a new target; the interval is f ± qσ, q the
//! ⌈(1−α)(m+1)⌉-th smallest of m scores. Rows in time are not exchangeable: **nothing is proved of it**.

use super::jackknife::{FEWEST_ROWS, MOST_ROWS, SETS, smallest};
use super::network::WideNetwork;
use crate::data::Data;
use crate::data::dependence::time_blocks;
use crate::linalg::Matrix;
use crate::watch::Watch;

/// Blocks of time, of which the first third has the laws.
const BLOCKS: usize = 9;

/// A network for intervals in time, and the errors of its rows by earlier ones.
///
/// ```
/// use shallows::data::Dependence;
/// use shallows::wide::ForwardScores;
/// use shallows::{Data, Watch};
/// use shallows::linalg::Matrix;
///
/// let x = Matrix::from_fn(90, 1, |i, _| (i as f64 / 3.0).sin());
/// let y = (0..90).map(|i| x[(i, 0)] + if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
/// let data = Data::builder(x, y).dependence(Some(Dependence::Times((0..90).collect()))).build()?;
/// let scores = ForwardScores::fitted(&data, 0, Watch::silent()).expect("enough rows");
/// let (low, high) = scores.intervals(&Matrix::from_rows(&[[0.5]]), 50)[0];
/// assert!(low < 0.5 && 0.5 < high && high - low < 1.0);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ForwardScores {
    /// The network of the latest rows.
    pub network: WideNetwork,
    /// |y − f|/σ of the rows that were judged.
    pub scores: Vec<f64>,
}

impl ForwardScores {
    /// Of the latest rows of a table in time, at most 3000. `None` where there are too few rows or times, where the watch is
    /// over, and where a matrix is not numerically definite.
    pub fn fitted(data: &Data, seed: u64, watch: Watch<'_>) -> Option<ForwardScores> {
        let times = data.dependence.as_ref()?.numbers();
        let counts = |i: &usize| data.weights.as_ref().is_none_or(|weights| weights[*i] > 0.0);
        let mut rows: Vec<usize> = (0..data.n()).filter(counts).collect();
        if rows.len() < FEWEST_ROWS || watch.is_over() {
            return None;
        }
        rows.sort_by_key(|&i| times[i]);
        let rows = rows.split_off(rows.len().saturating_sub(MOST_ROWS));
        let taken: Vec<usize> = rows.iter().map(|&i| times[i]).collect();
        let blocks = time_blocks(&taken, |_| true, BLOCKS);
        let last = blocks.last().copied().filter(|last| *last > 0)?;
        let first = (last / 3).max(1);
        let of = |wanted: &dyn Fn(usize) -> bool| {
            let some: Vec<usize> =
                rows.iter().zip(&blocks).filter(|(_, block)| wanted(**block)).map(|(&i, _)| i).collect();
            Data { weights: None, ..data.select(&some) }
        };
        let choosing = of(&|block| block < first);
        let laws = WideNetwork::best(&choosing, &choosing.columns, &SETS, seed, watch.quietly())?;
        let mut scores = vec![];
        for block in first..=last {
            let (network, now) = (laws.with_rows(&of(&|one| one < block))?, of(&|one| one == block));
            let deviations = target_deviations(&network, &now.X);
            let errors = network.predict(&now.X).into_iter().zip(&now.y).map(|(f, y)| (y - f).abs());
            scores.extend(errors.zip(deviations).map(|(error, deviation)| error / deviation));
        }
        let network = laws.with_rows(&of(&|_| true))?;
        scores.iter().all(|score| score.is_finite()).then_some(ForwardScores { network, scores })
    }

    /// Scores are at least 0, and there is one.
    pub fn is_sound(&self) -> bool {
        let sound = self.scores.iter().all(|score| score.is_finite() && *score >= 0.0);
        sound && !self.scores.is_empty() && self.network.check().is_ok()
    }

    /// From and to for every raw row: f ± qσ, q the score of this rank, counted from 1; infinite beyond the last.
    ///
    /// # Panics
    /// When there are fewer columns than inputs.
    pub fn intervals(&self, X: &Matrix, rank: usize) -> Vec<(f64, f64)> {
        let q = smallest(&mut self.scores.clone(), rank);
        let deviations = target_deviations(&self.network, X);
        self.network.predict(X).into_iter().zip(deviations).map(|(f, s)| (f - q * s, f + q * s)).collect()
    }
}

/// The deviations of new targets.
fn target_deviations(network: &WideNetwork, X: &Matrix) -> Vec<f64> {
    let noise = network.unit.powi(2) * network.noise;
    network.deviations(X).into_iter().map(|deviation| (deviation * deviation + noise).sqrt()).collect()
}
