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
use super::left_out_groups::GroupsLeftOut;
use super::network::WideNetwork;
use crate::data::dependence::rows_by_number;
use crate::data::{Data, Dependence};
use crate::linalg::{Matrix, dot};
use crate::random::{Split, Stream};
use crate::watch::Watch;

/// With fewer rows there are too few errors.
pub(super) const FEWEST_ROWS: usize = 24;
/// With fewer groups none can be left out while others choose.
const FEWEST_GROUPS: usize = 6;
/// Rows of the network: predictions cost the square of their number.
pub(super) const MOST_ROWS: usize = 3000;
/// Rows that choose everything.
const MOST_CHOOSING: usize = 1000;
/// The sets of layers that are compared.
pub(super) const SETS: [LayerSet; 2] = [LayerSet::RoughRelu, LayerSet::RoughErf];

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
    /// The group of each of these, where groups are left out; these are numbered from 0.
    pub groups: Option<Vec<usize>>,
    inverse: OnceLock<Option<Matrix>>,
}

impl PartialEq for Jackknife {
    fn eq(&self, other: &Self) -> bool {
        (&self.network, &self.scored, &self.groups) == (&other.network, &other.scored, &other.groups)
    }
}

impl Jackknife {
    /// A network with the rows of it that are left out in turn.
    pub fn new(network: WideNetwork, scored: Vec<usize>) -> Self {
        Jackknife { network, scored, groups: None, inverse: OnceLock::new() }
    }

    /// The same with groups of rows that are left out in turn: a number for each of the rows.
    pub fn of_groups(network: WideNetwork, scored: Vec<usize>, groups: Vec<usize>) -> Self {
        Jackknife { groups: Some(groups), ..Jackknife::new(network, scored) }
    }

    /// The number of rows, or of groups, that are left out in turn.
    pub fn count(&self) -> usize {
        self.groups
            .as_ref()
            .map_or(self.scored.len(), |groups| groups.iter().max().map_or(0, |most| most.saturating_add(1)))
    }

    /// The network of a table: half of the rows, at most a thousand, choose everything, and the others are left out in turn.
    /// Weights are not looked at, but for rows of weight 0, which have no part in it. `None` where there are too few rows,
    /// where the watch is over, and where a matrix is not numerically definite. Of rows in groups a third of the groups choose,
    /// and the others are left out in turn.
    pub fn fitted(data: &Data, seed: u64, watch: Watch<'_>) -> Option<Jackknife> {
        match data.dependence.as_ref().filter(|dependence| dependence.count() > 1) {
            None => Jackknife::of_rows(data, seed, watch),
            Some(Dependence::Groups(groups)) => Jackknife::of_grouped_rows(data, groups, seed, watch),
            // Later rows must not judge earlier ones.
            Some(Dependence::Times(_)) => None,
        }
    }

    fn of_rows(data: &Data, seed: u64, watch: Watch<'_>) -> Option<Jackknife> {
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

    fn of_grouped_rows(data: &Data, groups: &[usize], seed: u64, watch: Watch<'_>) -> Option<Jackknife> {
        let counts = |i: &usize| data.weights.as_ref().is_none_or(|weights| weights[*i] > 0.0);
        let counted: Vec<usize> = (0..data.n()).filter(counts).collect();
        let numbers: Vec<usize> = counted.iter().map(|&i| groups[i]).collect();
        let members = rows_by_number(&numbers);
        if members.len() < FEWEST_GROUPS || counted.len() < FEWEST_ROWS || watch.is_over() {
            return None;
        }
        let mut stream = Stream::of_split(seed, Split::Jackknife);
        let mut order = stream.permutation(members.len());
        order.truncate(MOST_ROWS);
        // How many rows of a group there may be depends on the number of groups alone.
        let most = MOST_ROWS / order.len();
        let mut drawn = |group: &usize| {
            let mut places = stream.permutation(members[*group].len());
            places.truncate(most);
            places.into_iter().map(|place| counted[members[*group][place]]).collect::<Vec<usize>>()
        };
        let taken: Vec<Vec<usize>> = order.iter().map(&mut drawn).collect();
        let choosing = (taken.len() / 3).clamp(2, (MOST_CHOOSING / most).max(2));
        let rows = |groups: &[Vec<usize>]| {
            let mut rows = groups.concat();
            rows.sort_unstable();
            rows
        };
        let (all, chosen) = (rows(&taken), rows(&taken[..choosing]));
        let alike = |rows: &[usize]| Data { weights: None, ..data.select(rows) };
        let chosen = alike(&chosen);
        let laws = WideNetwork::best(&chosen, &chosen.columns, &SETS, seed, watch.quietly())?;
        let network = laws.with_rows(&alike(&all))?;
        let mut scored: Vec<(usize, usize)> = vec![];
        for (number, rows) in taken[choosing..].iter().enumerate() {
            scored.extend(rows.iter().filter_map(|row| Some((all.binary_search(row).ok()?, number))));
        }
        scored.sort_unstable();
        let (scored, groups) = scored.into_iter().unzip();
        Some(Jackknife::of_groups(network, scored, groups))
    }

    /// The numbers of the rows are those of centres, ascending, and there is at least one.
    pub fn is_sound(&self) -> bool {
        let n = self.network.alpha.len();
        let ascending = self.scored.windows(2).all(|pair| pair[0] < pair[1]);
        let numbered = self.groups.as_ref().is_none_or(|groups| {
            let mut found = groups.clone();
            found.sort_unstable();
            found.dedup();
            groups.len() == self.scored.len() && found.into_iter().eq(0..self.count())
        });
        ascending && numbered && self.scored.last().is_some_and(|last| *last < n) && self.network.check().is_ok()
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
        self.for_rows(X, inverse, |(f, variance), w| {
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
        })
    }

    /// The same where groups are left out, each with the mass 1: between the ends at which there is the mass that the level
    /// asks for. Infinite where there are too few groups, and where a matrix is not numerically definite.
    pub(crate) fn group_intervals(&self, X: &Matrix, level: f64) -> Vec<(f64, f64)> {
        let everywhere = vec![(f64::NEG_INFINITY, f64::INFINITY); X.rows()];
        let groups = self.groups.as_deref().unwrap_or_default();
        let rows_of = rows_by_number(groups).into_iter().map(|rows| rows.iter().map(|&at| self.scored[at]).collect());
        let Some(inverse) = self.inverse() else { return everywhere };
        let Some(left_out) = GroupsLeftOut::of(&self.network, inverse, rows_of.collect()) else { return everywhere };
        self.for_rows(X, inverse, |f_and_variance, w| left_out.interval(f_and_variance, w, level))
    }

    /// From and to of every raw row, from f(x), κ(x,x) + ν − k·w and w.
    fn for_rows(
        &self,
        X: &Matrix,
        inverse: &Matrix,
        interval: impl Fn((f64, f64), &[f64]) -> (f64, f64),
    ) -> Vec<(f64, f64)> {
        let network = &self.network;
        let Z = network.transform.applied(X);
        let values = network.kernel.between(&Z, &network.centres);
        let weights = values.times(inverse);
        let prior = network.kernel.diagonal(&Z);
        let of_row = |i: usize| {
            let (k, w) = (values.row(i), weights.row(i));
            let f = network.target_mean + dot(k, &network.alpha);
            interval((f, (prior[i] + network.noise - dot(k, w)).max(network.noise)), w)
        };
        (0..X.rows()).map(of_row).collect()
    }
}

/// The number of this rank, counted from 1, among the smallest; infinite beyond the last.
pub(crate) fn smallest(numbers: &mut [f64], rank: usize) -> f64 {
    if rank > numbers.len() {
        return f64::INFINITY;
    }
    *numbers.select_nth_unstable_by(rank.max(1) - 1, f64::total_cmp).1
}

/// The least number up to which there is this mass, numbers with their masses; infinite where there is less of it.
pub(crate) fn weighted_smallest(numbers: &mut [(f64, f64)], mass: f64) -> f64 {
    /// So that rounding does not push it over what sums to the mass exactly.
    const ROUNDING: f64 = 1e-11;
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (wanted, mut sum) = (mass - ROUNDING * mass, 0.0);
    for (number, own) in numbers {
        sum += *own;
        if sum >= wanted {
            return *number;
        }
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::solve_positive_definite;
    use crate::random::Purpose;

    /// The prediction and the deviation of the network of these rows, by plain algebra.
    fn of_rows(network: &WideNetwork, data: &Data, rest: &[usize], Z: &Matrix) -> Vec<(f64, f64)> {
        let centres = network.centres.select_rows(rest);
        let mut A = network.kernel.matrix(&centres);
        (0..rest.len()).for_each(|i| A[(i, i)] += network.noise);
        let y: Vec<f64> = rest.iter().map(|&i| data.y[i] - network.target_mean).collect();
        let alpha = solve_positive_definite(&A, &y).unwrap();
        let at = |i: usize| {
            let z = Z.select_rows(&[i]);
            let k = network.kernel.between(&z, &centres);
            let explained = dot(k.row(0), &solve_positive_definite(&A, k.row(0)).unwrap());
            let variance = network.kernel.diagonal(&z)[0] + network.noise - explained;
            (network.target_mean + dot(k.row(0), &alpha), variance.sqrt())
        };
        (0..Z.rows()).map(at).collect()
    }

    #[test]
    fn ends_are_those_of_networks_without_the_group() {
        let mut stream = Stream::new(5, Purpose::Probe, 11);
        let X = Matrix::from_fn(60, 2, |_, _| stream.normal());
        let y = (0..60).map(|i| 3.0 + X[(i, 0)] * X[(i, 1)] + 0.2 * stream.normal()).collect();
        // Groups of 2 to 6 rows.
        let groups: Vec<usize> = (0..60).map(|i| (i * i) % 19).collect();
        let data = Data::builder(X, y).dependence(Some(Dependence::Groups(groups.clone()))).build().unwrap();
        let jackknife = Jackknife::fitted(&data, 0, Watch::silent()).unwrap();
        let network = &jackknife.network;
        assert!(jackknife.is_sound() && network.alpha.len() == 60);
        let new = Matrix::from_rows(&[[0.4, -0.8]]);
        let (level, count) = (0.6, jackknife.count());
        let (mut lower, mut upper) = (vec![], vec![]);
        for rows in rows_by_number(jackknife.groups.as_ref().unwrap()) {
            let left: Vec<usize> = rows.iter().map(|&at| jackknife.scored[at]).collect();
            assert!((0..60).all(|i| left.contains(&i) == (groups[i] == groups[left[0]])));
            let rest: Vec<usize> = (0..60).filter(|i| !left.contains(i)).collect();
            let own = of_rows(network, &data, &rest, &network.centres.select_rows(&left));
            let (f, deviation) = of_rows(network, &data, &rest, &network.transform.applied(&new))[0];
            for (i, (left_f, left_deviation)) in left.iter().zip(own) {
                let q = (left_f - data.y[*i]).abs() * deviation / left_deviation;
                upper.push((f + q, 1.0 / left.len() as f64));
                lower.push((q - f, 1.0 / left.len() as f64));
            }
        }
        let mass = level * (count + 1) as f64;
        let (low, high) = jackknife.group_intervals(&new, level)[0];
        assert!((low + weighted_smallest(&mut lower, mass)).abs() < 1e-8);
        assert!((high - weighted_smallest(&mut upper, mass)).abs() < 1e-8);
        assert_eq!(jackknife.group_intervals(&new, 0.99)[0], (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn masses_that_sum_exactly_are_enough() {
        let thirds = |count: usize| (0..count).map(|i| (i as f64, 1.0 / 3.0)).collect::<Vec<(f64, f64)>>();
        assert_eq!(weighted_smallest(&mut thirds(9), 2.0), 5.0);
        assert_eq!(weighted_smallest(&mut thirds(9), 2.1), 6.0);
        assert_eq!(weighted_smallest(&mut thirds(9), 3.1), f64::INFINITY);
    }

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
