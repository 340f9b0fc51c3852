//! Our side of `cargo xtask bench`; `cargo bench` alone prints our own figures.
//!
//! ```text
//! peers                          every work, in words
//! peers WORK FOLDER [--quick]    one work; inputs and results as NPY files in FOLDER, times as JSON on stdout
//! ```
//!
//! The works: `gradient`, one gradient of L in (W, v); `lbfgs`, training to a gradient norm of 1e-6 from a given
//! start; `activations`, φ and φ with φ' on an array, on one thread; `quadratic`, the global fit of a quadratic
//! network; `spectrum`, kernel matrices, their extreme eigenvalues, the separation of rows; `fleet`, iterations of
//! descent on tiny networks, on one core, and a published phase diagram on all.

// W, X, … are matrices in every formula; a measurement that cannot go on shall stop.
#![allow(non_snake_case, missing_docs, clippy::unwrap_used)]

mod fleet;
mod quadratic;
mod spectrum;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use shallows::activation::Activation;
use shallows::data::Data;
use shallows::linalg::{Matrix, norm};
use shallows::network::{Layers, Network};
use shallows::optimise::{Lbfgs, Monitor, Stop, lbfgs};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk, Objective};

const WORKS: [&str; 6] = ["gradient", "lbfgs", "activations", "quadratic", "spectrum", "fleet"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let plain: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| !word.starts_with("--")).collect();
    match plain.as_slice() {
        ["solve", folder] => println!("{}", quadratic::solve_folder(Path::new(folder))),
        ["grow", n, d, decay] => {
            println!("{}", quadratic::grow(n.parse().unwrap(), d.parse().unwrap(), decay.parse().unwrap()));
        }
        [work, folder] => println!("{}", measure(work, Path::new(folder), quick)),
        _ => WORKS.iter().for_each(|work| in_words(work, quick)),
    }
}

fn measure(work: &str, folder: &Path, quick: bool) -> Value {
    let cases = match work {
        "gradient" => gradient(folder, quick),
        "lbfgs" => training(folder),
        "activations" => activations(folder, quick),
        "quadratic" => quadratic::cases(folder, quick),
        "spectrum" => spectrum::cases(folder, quick),
        "fleet" => fleet::cases(folder, quick),
        _ => panic!("there is no work {work:?}; the works are {WORKS:?}"),
    };
    let threads = rayon::current_num_threads();
    json!({ "threads": threads, "peak": peak(threads), "cases": cases })
}

fn in_words(work: &str, quick: bool) {
    let folder = tempfile::tempdir().unwrap();
    let result = measure(work, folder.path(), quick);
    println!("{work}, {} threads, FMA peak {:.1} GFLOP/s", result["threads"], result["peak"].as_f64().unwrap() / 1e9);
    for case in result["cases"].as_array().unwrap() {
        let mut seconds: Vec<f64> = serde_json::from_value(case["seconds"].clone()).unwrap();
        seconds.sort_by(f64::total_cmp);
        let (median, units) = (seconds[seconds.len() / 2], case["units"].as_f64().unwrap_or(1.0));
        println!("  {:44} {:.4e} s, best {:.4e} s", case["case"].as_str().unwrap(), median / units, seconds[0] / units);
    }
}

/// Seconds per call: batches long enough for the clock, as many as fit into the time.
fn times(seconds: f64, mut call: impl FnMut()) -> Vec<f64> {
    const BATCH: f64 = 0.01;
    call();
    let since = Instant::now();
    call();
    let calls = (BATCH / since.elapsed().as_secs_f64().max(1e-9)).ceil().max(1.0) as usize;
    let start = Instant::now();
    let mut batches = Vec::new();
    while batches.len() < 3 || start.elapsed().as_secs_f64() < seconds {
        let since = Instant::now();
        (0..calls).for_each(|_| call());
        batches.push(since.elapsed().as_secs_f64() / calls as f64);
    }
    batches
}

fn gradient(folder: &Path, quick: bool) -> Vec<Value> {
    let large = if quick { 10_000 } else { 100_000 };
    let mut cases = Vec::new();
    for (n, d, k) in [(large, 100, 100), (1000, 20, 50)] {
        for activation in ["softplus", "relu"] {
            let case = format!("gradient n={n} d={d} k={k} {activation}");
            let place = place(folder, &case);
            let (data, network) = random_problem(activation, n, d, k);
            write_problem(&place, &data, &network);
            let theta = network.parameters(Layers::Both);
            let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
            let mut g = vec![0.0; theta.len()];
            let seconds = times(if quick { 0.3 } else { 1.0 }, || {
                black_box(risk.gradient(black_box(&theta), &mut g));
            });
            write_npy(place.join("ours.npy"), &[g.len()], &g);
            // The four products: XWᵀ, Φv, GᵀX, Φᵀr. The activation is not counted.
            let flops = 4 * n * k * (d + 1);
            cases.push(json!({ "case": case, "activation": activation, "seconds": seconds, "flops": flops }));
        }
    }
    write_cases(folder, &cases);
    cases
}

fn training(folder: &Path) -> Vec<Value> {
    let (n, d, k) = (2000, 20, 10);
    let case = format!("lbfgs n={n} d={d} k={k} softplus, gradient ≤ 1e-6");
    let place = place(folder, "lbfgs");
    let (mut data, teacher) = random_problem("softplus", n, d, k);
    data.y = teacher.predict(&data.X).unwrap();
    let (_, start) = random_problem("softplus", k, d, k);
    let mut start = start;
    let mut stream = Stream::new(2, Purpose::Start, 0);
    let theta: Vec<f64> = start.parameters(Layers::Both).iter().map(|x| 0.5 * x + 0.1 * stream.normal()).collect();
    start.set_parameters(Layers::Both, &theta);
    write_problem(&place, &data, &start);
    let risk = EmpiricalRisk::new(&data, &start, Layers::Both, Decay::None).unwrap();
    let run = || {
        let mut monitor = Monitor::new(Stop { gradient: 1e-6, iterations: 100_000, ..Stop::default() });
        let end = lbfgs(&risk, theta.clone(), &Lbfgs::default(), &mut monitor);
        (end, monitor.into_trace())
    };
    let (end, trace) = run();
    let timed = |_| {
        let since = Instant::now();
        black_box(run());
        since.elapsed().as_secs_f64()
    };
    let seconds: Vec<f64> = (0..3).map(timed).collect();
    let mut g = vec![0.0; end.len()];
    let value = risk.gradient(&end, &mut g);
    write_npy(place.join("ours.npy"), &[end.len()], &end);
    let mut case = json!({ "case": case, "folder": "lbfgs", "activation": "softplus", "seconds": seconds });
    case["about"] = json!({ "iterations": trace.iterations, "objective": value.objective, "gradient_norm": norm(&g) });
    write_cases(folder, std::slice::from_ref(&case));
    vec![case]
}

fn activations(folder: &Path, quick: bool) -> Vec<Value> {
    // 128 KiB of z: inside the second-level cache, where a block of the network's z lives too.
    let n = 1 << 14;
    let mut stream = Stream::new(3, Purpose::Inputs, 0);
    let z: Vec<f64> = (0..n).map(|_| 3.0 * stream.normal()).collect();
    let (mut phi, mut slope) = (vec![0.0; n], vec![0.0; n]);
    let seconds = if quick { 0.1 } else { 0.3 };
    let mut cases = Vec::new();
    for activation in Activation::examples() {
        for derivative in [false, true] {
            let case = format!("{}{activation}", if derivative { "φ, φ' " } else { "φ " });
            let name = format!("activation {}", cases.len());
            let place = place(folder, &name);
            write_npy(place.join("z.npy"), &[n], &z);
            let seconds = times(seconds, || {
                if derivative {
                    activation.slopes(black_box(&z), &mut phi, &mut slope);
                } else {
                    activation.values(black_box(&z), &mut phi);
                }
            });
            let both = [phi.as_slice(), if derivative { &slope } else { &[] }].concat();
            write_npy(place.join("ours.npy"), &[both.len()], &both);
            cases.push(json!({
                "case": case, "folder": name, "activation": activation.to_string(), "derivative": derivative,
                "seconds": seconds, "units": n,
            }));
        }
    }
    write_cases(folder, &cases);
    cases
}

/// X ~ N(0, 1), W ~ N(0, 1/d), v ~ N(0, 1/k), y ~ N(0, 1).
fn random_problem(activation: &str, n: usize, d: usize, k: usize) -> (Data, Network) {
    let draw = |purpose, count: usize, scale: f64| -> Vec<f64> {
        let mut stream = Stream::new(1, purpose, 0);
        (0..count).map(|_| scale * stream.normal()).collect()
    };
    let X = Matrix::from_vec(n, d, draw(Purpose::Inputs, n * d, 1.0));
    let weights = draw(Purpose::Teacher, k * d + k, 1.0);
    let W = weights[..k * d].iter().map(|w| w / (d as f64).sqrt()).collect();
    let v = weights[k * d..].iter().map(|v| v / (k as f64).sqrt()).collect();
    let network = Network::new(activation.parse().unwrap(), Matrix::from_vec(k, d, W), v).unwrap();
    let names = (1..=d).map(|i| format!("x{i}")).collect();
    (Data::builder(X, draw(Purpose::Noise, n, 1.0)).names(names).build().unwrap(), network)
}

fn place(folder: &Path, case: &str) -> PathBuf {
    let place = folder.join(case);
    fs::create_dir_all(&place).unwrap();
    place
}

fn write_cases(folder: &Path, cases: &[Value]) {
    fs::write(folder.join("cases.json"), json!(cases).to_string()).unwrap();
}

fn write_problem(place: &Path, data: &Data, network: &Network) {
    if place.join("v.npy").exists() {
        return; // An earlier round has written the same bits.
    }
    write_npy(place.join("X.npy"), &[data.n(), data.d()], data.X.as_slice());
    write_npy(place.join("y.npy"), &[data.n()], &data.y);
    write_npy(place.join("W.npy"), &[network.width(), network.inputs()], network.W.as_slice());
    write_npy(place.join("v.npy"), &[network.width()], &network.v);
}

fn write_npy(path: PathBuf, shape: &[usize], numbers: &[f64]) {
    use npyz::WriterBuilder;
    let shape: Vec<u64> = shape.iter().map(|size| *size as u64).collect();
    let file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(file).begin_nd().unwrap();
    writer.extend(numbers.iter().copied()).unwrap();
    writer.finish().unwrap();
}

/// Floating-point operations per second of fused multiply–adds alone, on all threads.
fn peak(threads: usize) -> f64 {
    const ROUNDS: usize = 1 << 16;
    let one = || {
        // The best of many short runs, so that a neighbour's time slice does not lower the ceiling.
        (0..40).fold(0.0_f64, |best, _| {
            let since = Instant::now();
            let flops = fma::chains(ROUNDS);
            best.max(flops as f64 / since.elapsed().as_secs_f64())
        })
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    })
}

/// Chains of fused multiply–adds: as many as hide the latency of one (4 cycles × 2 units, and some more).
mod fma {
    use std::hint::black_box;

    const CHAINS: usize = 12;

    /// Run the widest chains this machine has; the number of operations done.
    pub fn chains(rounds: usize) -> usize {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the feature has just been detected.
                #[allow(unsafe_code)]
                unsafe {
                    avx512(rounds)
                };
                return 2 * 8 * CHAINS * rounds;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the features have just been detected.
                #[allow(unsafe_code)]
                unsafe {
                    avx2(rounds)
                };
                return 2 * 4 * CHAINS * rounds;
            }
        }
        let (a, b) = (black_box(0.999), black_box(0.001));
        let mut sums = [[1.0_f64; 2]; CHAINS];
        for _ in 0..rounds {
            sums.iter_mut().flatten().for_each(|sum| *sum = sum.mul_add(a, b));
        }
        black_box(sums);
        2 * 2 * CHAINS * rounds
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn avx512(rounds: usize) {
        use std::arch::x86_64::{_mm512_fmadd_pd, _mm512_reduce_add_pd, _mm512_set1_pd};
        let (a, b) = (_mm512_set1_pd(black_box(0.999)), _mm512_set1_pd(black_box(0.001)));
        let mut sums = [b; CHAINS];
        for _ in 0..rounds {
            sums.iter_mut().for_each(|sum| *sum = _mm512_fmadd_pd(*sum, a, b));
        }
        black_box(sums.map(|sum| _mm512_reduce_add_pd(sum)));
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2(rounds: usize) {
        use std::arch::x86_64::{_mm256_cvtsd_f64, _mm256_fmadd_pd, _mm256_set1_pd};
        let (a, b) = (_mm256_set1_pd(black_box(0.999)), _mm256_set1_pd(black_box(0.001)));
        let mut sums = [b; CHAINS];
        for _ in 0..rounds {
            sums.iter_mut().for_each(|sum| *sum = _mm256_fmadd_pd(*sum, a, b));
        }
        black_box(sums.map(|sum| _mm256_cvtsd_f64(sum)));
    }
}
