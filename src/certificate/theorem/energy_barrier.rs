//! Rank-deficient networks cannot come close to a planted quadratic one: the search for bounds on σ_min, and the checker's word.

use shallows_verify::theorem::energy_barrier::{Claim, judge};

use crate::certificate::Judgement;
use crate::certificate::convert::for_checker;
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::landscape::smallest_square;
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to a quadratic teacher.
///
/// ```
/// use shallows::certificate::{Verdict, energy_barrier};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let teacher = |rows: &[[f64; 2]]| Network::new(Activation::SQUARE, Matrix::from_rows(rows), vec![1.0; rows.len()]);
/// assert_eq!(energy_barrier(&teacher(&[[1.0, 0.0], [0.0, 1.0]])?)?.verdict(), Verdict::Holds);
/// // One unit cannot span two inputs: there is no barrier around rank-deficient students.
/// assert_eq!(energy_barrier(&teacher(&[[1.0, 0.0]])?)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn energy_barrier(teacher: &Network) -> Result<Judgement> {
    claimed(teacher).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(teacher: &Network) -> Result<ProvedClaim> {
    let teacher = for_checker(teacher)?;
    let proof = smallest_square(&teacher.W);
    let judgement = judge(&teacher, &Claim {}, &proof)?;
    ProvedClaim::new(&Claim {}, &proof, judgement)
}
