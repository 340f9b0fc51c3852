//! What a gap is measured against.
//!
//! A gap is relative to P itself. Where the network fits so well that only rounding is left of P, it is relative to a small
//! share of what the best function without units leaves: the best constant where an intercept is free, the best affine
//! function where a linear part is, the zero function otherwise. That function, and not zero, is the measure, because an
//! offset of the target, which costs a network nothing, would make P of the zero function as large as one likes.
//!
//! Where the target is itself affine, or there are no more rows than affine functions, that function leaves nothing, and P
//! is what rounding leaves: then the gap may be what a few units in the last place of the labels come to, whatever the
//! tolerance. A measure that did not shrink as the tolerance grows would let a generous tolerance pass effects of
//! thousands of units in the last place. It is never more than the share of the best constant.
//!
//! P* of the best function without units is enclosed: from above by ½‖y − Zβ‖² for any β, from below by weak duality, as
//! in `dual`. It is at most P of the zero function, so that it need not be looked at while that is small enough.

use super::primal;
use crate::activation::Activation;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{add_up, mul_down, mul_up, sub_down};
use crate::certificate::{Check, Verdict};
use crate::error::{Error, Parameter, Requirement, Result};
use crate::linalg::Matrix;
use crate::network::Network;

/// The share of P* below which only rounding is left of P.
const FLOOR: f64 = 1e-10;
/// The gap that a few units in the last place of the labels come to, as a share of P of the zero function: (4.5·2⁻⁵²)².
const ROUNDING_GAP: f64 = 1e-30;
/// The share of P of the zero function that stands for the rounding of the labels, at most.
const LARGEST_ROUNDING: f64 = 1e-24;
/// Objectives are not told apart from 0 below this.
const LEAST: f64 = 1e-290;
/// With a larger tolerance hardly anything would be claimed: a gap of 1 is that of a lower bound of zero.
const LARGEST_TOLERANCE: f64 = 0.1;

/// What a gap is relative to. [`Optimum`](crate::certificate::Optimum) shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// P of the network.
    Objective,
    /// 10⁻¹⁰ × P of the best function without units.
    WithoutUnits,
    /// 10⁻²⁴ × P of the zero function, or as much less as the tolerance exceeds 10⁻⁶; 10⁻¹⁰ × P of the best constant
    /// where that is less.
    Rounding,
    /// 10⁻²⁹⁰, below which objectives count as zero.
    Least,
}

/// The size of a measure.
#[derive(Clone, Copy, Debug)]
pub(in crate::certificate) struct GapScale {
    pub size: Enclosure,
    /// What a reported gap is divided by: P from above, or the least that the others can be.
    pub divisor: f64,
    pub measure: Measure,
}

/// P of functions without units, enclosed.
pub(in crate::certificate) struct WithoutUnits {
    /// The best that the class allows.
    pub best: Enclosure,
    /// The best constant, or zero where the class has no intercept.
    pub constant: Enclosure,
}

impl GapScale {
    /// max(P, floor, 10⁻²⁹⁰); `without_units` is asked only where the floor may matter.
    pub(crate) fn new(
        found: Enclosure,
        rows: &ProofRows<'_>,
        tolerance: f64,
        without_units: impl FnOnce() -> WithoutUnits,
    ) -> GapScale {
        let zero = primal::objective(&no_units(rows.d()), rows, 0.0, &[]);
        let nothing = Enclosure::exactly(0.0);
        let (best, rounding) = if mul_up(FLOOR, zero.high) > found.low {
            let WithoutUnits { best, constant } = without_units();
            let rounding = LARGEST_ROUNDING.min(ROUNDING_GAP / tolerance);
            (share(FLOOR, best), share(rounding, zero).min(share(FLOOR, constant)))
        } else {
            (nothing, nothing)
        };
        let at_least = best.low.max(rounding.low).max(LEAST);
        let at_most = best.high.max(rounding.high).max(LEAST);
        let measure = match () {
            () if found.high >= at_least => Measure::Objective,
            () if at_least == best.low => Measure::WithoutUnits,
            () if at_least == rounding.low => Measure::Rounding,
            () => Measure::Least,
        };
        let size = Enclosure { low: found.low.max(at_least), high: found.high.max(at_most) };
        GapScale { size, divisor: found.high.max(at_least), measure }
    }
}

/// A share of an objective.
fn share(of: f64, objective: Enclosure) -> Enclosure {
    Enclosure { low: mul_down(of, objective.low.max(0.0)).max(0.0), high: mul_up(of, objective.high) }
}

/// max(P, P of the affine part alone, 10⁻²⁹⁰), for competitors that have this very affine part.
pub(in crate::certificate) fn same_affine_part(found: Enclosure, network: &Network, rows: &ProofRows<'_>) -> Enclosure {
    let alone = Network { intercept: network.intercept, linear: network.linear.clone(), ..no_units(rows.d()) };
    let alone = primal::objective(&alone, rows, 0.0, &[]);
    Enclosure { low: found.low.max(alone.low).max(LEAST), high: found.high.max(alone.high).max(LEAST) }
}

/// gap ≤ tolerance·scale.
pub(in crate::certificate) fn within(
    hypothesis: &'static str,
    tolerance: f64,
    scale: Enclosure,
    gap: Enclosure,
) -> Check {
    let least = sub_down(mul_down(tolerance, scale.low).max(0.0), gap.high);
    let most = add_up(mul_up(tolerance, scale.high), -gap.low);
    Check::between(hypothesis, least, most)
}

/// The same, and gap < P: that P cannot fall by more than itself is no news.
pub(in crate::certificate) fn within_and_below(
    hypothesis: &'static str,
    tolerance: f64,
    scale: Enclosure,
    gap: Enclosure,
    objective: Enclosure,
) -> Check {
    let check = within(hypothesis, tolerance, scale, gap);
    let spare = Enclosure { low: sub_down(objective.low, gap.high), high: add_up(objective.high, -gap.low) };
    if check.verdict() == Verdict::Holds && !(spare.low > 0.0) {
        return Check::between(check.hypothesis, spare.low.min(0.0).next_down(), spare.high);
    }
    check
}

/// As every theorem with a tolerance wants it.
pub(in crate::certificate) fn check_tolerance(tolerance: f64) -> Result<()> {
    if tolerance > 0.0 && tolerance <= LARGEST_TOLERANCE {
        return Ok(());
    }
    Err(Error::parameter(Parameter::Tolerance, Requirement::AboveUpTo(0.0, LARGEST_TOLERANCE), tolerance))
}

/// The zero function.
fn no_units(d: usize) -> Network {
    Network {
        activation: Activation::SQUARE,
        W: Matrix::zeros(0, d),
        v: vec![],
        bias: None,
        intercept: None,
        linear: None,
    }
}
