//! A way down: this point is not a local minimum.
//!
//! # Derivation
//! The curvature along U is 2⟨UᵀDU, S⟩ + 2τΣ|v_j|‖u_j‖² + 4Σωᵢqᵢ² = Σ_j 2v_j u_jᵀ(S ± τI)u_j + 4Σωᵢqᵢ², so where S + τI (if
//! there are positive output weights) and τI − S (if there are negative ones) are proved positive definite, no curvature is
//! negative. How U was found does not matter: it is a witness, and is part of the certificate. That one direction does not lead
//! down refutes nothing.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{Enclosure, add_up, div_down, mul_up};
use crate::error::{Error, Result};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::point::LossPoint;
use crate::matrix::Matrix;
use crate::network::Network;
use crate::rows::Rows;
use crate::words::{no_less, no_more};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "strict-saddle",
    title: "A way down: this point is not a local minimum",
    claim: "P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖² of the given quadratic network, as a function of its hidden weights W, has \
            curvature at most −c < 0 along the given direction U/‖U‖, so W is not a local minimum, whatever its gradient; \
            and the given step t leads to P(W + tU) ≤ P(W) − Δ, Δ > 0. Where ∇P(W) = 0, W is a strict saddle.",
    hypotheses: &["the curvature of P along U is negative", "P(W + tU) < P(W)"],
    evidence: "The coefficients of the quartic t ↦ P(W + tU), enclosed by outward rounding. U is a witness and part of the \
               certificate. The first hypothesis is refuted where S + τI and τI − S, for the signs that occur, are proved \
               positive definite (S = Σωᵢrᵢxᵢxᵢᵀ): then no curvature is negative.",
    limits: "About W for fixed output weights and affine part, on these rows. A gradient is proved small, never proved \
             zero. U need not be the direction of lowest curvature. That none is found proves nothing.",
    source: "Soltanolkotabi, Javanmard, Lee (2019), §6.2, with a coefficient corrected; decay, weights, the quartic and the \
             rounding bounds derived for this project.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// τ
    pub decay: f64,
}

/// A way down, or nothing where it is claimed that there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// U and t.
    #[serde(deserialize_with = "Option::deserialize")]
    pub down: Option<WayDown>,
}

/// A direction and a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WayDown {
    /// U, k rows of d numbers.
    pub direction: Vec<Vec<f64>>,
    /// t
    pub step: f64,
}

/// Prove by a direction that W is not a local minimum, or by S that no direction has negative curvature.
///
/// ```
/// use shallows_verify::theorem::strict_saddle::{Claim, Proof, WayDown, judge};
/// use shallows_verify::{Matrix, Network, Rows, Verdict};
///
/// // At W = 0 the gradient vanishes, but a step of 1 fits the row.
/// let network = Network { W: Matrix::zeros(1, 1), v: vec![1.0], ..Network::zero(1) };
/// let rows = Rows::new(&[1.0], 1, &[1.0], None)?;
/// let down = Some(WayDown { direction: vec![vec![1.0]], step: 1.0 });
/// assert_eq!(judge(&network, rows, &Claim { decay: 0.0 }, &Proof { down })?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(network: &Network, rows: Rows<'_>, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    let point = LossPoint::new(network, rows, claim.decay)?;
    let gradient = Fact { name: "gradient", value: point.gradient_norm(), side: Side::AtMost, about: "‖∇P(W)‖" };
    let mut facts = vec![gradient];
    let checks = match &proof.down {
        Some(down) => {
            let U = checked(down, network)?;
            along(&point, &U, down.step, &mut facts)
        }
        None if no_way_down(&point) => {
            vec![Check::count(THEOREM.hypotheses[0], -1), Check::open(THEOREM.hypotheses[1])]
        }
        None => THEOREM.hypotheses.iter().map(|hypothesis| Check::open(*hypothesis)).collect(),
    };
    let judgement = Judgement::new(Theorem::StrictSaddle, checks, facts, |_| String::new());
    let statement = statement(&judgement, proof.down.is_some());
    Ok(Judgement { statement, ..judgement })
}

fn checked(down: &WayDown, network: &Network) -> Result<Matrix> {
    let (k, d) = (network.width(), network.inputs());
    let found = down.direction.len();
    if found != k {
        return Err(Error::Shape { what: "rows of the direction", expected: k, found });
    }
    let wrong = down.direction.iter().map(Vec::len).find(|found| *found != d).unwrap_or(d);
    let shape = Error::Shape { what: "columns of the direction", expected: d, found: wrong };
    let U = Matrix::from_rows(&down.direction, d).ok_or(shape)?;
    let finite = U.as_slice().iter().chain([&down.step]).all(|u| u.is_finite());
    if finite { Ok(U) } else { Err(Error::NotFinite { what: "the numbers of the direction" }) }
}

/// Whether every curvature is proved to be at least 0.
fn no_way_down(point: &LossPoint<'_>) -> bool {
    let [positive, negative] = point.network.sign_counts();
    [(1.0, positive), (-1.0, negative)].into_iter().all(|(sign, count)| count == 0 || point.proves_excess(sign, 0.0))
}

/// Both hypotheses along one direction, and what is proved on the way. Another direction may do where this one does not, so that
/// nothing is refuted here.
fn along(point: &LossPoint<'_>, U: &Matrix, step: f64, facts: &mut Vec<Fact>) -> Vec<Check> {
    let [c1, c2, c3, c4] = point.quartic(U);
    let square = U.as_slice().iter().fold(0.0, |sum, u| add_up(sum, mul_up(*u, *u)));
    let t = Enclosure::exactly(step);
    let change = t * (c1 + t * (c2 + t * (c3 + t * c4)));
    let fact = |name, value, side, about| Fact { name, value, side, about };
    if c2.high < 0.0 {
        facts.push(fact(
            "curvature",
            -div_down(-2.0 * c2.high, square),
            Side::AtMost,
            "the curvature of P along U/‖U‖",
        ));
    }
    if change.high < 0.0 {
        facts.push(fact("decrease", -change.high, Side::AtLeast, "P(W) − P(W + tU)"));
    }
    let check = |at: usize, value: Enclosure| {
        let check = Check::between(THEOREM.hypotheses[at], -value.high, -value.low);
        if check.verdict() == Verdict::Holds { check } else { Check::open(THEOREM.hypotheses[at]) }
    };
    vec![check(0, 2.0 * c2), check(1, change)]
}

fn statement(judgement: &Judgement, down: bool) -> String {
    let value = |name: &str| judgement.fact(name).unwrap_or(f64::NAN);
    match judgement.verdict() {
        Verdict::Holds => format!(
            "the hidden weights are not a local minimum: along the direction given the curvature is at most \
             {}, the gradient is at most {}, and the step given lowers the objective by at least {}",
            no_less(value("curvature")),
            no_less(value("gradient")),
            no_more(value("decrease"))
        ),
        Verdict::Fails => "no direction has negative curvature here: this is not a strict saddle".into(),
        Verdict::Undecided if down => {
            "neither proved nor refuted: the direction does not lead down by more than rounding".into()
        }
        Verdict::Undecided => "neither proved nor refuted: no direction of negative curvature is given".into(),
    }
}
