//! Stochastic gradient descent on fresh samples of the teacher of Ge, Lee and Ma: B* = I, a* = 1, relu, no noise.

use super::study_runs::{Meter, times};
use crate::activation::{Activation, Kinked};
use crate::data::teacher::{Design, Hidden, Outputs, Teacher};
use crate::error::Result;
use crate::linalg::{Matrix, add_scaled, norm};
use crate::network::{Layers, Network};
use crate::random::{Purpose, Stream};
use crate::risk::{Decay, EmpiricalRisk, Objective};

/// Steps and for how many iterations each is kept.
pub(super) type Schedule = Vec<(f64, usize)>;

/// What is seen of a run at one iteration.
pub(super) struct Observation {
    pub iteration: usize,
    /// What the study follows: the risk E r², or what it or G exceeds its least value by.
    pub objective: f64,
    /// e
    pub error: f64,
}

/// The teacher of this many inputs and units; the seed is that of its samples.
pub(super) fn teacher(d: usize, seed: u64) -> Result<Teacher> {
    let activation = Activation::Kinked(Kinked::Relu);
    let teacher = Teacher::plant(activation, (d, d), &Hidden::Given(Matrix::identity(d)), &Outputs::Ones, seed)?;
    Ok(Teacher { design: Design::Gaussian, ..teacher })
}

/// d rows with independent entries N(0, 1/d).
pub(super) fn start(d: usize, seed: u64, run: u64) -> Matrix {
    let mut stream = Stream::new(seed, Purpose::Start, run);
    Matrix::from_fn(d, d, |_, _| stream.normal() / (d as f64).sqrt())
}

/// The rows at length 1.
pub(super) fn normalise(rows: &mut [f64], d: usize) {
    for row in rows.chunks_exact_mut(d.max(1)) {
        let length = norm(row);
        row.iter_mut().for_each(|x| *x /= length);
    }
}

/// The step of every iteration.
fn steps(schedule: &Schedule) -> impl Iterator<Item = f64> {
    schedule.iter().flat_map(|(step, count)| std::iter::repeat_n(*step, *count))
}

/// How many iterations there are.
pub(super) fn length(schedule: &Schedule) -> usize {
    schedule.iter().map(|(_, count)| count).sum()
}

/// Follow B ← B − η·slope(t, B) through a schedule; `observe` sees the iterations of [`times`] and says whether to continue. Ends
/// early on Ctrl-C.
pub(super) fn follow(
    mut B: Matrix,
    schedule: &Schedule,
    meter: &Meter<'_>,
    mut slope: impl FnMut(usize, &Matrix) -> Result<Vec<f64>>,
    mut after: impl FnMut(&mut Matrix),
    mut observe: impl FnMut(usize, &Matrix) -> bool,
) -> Result<Matrix> {
    let seen = times(length(schedule));
    let mut next = 0;
    for (t, step) in steps(schedule).chain([0.0]).enumerate() {
        if seen.get(next) == Some(&t) {
            next += 1;
            if !observe(t, &B) {
                break;
            }
        }
        if step == 0.0 || meter.is_over() {
            break;
        }
        let gradient = slope(t, &B)?;
        add_scaled(B.as_mut_slice(), -step, &gradient);
        after(&mut B);
        meter.add(1);
    }
    Ok(B)
}

/// The gradient of the mean of r² in W on batch t of a teacher's samples; a step of r² is twice one of ½r².
pub(super) fn batch_slope(teacher: &Teacher, student: &Network, batch: usize, t: usize) -> Result<Vec<f64>> {
    let first = (t * batch) as u64;
    let data = teacher.sample(first..first + batch as u64)?;
    let risk = EmpiricalRisk::new(&data, student, Layers::Hidden, Decay::None)?;
    let theta = student.parameters(Layers::Hidden);
    let mut gradient = vec![0.0; theta.len()];
    risk.gradient(&theta, &mut gradient);
    gradient.iter_mut().for_each(|g| *g *= 2.0);
    Ok(gradient)
}
