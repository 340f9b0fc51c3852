//! How far a quadratic network is from the best one.
//!
//! # Proof
//! Every dual point bounds every competitor from below: see `optimum/dual`. The objective of the network from above and from
//! below: see `residuals`. What the gap is relative to: see `optimum/measure`.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{Enclosure, add_down, add_up, div_up, mul_down, mul_up, norm_up, power_of_two, sub_down};
use crate::error::{Error, Result, check_finite, check_not_negative, check_range, check_shape};
use crate::judgement::{Check, Fact, Judgement, Side};
use crate::network::{Network, Signs, StoredNetwork};
use crate::optimum::basis::Basis;
use crate::optimum::dual::{Demand, Dual};
use crate::optimum::span::Functions;
use crate::residuals;
use crate::rows::{ProofRows, Rows};
use crate::words::{equation, no_less, no_more, rounded_up};

pub use crate::optimum::dual::Class;
pub use crate::optimum::function::QuadraticFunction;
pub use crate::optimum::measure::MeasureProof;
pub use crate::optimum::span::Span;
pub use crate::relation::Relation;

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "global-optimum",
    title: "How far a quadratic network is from the best one",
    claim: "P = ½Σωᵢrᵢ² + τΣ_l|v_l|‖S w_l‖² of the given network is within a relative tolerance of the least that any \
            network f(x) = Σ_l v_l(w_l·x)² + c + b·x of any width, with output weights of the allowed signs and the \
            allowed affine part, can reach on these rows. S = Diag(2^e) scales the inputs in the penalty, and is the \
            identity unless a fit balanced them. Where P is so small that only rounding is left of it, the gap is \
            relative to a floor: the largest of 1e-7 × P of the best function without units (affine, linear, constant \
            or zero, as allowed), min(1e-22, 1e-28/tolerance) × P of the zero function but at most 1e-10 × that of the \
            best constant, and 1e-290.",
    hypotheses: &[
        "the output weights have the allowed signs",
        "the affine part is of the allowed kind",
        "P − lower bound ≤ tolerance × max(P, floor)",
    ],
    evidence: "Convex duality: every dual point bounds every competitor from below. Sums with proven error bounds and \
               Cholesky factorisations with Rump's shift decide; no eigenvalue is believed. A claim that fails comes \
               with a better network.",
    limits: "About these rows, not about new ones. Where the unpenalised part cannot be proved to be determined by the \
             data, the competitors are bounded, and the bounds are part of the claim.",
    source: "Weak duality for training in M = Σ v_l w_l w_lᵀ, derived for this project; positive definiteness by Rump, \
             BIT 46 (2006) 433–452.",
};

/// What is minimised, over which networks, and how close to the least the network is claimed to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of the output weights.
    pub signs: Signs,
    /// τ
    pub decay: f64,
    /// Whether a linear part is allowed.
    pub linear: bool,
    /// Whether an intercept is allowed.
    pub intercept: bool,
    /// e: the penalty is τΣ|v_l|‖S w_l‖², S = Diag(2^e).
    pub exponents: Vec<i32>,
    /// t
    pub tolerance: f64,
    /// Limits on competitors.
    pub class: Class,
}

/// The numbers that prove a claim. [`judge`] shows their use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// m
    pub centre: Vec<f64>,
    /// h: the proof uses x̂ = (x − m)·2^h.
    pub shifts: Vec<i32>,
    /// What is projected away.
    #[serde(deserialize_with = "Option::deserialize")]
    pub span: Option<Span>,
    /// Whether all products of inputs are projected away too.
    pub free: bool,
    /// Its residual gives the dual point.
    pub function: QuadraticFunction,
    /// s₀
    pub scale: f64,
    /// η
    pub excess: f64,
    /// What the gap is relative to.
    pub measure: MeasureProof,
    /// A better network.
    #[serde(deserialize_with = "Option::deserialize")]
    pub improvement: Option<StoredNetwork>,
}

/// The largest |e| in a scaling.
const LARGEST_EXPONENT: i32 = 300;
/// With a larger tolerance hardly anything would be claimed: a gap of 1 is that of a lower bound of zero.
pub const LARGEST_TOLERANCE: f64 = 0.1;
/// Digits of a gap in words.
const GAP_DIGITS: usize = 2;

/// Prove, refute or leave open that a network is within the claimed tolerance of the best.
///
/// ```
/// use shallows_verify::Monomial;
/// use shallows_verify::theorem::global_optimum::{Claim, Class, MeasureProof, Proof, QuadraticFunction, Span, judge};
/// use shallows_verify::{Activation, Matrix, Network, Rows, Signs, Verdict};
///
/// // Two labels for one row: the best is their mean, and leaves ½·(½)²·⅔.
/// let rows = Rows::new(&[1.0, 1.0, 2.0], 1, &[0.5, 1.5, 4.0], None)?;
/// let network = Network { W: Matrix::from_fn(1, 1, |_, _| 1.0), v: vec![1.0], ..Network::zero(1) };
/// let claim = Claim {
///     signs: Signs::Any,
///     decay: 0.0,
///     linear: false,
///     intercept: false,
///     exponents: vec![0],
///     tolerance: 1e-6,
///     class: Class::default(),
/// };
/// let proof = Proof {
///     centre: vec![0.0],
///     shifts: vec![0],
///     span: Some(Span { columns: vec![Monomial::Product(0, 0)], relations: vec![], groups: vec![], passes: 1 }),
///     free: true,
///     function: QuadraticFunction { M: vec![vec![1.0]], ..QuadraticFunction::zero(1) },
///     scale: 1.0,
///     excess: 0.0,
///     measure: MeasureProof::Objective {},
///     improvement: None,
/// };
/// let judgement = judge(&network, rows, &claim, &proof)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// let (bound, objective) = (judgement.fact("lower_bound"), judgement.fact("objective"));
/// assert!(bound <= Some(0.25 / 3.0) && Some(0.25 / 3.0) <= objective);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(network: &Network, rows: Rows<'_>, claim: &Claim, proof: &Proof) -> Result<Judgement> {
    network.check_kind(rows.d())?;
    claim.check(rows.d())?;
    proof.check(claim, rows.d())?;
    let improvement = proof.improvement.as_ref().map(|stored| stored.network(Some(rows.d()))).transpose()?;
    improvement.iter().try_for_each(|network| network.check_kind(rows.d()))?;
    let sign = if claim.signs == Signs::Negative { -1.0 } else { 1.0 };
    let rows = ProofRows::new(rows, sign)?.in_coordinates(&proof.centre, &proof.shifts)?;
    let objective =
        |network: &Network| residuals::objective(&network.with_sign(sign), &rows, claim.decay, &claim.exponents);
    let found = objective(network);
    let bound = proof.lower_bound(claim, &rows, sign).unwrap_or(0.0).max(0.0);
    let measure = proof.measure.size(found, &rows, claim.tolerance, claim.linear, claim.intercept);
    let better = improvement.filter(|network| claim.is_competitor(network)).map(|network| objective(&network).high);
    let gap = Enclosure {
        low: better.map_or(0.0, |better| sub_down(found.low, better).max(0.0)),
        high: add_up(found.high, -bound),
    };
    let mut checks = claim.membership(network);
    checks.push(gap_check(claim.tolerance, measure, gap));
    let facts = facts(found, bound, measure, gap);
    Ok(Judgement::new(Theorem::GlobalOptimum, checks, facts.clone(), |_| statement(claim, proof, &facts, gap.low)))
}

/// t·measure − gap, between its least and its largest possible value.
fn gap_check(tolerance: f64, measure: Enclosure, gap: Enclosure) -> Check {
    let least = sub_down(mul_down(tolerance, measure.low).max(0.0), gap.high);
    let most = add_up(mul_up(tolerance, measure.high), -gap.low);
    Check::between(THEOREM.hypotheses[2], least, most)
}

/// What is proved in numbers, as far as it is finite.
fn facts(found: Enclosure, bound: f64, measure: Enclosure, gap: Enclosure) -> Vec<Fact> {
    let relative_gap = if measure.low > 0.0 { div_up(gap.high.max(0.0), measure.low) } else { f64::INFINITY };
    let fact = |name, value, side, about| Fact { name, value, side, about };
    let mut facts = vec![
        fact("objective", found.high, Side::AtMost, "P of the network"),
        fact("lower_bound", bound, Side::AtLeast, "P of every competitor"),
        fact("measure", measure.low, Side::AtLeast, "what the gap is relative to"),
        fact("relative_gap", relative_gap, Side::AtMost, "(objective − lower bound)/measure"),
    ];
    facts.retain(|fact| fact.value.is_finite() && (fact.name != "measure" || fact.value > 0.0));
    facts
}

/// `gain` is by how much another network is proved to be lower at least.
fn statement(claim: &Claim, proof: &Proof, facts: &[Fact], gain: f64) -> String {
    let fact = |name: &str| facts.iter().find(|fact| fact.name == name).map(|fact| fact.value);
    let penalty = match claim.decay {
        0.0 => String::new(),
        decay => format!(" + τ·Σ|v_l|‖S w_l‖², {},", equation("τ", decay)),
    };
    let Some(objective) = fact("objective") else {
        return format!("½Σωr²{penalty} of the network is too large for a bound");
    };
    let bound = no_more(fact("lower_bound").unwrap_or(0.0));
    let gap = fact("relative_gap").map_or(String::new(), |gap| {
        let measure = proof.measure.words(claim.linear, claim.intercept);
        format!("; the gap is at most {} of {measure}", rounded_up(gap, GAP_DIGITS))
    });
    let better =
        if gain > 0.0 { format!("; another network is lower by at least {}", no_more(gain)) } else { String::new() };
    let (objective, class) = (no_less(objective), claim.words());
    format!("½Σωr²{penalty} of the network is at most {objective}, and at least {bound} for {class}{gap}{better}")
}

impl Claim {
    /// Numbers in their ranges, an exponent for each of the d inputs.
    pub fn check(&self, d: usize) -> Result<()> {
        check_shape("exponents of the scaling", d, self.exponents.len())?;
        let limit = f64::from(LARGEST_EXPONENT);
        let limits = [self.class.nuclear, self.class.linear, self.class.intercept];
        let exponents = self.exponents.iter().map(|e| ("an exponent of the scaling", -limit, limit, f64::from(*e)));
        let limits = limits.into_iter().flatten().map(|limit| ("a limit of the class", 0.0, f64::MAX, limit));
        let numbers = [
            ("the decay", 0.0, f64::MAX, self.decay),
            ("the tolerance", f64::MIN_POSITIVE, LARGEST_TOLERANCE, self.tolerance),
        ];
        let mut all = exponents.chain(limits).chain(numbers);
        all.try_for_each(|(what, least, most, found)| check_range(what, found, least, most))
    }

    /// What competitors may add to their units without penalty and without limit.
    fn unlimited(&self) -> Functions {
        Functions {
            constant: self.intercept && self.class.intercept.is_none(),
            inputs: self.linear && self.class.linear.is_none(),
            products: false,
        }
    }

    /// The hypotheses that are counted.
    fn membership(&self, network: &Network) -> Vec<Check> {
        let linear = network.linear.iter().flatten().any(|b| *b != 0.0) && !self.linear;
        let intercept = network.intercept.is_some_and(|c| c != 0.0) && !self.intercept;
        let counts = [network.wrong_signs(self.signs), i64::from(linear) + i64::from(intercept)];
        let hypotheses = THEOREM.hypotheses.iter().zip(counts);
        hypotheses.map(|(hypothesis, count)| Check::count(*hypothesis, -count)).collect()
    }

    /// Whether a network is proved to be one of those that the claim compares with.
    fn is_competitor(&self, network: &Network) -> bool {
        let within = |limit: Option<f64>, size: f64| limit.is_none_or(|limit| size <= limit);
        let linear = network.linear.iter().flatten().zip(&self.exponents).filter(|(b, _)| **b != 0.0);
        let linear: Vec<f64> = linear.map(|(b, e)| mul_up(b.abs(), power_of_two(*e))).collect();
        let linear = if linear.is_empty() { 0.0 } else { norm_up(linear) };
        self.membership(network).iter().all(|check| check.margin == 0.0)
            && within(self.class.nuclear, residuals::size(network, &self.exponents).high)
            && within(self.class.linear, linear)
            && within(self.class.intercept, network.intercept.unwrap_or(0.0).abs())
    }

    /// The competitors, in words.
    pub fn words(&self) -> String {
        let signs = match self.signs {
            Signs::Any => "output weights of any sign",
            Signs::Positive => "output weights ≥ 0",
            Signs::Negative => "output weights ≤ 0",
        };
        let affine = match (self.linear, self.intercept) {
            (true, true) => "any affine part",
            (true, false) => "any linear part and no intercept",
            (false, true) => "any intercept and no linear part",
            (false, false) => "no affine part",
        };
        let all = format!("every quadratic network of any width with {signs} and {affine}");
        let Class { nuclear, linear, intercept } = self.class;
        let limits = [("Σ|v_l|‖S w_l‖²", nuclear), ("‖S b‖", linear), ("|c|", intercept)];
        let limits =
            limits.iter().filter_map(|(what, limit)| limit.map(|limit| format!("{what} ≤ {}", no_more(limit))));
        let limits: Vec<String> = limits.collect();
        if limits.is_empty() { all } else { format!("{all}, as long as {}", limits.join(" and ")) }
    }
}

impl Proof {
    fn check(&self, claim: &Claim, d: usize) -> Result<()> {
        let unsuitable = |what, must_be, found: f64| Err(Error::Unsuitable { what, must_be, found: found.to_string() });
        self.function.check(d)?;
        self.span.iter().try_for_each(|span| span.check(d))?;
        self.measure.check(d)?;
        check_finite("the scale of the dual point", [&self.scale])?;
        check_not_negative("the excess", self.excess)?;
        if self.excess != 0.0 && claim.class.nuclear.is_none() {
            return unsuitable("the excess", "zero where the class does not limit the units", self.excess);
        }
        let unlimited = claim.unlimited();
        let affine = unlimited.constant && unlimited.inputs;
        match self.centre.iter().find(|m| !m.is_finite() || (**m != 0.0 && !affine)) {
            Some(m) => unsuitable("the centre", "zero unless the affine part is free and not limited", *m),
            None => Ok(()),
        }
    }

    /// A lower bound on P of every competitor, if one is proved.
    fn lower_bound(&self, claim: &Claim, rows: &ProofRows<'_>, sign: f64) -> Option<f64> {
        let wanted = Functions { products: self.free, ..claim.unlimited() };
        let basis = match &self.span {
            None if wanted.is_empty() => None,
            None => return None,
            Some(span) if !span.contains(rows, wanted) => return None,
            Some(span) => Some(Basis::prove(rows, &span.columns, span.passes)?),
        };
        let demand = match claim.signs {
            _ if self.free => Demand::None,
            Signs::Any => Demand::Between,
            Signs::Positive | Signs::Negative => Demand::Above,
        };
        let level = if self.excess == 0.0 { claim.decay } else { add_down(claim.decay, self.excess).max(0.0) };
        let dual = Dual::new(rows, basis, demand, level, &claim.exponents);
        let theta = dual.point_of(&self.function, sign, self.scale);
        let Class { nuclear, linear, intercept } = claim.class;
        let (linear, intercept) = (linear.filter(|_| claim.linear), intercept.filter(|_| claim.intercept));
        let bound = dual.lower_bound(&theta, linear, intercept)?;
        if self.excess == 0.0 {
            return Some(bound);
        }
        Some(sub_down(bound, mul_up(nuclear?, self.excess))).filter(|bound| bound.is_finite())
    }
}
