//! How far a quadratic network is from any competitor of a given size: the search for σ, and the checker's word on it.

use shallows_verify::landscape::point::LossPoint;
use shallows_verify::theorem::approximate_minimum::{Claim, Proof, judge};

use super::global_optimum::check_tolerance;
use super::strict_saddle::check_decay;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::landscape::{excess, reach};
use crate::certificate::{Judgement, Signs};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::Network;

/// What is claimed about the competitors. [`approximate_minimum`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Competitors {
    /// Of their output weights.
    pub signs: Signs,
    /// R; ten times the size of the network or of what the labels suggest when `None`.
    pub size: Option<f64>,
}

/// Prove that a network is within `tolerance` of every competitor up to a size.
///
/// ```
/// use shallows::certificate::{Competitors, Signs, Verdict, approximate_minimum};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // 3x² fits these rows but for a hundredth.
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.01, 3.0, 12.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let competitors = Competitors { signs: Signs::Any, size: Some(10.0) };
/// let judgement = approximate_minimum(&network, &data, 0.0, competitors, 1e-2)?;
/// assert_ne!(judgement.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn approximate_minimum(
    network: &Network,
    data: &Data,
    decay: f64,
    competitors: Competitors,
    tolerance: f64,
) -> Result<Judgement> {
    claimed(network, data, decay, competitors, tolerance).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(
    network: &Network,
    data: &Data,
    decay: f64,
    competitors: Competitors,
    tolerance: f64,
) -> Result<ProvedClaim> {
    check_tolerance(tolerance)?;
    check_decay(decay)?;
    let (network, rows) = (for_checker(network)?, rows_for_checker(data)?);
    let signs = competitors.signs.into();
    let point = LossPoint::new(&network, rows, decay)?;
    let size = given_size(&network, rows, competitors.size)?;
    let (claim, proof) = (Claim { signs, decay, size, tolerance }, Proof { excess: excess(&point, signs) });
    let judgement = judge(&network, rows, &claim, &proof)?;
    ProvedClaim::new(&claim, &proof, judgement)
}

/// R as given, or by default.
pub(in crate::certificate) fn given_size(
    network: &shallows_verify::Network,
    rows: shallows_verify::Rows<'_>,
    size: Option<f64>,
) -> Result<f64> {
    match size {
        Some(R) if !(R >= 0.0 && R.is_finite()) => {
            Err(Error::parameter(Parameter::CompetitorSize, Requirement::AtLeast(0.0), R))
        }
        Some(R) => Ok(R),
        None => reach(network, rows),
    }
}
