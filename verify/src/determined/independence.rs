//! Proofs that the products are independent on some of the rows, hence on all: as columns of a [`Basis`], with weights 1.

use serde::{Deserialize, Serialize};

use super::unsuitable;
use crate::error::Result;
use crate::monomial::Monomial;
use crate::optimum::basis::Basis;
use crate::optimum::span::MOST_PASSES;
use crate::rows::ProofRows;

/// How independence is proved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Independence {
    /// h: the proof uses x̂_j = x_j·2^(h_j).
    pub shifts: Vec<i32>,
    /// m: of the n rows that count, those numbered ⌊i·n/m⌋ are used, i = 0, …, m − 1; all when `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub rows: Option<usize>,
    /// How often a basis is orthonormalised; 0 for the products as they are.
    pub passes: usize,
}

/// True only if the columns are linearly independent on the rows.
pub(crate) fn proves_independent(rows: &ProofRows<'_>, columns: &[Monomial], proof: &Independence) -> Result<bool> {
    let n = rows.n();
    let used = proof.rows.unwrap_or(n);
    if used == 0 || used > n {
        return unsuitable("the number of rows used", "at least 1 and at most that of the rows", used);
    }
    if proof.passes > MOST_PASSES {
        return unsuitable("the number of passes", "at most 8", proof.passes);
    }
    let rows = rows.clone().in_coordinates(&vec![0.0; proof.shifts.len()], &proof.shifts)?;
    Ok(Basis::prove(&rows.evenly_spaced(used), columns, proof.passes).is_some())
}
