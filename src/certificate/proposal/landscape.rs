//! Numbers that prove something about one point of a landscape, or about a planted network: bounds on eigenvalues, a way down.
//!
//! An eigensolver or a bisection proposes; what is kept was proved with the checker's own tests, and the checker proves it again.

use shallows_verify::Matrix;
use shallows_verify::arithmetic::{Enclosure, U, add_up, norm_up, proves_above};
use shallows_verify::landscape::planted::{Smallest, signed_gram};
use shallows_verify::landscape::point::LossPoint;
use shallows_verify::rows::{Ball, ProofRows, Rows};
use shallows_verify::theorem::strict_saddle::WayDown;
use shallows_verify::{Network, Signs};

use crate::error::Result;
use crate::risk::Quartic;
use crate::spectrum;

/// Halvings, in the exponent, of an interval that holds a provable bound: two digits of it.
const HALVINGS: usize = 14;
/// A provable bound is looked for down to this share of the first that can be proved.
const LEAST_SHARE: f64 = 1.0 / (1_u64 << 60) as f64;
/// Doublings of a bound on the norm of S until it can be proved with its error.
const DOUBLINGS: i32 = 8;
/// Without a given size, competitors up to this many times the size of the network, or of what the labels suggest.
const REACH: f64 = 10.0;
/// Attempts to prove a bound next to the estimate of an eigenvalue, each further away than the last.
const ATTEMPTS: i32 = 4;
const FURTHER: f64 = 32.0;

/// σ, as small as could be proved to make S + (τ + σ)I and (τ + σ)I − S positive definite, as far as `signs` need it; 0, which
/// proves nothing, where none could be.
pub(in crate::certificate) fn excess(point: &LossPoint<'_>, signs: Signs) -> f64 {
    let sides: &[f64] = match signs {
        Signs::Any => &[1.0, -1.0],
        Signs::Positive => &[1.0],
        Signs::Negative => &[-1.0],
    };
    sides.iter().map(|sign| one_sided_excess(point, *sign)).fold(0.0, f64::max)
}

fn one_sided_excess(point: &LossPoint<'_>, sign: f64) -> f64 {
    let proves = |sigma: f64| point.proves_excess(sign, sigma);
    if proves(0.0) {
        return 0.0;
    }
    let Ball { center, radius } = &point.moment;
    let row_sum = |i: usize| center.row(i).iter().fold(*radius, |sum, x| add_up(sum, x.abs()));
    let bound = (0..center.rows()).map(row_sum).fold(f64::MIN_POSITIVE, f64::max);
    let enough = (1..=DOUBLINGS).map(|e| bound * 2_f64.powi(e)).find(|sigma| sigma.is_finite() && proves(*sigma));
    let Some(enough) = enough else { return 0.0 };
    let (mut low, mut high) = (enough * LEAST_SHARE, enough);
    for _ in 0..HALVINGS {
        let middle = low.sqrt() * high.sqrt();
        (low, high) = if proves(middle) { (low, middle) } else { (middle, high) };
    }
    high
}

/// The size of competitors to speak about when none is given: ten times Σ|v_l|‖w_l‖², or what the labels suggest.
pub(in crate::certificate) fn reach(network: &Network, rows: Rows<'_>) -> Result<f64> {
    let rows = ProofRows::new(rows, 1.0)?;
    let labels = rows.weighted_norm(rows.y.iter().copied());
    let inputs = rows.weighted_norm((0..rows.n()).map(|i| norm_up(rows.raw(i).iter().copied())));
    let suggested = labels / (inputs * inputs);
    let squares = |l: usize| network.W.row(l).iter().fold(0.0, |sum, w| sum + w * w);
    let size: f64 = network.v.iter().enumerate().map(|(l, v)| v.abs() * squares(l)).sum();
    Ok(REACH * if suggested.is_finite() { size.max(suggested) } else { size })
}

/// A bound on σ_min(W)² from below, as near to the estimate as could be proved, and an eigenvector for one from above. Nothing
/// for a W of fewer rows than columns, or with numbers too large to be estimated with.
pub(in crate::certificate) fn smallest_square(W: &Matrix) -> Smallest {
    let nothing = Smallest { smallest: 0.0, vector: None };
    if W.rows() < W.cols() || W.cols() == 0 {
        return nothing;
    }
    let Ball { center, radius } = signed_gram(&[(W, 1.0)]);
    let trace = (0..center.rows()).fold(0.0, |sum, i| sum + center[(i, i)]);
    let Some(found) = spectrum::extremes(&(&center).into()).filter(|_| (trace + radius).is_finite()) else {
        return nothing;
    };
    // Four times what the shift of the test takes away at least.
    let shift = 4.0 * ((center.rows() as f64 + 1.0) * U * trace + radius);
    let below = (0..ATTEMPTS).map(|attempt| found.smallest - shift * FURTHER.powi(attempt));
    let smallest = below.take_while(|mu| *mu > 0.0).find(|mu| proves_above(&center, *mu, radius)).unwrap_or(0.0);
    Smallest { smallest, vector: Some(found.smallest_vector) }
}

/// The step along U that lowers P most, as far as can be told.
pub(in crate::certificate) fn way_down(point: &LossPoint<'_>, direction: &Matrix) -> WayDown {
    let middle = |c: Enclosure| 0.5 * c.low + 0.5 * c.high;
    let [c1, c2, c3, c4] = point.quartic(direction).map(middle);
    let step = Quartic([0.0, c1, c2, c3, c4]).minimiser();
    let direction = (0..direction.rows()).map(|l| direction.row(l).to_vec()).collect();
    WayDown { direction, step: if step.is_finite() { step } else { 0.0 } }
}
