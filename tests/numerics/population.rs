//! The population risk against exact vectors, Taylor's theorem and a million samples.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::references::{matrix, vector, vectors};
use crate::support::{assert_close, normal_matrix};
use shallows::activation::Activation;
use shallows::data::teacher::{Design, Hidden, Outputs, Teacher};
use shallows::linalg::{Matrix, dot, norm};
use shallows::network::{Network, QuadraticForm};
use shallows::risk::Objective;
use shallows::risk::population::{
    PopulationRisk, along_line, hermite_population_risk, population_risk, relu_population_risk,
};

fn squares(W: Matrix, v: Vec<f64>) -> Network {
    Network::new(Activation::SQUARE, W, v).unwrap()
}

fn ones(k: usize) -> Vec<f64> {
    vec![1.0; k]
}

#[test]
fn the_quadratic_risk_and_its_derivatives_agree_with_the_exact_vectors() {
    let json = &vectors()["quad_population"];
    let (W, W_star, U) = (matrix(&json["W"]), matrix(&json["Wstar"]), matrix(&json["U"]));
    let risk = PopulationRisk::of_teacher(&squares(W_star.clone(), ones(5)), ones(5)).unwrap();
    let (mut gradient, mut product) = (vec![0.0; 15], vec![0.0; 15]);
    let value = risk.gradient(W.as_slice(), &mut gradient);
    risk.hessian_product(W.as_slice(), U.as_slice(), &mut product);
    assert_close(&[value.objective], &[json["loss_half"].as_f64().unwrap()], 1e-13);
    assert_close(&gradient, matrix(&json["grad_half"]).as_slice(), 1e-13);
    assert_close(&product, matrix(&json["hvp_half"]).as_slice(), 1e-13);
    let same = population_risk(&squares(W, ones(5)), &squares(W_star, ones(5))).unwrap();
    assert_close(&[same], &[value.objective], 1e-14);
}

#[test]
fn an_affine_activation_and_different_widths_agree_with_the_exact_vector() {
    let json = &vectors()["quad_population_affine"];
    let number = |name: &str| json[name].as_f64().unwrap();
    let activation = Activation::quadratic(number("alpha"), number("beta"), number("gamma")).unwrap();
    let network = |W: Matrix| Network::new(activation.clone(), W.clone(), ones(W.rows())).unwrap();
    let found = population_risk(&network(matrix(&json["W"])), &network(matrix(&json["Wstar"]))).unwrap();
    assert_close(&[found], &[number("loss_half")], 1e-13);
}

#[test]
fn relu_agrees_with_the_exact_vector() {
    let json = &vectors()["relu_population_risk"];
    let relu: Activation = "relu".parse().unwrap();
    let network = |W: &str, a: &str| Network::new(relu.clone(), matrix(&json[W]), vector(&json[a])).unwrap();
    let found = relu_population_risk(&network("student_W", "student_a"), &network("teacher_W", "teacher_a")).unwrap();
    assert_close(&[found.value], &[json["risk_half"].as_f64().unwrap()], 1e-13);
    assert_close(found.gradient_W.as_slice(), matrix(&json["grad_student_W"]).as_slice(), 1e-13);
    assert_close(&found.gradient_v, &vector(&json["grad_student_a"]), 1e-13);
}

#[test]
fn a_relu_network_has_no_risk_against_itself_and_none_of_its_slopes() {
    let relu: Activation = "relu".parse().unwrap();
    let mut W = normal_matrix(61, 4, 3, 1);
    W.row_mut(2).fill(0.0);
    let network = Network::new(relu, W, vec![1.0, -2.0, 3.0, 0.5]).unwrap();
    let found = relu_population_risk(&network, &network).unwrap();
    assert!(found.value.abs() < 1e-14 && norm(found.gradient_W.as_slice()) < 1e-14, "{found:?}");
}

/// E over teachers with standard normal weights of twice the risk of √γ·[I; 0].
#[test]
fn scaled_identities_have_the_risks_that_the_formulas_say() {
    let json = &vectors()["init_gamma"];
    let (m, d, trials) = (60, 5, 4000);
    let mut sums = [[0.0; 2]; 3];
    for trial in 0..trials {
        let W_star = normal_matrix(61, m, d, 1000 + trial);
        let trace = dot(W_star.as_slice(), W_star.as_slice());
        let risk = PopulationRisk::of_teacher(&squares(W_star, ones(m)), ones(m)).unwrap();
        for (sum, gamma) in sums.iter_mut().zip([m as f64, (m + 4 * d) as f64, trace / d as f64]) {
            let W = Matrix::from_fn(m, d, |i, j| if i == j { gamma.sqrt() } else { 0.0 });
            let twice = 2.0 * risk.value(W.as_slice()).objective;
            *sum = [sum[0] + twice, sum[1] + twice * twice];
        }
    }
    let names = ["E_loss_paper000_gamma_m", "E_loss_paper000_gamma_m_plus_4d", "E_loss_paper000_gamma_trace_over_d"];
    for ([sum, squares], name) in sums.into_iter().zip(names) {
        let mean = sum / trials as f64;
        let error = ((squares / trials as f64 - mean * mean) / trials as f64).sqrt();
        let expected = json[name].as_f64().unwrap();
        assert!((mean - expected).abs() < 5.0 * error, "{name}: {mean} ± {error}, not {expected}");
    }
}

fn signed(index: u64) -> (PopulationRisk, Vec<f64>, Vec<f64>) {
    let B = normal_matrix(61, 4, 4, index);
    let M_star = Matrix::from_fn(4, 4, |i, j| B[(i, j)] + B[(j, i)]);
    let risk = PopulationRisk::new(M_star, vec![1.0, -0.7, 2.0, -1.0, 0.3]).unwrap();
    (risk, normal_matrix(61, 5, 4, index + 1).into_vec(), normal_matrix(61, 5, 4, index + 2).into_vec())
}

#[test]
fn gradient_and_hessian_have_the_slopes_of_taylor_for_any_signs() {
    for index in [10, 20, 30] {
        let (risk, W, U) = signed(index);
        let mut gradient = vec![0.0; 20];
        let value = risk.gradient(&W, &mut gradient).objective;
        let mut product = vec![0.0; 20];
        risk.hessian_product(&W, &U, &mut product);
        let at = |t: f64| -> Vec<f64> { W.iter().zip(&U).map(|(w, u)| w + t * u).collect() };
        let error = |t: f64| {
            let taylor = value + t * dot(&gradient, &U) + 0.5 * t * t * dot(&product, &U);
            (risk.value(&at(t)).objective - taylor).abs()
        };
        let slope = (error(1e-2) / error(1e-3)).log10();
        assert!((2.9..3.1).contains(&slope), "{slope}");
        let moved = |t: f64| -> Vec<f64> {
            let mut there = vec![0.0; 20];
            risk.gradient(&at(t), &mut there);
            (0..20).map(|i| there[i] - gradient[i] - t * product[i]).collect()
        };
        let slope = (norm(&moved(1e-2)) / norm(&moved(1e-3))).log10();
        assert!((1.9..2.1).contains(&slope), "{slope}");
        let quartic = along_line(&risk, &W, &U);
        for t in [-1.5, 0.3, 2.0_f64] {
            let polynomial = quartic.iter().rev().fold(0.0, |sum, c| sum * t + c);
            assert_close(&[polynomial], &[risk.value(&at(t)).objective], 1e-12);
        }
    }
}

/// Mean and standard error of ½r² over a million Gaussian inputs.
fn sampled(student: &Network, teacher: &Network) -> (f64, f64) {
    let source = Teacher { network: teacher.clone(), design: Design::Gaussian, noise: 0.0, seed: 9 };
    let (mut sum, mut squares, n) = (0.0, 0.0, 1_000_000_u64);
    for start in (0..n).step_by(50_000) {
        let data = source.sample(start..start + 50_000).unwrap();
        for (f, y) in student.predict(&data.X).unwrap().iter().zip(&data.y) {
            let half = 0.5 * (f - y) * (f - y);
            sum += half;
            squares += half * half;
        }
    }
    let mean = sum / n as f64;
    (mean, ((squares / n as f64 - mean * mean) / n as f64).sqrt())
}

#[test]
fn population_risk_agrees_with_a_million_samples() {
    let unit = |k: usize, d: usize, index: u64| {
        let W = normal_matrix(61, k, d, index);
        Matrix::from_fn(k, d, |i, j| W[(i, j)] / norm(W.row(i)))
    };
    let parse = |name: &str| name.parse::<Activation>().unwrap();
    let network = |a: &Activation, W: Matrix, v: &[f64]| Network::new(a.clone(), W, v.to_vec()).unwrap();
    let (v, v_star) = ([1.0, -0.5, 0.8], [0.6, 1.2]);
    let mut pairs = vec![];
    for activation in [Activation::SQUARE, Activation::quadratic(0.7, -1.3, 0.4).unwrap(), parse("relu")] {
        let (a, b) = (
            network(&activation, normal_matrix(61, 3, 4, 41), &v),
            network(&activation, normal_matrix(61, 2, 4, 42), &v_star),
        );
        let risk = population_risk(&a, &b).unwrap();
        pairs.push((a, b, risk));
    }
    let series = Activation::hermite_series(vec![0.3, -0.2, 0.9, 0.5, -0.4]).unwrap();
    let (a, b) = (network(&parse("tanh"), unit(3, 4, 43), &v), network(&series, unit(2, 4, 44), &v_star));
    let risk = hermite_population_risk(&a, &b, 40).unwrap();
    pairs.push((a, b, risk));
    for (student, teacher, risk) in pairs {
        let (mean, error) = sampled(&student, &teacher);
        assert!((mean - risk).abs() < 5.0 * error, "{}: {mean} ± {error}, not {risk}", student.activation);
    }
}

#[test]
fn the_hermite_sum_of_relu_grows_to_the_closed_form_and_that_of_squares_is_exact() {
    let unit = |k: usize, index: u64| {
        let W = normal_matrix(61, k, 3, index);
        Matrix::from_fn(k, 3, |i, j| W[(i, j)] / norm(W.row(i)))
    };
    let relu: Activation = "relu".parse().unwrap();
    let pair = |a: &Activation| {
        let network = |W: Matrix, v: Vec<f64>| Network::new(a.clone(), W, v).unwrap();
        (network(unit(2, 51), vec![1.0, 0.4]), network(unit(3, 52), vec![0.2, -0.3, 0.9]))
    };
    let (a, b) = pair(&relu);
    let closed = population_risk(&a, &b).unwrap();
    let sums = [3, 10, 100].map(|count| hermite_population_risk(&a, &b, count).unwrap());
    assert!(sums[0] < sums[1] && sums[1] < sums[2] && sums[2] < closed + 1e-13, "{sums:?} {closed}");
    assert!(closed - sums[2] < 1e-3 * closed, "{sums:?} {closed}");
    let (a, b) = pair(&Activation::SQUARE);
    assert_close(&[hermite_population_risk(&a, &b, 3).unwrap()], &[population_risk(&a, &b).unwrap()], 1e-13);
    assert!(hermite_population_risk(&squares(normal_matrix(61, 2, 3, 1), ones(2)), &b, 3).is_err());
}

#[test]
fn what_has_no_closed_form_is_refused() {
    let relu: Activation = "relu".parse().unwrap();
    let W = normal_matrix(61, 2, 3, 5);
    let network = |a: &Activation| Network::new(a.clone(), W.clone(), ones(2)).unwrap();
    assert!(population_risk(&network(&relu), &network(&Activation::SQUARE)).is_err());
    let mut shifted = network(&relu);
    shifted.intercept = Some(1.0);
    assert!(population_risk(&shifted, &network(&relu)).is_err());
    let mut biased = network(&Activation::SQUARE);
    biased.bias = Some(vec![0.0, 0.1]);
    assert!(population_risk(&biased, &network(&Activation::SQUARE)).is_err());
    assert!(population_risk(&squares(normal_matrix(61, 2, 4, 5), ones(2)), &network(&Activation::SQUARE)).is_err());
    assert!(PopulationRisk::new(Matrix::from_rows(&[[f64::NAN]]), ones(1)).is_err());
    let mut affine = network(&Activation::SQUARE);
    affine.intercept = Some(1.0);
    assert!(PopulationRisk::of_teacher(&affine, ones(2)).is_err());
}

#[test]
fn a_gradient_with_a_thousand_inputs_is_the_slope_of_the_risk() {
    let (m, d) = (2000, 1000);
    let teacher = Teacher::plant(Activation::SQUARE, (m, d), &Hidden::Gaussian, &Outputs::Ones, 1).unwrap();
    let M = QuadraticForm::of(&teacher.network).unwrap().M;
    let risk = PopulationRisk::new(M, ones(m)).unwrap();
    let (theta, direction) = (normal_matrix(61, m, d, 3).into_vec(), normal_matrix(61, m, d, 4).into_vec());
    let mut gradient = vec![0.0; theta.len()];
    risk.gradient(&theta, &mut gradient);
    let slope: f64 = gradient.iter().zip(&direction).map(|(g, u)| g * u).sum();
    let at = |t: f64| {
        let moved: Vec<f64> = theta.iter().zip(&direction).map(|(w, u)| w + t * u).collect();
        risk.value(&moved).objective
    };
    let h = 1e-4;
    let difference = (at(h) - at(-h)) / (2.0 * h);
    assert!((difference / slope - 1.0).abs() < 1e-5, "{difference} {slope}");
}
