//! From moments to a network near the planted one.
//!
//! 1. Directions: those of the joint diagonalisation, or a random orthonormal basis of the leading eigenvectors of the
//!    second moments.
//! 2. They are sharpened on the samples: least squares of y, less its affine part, by a student whose activation has the
//!    degrees 2 and 4 of φ alone (the objective f', which sees directions but no signs, and needs far fewer samples than
//!    the moments of degree 4).
//! 3. Lengths, signs, biases and output weights from the amounts of degree 1, 2 and 4 along each direction.

use super::alignment::unit_rows;
use super::decomposition::by_size;
use super::moments::Moments;
use super::units::{Amounts, BiasRule, closest};
use super::{Information, Parts, directions};
use crate::activation::Activation;
use crate::data::Data;
use crate::error::Result;
use crate::linalg::{Matrix, dot, norm, orthonormal_columns, symmetric_eigen};
use crate::network::{Layers, Network};
use crate::optimise::{Lbfgs, Monitor, Stop, lbfgs};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk};
use crate::watch::Watch;

/// What all starts have in common.
pub(super) struct StartSetting<'a> {
    /// The samples with inputs of covariance I and perhaps a mean: what the network sees.
    pub data: &'a Data,
    /// The same with inputs of mean zero, and y less its affine part.
    pub centred: &'a Data,
    /// The mean of the inputs of `data`.
    pub mean: &'a [f64],
    pub moments: &'a Moments,
    pub information: &'a Information,
    pub activation: &'a Activation,
    pub parts: Parts,
    pub seed: u64,
    pub watch: Watch<'a>,
}

/// L-BFGS steps on f', and the gradient at which directions are sharp enough.
const SHARPENING_STEPS: usize = 300;
const SHARP: f64 = 1e-7;

impl StartSetting<'_> {
    /// Start number 0 comes from the joint diagonalisation, the others from random bases.
    pub(super) fn start(&self, count: usize, number: usize) -> Result<Option<Network>> {
        let Some(rough) = self.rough_directions(count, number) else { return Ok(None) };
        let Some(B) = self.sharpened(rough)? else { return Ok(None) };
        Ok(self.with_shapes(&B))
    }

    fn rough_directions(&self, count: usize, number: usize) -> Option<Matrix> {
        let Moments { regression, fourth, .. } = self.moments;
        let joint = if number == 0 { directions(&regression.second(), fourth, count) } else { None };
        joint.or_else(|| self.random_directions(count, number))
    }

    /// A random orthonormal basis of the span of the leading eigenvectors.
    fn random_directions(&self, count: usize, number: usize) -> Option<Matrix> {
        let (values, vectors) = symmetric_eigen(&self.moments.regression.second())?;
        let (d, order) = (values.len(), by_size(&values));
        let mut stream = Stream::new(self.seed, Purpose::Start, number as u64);
        let turn = orthonormal_columns(&Matrix::from_fn(count, count, |_, _| stream.normal()));
        let basis = Matrix::from_fn(d, count, |a, i| vectors[(a, order[i])]);
        Some(basis.times(&turn).transposed())
    }

    /// The directions at a minimum of f' on the samples.
    fn sharpened(&self, rough: Matrix) -> Result<Option<Matrix>> {
        let Some(amounts) = Amounts::along(&rough, self.moments) else { return Ok(None) };
        let [_, _, second, _, fourth] = self.information.coefficients;
        let student = Activation::hermite_series(vec![0.0, 0.0, second, 0.0, fourth])?;
        let v = amounts.second.iter().map(|amount| amount / second).collect();
        let network = Network::new(student, rough, v)?;
        let risk = EmpiricalRisk::new(self.centred, &network, Layers::Both, Decay::None)?;
        let stop = Stop { iterations: SHARPENING_STEPS, gradient: SHARP, ..Stop::default() };
        let theta = lbfgs(
            &risk,
            network.parameters(Layers::Both),
            &Lbfgs::default(),
            &mut Monitor::new(stop).watched(self.watch.quietly()),
        );
        let W = risk.network_at(&theta).W;
        let has_direction = |i: usize| (f64::MIN_POSITIVE..=f64::MAX).contains(&norm(W.row(i)));
        Ok((0..W.rows()).all(has_direction).then(|| unit_rows(&W)))
    }

    /// The network with these directions whose units have the amounts of each degree that the moments show.
    fn with_shapes(&self, B: &Matrix) -> Option<Network> {
        let amounts = Amounts::along(B, self.moments)?;
        let mut network = Network {
            activation: self.activation.clone(),
            W: B.clone(),
            v: vec![],
            bias: self.parts.biases.then(Vec::new),
            intercept: self.parts.intercept.then_some(0.0),
            linear: self.parts.linear.then(|| vec![0.0; B.cols()]),
        };
        for i in 0..B.rows() {
            let rule = match self.parts.biases {
                true => BiasRule::Free,
                false => BiasRule::Proportional(dot(B.row(i), self.mean)),
            };
            let first = (!self.parts.linear).then_some(amounts.first[i]);
            let shape = closest(self.activation, (first, amounts.second[i], amounts.fourth[i]), rule)?;
            network.W.row_mut(i).iter_mut().for_each(|w| *w *= shape.scale);
            network.v.push(shape.output);
            if let Some(bias) = &mut network.bias {
                // The shape speaks of inputs without mean.
                bias.push(shape.bias - dot(network.W.row(i), self.mean));
            }
        }
        Some(network)
    }
}
