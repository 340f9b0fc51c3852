//! Descent from this start ends at the planted network.
//!
//! # Proof
//! The sublevel set {L ≤ L(W₀)} is bounded, since ‖WᵀW − M*‖_F² ≤ L, so limit points exist. One of them, W, has L(W) ≤ L(W₀), which
//! is below the barrier: W has rank d. It is stationary: W(2A + tr(A)I) = 0, so 2A + tr(A)I = 0; its trace (2 + d)tr A = 0 gives
//! A = 0 and L(W) = 0. L does not rise and is continuous, so the whole sequence has L → 0. ∎

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::error::Result;
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::landscape::planted::{affine_terms, barrier, others_than_one, risk, smallest_square, teacher_checks};

use crate::network::Network;
use crate::words::{at_least, at_most};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "safe-start",
    title: "Descent from this start ends at the planted network",
    claim: "With x ~ N(0, I), every sequence from W₀ along which the population risk L does not rise and whose limit points \
            are stationary, such as gradient descent with a line search, has L → 0.",
    hypotheses: &[
        "v* = 1",
        "the teacher has no affine part",
        "W* has at least d rows",
        "σ_min(W*)² > 0",
        "v = 1 at the start",
        "the start has no affine part",
        "W₀ has at least d rows",
        "L(W₀) < ((d+2)/(d+1))·σ_min(W*)⁴",
    ],
    evidence: "L(W₀) from above and the barrier from below: a Cholesky factorisation with Rump's shift, sums with directed \
               rounding.",
    limits: "About descent on the population risk in exact arithmetic, with standard normal inputs, labels without noise and a \
             known teacher. A start above the barrier gets no promise; descent from there may succeed all the same.",
    source: "Gamarnik, Kızıldağ and Zadik (2020), Theorems 2.1 and 2.3, with the exact barrier of energy-barrier; the proof \
             is in the file of the theorem.",
};

/// Nothing: the theorem speaks about the start and the teacher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {}

/// What bounds σ_min(W*)².
pub use crate::landscape::planted::Smallest as Proof;

/// Apply the theorem to a start and a teacher, both quadratic.
///
/// ```
/// use shallows_verify::theorem::safe_start::{Claim, Proof, judge};
/// use shallows_verify::{Matrix, Network, Verdict};
///
/// let network = |scale: f64| {
///     let W = Matrix::from_fn(2, 2, |i, j| if i == j { scale } else { 0.0 });
///     Network { W, v: vec![1.0; 2], ..Network::zero(2) }
/// };
/// // 0.9·I lies below the barrier of the teacher I, 3·I does not.
/// let proof = Proof { smallest: 0.999, vector: Some(vec![1.0, 0.0]) };
/// assert_eq!(judge(&network(0.9), &network(1.0), &Claim {}, &proof)?.verdict(), Verdict::Holds);
/// assert_eq!(judge(&network(3.0), &network(1.0), &Claim {}, &proof)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(start: &Network, teacher: &Network, _: &Claim, proof: &Proof) -> Result<Judgement> {
    teacher.check_kind(teacher.inputs())?;
    start.check_kind(teacher.inputs())?;
    let smallest = smallest_square(&teacher.W, proof)?;
    let barrier = barrier(teacher.inputs(), smallest);
    let risk = risk(&start.W, &teacher.W);
    let mut checks = teacher_checks(Theorem::SafeStart, teacher, smallest);
    checks.extend([
        Check::count(THEOREM.hypotheses[4], -others_than_one(start)),
        Check::count(THEOREM.hypotheses[5], -affine_terms(start)),
        Check::count(THEOREM.hypotheses[6], start.width() as i64 - start.inputs() as i64),
        Check::positive(THEOREM.hypotheses[7], barrier - risk),
    ]);
    let fact = |name, value, side, about| Fact { name, value, side, about };
    let facts = vec![
        fact("risk", risk.high, Side::AtMost, "L(W₀), output weights taken as 1"),
        fact("barrier", barrier.low.max(0.0), Side::AtLeast, "((d+2)/(d+1))·σ_min(W*)⁴"),
    ];
    Ok(Judgement::new(Theorem::SafeStart, checks, facts, |verdict| match verdict {
        Verdict::Holds => format!(
            "L(W₀) ≤ {} is below the barrier, which is at least {}: descent ends at L = 0",
            at_most(risk.high),
            at_least(barrier.low)
        ),
        Verdict::Undecided => "no promise: whether the start is below the barrier cannot be decided".into(),
        Verdict::Fails => "no promise: a hypothesis is false".into(),
    }))
}
