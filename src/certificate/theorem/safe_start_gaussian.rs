//! Descent from a scaled identity ends at the planted network for most Gaussian teachers: the search for the deviation t that
//! promises most, and the checker's word on it.

use shallows_verify::theorem::safe_start_gaussian::{Claim, Proof, judge};

use crate::certificate::file::ProvedClaim;
use crate::certificate::{Judgement, Verdict};
use crate::error::{Error, Parameter, Requirement, Result};

/// Below this t nothing is said: 4e^{−t²/2} ≥ 1 at t = √(2 ln 4) = 1.6651…
const LEAST: f64 = 1.67;
/// Beyond this t the probability rounds to 1.
const MOST: f64 = 40.0;
/// Halvings of the search for t: more digits would say nothing.
const HALVINGS: usize = 40;
/// Beyond, products of m and d are no longer exact.
const LARGEST: usize = 1 << 26;

/// Apply the theorem to teachers of width m with d inputs and the start √γ·[I; 0].
///
/// ```
/// use shallows::certificate::{Verdict, safe_start_gaussian};
///
/// // Very wide Gaussian teachers are nearly √m times an isometry; narrow ones are not.
/// assert_eq!(safe_start_gaussian((1_000_000, 3), 1_000_000.0)?.verdict(), Verdict::Holds);
/// assert_ne!(safe_start_gaussian((4, 3), 4.0)?.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn safe_start_gaussian((m, d): (usize, usize), gamma: f64) -> Result<Judgement> {
    claimed((m, d), gamma).map(ProvedClaim::into_judgement)
}

/// The claim for a file.
pub(in crate::certificate) fn claimed((m, d): (usize, usize), gamma: f64) -> Result<ProvedClaim> {
    if d == 0 || m == 0 || m.max(d) > LARGEST {
        let (name, value) = if m == 0 || m > LARGEST { (Parameter::Width, m) } else { (Parameter::Inputs, d) };
        return Err(Error::parameter(name, Requirement::CountBetween(1, LARGEST), value));
    }
    if !(gamma >= 0.0 && gamma.is_finite()) {
        return Err(Error::parameter(Parameter::Gamma, Requirement::AtLeast(0.0), gamma));
    }
    let claim = |deviation: f64| Claim { units: m, inputs: d, gamma, deviation };
    let holds = |t: f64| judge(&claim(t), &Proof {}).is_ok_and(|judgement| judgement.verdict() == Verdict::Holds);
    let (mut t, mut above) = (LEAST, MOST);
    if holds(t) {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (t + above);
            if holds(middle) { t = middle } else { above = middle }
        }
    }
    let judgement = judge(&claim(t), &Proof {})?;
    ProvedClaim::new(&claim(t), &Proof {}, judgement)
}
