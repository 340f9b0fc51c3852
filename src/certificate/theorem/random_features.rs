//! Random features suffice: the output layer alone reaches zero error.

use super::descent_converges::positive;
use crate::certificate::descent::jacobian::{JacobianPart, at_start, check_start};
use crate::certificate::words::{at_least, rounded_up};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to hidden weights and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, random_features};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], &[1.0, -1.0, 0.5])?;
/// let features = |width| Start::Random.network(&Activation::TANH, width, 2, 1.0, 1);
/// assert_eq!(random_features(&features(50)?, &data)?.verdict(), Verdict::Holds);
/// assert_eq!(random_features(&features(2)?, &data)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn random_features(network: &Network, data: &Data) -> Result<Judgement> {
    check_start(network, data)?;
    // Weights of rows have no part in this.
    let at = at_start(network, &Data { weights: None, ..data.clone() }, JacobianPart::Output);
    let spare = network.width() as i64 - data.n() as i64;
    let checks = vec![Check::count(Theorem::RandomFeatures.text().hypotheses[0], spare), positive(Theorem::RandomFeatures.text().hypotheses[1], at.sigma)];
    let facts = vec![
        Fact { name: "sigma", value: at.sigma.low, side: Side::AtLeast, about: "σ_min(Φ) is at least this" },
        Fact { name: "sigma_at_most", value: at.sigma.high, side: Side::AtMost, about: "σ_min(Φ) is at most this" },
    ];
    Ok(Judgement::new(Theorem::RandomFeatures, checks, facts, |verdict| match verdict {
        Verdict::Holds => {
            format!("training the output layer alone reaches zero error: σ_min(Φ) ≥ {}", at_least(at.sigma.low))
        }
        Verdict::Fails if spare < 0 => format!("{} more units than there are would be needed", -spare),
        _ if !at.examined => "not decided: there are too many distinct rows to compute the spectrum of Φ".into(),
        _ => format!("not proved: σ_min(Φ) is at most {} and cannot be told from 0", rounded_up(at.sigma.high, 2)),
    }))
}
