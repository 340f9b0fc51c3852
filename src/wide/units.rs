//! Finite layers with the law of an infinitely wide one.

use std::f64::consts::{SQRT_2, TAU};

use super::law::{KernelLayer, LayerLaw};
use crate::activation::{Activation, Kinked, Smooth};
use crate::linalg::Matrix;
use crate::random::Stream;

/// Units drawn from the law of a layer: the features are gain·φ(Wx + u), and their products average to κ.
///
/// ```
/// use shallows::random::{Purpose, Stream};
/// use shallows::wide::{KernelLayer, LayerLaw, LayerUnits};
///
/// let layer = KernelLayer { law: LayerLaw::Rough, signal: 1.0, scales: vec![2.0], bias: 0.0 };
/// let units = LayerUnits::drawn(&layer, 1, 20_000, &mut Stream::new(1, Purpose::Start, 0));
/// let (a, b) = (units.features(&[0.0]), units.features(&[1.0]));
/// let mean = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / 20_000.0;
/// assert!((mean - layer.value(&[0.0], &[1.0])).abs() < 0.05);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LayerUnits {
    /// φ.
    pub activation: Activation,
    /// What φ is multiplied by.
    pub gain: f64,
    /// The hidden weights, a unit in each row.
    pub W: Matrix,
    /// The hidden biases.
    pub bias: Vec<f64>,
}

/// The tail of the frequencies is heavy, but not so heavy that the phase is only rounding.
const SMALLEST_DIVISOR: f64 = 1e-9;

impl LayerUnits {
    /// So many units for d inputs. The affine layer has d + 1 features and no law; here its output weights are summed
    /// into units b·x + c.
    pub fn drawn(layer: &KernelLayer, d: usize, units: usize, stream: &mut Stream) -> Self {
        let (mut W, mut bias) = (Matrix::zeros(units, d), vec![0.0; units]);
        for (unit, bias) in bias.iter_mut().enumerate() {
            let row = W.row_mut(unit);
            stream.fill_normal(row);
            row.iter_mut().zip(&layer.scales).for_each(|(w, scale)| *w /= scale);
            *bias = match layer.law {
                LayerLaw::RoughByInput => {
                    row.iter_mut().for_each(|w| *w /= divisor(1, stream));
                    TAU * stream.uniform()
                }
                LayerLaw::Rough => turned(row, 1, stream),
                LayerLaw::T3 => turned(row, 3, stream),
                LayerLaw::T5 => turned(row, 5, stream),
                LayerLaw::Relu | LayerLaw::Erf => layer.bias * stream.normal(),
                LayerLaw::Quadratic => 0.0,
                LayerLaw::Affine => stream.normal(),
            };
        }
        let (activation, gain) = activation(layer.law);
        LayerUnits { activation, gain, W, bias }
    }

    /// gain·φ(Wx + u).
    pub fn features(&self, x: &[f64]) -> Vec<f64> {
        let mut z = self.W.times_vector(x);
        z.iter_mut().zip(&self.bias).for_each(|(z, u)| *z += u);
        let mut features = vec![0.0; z.len()];
        self.activation.values(&z, &mut features);
        features.iter_mut().for_each(|feature| *feature *= self.gain);
        features
    }
}

fn activation(law: LayerLaw) -> (Activation, f64) {
    match law {
        LayerLaw::RoughByInput | LayerLaw::Rough | LayerLaw::T3 | LayerLaw::T5 => {
            (Activation::Smooth(Smooth::Cos), SQRT_2)
        }
        LayerLaw::Relu => (Activation::Kinked(Kinked::Relu), SQRT_2),
        LayerLaw::Erf => (Activation::Smooth(Smooth::Erf), 1.0),
        LayerLaw::Quadratic => (Activation::SQUARE, 1.0),
        LayerLaw::Affine => (Activation::Smooth(Smooth::Quadratic { alpha: 0.0, beta: 1.0, gamma: 0.0 }), 1.0),
    }
}

/// √(χ²/k) with k degrees of freedom.
fn divisor(degrees: usize, stream: &mut Stream) -> f64 {
    let square: f64 = (0..degrees).map(|_| stream.normal().powi(2)).sum();
    (square / degrees as f64).sqrt().max(SMALLEST_DIVISOR)
}

/// Make a normal row one of the t law, and return a phase.
fn turned(row: &mut [f64], degrees: usize, stream: &mut Stream) -> f64 {
    let size = divisor(degrees, stream);
    row.iter_mut().for_each(|w| *w /= size);
    TAU * stream.uniform()
}
