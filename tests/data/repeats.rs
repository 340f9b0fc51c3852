//! Rows that no network tells apart: the merged problem has the gradients of the full one, and conflicts are named.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::{Activation, Symmetry};
use shallows::data::Data;
use shallows::linalg::Matrix;
use shallows::network::{Layers, Network};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk, Objective};

const ACTIVATIONS: [&str; 12] = [
    "softplus",
    "sigmoid",
    "tanh",
    "erf",
    "gelu",
    "cos",
    "quadratic",
    "quadratic:1.0,0.5,0.0",
    "relu",
    "leaky-relu",
    "abs",
    "hermite:0,1,0,0.5",
];

fn data(X: Matrix, y: Vec<f64>) -> Data {
    let names = (0..X.cols()).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).build().unwrap()
}

/// The loss and its gradient.
fn gradient(network: &Network, data: &Data, layers: Layers) -> (f64, Vec<f64>) {
    let risk = EmpiricalRisk::new(data, network, layers, Decay::None).unwrap();
    let theta = network.parameters(layers);
    let mut gradient = vec![0.0; theta.len()];
    let value = risk.gradient(&theta, &mut gradient);
    (value.objective, gradient)
}

/// Rows drawn from a few, with some turned round and some zeros signed; labels drawn from a few as well.
fn crowded(stream: &mut Stream) -> Data {
    let (n, d) = (3 + stream.below(30), 1 + stream.below(4));
    let few = Matrix::from_fn(4, d, |_, _| if stream.below(5) == 0 { 0.0 } else { stream.normal() });
    let chosen: Vec<(usize, f64)> =
        (0..n).map(|_| (stream.below(4), if stream.below(3) == 0 { -1.0 } else { 1.0 })).collect();
    let X = Matrix::from_fn(n, d, |i, j| chosen[i].1 * few[(chosen[i].0, j)]);
    let y = (0..n).map(|_| [1.0, -1.0, 0.25][stream.below(3)]).collect();
    data(X, y)
}

#[test]
fn the_merged_problem_has_the_gradients_of_the_full_one() {
    let mut merged = 0;
    for activation in ACTIVATIONS {
        let activation: Activation = activation.parse().unwrap();
        for index in 0..60 {
            let mut stream = Stream::new(13, Purpose::Probe, index);
            let full = crowded(&mut stream);
            let distinct = full.distinct(activation.symmetry());
            merged += full.n() - distinct.data.n();
            let W = Matrix::from_fn(5, full.d(), |_, _| stream.normal());
            let network = Network::new(activation.clone(), W, (0..5).map(|_| stream.normal()).collect()).unwrap();
            for layers in [Layers::Hidden, Layers::Both] {
                let (all, few) = (gradient(&network, &full, layers), gradient(&network, &distinct.data, layers));
                let size = 1.0 + all.1.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                for (a, b) in all.1.iter().zip(&few.1) {
                    assert!((a - b).abs() <= 1e-12 * size, "{activation} {index}: {a} is not {b}");
                }
                let within = distinct.within / (2.0 * full.n() as f64);
                assert!((all.0 - few.0 - within).abs() <= 1e-12 * (1.0 + all.0), "{activation} {index}");
            }
        }
    }
    assert!(merged > 5000, "the test does not bite: {merged}");
}

#[test]
fn equal_rows_conflict_only_where_their_labels_differ() {
    let X = Matrix::from_rows(&[vec![1.0, 2.0], vec![3.0, 0.0], vec![1.0, 2.0], vec![3.0, -0.0], vec![1.0, 2.0]]);
    let given = data(X, vec![5.0, 7.0, 5.0, 8.0, 5.0]);
    let distinct = given.distinct(Symmetry::None);
    assert_eq!(distinct.repeated, [vec![0, 2, 4], vec![1, 3]]);
    assert_eq!(distinct.conflicts, [(1, 3)]);
    assert_eq!(distinct.data.y, [5.0, 7.5]);
    assert_eq!(distinct.data.weights, Some(vec![3.0, 2.0]));
    assert_eq!(distinct.within, 0.5);
}

#[test]
fn opposite_rows_are_equal_for_even_and_turned_for_odd_activations() {
    let X = Matrix::from_rows(&[vec![0.0, -2.0], vec![0.0, 2.0], vec![1.0, 1.0]]);
    let given = |other: f64| data(X.clone(), vec![3.0, other, 0.0]);
    let count = |distinct: &shallows::data::Distinct| (distinct.data.n(), distinct.conflicts.len());
    assert_eq!(count(&given(3.0).distinct(Symmetry::None)), (3, 0));
    assert_eq!(given(3.0).distinct(Symmetry::None).data.weights, None);
    assert_eq!(count(&given(3.0).distinct(Symmetry::Even)), (2, 0));
    assert_eq!(count(&given(-3.0).distinct(Symmetry::Even)), (2, 1));
    assert_eq!(count(&given(-3.0).distinct(Symmetry::Odd)), (2, 0));
    assert_eq!(count(&given(3.0).distinct(Symmetry::Odd)), (2, 1));
    assert_eq!(given(3.0).distinct(Symmetry::Odd).conflicts, [(0, 1)]);
    assert_eq!(given(-3.0).distinct(Symmetry::Odd).data.y, [-3.0, 0.0]);
}

#[test]
fn the_symmetry_of_an_activation_is_that_of_its_values() {
    let mut stream = Stream::new(14, Purpose::Probe, 0);
    let z: Vec<f64> = (0..100).map(|_| 3.0 * stream.normal()).collect();
    let opposite: Vec<f64> = z.iter().map(|z| -z).collect();
    for name in ACTIVATIONS.iter().chain(&["leaky-relu:1.0", "leaky-relu:-1.0", "hermite:1,0,1", "hermite:0,2"]) {
        let activation: Activation = name.parse().unwrap();
        let values = |z: &[f64]| {
            let mut values = vec![0.0; z.len()];
            activation.values(z, &mut values);
            values
        };
        let (there, back) = (values(&z), values(&opposite));
        let all = |sign: f64| there.iter().zip(&back).all(|(a, b)| (a - sign * b).abs() <= 1e-13 * (1.0 + a.abs()));
        let found = if all(1.0) {
            Symmetry::Even
        } else if all(-1.0) {
            Symmetry::Odd
        } else {
            Symmetry::None
        };
        assert_eq!(activation.symmetry(), found, "{name}");
    }
}

#[test]
fn the_weights_of_repeated_rows_add_up() {
    let rows = [[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [5.0, 6.0]];
    let data =
        Data { weights: Some(vec![1.0, 2.0, 3.0, 0.0]), ..Data::from_rows(&rows, &[8.0, 1.0, 4.0, 7.0]).unwrap() };
    let distinct = data.distinct(Symmetry::None);
    assert_eq!(distinct.data.weights, Some(vec![4.0, 2.0]));
    assert_eq!((distinct.data.y, distinct.firsts), (vec![5.0, 1.0], vec![0, 1]));
    assert_eq!(distinct.within, 1.0 * 9.0 + 3.0 * 1.0);
}
