//! Gradient descent on both layers reaches zero error, at a rate.
//!
//! # Notation
//! Lip(ρ) = ‖X‖(p + √(p² + 4B²))/2 with p = M(max|v_l| + ρ)max‖xᵢ‖; B bounds |φ'| everywhere, or for z² on what the ball of
//! radius ρ can reach.
//!
//! # Proof
//! As for `descent-converges`, with a Lipschitz constant that holds within ρ of the start. For (W, v) and (W', v') in
//! that ball the difference of row i of J is (Δ_i ⊗ xᵢ, φ(W xᵢ) − φ(W'xᵢ)) with
//! Δ_i = v∘φ'(Wxᵢ) − v'∘φ'(W'xᵢ), so ‖Δ_i‖ ≤ p‖W − W'‖ + B‖v − v'‖; and ‖φ(XWᵀ) − φ(XW'ᵀ)‖ ≤ B‖X‖‖W − W'‖. The norm of
//! the whole is at most ‖X‖ times that of the matrix [p B; B 0] applied to (‖W − W'‖, ‖v − v'‖), whose norm is
//! (p + √(p² + 4B²))/2. The iterates, and the averages of a step that begins within s*, stay within
//! s* + ‖r₀‖/(2β) ≤ ρ. ∎

use super::descent_converges::Sharp;
use super::{Theorem, TheoremText};
use crate::activation::Activation;
use crate::arithmetic::Enclosure;
use crate::descent::{AtStart, Guarantee, JacobianPart, never_refuted};
pub use crate::descent::{BallProof as Proof, DescentClaim as Claim};
use crate::error::{Result, check_range};
use crate::judgement::{Check, Judgement};
use crate::network::Network;
use crate::rows::Rows;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "both-layers-converge",
    title: "Gradient descent on both layers reaches zero error",
    claim: "Gradient descent on (W, v) with step η, from this start on these rows, reaches zero error: it stays within \
            s* of the start, and ‖r_{τ+1}‖ ≤ (1 − γησ₀²(1 − z))‖r_τ‖ in every step, where \
            z = 2·Lip(ρ)·‖r₀‖/(γσ₀²).",
    hypotheses: &[
        "sup|φ''| is finite",
        "σ₀ = σ_min(J₀) > 0",
        "2·Lip(ρ)·‖r₀‖ ≤ σ₀²",
        "2·Lip(ρ)·‖r₀‖ ≤ γσ₀²",
        "η ≤ 1/(2β²), β = ‖J₀‖ + (17/16)σ₀",
        "s* + ‖r₀‖/(2β) ≤ ρ",
    ],
    evidence: "As for descent-converges, with a Lipschitz constant that holds within ρ of the start, for one ρ.",
    limits: "About gradient descent in exact arithmetic, and about these rows. Where the ρ of the \
             proof will not do, it is undecided, not refuted.",
    source: "The setting of Soltanolkotabi, Javanmard and Lee (2019), Theorem 2.5, whose constants are unspecified; \
             derived for this project, with the proof in the file of the theorem.",
};

/// Judge the claim.
pub fn judge(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    Ok(guarantee(network, rows, claim, proof)?.judgement)
}

/// The same, with the numbers that are proved.
pub fn guarantee(network: &Network, rows: Rows, claim: &Claim, proof: &Proof) -> Result<Guarantee> {
    let at = AtStart::new(network, rows, JacobianPart::Both, &proof.spectrum)?;
    guarantee_at(network, &at, claim, proof.radius)
}

/// The same with the bounds of [`StartMatrices`](crate::descent::StartMatrices) at hand, for both layers.
pub fn guarantee_at(network: &Network, at: &AtStart, claim: &Claim, radius: f64) -> Result<Guarantee> {
    claim.check()?;
    check_range("the radius", radius, 0.0, f64::MAX)?;
    let (curvature, theorem) = (network.activation.curvature_bound(), Theorem::BothLayersConverge);
    let found = Sharp::new(at, lipschitz(&network.activation, at, radius), claim.step);
    let reach = reach(&found);
    let room = Enclosure::exactly(radius) - Enclosure::exactly(reach);
    let mut checks =
        vec![Check::finite(theorem.hypothesis(0), curvature), Check::positive(theorem.hypothesis(1), at.sigma)];
    // A radius that does not do refutes nothing.
    checks.extend(found.checks(theorem).map(never_refuted));
    checks.push(never_refuted(Check::between(theorem.hypothesis(5), room.low, room.high)));
    Ok(found.guarantee(theorem, checks, claim.tolerance))
}

/// Whether this radius leaves room, and so may be put into a proof.
pub fn radius_suffices(network: &Network, at: &AtStart, step: f64, radius: f64) -> bool {
    let found = Sharp::new(at, lipschitz(&network.activation, at, radius), step);
    let reach = reach(&found);
    let need = found.gamma.low * at.sigma.squared().low - found.need.high;
    need > 0.0 && reach < radius
}

/// s* + ‖r₀‖/(2β) from above: a step is at most 1/(2β²) long for the upper bound of β.
fn reach(found: &Sharp) -> f64 {
    let [path, residual, beta] = [found.proven().path, found.at.residual.high, found.beta.high].map(Enclosure::exactly);
    (path + residual / (2.0 * beta)).high
}

/// Lip(ρ)
fn lipschitz(activation: &Activation, at: &AtStart, radius: f64) -> Enclosure {
    let radius = Enclosure::exactly(radius);
    let curvature = Enclosure::exactly(activation.curvature_bound());
    let p = curvature * (Enclosure::exactly(at.largest_output) + radius) * at.longest;
    let slope = match activation {
        // |φ'(z)| ≤ 2|α||z| + |β|, and |z| ≤ (‖w_l‖ + ρ)‖xᵢ‖.
        Activation::Quadratic { alpha, beta, .. } => {
            let reach = (Enclosure::exactly(at.longest_unit) + radius) * at.longest;
            2.0 * (alpha.abs() * reach) + Enclosure::exactly(beta.abs())
        }
        other => Enclosure::exactly(other.slope_bound()),
    };
    let root = (p.squared() + 4.0 * slope.squared()).sqrt();
    0.5 * (at.inputs * (p + root))
}
