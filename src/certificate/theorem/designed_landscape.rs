//! The designed objective F has no minima but the teacher.
//!
//! # Proof
//! *White coordinates.* M has rank k. Take W (d×k) with columns in its range and WᵀMW = I. The k vectors o_l = √a_l Wᵀb_l
//! have Σ o_l o_lᵀ = I_k, so they are an orthonormal basis. F depends only on the projections of the rows of B on the
//! span of the b_l, which are 𝓑Wᵀ for exactly one k×k matrix 𝓑; B ↦ 𝓑 is linear and onto, so local minima and signs of
//! curvature at stationary points are those in 𝓑. With C_pl = ⟨row p of 𝓑, o_l⟩, ⟨b_l, 𝓑_pWᵀ⟩² = C_pl²/a_l, so
//!
//! ```text
//! F = Σ_l α_l Σ_{p≠q} C_pl² C_ql² − Σ_l β_l Σ_p C_pl⁴ + λ Σ_p (‖C_p‖² − 1)²,     α_l = c₁/a_l,  β_l = μc₂/a_l.
//! ```
//!
//! c₁ = 12c₂ gives β_l = (μ/12)α_l, so 0 < β_l < α_l; and β_l < λ. As a function of one row x = C_s alone, F is a constant plus
//! h(x) = Σ ᾱ_l x_l² − Σ β_l x_l⁴ + λ(‖x‖² − 1)², ᾱ_l = 2α_l Σ_{p≠s} C_pl² ≥ 0. With γ = 4λ(‖x‖² − 1),
//!
//! ```text
//! ∂_l h = (2ᾱ_l + γ − 4β_l x_l²) x_l,      vᵀ∇²h v = Σ (2ᾱ_l + γ − 12β_l x_l²) v_l² + 8λ⟨x, v⟩².
//! ```
//!
//! Let C be stationary with no direction of negative curvature.
//!
//! *One entry per row.* If x_1, x_2 ≠ 0, then 2ᾱ_l + γ = 4β_l x_l² for both, and v = x_2 e_1 − x_1 e_2 ⊥ x has the curvature
//! −8(β_1 + β_2)x_1²x_2² < 0. So every row has at most one entry that is not 0.
//!
//! *No row is 0.* The other k − 1 rows leave a column l empty: ᾱ_l = 0. At x = 0 the curvature along e_l is γ = −4λ < 0.
//!
//! *No two rows in one column.* Else some column l is empty, and two rows have entries x, y ≠ 0 in a column m, x² ≤ y². For the
//! row of x: γ = 4β_m x² − 2ᾱ_m and ᾱ_m ≥ 2α_m y² ≥ 2α_m x², so along e_l (orthogonal to the row, ᾱ_l = 0) the curvature
//! is γ ≤ 4(β_m − α_m)x² < 0.
//!
//! So the rows of C are ±t_l e_l in some order, ᾱ_l = 0 in the row of l, and (λ − β_l)t_l² = λ. All these C have one value
//! of F. F ≥ Σ_p (λ(‖C_p‖² − 1)² − max β·‖C_p‖⁴) tends to infinity with C because λ > max β, so F has a global minimum; it
//! is one of them, and then all of them are. The rows of 𝓑Wᵀ are ±t_l√a_l WWᵀb_l; since b_lᵀWWᵀb_m = ⟨o_l, o_m⟩/√(a_l a_m), the
//! rows ±(√a_l/t_l)b_l of the span are dual to them, and a_l/t_l² = a_l − μc₂/λ. ∎
//!
//! The same steps prove it for G (‖B_p‖² in place of B_pᵀMB_p) with orthonormal b_l and λ > μc₂a_max; floats are hardly ever
//! orthonormal, so only F is certified.

use super::descent_converges::positive;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::landscape::planted::smallest_square;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::Network;

/// c₁/c₂
const RATIO: f64 = 12.0;

/// Apply the theorem to the units of a teacher and the parameters of F.
///
/// ```
/// use shallows::certificate::{Verdict, designed_landscape};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let teacher = Network::new(Activation::RELU, Matrix::identity(3), vec![1.0; 3])?;
/// assert_eq!(designed_landscape(&teacher, 0.1, 0.5, 50.0)?.verdict(), Verdict::Holds);
/// // The theorem asks for μ < 12.
/// assert_eq!(designed_landscape(&teacher, 0.1, 13.0, 50.0)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn designed_landscape(teacher: &Network, sigma_4: f64, mu: f64, lambda: f64) -> Result<Judgement> {
    teacher.check()?;
    check_finite(&[(Parameter::FourthCoefficient, sigma_4), (Parameter::Mu, mu), (Parameter::Lambda, lambda)])?;
    let a = &teacher.v;
    let not_positive = a.iter().filter(|a| !(**a > 0.0)).count();
    let least = a.iter().fold(f64::INFINITY, |least, a| least.min(*a));
    let most = a.iter().fold(0.0_f64, |most, a| most.max(*a));
    let independence = smallest_square(&teacher.W.transposed());
    // μc₂/a_min; where a_min is not positive there is no such bound.
    let mu_c_2 = mu * Enclosure::exactly(sigma_4.abs()) / (2.0 * Enclosure::exactly(6.0).sqrt());
    let bound = (least > 0.0).then(|| mu_c_2 / Enclosure::exactly(least));
    let slack = bound.map(|bound| Enclosure::exactly(lambda) - bound);
    let checks = vec![
        Check::count(Theorem::DesignedLandscape.text().hypotheses[0], -(not_positive as i64)),
        positive(Theorem::DesignedLandscape.text().hypotheses[1], independence),
        positive(Theorem::DesignedLandscape.text().hypotheses[2], Enclosure::exactly(sigma_4.abs())),
        positive(Theorem::DesignedLandscape.text().hypotheses[3], Enclosure::exactly(mu)),
        positive(Theorem::DesignedLandscape.text().hypotheses[4], Enclosure::exactly(RATIO) - Enclosure::exactly(mu)),
        slack.map_or_else(|| Check::open(Theorem::DesignedLandscape.text().hypotheses[5]), |slack| positive(Theorem::DesignedLandscape.text().hypotheses[5], slack)),
    ];
    let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
    let mut facts = vec![fact("smallest_square", independence.low, "σ_min(W*ᵀ)² is at least this")];
    if let Some(bound) = bound {
        let printed = Enclosure::exactly(least) / (Enclosure::exactly(100.0) * Enclosure::exactly(most));
        facts.push(fact("least_lambda", bound.high, "any λ above this will do"));
        facts.push(fact("printed_mu", printed.low, "0.01·a_min/a_max, the most the published theorem allows for μ"));
    }
    facts.retain(|fact| fact.value.is_finite());
    Ok(Judgement::new(Theorem::DesignedLandscape, checks, facts, |verdict| {
        match verdict {
            Verdict::Holds => "every local minimum of F is the teacher, up to the order and the signs of its units",
            Verdict::Undecided => "neither proved nor refuted: a hypothesis cannot be told from its opposite",
            Verdict::Fails => "the theorem does not apply",
        }
        .into()
    }))
}

fn check_finite(parameters: &[(Parameter, f64)]) -> Result<()> {
    match parameters.iter().find(|(_, value)| !value.is_finite()) {
        Some((name, value)) => Err(Error::parameter(*name, Requirement::Finite, *value)),
        None => Ok(()),
    }
}
