//! Wide layers: thousands of random units, whose output weights are the ridge solution.
//!
//! The units are drawn from the layer whose scales the labels make most likely, so that with many of them the
//! network predicts like the Gaussian process of that layer. With features Φ (n×k), f = Φβ + affine part,
//! β ~ N(0, g/k), the output weights follow from the n×n system (gΦΦᵀ/k + s(11ᵀ + XXᵀ) + noise) α = y, or from
//! the normal equations where there are more rows than units.
//!
//! Where the target is an exact step function of a code, the scales that the labels make most likely are thousands of
//! times the noise, and the system is singular to rounding. What is lost first is what such a layer can make largest: a
//! constant and a linear function. [`with_affine_part_restored`] finds the loss in the realised residuals and mends it.

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

/// A loss is mended when it is larger than this share of the residuals, and than this share of the spread of the target.
const LOSS_THAT_MATTERS: f64 = 0.1;
const NEGLIGIBLE_LOSS: f64 = 1e-6;

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
    let fitted =
        if table.n() <= units { dual(network, table, scales, gain) } else { primal(network, table, scales, gain) }?;
    Some(WideLayer { network: with_affine_part_restored(fitted.network, table, scales)?, ..fitted })
}

/// The network with the constant and linear functions that rounding took from it.
///
/// With z = (1, x), r the realised residuals and N the noise, the optimal affine part a satisfies a/s + ZᵀN⁻¹r = 0. Where
/// it does not, the affine function that restores it at fixed units is −(ZᵀN⁻¹Z)⁺(a/s + ZᵀN⁻¹r). A network that has lost
/// nothing is returned as it is.
fn with_affine_part_restored(mut network: Network, table: &Data, scales: &Scales) -> Option<Network> {
    let (n, d) = (table.n(), table.d());
    let f = network.predict(&table.X).ok()?;
    let r: Vec<f64> = f.iter().zip(&table.y).map(|(f, y)| f - y).collect();
    let noise = noise_of(table, scales);
    let products = linalg::gram_of_rows(n, d + 2, |i, out| {
        out[0] = 1.0;
        out[1..=d].copy_from_slice(table.X.row(i));
        out[d + 1] = r[i];
        out.iter_mut().for_each(|out| *out /= noise[i].sqrt());
    });
    let affine: Vec<f64> = network.intercept.iter().chain(network.linear.iter().flatten()).copied().collect();
    let missing: Vec<f64> =
        affine.iter().enumerate().map(|(a, part)| part / scales.affine + products[(d + 1, a)]).collect();
    let block = Matrix::from_fn(d + 1, d + 1, |a, b| products[(a, b)]);
    let step = linalg::pseudo_inverse(&block)?.times_vector(&missing);
    let omega = table.omega();
    let size = |value: &dyn Fn(usize) -> f64| (0..n).map(|i| omega[i] * value(i).powi(2)).sum::<f64>().sqrt();
    let loss = size(&|i| step[0] + linalg::dot(&step[1..], table.X.row(i)));
    if loss > LOSS_THAT_MATTERS * size(&|i| r[i]) && loss > NEGLIGIBLE_LOSS {
        network.intercept = network.intercept.map(|c| c - step[0]);
        network.linear.iter_mut().flatten().zip(&step[1..]).for_each(|(b, step)| *b -= step);
    }
    Some(network)
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

    /// A step function of a code, and the scales that its labels drive the search to.
    fn steps() -> (Data, Scales) {
        let mut stream = Stream::new(6, Purpose::Probe, 3);
        let code = |i: usize| (i % 40) as f64 / 11.5 - 1.7;
        let X = Matrix::from_fn(200, 2, |i, j| if j == 0 { code(i) } else { stream.normal() });
        let y = (0..200).map(|i| if i % 40 < 13 { -1.0 } else { 0.6 }).collect();
        let table = Data::builder(X, y).build().unwrap();
        (table, Scales { inputs: vec![4e9, 1e-3], level: 5e9, affine: 0.1, noise: 1e-4 })
    }

    #[test]
    fn scales_far_above_the_noise_do_not_shift_the_network_by_a_constant() {
        let (table, scales) = steps();
        for units in [400, 150] {
            let gain = 1.0 / units as f64;
            let solve = if units > 200 { dual } else { primal };
            let lost = solve(blank(units, &scales), &table, &scales, gain).unwrap().network;
            let shift = |network: &Network| {
                let f = network.predict(&table.X).unwrap();
                f.iter().zip(&table.y).map(|(f, y)| f - y).sum::<f64>().abs() / 200.0
            };
            let restored = with_affine_part_restored(lost.clone(), &table, &scales).unwrap();
            assert!(shift(&lost) > 1e-3, "the test does not bite: {}", shift(&lost));
            assert!(shift(&restored) < 1e-3 * shift(&lost).min(1.0), "{units} units: {}", shift(&restored));
        }
    }

    #[test]
    fn a_network_that_has_lost_nothing_keeps_its_bits() {
        let (table, scales) = (table(), SCALES());
        let fitted = dual(blank(40, &scales), &table, &scales, 1.0 / 40.0).unwrap().network;
        assert_eq!(with_affine_part_restored(fitted.clone(), &table, &scales).unwrap(), fitted);
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
