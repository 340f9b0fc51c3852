//! Plant a network, train another on its data, and watch the relative error cross a ladder of tolerances.
//!
//! `cargo run --release --example 02_teach`

// W is a matrix, as in every formula.
#![allow(non_snake_case)]

use shallows::data::teacher::{Hidden, Outputs, Teacher};
use shallows::error::Result;
use shallows::linalg::Matrix;
use shallows::network::{Layers, Network};
use shallows::optimise::{Levenberg, Monitor, Stop, levenberg};
use shallows::random::{Purpose, Stream};
use shallows::risk::{Decay, EmpiricalRisk};

fn main() -> Result<()> {
    let (n, d, k) = (100, 10, 20);
    let teacher = Teacher::plant("softplus".parse()?, (k, d), &Hidden::Gaussian, &Outputs::Ones, 7)?;
    let data = teacher.sample(0..n)?;

    let mut stream = Stream::new(7, Purpose::Start, 0);
    let W = Matrix::from_fn(k, d, |_, _| stream.normal() / (d as f64).sqrt());
    let v = (0..k).map(|_| stream.sign()).collect();
    let student = Network::new(teacher.network.activation.clone(), W, v)?;

    let risk = EmpiricalRisk::new(&data, &student, Layers::Both, Decay::None)?;
    let mut monitor = Monitor::new(Stop { relative_error: 1e-12, iterations: 200, ..Stop::default() });
    let theta = levenberg(&risk, student.parameters(Layers::Both), &Levenberg::default(), &mut monitor);
    let trace = monitor.into_trace();
    for crossing in &trace.crossings {
        println!("relative error {:7.1e}: iteration {:?}", crossing.tolerance, crossing.iteration);
    }
    println!("{} iterations; stopped: {}", trace.iterations, trace.reason.words());
    assert!(trace.crossings.iter().all(|crossing| crossing.iteration.is_some()), "the student fits its samples");

    let fresh = teacher.sample(n..n + 1000)?;
    let f = risk.network_at(&theta).predict(&fresh.X)?;
    let miss: f64 = f.iter().zip(&fresh.y).map(|(f, y)| (f - y).powi(2)).sum();
    let rmse = (miss / 1000.0).sqrt();
    println!("100 samples do not determine 220 weights: RMSE on fresh samples {rmse:.3}");
    assert!(rmse > 0.01, "what interpolates 100 samples is not the teacher");
    Ok(())
}
