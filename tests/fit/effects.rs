//! Effects, shares and scales say what was planted.

#![allow(clippy::unwrap_used, non_snake_case)]

use shallows::data::recipe::{ColumnStep, Gaps, Treatment};
use shallows::data::{Data, Recipe};
use shallows::fit::explain::{ColumnEffect, Effects, LayerScales, PlaceValue, ScaleUnit, VarianceShares};
use shallows::linalg::Matrix;
use shallows::model::{Function, WideMember};
use shallows::network::{Network, NetworkSum};
use shallows::random::{Purpose, Stream};
use shallows::watch::Watch;
use shallows::wide::{LayerSet, WideNetwork};
use std::sync::atomic::AtomicBool;

fn plain(d: usize) -> Recipe {
    Recipe::plain((1..=d).map(|j| format!("x{j}")).collect())
}

fn effects(f: &Function, recipe: &Recipe, X: &Matrix) -> Effects {
    Effects::of(f, recipe, X, None, 0, Watch::silent()).unwrap().unwrap()
}

/// 2x1² + c·x1·x2 + 3x2 − x3, exactly.
fn planted(c: f64) -> Function {
    // c·x1·x2 = (c/4)((x1 + x2)² − (x1 − x2)²)
    let W = Matrix::from_rows(&[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]);
    let mut network = Network::new("quadratic".parse().unwrap(), W, vec![2.0, c / 4.0, -c / 4.0]).unwrap();
    network.linear = Some(vec![0.0, 3.0, -1.0]);
    network.into()
}

/// All combinations of 5 values of x1, 4 of x2 and 3 of x3.
fn factorial() -> Matrix {
    Matrix::from_fn(60, 3, |i, j| match j {
        0 => [0.0, 1.0, 2.5, 3.0, 6.0][i % 5],
        1 => [-1.0, 0.0, 2.0, 5.0][i / 5 % 4],
        _ => [0.0, 1.0, 7.0][i / 20],
    })
}

fn of<'a>(found: &'a Effects, column: &str) -> &'a ColumnEffect {
    found.columns.iter().find(|one| one.grid.column == column).unwrap()
}

fn number(value: &PlaceValue) -> f64 {
    let PlaceValue::Number(x) = value else { panic!("{value:?}") };
    *x
}

#[test]
fn a_product_and_two_functions_are_told_apart_in_closed_form() {
    let (c, X) = (-1.5, factorial());
    let found = effects(&planted(c), &plain(3), &X);
    let mean = |j: usize| X.column(j).iter().sum::<f64>() / 60.0;
    // Columns are independent here, so the effect of x1 is 2x1² + c·x1·mean(x2), less its mean.
    let g = |x: f64| 2.0 * x * x + c * x * mean(1);
    let g_mean = X.column(0).iter().map(|x| g(*x)).sum::<f64>() / 60.0;
    let x1 = of(&found, "x1");
    assert_eq!(x1.grid.places.len(), 5);
    for (place, value) in x1.grid.places.iter().zip(&x1.values) {
        assert!((value - (g(number(&place.value)) - g_mean)).abs() < 1e-11, "{value}");
        assert_eq!(place.rows, 12);
    }
    let pair = &found.pairs[0];
    let names = pair.grids.each_ref().map(|grid| grid.column.as_str());
    assert_eq!((names, found.pairs.len()), (["x1", "x2"], 3));
    let mut square = 0.0;
    for (u, a) in pair.grids[0].places.iter().enumerate() {
        for (v, b) in pair.grids[1].places.iter().enumerate() {
            let expected = c * (number(&a.value) - mean(0)) * (number(&b.value) - mean(1));
            assert!((pair.interaction[(u, v)] - expected).abs() < 1e-6, "{} {expected}", pair.interaction[(u, v)]);
            assert_eq!(pair.rows[(u, v)], 3.0);
            square += expected * expected / 20.0;
        }
    }
    assert!((pair.strength - square.sqrt()).abs() < 1e-6);
    // x3 goes into no product.
    assert!(found.pairs[1..].iter().all(|pair| pair.strength < 1e-9), "{}", found.pairs[1].strength);
    // Level, effects and interactions of the pair are f, x3 at its mean.
    let f = planted(c).predict(&X).unwrap();
    assert!((found.level - f.iter().sum::<f64>() / 60.0).abs() < 1e-11);
    let corner = found.level + pair.values[(4, 3)];
    let at_corner = planted(c).predict(&Matrix::from_rows(&[[6.0, 5.0, mean(2)]])).unwrap()[0];
    assert!((corner - at_corner).abs() < 1e-6, "{corner} {at_corner}");
}

#[test]
fn sums_have_no_interaction_however_columns_go_together_and_their_curves_are_exact() {
    let mut stream = Stream::new(4, Purpose::Inputs, 0);
    let rows: Vec<[f64; 3]> = (0..400)
        .map(|_| {
            let (a, b) = (stream.normal(), stream.normal());
            [a, 0.95 * a + 0.3 * b, stream.uniform()]
        })
        .collect();
    let X = Matrix::from_rows(&rows);
    let found = effects(&planted(0.0), &plain(3), &X);
    assert!(found.pairs.iter().all(|pair| pair.strength < 1e-9 * found.deviation), "{:?}", found.pairs[0].strength);
    let x1 = of(&found, "x1");
    for (one, value) in x1.grid.places.iter().zip(&x1.values).map(|(place, value)| (number(&place.value), value)) {
        let first = number(&x1.grid.places[0].value);
        assert!((value - x1.values[0] - 2.0 * (one * one - first * first)).abs() < 1e-11);
    }
    assert!(x1.grid.places.len() == 21 && x1.spread > 0.0);
}

#[test]
fn what_a_network_says_off_the_rows_is_not_told() {
    // x1 + 1000·relu(|x1 − x2| − 1), and rows with |x1 − x2| ≤ 0.2: nobody asked about the cliff.
    let W = Matrix::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]);
    let mut network = Network::new("relu".parse().unwrap(), W, vec![1000.0, 1000.0]).unwrap();
    network.bias = Some(vec![-1.0, -1.0]);
    network.linear = Some(vec![1.0, 0.0]);
    let mut stream = Stream::new(8, Purpose::Inputs, 0);
    let rows: Vec<[f64; 2]> = (0..300)
        .map(|_| {
            let a = 4.0 * stream.uniform();
            [a, a + 0.4 * stream.uniform() - 0.2]
        })
        .collect();
    let found = effects(&network.into(), &plain(2), &Matrix::from_rows(&rows));
    let x1 = of(&found, "x1");
    let (first, last) = (&x1.grid.places[0], &x1.grid.places[20]);
    let rise = x1.values[20] - x1.values[0];
    assert!((rise - (number(&last.value) - number(&first.value))).abs() < 1e-9, "{rise}");
    assert!(of(&found, "x2").spread < 1e-12);
}

#[test]
fn the_order_of_columns_and_the_number_of_threads_change_nothing() {
    let X = factorial();
    let swapped = Matrix::from_fn(60, 3, |i, j| X[(i, 2 - j)]);
    let data = Data::builder(X.clone(), (0..60).map(|i| X[(i, 0)] * X[(i, 1)]).collect()).build().unwrap();
    let wide: Function =
        WideNetwork::fitted(&data, &data.columns, LayerSet::RoughRelu, 0, Watch::silent()).unwrap().into();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| effects(&wide, &plain(3), &X))
    };
    assert_eq!(on(1), on(2));
    let mirrored = {
        let W = Matrix::from_rows(&[[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]]);
        let mut network = Network::new("quadratic".parse().unwrap(), W, vec![2.0, 0.5, -0.5]).unwrap();
        network.linear = Some(vec![-1.0, 3.0, 0.0]);
        Function::from(network)
    };
    let names = Recipe::plain(["x3", "x2", "x1"].map(String::from).to_vec());
    let (one, other) = (effects(&planted(2.0), &plain(3), &X), effects(&mirrored, &names, &swapped));
    for effect in &one.columns {
        let twin = of(&other, &effect.grid.column);
        assert!(effect.values.iter().zip(&twin.values).all(|(x, y)| (x - y).abs() < 1e-11));
    }
    assert!((one.pairs[0].strength - other.pairs[0].strength).abs() < 1e-9);
    assert_eq!(one.columns[0].grid.column, other.columns[0].grid.column);
}

#[test]
fn constant_columns_and_single_rows_move_nothing() {
    let f = planted(1.0);
    let X = Matrix::from_fn(30, 3, |i, j| if j == 1 { 4.0 } else { (i % 7) as f64 });
    let found = effects(&f, &plain(3), &X);
    let constant = of(&found, "x2");
    assert_eq!((constant.values.as_slice(), constant.spread), (&[0.0][..], 0.0));
    assert!(
        found.pairs.iter().all(|pair| pair.strength.abs() < 1e-9 || pair.grids.iter().all(|grid| grid.column != "x2"))
    );
    let single = effects(&f, &plain(3), &Matrix::from_rows(&[[1.0, 2.0, 3.0]]));
    assert_eq!((single.rows, single.deviation), (1, 0.0));
    assert!(
        single.columns.iter().all(|one| one.values == [0.0]) && single.pairs.iter().all(|pair| pair.strength == 0.0)
    );
    assert!(Effects::of(&f, &plain(3), &Matrix::zeros(0, 3), None, 0, Watch::silent()).is_err());
    assert!(Effects::of(&f, &plain(2), &X, None, 0, Watch::silent()).is_err());
}

/// The column "colour" with three words and gaps, and a number with gaps.
fn words_and_gaps() -> Recipe {
    let columns = vec![
        ColumnStep {
            name: "colour".into(),
            treatment: Treatment::Category {
                reference: "red".into(),
                levels: vec!["blue".into(), "green".into()],
                other: false,
                gaps: Gaps::Input,
            },
        },
        ColumnStep { name: "size".into(), treatment: Treatment::Number { median: Some(2.0), gaps: Gaps::Input } },
    ];
    serde_json::from_value(serde_json::json!(columns)).unwrap()
}

#[test]
fn words_and_gaps_have_the_effects_that_were_planted() {
    // 5 for blue, −1 for green, 2 for no colour; 3·size, 7 more where it is missing.
    let f: Function = Network::affine("relu".parse().unwrap(), 10.0, vec![5.0, -1.0, 2.0, 3.0, 7.0]).into();
    let X = Matrix::from_row_fn(48, 5, |i, row| {
        row.fill(0.0);
        if i % 4 > 0 {
            row[i % 4 - 1] = 1.0;
        }
        let is_gap = i % 3 == 0;
        row[3] = if is_gap { 2.0 } else { (i % 5) as f64 };
        row[4] = f64::from(u8::from(is_gap));
    });
    let found = effects(&f, &words_and_gaps(), &X);
    let colour = of(&found, "colour");
    let told: Vec<&PlaceValue> = colour.grid.places.iter().map(|place| &place.value).collect();
    let word = |word: &str| PlaceValue::Word(word.into());
    assert_eq!(told, [&word("red"), &word("blue"), &word("green"), &PlaceValue::Missing]);
    for (value, expected) in colour.values.iter().zip([0.0, 5.0, -1.0, 2.0]) {
        assert!((value - (expected - 1.5)).abs() < 1e-12);
    }
    let size = of(&found, "size");
    assert_eq!(size.grid.places.last().unwrap().value, PlaceValue::Missing);
    let values =
        |x: f64| size.values[size.grid.places.iter().position(|place| place.value == PlaceValue::Number(x)).unwrap()];
    assert!((values(4.0) - values(0.0) - 12.0).abs() < 1e-12);
    assert!((size.values.last().unwrap() - values(2.0) - 7.0).abs() < 1e-12);
    assert!(found.pairs[0].strength < 1e-9);
}

fn wide(data: &Data, set: LayerSet) -> WideNetwork {
    WideNetwork::fitted(data, &data.columns, set, 0, Watch::silent()).unwrap()
}

#[test]
fn shares_of_a_combination_of_finite_and_wide_networks_add_up_to_one() {
    let mut stream = Stream::new(2, Purpose::Inputs, 0);
    let X = Matrix::from_fn(90, 2, |_, _| stream.normal());
    let y = (0..90).map(|i| X[(i, 0)].sin() + 0.5 * X[(i, 1)].powi(2)).collect();
    let data = Data::builder(X.clone(), y).build().unwrap();
    let finite = Network::affine("tanh".parse().unwrap(), 1.0, vec![0.5, 0.0]);
    let members = [(0.6, LayerSet::RoughErf), (0.4, LayerSet::Ranks)]
        .map(|(weight, set)| WideMember { weight, network: wide(&data, set) });
    let f = Function::combined(Some(NetworkSum::new(vec![finite]).unwrap()), members.to_vec()).unwrap();
    let found = VarianceShares::of(&f, &X).unwrap();
    let names: Vec<(Option<usize>, &str)> = found.parts.iter().map(|part| (part.member, part.name.as_str())).collect();
    let (a, b) = (Some(0), Some(1));
    let expected = [
        (None, "affine"),
        (a, "rough-by-input"),
        (a, "erf"),
        (a, "t5"),
        (a, "affine"),
        (b, "rough-by-input"),
        (b, "affine"),
    ];
    assert_eq!(names, expected);
    assert!((found.parts.iter().map(|part| part.share.unwrap()).sum::<f64>() - 1.0).abs() < 1e-9);
    let values = f.predict(&X).unwrap();
    let mean = values.iter().sum::<f64>() / 90.0;
    let deviation = (values.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / 90.0).sqrt();
    assert!((found.deviation / deviation - 1.0).abs() < 1e-9);
    // The share of the finite part, from its definition.
    let part: Vec<f64> = (0..90).map(|i| 0.5 * X[(i, 0)]).collect();
    let part_mean = part.iter().sum::<f64>() / 90.0;
    let covariance = part.iter().zip(&values).map(|(p, f)| (p - part_mean) * (f - mean)).sum::<f64>() / 90.0;
    assert!((found.parts[0].share.unwrap() - covariance / deviation.powi(2)).abs() < 1e-9);
    // One row has no variance to share.
    let single = VarianceShares::of(&f, &X.select_rows(&[3])).unwrap();
    assert!(single.deviation == 0.0 && single.parts.iter().all(|part| part.share.is_none()));
}

#[test]
fn scales_are_in_units_of_the_columns_and_columns_without_use_have_no_influence() {
    let mut stream = Stream::new(6, Purpose::Inputs, 0);
    let X = Matrix::from_fn(150, 3, |_, j| [stream.normal(), 1000.0 * stream.normal(), 4.0][j]);
    let y: Vec<f64> = (0..150).map(|i| (2.0 * X[(i, 0)]).sin()).collect();
    let data = Data::builder(X.clone(), y.clone()).build().unwrap();
    let scales = |network: WideNetwork| LayerScales::of(&network.into(), &plain(3));
    let found = scales(wide(&data, LayerSet::RoughErf));
    assert_eq!(found.iter().map(|layer| layer.law.name()).collect::<Vec<_>>(), ["rough-by-input", "erf", "t5"]);
    for layer in &found {
        // The third column is constant.
        assert_eq!(layer.columns.iter().map(|one| one.column.as_str()).collect::<Vec<_>>(), ["x1", "x2"]);
        assert!(layer.columns.iter().all(|one| one.unit == ScaleUnit::Column && one.scale > 0.0));
    }
    let t5 = &found[2].columns;
    assert!(t5[0].has_influence && t5[0].swing > 10.0 * t5[1].swing, "{t5:?}");
    // The same table with the first column in thousandths has scales a thousand times as large.
    let in_thousandths = Matrix::from_fn(150, 3, |i, j| if j == 0 { 1000.0 * X[(i, 0)] } else { X[(i, j)] });
    let other = scales(wide(&Data::builder(in_thousandths, y).build().unwrap(), LayerSet::RoughErf));
    assert!((other[2].columns[0].scale / t5[0].scale / 1000.0 - 1.0).abs() < 1e-3);
    let ranks = scales(wide(&data, LayerSet::Ranks));
    assert_eq!(ranks[0].columns[0].unit, ScaleUnit::Rows);
}

#[test]
fn an_interrupted_explanation_has_no_effects() {
    let flag = AtomicBool::new(true);
    let watch = Watch::silent().interruptible(&flag);
    assert_eq!(Effects::of(&planted(1.0), &plain(3), &factorial(), None, 0, watch).unwrap(), None);
}
