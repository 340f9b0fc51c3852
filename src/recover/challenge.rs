//! Would another unit do better? The strongest doubt about a fit with noise is a network with one unit more that predicts
//! rows neither of them has seen significantly better: then what was taken for noise is a function of the inputs.

use super::refinement::{layers, refine};
use super::regression::Regression;
use crate::activation::Activation;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, dot, norm, symmetric_eigen};
use crate::network::{Layout, Network};
use crate::random::{Purpose, Stream};
use crate::watch::Watch;

/// Random directions tried for the new unit, besides eigenvectors of the second moments of the residuals.
const RANDOM_DIRECTIONS: usize = 32;
/// Distinguishes the random directions from the random starts of the search.
const FIRST_STREAM: u64 = 1 << 32;

/// Directions from which the larger network is fitted: the most promising of those tried.
const FITS: usize = 5;

/// A network with one unit more, beside the one it challenges.
pub(super) struct Challenger {
    pub network: Network,
    /// By how many standard deviations the mean square error on held-out rows is smaller.
    pub deviations: f64,
    /// By how much n·ln(Σr²) on the training rows falls beyond the q·ln n that q more weights must be worth (Schwarz's
    /// criterion); positive where the larger network is preferred.
    pub gain: f64,
}

impl Challenger {
    /// The best of a few fits with another unit.
    pub(super) fn of(
        network: &Network,
        (training, held_out): (&Data, &Data),
        seed: u64,
        watch: Watch<'_>,
    ) -> Result<Option<Self>> {
        let mut best: Option<(f64, Network)> = None;
        for start in with_another_unit(network, training, seed)? {
            let larger = refine(training, start, watch)?;
            let error = norm(&residuals(&larger, training)?);
            if error.is_finite() && best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, larger));
            }
        }
        let Some((error, larger)) = best else { return Ok(None) };
        let (before, after) = (residuals(network, held_out)?, residuals(&larger, held_out)?);
        let falls: Vec<f64> = before.iter().zip(&after).map(|(r, s)| r * r - s * s).collect();
        let rows = falls.len() as f64;
        let mean = falls.iter().sum::<f64>() / rows;
        let variance = falls.iter().map(|fall| (fall - mean).powi(2)).sum::<f64>() / (rows - 1.0);
        let log_ratio = (norm(&residuals(network, training)?) / error).ln();
        let gain = worth(log_ratio, weights(&larger) - weights(network), training.n());
        Ok(Some(Challenger { network: larger, deviations: mean / (variance / rows).sqrt(), gain }))
    }
}

/// n·ln(Σr²/Σs²) − q·ln n for a ratio ‖r‖/‖s‖ with this logarithm.
pub(super) fn worth(log_ratio: f64, more_weights: usize, n: usize) -> f64 {
    let n = n as f64;
    2.0 * n * log_ratio - more_weights as f64 * n.ln()
}

/// How many weights are fitted.
pub(super) fn weights(network: &Network) -> usize {
    Layout::new(network, layers(network)).len()
}

/// The network with each of the units, of those tried, that explain most of its residuals.
fn with_another_unit(network: &Network, data: &Data, seed: u64) -> Result<Vec<Network>> {
    let d = data.d();
    let r: Vec<f64> = residuals(network, data)?.iter().map(|r| -r).collect();
    let mut tried: Vec<Vec<f64>> = vec![];
    if let Some((values, vectors)) = symmetric_eigen(&Regression::of(&data.X, &r)?.second()) {
        let ends = if values.len() > 1 { vec![0, values.len() - 1] } else { vec![0] };
        tried.extend(ends.into_iter().map(|j| vectors.column(j)));
    }
    let mut stream = Stream::new(seed, Purpose::Start, FIRST_STREAM);
    for _ in 0..RANDOM_DIRECTIONS {
        let mut b: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
        let length = norm(&b);
        b.iter_mut().for_each(|x| *x /= length);
        tried.push(b);
    }
    let opposite: Vec<Vec<f64>> = tried.iter().map(|b| b.iter().map(|x| -x).collect()).collect();
    tried.extend(opposite);
    let gain = |b: &Vec<f64>| {
        let phi = feature(&network.activation, &data.X, b);
        let (along, square) = (dot(&phi, &r), dot(&phi, &phi));
        if square > 0.0 { (along * along / square, along / square) } else { (0.0, 0.0) }
    };
    let mut gains: Vec<(f64, f64, Vec<f64>)> = tried
        .into_iter()
        .map(|b| {
            let (explained, weight) = gain(&b);
            (explained, weight, b)
        })
        .filter(|(explained, weight, _)| explained.is_finite() && *weight != 0.0)
        .collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(gains.into_iter().take(FITS).map(|(_, weight, b)| grown(network, weight, &b)).collect())
}

/// The network with another unit.
fn grown(network: &Network, weight: f64, b: &[f64]) -> Network {
    let rows: Vec<&[f64]> = (0..network.width()).map(|j| network.W.row(j)).chain([b]).collect();
    let mut larger = Network { W: Matrix::from_rows(&rows), ..network.clone() };
    larger.v.push(weight);
    if let Some(bias) = &mut larger.bias {
        bias.push(0.0);
    }
    larger
}

/// φ(b·x) of all rows.
fn feature(activation: &Activation, X: &Matrix, b: &[f64]) -> Vec<f64> {
    let z = X.times_vector(b);
    let mut phi = vec![0.0; z.len()];
    activation.values(&z, &mut phi);
    phi
}

pub(super) fn residuals(network: &Network, data: &Data) -> Result<Vec<f64>> {
    Ok(network.predict(&data.X)?.iter().zip(&data.y).map(|(f, y)| f - y).collect())
}
