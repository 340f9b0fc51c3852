//! Wide quadratic networks have no bad minima: the checker counts.

use shallows_verify::theorem::wide_quadratic::{Claim, Proof, judge};

use crate::certificate::Judgement;
use crate::certificate::convert::for_checker;
use crate::certificate::file::ProvedClaim;
use crate::error::Result;
use crate::network::Network;

/// Count the signs of the output weights. A zero counts for neither.
///
/// ```
/// use shallows::certificate::{Verdict, wide_quadratic};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let judge = |v: [f64; 2]| wide_quadratic(&Network::new(Activation::SQUARE, Matrix::from_rows(&[[0.5], [2.0]]), v.to_vec())?);
/// assert_eq!(judge([1.0, -1.0])?.verdict(), Verdict::Holds);
/// // A zero counts for neither sign.
/// assert_eq!(judge([1.0, 0.0])?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn wide_quadratic(network: &Network) -> Result<Judgement> {
    claimed(network).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(network: &Network) -> Result<ProvedClaim> {
    let judgement = judge(&for_checker(network)?, &Claim {}, &Proof {})?;
    ProvedClaim::new(&Claim {}, &Proof {}, judgement)
}
