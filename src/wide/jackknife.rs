//! Prediction intervals from rows left out one at a time.
//!
//! Everything that is chosen (transform, layers, laws, noise) comes from rows S alone. The network is fitted to S and m other
//! rows, every row for itself; f₋ⱼ and σ₋ⱼ are its prediction and the deviation of a new target without row j of the m. With
//! A = K + νI, k = κ(x, ·), w = A⁻¹k and d = diag A⁻¹ they are
//!
//! ```text
//! e_j = f₋ⱼ(x_j) − y_j = −α_j/d_j      f₋ⱼ(x) = f(x) + w_j e_j
//! σ₋ⱼ(x_j)² = 1/d_j                    σ₋ⱼ(x)² = κ(x,x) + ν − k·w + w_j²/d_j
//! ```
//!
//! and the interval of level 1 − α reaches from the ⌊α(m+1)⌋-th smallest f₋ⱼ(x) − q_j(x) to the ⌈(1−α)(m+1)⌉-th smallest
//! f₋ⱼ(x) + q_j(x), q_j(x) = |e_j| σ₋ⱼ(x)/σ₋ⱼ(x_j): wide where rows are sparse.
//!
//! **It covers with probability at least 1 − 2α** if the m rows and the new one are exchangeable. Proof (R. F. Barber, E. J.
//! Candès, A. Ramdas, R. J. Tibshirani, Annals of Statistics 49 (2021) 486–507, Theorem 1, with other scores): number the
//! new row m + 1, and let s_ij = |y_i − f(x_i)|/σ(x_i) of the network without rows i and j. Row i beats row j when s_ij >
//! s_ji. Where the new row is not covered, it lies beyond f₋ⱼ ± q_j for at least (1−α)(m+1) of the j, and so beats
//! them. In a tournament of m + 1 players fewer than 2α(m+1) can win so many games; since the network does not depend on
//! the order of the rows, the new row is as likely as any other to be one of them. ∎ (The count: k players with at least w wins
//! have played k(k−1)/2 games among themselves and k(m+1−k) against others, so kw ≤ k(k−1)/2 + k(m+1−k), hence
//! k ≤ 2(m+1−w) − 1 < 2α(m+1).)

use std::sync::OnceLock;

use super::learn::LayerSet;
use super::network::WideNetwork;
use crate::data::Data;
use crate::linalg::{Matrix, dot};
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// With fewer rows there are too few errors.
const FEWEST_ROWS: usize = 24;
/// Rows of the network: predictions cost the square of their number.
const MOST_ROWS: usize = 3000;
/// Rows that choose everything.
const MOST_CHOOSING: usize = 1000;
/// The sets of layers that are compared.
const SETS: [LayerSet; 2] = [LayerSet::RoughRelu, LayerSet::RoughErf];

/// A network for intervals, and the rows of it that are left out in turn.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::wide::Jackknife;
/// use shallows::{Data, Watch};
///
/// let x: Vec<[f64; 1]> = (0..60).map(|i| [i as f64 / 10.0]).collect();
/// let y: Vec<f64> = (0..60).map(|i| (i as f64 / 10.0).sin() + if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
/// let jackknife = Jackknife::fitted(&Data::from_rows(&x, &y)?, 0, Watch::silent()).expect("enough rows");
/// let rank = 28;
/// let (low, high) = jackknife.intervals(&Matrix::from_rows(&[[1.5]]), rank)[0];
/// assert!(low < 1.0 && 1.0 < high && high - low < 1.0);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Jackknife {
    /// The network; its centres are rows, repeated ones too.
    pub network: WideNetwork,
    /// The centres that are left out in turn, ascending; the laws are those of the others.
    pub scored: Vec<usize>,
    inverse: OnceLock<Option<Matrix>>,
}

impl PartialEq for Jackknife {
    fn eq(&self, other: &Self) -> bool {
        (&self.network, &self.scored) == (&other.network, &other.scored)
    }
}

impl Jackknife {
    /// A network with the rows of it that are left out in turn.
    pub fn new(network: WideNetwork, scored: Vec<usize>) -> Self {
        Jackknife { network, scored, inverse: OnceLock::new() }
    }

    /// The network of a table: half of the rows, at most a thousand, choose everything, and the others are left out in turn.
    /// Weights are not looked at, but for rows of weight 0, which have no part in it. `None` where there are too few rows,
    /// where the watch is over, and where a matrix is not numerically definite.
    pub fn fitted(data: &Data, seed: u64, watch: Watch<'_>) -> Option<Jackknife> {
        let counts = |i: &usize| data.weights.as_ref().is_none_or(|weights| weights[*i] > 0.0);
        let counted: Vec<usize> = (0..data.n()).filter(counts).collect();
        if counted.len() < FEWEST_ROWS || watch.is_over() {
            return None;
        }
        let order = Stream::of_split(seed, Split::Jackknife).permutation(counted.len());
        let mut taken: Vec<usize> = order.iter().take(MOST_ROWS).copied().collect();
        let choosing = (taken.len() / 2).min(MOST_CHOOSING);
        let mut others = taken.split_off(choosing);
        taken.sort_unstable();
        others.sort_unstable();
        let mut all: Vec<usize> = taken.iter().chain(&others).copied().collect();
        all.sort_unstable();
        let rows = |places: &[usize]| {
            let rows: Vec<usize> = places.iter().map(|&place| counted[place]).collect();
            Data { weights: None, ..data.select(&rows) }
        };
        let chosen = rows(&taken);
        let laws = WideNetwork::best(&chosen, &chosen.columns, &SETS, seed, watch.quietly())?;
        let network = laws.with_rows(&rows(&all))?;
        let scored = (0..all.len()).filter(|&at| others.binary_search(&all[at]).is_ok()).collect();
        Some(Jackknife::new(network, scored))
    }

    /// The numbers of the rows are those of centres, ascending, and there is at least one.
    pub fn is_sound(&self) -> bool {
        let n = self.network.alpha.len();
        let ascending = self.scored.windows(2).all(|pair| pair[0] < pair[1]);
        ascending && self.scored.last().is_some_and(|last| *last < n) && self.network.check().is_ok()
    }

    /// A⁻¹, which is made once.
    fn inverse(&self) -> Option<&Matrix> {
        self.inverse.get_or_init(|| Some(self.network.factor()?.inverted().inverse().to_matrix())).as_ref()
    }

    /// From and to for every raw row: of the ends of all rows that are left out the one of this rank, counted from 1.
    /// Infinite beyond the last rank, and where the matrix is not numerically definite.
    ///
    /// # Panics
    /// When there are fewer columns than inputs.
    pub fn intervals(&self, X: &Matrix, rank: usize) -> Vec<(f64, f64)> {
        let everywhere = vec![(f64::NEG_INFINITY, f64::INFINITY); X.rows()];
        let Some(inverse) = self.inverse().filter(|_| rank <= self.scored.len()) else { return everywhere };
        let network = &self.network;
        let Z = network.transform.applied(X);
        let values = network.kernel.between(&Z, &network.centres);
        let weights = values.times(inverse);
        let prior = network.kernel.diagonal(&Z);
        let interval = |i: usize| {
            let (k, w) = (values.row(i), weights.row(i));
            let f = network.target_mean + dot(k, &network.alpha);
            let variance = (prior[i] + network.noise - dot(k, w)).max(network.noise);
            let end = |sign: f64| {
                let ends = self.scored.iter().map(|&j| {
                    let d = inverse[(j, j)];
                    let e = -network.alpha[j] / d;
                    sign * (f + w[j] * e) + e.abs() * ((variance + w[j] * w[j] / d) * d).sqrt()
                });
                // The ⌊α(m+1)⌋-th smallest is the ⌈(1−α)(m+1)⌉-th largest, the mirror image of the upper end.
                sign * smallest(&mut ends.collect::<Vec<f64>>(), rank)
            };
            (end(-1.0), end(1.0))
        };
        (0..X.rows()).map(interval).collect()
    }
}

/// The number of this rank, counted from 1, among the smallest; infinite beyond the last.
pub(crate) fn smallest(numbers: &mut [f64], rank: usize) -> f64 {
    if rank > numbers.len() {
        return f64::INFINITY;
    }
    *numbers.select_nth_unstable_by(rank.max(1) - 1, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::solve_positive_definite;
    use crate::random::Purpose;

    #[test]
    fn ends_are_those_of_networks_without_the_row() {
        let mut stream = Stream::new(5, Purpose::Probe, 8);
        let X = Matrix::from_fn(50, 2, |_, _| stream.normal());
        let y = (0..50).map(|i| 3.0 + X[(i, 0)] * X[(i, 1)] + 0.2 * stream.normal()).collect();
        let data = Data::builder(X, y).build().unwrap();
        let jackknife = Jackknife::fitted(&data, 0, Watch::silent()).unwrap();
        let (network, j) = (&jackknife.network, jackknife.scored[3]);
        assert_eq!((network.alpha.len(), jackknife.scored.len()), (50, 25));
        let one = Jackknife::new(network.clone(), vec![j]);
        let new = Matrix::from_rows(&[[0.4, -0.8]]);
        let (low, high) = one.intervals(&new, 1)[0];
        // The same from the rows without row j, by plain algebra.
        let rest: Vec<usize> = (0..50).filter(|i| *i != j).collect();
        let centres = network.centres.select_rows(&rest);
        let mut A = network.kernel.matrix(&centres);
        (0..49).for_each(|i| A[(i, i)] += network.noise);
        let y: Vec<f64> = rest.iter().map(|&i| data.y[i] - network.target_mean).collect();
        let alpha = solve_positive_definite(&A, &y).unwrap();
        let at = |Z: &Matrix| {
            let k = network.kernel.between(Z, &centres);
            let explained = dot(k.row(0), &solve_positive_definite(&A, k.row(0)).unwrap());
            let variance = network.kernel.diagonal(Z)[0] + network.noise - explained;
            (network.target_mean + dot(k.row(0), &alpha), variance.sqrt())
        };
        let (left, left_deviation) = at(&network.centres.select_rows(&[j]));
        let (f, deviation) = at(&network.transform.applied(&new));
        let q = (left - data.y[j]).abs() * deviation / left_deviation;
        assert!((low - (f - q)).abs() < 1e-8 && (high - (f + q)).abs() < 1e-8, "{low} {high} {f} {q}");
    }
}
