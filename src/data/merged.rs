//! Repeated samples as weights.
//!
//! A row that is there m times, target and all, is a row of weight m: [`Data::merged`] makes no difference between the two.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher};

use rayon::prelude::*;

use super::Data;

impl Data {
    /// Each sample once, with the weight that its repeats have together; samples of weight 0 are left out. `None` where
    /// there are neither repeats nor weights. Samples of two groups or times are no repeats of each other.
    ///
    /// Whether a sample is repeated or has a weight, and where it stands among the others, makes no difference to the
    /// result: samples of different weights are sorted by what is in them. Where all weights come out equal, the order is
    /// that of the first occurrences, and there are no weights: the samples are those that were repeated.
    pub fn merged(&self) -> Option<Data> {
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let number = |i: usize| self.dependence.as_ref().map(|dependence| dependence.numbers()[i] as f64);
        let content = |i: usize| self.X.row(i).iter().chain([&self.y[i]]).map(|x| 0.0 + x).chain(number(i));
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
