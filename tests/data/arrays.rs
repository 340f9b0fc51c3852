//! Samples from arrays in memory: shared without a copy, by the recipe of a table, repeats merged.

#![allow(clippy::unwrap_used, non_snake_case)]

use std::path::Path;
use std::sync::Arc;

use shallows::data::{Column, Data, Reading, Recipe, Roles, Table};
use shallows::fit::{Common, Quadratic};
use shallows::linalg::Matrix;
use shallows::random::{Purpose, Stream};

fn names(d: usize) -> Vec<String> {
    (1..=d).map(|j| format!("x{j}")).collect()
}

fn samples(n: usize, d: usize) -> (Vec<f64>, Vec<f64>) {
    let mut stream = Stream::new(3, Purpose::Probe, 1);
    let X: Vec<f64> = (0..n * d).map(|_| stream.normal()).collect();
    let y = X.chunks_exact(d).map(|x| x[0] * x[1] + 0.1 * stream.normal()).collect();
    (X, y)
}

fn quadratic() -> Quadratic {
    Quadratic { common: Common { merge_repeats: true, ..Common::default() }, ..Quadratic::new() }
}

#[test]
fn a_shared_matrix_is_where_its_entries_are_until_somebody_writes_to_it() {
    let entries = Arc::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let shared = Matrix::shared(3, 2, entries.clone());
    let mut written = shared.clone();
    assert!(
        std::ptr::eq(shared.as_slice(), entries.as_slice()) && std::ptr::eq(written.as_slice(), entries.as_slice())
    );
    written[(0, 0)] = 7.0;
    assert_eq!(written.as_slice(), [7.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    drop(entries);
    assert_eq!(shared, Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]));
    assert_eq!(shared.into_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn shared_samples_are_checked_and_fitted_like_others() {
    let (X, y) = samples(60, 3);
    let owned = Data::builder(Matrix::from_vec(60, 3, X.clone()), y.clone()).names(names(3)).build().unwrap();
    let expected = quadratic().fit(&owned).unwrap().network;
    let shared = |X: &[f64], y: &[f64]| {
        let X = Matrix::shared(X.len() / 3, 3, Arc::new(X.to_vec()));
        Data::builder(X, y.to_vec()).names(names(3)).build()
    };
    let found = quadratic().fit(&shared(&X, &y).unwrap()).unwrap();
    assert_eq!(found.network, expected);
    assert!(shared(&X[3..], &y).is_err() && shared(&X, &y[1..]).is_err());
    let mut broken = X.clone();
    broken[4] = f64::NAN;
    assert!(shared(&broken, &y).is_err());
}

#[test]
fn an_array_teaches_what_a_table_with_its_columns_teaches() {
    let (X, y) = samples(40, 3);
    let wide = Matrix::from_fn(40, 6, |i, j| match j {
        0 => 2.5,
        5 => X[i * 3],
        // −0 and 0 are one number.
        4 => [0.0, -0.0][i % 2],
        j => X[i * 3 + j - 1],
    });
    for keep_constants in [false, true] {
        let roles = Roles { target: Some("y".into()), keep_constants, ..Roles::default() };
        let mut columns: Vec<Column> = (0..6).map(|j| Column::of_numbers(wide.column(j))).collect();
        columns.push(Column::of_numbers(y.clone()));
        let all = [names(6), vec!["y".into()]].concat();
        let table = Table::of_columns(Path::new("X"), Some(all), columns, 40).unwrap();
        for rows in [(0..40).collect::<Vec<usize>>(), vec![3, 8, 11]] {
            let learned = Recipe::learn(&table, &roles, &rows).unwrap();
            assert_eq!(Recipe::learn_numbers(&wide, &names(6), &roles, &rows).unwrap(), learned);
            let columns: Vec<usize> = learned.number_inputs().unwrap().iter().map(|input| input.column).collect();
            assert_eq!(columns, if keep_constants { vec![0, 1, 2, 3, 4] } else { vec![1, 2, 3] });
        }
    }
}

#[test]
fn columns_in_memory_must_be_of_one_length_and_finite_where_they_are_used() {
    let table = |columns: Vec<Column>| Table::of_columns(Path::new("X"), None, columns, 2);
    assert_eq!(table(vec![Column::of_numbers(vec![1.0, f64::NAN])]).unwrap().names, ["x1"]);
    let infinite = || Column::of_numbers(vec![1.0, f64::INFINITY]);
    let learned = |drop: &[String], gap_words: &[String]| {
        let (drop, gap_words) = (drop.to_vec(), gap_words.to_vec());
        let roles = Roles { drop, gap_words, ..Roles::default() };
        let others = [vec![1.0, 2.0], vec![3.0, 5.0]].map(Column::of_numbers);
        Reading { roles, ..Reading::default() }.learned(&table([vec![infinite()], others.to_vec()].concat()).unwrap())
    };
    assert!(learned(&[], &[]).unwrap_err().to_string().contains("\"inf\" is not a finite number"));
    assert_eq!(learned(&["x1".into()], &[]).unwrap().recipe.input_names(), ["x2"]);
    assert_eq!(learned(&[], &["inf".into()]).unwrap().recipe.input_names(), ["x1 missing", "x2"]);
    assert!(table(vec![Column::of_numbers(vec![1.0])]).is_err());
    assert!(table(vec![Column::of_texts([Some("red"), None, Some("blue")])]).is_err());
    assert!(table(vec![]).is_err());
}

#[test]
fn weights_and_repeats_in_any_order_merge_into_the_same_samples() {
    let (X, y) = samples(50, 2);
    let once = Data::builder(Matrix::from_vec(50, 2, X), y).names(names(2)).build().unwrap();
    assert!(once.merged().is_none());
    let weights: Vec<f64> = (0..50).map(|i| (i % 4) as f64).collect();
    let weighted = Data { weights: Some(weights.clone()), ..once.clone() }.merged().unwrap();
    let repeats: Vec<usize> = (0..50).flat_map(|i| vec![i; weights[i] as usize]).collect();
    let order = Stream::new(0, Purpose::Probe, 2).permutation(repeats.len());
    let shuffled: Vec<usize> = order.iter().map(|&at| repeats[at]).collect();
    for rows in [&repeats, &shuffled] {
        assert_eq!(once.select(rows).merged().unwrap(), weighted);
    }
    assert_eq!(weighted.weights.as_ref().unwrap().iter().sum::<f64>(), repeats.len() as f64);
    // One unit in the last place tells two samples apart.
    let mut close = once.select(&[0, 0, 1]);
    close.y[1] = close.y[1].next_up();
    assert!(close.merged().is_none());
}

#[test]
fn samples_that_all_count_alike_keep_their_order_and_have_no_weights() {
    let (X, y) = samples(20, 2);
    let once = Data::builder(Matrix::from_vec(20, 2, X), y).names(names(2)).build().unwrap();
    let twice: Vec<usize> = (0..20).chain(0..20).collect();
    assert_eq!(once.select(&twice).merged().unwrap(), once);
    let even = Data { weights: Some((0..20).map(|i| (i % 2) as f64).collect()), ..once.clone() };
    assert_eq!(even.merged().unwrap(), once.select(&(0..20).filter(|i| i % 2 == 1).collect::<Vec<_>>()));
}

#[test]
fn a_fit_of_repeats_is_the_fit_of_weights_only_when_repeats_are_merged() {
    let (X, y) = samples(50, 3);
    let once = Data::builder(Matrix::from_vec(50, 3, X), y).names(names(3)).build().unwrap();
    let weighted = Data { weights: Some((0..50).map(|i| (1 + i % 3) as f64).collect()), ..once.clone() };
    let repeated = once.select(&(0..50).flat_map(|i| vec![i; 1 + i % 3]).collect::<Vec<_>>());
    let network = |data: &Data, merge_repeats| {
        let common = Common { merge_repeats, ..Common::default() };
        Quadratic { common, ..quadratic() }.fit(data).unwrap().network
    };
    assert_eq!(network(&weighted, true), network(&repeated, true));
    assert_ne!(network(&weighted, false), network(&repeated, false));
}
