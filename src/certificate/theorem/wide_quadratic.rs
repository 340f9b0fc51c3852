//! Wide quadratic networks have no bad minima.

use super::global_optimum::check_kind;
use crate::certificate::{Check, Judgement, Theorem, Verdict};
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
    network.check()?;
    check_kind(network)?;
    let d = network.inputs() as i64;
    let count = |sign: fn(&f64) -> bool| network.v.iter().filter(|v| sign(v)).count() as i64;
    let [positive, negative] = [count(|v| *v > 0.0), count(|v| *v < 0.0)];
    let checks =
        vec![Check::count(Theorem::WideQuadratic.text().hypotheses[0], positive - d), Check::count(Theorem::WideQuadratic.text().hypotheses[1], negative - d)];
    Ok(Judgement::new(Theorem::WideQuadratic, checks, vec![], |verdict| {
        match verdict {
            Verdict::Holds => "with these output weights every local minimum in W is global",
            _ => "the theorem does not apply: too few output weights of one sign",
        }
        .into()
    }))
}
