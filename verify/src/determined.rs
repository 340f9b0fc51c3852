//! What `determined` stands on: the products of two inputs on the rows, proofs that they are independent, and exact relations.
//!
//! xᵀMx is linear in the D products x_a x_b (with an affine part also in 1 and x_a), and M is determined if and only if
//! these are independent on the rows.

pub(crate) mod independence;
pub(crate) mod relations;
pub(crate) mod rival;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::rows::Rows;

/// Of the quadratic functions of d inputs.
pub fn dimension(d: usize, affine: bool) -> usize {
    let inputs = d + usize::from(affine);
    inputs * (inputs + 1) / 2
}

/// A function of the inputs: `[]` is 1, `[j]` is x_j, `[a, b]` with a ≤ b is x_a x_b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<usize>", into = "Vec<usize>")]
pub enum Monomial {
    /// 1
    One,
    /// x_j
    Input(usize),
    /// x_a x_b, a ≤ b
    Product(usize, usize),
}

impl Monomial {
    /// 1 and the inputs, if they are among them, and all products of two inputs.
    pub fn all(d: usize, affine: bool) -> Vec<Monomial> {
        let mut all = if affine { vec![Monomial::One] } else { vec![] };
        all.extend((0..if affine { d } else { 0 }).map(Monomial::Input));
        all.extend((0..d).flat_map(|a| (a..d).map(move |b| Monomial::Product(a, b))));
        all
    }

    /// The inputs whose product it is.
    pub fn inputs(self) -> Vec<usize> {
        match self {
            Monomial::One => vec![],
            Monomial::Input(j) => vec![j],
            Monomial::Product(a, b) => vec![a, b],
        }
    }

    /// Its value at x.
    pub fn value(self, x: &[f64]) -> f64 {
        match self {
            Monomial::One => 1.0,
            Monomial::Input(j) => x[j],
            Monomial::Product(a, b) => x[a] * x[b],
        }
    }
}

impl TryFrom<Vec<usize>> for Monomial {
    type Error = String;

    fn try_from(inputs: Vec<usize>) -> std::result::Result<Monomial, String> {
        match inputs[..] {
            [] => Ok(Monomial::One),
            [j] => Ok(Monomial::Input(j)),
            [a, b] if a <= b => Ok(Monomial::Product(a, b)),
            _ => Err(format!("{inputs:?} is no product of at most two inputs in order")),
        }
    }
}

impl From<Monomial> for Vec<usize> {
    fn from(monomial: Monomial) -> Vec<usize> {
        monomial.inputs()
    }
}

/// The rows that differ; without affine part up to their sign, and without those that are zero.
pub fn distinct(rows: Rows<'_>, counted: &[usize], affine: bool) -> usize {
    let all: Vec<usize> = (0..rows.d()).collect();
    joint_values(rows, counted, &all, affine)
}

/// How many values some inputs take together; without affine part up to their sign, and without zero.
pub(crate) fn joint_values(rows: Rows<'_>, counted: &[usize], inputs: &[usize], affine: bool) -> usize {
    let sign = |i: usize| {
        let first = inputs.iter().map(|&j| rows.row(i)[j]).find(|x| *x != 0.0);
        if affine { 1.0 } else { first.map_or(0.0, f64::signum) }
    };
    let mut signed: Vec<(usize, f64)> =
        counted.iter().map(|&i| (i, sign(i))).filter(|(_, sign)| *sign != 0.0).collect();
    let compare = |(a, s): &(usize, f64), (b, t): &(usize, f64)| {
        let mut orders = inputs.iter().map(|&j| {
            let (x, y) = (s * rows.row(*a)[j], t * rows.row(*b)[j]);
            x.partial_cmp(&y).unwrap_or(Ordering::Equal)
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    signed.sort_unstable_by(compare);
    signed.dedup_by(|a, b| compare(a, b).is_eq());
    signed.len()
}

/// A proof that names what is not there, or in the wrong order.
pub(crate) fn unsuitable<T>(what: &'static str, must_be: &'static str, found: impl ToString) -> Result<T> {
    Err(Error::Unsuitable { what, must_be, found: found.to_string() })
}
