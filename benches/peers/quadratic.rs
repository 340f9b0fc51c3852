//! The global fit of a quadratic network, τ = 0, with linear part and intercept.
//!
//! ```text
//! peers quadratic FOLDER [--quick]    the cases to compare, and how our own cost grows with n and d
//! peers solve FOLDER                  X.npy and y.npy, solved; predictions and coefficients written there
//! peers grow N D DECAY                planted data, solved; DECAY in units of the smallest at which M = 0
//! ```
//!
//! The peak of the resident memory belongs to a process, so that each case runs in one of its own, which reads or
//! makes the data and solves.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use shallows::convex::{Cone, Limits, Program, Solution, largest_decay, solve};
use shallows::data::Data;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::linalg::Matrix;
use shallows::watch::Watch;

use super::{place, write_cases, write_npy};

/// (n, d) of the cases that the peer does too.
const CASES: [(usize, usize); 2] = [(100_000, 50), (20_000, 30)];
/// (n, d) along which our cost is followed: first n grows, then d, with more rows than unknowns throughout.
const ROWS: [(usize, usize); 3] = [(10_000, 50), (100_000, 50), (1_000_000, 50)];
const INPUTS: [(usize, usize); 5] = [(100_000, 10), (100_000, 20), (100_000, 50), (100_000, 100), (100_000, 200)];
/// Solves per process; the first finds cold caches.
const SOLVES: usize = 5;

pub fn cases(folder: &Path, quick: bool) -> Vec<Value> {
    let cases: Vec<Value> = CASES.iter().map(|&(n, d)| compared(folder, n, d)).collect();
    write_cases(folder, &cases);
    if !folder.join("growth.json").exists() {
        let rows = if quick { &ROWS[..2] } else { &ROWS[..] };
        let along = |sizes: &[(usize, usize)]| -> Vec<Value> {
            sizes.iter().map(|(n, d)| child(&["grow", &n.to_string(), &d.to_string(), "0"])).collect()
        };
        let growth = json!({ "n": along(rows), "d": along(&INPUTS) });
        fs::write(folder.join("growth.json"), growth.to_string()).unwrap();
    }
    cases
}

fn compared(folder: &Path, n: usize, d: usize) -> Value {
    let name = format!("n={n} d={d}");
    let place = place(folder, &name);
    if !place.join("y.npy").exists() {
        let data = planted(n, d);
        write_npy(place.join("X.npy"), &[n, d], data.X.as_slice());
        write_npy(place.join("y.npy"), &[n], &data.y);
    }
    let mut case = child(&["solve", place.to_str().unwrap()]);
    case["case"] = json!(name);
    case
}

/// What this program prints in a process of its own.
fn child(arguments: &[&str]) -> Value {
    let output = Command::new(std::env::current_exe().unwrap()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Five units of both signs seen through Gaussian inputs, with noise.
fn planted(n: usize, d: usize) -> Data {
    let mut teacher =
        Teacher::plant("quadratic".parse().unwrap(), (5, d), &Hidden::Gaussian, &Outputs::Signs, 1).unwrap();
    teacher.noise = 0.3;
    teacher.sample(0..n as u64).unwrap()
}

/// Solve what lies in a folder.
pub fn solve_folder(place: &Path) -> Value {
    let (X, y) = (read_npy(&place.join("X.npy")), read_npy(&place.join("y.npy")));
    let (n, d) = (y.len(), X.len() / y.len());
    let names = (1..=d).map(|i| format!("x{i}")).collect();
    let data = Data::builder(Matrix::from_vec(n, d, X), y).names(names).build().unwrap();
    let (mut result, solution) = measured(&data, 0.0, SOLVES);
    let form = &solution.form;
    let (b, c) = (form.linear.clone().unwrap(), form.intercept.unwrap());
    let products = (0..d).flat_map(|i| (i..d).map(move |j| (i, j)));
    let coefficient = |(i, j): (usize, usize)| if i == j { form.M[(i, i)] } else { 2.0 * form.M[(i, j)] };
    let coefficients: Vec<f64> = [c].into_iter().chain(b.clone()).chain(products.map(coefficient)).collect();
    write_npy(place.join("coefficients.npy"), &[coefficients.len()], &coefficients);
    let value = |i: usize| {
        let x = data.X.row(i);
        let Mx = form.M.times_vector(x);
        c + x.iter().zip(b.iter().zip(&Mx)).map(|(x, (b, m))| x * (b + m)).sum::<f64>()
    };
    let predictions: Vec<f64> = (0..n).map(value).collect();
    let energy: f64 = predictions.iter().zip(&data.y).map(|(f, y)| (f - y).powi(2)).sum();
    result["about"]["rmse"] = json!((energy / n as f64).sqrt());
    write_npy(place.join("ours.npy"), &[n], &predictions);
    result
}

/// Make data and solve once or, where that is quick, a few times.
pub fn grow(n: usize, d: usize, decay: f64) -> Value {
    let data = planted(n, d);
    measured(&data, decay, if n * d * d <= 500_000_000 { SOLVES } else { 1 }).0
}

fn measured(data: &Data, share: f64, solves: usize) -> (Value, Solution) {
    let (n, d) = (data.n(), data.d());
    let mut program = Program { data, cone: Cone::Symmetric, decay: 0.0, linear: true, intercept: true };
    program.decay = if share > 0.0 { share * largest_decay(&program).unwrap() } else { 0.0 };
    let limits = if share > 0.0 { Limits { gap: 1e-6, ..Limits::default() } } else { Limits::default() };
    let before = peak_memory();
    let timed = |_| {
        let since = Instant::now();
        let solution = solve(&program, &limits, Watch::silent()).unwrap();
        (since.elapsed().as_secs_f64(), solution)
    };
    let (seconds, mut solutions): (Vec<f64>, Vec<Solution>) = (0..solves).map(timed).unzip();
    let solution = solutions.pop().unwrap();
    let result = json!({
        "n": n, "d": d, "seconds": seconds, "flops": flops(n, d, &solution),
        "about": {
            "solver": solution.solver, "iterations": solution.state.iteration, "gap": solution.state.relative_gap(),
            "memory": peak_memory(), "memory_before": before, "data": 8 * n * (d + 1),
        },
    });
    (result, solution)
}

/// Multiplications and additions, by half where a product is symmetric or triangular: nD² for the Gram matrix of D
/// features, or 2nd² for each pass. Null where the number of passes is not known from outside.
fn flops(n: usize, d: usize, solution: &Solution) -> Option<usize> {
    let features = (d + 1) * (d + 2) / 2 + 1;
    match solution.solver {
        "normal equations" => Some(n * features * features),
        "conjugate gradients" => Some((solution.state.iteration + 2) * 2 * n * d * d),
        _ => None,
    }
}

/// The most bytes of this process that were in memory at a time, where the system tells.
fn peak_memory() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<usize>().ok().map(|kibibytes| 1024 * kibibytes)
}

fn read_npy(path: &Path) -> Vec<f64> {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let npy = npyz::NpyFile::new(file).unwrap();
    let mut numbers = Vec::with_capacity(npy.len() as usize);
    numbers.extend(npy.data::<f64>().unwrap().map(|number| number.unwrap()));
    numbers
}
