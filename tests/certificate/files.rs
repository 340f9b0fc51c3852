//! Certificates: what breaks each hypothesis, and files that are refused.

#![allow(non_snake_case, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use crate::support::{descent, exact_objective, least_squares, stored_optimum};
use serde_json::{Value, json};
use shallows::Quadratic;
use shallows::activation::Activation;
use shallows::certificate::Competitors;
use shallows::certificate::{
    Certificate, Check, Claim, Side, Signs, Source, Theorem, Verdict, Witness, approximate_minimum,
    full_rank_stationary, global_optimum, markdown, wide_quadratic,
};
use shallows::data::{Data, Recipe, Table};
use shallows::error::Error;
use shallows::linalg::Matrix;
use shallows::model::Model;
use shallows::network::{Network, NetworkSum};
use shallows::random::{Purpose, Stream};

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
            let optimum = stored_optimum(&network, &data, &claim, None, 1e-6);
            assert_eq!(optimum.verdict, Verdict::Holds, "{signs:?} {decay}: {optimum:?}");
            assert_eq!(optimum.class, [None; 3]);
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
        let optimum = stored_optimum(&network, &data, &claim, None, 1e-6);
        assert_eq!(optimum.verdict, Verdict::Holds, "{linear} {intercept} {optimum:?}");
        assert_eq!(optimum.class, [None; 3], "{linear} {intercept}");
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
    let optimum = stored_optimum(&worse, &data, &claim, None, 1e-6);
    assert_eq!(optimum.verdicts[2], Verdict::Fails);
    let better = optimum.improvement.unwrap();
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
    let bound = |witness| stored_optimum(&nothing, &data, &claim, witness, 1e-6).lower_bound;
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
    let optimum = stored_optimum(&network, &data, &claim, None, 1e-6);
    assert_eq!(optimum.verdict, Verdict::Holds, "{optimum:?}");
    assert_eq!(optimum.lower_bound, 0.0);
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
            let optimum = stored_optimum(&constant, &data, &claim, None, 1e-3);
            assert_ne!(optimum.verdict, Verdict::Holds, "{offset:e}: {optimum:?}");
            assert_eq!(optimum.measure, "objective");
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
        let optimum = stored_optimum(&network, &data, &claim, None, 1e-6);
        assert_eq!(optimum.verdict, Verdict::Holds, "{optimum:?}");
        assert_eq!(optimum.measure, "rounding");
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
    let record = record(&data);
    let statement = &record.statements()[0];
    let gap = record.relative_gap().unwrap();
    let words = statement.split("the gap is at most ").nth(1).unwrap().split(' ').next().unwrap();
    let said: f64 = words.parse().unwrap();
    // The numbers of a file are weaker than what was proved, so that other checkers agree.
    let judged = global_optimum(&descent(&data, &claim, 20_000), &data, &claim, None, 1e-6).unwrap();
    let proved = judged.fact("relative_gap").unwrap();
    assert!(said <= gap && gap < 1e-11, "{statement}, but {gap:e}");
    let words = judged.statement.split("the gap is at most ").nth(1).unwrap().split(' ').next().unwrap();
    let said: f64 = words.parse().unwrap();
    assert!(said >= proved && said <= 1.1 * proved, "{}, but {proved:e}", judged.statement);
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
fn the_energy_table_is_certified_over_all_competitors() {
    let table = Table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/energy.csv")).unwrap();
    let data = Data::from_table(&table, None, None).unwrap();
    let exponents = (0..8).map(|j| data.X.column(j).iter().fold(0.0_f64, |m, x| m.max(*x)).log2().round() as i32);
    let balanced = Claim { exponents: exponents.collect(), ..claim(Signs::Any, 0.0) };
    let network = least_squares(&data, &balanced, 1e-15);
    let raw = Claim { exponents: vec![0; 8], ..balanced };
    let optimum = stored_optimum(&network, &data, &raw, None, 1e-6);
    assert_eq!(optimum.class, [None; 3]);
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

/// Whether a place holds words for people, or what the samples in memory do not say: how a table became them.
fn is_free(place: &str) -> bool {
    let free = ["/writer", "/rows/recipe", "/rows/weight", "/rows/table_rows"];
    free.iter().any(|start| place.starts_with(start)) || place.contains("/statement") || place.contains("/checks")
}

#[test]
fn no_field_of_a_certificate_can_be_made_to_say_more() {
    for weighted in [false, true] {
        let data = sample(weighted);
        let network = descent(&data, &claim(Signs::Any, 0.05), 20_000);
        let document: Value = serde_json::from_str(&record(&data).to_json().unwrap()).unwrap();
        // What was proved of the altered file, and whether all it says was confirmed.
        let verify = |document: &Value| {
            let record = Certificate::from_json(document.to_string().as_bytes())?;
            let verified = record.verify_network(&data, &network)?;
            let confirmed = verified.claims().iter().all(|claim| claim.objection.is_none());
            Ok::<_, Error>((verified, confirmed))
        };
        let (original, confirmed) = verify(&document).unwrap();
        assert!(confirmed && original.verdict() == Verdict::Fails, "wide-quadratic fails here");
        let mut all = Vec::new();
        places(&document, String::new(), &mut all);
        let mut tried = 0;
        for place in all.iter().filter(|place| !is_free(place)) {
            let old = document.pointer(place).unwrap();
            for new in mutations(old).into_iter().filter(|new| new != old) {
                let mut tampered = document.clone();
                *tampered.pointer_mut(place).unwrap() = new.clone();
                tried += 1;
                let (verified, confirmed) = match verify(&tampered) {
                    Ok(found) => found,
                    Err(error) => {
                        let sentence = error.to_string();
                        assert!(!sentence.contains('\n') && sentence.len() < 400, "{sentence}");
                        continue;
                    }
                };
                // Another claim or another proof is judged for what it is; a fact may be made weaker, never stronger.
                let is_other = place.contains("/claim") || place.contains("/proof");
                let weaker = |claim: usize, name: &str, value: f64| {
                    let fact = original.claims()[claim].judgement.facts.iter().find(|fact| fact.name == name);
                    fact.is_some_and(|fact| match fact.side {
                        Side::AtLeast => value <= fact.value,
                        Side::AtMost => value >= fact.value,
                        Side::Exactly => value == fact.value,
                    })
                };
                let parts: Vec<&str> = place.split('/').collect();
                let is_weaker = match parts[..] {
                    [_, "certificates", at, "facts", name] => weaker(at.parse().unwrap(), name, new.as_f64().unwrap()),
                    [_, "certificates", _, "facts"] => true,
                    [_, "certificates"] => true,
                    // Who says "undecided" claims nothing.
                    [_, "certificates", _, "verdict"] => new == json!("undecided"),
                    _ => false,
                };
                assert!(!confirmed || is_other || is_weaker, "{place}: {old} → {new}: {verified:?}");
            }
        }
        assert!(tried >= 300, "{tried}");
    }
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
    let text = record(&sample(false)).to_json().unwrap();
    for (field, value) in [("tolerance", "0.5"), ("hash", "\"x\""), ("decay", "0"), ("verdict", "\"holds\"")] {
        let place = format!("\"{field}\":");
        let twice = text.replacen(&place, &format!("{place} {value}, {place}"), 1);
        let refused = Certificate::from_json(twice.as_bytes()).and_then(|record| record.verify(&sample(false)));
        assert!(refused.unwrap_err().to_string().contains("duplicate"), "{place}");
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
