//! Rank-deficient networks cannot come close to a planted quadratic one.
//!
//! # Proof
//! Let M = WᵀW, M* = W*ᵀW*, A = M − M*; E(xᵀAx)² = 2‖A‖_F² + (tr A)² gives L = ‖A‖_F² + ½(tr A)². A rank below d gives a unit x
//! with Mx = 0. In an orthonormal basis that ends with x, A consists of a block B of size d − 1, a column c and the corner −α,
//! α = xᵀM*x ≥ λ_min(M*) =: λ > 0. With τ = tr B, ‖B‖_F² ≥ τ²/(d − 1) (Cauchy and Schwarz; B is absent for d = 1), so
//!
//! ```text
//! L ≥ τ²/(d−1) + α² + ½(τ − α)² ≥ α²(1/(d+1) + 1) = α²(d+2)/(d+1) ≥ λ²(d+2)/(d+1),
//! ```
//!
//! the middle step with the best τ = α(d − 1)/(d + 1). Equality: x the last eigenvector of M*, M equal to M* + λ/(d + 1) on the
//! others, which is positive semidefinite and of rank d − 1. ∎

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::error::Result;
use crate::judgement::{Fact, Judgement, Side, Verdict};
use crate::landscape::planted::{barrier, smallest_square, teacher_checks};
use crate::network::Network;
use crate::words::at_least;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "energy-barrier",
    title: "Rank-deficient networks cannot come close to a planted quadratic one",
    claim: "With x ~ N(0, I), every network Σ(w_j·x)² of any width whose W has a rank below d has the population risk \
            L = ½E r² ≥ ((d+2)/(d+1))·σ_min(W*)⁴, and some such network attains it.",
    hypotheses: &["v* = 1", "the teacher has no affine part", "W* has at least d rows", "σ_min(W*)² > 0"],
    evidence: "A given bound on λ_min(W*ᵀW*) by a Cholesky factorisation with Rump's shift, everything else with directed \
               rounding.",
    limits: "About the population risk: that inputs are standard normal and labels without noise is assumed, not checked. \
             Students have output weights 1.",
    source: "Gamarnik, Kızıldağ and Zadik (2020), Theorem 2.1, whose risk is twice ours; the exact value was derived for \
             this project, the proof is in the file of the theorem.",
};

/// Nothing: the theorem speaks about the teacher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {}

/// What bounds σ_min(W*)².
pub use crate::landscape::planted::Smallest as Proof;

/// Apply the theorem to a quadratic teacher.
///
/// ```
/// use shallows_verify::theorem::energy_barrier::{Claim, Proof, judge};
/// use shallows_verify::{Matrix, Network, Verdict};
///
/// let teacher = |k: usize| {
///     let W = Matrix::from_fn(k, 2, |i, j| if i == j { 1.0 } else { 0.0 });
///     Network { W, v: vec![1.0; k], ..Network::zero(2) }
/// };
/// let proof = Proof { smallest: 0.999, vector: None };
/// assert_eq!(judge(&teacher(2), &Claim {}, &proof)?.verdict(), Verdict::Holds);
/// // One unit cannot span two inputs: there is no barrier around rank-deficient students.
/// assert_eq!(judge(&teacher(1), &Claim {}, &proof)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(teacher: &Network, _: &Claim, proof: &Proof) -> Result<Judgement> {
    teacher.check_kind(teacher.inputs())?;
    let smallest = smallest_square(&teacher.W, proof)?;
    let barrier = barrier(teacher.inputs(), smallest);
    let fact = |name, value, side, about| Fact { name, value, side, about };
    let facts = vec![
        fact("smallest_square", smallest.low, Side::AtLeast, "σ_min(W*)²"),
        fact("barrier", barrier.low.max(0.0), Side::AtLeast, "((d+2)/(d+1))·σ_min(W*)⁴"),
        fact("barrier_high", barrier.high, Side::AtMost, "((d+2)/(d+1))·σ_min(W*)⁴"),
    ];
    let checks = teacher_checks(Theorem::EnergyBarrier, teacher, smallest);
    Ok(Judgement::new(Theorem::EnergyBarrier, checks, facts, |verdict| match verdict {
        Verdict::Holds => {
            format!("every W of rank below {} has a risk of at least {}", teacher.inputs(), at_least(barrier.low))
        }
        Verdict::Undecided => "no barrier is proved: σ_min(W*) cannot be told from 0".into(),
        Verdict::Fails => "the theorem does not apply".into(),
    }))
}
