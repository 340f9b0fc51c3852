//! The front door: what it returns takes raw inputs, and is what theory or arithmetic says it must be.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::data::{Data, Table};
use shallows::fit::{Options, Outcome, Progress, Scores, Training, affine_fit, fit};
use shallows::linalg::Matrix;
use shallows::optimise::Method;

fn quiet(_: Progress<'_>) {}

fn energy() -> Data {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv");
    Data::from_table(&Table::read(&path).unwrap(), None, None).unwrap()
}

fn options(activation: &str, decay: f64) -> Options<'static> {
    Options { activation: Some(activation.parse().unwrap()), decay: Some(decay), ..Options::default() }
}

#[test]
fn the_affine_fit_of_energy_is_the_least_squares_one() {
    let data = energy();
    // The exact least-squares RMSE of all rows, although the columns are linearly dependent.
    let rmse = Scores::of(&affine_fit(&data).unwrap(), &data).unwrap().rmse;
    assert!((rmse - 2.9189945).abs() < 5e-8, "{rmse}");
}

#[test]
fn no_quadratic_fit_of_energy_beats_the_full_second_order_polynomial() {
    let data = energy();
    let fit = fit(&data, &options("quadratic", 0.0), &quiet).unwrap();
    let rmse = Scores::of(&fit.network, &data).unwrap().rmse;
    assert!((0.716_309_5..0.9).contains(&rmse), "{rmse}");
}

#[test]
fn a_planted_network_is_fitted_down_to_its_noise() {
    let mut teacher = Teacher::plant("tanh".parse().unwrap(), (3, 5), &Hidden::Gaussian, &Outputs::Ones, 1).unwrap();
    teacher.noise = 0.05;
    let (train, test) = (teacher.sample(0..1500).unwrap(), teacher.sample(5000..9000).unwrap());
    let fit = fit(&train, &Options { width: Some(6), ..options("tanh", 1e-6) }, &quiet).unwrap();
    let rmse = Scores::of(&fit.network, &test).unwrap().rmse;
    assert!(rmse < 0.06, "{rmse}");
}

#[test]
fn fitting_does_not_depend_on_the_units_of_the_table() {
    let teacher = Teacher::plant("tanh".parse().unwrap(), (3, 3), &Hidden::Gaussian, &Outputs::Ones, 2).unwrap();
    let data = teacher.sample(0..300).unwrap();
    // Powers of two, so that the standardised tables agree to the last bits.
    let (scale, shift) = ([1024.0, 0.125, 1.0], [64.0, -8.0, 0.0]);
    let X = Matrix::from_fn(300, 3, |i, j| scale[j] * data.X[(i, j)] + shift[j]);
    let y = data.y.iter().map(|y| 4096.0 * y - 512.0).collect();
    let other = Data::builder(X, y).names(data.names.clone()).build().unwrap();
    for activation in ["tanh", "quadratic"] {
        let options = Options { iterations: Some(5), ..options(activation, 1e-3) };
        let [a, b] = [&data, &other].map(|data| fit(data, &options, &quiet).unwrap().network);
        let [fa, fb] = [a.predict(&data.X).unwrap(), b.predict(&other.X).unwrap()];
        let worst = fa.iter().zip(&fb).map(|(a, b)| (4096.0 * a - 512.0 - b).abs() / 4096.0).fold(0.0, f64::max);
        assert!(worst < 1e-6, "{activation}: {worst:e}");
    }
}

#[test]
fn a_constant_column_gets_no_weight() {
    let data = energy();
    let X = Matrix::from_fn(data.n(), 9, |i, j| if j < 8 { data.X[(i, j)] } else { 7.0 });
    let names = data.names.iter().cloned().chain(["seven".into()]).collect();
    let data = Data::builder(X, data.y.clone()).names(names).build().unwrap();
    for activation in ["tanh", "quadratic"] {
        let options = Options { iterations: Some(20), width: Some(5), ..options(activation, 1e-3) };
        let network = fit(&data, &options, &quiet).unwrap().network.only().unwrap().clone();
        assert!((0..network.width()).all(|j| network.W[(j, 8)] == 0.0));
        assert_eq!(network.linear.unwrap()[8], 0.0);
    }
}

#[test]
fn the_truth_is_chosen_where_it_is_among_the_candidates() {
    let teacher = Teacher::plant(Activation::SQUARE, (3, 4), &Hidden::Gaussian, &Outputs::Signs, 3).unwrap();
    let data = teacher.sample(0..200).unwrap();
    let fit = fit(&data, &Options::default(), &quiet).unwrap();
    assert_eq!(fit.network.only().unwrap().activation, Activation::SQUARE);
    let Training::Combined(combination) = fit.training else { panic!("not automatic") };
    assert_eq!(combination.outcome, Outcome::Quadratic);
}

#[test]
fn sample_weights_act_like_repeated_rows() {
    let teacher = Teacher::plant("tanh".parse().unwrap(), (3, 3), &Hidden::Gaussian, &Outputs::Ones, 4).unwrap();
    let data = teacher.sample(0..60).unwrap();
    let weights: Vec<f64> = (0..60).map(|i| (i % 3) as f64).collect();
    let rows: Vec<usize> = (0..60).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let repeated = data.select(&rows);
    let weighted = Data { weights: Some(weights), ..data };
    let options = Options { width: Some(4), iterations: Some(4), ..options("tanh", 1e-2) };
    let [a, b] = [&weighted, &repeated].map(|data| fit(data, &options, &quiet).unwrap().network);
    let [fa, fb] = [a, b].map(|network| network.predict(&repeated.X).unwrap());
    let worst = fa.iter().zip(&fb).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn a_table_that_cannot_be_learned_from_is_refused() {
    let data = energy();
    assert!(fit(&data.select(&[3]), &Options::default(), &quiet).is_err());
    let constant = Data { y: vec![2.0; data.n()], ..data };
    assert!(fit(&constant, &Options::default(), &quiet).is_err());
}

#[test]
fn huge_and_tiny_units_do_not_overflow() {
    let data = energy();
    for scale in [1e-150, 1e150] {
        let X = Matrix::from_fn(data.n(), 8, |i, j| scale * data.X[(i, j)]);
        let y = data.y.iter().map(|y| y * scale).collect();
        let scaled = Data::builder(X, y).names(data.names.clone()).build().unwrap();
        let options = Options { iterations: Some(10), width: Some(4), ..options("tanh", 1e-3) };
        let fit = fit(&scaled, &options, &quiet).unwrap();
        let r2 = Scores::of(&fit.network, &scaled).unwrap().r2.unwrap_or(f64::NAN);
        assert!(r2 > 0.9, "{scale:e}: {r2}");
    }
}

#[test]
fn newton_ends_where_the_model_overflows() {
    let X = Matrix::from_rows(&[[1.7e308, 1.0], [-1.7e308, 2.0], [-1.7e308, 3.0], [-1.7e308, 5.0]]);
    let data = Data::builder(X, vec![2.0, 3.0, 1.0, 7.0]).names(vec!["a".into(), "b".into()]).build().unwrap();
    let options = Options { method: Some(Method::Newton), scaling: false, ..options("tanh", 0.0) };
    fit(&data, &options, &quiet).unwrap();
}

#[test]
fn a_hundred_thousand_inputs_do_not_ask_for_a_width_that_no_memory_holds() {
    let (n, d) = (20, 100_000);
    let X = Matrix::from_fn(n, d, |i, j| ((i * 31 + j * 17) % 101) as f64);
    let y = (0..n).map(|i| (i * i % 7) as f64).collect();
    let data = Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap();
    let fit = fit(&data, &Options { iterations: Some(1), ..options("quadratic", 0.0) }, &quiet).unwrap();
    assert!(fit.network.width() <= 2 * n);
}

#[test]
fn scores_of_huge_and_tiny_targets_are_those_of_ordinary_ones_in_other_units() {
    let X = Matrix::from_rows(&[[1.0], [2.0], [3.0]]);
    let scores = |unit: f64| {
        let y = [1.0, 2.0, 4.0].map(|y| unit * y).to_vec();
        let data = Data::builder(X.clone(), y).names(vec!["a".into()]).build().unwrap();
        Scores::of_predictions(&[1.0, 2.5, 3.0].map(|f| unit * f), &data)
    };
    let ordinary = scores(1.0);
    assert!((ordinary.rmse - (1.25_f64 / 3.0).sqrt()).abs() < 1e-15);
    for unit in [2.0_f64.powi(900), 2.0_f64.powi(-900)] {
        assert_eq!((scores(unit).rmse / unit, scores(unit).r2), (ordinary.rmse, ordinary.r2));
    }
}
