//! Gradient descent on the hidden layer reaches zero error, at a rate: the search for a proof, and the checker's word on it.

use shallows_verify::descent::{DescentClaim, JacobianPart};
use shallows_verify::theorem::descent_converges as checker;

use crate::certificate::Judgement;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::descent::Proven;
use crate::certificate::proposal::descent::{CheckedStart, ProposedSpectrum, ProvedGuarantee, TOLERANCE, usable_step};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// A theorem about descent applied to a start: the judgement, and what it proves when it holds.
/// [`descent_converges`] shows its use.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// The judgement.
    pub judgement: Judgement,
    /// Its numbers; none unless it holds.
    pub proven: Option<Proven>,
}

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, descent_converges};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// let guarantee = descent_converges(&start, &data)?;
/// assert_eq!(guarantee.judgement.verdict(), Verdict::Holds);
/// assert!(guarantee.proven.is_some_and(|proven| proven.rate < 1.0));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn descent_converges(network: &Network, data: &Data) -> Result<Guarantee> {
    let network = for_checker(network)?;
    let start = CheckedStart::new(&network, rows_for_checker(data)?, JacobianPart::Hidden)?;
    Ok(proved(&start, &start.proposed(JacobianPart::Hidden)?, TOLERANCE)?.guarantee)
}

/// The theorem for a spectrum at hand.
pub(in crate::certificate) fn proved(
    start: &CheckedStart<'_>,
    spectrum: &ProposedSpectrum,
    tolerance: f64,
) -> Result<ProvedGuarantee> {
    let claim = DescentClaim { step: usable_step(checker::step_to_claim(&spectrum.at)), tolerance };
    let found = checker::guarantee_at(start.network, &spectrum.at, &claim)?;
    ProvedGuarantee::new(found, &claim, &spectrum.proof)
}
