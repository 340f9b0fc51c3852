//! Intervals for the automatic fit.
//!
//! For CV+ the function of a fold must not know the rows of that fold in any way, so the weights of the combination,
//! which come from all folds, must not enter. It is built from the candidates whose leave-one-out residuals on the rows
//! outside the fold come for free (affine and wide layers), with the weights that minimise those. All of these must be
//! there: whether one is missing may depend on the rows of a fold.

use super::compare::{Candidate, Member, StandardisedRows};
use super::{Learner, stack};
use crate::linalg::{self, Matrix};
use crate::model::Calibration;
use crate::network::{Network, NetworkSum};

/// A function for each fold and its errors there; `None` where something planned is missing.
pub(super) fn calibrated(
    candidates: &[Candidate],
    parts: &[StandardisedRows],
    planned: &[Learner],
) -> Option<Calibration> {
    let is_free = |learner: &Learner| matches!(learner, Learner::Affine | Learner::Wide { .. });
    let members =
        |learner: &Learner| candidates.iter().find(|candidate| candidate.learner == *learner)?.members.first();
    let free: Vec<&Vec<Member>> =
        planned.iter().filter(|learner| is_free(learner)).map(members).collect::<Option<_>>()?;
    let fold = |(fold, part): (usize, &StandardisedRows)| {
        let members: Vec<&Member> = free.iter().map(|by_fold| &by_fold[fold]).collect();
        let left_out: Vec<&Vec<f64>> = members.iter().map(|member| member.left_out.as_ref()).collect::<Option<_>>()?;
        let omega = part.table.omega();
        let moment = |a: usize, b: usize| stack::moment(&omega, left_out[a], left_out[b]);
        let weights = stack::weights(&Matrix::from_fn(members.len(), members.len(), moment));
        let mut residuals = vec![0.0; members.first()?.residuals.len()];
        let mut terms: Vec<(f64, &Network)> = vec![];
        for (weight, member) in weights.iter().zip(&members).filter(|(weight, _)| **weight > 0.0) {
            linalg::add_scaled(&mut residuals, *weight, &member.residuals);
            terms.push((*weight, &member.network));
        }
        let f = (!terms.is_empty()).then(|| NetworkSum::weighted(terms))?.ok()?;
        Some((f, residuals.iter().map(|r| r.abs()).collect()))
    };
    parts.iter().enumerate().map(fold).collect::<Option<_>>().map(Calibration::Cross)
}
