//! Two networks that agree on every row and differ elsewhere: what it means that rows do not determine a network.
//!
//! Both are evaluated without rounding, as sums of v w_a w_b x_a x_b: agreement means equality.

use serde::{Deserialize, Serialize};

use super::unsuitable;
use crate::activation::Activation;
use crate::arithmetic::ExactSum;
use crate::error::{Error, Result};
use crate::landscape::planted::affine_terms;
use crate::landscape::point::check_kind;
use crate::matrix::Matrix;
use crate::network::Network;
use crate::rows::Rows;

/// A pair of networks, and a point where they differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rival {
    /// One network.
    pub first: WrittenNetwork,
    /// The same values on every row, and another function.
    pub second: WrittenNetwork,
    /// Where they differ.
    pub point: Vec<f64>,
}

/// A network as a certificate has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenNetwork {
    /// The name of φ.
    pub activation: String,
    /// Hidden weights, a list of rows.
    pub W: Vec<Vec<f64>>,
    /// Hidden biases.
    #[serde(deserialize_with = "Option::deserialize")]
    pub u: Option<Vec<f64>>,
    /// Output weights.
    pub v: Vec<f64>,
    /// The intercept.
    #[serde(deserialize_with = "Option::deserialize")]
    pub c: Option<f64>,
    /// The linear part.
    #[serde(deserialize_with = "Option::deserialize")]
    pub b: Option<Vec<f64>>,
}

impl WrittenNetwork {
    /// The network, with d inputs.
    pub fn network(&self, d: usize) -> Result<Network> {
        let Ok(activation) = self.activation.parse::<Activation>() else {
            return unsuitable("the activation", "the name of one", &self.activation);
        };
        let found = self.W.iter().map(Vec::len).find(|found| *found != d).unwrap_or(d);
        let shape = Error::Shape { what: "inputs of the network", expected: d, found };
        let W = Matrix::from_rows(&self.W, d).ok_or(shape)?;
        let WrittenNetwork { u: bias, v, c: intercept, b: linear, .. } = self.clone();
        let network = Network { activation, W, v, bias, intercept, linear };
        network.check().map(|()| network)
    }
}

/// True only if the two networks agree on every row that counts and differ at the point.
pub(crate) fn is_rival(rows: Rows<'_>, affine: bool, rival: &Rival) -> Result<bool> {
    let d = rows.d();
    let [first, second] = [rival.first.network(d)?, rival.second.network(d)?];
    for network in [&first, &second] {
        check_kind(network, d)?;
        if !affine && affine_terms(network) > 0 {
            return unsuitable("the affine part of a rival", "zero", "given");
        }
    }
    if rival.point.len() != d {
        return Err(Error::Shape { what: "entries of the point", expected: d, found: rival.point.len() });
    }
    let agree = rows.counted().iter().all(|&i| difference(&first, &second, rows.row(i)).is_zero());
    Ok(agree && difference(&first, &second, &rival.point).is_not_zero())
}

/// second − first at x.
fn difference(first: &Network, second: &Network, x: &[f64]) -> ExactSum {
    let mut sum = ExactSum::default();
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
    sum
}
