//! Two networks that agree on every row and differ elsewhere: what it means that rows do not determine a network.
//!
//! Both are evaluated without rounding, as sums of v w_a w_b x_a x_b: agreement means equality.

use serde::{Deserialize, Serialize};

use super::{dimension, unsuitable};
use crate::arithmetic::ExactSum;
use crate::error::{Error, Result};
use crate::landscape::planted::affine_terms;
use crate::network::{Network, StoredNetwork};
use crate::relation::{is_bearable, is_zero_in_every_row};
use crate::rows::ProofRows;

/// A pair of networks, and a point where they differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rival {
    /// One network.
    pub first: StoredNetwork,
    /// The same values on every row, and another function.
    pub second: StoredNetwork,
    /// Where they differ.
    pub point: Vec<f64>,
}

/// True only if the two networks agree on every row that counts and differ at the point.
pub(crate) fn is_rival(rows: &ProofRows<'_>, affine: bool, rival: &Rival) -> Result<bool> {
    let d = rows.d();
    let [first, second] = [rival.first.network(Some(d))?, rival.second.network(Some(d))?];
    for network in [&first, &second] {
        network.check_kind(d)?;
        if !affine && affine_terms(network) > 0 {
            return unsuitable("the affine part of a rival", "zero", "given");
        }
    }
    if rival.point.len() != d {
        return Err(Error::Shape { what: "entries of the point", expected: d, found: rival.point.len() });
    }
    let products = (first.width() + second.width() + 1) * dimension(d, true);
    if !is_bearable(rows, products, 5) {
        return Ok(false);
    }
    let mut elsewhere = ExactSum::default();
    add_difference(&first, &second, &rival.point, &mut elsewhere);
    Ok(elsewhere.is_not_zero() && is_zero_in_every_row(rows, &|x, sum| add_difference(&first, &second, x, sum)))
}

/// Add second − first at x.
fn add_difference(first: &Network, second: &Network, x: &[f64], sum: &mut ExactSum) {
    for (sign, network) in [(-1.0, first), (1.0, second)] {
        network.intercept.iter().for_each(|c| sum.add_product(&[sign * c]));
        network.linear.iter().flatten().zip(x).for_each(|(b, x)| sum.add_product(&[sign * b, *x]));
        for (l, v) in network.v.iter().enumerate() {
            let w = network.W.row(l);
            for a in 0..x.len() {
                sum.add_product(&[sign * v, w[a], w[a], x[a], x[a]]);
                (0..a).for_each(|b| sum.add_product(&[2.0 * sign * v, w[a], w[b], x[a], x[b]]));
            }
        }
    }
}
