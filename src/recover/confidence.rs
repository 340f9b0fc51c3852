//! Standard errors of recovered weights, from the asymptotic covariance of least squares.
//!
//! With the Jacobian J of the residuals r, the estimate has covariance (JᵀJ)⁻¹ Jᵀ Diag(r²) J (JᵀJ)⁻¹ up to terms that
//! vanish with n, whatever the law of the noise given x; times n/(n − p) for p weights.

use super::refinement;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, add_scaled, dot, gram, invert_positive_definite, norm};
use crate::network::{Layout, Network};
use crate::risk::{Decay, EmpiricalRisk, LeastSquares};

/// A recovered unit v·φ(w·x + u), with standard errors. [`recover`](fn@crate::recover::recover) shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveredUnit {
    /// w, in the units of the inputs; of length 1 where φ is positively homogeneous.
    pub weights: Vec<f64>,
    /// u
    pub bias: f64,
    /// ‖w‖
    pub norm: f64,
    /// Of ‖w‖; 0 where it is 1 by convention.
    pub norm_error: f64,
    /// v
    pub output: f64,
    /// Of v.
    pub output_error: f64,
    /// Of the direction of w: the root mean square angle, in radians.
    pub direction_error: f64,
}

/// Numbers in the Jacobian and multiplications in its Gram matrix that are affordable; beyond, part of the rows stand for
/// all.
const MOST_NUMBERS: usize = 1 << 27;
const MOST_WORK: f64 = 4e11;

/// Beyond, the inverse is made of rounding errors: a weight has no effect of its own.
const MOST_INFLATION: f64 = 1e11;

/// The units of a fitted network with v = ±1 where φ is positively homogeneous (as [`refinement::balanced`] makes it),
/// or `None` where the normal equations are singular.
pub(super) fn units(network: &Network, data: &Data) -> Result<Option<Vec<RecoveredUnit>>> {
    let layers = refinement::layers(network);
    let layout = Layout::new(network, layers);
    let p = layout.len();
    let rows = data.n().min(MOST_NUMBERS / p.max(1)).min((MOST_WORK / (p * p).max(1) as f64) as usize).max(1);
    let part = data.select(&(0..rows).collect::<Vec<usize>>());
    let risk = EmpiricalRisk::new(&part, network, layers, Decay::None)?;
    // Both carry a factor 1/√n: JᵀJ/n, and Σ r²JJᵀ/n after multiplication by n.
    let (rho, mut J) = risk.linearised(&network.parameters(layers));
    let normal = gram(&J);
    let Some((inverse, _)) = invert_positive_definite(&normal) else { return Ok(None) };
    // What the other weights leave of a column of J is 1/√inflation of it.
    let inflation = (0..p).map(|j| normal[(j, j)] * inverse[(j, j)]).fold(0.0, f64::max);
    if !(inflation < MOST_INFLATION) {
        return Ok(None);
    }
    for (i, rho) in rho.iter().enumerate() {
        let r = rho * (rows as f64).sqrt();
        J.row_mut(i).iter_mut().for_each(|x| *x *= r);
    }
    let middle = gram(&J);
    let freedom = data.n().saturating_sub(p).max(1) as f64;
    let covariance = inverse.times(&middle).times(&inverse);
    Ok(Some((0..network.width()).map(|j| unit(network, &layout, &covariance, freedom, j)).collect()))
}

fn unit(network: &Network, layout: &Layout, covariance: &Matrix, freedom: f64, j: usize) -> RecoveredUnit {
    let d = network.inputs();
    let w = network.W.row(j);
    let length = norm(w);
    let at = layout.W.start + j * d;
    let block = Matrix::from_fn(d, d, |a, c| covariance[(at + a, at + c)] / freedom);
    let along = dot(w, &block.times_vector(w)) / (length * length);
    let trace: f64 = (0..d).map(|a| block[(a, a)]).sum();
    // Nothing is known better than to a rounding.
    let direction_error = (((trace - along).max(0.0)).sqrt() / length).max(f64::EPSILON);
    let bias = network.bias.as_ref().map_or(0.0, |bias| bias[j]);
    let mut weights = w.to_vec();
    if layout.v.is_empty() {
        // v = ±1, so that the length is the output weight of the unit of length one.
        let mut normalised = vec![0.0; d];
        add_scaled(&mut normalised, 1.0 / length, w);
        weights = normalised;
        return RecoveredUnit {
            weights,
            bias: bias / length,
            norm: 1.0,
            norm_error: 0.0,
            output: network.v[j] * length,
            output_error: along.max(0.0).sqrt().max(f64::EPSILON * length),
            direction_error,
        };
    }
    let v_at = layout.v.start + j;
    RecoveredUnit {
        weights,
        bias,
        norm: length,
        norm_error: along.max(0.0).sqrt().max(f64::EPSILON * length),
        output: network.v[j],
        output_error: (covariance[(v_at, v_at)].max(0.0) / freedom).sqrt().max(f64::EPSILON * network.v[j].abs()),
        direction_error,
    }
}
