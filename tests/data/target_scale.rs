//! Targets fitted as their logarithm: better where they should be, intervals that still cover, certificates about ln y.

// X is a matrix, as in the library; a test that cannot continue shall stop.
#![allow(non_snake_case, clippy::unwrap_used)]

use std::path::Path;

use shallows::certificate::{Certificate, Claim, Source, Theorem, Verdict};
use shallows::data::{Data, Recipe, Table, TargetScale};
use shallows::fit::{Fit, Quadratic, Scores, Training};
use shallows::model::{Calibration, Model};
use shallows::random::{Purpose, Stream};

/// y = exp(1 + 0.8 a + 0.5 ab − 0.4 b² + noise).
fn planted(rows: usize, noise: f64, seed: u64) -> Table {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let mut text = "a,b,y\n".to_owned();
    for _ in 0..rows {
        let (a, b) = (stream.normal(), stream.normal());
        let y = (1.0 + 0.8 * a + 0.5 * a * b - 0.4 * b * b + noise * stream.normal()).exp();
        text += &format!("{a:?},{b:?},{y:?}\n");
    }
    Table::read_csv(text.as_bytes(), Path::new("planted.csv")).unwrap()
}

fn recipe(scale: TargetScale) -> Recipe {
    Recipe::plain(vec!["a".into(), "b".into()]).with_target_scale(scale)
}

fn data(table: &Table, scale: TargetScale) -> Data {
    recipe(scale).data(table, "y", None, None).unwrap()
}

fn quadratic(data: &Data) -> Fit {
    Quadratic::new().decay(0.0).fit(data).unwrap()
}

#[test]
fn an_exponential_is_fitted_far_better_by_its_logarithm() {
    let (train, test) = (planted(300, 0.02, 1), planted(300, 0.02, 2));
    let rmse = |scale: TargetScale| {
        let network = quadratic(&data(&train, scale)).network;
        Scores::in_original_units(&network, &data(&test, scale), scale).unwrap().rmse
    };
    let (identity, log) = (rmse(TargetScale::Identity), rmse(TargetScale::Log));
    assert!(log < 0.1 * identity, "{log} and {identity}");

    let network = quadratic(&data(&train, TargetScale::Log)).network;
    let model = Model::new(network, recipe(TargetScale::Log), "y".into(), 0).unwrap();
    let predictions = model.predict(&data(&test, TargetScale::Log).X).unwrap();
    assert!(predictions.iter().all(|y| *y > 0.0));
    let raw = Scores::of_predictions(&predictions, &data(&test, TargetScale::Identity)).rmse;
    assert!((raw - log).abs() < 1e-9 * log, "{raw} and {log}");
}

#[test]
fn intervals_of_lognormal_targets_cover_nine_in_ten() {
    let (mut covered, mut all) = (0, 0);
    for seed in 0..100 {
        let (train, scored, new) =
            (planted(40, 0.5, 3 * seed), planted(39, 0.5, 3 * seed + 1), planted(50, 0.5, 3 * seed + 2));
        let network = quadratic(&data(&train, TargetScale::Log)).network;
        let mut model = Model::new(network, recipe(TargetScale::Log), "y".into(), 0).unwrap();
        model.calibration = Some(Calibration::split(&model.network, &data(&scored, TargetScale::Log)).unwrap());
        let new = data(&new, TargetScale::Identity);
        let intervals = model.intervals(&new.X, 0.9).unwrap();
        covered += intervals.iter().zip(&new.y).filter(|((lower, upper), y)| lower <= *y && *y <= upper).count();
        all += new.n();
        assert!(intervals.iter().all(|(lower, upper)| 0.0 < *lower && lower < upper));
    }
    // With 39 scores the coverage is 0.9 exactly; the mean over these rows has a standard deviation of 0.006.
    let share = covered as f64 / f64::from(all as u32);
    assert!((0.875..0.925).contains(&share), "{share}");
}

#[test]
fn a_certificate_speaks_about_the_scale_it_was_made_for() {
    let table = planted(80, 0.1, 5);
    let log = data(&table, TargetScale::Log);
    let Fit { network, training, .. } = quadratic(&log);
    let Training::Global(global) = training else { panic!("not the global fit") };
    let source = Source { recipe: Some(recipe(TargetScale::Log)), target: Some("y".into()), ..Source::default() };
    let network = network.only().unwrap();
    let record = |data: &Data, source: &Source| {
        Certificate::new(&[Theorem::GlobalOptimum], network, data, source, &Claim::from(&*global), None, 1e-6)
    };
    let certificate = record(&log, &source).unwrap();
    assert_eq!(certificate.target(), Some("y"));
    assert!(certificate.statements()[0].contains("the natural logarithm of \"y\""), "{:?}", certificate.statements());
    let read = Certificate::from_json(certificate.to_json().unwrap().as_bytes()).unwrap();
    assert_eq!(read.data(&table).unwrap(), log);
    assert_eq!(read.verify_network(&read.data(&table).unwrap(), network).unwrap().verdict(), Verdict::Holds);

    let mut altered: serde_json::Value = serde_json::from_str(&certificate.to_json().unwrap()).unwrap();
    altered["rows"]["target_scale"] = serde_json::json!("identity");
    let altered = Certificate::from_json(altered.to_string().as_bytes()).unwrap();
    assert!(altered.verify(&altered.data(&table).unwrap()).is_err());
    assert!(altered.verify(&log).is_err());
    assert!(certificate.verify(&data(&table, TargetScale::Identity)).is_err());
    // A source that does not fit the samples is no source.
    assert!(record(&log, &Source::default()).unwrap().target() == Some("ln(y)"));
    assert!(record(&log, &Source { target: None, ..source.clone() }).is_err());
    assert!(record(&data(&table, TargetScale::Identity), &source).is_err());
}
