//! Explanations say what was planted.

#![allow(clippy::unwrap_used, non_snake_case)]

use std::ops::Range;
use std::path::Path;

use shallows::data::{Data, Reading, Table};
use shallows::fit::explain::{Effects, Interactions, importances};
use shallows::fit::{Local, Quadratic};
use shallows::linalg::Matrix;
use shallows::model::Function;
use shallows::network::{Network, NetworkSum};
use shallows::random::{Purpose, Stream};
use shallows::watch::Watch;

/// n rows of independent normal columns with these means and deviations, labelled by a function.
fn planted(n: usize, columns: &[(f64, f64)], label: impl Fn(&[f64]) -> f64) -> Data {
    let mut stream = Stream::new(11, Purpose::Inputs, 0);
    let X = Matrix::from_fn(n, columns.len(), |_, a| columns[a].0 + columns[a].1 * stream.normal());
    let y = (0..n).map(|i| label(X.row(i))).collect();
    let names = (1..=columns.len()).map(|a| format!("x{a}")).collect();
    Data::builder(X, y).names(names).build().unwrap()
}

fn quadratic(data: &Data) -> Function {
    Quadratic::new().decay(0.0).fit(data).unwrap().network
}

#[test]
fn a_planted_product_is_found_with_sign_and_size_in_any_units() {
    // The same law in metres and millimetres: −3·x1·x2 + 0.5·x3² − 2·x4.
    for units in [[1.0, 1.0, 1.0, 1.0], [1000.0, 1e-3, 1.0, 50.0], [1e-4, 1e-4, 1e6, 1.0]] {
        let law = |x: &[f64]| {
            let z: Vec<f64> = x.iter().zip(units).map(|(x, unit)| x / unit).collect();
            -3.0 * z[0] * z[1] + 0.5 * z[2] * z[2] - 2.0 * z[3]
        };
        let columns: Vec<(f64, f64)> = units.iter().map(|unit| (0.7 * unit, *unit)).collect();
        let data = planted(400, &columns, law);
        let found = Interactions::of(&quadratic(&data)).with_rows(&data.X).unwrap();
        assert!(found.whole && !found.is_affine());
        let first = found.terms()[0];
        assert_eq!((first.a, first.b), (0, 1), "{units:?}");
        let expected = -3.0 / (units[0] * units[1]);
        assert!((first.coefficient / expected - 1.0).abs() < 1e-6, "{} {expected}", first.coefficient);
        // Sample deviations of 400 rows are within a fifth of the planted ones.
        assert!((first.scaled.unwrap() / -3.0 - 1.0).abs() < 0.4);
        let second = found.terms()[1];
        assert_eq!((second.a, second.b), (2, 2));
        assert!((second.coefficient * units[2] * units[2] - 0.5).abs() < 1e-6);
        let slope = found.slopes().into_iter().find(|slope| slope.a == 3).unwrap();
        assert!((slope.coefficient * units[3] + 2.0).abs() < 1e-5);
    }
}

#[test]
fn standardised_terms_rebuild_the_network() {
    let data = planted(60, &[(3.0, 2.0), (-1.0, 0.1), (40.0, 5.0)], |x| x[0] * x[1] + x[2] * x[2] - x[0] + 4.0);
    let network = quadratic(&data);
    let found = Interactions::of(&network).with_rows(&data.X).unwrap();
    let spread = found.spread.clone().unwrap();
    let centre = network.predict(&Matrix::from_rows(std::slice::from_ref(&spread.mean))).unwrap()[0];
    let f = network.predict(&data.X).unwrap();
    let units = found.units().unwrap();
    for i in 0..data.n() {
        let z: Vec<f64> = (0..3).map(|a| (data.X[(i, a)] - spread.mean[a]) / spread.deviation[a]).collect();
        let slopes: f64 = found.slopes().iter().map(|slope| slope.scaled.unwrap() * z[slope.a]).sum();
        let terms: f64 = found.terms().iter().map(|term| term.scaled.unwrap() * z[term.a] * z[term.b]).sum();
        let along = |direction: &[f64]| direction.iter().zip(&z).map(|(q, z)| q * z).sum::<f64>();
        let by_units: f64 = units.iter().map(|unit| unit.eigenvalue * along(&unit.direction).powi(2)).sum();
        assert!((centre + slopes + terms - f[i]).abs() < 1e-8 * f[i].abs());
        assert!((terms - by_units).abs() < 1e-9 * (1.0 + terms.abs()));
    }
}

#[test]
fn biases_and_general_quadratics_are_expanded_and_other_units_are_owned_up_to() {
    let W = Matrix::from_rows(&[[1.0, -2.0], [0.5, 3.0]]);
    let mut network = Network::new("quadratic:2,-1,0.5".parse().unwrap(), W.clone(), vec![1.5, -0.5]).unwrap();
    network.bias = Some(vec![0.3, -0.7]);
    network.linear = Some(vec![1.0, 2.0]);
    let found = Interactions::of(&network.clone().into());
    assert!(found.whole);
    for x in [[0.0, 0.0], [1.0, 2.0], [-3.0, 0.5]] {
        let form = &found.form;
        let square: f64 = (0..2).map(|a| (0..2).map(|b| x[a] * form.M[(a, b)] * x[b]).sum::<f64>()).sum();
        let linear = form.linear.as_ref().unwrap();
        let value = square + linear[0] * x[0] + linear[1] * x[1] + form.intercept.unwrap();
        let f = network.predict(&Matrix::from_rows(&[x])).unwrap()[0];
        assert!((value - f).abs() < 1e-12, "{value} {f}");
    }
    let tanh = Network::new("tanh".parse().unwrap(), W, vec![1.0, 1.0]).unwrap();
    let mixed = NetworkSum::new(vec![tanh, network]).unwrap();
    assert!(!Interactions::of(&mixed.into()).whole);
    assert!(Interactions::of(&Network::affine("tanh".parse().unwrap(), 1.0, vec![2.0]).into()).is_affine());
}

#[test]
fn only_the_column_that_matters_is_important() {
    let data = planted(300, &[(0.0, 1.0), (5.0, 2.0), (0.0, 1.0)], |x| (2.0 * x[1]).tanh() + x[1]);
    let network = Local::new("tanh".parse().unwrap()).width(4).fit(&data).unwrap().network;
    let groups = [0..1, 1..2, 2..3];
    let found = importances(&network, &data, &groups, 8, 1).unwrap();
    let [noise, cause, other] = [0, 1, 2].map(|g| found.groups[g]);
    // Shuffling the only cause of y leaves √2 standard deviations of y as error; here these are about 2.
    assert!(cause.increase > 1.5 && cause.standard_error < 0.2, "{cause:?}");
    assert!(noise.increase.abs() < 0.05 && other.increase.abs() < 0.05, "{noise:?} {other:?}");
    assert_eq!((found.rows, found.repeats), (300, 8));
}

#[test]
fn columns_of_one_group_are_shuffled_together() {
    // f = x1 + x2 with x2 = −x1 in every row: shuffled together the sum stays 0, shuffled alone it does not.
    let mut stream = Stream::new(3, Purpose::Inputs, 0);
    let column: Vec<f64> = (0..100).map(|_| stream.normal()).collect();
    let X = Matrix::from_fn(100, 2, |i, a| if a == 0 { column[i] } else { -column[i] });
    let data = Data::builder(X, vec![0.0; 100]).names(vec!["a".into(), "b".into()]).build().unwrap();
    let network: Function = Network::affine("relu".parse().unwrap(), 0.0, vec![1.0, 1.0]).into();
    let alone = importances(&network, &data, &[0..1, 1..2], 5, 0).unwrap();
    let together = importances(&network, &data, std::slice::from_ref(&(0..2)), 5, 0).unwrap();
    assert!(alone.groups.iter().all(|group| group.increase > 1.0));
    assert_eq!(together.groups[0].increase, 0.0);
}

#[test]
fn the_same_seed_gives_the_same_bits_on_one_and_two_threads() {
    let data = planted(200, &[(0.0, 1.0), (1.0, 1.0)], |x| x[0] * x[1]);
    let network = quadratic(&data);
    let on = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| importances(&network, &data, &[0..1, 1..2], 4, seed).unwrap())
    };
    assert_eq!(on(1, 9), on(2, 9));
    assert_ne!(on(1, 9), on(1, 10));
    assert!(importances(&network, &data, &[], 1, 0).is_err());
}

/// A table of two columns of words and one of numbers, two of the three with gaps, and a 0/1 column.
fn paints() -> Table {
    let mut stream = Stream::new(21, Purpose::Inputs, 0);
    let mut text = "colour,shop,size,gloss,y\n".to_owned();
    for i in 0..160 {
        let (colour, shop) = (["red", "blue", "green", ""][i % 4], ["a", "b", "c"][i / 4 % 3]);
        let size = if i % 7 == 0 { String::new() } else { (1.0 + stream.normal()).to_string() };
        let y = (i % 4) as f64 * (i / 4 % 3) as f64 + stream.normal();
        text += &format!("{colour},{shop},{size},{},{y}\n", i / 2 % 2);
    }
    Table::read_csv(text.as_bytes(), Path::new("paint.csv")).unwrap()
}

#[test]
fn no_term_is_told_that_is_zero_or_an_input_on_every_row() {
    let samples = Reading::default().learned(&paints()).unwrap();
    let (data, recipe) = (&samples.data, &samples.recipe);
    let names = recipe.input_names();
    let network = Quadratic::new().decay(1e-4).fit(data).unwrap().network;
    let raw = Interactions::of(&network).with_rows(&data.X).unwrap();
    let found = Interactions::of(&network).folded(recipe).unwrap().with_rows(&data.X).unwrap();
    let at = |name: &str| names.iter().position(|known| known == name).unwrap();
    // Four inputs of words and gaps of one column, two of another, the numbers with their gaps, one column of 0 and 1.
    let groups: Vec<Range<usize>> = recipe.groups().into_iter().map(|(_, inputs)| inputs).collect();
    let column = |a: usize| groups.iter().position(|inputs| inputs.contains(&a)).unwrap();
    for term in found.terms() {
        let (a, b) = (term.a, term.b);
        assert!(column(a) != column(b) || a == b && names[a] == "size", "{} · {}", names[a], names[b]);
    }
    assert!(raw.form.M[(at("size"), at("size missing"))] != 0.0 && raw.form.M[(at("colour missing"), 0)] != 0.0);
    let pairs = found.terms().len();
    let d = names.len();
    let own: usize = groups.iter().map(|inputs| inputs.len() * (inputs.len() + 1) / 2).sum();
    // All others, and the square of the number.
    assert_eq!(pairs, d * (d + 1) / 2 - own + 1, "{names:?}");
    // The function of every row is the same.
    let form = &found.form;
    for (i, f) in network.predict(&data.X).unwrap().into_iter().enumerate() {
        let x = data.X.row(i);
        let square: f64 = (0..d).map(|a| (0..d).map(|b| x[a] * form.M[(a, b)] * x[b]).sum::<f64>()).sum();
        let linear: f64 = form.linear.iter().flatten().zip(x).map(|(b, x)| b * x).sum();
        let value = square + linear + form.intercept.unwrap();
        assert!((value - f).abs() < 1e-9 * (1.0 + f.abs()), "row {i}: {value} {f}");
    }
}

#[test]
fn a_recipe_of_other_inputs_folds_nothing() {
    let samples = Reading::default().learned(&paints()).unwrap();
    let network = Network::affine("relu".parse().unwrap(), 1.0, vec![2.0]).into();
    assert!(Interactions::of(&network).folded(&samples.recipe).is_err());
}

#[test]
fn pairs_are_of_different_columns() {
    let samples = Reading::default().learned(&paints()).unwrap();
    let network = Quadratic::new().decay(1e-3).fit(&samples.data).unwrap().network;
    let found = Effects::of(&network, &samples.recipe, &samples.data.X, None, 0, Watch::silent()).unwrap().unwrap();
    assert!(!found.pairs.is_empty());
    for pair in &found.pairs {
        assert_ne!(pair.grids[0].column, pair.grids[1].column);
    }
}
