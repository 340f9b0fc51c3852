//! Gradient descent on the hidden layer of a relu network reaches zero error, as published: the search for a proof, and the
//! checker's word on it.

use shallows_verify::descent::{DescentClaim, Flips, JacobianPart};
use shallows_verify::theorem::relu_descent_converges_printed as checker;

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
/// use shallows::certificate::{Verdict, relu_descent_converges_printed};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.0001, -0.0001])?;
/// let start = Start::Antisymmetric.network(&Activation::RELU, 400, 2, 1.0, 1)?;
/// assert_eq!(relu_descent_converges_printed(&start, &data)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn relu_descent_converges_printed(network: &Network, data: &Data) -> Result<Judgement> {
    let (network, rows) = (for_checker(network)?, rows_for_checker(data)?);
    let start = CheckedStart::new(&network, rows, JacobianPart::Hidden)?;
    let flips = Flips::new(&network, rows)?;
    Ok(proved(&start, &start.proposed(JacobianPart::Hidden)?, &flips, TOLERANCE)?.into_judgement())
}

/// The theorem for a spectrum at hand.
pub(in crate::certificate) fn proved(
    start: &CheckedStart<'_>,
    spectrum: &ProposedSpectrum,
    flips: &Flips,
    tolerance: f64,
) -> Result<ProvedClaim> {
    let step = usable_step(checker::step_to_claim(start.network, &spectrum.at));
    let claim = DescentClaim { step, tolerance };
    let judgement = checker::judge_at(start.network, &spectrum.at, flips, &claim)?;
    ProvedClaim::new(&claim, &spectrum.proof, judgement)
}
