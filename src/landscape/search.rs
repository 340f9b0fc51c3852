//! The lowest and the highest levels among 2^d sets, by best-first search, for M* ⪰ 0.
//!
//! For s ≥ 0 the level L = Σ_{i∉S} s_i² + (Σ_{i∉S} s_i)²/(|S| + 2) grows with every element that leaves S, and with every
//! exchange that leaves a larger s_i outside. So from below: among complements of one size the least is that of the
//! smallest s_i, every other is reached by steps that move one element to the next larger eigenvalue, none of which lowers
//! the level, and the least of a size is not above the least of the next. From above the same with S in the place of its
//! complement. A set is held as the number of its elements among each group of equal eigenvalues.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use super::{CriticalPoint, Landscape};

/// From which end the levels are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SpectrumEnd {
    Lowest,
    Highest,
}

/// A set that grows from the smallest eigenvalues: the complement of S from below, S from above.
struct GrowingSet {
    /// How far from its end the level is: what is to be small.
    cost: f64,
    counts: Vec<u32>,
}

impl PartialEq for GrowingSet {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for GrowingSet {}

impl PartialOrd for GrowingSet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for GrowingSet {
    /// The least cost is the greatest, as the heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.counts.cmp(&self.counts))
    }
}

/// Up to `most` critical points from one end.
pub(super) fn best_first(landscape: &Landscape, end: SpectrumEnd, most: usize) -> Vec<CriticalPoint> {
    let groups = Groups::of(landscape, end);
    let (d, positive) = (landscape.inputs(), landscape.signs().0);
    let sizes = match end {
        SpectrumEnd::Lowest => d.saturating_sub(positive)..=d,
        SpectrumEnd::Highest => 0..=d.min(positive),
    };
    let mut heap = BinaryHeap::from([groups.least(*sizes.start())]);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(GrowingSet { counts, .. }) = heap.pop() {
        if found.len() >= most {
            break;
        }
        let size: u32 = counts.iter().sum();
        if groups.is_least(&counts) && sizes.contains(&(size as usize + 1)) {
            heap.push(groups.least(size as usize + 1));
        }
        for next in groups.steps(&counts) {
            if seen.insert(next.clone()) {
                heap.push(groups.state(next));
            }
        }
        found.extend(landscape.critical_point(&groups.subset(&counts)));
    }
    found
}

/// Equal eigenvalues, the smallest first.
struct Groups {
    end: SpectrumEnd,
    values: Vec<f64>,
    sizes: Vec<u32>,
    d: usize,
}

impl Groups {
    fn of(landscape: &Landscape, end: SpectrumEnd) -> Groups {
        let groups: Vec<&[f64]> = landscape.spectrum().chunk_by(|a, b| a == b).collect();
        let values = groups.iter().rev().map(|group| group[0]).collect();
        let sizes = groups.iter().rev().map(|group| group.len() as u32).collect();
        Groups { end, values, sizes, d: landscape.inputs() }
    }

    /// The set of this size with the smallest eigenvalues.
    fn least(&self, size: usize) -> GrowingSet {
        let mut left = size as u32;
        let take = |most: &u32| {
            let taken = left.min(*most);
            left -= taken;
            taken
        };
        self.state(self.sizes.iter().map(take).collect())
    }

    fn is_least(&self, counts: &[u32]) -> bool {
        let mut partial = (0..counts.len()).skip_while(|&g| counts[g] == self.sizes[g]).skip(1);
        partial.all(|g| counts[g] == 0)
    }

    fn steps<'a>(&'a self, counts: &'a [u32]) -> impl Iterator<Item = Vec<u32>> + 'a {
        (1..counts.len()).filter(|&g| counts[g - 1] > 0 && counts[g] < self.sizes[g]).map(|g| {
            let mut next = counts.to_vec();
            next[g - 1] -= 1;
            next[g] += 1;
            next
        })
    }

    fn state(&self, counts: Vec<u32>) -> GrowingSet {
        let outside =
            |g: usize| f64::from(if self.end == SpectrumEnd::Lowest { counts[g] } else { self.sizes[g] - counts[g] });
        let (mut sum, mut squares, mut number) = (0.0, 0.0, 0.0);
        for (g, value) in self.values.iter().enumerate() {
            sum += outside(g) * value;
            squares += outside(g) * value * value;
            number += outside(g);
        }
        let level = squares + sum * sum / (self.d as f64 - number + 2.0);
        GrowingSet { cost: if self.end == SpectrumEnd::Lowest { level } else { -level }, counts }
    }

    /// S; of equal eigenvalues the first ones are inside.
    fn subset(&self, counts: &[u32]) -> Vec<usize> {
        let mut subset = Vec::new();
        let mut start = 0;
        for g in (0..counts.len()).rev() {
            let inside = if self.end == SpectrumEnd::Lowest { self.sizes[g] - counts[g] } else { counts[g] } as usize;
            subset.extend(start..start + inside);
            start += self.sizes[g] as usize;
        }
        subset
    }
}
