//! Descent from this start ends at the planted network: the search for bounds on σ_min(W*), and the checker's word on them.

use shallows_verify::theorem::safe_start::{Claim, judge};

use crate::certificate::Judgement;
use crate::certificate::convert::for_checker;
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::landscape::smallest_square;
use crate::error::{Error, Result};
use crate::network::Network;

/// Apply the theorem to a start and a teacher, both quadratic.
///
/// ```
/// use shallows::certificate::{Verdict, safe_start};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let network = |scale: f64| {
///     let W = Matrix::from_fn(2, 2, |i, j| if i == j { scale } else { 0.0 });
///     Network::new(Activation::SQUARE, W, vec![1.0; 2])
/// };
/// // 0.9·I lies below the barrier of the teacher I, 3·I does not.
/// assert_eq!(safe_start(&network(0.9)?, &network(1.0)?)?.verdict(), Verdict::Holds);
/// assert_eq!(safe_start(&network(3.0)?, &network(1.0)?)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn safe_start(start: &Network, teacher: &Network) -> Result<Judgement> {
    claimed(start, teacher).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(start: &Network, teacher: &Network) -> Result<ProvedClaim> {
    let (expected, found) = (teacher.inputs(), start.inputs());
    if expected != found {
        return Err(Error::Shape { what: "inputs of the start", expected, found });
    }
    let (start, teacher) = (for_checker(start)?, for_checker(teacher)?);
    let proof = smallest_square(&teacher.W);
    let judgement = judge(&start, &teacher, &Claim {}, &proof)?;
    ProvedClaim::new(&Claim {}, &proof, judgement)
}
