//! Networks: Jacobian products, merging, dead units, and folding a standardisation back.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::support::assert_close;
use shallows::activation::Activation;
use shallows::linalg::{Matrix, dot, norm};
use shallows::network::{Layers, Layout, Network, Standardisation};
use shallows::random::{Purpose, Stream};

const ALL_LAYERS: [Layers; 4] = [Layers::Hidden, Layers::HiddenAndAffine, Layers::Output, Layers::Both];

struct Draw(Stream);

impl Draw {
    fn new(index: u64) -> Self {
        Draw(Stream::new(41, Purpose::Probe, index))
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.0.normal()).collect()
    }

    fn matrix(&mut self, n: usize, d: usize) -> Matrix {
        Matrix::from_vec(n, d, self.vector(n * d))
    }

    /// The optional parts are there by the bits of `parts`.
    fn network(&mut self, activation: &Activation, (k, d): (usize, usize), parts: u64) -> Network {
        let (W, v) = (self.matrix(k, d), self.vector(k));
        let mut network = Network::new(activation.clone(), W, v).unwrap();
        network.bias = (parts & 1 != 0).then(|| self.vector(k));
        network.intercept = (parts & 2 != 0).then(|| self.vector(1)[0]);
        network.linear = (parts & 4 != 0).then(|| self.vector(d));
        network
    }
}

#[test]
fn prediction_is_the_formula() {
    for (at, activation) in Activation::examples().iter().enumerate() {
        let mut draw = Draw::new(at as u64);
        let network = draw.network(activation, (3, 2), at as u64);
        let X = draw.matrix(5, 2);
        let expected: Vec<f64> = (0..5)
            .map(|i| {
                let x = X.row(i);
                let mut f = network.intercept.unwrap_or(0.0) + network.linear.as_ref().map_or(0.0, |b| dot(b, x));
                for j in 0..3 {
                    let mut phi = [0.0];
                    let z = dot(network.W.row(j), x) + network.bias.as_ref().map_or(0.0, |u| u[j]);
                    activation.values(&[z], &mut phi);
                    f += network.v[j] * phi[0];
                }
                f
            })
            .collect();
        assert_close(&network.predict(&X).unwrap(), &expected, 1e-12);
    }
}

#[test]
fn the_two_jacobian_products_are_transposes_of_each_other() {
    for (at, activation) in Activation::examples().iter().enumerate() {
        for layers in ALL_LAYERS {
            let mut draw = Draw::new(100 + at as u64);
            let network = draw.network(activation, (4, 3), at as u64);
            // More rows than one block has.
            let X = draw.matrix(700, 3);
            let (s, delta) = (draw.vector(700), draw.vector(Layout::new(&network, layers).len()));
            let forward = dot(&network.jacobian_product(layers, &X, &delta).unwrap(), &s);
            let backward = dot(&network.jacobian_transpose_product(layers, &X, &s).unwrap(), &delta);
            let scale = norm(&s) * norm(&delta);
            assert!((forward - backward).abs() < 1e-11 * scale * (1.0 + forward.abs()), "{activation} {layers:?}");
        }
    }
}

#[test]
fn the_jacobian_product_is_the_derivative_of_the_prediction() {
    for (at, activation) in Activation::examples().iter().enumerate() {
        if matches!(activation, Activation::Kinked(_)) {
            continue;
        }
        let mut draw = Draw::new(200 + at as u64);
        let network = draw.network(activation, (4, 3), 7);
        let X = draw.matrix(6, 3);
        let delta = draw.vector(Layout::new(&network, Layers::Both).len());
        let at_step = |h: f64| {
            let mut moved = network.clone();
            let theta = network.parameters(Layers::Both);
            let theta: Vec<f64> = theta.iter().zip(&delta).map(|(t, d)| t + h * d).collect();
            moved.set_parameters(Layers::Both, &theta);
            moved.predict(&X).unwrap()
        };
        let product = network.jacobian_product(Layers::Both, &X, &delta).unwrap();
        let error = |h: f64| {
            let (plus, minus) = (at_step(h), at_step(-h));
            norm(&(0..6).map(|i| (plus[i] - minus[i]) / (2.0 * h) - product[i]).collect::<Vec<_>>())
        };
        // Central differences: the error falls by 16 when the step falls by 4.
        let (coarse, fine) = (error(4e-4), error(1e-4));
        let rounding = 1e-11 * (1.0 + norm(&at_step(0.0)));
        assert!(fine < coarse / 12.0 || fine < rounding, "{activation}: {coarse:e} {fine:e}");
    }
}

#[test]
fn parameters_survive_the_round_trip_through_theta() {
    for parts in 0..8 {
        for layers in ALL_LAYERS {
            let mut draw = Draw::new(300 + parts);
            let network = draw.network(&Activation::SQUARE, (3, 2), parts);
            let theta = network.parameters(layers);
            assert_eq!(theta.len(), Layout::new(&network, layers).len());
            let mut other = network.clone();
            let changed: Vec<f64> = theta.iter().map(|t| t + 1.0).collect();
            other.set_parameters(layers, &changed);
            assert_eq!(other.parameters(layers), changed);
            other.set_parameters(layers, &theta);
            assert_eq!(other, network);
        }
    }
}

#[test]
fn a_merged_network_predicts_the_sum() {
    for (left, right) in (0..8).flat_map(|left| (0..8).map(move |right| (left, right))) {
        let mut draw = Draw::new(400 + left * 8 + right);
        let tanh: Activation = "tanh".parse().unwrap();
        let (a, b) = (draw.network(&tanh, (3, 2), left), draw.network(&tanh, (5, 2), right));
        let X = draw.matrix(9, 2);
        let (fa, fb) = (a.predict(&X).unwrap(), b.predict(&X).unwrap());
        let merged = a.merge(&b).unwrap();
        assert_eq!(merged.width(), 8);
        let sum: Vec<f64> = fa.iter().zip(&fb).map(|(a, b)| a + b).collect();
        assert_close(&merged.predict(&X).unwrap(), &sum, 1e-14);
    }
}

#[test]
fn networks_that_do_not_match_are_not_merged() {
    let mut draw = Draw::new(500);
    let (tanh, relu): (Activation, Activation) = ("tanh".parse().unwrap(), "relu".parse().unwrap());
    let (a, b, c) = (draw.network(&tanh, (3, 2), 0), draw.network(&relu, (3, 2), 0), draw.network(&tanh, (3, 4), 0));
    assert!(a.clone().merge(&b).is_err());
    assert!(a.merge(&c).is_err());
}

#[test]
fn removing_dead_units_changes_nothing_but_the_width() {
    for parts in 0..8 {
        let mut draw = Draw::new(600 + parts);
        let mut network = draw.network(&"softplus".parse().unwrap(), (5, 3), parts);
        network.v[1] = 0.0;
        network.W.row_mut(3).fill(0.0);
        let X = draw.matrix(7, 3);
        let smaller = network.without_dead_units();
        assert_eq!(smaller.width(), 3);
        smaller.check().unwrap();
        assert_close(&smaller.predict(&X).unwrap(), &network.predict(&X).unwrap(), 1e-14);
    }
}

#[test]
fn a_standardisation_folded_back_predicts_on_raw_inputs() {
    for (at, activation) in Activation::examples().iter().enumerate() {
        for parts in 0..8 {
            let mut draw = Draw::new(700 + 10 * at as u64 + parts);
            let network = draw.network(activation, (4, 3), parts);
            let scaling = Standardisation {
                mean: draw.vector(3),
                deviation: draw.vector(3).iter().map(|x| x.abs() + 0.5).collect(),
                target_mean: 3.0,
                target_deviation: 2.5,
            };
            let raw = draw.matrix(6, 3);
            let scaled = Matrix::from_fn(6, 3, |i, j| (raw[(i, j)] - scaling.mean[j]) / scaling.deviation[j]);
            let expected: Vec<f64> = network.predict(&scaled).unwrap().iter().map(|f| 3.0 + 2.5 * f).collect();
            let found = network.unstandardised(&scaling).predict(&raw).unwrap();
            assert_close(&found, &expected, 1e-10);
        }
    }
}

#[test]
fn without_a_shift_nothing_is_added() {
    let mut draw = Draw::new(900);
    let network = draw.network(&"tanh".parse().unwrap(), (4, 3), 0);
    let scaling =
        Standardisation { mean: vec![0.0; 3], deviation: vec![2.0; 3], target_mean: 0.0, target_deviation: 3.0 };
    let folded = network.unstandardised(&scaling);
    assert!(folded.bias.is_none() && folded.intercept.is_none() && folded.linear.is_none());
}

#[test]
fn a_network_of_the_wrong_shape_or_with_a_nan_is_refused() {
    let tanh: Activation = "tanh".parse().unwrap();
    assert!(Network::new(tanh.clone(), Matrix::zeros(3, 2), vec![1.0; 2]).is_err());
    assert!(Network::new(tanh.clone(), Matrix::zeros(2, 2), vec![1.0, f64::NAN]).is_err());
    let network = Network::new(tanh, Matrix::zeros(2, 2), vec![1.0; 2]).unwrap();
    assert!(network.predict(&Matrix::zeros(4, 3)).is_err());
    assert!(network.jacobian_product(Layers::Both, &Matrix::zeros(4, 2), &[0.0]).is_err());
    assert!(network.jacobian_transpose_product(Layers::Both, &Matrix::zeros(4, 2), &[0.0]).is_err());
}
