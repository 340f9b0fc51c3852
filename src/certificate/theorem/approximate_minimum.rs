//! How far a quadratic network is from any competitor of a given size.
//!
//! # Proof
//! With M = Σ v_lw_lw_lᵀ and r̂ the residual of M̂, ½r² − ½r̂² ≤ r(r − r̂) gives L(M) − L(M̂) ≤ ⟨S, M − M̂⟩, and
//! ⟨S, M⟩ + τΣ|v_l|‖w_l‖² = ½⟨W, ∇P⟩ since ∇P = 2DWS + 2τ|D|W. What is left, −⟨S, M̂⟩ − τ‖M̂‖_*, is at most
//! (‖S‖ − τ)‖M̂‖_*, and −⟨S + τI, M̂⟩ ≤ σ tr M̂ for M̂ ⪰ 0. If r̂ = 0, then L(M) = ½⟨S, M − M̂⟩ exactly: half of it.
//!
//! # Note
//! The published condition on an approximate local minimum (v = ν1, k > d, ∇²L ⪰ −ε_H) implies S ⪰ −(ε_H/2ν)I, hence
//! P(W) − P(M̂) ≤ ½‖∇‖‖W‖ + (ε_H/2ν) tr M̂; σ is measured instead, and is never larger. The constants of the paper are 2 to 4
//! times larger than necessary.

use super::global_optimum::wrong_signs;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::{add_up, mul_up};
use crate::certificate::landscape::point::LossPoint;
use crate::certificate::optimum::measure::{check_tolerance, within_and_below};
use crate::certificate::words::{no_less, no_more};
use crate::certificate::{Check, Fact, Judgement, Side, Signs, Theorem, Verdict};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::Network;

/// What is claimed about the competitors. [`approximate_minimum`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Competitors {
    /// Of their output weights.
    pub signs: Signs,
    /// R; ten times the size of the network or of what the labels suggest when `None`.
    pub size: Option<f64>,
}

/// Prove that a network is within `tolerance` of every competitor up to a size.
///
/// ```
/// use shallows::certificate::{Competitors, Signs, Verdict, approximate_minimum};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// // 3x² fits these rows but for a hundredth.
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.01, 3.0, 12.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let competitors = Competitors { signs: Signs::Any, size: Some(10.0) };
/// let judgement = approximate_minimum(&network, &data, 0.0, competitors, 1e-2)?;
/// assert_ne!(judgement.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn approximate_minimum(
    network: &Network,
    data: &Data,
    decay: f64,
    competitors: Competitors,
    tolerance: f64,
) -> Result<Judgement> {
    check_tolerance(tolerance)?;
    let point = LossPoint::new(network, data, decay)?;
    let R = given_size(&point, competitors.size)?;
    let sigma = match competitors.signs {
        Signs::Any => point.excess(1.0).max(point.excess(-1.0)),
        Signs::Positive => point.excess(1.0),
        Signs::Negative => point.excess(-1.0),
    };
    let radial = point.half_radial();
    // σ is a bound from above; below, nothing is known but that it is not negative.
    let gap = Enclosure { low: radial.low, high: add_up(radial.high, mul_up(sigma, R)) };
    let wrong = wrong_signs(network, competitors.signs);
    let checks = vec![
        Check::count(Theorem::ApproximateMinimum.text().hypotheses[0], -(wrong as i64)),
        finite_or_open(within_and_below(Theorem::ApproximateMinimum.text().hypotheses[1], tolerance, point.scale(), gap, point.objective)),
    ];
    let facts = facts(&point, R, sigma, radial, gap.high);
    Ok(Judgement::new(Theorem::ApproximateMinimum, checks, facts, |verdict| {
        let bound = gap.high;
        let words = lowered_words(competitors.signs, bound, R);
        match verdict {
            Verdict::Holds => format!("the objective cannot be lowered {words}"),
            _ if wrong > 0 => {
                "the network itself is not among the competitors: an output weight has the wrong sign".into()
            }
            _ if bound >= point.objective.high => {
                format!("nothing is proved: the bound, {}, is not below the objective itself", no_less(bound))
            }
            _ if bound.is_finite() => format!("the objective cannot be lowered {words}, which is more than asked for"),
            _ => "nothing could be proved: the numbers are too large".into(),
        }
    }))
}

fn lowered_words(signs: Signs, bound: f64, R: f64) -> String {
    let class = match signs {
        Signs::Any => "of any signs",
        Signs::Positive => "with output weights ≥ 0",
        Signs::Negative => "with output weights ≤ 0",
    };
    format!(
        "by more than {} by a quadratic network {class} of any width with ‖M‖_* ≤ {} and the same affine part",
        no_less(bound),
        no_more(R)
    )
}

/// R as given, or by default.
pub(in crate::certificate) fn given_size(point: &LossPoint<'_>, size: Option<f64>) -> Result<f64> {
    match size {
        Some(R) if !(R >= 0.0 && R.is_finite()) => {
            Err(Error::parameter(Parameter::CompetitorSize, Requirement::AtLeast(0.0), R))
        }
        Some(R) => Ok(R),
        None => Ok(point.reach()),
    }
}

/// The check, or one that decides nothing where its numbers overflowed.
pub(in crate::certificate) fn finite_or_open(check: Check) -> Check {
    if check.margin.is_finite() && check.error.is_finite() { check } else { Check::open(check.hypothesis) }
}

fn facts(point: &LossPoint<'_>, R: f64, sigma: f64, radial: Enclosure, bound: f64) -> Vec<Fact> {
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    let mut facts = vec![
        fact("size", R, "R, the largest ‖M̂‖_* of a competitor"),
        fact("sigma", sigma, "σ, from above"),
        fact("half_radial", radial.high, "½⟨W,∇P⟩, from above"),
        fact("gradient", point.gradient_norm(), "‖∇P(W)‖, from above"),
        fact("objective", point.objective.high, "P(W), from above"),
        fact("bound", bound, "P(W) − P(M̂), from above"),
    ];
    if point.decay == 0.0 {
        facts.push(fact("planted_bound", 0.5 * bound, "P(W) if the labels are those of a competitor, from above"));
    }
    facts.retain(|fact| fact.value.is_finite());
    facts
}
