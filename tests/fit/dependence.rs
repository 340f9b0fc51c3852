//! Rows in groups and in time: no error and no interval is better than what new groups and later rows get.

use shallows::data::TargetScale;
use shallows::data::{Dependence, DependenceColumn};
use shallows::fit::{
    Automatic, Effort, Family, Local, Quadratic, Request, Scores, Training, Wide, affine_fit, cross_validate, fit,
};
use shallows::linalg::Matrix;
use shallows::model::{Calibration, Function};
use shallows::random::{Purpose, Stream};
use shallows::wide::Jackknife;
use shallows::{Data, Model, Watch};

/// Groups whose inputs tell them apart, and whose targets have nothing in common but the group.
fn grouped(groups: usize, rows: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Probe, 40);
    let (mut X, mut y, mut numbers) = (vec![], vec![], vec![]);
    for group in 0..groups {
        let place = [stream.normal(), stream.normal()];
        let effect = stream.normal();
        for _ in 0..rows {
            X.extend(place.map(|x| x + 0.01 * stream.normal()));
            y.push(effect + 0.1 * stream.normal());
            numbers.push(group);
        }
    }
    let X = Matrix::from_vec(groups * rows, 2, X);
    Data::builder(X, y).dependence(Some(Dependence::Groups(numbers))).build().unwrap()
}

fn alone(data: &Data) -> Data {
    Data { dependence: None, ..data.clone() }
}

fn run(data: &Data, request: impl Into<Request>) -> shallows::Fit {
    fit(data, &request.into(), Watch::silent()).unwrap()
}

fn error_on(fit: &shallows::Fit, fresh: &Data) -> f64 {
    Scores::of(&fit.network, fresh).unwrap().rmse
}

#[test]
fn errors_by_whole_groups_are_those_on_fresh_groups_and_errors_by_rows_are_far_too_good() {
    let (data, fresh) = (grouped(40, 6, 1), grouped(400, 1, 2));
    let request = Automatic::new().effort(Effort::Quick);
    let by_group = run(&data, request.clone());
    let Training::Combined(combination) = &by_group.training else { panic!("an automatic fit") };
    let expected = error_on(&by_group, &fresh);
    assert!((0.75..1.35).contains(&(combination.rmse / expected)), "{} {expected}", combination.rmse);
    assert_eq!(combination.folds, 5);
    // No candidate knows a row by others of its group.
    assert!(combination.contenders.len() >= 4);
    assert!(combination.contenders.iter().all(|one| one.rmse > 0.75), "{:?}", combination.contenders);
    let by_row = run(&alone(&data), request);
    let Training::Combined(combination) = &by_row.training else { panic!("an automatic fit") };
    assert!(combination.rmse < 0.4 * error_on(&by_row, &fresh), "{}", combination.rmse);
}

#[test]
fn decays_sets_and_cross_validation_leave_groups_out_whole() {
    let data = grouped(30, 6, 3);
    let least = |errors: Vec<f64>| errors.into_iter().fold(f64::INFINITY, f64::min);
    let wide = |data: &Data| match run(data, Wide::new()).training {
        Training::Wide(training) => least(training.compared.iter().map(|set| set.rmse).collect()),
        _ => panic!("a wide network"),
    };
    let local = |data: &Data| {
        let tanh = Local::new("tanh".parse().unwrap()).width(12).iterations(60);
        least(run(data, tanh).tried.iter().map(|tried| tried.rmse).collect())
    };
    assert!(wide(&data) > 0.75 && wide(&alone(&data)) < 0.4, "{} {}", wide(&data), wide(&alone(&data)));
    assert!(local(&data) > 0.75 && local(&alone(&data)) < 0.75, "{} {}", local(&data), local(&alone(&data)));
    let Training::Global(global) = run(&data, Quadratic::new()).training else { panic!("a quadratic network") };
    assert!(global.path.iter().all(|(_, rmse)| *rmse > 0.75));
    let across = |data: &Data, folds: usize| {
        cross_validate(data, folds, TargetScale::Identity, &Wide::new().into(), Watch::silent())
    };
    let mean = |scores: Vec<Scores>| scores.iter().map(|score| score.rmse).sum::<f64>() / scores.len() as f64;
    assert!(mean(across(&data, 3).unwrap()) > 0.75 && mean(across(&alone(&data), 3).unwrap()) < 0.4);
    // No more folds than groups.
    assert!(across(&grouped(4, 10, 3), 5).is_err());
}

#[test]
fn wide_networks_of_many_rows_leave_groups_out_whole_too() {
    // More rows than are compared with everything.
    let data = grouped(90, 30, 5);
    let request = Automatic::new().effort(Effort::Quick);
    let Training::Combined(combination) = run(&data, request).training else { panic!("an automatic fit") };
    assert_eq!(combination.folds, 3);
    assert!(combination.rmse_of(Family::Wide).is_none_or(|rmse| rmse > 0.7), "{:?}", combination.contenders);
    assert!(combination.rmse > 0.7, "{:?}", combination.contenders);
}

#[test]
fn the_order_of_rows_within_groups_makes_no_difference() {
    let data = grouped(12, 5, 4);
    let mut order: Vec<usize> = (0..60).collect();
    order.chunks_mut(5).for_each(|rows| rows.reverse());
    let errors = |data: &Data| {
        let Training::Combined(found) = run(data, Automatic::new().effort(Effort::Quick)).training else {
            panic!("an automatic fit")
        };
        [Family::Affine, Family::Quadratic].map(|family| found.rmse_of(family).unwrap())
    };
    let (one, other) = (errors(&data), errors(&data.select(&order)));
    // The path of decays is solved to a gap of 1e-5.
    assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-3 * a), "{one:?} {other:?}");
}

#[test]
fn intervals_of_groups_left_out_cover_new_groups_and_intervals_of_rows_left_out_do_not() {
    let coverage = |by_group: bool| {
        let (mut inside, mut all) = (0, 0);
        for seed in 0..40 {
            let (data, fresh) = (grouped(36, 5, 100 + seed), grouped(100, 1, 1000 + seed));
            let data = if by_group { data } else { alone(&data) };
            let jackknife = Jackknife::fitted(&data, seed, Watch::silent()).unwrap();
            let calibration = Calibration::Jackknife(Box::new(jackknife), None);
            assert!(calibration.is_enough_for(0.9));
            let f = Function::from(affine_fit(&data).unwrap());
            let intervals = calibration.intervals(&f, &fresh.X, 0.9).unwrap();
            inside += intervals.iter().zip(&fresh.y).filter(|((low, high), y)| (low..=high).contains(y)).count();
            all += fresh.n();
        }
        inside as f64 / all as f64
    };
    // Given its 24 groups, the coverage of a table has a deviation of about 0.06: that of the mean of 40 is about 0.01.
    let (by_group, by_row) = (coverage(true), coverage(false));
    assert!((0.87..=0.98).contains(&by_group), "{by_group}");
    assert!(by_row < 0.7, "{by_row}");
}

/// Groups that are either large and alike or small and different; no input tells.
fn uneven(groups: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Probe, 41);
    let (mut X, mut y, mut numbers) = (vec![], vec![], vec![]);
    for group in 0..groups {
        let (rows, spread) = if stream.uniform() < 0.5 { (20, 0.2) } else { (2, 3.0) };
        let effect = spread * stream.normal();
        for _ in 0..rows {
            let x = stream.normal();
            X.push(x);
            y.push(x + effect + 0.1 * stream.normal());
            numbers.push(group);
        }
    }
    let X = Matrix::from_vec(y.len(), 1, X);
    Data::builder(X, y).dependence(Some(Dependence::Groups(numbers))).build().unwrap()
}

#[test]
fn calibration_groups_of_all_sizes_cover_a_row_of_a_new_group() {
    let coverage = |by_group: bool| {
        let (mut inside, mut all) = (0, 0);
        for seed in 0..400 {
            let f = Function::from(affine_fit(&uneven(30, 3 * seed)).unwrap());
            let (scored, fresh) = (uneven(19, 3 * seed + 1), uneven(40, 3 * seed + 2));
            let scored = if by_group { scored } else { alone(&scored) };
            let calibration = Calibration::split(&f, &scored).unwrap();
            assert_eq!(calibration.guarantee(0.9), 0.9);
            let intervals = calibration.intervals(&f, &fresh.X, 0.9).unwrap();
            // One row of each new group.
            let numbers = fresh.dependence.as_ref().unwrap().numbers();
            for i in (0..fresh.n()).filter(|&i| i == 0 || numbers[i] != numbers[i - 1]) {
                inside += usize::from(intervals[i].0 <= fresh.y[i] && fresh.y[i] <= intervals[i].1);
                all += 1;
            }
        }
        inside as f64 / all as f64
    };
    // Given 19 groups the coverage has a deviation of about 0.07: that of the mean of 400 tables is 0.0035.
    let (by_group, by_row) = (coverage(true), coverage(false));
    assert!((0.89..=0.96).contains(&by_group), "{by_group}");
    assert!(by_row < 0.8, "{by_row}");
}

/// A walk in time that only its past can tell.
fn walk(n: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Probe, 42);
    let mut place = 0.0;
    let X = Matrix::from_fn(n, 1, |i, _| i as f64);
    let mut step = || {
        place += stream.normal();
        place
    };
    let y = (0..n).map(|_| step()).collect();
    Data::builder(X, y).dependence(Some(Dependence::Times((0..n).collect()))).build().unwrap()
}

#[test]
fn errors_in_time_are_those_of_the_future_and_nothing_is_proved_of_its_intervals() {
    let data = walk(240, 7);
    let request = Automatic::new().effort(Effort::Quick);
    let forward = run(&data, request.clone());
    let rmse = |fit: &shallows::Fit| match &fit.training {
        Training::Combined(combination) => combination.rmse,
        _ => panic!("an automatic fit"),
    };
    let by_row = run(&alone(&data), request);
    assert!(rmse(&forward) > 2.0 * rmse(&by_row), "{} {}", rmse(&forward), rmse(&by_row));
    let calibration = forward.calibration.as_ref().unwrap();
    assert!(matches!(calibration, Calibration::Forward(_)));
    assert_eq!(calibration.guarantee(0.9), 0.0);
    let column = DependenceColumn::Time("day".into());
    assert!(calibration.statement(0.9, Some(&column)).contains("nothing is proved"));
    let width = |fit: &shallows::Fit| {
        let calibration = fit.calibration.as_ref().unwrap();
        let (low, high) = calibration.intervals(&fit.network, &Matrix::from_rows(&[[245.0]]), 0.8).unwrap()[0];
        high - low
    };
    assert!(width(&forward) > width(&by_row), "{} {}", width(&forward), width(&by_row));
}

#[test]
fn models_with_calibrations_by_group_and_in_time_come_back_bit_for_bit() {
    let (groups, times) = (grouped(12, 4, 8), walk(60, 8));
    let of = |data: &Data, calibration, dependence| {
        let network = affine_fit(data).unwrap();
        let mut model = Model::new(network, data.names.clone(), "y".into(), 0).unwrap();
        (model.calibration, model.dependence) = (Some(calibration), Some(dependence));
        model
    };
    let patient = || DependenceColumn::Group("patient".into());
    let f = |data: &Data| Function::from(affine_fit(data).unwrap());
    let jackknife = Jackknife::fitted(&groups, 0, Watch::silent()).unwrap();
    let forward = run(&times, Wide::new()).calibration.unwrap();
    let models = [
        of(&groups, Calibration::Jackknife(Box::new(jackknife), None), patient()),
        of(&groups, Calibration::split(&f(&groups), &groups).unwrap(), patient()),
        of(&times, Calibration::split(&f(&times), &times).unwrap(), DependenceColumn::Time("day".into())),
        of(&times, forward, DependenceColumn::Time("day".into())),
    ];
    for model in models {
        let bytes = model.to_bytes().unwrap();
        assert_eq!(Model::from_bytes(&bytes).unwrap(), model);
        let X = Matrix::from_fn(3, model.network.inputs(), |i, j| (i + j) as f64);
        assert_eq!(Model::from_bytes(&bytes).unwrap().intervals(&X, 0.5).unwrap(), model.intervals(&X, 0.5).unwrap());
        let statement = model.interval_statement(0.9).unwrap();
        let grouped = matches!(model.dependence, Some(DependenceColumn::Group(_)));
        assert_eq!(statement.contains("new \"patient\""), grouped, "{statement}");
        for length in (0..bytes.len()).step_by(97) {
            assert!(Model::from_bytes(&bytes[..length]).is_err());
        }
    }
}

#[test]
fn groups_of_a_model_file_that_make_no_sense_are_refused() {
    let data = grouped(12, 4, 8);
    let jackknife = Jackknife::fitted(&data, 0, Watch::silent()).unwrap();
    let count = jackknife.scored.len();
    for groups in
        [vec![], vec![0; count - 1], vec![1; count], vec![usize::MAX; count], (0..count).map(|i| 2 * i).collect()]
    {
        let broken = Jackknife::of_groups(jackknife.network.clone(), jackknife.scored.clone(), groups);
        assert!(!broken.is_sound());
    }
    assert!(jackknife.is_sound());
}
