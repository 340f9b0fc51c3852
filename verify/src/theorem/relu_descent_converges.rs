//! Gradient descent on the hidden layer of a relu network reaches zero error, at a rate.
//!
//! # Notation
//! For row i, m_i is the largest number of units whose (w_l·xᵢ)² sum to at most R²‖xᵢ‖², and
//! ε = jump·max|v|·min(‖X‖√max m_i, √(Σ wᵢm_i‖xᵢ‖²)); κ = (5/6)(σ₀ − ε) − 2ε.
//!
//! # Proof
//! While ‖W − W₀‖ ≤ R every Jacobian J, and every average J̄ of Jacobians, is within ε of J₀: unit l changes sides on row
//! i only if |w_l·xᵢ| ≤ |(w'_l − w_l)·xᵢ|, and Σ_l((w'_l − w_l)·xᵢ)² ≤ R²‖xᵢ‖², so at most m_i units do; row i of the
//! difference is then Σ over those of jump·v_l e_l⊗xᵢ, whose factor before xᵢ has norm at most jump·max|v|·√m_i. Let
//! β = ‖J₀‖ + ε, g = ‖Jᵀr‖, r⁺ = r − ηJ̄Jᵀr. ‖J̄ − J‖ ≤ 2ε, so ‖r⁺‖² ≤ ‖r‖² − 2η(g² − 2ε‖r‖g) + η²β²g² and
//!
//! ```text
//! ‖r⁺‖ ≤ ‖r‖ − ηg((1 − ηβ²/2)g/‖r‖ − 2ε) ≤ ‖r‖ − κηg,
//! ```
//!
//! because g ≥ (σ₀ − ε)‖r‖ and ηβ²/2 ≤ 1/6. Summed up: κ·path + ‖r‖ ≤ ‖r₀‖. The next iterate is within R, too:
//! ηg ≤ ηβ‖r‖ ≤ ‖r‖/(3β) ≤ ‖r‖/κ, so path + ηg ≤ (‖r₀‖ − ‖r‖)/κ + ‖r‖/κ ≤ R. g ≥ (σ₀ − ε)‖r‖ gives the rate. ∎

use super::{Theorem, TheoremText};
use crate::arithmetic::Enclosure;
use crate::descent::{AtStart, Flips, Guarantee, JacobianPart, Proven, longest_step, never_refuted, step_allowed};
pub use crate::descent::{BallProof as Proof, DescentClaim as Claim};
use crate::error::{Result, check_range};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::network::Network;
use crate::rows::Rows;
use crate::words::{at_most, rate_words, rounded_down, rounded_up};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "relu-descent-converges",
    title: "Gradient descent on the hidden layer of a relu network reaches zero error",
    claim: "Gradient descent on W with step η, from this start on these rows, reaches zero error: it stays \
            within ‖r₀‖/κ of the start, and ‖r_{τ+1}‖ ≤ (1 − ηκ(σ₀ − ε))‖r_τ‖ in every step, where \
            κ = (5/6)(σ₀ − ε) − 2ε.",
    hypotheses: &[
        "φ is piecewise linear with one kink at 0",
        "σ₀ = σ_min(J₀) > 0",
        "‖r₀‖ ≤ κR for some R",
        "η ≤ 1/(3β²), β = ‖J₀‖ + ε",
    ],
    evidence: "σ₀ by a Cholesky factorisation of J₀J₀ᵀ with Rump's shift; ε = sup‖J − J₀‖ over the ball of radius R by \
               counting the units that can change sides on each row.",
    limits: "About gradient descent in exact arithmetic, with φ'(0) as this program takes it, and about these rows. \
             Where the condition is not met for the R of the proof, it is undecided, not refuted.",
    source: "After Oymak and Soltanolkotabi (2019), Theorem 6.13, sharpened for this project; the proof is in the file \
             of the theorem.",
};

/// Judge the claim.
pub fn judge(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    Ok(guarantee(network, rows, claim, proof)?.judgement)
}

/// The same, with the numbers that are proved.
pub fn guarantee(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Guarantee> {
    let at = AtStart::new(network, rows, JacobianPart::Hidden, &proof.spectrum)?;
    guarantee_at(&at, &Flips::new(network, rows)?, claim, proof.radius)
}

/// The same with the bounds of [`StartMatrices`](crate::descent::StartMatrices) at hand, for the hidden layer.
pub fn guarantee_at(at: &AtStart, flips: &Flips, claim: &Claim, radius: f64) -> Result<Guarantee> {
    claim.check()?;
    check_range("the radius", radius, 0.0, f64::MAX)?;
    let Kinked { off, kappa, beta, margin } = Kinked::new(at, flips, radius);
    let (theorem, kinked) = (Theorem::ReluDescentConverges, flips.is_kinked());
    let [sigma, residual, step] = [at.sigma.low, at.residual.high, claim.step].map(Enclosure::exactly);
    let known = kinked && sigma.low > 0.0;
    let checks = vec![
        Check::count(theorem.hypothesis(0), if kinked { 0 } else { -1 }),
        Check::positive(theorem.hypothesis(1), at.sigma),
        // A radius that does not do refutes nothing.
        never_refuted(Check::between(theorem.hypothesis(2), if known { margin.low } else { f64::NAN }, margin.high)),
        never_refuted(step_allowed(theorem.hypothesis(3), claim.step, 3.0, beta)),
    ];
    let proven = Proven {
        step: claim.step,
        residual: residual.high,
        decrease: (step * kappa * (sigma - off)).low.max(0.0),
        path: (residual / kappa).high,
        slope: kappa.low,
        bend: 0.0,
    };
    let facts = facts(at, radius, off);
    let judgement = Judgement::new(theorem, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!(
            "gradient descent from this start reaches zero error: the residual falls by the factor {} or better in \
             every step, within {} of the start",
            rate_words(proven.rate()),
            at_most(proven.path)
        ),
        _ if !kinked => "about piecewise linear activations only".into(),
        _ => why_not_proved(at, radius, off),
    });
    Ok(Guarantee::new(judgement, proven, claim.tolerance))
}

/// The numbers of the theorem for one radius.
struct Kinked {
    /// ε
    off: Enclosure,
    kappa: Enclosure,
    beta: Enclosure,
    /// κR − ‖r₀‖
    margin: Enclosure,
}

impl Kinked {
    fn new(at: &AtStart, flips: &Flips, radius: f64) -> Kinked {
        let [sigma, residual] = [at.sigma.low, at.residual.high].map(Enclosure::exactly);
        let off = Enclosure::exactly(flips.perturbation(at.inputs.high, radius));
        let kappa = Enclosure::exactly(5.0) * (sigma - off) / Enclosure::exactly(6.0) - 2.0 * off;
        let kappa = Enclosure::exactly(kappa.low);
        let beta = Enclosure::exactly(at.norm.high) + off;
        Kinked { off, kappa, beta, margin: kappa * Enclosure::exactly(radius) - residual }
    }
}

/// A step to claim with a radius that leaves room; `None` where it leaves none.
pub fn step_to_claim(at: &AtStart, flips: &Flips, radius: f64) -> Option<f64> {
    let found = Kinked::new(at, flips, radius);
    let step = longest_step(3.0, found.beta.high);
    (found.margin.low > 0.0 && step > 0.0).then_some(step)
}

fn why_not_proved(at: &AtStart, radius: f64, off: Enclosure) -> String {
    if !(at.sigma.low > 0.0) {
        return "not proved: σ_min(J₀) is not proved to be above 0".into();
    }
    format!(
        "not proved at this width, output scale and step: within {} of the start the Jacobian may change by {}, \
         against σ_min(J₀) ≥ {}",
        rounded_up(radius, 3),
        rounded_up(off.high, 3),
        rounded_down(at.sigma.low, 3)
    )
}

fn facts(at: &AtStart, radius: f64, off: Enclosure) -> Vec<Fact> {
    let fact = |name, value, side, about| Fact { name, value, side, about };
    vec![
        fact("sigma", at.sigma.low, Side::AtLeast, "σ_min(J₀)"),
        fact("jacobian_norm", at.norm.high, Side::AtMost, "‖J₀‖"),
        fact("residual", at.residual.high, Side::AtMost, "‖r₀‖"),
        fact("radius", radius, Side::Exactly, "the ball within which sides were counted"),
        fact("perturbation", off.high, Side::AtMost, "‖J − J₀‖ within the ball"),
    ]
}
