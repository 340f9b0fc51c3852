//! Samples grouped by equal inputs.
//!
//! No function tells equal rows apart. A group g of samples with weights w_i enters through its mean target ȳ, its weight
//! w = Σw_i and S = Σw_i(y_i − ȳ)²: with noise of variance ν/w_i,
//!
//! ```text
//! Π_i N(y_i; f, ν/w_i) ∝ N(ȳ; f, ν/w) · ν^{−(m−1)/2} exp(−S/2ν),
//! ```
//!
//! m the number of samples in the group, up to the factor √(Π_i w_i/w)·(2π)^{−(m−1)/2}. A row that repeats another, target and all, is the same sample with more
//! weight: it says nothing new about the noise, and whether rows are repeated or weighted makes no difference. Rows of equal
//! inputs and other targets, or of another group or time, are samples of their own: a new row may have these inputs, too.

use std::collections::HashMap;

use super::left_out::SampleParts;
use crate::activation::Symmetry;
use crate::data::dependence::time_blocks;
use crate::data::{Data, Dependence};
use crate::linalg::Matrix;

/// The groups of some samples; weights have mean 1 over the samples.
pub(super) struct RowGroups {
    pub(super) X: Matrix,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// S of every group.
    pub(super) within: Vec<f64>,
    pub(super) samples: Vec<GroupSample>,
    /// The sample of every row; `None` for rows of weight 0.
    pub(super) sample_of: Vec<Option<usize>>,
    /// Which samples are left out together; `None` where each is left out by itself.
    pub(super) parts: Option<SampleParts>,
}

/// Blocks of time.
const TIME_BLOCKS: usize = 6;

/// A row with its copies.
#[derive(Clone, Copy)]
pub(super) struct GroupSample {
    pub(super) group: usize,
    pub(super) y: f64,
    pub(super) weight: f64,
}

impl RowGroups {
    pub(super) fn new(data: &Data) -> Self {
        let distinct = data.distinct(Symmetry::None);
        let (count, weight) = (distinct.firsts.len(), |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]));
        let mut group_of = vec![None; data.n()];
        distinct.firsts.iter().enumerate().for_each(|(g, first)| group_of[*first] = Some(g));
        let mut within = vec![0.0; count];
        for rows in &distinct.repeated {
            let Some(g) = group_of[rows[0]] else { continue };
            rows.iter().for_each(|&i| group_of[i] = Some(g));
            within[g] = rows.iter().map(|&i| weight(i) * (data.y[i] - distinct.data.y[g]).powi(2)).sum();
        }
        let mut samples: Vec<GroupSample> = vec![];
        let mut place: HashMap<(usize, u64, usize), usize> = HashMap::new();
        let dependence = data.dependence.as_ref().filter(|dependence| dependence.count() > 1);
        let mut numbers: Vec<usize> = vec![];
        let sample_of = (0..data.n()).map(|i| {
            let (group, y) = (group_of[i]?, data.y[i]);
            // 0.0 + y turns −0 into 0, which is the same number.
            let number = dependence.map_or(0, |dependence| dependence.numbers()[i]);
            let at = *place.entry((group, (0.0 + y).to_bits(), number)).or_insert(samples.len());
            if at == samples.len() {
                numbers.push(number);
                samples.push(GroupSample { group, y, weight: 0.0 });
            }
            samples[at].weight += weight(i);
            Some(at)
        });
        let sample_of = sample_of.collect();
        let parts = dependence.map(|dependence| match dependence {
            Dependence::Groups(_) => SampleParts::Groups(numbers),
            Dependence::Times(_) => SampleParts::Blocks(time_blocks(&numbers, |_| true, TIME_BLOCKS)),
        });
        let Data { X, y, weights, .. } = distinct.data;
        let mut weights = weights.unwrap_or_else(|| vec![1.0; count]);
        let mean = weights.iter().sum::<f64>() / samples.len() as f64;
        weights.iter_mut().chain(&mut within).for_each(|w| *w /= mean);
        samples.iter_mut().for_each(|sample| sample.weight /= mean);
        RowGroups { X, y, weights, within, samples, sample_of, parts }
    }

    pub(super) fn len(&self) -> usize {
        self.y.len()
    }

    /// n, the number of samples: Σw.
    pub(super) fn count(&self) -> f64 {
        self.samples.len() as f64
    }

    /// Some of the groups, which then belong to no rows.
    pub(super) fn select(&self, groups: &[usize]) -> RowGroups {
        let of = |values: &[f64]| groups.iter().map(|&g| values[g]).collect::<Vec<f64>>();
        let place: HashMap<usize, usize> = groups.iter().enumerate().map(|(at, &g)| (g, at)).collect();
        let kept: Vec<usize> =
            (0..self.samples.len()).filter(|&at| place.contains_key(&self.samples[at].group)).collect();
        let of_group = |sample: &GroupSample| Some(GroupSample { group: *place.get(&sample.group)?, ..*sample });
        RowGroups {
            X: self.X.select_rows(groups),
            y: of(&self.y),
            weights: of(&self.weights),
            within: of(&self.within),
            samples: self.samples.iter().filter_map(of_group).collect(),
            sample_of: vec![],
            parts: self.parts.as_ref().map(|parts| parts.select(&kept)),
        }
    }

    /// Some of the samples, which then belong to no rows and are left out by themselves.
    pub(super) fn of_samples(&self, kept: &[usize]) -> RowGroups {
        let mut groups: Vec<usize> = kept.iter().map(|&at| self.samples[at].group).collect();
        groups.sort_unstable();
        groups.dedup();
        let place: HashMap<usize, usize> = groups.iter().enumerate().map(|(at, &g)| (g, at)).collect();
        let samples: Vec<GroupSample> =
            kept.iter().map(|&at| GroupSample { group: place[&self.samples[at].group], ..self.samples[at] }).collect();
        let count = groups.len();
        let (mut weights, mut y, mut within) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        samples.iter().for_each(|sample| weights[sample.group] += sample.weight);
        samples.iter().for_each(|sample| y[sample.group] += sample.weight / weights[sample.group] * sample.y);
        samples.iter().for_each(|sample| within[sample.group] += sample.weight * (sample.y - y[sample.group]).powi(2));
        RowGroups { X: self.X.select_rows(&groups), y, weights, within, samples, sample_of: vec![], parts: None }
    }

    /// w_i/w of a sample in its group; exactly 1 where it is alone.
    pub(super) fn share(&self, sample: &GroupSample) -> f64 {
        (sample.weight / self.weights[sample.group]).min(1.0)
    }

    /// The variance of the noise of each mean target.
    pub(super) fn noise(&self, noise: f64) -> Vec<f64> {
        self.weights.iter().map(|weight| noise / weight).collect()
    }
}
