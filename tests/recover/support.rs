//! Teachers, moments and Taylor errors for the tests of `recover`.

#![allow(clippy::unwrap_used)]

use shallows::activation::{Activation, Kinked};
use shallows::linalg::{Matrix, add_scaled, dot, norm, orthonormal_columns};
use shallows::network::Network;
use shallows::random::{Purpose, Stream};
use shallows::recover::SymmetricTensor;
use shallows::risk::Objective;

pub const RELU: Activation = Activation::Kinked(Kinked::Relu);

pub fn normal_matrix(rows: usize, cols: usize, index: u64) -> Matrix {
    let mut stream = Stream::new(21, Purpose::Teacher, index);
    Matrix::from_fn(rows, cols, |_, _| stream.normal())
}

/// Output weights in [1, 2].
pub fn outputs(m: usize, index: u64) -> Vec<f64> {
    let mut stream = Stream::new(22, Purpose::Teacher, index);
    (0..m).map(|_| 1.0 + stream.uniform()).collect()
}

pub fn orthonormal_rows(m: usize, d: usize, index: u64) -> Matrix {
    orthonormal_columns(&normal_matrix(d, m, index)).transposed()
}

pub fn unit_rows(B: &Matrix) -> Matrix {
    Matrix::from_fn(B.rows(), B.cols(), |i, j| B[(i, j)] / norm(B.row(i)))
}

/// Orthonormal rows plus noise, normalised: independent but not orthogonal.
pub fn independent_rows(m: usize, d: usize, index: u64) -> Matrix {
    let (Q, noise) = (orthonormal_rows(m, d, index), normal_matrix(m, d, index + 1000));
    unit_rows(&Matrix::from_fn(m, d, |i, j| Q[(i, j)] + 0.5 * noise[(i, j)] / (d as f64).sqrt()))
}

/// H₄(x) = x⊗x⊗x⊗x − 6 terms x_a x_b δ_ce + 3 terms δδ, times a factor, added to a tensor.
pub fn add_hermite(T: &mut SymmetricTensor, factor: f64, x: &[f64]) {
    let d = x.len();
    let delta = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    for b in 0..d {
        let pairs: Vec<(usize, usize)> = (b..d).flat_map(|c| (c..d).map(move |e| (c, e))).collect();
        for (a, row) in T.group_mut(b).chunks_exact_mut(pairs.len()).enumerate() {
            for (t, &(c, e)) in row.iter_mut().zip(&pairs) {
                let two = x[a] * x[b] * delta(c, e)
                    + x[a] * x[c] * delta(b, e)
                    + x[a] * x[e] * delta(b, c)
                    + x[b] * x[c] * delta(a, e)
                    + x[b] * x[e] * delta(a, c)
                    + x[c] * x[e] * delta(a, b);
                let none = delta(a, b) * delta(c, e) + delta(a, c) * delta(b, e) + delta(a, e) * delta(b, c);
                *t += factor * (x[a] * x[b] * x[c] * x[e] - two + none);
            }
        }
    }
}

/// The normalised moments M and T of labelled samples.
pub fn moments(X: &Matrix, y: &[f64], sigma: &[f64]) -> (Matrix, SymmetricTensor) {
    let (n, d) = (X.rows() as f64, X.cols());
    let (mut M, mut T) = (Matrix::zeros(d, d), SymmetricTensor::zeros(d));
    for (i, y) in y.iter().enumerate() {
        let x = X.row(i);
        let factor = y / (n * 2.0_f64.sqrt() * sigma[2]);
        for a in 0..d {
            add_scaled(M.row_mut(a), factor * x[a], x);
            M[(a, a)] -= factor;
        }
        add_hermite(&mut T, y / (n * 24.0_f64.sqrt() * sigma[4]), x);
    }
    (M, T)
}

/// Gaussian inputs and the labels of a relu teacher.
pub fn drawn(a: &[f64], B: &Matrix, n: usize, index: u64) -> (Matrix, Vec<f64>) {
    let mut stream = Stream::new(23, Purpose::Inputs, index);
    let X = Matrix::from_fn(n, B.cols(), |_, _| stream.normal());
    let y = Network::new(RELU, B.clone(), a.to_vec()).unwrap().predict(&X).unwrap();
    (X, y)
}

/// How the Taylor errors fall from t to t/2, as powers of 2: of the value with its gradient (2), and of the gradient
/// with the Hessian product (2).
pub fn taylor_orders(objective: &dyn Objective, theta: &[f64], V: &[f64], t: f64) -> (f64, f64) {
    let mut gradient = vec![0.0; theta.len()];
    let value = objective.gradient(theta, &mut gradient).objective;
    assert_eq!(value.to_bits(), objective.value(theta).objective.to_bits());
    let mut product = vec![0.0; theta.len()];
    objective.hessian_product(theta, V, &mut product);
    let errors = |t: f64| {
        let mut moved = theta.to_vec();
        add_scaled(&mut moved, t, V);
        let mut slope = vec![0.0; theta.len()];
        let found = objective.gradient(&moved, &mut slope).objective;
        add_scaled(&mut slope, -1.0, &gradient);
        add_scaled(&mut slope, -t, &product);
        ((found - value - t * dot(&gradient, V)).abs(), norm(&slope))
    };
    let (whole, half) = (errors(t), errors(0.5 * t));
    ((whole.0 / half.0).log2(), (whole.1 / half.1).log2())
}

/// Assert that both orders are 2.
pub fn assert_taylor(name: &str, objective: &dyn Objective, theta: &[f64]) {
    let V = normal_matrix(1, theta.len(), 77).into_vec();
    let (value, gradient) = taylor_orders(objective, theta, &V, 1e-4);
    assert!((value - 2.0).abs() < 0.05, "{name}: the value's Taylor error has order {value}");
    assert!((gradient - 2.0).abs() < 0.05, "{name}: the gradient's Taylor error has order {gradient}");
}

/// The largest distance from a row of B* to the nearest ± row of B.
pub fn worst_row(B: &Matrix, B_star: &Matrix) -> f64 {
    let distance = |i: usize| {
        let to = |j: usize, sign: f64| {
            let gap: Vec<f64> = B.row(j).iter().zip(B_star.row(i)).map(|(b, b_star)| sign * b - b_star).collect();
            norm(&gap)
        };
        (0..B.rows()).map(|j| to(j, 1.0).min(to(j, -1.0))).fold(f64::INFINITY, f64::min)
    };
    (0..B_star.rows()).map(distance).fold(0.0, f64::max)
}
