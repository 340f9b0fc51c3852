//! What theorems about gradient descent from a given start stand on.
//!
//! | file | holds |
//! |---|---|
//! | `jacobian` | σ_min(J₀), ‖J₀‖, ‖r₀‖ and ‖X‖ at the start, proved from numbers of the proof |
//! | `flips` | how far the Jacobian of a piecewise linear network can move |
//! | `coefficients` | Hermite coefficients of φ' |
//! | `kernel` | matrices of angles between rows |
//!
//! Nothing is searched for here: what an eigensolver or a search finds is in the proof. [`StartMatrices`], [`input_gram`] and
//! [`kernel_gram`] give the matrices whose eigenvalues a writer looks for.

mod coefficients;
mod flips;
mod jacobian;
mod kernel;

use serde::{Deserialize, Serialize};

use crate::arithmetic::{Enclosure, U, add_up, div_up, mul_down};
use crate::elementary::ln;
use crate::error::{Error, Result, check_range};
use crate::judgement::{Check, Fact, Judgement, Side, Verdict};
use crate::network::Network;
use crate::rows::{ProofRows, Rows};

pub use coefficients::{MOST_TERMS, slope_coefficients};
pub use flips::Flips;
pub(crate) use flips::output_norm;
pub use jacobian::{AtStart, JacobianPart, StartMatrices, input_gram, jacobian_gram};
pub use kernel::{PowerSeries, kernel_gram};
pub(crate) use kernel::{UNIT_ROUNDED, distance_from_unit, proves_kernel_above, squared_inputs};

/// Rows up to which an n×n matrix is formed.
pub const MOST_ROWS: usize = 5000;

/// What is claimed about gradient descent: the step, and how small the residual is to become.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescentClaim {
    /// η, on the loss ½Σ wᵢrᵢ².
    pub step: f64,
    /// t: the fact `iterations` says when ‖r‖ ≤ t‖r₀‖.
    pub tolerance: f64,
}

impl DescentClaim {
    pub(crate) fn check(&self) -> Result<()> {
        check_range("the step", self.step, f64::MIN_POSITIVE, f64::MAX)?;
        check_range("the tolerance", self.tolerance, f64::MIN_POSITIVE, 1.0)
    }
}

/// Numbers about the Jacobian J₀ at the start, K = J₀J₀ᵀ, and the inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpectrumProof {
    /// μ with K ⪰ μI; 0 where nothing is said.
    pub smallest: f64,
    /// λ with K ⪯ λI.
    #[serde(deserialize_with = "Option::deserialize")]
    pub largest: Option<f64>,
    /// Λ with XᵀDiag(w)X ⪯ ΛI.
    #[serde(deserialize_with = "Option::deserialize")]
    pub inputs: Option<f64>,
    /// A vector whose Rayleigh quotient bounds λ_min(K) from above.
    #[serde(deserialize_with = "Option::deserialize")]
    pub direction: Option<Vec<f64>>,
}

/// The same with the radius of a ball around the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BallProof {
    /// At the start.
    pub spectrum: SpectrumProof,
    /// ρ or R of the theorem.
    pub radius: f64,
}

/// What a theorem proved about gradient descent from a start, on the loss ½Σ wᵢrᵢ²:
/// ‖r_τ‖ ≤ rate^τ‖r₀‖, ‖θ_τ − θ₀‖ ≤ s_τ ≤ path and slope·s_τ − bend·s_τ² + ‖r_τ‖ ≤ ‖r₀‖, s the length of the path so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proven {
    /// η
    pub step: f64,
    /// ‖r₀‖, from above.
    pub residual: f64,
    /// 1 − rate, from below.
    pub decrease: f64,
    /// See above.
    pub path: f64,
    /// See above.
    pub slope: f64,
    /// See above.
    pub bend: f64,
}

impl Proven {
    /// ‖r‖ falls by this factor or better in every step.
    pub fn rate(&self) -> f64 {
        (1.0 - self.decrease).next_up().min(1.0)
    }

    /// Steps after which ‖r_τ‖ ≤ tolerance·‖r₀‖ is certain; ∞ without a rate.
    pub fn iterations(&self, tolerance: f64) -> f64 {
        /// Below, −ln(1 − δ) ≥ δ + δ²/2 is good enough.
        const SMALL: f64 = 0.01;
        let decrease = Enclosure::exactly(self.decrease.max(0.0));
        let least = if self.decrease < SMALL {
            (decrease + 0.5 * decrease.squared()).low
        } else {
            -ln((1.0 - self.decrease).next_up()).high
        };
        let orders = -ln(tolerance).low;
        if least > 0.0 { div_up(orders, least).ceil().max(1.0) } else { f64::INFINITY }
    }
}

/// A theorem about descent applied to a start: the judgement, and what it proves when it holds.
#[derive(Clone, Debug)]
pub struct Guarantee {
    /// The judgement.
    pub judgement: Judgement,
    /// Its numbers; none unless it holds.
    pub proven: Option<Proven>,
}

impl Guarantee {
    /// Attach what is proved, and its numbers as facts, if the judgement holds.
    pub(crate) fn new(mut judgement: Judgement, proven: Proven, tolerance: f64) -> Guarantee {
        let holds = judgement.verdict() == Verdict::Holds;
        if holds {
            judgement.facts.extend([
                Fact { name: "step", value: proven.step, side: Side::Exactly, about: "η on the loss ½Σr²" },
                Fact {
                    name: "rate",
                    value: proven.rate(),
                    side: Side::AtMost,
                    about: "‖r‖ falls by this factor or better in every step",
                },
                Fact { name: "decrease", value: proven.decrease, side: Side::AtLeast, about: "1 − rate" },
                Fact { name: "path", value: proven.path, side: Side::AtMost, about: "the length of the whole path" },
                Fact {
                    name: "iterations",
                    value: proven.iterations(tolerance),
                    side: Side::AtMost,
                    about: "steps after which ‖r‖ ≤ tolerance·‖r₀‖",
                },
            ]);
            judgement.facts.retain(|fact| fact.value.is_finite());
        }
        Guarantee { judgement, proven: holds.then_some(proven) }
    }
}

/// Rows that count, and their weights as given.
#[derive(Clone, Debug)]
pub(crate) struct StartRows<'a> {
    pub rows: ProofRows<'a>,
    pub w: Vec<f64>,
}

impl<'a> StartRows<'a> {
    pub fn new(given: Rows<'a>) -> Result<StartRows<'a>> {
        let rows = ProofRows::new(given, 1.0)?;
        let w = match given.weights() {
            Some(weights) => given.counted().into_iter().map(|i| weights[i]).collect(),
            None => vec![1.0; rows.n()],
        };
        Ok(StartRows { rows, w })
    }

    pub fn n(&self) -> usize {
        self.rows.n()
    }

    pub fn d(&self) -> usize {
        self.rows.d()
    }

    pub fn row(&self, i: usize) -> &'a [f64] {
        self.rows.raw(i)
    }
}

/// A network f(x) = vᵀφ(Wx), without biases and affine part but zeros, and rows that fit it.
pub(crate) fn check_start(network: &Network, rows: Rows) -> Result<()> {
    network.check()?;
    network.check_inputs(rows.d())?;
    let rest = network.bias.iter().flatten().chain(&network.intercept).chain(network.linear.iter().flatten());
    if let Some(value) = rest.into_iter().find(|value| **value != 0.0) {
        let (what, must_be) = ("every bias and the affine part", "zero for this theorem");
        return Err(Error::Unsuitable { what, must_be, found: value.to_string() });
    }
    if network.width() == 0 {
        return Err(Error::Range { what: "the width", least: 1.0, most: f64::MAX, found: 0.0 });
    }
    Ok(())
}

/// A step that is at most 1/(share·β²).
pub(crate) fn step_allowed(hypothesis: &str, step: f64, share: f64, beta: Enclosure) -> Check {
    let limit = Enclosure::exactly(1.0) / (share * beta.squared());
    // The sign of a difference of doubles is exact.
    Check::between(hypothesis, limit.low - step, limit.high - step)
}

/// A step to claim: 1/(share·β²), a little less so that every checker agrees; NaN where that is no positive number.
pub(crate) fn longest_step(share: f64, beta: f64) -> f64 {
    /// A part of the step that is given away.
    const ROOM: f64 = 1e-9;
    let step = (Enclosure::exactly(1.0 - ROOM) / (share * Enclosure::exactly(beta).squared())).low;
    if step > 0.0 { step } else { f64::NAN }
}

/// sup|φ'| or sup|φ''|, of which the activation gives a bound from above that is at most a few roundings too large.
pub(crate) fn supremum(bound: f64) -> Enclosure {
    let low = if bound.is_finite() { mul_down(bound, 1.0 - 16.0 * U).max(0.0) } else { bound };
    Enclosure { low, high: bound }
}

/// A check that must not refute: what was tried did not do, and that is all.
pub(crate) fn never_refuted(check: Check) -> Check {
    match check.verdict() {
        Verdict::Fails => Check { error: add_up(check.error, check.margin.abs()), ..check },
        _ => check,
    }
}
