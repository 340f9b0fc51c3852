//! Thousands of small trainings at once.
mod kernel;

/// The precision of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// f64.
    Double,
    /// f32.
    Single,
}

use crate::activation::{Activation, Path};
use crate::linalg::Matrix;
use crate::optimise::Step;

/// Prototype.
pub fn prototype(path: Path, precision: Precision, activation: &Activation, X: &Matrix, y: &[f64], omega: &[f64], W: &Matrix, v: &[f64], step: Step, iterations: usize) -> (Matrix, Vec<f64>, usize) {
    let task = kernel::Task { X, y, omega, activation, W, v, trains_outputs: false, step, iterations, tolerance: 0.0, interrupted: None };
    let ran = kernel::train(path, precision, &task);
    (ran.W, ran.v, ran.iterations)
}
