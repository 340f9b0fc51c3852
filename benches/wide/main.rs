//! Wide networks on public tables, and the speed of their kernels.
//!
//! ```text
//! wide [--splits N] [TABLE …]    mean test error and seconds over the standard splits; all tables without names
//! wide --rows N                  seconds on N rows of 8 inputs, a planted function with noise
//! wide --kernels                 pairs of rows a second for every layer, and their share of the vector limit
//! ```
//!
//! A split is fitted once with every set of layers; "best" is the one that predicts rows left out of the training rows best.

// W, X, … are matrices in every formula; a measurement that cannot go on shall stop.
#![allow(non_snake_case, missing_docs, clippy::unwrap_used)]

mod kernels;

use std::fs;
use std::path::Path;
use std::time::Instant;

use shallows::Watch;
use shallows::data::Data;
use shallows::data::Table;
use shallows::linalg::Matrix;
use shallows::random::{Purpose, Stream};
use shallows::wide::{LayerSet, WideNetwork};

const TABLES: [&str; 3] = ["yacht", "energy", "concrete"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if arguments.iter().any(|word| word == "--kernels") {
        return kernels::measure();
    }
    let number = |name: &str| -> Option<usize> {
        let at = arguments.iter().position(|word| word == name)?;
        arguments[at + 1].parse().ok()
    };
    if let Some(rows) = number("--rows") {
        return of_planted(rows);
    }
    let splits = number("--splits").unwrap_or(20);
    let named: Vec<&str> = TABLES.into_iter().filter(|name| arguments.iter().any(|word| word == name)).collect();
    let tables = if named.is_empty() { TABLES.to_vec() } else { named };
    println!("| table | set | mean test RMSE | even splits | odd splits | mean left-out RMSE | mean seconds |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    tables.iter().for_each(|name| of_table(name, splits));
}

/// A function of eight inputs, smooth in some and with a step in another.
fn of_planted(rows: usize) {
    let mut stream = Stream::new(1, Purpose::Inputs, 0);
    let X = Matrix::from_fn(rows + 1000, 8, |_, _| stream.normal());
    let target = |x: &[f64]| (x[0] * x[1]).sin() + x[2].abs() + f64::from(x[3] > 0.3) + 0.3 * x[4] * x[5];
    let y = (0..rows + 1000).map(|i| target(X.row(i)) + 0.1 * stream.normal()).collect();
    let data = Data::builder(X, y).build().unwrap();
    let train = data.select(&(0..rows).collect::<Vec<_>>());
    let test = data.select(&(rows..rows + 1000).collect::<Vec<_>>());
    let columns: Vec<_> = (0..8).map(|j| j..j + 1).collect();
    let since = Instant::now();
    let network = WideNetwork::best(&train, &columns, &LayerSet::ALL, 0, Watch::silent()).unwrap();
    let fitted = since.elapsed().as_secs_f64();
    let since = Instant::now();
    let f = network.predict(&test.X);
    let predicted = since.elapsed().as_secs_f64();
    let rmse = (f.iter().zip(&test.y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / 1000.0).sqrt();
    let since = Instant::now();
    let gap = network.duality_gap(&train, &network.alpha).unwrap();
    let checked = since.elapsed().as_secs_f64();
    println!(
        "{rows} rows: {} in {fitted:.1} s, left out {:.4}, test {rmse:.4}",
        network.set.name(),
        network.left_out_error
    );
    println!("1000 predictions in {predicted:.3} s, relative gap {:.1e} in {checked:.1} s", gap.gap / gap.objective);
}

/// Test error, error on rows left out and seconds of each set on one split, the best of them last.
fn of_table(name: &str, splits: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data");
    let data = Data::from_table(&Table::read(&folder.join(format!("{name}.csv"))).unwrap(), None, None).unwrap();
    let text = fs::read_to_string(folder.join(format!("{name}.splits.json"))).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let columns: Vec<_> = (0..data.d()).map(|j| j..j + 1).collect();
    let mut results = vec![vec![]; LayerSet::ALL.len() + 1];
    for test in json["test"].as_array().unwrap().iter().take(splits) {
        let test: Vec<usize> = test.as_array().unwrap().iter().map(|i| i.as_u64().unwrap() as usize).collect();
        let train: Vec<usize> = (0..data.n()).filter(|i| !test.contains(i)).collect();
        let (train, test) = (data.select(&train), data.select(&test));
        let rmse = |network: &WideNetwork| {
            let f = network.predict(&test.X);
            (f.iter().zip(&test.y).map(|(f, y)| (f - y).powi(2)).sum::<f64>() / test.n() as f64).sqrt()
        };
        let since = Instant::now();
        let networks = WideNetwork::all(&train, &columns, &LayerSet::ALL, 0, Watch::silent());
        let all_seconds = since.elapsed().as_secs_f64();
        for network in &networks {
            let at = LayerSet::ALL.iter().position(|set| *set == network.set).unwrap();
            results[at].push([rmse(network), network.left_out_error, 0.0]);
        }
        let best = networks.iter().min_by(|a, b| a.left_out_error.total_cmp(&b.left_out_error)).unwrap();
        results.last_mut().unwrap().push([rmse(best), best.left_out_error, all_seconds]);
    }
    let names = LayerSet::ALL.iter().map(|set| set.name()).chain(["best"]);
    for (set, results) in names.zip(&results) {
        let mean = |at: usize| results.iter().map(|r| r[at]).sum::<f64>() / results.len() as f64;
        let half = |first: usize| {
            let errors: Vec<f64> = results.iter().skip(first).step_by(2).map(|r| r[0]).collect();
            errors.iter().sum::<f64>() / errors.len() as f64
        };
        let (even, odd) = (half(0), half(1));
        // The sets are fitted side by side.
        let seconds = if set == "best" { format!("{:.2}", mean(2)) } else { String::new() };
        println!("| {name} | {set} | {:.4} | {even:.4} | {odd:.4} | {:.4} | {} |", mean(0), mean(1), seconds);
    }
}
