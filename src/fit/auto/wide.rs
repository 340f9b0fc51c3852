//! Wide layers: thousands of random units, whose output weights are the ridge solution.
//!
//! The units are drawn from the layer whose scales the labels make most likely, so that with many of them the
//! network predicts like the Gaussian process of that layer. With features Φ (n×k), f = Φβ + affine part,
//! β ~ N(0, g/k), the output weights follow from the n×n system (gΦΦᵀ/k + s(11ᵀ + XXᵀ) + noise) α = y, or from
//! the normal equations where there are more rows than units.

use std::f64::consts::TAU;

use super::covariance::{Layer, Scales};
use crate::data::Data;
use crate::linalg::{self, Destination, Matrix, View, add_lower_product, multiply};
use crate::network::Network;
use crate::random::Stream;

/// A fitted layer, and the residuals f₋ᵢ(xᵢ) − yᵢ of the fits without row i (scales and units kept).
pub(super) struct WideLayer {
    pub network: Network,
    pub left_out: Vec<f64>,
}

/// Units whose features are held at a time.
const UNITS_AT_ONCE: usize = 256;

/// The tail of the frequencies is heavy, but not so heavy that the phase is only rounding.
const SMALLEST_DIVISOR: f64 = 1e-9;

/// Draw the units and fit their output weights; `None` where the system is numerically singular.
pub(super) fn wide_layer(
    layer: Layer,
    table: &Data,
    scales: &Scales,
    units: usize,
    stream: &mut Stream,
) -> Option<WideLayer> {
    let (W, u) = draw(layer, scales, units, stream);
    let activation = layer.activation();
    let mut network = Network { v: vec![0.0; units], bias: Some(u), ..Network::affine(activation, 0.0, vec![]) };
    network.W = W;
    let gain = match layer {
        Layer::Relu => 1.0,
        Layer::Cosine => 2.0 * scales.level,
    } / units as f64;
    if table.n() <= units { dual(network, table, scales, gain) } else { primal(network, table, scales, gain) }
}

pub(super) fn draw(layer: Layer, scales: &Scales, units: usize, stream: &mut Stream) -> (Matrix, Vec<f64>) {
    let d = scales.inputs.len();
    let mut W = Matrix::zeros(units, d);
    let mut u = vec![0.0; units];
    for j in 0..units {
        W.row_mut(j).iter_mut().zip(&scales.inputs).for_each(|(w, l)| *w = l.sqrt() * stream.normal());
        match layer {
            Layer::Relu => u[j] = scales.level.sqrt() * stream.normal(),
            Layer::Cosine => {
                let size = stream.normal().abs().max(SMALLEST_DIVISOR);
                W.row_mut(j).iter_mut().for_each(|w| *w /= size);
                u[j] = TAU * stream.uniform();
            }
        }
    }
    (W, u)
}

/// φ(XWᵀ + u) for the units of a range, row after row.
fn features(network: &Network, X: &Matrix, units: std::ops::Range<usize>, out: &mut Vec<f64>) {
    let width = units.len();
    out.resize(X.rows() * width, 0.0);
    multiply(out, X.view(), network.W.view_rows(units.clone()).t(), Destination::Replace);
    let bias = network.bias.as_deref().unwrap_or_default();
    for row in out.chunks_exact_mut(width) {
        row.iter_mut().zip(&bias[units.clone()]).for_each(|(z, u)| *z += u);
    }
    let z = out.clone();
    network.activation.values(&z, out);
}

fn blocks(units: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..units).step_by(UNITS_AT_ONCE).map(move |start| start..units.min(start + UNITS_AT_ONCE))
}

fn noise_of(table: &Data, scales: &Scales) -> Vec<f64> {
    let n = table.n() as f64;
    table.omega().iter().map(|omega| scales.noise / (n * omega)).collect()
}

fn dual(mut network: Network, table: &Data, scales: &Scales, gain: f64) -> Option<WideLayer> {
    let (X, n, k) = (&table.X, table.n(), network.width());
    let mut K = Matrix::zeros(n, n);
    let mut phi = vec![];
    for units in blocks(k) {
        features(&network, X, units.clone(), &mut phi);
        let phi = View::new(&phi, n, units.len());
        add_lower_product(K.as_mut_slice(), phi, phi.t());
    }
    let noise = noise_of(table, scales);
    for i in 0..n {
        for j in 0..=i {
            K[(i, j)] = gain * K[(i, j)] + scales.affine * (1.0 + linalg::dot(X.row(i), X.row(j)));
        }
        K[(i, i)] += noise[i];
    }
    let (inverse, _) = linalg::invert_positive_definite(&K)?;
    let alpha = inverse.times_vector(&table.y);
    for units in blocks(k) {
        features(&network, X, units.clone(), &mut phi);
        let sums = View::new(&phi, n, units.len());
        multiply(&mut network.v[units], View::new(&alpha, 1, n), sums, Destination::Replace);
    }
    network.v.iter_mut().for_each(|v| *v *= gain);
    network.intercept = Some(scales.affine * alpha.iter().sum::<f64>());
    let mut linear = vec![0.0; table.d()];
    (0..n).for_each(|i| linalg::add_scaled(&mut linear, scales.affine * alpha[i], X.row(i)));
    network.linear = Some(linear);
    let left_out = (0..n).map(|i| -alpha[i] / inverse[(i, i)]).collect();
    Some(WideLayer { network, left_out })
}

/// Normal equations over (units | 1 | inputs), each column scaled to unit prior variance.
fn primal(mut network: Network, table: &Data, scales: &Scales, gain: f64) -> Option<WideLayer> {
    let (X, d, k) = (&table.X, table.d(), network.width());
    let width = k + 1 + d;
    let noise = noise_of(table, scales);
    let (root, affine) = (gain.sqrt(), scales.affine.sqrt());
    let row = |i: usize, out: &mut [f64]| {
        let one = X.select_rows(&[i]);
        let mut phi = vec![];
        features(&network, &one, 0..k, &mut phi);
        out[..k].iter_mut().zip(&phi).for_each(|(out, phi)| *out = root * phi);
        out[k] = affine;
        out[k + 1..width].iter_mut().zip(X.row(i)).for_each(|(out, x)| *out = affine * x);
    };
    let mut G = linalg::gram_of_rows(table.n(), width + 1, |i, out| {
        row(i, out);
        out[width] = table.y[i];
        out.iter_mut().for_each(|out| *out /= noise[i].sqrt());
    });
    let labels: Vec<f64> = (0..width).map(|j| G[(width, j)]).collect();
    G = Matrix::from_fn(width, width, |i, j| G[(i, j)] + if i == j { 1.0 } else { 0.0 });
    let (inverse, _) = linalg::invert_positive_definite(&G)?;
    let beta = inverse.times_vector(&labels);
    let mut left_out = vec![0.0; table.n()];
    linalg::for_row_blocks(&mut left_out, 1, |rows, out| {
        let mut block = vec![0.0; rows.len() * width];
        block.chunks_exact_mut(width).zip(rows.clone()).for_each(|(out, i)| row(i, out));
        let mut product = vec![0.0; rows.len() * width];
        multiply(&mut product, View::new(&block, rows.len(), width), inverse.view(), Destination::Replace);
        for (at, i) in rows.enumerate() {
            let (phi, product) = (&block[at * width..][..width], &product[at * width..][..width]);
            let leverage = linalg::dot(phi, product) / noise[i];
            out[at] = (linalg::dot(phi, &beta) - table.y[i]) / (1.0 - leverage).max(f64::EPSILON);
        }
    });
    network.v = beta[..k].iter().map(|b| root * b).collect();
    network.intercept = Some(affine * beta[k]);
    network.linear = Some(beta[k + 1..].iter().map(|b| affine * b).collect());
    Some(WideLayer { network, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn table() -> Data {
        let mut stream = Stream::new(5, Purpose::Probe, 3);
        let X = Matrix::from_fn(25, 2, |_, _| stream.normal());
        let y = (0..25).map(|i| X[(i, 0)] * X[(i, 1)] + 0.1 * stream.normal()).collect();
        let weights = (0..25).map(|i| 1.0 + (i % 2) as f64).collect();
        Data::builder(X, y).names(vec!["a".into(), "b".into()]).weights(Some(weights)).build().unwrap()
    }

    fn blank(units: usize, scales: &Scales) -> Network {
        let (W, u) = draw(Layer::Relu, scales, units, &mut Stream::new(1, Purpose::Start, 0));
        let network = Network::affine(Layer::Relu.activation(), 0.0, vec![]);
        Network { W, v: vec![0.0; units], bias: Some(u), ..network }
    }

    const SCALES: fn() -> Scales = || Scales { inputs: vec![1.0, 0.5], level: 0.5, affine: 0.3, noise: 0.02 };

    #[test]
    fn both_systems_give_the_same_weights_and_the_same_residuals_of_rows_left_out() {
        let (table, scales) = (table(), SCALES());
        let a = dual(blank(12, &scales), &table, &scales, 1.0 / 12.0).unwrap();
        let b = primal(blank(12, &scales), &table, &scales, 1.0 / 12.0).unwrap();
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8 * (1.0 + a.abs()));
        assert!(close(&a.network.v, &b.network.v));
        assert!(close(&a.network.linear.unwrap(), &b.network.linear.unwrap()));
        assert!(close(&a.left_out, &b.left_out), "{:?} {:?}", a.left_out, b.left_out);
    }

    #[test]
    fn residuals_of_rows_left_out_are_those_of_fits_without_the_row() {
        let (table, scales) = (table(), SCALES());
        let all = dual(blank(40, &scales), &table, &scales, 1.0 / 40.0).unwrap();
        for left in [0, 7, 24] {
            let rows: Vec<usize> = (0..25).filter(|row| *row != left).collect();
            let rest = table.select(&rows);
            // Noise is relative to the mean weight: keep its absolute size.
            let mean = |data: &Data| data.weights.as_ref().unwrap().iter().sum::<f64>() / data.n() as f64;
            let noise = scales.noise * mean(&table) / mean(&rest);
            let fitted = dual(blank(40, &scales), &rest, &Scales { noise, ..SCALES() }, 1.0 / 40.0).unwrap();
            let f = fitted.network.predict(&table.select(&[left]).X).unwrap()[0];
            assert!((f - table.y[left] - all.left_out[left]).abs() < 1e-9, "row {left}");
        }
    }
}
