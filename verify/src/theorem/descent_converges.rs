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
//! true ones only weaken what is said, so bounds will do: in β, too, σ₀ is the lower bound. ∎

use super::{Theorem, TheoremText};
use crate::arithmetic::Enclosure;
use crate::descent::{AtStart, Guarantee, JacobianPart, Proven, longest_step, step_allowed, supremum};
pub use crate::descent::{DescentClaim as Claim, SpectrumProof as Proof};
use crate::error::Result;
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::network::Network;
use crate::rows::Rows;
use crate::words::{at_most, rate_words, rounded_up};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "descent-converges",
    title: "Gradient descent on the hidden layer reaches zero error",
    claim: "Gradient descent on W with step η, from this start on these rows, reaches zero error: it stays within s* of \
            the start, and ‖r_{τ+1}‖ ≤ (1 − γησ₀²(1 − z))‖r_τ‖ in every step, where z = 2·Lip·‖r₀‖/(γσ₀²) and \
            γ = 1 − ηβ²/2 − η·Lip·‖r₀‖/2.",
    hypotheses: &[
        "sup|φ''| is finite",
        "σ₀ = σ_min(J₀) > 0",
        "2·Lip·‖r₀‖ ≤ σ₀²",
        "2·Lip·‖r₀‖ ≤ γσ₀²",
        "η ≤ 1/(2β²), β = ‖J₀‖ + (17/16)σ₀",
    ],
    evidence: "σ₀ by a Cholesky factorisation of J₀J₀ᵀ with Rump's shift, φ and φ' between proved bounds, everything else \
               with directed rounding.",
    limits: "About gradient descent in exact arithmetic, and about these rows.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 6.10 and Corollary 6.11, sharpened for this project; the proof is \
             in the file of the theorem.",
};

/// Judge the claim.
pub fn judge(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    Ok(guarantee(network, rows, claim, proof)?.judgement)
}

/// The same, with the numbers that are proved.
pub fn guarantee(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Guarantee> {
    guarantee_at(network, &AtStart::new(network, rows, JacobianPart::Hidden, proof)?, claim)
}

/// The same with the bounds of [`StartMatrices`](crate::descent::StartMatrices) at hand, for the hidden layer.
pub fn guarantee_at(network: &Network, at: &AtStart, claim: &Claim) -> Result<Guarantee> {
    claim.check()?;
    let curvature = network.activation.curvature_bound();
    let theorem = Theorem::DescentConverges;
    let found = Sharp::new(at, hidden_lipschitz(at, curvature), claim.step);
    let mut checks =
        vec![Check::finite(theorem.hypothesis(0), curvature), Check::positive(theorem.hypothesis(1), at.sigma)];
    checks.extend(found.checks(theorem));
    Ok(found.guarantee(theorem, checks, claim.tolerance))
}

/// A step to claim.
pub fn step_to_claim(at: &AtStart) -> f64 {
    longest_step(2.0, beta(at).high)
}

/// ‖J₀‖ + (17/16)σ₀ with the lower bound of σ₀.
fn beta(at: &AtStart) -> Enclosure {
    at.norm + 1.0625 * Enclosure::exactly(at.sigma.low)
}

/// Lip = M·max|v|·‖X‖·max‖x‖
pub(super) fn hidden_lipschitz(at: &AtStart, curvature: f64) -> Enclosure {
    supremum(curvature) * Enclosure::exactly(at.largest_output) * at.inputs * at.longest
}

/// The numbers of the theorem.
#[derive(Clone, Copy)]
pub(super) struct Sharp {
    pub at: AtStart,
    pub lipschitz: Enclosure,
    /// 2·Lip·‖r₀‖
    pub need: Enclosure,
    pub beta: Enclosure,
    pub step: f64,
    pub gamma: Enclosure,
}

impl Sharp {
    pub fn new(at: &AtStart, lipschitz: Enclosure, step: f64) -> Sharp {
        let (one, beta) = (Enclosure::exactly(1.0), beta(at));
        let need = 2.0 * (lipschitz * at.residual);
        let eta = Enclosure::exactly(step);
        let gamma = one - 0.5 * (eta * beta.squared()) - 0.25 * (eta * need);
        Sharp { at: *at, lipschitz, need, beta, step, gamma }
    }

    /// The two inequalities between Lip·‖r₀‖ and σ₀², and that about the step: hypotheses 2, 3 and 4.
    pub fn checks(&self, theorem: Theorem) -> [Check; 3] {
        let square = self.at.sigma.squared();
        // γ ≤ 1 always; a negative γ must not turn the inequality round.
        let gamma = self.gamma.max(Enclosure::exactly(0.0)).min(Enclosure::exactly(1.0));
        let check = |at: usize, margin: Enclosure| Check::between(theorem.hypothesis(at), margin.low, margin.high);
        [
            check(2, square - self.need),
            check(3, gamma * square - self.need),
            step_allowed(theorem.hypothesis(4), self.step, 2.0, self.beta),
        ]
    }

    /// What is proved, from the safe ends of all bounds.
    pub fn proven(&self) -> Proven {
        let one = Enclosure::exactly(1.0);
        let sigma = Enclosure::exactly(self.at.sigma.low);
        let [lipschitz, residual, need] =
            [self.lipschitz, self.at.residual, self.need].map(|bound| Enclosure::exactly(bound.high));
        let gamma = Enclosure::exactly(self.gamma.low);
        let z = need / (gamma * sigma.squared());
        let rest = (one - z).max(Enclosure::exactly(0.0));
        // s* = (σ₀/Lip)(1 − √(1−z)), written without the cancellation and without the division by Lip.
        let path = 2.0 * residual / (gamma * sigma * (one + rest.sqrt()));
        let decrease = gamma * Enclosure::exactly(self.step) * sigma.squared() * rest;
        Proven {
            step: self.step,
            residual: residual.high,
            decrease: decrease.low.max(0.0),
            path: path.high,
            slope: (gamma * sigma).low,
            bend: (0.5 * (gamma * lipschitz)).high,
        }
    }

    /// The judgement, and what it proves if it holds.
    pub fn guarantee(&self, theorem: Theorem, checks: Vec<Check>, tolerance: f64) -> Guarantee {
        let Sharp { at, lipschitz, .. } = self;
        let shortfall = (self.need / at.sigma.squared()).high;
        let fact = |name, value, side, about| Fact { name, value, side, about };
        let facts = vec![
            fact("sigma", at.sigma.low, Side::AtLeast, "σ_min(J₀)"),
            fact("jacobian_norm", at.norm.high, Side::AtMost, "‖J₀‖"),
            fact("lipschitz", lipschitz.high, Side::AtMost, "a Lipschitz constant of the Jacobian"),
            fact("residual", at.residual.high, Side::AtMost, "‖r₀‖"),
            fact("ratio", shortfall, Side::AtMost, "2·Lip·‖r₀‖/σ₀²; below 1 is needed"),
        ];
        let proven = self.proven();
        let judgement =
            Judgement::new(theorem, checks, facts, |verdict| descent_statement(verdict, at, &proven, shortfall));
        Guarantee::new(judgement, proven, tolerance)
    }
}

fn descent_statement(verdict: Verdict, at: &AtStart, proven: &Proven, shortfall: f64) -> String {
    match verdict {
        Verdict::Holds => format!(
            "gradient descent from this start reaches zero error: the residual falls by the factor {} or better in \
             every step, within {} of the start",
            rate_words(proven.rate()),
            at_most(proven.path)
        ),
        _ if at.sigma.high == 0.0 => "the Jacobian has fewer columns than there are rows".into(),
        _ if !at.examined => "not decided: there are too many rows to look at the spectrum of the Jacobian".into(),
        _ if !(at.sigma.low > 0.0) => format!(
            "not proved: σ_min(J₀) is at most {} and not proved to be above 0; rows that are nearly equal, or too few \
             units, do this",
            rounded_up(at.sigma.high, 2)
        ),
        _ => format!("not proved at this width, output scale and step: 2·Lip·‖r₀‖ is {shortfall:.3e} times σ₀²"),
    }
}
