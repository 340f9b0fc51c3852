//! Would another unit do better? The strongest doubt about a fit with noise is a network with one unit more that predicts
//! rows neither of them has seen significantly better: then what was taken for noise is a function of the inputs.

use std::sync::atomic::AtomicBool;

use super::refinement::refine;
use super::regression::Regression;
use crate::activation::Activation;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, dot, norm, symmetric_eigen};
use crate::network::Network;
use crate::random::{Purpose, Stream};

/// Random directions tried for the new unit, besides eigenvectors of the second moments of the residuals.
const RANDOM_DIRECTIONS: usize = 16;
/// Distinguishes the random directions from the random starts of the search.
const FIRST_STREAM: u64 = 1 << 32;

/// By how many standard deviations the mean square error on the held-out rows falls when a unit is added.
pub(super) fn improvement(
    network: &Network,
    (training, held_out): (&Data, &Data),
    seed: u64,
    interrupted: Option<&AtomicBool>,
) -> Result<f64> {
    let larger = refine(training, with_another_unit(network, training, seed)?, interrupted)?;
    let (before, after) = (residuals(network, held_out)?, residuals(&larger, held_out)?);
    let falls: Vec<f64> = before.iter().zip(&after).map(|(r, s)| r * r - s * s).collect();
    let n = falls.len() as f64;
    let mean = falls.iter().sum::<f64>() / n;
    let variance = falls.iter().map(|fall| (fall - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Ok(mean / (variance / n).sqrt())
}

/// The network with the unit, of those tried, that explains most of its residuals.
fn with_another_unit(network: &Network, data: &Data, seed: u64) -> Result<Network> {
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
    let mut best = (0.0, 0.0, tried.first().cloned().unwrap_or_default());
    for b in tried {
        let (explained, weight) = gain(&b);
        if explained > best.0 {
            best = (explained, weight, b);
        }
    }
    let (_, weight, b) = best;
    let rows: Vec<&[f64]> = (0..network.width()).map(|j| network.W.row(j)).chain([&b[..]]).collect();
    let mut larger = Network { W: Matrix::from_rows(&rows), ..network.clone() };
    larger.v.push(if weight == 0.0 { f64::MIN_POSITIVE } else { weight });
    if let Some(bias) = &mut larger.bias {
        bias.push(0.0);
    }
    Ok(larger)
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
