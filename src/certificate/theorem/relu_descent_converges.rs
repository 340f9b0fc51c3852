//! Gradient descent on the hidden layer of a relu network reaches zero error, at a rate: the search for a proof, and the
//! checker's word on it.

use shallows_verify::descent::{AtStart, BallProof, DescentClaim, Flips, JacobianPart};
use shallows_verify::theorem::relu_descent_converges as checker;

use super::descent_converges::Guarantee;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::proposal::descent::{
    CheckedStart, ProposedSpectrum, ProvedGuarantee, TOLERANCE, usable_radius, usable_step,
};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Radii tried, each larger than the last by this factor, from the least that can do.
const RADII: usize = 60;
const WIDER: f64 = 1.06;

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, relu_descent_converges};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.001, -0.001])?;
/// let start = Start::Antisymmetric.network(&Activation::RELU, 400, 2, 1.0, 1)?;
/// assert_eq!(relu_descent_converges(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn relu_descent_converges(network: &Network, data: &Data) -> Result<Guarantee> {
    let (network, rows) = (for_checker(network)?, rows_for_checker(data)?);
    let start = CheckedStart::new(&network, rows, JacobianPart::Hidden)?;
    let flips = Flips::new(&network, rows)?;
    Ok(proved(&start.proposed(JacobianPart::Hidden)?, &flips, TOLERANCE)?.guarantee)
}

/// The theorem for a spectrum at hand.
pub(in crate::certificate) fn proved(
    spectrum: &ProposedSpectrum,
    flips: &Flips,
    tolerance: f64,
) -> Result<ProvedGuarantee> {
    let ProposedSpectrum { proof, at } = spectrum;
    let (radius, step) = radius_and_step(at, flips);
    let claim = DescentClaim { step, tolerance };
    let found = checker::guarantee_at(at, flips, &claim, radius)?;
    ProvedGuarantee::new(found, &claim, &BallProof { spectrum: proof.clone(), radius })
}

/// The first radius that leaves room, with a step; the least of all where none does.
pub(in crate::certificate) fn radius_and_step(at: &AtStart, flips: &Flips) -> (f64, f64) {
    // κ ≤ (5/6)σ₀, so a smaller radius cannot do.
    let least = 1.2 * at.residual.high / at.sigma.low;
    let radius = |index: usize| usable_radius(least * (1.001 * WIDER.powi(index as i32)));
    let tried = |radius: f64| checker::step_to_claim(at, flips, radius).map(|step| (radius, usable_step(step)));
    (0..RADII).map(radius).find_map(tried).unwrap_or((radius(0), f64::MIN_POSITIVE))
}
