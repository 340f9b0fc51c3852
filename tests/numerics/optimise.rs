//! The optimisers: where theory says where they must end, they end there.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::{Activation, Smooth};
use shallows::data::Data;
use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::linalg::{Matrix, dot, norm};
use shallows::network::{Layers, Network};
use shallows::optimise::*;
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk, Objective};
use shallows::watch::Watch;

fn softplus() -> Activation {
    Activation::Smooth(Smooth::Softplus { sharpness: 1.0 })
}

fn planted(activation: Activation, (n, d, k): (u64, usize, usize), seed: u64) -> Data {
    let teacher = Teacher::plant(activation, (k, d), &Hidden::Gaussian, &Outputs::Ones, seed).unwrap();
    teacher.sample(0..n).unwrap()
}

fn random_network(activation: Activation, (k, d): (usize, usize), seed: u64) -> Network {
    let mut stream = Stream::new(seed, Purpose::Start, 0);
    let W = Matrix::from_fn(k, d, |_, _| stream.normal() / (d as f64).sqrt());
    let v = (0..k).map(|_| stream.sign()).collect();
    Network::new(activation, W, v).unwrap()
}

fn stop() -> Stop {
    Stop { gradient: 1e-11, iterations: 200_000, ..Stop::default() }
}

/// Ridge regression of the output layer: strongly convex, one minimiser.
#[test]
fn every_optimiser_agrees_on_a_convex_problem() {
    let data = planted(softplus(), (200, 5, 3), 1);
    let mut network = random_network(softplus(), (8, 5), 2);
    network.intercept = Some(0.0);
    let (layers, decay) = (Layers::Output, Decay::Weights(0.05));
    let risk = EmpiricalRisk::new(&data, &network, layers, decay).unwrap();
    let start = network.parameters(layers);
    let eta = theoretical_step(&network, &data, layers).unwrap() / 1.1;
    let mut ends = vec![
        ("lbfgs", lbfgs(&risk, start.clone(), &Lbfgs::default(), &mut Monitor::new(stop()))),
        ("newton", newton(&risk, start.clone(), &Newton::default(), &mut Monitor::new(stop()))),
        (
            "descent",
            descent(&risk, start.clone(), &GradientDescent { step: Step::Fixed(eta) }, &mut Monitor::new(stop())),
        ),
        ("adaptive", descent(&risk, start.clone(), &GradientDescent::default(), &mut Monitor::new(stop()))),
    ];
    for form in [SystemForm::Residuals, SystemForm::Parameters] {
        let options = Levenberg { form, ..Levenberg::default() };
        ends.push(("levenberg", levenberg(&risk, start.clone(), &options, &mut Monitor::new(stop()))));
    }
    // One batch holds all rows: stochastic descent is then descent, in a shuffled order of summation.
    let options = Sgd { step: eta, batch: 200, ..Sgd::default() };
    let end = sgd(SampleSource::Data(&data), &network, (layers, decay), &options, &mut Monitor::new(stop())).unwrap();
    ends.push(("sgd", end.parameters(layers)));
    let (_, best) = &ends[1];
    for (name, end) in &ends {
        let difference: Vec<f64> = end.iter().zip(best).map(|(a, b)| a - b).collect();
        assert!(norm(&difference) < 1e-8 * norm(best), "{name}: {:e}", norm(&difference) / norm(best));
    }
}

#[test]
fn levenberg_interpolates_planted_softplus_from_twenty_seeds() {
    for seed in 0..20 {
        let data = planted(softplus(), (100, 10, 20), seed);
        let network = random_network(softplus(), (20, 10), 1000 + seed);
        let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
        let mut monitor =
            Monitor::new(Stop { gradient: 0.0, relative_error: 1e-11, iterations: 500, ..Stop::default() });
        let end = levenberg(&risk, network.parameters(Layers::Both), &Levenberg::default(), &mut monitor);
        let error = risk.value(&end).relative_error;
        assert!(error < 1e-10, "seed {seed}: {error:e}, {:?}", monitor.into_trace().reason);
    }
}

#[test]
fn the_two_forms_of_levenberg_take_the_same_steps() {
    for (n, decay) in [(30, Decay::None), (30, Decay::Weights(0.01)), (90, Decay::Weights(0.01))] {
        let data = planted(softplus(), (n, 4, 3), 5);
        let mut network = random_network(softplus(), (10, 4), 6);
        network.bias = Some(vec![0.1; 10]);
        let risk = EmpiricalRisk::new(&data, &network, Layers::Both, decay).unwrap();
        let ends = [SystemForm::Residuals, SystemForm::Parameters].map(|form| {
            let mut monitor = Monitor::new(Stop { iterations: 4, ..Stop::default() });
            levenberg(&risk, network.parameters(Layers::Both), &Levenberg { form, damping: 1e-3 }, &mut monitor)
        });
        let difference: Vec<f64> = ends[0].iter().zip(&ends[1]).map(|(a, b)| a - b).collect();
        assert!(norm(&difference) < 1e-7 * norm(&ends[0]), "{n} rows, {decay:?}: {:e}", norm(&difference));
    }
}

#[test]
fn newton_leaves_the_saddle_at_zero_of_a_quadratic_network_and_descent_does_not() {
    let data = planted(Activation::SQUARE, (60, 4, 3), 7);
    let network = Network::new(Activation::SQUARE, Matrix::zeros(6, 4), vec![1.0; 6]).unwrap();
    let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
    let start = network.parameters(Layers::Hidden);
    let stuck = descent(&risk, start.clone(), &GradientDescent::default(), &mut Monitor::new(stop()));
    assert_eq!(stuck, start);
    // A tolerance of 0 asks for no less.
    for stop in [stop(), Stop { gradient: 0.0, ..stop() }] {
        let end = newton(&risk, start.clone(), &Newton::default(), &mut Monitor::new(stop));
        let error = risk.value(&end).relative_error;
        assert!(error < 1e-6, "{error:e}");
    }
}

#[test]
fn newton_ends_at_once_where_there_is_nothing_to_train() {
    let data = planted(softplus(), (20, 3, 2), 1);
    let network = Network::affine(softplus(), 0.0, vec![0.0; 3]);
    let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
    let mut monitor = Monitor::new(stop());
    assert!(newton(&risk, vec![], &Newton::default(), &mut monitor).is_empty());
}

#[test]
fn newton_accepts_zero_where_it_is_the_minimum() {
    // All labels negative and all output weights positive: W = 0 is the global minimiser.
    let mut data = planted(Activation::SQUARE, (60, 4, 3), 7);
    data.y.iter_mut().for_each(|y| *y = -*y);
    let network = Network::new(Activation::SQUARE, Matrix::zeros(6, 4), vec![1.0; 6]).unwrap();
    let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
    let mut monitor = Monitor::new(stop());
    let end = newton(&risk, network.parameters(Layers::Hidden), &Newton::default(), &mut monitor);
    assert!(end.iter().all(|w| *w == 0.0));
    assert_eq!(monitor.into_trace().reason, StopReason::Gradient);
}

#[test]
fn adaptive_descent_never_rises_and_the_trace_shows_it() {
    let data = planted(softplus(), (80, 6, 4), 8);
    let network = random_network(softplus(), (12, 6), 9);
    let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
    let mut monitor = Monitor::new(Stop { iterations: 2000, ..Stop::default() });
    let start = network.parameters(Layers::Both);
    let end = descent(&risk, start.clone(), &GradientDescent { step: Step::Adaptive(100.0) }, &mut monitor);
    let trace = monitor.into_trace();
    assert!(trace.records.windows(2).all(|pair| pair[1].objective <= pair[0].objective));
    let moved: Vec<f64> = end.iter().zip(&start).map(|(a, b)| a - b).collect();
    let last = trace.records.last().unwrap();
    assert!((last.distance - norm(&moved)).abs() < 1e-12 && last.path >= last.distance);
    assert!(trace.crossings[0].iteration.is_some());
}

#[test]
fn a_fixed_step_that_is_too_long_is_reported_as_diverged() {
    let data = planted(Activation::SQUARE, (80, 6, 4), 8);
    let network = random_network(Activation::SQUARE, (12, 6), 9);
    let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
    let mut monitor = Monitor::new(stop());
    descent(&risk, network.parameters(Layers::Hidden), &GradientDescent { step: Step::Fixed(10.0) }, &mut monitor);
    assert_eq!(monitor.into_trace().reason, StopReason::Diverged);
}

#[test]
fn descent_with_the_theoretical_step_never_rises() {
    let data = planted(softplus(), (50, 6, 4), 10);
    for activation in [softplus(), "relu".parse().unwrap()] {
        let mut network = random_network(activation, (12, 6), 11);
        network.bias = Some(vec![0.3; 12]);
        let eta = theoretical_step(&network, &data, Layers::Hidden).unwrap();
        let risk = EmpiricalRisk::new(&data, &network, Layers::Hidden, Decay::None).unwrap();
        let mut monitor = Monitor::new(Stop { iterations: 500, ..Stop::default() });
        descent(&risk, network.parameters(Layers::Hidden), &GradientDescent { step: Step::Fixed(eta) }, &mut monitor);
        let trace = monitor.into_trace();
        assert!(trace.records.windows(2).all(|pair| pair[1].objective <= pair[0].objective));
    }
}

#[test]
fn the_theoretical_step_is_refused_where_there_is_none() {
    let data = planted(softplus(), (50, 6, 4), 10);
    let square = random_network(Activation::SQUARE, (3, 6), 11);
    assert!(theoretical_step(&square, &data, Layers::Hidden).is_err());
    assert!(theoretical_step(&random_network(softplus(), (3, 6), 11), &data, Layers::Both).is_err());
}

#[test]
fn sgd_on_fresh_samples_learns_the_teacher() {
    let teacher = Teacher::plant(softplus(), (3, 4), &Hidden::Orthogonal, &Outputs::Ones, 12).unwrap();
    let mut network = random_network(softplus(), (8, 4), 13);
    network.intercept = Some(0.0);
    let options = Sgd { step: 0.05, halving: 20_000.0, batch: 16, seed: 1 };
    let test = teacher.sample((1 << 50)..(1 << 50) + 5000).unwrap();
    let before = EmpiricalRisk::new(&test, &network, Layers::Both, Decay::None).unwrap();
    let mut monitor = Monitor::new(Stop { gradient: 0.0, iterations: 30_000, ..Stop::default() });
    let end =
        sgd(SampleSource::Teacher(&teacher), &network, (Layers::Both, Decay::None), &options, &mut monitor).unwrap();
    let start_error = before.value(&network.parameters(Layers::Both)).relative_error;
    let end_error = before.value(&end.parameters(Layers::Both)).relative_error;
    assert!(end_error < 0.05 && end_error < start_error / 10.0, "{start_error} → {end_error}");
    assert_eq!(monitor.into_trace().iterations, 30_000);
}

#[test]
fn single_sample_sgd_lowers_the_loss_of_a_table() {
    let data = planted(softplus(), (300, 4, 3), 14);
    let network = random_network(softplus(), (6, 4), 15);
    let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
    let options = Sgd { step: 0.02, batch: 1, ..Sgd::default() };
    let mut monitor = Monitor::new(Stop { gradient: 0.0, iterations: 9_000, ..Stop::default() });
    let end = sgd(SampleSource::Data(&data), &network, (Layers::Both, Decay::None), &options, &mut monitor).unwrap();
    let error = risk.value(&end.parameters(Layers::Both)).relative_error;
    assert!(error < 0.05, "{error}");
}

#[test]
fn the_path_of_sgd_is_that_of_its_steps_and_not_of_its_epochs() {
    let data = planted(softplus(), (300, 4, 3), 14);
    let network = random_network(softplus(), (6, 4), 15);
    let options = Sgd { step: 0.02, batch: 1, ..Sgd::default() };
    let mut monitor = Monitor::new(Stop { gradient: 0.0, iterations: 300, ..Stop::default() });
    sgd(SampleSource::Data(&data), &network, (Layers::Both, Decay::None), &options, &mut monitor).unwrap();
    let trace = monitor.into_trace();
    let last = trace.records.last().unwrap();
    assert_eq!((trace.records.len(), last.iteration), (2, 300));
    assert!(last.path > 1.5 * last.distance, "{} and {}", last.path, last.distance);
}

#[test]
fn lbfgs_reaches_a_gradient_of_1e_8_on_a_planted_problem() {
    let data = planted(softplus(), (2000, 20, 10), 16);
    let network = random_network(softplus(), (10, 20), 17);
    let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
    let mut monitor = Monitor::new(Stop { gradient: 1e-8, iterations: 5000, ..Stop::default() });
    let end = lbfgs(&risk, network.parameters(Layers::Both), &Lbfgs::default(), &mut monitor);
    let mut gradient = vec![0.0; end.len()];
    risk.gradient(&end, &mut gradient);
    assert!(dot(&gradient, &gradient).sqrt() <= 1e-8, "{:?}", monitor.into_trace().reason);
}

#[test]
fn an_interrupted_run_returns_what_it_has() {
    let flag = std::sync::atomic::AtomicBool::new(true);
    let data = planted(softplus(), (50, 4, 3), 18);
    let network = random_network(softplus(), (6, 4), 19);
    let risk = EmpiricalRisk::new(&data, &network, Layers::Both, Decay::None).unwrap();
    let mut monitor = Monitor::new(Stop::default()).watched(Watch::silent().interruptible(&flag));
    let start = network.parameters(Layers::Both);
    assert_eq!(lbfgs(&risk, start.clone(), &Lbfgs::default(), &mut monitor), start);
    assert_eq!(monitor.into_trace().reason, StopReason::Interrupted);
}
