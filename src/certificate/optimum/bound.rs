//! The best lower bound within reach, and the class of competitors it speaks about.
//!
//! Without a penalty and with both signs all products of inputs are columns of the basis. Otherwise only the affine part
//! is, and A*(θ) is held against the penalty. Where the columns cannot be proved independent, or nothing can be
//! proved over all competitors, the bound is over a class that reaches a thousand times as far as the network.

use super::basis::{Basis, Monomial};
use super::dual::{Demand, Dual, Radii};
use super::measure::WithoutUnits;
use crate::certificate::arithmetic::enclosure::Enclosure;
use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{norm_up, power_of_two, square};
use crate::certificate::proposal::candidates;
use crate::certificate::theorem::global_optimum::{Claim, Class};
use crate::data::Data;
use crate::linalg::values_of_rows;
use crate::network::{Network, Signs};

/// A bounded class reaches this many times as far as the network.
const REACH: f64 = 1000.0;
/// All products of inputs become columns of a basis up to this many, …
const MOST_COLUMNS: usize = 1500;
/// … and up to this many multiplications in one pass.
const MOST_PRODUCTS: f64 = 3e10;
/// The same where the products only stand in for what a penalty or a sign did not prove.
const FEWER_PRODUCTS: f64 = 3e9;

/// The rows in the coordinates of the proofs, and what is demanded of a dual point there.
pub(in crate::certificate) struct DualProblem<'a> {
    claim: &'a Claim,
    balanced: ProofRows<'a>,
    scaled: Option<ProofRows<'a>>,
    radii: Radii,
}

impl<'a> DualProblem<'a> {
    pub(crate) fn new(data: &'a Data, sign: f64, claim: &'a Claim, network: &Network) -> DualProblem<'a> {
        let scaled = ProofRows::new(data, sign).scaled_by(&claim.exponents);
        let radii = scaled.as_ref().map_or(Radii::default(), |rows| reach(rows, network, &claim.exponents));
        let rows = ProofRows::new(data, sign);
        let rows = if claim.linear && claim.intercept { rows.centred() } else { rows };
        DualProblem { claim, balanced: rows.balanced(), scaled, radii }
    }

    /// The best lower bound found, over all competitors when that is enough.
    pub(crate) fn lower_bound(&self, residuals: &[Vec<f64>], enough: &dyn Fn(f64) -> bool) -> (f64, Class) {
        let Claim { decay, signs, .. } = *self.claim;
        let free = decay == 0.0 && signs == Signs::Any;
        if free && let Some(bound) = self.free_bound(MOST_PRODUCTS) {
            return (bound, Class::All);
        }
        let demand = if signs == Signs::Any { Demand::Between } else { Demand::Above };
        let affine = self.columns(None).unwrap_or_default();
        let basis = if affine.is_empty() { None } else { Basis::of(&self.balanced, affine.clone()) };
        let determined = affine.is_empty() || basis.is_some();
        let projector = if determined { None } else { Basis::guess(&self.balanced, affine) };
        let dual = Dual::new(&self.balanced, demand, basis, decay, &self.claim.exponents);
        // Without a penalty and with both signs only A*(θ) = 0 would do, which floats do not reach.
        let bound = if determined && !free { self.best(&dual, residuals) } else { 0.0 };
        if enough(bound) {
            return (bound, Class::All);
        }
        // Neither a penalty nor a restriction of signs makes P less.
        let without_either = if free { None } else { self.free_bound(FEWER_PRODUCTS) };
        let bound = bound.max(without_either.unwrap_or(0.0));
        if enough(bound) {
            return (bound, Class::All);
        }
        match self.bounded(&dual, projector.as_ref(), residuals, determined) {
            Some((limited, class)) if enough(limited) || (bound <= 0.0 && limited > 0.0) => (limited, class),
            _ => (bound, Class::All),
        }
    }

    /// The least P of all quadratic functions, without penalty and with both signs, if it can be had in so many
    /// multiplications. −ω(y − Zβ) is the best dual point, whatever the network.
    fn free_bound(&self, most_products: f64) -> Option<f64> {
        let basis = Basis::of(&self.balanced, self.columns(Some(most_products))?)?;
        let dual = Dual::new(&self.balanced, Demand::None, Some(basis), 0.0, &self.claim.exponents);
        Some(self.best(&dual, &[]))
    }

    /// P of the best function without units that the class allows, and of the best constant.
    pub(crate) fn without_units(&self) -> WithoutUnits {
        let best = self.least_of(self.columns(None).unwrap_or_default());
        let constant = || self.least_of(if self.claim.intercept { vec![Monomial::One] } else { vec![] });
        WithoutUnits { best, constant: if self.claim.linear { constant() } else { best } }
    }

    /// P of the best combination of these columns.
    fn least_of(&self, columns: Vec<Monomial>) -> Enclosure {
        let basis = if columns.is_empty() { None } else { Basis::of(&self.balanced, columns.clone()) };
        let proved = columns.is_empty() || basis.is_some();
        let dual = Dual::new(&self.balanced, Demand::None, basis, 0.0, &self.claim.exponents);
        Enclosure { low: if proved { self.best(&dual, &[]) } else { 0.0 }, high: dual.half_square_of_target() }
    }

    fn best(&self, dual: &Dual<'_>, residuals: &[Vec<f64>]) -> f64 {
        candidates::best(dual, &with_target(dual, residuals)).unwrap_or(0.0).max(0.0)
    }

    fn bounded(
        &self,
        dual: &Dual<'_>,
        projector: Option<&Basis>,
        residuals: &[Vec<f64>],
        determined: bool,
    ) -> Option<(f64, Class)> {
        let rows = self.scaled.as_ref()?;
        let Claim { decay, linear, intercept, .. } = *self.claim;
        let Radii { nuclear, linear: linear_limit, intercept: intercept_limit } = self.radii;
        let radii = Radii {
            nuclear,
            linear: linear_limit.filter(|_| linear && !determined),
            intercept: intercept_limit.filter(|_| intercept && !determined),
        };
        let projector = dual.basis.as_ref().or(projector);
        let residuals = with_target(dual, residuals);
        let bound = candidates::best_bounded(dual, projector, rows, &residuals, decay, &radii)?;
        let Radii { nuclear, linear, intercept } = radii;
        Some((bound, Class::Bounded { nuclear, linear, intercept }))
    }

    /// The unpenalised functions; with all products if they take at most so many multiplications in one pass, else `None`.
    fn columns(&self, most_products: Option<f64>) -> Option<Vec<Monomial>> {
        let (n, d) = (self.balanced.n(), self.balanced.d());
        let mut columns = Vec::new();
        if self.claim.intercept {
            columns.push(Monomial::One);
        }
        if self.claim.linear {
            columns.extend((0..d).map(Monomial::Input));
        }
        if let Some(most_products) = most_products {
            let count = (columns.len() + d * (d + 1) / 2) as f64;
            if count > MOST_COLUMNS as f64 || count * count * n as f64 > most_products {
                return None;
            }
            columns.extend((0..d).flat_map(|a| (a..d).map(move |b| Monomial::Product(a, b))));
        }
        Some(columns)
    }
}

/// Also try θ = −ω(y − Zβ), the residual of the affine fit.
fn with_target(dual: &Dual<'_>, residuals: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut all = residuals.to_vec();
    all.push(dual.target.iter().map(|y| -y).collect());
    all
}

/// A thousand times the size of the network, or of what the labels suggest if that is more.
fn reach(rows: &ProofRows<'_>, network: &Network, exponents: &[i32]) -> Radii {
    let scaled = |w: &[f64]| norm_up(w.iter().zip(exponents).map(|(w, e)| w * power_of_two(*e)));
    let units = network.v.iter().enumerate().map(|(l, v)| v.abs() * square(scaled(network.W.row(l))));
    let nuclear: f64 = units.sum();
    let linear = network.linear.as_ref().map_or(0.0, |b| scaled(b));
    let labels = rows.weighted_norm(rows.y.iter().copied());
    let size = rows.weighted_norm(values_of_rows(rows.n(), |i| norm_up(rows.X.row(i).iter().copied())));
    let limit = |ours: f64, floor: f64| Some(REACH * if floor.is_finite() { ours.max(floor) } else { ours });
    Radii {
        nuclear: limit(nuclear, labels / (size * size)),
        linear: limit(linear, labels / size),
        intercept: limit(network.intercept.map_or(0.0, f64::abs), labels),
    }
}
