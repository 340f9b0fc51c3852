//! The global fit of quadratic networks through the front door: raw units, widths, signs, decays.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::data::{Data, Table};
use shallows::fit::{Fit, Global, Quadratic, Scores, Training};
use shallows::linalg::Matrix;
use shallows::network::{QuadraticForm, Signs};

fn public(name: &str) -> Data {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/data/{name}.csv"));
    Data::from_table(&Table::read(&path).unwrap(), None, None).unwrap()
}

fn options(decay: Option<f64>) -> Quadratic {
    Quadratic { decay, ..Quadratic::new() }
}

fn fitted(data: &Data, request: &Quadratic) -> Fit {
    request.fit(data).unwrap()
}

fn global(fit: &Fit) -> &Global {
    match &fit.training {
        Training::Global(global) => global,
        _ => panic!("not a global fit"),
    }
}

#[test]
fn the_training_error_without_decay_is_the_exact_one() {
    for (name, exact) in [("energy", 0.71630953), ("yacht", 3.9949815), ("concrete", 7.2670211)] {
        let data = public(name);
        let rmse = Scores::of(&fitted(&data, &options(Some(0.0))).network, &data).unwrap().rmse;
        assert!((rmse - exact).abs() < 0.6 * 10f64.powf(exact.log10().floor() - 7.0), "{name}: {rmse}");
    }
}

#[test]
fn pontius_has_one_negative_unit_and_the_certified_coefficients() {
    let fit = fitted(&public("pontius"), &options(Some(0.0)));
    let form = QuadraticForm::of(fit.network.only().unwrap()).unwrap();
    assert_eq!((fit.network.width(), fit.network.only().unwrap().v[0] < 0.0), (Some(1), true));
    let found = [form.intercept.unwrap(), form.linear.unwrap()[0], form.M[(0, 0)]];
    let certified = [0.673565789473684E-03, 0.732059160401003E-06, -0.316081871345029E-14];
    for (found, certified) in found.iter().zip(certified) {
        assert!((found / certified - 1.0).abs() < 1e-9, "{found:e} {certified:e}");
    }
}

#[test]
fn a_wider_network_is_padded_and_predicts_the_same() {
    let data = public("energy");
    let natural = fitted(&data, &options(Some(1e-4)));
    let wide = fitted(&data, &Quadratic { width: Some(20), ..options(Some(1e-4)) });
    assert_eq!(wide.network.width(), Some(20));
    let [a, b] = [&natural, &wide].map(|fit| fit.network.predict(&data.X).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-9));
}

#[test]
fn a_narrower_network_is_trained_and_lies_above_the_bound_of_all_widths() {
    let data = public("energy");
    let full = fitted(&data, &options(Some(1e-3)));
    let mut least = f64::INFINITY;
    for width in [1, 2, 4] {
        let narrow = fitted(&data, &Quadratic { width: Some(width), ..options(Some(1e-3)) });
        assert_eq!(narrow.network.width(), Some(width));
        assert!(narrow.objective >= global(&narrow).state.lower_bound);
        assert!(narrow.objective >= full.objective * (1.0 - 1e-9) && narrow.objective <= least * (1.0 + 1e-9));
        least = narrow.objective;
    }
}

#[test]
fn output_weights_have_the_signs_asked_for() {
    let data = public("energy");
    let objective = |signs| {
        let fit = fitted(&data, &Quadratic { signs, ..options(Some(1e-3)) });
        let wrong = |v: &f64| match signs {
            Signs::Any => false,
            Signs::Positive => *v < 0.0,
            Signs::Negative => *v > 0.0,
        };
        assert!(!fit.network.only().unwrap().v.iter().any(wrong), "{signs:?}");
        fit.objective
    };
    let any = objective(Signs::Any);
    assert!(objective(Signs::Positive) >= any && objective(Signs::Negative) >= any);
}

#[test]
fn cross_validation_finds_a_decay_that_predicts() {
    let mut teacher = Teacher::plant(Activation::SQUARE, (2, 8), &Hidden::Orthogonal, &Outputs::Ones, 5).unwrap();
    teacher.noise = 0.5;
    let (train, test) = (teacher.sample(0..80).unwrap(), teacher.sample(1000..6000).unwrap());
    let error = |options: &Quadratic| Scores::of(&fitted(&train, options).network, &test).unwrap().rmse;
    let (chosen, none) = (error(&options(None)), error(&options(Some(0.0))));
    // 80 rows and 45 coefficients: least squares is far off, a low-rank M is not.
    assert!(chosen < 0.75 && chosen < 0.8 * none, "{chosen} {none}");
    let cautious = fitted(&train, &Quadratic { one_standard_error: true, ..options(None) });
    assert!(cautious.decay >= fitted(&train, &options(None)).decay);
}

#[test]
fn fewer_rows_than_products_are_interpolated() {
    let teacher = Teacher::plant(Activation::SQUARE, (3, 12), &Hidden::Gaussian, &Outputs::Signs, 6).unwrap();
    let data = teacher.sample(0..40).unwrap();
    let rmse = Scores::of(&fitted(&data, &options(Some(0.0))).network, &data).unwrap().rmse;
    assert!(rmse < 1e-9, "{rmse:e}");
}

#[test]
fn units_are_irrelevant_up_to_powers_of_two() {
    let data = public("yacht");
    let X = Matrix::from_fn(data.n(), data.d(), |i, j| data.X[(i, j)] * [1024.0, 0.25, 1.0, 8.0, 2.0, 0.5][j]);
    let y = data.y.iter().map(|y| y * 64.0).collect();
    let other = Data::builder(X, y).names(data.names.clone()).build().unwrap();
    let [a, b] = [&data, &other].map(|data| fitted(data, &options(Some(1e-3))));
    assert!((a.objective / b.objective - 1.0).abs() < 1e-9, "{} {}", a.objective, b.objective);
}

#[test]
fn zero_labels_beyond_the_mean_and_single_inputs_do_no_harm() {
    let X = Matrix::from_rows(&[[1.0], [2.0], [3.0], [4.0]]);
    let data = Data::builder(X, vec![1.0, 4.0, 9.0, 16.5]).names(vec!["x".into()]).build().unwrap();
    for decay in [Some(0.0), Some(0.1), Some(1e9), None] {
        let fit = fitted(&data, &options(decay));
        fit.network.check().unwrap();
        assert!(fit.objective.is_finite());
    }
}

#[test]
fn labels_that_an_affine_function_interpolates_leave_nothing_to_choose() {
    for (n, d) in [(40, 40), (30, 100)] {
        let data = Teacher::plant(Activation::SQUARE, (d, 2), &Hidden::Gaussian, &Outputs::Ones, 1)
            .unwrap()
            .sample(0..n)
            .unwrap();
        let fit = fitted(&data, &options(None));
        assert!(Scores::of(&fit.network, &data).unwrap().r2.unwrap() > 1.0 - 1e-12);
    }
}
