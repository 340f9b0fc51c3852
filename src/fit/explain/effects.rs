//! **Effects.** What moving one column does to f, accumulated over local steps (D. W. Apley, J. Zhu, Visualizing the effects
//! of predictor variables in black box supervised learning models, J. R. Statist. Soc. B 82 (2020) 1059–1086). Between
//! neighbouring places z_{k−1} and z_k of column a,
//!
//! ```text
//! Δ_k = mean of f(x_i with x_a = z_k) − f(x_i with x_a = z_{k−1}) over the rows i that stand on this step,
//! effect(z_k) = Δ_1 + … + Δ_k − constant,      its mean over the rows being 0.
//! ```
//!
//! The usual alternative, partial dependence, sets x_a to z_k in *all* rows. Where columns go together that makes rows that
//! cannot occur (the surface of one building with the volume of another), and a flexible network may say anything there:
//! with rough layers, close to nothing. A step moves a row by no more than it stands from its neighbours, so f is asked close
//! to where it was taught; and it costs two or three predictions a row in place of one for every place. On functions g(x_a) +
//! h(other columns) both give g, however the columns go together. What is *not* told is what x_a says by going together with
//! others: that is theirs. A step is averaged over what the other columns are *there*, so curves of columns that interact are
//! true of the rows as they are and not of other mixtures of them.

use super::grid::{ColumnGrid, GridStep};
use super::pairs::{PairEffect, pair_effects};
use super::{sampled_rows, units};
use crate::data::Recipe;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::model::Function;
use crate::watch::{Progress, Stage, Watch};

/// What columns do to a function, alone and in pairs.
///
/// ```
/// use shallows::data::Recipe;
/// use shallows::fit::explain::{Effects, PlaceValue};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network, Watch};
///
/// // (a + b)² − (a − b)² = 4ab, over a grid of both.
/// let W = Matrix::from_rows(&[[1.0, 1.0], [1.0, -1.0]]);
/// let f = Network::new(Activation::SQUARE, W, vec![1.0, -1.0])?.into();
/// let X = Matrix::from_fn(9, 2, |i, j| if j == 0 { (i / 3) as f64 } else { (i % 3) as f64 });
/// let found = Effects::of(&f, &Recipe::plain(vec!["a".into(), "b".into()]), &X, None, 0, Watch::silent())?;
/// let found = found.expect("nobody interrupted");
/// // The mean of the other column is 1, so one step of either is worth 4.
/// let a = &found.columns[0];
/// assert_eq!((a.grid.column.as_str(), &a.grid.places[2].value), ("a", &PlaceValue::Number(2.0)));
/// assert!((a.values[2] - a.values[1] - 4.0).abs() < 1e-12);
/// // What is left is 4(a − 1)(b − 1).
/// let pair = &found.pairs[0];
/// assert!((pair.interaction[(2, 0)] + 4.0).abs() < 1e-6 && (pair.strength - 8.0 / 3.0).abs() < 1e-6);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The mean of f over the rows.
    pub level: f64,
    /// The standard deviation of f over the rows.
    pub deviation: f64,
    /// How many rows were used.
    pub rows: usize,
    /// Whether these are all of the rows that were given.
    pub is_every_row: bool,
    /// Every column, the one that matters most first.
    pub columns: Vec<ColumnEffect>,
    /// Pairs of the first few columns, the strongest first.
    pub pairs: Vec<PairEffect>,
}

/// What moving one column does. [`Effects`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnEffect {
    /// The column and its places.
    pub grid: ColumnGrid,
    /// At each place, less the mean over the rows.
    pub values: Vec<f64>,
    /// The standard deviation of the effect over the rows.
    pub spread: f64,
}

/// Steps between numbers.
const STEPS: usize = 20;
/// Pairs are formed of so many columns.
const PAIRED: usize = 6;
/// Predictions of a row for a column and for a pair, about.
const MOVES: [usize; 2] = [3, 6];
/// More rows than this say nothing new.
const MOST_ROWS: usize = 5000;
/// Fewer would say too little, however wide the network.
const FEWEST_ROWS: usize = 300;
/// Multiplications that are worth it: some seconds of one core.
const MOST_WORK: usize = 100_000_000_000;

impl Effects {
    /// Over these rows, or a sample of them where there are many; `None` when it was interrupted. `ranking` lists the columns
    /// that become inputs, by their number among these, the one that matters most first; without it they are ranked by the
    /// spread of their effects, which misses columns that act with others only.
    ///
    /// # Errors
    /// When X does not have the inputs of the function, or no rows.
    pub fn of(
        f: &Function,
        recipe: &Recipe,
        X: &Matrix,
        ranking: Option<&[usize]>,
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Option<Effects>> {
        let groups = recipe.groups();
        let used = groups.last().map_or(0, |(_, inputs)| inputs.end);
        for (expected, found) in [(f.inputs(), X.cols()), (f.inputs(), used)] {
            if expected != found {
                return Err(Error::Shape { what: "inputs of the network", expected, found });
            }
        }
        if X.rows() == 0 {
            return Err(Error::Shape { what: "rows to explain by, at least", expected: 1, found: 0 });
        }
        let paired = PAIRED.min(groups.len());
        let moves = MOVES[0] * groups.len() + MOVES[1] * (paired * paired.saturating_sub(1) / 2);
        let work = moves.saturating_mul(units(f)).saturating_mul(f.inputs().max(1));
        let most = (MOST_WORK / work.max(1)).clamp(FEWEST_ROWS, MOST_ROWS);
        let sample = sampled_rows(X, most, seed);
        let is_every_row = sample.is_none();
        let X = sample.as_ref().unwrap_or(X);
        let step = |name: &str| recipe.columns().iter().find(|step| step.name == name);
        let grids = |most: usize| {
            let grid = |(name, inputs)| Some(ColumnGrid::new(step(name)?, inputs, X, most));
            recipe.groups().into_iter().filter_map(grid).collect::<Vec<ColumnGrid>>()
        };
        let mut moved = MovedRows { f, X, watch, done: 0, total: moves * X.rows() };
        let mut columns: Vec<ColumnEffect> = vec![];
        for grid in grids(STEPS) {
            let Some(effect) = column_effect(grid, &mut moved)? else { return Ok(None) };
            columns.push(effect);
        }
        let order = ranking.map_or_else(|| by_spread(&columns), <[usize]>::to_vec);
        let order: Vec<usize> = order.into_iter().filter(|at| *at < columns.len()).collect();
        let coarse = grids(PairEffect::STEPS);
        let chosen: Vec<usize> = order.iter().copied().take(paired).collect();
        let Some(pairs) = pair_effects(&columns, &coarse, &chosen, &mut moved)? else { return Ok(None) };
        let values = f.predict(X)?;
        let level = mean(&values);
        let deviation = mean(&values.iter().map(|f| (f - level).powi(2)).collect::<Vec<_>>()).sqrt();
        let columns = order.iter().map(|&at| columns[at].clone()).collect();
        Ok(Some(Effects { level, deviation, rows: X.rows(), is_every_row, columns, pairs }))
    }
}

/// The columns with the largest spread first, equal ones in the order of the table.
fn by_spread(columns: &[ColumnEffect]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by(|&a, &b| columns[b].spread.total_cmp(&columns[a].spread));
    order
}

/// f of rows, one or two of whose columns are moved; it counts how many.
pub(super) struct MovedRows<'a> {
    f: &'a Function,
    pub(super) X: &'a Matrix,
    watch: Watch<'a>,
    done: usize,
    total: usize,
}

/// Rows of a matrix of moved rows.
const ROWS_AT_ONCE: usize = 4096;

impl MovedRows<'_> {
    /// f of each row with every grid's column at the place given; `None` when interrupted.
    pub(super) fn values<const N: usize>(
        &mut self,
        grids: [&ColumnGrid; N],
        moves: &[(usize, [usize; N])],
    ) -> Result<Option<Vec<f64>>> {
        let mut values = Vec::with_capacity(moves.len());
        for part in moves.chunks(ROWS_AT_ONCE) {
            if self.watch.is_over() {
                return Ok(None);
            }
            let X = Matrix::from_row_fn(part.len(), self.X.cols(), |at, out| {
                let (row, places) = &part[at];
                out.copy_from_slice(self.X.row(*row));
                for (grid, place) in grids.iter().zip(places) {
                    out[grid.inputs.clone()].copy_from_slice(&grid.places[*place].inputs);
                }
            });
            values.extend(self.f.predict(&X)?);
            self.done += part.len();
            let total = self.total.max(self.done);
            self.watch.report(Progress::Counted { stage: Stage::Effects, done: self.done, total });
        }
        Ok(Some(values))
    }
}

fn column_effect(grid: ColumnGrid, moved: &mut MovedRows<'_>) -> Result<Option<ColumnEffect>> {
    let n = moved.X.rows();
    let ends: Vec<Vec<usize>> = (0..n).map(|i| grid.ends_of(i)).collect();
    let moves: Vec<(usize, [usize; 1])> =
        ends.iter().enumerate().flat_map(|(i, ends)| ends.iter().map(move |&place| (i, [place]))).collect();
    let Some(f) = moved.values([&grid], &moves)? else { return Ok(None) };
    let (mut sums, mut counts) = (vec![0.0; grid.steps.len()], vec![0.0; grid.steps.len()]);
    let mut start = 0;
    for (i, ends) in ends.iter().enumerate() {
        let value = |place: usize| f[start + ends.partition_point(|end| *end < place)];
        for at in grid.steps_of(i) {
            let GridStep { from, to } = grid.steps[at];
            (sums[at], counts[at]) = (sums[at] + (value(to) - value(from)), counts[at] + 1.0);
        }
        start += ends.len();
    }
    let means: Vec<f64> = sums.iter().zip(&counts).map(|(sum, count)| sum / f64::max(*count, 1.0)).collect();
    let mut values = vec![0.0; grid.places.len()];
    // Every step starts where an earlier one ended, or at the root.
    for (GridStep { from, to }, difference) in grid.steps.iter().zip(means) {
        values[*to] = values[*from] + difference;
    }
    let constant = mean(&grid.at_rows(&values));
    values.iter_mut().for_each(|value| *value -= constant);
    let spread = mean(&grid.at_rows(&values).iter().map(|x| x * x).collect::<Vec<_>>()).sqrt();
    Ok(Some(ColumnEffect { grid, values, spread }))
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
