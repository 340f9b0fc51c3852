//! Descent from this start ends at the planted network.
//!
//! # Proof
//! The sublevel set {L ≤ L(W₀)} is bounded, since ‖WᵀW − M*‖_F² ≤ L, so limit points exist. One of them, W, has L(W) ≤ L(W₀), which
//! is below the barrier: W has rank d. It is stationary: W(2A + tr(A)I) = 0, so 2A + tr(A)I = 0; its trace (2 + d)tr A = 0 gives
//! A = 0 and L(W) = 0. L does not rise and is continuous, so the whole sequence has L → 0. ∎

use super::global_optimum::check_kind;
use crate::certificate::landscape::planted::{barrier, others_than_one, risk, smallest_square, teacher_checks};
use crate::certificate::words::{at_least, at_most};
use crate::certificate::{Check, Fact, Judgement, Side, Theorem, Verdict};
use crate::error::{Error, Result};
use crate::network::Network;

/// Apply the theorem to a start and a teacher, both quadratic.
///
/// ```
/// use shallows::certificate::{Verdict, safe_start};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let network = |scale: f64| {
///     let W = Matrix::from_fn(2, 2, |i, j| if i == j { scale } else { 0.0 });
///     Network::new(Activation::SQUARE, W, vec![1.0; 2])
/// };
/// // 0.9·I lies below the barrier of the teacher I, 3·I does not.
/// assert_eq!(safe_start(&network(0.9)?, &network(1.0)?)?.verdict(), Verdict::Holds);
/// assert_eq!(safe_start(&network(3.0)?, &network(1.0)?)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn safe_start(start: &Network, teacher: &Network) -> Result<Judgement> {
    for network in [start, teacher] {
        network.check()?;
        check_kind(network)?;
    }
    let (expected, found) = (teacher.inputs(), start.inputs());
    if expected != found {
        return Err(Error::Shape { what: "inputs of the start", expected, found });
    }
    let smallest = smallest_square(&teacher.W);
    let barrier = barrier(teacher.inputs(), smallest);
    let risk = risk(&start.W, &teacher.W);
    let affine = start.intercept.iter().chain(start.linear.iter().flatten()).filter(|x| **x != 0.0).count();
    let margin = barrier - risk;
    let mut checks = teacher_checks(Theorem::SafeStart, teacher, smallest);
    checks.extend([
        Check::count(Theorem::SafeStart.text().hypotheses[4], -others_than_one(start)),
        Check::count(Theorem::SafeStart.text().hypotheses[5], -(affine as i64)),
        Check::count(Theorem::SafeStart.text().hypotheses[6], start.width() as i64 - start.inputs() as i64),
        // A difference rounded down that is not negative is positive before rounding, so equality does not pass.
        Check::between(Theorem::SafeStart.text().hypotheses[7], margin.low, margin.high),
    ]);
    let facts = vec![
        Fact { name: "risk", value: risk.high, side: Side::AtMost, about: "L(W₀) is at most this, output weights taken as 1" },
        Fact {
            name: "barrier",
            value: barrier.low,
            side: Side::AtLeast,
            about: "the least risk of rank-deficient networks is at least this",
        },
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
