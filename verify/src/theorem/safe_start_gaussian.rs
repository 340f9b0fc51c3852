//! Descent from a scaled identity ends at the planted network for most Gaussian teachers.
//!
//! # Proof
//! With probability at least 1 − 2e^{−t²/2} all singular values of W* lie between √m − √d − t and √m + √d + t, so that all
//! eigenvalues s of M* lie between lo and hi, their squares. tr M* is χ² with N = md degrees of freedom: with x = t²/2,
//! N − 2√(Nx) ≤ tr M* ≤ N + 2√(Nx) + 2x but for a probability of 2e^{−x}. Then
//!
//! ```text
//! L(W₀) = Σ(γ − s_i)² + ½(dγ − tr M*)² ≤ d·max(|γ − lo|, |hi − γ|)² + ½T²,   T = |dγ − N| + 2√(Nx) + 2x,
//! ```
//!
//! the barrier is at least ((d+2)/(d+1))·lo², and safe-start applies when the first is below the second. ∎

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{Enclosure, add_down, div_down, div_up, mul_down, mul_up, power_of_two, sub_down};
use crate::error::{Error, Result, check_not_negative};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::planted::barrier;

use crate::words::at_most;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "safe-start-gaussian",
    title: "Descent from a scaled identity ends at the planted network for most Gaussian teachers",
    claim: "Let W* be m×d with independent standard normal entries and W₀ᵀW₀ = γI. With probability at least 1 − 4e^{−t²/2} over \
            W*, every sequence from W₀ along which the population risk does not rise and whose limit points are stationary \
            has L → 0.",
    hypotheses: &[
        "m ≥ d",
        "√m − √d − t > 0",
        "d·max(|γ − lo|, |hi − γ|)² + ½T² < ((d+2)/(d+1))·lo², lo and hi = (√m ∓ (√d + t))², T = |dγ − md| + 2√(md)·t/√2 + t²",
        "4e^{−t²/2} < 1",
    ],
    evidence: "Formulas in m, d, γ and t with directed rounding; t is part of the claim.",
    limits: "About the draw of the teacher, not about one teacher: safe-start judges a given one. About the population risk, \
             standard normal inputs, no noise.",
    source: "Gamarnik, Kızıldağ and Zadik (2020), Theorems 2.4 and 2.5, made explicit for this project; tails of χ² by Laurent \
             and Massart (2000), Lemma 1. The proof is in the file of the theorem.",
};

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// m, the units of the teacher; at most 2²⁶.
    pub units: usize,
    /// d; at most 2²⁶.
    pub inputs: usize,
    /// γ
    pub gamma: f64,
    /// t
    pub deviation: f64,
}

/// Nothing: the hypotheses are formulas in what is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {}

/// Beyond, products of m and d are no longer exact.
const LARGEST: usize = 1 << 26;

/// Apply the theorem to teachers of width m with d inputs and the start √γ·[I; 0].
///
/// ```
/// use shallows_verify::Verdict;
/// use shallows_verify::theorem::safe_start_gaussian::{Claim, Proof, judge};
///
/// // Very wide Gaussian teachers are nearly √m times an isometry; narrow ones are not.
/// let verdict = |units: usize| {
///     let claim = Claim { units, inputs: 3, gamma: units as f64, deviation: 3.0 };
///     judge(&claim, &Proof {}).map(|judgement| judgement.verdict())
/// };
/// assert_eq!((verdict(1_000_000)?, verdict(40)?), (Verdict::Holds, Verdict::Fails));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(claim: &Claim, _: &Proof) -> Result<Judgement> {
    let Claim { units: m, inputs: d, gamma, deviation } = *claim;
    for (what, count) in [("the units of the teacher", m), ("the inputs of the teacher", d)] {
        if count == 0 || count > LARGEST {
            return Err(Error::Range { what, least: 1.0, most: LARGEST as f64, found: count as f64 });
        }
    }
    check_not_negative("gamma", gamma)?;
    check_not_negative("the deviation", deviation)?;
    let Bounds { gap, margin } = Bounds::new(claim);
    let tail = tail(deviation);
    let one = Enclosure::exactly(1.0);
    let checks = vec![
        Check::count(THEOREM.hypotheses[0], m as i64 - d as i64),
        Check::positive(THEOREM.hypotheses[1], gap),
        Check::positive(THEOREM.hypotheses[2], margin),
        Check::positive(THEOREM.hypotheses[3], one - tail),
    ];
    let probability = sub_down(1.0, tail.high).max(0.0);
    let facts =
        vec![Fact { name: "probability", value: probability, side: Side::AtLeast, about: "1 − 4e^{−t²/2}, or 0" }];
    Ok(Judgement::new(Theorem::SafeStartGaussian, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!(
            "from √γ·[I; 0], γ = {gamma}, descent ends at L = 0 for all Gaussian {m}×{d} teachers but a share of at most {}",
            at_most(tail.high)
        ),
        _ => format!("no promise for a random {m}×{d} teacher: the width is too small for the bounds"),
    }))
}

/// 4e^{−t²/2}
fn tail(t: f64) -> Enclosure {
    let x = 0.5 * Enclosure::exactly(t).squared();
    Enclosure { low: 4.0 * div_down(1.0, exp_up(x.high)).max(0.0), high: 4.0 * div_up(1.0, exp_down(x.low)) }
}

/// The terms 1, x, …, x^18/18! of e^x.
const TERMS: i32 = 18;

/// e^x from below, x ≥ 0: Σ x^j/j! without the rest, which is positive, at x/2^s ≤ ½, squared s times.
fn exp_down(x: f64) -> f64 {
    let (x, squarings) = halved(x);
    // From the last term on: 1 + x/1·(1 + x/2·(1 + …)), every operation rounded down.
    let sum = (1..=TERMS).rev().fold(1.0, |sum, j| add_down(1.0, mul_down(div_down(x, f64::from(j)), sum).max(0.0)));
    (0..squarings).fold(sum, |power, _| mul_down(power, power))
}

/// e^x from above, x ≥ 0: for x ≤ ½ the rest is at most twice its first term, which the last factor 1 + 2x/19 makes up for.
fn exp_up(x: f64) -> f64 {
    let (x, squarings) = halved(x);
    let last = (1.0 + mul_up(2.0, div_up(x, f64::from(TERMS + 1)))).next_up();
    let sum = (1..=TERMS).rev().fold(last, |sum, j| (1.0 + mul_up(div_up(x, f64::from(j)), sum)).next_up());
    (0..squarings).fold(sum, |power, _| mul_up(power, power))
}

/// x/2^s and s. The quotient is exact, since it is above ¼ unless s = 0, and at most ½ up to x = 2¹⁵. Beyond, both bounds are
/// too large to be told from infinity: no term is negative, and 1.5^65536 overflows.
fn halved(x: f64) -> (f64, i32) {
    let squarings = (0..16).find(|s| x <= power_of_two(*s) * 0.5).unwrap_or(16);
    (x * power_of_two(-squarings), squarings)
}

struct Bounds {
    /// √m − √d − t
    gap: Enclosure,
    /// The barrier minus the risk.
    margin: Enclosure,
}

impl Bounds {
    fn new(claim: &Claim) -> Bounds {
        let exactly = |x: usize| Enclosure::exactly(x as f64);
        let (m, d) = (exactly(claim.units), exactly(claim.inputs));
        let (gamma, t) = (Enclosure::exactly(claim.gamma), Enclosure::exactly(claim.deviation));
        let gap = m.sqrt() - d.sqrt() - t;
        let (lo, hi) = (gap.squared(), (m.sqrt() + d.sqrt() + t).squared());
        let magnitude = |x: Enclosure| x.max(Enclosure::exactly(0.0) - x);
        let farthest = magnitude(gamma - lo).max(magnitude(hi - gamma));
        // md ≤ 2⁵² is exact.
        let N = exactly(claim.units * claim.inputs);
        let square = t.squared();
        let T = magnitude(d * gamma - N) + 2.0 * (0.5 * (N * square)).sqrt() + square;
        let risk = d * farthest.squared() + 0.5 * T.squared();
        Bounds { gap, margin: barrier(claim.inputs, lo) - risk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_of_exp_are_near_and_around_it() {
        let mut x = 0.0;
        while x < 700.0 {
            let (low, high, library) = (exp_down(x), exp_up(x), x.exp());
            assert!(low <= library * (1.0 + 1e-15) && high >= library * (1.0 - 1e-15), "{x}");
            assert!(high - low <= 1e-10 * low, "{x}: {low} {high}");
            x += 0.173;
        }
        assert_eq!(exp_down(2e4), f64::MAX);
        assert_eq!(exp_up(800.0), f64::INFINITY);
    }

    #[test]
    fn e_lies_between_the_bounds() {
        use std::f64::consts::E;
        // The double nearest to e is below it.
        assert!(exp_down(1.0) <= E && exp_up(1.0) >= E.next_up());
    }
}
