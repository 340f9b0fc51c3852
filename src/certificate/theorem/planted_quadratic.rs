//! Every local minimum is global, and its error is known in advance: the checker needs no more than the rows and the networks.

use shallows_verify::theorem::planted_quadratic::{Claim, Proof, judge};

use super::strict_saddle::check_decay;
use crate::certificate::Judgement;
use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Prove that every local minimum in W fits these inputs exactly, whatever the labels.
///
/// ```
/// use shallows::certificate::{Verdict, planted_quadratic};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // One row and a unit of each sign: every local minimum fits it exactly, whatever its label.
/// let data = Data::from_rows(&[[2.0]], &[7.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0], [1.0]]), vec![1.0, -1.0])?;
/// assert_eq!(planted_quadratic(&network, &data, 0.0)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn planted_quadratic(network: &Network, data: &Data, decay: f64) -> Result<Judgement> {
    claimed(None, network, data, decay).map(ProvedClaim::into_judgement)
}

/// Prove that every local minimum in W fits these rows at least as well as a planted network, whose output weights have
/// one sign.
///
/// ```
/// use shallows::certificate::{Verdict, planted_quadratic_by};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// let network = |v: f64| Network::new(Activation::SQUARE, Matrix::identity(2), vec![v, v]);
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], &[1.0, 1.0, 2.0])?;
/// assert_eq!(planted_quadratic_by(&network(1.0)?, &network(0.5)?, &data, 0.0)?.verdict(), Verdict::Holds);
/// // Output weights of the other sign cannot reach what was planted.
/// assert_eq!(planted_quadratic_by(&network(1.0)?, &network(-0.5)?, &data, 0.0)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn planted_quadratic_by(planted: &Network, network: &Network, data: &Data, decay: f64) -> Result<Judgement> {
    claimed(Some(planted), network, data, decay).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(
    planted: Option<&Network>,
    network: &Network,
    data: &Data,
    decay: f64,
) -> Result<ProvedClaim> {
    check_decay(decay)?;
    let planted = planted.map(for_checker).transpose()?;
    let claim = Claim { decay };
    let judgement = judge(&for_checker(network)?, planted.as_ref(), rows_for_checker(data)?, &claim, &Proof {})?;
    ProvedClaim::new(&claim, &Proof {}, judgement)
}
