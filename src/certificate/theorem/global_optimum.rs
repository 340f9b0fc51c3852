//! How far a quadratic network is from the best one.
//!
//! # Proof
//! Every dual point bounds every competitor from below: see `optimum/dual`. The objective of the network from above and from
//! below: see `optimum/primal`. What the gap is relative to: see `optimum/measure`.

use serde::{Deserialize, Serialize};

use crate::activation::Activation;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{add_up, div_up, mul_down, plain_dot, sub_down};
use crate::certificate::optimum::bound::DualProblem;
use crate::certificate::optimum::measure::{GapScale, check_tolerance, within};
use crate::certificate::optimum::primal;
use crate::certificate::proposal::improvement;
use crate::certificate::words::no_more;
use crate::certificate::{Check, Judgement, Theorem, TheoremText};
use crate::data::Data;
use crate::error::{Error, Parameter, Requirement, Result};
use crate::network::{Network, Signs};

pub use crate::certificate::optimum::measure::Measure;

pub(in crate::certificate) const THEOREM: TheoremText = TheoremText {
    id: "global-optimum",
    title: "How far a quadratic network is from the best one",
    claim: "P = ½Σωᵢrᵢ² + τΣ_l|v_l|‖S w_l‖² of the given network is within a relative tolerance of the least that any \
            network f(x) = Σ_l v_l(w_l·x)² + c + b·x of any width, with output weights of the allowed signs and the \
            allowed affine part, can reach on these rows. S = Diag(2^e) scales the inputs in the penalty, and is the \
            identity unless a fit balanced them. Where P is so small that only rounding is left of it, the gap is \
            relative to a floor: the largest of 1e-10 × P of the best function without units (affine, linear, constant \
            or zero, as allowed), min(1e-24, 1e-30/tolerance) × P of the zero function but at most 1e-10 × that of the \
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

/// What is minimised, and over which networks. [`global_optimum`] shows its use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of the output weights.
    pub signs: Signs,
    /// τ.
    pub decay: f64,
    /// Whether a linear part is allowed.
    pub linear: bool,
    /// Whether an intercept is allowed.
    pub intercept: bool,
    /// e: the penalty is τΣ|v_l|‖S w_l‖², S = Diag(2^e). Zeros for the raw inputs.
    pub exponents: Vec<i32>,
}

/// A quadratic function x·Mx + b·x + c, whose residual gives a dual point.
///
/// ```
/// use shallows::certificate::{Claim, Signs, Verdict, Witness, global_optimum};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.01, 3.0, 12.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
/// // Any witness is allowed: a bad one proves less, never something false.
/// let witness = Witness { M: vec![vec![3.0]], b: vec![0.0], c: 0.0 };
/// let judgement = global_optimum(&network, &data, &claim, Some(&witness), 1e-3)?;
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// d×d, by rows.
    pub M: Vec<Vec<f64>>,
    /// d.
    pub b: Vec<f64>,
    /// c.
    pub c: f64,
}

/// The competitors that the lower bound speaks about. [`Optimum`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// All of the claim.
    All,
    /// Those within limits; `None` is no limit.
    Bounded {
        /// On ‖SMS‖_*, and so on Σ|v_l|‖S w_l‖².
        nuclear: Option<f64>,
        /// On ‖Sb‖.
        linear: Option<f64>,
        /// On |c|.
        intercept: Option<f64>,
    },
}

impl Class {
    /// In words.
    pub fn words(&self, claim: &Claim) -> String {
        let signs = match claim.signs {
            Signs::Any => "output weights of any sign",
            Signs::Positive => "output weights ≥ 0",
            Signs::Negative => "output weights ≤ 0",
        };
        let affine = match (claim.linear, claim.intercept) {
            (true, true) => "any affine part",
            (true, false) => "any linear part and no intercept",
            (false, true) => "any intercept and no linear part",
            (false, false) => "no affine part",
        };
        let all = format!("every quadratic network of any width with {signs} and {affine}");
        let Class::Bounded { nuclear, linear, intercept } = self else { return all };
        let limits = [("Σ|v_l|‖S w_l‖²", nuclear), ("‖S b‖", linear), ("|c|", intercept)];
        let limits: Vec<String> = limits
            .iter()
            .filter_map(|(what, limit)| limit.map(|limit| format!("{what} ≤ {}", no_more(limit))))
            .collect();
        format!("{all}, as long as {}", limits.join(" and "))
    }
}

impl Measure {
    /// In words, to follow "of".
    pub fn words(self, claim: &Claim) -> &'static str {
        match self {
            Measure::Objective => "that objective",
            Measure::Rounding => "what the rounding of the target leaves",
            Measure::Least => "1e-290, below which objectives count as zero",
            Measure::WithoutUnits if claim.linear && claim.intercept => "1e-10 × that of the best affine function",
            Measure::WithoutUnits if claim.linear => "1e-10 × that of the best linear function",
            Measure::WithoutUnits if claim.intercept => "1e-10 × that of the best constant",
            Measure::WithoutUnits => "1e-10 × that of the zero function",
        }
    }
}

/// What is proved in numbers.
///
/// ```
/// use shallows::certificate::{Claim, Class, Signs, global_optimum};
/// use shallows::linalg::Matrix;
/// use shallows::{Activation, Data, Network};
///
/// let data = Data::from_rows(&[[0.0], [1.0], [2.0]], &[0.01, 3.0, 12.0])?;
/// let network = Network::new(Activation::SQUARE, Matrix::from_rows(&[[1.0]]), vec![3.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
/// let optimum = global_optimum(&network, &data, &claim, None, 1e-3)?.optimum.expect("in numbers");
/// assert!(optimum.lower_bound <= optimum.objective);
/// println!("{} of {}", optimum.relative_gap, optimum.measure.words(&claim));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// At least P of the network.
    pub objective: f64,
    /// At most P of every competitor.
    pub lower_bound: f64,
    /// (objective − lower bound)/measure, rounded up.
    pub relative_gap: f64,
    /// What the gap is relative to.
    pub measure: Measure,
    /// Who cannot do better than the lower bound.
    pub class: Class,
    /// A network that is provably better, when one was found, and its objective, rounded up.
    pub improvement: Option<(Network, f64)>,
}

/// The largest |e| in a scaling.
const LARGEST_EXPONENT: i32 = 300;

/// Prove, refute or leave open that a network is within `tolerance` of the best.
///
/// ```
/// use shallows::certificate::{Claim, Signs, Verdict, global_optimum};
/// use shallows::data::Data;
/// use shallows::linalg::Matrix;
/// use shallows::network::Network;
///
/// // Two rows, two labels for one of them: the best is their mean, and leaves ½·(½)²·⅔.
/// let X = Matrix::from_rows(&[[1.0], [1.0], [2.0]]);
/// let data = Data::builder(X, vec![0.5, 1.5, 4.0]).build()?;
/// let network = Network::new("quadratic".parse()?, Matrix::from_rows(&[[1.0]]), vec![1.0])?;
/// let claim = Claim { signs: Signs::Any, decay: 0.0, linear: false, intercept: false, exponents: vec![0] };
///
/// let judgement = global_optimum(&network, &data, &claim, None, 1e-6)?;
/// let optimum = judgement.optimum.as_ref().expect("this theorem has numbers");
/// assert_eq!(judgement.verdict(), Verdict::Holds);
/// assert!(optimum.lower_bound <= 0.25 / 3.0 && 0.25 / 3.0 <= optimum.objective);
/// # Ok::<(), shallows::error::Error>(())
/// ```
pub fn global_optimum(
    network: &Network,
    data: &Data,
    claim: &Claim,
    witness: Option<&Witness>,
    tolerance: f64,
) -> Result<Judgement> {
    check_inputs(network, data, claim, witness, tolerance)?;
    let sign = if claim.signs == Signs::Negative { -1.0 } else { 1.0 };
    let signed = with_sign(network, sign);
    let rows = ProofRows::new(data, sign);
    rows.check()?;
    let (found, residual) = primal::evaluated(&signed, &rows, claim.decay, &claim.exponents);
    let mut residuals = vec![residual];
    residuals.extend(witness.map(|witness| witness.residual(&rows, sign)));
    let problem = DualProblem::new(data, sign, claim, &signed);
    let GapScale { size: scale, divisor, measure } = GapScale::new(found, &rows, tolerance, || problem.without_units());
    let enough = |bound: f64| add_up(found.high, -bound) <= mul_down(tolerance, scale.low);
    let (mut lower_bound, mut class) = problem.lower_bound(&residuals, &enough);
    let mut improvement = None;
    if !enough(lower_bound) {
        improvement = improvement::find(&signed, &rows, claim, &residuals[0], found.low);
        // What fails does so whatever the lower bound; then the class is better not bounded.
        if improvement.is_some() && class != Class::All {
            (lower_bound, class) = (0.0, Class::All);
        }
    }
    let gap = Enclosure {
        low: improvement.as_ref().map_or(0.0, |(_, objective)| sub_down(found.low, *objective).max(0.0)),
        high: add_up(found.high, -lower_bound).max(0.0),
    };
    let mut checks = membership(network, claim);
    checks.push(gap_check(tolerance, scale, gap));
    let relative_gap = if gap.high == 0.0 { 0.0 } else { div_up(gap.high, divisor) };
    let improvement = improvement.map(|(network, objective)| (with_sign(&network, sign), objective));
    let optimum = Optimum { objective: found.high, lower_bound, relative_gap, measure, class, improvement };
    let (facts, statement) = (vec![], String::new());
    Ok(Judgement { theorem: Theorem::GlobalOptimum, checks, optimum: Some(optimum), facts, statement, direction: None })
}

/// tolerance·scale − gap, between its least and its largest possible value.
fn gap_check(tolerance: f64, scale: Enclosure, gap: Enclosure) -> Check {
    if gap.high == 0.0 {
        return Check::count(THEOREM.hypotheses[2], 0);
    }
    within(THEOREM.hypotheses[2], tolerance, scale, gap)
}

/// Output weights that a class does not allow.
pub(in crate::certificate) fn wrong_signs(network: &Network, signs: Signs) -> usize {
    let wrong = |v: &&f64| match signs {
        Signs::Any => false,
        Signs::Positive => **v < 0.0,
        Signs::Negative => **v > 0.0,
    };
    network.v.iter().filter(wrong).count()
}

/// The hypotheses that are counted.
fn membership(network: &Network, claim: &Claim) -> Vec<Check> {
    let linear = network.linear.iter().flatten().any(|b| *b != 0.0) && !claim.linear;
    let intercept = network.intercept.is_some_and(|c| c != 0.0) && !claim.intercept;
    let counts = [wrong_signs(network, claim.signs), usize::from(linear) + usize::from(intercept)];
    THEOREM
        .hypotheses
        .iter()
        .zip(counts)
        .map(|(hypothesis, count)| Check::count(*hypothesis, -(count as i64)))
        .collect()
}

/// The network times ±1.
fn with_sign(network: &Network, sign: f64) -> Network {
    let mut signed = network.clone();
    signed.v.iter_mut().for_each(|v| *v *= sign);
    signed.linear.iter_mut().flatten().for_each(|b| *b *= sign);
    signed.intercept = network.intercept.map(|c| sign * c);
    signed
}

impl Witness {
    fn residual(&self, rows: &ProofRows<'_>, sign: f64) -> Vec<f64> {
        let value = |i: usize| {
            let x = rows.X.row(i);
            let square = self.M.iter().zip(x).fold(0.0, |sum, (row, x_a)| sum + x_a * plain_dot(row, x));
            sign * (square + (self.c + plain_dot(&self.b, x))) - rows.y[i]
        };
        (0..rows.n()).map(value).collect()
    }
}

/// φ(z) = z² exactly, and no hidden biases but zeros.
pub(in crate::certificate) fn check_kind(network: &Network) -> Result<()> {
    if network.activation != Activation::SQUARE {
        return Err(Error::unsuitable("the activation", "quadratic for this theorem", &network.activation));
    }
    match network.bias.iter().flatten().find(|u| **u != 0.0) {
        Some(u) => Err(Error::unsuitable("every hidden bias", "zero for this theorem", u)),
        None => Ok(()),
    }
}

fn check_inputs(
    network: &Network,
    data: &Data,
    claim: &Claim,
    witness: Option<&Witness>,
    tolerance: f64,
) -> Result<()> {
    network.check()?;
    check_kind(network)?;
    let d = data.d();
    let shape = |what, expected, found| {
        if expected == found { Ok(()) } else { Err(Error::Shape { what, expected, found }) }
    };
    shape("inputs of the network", d, network.inputs())?;
    data.check_square()?;
    shape("exponents of the scaling", d, claim.exponents.len())?;
    if !(claim.decay >= 0.0 && claim.decay.is_finite()) {
        return Err(Error::parameter(Parameter::Decay, Requirement::AtLeast(0.0), claim.decay));
    }
    if let Some(e) = claim.exponents.iter().find(|e| e.unsigned_abs() > LARGEST_EXPONENT as u32) {
        let limit = f64::from(LARGEST_EXPONENT);
        return Err(Error::parameter(Parameter::Exponent, Requirement::FromTo(-limit, limit), e));
    }
    check_tolerance(tolerance)?;
    let Some(Witness { M, b, c }) = witness else { return Ok(()) };
    shape("rows of the witness M", d, M.len())?;
    M.iter().try_for_each(|row| shape("columns of the witness M", d, row.len()))?;
    shape("linear part of the witness", d, b.len())?;
    let finite = M.iter().flatten().chain(b).chain([c]).all(|x| x.is_finite());
    if finite { Ok(()) } else { Err(Error::NotFinite { what: "the numbers of the witness" }) }
}
