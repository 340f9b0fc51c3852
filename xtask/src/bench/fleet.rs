//! Iterations of descent on tiny networks: ours on one core against every way of the peer on one core.

use comfy_table::{CellAlignment, Table, presets};

use super::{BenchCase, least, median, time};

/// The peer's ways, in the order of the table.
const WAYS: [&str; 5] = ["eager", "by hand", "compiled", "batched", "compiled batch"];

/// Times per iteration and network, what each way takes times ours, and the share of the peak of fused multiply–adds.
pub fn print_table(cases: &[(String, BenchCase)], peak: f64, threads: usize, rounds: usize) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let header = ["fleet", "ours", "its/s", "least of peers", "peer/ours"];
    table.set_header(header.into_iter().chain(WAYS).chain(["GFLOP/s", "of peak"]));
    for (name, case) in cases.iter().filter(|(_, case)| !case.peer.is_empty()) {
        let ours = least(&case.ours);
        let ratio = |way: &&str| case.peer.get(*way).map(|theirs| least(theirs) / ours);
        let best = WAYS.iter().filter_map(&ratio).reduce(f64::min).unwrap_or(f64::NAN);
        let mut row = vec![
            name.clone(),
            time(ours / case.units),
            format!("{:.0} k", case.units / ours / 1e3),
            time(best * ours / case.units),
            format!("{best:.1}"),
        ];
        row.extend(WAYS.iter().map(|way| ratio(way).map_or("–".into(), |ratio| format!("{ratio:.1}"))));
        row.extend(rates(case, ours, peak / threads as f64));
        table.add_row(row);
    }
    (1..12)
        .filter_map(|at| table.column_mut(at).map(|column| column.set_cell_alignment(CellAlignment::Right)))
        .for_each(drop);
    println!("\n{table}");
    println!("{rounds} rounds in turns, the best of each, one core each; the columns after peer/ours: that way/ours");
    println!(
        "counted: 4nkd + 2nk per iteration; FMA peak of a core in the same run: {}",
        peak_words(peak / threads as f64)
    );
    for (name, case) in cases.iter().filter(|(_, case)| case.peer.is_empty()) {
        let [rate, share] = rates(case, median(&case.ours), peak);
        println!("{name}: {} on {threads} threads, {rate} GFLOP/s, {share} of the peak", time(median(&case.ours)));
        println!("  {}", case.about_ours);
    }
    for (name, case) in cases {
        if let Some(failed) = case.about_peer["failed"].as_object() {
            failed.iter().for_each(|(way, why)| println!("{name}: {way} does not work here: {why}"));
        }
    }
}

fn peak_words(peak: f64) -> String {
    format!("{:.1} GFLOP/s in double, twice that in single precision", peak / 1e9)
}

/// GFLOP/s, and the share of the peak of the precision.
fn rates(case: &BenchCase, seconds: f64, peak: f64) -> [String; 2] {
    let single = case.about_ours["precision"] == "single";
    let rate = case.flops.unwrap_or(f64::NAN) / seconds;
    let share = rate / if single { 2.0 * peak } else { peak };
    [format!("{:.1}", rate / 1e9), format!("{:.0} %", 100.0 * share)]
}
