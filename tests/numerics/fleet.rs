//! The fleet trains as the slow code does, on every path, in both precisions, for every shape.

#![allow(non_snake_case, clippy::unwrap_used)]

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use crate::support::data;
use shallows::activation::{Activation, Bound, Instructions};
use shallows::data::Data;
use shallows::fleet::{Ending, Job, Precision, RunOutcome, run, run_each, run_on};
use shallows::linalg::Matrix;
use shallows::network::{Layers, Network};
use shallows::optimise::{GradientDescent, Monitor, Step, Stop, StopReason, Trace, descent};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk, Objective};
use shallows::watch::Watch;

const PRECISIONS: [Precision; 2] = [Precision::Double, Precision::Single];

fn activations() -> Vec<Activation> {
    let names = ["relu", "softplus:10", "softplus:1", "quadratic", "quadratic:0.5,1,-0.25", "tanh", "erf"];
    let mut all: Vec<Activation> = names.iter().map(|name| name.parse().unwrap()).collect();
    all.push("hermite:0.1,0.5,-0.3,0,0.2,0.1".parse().unwrap());
    all
}

/// x on the unit sphere, y ~ N(0, 1).
fn random_labels(n: usize, d: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let mut X = Matrix::from_fn(n, d, |_, _| stream.normal());
    for i in 0..n {
        let size = X.row(i).iter().map(|x| x * x).sum::<f64>().sqrt();
        X.row_mut(i).iter_mut().for_each(|x| *x /= size);
    }
    let y = (0..n).map(|_| stream.normal()).collect();
    data(X, y, None)
}

/// W ~ N(0, 1), v = ±scale, as many of each sign; an odd one out is 0.
fn start(activation: &Activation, k: usize, d: usize, scale: f64, seed: u64) -> Network {
    let mut stream = Stream::new(seed, Purpose::Start, 0);
    let W = Matrix::from_fn(k, d, |_, _| stream.normal());
    let sign = |l: usize| [1.0, -1.0][l % 2];
    let v = (0..k).map(|l| if k % 2 == 1 && l == k - 1 { 0.0 } else { scale * sign(l) }).collect();
    Network::new(activation.clone(), W, v).unwrap()
}

fn job(data: &Data, start: Network) -> Job<'_> {
    Job {
        data,
        start,
        layers: Layers::Hidden,
        precision: Precision::Double,
        step: Step::Fixed(1.0),
        iterations: 1000,
        tolerance: 0.0,
        long_run: false,
    }
}

fn one(job: &Job<'_>) -> RunOutcome {
    run(std::slice::from_ref(job), Watch::silent()).unwrap().remove(0)
}

fn iterations_at_rungs(outcome: &RunOutcome) -> Vec<Option<usize>> {
    outcome.crossings.iter().map(|crossing| crossing.iteration).collect()
}

/// The protocol of Oymak and Soltanolkotabi, Figure 2, with their step for ½Σr².
fn published(data: &Data, k: usize, seed: u64) -> Job<'_> {
    let softplus = "softplus:10".parse().unwrap();
    let size = data.y.iter().map(|y| y * y).sum::<f64>().sqrt();
    let n = data.n() as f64;
    let start = start(&softplus, k, data.d(), size / (k as f64 * n).sqrt(), seed);
    Job { step: Step::Fixed(0.15 * n), tolerance: 2.5e-3, ..job(data, start) }
}

#[test]
fn one_step_is_the_gradient_for_every_activation_shape_precision_and_path() {
    let shapes = [(1, 1, 1), (2, 3, 1), (3, 1, 30), (7, 4, 4), (8, 5, 8), (16, 6, 3), (17, 7, 5), (31, 10, 10)];
    let more = [(33, 13, 13), (64, 30, 2), (65, 2, 17), (100, 25, 25), (100, 5, 20), (129, 11, 7), (130, 29, 30)];
    for (seed, (n, k, d)) in shapes.into_iter().chain(more).enumerate() {
        let mut stream = Stream::new(seed as u64, Purpose::Inputs, 0);
        let X = Matrix::from_fn(n, d, |_, _| stream.normal() / (d as f64).sqrt());
        let y = (0..n).map(|_| stream.normal()).collect();
        let weights = (seed % 3 == 0).then(|| (0..n).map(|i| (i % 4 + 1) as f64).collect());
        let data = data(X, y, weights);
        // Large weights lead into the tails of the activations; those of polynomials have none.
        let tame = |activation: &Activation| matches!(activation.slope_bound(), Bound::Finite(_));
        let with_tails = activations().into_iter().filter(tame).map(|activation| (activation, 40.0));
        for (activation, scale) in activations().into_iter().map(|activation| (activation, 1.0)).chain(with_tails) {
            let W = Matrix::from_fn(k, d, |_, _| scale * stream.normal());
            let v = (0..k).map(|_| stream.normal() / (k as f64).sqrt()).collect();
            let start = Network::new(activation.clone(), W, v).unwrap();
            for layers in [Layers::Hidden, Layers::Both] {
                let theta = start.parameters(layers);
                let risk = EmpiricalRisk::new(&data, &start, layers, Decay::None).unwrap();
                let mut gradient = vec![0.0; theta.len()];
                risk.gradient(&theta, &mut gradient);
                let size = theta.iter().chain(&gradient).fold(1.0_f64, |most, x| most.max(x.abs()));
                for (path, precision) in
                    Instructions::available().into_iter().flat_map(|path| PRECISIONS.map(|p| (path, p)))
                {
                    let job = Job { layers, precision, iterations: 1, ..job(&data, start.clone()) };
                    let outcome = run_on(path, &[job], &|_, _| (), Watch::silent()).unwrap().remove(0);
                    assert_eq!(outcome.iterations, 1);
                    let unit = if precision == Precision::Double { f64::EPSILON } else { f64::from(f32::EPSILON) };
                    for ((end, start), g) in outcome.network.parameters(layers).iter().zip(&theta).zip(&gradient) {
                        let error = (start - end - g).abs() / (unit * size);
                        let case = (n, k, d, activation.to_string(), layers, path, precision);
                        assert!(error <= 16.0, "{case:?}: {end} is off by {error} roundings");
                    }
                }
            }
        }
    }
}

/// What the room `optimise` makes of a job in double precision.
fn reference(job: &Job<'_>) -> (Vec<f64>, Trace) {
    let risk = EmpiricalRisk::new(job.data, &job.start, job.layers, Decay::None).unwrap();
    let stop = Stop { gradient: 0.0, relative_error: job.tolerance, iterations: job.iterations, ..Stop::default() };
    let mut monitor = Monitor::new(stop);
    let theta = descent(&risk, job.start.parameters(job.layers), &GradientDescent { step: job.step }, &mut monitor);
    (theta, monitor.into_trace())
}

#[test]
fn the_ladder_and_the_end_are_those_of_the_slow_descent() {
    let data = random_labels(12, 8, 1);
    // Adaptive steps part by rounding after a hundred iterations or so, on the edge of stability.
    for (step, layers, iterations) in [
        (Step::Fixed(0.15 * 12.0), Layers::Hidden, 500),
        (Step::Adaptive(1.0), Layers::Hidden, 60),
        (Step::Fixed(0.2), Layers::Both, 500),
        (Step::Adaptive(2.0), Layers::Both, 115),
    ] {
        for tolerance in [0.0, 0.15] {
            let job = Job { step, layers, tolerance, iterations, ..published(&data, 24, 2) };
            let (theta, trace) = reference(&job);
            for path in Instructions::available() {
                let outcome = run_on(path, std::slice::from_ref(&job), &|_, _| (), Watch::silent()).unwrap().remove(0);
                assert_eq!(outcome.crossings, trace.crossings, "{step:?} {path:?}");
                assert_eq!((outcome.iterations, outcome.reason), (trace.iterations, trace.reason));
                let end = outcome.network.parameters(layers);
                assert!(end.iter().zip(&theta).all(|(a, b)| (a - b).abs() < 1e-8), "{step:?} {path:?}");
            }
            // The claim is about something: a rung was reached, or the tolerance was.
            assert_eq!(trace.crossings[0].iteration.is_some(), tolerance == 0.0, "{step:?}: {:?}", trace.crossings);
            assert_eq!(trace.reason == StopReason::RelativeError, tolerance > 0.0);
        }
    }
}

#[test]
fn adaptive_steps_never_raise_the_loss_even_from_an_absurd_first_step() {
    let data = random_labels(50, 6, 3);
    for (activation, precision) in activations().iter().flat_map(|a| PRECISIONS.map(|p| (a, p))) {
        let noise = if precision == Precision::Double { 1e-13 } else { 1e-5 };
        let after = |iterations| Job {
            layers: Layers::Both,
            step: Step::Adaptive(1e6),
            precision,
            iterations,
            ..job(&data, start(activation, 7, 6, 0.5, 4))
        };
        let jobs: Vec<Job<'_>> = (0..40).map(after).collect();
        let losses: Vec<f64> = run(&jobs, Watch::silent()).unwrap().iter().map(|o| o.objective).collect();
        assert!(losses.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + noise)), "{activation}: {losses:?}");
        assert!(losses[39] < 0.9 * losses[0], "{activation}: {losses:?}");
    }
}

#[test]
fn outcomes_do_not_depend_on_the_number_of_threads_or_on_the_company() {
    let sets: Vec<Data> = [(20, 3), (100, 10), (37, 5)].map(|(n, d)| random_labels(n, d, n as u64)).into();
    let mut jobs = Vec::new();
    for (at, activation) in activations().iter().enumerate() {
        let data = &sets[at % 3];
        let (precision, layers) = (PRECISIONS[at % 2], [Layers::Hidden, Layers::Both][at / 2 % 2]);
        let step = [Step::Adaptive(0.1), Step::Fixed(0.02)][at % 2];
        let start = start(activation, 2 + 3 * at, data.d(), 0.3, at as u64);
        jobs.push(Job { precision, layers, step, iterations: 300, long_run: at % 2 == 0, ..job(data, start) });
    }
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&jobs, Watch::silent()).unwrap())
    };
    let alone: Vec<RunOutcome> = jobs.iter().map(one).collect();
    assert_eq!(with_threads(1), alone);
    assert_eq!(with_threads(5), alone);
}

#[test]
fn single_precision_decides_as_double_does_down_to_a_relative_error_of_a_four_hundredth() {
    let sets: Vec<Data> = (0..4).map(|seed| random_labels(60, 10, 100 + seed)).collect();
    let mut jobs = Vec::new();
    for (seed, data) in sets.iter().enumerate() {
        for k in [2, 4, 6, 8, 10, 12, 14, 20] {
            jobs.push(Job { iterations: 3000, ..published(data, k, seed as u64) });
            jobs.push(Job { iterations: 3000, step: Step::Adaptive(1.0), ..published(data, k, seed as u64) });
        }
    }
    let single: Vec<Job<'_>> = jobs.iter().map(|job| Job { precision: Precision::Single, ..job.clone() }).collect();
    let pairs = run(&jobs, Watch::silent()).unwrap().into_iter().zip(run(&single, Watch::silent()).unwrap());
    let (mut reached, mut missed) = (0, 0);
    for ((double, single), job) in pairs.zip(&jobs) {
        // Adaptive steps live on the edge of what the curvature allows, where roundings grow: counts part a little.
        let share = if matches!(job.step, Step::Fixed(_)) { 100 } else { 10 };
        let limit = job.iterations - job.iterations / share;
        // The first four rungs end at 2.5e-3.
        let rungs = iterations_at_rungs(&double).into_iter().zip(iterations_at_rungs(&single)).take(4);
        for (at, (double, single)) in rungs.enumerate() {
            match (double, single) {
                (Some(double), Some(single)) => {
                    reached += 1;
                    assert!(double.abs_diff(single) <= 2 + double / share, "rung {at}: {double}, {single}");
                }
                (None, None) => missed += 1,
                (Some(count), None) | (None, Some(count)) if count > limit => {}
                _ => panic!("rung {at}, width {}: {double:?} in double, {single:?} in single", job.start.width()),
            }
        }
    }
    assert!(reached > 30 && missed > 30, "{reached} reached, {missed} missed");
}

#[test]
fn a_planted_network_is_a_success_in_the_end() {
    let softplus: Activation = "softplus:10".parse().unwrap();
    let mut data = random_labels(40, 4, 5);
    data.y = start(&softplus, 3, 4, 1.0, 6).predict(&data.X).unwrap();
    let job = Job {
        iterations: 200,
        step: Step::Adaptive(1.0),
        long_run: true,
        ..job(&data, start(&softplus, 16, 4, 0.5, 7))
    };
    let outcome = one(&job);
    assert!(outcome.relative_error > 1e-5, "descent alone has not decided");
    let verdict = outcome.long_run.unwrap();
    assert_eq!(verdict.ending, Ending::Success);
    let risk = EmpiricalRisk::new(&data, &verdict.network, Layers::Hidden, Decay::None).unwrap();
    let value = risk.value(&verdict.network.parameters(Layers::Hidden));
    assert_eq!(value.relative_error, verdict.relative_error);
    assert!(value.relative_error < 1e-5);
}

#[test]
fn positive_units_that_cannot_reach_negative_labels_are_stuck() {
    // softplus(w) + softplus(−w) is least at w = 0, a regular minimum of L far above 0.
    let data = data(Matrix::from_rows(&[[1.0], [-1.0]]), vec![-1.0, -1.0], None);
    let start = Network::new("softplus:1".parse().unwrap(), Matrix::from_rows(&[[0.8]]), vec![1.0]).unwrap();
    let verdict =
        one(&Job { iterations: 10, step: Step::Fixed(0.1), long_run: true, ..job(&data, start) }).long_run.unwrap();
    assert_eq!(verdict.ending, Ending::Stuck);
    assert!(verdict.network.W[(0, 0)].abs() < 1e-6 && verdict.scaled_gradient < 1e-7);
}

#[test]
fn negative_squares_that_vanish_before_positive_labels_are_stuck() {
    // −w²x² ≤ 0 < y: the best is w = 0, where the Jacobian vanishes with the gradient.
    let data = data(Matrix::from_rows(&[[1.0], [2.0]]), vec![1.0, 1.0], None);
    let start = Network::new(Activation::SQUARE, Matrix::from_rows(&[[0.7]]), vec![-1.0]).unwrap();
    let job = Job { iterations: 100_000, step: Step::Fixed(0.1), long_run: true, ..job(&data, start) };
    let outcome = one(&job);
    assert!(outcome.network.W[(0, 0)].abs() < 1e-100, "{:?}", outcome.network.W);
    assert_eq!(outcome.long_run.unwrap().ending, Ending::Stuck);
}

#[test]
fn a_parabola_through_labels_on_no_parabola_is_stuck_at_its_best() {
    // (w² − 1)² + (4w² − 1)² is least at w² = 5/17.
    let data = data(Matrix::from_rows(&[[1.0], [2.0]]), vec![1.0, 1.0], None);
    let start = Network::new(Activation::SQUARE, Matrix::from_rows(&[[0.3]]), vec![1.0]).unwrap();
    let job = Job { iterations: 10, step: Step::Fixed(0.01), long_run: true, ..job(&data, start) };
    let verdict = one(&job).long_run.unwrap();
    assert_eq!(verdict.ending, Ending::Stuck);
    assert!((verdict.network.W[(0, 0)].powi(2) - 5.0 / 17.0).abs() < 1e-7);
}

#[test]
fn noise_between_the_two_bars_is_undecided_and_kinks_have_no_verdict() {
    let tanh = Activation::TANH;
    let mut data = random_labels(60, 3, 8);
    let teacher = start(&tanh, 2, 3, 1.0, 9);
    let labels = teacher.predict(&data.X).unwrap();
    let size = (labels.iter().map(|y| y * y).sum::<f64>() / 60.0).sqrt();
    data.y.iter_mut().zip(&labels).for_each(|(y, label)| *y = label + 3e-5 * size * *y);
    let job = Job { iterations: 50, step: Step::Adaptive(0.1), long_run: true, ..job(&data, teacher) };
    let verdict = one(&job).long_run.unwrap();
    assert_eq!(verdict.ending, Ending::Undecided);
    assert!(verdict.relative_error > 1e-5 && verdict.relative_error < 1e-4);
    let kinked = Job { start: start(&Activation::RELU, 2, 3, 1.0, 9), ..job };
    assert_eq!(one(&kinked).long_run, None);
}

#[test]
fn a_unit_with_a_fixed_output_weight_of_zero_stays_where_it_is() {
    let data = random_labels(30, 5, 10);
    let first = published(&data, 7, 11);
    let outcome = one(&Job { iterations: 20, ..first.clone() });
    assert_eq!(outcome.network.W.row(6), first.start.W.row(6));
    assert!((0..6).all(|l| outcome.network.W.row(l) != first.start.W.row(l)));
    let (theta, _) = reference(&Job { iterations: 20, ..first });
    let end = outcome.network.parameters(Layers::Hidden);
    assert!(end.iter().zip(&theta).all(|(a, b)| (a - b).abs() < 1e-10));
}

#[test]
fn a_step_that_is_too_long_is_seen_to_diverge() {
    let data = random_labels(30, 5, 12);
    for activation in [Activation::SQUARE, Activation::RELU, "hermite:0,0,0,1".parse().unwrap()] {
        for (path, precision) in Instructions::available().into_iter().flat_map(|path| PRECISIONS.map(|p| (path, p))) {
            let layers = Layers::Both;
            let far =
                Job { step: Step::Fixed(1e4), precision, layers, ..job(&data, start(&activation, 4, 5, 1.0, 13)) };
            let outcome = run_on(path, &[far], &|_, _| (), Watch::silent()).unwrap().remove(0);
            assert_eq!(outcome.reason, StopReason::Diverged, "{activation} {path:?}");
            assert!(outcome.iterations < 1000);
        }
    }
}

#[test]
fn single_precision_stalls_where_its_digits_end_and_says_so() {
    let data = random_labels(20, 5, 14);
    let job = Job { step: Step::Adaptive(1.0), iterations: 1_000_000, ..published(&data, 20, 15) };
    let single = one(&Job { precision: Precision::Single, tolerance: 0.0, ..job.clone() });
    assert_eq!(single.reason, StopReason::Stalled);
    assert!(single.relative_error < 2.5e-3);
    let double = one(&Job { tolerance: 1e-7, ..job });
    assert_eq!(double.reason, StopReason::RelativeError);
    assert!(double.crossings.iter().all(|crossing| crossing.iteration.is_some()));
}

#[test]
fn every_end_is_reported_once_and_an_interruption_is_obeyed() {
    let data = random_labels(30, 5, 16);
    let jobs: Vec<Job<'_>> =
        (2..12).map(|k| Job { iterations: 50, long_run: true, ..published(&data, k, 17) }).collect();
    let heard = Mutex::new(vec![]);
    let report = |at: usize, outcome: &RunOutcome| heard.lock().unwrap().push((at, outcome.clone()));
    let outcomes = run_each(&jobs, &report, Watch::silent()).unwrap();
    let mut heard = heard.into_inner().unwrap();
    heard.sort_by_key(|(at, _)| *at);
    assert_eq!(heard, outcomes.into_iter().enumerate().collect::<Vec<_>>());
    let flag = AtomicBool::new(true);
    for (outcome, job) in run(&jobs, Watch::silent().interruptible(&flag)).unwrap().iter().zip(&jobs) {
        assert_eq!((outcome.reason, outcome.iterations, &outcome.long_run), (StopReason::Interrupted, 0, &None));
        assert_eq!(outcome.network, job.start);
    }
}

/// Fixed and adaptive, on every path, in both precisions: passes are left in the middle, and what is left is a point
/// that descent came to, not half of one.
#[test]
fn a_long_training_is_left_within_an_iteration_and_at_a_point_of_descent() {
    let data = random_labels(600, 20, 41);
    let activation: Activation = "softplus:10".parse().unwrap();
    for (path, precision, step) in Instructions::available().into_iter().flat_map(|path| {
        let steps = [Step::Fixed(0.1), Step::Adaptive(0.1)];
        PRECISIONS.into_iter().flat_map(move |precision| steps.map(|step| (path, precision, step)))
    }) {
        let network = start(&activation, 60, 20, 0.1, 42);
        let long = Job { precision, step, iterations: usize::MAX, ..job(&data, network) };
        let flag = AtomicBool::new(false);
        let cut = std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                let watch = Watch::silent().interruptible(&flag);
                run_on(path, std::slice::from_ref(&long), &|_, _| (), watch).unwrap().remove(0)
            });
            std::thread::sleep(std::time::Duration::from_millis(30));
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
            running.join().unwrap()
        });
        assert_eq!(cut.reason, StopReason::Interrupted);
        assert!(cut.objective.is_nan() && cut.long_run.is_none());
        let short = Job { iterations: cut.iterations, ..long.clone() };
        let whole = run_on(path, &[short], &|_, _| (), Watch::silent()).unwrap().remove(0);
        assert_eq!((whole.iterations, whole.reason), (cut.iterations, StopReason::Iterations));
        assert_eq!(whole.network, cut.network, "{path:?} {precision:?} {step:?} after {}", cut.iterations);
    }
}

#[test]
fn what_cannot_be_trained_is_refused_before_anything_is() {
    let data = random_labels(10, 3, 18);
    let good = published(&data, 4, 19);
    let refused = |job: Job<'_>, word: &str| {
        let error = run(&[good.clone(), job], Watch::silent()).unwrap_err().to_string();
        assert!(error.contains(word), "{error} does not say {word}");
    };
    let broken = |change: &dyn Fn(&mut Data)| {
        let mut data = data.clone();
        change(&mut data);
        data
    };
    let empty = broken(&|data| *data = data.select(&[]));
    refused(Job { data: &empty, ..good.clone() }, "no rows");
    let narrow = broken(&|data| data.X = Matrix::zeros(10, 0));
    refused(Job { data: &narrow, ..good.clone() }, "input");
    let nan = broken(&|data| data.X[(3, 1)] = f64::NAN);
    refused(Job { data: &nan, ..good.clone() }, "finite");
    let infinite = broken(&|data| data.y[9] = f64::INFINITY);
    refused(Job { data: &infinite, ..good.clone() }, "finite");
    let short = broken(&|data| data.y.truncate(9));
    refused(Job { data: &short, ..good.clone() }, "targets");
    let weightless = broken(&|data| data.weights = Some(vec![0.0; 10]));
    refused(Job { data: &weightless, ..good.clone() }, "finite");
    let other = random_labels(10, 4, 18);
    refused(Job { data: &other, ..good.clone() }, "inputs");
    let with = |change: &dyn Fn(&mut Network)| {
        let mut start = good.start.clone();
        change(&mut start);
        Job { start, ..good.clone() }
    };
    refused(with(&|start| (start.W, start.v) = (Matrix::zeros(0, 3), vec![])), "width");
    refused(with(&|start| start.W[(0, 0)] = f64::NAN), "finite");
    refused(with(&|start| start.v[1] = f64::NEG_INFINITY), "finite");
    refused(with(&|start| start.v.truncate(3)), "output weights");
    refused(with(&|start| start.bias = Some(vec![0.0; 4])), "without biases");
    refused(with(&|start| start.intercept = Some(0.0)), "affine");
    refused(with(&|start| start.activation = Activation::GELU), "gelu");
    refused(with(&|start| start.activation = Activation::ABS), "abs");
    refused(Job { layers: Layers::Output, ..good.clone() }, "Output");
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(Job { step: Step::Fixed(step), ..good.clone() }, "step");
        refused(Job { step: Step::Adaptive(step), ..good.clone() }, "step");
    }
    refused(Job { tolerance: f64::NAN, ..good.clone() }, "tolerance");
    refused(Job { tolerance: -1.0, ..good.clone() }, "tolerance");
    let large = broken(&|data| data.X[(0, 0)] = 1e39);
    refused(Job { data: &large, precision: Precision::Single, ..good.clone() }, "single precision");
    assert!(run(&[Job { data: &large, iterations: 1, ..good.clone() }], Watch::silent()).is_ok());
    assert!(run(&[], Watch::silent()).unwrap().is_empty());
}
