//! A stationary point of full rank is a global minimum: the search for a bound on σ_min, and the checker's word on it.

use shallows_verify::Matrix;
use shallows_verify::theorem::full_rank_stationary::{Claim, Proof, judge};

use super::approximate_minimum::given_size;
use super::global_optimum::check_tolerance;
use super::strict_saddle::check_decay;
use crate::certificate::Judgement;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::landscape::smallest_square;
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Prove that a network of full rank is within `tolerance` of every competitor up to a size.
///
/// ```
/// use shallows::certificate::{Verdict, full_rank_stationary};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // The least squares line in x²: y = 3x² leaves ±0.01 that no quadratic network removes.
/// let data = Data::from_rows(&[[1.0], [-1.0]], &[3.01, 2.99])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// assert_eq!(full_rank_stationary(&network, &data, 0.0, None, 1e-6)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn full_rank_stationary(
    network: &Network,
    data: &Data,
    decay: f64,
    size: Option<f64>,
    tolerance: f64,
) -> Result<Judgement> {
    claimed(network, data, decay, size, tolerance).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(
    network: &Network,
    data: &Data,
    decay: f64,
    size: Option<f64>,
    tolerance: f64,
) -> Result<ProvedClaim> {
    check_tolerance(tolerance)?;
    check_decay(decay)?;
    let (network, rows) = (for_checker(network)?, rows_for_checker(data)?);
    network.check_quadratic()?;
    network.check_inputs(rows.d())?;
    let claim = Claim { decay, size: given_size(&network, rows, size)?, tolerance };
    let alive = |l: &usize| network.v[*l] != 0.0 && network.W.row(*l).iter().any(|w| *w != 0.0);
    let units: Vec<usize> = (0..network.width()).filter(alive).collect();
    let W_I = Matrix::from_fn(units.len(), network.inputs(), |l, j| network.W[(units[l], j)]);
    let proof = Proof { smallest: smallest_square(&W_I).smallest };
    let judgement = judge(&network, rows, &claim, &proof)?;
    ProvedClaim::new(&claim, &proof, judgement)
}
