//! Rows that occur more than once.
//!
//! No function tells equal rows apart. With m_g equal rows of mean target ȳ_g in group g,
//!
//! ```text
//! Σ_i (f(x_i) − y_i)² = Σ_g m_g (f(x_g) − ȳ_g)² + Σ_g Σ_{i∈g} (y_i − ȳ_g)²,
//! ```
//!
//! and the last sum does not depend on f: it is what no training removes. The first is the loss on distinct rows with
//! weights m_g, and has the same gradients. An even f does not tell x from −x either, and an odd one has
//! f(−x) = −f(x): there opposite rows are equal rows once the sign of one of them is turned.
//!
//! A row that is there m times, target and all, is a row of weight m: [`Data::merged`] makes no difference between the two.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use rayon::prelude::*;

use super::Data;
use crate::activation::Symmetry;
use crate::linalg::Matrix;

/// The distinct rows of some samples, and what was merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Distinct {
    /// The first row of each group, in order, with the mean target; weighted by the size of the group where one is
    /// larger than 1.
    pub data: Data,
    /// The number of the first row of each group.
    pub firsts: Vec<usize>,
    /// The groups of more than one row, as numbers of rows.
    pub repeated: Vec<Vec<usize>>,
    /// Two equal rows (up to the symmetry) of different targets, for every group that has such.
    pub conflicts: Vec<(usize, usize)>,
    /// Σ_g Σ_{i∈g} (y_i − ȳ_g)²
    pub within: f64,
}

impl Data {
    /// The distinct rows. Weights that the samples already have are not supported and count as equal.
    pub fn distinct(&self, symmetry: Symmetry) -> Distinct {
        let (mut groups, mut place): (Vec<Vec<usize>>, HashMap<Vec<u64>, usize>) = (vec![], HashMap::new());
        let turned: Vec<f64> = (0..self.n()).map(|i| turn(self.X.row(i), symmetry)).collect();
        for i in 0..self.n() {
            // 0.0 + x turns −0 into 0, which is the same number.
            let key = self.X.row(i).iter().map(|x| (0.0 + turned[i] * x).to_bits()).collect();
            let at = *place.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(vec![]);
            }
            groups[at].push(i);
        }
        let label = |i: usize| if symmetry == Symmetry::Odd { turned[i] * self.y[i] } else { self.y[i] };
        let labels: Vec<f64> = groups.iter().map(|group| mean(group, label)).collect();
        let squares =
            |(group, mean): (&Vec<usize>, &f64)| group.iter().map(|&i| (label(i) - mean).powi(2)).sum::<f64>();
        let within = groups.iter().zip(&labels).map(squares).sum();
        let other = |group: &Vec<usize>| group.iter().find(|&&i| label(i) != label(group[0])).map(|&i| (group[0], i));
        let conflicts = groups.iter().filter_map(other).collect();
        let X = Matrix::from_fn(groups.len(), self.d(), |g, j| turned[groups[g][0]] * self.X[(groups[g][0], j)]);
        let weights = (groups.len() < self.n()).then(|| groups.iter().map(|group| group.len() as f64).collect());
        let data = Data { X, y: labels, names: self.names.clone(), target: self.target.clone(), weights };
        let firsts = groups.iter().map(|group| group[0]).collect();
        Distinct {
            data,
            firsts,
            repeated: groups.into_iter().filter(|group| group.len() > 1).collect(),
            conflicts,
            within,
        }
    }
}

impl Data {
    /// Each sample once, with the weight that its repeats have together; samples of weight 0 are left out. `None` where
    /// there are neither repeats nor weights.
    ///
    /// Whether a sample is repeated or has a weight, and where it stands among the others, makes no difference to the
    /// result: samples of different weights are sorted by what is in them. Where all weights come out equal, the order is
    /// that of the first occurrences, and there are no weights: the samples are those that were repeated.
    pub fn merged(&self) -> Option<Data> {
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let content = |i: usize| self.X.row(i).iter().chain([&self.y[i]]).map(|x| 0.0 + x);
        // Sorted by a hash, equal samples are neighbours; their contents are then compared.
        let hash = |i: usize| {
            let mut hasher = DefaultHasher::new();
            content(i).for_each(|x| hasher.write_u64(x.to_bits()));
            (hasher.finish(), i)
        };
        let mut hashed: Vec<(u64, usize)> =
            (0..self.n()).into_par_iter().filter(|&i| weight(i) > 0.0).map(hash).collect();
        hashed.par_sort_unstable();
        if self.weights.is_none() && hashed.windows(2).all(|pair| pair[0].0 != pair[1].0) {
            return None;
        }
        let mut groups: Vec<(usize, f64)> = Vec::with_capacity(hashed.len());
        for neighbours in hashed.chunk_by(|a, b| a.0 == b.0) {
            let start = groups.len();
            for &(_, i) in neighbours {
                match groups[start..].iter_mut().find(|(first, _)| content(*first).eq(content(i))) {
                    Some((_, sum)) => *sum += weight(i),
                    None => groups.push((i, weight(i))),
                }
            }
        }
        drop(hashed);
        groups.sort_unstable_by_key(|(first, _)| *first);
        if groups.len() == self.n() && self.weights.is_none() {
            return None;
        }
        let equal = groups.iter().all(|(_, sum)| *sum == groups[0].1);
        if !equal {
            groups.sort_by(|(a, _), (b, _)| {
                let differing = content(*a).zip(content(*b)).map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne());
                differing.unwrap_or(Ordering::Equal)
            });
        }
        let (rows, sums): (Vec<usize>, Vec<f64>) = groups.into_iter().unzip();
        Some(Data { weights: (!equal).then_some(sums), ..self.select(&rows) })
    }
}

/// −1 where a symmetric activation makes x and −x one row and −x is the one to keep.
fn turn(x: &[f64], symmetry: Symmetry) -> f64 {
    let negative = x.iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
    if symmetry != Symmetry::None && negative { -1.0 } else { 1.0 }
}

/// The mean label; exactly the common one where all are equal.
fn mean(group: &[usize], label: impl Fn(usize) -> f64) -> f64 {
    let first = label(group[0]);
    if group.iter().all(|&i| label(i) == first) {
        return first;
    }
    group.iter().map(|&i| label(i)).sum::<f64>() / group.len() as f64
}
