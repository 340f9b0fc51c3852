//! A better network, where the given one is not the best: the witness of a claim that fails.
//!
//! Three moves, each with its exact line search: one more unit along the extreme direction of Σωᵢrᵢ xᵢxᵢᵀ (the escape
//! of Soltanolkotabi, Javanmard and Lee, for a network that may grow), a common factor for all output weights, and the
//! least-squares affine part of the residual. What they find is evaluated from above like any network.

use crate::certificate::arithmetic::rows::ProofRows;
use crate::certificate::arithmetic::{plain_dot, power_of_two, square};
use crate::certificate::optimum::basis::{Basis, Monomial};
use crate::certificate::optimum::primal::{evaluated, products};
use crate::certificate::theorem::global_optimum::Claim;
use crate::linalg::Matrix;
use crate::network::{Network, Signs};

/// A network whose objective is provably below `low`, and that objective, rounded up.
pub(in crate::certificate) fn find(
    network: &Network,
    rows: &ProofRows<'_>,
    claim: &Claim,
    r: &[f64],
    low: f64,
) -> Option<(Network, f64)> {
    let mut best: Option<(Network, f64)> = None;
    let mut current = (network.clone(), r.to_vec());
    let rounds = if products(network, rows) <= MOST_PRODUCTS { ROUNDS } else { 1 };
    for _ in 0..rounds {
        let part = if rounds > 1 { affine(&current, rows, claim) } else { None };
        let moves = [part, more_units(&current, rows, claim), rescaled(&current, rows, claim)];
        let values = moves.into_iter().flatten().map(|network| {
            let (objective, r) = evaluated(&network, rows, claim.decay, &claim.exponents);
            (network, objective.high, r)
        });
        let Some((network, high, r)) = values.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let progress = best.as_ref().is_none_or(|(_, least)| high < *least);
        if !progress {
            break;
        }
        best = Some((network.clone(), high));
        current = (network, r);
    }
    best.filter(|(_, high)| *high < low)
}

/// Moves one after another.
const ROUNDS: usize = 4;
/// Beyond this many products in one evaluation, one round is enough.
const MOST_PRODUCTS: f64 = 1e8;

fn mean(rows: &ProofRows<'_>, a: &[f64], b: &[f64]) -> f64 {
    rows.weighted(a).iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One more unit, of the size that lowers the objective most.
fn more_units((network, r): &(Network, Vec<f64>), rows: &ProofRows<'_>, claim: &Claim) -> Option<Network> {
    let ball = rows.outer_sum(&rows.weighted(r));
    let scale: Vec<f64> = claim.exponents.iter().map(|e| power_of_two(-e)).collect();
    let d = rows.d();
    let A = Matrix::from_fn(d, d, |i, j| scale[i] * ball.center[(i, j)] * scale[j]);
    let signs: &[f64] = if claim.signs == Signs::Any { &[1.0, -1.0] } else { &[1.0] };
    let units = signs.iter().flat_map(|&sign| {
        let direction = extreme_direction(&A, -sign)?;
        let w: Vec<f64> = direction.iter().zip(&scale).map(|(w, scale)| w * scale).collect();
        let q: Vec<f64> = (0..rows.n()).map(|i| square(plain_dot(&w, rows.X.row(i)))).collect();
        let gain = -sign * mean(rows, r, &q) - claim.decay * plain_dot(&direction, &direction);
        let t = gain / mean(rows, &q, &q);
        (t > 0.0 && t.is_finite()).then_some((gain * t, sign * t, w))
    });
    let (_, v, w) = units.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mut better = network.clone();
    let mut entries = better.W.into_vec();
    entries.extend(w);
    better.W = Matrix::from_vec(better.v.len() + 1, d, entries);
    better.v.push(v);
    better.bias = None;
    better.check().ok().map(|()| better)
}

/// All output weights times 1 + t.
fn rescaled((network, r): &(Network, Vec<f64>), rows: &ProofRows<'_>, claim: &Claim) -> Option<Network> {
    let unit = |l: usize, x: &[f64]| network.v[l] * square(plain_dot(network.W.row(l), x));
    let quadratic = |i: usize| (0..network.width()).map(|l| unit(l, rows.X.row(i))).sum();
    let q: Vec<f64> = (0..rows.n()).map(quadratic).collect();
    let size = |l: usize| {
        let scaled = network.W.row(l).iter().zip(&claim.exponents).map(|(w, e)| square(w * power_of_two(*e)));
        network.v[l].abs() * scaled.sum::<f64>()
    };
    let penalty: f64 = (0..network.width()).map(size).sum();
    let t = (-(mean(rows, r, &q) + claim.decay * penalty) / mean(rows, &q, &q)).max(-1.0);
    let mut better = network.clone();
    better.v.iter_mut().for_each(|v| *v *= 1.0 + t);
    better.bias = None;
    better.check().ok().map(|()| better)
}

/// The affine part that fits the residual best, taken off.
fn affine((network, r): &(Network, Vec<f64>), rows: &ProofRows<'_>, claim: &Claim) -> Option<Network> {
    let mut columns = Vec::new();
    columns.extend(claim.intercept.then_some(Monomial::One));
    columns.extend((0..rows.d()).filter(|_| claim.linear).map(Monomial::Input));
    if columns.is_empty() {
        return None;
    }
    let basis = Basis::guess(rows, columns)?;
    let steps = basis.coefficients(rows, &rows.weighted(r));
    let mut better = network.clone();
    for (column, step) in basis.columns.iter().zip(steps) {
        match *column {
            Monomial::One => better.intercept = Some(better.intercept.unwrap_or(0.0) - step),
            Monomial::Input(j) => better.linear.get_or_insert_with(|| vec![0.0; rows.d()])[j] -= step,
            Monomial::Product(..) => return None,
        }
    }
    better.bias = None;
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
