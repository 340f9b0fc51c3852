//! From directions to units: how much of each Hermite degree lies along a direction, and which unit a·φ(s·b·x + u) has
//! just those amounts.

use super::{Moments, SymmetricTensor};
use crate::activation::Activation;
use crate::linalg::{Matrix, dot, pseudo_inverse};

/// The amounts κ_i of degree 1, 2 and 4 along each direction: Σ κ_i b_i^{⊗r} is the part of degree r, over √r!.
pub(super) struct Amounts {
    pub first: Vec<f64>,
    pub second: Vec<f64>,
    pub fourth: Vec<f64>,
}

impl Amounts {
    /// By least squares in each degree: the normal equations of rank-one tensors are powers of the cosines.
    pub(super) fn along(B: &Matrix, moments: &Moments) -> Option<Self> {
        let m = B.rows();
        let cosines = B.times(&B.transposed());
        let solve = |degree: i32, right: Vec<f64>| {
            let powers = Matrix::from_fn(m, m, |i, j| cosines[(i, j)].powi(degree));
            Some(pseudo_inverse(&powers)?.times_vector(&right))
        };
        let S = moments.regression.second();
        let second = |i: usize| dot(B.row(i), &S.times_vector(B.row(i)));
        let fourth = |tensor: &SymmetricTensor, i: usize| tensor.quartic(B.row(i));
        Some(Amounts {
            first: solve(1, B.times_vector(moments.regression.linear()))?,
            second: solve(2, (0..m).map(|i| second(i) / 2.0_f64.sqrt()).collect())?,
            fourth: solve(4, (0..m).map(|i| fourth(&moments.fourth, i) / 24.0_f64.sqrt()).collect())?,
        })
    }
}

/// A unit a·φ(s·ε·b·x + u) along a direction b of length one.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitShape {
    /// a
    pub output: f64,
    /// s·ε: the length of the weights, with the sign of the direction.
    pub scale: f64,
    /// u
    pub bias: f64,
}

/// What the bias of a unit can be.
#[derive(Clone, Copy, Debug)]
pub(super) enum BiasRule {
    /// s·ε times this: the inputs have a mean, and the unit has no bias of its own.
    Proportional(f64),
    /// Anything.
    Free,
}

/// Lengths and biases tried, in units of the standard deviation of b·x.
const SCALES: usize = 33;
const LARGEST_SCALE: f64 = 5.0;
const BIASES: i32 = 12;
const BIAS_STEP: f64 = 0.2;

/// The unit whose amounts are closest to (κ₁, κ₂, κ₄); `first` is `None` where a free linear part hides κ₁.
pub(super) fn closest(
    activation: &Activation,
    (first, second, fourth): (Option<f64>, f64, f64),
    rule: BiasRule,
) -> Option<UnitShape> {
    // a·φ(s·z + u) with φ positively homogeneous is s times a·φ(z + u/s): one length is enough.
    let scales = if matches!(activation, Activation::Kinked(_)) { 1 } else { SCALES };
    let mut best: Option<(f64, UnitShape)> = None;
    for at in 0..scales {
        let size = if scales == 1 { 1.0 } else { LARGEST_SCALE.powf(2.0 * at as f64 / (scales - 1) as f64 - 1.0) };
        for scale in [size, -size] {
            let biases: Vec<f64> = match rule {
                BiasRule::Proportional(mean) => vec![scale * mean],
                BiasRule::Free => (-BIASES..=BIASES).map(|step| f64::from(step) * BIAS_STEP).collect(),
            };
            for bias in biases {
                let c = hermite_coefficients(activation, scale, bias);
                let wanted = [first.unwrap_or(0.0), second, fourth];
                let given = [if first.is_some() { c[1] } else { 0.0 }, c[2], c[4]];
                let output = dot(&wanted, &given) / dot(&given, &given);
                let miss: f64 = wanted.iter().zip(&given).map(|(w, g)| (w - output * g).powi(2)).sum();
                if miss.is_finite() && best.as_ref().is_none_or(|(least, _)| miss < *least) {
                    best = Some((miss, UnitShape { output, scale, bias }));
                }
            }
        }
    }
    best.map(|(_, shape)| shape)
}

/// Nodes of the trapezoid rule on either side of 0, and their distance. Enough for a start: a kink costs 10⁻⁵.
const NODES: i32 = 400;
const STEP: f64 = 1.0 / 48.0;

/// The Hermite coefficients of degree 0 to 4 of z ↦ φ(s·z + u).
fn hermite_coefficients(activation: &Activation, scale: f64, bias: f64) -> [f64; 5] {
    let z: Vec<f64> = (-NODES..=NODES).map(|at| f64::from(at) * STEP).collect();
    let arguments: Vec<f64> = z.iter().map(|z| scale * z + bias).collect();
    let mut phi = vec![0.0; z.len()];
    activation.values(&arguments, &mut phi);
    let mut c = [0.0; 5];
    for (z, phi) in z.iter().zip(&phi) {
        let weight = phi * STEP * (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        let square = z * z;
        let hermite = [
            1.0,
            *z,
            (square - 1.0) / 2.0_f64.sqrt(),
            z * (square - 3.0) / 6.0_f64.sqrt(),
            (square * (square - 6.0) + 3.0) / 24.0_f64.sqrt(),
        ];
        c.iter_mut().zip(hermite).for_each(|(c, h)| *c += weight * h);
    }
    c
}
