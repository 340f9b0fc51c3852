//! Moments, their rank and the directions in them, against definitions and closed forms.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::data::teacher::{Design, Teacher};
use shallows::linalg::{Matrix, dot, norm, orthonormal_columns};
use shallows::network::Network;
use shallows::random::{Purpose, Stream};
use shallows::recover::{Moments, Regression, SymmetricTensor, directions, feature_count, fourth_moment, rank};

fn gaussian(n: usize, d: usize, seed: u64) -> Matrix {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    Matrix::from_fn(n, d, |_, _| stream.normal())
}

fn unit_rows(m: usize, d: usize, seed: u64) -> Matrix {
    let mut stream = Stream::new(seed, Purpose::Teacher, 0);
    let mut B = Matrix::from_fn(m, d, |_, _| stream.normal());
    for i in 0..m {
        let length = norm(B.row(i));
        B.row_mut(i).iter_mut().for_each(|b| *b /= length);
    }
    B
}

/// H₄ of the definition: x_a x_b x_c x_e − the six pairs + the three pairs of pairs.
fn hermite(x: &[f64], [a, b, c, e]: [usize; 4]) -> f64 {
    let is = |i: usize, j: usize| f64::from(u8::from(i == j));
    x[a] * x[b] * x[c] * x[e]
        - x[a] * x[b] * is(c, e)
        - x[a] * x[c] * is(b, e)
        - x[a] * x[e] * is(b, c)
        - x[b] * x[c] * is(a, e)
        - x[b] * x[e] * is(a, c)
        - x[c] * x[e] * is(a, b)
        + is(a, b) * is(c, e)
        + is(a, c) * is(b, e)
        + is(a, e) * is(b, c)
}

#[test]
fn the_fourth_moment_is_the_average_of_its_definition() {
    for (n, d) in [(1, 1), (7, 2), (300, 4), (1000, 5)] {
        let X = gaussian(n, d, 1);
        let e: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin() + 0.2).collect();
        let T = fourth_moment(&X, &e);
        for a in 0..d {
            for b in 0..d {
                for c in 0..d {
                    for f in 0..d {
                        let direct = (0..n).map(|i| e[i] * hermite(X.row(i), [a, b, c, f])).sum::<f64>() / n as f64;
                        assert!((T.entry(a, b, c, f) - direct).abs() < 1e-12 * (1.0 + direct.abs()), "{n} {d}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_regression_finds_a_quadratic_polynomial_exactly() {
    let X = gaussian(400, 5, 2);
    let (c, b) = (0.7, [1.0, -2.0, 0.5, 0.0, 3.0]);
    let S = Matrix::from_fn(5, 5, |i, j| 0.1 * (i + j) as f64 - 0.3);
    // c + b·x + ½⟨S, xxᵀ − I⟩ has E y(xxᵀ − I) = S.
    let y: Vec<f64> = (0..400)
        .map(|i| {
            let x = X.row(i);
            let quadratic = dot(x, &S.times_vector(x)) - (0..5).map(|j| S[(j, j)]).sum::<f64>();
            c + dot(&b, x) + 0.5 * quadratic
        })
        .collect();
    let fit = Regression::of(&X, &y).unwrap();
    assert!((fit.constant() - c).abs() < 1e-12);
    assert!(fit.linear().iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(fit.second().as_slice().iter().zip(S.as_slice()).all(|(a, b)| (a - b).abs() < 1e-11));
    assert!(norm(&fit.residuals(&X, &y)) < 1e-10);
    assert_eq!(feature_count(5), 21);
    assert!(Regression::of(&gaussian(21, 5, 0), &y[..21]).is_err());
}

fn relu_samples(B: &Matrix, a: &[f64], n: u64, seed: u64) -> (Matrix, Vec<f64>) {
    let network = Network::new(Activation::RELU, B.clone(), a.to_vec()).unwrap();
    let data = Teacher { network, design: Design::Gaussian, noise: 0.0, seed }.sample(0..n).unwrap();
    (data.X, data.y)
}

#[test]
fn moments_of_a_relu_teacher_are_those_of_the_closed_form() {
    let (B, a) = (unit_rows(3, 4, 3), [1.0, 1.5, 2.0]);
    let sigma = Activation::RELU.hermite(5);
    let exact = SymmetricTensor::from_units(&a, &B);
    let off_by = |n: u64| {
        let (X, y) = relu_samples(&B, &a, n, 1);
        let moments = Moments::of(&X, &y).unwrap();
        assert!(moments.crossed);
        let (mut T, S) = (moments.fourth, moments.regression.second());
        T.scale(1.0 / (24.0_f64.sqrt() * sigma[4]));
        T.add_scaled(-1.0, &exact);
        let M = |i: usize, j: usize| (0..3).map(|u| a[u] * B[(u, i)] * B[(u, j)]).sum::<f64>();
        let wrong = Matrix::from_fn(4, 4, |i, j| S[(i, j)] / (2.0_f64.sqrt() * sigma[2]) - M(i, j));
        let linear: Vec<f64> = (0..4)
            .map(|j| moments.regression.linear()[j] / sigma[1] - (0..3).map(|u| a[u] * B[(u, j)]).sum::<f64>())
            .collect();
        let constant = moments.regression.constant() / sigma[0] - a.iter().sum::<f64>();
        (T.norm(), norm(wrong.as_slice()), norm(&linear), constant.abs())
    };
    let (T, M, linear, constant) = off_by(400_000);
    println!("off by {T:.4} {M:.4} {linear:.5} {constant:.5}");
    assert!(T < 0.2 && M < 0.02 && linear < 0.01 && constant < 0.01, "{T} {M} {linear} {constant}");
}

#[test]
fn crossed_residuals_leave_no_bias_in_the_fourth_moment() {
    // In-sample residuals shrink it by a constant times d²/n.
    let (B, a) = (Matrix::identity(2), [1.0, 1.0]);
    let sigma = Activation::RELU.hermite(5)[4] * 24.0_f64.sqrt();
    let n = 120;
    let (mut crossed, mut inside, mut squares) = (0.0, 0.0, 0.0);
    let trials = 3000;
    for seed in 0..trials {
        let (X, y) = relu_samples(&B, &a, n, seed);
        let moments = Moments::of(&X, &y).unwrap();
        assert!(moments.crossed);
        let value = moments.fourth.entry(0, 0, 0, 0) / sigma;
        crossed += value;
        squares += value * value;
        inside += fourth_moment(&X, &Regression::of(&X, &y).unwrap().residuals(&X, &y)).entry(0, 0, 0, 0) / sigma;
    }
    let count = trials as f64;
    let (mean, inside) = (crossed / count, inside / count);
    let error = ((squares / count - mean * mean) / count).sqrt();
    assert!((mean - 1.0).abs() < 4.0 * error, "{mean} ± {error}");
    assert!(inside < 0.9, "the bias that crossing removes is gone: {inside}");
}

#[test]
fn directions_are_exact_on_exact_moments_for_any_signs() {
    for (m, d, signs) in [(3, 3, false), (4, 6, false), (5, 5, true), (3, 7, true), (1, 2, true), (6, 6, false)] {
        let B = unit_rows(m, d, 11);
        let a: Vec<f64> =
            (0..m).map(|i| (1.0 + 0.3 * i as f64) * if signs && i % 2 == 1 { -1.0 } else { 1.0 }).collect();
        let S = Matrix::from_fn(d, d, |i, j| (0..m).map(|u| a[u] * B[(u, i)] * B[(u, j)]).sum::<f64>());
        let found = directions(&S, &SymmetricTensor::from_units(&a, &B), m).unwrap();
        for i in 0..m {
            let nearest = (0..m).map(|j| dot(B.row(i), found.row(j)).abs()).fold(0.0, f64::max);
            assert!(nearest > 1.0 - 1e-10, "{m} {d} {signs}: {nearest}");
        }
    }
    let nothing = SymmetricTensor::zeros(3);
    assert!(directions(&Matrix::zeros(3, 3), &nothing, 2).is_none());
    assert!(directions(&Matrix::identity(3), &nothing, 4).is_none());
}

#[test]
fn the_rank_test_sees_the_units_and_keeps_its_level() {
    let mut too_many = 0;
    for seed in 0..60 {
        let Q = orthonormal_columns(&gaussian(6, 6, seed));
        let B = Matrix::from_fn(3, 6, |i, j| Q[(j, i)]);
        let (X, y) = relu_samples(&B, &[1.0, 1.5, 2.0], 1500, seed);
        let fit = Regression::of(&X, &y).unwrap();
        let found = rank(&X, &y, &fit, seed).unwrap();
        assert!(found.rank >= 3, "seed {seed}: {found:?}");
        assert_eq!(found.eigenvalues.len(), 6);
        too_many += usize::from(found.rank > 3);
    }
    // At a level of 1 in 100, five or more of 60 have a probability below 4e-4.
    assert!(too_many <= 4, "{too_many} of 60");
}
