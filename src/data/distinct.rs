//! Distinct rows, for theorems that speak about them.
//!
//! No function tells equal rows apart. With m_g equal rows of mean target ȳ_g in group g,
//!
//! ```text
//! Σ_i (f(x_i) − y_i)² = Σ_g m_g (f(x_g) − ȳ_g)² + Σ_g Σ_{i∈g} (y_i − ȳ_g)²,
//! ```
//!
//! and the last sum does not depend on f: no fit removes it. The first is the loss on distinct rows with
//! weights m_g, and has the same gradients. An even f does not tell x from −x either, and an odd one has
//! f(−x) = −f(x): there opposite rows are equal rows once the sign of one of them is turned.
//!
//! Weights add up in the same way: m_g is the sum of the weights of a group, and ȳ_g the mean with these weights. Rows of
//! weight 0 are left out.

use std::collections::HashMap;

use super::Data;
use crate::activation::Symmetry;
use crate::linalg::Matrix;

/// The distinct rows of some samples, and what was merged.
///
/// ```
/// use shallows::activation::Symmetry;
/// use shallows::data::Data;
///
/// let data = Data::from_rows(&[[1.0], [2.0], [1.0]], &[3.0, 0.0, 5.0])?;
/// let distinct = data.distinct(Symmetry::None);
/// assert_eq!((distinct.data.y, distinct.data.weights), (vec![4.0, 0.0], Some(vec![2.0, 1.0])));
/// assert_eq!(distinct.conflicts, [(0, 2)]);
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distinct {
    /// The first row of each group, in order, with the mean target; weighted where the samples are, or where a group is
    /// larger than 1.
    pub data: Data,
    /// The number of the first row of each group.
    pub firsts: Vec<usize>,
    /// The groups of more than one row, as numbers of rows.
    pub repeated: Vec<Vec<usize>>,
    /// Two equal rows (up to the symmetry) of different targets, for every group that has such.
    pub conflicts: Vec<(usize, usize)>,
    /// Σ_g Σ_{i∈g} w_i (y_i − ȳ_g)²
    pub within: f64,
}

impl Data {
    /// The distinct rows of positive weight, each with the weight of its group.
    pub fn distinct(&self, symmetry: Symmetry) -> Distinct {
        let signs: Vec<f64> = (0..self.n()).map(|i| kept_sign(self.X.row(i), symmetry)).collect();
        let groups = self.groups(&signs);
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |weights| weights[i]);
        let label = |i: usize| if symmetry == Symmetry::Odd { signs[i] * self.y[i] } else { self.y[i] };
        let labels: Vec<f64> = groups.iter().map(|group| mean(group, label, weight)).collect();
        let squares = |(group, mean): (&Vec<usize>, &f64)| {
            group.iter().map(|&i| weight(i) * (label(i) - mean).powi(2)).sum::<f64>()
        };
        let within = groups.iter().zip(&labels).map(squares).sum();
        let other = |group: &Vec<usize>| group.iter().find(|&&i| label(i) != label(group[0])).map(|&i| (group[0], i));
        let conflicts = groups.iter().filter_map(other).collect();
        let X = Matrix::from_fn(groups.len(), self.d(), |g, j| signs[groups[g][0]] * self.X[(groups[g][0], j)]);
        let weights = (self.weights.is_some() || groups.len() < self.n())
            .then(|| groups.iter().map(|group| group.iter().map(|&i| weight(i)).sum()).collect());
        Distinct {
            data: Data {
                X,
                y: labels,
                names: self.names.clone(),
                target: self.target.clone(),
                weights,
                columns: self.columns.clone(),
                dependence: None,
            },
            firsts: groups.iter().map(|group| group[0]).collect(),
            repeated: groups.into_iter().filter(|group| group.len() > 1).collect(),
            conflicts,
            within,
        }
    }

    /// The numbers of the rows of positive weight that are copies of each other, target and all, in the order of the first ones.
    pub(crate) fn copies(&self) -> Vec<Vec<usize>> {
        self.equal_rows(|i| self.X.row(i).iter().copied().chain([self.y[i]]).collect())
    }

    /// The numbers of equal rows of positive weight, once each row is multiplied by its sign.
    fn groups(&self, signs: &[f64]) -> Vec<Vec<usize>> {
        self.equal_rows(|i| self.X.row(i).iter().map(|x| signs[i] * x).collect())
    }

    /// The numbers of rows of positive weight with the same numbers.
    fn equal_rows(&self, numbers: impl Fn(usize) -> Vec<f64>) -> Vec<Vec<usize>> {
        let (mut groups, mut place): (Vec<Vec<usize>>, HashMap<Vec<u64>, usize>) = (vec![], HashMap::new());
        let counts = |i: &usize| self.weights.as_ref().is_none_or(|weights| weights[*i] > 0.0);
        for i in (0..self.n()).filter(counts) {
            // 0.0 + x turns −0 into 0, which is the same number.
            let key = numbers(i).into_iter().map(|x| (0.0 + x).to_bits()).collect();
            let at = *place.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(vec![]);
            }
            groups[at].push(i);
        }
        groups
    }
}

/// −1 where a symmetric activation makes x and −x one row and −x is the one to keep.
fn kept_sign(x: &[f64], symmetry: Symmetry) -> f64 {
    let negative = x.iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
    if symmetry != Symmetry::None && negative { -1.0 } else { 1.0 }
}

/// The weighted mean label; exactly the common one where all are equal.
fn mean(group: &[usize], label: impl Fn(usize) -> f64, weight: impl Fn(usize) -> f64) -> f64 {
    let first = label(group[0]);
    if group.iter().all(|&i| label(i) == first) {
        return first;
    }
    let total: f64 = group.iter().map(|&i| weight(i)).sum();
    group.iter().map(|&i| weight(i) * label(i)).sum::<f64>() / total
}
