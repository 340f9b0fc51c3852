//! `cargo xtask bench`: ours and a peer on the same work, on the same cores, in turns.

mod certificates;
mod fleet;
mod growth;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::{Value, json};

use crate::package;
use crate::python;
use crate::run::{Result, Runner, cargo, command, finish, make_folder, output, root, said, target};

const WORKS: [&str; 11] = [
    "gradient",
    "lbfgs",
    "activations",
    "quadratic",
    "spectrum",
    "fleet",
    "tables",
    "certificates",
    "zoo",
    "recover",
    "python",
];

/// Both sides must have computed the same: the largest difference, relative to the largest number. Solutions of a
/// least-squares problem agree only as far as the two solvers go.
fn most_difference(work: &str) -> f64 {
    // Half of the cases of `fleet` are in single precision.
    if matches!(work, "quadratic" | "fleet") { 1e-5 } else { 1e-10 }
}

/// What one case has given so far.
#[derive(Default)]
struct BenchCase {
    ours: Vec<f64>,
    peer: BTreeMap<String, Vec<f64>>,
    /// Elements per call; 1 where a call is the unit.
    units: f64,
    flops: Option<f64>,
    difference: Option<f64>,
    about_ours: Value,
    about_peer: Value,
}

/// Measure one work or all.
pub fn run(name: Option<&str>, json_file: Option<&Path>, quick: bool) -> Result<()> {
    let works: Vec<&str> = WORKS.into_iter().filter(|work| name.is_none_or(|name| name == *work)).collect();
    if works.is_empty() {
        return Err(format!("there is no work {:?}; the works are {}", name.unwrap_or_default(), WORKS.join(", ")));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let requirements = root().join("benches").join("requirements.txt");
    let rounds = if quick { 2 } else { 3 };
    if let Some(load) = load().filter(|load| *load > 0.5) {
        eprintln!("warning: others use this machine (load {load} on {threads} cores): only the bests can be compared");
    }
    let mut documents = Vec::new();
    let mut wrong = Vec::new();
    for work in works {
        if work == "python" {
            package(threads, quick)?;
            continue;
        }
        if matches!(work, "certificates" | "zoo") {
            documents.push(certificates::run(work, &folder_of(work), threads, quick)?);
            continue;
        }
        let python = python::environment("bench", &requirements, &|step| finish(step))?;
        if work == "tables" {
            tables::run(&python, &folder_of(work), threads, quick)?;
            continue;
        }
        if work == "recover" {
            recover(&python, threads, quick)?;
            continue;
        }
        let (cases, peak) = measured(work, &python, threads, rounds, quick)?;
        if work == "fleet" {
            fleet::print_table(&cases, peak, threads, rounds);
        } else {
            print_table(work, &cases, peak, threads, rounds);
        }
        let mut document = document(work, &cases, peak, threads);
        if work == "quadratic" {
            growth::print_memory(&cases);
            document["growth"] = growth::print(&folder_of(work))?;
        }
        documents.push(document);
        wrong.extend(wrong_cases(work, &cases));
    }
    if let Some(path) = json_file {
        let text = serde_json::to_string_pretty(&documents).map_err(|error| error.to_string())?;
        fs::write(path, text + "\n").map_err(|error| said(path, error))?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("results differ: {}", wrong.join("; "))) }
}

/// The cases whose results differ from those of the peer, in words.
fn wrong_cases(work: &str, cases: &[(String, BenchCase)]) -> Vec<String> {
    if let Some(worst) = cases.iter().filter_map(|(_, case)| case.difference).reduce(f64::max) {
        println!("largest relative difference of the results: {worst:.1e}");
    }
    let most = most_difference(work);
    let differs = |case: &&(String, BenchCase)| case.1.difference.is_some_and(|difference| !(difference <= most));
    cases.iter().filter(differs).map(|(name, _)| format!("{work} {name} (more than {most:e})")).collect()
}

/// All rounds of a work, and the highest FMA rate seen.
fn measured(
    work: &str,
    python: &Path,
    threads: usize,
    rounds: usize,
    quick: bool,
) -> Result<(Vec<(String, BenchCase)>, f64)> {
    let folder = folder_of(work);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| said(&folder, error))?;
    }
    make_folder(&folder)?;
    let flag: &[&str] = if quick { &["--quick"] } else { &[] };
    let mut cases: Vec<(String, BenchCase)> = Vec::new();
    let mut peak = 0.0_f64;
    for round in 1..=rounds {
        eprintln!("{work}: round {round} of {rounds}");
        let mut ours = cargo(["bench", "--quiet", "--package", "shallows", "--bench", "peers", "--", work]);
        let ours = parsed(on_threads(ours.arg(&folder).args(flag), threads))?;
        peak = peak.max(number(&ours["peak"])?);
        for case in list(&ours["cases"])? {
            let entry = entry(&mut cases, &case["case"])?;
            entry.ours.extend(numbers(&case["seconds"])?);
            entry.units = case["units"].as_f64().unwrap_or(1.0);
            entry.flops = case["flops"].as_f64();
            entry.about_ours = case["about"].clone();
        }
        let mut peer = command(python, [root().join("benches").join("peers.py")]);
        peer.arg(work).arg(&folder).arg(threads.to_string()).args(flag);
        let peer = parsed(on_threads(&mut peer, threads))?;
        for case in list(&peer)? {
            let entry = entry(&mut cases, &case["case"])?;
            for (variant, seconds) in case["variants"].as_object().into_iter().flatten() {
                entry.peer.entry(variant.clone()).or_default().extend(numbers(seconds)?);
            }
            entry.difference = case["difference"].as_f64().or(entry.difference);
            entry.about_peer = case["about"].clone();
        }
    }
    Ok((cases, peak))
}

/// The program as releases have it.
fn built_program() -> Result<PathBuf> {
    finish(&mut cargo(["build", "--profile", "dist", "--package", "shallows-cli"]))?;
    Ok(target().join("dist").join(format!("shallows{}", std::env::consts::EXE_SUFFIX)))
}

/// Success rates of `shallows recover` and of Adam from random starts, on the same samples.
fn recover(python: &Path, threads: usize, quick: bool) -> Result<()> {
    let program = built_program()?;
    let mut script = command(python, [root().join("benches").join("recover.py")]);
    script.arg(&program).arg(folder_of("recover"));
    if quick {
        script.arg("--quick");
    }
    finish(on_threads(&mut script, threads))
}

/// The package, as it is installed, end to end against scikit-learn.
fn package(threads: usize, quick: bool) -> Result<()> {
    let run: Runner<'_> = &|step| finish(step);
    let python = python::environment("bench-package", &root().join("python").join("requirements.txt"), run)?;
    package::install(&python, "dist", run)?;
    let mut script = command(&python, [root().join("benches").join("python.py")]);
    if quick {
        script.arg("--quick");
    }
    finish(on_threads(&mut script, threads))
}

fn folder_of(work: &str) -> PathBuf {
    target().join("bench").join(work)
}

fn on_threads(command: &mut Command, threads: usize) -> &mut Command {
    let threads = threads.to_string();
    ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
        .into_iter()
        .fold(command, |command, name| command.env(name, &threads))
}

fn table_row(name: &str, case: &BenchCase, peak: f64) -> Vec<String> {
    let ours = median(&case.ours);
    let mut row = vec![name.to_owned(), time(ours / case.units), spread(&case.ours, case.units)];
    match fastest(case) {
        Some((variant, theirs)) => row.extend([
            time(median(theirs) / case.units),
            spread(theirs, case.units),
            variant.to_string(),
            format!("{:.2}", median(theirs) / ours),
            format!("{:.2}", least(theirs) / least(&case.ours)),
        ]),
        None => row.extend(std::iter::repeat_n("–".to_string(), 5)),
    }
    row.push(case.difference.map_or("–".into(), |difference| format!("{difference:.1e}")));
    if let Some(flops) = case.flops {
        row.extend([format!("{:.1}", flops / ours / 1e9), format!("{:.0} %", 100.0 * flops / ours / peak)]);
    }
    row
}

fn print_table(work: &str, cases: &[(String, BenchCase)], peak: f64, threads: usize, rounds: usize) {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let rates = cases.iter().any(|(_, case)| case.flops.is_some());
    let mut header = vec![work, "ours", "spread", "peer", "spread", "which", "peer/ours", "of bests", "difference"];
    if rates {
        header.extend(["GFLOP/s", "of peak"]);
    }
    table.set_header(header);
    for (name, case) in cases {
        table.add_row(table_row(name, case, peak));
    }
    (1..11)
        .filter_map(|at| table.column_mut(at).map(|column| column.set_cell_alignment(CellAlignment::Right)))
        .for_each(drop);
    println!("\n{table}");
    println!("{rounds} rounds in turns, medians, spread: best to 90th percentile, {threads} threads (activations: 1)");
    if rates {
        let counted = match work {
            "quadratic" => "2nd² per pass, iterations + 2 passes",
            "spectrum" => {
                "n²d for what is made of pairs of rows, n³/3 (one factorisation) for the extremes; for wide kernels two for each \
                 vector operation on a pair, each pair once"
            }
            _ => "4nk(d+1)",
        };
        println!(
            "FMA peak of {threads} threads, measured in the same run: {:.1} GFLOP/s; counted: {counted}",
            peak / 1e9
        );
    }
    for (_, case) in cases.iter().filter(|(_, case)| !case.about_ours.is_null()) {
        println!("ours: {}", case.about_ours);
        case.about_peer.as_object().into_iter().flatten().for_each(|(variant, about)| println!("{variant}: {about}"));
    }
}

fn document(work: &str, cases: &[(String, BenchCase)], peak: f64, threads: usize) -> Value {
    let one = |(name, case): &(String, BenchCase)| {
        json!({
            "case": name, "units": case.units, "ours_seconds": case.ours, "peer_seconds": case.peer,
            "ours_median": median(&case.ours), "peer_median": fastest(case).map(|(_, theirs)| median(theirs)),
            "ratio": fastest(case).map(|(_, theirs)| median(theirs) / median(&case.ours)),
            "ratio_of_bests": fastest(case).map(|(_, theirs)| least(theirs) / least(&case.ours)),
            "flops": case.flops, "difference": case.difference,
            "about_ours": case.about_ours, "about_peer": case.about_peer,
        })
    };
    json!({ "work": work, "threads": threads, "fma_peak": peak, "load": load(), "cases": cases.iter().map(one).collect::<Vec<_>>() })
}

/// The peer's fastest way, by its best time, which a busy neighbour disturbs least.
fn fastest(case: &BenchCase) -> Option<(&str, &[f64])> {
    let variants = case.peer.iter().map(|(variant, seconds)| (variant.as_str(), seconds.as_slice()));
    variants.min_by(|a, b| least(a.1).total_cmp(&least(b.1)))
}

/// From the best to the 90th percentile.
fn spread(seconds: &[f64], units: f64) -> String {
    format!("{}–{}", time(least(seconds) / units), time(quantile(seconds, 0.9) / units))
}

/// Processes that want to run, where the system tells.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn quantile(seconds: &[f64], share: f64) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

fn median(seconds: &[f64]) -> f64 {
    quantile(seconds, 0.5)
}

fn least(seconds: &[f64]) -> f64 {
    quantile(seconds, 0.0)
}

fn time(seconds: f64) -> String {
    let (scale, unit) = match seconds {
        s if s >= 1.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e3, "ms"),
        s if s >= 1e-6 => (1e6, "µs"),
        _ => (1e9, "ns"),
    };
    format!("{:.3} {unit}", seconds * scale)
}

fn entry<'a>(cases: &'a mut Vec<(String, BenchCase)>, name: &Value) -> Result<&'a mut BenchCase> {
    let name = name.as_str().ok_or("a case without a name")?;
    let at = cases.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        cases.push((name.into(), BenchCase::default()));
        cases.len() - 1
    });
    Ok(&mut cases[at].1)
}

fn parsed(command: &mut Command) -> Result<Value> {
    let text = output(command)?;
    serde_json::from_str(text.trim()).map_err(|error| format!("not the JSON we expect ({error}): {text}"))
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().ok_or_else(|| format!("not a list: {value}"))
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| format!("not a number: {value}"))
}

fn numbers(value: &Value) -> Result<Vec<f64>> {
    list(value)?.iter().map(number).collect()
}
