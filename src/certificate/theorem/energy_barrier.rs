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

use super::global_optimum::check_kind;
use crate::certificate::landscape::planted::{barrier, smallest_square, teacher_checks};
use crate::certificate::words::at_least;
use crate::certificate::{Fact, Judgement, Side, Theorem, Verdict};
use crate::error::Result;
use crate::network::Network;

/// Apply the theorem to a quadratic teacher.
///
/// ```
/// use shallows::certificate::{Verdict, energy_barrier};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Network};
///
/// let teacher = |rows: &[[f64; 2]]| Network::new(Activation::SQUARE, Matrix::from_rows(rows), vec![1.0; rows.len()]);
/// assert_eq!(energy_barrier(&teacher(&[[1.0, 0.0], [0.0, 1.0]])?)?.verdict(), Verdict::Holds);
/// // One unit cannot span two inputs: there is no barrier around rank-deficient students.
/// assert_eq!(energy_barrier(&teacher(&[[1.0, 0.0]])?)?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn energy_barrier(teacher: &Network) -> Result<Judgement> {
    teacher.check()?;
    check_kind(teacher)?;
    let smallest = smallest_square(&teacher.W);
    let barrier = barrier(teacher.inputs(), smallest);
    let facts = vec![
        Fact { name: "smallest_square", value: smallest.low, side: Side::AtLeast, about: "σ_min(W*)² is at least this" },
        Fact {
            name: "barrier",
            value: barrier.low,
            side: Side::AtLeast,
            about: "the least risk of rank-deficient networks is at least this",
        },
        Fact {
            name: "barrier_high",
            value: barrier.high,
            side: Side::AtMost,
            about: "the least risk of rank-deficient networks is at most this",
        },
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
