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

use super::descent_converges::{Guarantee, Sharp, finite, positive};
use crate::activation::{Activation, Smooth};
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::descent::jacobian::{AtStart, JacobianPart, at_start, check_start};
use crate::certificate::descent::units::{curvature_bound, slope_bound};
use crate::certificate::{Check, Theorem, Verdict};
use crate::data::Data;
use crate::error::Result;
use crate::network::Network;

/// Radii tried, in units of ‖r₀‖/σ₀.
const RADII: [f64; 8] = [1.02, 1.1, 1.25, 1.4, 1.6, 1.9, 2.3, 3.0];

/// Apply the theorem to a network and rows.
///
/// ```
/// use shallows::certificate::descent::Start;
/// use shallows::certificate::{Verdict, both_layers_converge};
/// use shallows::{Activation, Data};
///
/// let data = Data::from_rows(&[[1.0, 0.0], [0.0, 1.0]], &[0.01, -0.01])?;
/// let start = Start::Antisymmetric.network(&Activation::TANH, 200, 2, 1.0, 1)?;
/// assert_eq!(both_layers_converge(&start, &data)?.judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn both_layers_converge(network: &Network, data: &Data) -> Result<Guarantee> {
    check_start(network, data)?;
    let at = at_start(network, data, JacobianPart::Both);
    let curvature = curvature_bound(&network.activation);
    let tried = |share: &f64| {
        let radius = share * at.residual.high / at.sigma.low;
        let found = Sharp::new(&at, lipschitz(&network.activation, &at, curvature, radius));
        let reach = Enclosure::exactly(found.proven().path) + at.residual / (2.0 * found.beta);
        (found, Enclosure::exactly(radius) - reach)
    };
    let guarantee = |(found, room): (Sharp, Enclosure)| {
        let hypotheses = Theorem::BothLayersConverge.text().hypotheses;
        // A radius that does not do refutes nothing.
        let undecided = |check: Check| Check { error: check.error.max(check.margin.abs()), ..check };
        let mut checks = vec![finite(hypotheses[0], curvature), positive(hypotheses[1], at.sigma)];
        let inequalities = found.checks(hypotheses[2], hypotheses[3]).into_iter();
        let room = Check::between(hypotheses[4], room.low, room.high);
        checks.extend(
            inequalities
                .chain([room])
                .map(|check| if check.verdict() == Verdict::Fails { undecided(check) } else { check }),
        );
        found.guarantee(Theorem::BothLayersConverge, checks)
    };
    let holding = RADII.iter().map(tried).map(guarantee).find(|guarantee| guarantee.proven.is_some());
    Ok(holding.unwrap_or_else(|| guarantee(tried(&RADII[0]))))
}

/// Lip(ρ)
fn lipschitz(activation: &Activation, at: &AtStart, curvature: f64, radius: f64) -> Enclosure {
    let radius = Enclosure::exactly(radius);
    let p = Enclosure::exactly(curvature) * (Enclosure::exactly(at.largest_output) + radius) * at.longest;
    let slope = match activation {
        // |φ'(z)| ≤ 2|α||z| + |β|, and |z| ≤ (‖w_l‖ + ρ)‖xᵢ‖.
        Activation::Smooth(Smooth::Quadratic { alpha, beta, .. }) => {
            let reach = (Enclosure::exactly(at.longest_unit) + radius) * at.longest;
            2.0 * alpha.abs() * reach + Enclosure::exactly(beta.abs())
        }
        other => Enclosure::exactly(slope_bound(other)),
    };
    let root = (p.squared() + 4.0 * slope.squared()).sqrt();
    0.5 * (at.inputs * (p + root))
}
