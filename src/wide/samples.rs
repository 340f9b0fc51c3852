//! Samples grouped by equal inputs.
//!
//! No function tells equal rows apart. A group g of rows with weights w_i enters through its mean target ȳ, its weight
//! w = Σw_i and S = Σw_i(y_i − ȳ)²: with noise of variance ν/w_i,
//!
//! ```text
//! Π_i N(y_i; f, ν/w_i) ∝ N(ȳ; f, ν/w) · ν^{−(m−1)/2} exp(−S/2ν),
//! ```
//!
//! m the number of different targets in the group. A row that repeats another, target and all, is the same row with more
//! weight: it says nothing new about the noise, and whether rows are repeated or weighted makes no difference.

use std::collections::HashMap;

use crate::activation::Symmetry;
use crate::data::Data;
use crate::linalg::Matrix;

/// The groups of some samples; weights have mean 1 over different samples.
pub(super) struct RowGroups {
    pub(super) X: Matrix,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// S of every group.
    pub(super) within: Vec<f64>,
    /// m of every group.
    pub(super) targets: Vec<usize>,
    /// The group of every row; `None` for rows of weight 0.
    pub(super) group_of: Vec<Option<usize>>,
}

impl RowGroups {
    pub(super) fn new(data: &Data) -> Self {
        let distinct = data.distinct(Symmetry::None);
        let (count, weight) = (distinct.firsts.len(), |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]));
        let place: HashMap<usize, usize> = distinct.firsts.iter().enumerate().map(|(g, first)| (*first, g)).collect();
        let (mut within, mut targets) = (vec![0.0; count], vec![1; count]);
        let mut group_of = vec![None; data.n()];
        distinct.firsts.iter().enumerate().for_each(|(g, first)| group_of[*first] = Some(g));
        for rows in &distinct.repeated {
            let g = place[&rows[0]];
            rows.iter().for_each(|&i| group_of[i] = Some(g));
            within[g] = rows.iter().map(|&i| weight(i) * (data.y[i] - distinct.data.y[g]).powi(2)).sum();
            let mut labels: Vec<u64> = rows.iter().map(|&i| (0.0 + data.y[i]).to_bits()).collect();
            labels.sort_unstable();
            labels.dedup();
            targets[g] = labels.len();
        }
        let Data { X, y, weights, .. } = distinct.data;
        let mut weights = weights.unwrap_or_else(|| vec![1.0; count]);
        let mean = weights.iter().sum::<f64>() / targets.iter().sum::<usize>() as f64;
        weights.iter_mut().chain(&mut within).for_each(|w| *w /= mean);
        RowGroups { X, y, weights, within, targets, group_of }
    }

    pub(super) fn len(&self) -> usize {
        self.y.len()
    }

    /// n, the number of different samples: Σw.
    pub(super) fn samples(&self) -> f64 {
        self.targets.iter().sum::<usize>() as f64
    }

    /// Some of the groups, which then belong to no rows.
    pub(super) fn select(&self, groups: &[usize]) -> RowGroups {
        let of = |values: &[f64]| groups.iter().map(|&g| values[g]).collect::<Vec<f64>>();
        RowGroups {
            X: self.X.select_rows(groups),
            y: of(&self.y),
            weights: of(&self.weights),
            within: of(&self.within),
            targets: groups.iter().map(|&g| self.targets[g]).collect(),
            group_of: vec![],
        }
    }

    /// The variance of the noise of each mean target.
    pub(super) fn noise(&self, noise: f64) -> Vec<f64> {
        self.weights.iter().map(|weight| noise / weight).collect()
    }
}
