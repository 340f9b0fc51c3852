//! Gradient descent on the hidden layer reaches zero error, as published.
//!
//! # Note
//! Implied by `descent-converges`, which asks for eight times less and says more. β = ‖J₀‖ + 4·Lip·‖r₀‖/α bounds ‖J‖ on the ball
//! of radius 4‖r₀‖/α. Lip is made with sup|φ''| where the paper has one letter for sup|φ'| and sup|φ''|. The loss of the paper
//! is n times ours, so our step is n times theirs.

use super::descent_converges::{finite, hidden_lipschitz, largest_step, positive};
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::descent::jacobian::{AtStart, JacobianPart, at_start, check_start};
use crate::certificate::descent::units::curvature_bound;
use crate::certificate::words::rate_words;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, descent_converges, descent_converges_printed};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// // Where the printed theorem holds, ours does.
/// assert_eq!(descent_converges_printed(&start, &data)?.verdict(), Verdict::Holds);
/// assert_eq!(descent_converges(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn descent_converges_printed(network: &Network, data: &Data) -> Result<Judgement> {
    check_start(network, data)?;
    Ok(printed(&at_start(network, data, JacobianPart::Hidden), curvature_bound(&network.activation)))
}

/// The theorem for bounds at hand.
pub(in crate::certificate) fn printed(at: &AtStart, curvature: f64) -> Judgement {
    let (one, hypotheses) = (Enclosure::exactly(1.0), Theorem::DescentConvergesPrinted.text().hypotheses);
    let lipschitz = hidden_lipschitz(at, curvature);
    let margin = at.sigma.squared() - 16.0 * (lipschitz * at.residual);
    let checks = vec![
        finite(hypotheses[0], curvature),
        positive(hypotheses[1], at.sigma),
        Check::between(hypotheses[2], margin.low, margin.high),
    ];
    let alpha = Enclosure::exactly(0.5 * at.sigma.low);
    let residual = Enclosure::exactly(at.residual.high);
    let path = 4.0 * residual / alpha;
    let beta = Enclosure::exactly(at.norm.high) + Enclosure::exactly(lipschitz.high) * path;
    let step = largest_step(2.0, beta);
    let square = one - 0.5 * (Enclosure::exactly(step) * alpha.squared());
    let rate = square.sqrt().high.min(1.0);
    let facts = vec![
        Fact { name: "step", value: step, side: Side::Exactly, about: "η on the loss ½Σr², if the theorem applies" },
        Fact {
            name: "rate", value: rate, side: Side::Exactly, about: "‖r‖ falls by this factor or better in every step, if it applies"
        },
        Fact { name: "path", value: path.high, side: Side::AtMost, about: "the whole path is at most this long, if it applies" },
    ];
    Judgement::new(Theorem::DescentConvergesPrinted, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!("the published condition holds: rate {} or better", rate_words(rate)),
        _ => "the published condition is not met, or not proved to be; descent-converges asks for less".into(),
    })
}
