//! A way down: this point is not a local minimum. The direction is looked for here; the checker judges it.

use shallows_verify::landscape::point::LossPoint;
use shallows_verify::theorem::strict_saddle::{Claim, Proof, judge};

use crate::certificate::convert::{for_checker, rows_for_checker};
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::landscape::way_down;
use crate::certificate::{Judgement, Verdict};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::Matrix;
use crate::network::Network;
use crate::risk::{Outlook, escape};

/// Prove that W is not a local minimum, along the given direction or one that is looked for; or that no direction has negative
/// curvature.
///
/// ```
/// use shallows::certificate::{Verdict, strict_saddle};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // At W = 0 the gradient vanishes, but any step lowers the loss.
/// let data = Data::from_rows(&[[1.0]], &[1.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[0.0]]), vec![1.0])?;
/// let judgement = strict_saddle(&network, &data, 0.0, None)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// assert!(judgement.fact("decrease") > Some(0.0));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn strict_saddle(network: &Network, data: &Data, decay: f64, direction: Option<&Matrix>) -> Result<Judgement> {
    claimed(network, data, decay, direction).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(
    network: &Network,
    data: &Data,
    decay: f64,
    direction: Option<&Matrix>,
) -> Result<ProvedClaim> {
    check_decay(decay)?;
    let (checked, rows, claim) = (for_checker(network)?, rows_for_checker(data)?, Claim { decay });
    let point = LossPoint::new(&checked, rows, decay)?;
    let found = match direction {
        Some(U) => Some(suitable(U, network)?.clone()),
        None => match escape(network, data, decay) {
            Ok(Outlook::Down(escape)) => Some(escape.U),
            _ => None,
        },
    };
    let down = found.map(|U| way_down(&point, &(&U).into()));
    let nowhere = Proof { down: None };
    let proof = Proof { down };
    let judgement = judge(&checked, rows, &claim, &proof)?;
    if judgement.verdict() == Verdict::Holds || proof == nowhere {
        return ProvedClaim::new(&claim, &proof, judgement);
    }
    // Where the direction does not lead down, perhaps none does.
    let refuted = judge(&checked, rows, &claim, &nowhere)?;
    match refuted.verdict() {
        Verdict::Fails => ProvedClaim::new(&claim, &nowhere, refuted),
        _ => ProvedClaim::new(&claim, &proof, judgement),
    }
}

fn suitable<'a>(U: &'a Matrix, network: &Network) -> Result<&'a Matrix> {
    let shape = |what, expected, found| {
        if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
    };
    shape("rows of the direction", network.width(), U.rows())?;
    shape("columns of the direction", network.inputs(), U.cols())?;
    let finite = U.as_slice().iter().all(|u| u.is_finite());
    if finite { Ok(U) } else { Err(Error::NotFinite { what: "the numbers of the direction" }) }
}

/// As every theorem with a decay wants it.
pub(in crate::certificate) fn check_decay(decay: f64) -> Result<()> {
    if decay >= 0.0 && decay.is_finite() {
        return Ok(());
    }
    Err(Error::parameter(Parameter::Decay, Requirement::AtLeast(0.0), decay))
}
