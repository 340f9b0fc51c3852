//! The front door: what it returns takes raw inputs, and is what theory or arithmetic says it must be.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::data::{Data, Table};
use shallows::fit::{
    Automatic, Common, Descending, Effort, Fit, GivenActivation, Local, Options, Outcome, Quadratic, Request, Scores,
    Training, affine_fit,
};
use shallows::linalg::Matrix;
use shallows::network::Signs;
use shallows::optimise::Method;
use shallows::wide::LayerSet;

fn energy() -> Data {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv");
    Data::from_table(&Table::read(&path).unwrap(), None, None).unwrap()
}

fn local(activation: &str, decay: f64) -> Local {
    Local::new(activation.parse().unwrap()).decay(decay)
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
    let fit = Quadratic::new().decay(0.0).fit(&data).unwrap();
    let rmse = Scores::of(&fit.network, &data).unwrap().rmse;
    assert!((0.716_309_5..0.9).contains(&rmse), "{rmse}");
}

#[test]
fn a_planted_network_is_fitted_down_to_its_noise() {
    let mut teacher = Teacher::plant("tanh".parse().unwrap(), (3, 5), &Hidden::Gaussian, &Outputs::Ones, 1).unwrap();
    teacher.noise = 0.05;
    let (train, test) = (teacher.sample(0..1500).unwrap(), teacher.sample(5000..9000).unwrap());
    let fit = local("tanh", 1e-6).width(6).fit(&train).unwrap();
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
        let request = local(activation, 1e-3).iterations(5);
        let [a, b] = [&data, &other].map(|data| request.fit(data).unwrap().network);
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
        let request = local(activation, 1e-3).iterations(20).width(5);
        let network = request.fit(&data).unwrap().network.only().unwrap().clone();
        assert!((0..network.width()).all(|j| network.W[(j, 8)] == 0.0));
        assert_eq!(network.linear.unwrap()[8], 0.0);
    }
}

#[test]
fn the_truth_is_chosen_where_it_is_among_the_candidates() {
    let teacher = Teacher::plant(Activation::SQUARE, (3, 4), &Hidden::Gaussian, &Outputs::Signs, 3).unwrap();
    let data = teacher.sample(0..200).unwrap();
    let fit = Automatic::new().fit(&data).unwrap();
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
    let request = local("tanh", 1e-2).width(4).iterations(4);
    let [a, b] = [&weighted, &repeated].map(|data| request.fit(data).unwrap().network);
    let [fa, fb] = [a, b].map(|network| network.predict(&repeated.X).unwrap());
    let worst = fa.iter().zip(&fb).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn a_table_that_cannot_be_learned_from_is_refused() {
    let data = energy();
    assert!(Automatic::new().fit(&data.select(&[3])).is_err());
    let constant = Data { y: vec![2.0; data.n()], ..data };
    assert!(Automatic::new().fit(&constant).is_err());
}

#[test]
fn huge_and_tiny_units_do_not_overflow() {
    let data = energy();
    for scale in [1e-150, 1e150] {
        let X = Matrix::from_fn(data.n(), 8, |i, j| scale * data.X[(i, j)]);
        let y = data.y.iter().map(|y| y * scale).collect();
        let scaled = Data::builder(X, y).names(data.names.clone()).build().unwrap();
        let fit = local("tanh", 1e-3).iterations(10).width(4).fit(&scaled).unwrap();
        let r2 = Scores::of(&fit.network, &scaled).unwrap().r2.unwrap_or(f64::NAN);
        assert!(r2 > 0.9, "{scale:e}: {r2}");
    }
}

#[test]
fn newton_ends_where_the_model_overflows() {
    let X = Matrix::from_rows(&[[1.7e308, 1.0], [-1.7e308, 2.0], [-1.7e308, 3.0], [-1.7e308, 5.0]]);
    let data = Data::builder(X, vec![2.0, 3.0, 1.0, 7.0]).names(vec!["a".into(), "b".into()]).build().unwrap();
    let common = Common { scaling: false, ..Common::default() };
    Local { common, ..local("tanh", 0.0).by(Descending::Newton) }.fit(&data).unwrap();
}

#[test]
fn a_hundred_thousand_inputs_do_not_ask_for_a_width_that_no_memory_holds() {
    let (n, d) = (20, 100_000);
    let X = Matrix::from_fn(n, d, |i, j| ((i * 31 + j * 17) % 101) as f64);
    let y = (0..n).map(|i| (i * i % 7) as f64).collect();
    let data = Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap();
    let fit = local("quadratic", 0.0).iterations(1).fit(&data).unwrap();
    assert!(fit.network.width() <= Some(2 * n));
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

#[test]
fn an_option_that_does_not_apply_is_refused_by_its_name() {
    let tanh = || Some("tanh".parse().unwrap());
    let quadratic = || Some(Activation::SQUARE.into());
    let nothing = Options::default;
    for (given, name) in [
        (Options { iterations: Some(5), ..nothing() }, "the number of iterations"),
        (Options { gradient: Some(1e-3), ..nothing() }, "the gradient"),
        (Options { iterations: Some(5), activation: quadratic(), ..nothing() }, "the number of iterations"),
        (Options { effort: Some(Effort::Quick), activation: tanh(), ..nothing() }, "the effort"),
        (Options { effort: Some(Effort::Quick), activation: quadratic(), ..nothing() }, "the effort"),
        (Options { one_standard_error: true, activation: tanh(), ..nothing() }, "one standard error"),
        (Options { one_standard_error: true, activation: quadratic(), decay: Some(0.1), ..nothing() }, "one standard"),
        (Options { signs: Some(Signs::Positive), activation: tanh(), ..nothing() }, "the signs"),
        (Options { signs: Some(Signs::Any), activation: tanh(), ..nothing() }, "the signs"),
        (Options { step: Some(0.1), activation: tanh(), ..nothing() }, "the step"),
        (Options { batch: Some(3), method: Some(Method::Descent), activation: tanh(), ..nothing() }, "the batch"),
        (Options { step: Some(-1.0), method: Some(Method::Sgd), activation: tanh(), ..nothing() }, "the step"),
        (Options { sets: Some(vec![LayerSet::Ranks]), ..nothing() }, "the set of layers"),
        (Options { sets: Some(vec![LayerSet::Ranks]), activation: tanh(), ..nothing() }, "the set of layers"),
        (Options { sets: Some(vec![]), activation: Some(GivenActivation::Wide), ..nothing() }, "the set of layers"),
        (Options { width: Some(0), ..nothing() }, "the width"),
        (Options { decay: Some(f64::NAN), ..nothing() }, "the decay"),
    ] {
        let refusal = given.request().unwrap_err().to_string();
        assert!(refusal.contains(name), "{refusal}");
    }
    let descent = Options { step: Some(0.1), method: Some(Method::Descent), activation: quadratic(), ..nothing() };
    assert!(matches!(descent.request().unwrap(), Request::Local(_)));
}

/// What kind of fit came out of an automatic request that was narrowed.
fn narrowed(data: &Data, narrow: impl Fn(Automatic) -> Automatic) -> Result<Fit, String> {
    narrow(Automatic::new().effort(Effort::Quick)).fit(data).map_err(|error| error.to_string())
}

#[test]
fn a_further_option_narrows_the_candidates_of_the_automatic_fit() {
    let teacher = Teacher::plant("tanh".parse().unwrap(), (3, 3), &Hidden::Gaussian, &Outputs::Ones, 4).unwrap();
    let data = teacher.sample(0..80).unwrap();
    let without_linear = |request| Automatic { common: Common { linear: false, ..Common::default() }, ..request };
    for (fit, width) in [
        (narrowed(&data, without_linear), None),
        (narrowed(&data, |request| Automatic { width: Some(7), ..request }), Some(7)),
        (narrowed(&data, |request| Automatic { signs: Signs::Positive, ..request }), None),
        (narrowed(&data, |request| Automatic { decay: Some(0.01), ..request }), None),
    ] {
        // With quick effort the quadratic network is the only candidate with one decay, or of one width.
        let fit = fit.unwrap();
        assert!(matches!(fit.training, Training::Global(_)), "{:?}", fit.training);
        assert!(width.is_none_or(|width| fit.network.width() == Some(width)));
    }
    let by =
        |method| narrowed(&data, move |request| Automatic { method: Some(method), effort: Effort::Normal, ..request });
    let fit = by(Method::Levenberg).unwrap();
    let Training::Combined(combination) = fit.training else { panic!("not compared") };
    assert!(combination.ahead_of_affine.is_none() && combination.quadratic.is_none());
    assert_eq!(fit.network.only().unwrap().activation, "tanh".parse().unwrap());
    assert!(by(Method::Newton).unwrap_err().contains("the method"));
}

#[test]
fn an_open_decay_is_chosen_on_rows_left_out_in_turn() {
    let teacher = Teacher::plant("tanh".parse().unwrap(), (3, 3), &Hidden::Gaussian, &Outputs::Ones, 4).unwrap();
    let fit = Local::new("tanh".parse().unwrap()).width(4).iterations(30).fit(&teacher.sample(0..80).unwrap()).unwrap();
    assert_eq!(fit.tried.len(), 4);
    let least = fit.tried.iter().map(|tried| tried.rmse).fold(f64::INFINITY, f64::min);
    assert!(fit.tried.iter().any(|tried| tried.decay == fit.decay && tried.rmse == least));
}
