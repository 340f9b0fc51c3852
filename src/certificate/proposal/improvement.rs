//! A better network, where the given one is not the best: the witness of a claim that fails.
//!
//! Three moves, each with its exact line search: one more unit along the extreme direction of Σωᵢrᵢ xᵢxᵢᵀ (the escape
//! of Soltanolkotabi, Javanmard and Lee, for a network that may grow), a common factor for all output weights, and the
//! least-squares affine part of the residual. What they find is evaluated from above like any network.

use shallows_verify::Monomial;
use shallows_verify::arithmetic::{plain_dot, power_of_two, square};
use shallows_verify::optimum::basis::Basis;
use shallows_verify::residuals;
use shallows_verify::rows::{ProofRows, Rows};
use shallows_verify::theorem::global_optimum::Claim;
use shallows_verify::{Matrix, Network, Signs};

use super::spans::columns;
use crate::error::Result;

/// Moves one after another.
const ROUNDS: usize = 4;
/// Beyond this many products in one evaluation, one round is enough.
const MOST_PRODUCTS: f64 = 1e8;

/// A network whose objective is provably below `low`. The claim's signs are those of the network's own class.
pub(super) fn find(network: &Network, given: Rows<'_>, claim: &Claim, low: f64) -> Result<Option<Network>> {
    let sign = if claim.signs == Signs::Negative { -1.0 } else { 1.0 };
    let rows = ProofRows::new(given, sign)?;
    let objective = |network: &Network| residuals::objective(network, &rows, claim.decay, &claim.exponents).high;
    let mut best: Option<(Network, f64)> = None;
    let mut current = member(network, sign, claim);
    let products = rows.n() as f64 * rows.d() as f64 * (network.width() + 1) as f64;
    let rounds = if products <= MOST_PRODUCTS { ROUNDS } else { 1 };
    for _ in 0..rounds {
        let r: Vec<f64> = residuals::residuals(&current, &rows).iter().map(|[r, _]| *r).collect();
        let part = if rounds > 1 { affine(&current, &r, &rows, claim) } else { None };
        let moves = [part, more_units(&current, &r, &rows, claim), rescaled(&current, &r, &rows, claim)];
        let values = moves.into_iter().flatten().map(|network| (objective(&network), network));
        let Some((high, network)) = values.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if best.as_ref().is_some_and(|(_, least)| high >= *least) {
            break;
        }
        best = Some((network.clone(), high));
        current = network;
    }
    Ok(best.filter(|(_, high)| *high < low).map(|(network, _)| network.with_sign(sign)))
}

/// The network as a member of the class: what the class does not allow is left out.
fn member(network: &Network, sign: f64, claim: &Claim) -> Network {
    let mut signed = Network { bias: None, ..network.with_sign(sign) };
    if claim.signs != Signs::Any {
        signed.v.iter_mut().for_each(|v| *v = v.max(0.0));
    }
    signed.intercept = signed.intercept.filter(|_| claim.intercept);
    signed.linear = signed.linear.filter(|_| claim.linear);
    signed
}

fn mean(rows: &ProofRows<'_>, a: &[f64], b: &[f64]) -> f64 {
    rows.weighted(a).iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One more unit, of the size that lowers the objective most.
fn more_units(network: &Network, r: &[f64], rows: &ProofRows<'_>, claim: &Claim) -> Option<Network> {
    let ball = rows.outer_sum(&rows.weighted(r));
    let scale: Vec<f64> = claim.exponents.iter().map(|e| power_of_two(-e)).collect();
    let d = rows.d();
    let A = Matrix::from_fn(d, d, |i, j| scale[i] * ball.center[(i, j)] * scale[j]);
    let signs: &[f64] = if claim.signs == Signs::Any { &[1.0, -1.0] } else { &[1.0] };
    let units = signs.iter().filter_map(|&sign| {
        let direction = extreme_direction(&A, -sign)?;
        let w: Vec<f64> = direction.iter().zip(&scale).map(|(w, scale)| w * scale).collect();
        let q: Vec<f64> = (0..rows.n()).map(|i| square(plain_dot(&w, rows.raw(i)))).collect();
        let gain = -sign * mean(rows, r, &q) - claim.decay * plain_dot(&direction, &direction);
        let t = gain / mean(rows, &q, &q);
        (t > 0.0 && t.is_finite()).then_some((gain * t, sign * t, w))
    });
    let (_, v, w) = units.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mut better = network.clone();
    let entries = [network.W.as_slice(), &w].concat();
    better.W = Matrix::from_vec(network.width() + 1, d, entries)?;
    better.v.push(v);
    better.check().ok().map(|()| better)
}

/// All output weights times 1 + t.
fn rescaled(network: &Network, r: &[f64], rows: &ProofRows<'_>, claim: &Claim) -> Option<Network> {
    let unit = |l: usize, x: &[f64]| network.v[l] * square(plain_dot(network.W.row(l), x));
    let quadratic = |i: usize| (0..network.width()).map(|l| unit(l, rows.raw(i))).sum();
    let q: Vec<f64> = (0..rows.n()).map(quadratic).collect();
    let penalty = residuals::size(network, &claim.exponents).high;
    let t = (-(mean(rows, r, &q) + claim.decay * penalty) / mean(rows, &q, &q)).max(-1.0);
    let mut better = network.clone();
    better.v.iter_mut().for_each(|v| *v *= 1.0 + t);
    better.check().ok().map(|()| better)
}

/// The affine part that fits the residual best, taken off.
fn affine(network: &Network, r: &[f64], rows: &ProofRows<'_>, claim: &Claim) -> Option<Network> {
    const PASSES: usize = 2;
    let columns = columns(rows.d(), claim.intercept, claim.linear, false);
    if columns.is_empty() {
        return None;
    }
    let basis = Basis::unproved(rows, &columns, PASSES);
    let steps = basis.coefficients(rows, &rows.weighted(r));
    let mut better = network.clone();
    for (column, step) in columns.iter().zip(steps) {
        match *column {
            Monomial::One => better.intercept = Some(better.intercept.unwrap_or(0.0) - step),
            Monomial::Input(j) => better.linear.get_or_insert_with(|| vec![0.0; rows.d()])[j] -= step,
            Monomial::Product(..) => return None,
        }
    }
    better.check().ok().map(|()| better)
}

/// A unit vector that nearly maximises sign·wᵀAw, by power iteration on ‖A‖_F + sign·A.
fn extreme_direction(A: &Matrix, sign: f64) -> Option<Vec<f64>> {
    const ITERATIONS: usize = 300;
    let d = A.rows();
    let shift = plain_dot(A.as_slice(), A.as_slice()).sqrt();
    let mut w: Vec<f64> = (0..d).map(|j| 1.0 + (j as f64) / (d as f64 + 1.0)).collect();
    for _ in 0..ITERATIONS {
        let next: Vec<f64> = (0..d).map(|i| shift * w[i] + sign * plain_dot(A.row(i), &w)).collect();
        let size = plain_dot(&next, &next).sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        w = next.iter().map(|x| x / size).collect();
    }
    Some(w)
}
