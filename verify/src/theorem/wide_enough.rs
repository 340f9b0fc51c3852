//! The network is wide enough for gradient descent from a random start, with a stated probability.
//!
//! # Note
//! β = sup‖J‖ ≤ B‖y‖‖X‖/√n, and σ_min(J₀)² ≥ λ(X)‖y‖²/(2n) with the stated probability, so α² = σ_min(J₀)²/4 ≥ λ(X)‖y‖²/(8n), and
//! `descent-converges-printed` gives 1 − ηα²/2.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::activation::Activation;
use crate::arithmetic::{Enclosure, add_down, add_up, mul_up};
use crate::descent::{
    MOST_TERMS, PowerSeries, StartRows, UNIT_ROUNDED, distance_from_unit, proves_kernel_above, slope_coefficients,
    squared_inputs, supremum,
};
use crate::elementary::{decreasing, exp, ln};
use crate::error::{Error, Result, check_range};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::rows::Rows;
use crate::words::at_least;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "wide-enough",
    title: "The network is wide enough for gradient descent from a random start",
    claim: "With standard normal W₀ and output weights ±‖y‖/√(kn), half of each sign, gradient descent on W with \
            step η on the loss ½Σr² reaches zero error, ‖r_τ‖² ≤ (1 − ηλ(X)‖y‖²/(16n))^τ‖r₀‖², with probability at least \
            1 − 1/n − exp(−δ²n/(2‖X‖²)), δ = 1. The rows are divided by their norms.",
    hypotheses: &[
        "B = max(sup|φ'|, sup|φ''|) is finite",
        "k is even",
        "every row is a unit vector, up to 1e-9",
        "λ(X) > 0",
        "√k ≥ 32B(1 + (1+δ)B)√n‖X‖/λ(X)",
        "k ≥ 20 ln(n) B²‖X‖²/λ(X)",
        "η ≤ n/(2B²‖y‖²‖X‖²)",
        "every weight is 1",
    ],
    evidence: "λ(X) from below by a Cholesky factorisation, with Rump's shift, of the first terms of the kernel's series, \
               whose coefficients are between proved bounds.",
    limits: "About random starts, with the stated probability, not about one at hand, and about the rows divided by \
             their norms.",
    source: "Oymak and Soltanolkotabi (2019), Theorem 6.2 with the constant of (6.18); the probability as corrected.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The name of φ.
    pub activation: String,
    /// k
    pub width: usize,
    /// η
    pub step: f64,
}

/// Numbers about the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// μ with Σ_{r<R} a_r²(XXᵀ)^{∘(r+1)} ⪰ μI; 0 where nothing is said.
    pub smallest: f64,
    /// R, at most 17.
    pub terms: usize,
    /// Λ with XᵀX ⪯ ΛI.
    #[serde(deserialize_with = "Option::deserialize")]
    pub inputs: Option<f64>,
}

/// δ of the theorem.
const DELTA: f64 = 1.0;

/// Judge the claim.
pub fn judge(rows: Rows, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    let activation = parsed(&claim.activation)?;
    check_range("the width", claim.width as f64, 1.0, 1e15)?;
    check_range("the step", claim.step, f64::MIN_POSITIVE, f64::MAX)?;
    check_range("the terms of the series", proof.terms as f64, 0.0, MOST_TERMS as f64)?;
    let rows = StartRows::new(rows)?;
    let hypotheses = THEOREM.hypotheses;
    let bound = activation.slope_bound().max(activation.curvature_bound());
    let [n, k] = [rows.n() as f64, claim.width as f64].map(Enclosure::exactly);
    let B = supremum(bound);
    let lambda = eigenvalue(&activation, &rows, proof);
    // ‖X‖² of the directions, as λ(X) is.
    let square = squared_inputs(&rows, proof.inputs) * UNIT_ROUNDED.squared();
    let need = 32.0 * (B * (Enclosure::exactly(1.0) + (1.0 + DELTA) * B) * n.sqrt() * square.sqrt());
    let second = 20.0 * (ln(n.low) * B.squared() * square);
    let labels = rows.rows.y.iter().fold(Enclosure::exactly(0.0), |sum, y| sum + Enclosure::exactly(*y).squared());
    let limit = n / (2.0 * (B.squared() * labels * square));
    let unit = distance_from_unit(&rows);
    let between = |at: usize, margin: Enclosure| Check::between(hypotheses[at], margin.low, margin.high);
    let checks = vec![
        Check::finite(hypotheses[0], bound),
        Check::count(hypotheses[1], if claim.width.is_multiple_of(2) { 0 } else { -1 }),
        between(2, unit),
        Check::positive(hypotheses[3], lambda),
        between(4, k.sqrt() * lambda - need),
        between(5, k * lambda - second),
        Check::between(hypotheses[6], limit.low - claim.step, limit.high - claim.step),
        no_weights(hypotheses[7], &rows),
    ];
    let least = Enclosure::exactly(lambda.low);
    let width = (need / least).squared().high.max((second / least).high);
    let decrease = (Enclosure::exactly(claim.step) * least * labels / (16.0 * n)).low;
    let probability = least_probability(n, square);
    let fact = |name, value, side, about| Fact { name, value, side, about };
    let mut facts = vec![
        fact("eigenvalue", lambda.low, Side::AtLeast, "λ(X)"),
        fact("width", width, Side::AtMost, "the least width that the theorem asks for"),
    ];
    if checks.iter().all(|check| check.verdict() == Verdict::Holds) {
        facts.push(fact("probability", probability, Side::AtLeast, "the probability of success"));
        facts.push(fact("decrease", decrease, Side::AtLeast, "‖r‖² falls by this part of itself in every step"));
    }
    Ok(Judgement::new(Theorem::WideEnough, checks, facts, |verdict| match verdict {
        Verdict::Holds => {
            format!("gradient descent from a random start succeeds with probability at least {}", at_least(probability))
        }
        _ if !bound.is_finite() => "about activations with two bounded derivatives only".into(),
        _ if !claim.width.is_multiple_of(2) => {
            "about even widths only: half of the output weights have each sign".into()
        }
        _ if rows.w.iter().any(|w| *w != 1.0) => "about rows that differ and have no weights only".into(),
        _ if unit.high < 0.0 => "about unit rows only: scale the rows to unit norm".into(),
        _ if !(lambda.low > 0.0) => "not proved: λ(X) is not proved to be above 0".into(),
        _ => {
            format!("not wide enough for this theorem, which asks for about {width:.1e} units, or the step is too long")
        }
    }))
}

/// The activation of that name.
pub(super) fn parsed(name: &str) -> Result<Activation> {
    let unknown = |()| Error::Unsuitable { what: "the activation", must_be: "one of §7", found: name.into() };
    name.parse().map_err(unknown)
}

/// The loss of the theorem has no weights.
pub(super) fn no_weights(hypothesis: &str, rows: &StartRows) -> Check {
    let weighted = rows.w.iter().filter(|w| **w != 1.0).count();
    Check::count(hypothesis, -(weighted as i64))
}

/// λ(X): μ if it is confirmed; at most E φ'(g)² ≤ sup|φ'|², a diagonal entry.
fn eigenvalue(activation: &Activation, rows: &StartRows, proof: &Proof) -> Enclosure {
    let series = slope_coefficients(activation, proof.terms).map(|coefficients| PowerSeries::below(&coefficients));
    let proved = series.is_some_and(|series| proves_kernel_above(rows, &series, proof.smallest));
    let slope = activation.slope_bound();
    Enclosure { low: if proved { proof.smallest } else { 0.0 }, high: mul_up(slope, slope) }
}

/// 1 − 1/n − exp(−n/(2‖X‖²)), from below.
fn least_probability(n: Enclosure, square: Enclosure) -> f64 {
    let exponent = 0.5 * (DELTA * DELTA) * n / square;
    let misses = add_up((Enclosure::exactly(1.0) / n).high, decreasing(|x| exp(-x), exponent).high);
    add_down(1.0, -misses).max(0.0)
}
