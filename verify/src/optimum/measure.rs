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
//! Format 4 has both measures once more with larger shares: weights are rounded too, and a network whose terms are larger than
//! its values leaves more than the labels do.
//!
//! P of the best function of a span is enclosed: from above by ½‖y − Zβ‖² for any β, from below by weak duality, as in
//! [`super::dual`]. A larger span leaves less, so that a proof may use one that is larger than need be.

use serde::{Deserialize, Serialize};

use super::basis::Basis;
use super::dual::{Demand, Dual};
use super::span::{Functions, Span};
use crate::arithmetic::{Enclosure, div_down, div_up, mul_down, mul_up};
use crate::error::Result;
use crate::monomial::Monomial;
use crate::network::Network;
use crate::residuals::objective as objective_of;
use crate::rows::ProofRows;

/// The share of P of the best function without units below which only rounding is left of P.
const FLOOR: f64 = 1e-10;
/// The same where weights are rounded too.
const INTERPOLATION: f64 = 1e-7;
/// What the rounding of the labels comes to, as shares of P of the zero function.
#[derive(Clone, Copy)]
struct RoundingShare {
    /// The gap.
    gap: f64,
    /// The measure, at most.
    largest: f64,
}
/// A few units in the last place: (4.5·2⁻⁵²)².
const FEW_UNITS: RoundingShare = RoundingShare { gap: 1e-30, largest: 1e-24 };
/// Some tens of them: (45·2⁻⁵²)².
const TENS_OF_UNITS: RoundingShare = RoundingShare { gap: 1e-28, largest: 1e-22 };
/// Objectives are not told apart from 0 below this.
pub const LEAST: f64 = 1e-290;

/// What a gap is relative to, and how that is known.
///
/// ```
/// use shallows_verify::optimum::measure::MeasureProof;
///
/// let measure: MeasureProof = serde_json::from_str(r#"{"kind": "objective"}"#)?;
/// assert_eq!(measure, MeasureProof::Objective {});
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MeasureProof {
    /// P of the network.
    Objective {},
    /// 10⁻¹⁰ × P of the best function without units.
    WithoutUnits {
        /// At least the functions without units that the claim allows.
        span: Span,
    },
    /// min(10⁻²⁴, 10⁻³⁰/t) × P of the zero function; 10⁻¹⁰ × P of the best constant where that is less.
    Rounding {
        /// At least the constants, where the claim allows them.
        span: Span,
    },
    /// 10⁻⁷ × P of the best function without units.
    Interpolation {
        /// At least the functions without units that the claim allows.
        span: Span,
    },
    /// min(10⁻²², 10⁻²⁸/t) × P of the zero function; 10⁻¹⁰ × P of the best constant where that is less.
    LastDigits {
        /// At least the constants, where the claim allows them.
        span: Span,
    },
    /// 10⁻²⁹⁰, below which objectives count as zero.
    Least {},
}

impl MeasureProof {
    /// The span that it uses.
    pub fn span(&self) -> Option<&Span> {
        match self {
            MeasureProof::WithoutUnits { span }
            | MeasureProof::Rounding { span }
            | MeasureProof::Interpolation { span }
            | MeasureProof::LastDigits { span } => Some(span),
            MeasureProof::Objective {} | MeasureProof::Least {} => None,
        }
    }

    /// Inputs that exist, and so on.
    pub fn check(&self, d: usize) -> Result<()> {
        self.span().map_or(Ok(()), |span| span.check(d))
    }

    /// A number s that the measure is at least (0 where nothing is proved), and one that no measure of this claim is
    /// above. `objective` encloses P of the network; `linear` and `intercept` are what the claim allows.
    pub fn size(
        &self,
        objective: Enclosure,
        rows: &ProofRows<'_>,
        tolerance: f64,
        linear: bool,
        intercept: bool,
    ) -> Enclosure {
        let zero = objective_of(&Network::zero(rows.d()), rows, 0.0, &[]);
        let share = if matches!(self, MeasureProof::Interpolation { .. }) { INTERPOLATION } else { FLOOR };
        let units = if matches!(self, MeasureProof::LastDigits { .. }) { TENS_OF_UNITS } else { FEW_UNITS };
        let rounding = units.largest.min(div_down(units.gap, tolerance));
        let best = |inputs: bool| {
            let wanted = Functions { constant: intercept, inputs, products: false };
            self.span().and_then(|span| least_of(span, rows, wanted, zero))
        };
        let (best, low) = match self {
            MeasureProof::Objective {} => (None, objective.low),
            MeasureProof::WithoutUnits { .. } | MeasureProof::Interpolation { .. } => {
                let best = best(linear);
                (best, best.map_or(0.0, |best| mul_down(share, best.low)))
            }
            MeasureProof::Rounding { .. } | MeasureProof::LastDigits { .. } => {
                let best = best(false);
                let least = |best: Enclosure| mul_down(share, best.low).min(mul_down(rounding, zero.low));
                (best, best.map_or(0.0, least))
            }
            MeasureProof::Least {} => (None, LEAST),
        };
        let allowed = |column: &Monomial| match column {
            Monomial::One => intercept,
            Monomial::Input(_) => linear,
            Monomial::Product(..) => false,
        };
        let is_allowed = self.span().is_some_and(|span| span.columns.iter().all(allowed));
        let without_units = best.filter(|_| is_allowed).map_or(zero.high, |best| best.high.min(zero.high));
        let rounding = units.largest.min(div_up(units.gap, tolerance));
        let floor = mul_up(share, without_units).max(mul_up(rounding, zero.high)).max(LEAST);
        Enclosure { low: low.max(0.0), high: objective.high.max(floor) }
    }

    /// In words, to follow "of".
    pub fn words(&self, linear: bool, intercept: bool) -> String {
        let best = match (linear, intercept) {
            (true, true) => "the best affine function",
            (true, false) => "the best linear function",
            (false, true) => "the best constant",
            (false, false) => "the zero function",
        };
        match self {
            MeasureProof::Objective {} => "that objective".into(),
            MeasureProof::Rounding { .. } => "what the rounding of the target leaves".into(),
            MeasureProof::LastDigits { .. } => "what some tens of units in the last place of the target come to".into(),
            MeasureProof::Least {} => "1e-290, below which objectives count as zero".into(),
            MeasureProof::WithoutUnits { .. } => format!("1e-10 × that of {best}"),
            MeasureProof::Interpolation { .. } => format!("1e-7 × that of {best}"),
        }
    }
}

/// P of the best function in a span, if it is proved to contain what is wanted.
pub fn least_of(span: &Span, rows: &ProofRows<'_>, wanted: Functions, zero: Enclosure) -> Option<Enclosure> {
    if !span.contains(rows, wanted) {
        return None;
    }
    if span.columns.is_empty() {
        return Some(zero);
    }
    let basis = Basis::prove(rows, &span.columns, span.passes)?;
    let dual = Dual::new(rows, Some(basis), Demand::None, 0.0, &[]);
    let residual: Vec<f64> = dual.target().iter().map(|y| -y).collect();
    let low = dual.lower_bound(&dual.point(&residual, 1.0), None, None)?;
    Some(Enclosure { low: low.max(0.0), high: dual.half_square_of_target() })
}
