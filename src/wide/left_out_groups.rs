//! Prediction intervals from groups of rows left out one at a time.
//!
//! The network is fitted to the rows of some groups that choose everything and of K others. With the block G of A⁻¹ of the rows
//! of one of these, S = ((A⁻¹)_GG)⁻¹, and otherwise the letters of `jackknife.rs`,
//!
//! ```text
//! e_G = f₋G(x_i) − y_i = −S α_G          f₋G(x) = f(x) + w_G·e_G
//! σ₋G(x_i)² = S_ii                       σ₋G(x)² = κ(x,x) + ν − k·w + w_G·S w_G
//! ```
//!
//! Row i of group k, which has n_k rows, puts the mass 1/n_k on the end f₋G(x) + |e_i| σ₋G(x)/σ₋G(x_i); the interval of level
//! 1 − α ends at the least end up to which there is the mass (1−α)(K+1), and begins at its mirror image.
//!
//! **It covers one new row of a new group with probability at least 1 − 2α** if the K groups and the new one are exchangeable, and
//! the rows within a group are. (So have it Y. Lee, R. F. Barber, R. Willett, Distribution-free inference with hierarchical data,
//! 2023, for other scores.) Proof: let row i of group k beat row j of group l ≠ k when its error without both groups, in units of
//! its deviation, is the larger one, and let W_i be the mass of the rows that row i beats. If the new row, of group K + 1, is not
//! covered, it beats the mass (1−α)(K+1). Call rows strange that beat so much; s_k ≤ 1 is their mass in group k, s that in all.
//! Among themselves strange rows of different groups win at most ½(s² − Σs_k²), masses multiplied; against others at most
//! Σs_k(K − (s − s_k)). So s(1−α)(K+1) ≤ sK − ½s² + ½Σs_k² ≤ s(K + ½ − ½s), and s ≤ 2α(K+1) − 1. The network does not depend on
//! the order of groups and rows, so the probability that the new row is strange is the mean of s/(K+1) < 2α. ∎
//!
//! Of a group at most so many rows are taken as the number of groups allows, by chance: which groups and how many rows must
//! not depend on what is in them. Nothing is said about further rows of a group of the fit.

use super::jackknife::weighted_smallest;
use super::network::WideNetwork;
use crate::linalg::{Matrix, dot, invert_positive_definite};

/// A group that is left out.
struct LeftOut {
    /// Its centres.
    rows: Vec<usize>,
    /// S
    S: Matrix,
    /// e
    errors: Vec<f64>,
}

/// The groups that are left out, ready for intervals.
pub(super) struct GroupsLeftOut(Vec<LeftOut>);

impl GroupsLeftOut {
    /// From A⁻¹ and the centres of each group; `None` where a block is not numerically definite.
    pub(super) fn of(network: &WideNetwork, inverse: &Matrix, groups: Vec<Vec<usize>>) -> Option<Self> {
        let left_out = |rows: Vec<usize>| {
            let block = Matrix::from_fn(rows.len(), rows.len(), |a, b| inverse[(rows[a], rows[b])]);
            let (S, _) = invert_positive_definite(&block)?;
            let alpha: Vec<f64> = rows.iter().map(|&i| network.alpha[i]).collect();
            let errors = S.times_vector(&alpha).into_iter().map(|e| -e).collect();
            Some(LeftOut { rows, S, errors })
        };
        groups.into_iter().map(left_out).collect::<Option<Vec<LeftOut>>>().map(GroupsLeftOut)
    }

    /// From and to at a row of prediction f, of variance κ(x,x) + ν − k·w and of weights w.
    pub(super) fn interval(&self, (f, variance): (f64, f64), w: &[f64], level: f64) -> (f64, f64) {
        let end = |sign: f64| {
            let mut ends = vec![];
            for LeftOut { rows, S, errors } in &self.0 {
                let own: Vec<f64> = rows.iter().map(|&i| w[i]).collect();
                let (shift, more) = (dot(&own, errors), dot(&own, &S.times_vector(&own)));
                let deviation = (variance + more).sqrt();
                let mass = 1.0 / rows.len() as f64;
                let reach = |at: usize| errors[at].abs() * deviation / S[(at, at)].sqrt();
                ends.extend((0..rows.len()).map(|at| (sign * (f + shift) + reach(at), mass)));
            }
            // What lies beyond the same mass on the other side is the mirror image of the upper end.
            sign * weighted_smallest(&mut ends, level * (self.0.len() + 1) as f64)
        };
        (end(-1.0), end(1.0))
    }
}
