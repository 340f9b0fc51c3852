//! Every level for few inputs, the lowest and the highest for many.

use super::search::{SpectrumEnd, best_first};
use super::{CriticalPoint, Landscape};
use crate::error::{Error, Result};

/// Up to this many inputs all sets are listed.
const MOST_INPUTS: usize = 20;

/// A critical level in few bytes. [`Landscape`](crate::landscape::Landscape) shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Bit i is set when i ∈ S.
    pub mask: u32,
    /// L_S
    pub level: f64,
}

/// Critical levels, from the lowest. [`Landscape`](crate::landscape::Landscape) shows its use.
#[derive(Clone, Debug)]
pub enum Levels {
    /// All there are.
    All(Vec<Level>),
    /// Some of the lowest, and some of the highest, each from its end; none is in both.
    Ends {
        /// From the lowest upwards.
        lowest: Vec<CriticalPoint>,
        /// From the highest downwards.
        highest: Vec<CriticalPoint>,
    },
}

impl Landscape {
    /// All levels for up to 20 inputs; beyond, the `most` lowest and the `most` highest, which needs M* ⪰ 0.
    pub fn levels(&self, most: usize) -> Result<Levels> {
        if self.inputs() <= MOST_INPUTS {
            return Ok(Levels::All(self.all_levels()));
        }
        if !self.is_semidefinite() {
            let requirement = "positive semidefinite when there are more than 20 inputs";
            return Err(Error::unsuitable("M*", requirement, "one with negative eigenvalues"));
        }
        let lowest = best_first(self, SpectrumEnd::Lowest, most);
        let mut highest = best_first(self, SpectrumEnd::Highest, most);
        highest.retain(|point| lowest.iter().all(|other| other.subset != point.subset));
        Ok(Levels::Ends { lowest, highest })
    }

    /// One level per set of counts of equal eigenvalues, sorted.
    ///
    /// The sums over S grow by one term from S without its last element, which keeps their error to d roundings.
    fn all_levels(&self) -> Vec<Level> {
        let s = &self.spectrum;
        let d = s.len();
        let count = 1_usize << d;
        let (mut sums, mut squares) = (vec![0.0; count], vec![0.0; count]);
        for mask in 1..count {
            let lowest = mask.trailing_zeros() as usize;
            let rest = mask & (mask - 1);
            sums[mask] = s[lowest] + sums[rest];
            squares[mask] = s[lowest] * s[lowest] + squares[rest];
        }
        let ties = (1..d).filter(|&i| s[i - 1] == s[i]).fold(0_usize, |bits, i| bits | 1 << (i - 1));
        let simple = self.is_semidefinite();
        let (positive, _) = self.signs();
        let all = count - 1;
        let mut levels = Vec::with_capacity(count);
        for mask in 0..count {
            let size = mask.count_ones() as usize;
            let outside = all & !mask;
            // Of equal eigenvalues the first come first.
            let canonical = (mask >> 1) & ties & !mask == 0;
            // For M* ⪰ 0 all s_i + t are positive, except zeros when t = 0.
            let shift = sums[outside] / (size as f64 + 2.0);
            let quick = simple && (shift > 0.0 || s[d - 1] > 0.0);
            let occurs =
                canonical && if quick { size <= positive } else { self.admits(members(mask).map(|i| s[i] + shift)) };
            if occurs {
                levels.push(Level { mask: mask as u32, level: squares[outside] + sums[outside] * shift });
            }
        }
        levels.sort_unstable_by(|a, b| a.level.total_cmp(&b.level).then(b.mask.cmp(&a.mask)));
        levels
    }

    /// The critical point behind a level.
    pub fn point_of(&self, level: &Level) -> Option<CriticalPoint> {
        self.critical_point(&members(level.mask as usize).collect::<Vec<_>>())
    }
}

/// The numbers of the bits that are set.
fn members(mask: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |i| mask >> i & 1 == 1)
}
