//! Gradient descent on the hidden layer of a relu network reaches zero error, as published.
//!
//! # Note
//! β = sup|φ'|·‖v‖·‖X‖ bounds every Jacobian; the assumption on J near the start is checked by the count of `flips`.

use super::descent_converges::{largest_step, positive};
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::descent::flips::Flips;
use crate::certificate::descent::jacobian::{AtStart, JacobianPart, at_start, check_start};
use crate::certificate::descent::units::slope_bound;
use crate::certificate::words::rate_words;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, relu_descent_converges, relu_descent_converges_printed};
/// use shallows::{Activation, Data};
///
/// // The printed theorem asks for much more than ours, which holds here.
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.001, -0.001])?;
/// let start = Start::Antisymmetric.network(&Activation::RELU, 400, 2, 1.0, 1)?;
/// assert_eq!(relu_descent_converges(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// assert!(relu_descent_converges_printed(&start, &data)?.verdict() >= Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn relu_descent_converges_printed(network: &Network, data: &Data) -> Result<Judgement> {
    check_start(network, data)?;
    Ok(printed(network, &at_start(network, data, JacobianPart::Hidden), &Flips::new(network, data)))
}

/// The theorem for bounds at hand.
pub(in crate::certificate) fn printed(network: &Network, at: &AtStart, flips: &Flips) -> Judgement {
    let (one, hypotheses) = (Enclosure::exactly(1.0), Theorem::ReluDescentConvergesPrinted.text().hypotheses);
    let alpha = Enclosure::exactly(0.5 * at.sigma.low);
    let residual = Enclosure::exactly(at.residual.high);
    let radius = (3.0 * residual / alpha).high;
    let off = flips.perturbation(at, radius);
    let margin = alpha / Enclosure::exactly(3.0) - Enclosure::exactly(off);
    let checks = vec![
        Check::count(hypotheses[0], if flips.is_kinked() { 0 } else { -1 }),
        positive(hypotheses[1], at.sigma),
        Check::between(hypotheses[2], margin.low, margin.high.max(0.0)),
    ];
    let beta = Enclosure::exactly(slope_bound(&network.activation)) * Flips::output_norm(network) * at.inputs;
    let step = largest_step(3.0, Enclosure::exactly(beta.high));
    let rate = one - Enclosure::exactly(step) * alpha.squared();
    let rate = rate.high.min(1.0);
    let facts = vec![
        Fact { name: "step", value: step, side: Side::Exactly, about: "η on the loss ½Σr², if the theorem applies" },
        Fact {
            name: "rate", value: rate, side: Side::Exactly, about: "‖r‖ falls by this factor or better in every step, if it applies"
        },
        Fact { name: "distance", value: radius, side: Side::AtMost, about: "‖W_τ − W₀‖ is at most this, if it applies" },
        Fact { name: "perturbation", value: off, side: Side::AtMost, about: "‖J − J₀‖ is at most this within that distance" },
    ];
    Judgement::new(Theorem::ReluDescentConvergesPrinted, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!("the published condition holds: rate {} or better", rate_words(rate)),
        _ => "the published condition is not met, or not proved to be; relu-descent-converges asks for less".into(),
    })
}
