//! Proofs for theorems about descent: eigenvalues that the checker is asked to confirm, radii and steps.
//!
//! Nothing here is trusted. An eigensolver proposes μ ≤ λ_min and λ ≥ λ_max of the checker's J₀J₀ᵀ, and moves away from its
//! estimates until the checker confirms them. What is summed over the hidden units is summed once, by the checker, for all
//! theorems about a start.

use serde::Serialize;
use shallows_verify::descent::{
    AtStart, DescentClaim, Guarantee as CheckedGuarantee, JacobianPart, SpectrumProof, StartMatrices, input_gram,
};
use shallows_verify::rows::{Ball, Rows};
use shallows_verify::{Network, arithmetic};

use crate::certificate::descent::Proven;
use crate::certificate::file::ProvedClaim;
use crate::certificate::theorem::descent_converges::Guarantee;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::spectrum;

/// Attempts to prove a bound next to the estimate, each further away than the last.
const ATTEMPTS: usize = 4;
const FURTHER: f64 = 32.0;
/// What counts as done unless said otherwise: ‖r‖ ≤ tolerance·‖r₀‖.
pub(in crate::certificate) const TOLERANCE: f64 = 1e-6;

/// A network at its start, on rows, with what the checker summed over its hidden units.
pub(in crate::certificate) struct CheckedStart<'a> {
    pub network: &'a Network,
    pub rows: Rows<'a>,
    matrices: StartMatrices<'a>,
    /// Λ with XᵀDiag(w)X ⪯ ΛI.
    inputs: Option<f64>,
}

/// Numbers about a Jacobian, and what the checker proves from them.
#[derive(Clone)]
pub(in crate::certificate) struct ProposedSpectrum {
    pub proof: SpectrumProof,
    pub at: AtStart,
}

/// A judgement with its numbers, and the claim and the proof for a file.
pub(in crate::certificate) struct ProvedGuarantee {
    pub guarantee: Guarantee,
    pub claim: ProvedClaim,
}

impl<'a> CheckedStart<'a> {
    pub(crate) fn new(network: &'a Network, rows: Rows<'a>, part: JacobianPart) -> Result<CheckedStart<'a>> {
        let matrices = StartMatrices::new(network, rows, part)?;
        Ok(CheckedStart { network, rows, matrices, inputs: proposed_inputs(rows) })
    }

    /// μ, λ and a direction that the checker confirms, as near to the truth as it does.
    pub(crate) fn proposed(&self, part: JacobianPart) -> Result<ProposedSpectrum> {
        let output = part == JacobianPart::Output;
        let inputs = if output { None } else { self.inputs };
        let mut proof = SpectrumProof { smallest: 0.0, largest: None, inputs, direction: None };
        // No matrix is formed of too many rows, or where it would be singular.
        let gram = self.matrices.gram(part).ok();
        if let Some((ball, found)) = gram.and_then(|ball| estimated(&ball).map(|found| (ball, found))) {
            proof.direction = Some(found.smallest_vector).filter(|x| x.iter().all(|x| x.is_finite()));
            let (mut low, mut high) = (0, 0);
            loop {
                let below = found.smallest - away(&ball, low);
                proof.smallest = if below > 0.0 && below.is_finite() { below } else { 0.0 };
                let above = found.largest + away(&ball, high);
                proof.largest = Some(above).filter(|above| !output && *above < trace(&ball));
                let at = self.matrices.at_start(part, &proof)?;
                let [lower, higher] = [
                    proof.smallest > 0.0 && !at.confirms_smallest && low + 1 < ATTEMPTS,
                    proof.largest.is_some() && !at.confirms_largest && high + 1 < ATTEMPTS,
                ];
                if !(lower || higher) {
                    return Ok(ProposedSpectrum { proof, at });
                }
                (low, high) = (low + usize::from(lower), high + usize::from(higher));
            }
        }
        let at = self.matrices.at_start(part, &proof)?;
        Ok(ProposedSpectrum { proof, at })
    }
}

impl ProvedGuarantee {
    pub(crate) fn new(
        found: CheckedGuarantee,
        claim: &DescentClaim,
        proof: &impl Serialize,
    ) -> Result<ProvedGuarantee> {
        let CheckedGuarantee { judgement, proven } = found;
        let claim = ProvedClaim::new(claim, proof, judgement.clone())?;
        Ok(ProvedGuarantee { guarantee: Guarantee { judgement, proven: proven.map(Proven::from) }, claim })
    }
}

/// A step that may be claimed: the least there is where none is known to do.
pub(in crate::certificate) fn usable_step(step: f64) -> f64 {
    if step >= f64::MIN_POSITIVE && step.is_finite() { step } else { f64::MIN_POSITIVE }
}

/// A radius that may be in a proof.
pub(in crate::certificate) fn usable_radius(radius: f64) -> f64 {
    if radius >= 0.0 && radius.is_finite() { radius } else { 0.0 }
}

/// μ with A ⪰ μI for every matrix in the ball; 0 where the checker confirms none.
pub(in crate::certificate) fn proposed_smallest(ball: &Ball) -> f64 {
    let Some(found) = estimated(ball) else { return 0.0 };
    let below = (0..ATTEMPTS).map(|attempt| found.smallest - away(ball, attempt)).take_while(|mu| *mu > 0.0);
    below.into_iter().find(|mu| arithmetic::proves_above(&ball.center, *mu, ball.radius)).unwrap_or(0.0)
}

/// Λ with XᵀDiag(w)X ⪯ ΛI, where the checker confirms one below the trace.
pub(in crate::certificate) fn proposed_inputs(rows: Rows<'_>) -> Option<f64> {
    let ball = input_gram(rows).ok()?;
    let found = estimated(&ball)?;
    let above = (0..ATTEMPTS).map(|attempt| found.largest + away(&ball, attempt)).take_while(|bound| bound.is_finite());
    above.into_iter().find(|bound| arithmetic::proves_below(&ball.center, *bound, ball.radius))
}

/// What an eigensolver says.
fn estimated(ball: &Ball) -> Option<spectrum::Extremes> {
    let finite = ball.radius.is_finite() && trace(ball).is_finite();
    if finite { spectrum::extremes(&Matrix::from(&ball.center)) } else { None }
}

fn trace(ball: &Ball) -> f64 {
    (0..ball.center.rows()).map(|i| ball.center[(i, i)]).sum()
}

/// How far from the estimate the next attempt goes: four times what the shift of the test takes away at least.
fn away(ball: &Ball, attempt: usize) -> f64 {
    let shift = (ball.center.rows() as f64 + 1.0) * arithmetic::U * trace(ball) + ball.radius;
    4.0 * shift * FURTHER.powi(attempt as i32)
}
