//! Separated rows, and what relu makes of them: two parallel rows are looked for here, distances are the checker's.

use shallows_verify::theorem::separated_data::{Claim, Proof, judge};

use crate::certificate::Judgement;
use crate::certificate::convert::rows_for_checker;
use crate::certificate::file::ProvedClaim;
use crate::certificate::proposal::separation::parallel_rows;
use crate::data::Data;
use crate::error::Result;

/// Measure how far apart the directions of the rows are.
///
/// ```
/// use shallows::Data;
/// use shallows::certificate::{Verdict, separated_data};
///
/// let judge = |second: [f64; 2]| separated_data(&Data::from_rows(&[[1.0, 0.0], second], &[1.0, 2.0])?);
/// assert_eq!(judge([0.0, 1.0])?.verdict(), Verdict::Holds);
/// // A multiple of another row has the same direction.
/// assert_eq!(judge([3.0, 0.0])?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn separated_data(data: &Data) -> Result<Judgement> {
    claimed(data).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(data: &Data) -> Result<ProvedClaim> {
    let rows = rows_for_checker(data)?;
    let proof = Proof { parallel: parallel_rows(rows) };
    let judgement = judge(rows, &Claim {}, &proof)?;
    ProvedClaim::new(&Claim {}, &proof, judgement)
}
