//! A proof that no competitor is much better: coordinates, what is projected away, a dual point, what the gap is relative to.
//!
//! Nothing here is trusted: [`shallows_verify::theorem::global_optimum`] judges what is proposed. Where everything is free
//! (decay 0, both signs) the unpenalised functions include all products of inputs and the dual point is the best there is.
//! Otherwise only the affine part is projected away, and A*(θ) is held against the penalty. Where the columns cannot be
//! proved to be independent, or nothing can be proved about all competitors, the bound is over a class that reaches a thousand
//! times as far as the network, or a hundred times where a thousand proves too little.

use shallows_verify::Monomial;
use shallows_verify::arithmetic::{Enclosure, add_up, mul_down, mul_up, norm_up, power_of_two};
use shallows_verify::optimum::basis::Basis;
use shallows_verify::optimum::dual::{Class, Demand, Dual};
use shallows_verify::optimum::span::Span;
use shallows_verify::residuals;
use shallows_verify::rows::{ProofRows, Rows};
use shallows_verify::theorem::global_optimum::{Claim, MeasureProof, Proof, QuadraticFunction, judge};
use shallows_verify::{Judgement, Network, Signs, StoredNetwork};

use super::coordinates::coordinates;
use super::improvement;
use super::least_squares::least_squares;
use super::points::{self, DualPoint};
use super::spans::{columns, proved_span};
use crate::error::Result;

/// A bounded class reaches this many times as far as the network; the next where that proves too little.
const REACHES: [f64; 2] = [1000.0, 100.0];
/// All products of inputs become columns of a basis up to this many, …
const MOST_COLUMNS: usize = 1500;
/// … and up to this many multiplications in one pass.
const MOST_PRODUCTS: f64 = 3e10;
/// The same where the products only stand in for what a penalty or a sign did not prove.
const FEWER_PRODUCTS: f64 = 3e9;
/// The share of P of the zero function below which P may be no more than rounding.
const ROUNDING_SHARE: f64 = 1e-7;

/// A claim, its proof, and what the checker says about it.
/// [`prove_optimum`](crate::certificate::prove_optimum) shows its use.
#[derive(Clone, Debug)]
pub struct ProvedOptimum {
    /// What is claimed, and against whom.
    pub claim: Claim,
    /// The numbers that prove it.
    pub proof: Proof,
    /// The checker's word.
    pub judgement: Judgement,
}

/// Look for a proof that the network is within the claimed tolerance of the best; `claim` limits no competitor. The residual
/// of the witness, a quadratic function of the inputs as given, may give a better dual point than that of the network.
pub(crate) fn prove(
    network: &Network,
    rows: Rows<'_>,
    claim: Claim,
    witness: Option<&QuadraticFunction>,
) -> Result<ProvedOptimum> {
    claim.check(rows.d())?;
    network.check_quadratic()?;
    network.check_inputs(rows.d())?;
    let search = OptimumSearch::new(network, rows, &claim, witness)?;
    let measure = search.measure();
    let (class, mut proof) = search.lower_bound(measure.clone());
    let mut claim = Claim { class, ..claim.clone() };
    let bound = search.bound.get();
    if !search.is_enough(bound)
        && let Some(better) = improvement::find(network, rows, &claim, search.found.low)?
    {
        // What fails does so whatever the lower bound; then the class is better not bounded.
        if claim.class != Class::default() {
            claim.class = Class::default();
            proof = search.nothing(measure);
        }
        proof.improvement = Some(StoredNetwork::new(&better));
    }
    let judgement = judge(network, rows, &claim, &proof)?;
    Ok(ProvedOptimum { claim, proof, judgement })
}

/// What is searched with.
struct OptimumSearch<'a> {
    network: &'a Network,
    claim: &'a Claim,
    given: Rows<'a>,
    rows: ProofRows<'a>,
    sign: f64,
    /// P of the network.
    found: Enclosure,
    /// Functions of x̂ whose residuals may give dual points.
    functions: Vec<QuadraticFunction>,
    witness: Option<&'a QuadraticFunction>,
    /// At least what the gap is relative to.
    scale: std::cell::Cell<f64>,
    /// The best bound so far.
    bound: std::cell::Cell<f64>,
}

impl<'a> OptimumSearch<'a> {
    fn new(
        network: &'a Network,
        given: Rows<'a>,
        claim: &'a Claim,
        witness: Option<&'a QuadraticFunction>,
    ) -> Result<OptimumSearch<'a>> {
        let sign = if claim.signs == Signs::Negative { -1.0 } else { 1.0 };
        let rows = coordinates(given, sign, claim.linear && claim.intercept)?;
        let found = residuals::objective(&network.with_sign(sign), &rows, claim.decay, &claim.exponents);
        let functions = points::functions(network, witness, &rows);
        let (scale, bound) = (found.low.into(), 0.0.into());
        Ok(OptimumSearch { network, claim, given, rows, sign, found, functions, witness, scale, bound })
    }

    fn is_enough(&self, bound: f64) -> bool {
        add_up(self.found.high, -bound) <= mul_down(self.claim.tolerance, self.scale.get())
    }

    /// What the gap is relative to: P, unless only rounding is left of it.
    fn measure(&self) -> MeasureProof {
        let Claim { linear, intercept, tolerance, .. } = *self.claim;
        let d = self.rows.d();
        let zero = residuals::objective(&Network::zero(d), &self.rows, 0.0, &[]);
        if mul_up(ROUNDING_SHARE, zero.high) <= self.found.low {
            return MeasureProof::Objective {};
        }
        let span = |linear: bool| self.span(&columns(d, intercept, linear, false)).map(|(span, _)| span);
        let interpolation = span(linear).map(|span| MeasureProof::Interpolation { span });
        let last_digits = span(false).map(|span| MeasureProof::LastDigits { span });
        let measures = [Some(MeasureProof::Least {}), last_digits, interpolation, Some(MeasureProof::Objective {})];
        let sized = measures.into_iter().flatten().map(|measure| {
            let size = measure.size(self.found, &self.rows, tolerance, linear, intercept).low;
            (size, measure)
        });
        let (size, measure) =
            sized.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((self.found.low, MeasureProof::Objective {}));
        self.scale.set(size);
        measure
    }

    /// A span of these columns; of none without a proof.
    fn span(&self, columns: &[Monomial]) -> Option<(Span, Option<Basis>)> {
        if columns.is_empty() {
            return Some((Span { columns: vec![], relations: vec![], groups: vec![], passes: 1 }, None));
        }
        proved_span(&self.rows, columns).map(|(span, basis)| (span, Some(basis)))
    }

    /// The best proof found, over all competitors when that is enough.
    fn lower_bound(&self, measure: MeasureProof) -> (Class, Proof) {
        let Claim { decay, signs, linear, intercept, .. } = *self.claim;
        let free = decay == 0.0 && signs == Signs::Any;
        let mut best = self.nothing(measure);
        if free && self.try_free(&mut best, MOST_PRODUCTS) && self.is_enough(self.bound.get()) {
            return (Class::default(), best);
        }
        let affine = self.span(&columns(self.rows.d(), intercept, linear, false));
        let demand = if signs == Signs::Any { Demand::Between } else { Demand::Above };
        // Without a penalty and with both signs only A*(θ) = 0 would do, which floats do not reach.
        if let Some((span, basis)) = &affine
            && !free
        {
            let dual = Dual::new(&self.rows, basis.clone(), demand, decay, &self.claim.exponents);
            // What is projected away is taken from zero before: of labels far from zero rounding would leave little else.
            let mut functions = self.functions.clone();
            if let Some(zero) = functions.last_mut() {
                *zero = points::refitted(zero, &self.rows, &span.columns, self.sign);
            }
            let point = points::best(&dual, &self.rows, &functions, self.sign, demand, decay > 0.0);
            self.keep(&mut best, point, Some(span.clone()).filter(|span| !span.columns.is_empty()), false);
            if self.is_enough(self.bound.get()) {
                return (Class::default(), best);
            }
        }
        // Neither a penalty nor a restriction of signs makes P less.
        if !free {
            self.try_free(&mut best, FEWER_PRODUCTS);
        }
        let bound = self.bound.get();
        if self.is_enough(bound) {
            return (Class::default(), best);
        }
        let is_enough = |found: &(f64, Class, Proof)| self.is_enough(found.0);
        let [far, near] = REACHES;
        let found = match self.bounded(affine.as_ref(), demand, &best, far) {
            Some(found) if is_enough(&found) => Some(found),
            other => {
                let near = self.bounded(affine.as_ref(), demand, &best, near).filter(is_enough);
                near.or(other.filter(|(limited, ..)| bound <= 0.0 && *limited > 0.0))
            }
        };
        let Some((limited, class, proof)) = found else { return (Class::default(), best) };
        self.bound.set(limited);
        (class, proof)
    }

    /// A proof of nothing, to begin with.
    fn nothing(&self, measure: MeasureProof) -> Proof {
        Proof {
            centre: self.rows.centre.clone(),
            shifts: self.rows.shifts.clone(),
            span: None,
            free: false,
            function: QuadraticFunction::zero(self.rows.d()),
            scale: 0.0,
            excess: 0.0,
            measure,
            improvement: None,
        }
    }

    /// Keep a point that proves more than what is there.
    fn keep(&self, best: &mut Proof, point: Option<DualPoint>, span: Option<Span>, free: bool) {
        let Some(DualPoint { bound, function, scale }) = point.filter(|point| point.bound > self.bound.get()) else {
            return;
        };
        self.bound.set(bound);
        *best = Proof { span, free, function, scale, ..best.clone() };
    }

    /// The least P of all quadratic functions, without penalty and with both signs, if it can be had in so many
    /// multiplications: −ω(y − Zβ) is then the best dual point, whatever the network. Whether it could be proved.
    fn try_free(&self, best: &mut Proof, most_products: f64) -> bool {
        let Claim { linear, intercept, .. } = *self.claim;
        let columns = columns(self.rows.d(), intercept, linear, true);
        let count = columns.len();
        if count > MOST_COLUMNS || (count * count) as f64 * self.rows.n() as f64 > most_products {
            return false;
        }
        let Some((span, basis)) = self.span(&columns) else { return false };
        let dual = Dual::new(&self.rows, basis, Demand::None, 0.0, &self.claim.exponents);
        let zero = [QuadraticFunction::zero(self.rows.d())];
        let point = points::best(&dual, &self.rows, &zero, self.sign, Demand::None, false);
        let proved = point.is_some();
        self.keep(best, point, Some(span), true);
        proved
    }

    /// A bound over competitors within limits.
    fn bounded(
        &self,
        affine: Option<&(Span, Option<Basis>)>,
        demand: Demand,
        best: &Proof,
        reach: f64,
    ) -> Option<(f64, Class, Proof)> {
        let Claim { linear, intercept, .. } = *self.claim;
        let reach = self.reach(reach);
        let Some((span, basis)) = affine else {
            // Limits on the affine part are about the inputs as they are: no centre.
            let rows = coordinates(self.given, self.sign, false).ok()?;
            let class = Class {
                linear: reach.linear.filter(|_| linear),
                intercept: reach.intercept.filter(|_| intercept),
                ..reach
            };
            let affine = columns(rows.d(), intercept, linear, false);
            let functions = points::functions(self.network, self.witness, &rows);
            let mut fitted: Vec<QuadraticFunction> =
                functions.iter().map(|function| points::refitted(function, &rows, &affine, self.sign)).collect();
            fitted.extend(self.least_squares(&rows));
            let (bound, proof) = self.within(&rows, None, &fitted, demand, class, best)?;
            let proof = Proof { centre: rows.centre.clone(), shifts: rows.shifts.clone(), ..proof };
            return Some((bound, class, proof));
        };
        let class = Class { linear: None, intercept: None, ..reach };
        let functions = [self.functions.clone(), self.least_squares(&self.rows).into_iter().collect()].concat();
        let (bound, proof) = self.within(&self.rows, basis.clone(), &functions, demand, class, best)?;
        let span = Some(span.clone()).filter(|span| !span.columns.is_empty());
        Some((bound, class, Proof { span, ..proof }))
    }

    /// The function of least squares, where it is the best for the claim: its residual is orthogonal to every product.
    fn least_squares(&self, rows: &ProofRows<'_>) -> Option<QuadraticFunction> {
        let Claim { decay, signs, linear, intercept, .. } = *self.claim;
        let is_best = decay == 0.0 && signs == Signs::Any;
        is_best.then(|| least_squares(rows, linear, intercept, self.sign)).flatten()
    }

    /// The best point for a class of limited competitors.
    fn within(
        &self,
        rows: &ProofRows<'_>,
        basis: Option<Basis>,
        functions: &[QuadraticFunction],
        demand: Demand,
        class: Class,
        best: &Proof,
    ) -> Option<(f64, Proof)> {
        let Claim { decay, exponents, .. } = self.claim;
        let limit = class.nuclear?;
        let plain = Dual::new(rows, basis.clone(), demand, *decay, exponents);
        let points = functions.iter().filter_map(|function| {
            let theta = plain.point_of(function, self.sign, 1.0);
            let scale = points::best_scale(&plain, rows, &theta)?;
            let theta: Vec<f64> = theta.iter().map(|t| scale * t).collect();
            let excess = points::excess(rows, &theta, plain.distance(&theta), (*decay, exponents), demand)?;
            let dual = Dual::new(rows, basis.clone(), demand, decay + excess, exponents);
            let bound = dual.lower_bound(&theta, class.linear, class.intercept)? - limit * excess;
            let proof = Proof { span: None, free: false, function: function.clone(), scale, excess, ..best.clone() };
            Some((bound, proof))
        });
        points.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// So many times the size of the network, or of what the labels suggest if that is more.
    fn reach(&self, times: f64) -> Class {
        let exponents = &self.claim.exponents;
        let scaled = |w: &[f64]| norm_up(w.iter().zip(exponents).map(|(w, e)| w * power_of_two(*e)));
        let rows = &self.rows;
        let length = |i: usize| norm_up(rows.raw(i).iter().zip(exponents).map(|(x, e)| x * power_of_two(-e)));
        let nuclear = residuals::size(self.network, exponents).high;
        let linear = self.network.linear.as_ref().map_or(0.0, |b| scaled(b));
        let labels = rows.weighted_norm(rows.y.iter().copied());
        let size = rows.weighted_norm((0..rows.n()).map(length));
        let limit = |ours: f64, floor: f64| Some(times * if floor.is_finite() { ours.max(floor) } else { ours });
        Class {
            nuclear: limit(nuclear, labels / (size * size)),
            linear: limit(linear, labels / size),
            intercept: limit(self.network.intercept.map_or(0.0, f64::abs), labels),
        }
    }
}
