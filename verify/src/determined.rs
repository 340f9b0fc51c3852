//! What `determined` stands on: the products of two inputs on the rows, proofs that they are independent, and exact relations.
//!
//! xᵀMx is linear in the D products x_a x_b (with an affine part also in 1 and x_a), and M is determined if and only if
//! these are independent on the rows.

pub(crate) mod independence;
pub(crate) mod relations;
pub(crate) mod rival;

use crate::error::{Error, Result};

/// Of the quadratic functions of d inputs.
pub fn dimension(d: usize, affine: bool) -> usize {
    let inputs = d + usize::from(affine);
    inputs * (inputs + 1) / 2
}

/// A proof that names what is not there, or in the wrong order.
pub(crate) fn unsuitable<T>(what: &'static str, must_be: &'static str, found: impl ToString) -> Result<T> {
    Err(Error::Unsuitable { what, must_be, found: found.to_string() })
}
