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
//! 2. *No small row.* Some column i has |C_pi| ≤ δ₀ in all other rows (they have k − 1 large entries at most), so ᾱ_i ≤ ā. If
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

use super::descent_converges::positive;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::words::at_most;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::error::{Error, Parameter, Requirement, Result};

/// F of a teacher that is not known exactly. [`approximate_recovery`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// k
    pub units: usize,
    /// a_min and a_max.
    pub outputs: (f64, f64),
    /// The fourth Hermite coefficient of the activation.
    pub sigma_4: f64,
    /// μ of F.
    pub mu: f64,
    /// λ of F.
    pub lambda: f64,
}

/// Beyond, k is no longer a small integer of exact products.
const MOST_UNITS: usize = 1 << 26;

/// Apply the theorem to points with entries of the gradient up to ε and curvatures of rows from −τ on.
///
/// ```
/// use shallows::certificate::{Range, Verdict, approximate_recovery};
///
/// // Three units of equal weight; points that are stationary up to 1e-6 are the teacher.
/// let range = Range { units: 3, outputs: (1.0, 1.0), sigma_4: 0.2, mu: 0.5, lambda: 10.0 };
/// assert_eq!(approximate_recovery(&range, 1e-6, 1e-6)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn approximate_recovery(range: &Range, epsilon: f64, tau: f64) -> Result<Judgement> {
    let Range { units, outputs: (least, most), sigma_4, mu, lambda } = *range;
    if units == 0 || units > MOST_UNITS {
        return Err(Error::parameter(Parameter::Units, Requirement::CountBetween(1, MOST_UNITS), units));
    }
    if [least, most, sigma_4, mu, lambda].iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { what: "output weights and parameters" });
    }
    for (name, value) in [(Parameter::Epsilon, epsilon), (Parameter::Tau, tau)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::parameter(name, Requirement::AtLeast(0.0), value));
        }
    }
    let ordered = least > 0.0 && least <= most;
    let mut checks = vec![
        Check::count(Theorem::ApproximateRecovery.text().hypotheses[0], if ordered { 0 } else { -1 }),
        positive(Theorem::ApproximateRecovery.text().hypotheses[1], Enclosure::exactly(sigma_4.abs())),
        positive(Theorem::ApproximateRecovery.text().hypotheses[2], Enclosure::exactly(mu)),
        positive(Theorem::ApproximateRecovery.text().hypotheses[3], Enclosure::exactly(12.0) - Enclosure::exactly(mu)),
    ];
    let (mut facts, mut delta) = (vec![], f64::NAN);
    if checks.iter().all(|check| check.verdict() == Verdict::Holds) {
        let constants = Constants::of(range, epsilon, tau);
        checks.extend(constants.checks());
        facts = constants.facts();
        delta = constants.delta_1.high;
    } else {
        checks.extend(Theorem::ApproximateRecovery.text().hypotheses[4..].iter().map(|hypothesis| Check::open(*hypothesis)));
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

/// The quantities of the theorem.
struct Constants {
    slack_lambda: Enclosure,
    slack_small: Enclosure,
    slack_pair: Enclosure,
    kappa: Enclosure,
    delta_0: Enclosure,
    delta_1: Enclosure,
    eta: Enclosure,
}

impl Constants {
    fn of(range: &Range, epsilon: f64, tau: f64) -> Constants {
        let [one, least, most, lambda, epsilon, tau] =
            [1.0, range.outputs.0, range.outputs.1, range.lambda, epsilon, tau].map(Enclosure::exactly);
        let mu = Enclosure::exactly(range.mu);
        let others = Enclosure::exactly((range.units - 1) as f64);
        let size = Enclosure::exactly(range.sigma_4.abs());
        let root = Enclosure::exactly(6.0).sqrt();
        let (c_1, mu_c_2) = (root * size, mu * size / (2.0 * root));
        let (alpha_min, alpha_max) = (c_1 / most, c_1 / least);
        let (beta_min, beta_max) = (mu_c_2 / most, mu_c_2 / least);
        let delta_0 = Enclosure::exactly(second_entry(beta_min, epsilon, tau));
        let square = delta_0.squared();
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
        let slack_lambda = lambda - beta_max;
        Constants { slack_lambda, slack_small, slack_pair, kappa, delta_0, delta_1, eta }
    }

    fn checks(&self) -> Vec<Check> {
        vec![
            positive(Theorem::ApproximateRecovery.text().hypotheses[4], self.slack_lambda),
            positive(Theorem::ApproximateRecovery.text().hypotheses[5], self.slack_small),
            positive(Theorem::ApproximateRecovery.text().hypotheses[6], self.slack_pair),
            positive(Theorem::ApproximateRecovery.text().hypotheses[7], self.kappa),
        ]
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |name, value, about: &'static str| {
        let side = if about.contains("at least") { Side::AtLeast } else { Side::AtMost };
        Fact { name, value, side, about }
    };
        let mut facts = vec![
            fact("first_delta", self.delta_0.high, "δ₀, a first bound on the second largest entry of a row"),
            fact("delta", self.delta_1.high, "δ₁, the entries beside the teacher are at most this"),
            fact("eta", self.eta.high, "η, the squared entries at the teacher are off by at most this share"),
        ];
        facts.retain(|fact| fact.value.is_finite());
        facts
    }
}

/// A δ₀ > 0, or 0 for ε = τ = 0, with 8β_min δ₀³ ≥ τδ₀ + ε; NaN where none could be verified.
fn second_entry(beta_min: Enclosure, epsilon: Enclosure, tau: Enclosure) -> f64 {
    /// More than the roundings of the proposal.
    const ROOM: f64 = 1.0 + 1e-12;
    if epsilon.high == 0.0 && tau.high == 0.0 {
        return 0.0;
    }
    let quarter = 4.0 * beta_min.low;
    let proposal = ROOM * (tau.high / quarter).sqrt().max((epsilon.high / quarter).cbrt());
    let delta = Enclosure::exactly(proposal);
    let slack = 8.0 * (beta_min * delta * delta.squared()) - tau * delta - epsilon;
    // At 0 the inequality says nothing: the cubic may have a root beyond.
    if proposal > 0.0 && slack.low >= 0.0 { proposal } else { f64::NAN }
}
