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

use super::descent_converges::positive;
use crate::certificate::arithmetic::add_up;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::landscape::planted::barrier;
use crate::certificate::words::at_most;
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::error::{Error, Parameter, Requirement, Result};

/// Below this t nothing is said: 4e^{−t²/2} ≥ 1 at t = √(2 ln 4) = 1.6651…
const LEAST: f64 = 1.67;
/// Beyond this t the probability rounds to 1.
const MOST: f64 = 40.0;
/// Halvings of the search for t: more digits would say nothing.
const HALVINGS: usize = 40;

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
    /// Beyond, products of m and d are no longer exact.
    const LARGEST: usize = 1 << 26;
    if d == 0 || m == 0 || m.max(d) > LARGEST {
        let (name, value) = if m == 0 || m > LARGEST { (Parameter::Width, m) } else { (Parameter::Inputs, d) };
        return Err(Error::parameter(name, Requirement::CountBetween(1, LARGEST), value));
    }
    if !(gamma >= 0.0 && gamma.is_finite()) {
        return Err(Error::parameter(Parameter::Gamma, Requirement::AtLeast(0.0), gamma));
    }
    let t = largest_deviation((m, d), gamma);
    let Bounds { gap, margin } = Bounds::at((m, d), gamma, t);
    let tail = tail(t);
    let checks = vec![
        Check::count(Theorem::SafeStartGaussian.text().hypotheses[0], m as i64 - d as i64),
        positive(Theorem::SafeStartGaussian.text().hypotheses[1], gap),
        Check::between(Theorem::SafeStartGaussian.text().hypotheses[2], margin.low, margin.high),
        Check::between(Theorem::SafeStartGaussian.text().hypotheses[3], 1.0 - tail, 1.0 - tail),
    ];
    let probability = (1.0 - tail).next_down().max(0.0);
    let facts = vec![
        Fact { name: "t", value: t, side: Side::Exactly, about: "the deviation of singular values that is allowed for" },
        Fact {
            name: "probability",
            value: probability,
            side: Side::AtLeast,
            about: "a safe start has at least this probability, if it holds",
        },
    ];
    Ok(Judgement::new(Theorem::SafeStartGaussian, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!(
            "from √γ·[I; 0], γ = {gamma}, descent ends at L = 0 for all Gaussian {m}×{d} teachers but a share of at most {}",
            at_most(tail)
        ),
        _ => format!("no promise for a random {m}×{d} teacher: the width is too small for the bounds"),
    }))
}

/// About the largest t for which the bounds are on the safe side; the least there is when there is none.
fn largest_deviation(shape: (usize, usize), gamma: f64) -> f64 {
    let below = |t: f64| Bounds::at(shape, gamma, t).is_safe();
    let (mut t, mut above) = (LEAST, MOST);
    if below(t) {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (t + above);
            if below(middle) { t = middle } else { above = middle }
        }
    }
    t
}

/// 4e^{−t²/2} from above.
fn tail(t: f64) -> f64 {
    let exponent = -(0.5 * t * t).next_down().next_down();
    let tail = 4.0 * exponent.exp();
    add_up(tail, 8.0 * f64::EPSILON * tail)
}

struct Bounds {
    /// √m − √d − t
    gap: Enclosure,
    /// The barrier minus the risk.
    margin: Enclosure,
}

impl Bounds {
    fn at((m, d): (usize, usize), gamma: f64, t: f64) -> Bounds {
        let exactly = |x: usize| Enclosure::exactly(x as f64);
        let (root_m, root_d, t) = (exactly(m).sqrt(), exactly(d).sqrt(), Enclosure::exactly(t));
        let gap = root_m - root_d - t;
        let (lo, hi) = (gap.squared(), (root_m + root_d + t).squared());
        let gamma = Enclosure::exactly(gamma);
        let magnitude = |x: Enclosure| x.max(Enclosure::exactly(0.0) - x);
        let farthest = magnitude(gamma - lo).max(magnitude(hi - gamma));
        // md ≤ 2⁵² is exact.
        let N = exactly(m * d);
        let square = t.squared();
        let T = magnitude(exactly(d) * gamma - N) + 2.0 * (0.5 * (N * square)).sqrt() + square;
        let risk = exactly(d) * farthest.squared() + 0.5 * T.squared();
        Bounds { gap, margin: barrier(d, lo) - risk }
    }

    fn is_safe(&self) -> bool {
        self.gap.low > 0.0 && self.margin.low > 0.0
    }
}
