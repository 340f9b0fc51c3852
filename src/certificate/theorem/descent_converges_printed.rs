//! Gradient descent on the hidden layer reaches zero error, as published: the search for a proof, and the checker's word on it.

use shallows_verify::descent::{DescentClaim, JacobianPart};
use shallows_verify::theorem::descent_converges_printed as checker;

use crate::certificate::Judgement;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::descent::{CheckedStart, ProposedSpectrum, TOLERANCE, usable_step};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, descent_converges, descent_converges_printed};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// // Where the printed theorem holds, ours does.
/// assert_eq!(descent_converges_printed(&start, &data)?.verdict(), Verdict::Holds);
/// assert_eq!(descent_converges(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn descent_converges_printed(network: &Network, data: &Data) -> Result<Judgement> {
    let network = for_checker(network)?;
    let start = CheckedStart::new(&network, rows_for_checker(data)?, JacobianPart::Hidden)?;
    Ok(proved(&start, &start.proposed(JacobianPart::Hidden)?, TOLERANCE)?.into_judgement())
}

/// The theorem for a spectrum at hand.
pub(in crate::certificate) fn proved(
    start: &CheckedStart<'_>,
    spectrum: &ProposedSpectrum,
    tolerance: f64,
) -> Result<ProvedClaim> {
    let step = usable_step(checker::step_to_claim(start.network, &spectrum.at));
    let claim = DescentClaim { step, tolerance };
    let judgement = checker::judge_at(start.network, &spectrum.at, &claim)?;
    ProvedClaim::new(&claim, &spectrum.proof, judgement)
}
