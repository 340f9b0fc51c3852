//! Gradient descent on the hidden layer reaches zero error, at a rate.
//!
//! # Proof
//! The loss is ½‖r‖² with r = f − y (rows weighted by √wᵢ). Let J be the Jacobian in W, M = sup|φ''|,
//! Lip = M·max|v_l|·‖X‖·max‖xᵢ‖, so that ‖J(W) − J(W')‖ ≤ Lip·‖W − W'‖ (row i of the difference is
//! Σ_l v_l(φ'(w_l·xᵢ) − φ'(w'_l·xᵢ)) e_l⊗xᵢ, and the factors before xᵢ have norm at most M·max|v_l|·max‖xᵢ‖·‖W − W'‖).
//! Let β = ‖J₀‖ + (17/16)σ₀, η ≤ 1/(2β²), γ = 1 − ηβ²/2 − η·Lip·‖r₀‖/2, z = 2·Lip·‖r₀‖/(γσ₀²) ≤ 1, and s* the
//! smaller root of h(s) = γ(σ₀s − Lip·s²/2) = ‖r₀‖. Let s be the length of the path so far.
//!
//! One step: r⁺ = r − ηJ̄Jᵀr with the average J̄ of the Jacobian along the step, and with g = ‖Jᵀr‖
//! ‖J̄ − J‖ ≤ Lip·ηg/2. While s ≤ s* ≤ σ₀/Lip, ‖J̄‖ ≤ ‖J₀‖ + Lip·s + Lip·ηg/2 ≤ ‖J₀‖ + σ₀ + σ₀/16 = β, since
//! ηg ≤ ‖r₀‖/(2β), Lip·‖r₀‖ ≤ σ₀²/2 and β ≥ 2σ₀. So ‖r⁺‖² ≤ ‖r‖² − 2ηg²(1 − η·Lip·‖r‖/2) + η²β²g², hence
//! ‖r⁺‖ ≤ ‖r‖ − γηg²/‖r‖, and with g ≥ (σ₀ − Lip·s)‖r‖
//!
//! ```text
//! ‖r⁺‖ ≤ ‖r‖ − h'(s)·Δs,   Δs = ηg.                                                            (1)
//! ```
//!
//! h' decreases, so the sum of (1) gives h(s) + ‖r‖ ≤ ‖r₀‖. A step cannot jump over s*: by (1) h(s) + h'(s)Δs ≤
//! h(s) + ‖r‖ ≤ ‖r₀‖ = h(s*), and the tangent of the concave h at s lies above h, so it reaches h(s*) not after s*.
//! Finally g² ≥ (σ₀ − Lip·s*)²‖r‖² = σ₀²(1 − z)‖r‖² gives the rate. Larger Lip, ‖r₀‖, ‖J₀‖ and smaller σ₀ than the
//! true ones only weaken what is said, so bounds will do. ∎

use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::descent::Proven;
use crate::certificate::descent::jacobian::{AtStart, JacobianPart, at_start, check_start};
use crate::certificate::descent::units::curvature_bound;
use crate::certificate::words::{at_most, rate_words, rounded_up};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// A theorem about descent applied to a start: the judgement, and what it proves when it holds.
/// [`descent_converges`] shows its use.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// The judgement.
    pub judgement: Judgement,
    /// Its numbers; none unless it holds.
    pub proven: Option<Proven>,
}

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, descent_converges};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// let guarantee = descent_converges(&start, &data)?;
/// assert_eq!(guarantee.judgement.verdict(), Verdict::Holds);
/// assert!(guarantee.proven.is_some_and(|proven| proven.rate < 1.0));
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn descent_converges(network: &Network, data: &Data) -> Result<Guarantee> {
    check_start(network, data)?;
    Ok(sharp(
        Theorem::DescentConverges,
        &at_start(network, data, JacobianPart::Hidden),
        curvature_bound(&network.activation),
    ))
}

/// The theorem for bounds at hand.
pub(in crate::certificate) fn sharp(theorem: Theorem, at: &AtStart, curvature: f64) -> Guarantee {
    let lipschitz = hidden_lipschitz(at, curvature);
    let found = Sharp::new(at, lipschitz);
    let checks = vec![finite(theorem.hypothesis(0), curvature), positive(theorem.hypothesis(1), at.sigma)]
        .into_iter()
        .chain(found.checks(theorem.hypothesis(2), theorem.hypothesis(3)))
        .collect();
    found.guarantee(theorem, checks)
}

/// The numbers of the sharp certificate.
#[derive(Clone, Copy)]
pub(in crate::certificate) struct Sharp {
    pub at: AtStart,
    pub lipschitz: Enclosure,
    /// 2·Lip·‖r₀‖
    pub need: Enclosure,
    pub beta: Enclosure,
    pub step: f64,
    pub gamma: Enclosure,
}

impl Sharp {
    pub(crate) fn new(at: &AtStart, lipschitz: Enclosure) -> Sharp {
        let one = Enclosure::exactly(1.0);
        let beta = at.norm + 1.0625 * at.sigma;
        let step = largest_step(2.0, beta);
        let need = 2.0 * (lipschitz * at.residual);
        let eta = Enclosure::exactly(step);
        let gamma = one - 0.5 * (eta * beta.squared()) - 0.25 * (eta * need);
        Sharp { at: *at, lipschitz, need, beta, step, gamma }
    }

    /// The two inequalities between Lip·‖r₀‖ and σ₀².
    pub(crate) fn checks(&self, first: &str, second: &str) -> [Check; 2] {
        let square = self.at.sigma.squared();
        // γ ≤ 1 always; a negative γ must not turn the inequality round.
        let gamma = self.gamma.max(Enclosure::exactly(0.0)).min(Enclosure::exactly(1.0));
        let margins = [square - self.need, gamma * square - self.need];
        let check = |hypothesis: &str, margin: Enclosure| Check::between(hypothesis, margin.low, margin.high);
        [check(first, margins[0]), check(second, margins[1])]
    }

    /// What is proved, from the safe ends of all bounds.
    pub(crate) fn proven(&self) -> Proven {
        let one = Enclosure::exactly(1.0);
        let sigma = Enclosure::exactly(self.at.sigma.low);
        let [lipschitz, residual, need] =
            [self.lipschitz, self.at.residual, self.need].map(|bound| Enclosure::exactly(bound.high));
        let gamma = Enclosure::exactly(self.gamma.low);
        let z = need / (gamma * sigma.squared());
        let rest = (one - z).max(Enclosure::exactly(0.0));
        // s* = (σ₀/Lip)(1 − √(1−z)), written without the cancellation and without the division by Lip.
        let path = 2.0 * residual / (gamma * sigma * (one + rest.sqrt()));
        let rate = one - gamma * Enclosure::exactly(self.step) * sigma.squared() * rest;
        Proven {
            step: self.step,
            residual: residual.high,
            rate: rate.high.min(1.0),
            path: path.high,
            slope: (gamma * sigma).low,
            bend: (0.5 * (gamma * lipschitz)).high,
        }
    }

    /// The certificate, and what it proves if it holds.
    pub(crate) fn guarantee(&self, theorem: Theorem, checks: Vec<Check>) -> Guarantee {
        let Sharp { at, lipschitz, .. } = self;
        let mut facts = vec![
            Fact { name: "sigma", value: at.sigma.low, side: Side::AtLeast, about: "σ_min(J₀) is at least this" },
            Fact { name: "jacobian_norm", value: at.norm.high, side: Side::AtMost, about: "‖J₀‖ is at most this" },
            Fact { name: "lipschitz", value: lipschitz.high, side: Side::Exactly, about: "a Lipschitz constant of the Jacobian" },
            Fact { name: "residual", value: at.residual.high, side: Side::AtMost, about: "‖r₀‖ is at most this" },
        ];
        let shortfall = (self.need / at.sigma.squared()).high;
        facts.push(Fact {
            name: "ratio",
            value: shortfall,
            side: Side::AtMost,
            about: "2·Lip·‖r₀‖/σ₀² is at most this; below 1 is needed",
        });
        let proven = self.proven();
        let judgement =
            Judgement::new(theorem, checks, facts, |verdict| descent_statement(verdict, at, &proven, shortfall));
        with_proven(judgement, proven)
    }
}

/// Attach what is proved, and its numbers as facts, if the judgement holds.
pub(in crate::certificate) fn with_proven(mut judgement: Judgement, proven: Proven) -> Guarantee {
    let holds = judgement.verdict() == Verdict::Holds;
    if holds {
        judgement.facts.extend([
            Fact { name: "step", value: proven.step, side: Side::Exactly, about: "η on the loss ½Σr²" },
            Fact { name: "rate", value: proven.rate, side: Side::Exactly, about: "‖r‖ falls by this factor or better in every step" },
            Fact { name: "path", value: proven.path, side: Side::AtMost, about: "the whole path is at most this long" },
        ]);
    }
    Guarantee { judgement, proven: holds.then_some(proven) }
}

fn descent_statement(verdict: Verdict, at: &AtStart, proven: &Proven, shortfall: f64) -> String {
    match verdict {
        Verdict::Holds => format!(
            "gradient descent from this start reaches zero error: the residual falls by the factor {} or better in \
             every step, within {} of the start",
            rate_words(proven.rate),
            at_most(proven.path)
        ),
        _ if at.sigma.high == 0.0 => "the Jacobian has fewer columns than there are distinct rows".into(),
        _ if !at.examined => {
            "not decided: there are too many distinct rows to compute the spectrum of the Jacobian".into()
        }
        _ if !(at.sigma.low > 0.0) => format!(
            "not proved: σ_min(J₀) is at most {} and cannot be told from 0; rows that are nearly equal, or too few \
             units, do this",
            rounded_up(at.sigma.high, 2)
        ),
        _ => format!("not proved at this width and output scale: 2·Lip·‖r₀‖ is {shortfall:.3e} times σ₀²"),
    }
}

/// 1/(share·β²) from below; NaN where that is not a positive number, and no step at all.
pub(in crate::certificate) fn largest_step(share: f64, beta: Enclosure) -> f64 {
    let step = (Enclosure::exactly(1.0) / (share * beta.squared())).low.next_down();
    if step > 0.0 { step } else { f64::NAN }
}

/// Lip = M·max|v|·‖X‖·max‖x‖
pub(in crate::certificate) fn hidden_lipschitz(at: &AtStart, curvature: f64) -> Enclosure {
    Enclosure::exactly(curvature) * Enclosure::exactly(at.largest_output) * at.inputs * at.longest
}

/// A bound that exists.
pub(in crate::certificate) fn finite(hypothesis: &str, bound: f64) -> Check {
    Check::count(hypothesis, if bound.is_finite() { 0 } else { -1 })
}

/// A number that is above 0, not only not below it.
pub(in crate::certificate) fn positive(hypothesis: &str, value: Enclosure) -> Check {
    match value {
        Enclosure { high, .. } if high <= 0.0 => Check::count(hypothesis, -1),
        Enclosure { low, high } if low > 0.0 => Check::between(hypothesis, low, high),
        // Not to be told from 0: the margin may be anything up to `high`.
        Enclosure { high, .. } => Check { hypothesis: hypothesis.into(), margin: 0.5 * high, error: high },
    }
}
