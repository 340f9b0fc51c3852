//! The empirical risk against exact vectors, against Taylor's theorem, and its two forms against each other.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::references::{matrix, vector, vectors};
use crate::support::{assert_close, data};
use shallows::activation::{Activation, Smooth};
use shallows::data::Data;
use shallows::linalg::{Matrix, dot, norm};
use shallows::network::{Layers, Network};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk, LeastSquares, Objective};

fn gradient(risk: &EmpiricalRisk<'_>, theta: &[f64]) -> Vec<f64> {
    let mut gradient = vec![0.0; theta.len()];
    risk.gradient(theta, &mut gradient);
    gradient
}

fn hessian_product(risk: &EmpiricalRisk<'_>, theta: &[f64], direction: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; theta.len()];
    risk.hessian_product(theta, direction, &mut product);
    product
}

#[test]
fn the_quadratic_loss_and_its_derivatives_agree_with_the_exact_vectors() {
    let json = &vectors()["quad_empirical"];
    let data = data(matrix(&json["X"]), vector(&json["y"]), None);
    let network = Network::new(Activation::SQUARE, matrix(&json["W"]), vector(&json["v"])).unwrap();
    let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
    let theta = network.parameters(Layers::Hidden);
    let U = matrix(&json["U"]);
    let product = hessian_product(&risk, &theta, U.as_slice());
    assert_close(&[risk.value(&theta).objective], &[json["loss"].as_f64().unwrap()], 1e-13);
    assert_close(&gradient(&risk, &theta), matrix(&json["grad"]).as_slice(), 1e-13);
    assert_close(&product, matrix(&json["hvp"]).as_slice(), 1e-13);
    assert_close(&[dot(&product, U.as_slice())], &[json["quad_form"].as_f64().unwrap()], 1e-12);
    let f = network.predict(&data.X).unwrap();
    let r: Vec<f64> = f.iter().zip(&data.y).map(|(f, y)| f - y).collect();
    assert_close(&r, &vector(&json["residual_pred_minus_y"]), 1e-13);
}

#[test]
fn the_loss_of_other_activations_agrees_with_the_exact_vectors() {
    let json = &vectors()["general_activation"];
    let data = data(matrix(&json["X"]), vector(&json["y"]), None);
    for (name, expected) in json["by_activation"].as_object().unwrap() {
        let network = Network::new(name.parse().unwrap(), matrix(&json["W"]), vector(&json["v"])).unwrap();
        let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
        let theta = network.parameters(Layers::Both);
        let direction = [matrix(&json["dir_W"]).into_vec(), vector(&json["dir_v"])].concat();
        assert_close(&[risk.value(&theta).objective], &[expected["loss"].as_f64().unwrap()], 1e-13);
        let exact = [matrix(&expected["grad_W"]).into_vec(), vector(&expected["grad_v"])].concat();
        assert_close(&gradient(&risk, &theta), &exact, 1e-12);
        let exact = [matrix(&expected["hvp_W"]).into_vec(), vector(&expected["hvp_v"])].concat();
        assert_close(&hessian_product(&risk, &theta, &direction), &exact, 1e-12);
    }
}

/// A random problem: data with or without weights, a network with or without the optional parts.
struct Instance {
    data: Data,
    network: Network,
    layers: Layers,
    decay: Decay,
}

fn instance(activation: &Activation, (n, d, k): (usize, usize, usize), index: u64) -> Instance {
    let mut stream = Stream::new(31, Purpose::Probe, index);
    let mut normals = |count: usize| (0..count).map(|_| stream.normal()).collect::<Vec<f64>>();
    let X = Matrix::from_vec(n, d, normals(n * d));
    let y = normals(n);
    let weights = (index % 2 == 1).then(|| normals(n).iter().map(|w| w.abs() + 0.1).collect());
    let mut network = Network::new(activation.clone(), Matrix::from_vec(k, d, normals(k * d)), normals(k)).unwrap();
    if index & 2 != 0 {
        network.bias = Some(normals(k));
    }
    if index & 4 != 0 {
        network.intercept = Some(normals(1)[0]);
        network.linear = Some(normals(d));
    }
    let layers = [Layers::Both, Layers::Hidden, Layers::Output, Layers::HiddenAndAffine][index as usize / 3 % 4];
    let decay = match index % 5 {
        0 => Decay::Weights(0.3),
        1 if !layers.output() => Decay::Path(0.2),
        _ => Decay::None,
    };
    Instance { data: data(X, y, weights), network, layers, decay }
}

/// The order of `error(h)` as h → 0, or None when it is at rounding level wherever it is `smooth`.
fn order_of(error: impl Fn(f64) -> f64, smooth: impl Fn(f64) -> bool, rounding: f64) -> Option<f64> {
    let steps = (6..24).map(|power| 0.5_f64.powi(power)).filter(|h| smooth(*h));
    let errors = steps.map(|h| (h.ln(), error(h))).filter(|(_, e)| *e > 1e3 * rounding);
    let usable: Vec<(f64, f64)> = errors.map(|(h, e)| (h, e.ln())).collect();
    let last = &usable[usable.len().saturating_sub(4)..];
    (last.len() >= 2).then(|| (last[last.len() - 1].1 - last[0].1) / (last[last.len() - 1].0 - last[0].0))
}

/// Which units are on for which rows: Taylor's theorem holds for a kinked activation while this stays the same.
fn pattern(network: &Network, X: &Matrix) -> Vec<bool> {
    let bias = network.bias.clone().unwrap_or_else(|| vec![0.0; network.width()]);
    let pairs = (0..X.rows()).flat_map(|i| (0..network.width()).map(move |j| (i, j)));
    pairs.map(|(i, j)| dot(X.row(i), network.W.row(j)) + bias[j] > 0.0).collect()
}

/// Whether the segment from θ to θ + hδ lies where the risk is smooth.
fn stays_smooth(risk: &EmpiricalRisk<'_>, X: &Matrix, theta: &[f64], direction: &[f64], h: f64) -> bool {
    let [here, there] = [theta, &moved(theta, h, direction)].map(|theta| risk.network_at(theta));
    matches!(here.activation, Activation::Smooth(_)) || pattern(&here, X) == pattern(&there, X)
}

fn moved(theta: &[f64], h: f64, direction: &[f64]) -> Vec<f64> {
    theta.iter().zip(direction).map(|(t, d)| t + h * d).collect()
}

const SHAPES: [(usize, usize, usize); 6] = [(7, 3, 4), (1, 1, 1), (9, 1, 5), (1, 4, 3), (12, 5, 1), (600, 2, 3)];

fn activations() -> Vec<Activation> {
    Activation::examples()
}

/// How a Taylor remainder is measured: at (θ, δ) of a risk, the remainder as a function of the step, and the size of
/// what it is a difference of.
type Remainder = for<'a> fn(&'a EmpiricalRisk<'a>, &'a [f64], &'a [f64]) -> (Box<dyn Fn(f64) -> f64 + 'a>, f64);

/// Every measurable remainder, over all activations and shapes, has order two; returns how many there were.
fn count_second_order_remainders(remainder: Remainder) -> usize {
    let mut measured = 0;
    for (a, activation) in activations().iter().enumerate() {
        for (s, shape) in SHAPES.iter().enumerate() {
            let Instance { data, network, layers, decay } = instance(activation, *shape, (a * SHAPES.len() + s) as u64);
            let risk = EmpiricalRisk::new(&data, &network, layers, decay).unwrap();
            let theta = network.parameters(layers);
            let mut direction = vec![0.0; theta.len()];
            Stream::new(32, Purpose::Probe, s as u64).fill_normal(&mut direction);
            let (error, size) = remainder(&risk, &theta, &direction);
            let smooth = |h| stays_smooth(&risk, &data.X, &theta, &direction, h);
            if let Some(order) = order_of(error, smooth, 1e-16 * (1.0 + size)) {
                measured += 1;
                assert!(order > 1.9, "{activation} at {shape:?}, {layers:?}: order {order}");
            }
        }
    }
    measured
}

#[test]
fn gradients_leave_a_taylor_error_of_second_order() {
    let measured = count_second_order_remainders(|risk, theta, direction| {
        let at = risk.value(theta).objective;
        let slope = dot(&gradient(risk, theta), direction);
        let error = move |h: f64| (risk.value(&moved(theta, h, direction)).objective - at - h * slope).abs();
        (Box::new(error), at.abs())
    });
    assert!(measured > activations().len() * SHAPES.len() / 2, "only {measured} instances were measurable");
}

#[test]
fn hessian_products_leave_a_taylor_error_of_second_order() {
    let measured = count_second_order_remainders(|risk, theta, direction| {
        let (at, product) = (gradient(risk, theta), hessian_product(risk, theta, direction));
        let size = norm(&at);
        let error = move |h: f64| {
            let there = gradient(risk, &moved(theta, h, direction));
            norm(&(0..theta.len()).map(|i| there[i] - at[i] - h * product[i]).collect::<Vec<f64>>())
        };
        (Box::new(error), size)
    });
    assert!(measured > activations().len() * SHAPES.len() / 3, "only {measured} instances were measurable");
}

#[test]
fn gauss_newton_is_the_hessian_of_the_linearised_residual() {
    for index in 0..12 {
        let activation = &activations()[index as usize % activations().len()];
        let Instance { data, network, layers, decay } = instance(activation, (8, 3, 4), index);
        let risk = EmpiricalRisk::new(&data, &network, layers, decay).unwrap();
        let theta = network.parameters(layers);
        let mut direction = vec![0.0; theta.len()];
        Stream::new(34, Purpose::Probe, index).fill_normal(&mut direction);
        let (rho, J) = risk.linearised(&theta);
        let change = J.times_vector(&direction);
        let ridge = risk.ridge().iter().zip(&direction).map(|(tau, delta)| tau * delta);
        let expected: Vec<f64> =
            (0..theta.len()).map(|j| dot(&J.column(j), &change)).zip(ridge).map(|(a, b)| a + b).collect();
        let mut product = vec![0.0; theta.len()];
        risk.gauss_newton_product(&theta, &direction, &mut product);
        assert_close(&product, &expected, 1e-12);
        let ridge = risk.ridge().iter().zip(&theta).map(|(tau, t)| tau * t);
        let from_rows: Vec<f64> =
            (0..theta.len()).map(|j| dot(&J.column(j), &rho)).zip(ridge).map(|(a, b)| a + b).collect();
        assert_close(&gradient(&risk, &theta), &from_rows, 1e-12);
    }
}

#[test]
fn the_form_through_m_equals_the_form_through_units() {
    for index in 0..24 {
        let Instance { data, mut network, layers, decay } = instance(&Activation::SQUARE, (30, 3, 7), index);
        network.bias = None;
        let wide = EmpiricalRisk::new(&data, &network, layers, decay).unwrap();
        // An explicit zero bias keeps the second risk on the general path and adds k parameters that stay put.
        let mut general = network.clone();
        general.bias = Some(vec![0.0; 7]);
        let other = EmpiricalRisk::new(&data, &general, layers, decay).unwrap();
        let bias = other.layout().bias.clone();
        let widen = |theta: &[f64]| [&theta[..bias.start], &vec![0.0; bias.len()], &theta[bias.start..]].concat();
        let narrow = |theta: Vec<f64>| [&theta[..bias.start], &theta[bias.end..]].concat();
        let theta = network.parameters(layers);
        let mut direction = vec![0.0; theta.len()];
        Stream::new(35, Purpose::Probe, index).fill_normal(&mut direction);
        assert_close(&[wide.value(&theta).objective], &[other.value(&widen(&theta)).objective], 1e-13);
        assert_close(&gradient(&wide, &theta), &narrow(gradient(&other, &widen(&theta))), 1e-12);
        let product = hessian_product(&other, &widen(&theta), &widen(&direction));
        assert_close(&hessian_product(&wide, &theta, &direction), &narrow(product), 1e-12);
    }
}

#[test]
fn rows_of_weight_zero_change_nothing() {
    let Instance { data: part, network, .. } = instance(&Activation::Smooth(Smooth::Tanh), (10, 3, 4), 0);
    let mut X = part.X.as_slice().to_vec();
    X.extend([1e6, -1e6, 3.0]);
    let y = [part.y.clone(), vec![-1e9]].concat();
    let weights = [vec![2.0; 10], vec![0.0]].concat();
    let whole = data(Matrix::from_vec(11, 3, X), y, Some(weights));
    let theta = network.parameters(Layers::Both);
    let of = |data: &Data| gradient(&EmpiricalRisk::new(data, &network, Layers::Both, Decay::None).unwrap(), &theta);
    assert_close(&of(&whole), &of(&part), 1e-14);
}

#[test]
fn path_decay_is_refused_while_output_weights_move() {
    let Instance { data, network, .. } = instance(&Activation::SQUARE, (10, 3, 4), 0);
    assert!(EmpiricalRisk::new(&data, &network, Layers::Both, Decay::Path(1.0)).is_err());
}
