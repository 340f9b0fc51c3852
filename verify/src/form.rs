//! What is done to rows after the recipe: FORMAT.md §3, `form`.
//!
//! Theorems about descent speak about networks without biases and about rows no two of which are equal, so a writer may bring the
//! rows of a table into such a form. Every operation is one of doubles, rounded to nearest, in the order that is written here, so
//! that every checker gets the same bits.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// First the scaling, then the merging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowForm {
    /// What is done to a row; nothing when `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub scaled: Option<Scaled>,
    /// Whether equal rows become one; not when `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub merged: Option<Merged>,
}

/// What is done to a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Scaled {
    /// x/‖x‖: with m = max|x_j| and s = Σ(x_j/m)², from the first to the last, (x_j/m)/√s; a row of zeros stays.
    Unit,
    /// (x_j − centre_j)/scale_j·factor, and `factor` as one more input; y becomes (y − target_centre)/target_scale.
    Standardised {
        /// One for each input of the recipe.
        centre: Vec<f64>,
        /// One for each input of the recipe; where it is `None` the input becomes 0.
        scale: Vec<Option<f64>>,
        /// For all inputs.
        factor: f64,
        /// Of y.
        target_centre: f64,
        /// Of y.
        target_scale: f64,
    },
}

/// What the network does with −x where that counts as x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Merged {
    /// Only equal rows are one.
    Equal,
    /// −x is x: f is even.
    Even,
    /// −x with −y is x with y: f is odd.
    Odd,
}

/// Rows with everything that belongs to them.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedRows {
    /// Row after row.
    pub X: Vec<f64>,
    /// Inputs of a row.
    pub d: usize,
    /// Labels.
    pub y: Vec<f64>,
    /// Weights, if there are any.
    pub weights: Option<Vec<f64>>,
}

impl RowForm {
    /// For rows of d inputs.
    pub fn check(&self, d: usize) -> Result<()> {
        let Some(Scaled::Standardised { centre, scale, factor, target_centre, target_scale }) = &self.scaled else {
            return Ok(());
        };
        let lengths = centre.len() == d && scale.len() == d;
        let finite = centre.iter().chain([factor, target_centre]).all(|x| x.is_finite());
        let positive = scale.iter().flatten().chain([target_scale]).all(|x| *x > 0.0 && x.is_finite());
        if lengths && finite && positive && *factor != 0.0 {
            return Ok(());
        }
        let problem = "one finite centre and one positive scale for each input, and a factor that is not 0, are needed";
        Err(Error::Certificate { place: "rows.form".into(), problem: problem.into() })
    }

    /// Inputs besides those of the recipe.
    pub fn added(&self) -> usize {
        usize::from(matches!(self.scaled, Some(Scaled::Standardised { .. })))
    }

    /// The rows in this form.
    pub fn apply(&self, rows: OwnedRows) -> Result<OwnedRows> {
        self.check(rows.d)?;
        let rows = match &self.scaled {
            Some(scaled) => scaled.apply(rows),
            None => rows,
        };
        Ok(self.merged.map_or(rows.clone(), |merged| merged.apply(&rows)))
    }

    /// What was done, to follow "rows".
    pub fn words(&self) -> String {
        let scaled = match &self.scaled {
            Some(Scaled::Unit) => Some("divided by their norms"),
            Some(Scaled::Standardised { .. }) => Some("standardised and given a constant input"),
            None => None,
        };
        let merged = match self.merged {
            Some(Merged::Equal) => Some("equal ones merged"),
            Some(Merged::Even | Merged::Odd) => Some("equal and opposite ones merged"),
            None => None,
        };
        scaled.into_iter().chain(merged).collect::<Vec<_>>().join(", ")
    }
}

impl Scaled {
    fn apply(&self, rows: OwnedRows) -> OwnedRows {
        let OwnedRows { mut X, d, mut y, weights } = rows;
        match self {
            Scaled::Unit => X.chunks_exact_mut(d.max(1)).for_each(to_unit),
            Scaled::Standardised { centre, scale, factor, target_centre, target_scale } => {
                let entry = |(j, x): (usize, &f64)| scale[j].map_or(0.0, |scale| (x - centre[j]) / scale * factor);
                let row = |x: &[f64]| x.iter().enumerate().map(entry).chain([*factor]).collect::<Vec<f64>>();
                let in_form = (0..y.len()).flat_map(|i| row(&X[i * d..(i + 1) * d])).collect();
                y.iter_mut().for_each(|y| *y = (*y - target_centre) / target_scale);
                return OwnedRows { X: in_form, d: d + 1, y, weights };
            }
        }
        OwnedRows { X, d, y, weights }
    }
}

/// Divide a row by its norm, as [`Scaled::Unit`] says.
pub fn to_unit(x: &mut [f64]) {
    let most = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most == 0.0 {
        return;
    }
    let root = x.iter().fold(0.0, |sum, x| sum + (x / most) * (x / most)).sqrt();
    x.iter_mut().for_each(|x| *x = *x / most / root);
}

impl Merged {
    /// The first row of each group in order, with the mean label and the sum of the weights; rows of weight 0 are left out.
    fn apply(self, rows: &OwnedRows) -> OwnedRows {
        let OwnedRows { X, d, y, weights } = rows;
        let row = |i: usize| &X[i * d..(i + 1) * d];
        let negative = |i: usize| row(i).iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
        let sign = |i: usize| if self != Merged::Equal && negative(i) { -1.0 } else { 1.0 };
        let weight = |i: usize| weights.as_ref().map_or(1.0, |weights| weights[i]);
        let label = |i: usize| if self == Merged::Odd { sign(i) * y[i] } else { y[i] };
        let (mut groups, mut place): (Vec<Vec<usize>>, HashMap<Vec<u64>, usize>) = (vec![], HashMap::new());
        for i in (0..y.len()).filter(|&i| weight(i) > 0.0) {
            let key = row(i).iter().map(|x| (0.0 + sign(i) * x).to_bits()).collect();
            let at = *place.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(vec![]);
            }
            groups[at].push(i);
        }
        let total = |group: &Vec<usize>| group.iter().fold(0.0, |sum, &i| sum + weight(i));
        let mean = |group: &Vec<usize>| {
            let first = label(group[0]);
            let same = group.iter().all(|&i| label(i) == first);
            if same { first } else { group.iter().fold(0.0, |sum, &i| sum + weight(i) * label(i)) / total(group) }
        };
        OwnedRows {
            X: groups.iter().flat_map(|group| row(group[0]).iter().map(|x| sign(group[0]) * x)).collect(),
            d: *d,
            y: groups.iter().map(mean).collect(),
            weights: (weights.is_some() || groups.len() < y.len()).then(|| groups.iter().map(total).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> OwnedRows {
        OwnedRows {
            X: vec![3.0, 4.0, 0.0, 0.0, -3.0, -4.0, 6.0, 8.0],
            d: 2,
            y: vec![1.0, 2.0, 4.0, 8.0],
            weights: None,
        }
    }

    #[test]
    fn unit_rows_are_divided_by_their_norms_and_opposite_ones_are_merged_where_f_is_odd() {
        let form = RowForm { scaled: Some(Scaled::Unit), merged: Some(Merged::Odd) };
        let found = form.apply(rows()).unwrap();
        assert_eq!(found.X, [0.6, 0.8, 0.0, 0.0]);
        assert_eq!((found.y, found.weights), (vec![(1.0 - 4.0 + 8.0) / 3.0, 2.0], Some(vec![3.0, 1.0])));
    }

    #[test]
    fn standardised_rows_have_one_more_input_and_columns_without_a_scale_become_zero() {
        let scaled = |centre: Vec<f64>| Scaled::Standardised {
            centre,
            scale: vec![Some(3.0), None],
            factor: 2.0,
            target_centre: 1.0,
            target_scale: 0.5,
        };
        let form = RowForm { scaled: Some(scaled(vec![3.0, 4.0])), merged: None };
        let found = form.apply(rows()).unwrap();
        assert_eq!(found.X, [0.0, 0.0, 2.0, -2.0, 0.0, 2.0, -4.0, 0.0, 2.0, 2.0, 0.0, 2.0]);
        assert_eq!((found.d, found.y), (3, vec![0.0, 2.0, 6.0, 14.0]));
        assert!(RowForm { scaled: Some(scaled(vec![3.0])), merged: None }.apply(rows()).is_err());
    }
}
