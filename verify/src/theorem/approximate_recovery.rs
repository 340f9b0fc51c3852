//! Nearly stationary points of F without much negative curvature are near the teacher.
//!
//! # Notation
//! With α = c₁/a and β = μc₂/a at a_min and a_max, δ₀ > 0 with 8β_min δ₀³ ≥ τδ₀ + ε (or δ₀ = ε = τ = 0), ā = 2α_max(k − 1)δ₀²,
//! ξ = ε/(2(λ − ā)), ℓ² = 1 − (ā + ε)/(2λ) − (k − 1)δ₀²:
//! 0 < a_min ≤ a_max; σ̂_4 ≠ 0; 0 < μ < 12; λ > β_max; 2λ(1 − 4ξ²) > 2ā + τ;
//! α_min(1 − μ/12) > (2ε + τ)(1 + 4δ₀²) + 2ā; κ := 4(α_min + β_min)ℓ² − 2ā − 2ε − 4β_max δ₀² > 0.
//! Then δ₁ = ε/κ and η = (k − 1)δ₁²(1 + α_max/λ) + ε/(2λ).
//!
//! # Proof
//! In the coordinates and the notation of the proof of `designed-landscape`, α_i and β_i lie between their values at a_max (min)
//! and a_min (max). For a row x put A_i = 2ᾱ_i + γ − 4β_i x_i²; then |A_i x_i| ≤ ε. The hypotheses contain that ā < λ (the last but
//! two) and that 2ā < α_min, so (k − 1)δ₀² < ¼ (the last but one).
//!
//! 1. *At most one large entry.* Let δ > 0 be the second largest |x_i|, say |x_1| ≥ |x_2| = δ. The unit vector along
//!    x_2e_1 − x_1e_2, orthogonal to x, has the curvature (x_2²(A_1 − 8β_1x_1²) + x_1²(A_2 − 8β_2x_2²))/(x_1² + x_2²) ≤ ε/δ − 8β_min δ²,
//!    since x_1² ≥ x_2². It is at least −τ: 8β_min δ³ ≤ τδ + ε. The cubic 8β_min δ³ − τδ − ε changes its sign once, so δ ≤ δ₀.
//! 2. *No small row.* Some column i has |C_ji| ≤ δ₀ in all other rows (they have k − 1 large entries at most), so ᾱ_i ≤ ā. If
//!    ‖x‖² < ½, then γ < −2λ, A_i ≤ 2ā − 2λ < 0, |x_i| ≤ ε/(2λ − 2ā) = ξ, and the curvature along e_i is at most
//!    2ā − 2λ + 8λξ² < −τ. So ‖x‖² ≥ ½, and the largest entry has x_l² ≥ ½ − (k − 1)δ₀² ≥ ¼.
//! 3. *No two rows on one unit.* Else some column i has only entries of size ≤ δ₀, and two rows have their largest entries x_l, y_l
//!    in one column, x_l² ≤ y_l². Let r = x_i/x_l, |r| ≤ 2δ₀. Along e_i − re_l ⊥ x the curvature is
//!    2ᾱ_i + γ − 12β_i x_i² + r²(A_l − 8β_l x_l²) ≤ 2ā + γ + 8δ₀²ε, and γ = A_l + 4β_l x_l² − 2ᾱ_l ≤ 2ε − 4(α_l − β_l)x_l² ≤
//!    2ε − α_min(1 − μ/12), as ᾱ_l ≥ 2α_l y_l² and β_l = (μ/12)α_l. It is at least −τ(1 + 4δ₀²), against the hypothesis.
//! 4. *Nearer.* So the largest entries lie one in each column. In the row of unit l, ᾱ_l ≤ ā and |A_l| ≤ 2ε give
//!    γ ≥ 4β_l x_l² − 2ā − 2ε, hence ‖x‖² ≥ 1 − (ā + ε)/(2λ) and x_l² ≥ ℓ². (κ > 0 implies ℓ² > 0.) For j ≠ l, ᾱ_j ≥ 2α_jℓ²,
//!    so A_j ≥ 4α_min ℓ² + 4β_min ℓ² − 2ā − 2ε − 4β_max δ₀² = κ and |x_j| ≤ ε/κ = δ₁.
//! 5. *Lengths.* A_l = 2ᾱ_l + 4λ(‖x‖² − 1) − 4β_l x_l² is x_l²/t_l² = 1 − ᾱ_l/(2λ) − Σ_{j≠l} x_j² + A_l/(4λ), with
//!    ᾱ_l ≤ 2α_max(k − 1)δ₁². ∎

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::Enclosure;
use crate::error::{Error, Result, check_not_negative};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};

use crate::words::at_most;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "approximate-recovery",
    title: "Nearly stationary points of F without much negative curvature are near the teacher",
    claim: "Let F be as in designed-landscape, of any teacher of k independent units with output weights between a_min and a_max, \
            and C_ji = √a_i⟨b_i, B_j⟩. Where every entry of ∂F/∂C is at most ε in size and no row block of ∂²F/∂C² has an \
            eigenvalue below −τ, each unit i has one row j of its own with |C_ji²/t_i² − 1| ≤ η, t_i² = 1/(1 − μc₂/(a_iλ)), and \
            |C_ji| ≤ δ₁ for all other rows.",
    hypotheses: &[
        "0 < a_min ≤ a_max",
        "σ̂_4 ≠ 0",
        "μ > 0",
        "μ < 12",
        "λ > β_max = μc₂/a_min",
        "2λ(1 − 4ξ²) > 2ā + τ, ξ = ε/(2(λ − ā)), ā = 2α_max(k−1)δ₀², 8β_min δ₀³ ≥ τδ₀ + ε",
        "α_min(1 − μ/12) > (2ε + τ)(1 + 4δ₀²) + 2ā",
        "κ = 4(α_min + β_min)ℓ² − 2ā − 2ε − 4β_max δ₀² > 0, ℓ² = 1 − (ā + ε)/(2λ) − (k−1)δ₀²",
    ],
    evidence: "Formulas in k, a_min, a_max, σ̂_4, μ, λ, ε and τ with directed rounding; δ₀ is given and its inequality \
               verified. Refuted is what no δ₀ allows.",
    limits: "That the output weights lie between a_min and a_max, and that gradient and curvature are bounded by ε and τ, is \
             assumed. On estimated moments ε must cover the error of the estimate; no number of samples is promised.",
    source: "After Ge, Lee and Ma (2017), Theorems 2.3 (3) and 5.1 (3); all constants were derived for this project, the proof \
             is in the file of the theorem.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// k; at most 2²⁶.
    pub units: usize,
    /// a_min
    pub least_output: f64,
    /// a_max
    pub largest_output: f64,
    /// σ̂_4
    pub fourth_coefficient: f64,
    /// μ
    pub mu: f64,
    /// λ
    pub lambda: f64,
    /// ε
    pub gradient: f64,
    /// τ
    pub curvature: f64,
}

/// What proves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// δ₀
    pub first_delta: f64,
}

/// Beyond, k is no longer a small integer of exact products.
const MOST_UNITS: usize = 1 << 26;

/// Apply the theorem to points with entries of the gradient up to ε and curvatures of rows from −τ on.
///
/// ```
/// use shallows_verify::Verdict;
/// use shallows_verify::theorem::approximate_recovery::{Claim, Proof, judge};
///
/// // Three units of equal weight; points that are stationary up to 1e-6 are the teacher.
/// let claim = Claim {
///     units: 3,
///     least_output: 1.0,
///     largest_output: 1.0,
///     fourth_coefficient: 0.2,
///     mu: 0.5,
///     lambda: 10.0,
///     gradient: 1e-6,
///     curvature: 1e-6,
/// };
/// assert_eq!(judge(&claim, &Proof { first_delta: 0.03 })?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(claim: &Claim, proof: &Proof) -> Result<Judgement> {
    let Claim { units, least_output: least, largest_output: most, fourth_coefficient, mu, lambda, .. } = *claim;
    if units == 0 || units > MOST_UNITS {
        let (what, found) = ("the number of units", units as f64);
        return Err(Error::Range { what, least: 1.0, most: MOST_UNITS as f64, found });
    }
    if [least, most, fourth_coefficient, mu, lambda].iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { what: "output weights and parameters" });
    }
    check_not_negative("the bound on the gradient", claim.gradient)?;
    check_not_negative("the bound on the curvature", claim.curvature)?;
    check_not_negative("the first delta of the proof", proof.first_delta)?;
    let ordered = least > 0.0 && least <= most;
    let mut checks = vec![
        Check::count(THEOREM.hypotheses[0], if ordered { 0 } else { -1 }),
        Check::positive(THEOREM.hypotheses[1], Enclosure::exactly(fourth_coefficient.abs())),
        Check::positive(THEOREM.hypotheses[2], Enclosure::exactly(mu)),
        // A difference of doubles has the sign of the exact one.
        Check::positive(THEOREM.hypotheses[3], Enclosure::exactly(12.0 - mu)),
    ];
    let (mut facts, mut delta) = (vec![], f64::NAN);
    if checks.iter().all(|check| check.verdict() == Verdict::Holds) {
        let constants = Constants::new(claim, proof.first_delta);
        // Less than half of δ₀ is not allowed; where even that is refuted, every δ₀ is.
        let best = Constants::new(claim, 0.5 * proof.first_delta);
        let best = if best.excludes_smaller() { best } else { Constants::new(claim, 0.0) };
        checks.push(Check::positive(THEOREM.hypotheses[4], constants.slack_lambda));
        let slacks = constants.slacks().into_iter().zip(best.slacks());
        for (hypothesis, (slack, most)) in THEOREM.hypotheses[5..].iter().zip(slacks) {
            let check = Check::positive(*hypothesis, slack);
            checks.push(match check.verdict() {
                Verdict::Holds if constants.is_allowed() => check,
                _ if most.high <= 0.0 => Check::count(*hypothesis, -1),
                _ => Check::open(*hypothesis),
            });
        }
        // δ₁ and η follow from all hypotheses together, and from nothing less.
        if checks.iter().all(|check| check.verdict() == Verdict::Holds) {
            facts = constants.facts();
            delta = constants.delta_1.high;
        }
    } else {
        checks.extend(THEOREM.hypotheses[4..].iter().map(|hypothesis| Check::open(*hypothesis)));
    }
    Ok(Judgement::new(Theorem::ApproximateRecovery, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!(
            "every such point is the teacher, up to order and signs, with entries beside it of at most {} in white coordinates",
            at_most(delta)
        ),
        Verdict::Undecided => "neither proved nor refuted for these numbers".into(),
        Verdict::Fails => {
            "the theorem does not apply to these numbers: ε, τ or the number of units is too large".into()
        }
    }))
}

/// The quantities of the theorem for one δ₀.
struct Constants {
    /// 8β_min δ₀³ − τδ₀ − ε
    cubic: Enclosure,
    delta_0: f64,
    slack_lambda: Enclosure,
    slack_small: Enclosure,
    slack_pair: Enclosure,
    kappa: Enclosure,
    delta_1: Enclosure,
    eta: Enclosure,
    /// Whether ε = τ = 0.
    stationary: bool,
}

impl Constants {
    fn new(claim: &Claim, delta_0: f64) -> Constants {
        let [one, least, most, mu, lambda, epsilon, tau] =
            [1.0, claim.least_output, claim.largest_output, claim.mu, claim.lambda, claim.gradient, claim.curvature]
                .map(Enclosure::exactly);
        let others = Enclosure::exactly((claim.units - 1) as f64);
        let size = Enclosure::exactly(claim.fourth_coefficient.abs());
        let root = Enclosure::exactly(6.0).sqrt();
        let (c_1, mu_c_2) = (root * size, mu * size / (2.0 * root));
        let (alpha_min, alpha_max) = (c_1 / most, c_1 / least);
        let (beta_min, beta_max) = (mu_c_2 / most, mu_c_2 / least);
        let delta = Enclosure::exactly(delta_0);
        let square = delta.squared();
        let cubic = 8.0 * (beta_min * delta * square) - tau * delta - epsilon;
        let crowd = others * square;
        let a_bar = 2.0 * (alpha_max * crowd);
        let xi = epsilon / (2.0 * (lambda - a_bar));
        let slack_small = 2.0 * (lambda * (one - 4.0 * xi.squared())) - 2.0 * a_bar - tau;
        let slack_pair = alpha_min * (one - mu / Enclosure::exactly(12.0))
            - (2.0 * epsilon + tau) * (one + 4.0 * square)
            - 2.0 * a_bar;
        let length = one - (a_bar + epsilon) / (2.0 * lambda) - crowd;
        let kappa = 4.0 * ((alpha_min + beta_min) * length) - 2.0 * a_bar - 2.0 * epsilon - 4.0 * (beta_max * square);
        let delta_1 = epsilon / kappa;
        let eta = others * delta_1.squared() * (one + alpha_max / lambda) + epsilon / (2.0 * lambda);
        let stationary = claim.gradient == 0.0 && claim.curvature == 0.0;
        let slack_lambda = lambda - beta_max;
        Constants { cubic, delta_0, slack_lambda, slack_small, slack_pair, kappa, delta_1, eta, stationary }
    }

    /// Whether 8β_min δ₀³ ≥ τδ₀ + ε. At 0 that says nothing unless ε = τ = 0: the cubic may have a root beyond.
    fn is_allowed(&self) -> bool {
        if self.delta_0 == 0.0 { self.stationary } else { self.cubic.low >= 0.0 }
    }

    /// Whether no smaller δ₀ is allowed. The cubic changes its sign once, from minus to plus.
    fn excludes_smaller(&self) -> bool {
        self.delta_0 == 0.0 || self.cubic.high < 0.0
    }

    /// What must be positive; each the less, the larger δ₀ is.
    fn slacks(&self) -> [Enclosure; 3] {
        [self.slack_small, self.slack_pair, self.kappa]
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |name, value, about| Fact { name, value, side: Side::AtMost, about };
        vec![fact("delta", self.delta_1.high, "δ₁"), fact("eta", self.eta.high, "η")]
    }
}
