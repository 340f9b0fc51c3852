//! How far a quadratic network is from any competitor of a given size.
//!
//! # Proof
//! With M = Σ v_jw_jw_jᵀ and r̂ the residual of M̂, ½r² − ½r̂² ≤ r(r − r̂) gives L(M) − L(M̂) ≤ ⟨S, M − M̂⟩, and
//! ⟨S, M⟩ + τΣ|v_j|‖w_j‖² = ½⟨W, ∇P⟩ since ∇P = 2DWS + 2τ|D|W. What is left, −⟨S, M̂⟩ − τ‖M̂‖_*, is at most
//! (‖S‖ − τ)‖M̂‖_*, and −⟨S + τI, M̂⟩ ≤ σ tr M̂ for M̂ ⪰ 0. If r̂ = 0, then L(M) = ½⟨S, M − M̂⟩ exactly: half of it.
//!
//! # Note
//! The published condition on an approximate local minimum (v = ν1, k > d, ∇²L ⪰ −ε_H) implies S ⪰ −(ε_H/2ν)I, hence
//! P(W) − P(M̂) ≤ ½‖∇‖‖W‖ + (ε_H/2ν) tr M̂; σ is measured instead, and is never larger. The constants of the paper are 2 to 4
//! times larger than necessary.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{Enclosure, add_up, mul_up};
use crate::error::{Result, check_not_negative};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::point::LossPoint;
use crate::landscape::{check_tolerance, within_and_below};
use crate::network::{Network, Signs};
use crate::rows::Rows;
use crate::words::{no_less, no_more};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "approximate-minimum",
    title: "How far a quadratic network is from any competitor of a given size",
    claim: "P(W) = ½Σωᵢrᵢ² + τΣ_j|v_j|‖w_j‖² of the given network is at most P of every quadratic network M̂ of any width, \
            with output weights of the allowed signs, the same affine part and ‖M̂‖_* ≤ R, plus ½⟨W, ∇P⟩ + σR; \
            S = Σωᵢrᵢxᵢxᵢᵀ, and σ = max(0, ‖S‖ − τ), for v ≥ 0 max(0, −λ_min(S) − τ), for v ≤ 0 max(0, λ_max(S) − τ). \
            Where the labels are those of such a network and τ = 0, P(W) is at most half of that sum.",
    hypotheses: &[
        "the output weights have the allowed signs",
        "½⟨W,∇P⟩ + σR ≤ tolerance × max(P, P of the affine part alone, 1e-290), and < P",
    ],
    evidence: "½⟨W,∇P⟩ by outward rounding; σ is given, and proved by Rump's Cholesky test on S within a \
               proved radius. No Hessian and no \
               eigenvalue takes part.",
    limits: "About these rows and competitors up to the size R, which is part of the claim. ∇²L ⪰ −ε_H, for v = ν1 and \
             k > d, implies σ ≤ ε_H/(2ν): the published bound for approximate local minima, with its constants corrected, \
             follows and is never smaller.",
    source: "After Soltanolkotabi, Javanmard, Lee (2019), Theorem 2.2, (2.1); this form derived for this project.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of the output weights of competitors.
    pub signs: Signs,
    /// τ
    pub decay: f64,
    /// R
    pub size: f64,
    /// How far from the best is near enough, relative to the scale.
    pub tolerance: f64,
}

/// What proves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// A bound on σ from above.
    pub excess: f64,
}

/// Prove that a network is within a tolerance of every competitor up to a size.
///
/// ```
/// use shallows_verify::theorem::approximate_minimum::{Claim, Proof, judge};
/// use shallows_verify::{Matrix, Network, Rows, Signs, Verdict};
///
/// // 3x² is the best fit of labels 3 ± 1 at x = ±1.
/// let network = Network { W: Matrix::from_fn(1, 1, |_, _| 1.0), v: vec![3.0], ..Network::zero(1) };
/// let rows = Rows::new(&[1.0, -1.0], 1, &[4.0, 2.0], None)?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, size: 10.0, tolerance: 1e-6 };
/// assert_eq!(judge(&network, rows, &claim, &Proof { excess: 1e-9 })?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(network: &Network, rows: Rows<'_>, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    check_tolerance(claim.tolerance)?;
    check_not_negative("the size of competitors", claim.size)?;
    check_not_negative("the excess of the proof", proof.excess)?;
    let point = LossPoint::new(network, rows, claim.decay)?;
    let sides: &[f64] = match claim.signs {
        Signs::Any => &[1.0, -1.0],
        Signs::Positive => &[1.0],
        Signs::Negative => &[-1.0],
    };
    let proved = sides.iter().all(|sign| point.proves_excess(*sign, proof.excess));
    let sigma = if proved { proof.excess } else { f64::INFINITY };
    let radial = point.half_radial();
    // σ is a bound from above; below, nothing is known but that it is not negative.
    let gap = Enclosure { low: radial.low, high: add_up(radial.high, mul_up(sigma, claim.size)) };
    let wrong = network.wrong_signs(claim.signs);
    let checks = vec![
        Check::count(THEOREM.hypotheses[0], -wrong),
        within_and_below(THEOREM.hypotheses[1], claim.tolerance, point.scale(), gap, point.objective),
    ];
    let facts = facts(&point, sigma, radial, gap.high);
    Ok(Judgement::new(Theorem::ApproximateMinimum, checks, facts, |verdict| match verdict {
        Verdict::Holds => lowered_words(claim, gap.high),
        _ if wrong > 0 => "the network itself is not among the competitors: an output weight has the wrong sign".into(),
        _ if !proved => "nothing is proved: the excess is too small, or the numbers are too large".into(),
        _ if gap.high >= point.objective.high => {
            format!("nothing is proved: the bound, {}, is not below the objective itself", no_less(gap.high))
        }
        _ => format!("{}, which is more than asked for", lowered_words(claim, gap.high)),
    }))
}

fn lowered_words(claim: &Claim, bound: f64) -> String {
    let class = match claim.signs {
        Signs::Any => "of any signs",
        Signs::Positive => "with output weights ≥ 0",
        Signs::Negative => "with output weights ≤ 0",
    };
    format!(
        "the objective cannot be lowered by more than {} by a quadratic network {class} of any width with ‖M‖_* ≤ {} and \
         the same affine part",
        no_less(bound),
        no_more(claim.size)
    )
}

fn facts(point: &LossPoint<'_>, sigma: f64, radial: Enclosure, bound: f64) -> Vec<Fact> {
    let fact = |name, value, about| Fact { name, value, side: Side::AtMost, about };
    let mut facts = vec![
        fact("sigma", sigma, "σ"),
        fact("half_radial", radial.high, "½⟨W,∇P⟩"),
        fact("gradient", point.gradient_norm(), "‖∇P(W)‖"),
        fact("objective", point.objective.high, "P(W)"),
        fact("bound", bound, "P(W) − P(M̂)"),
    ];
    if point.decay == 0.0 {
        facts.push(fact("planted_bound", 0.5 * bound, "P(W) if the labels are those of a competitor"));
    }
    facts
}
