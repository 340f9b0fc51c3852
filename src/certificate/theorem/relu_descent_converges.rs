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
//! because g ≥ (σ₀ − ε)‖r‖ and ηβ²/2 = 1/6. Summed up: κ·path + ‖r‖ ≤ ‖r₀‖. The next iterate is within R, too:
//! ηg ≤ ηβ‖r‖ ≤ ‖r‖/(3β) ≤ ‖r‖/κ, so path + ηg ≤ (‖r₀‖ − ‖r‖)/κ + ‖r‖/κ ≤ R. g ≥ (σ₀ − ε)‖r‖ gives the rate. ∎

use super::descent_converges::{Guarantee, largest_step, positive, with_proven};
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::descent::Proven;
use crate::certificate::descent::flips::Flips;
use crate::certificate::descent::jacobian::{AtStart, JacobianPart, at_start, check_start};
use crate::certificate::words::{at_most, rate_words, rounded_down, rounded_up};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Radii tried, each larger than the last by this factor, from the least that can do.
const RADII: usize = 60;
const WIDER: f64 = 1.06;

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, relu_descent_converges};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.001, -0.001])?;
/// let start = Start::Antisymmetric.network(&Activation::RELU, 400, 2, 1.0, 1)?;
/// assert_eq!(relu_descent_converges(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn relu_descent_converges(network: &Network, data: &Data) -> Result<Guarantee> {
    check_start(network, data)?;
    Ok(sharp(&at_start(network, data, JacobianPart::Hidden), &Flips::new(network, data)))
}

/// The theorem for bounds at hand.
pub(in crate::certificate) fn sharp(at: &AtStart, flips: &Flips) -> Guarantee {
    let hypotheses = Theorem::ReluDescentConverges.text().hypotheses;
    let [sigma, residual] = [at.sigma.low, at.residual.high].map(Enclosure::exactly);
    // κ ≤ (5/6)σ₀, so a smaller radius cannot do.
    let least = (1.2 * residual / sigma).high;
    let tried = |index: usize| {
        let radius = least * (1.001 * WIDER.powi(index as i32));
        let off = Enclosure::exactly(flips.perturbation(at, radius));
        let kappa = (Enclosure::exactly(5.0) * (sigma - off)) / Enclosure::exactly(6.0) - 2.0 * off;
        (kappa.low * radius - residual.high, radius, off, kappa)
    };
    let best = (0..RADII).map(tried).find(|(margin, ..)| *margin > 0.0).unwrap_or_else(|| tried(0));
    let (_, radius, off, kappa) = best;
    let margin = kappa * Enclosure::exactly(radius) - residual;
    let beta = Enclosure::exactly(at.norm.high) + off;
    let step = largest_step(3.0, beta);
    let known = flips.is_kinked() && sigma.low > 0.0 && margin.low.is_finite() && step > 0.0;
    let checks = vec![
        Check::count(hypotheses[0], if flips.is_kinked() { 0 } else { -1 }),
        positive(hypotheses[1], at.sigma),
        // A radius that does not do refutes nothing.
        Check::between(hypotheses[2], if known { margin.low } else { f64::NAN }, margin.high.max(0.0)),
    ];
    let rate = Enclosure::exactly(1.0) - Enclosure::exactly(step) * kappa * (sigma - off);
    let path = (residual / kappa).high;
    let proven = Proven { step, residual: residual.high, rate: rate.high.min(1.0), path, slope: kappa.low, bend: 0.0 };
    let facts = facts(at, radius, off);
    let judgement = Judgement::new(Theorem::ReluDescentConverges, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!(
            "gradient descent from this start reaches zero error: the residual falls by the factor {} or better in \
             every step, within {} of the start",
            rate_words(proven.rate),
            at_most(path)
        ),
        _ if !flips.is_kinked() => "about piecewise linear activations only".into(),
        _ => why_not_proved(at, radius, off),
    });
    with_proven(judgement, proven)
}

fn why_not_proved(at: &AtStart, radius: f64, off: Enclosure) -> String {
    if !(at.sigma.low > 0.0) {
        return "not proved: σ_min(J₀) cannot be told from 0".into();
    }
    format!(
        "not proved at this width and output scale: within {} of the start the Jacobian may change by {}, \
         against σ_min(J₀) ≥ {}",
        rounded_up(radius, 3),
        rounded_up(off.high, 3),
        rounded_down(at.sigma.low, 3)
    )
}

fn facts(at: &AtStart, radius: f64, off: Enclosure) -> Vec<Fact> {
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    vec![
        fact("sigma", at.sigma.low, "σ_min(J₀) is at least this"),
        fact("jacobian_norm", at.norm.high, "‖J₀‖ is at most this"),
        fact("residual", at.residual.high, "‖r₀‖ is at most this"),
        fact("radius", radius, "the ball within which sides were counted"),
        fact("perturbation", off.high, "‖J − J₀‖ is at most this within the ball"),
    ]
}
