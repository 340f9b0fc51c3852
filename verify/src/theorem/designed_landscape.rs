//! The designed objective F has no minima but the teacher.
//!
//! # Proof
//! *White coordinates.* M has rank k. Take W (d×k) with columns in its range and WᵀMW = I. The k vectors o_i = √a_i Wᵀb_i
//! have Σ o_i o_iᵀ = I_k, so they are an orthonormal basis. F depends only on the projections of the rows of B on the
//! span of the b_i, which are 𝓑Wᵀ for exactly one k×k matrix 𝓑; B ↦ 𝓑 is linear and onto, so local minima and signs of
//! curvature at stationary points are those in 𝓑. With C_ji = ⟨row j of 𝓑, o_i⟩, ⟨b_i, 𝓑_jWᵀ⟩² = C_ji²/a_i, so
//!
//! ```text
//! F = Σ_i α_i Σ_{j≠l} C_ji² C_li² − Σ_i β_i Σ_j C_ji⁴ + λ Σ_j (‖C_j‖² − 1)²,     α_i = c₁/a_i,  β_i = μc₂/a_i.
//! ```
//!
//! c₁ = 12c₂ gives β_i = (μ/12)α_i, so 0 < β_i < α_i; and β_i < λ. As a function of one row x = C_s alone, F is a constant plus
//! h(x) = Σ ᾱ_i x_i² − Σ β_i x_i⁴ + λ(‖x‖² − 1)², ᾱ_i = 2α_i Σ_{j≠s} C_ji² ≥ 0. With γ = 4λ(‖x‖² − 1),
//!
//! ```text
//! ∂_i h = (2ᾱ_i + γ − 4β_i x_i²) x_i,      vᵀ∇²h v = Σ (2ᾱ_i + γ − 12β_i x_i²) v_i² + 8λ⟨x, v⟩².
//! ```
//!
//! Let C be stationary with no direction of negative curvature.
//!
//! *One entry per row.* If x_1, x_2 ≠ 0, then 2ᾱ_i + γ = 4β_i x_i² for both, and v = x_2 e_1 − x_1 e_2 ⊥ x has the curvature
//! −8(β_1 + β_2)x_1²x_2² < 0. So every row has at most one entry that is not 0.
//!
//! *No row is 0.* The other k − 1 rows leave a column i empty: ᾱ_i = 0. At x = 0 the curvature along e_i is γ = −4λ < 0.
//!
//! *No two rows in one column.* Else some column i is empty, and two rows have entries x, y ≠ 0 in a column l, x² ≤ y². For the
//! row of x: γ = 4β_l x² − 2ᾱ_l and ᾱ_l ≥ 2α_l y² ≥ 2α_l x², so along e_i (orthogonal to the row, ᾱ_i = 0) the curvature
//! is γ ≤ 4(β_l − α_l)x² < 0.
//!
//! So the rows of C are ±t_i e_i in some order, ᾱ_i = 0 in the row of i, and (λ − β_i)t_i² = λ. All these C have one value
//! of F. F ≥ Σ_j (λ(‖C_j‖² − 1)² − max β·‖C_j‖⁴) tends to infinity with C because λ > max β, so F has a global minimum; it
//! is one of them, and then all of them are. The rows of 𝓑Wᵀ are ±t_i√a_i WWᵀb_i; since b_iᵀWWᵀb_j = ⟨o_i, o_j⟩/√(a_i a_j), the
//! rows ±(√a_i/t_i)b_i of the span are dual to them, and a_i/t_i² = a_i − μc₂/λ. ∎
//!
//! The same steps prove it for G (‖B_j‖² in place of B_jᵀMB_j) with orthonormal b_i and λ > μc₂a_max; floats are hardly ever
//! orthonormal, so only F is certified.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::Enclosure;
use crate::error::{Error, Result};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::planted::{Smallest, smallest_square};

use crate::matrix::Matrix;
use crate::network::Network;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "designed-landscape",
    title: "The designed objective F has no minima but the teacher",
    claim: "Let a_i and b_i be the output weights and hidden weights of a teacher of k units, M = Σ a_i b_i b_iᵀ, \
            T = Σ a_i b_i⊗b_i⊗b_i⊗b_i, c₁ = √6|σ̂_4|, c₂ = |σ̂_4|/(2√6), and F(B) = c₁ Σ_{j≠l} T(B_j,B_j,B_l,B_l) − \
            μc₂ Σ_j T(B_j,B_j,B_j,B_j) + λ Σ_j (B_jᵀMB_j − 1)² for B with k rows B_j. F has minima; every local minimum is global; \
            B is one exactly when, its rows projected on the span of the b_i, the rows of its transposed pseudo-inverse \
            are ±√(a_i − μc₂/λ)·b_i in some order. Every other stationary point has a direction of negative curvature.",
    hypotheses: &[
        "all a_i > 0",
        "the b_i are linearly independent: σ_min(W*ᵀ)² > 0",
        "σ̂_4 ≠ 0",
        "μ > 0",
        "μ < 12",
        "λ > μc₂/a_min",
    ],
    evidence: "A given bound on λ_min of the Gram matrix of the b_i by a Cholesky factorisation with Rump's shift, the inequalities with \
               directed rounding. σ̂_4, μ and λ are the given floats.",
    limits: "About F of an exactly known teacher, not about its estimate from samples; about points that are nearly \
             stationary see approximate-recovery. F is the expectation of a function of data only where x ~ N(0, I), the b_i have unit length, \
             there are no hidden biases and σ̂_4 is the coefficient of the teacher's activation: assumed, not checked.",
    source: "After Ge, Lee and Ma (2017), Theorems 2.3, 5.1 and A.4, which ask for μ ≤ 0.01·a_min/a_max and λ ≥ 100/a_min. The \
             range of μ and λ, of which μ < 12 is best possible, and the proof in the file of the theorem were derived for \
             this project.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// σ̂_4
    pub fourth_coefficient: f64,
    /// μ
    pub mu: f64,
    /// λ
    pub lambda: f64,
}

/// What proves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Claimed to be below λ_min of the Gram matrix of the b_i.
    pub smallest: f64,
}

/// c₁/c₂
const RATIO: f64 = 12.0;

/// Apply the theorem to the units of a teacher and the parameters of F.
///
/// ```
/// use shallows_verify::theorem::designed_landscape::{Claim, Proof, judge};
/// use shallows_verify::{Activation, Matrix, Network, Verdict};
///
/// let W = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.0 });
/// let teacher = Network { activation: Activation::Relu, W, v: vec![1.0; 3], ..Network::zero(3) };
/// let claim = |mu: f64| Claim { fourth_coefficient: 0.1, mu, lambda: 50.0 };
/// assert_eq!(judge(&teacher, &claim(0.5), &Proof { smallest: 0.9 })?.verdict(), Verdict::Holds);
/// // The theorem asks for μ < 12.
/// assert_eq!(judge(&teacher, &claim(13.0), &Proof { smallest: 0.9 })?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(teacher: &Network, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    teacher.check()?;
    let Claim { fourth_coefficient, mu, lambda } = *claim;
    if [fourth_coefficient, mu, lambda].iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { what: "the parameters of F" });
    }
    let a = &teacher.v;
    let not_positive = a.iter().filter(|a| !(**a > 0.0)).count();
    let least = a.iter().fold(f64::INFINITY, |least, a| least.min(*a));
    let most = a.iter().fold(0.0_f64, |most, a| most.max(*a));
    let B = Matrix::from_fn(teacher.inputs(), teacher.width(), |i, j| teacher.W[(j, i)]);
    let independence = smallest_square(&B, &Smallest { smallest: proof.smallest, vector: None })?;
    // μc₂/a_min; where a_min is not positive there is no such bound.
    let mu_c_2 = mu * Enclosure::exactly(fourth_coefficient.abs()) / (2.0 * Enclosure::exactly(6.0).sqrt());
    let bound = (least > 0.0 && least.is_finite()).then(|| mu_c_2 / Enclosure::exactly(least));
    let slack = bound.map(|bound| Enclosure::exactly(lambda) - bound);
    let checks = vec![
        Check::count(THEOREM.hypotheses[0], -(not_positive as i64)),
        Check::positive(THEOREM.hypotheses[1], independence),
        Check::positive(THEOREM.hypotheses[2], Enclosure::exactly(fourth_coefficient.abs())),
        Check::positive(THEOREM.hypotheses[3], Enclosure::exactly(mu)),
        // A difference of doubles has the sign of the exact one.
        Check::positive(THEOREM.hypotheses[4], Enclosure::exactly(RATIO - mu)),
        slack.map_or_else(|| Check::open(THEOREM.hypotheses[5]), |slack| Check::positive(THEOREM.hypotheses[5], slack)),
    ];
    let fact = |name, value, side, about| Fact { name, value, side, about };
    let mut facts = vec![fact("smallest_square", independence.low, Side::AtLeast, "σ_min(W*ᵀ)²")];
    if let Some(bound) = bound {
        let printed = Enclosure::exactly(least) / (Enclosure::exactly(100.0) * Enclosure::exactly(most));
        facts.push(fact("least_lambda", bound.high, Side::AtMost, "μc₂/a_min, which λ must exceed"));
        let about = "0.01·a_min/a_max, the most the published theorem allows for μ";
        facts.push(fact("printed_mu", printed.low, Side::AtLeast, about));
    }
    Ok(Judgement::new(Theorem::DesignedLandscape, checks, facts, |verdict| {
        match verdict {
            Verdict::Holds => "every local minimum of F is the teacher, up to the order and the signs of its units",
            Verdict::Undecided => "neither proved nor refuted: a hypothesis cannot be told from its opposite",
            Verdict::Fails => "the theorem does not apply",
        }
        .into()
    }))
}
