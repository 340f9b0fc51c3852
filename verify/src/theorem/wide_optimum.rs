//! How far an infinitely wide network is from the best one.
//!
//! # Proof
//! Let f = a + Σ_g α_g κ(·, z_g), and δ any function of the Hilbert space of κ. With ω_g and d_g of `wide/groups`, f_g = f(z_g) − a, δ_g = δ(z_g) and
//!
//! ```text
//! e_g = f_g − d_g + ρα_g/ω_g,
//! P(f + δ) = P(f) + Σ_g ω_g e_g δ_g + ½Σ_g ω_g δ_g² + (ρ/2)‖δ‖²,
//! ```
//!
//! because P is quadratic, Σ_i ω_i(f(x_i) − y_i)δ(x_i) = Σ_g ω_g(f_g − d_g)δ_g, and ⟨f − a, δ⟩ = Σα_gδ_g. Completing the squares,
//!
//! ```text
//! P(f) − P(f + δ) = gap − ½Σ_g ω_g(e_g + δ_g)² − (ρ/2)‖δ‖² ≤ gap,     gap = ½Σ_g ω_g e_g².
//! ```
//!
//! The least P* is attained, at f* = f + δ* say; since f* is stationary, P(f) − P* = ½Σω_gδ*_g² + (ρ/2)‖δ*‖². Together **ρ‖f − f*‖² ≤ gap**, so |f(x) − f*(x)| ≤
//! √(gap·κ(x,x)/ρ) for every x. (Where each group is one row this is weak duality with θ = ρα.)
//!
//! *The other side.* With δ = −τh, h = Σβ_gκ(·, z_g) and the best τ, P falls by (Σω_ge_gh_g)²/(2(Σω_gh_g² + ρΣβ_gh_g)). β_g is about ω_ge_g, the gradient of P. This
//! bounds P − P* from below, and is computed only where the claim is not proved.
//!
//! *Finite layers.* P* = max over θ of Σθ_i(y_i − a) − ½Σθ_i²/ω_i − θᵀKθ/(2ρ) is convex in K, and the kernel matrix of finitely many independent units with
//! the law of a layer has K as its mean: on average over draws its P* is not below that of K (Jensen).
//!
//! # Arithmetic
//! f_g between two bounds by `wide/kernel`, everything else in enclosures.

use serde::{Deserialize, Serialize};

use super::{Theorem, TheoremText};
use crate::arithmetic::{CompensatedSum, Enclosure, add_up, div_down, div_up, mul_down, mul_up, sqrt_up, sub_down};
use crate::error::{Result, check_range, check_shape};
use crate::judgement::{Check, Fact, Judgement, Side};
use crate::rows::{ProofRows, Rows};
use crate::wide::groups::RowGroups;
use crate::wide::kernel::GroupKernel;
use crate::words::{equation, no_less, no_more, rounded_up};

pub use crate::wide::{LayerLaw, RankCurve, WideLayer, WideNetwork};

pub(super) const THEOREM: TheoremText = TheoremText {
    id: "wide-optimum",
    title: "How far an infinitely wide network is from the best one",
    claim: "f(x) = a + Σ_g α_g κ(z(x), z_g) is an infinitely wide network: κ is the sum of the kernels of its hidden \
            layers, whose weights have given laws. P = ½Σωᵢrᵢ² + (ρ/2)‖f − a‖², ‖f − a‖² = αᵀKα, is within a relative \
            tolerance of the least P* that any output layer over these hidden layers (any function of the Hilbert space \
            of κ, added to a) can reach on these rows. Where P is so small that only rounding is left of it, the gap is \
            relative to a floor: the larger of 1e-22 × P of the best constant and 1e-290. On average over draws no finite hidden layer with independent units of these laws has a smaller \
            optimum.",
    hypotheses: &["P − P* ≤ tolerance × max(P, floor)"],
    evidence: "P is a convex quadratic function, and its gap is at most ½Σ_g ω_g(f(z_g) − ȳ_g + ρα_g/ω_g)², g the groups of \
               rows with equal inputs. Kernels with proved bounds on their rounding errors, elementary functions included: \
               nothing is assumed about those of the machine. No factorisation. A claim that fails comes with a proved \
               decrease of P.",
    limits: "About these rows and these laws with their scales: not about new rows, not about other laws. About networks \
             whose hidden weights are trained nothing is claimed. Beyond n²·layers·(inputs + 32) = 4e12 or \
             n·layers·inputs = 1e9 nothing is computed.",
    source: "Strong convexity of kernel ridge regression, derived for this project; kernels of relu layers by Cho and Saul \
             (2009), of erf layers by Williams (1997).",
};

/// The network, what is minimised, and how close to the least it is claimed to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The network.
    pub network: WideNetwork,
    /// ρ
    pub decay: f64,
    /// t
    pub tolerance: f64,
}

/// Nothing: the network is its own proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {}

/// With a larger tolerance hardly anything would be claimed.
pub const LARGEST_TOLERANCE: f64 = 0.1;
/// Beyond this much work nothing is computed.
const MOST_WORK: f64 = 4e12;
/// Inputs that all layers hold: twice as many doubles are 16 GB.
const MOST_NUMBERS: f64 = 1e9;
/// The floor of what the gap is relative to: this part of P of the best constant, and this.
const ROUNDING: f64 = 1e-22;
const LEAST_MEASURE: f64 = 1e-290;
/// Digits of numbers in words.
const DIGITS: usize = 2;

/// Prove, refute or leave open that a wide network is within the claimed tolerance of the best.
///
/// ```
/// use shallows_verify::theorem::wide_optimum::{Claim, LayerLaw, Proof, WideLayer, WideNetwork, judge};
/// use shallows_verify::{Rows, Verdict};
///
/// // One row, κ(z, z) = 1 and ρ = 1: α = (y − a)/2, and P* = ¼(y − a)².
/// let rows = Rows::new(&[3.0], 1, &[6.0], None)?;
/// let rough = WideLayer { law: LayerLaw::Rough, signal: 1.0, scales: vec![1.0], bias: 0.0 };
/// let network = |alpha: f64| WideNetwork {
///     kept: vec![0],
///     ranks: None,
///     mean: vec![0.0],
///     deviation: vec![1.0],
///     offset: 4.0,
///     layers: vec![rough.clone()],
///     alpha: vec![alpha],
/// };
/// let claim = |alpha: f64| Claim { network: network(alpha), decay: 1.0, tolerance: 1e-9 };
/// let best = judge(rows, &claim(1.0), &Proof {})?;
/// assert_eq!(best.verdict(), Verdict::Holds);
/// assert!(best.fact("lower_bound") <= Some(1.0) && best.fact("objective") >= Some(1.0));
/// assert_eq!(judge(rows, &claim(1.1), &Proof {})?.verdict(), Verdict::Fails);
/// # Ok::<(), shallows_verify::Error>(())
/// ```
pub fn judge(rows: Rows<'_>, claim: &Claim, _: &Proof) -> Result<Judgement> {
    claim.check(rows.d())?;
    let network = &claim.network;
    let counted = if rows.weights().is_some_and(|weights| weights.contains(&0.0)) { COUNTED } else { ALL };
    let rows = ProofRows::new(rows, 1.0)?;
    let groups = RowGroups::new(network, &rows)?;
    let (n, d) = (groups.z.rows(), groups.z.cols());
    check_shape("coefficients of groups of rows", n, network.alpha.len())?;
    let numbers = n as f64 * d as f64 * network.layers.len() as f64;
    if GroupKernel::work(&network.layers, n, d) > MOST_WORK || numbers > MOST_NUMBERS {
        let open = vec![Check::open(THEOREM.hypotheses[0])];
        let statement = format!("undecided: {n} different rows are too many for this many layers and inputs");
        return Ok(Judgement::new(Theorem::WideOptimum, open, vec![], |_| statement));
    }
    let kernel = GroupKernel::new(&network.layers, &groups.z);
    let point = WidePoint::new(claim, &rows, &groups, kernel.applied(&network.alpha));
    let mut gap = Enclosure { low: 0.0, high: point.gap };
    let least = sub_down(mul_down(claim.tolerance, point.measure.low).max(0.0), gap.high);
    if !(least >= 0.0) {
        gap.low = point.decrease(claim.decay, &groups, &kernel);
    }
    let most = add_up(mul_up(claim.tolerance, point.measure.high), -gap.low);
    let check = Check::between(THEOREM.hypotheses[0], least, most);
    let facts = facts(claim, &point, kernel.largest_diagonal());
    Ok(Judgement::new(Theorem::WideOptimum, vec![check], facts.clone(), |_| {
        statement(claim, &facts, (point.is_floor, counted, gap.low))
    }))
}

impl Claim {
    /// Numbers in their ranges, a network that fits d inputs and itself.
    pub fn check(&self, d: usize) -> Result<()> {
        check_range("the decay", self.decay, f64::MIN_POSITIVE, f64::MAX)?;
        check_range("the tolerance", self.tolerance, f64::MIN_POSITIVE, LARGEST_TOLERANCE)?;
        self.network.check(d)
    }
}

/// What is known of a network on rows.
struct WidePoint {
    /// P
    objective: Enclosure,
    /// max(P, floor)
    measure: Enclosure,
    /// Whether that may be the floor.
    is_floor: bool,
    /// e_g
    e: Vec<Enclosure>,
    /// ½Σω_ge_g² from above.
    gap: f64,
}

impl WidePoint {
    /// `values` are the f_g.
    fn new(claim: &Claim, rows: &ProofRows<'_>, groups: &RowGroups, values: Vec<Enclosure>) -> WidePoint {
        let (alpha, rho) = (&claim.network.alpha, Enclosure::exactly(claim.decay));
        let offset = Enclosure::exactly(claim.network.offset);
        let target = |i: usize| Enclosure::exactly(rows.y[i]) - offset;
        let half_mean_square = |residual: &dyn Fn(usize) -> Enclosure| {
            let squares = (0..rows.n()).map(|i| rows.w[i] * residual(i).squared());
            0.5 * (sum(squares) / rows.total)
        };
        let norm = not_negative(sum(alpha.iter().zip(&values).map(|(alpha, value)| *alpha * *value)));
        let loss = half_mean_square(&|i| values[groups.of_row[i]] - target(i));
        let objective = not_negative(loss + 0.5 * (rho * norm));
        // ½E(y − ȳ)² = ½E(y − m)² − ½(E(y − m))², m the double nearest to ȳ or so: exactly 0 for a constant target.
        let mean = |of: &dyn Fn(usize) -> Enclosure| sum((0..rows.n()).map(|i| rows.w[i] * of(i))) / rows.total;
        let about = mean(&|i| Enclosure::exactly(rows.y[i]));
        let (least, most) = rows.y.iter().fold((f64::MAX, f64::MIN), |(least, most), y| (least.min(*y), most.max(*y)));
        let m = Enclosure::exactly((0.5 * about.low + 0.5 * about.high).max(least).min(most));
        let from_m = |i: usize| Enclosure::exactly(rows.y[i]) - m;
        let constant = not_negative(half_mean_square(&from_m) - 0.5 * mean(&from_m).squared());
        let floor = (ROUNDING * constant).max(Enclosure::exactly(LEAST_MEASURE));
        let e = |g: usize| values[g] - groups.means[g] + alpha[g] * rho / groups.weights[g];
        let e: Vec<Enclosure> = (0..values.len()).map(e).collect();
        let gap = 0.5 * sum(groups.weights.iter().zip(&e).map(|(weight, e)| *weight * e.squared()));
        let is_floor = floor.low > objective.low;
        WidePoint { measure: objective.max(floor), objective, is_floor, e, gap: gap.high }
    }

    /// How much one step along the gradient lowers P, from below.
    fn decrease(&self, rho: f64, groups: &RowGroups, kernel: &GroupKernel) -> f64 {
        let gradient: Vec<Enclosure> = groups.weights.iter().zip(&self.e).map(|(weight, e)| *weight * *e).collect();
        let beta: Vec<f64> = gradient.iter().map(|x| 0.5 * x.low + 0.5 * x.high).collect();
        let h = kernel.applied(&beta);
        let slope = sum(gradient.iter().zip(&h).map(|(gradient, h)| *gradient * *h));
        let squares = sum(groups.weights.iter().zip(&h).map(|(weight, h)| *weight * h.squared()));
        let norm = not_negative(sum(beta.iter().zip(&h).map(|(beta, h)| *beta * *h)));
        let curvature = squares + rho * norm;
        let known = slope.low > 0.0 && curvature.high.is_finite();
        if known { div_down(mul_down(slope.low, slope.low), mul_up(2.0, curvature.high)).max(0.0) } else { 0.0 }
    }
}

fn sum(terms: impl Iterator<Item = Enclosure>) -> Enclosure {
    let (mut low, mut high) = (CompensatedSum::default(), CompensatedSum::default());
    for term in terms {
        low.add(term.low);
        high.add(term.high);
    }
    Enclosure { low: low.down(), high: high.up() }
}

/// Of a number that is not negative: what is below 0 is rounding.
fn not_negative(x: Enclosure) -> Enclosure {
    Enclosure { low: if x.low < 0.0 { 0.0 } else { x.low }, high: x.high }
}

/// What is proved in numbers.
fn facts(claim: &Claim, point: &WidePoint, largest_diagonal: f64) -> Vec<Fact> {
    let bound = sub_down(point.objective.low, point.gap);
    let distance = sqrt_up(div_up(point.gap, claim.decay));
    let fact = |name, value, side, about| Fact { name, value, side, about };
    vec![
        fact("objective", point.objective.high, Side::AtMost, "P of the network"),
        fact("lower_bound", if bound < 0.0 { 0.0 } else { bound }, Side::AtLeast, "P of every competitor"),
        fact("measure", point.measure.low, Side::AtLeast, "what the gap is relative to"),
        fact("relative_gap", div_up(point.gap, point.measure.low), Side::AtMost, "(P − P*)/measure"),
        fact("norm_distance", distance, Side::AtMost, "‖f − f*‖, f* the best: |f(x) − f*(x)| ≤ this × √κ(x,x)"),
        fact(
            "prediction_distance",
            mul_up(distance, sqrt_up(largest_diagonal)),
            Side::AtMost,
            "|f(x) − f*(x)| on the rows that count",
        ),
    ]
}

/// Which rows predictions are compared on: of rows of weight 0 nothing is known.
const ALL: &str = "these rows";
const COUNTED: &str = "these rows, but those of weight 0,";

fn statement(claim: &Claim, facts: &[Fact], (is_floor, counted, decrease): (bool, &str, f64)) -> String {
    let fact =
        |name: &str| facts.iter().find(|fact| fact.name == name && fact.value.is_finite()).map(|fact| fact.value);
    let (Some(objective), Some(bound)) = (fact("objective"), fact("lower_bound")) else {
        return "the objective of the wide network is too large for a bound".into();
    };
    let gap = fact("relative_gap").map_or(String::new(), |gap| {
        let measure = if is_floor { "the floor of what that is relative to" } else { "it" };
        format!("; the gap is at most {} of {measure}", rounded_up(gap, DIGITS))
    });
    let predictions = fact("prediction_distance").map_or(String::new(), |distance| {
        let distance = rounded_up(distance, DIGITS);
        format!("; predictions on {counted} are within {distance} of those of the exact optimum")
    });
    let better =
        if decrease > 0.0 { format!("; one step lowers it by {} at least", no_more(decrease)) } else { String::new() };
    format!(
        "½Σωr² + ½ρ‖f − a‖², {}, of the wide network is at most {}, and at least {} for every output layer over its infinitely wide \
         hidden layers{gap}{predictions}{better}",
        equation("ρ", claim.decay),
        no_less(objective),
        no_more(bound)
    )
}
