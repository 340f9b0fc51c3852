//! Nearly stationary points of F without much negative curvature are near the teacher: a δ₀, and the checker's word on it.

use shallows_verify::theorem::approximate_recovery::{Claim, Proof, judge};

use crate::certificate::file::ProvedClaim;
use crate::certificate::{Judgement, Verdict};
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
/// Halvings of the search for ε: fewer digits than that are no use.
const HALVINGS: i32 = 60;
/// More than the roundings of the proposal.
const ROOM: f64 = 1.0 + 1e-12;

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
    claimed(range, epsilon, tau).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed(range: &Range, epsilon: f64, tau: f64) -> Result<ProvedClaim> {
    let Range { units, outputs: (least_output, largest_output), sigma_4, mu, lambda } = *range;
    if units == 0 || units > MOST_UNITS {
        return Err(Error::parameter(Parameter::Units, Requirement::CountBetween(1, MOST_UNITS), units));
    }
    for (name, value) in [(Parameter::Epsilon, epsilon), (Parameter::Tau, tau)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Error::parameter(name, Requirement::AtLeast(0.0), value));
        }
    }
    let claim = Claim {
        units,
        least_output,
        largest_output,
        fourth_coefficient: sigma_4,
        mu,
        lambda,
        gradient: epsilon,
        curvature: tau,
    };
    let proof = Proof { first_delta: first_delta(&claim) };
    let judgement = judge(&claim, &proof)?;
    ProvedClaim::new(&claim, &proof, judgement)
}

/// The claim for the largest ε = τ that is found to do, halved so that δ₁ says something; for ε = τ = 0 where none is.
pub(in crate::certificate) fn widest(range: &Range) -> Result<ProvedClaim> {
    let holds =
        |slack: &f64| claimed(range, *slack, *slack).is_ok_and(|claim| claim.judgement().verdict() == Verdict::Holds);
    // Neither can exceed λ: the hypotheses ask for 2λ > τ.
    let slacks = (0..HALVINGS).map(|halvings| range.lambda.abs() * 0.5_f64.powi(halvings));
    let slack = slacks.filter(|slack| slack.is_finite()).find(holds).map_or(0.0, |slack| 0.5 * slack);
    claimed(range, slack, slack)
}

/// A δ₀ with 8β_min δ₀³ ≥ τδ₀ + ε, near the least: 4β_min δ₀³ exceeds each of the two. 0 where there is none.
fn first_delta(claim: &Claim) -> f64 {
    let beta_min = claim.mu * claim.fourth_coefficient.abs() / (2.0 * 6_f64.sqrt()) / claim.largest_output;
    let quarter = 4.0 * beta_min;
    let delta = ROOM * (claim.curvature / quarter).sqrt().max((claim.gradient / quarter).cbrt());
    if delta.is_finite() { delta } else { 0.0 }
}
