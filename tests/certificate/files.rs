//! Certificates: what breaks each hypothesis, and files that are refused.

#![allow(non_snake_case, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use crate::support::{descent, exact_objective, least_squares, optimum};
use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::certificate::Competitors;
use shallows::certificate::file::{CertifiedMembers, CertifiedPart};
use shallows::certificate::{
    Certificate, Check, Claim, Signs, Source, Theorem, Verdict, Witness, approximate_minimum, full_rank_stationary,
    global_optimum, markdown, wide_quadratic,
};
use shallows::data::{Data, Recipe, Table};
use shallows::error::Error;
use shallows::job::verify::VerifyJob;
use shallows::linalg::Matrix;
use shallows::model::Model;
use shallows::network::{Network, NetworkSum};
use shallows::random::{Purpose, Stream};
use shallows::{Quadratic, Watch};
use shallows_verify::theorem::global_optimum::{Class, MeasureProof};

fn sample(weighted: bool) -> Data {
    let mut stream = Stream::new(1, Purpose::Inputs, 0);
    let X = Matrix::from_fn(30, 2, |_, _| stream.normal());
    let y = (0..30).map(|i| X[(i, 0)] * X[(i, 1)] + 0.5 * X[(i, 0)] + 1.0 + 0.2 * stream.normal()).collect();
    let weights = weighted.then(|| (0..30).map(|i| if i == 4 { 0.0 } else { 1.0 + stream.uniform() }).collect());
    Data::builder(X, y).names(vec!["a".into(), "b".into()]).weights(weights).build().unwrap()
}

fn claim(signs: Signs, decay: f64) -> Claim {
    Claim { signs, decay, linear: true, intercept: true, exponents: vec![0, 0] }
}

#[test]
fn a_margin_of_nan_is_undecided() {
    let check = |margin, error| Check { hypothesis: String::new(), margin, error }.verdict();
    assert_eq!(check(f64::NAN, 0.0), Verdict::Undecided);
    assert_eq!(check(1.0, f64::NAN), Verdict::Undecided);
    assert_eq!(check(1.0, 0.5), Verdict::Holds);
    assert_eq!(check(0.0, 0.0), Verdict::Holds);
    assert_eq!(check(-0.2, 0.5), Verdict::Undecided);
    assert_eq!(check(-1.0, 0.5), Verdict::Fails);
}

#[test]
fn optimal_networks_are_proved_optimal_for_every_sign_and_decay() {
    for weighted in [false, true] {
        let data = sample(weighted);
        for (signs, decay) in [(Signs::Any, 0.0), (Signs::Any, 0.05), (Signs::Positive, 0.05), (Signs::Negative, 0.05)]
        {
            let claim = claim(signs, decay);
            let network =
                if decay == 0.0 { least_squares(&data, &claim, 1e-13) } else { descent(&data, &claim, 20_000) };
            let optimum = optimum(&network, &data, &claim, None, 1e-6);
            assert_eq!(optimum.judgement.verdict(), Verdict::Holds, "{signs:?} {decay}: {optimum:?}");
            assert_eq!(optimum.class, Class::default());
            assert!(optimum.relative_gap < 1e-9, "{signs:?} {decay}: {}", optimum.relative_gap);
            let (low, high) = exact_objective(&network, &data, &claim);
            assert!(low <= optimum.objective && optimum.objective <= high * (1.0 + 1e-12));
        }
    }
}

#[test]
fn without_decay_and_with_positive_weights_the_shift_is_used() {
    let mut data = sample(false);
    data.y.iter_mut().enumerate().for_each(|(i, y)| *y += 2.0 * data.X[(i, 0)].powi(2) - data.X[(i, 1)].powi(2));
    for (linear, intercept) in [(false, false), (true, false), (false, true), (true, true)] {
        let claim = Claim { linear, intercept, ..claim(Signs::Positive, 0.0) };
        let network = descent(&data, &claim, 20_000);
        let optimum = optimum(&network, &data, &claim, None, 1e-6);
        assert_eq!(optimum.judgement.verdict(), Verdict::Holds, "{linear} {intercept} {optimum:?}");
        assert_eq!(optimum.class, Class::default(), "{linear} {intercept}");
    }
}

#[test]
fn each_broken_hypothesis_is_named() {
    let data = sample(false);
    let claim = claim(Signs::Any, 0.0);
    let network = least_squares(&data, &claim, 1e-13);
    let verdicts = |network: &Network, claim: &Claim| {
        let certificate = global_optimum(network, &data, claim, None, 1e-6).unwrap();
        certificate.checks.iter().map(Check::verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&network, &claim), [Verdict::Holds; 3]);
    let zeros = Network { bias: Some(vec![0.0; network.width()]), ..network.clone() };
    assert_eq!(verdicts(&zeros, &claim), [Verdict::Holds; 3]);
    for signs in [Signs::Positive, Signs::Negative] {
        assert_eq!(verdicts(&network, &Claim { signs, ..claim.clone() })[0], Verdict::Fails);
    }
    for (linear, intercept) in [(false, true), (true, false)] {
        assert_eq!(verdicts(&network, &Claim { linear, intercept, ..claim.clone() })[1], Verdict::Fails);
    }
    let mut worse = network.clone();
    worse.v[0] *= 1.01;
    let found = optimum(&worse, &data, &claim, None, 1e-6);
    assert_eq!(found.judgement.checks[2].verdict(), Verdict::Fails);
    let better = found.improvement.unwrap();
    assert!(exact_objective(&better, &data, &claim).1 < exact_objective(&worse, &data, &claim).0);
}

#[test]
fn other_activations_wrong_shapes_and_wrong_parameters_are_errors() {
    let data = sample(false);
    let good = claim(Signs::Any, 0.0);
    let network = least_squares(&data, &good, 1e-13);
    let run = |network: &Network, claim: &Claim, witness: Option<&Witness>, tolerance: f64| {
        global_optimum(network, &data, claim, witness, tolerance).map(|_| ())
    };
    let other = Network { activation: "tanh".parse().unwrap(), ..network.clone() };
    assert!(run(&other, &good, None, 1e-6).is_err() && wide_quadratic(&other).is_err());
    let biased = Network { bias: Some(vec![1e-9; network.width()]), ..network.clone() };
    assert!(run(&biased, &good, None, 1e-6).is_err() && wide_quadratic(&biased).is_err());
    let scaled = Network { activation: "quadratic:2,0,0".parse::<Activation>().unwrap(), ..network.clone() };
    assert!(run(&scaled, &good, None, 1e-6).is_err());
    for decay in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(run(&network, &Claim { decay, ..good.clone() }, None, 1e-6).is_err());
    }
    for exponents in [vec![0], vec![0, 400], vec![i32::MIN, 0]] {
        assert!(run(&network, &Claim { exponents, ..good.clone() }, None, 1e-6).is_err());
    }
    for tolerance in [0.0, -1.0, f64::NAN, 2.0] {
        assert!(run(&network, &good, None, tolerance).is_err());
    }
    let witness = |M: Vec<Vec<f64>>, b: Vec<f64>| Witness { M, b, c: 0.0 };
    for bad in [witness(vec![vec![0.0; 2]], vec![0.0; 2]), witness(vec![vec![f64::NAN; 2]; 2], vec![0.0; 2])] {
        assert!(run(&network, &good, Some(&bad), 1e-6).is_err());
    }
}

#[test]
fn a_narrow_network_is_measured_against_the_witness() {
    let data = sample(false);
    let claim = claim(Signs::Any, 0.02);
    let best = descent(&data, &claim, 20_000);
    let M = |a: usize, b: usize| (0..best.width()).map(|l| best.v[l] * best.W[(l, a)] * best.W[(l, b)]).sum::<f64>();
    let witness = Witness {
        M: (0..2).map(|a| (0..2).map(|b| M(a, b)).collect()).collect(),
        b: best.linear.clone().unwrap(),
        c: best.intercept.unwrap(),
    };
    let nothing = Network { W: Matrix::zeros(0, 2), v: vec![], ..best.clone() };
    let bound = |witness| optimum(&nothing, &data, &claim, witness, 1e-6).lower_bound;
    let (low, high) = exact_objective(&best, &data, &claim);
    assert!(bound(Some(&witness)) <= high && bound(Some(&witness)) > low * (1.0 - 1e-8));
    assert!(bound(None) <= bound(Some(&witness)));
}

#[test]
fn a_zero_output_weight_counts_for_neither_sign() {
    let network = |v: Vec<f64>| Network::new(Activation::SQUARE, Matrix::zeros(v.len(), 2), v).unwrap();
    let verdict = |v: Vec<f64>| wide_quadratic(&network(v)).unwrap().verdict();
    assert_eq!(verdict(vec![1.0, 2.0, -1.0, -1e-300]), Verdict::Holds);
    assert_eq!(verdict(vec![1.0, 0.0, -1.0, -1.0]), Verdict::Fails);
    assert_eq!(verdict(vec![1.0, 1.0, -1.0, -0.0]), Verdict::Fails);
    let margins: Vec<f64> =
        wide_quadratic(&network(vec![1.0; 5])).unwrap().checks.iter().map(|check| check.margin).collect();
    assert_eq!(margins, [3.0, -2.0]);
}

#[test]
fn interpolating_networks_are_optimal_by_nothing_but_their_objective() {
    // Three rows, six coefficients.
    let data = sample(false).select(&[0, 1, 2]);
    let claim = claim(Signs::Any, 0.0);
    let network = least_squares(&data, &claim, 1e-13);
    let certificate = global_optimum(&network, &data, &claim, None, 1e-6).unwrap();
    assert_eq!(certificate.verdict(), Verdict::Holds, "{certificate:?}");
    assert_eq!(certificate.fact("lower_bound"), Some(0.0));
}

#[test]
fn nothing_is_the_best_fit_to_nothing() {
    let mut data = sample(false);
    data.y.fill(0.0);
    for (signs, decay) in [(Signs::Any, 0.0), (Signs::Any, 1.0), (Signs::Negative, 0.0)] {
        let network = Network::new(Activation::SQUARE, Matrix::zeros(1, 2), vec![0.0]).unwrap();
        let certificate = global_optimum(&network, &data, &claim(signs, decay), None, 1e-6).unwrap();
        assert_eq!(certificate.verdict(), Verdict::Holds, "{certificate:?}");
    }
}

/// x² plus an offset that no quadratic network minds, and the best constant with a unit that is zero.
fn far_from_zero(offset: f64) -> (Data, Network) {
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let X = Matrix::from_fn(40, 1, |_, _| stream.normal());
    let y: Vec<f64> = (0..40).map(|i| offset + X[(i, 0)] * X[(i, 0)]).collect();
    let mean = offset + y.iter().map(|y| y - offset).sum::<f64>() / 40.0;
    let constant = Network {
        activation: Activation::SQUARE,
        W: Matrix::zeros(1, 1),
        v: vec![1.0],
        bias: None,
        intercept: Some(mean),
        linear: None,
    };
    (Data::builder(X, y).names(vec!["x".into()]).build().unwrap(), constant)
}

#[test]
fn an_offset_of_the_target_makes_no_constant_optimal() {
    for offset in [0.0, 1e6, 1e8, 1e9, 1e12, 1e14] {
        let (data, constant) = far_from_zero(offset);
        for (linear, decay) in [(false, 0.0), (true, 0.0), (true, 1e-9)] {
            let claim = Claim { linear, exponents: vec![0], ..claim(Signs::Any, decay) };
            let optimum = optimum(&constant, &data, &claim, None, 1e-3);
            assert_ne!(optimum.judgement.verdict(), Verdict::Holds, "{offset:e}: {optimum:?}");
            assert_eq!(optimum.measure, MeasureProof::Objective {});
            let gap = (optimum.objective - optimum.lower_bound) / optimum.objective;
            assert!(optimum.relative_gap >= gap, "{offset:e}: {optimum:?}");
            assert!(offset > 1e9 || optimum.relative_gap > 0.9, "{offset:e}: {optimum:?}");
        }
        let competitors = Competitors { signs: Signs::Any, size: None };
        let judged = approximate_minimum(&constant, &data, 0.0, competitors, 1e-3).unwrap();
        assert_ne!(judged.verdict(), Verdict::Holds, "{offset:e}: {judged:?}");
    }
}

/// x² beside a slope that no quadratic network minds, in labels whose last place is far below x², and the slope alone.
fn steep(slope: f64) -> (Data, Network) {
    let mut stream = Stream::new(7, Purpose::Inputs, 0);
    let X = Matrix::from_fn(60, 1, |_, _| (1000.0 * stream.normal()).round() / 1000.0);
    let y: Vec<f64> = (0..60).map(|i| slope * X[(i, 0)] + X[(i, 0)] * X[(i, 0)]).collect();
    let line = Network {
        activation: Activation::SQUARE,
        W: Matrix::zeros(1, 1),
        v: vec![1.0],
        bias: None,
        intercept: Some(1.0),
        linear: Some(vec![slope]),
    };
    (Data::builder(X, y).names(vec!["x".into()]).build().unwrap(), line)
}

#[test]
fn a_slope_of_the_target_makes_no_line_optimal_whatever_the_tolerance() {
    for slope in [1e10, 1e12, 1e13, 1e14] {
        let (data, line) = steep(slope);
        let claim = Claim { exponents: vec![0], ..claim(Signs::Any, 0.0) };
        for tolerance in [0.1, 1e-3, 1e-6, 1e-9] {
            let judged = global_optimum(&line, &data, &claim, None, tolerance).unwrap();
            assert_ne!(judged.verdict(), Verdict::Holds, "{slope:e}, {tolerance:e}: {judged:?}");
        }
    }
}

/// a = 10^k + N(0, 1) beside b ~ N(0, 1), and a quadratic function of both with noise.
fn far_columns(offset: f64) -> Data {
    let mut stream = Stream::new(8, Purpose::Inputs, 0);
    let near = Matrix::from_fn(200, 2, |_, _| stream.normal());
    let y = (0..200).map(|i| {
        let (a, b) = (near[(i, 0)], near[(i, 1)]);
        a * a + a * b + b + 0.3 * stream.normal()
    });
    let y: Vec<f64> = y.collect();
    let X = Matrix::from_fn(200, 2, |i, j| if j == 0 { offset + near[(i, 0)] } else { near[(i, 1)] });
    Data::builder(X, y).names(vec!["a".into(), "b".into()]).build().unwrap()
}

#[test]
fn columns_far_from_zero_and_small_decays_are_proved_as_tightly_as_others() {
    for offset in [0.0, 1e2, 1e3, 1e4] {
        let data = far_columns(offset);
        for decay in [0.0, 1e-12, 1e-6, 1e-3] {
            let proof = Quadratic::new().decay(decay).fit(&data).unwrap().certify(&data).unwrap();
            let gap = proof.certificate().relative_gap().unwrap();
            assert!(gap <= 1e-6, "offset {offset:e}, decay {decay:e}: {gap:e}");
        }
    }
}

#[test]
fn rows_that_are_exactly_affine_or_hardly_more_than_one_are_fitted_up_to_rounding() {
    let mut stream = Stream::new(6, Purpose::Inputs, 0);
    let X = Matrix::from_fn(25, 2, |_, _| stream.normal());
    let y = (0..25).map(|i| 3.0 + 2.0 * X[(i, 0)] - 0.7 * X[(i, 1)]).collect();
    let affine = Data::builder(X, y).names(vec!["a".into(), "b".into()]).build().unwrap();
    for data in [affine.clone(), affine.select(&[3, 4, 5])] {
        let claim = claim(Signs::Any, 0.0);
        let network = least_squares(&data, &claim, 1e-13);
        let judged = global_optimum(&network, &data, &claim, None, 1e-6).unwrap();
        assert_eq!(judged.verdict(), Verdict::Holds, "{judged:?}");
        let found = optimum(&network, &data, &claim, None, 1e-6);
        assert!(matches!(found.measure, MeasureProof::LastDigits { .. }), "{found:?}");
    }
}

#[test]
fn a_selection_that_repeats_a_row_is_refused() {
    let data = sample(false);
    let claim = claim(Signs::Any, 0.0);
    let certified = |rows: Vec<usize>| {
        let (data, network) = (data.select(&rows), least_squares(&data, &claim, 1e-13));
        let source = Source { rows: Some(rows), ..Source::default() };
        Certificate::new(&[Theorem::GlobalOptimum], &network, &data, &source, &claim, None, 1e-6)
    };
    assert!(certified((0..30).rev().collect()).is_ok());
    let refused = certified((0..29).chain([7]).collect()).unwrap_err().to_string();
    assert!(refused.contains("selected") && refused.contains('7'), "{refused}");
}

#[test]
fn a_tolerance_that_claims_next_to_nothing_is_refused() {
    let (data, constant) = far_from_zero(0.0);
    let claim = Claim { exponents: vec![0], ..claim(Signs::Any, 0.0) };
    let competitors = Competitors { signs: Signs::Any, size: None };
    for (tolerance, allowed) in [(0.1, true), (0.11, false), (1.0, false)] {
        assert_eq!(global_optimum(&constant, &data, &claim, None, tolerance).is_ok(), allowed);
        assert_eq!(approximate_minimum(&constant, &data, 0.0, competitors, tolerance).is_ok(), allowed);
        assert_eq!(full_rank_stationary(&constant, &data, 0.0, None, tolerance).is_ok(), allowed);
    }
}

#[test]
fn the_words_of_a_certificate_round_the_gap_up() {
    let (data, claim) = (sample(false), claim(Signs::Any, 0.05));
    let statement = &record(&data).statements()[0];
    let proved = optimum(&descent(&data, &claim, 20_000), &data, &claim, None, 1e-6).relative_gap;
    let words = statement.split("the gap is at most ").nth(1).unwrap().split(' ').next().unwrap();
    let said: f64 = words.parse().unwrap();
    assert!(said >= proved && said <= 1.1 * proved, "{statement}, but {proved:e}");
    assert!(statement.ends_with("of that objective"), "{statement}");
}

#[test]
fn a_model_of_other_columns_or_of_another_target_is_refused() {
    let (data, names) = (sample(false), |names: [&str; 2]| Recipe::plain(names.map(str::to_owned).to_vec()));
    let record = record(&data);
    let network = || NetworkSum::from(descent(&data, &claim(Signs::Any, 0.05), 20_000));
    let model = |recipe: Recipe, target: &str| Model::new(network(), recipe, target.into(), 0).unwrap();
    assert!(record.verify_model(&data, &model(names(["a", "b"]), "y")).is_ok());
    for (other, field) in [(model(names(["b", "a"]), "y"), "recipe"), (model(names(["a", "b"]), "z"), "target")] {
        let error = record.verify_model(&data, &other).unwrap_err();
        assert!(error.to_string().contains(field) && error.hint().is_some(), "{error}");
    }
}

#[test]
fn a_part_of_a_sum_is_compared_and_another_kind_of_network_is_named_as_such() {
    let data = sample(false);
    let claim = claim(Signs::Any, 0.05);
    let quadratic = descent(&data, &claim, 20_000);
    let theorems = [Theorem::GlobalOptimum];
    let record = Certificate::new(&theorems, &quadratic, &data, &Source::default(), &claim, None, 1e-6).unwrap();
    let tanh = Network::new("tanh".parse().unwrap(), Matrix::identity(2), vec![1.0, -1.0]).unwrap();
    let part = |terms: &[(f64, &Network)]| {
        let sum = NetworkSum::weighted(terms.iter().copied()).unwrap();
        let model = Model::new(sum, Recipe::plain(data.names.clone()), data.target.clone(), 0).unwrap();
        record.certified_part(&data, &model)
    };
    assert_eq!(part(&[(1.0, &quadratic)]).unwrap(), CertifiedPart::Whole);
    let members = CertifiedPart::Members(CertifiedMembers::Quadratic);
    assert_eq!(part(&[(0.7, &quadratic), (0.3, &tanh)]).unwrap(), members);
    let affine = Network::affine(Activation::SQUARE, 1.0, vec![2.0, 3.0]);
    assert_eq!(part(&[(0.7, &quadratic), (0.3, &affine)]).unwrap(), members);
    assert_eq!(part(&[(1.0, &tanh)]).unwrap(), CertifiedPart::Nothing);
    assert_eq!(part(&[(1.0, &affine)]).unwrap(), CertifiedPart::Nothing);
    // Quadratic units that are not those of the certificate are a forgery or a mistake.
    let mut other = quadratic.clone();
    other.W[(0, 0)] = other.W[(0, 0)].next_up();
    let mut louder = quadratic.clone();
    louder.v[0] *= 1.0 + 1e-12;
    for altered in [&other, &louder] {
        assert!(part(&[(1.0, altered)]).is_err() && part(&[(0.5, altered), (0.5, &tanh)]).is_err());
    }
    assert!(part(&[(-1.0, &quadratic), (0.3, &tanh)]).is_err());
    assert!(part(&[(1.0, &quadratic), (1.0, &quadratic), (0.3, &tanh)]).is_err());
}

#[test]
fn the_energy_table_is_certified_over_all_competitors() {
    let table = Table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv")).unwrap();
    let data = Data::from_table(&table, None, None).unwrap();
    let exponents = (0..8).map(|j| data.X.column(j).iter().fold(0.0_f64, |m, x| m.max(*x)).log2().round() as i32);
    let balanced = Claim { exponents: exponents.collect(), ..claim(Signs::Any, 0.0) };
    let network = least_squares(&data, &balanced, 1e-15);
    let raw = Claim { exponents: vec![0; 8], ..balanced };
    let optimum = optimum(&network, &data, &raw, None, 1e-6);
    assert_eq!(optimum.class, Class::default());
    // The best full quadratic has a training error of 0.71630953.
    assert!(((2.0 * optimum.lower_bound).sqrt() - 0.71630953).abs() < 1e-8, "{optimum:?}");
}

#[test]
fn theorems_md_is_what_the_catalogue_says() {
    let stored = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("THEOREMS.md")).unwrap();
    assert!(stored == markdown(), "run `shallows theorems --markdown > THEOREMS.md`");
    assert!(Theorem::ALL.iter().all(|theorem| !theorem.text().hypotheses.is_empty()));
}

fn record(data: &Data) -> Certificate {
    let claim = claim(Signs::Any, 0.05);
    let network = descent(data, &claim, 20_000);
    let M = vec![vec![0.1, 0.2], vec![0.2, -0.3]];
    let witness = Witness { M, b: vec![0.5, 0.0], c: 1.0 };
    let source = Source { weight: data.weights.as_ref().map(|_| "w".into()), ..Source::default() };
    Certificate::new(
        &[Theorem::GlobalOptimum, Theorem::WideQuadratic],
        &network,
        data,
        &source,
        &claim,
        Some(&witness),
        1e-6,
    )
    .unwrap()
}

/// The places of all values in a document.
fn places(value: &Value, place: String, all: &mut Vec<String>) {
    all.push(place.clone());
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| places(value, format!("{place}/{key}"), all)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| places(value, format!("{place}/{at}"), all))
        }
        _ => {}
    }
}

fn mutations(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(1.5), json!("x"), json!([0])],
        Value::Bool(b) => vec![json!(!b), Value::Null],
        Value::Number(x) => {
            let x = x.as_f64().unwrap();
            vec![json!(x.next_up()), json!(-x - 1.0), json!(x.next_down()), Value::Null, json!("1"), json!(1e300)]
        }
        Value::String(text) => {
            let other = if text == "fails" { "holds" } else { "fails" };
            vec![json!(format!("{text} ")), json!(""), Value::Null, json!(other)]
        }
        Value::Array(list) => {
            let mut longer = list.clone();
            longer.push(list.first().cloned().unwrap_or(json!(1)));
            vec![json!(list.get(1..).unwrap_or_default()), json!(longer), Value::Null]
        }
        Value::Object(map) => {
            let mut more = map.clone();
            more.insert("extra".into(), json!(1));
            let less: serde_json::Map<String, Value> = map.clone().into_iter().skip(1).collect();
            vec![json!(more), json!(less), Value::Null]
        }
    }
}

/// The network and the claim of a document, as far as they can be read.
fn stated(document: &Value) -> Option<(Network, Claim)> {
    let network = document.get("network")?;
    let rows: Vec<Vec<f64>> = serde_json::from_value(network["W"].clone()).ok()?;
    let read = |key: &str| serde_json::from_value(network[key].clone()).ok();
    let W = Matrix::from_vec(rows.len(), 2, rows.concat());
    let v = serde_json::from_value(network["v"].clone()).ok()?;
    let intercept = serde_json::from_value(network["c"].clone()).ok()?;
    let stated = Network { activation: Activation::SQUARE, W, v, bias: None, intercept, linear: read("b")? };
    let mut claim = document["certificates"][0]["claim"].clone();
    let fields = claim.as_object_mut()?;
    fields.remove("tolerance");
    fields.remove("class");
    Some((stated, serde_json::from_value(claim).ok()?))
}

/// What a confirmed document says about the optimum must be true of its network, and of the best one that is known.
fn is_true(document: &Value, data: &Data, best: &Network) -> bool {
    if document["certificates"][0]["theorem"] != "global-optimum" {
        return true;
    }
    let Some((network, claim)) = stated(document) else { return false };
    let facts = &document["certificates"][0]["facts"];
    let fact = |name: &str| facts.get(name).and_then(Value::as_f64);
    let (low, high) = exact_objective(&network, data, &claim);
    let least = exact_objective(best, data, &claim).1.min(high);
    let allowed = claim.signs == Signs::Any && claim.linear && claim.intercept;
    fact("objective").is_none_or(|objective| objective >= low)
        && fact("lower_bound").is_none_or(|bound| !allowed || bound <= least)
}

#[test]
fn no_change_of_a_certificate_makes_it_say_more_than_is_true() {
    for weighted in [false, true] {
        let data = sample(weighted);
        let document: Value = serde_json::from_str(&record(&data).to_json().unwrap()).unwrap();
        let verify = |document: &Value| {
            let record = Certificate::from_json(document.to_string().as_bytes())?;
            record.verify(&data)
        };
        assert_eq!(verify(&document).unwrap().verdict(), Verdict::Fails, "wide-quadratic fails here");
        let (best, _) = stated(&document).unwrap();
        let mut all = Vec::new();
        places(&document, String::new(), &mut all);
        let (mut refused, mut objected, mut harmless) = (0, 0, 0);
        for place in all {
            let old = document.pointer(&place).unwrap();
            for new in mutations(old).into_iter().filter(|new| new != old) {
                let mut tampered = document.clone();
                *tampered.pointer_mut(&place).unwrap() = new.clone();
                match verify(&tampered) {
                    Err(error) => {
                        let sentence = error.to_string();
                        assert!(!sentence.contains('\n') && sentence.len() < 500, "{sentence}");
                        refused += 1;
                    }
                    Ok(verified) if verified.claims().iter().any(|claim| claim.objection.is_some()) => objected += 1,
                    Ok(_) => {
                        let is_prose = ["/writer", "/statement", "/checks"].iter().any(|part| place.contains(part));
                        let is_about_optimum = !place.starts_with("/certificates/1");
                        assert!(
                            is_prose || !is_about_optimum || is_true(&tampered, &data, &best),
                            "{place}: {old} → {new}"
                        );
                        harmless += 1;
                    }
                }
            }
        }
        println!("{refused} refused, {objected} not confirmed, {harmless} without effect on what is true");
        assert!(refused >= 200 && objected >= 10, "{refused} {objected} {harmless}");
    }
}

#[test]
fn words_and_the_version_of_the_writer_do_not_matter_but_one_place_less_in_a_bound_does() {
    let data = sample(false);
    let record = record(&data);
    let text = record.to_json().unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["writer"] = json!("somebody else's program 7.3");
    document["certificates"][0]["statement"] = json!("reworded");
    document["certificates"][0]["checks"][0]["hypothesis"] = json!("reworded");
    let verdict = |document: &Value| {
        let verified = Certificate::from_json(document.to_string().as_bytes()).unwrap().verify(&data).unwrap();
        verified.claims()[0].verdict()
    };
    assert_eq!(verdict(&document), Verdict::Holds);
    let (objective, bound) = (record.objective().unwrap(), record.lower_bound().unwrap());
    for (name, forged) in [("objective", objective * (1.0 - 1e-11)), ("lower_bound", bound * (1.0 + 1e-11))] {
        let mut forgery = document.clone();
        forgery["certificates"][0]["facts"][name] = json!(forged);
        assert_eq!(verdict(&forgery), Verdict::Undecided, "{name}");
    }
}

#[test]
fn a_certificate_of_format_2_is_named_as_what_it_is_and_proved_anew() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificate/formats");
    let path = folder.join("format-2.certificate.json");
    let refused = Certificate::load(&path).unwrap_err().to_string();
    assert!(refused.contains("format 2") && refused.contains("no proof"), "{refused}");
    let (certificate, rows) = (path.into(), Some(folder.join("format-2.csv").into()));
    let outcome = VerifyJob { certificate, rows, ..VerifyJob::default() }.run(Watch::silent()).unwrap();
    assert_eq!(outcome.verdict, Verdict::Holds);
    assert!(outcome.remark.unwrap().contains("format 2, written by shallows 0.1.0"));
}

#[test]
fn certificates_that_were_written_once_are_accepted_for_ever() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificate/formats");
    let mut kept = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let carries_proofs = |stem: &&str| stem.starts_with("format-3") || stem.starts_with("format-4");
        let Some(stem) = name.strip_suffix(".certificate.json").filter(carries_proofs) else { continue };
        let table = folder.join(format!("{stem}.csv"));
        let rows = table.exists().then(|| table.into());
        let written = Certificate::load(&path).unwrap();
        let outcome =
            VerifyJob { certificate: path.into(), rows, ..VerifyJob::default() }.run(Watch::silent()).unwrap();
        let verdicts = |certificate: &Certificate| -> Vec<Verdict> {
            certificate.claims().iter().map(|claim| claim.verdict).collect()
        };
        assert_eq!(verdicts(&outcome.certificate), verdicts(&written), "{name}");
        let words = outcome.certificate.statements().concat();
        assert!(!words.contains("not confirmed"), "{name}: {words}");
        kept += 1;
    }
    assert!(kept >= 8, "{kept}");
}

#[test]
fn a_certificate_for_other_data_or_another_network_is_refused() {
    let data = sample(true);
    let record = record(&data);
    assert!(record.verify(&data).is_ok());
    let mut others = Vec::new();
    for (i, j) in [(0, 0), (7, 1), (29, 1), (4, 0)] {
        let mut other = data.clone();
        other.X[(i, j)] = f64::from_bits(other.X[(i, j)].to_bits() ^ 1);
        others.push(other);
    }
    for i in [0, 4, 29] {
        let mut other = data.clone();
        other.y[i] = other.y[i].next_up();
        others.push(other);
        let mut other = data.clone();
        other.weights.as_mut().unwrap()[i] += 1e-9;
        others.push(other);
        let mut order: Vec<usize> = (0..30).collect();
        order.swap(i, 15);
        others.push(data.select(&order));
        order.remove(i);
        others.push(data.select(&order));
        order.push(3);
        others.push(data.select(&order));
    }
    for factor in [1000.0, -1.0, 0.3048] {
        let mut other = data.clone();
        (0..30).for_each(|i| other.X[(i, 0)] *= factor);
        others.push(other);
        let mut other = data.clone();
        other.y.iter_mut().for_each(|y| *y *= factor);
        others.push(other);
    }
    others.push(Data { names: vec!["a".into(), "c".into()], ..data.clone() });
    others.push(Data { names: vec!["b".into(), "a".into()], ..data.clone() });
    others.push(Data { target: "z".into(), ..data.clone() });
    others.push(Data { weights: None, ..data.clone() });
    for other in &others {
        let error = record.verify(other).unwrap_err();
        assert!(matches!(error, Error::Certificate { .. }) && error.hint().is_some(), "{error}");
    }
    let network = descent(&data, &claim(Signs::Any, 0.05), 20_000);
    assert!(record.verify_network(&data, &network).is_ok());
    let mut altered = vec![network.clone(); 5];
    altered[0].W[(0, 1)] = altered[0].W[(0, 1)].next_up();
    altered[1].v[0] = altered[1].v[0].next_down();
    altered[2].intercept = None;
    altered[3].linear.as_mut().unwrap()[1] += 1e-12;
    altered[4].bias = Some(vec![0.0; network.width()]);
    for other in altered {
        assert!(record.verify_network(&data, &other).is_err());
    }
}

#[test]
fn selected_rows_are_part_of_the_record() {
    let data = sample(false);
    let rows: Vec<usize> = (0..30).filter(|i| i % 3 != 0).collect();
    let part = data.select(&rows);
    let claim = claim(Signs::Any, 0.0);
    let network = least_squares(&part, &claim, 1e-13);
    let source = Source { rows: Some(rows), ..Source::default() };
    let record = Certificate::new(&[Theorem::GlobalOptimum], &network, &part, &source, &claim, None, 1e-6).unwrap();
    assert_eq!(record.verify_network(&part, &network).unwrap().verdict(), Verdict::Holds);
    assert!(record.verify(&data).is_err());
}

#[test]
fn hostile_files_are_refused_in_one_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks/certificates");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let error = Certificate::load(&path).unwrap_err();
        let sentence = error.to_string();
        assert!(error.hint().is_some(), "{sentence}");
        assert!(!sentence.chars().any(char::is_control) && sentence.len() < 500, "{}: {sentence}", path.display());
        files += 1;
    }
    assert!(files >= 15);
    let data = sample(false);
    let text = record(&data).to_json().unwrap();
    for (field, value) in [("tolerance", "0.5"), ("hash", "\"x\""), ("decay", "0"), ("verdict", "\"holds\"")] {
        let place = format!("\"{field}\":");
        let twice = text.replacen(&place, &format!("{place} {value}, {place}"), 1);
        let verified = Certificate::from_json(twice.as_bytes()).and_then(|certificate| certificate.verify(&data));
        assert!(verified.unwrap_err().to_string().contains("duplicate"), "{place}");
    }
    for cut in (0..text.len() - 1).step_by(97) {
        assert!(Certificate::from_json(&text.as_bytes()[..cut]).is_err());
    }
}

#[test]
fn a_record_survives_its_file_bit_for_bit() {
    let record = record(&sample(true));
    let folder = std::env::temp_dir().join(format!("shallows-certificate-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("certificate.json");
    record.save(&path).unwrap();
    assert_eq!(Certificate::load(&path).unwrap(), record);
    fs::remove_dir_all(&folder).unwrap();
}
