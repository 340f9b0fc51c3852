//! Peak memory of both sides, and how our own cost grows with n and d.

use std::fs;
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;

use super::{BenchCase, fastest, list, median, numbers, time};
use crate::run::{Result, said};

const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// The most memory each side has needed, process and data included.
pub fn print_memory(cases: &[(String, BenchCase)]) {
    let mut table = table(&["peak of resident memory, MiB", "ours", "peer", "the data", "peer/ours"]);
    for (name, case) in cases {
        let peer = fastest(case).map_or(&Value::Null, |(variant, _)| &case.about_peer[variant]["memory"]);
        let ours = &case.about_ours["memory"];
        let ratio = ours.as_f64().zip(peer.as_f64()).map_or("–".into(), |(ours, peer)| format!("{:.1}", peer / ours));
        table.add_row([name.clone(), mebibytes(ours), mebibytes(peer), mebibytes(&case.about_ours["data"]), ratio]);
    }
    println!("\n{}", aligned(table));
}

/// The table that our side has left in the folder of the work; returns it.
pub fn print(folder: &Path) -> Result<Value> {
    let path = folder.join("growth.json");
    let text = fs::read_to_string(&path).map_err(|error| said(&path, error))?;
    let growth: Value = serde_json::from_str(&text).map_err(|error| said(&path, error.into()))?;
    let header = ["cost growth", "solver", "iterations", "time", "slope", "MiB", "of that, data"];
    for variable in ["n", "d"] {
        let mut table = table(&header);
        let mut before: Option<(f64, f64)> = None;
        for case in list(&growth[variable])? {
            let at = (case[variable].as_f64().unwrap_or(f64::NAN), median(&numbers(&case["seconds"])?));
            let slope = before.map(|before| (at.1 / before.1).ln() / (at.0 / before.0).ln());
            let about = &case["about"];
            table.add_row([
                format!("n={} d={}", case["n"], case["d"]),
                about["solver"].as_str().unwrap_or("–").to_string(),
                about["iterations"].to_string(),
                time(at.1),
                slope.map_or("–".into(), |slope| format!("{slope:.2}")),
                mebibytes(&about["memory"]),
                mebibytes(&about["data"]),
            ]);
            before = Some(at);
        }
        println!("\n{}", aligned(table));
        println!("slope: d log time / d log {variable}, from the row above");
    }
    Ok(growth)
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header);
    table
}

fn aligned(mut table: Table) -> Table {
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn mebibytes(bytes: &Value) -> String {
    bytes.as_f64().map_or("–".into(), |bytes| format!("{:.1}", bytes / MEBIBYTE))
}
