//! The automatic fit: what it must choose, that it does not overfit, that it keeps its time, and its intervals.

#![allow(non_snake_case, clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use shallows::certificate::{Source, Verdict};

use shallows::activation::Activation;
use shallows::data::Data;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::fit::{
    Automatic, Combination, Contender, Effort, Family, Fit, Outcome, Preference, Quadratic, Scores, Training,
    affine_fit, fit,
};
use shallows::linalg::Matrix;
use shallows::model::{Calibration, IntervalDoubt};
use shallows::network::NetworkSum;
use shallows::random::{Purpose, Stream};
use shallows::watch::Watch;

fn quick(seed: u64) -> Automatic {
    Automatic::new().effort(Effort::Quick).seed(seed)
}

fn automatic(data: &Data, request: &Automatic) -> Fit {
    request.fit(data).unwrap()
}

fn watched(data: &Data, watch: Watch<'_>) -> Fit {
    fit(data, &Automatic::new().into(), watch).unwrap()
}

fn combination(fit: &Fit) -> &Combination {
    match &fit.training {
        Training::Combined(combination) => combination,
        _ => panic!("not an automatic fit"),
    }
}

/// y = f(x) + noise with Gaussian x.
fn sample(n: usize, d: usize, noise: f64, seed: u64, f: impl Fn(&[f64]) -> f64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Inputs, 77);
    let X = Matrix::from_fn(n, d, |_, _| stream.normal());
    let y = (0..n).map(|i| f(X.row(i)) + noise * stream.normal()).collect();
    Data::builder(X, y).names((0..d).map(|j| format!("x{j}")).collect()).build().unwrap()
}

#[test]
fn a_quadratic_truth_is_on_average_predicted_as_well_as_by_the_quadratic_network() {
    const SEEDS: u64 = 6;
    let mut ratios = 0.0;
    for seed in 0..SEEDS {
        let mut teacher = Teacher::plant(Activation::SQUARE, (5, 4), &Hidden::Gaussian, &Outputs::Signs, seed).unwrap();
        teacher.noise = 0.5;
        let fit = automatic(&teacher.sample(0..400).unwrap(), &quick(seed));
        let (found, fresh) = (combination(&fit), teacher.sample(400..2400).unwrap());
        let quadratic = &found.quadratic.as_ref().unwrap().network;
        let ours = Scores::of(&fit.network, &fresh).unwrap().rmse;
        let theirs = Scores::of(quadratic, &fresh).unwrap().rmse;
        // Now and then another network is ahead by chance, and then by little.
        assert!(ours <= 1.05 * theirs, "seed {seed}: {ours} against {theirs}, {:?}", found.contenders);
        assert!(found.outcome != Outcome::Quadratic || fit.network.only() == Some(quadratic));
        ratios += ours / theirs;
    }
    assert!(ratios <= 1.02 * SEEDS as f64, "{ratios}");
}

#[test]
fn an_affine_truth_with_few_rows_and_many_columns_is_not_overfitted() {
    let truth = |x: &[f64]| 3.0 * x[0] - 2.0 * x[1] + x[2];
    for (n, d) in [(30, 20), (50, 40), (60, 100)] {
        // With so few rows a single draw says little.
        let (mut ours, mut affine) = (0.0, 0.0);
        for seed in 0..8 {
            let (train, test) = (sample(n, d, 0.5, seed, truth), sample(1000, d, 0.5, seed + 100, truth));
            ours += Scores::of(&automatic(&train, &quick(seed)).network, &test).unwrap().rmse;
            affine += Scores::of(&affine_fit(&train).unwrap(), &test).unwrap().rmse;
        }
        assert!(ours <= 1.05 * affine, "n={n} d={d}: {ours} against {affine}");
    }
}

#[test]
fn a_rough_truth_is_fitted_better_than_any_simple_model_does() {
    let truth = |x: &[f64]| (2.0 * x[0]).sin() * x[1].abs();
    let (train, test) = (sample(400, 3, 0.05, 1, truth), sample(2000, 3, 0.05, 2, truth));
    let fit = automatic(&train, &quick(0));
    assert_eq!(combination(&fit).outcome, Outcome::Wide);
    let ours = Scores::of(&fit.network, &test).unwrap().rmse;
    let quadratic = Scores::of(&combination(&fit).quadratic.as_ref().unwrap().network, &test).unwrap().rmse;
    assert!(ours < 0.4 * quadratic, "{ours} against {quadratic}");
}

#[test]
fn the_same_seed_gives_the_same_bits_on_one_and_on_three_threads() {
    let data = sample(120, 3, 0.1, 3, |x| x[0].tanh() + x[1] * x[1]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| automatic(&data, &quick(5)))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.network, three.network);
    assert_eq!(one.calibration, three.calibration);
    // All rows have taught the network; the rows of the intervals are drawn.
    assert_ne!(one.calibration, automatic(&data, &quick(6)).calibration);
}

#[test]
fn rows_without_weight_are_not_there() {
    let data = sample(90, 2, 0.1, 4, |x| x[0].sin() + x[1]);
    let zeros: Vec<f64> = (0..90).map(|i| f64::from(i % 3 != 0)).collect();
    let rows: Vec<usize> = (0..90).filter(|i| i % 3 != 0).collect();
    let (weighted, selected) = (Data { weights: Some(zeros), ..data.clone() }, data.select(&rows));
    let [a, b] = [&weighted, &selected].map(|data| automatic(data, &quick(1)).network.predict(&selected.X).unwrap());
    let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst:e}");
}

#[test]
fn few_rows_constant_columns_and_binary_targets_do_no_harm() {
    for n in [12, 19, 25, 41] {
        let mut data = sample(n, 3, 0.1, 5, |x| x[0]);
        (0..n).for_each(|i| data.X[(i, 2)] = 4.0);
        let f = automatic(&data, &quick(0)).network.predict(&data.X).unwrap();
        assert!(f.iter().all(|f| f.is_finite()));
        data.y = (0..n).map(|i| f64::from(i == 0)).collect();
        let f = automatic(&data, &quick(0)).network.predict(&data.X).unwrap();
        assert!(f.iter().all(|f| f.is_finite()));
    }
}

#[test]
fn a_handful_of_rows_gets_an_affine_function_or_better() {
    for n in 2..12 {
        let data = sample(n, 2, 0.0, 4, |x| 3.0 * x[0] + 1.0);
        let fit = automatic(&data, &quick(0));
        let found = combination(&fit);
        assert!(n >= 6 || found.outcome == Outcome::Affine, "{n} rows: {:?}", found.outcome);
        assert!(found.contenders.iter().all(|one| one.family != Family::Committee), "{n} rows");
        let affine = found.rmse_of(Family::Affine).unwrap();
        assert!(found.rmse <= affine && found.rmse.is_finite(), "{n} rows: {} against {affine}", found.rmse);
        assert!(n < 5 || found.rmse < 1e-4, "{n} rows on a line: {}", found.rmse);
    }
}

#[test]
fn words_of_one_column_alone_are_fitted() {
    // The words of one column exclude each other, so that all their products are affine functions.
    for levels in [3, 18, 40] {
        let X = Matrix::from_fn(6 * levels, levels - 1, |i, j| f64::from(i % levels == j + 1));
        let mut stream = Stream::new(3, Purpose::Inputs, 79);
        let y = (0..X.rows()).map(|i| ((i % levels) as f64).sin() + 0.1 * stream.normal()).collect();
        let data = Data::builder(X, y).build().unwrap();
        let fit = automatic(&data, &quick(0));
        assert!(combination(&fit).rmse_of(Family::Quadratic).is_some(), "{levels} words");
        assert!(Scores::of(&fit.network, &data).unwrap().rmse < 0.3, "{levels} words");
    }
}

#[test]
fn numbers_at_the_ends_of_the_doubles_are_refused_in_one_line() {
    let whole = sample(40, 2, 0.1, 3, |x| x[0]);
    for (size, end) in [(1e150, "is too large for a fit"), (1e-150, "too little for a fit")] {
        let mut target = whole.clone();
        target.y.iter_mut().for_each(|y| *y *= size);
        let mut input = whole.clone();
        (0..40).for_each(|i| input.X[(i, 1)] *= size);
        for (data, column) in [(target, "\"y\""), (input, "\"x1\"")] {
            let error = quick(0).fit(&data).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(end) && message.contains(column) && !message.contains('\n'), "{message}");
            assert!(error.hint().is_some());
        }
    }
    // A hundred powers of ten below that nothing is lost.
    let mut large = whole;
    large.y.iter_mut().for_each(|y| *y *= 1e120);
    assert!(combination(&automatic(&large, &quick(0))).rmse < 1e120);
}

#[test]
fn an_affine_truth_in_units_far_apart_is_found_exactly() {
    // The first input has nearly all of the variance and nothing to do with the target.
    let mut data = sample(80, 5, 0.0, 3, |x| x[1] - 2.0 * x[2] + x[3] + 0.3 * x[4]);
    (0..80).for_each(|i| data.X[(i, 2)] = data.X[(i, 1)] + 1e-3 * data.X[(i, 2)]);
    data.y = (0..80).map(|i| data.X[(i, 2)] - data.X[(i, 1)] + 1e-3 * data.X[(i, 3)]).collect();
    let fit = automatic(&data, &quick(0));
    let found = combination(&fit);
    assert!(matches!(found.outcome, Outcome::Affine | Outcome::Quadratic), "{:?}", found.contenders);
    let spread = (data.y.iter().map(|y| y * y).sum::<f64>() / 80.0).sqrt();
    let affine = found.rmse_of(Family::Affine).unwrap();
    assert!(affine < 1e-4 * spread, "{affine} of {spread}");
}

#[test]
fn the_single_model_that_is_taken_is_the_best_unless_a_simpler_one_is_as_good_as_the_combination() {
    for seed in 0..12 {
        let noise = [0.05, 0.5][seed as usize % 2];
        let data = sample(90, 3, noise, seed, |x| x[0] * x[1] + x[2].abs() + 0.3 * x[0]);
        let fit = automatic(&data, &quick(seed));
        let found = combination(&fit);
        if found.outcome == Outcome::Wide {
            let others = [Family::Affine, Family::Quadratic].map(|family| found.rmse_of(family));
            assert!(others.into_iter().flatten().all(|other| found.rmse <= other), "seed {seed}: {found:?}");
        }
    }
}

/// A table whose target is an exact step function of a code, with other columns beside it.
fn steps_of_a_code(n: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Inputs, 78);
    let code = |i: usize| (i * 72 / n) as f64;
    let X = Matrix::from_fn(n, 4, |i, j| match j {
        0 => 4600.0 + 7.0 * code(i),
        1 => (i % 12) as f64,
        2 => 25.0 + 6.0 * (i % 12) as f64 + 5.0 * stream.normal(),
        _ => 10.0 * (i % 12) as f64 + stream.normal(),
    });
    let y = (0..n).map(|i| [1.0, 4.0, 2.0, 6.0, 3.0, 5.0][code(i) as usize / 12]).collect();
    Data::builder(X, y).build().unwrap()
}

#[test]
fn a_saved_network_is_as_good_on_its_own_rows_as_it_was_out_of_fold() {
    let data = steps_of_a_code(360, 0);
    let fit = automatic(&data, &quick(0));
    let (trained, compared) = (Scores::of(&fit.network, &data).unwrap().rmse, combination(&fit).rmse);
    assert!(trained <= 1.5 * compared, "{trained} on its own rows, {compared} out of fold");
    let affine = Scores::of(&affine_fit(&data).unwrap(), &data).unwrap().rmse;
    assert!(trained < affine, "{trained} against {affine}");
}

#[test]
fn one_row_that_dominates_the_squares_does_not_keep_the_affine_model() {
    let data = sample(150, 3, 0.05, 9, |x| (3.0 * x[0]).exp() + x[1]);
    let fit = automatic(&data, &quick(0));
    let found = combination(&fit);
    assert_ne!(found.outcome, Outcome::Affine, "{:?}", found.contenders);
}

#[test]
fn the_error_told_is_that_of_what_was_chosen() {
    for noise in [3.0, 0.05] {
        let fit = automatic(&sample(150, 3, noise, 2, |x| x[0] + x[1] * x[2]), &quick(0));
        let found = combination(&fit);
        let family = match found.outcome {
            Outcome::Affine => Family::Affine,
            Outcome::Quadratic => Family::Quadratic,
            Outcome::Wide => Family::Wide,
            Outcome::Combined => Family::Combination,
        };
        let told = |contender: &&Contender| contender.family == family && contender.rmse == found.rmse;
        assert!(
            found.contenders.iter().any(|contender| told(&contender)),
            "{:?} {:?}",
            found.outcome,
            found.contenders
        );
        assert!(found.rmse_of(Family::Combination).is_some());
    }
}

#[test]
fn a_budget_never_saves_an_affine_function_under_the_name_of_a_quadratic_network() {
    let data = sample(506, 12, 0.5, 8, |x| x[0] * x[1] - x[2] * x[3] + 0.5 * x[4] * x[5] + x[6]);
    for milliseconds in [100, 300, 700, 1000, 2000] {
        let fit = watched(&data, Watch::silent().until(Instant::now() + Duration::from_millis(milliseconds)));
        let found = combination(&fit);
        if found.outcome == Outcome::Quadratic {
            let trained = Scores::of(&fit.network, &data).unwrap().rmse;
            assert!(fit.network.width() > Some(0) && trained < 1.2 * found.rmse, "{milliseconds} ms: {trained}");
            let record = fit.certified(&data, &Source::default(), 1e-6).unwrap();
            assert!(record.is_none_or(|record| record.verdict() != Verdict::Fails), "{milliseconds} ms");
        }
    }
}

#[test]
fn an_interruption_at_any_moment_saves_nothing_that_is_worse_than_the_affine_model() {
    let truth = |x: &[f64]| x[0] * x[1] - x[2] * x[3] + 0.5 * x[4] * x[5] + x[6];
    let (data, fresh) = (sample(400, 12, 0.5, 8, truth), sample(2000, 12, 0.5, 9, truth));
    let affine = Scores::of(&affine_fit(&data).unwrap(), &fresh).unwrap().rmse;
    for moment in [0, 1, 3, 6, 10, 15, 25, 60] {
        let (flag, reports) = (AtomicBool::new(moment == 0), AtomicUsize::new(0));
        let stop = |_| flag.store(reports.fetch_add(1, Ordering::Relaxed) + 1 >= moment, Ordering::Relaxed);
        let fit = fit(&data, &quick(0).into(), Watch::silent().reporting(&stop).interruptible(&flag)).unwrap();
        let (found, ours) = (combination(&fit), Scores::of(&fit.network, &fresh).unwrap().rmse);
        assert!(ours <= 1.05 * affine, "report {moment}: {ours} against {affine}, {:?}", found.contenders);
        let record = fit.certified(&data, &Source::default(), 1e-6).unwrap();
        assert!(record.is_none_or(|record| record.verdict() != Verdict::Fails), "report {moment}");
        assert!(found.outcome != Outcome::Quadratic || fit.network.width() > Some(0), "report {moment}");
    }
}

#[test]
fn an_interrupted_quadratic_network_says_so_and_claims_nothing() {
    // So many products that the solver makes passes over the data.
    let data = sample(150, 40, 0.1, 3, |x| x[0] * x[1] + x[2]);
    let reports = AtomicUsize::new(0);
    let flag = AtomicBool::new(false);
    let stop = |_| flag.store(reports.fetch_add(1, Ordering::Relaxed) > 1, Ordering::Relaxed);
    let watch = Watch::silent().reporting(&stop).interruptible(&flag);
    let request = Quadratic::new().decay(1e-3);
    let fit = fit(&data, &request.into(), watch).unwrap();
    assert!(fit.partial && fit.certified(&data, &Source::default(), 1e-6).unwrap().is_none());
    let affine = Scores::of(&affine_fit(&data).unwrap(), &data).unwrap().rmse;
    assert!(Scores::of(&fit.network, &data).unwrap().rmse <= affine);
}

#[test]
fn what_is_preferred_is_taken() {
    // Nothing is clearly ahead of an affine function here.
    let data = sample(150, 3, 1.0, 2, |x| x[0] - x[1]);
    let fitted = |prefer| automatic(&data, &Automatic { prefer, ..quick(0) });
    let [balanced, accurate, proved] = [Preference::Balanced, Preference::Accuracy, Preference::Proof].map(fitted);
    assert_eq!(combination(&balanced).outcome, Outcome::Affine);
    let found = combination(&accurate);
    assert!(found.contenders.iter().all(|contender| found.rmse <= contender.rmse), "{found:?}");
    let found = combination(&proved);
    assert!(matches!(found.outcome, Outcome::Quadratic | Outcome::Wide), "{found:?}");
    let networks = found.contenders.iter().filter(|one| matches!(one.family, Family::Quadratic | Family::Wide));
    assert!(networks.into_iter().all(|one| found.rmse <= one.rmse), "{found:?}");
    let record = proved.certified(&data, &Source::default(), 1e-6).unwrap().unwrap();
    assert_eq!(record.verdict(), Verdict::Holds);
}

#[test]
fn a_time_limit_and_an_interruption_end_the_fit_with_a_network() {
    let data = sample(900, 8, 0.1, 6, |x| x[0].tanh() * x[1] + x[2].abs());
    let limited = watched(&data, Watch::silent().until(Instant::now() + Duration::from_secs(1)));
    assert!(limited.partial);
    assert!(Scores::of(&limited.network, &data).unwrap().r2.unwrap() > 0.0);
    let flag = AtomicBool::new(true);
    let ended = watched(&data, Watch::silent().interruptible(&flag));
    assert!(ended.partial && ended.network.check().is_ok());
}

/// The share of fresh rows inside their intervals, over repetitions with their own rows, in per cent.
fn coverage(repetitions: u64, calibrated: impl Fn(&Data, u64) -> (Fit, Calibration)) -> f64 {
    let truth = |x: &[f64]| x[0] + 0.5 * x[1] * x[1];
    let (mut inside, mut all) = (0, 0);
    for seed in 0..repetitions {
        let (train, fresh) = (sample(100, 2, 0.5, seed, truth), sample(100, 2, 0.5, 10_000 + seed, truth));
        let (fit, calibration) = calibrated(&train, seed);
        let intervals = calibration.intervals(&fit.network, &fresh.X, 0.9).unwrap();
        inside += intervals.iter().zip(&fresh.y).filter(|((low, high), y)| (low..=high).contains(y)).count();
        all += fresh.n();
    }
    100.0 * inside as f64 / all as f64
}

#[test]
fn intervals_of_ninety_per_cent_cover_ninety_per_cent_of_fresh_rows() {
    let crossed = coverage(200, |train, seed| {
        let fit = automatic(train, &quick(seed));
        let calibration = fit.calibration.clone().unwrap();
        (fit, calibration)
    });
    assert!((88.0..=92.0).contains(&crossed), "jackknife+: {crossed} %");
    let split = coverage(200, |train, _| {
        let rows: Vec<usize> = (0..100).collect();
        let request = Quadratic::new().decay(0.01);
        let fit = request.fit(&train.select(&rows[..51])).unwrap();
        let calibration = Calibration::split(&fit.network, &train.select(&rows[51..])).unwrap();
        (fit, calibration)
    });
    assert!((88.0..=92.0).contains(&split), "split: {split} %");
    println!("coverage: jackknife+ {crossed} %, split {split} %");
}

#[test]
fn the_claimed_guarantee_is_the_one_that_was_proved() {
    let data = sample(100, 2, 0.5, 0, |x| x[0]);
    let fit = automatic(&data, &quick(0));
    let calibration = fit.calibration.unwrap();
    // 1 − 2α.
    assert!(matches!(calibration, Calibration::Jackknife(_, None)));
    assert!((calibration.guarantee(0.9) - 0.8).abs() < 1e-12);
    let Calibration::Jackknife(jackknife, None) = calibration else { panic!("not by leaving rows out") };
    let doubtful = Calibration::Jackknife(jackknife, Some(IntervalDoubt::Recipe));
    assert_eq!(doubtful.guarantee(0.9), 0.0);
    // 1 − 2α − 2(1−α)(K−1)/(n+K) with K = 5.
    let folds = vec![(NetworkSum::from(affine_fit(&data).unwrap()), vec![1.0; 20]); 5];
    assert!((Calibration::Cross(folds).guarantee(0.9) - (0.8 - 1.8 * 4.0 / 105.0)).abs() < 1e-12);
    assert_eq!(Calibration::Split(vec![1.0; 50]).guarantee(0.9), 0.9);
    // Too few scores for the level: only everything covers.
    let few = Calibration::Split(vec![1.0; 8]).intervals(&fit.network, &data.X, 0.9).unwrap();
    assert!(few.iter().all(|(low, high)| *low == f64::NEG_INFINITY && *high == f64::INFINITY));
}
