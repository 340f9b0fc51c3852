//! A way down: this point is not a local minimum.
//!
//! # Derivation
//! The curvature along U is 2⟨UᵀDU, S⟩ + 2τΣ|v_l|‖u_l‖² + 4Σωᵢqᵢ² = Σ_l 2v_l u_lᵀ(S ± τI)u_l + 4Σωᵢqᵢ², so where S + τI (if
//! there are positive output weights) and τI − S (if there are negative ones) are proved positive definite, no curvature is
//! negative. How U was found does not matter: it is a witness, and is part of the certificate.

use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::{add_up, div_down, mul_up};
use crate::certificate::landscape::point::LossPoint;
use crate::certificate::words::{no_less, no_more};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::network::Network;
use crate::risk::{Outlook, Quartic, escape};

/// Prove that W is not a local minimum, along the given direction or one that is looked for.
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
/// assert!(judgement.direction.is_some());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn strict_saddle(network: &Network, data: &Data, decay: f64, direction: Option<&Matrix>) -> Result<Judgement> {
    let point = LossPoint::new(network, data, decay)?;
    let found = match direction {
        Some(U) => Some(checked(U, network)?.clone()),
        None => match escape(network, data, decay) {
            Ok(Outlook::Down(escape)) => Some(escape.U),
            _ => None,
        },
    };
    let mut facts = vec![Fact { name: "gradient", value: point.gradient_norm(), side: Side::Exactly, about: "‖∇P(W)‖, from above" }];
    let checks = match &found {
        Some(U) => along(&point, U, &mut facts),
        None if no_way_down(&point) => {
            vec![Check::count(Theorem::StrictSaddle.text().hypotheses[0], -1), Check::open(Theorem::StrictSaddle.text().hypotheses[1])]
        }
        None => Theorem::StrictSaddle.text().hypotheses.iter().map(|hypothesis| Check::open(*hypothesis)).collect(),
    };
    facts.retain(|fact| fact.value.is_finite());
    let refuted = found.is_none() && checks[0].verdict() == Verdict::Fails;
    let values = facts.clone();
    let certificate = Judgement::new(Theorem::StrictSaddle, checks, facts, |verdict| {
        statement(verdict, refuted, found.is_some(), &values)
    });
    Ok(certificate)
}

fn checked<'a>(U: &'a Matrix, network: &Network) -> Result<&'a Matrix> {
    let shape = |what, expected, found| {
        if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
    };
    shape("rows of the direction", network.width(), U.rows())?;
    shape("columns of the direction", network.inputs(), U.cols())?;
    let finite = U.as_slice().iter().all(|u| u.is_finite());
    if finite { Ok(U) } else { Err(Error::NotFinite { what: "the numbers of the direction" }) }
}

/// Whether every curvature is proved to be at least 0.
fn no_way_down(point: &LossPoint<'_>) -> bool {
    let has = |sign: f64| point.network.v.iter().any(|v| sign * v > 0.0);
    [1.0, -1.0].into_iter().all(|sign| !has(sign) || point.excess(sign) == 0.0)
}

/// Both hypotheses along one direction, and what is proved on the way.
fn along(point: &LossPoint<'_>, U: &Matrix, facts: &mut Vec<Fact>) -> Vec<Check> {
    let coefficients = point.quartic(U);
    let [c1, c2, c3, c4] = coefficients;
    let square = U.as_slice().iter().fold(0.0, |sum, u| add_up(sum, mul_up(*u, *u)));
    let middle = |c: Enclosure| 0.5 * c.low + 0.5 * c.high;
    let t = Quartic([0.0, middle(c1), middle(c2), middle(c3), middle(c4)]).minimiser();
    let step = Enclosure::exactly(t);
    let change = step * (c1 + step * (c2 + step * (c3 + step * c4)));
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    if c2.high < 0.0 {
        let curvature = -div_down(-2.0 * c2.high, square);
        facts.push(fact("curvature", curvature, "of P along U/‖U‖, from above"));
    }
    facts.push(fact("step", t, "t, the length of the step along U"));
    if change.high < 0.0 {
        facts.push(fact("decrease", -change.high, "P(W) − P(W + tU), from below"));
    }
    let check = |at: usize, value: Enclosure| {
        let open = !(value.low.is_finite() && value.high.is_finite());
        let hypothesis = Theorem::StrictSaddle.text().hypotheses[at];
        if open { Check::open(hypothesis) } else { Check::between(hypothesis, -value.high, -value.low) }
    };
    vec![check(0, 2.0 * c2), check(1, change)]
}

fn statement(verdict: Verdict, refuted: bool, found: bool, facts: &[Fact]) -> String {
    let value = |name: &str| facts.iter().find(|fact| fact.name == name).map_or(f64::NAN, |fact| fact.value);
    if verdict == Verdict::Holds {
        let [curvature, gradient, step, decrease] = ["curvature", "gradient", "step", "decrease"].map(value);
        return format!(
            "the hidden weights are not a local minimum: along the direction given the curvature is at most \
             {}, the gradient is at most {}, and a step of {step:e} lowers the objective by at least {}",
            no_less(curvature),
            no_less(gradient),
            no_more(decrease)
        );
    }
    match (refuted, found) {
        (true, _) => "no direction has negative curvature here: this is not a strict saddle",
        (false, true) if verdict == Verdict::Fails => "the direction does not lead down",
        (false, true) => "neither proved nor refuted: the direction leads down by too little to be told from rounding",
        (false, false) => "neither proved nor refuted: no direction of negative curvature was found",
    }
    .into()
}
