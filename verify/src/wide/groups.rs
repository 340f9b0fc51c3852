//! Rows that a wide network cannot tell apart.
//!
//! Rows of positive weight with equal z are a group: its weight is W_g = Σw_i, and d_g = Σw_i(y_i − a)/W_g the mean of what is to be fitted on top
//! of the offset.

use std::collections::HashMap;

use super::network::WideNetwork;
use crate::arithmetic::{CompensatedSum, Enclosure, two_sum};
use crate::error::Result;
use crate::matrix::Matrix;
use crate::rows::ProofRows;

/// The groups, in the order of their first rows.
pub struct RowGroups {
    /// The group of every row.
    pub of_row: Vec<usize>,
    /// z_g
    pub z: Matrix,
    /// ω_g = W_g/Σw
    pub weights: Vec<Enclosure>,
    /// d_g
    pub means: Vec<Enclosure>,
}

impl RowGroups {
    /// Of the rows that count.
    pub fn new(network: &WideNetwork, rows: &ProofRows<'_>) -> Result<RowGroups> {
        let mut places = HashMap::<Vec<u64>, usize>::new();
        let (mut of_row, mut z) = (vec![], vec![]);
        for i in 0..rows.n() {
            let inputs = network.inputs(rows.raw(i))?;
            let next = places.len();
            let group = *places.entry(inputs.iter().map(|z| z.to_bits()).collect()).or_insert(next);
            if group == next {
                z.extend(inputs);
            }
            of_row.push(group);
        }
        let mut sums = vec![[CompensatedSum::default(); 2]; places.len()];
        for (i, group) in of_row.iter().enumerate() {
            let [weight, label] = &mut sums[*group];
            weight.add(rows.w[i]);
            label.add_wide_product(two_sum(rows.y[i], -network.offset), rows.w[i]);
        }
        let enclosed = |sum: &CompensatedSum| Enclosure { low: sum.down(), high: sum.up() };
        let weights = sums.iter().map(|[weight, _]| enclosed(weight) / rows.total).collect();
        let means = sums.iter().map(|[weight, label]| enclosed(label) / enclosed(weight)).collect();
        let z = Matrix::from_vec(places.len(), network.kept.len(), z).unwrap_or_default();
        Ok(RowGroups { of_row, z, weights, means })
    }
}
