//! **Pairs.** What two columns do together and neither alone. Over a step of a and one of b,
//!
//! ```text
//! Δ_kl = mean of f(a_k, b_l) − f(a_{k−1}, b_l) − f(a_k, b_{l−1}) + f(a_{k−1}, b_{l−1}) over the rows on both steps,
//! S_kl = Σ_{k' ≤ k, l' ≤ l} Δ_k'l',
//! ```
//!
//! which is 0 for functions g(a, others) + h(b, others). Where no row stands on both steps the nearest steps with rows speak
//! for them. The *interaction* is what the best sum of a function of a and a function of b leaves of S, in least squares
//! over the rows; its root mean square over the rows is the *strength* of the pair, in units of the target. Functions that are
//! sums have strength 0; for c·a·b with a and b independent the interaction is c(a − ā)(b − b̄). Where rows let one column
//! vary only with the other, nothing tells an interaction from an effect, and the strength is 0: a lower bound of what f
//! would do on rows that are not there, which nobody asked.

use super::effects::{ColumnEffect, MovedRows};
use super::grid::ColumnGrid;
use crate::error::Result;
use crate::linalg::{Matrix, solve_positive_definite};

/// What two columns do together. [`Effects`](super::Effects) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct PairEffect {
    /// The columns and their places.
    pub grids: [ColumnGrid; 2],
    /// What is left of the two effects, at every place of the first and of the second column.
    pub interaction: Matrix,
    /// The effects of both columns and their interaction, less the mean over the rows.
    pub values: Matrix,
    /// Rows at every place of the first and of the second column; those between places count in parts.
    pub rows: Matrix,
    /// The root mean square of the interaction over the rows, in units of the target.
    pub strength: f64,
}

/// Added to the diagonal in parts of its largest entry: places that rows do not join have no level of their own.
const RIDGE: f64 = 1e-10;

impl PairEffect {
    /// Steps of each column.
    pub(super) const STEPS: usize = 10;
}

/// Every pair of the chosen columns, the strongest first; `None` when interrupted.
pub(super) fn pair_effects(
    columns: &[ColumnEffect],
    coarse: &[ColumnGrid],
    chosen: &[usize],
    moved: &mut MovedRows<'_>,
) -> Result<Option<Vec<PairEffect>>> {
    let mut pairs = vec![];
    for (at, &one) in chosen.iter().enumerate() {
        for &other in &chosen[at + 1..] {
            // In the order of the table, whatever the ranking.
            let [a, b] = [one.min(other), one.max(other)];
            let mains = [on_grid(&columns[a], &coarse[a]), on_grid(&columns[b], &coarse[b])];
            let Some(pair) = pair_effect([&coarse[a], &coarse[b]], mains, moved)? else { return Ok(None) };
            pairs.push(pair);
        }
    }
    pairs.sort_by(|one: &PairEffect, other| other.strength.total_cmp(&one.strength));
    Ok(Some(pairs))
}

/// The effect of a column at places of a coarser grid, which are places of the finer one.
fn on_grid(effect: &ColumnEffect, coarse: &ColumnGrid) -> Vec<f64> {
    let fine = &effect.grid.places;
    let at = |inputs: &[f64]| fine.iter().position(|place| place.inputs == inputs).map_or(0.0, |at| effect.values[at]);
    coarse.places.iter().map(|place| at(&place.inputs)).collect()
}

fn pair_effect(grids: [&ColumnGrid; 2], mains: [Vec<f64>; 2], moved: &mut MovedRows<'_>) -> Result<Option<PairEffect>> {
    let Some(steps) = second_differences(grids, moved)? else { return Ok(None) };
    let [a, b] = grids;
    let mut interaction = accumulated(grids, &steps);
    let rows = rows_at_places(grids);
    remove_sum(&mut interaction, &rows);
    let total = rows.as_slice().iter().sum::<f64>().max(1.0);
    let squares = interaction.as_slice().iter().zip(rows.as_slice()).map(|(x, rows)| rows * x * x).sum::<f64>();
    let values =
        Matrix::from_fn(a.places.len(), b.places.len(), |u, v| mains[0][u] + mains[1][v] + interaction[(u, v)]);
    let strength = (squares / total).sqrt();
    Ok(Some(PairEffect { grids: grids.map(ColumnGrid::clone), interaction, values, rows, strength }))
}

/// Δ for every step of a and of b; steps on which no row stands take that of the nearest ones.
fn second_differences(grids: [&ColumnGrid; 2], moved: &mut MovedRows<'_>) -> Result<Option<Matrix>> {
    let [a, b] = grids;
    let n = moved.X.rows();
    let ends: Vec<[Vec<usize>; 2]> = (0..n).map(|i| [a.ends_of(i), b.ends_of(i)]).collect();
    let moves = |(i, [us, vs]): (usize, &[Vec<usize>; 2])| {
        us.iter().flat_map(|&u| vs.iter().map(move |&v| (i, [u, v]))).collect::<Vec<_>>()
    };
    let moves: Vec<(usize, [usize; 2])> = ends.iter().enumerate().flat_map(moves).collect();
    let Some(f) = moved.values(grids, &moves)? else { return Ok(None) };
    let (mut sums, mut counts) =
        (Matrix::zeros(a.steps.len(), b.steps.len()), Matrix::zeros(a.steps.len(), b.steps.len()));
    let mut start = 0;
    for (i, [us, vs]) in ends.iter().enumerate() {
        let place = |ends: &[usize], place: usize| ends.partition_point(|end| *end < place);
        let value = |u: usize, v: usize| f[start + place(us, u) * vs.len() + place(vs, v)];
        for k in a.steps_of(i) {
            for l in b.steps_of(i) {
                let (s, t) = (a.steps[k], b.steps[l]);
                // Differences of differences of the same column first, so that sums of functions give 0 up to rounding.
                let difference =
                    (value(s.to, t.to) - value(s.from, t.to)) - (value(s.to, t.from) - value(s.from, t.from));
                sums[(k, l)] += difference;
                counts[(k, l)] += 1.0;
            }
        }
        start += us.len() * vs.len();
    }
    let filled = |k: usize, l: usize| match counts[(k, l)] > 0.0 {
        true => sums[(k, l)] / counts[(k, l)],
        false => of_nearest(grids, (k, l), &sums, &counts),
    };
    Ok(Some(Matrix::from_fn(a.steps.len(), b.steps.len(), filled)))
}

/// The mean over the nearest steps with rows.
fn of_nearest([a, b]: [&ColumnGrid; 2], (k, l): (usize, usize), sums: &Matrix, counts: &Matrix) -> f64 {
    let (mut least, mut sum, mut count) = (usize::MAX, 0.0, 0.0);
    for s in 0..a.steps.len() {
        for t in 0..b.steps.len() {
            let distance = a.distance(k, s).pow(2) + b.distance(l, t).pow(2);
            if counts[(s, t)] == 0.0 || distance > least {
                continue;
            }
            if distance < least {
                (least, sum, count) = (distance, 0.0, 0.0);
            }
            (sum, count) = (sum + sums[(s, t)], count + counts[(s, t)]);
        }
    }
    sum / f64::max(count, 1.0)
}

/// S at every place of a and of b: 0 where either is at its root.
fn accumulated([a, b]: [&ColumnGrid; 2], steps: &Matrix) -> Matrix {
    let mut S = Matrix::zeros(a.places.len(), b.places.len());
    for (k, s) in a.steps.iter().enumerate() {
        for (l, t) in b.steps.iter().enumerate() {
            S[(s.to, t.to)] = S[(s.from, t.to)] + S[(s.to, t.from)] - S[(s.from, t.from)] + steps[(k, l)];
        }
    }
    S
}

/// How many rows stand at every place of a and of b, those between places in parts.
fn rows_at_places([a, b]: [&ColumnGrid; 2]) -> Matrix {
    let mut rows = Matrix::zeros(a.places.len(), b.places.len());
    for (one, other) in a.standings.iter().zip(&b.standings) {
        for (u, weight) in one.weights() {
            for (v, other) in other.weights() {
                rows[(u, v)] += weight * other;
            }
        }
    }
    rows
}

/// Subtract the g(u) + h(v) that is nearest to S over the rows: [Diag(W1) W; Wᵀ Diag(Wᵀ1)][g; h] = [(W∘S)1; (W∘S)ᵀ1].
fn remove_sum(S: &mut Matrix, W: &Matrix) {
    let (p, q) = (S.rows(), S.cols());
    let mut N = Matrix::zeros(p + q, p + q);
    let mut right = vec![0.0; p + q];
    for u in 0..p {
        for v in 0..q {
            let weight = W[(u, v)];
            N[(u, u)] += weight;
            N[(p + v, p + v)] += weight;
            (N[(u, p + v)], N[(p + v, u)]) = (weight, weight);
            right[u] += weight * S[(u, v)];
            right[p + v] += weight * S[(u, v)];
        }
    }
    let largest = (0..p + q).map(|at| N[(at, at)]).fold(f64::MIN_POSITIVE, f64::max);
    (0..p + q).for_each(|at| N[(at, at)] += RIDGE * largest);
    let Some(sum) = solve_positive_definite(&N, &right) else { return };
    for u in 0..p {
        for v in 0..q {
            S[(u, v)] -= sum[u] + sum[p + v];
        }
    }
}
