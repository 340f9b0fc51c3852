//! Stochastic gradient descent converges, as far as the published theorem has explicit constants: the search for a proof, and
//! the checker's word on it.

use crate::activation::Activation;
use crate::certificate::Judgement;
use crate::certificate::convert::rows_for_checker;
use crate::certificate::proposal::kernel;
use crate::data::Data;
use crate::error::Result;

/// Apply the theorem to rows and a width.
///
/// ```
/// use shallows::certificate::{Verdict, sgd_converges};
/// use shallows::{Activation, Data};
///
/// // A constant of the theorem was not published, so the best that can be said is: undecided.
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// assert_eq!(sgd_converges(&Activation::softplus(1.0)?, &data, 1000)?.verdict(), Verdict::Undecided);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn sgd_converges(activation: &Activation, data: &Data, width: usize) -> Result<Judgement> {
    Ok(kernel::sgd_converges(activation, rows_for_checker(data)?, width)?.into_judgement())
}
