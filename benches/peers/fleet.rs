//! Descent on tiny networks: iterations on one core, and Figure 2a of Oymak and Soltanolkotabi on all of them.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use shallows::data::Data;
use shallows::fleet::{Job, Precision, flops_per_iteration, run};
use shallows::linalg::{Matrix, norm};
use shallows::network::{Layers, Network};
use shallows::optimise::Step;
use shallows::random::{Purpose, Stream};
use shallows::watch::Watch;

use super::{place, times, write_cases, write_npy, write_problem};

const SAMPLES: usize = 100;
/// Of the timed trainings.
const ITERATIONS: usize = 2000;
/// The peer compares the weights after so many.
const COMPARED: usize = 5;
/// On ½Σr².
const PUBLISHED_STEP: f64 = 0.15;

pub fn cases(folder: &Path, quick: bool) -> Vec<Value> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut cases = Vec::new();
    for activation in ["softplus:10", "relu"] {
        for (k, d) in [(5, 20), (10, 10), (13, 13), (25, 25)] {
            for (precision, name) in [(Precision::Double, "double"), (Precision::Single, "single")] {
                cases.push(pool.install(|| one(folder, quick, activation, (k, d), (precision, name))));
            }
        }
    }
    cases.push(figure(quick));
    write_cases(folder, &cases);
    cases
}

fn one(
    folder: &Path,
    quick: bool,
    activation: &str,
    (k, d): (usize, usize),
    (precision, name): (Precision, &str),
) -> Value {
    let case = format!("{activation} k={k} d={d} {name}");
    let place = place(folder, &case);
    let data = sphere_with_random_labels(d, 0);
    let mut job = published(&data, activation, k, precision, 0);
    // No unit is left out that the peer would compute.
    let size = job.start.v.first().map_or(1.0, |v| v.abs());
    job.start.v = (0..k).map(|l| [size, -size][l % 2]).collect();
    write_problem(&place, &data, &job.start);
    job.tolerance = 0.0;
    job.iterations = COMPARED;
    let end = run(std::slice::from_ref(&job), Watch::silent()).unwrap();
    write_npy(place.join("ours.npy"), &[k * d], end[0].network.W.as_slice());
    job.iterations = ITERATIONS;
    let seconds = times(if quick { 0.2 } else { 0.5 }, || {
        black_box(run(black_box(std::slice::from_ref(&job)), Watch::silent()).unwrap());
    });
    json!({
        "case": case, "folder": case, "activation": activation, "precision": name, "units": ITERATIONS,
        "step": PUBLISHED_STEP * SAMPLES as f64, "seconds": seconds, "about": { "precision": name },
        "flops": ITERATIONS as f64 * flops_per_iteration(SAMPLES, d, k, Layers::Hidden),
    })
}

/// k, d ∈ 1..=25, ten trials each, 15000 iterations at most; a coarser grid when quick.
fn figure(quick: bool) -> Value {
    let (stride, trials, iterations) = if quick { (6, 2, 15_000) } else { (1, 10, 15_000) };
    let sets: Vec<Vec<Data>> = (1..=25)
        .step_by(stride)
        .map(|d| (0..trials).map(|trial| sphere_with_random_labels(d, trial)).collect())
        .collect();
    let mut jobs = Vec::new();
    for data in sets.iter().flatten() {
        for k in (1..=25).step_by(stride) {
            let job = published(data, "softplus:10", k, Precision::Single, k as u64);
            jobs.push(Job { iterations, tolerance: 2.5e-3, ..job });
        }
    }
    let since = Instant::now();
    let outcomes = run(&jobs, Watch::silent()).unwrap();
    let seconds = since.elapsed().as_secs_f64();
    let flops = |(job, iterations): (&Job<'_>, usize)| {
        iterations as f64 * flops_per_iteration(SAMPLES, job.data.d(), live(job.start.width()), Layers::Hidden)
    };
    let counts: Vec<usize> = outcomes.iter().map(|outcome| outcome.iterations).collect();
    let reached = outcomes.iter().filter(|outcome| outcome.crossings[3].iteration.is_some()).count();
    let case = if quick { "figure 2a, a coarse part" } else { "figure 2a" };
    json!({
        "case": case, "seconds": [seconds], "flops": jobs.iter().zip(counts.iter().copied()).map(flops).sum::<f64>(),
        "about": {
            "precision": "single", "trainings": jobs.len(), "iterations": counts.iter().sum::<usize>(), "reached 2.5e-3": reached,
        },
    })
}

/// Units that do not have an output weight of 0.
fn live(k: usize) -> usize {
    k - k % 2
}

fn sphere_with_random_labels(d: usize, trial: u64) -> Data {
    let mut stream = Stream::new(5, Purpose::Inputs, trial << 16 | d as u64);
    let mut X = Matrix::from_fn(SAMPLES, d, |_, _| stream.normal());
    for i in 0..SAMPLES {
        let size = norm(X.row(i));
        X.row_mut(i).iter_mut().for_each(|x| *x /= size);
    }
    let y = (0..SAMPLES).map(|_| stream.normal()).collect();
    Data::builder(X, y).names((1..=d).map(|j| format!("x{j}")).collect()).build().unwrap()
}

/// v = ±‖y‖/√(kn), as many of each sign, the odd one 0; W₀ ~ N(0, 1).
fn published<'a>(data: &'a Data, activation: &str, k: usize, precision: Precision, start: u64) -> Job<'a> {
    let mut stream = Stream::new(6, Purpose::Start, start);
    let W = Matrix::from_fn(k, data.d(), |_, _| stream.normal());
    let size = norm(&data.y) / ((k * SAMPLES) as f64).sqrt();
    let v = (0..k).map(|l| if l >= live(k) { 0.0 } else { [size, -size][l % 2] }).collect();
    Job {
        data,
        start: Network::new(activation.parse().unwrap(), W, v).unwrap(),
        layers: Layers::Hidden,
        precision,
        step: Step::Fixed(PUBLISHED_STEP * SAMPLES as f64),
        iterations: 15_000,
        tolerance: 0.0,
        long_run: false,
    }
}
