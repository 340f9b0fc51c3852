//! Random features suffice: the search for a proof, and the checker's word on it.

use shallows_verify::descent::{JacobianPart, SpectrumProof};
use shallows_verify::theorem::random_features as checker;

use crate::certificate::Judgement;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::descent::{CheckedStart, ProposedSpectrum};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to hidden weights and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, random_features};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], &[1.0, -1.0, 0.5])?;
/// let features = |width| Start::Random.network(&Activation::TANH, width, 2, 1.0, 1);
/// assert_eq!(random_features(&features(50)?, &data)?.verdict(), Verdict::Holds);
/// assert_eq!(random_features(&features(2)?, &data)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn random_features(network: &Network, data: &Data) -> Result<Judgement> {
    let network = for_checker(network)?;
    let start = CheckedStart::new(&network, rows_for_checker(data)?, JacobianPart::Output)?;
    Ok(proved(&start)?.into_judgement())
}

/// The theorem for sums at hand.
pub(in crate::certificate) fn proved(start: &CheckedStart<'_>) -> Result<ProvedClaim> {
    let ProposedSpectrum { proof, at } = start.proposed(JacobianPart::Output)?;
    let SpectrumProof { smallest, direction, .. } = proof;
    let judgement = checker::judge_at(start.network, start.rows, &at);
    ProvedClaim::new(&checker::Claim {}, &checker::Proof { smallest, direction }, judgement)
}
