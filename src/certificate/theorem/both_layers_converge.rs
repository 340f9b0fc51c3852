//! Gradient descent on both layers reaches zero error, at a rate: the search for a proof, and the checker's word on it.

use shallows_verify::descent::{BallProof, DescentClaim, JacobianPart};
use shallows_verify::theorem::{both_layers_converge as checker, descent_converges};

use super::descent_converges::Guarantee;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::proposal::descent::{
    CheckedStart, ProposedSpectrum, ProvedGuarantee, TOLERANCE, usable_radius, usable_step,
};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Radii tried, in units of ‖r₀‖/σ₀.
const RADII: [f64; 8] = [1.02, 1.1, 1.25, 1.4, 1.6, 1.9, 2.3, 3.0];

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, both_layers_converge};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// assert_eq!(both_layers_converge(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn both_layers_converge(network: &Network, data: &Data) -> Result<Guarantee> {
    let network = for_checker(network)?;
    let start = CheckedStart::new(&network, rows_for_checker(data)?, JacobianPart::Both)?;
    Ok(proved(&start, &start.proposed(JacobianPart::Both)?, TOLERANCE)?.guarantee)
}

/// The theorem for a spectrum at hand.
pub(in crate::certificate) fn proved(
    start: &CheckedStart<'_>,
    spectrum: &ProposedSpectrum,
    tolerance: f64,
) -> Result<ProvedGuarantee> {
    let ProposedSpectrum { proof, at } = spectrum;
    let claim = DescentClaim { step: usable_step(descent_converges::step_to_claim(at)), tolerance };
    let radius = |share: f64| usable_radius(share * at.residual.high / at.sigma.low);
    let suffices = |radius: &f64| checker::radius_suffices(start.network, at, claim.step, *radius);
    let radius = RADII.into_iter().map(radius).find(suffices).unwrap_or(radius(RADII[0]));
    let found = checker::guarantee_at(start.network, at, &claim, radius)?;
    ProvedGuarantee::new(found, &claim, &BallProof { spectrum: proof.clone(), radius })
}
