//! The network is wide enough for gradient descent from a random start: the search for a proof, and the checker's word on it.

use crate::activation::Activation;
use crate::certificate::Judgement;
use crate::certificate::convert::rows_for_checker;
use crate::certificate::proposal::kernel;
use crate::data::Data;
use crate::error::Result;

/// Apply the theorem to rows and a width.
///
/// ```
/// use shallows::certificate::{Verdict, wide_enough};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, -1.0])?;
/// let softplus = Activation::softplus(1.0)?;
/// assert_eq!(wide_enough(&softplus, &data, 10_000_000)?.verdict(), Verdict::Holds);
/// assert_eq!(wide_enough(&softplus, &data, 10)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn wide_enough(activation: &Activation, data: &Data, width: usize) -> Result<Judgement> {
    Ok(kernel::wide_enough(activation, rows_for_checker(data)?, width)?.into_judgement())
}
