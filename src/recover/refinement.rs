//! From a start near the planted network to the least squares fit of the true activation.
//!
//! Where φ is positively homogeneous, a·φ(w·x) depends on |a|·w and the sign of a alone: the output weights are then ±1
//! and only W moves. Else both layers move.

use crate::activation::Activation;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::norm;
use crate::network::{Layers, Network};
use crate::optimise::{Lbfgs, Levenberg, Monitor, Stop, lbfgs, levenberg};
use crate::risk::{Decay, EmpiricalRisk};
use crate::watch::Watch;

/// The layers that move.
pub(super) fn layers(network: &Network) -> Layers {
    match network.activation {
        Activation::Kinked(_) => Layers::HiddenAndAffine,
        Activation::Smooth(_) => Layers::Both,
    }
}

/// The same function with output weights ±1 where φ is positively homogeneous.
pub(super) fn balanced(mut network: Network) -> Network {
    if let Activation::Kinked(_) = network.activation {
        for j in 0..network.width() {
            let size = network.v[j].abs();
            network.v[j] = network.v[j].signum();
            network.W.row_mut(j).iter_mut().for_each(|w| *w *= size);
            if let Some(bias) = &mut network.bias {
                bias[j] *= size;
            }
        }
    }
    network
}

/// The same function with rows of length one where φ is positively homogeneous; other networks are left as they are.
///
/// ```
/// use shallows::linalg::Matrix;
/// use shallows::recover::normalised;
/// use shallows::{Activation, Network};
///
/// let network = Network::new(Activation::RELU, Matrix::from_rows(&[[3.0, 4.0]]), vec![1.0])?;
/// let unit = normalised(network);
/// assert!((unit.v[0] - 5.0).abs() < 1e-12 && (unit.W[(0, 0)] - 0.6).abs() < 1e-12);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn normalised(mut network: Network) -> Network {
    if let Activation::Kinked(_) = network.activation {
        for j in 0..network.width() {
            let size = norm(network.W.row(j));
            if size > 0.0 {
                network.v[j] *= size;
                network.W.row_mut(j).iter_mut().for_each(|w| *w /= size);
                if let Some(bias) = &mut network.bias {
                    bias[j] /= size;
                }
            }
        }
    }
    network
}

/// Multiplications in one linearised system beyond which L-BFGS goes first and alone.
const LARGEST_SYSTEM: f64 = 4e10;
const LEVENBERG_STEPS: usize = 200;
const LBFGS_STEPS: usize = 3000;
/// A relative error that only a fit without noise reaches; nothing is gained below.
const NOTHING_LEFT: f64 = 1e-15;

/// The least squares fit that a start leads to.
pub(super) fn refine(data: &Data, start: Network, watch: Watch<'_>) -> Result<Network> {
    let start = balanced(start);
    let layers = layers(&start);
    let risk = EmpiricalRisk::new(data, &start, layers, Decay::None)?;
    let theta = start.parameters(layers);
    let p = theta.len() as f64;
    let stop = Stop { gradient: 0.0, relative_error: NOTHING_LEFT, ..Stop::default() };
    let monitor = |iterations| Monitor::new(Stop { iterations, ..stop }).watched(watch.quietly());
    let theta = if data.n() as f64 * p * p <= LARGEST_SYSTEM {
        levenberg(&risk, theta, &Levenberg::default(), &mut monitor(LEVENBERG_STEPS))
    } else {
        lbfgs(&risk, theta, &Lbfgs::default(), &mut monitor(LBFGS_STEPS))
    };
    Ok(risk.network_at(&theta))
}
