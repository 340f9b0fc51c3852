//! Where the designed objectives lead: G and F to the teacher from every start tried, P' into its spurious minimum.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::support::*;
use shallows::linalg::{Matrix, norm, symmetric_eigenvalues};
use shallows::optimise::{Monitor, Newton, Stop, newton};
use shallows::random::{Purpose, Stream};
use shallows::recover::designed::*;
use shallows::risk::Objective;

fn minimised(objective: &dyn Objective, start: Vec<f64>, seed: u64) -> Vec<f64> {
    let mut monitor = Monitor::new(Stop { gradient: 1e-10, iterations: 500, ..Stop::default() });
    newton(objective, start, &Newton { seed, ..Newton::default() }, &mut monitor)
}

fn start(rows: usize, d: usize, index: u64) -> Vec<f64> {
    let mut stream = Stream::new(31, Purpose::Start, index);
    (0..rows * d).map(|_| stream.normal() / (d as f64).sqrt()).collect()
}

/// The smallest eigenvalue of the Hessian, and the largest size of one.
fn curvatures(objective: &dyn Objective, theta: &[f64]) -> (f64, f64) {
    let n = theta.len();
    let mut H = Matrix::zeros(n, n);
    for i in 0..n {
        let mut direction = vec![0.0; n];
        direction[i] = 1.0;
        objective.hessian_product(theta, &direction, H.row_mut(i));
    }
    let values = symmetric_eigenvalues(&H).unwrap();
    (values[0], values[n - 1].max(-values[0]))
}

#[test]
fn G_leads_to_an_orthonormal_teacher_from_each_of_200_random_starts() {
    let d = 8;
    let sigma = RELU.hermite(5);
    let mut worst = (0.0_f64, 0.0_f64);
    for run in 0..200 {
        let (a, B_star) = (outputs(d, run), orthonormal_rows(d, d, run));
        let (mu, lambda) = (largest_mu(&a), smallest_lambda_orthonormal(&a, sigma[4]));
        let target = Target::of_teacher(&a, &B_star).unwrap();
        let G = Designed::orthonormal(target.clone(), d, sigma[4], mu, lambda).unwrap();
        let end = Matrix::from_vec(d, d, minimised(&G, start(d, d, run), run));
        let scaled = Matrix::from_fn(d, d, |i, j| minimal_row_norm(a[i], sigma[4], mu, lambda) * B_star[(i, j)]);
        let units = read_orthonormal(&target, &end).unwrap();
        let of = |unit: usize| {
            (0..d)
                .max_by(|i, j| overlap(&units, unit, &B_star, *i).total_cmp(&overlap(&units, unit, &B_star, *j)))
                .unwrap()
        };
        let wrong = (0..d).map(|unit| (units.a[unit] - a[of(unit)]).abs()).fold(0.0, f64::max);
        worst = (worst.0.max(worst_row(&end, &scaled)), worst.1.max(wrong));
    }
    println!("rows within {:.1e}, output weights within {:.1e}", worst.0, worst.1);
    assert!(worst.0 < 1e-7 && worst.1 < 1e-7, "{worst:?}");
}

/// |⟨b_unit, b*_i⟩|
fn overlap(units: &Units, unit: usize, B_star: &Matrix, i: usize) -> f64 {
    shallows::linalg::dot(units.B.row(unit), B_star.row(i)).abs()
}

#[test]
fn F_in_whitened_coordinates_leads_to_any_independent_teacher_from_each_of_200_random_starts() {
    let sigma = RELU.hermite(5);
    let mut worst = (0.0_f64, 0.0_f64);
    for run in 0..200 {
        // Every fourth teacher has fewer units than inputs.
        let (d, m) = (8, if run % 4 == 0 { 5 } else { 8 });
        let (a, B_star) = (outputs(m, run), independent_rows(m, d, run));
        let (mu, lambda) = (largest_mu(&a), smallest_lambda_general(&a, sigma[4]));
        let target = Target::of_teacher(&a, &B_star).unwrap();
        let (whitened, whitening) = target.whitened(m).unwrap();
        let F = Designed::general(whitened, m, sigma[4], mu, lambda).unwrap();
        let end = Matrix::from_vec(m, m, minimised(&F, start(m, m, run), run));
        let units = read_general(&whitening.unwhitened(&end), sigma[4], mu, lambda).unwrap();
        worst.0 = worst.0.max(worst_row(&units.B, &B_star));
        let matched = |i: usize| {
            (0..m).max_by(|j, k| overlap(&units, *j, &B_star, i).total_cmp(&overlap(&units, *k, &B_star, i))).unwrap()
        };
        let wrong = (0..m).map(|i| (units.a[matched(i)] - a[i]).abs()).fold(0.0, f64::max);
        worst.1 = worst.1.max(wrong);
    }
    println!("rows within {:.1e}, output weights within {:.1e}", worst.0, worst.1);
    assert!(worst.0 < 1e-6 && worst.1 < 1e-6, "{worst:?}");
}

#[test]
fn whitening_turns_F_into_itself_and_shrinkage_clears_the_complement_of_the_span() {
    let (d, m) = (6, 4);
    let (a, B_star) = (outputs(m, 7), independent_rows(m, d, 7));
    let sigma = RELU.hermite(5);
    let (mu, lambda) = (largest_mu(&a), smallest_lambda_general(&a, sigma[4]));
    let target = Target::of_teacher(&a, &B_star).unwrap();
    let (whitened, whitening) = target.whitened(m).unwrap();
    let I = Matrix::identity(m);
    let off =
        whitened.second().as_slice().iter().zip(I.as_slice()).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 1e-13, "{off:e}");
    let outside = Designed::general(target.clone(), m, sigma[4], mu, lambda).unwrap();
    let inside = Designed::general(whitened, m, sigma[4], mu, lambda).unwrap();
    let B = normal_matrix(m, m, 40);
    let (left, right) =
        (inside.value(B.as_slice()).objective, outside.value(whitening.unwhitened(&B).as_slice()).objective);
    assert!((left - right).abs() < 1e-12 * right.abs(), "{left} and {right}");
    // Without the term the complement is free; with a little of it the end is read as the teacher, up to the term.
    let F = outside.with_shrinkage(1e-6).unwrap();
    let end = Matrix::from_vec(m, d, minimised(&F, start(m, d, 7), 7));
    let units = read_general(&end, sigma[4], mu, lambda).unwrap();
    assert!(worst_row(&units.B, &B_star) < 1e-4, "{:e}", worst_row(&units.B, &B_star));
}

/// The teacher e_1, …, e_4 with output weights (1, 2 + δ, 2 + δ, 2 + δ), and the point that is a spurious minimum of P'.
fn spurious(delta: f64) -> (Target, Vec<f64>) {
    let a = [1.0, 2.0 + delta, 2.0 + delta, 2.0 + delta];
    let half = 0.5_f64.sqrt();
    let B =
        Matrix::from_rows(&[[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, half, half]]);
    (Target::of_teacher(&a, &Matrix::identity(4)).unwrap(), B.into_vec())
}

#[test]
fn the_pairs_alone_have_a_spurious_minimum_exactly_when_the_other_output_weights_are_more_than_twice_the_first() {
    for (delta, stays) in [(0.3, true), (-0.3, false)] {
        let (target, B) = spurious(delta);
        let P = Designed::pairs(target, 4);
        let P = UnitRows::of(&P, 0, 4);
        assert_eq!(P.value(&B).objective, 2.0);
        let mut gradient = vec![0.0; 16];
        P.gradient(&B, &mut gradient);
        assert!(norm(&gradient) < 1e-15);
        let (least, size) = curvatures(&P, &B);
        println!("δ = {delta}: smallest curvature {least:.3e} of {size:.3e}");
        assert_eq!(least > -1e-14 * size, stays, "{least:e}");
        for run in 0..20 {
            let mut stream = Stream::new(32, Purpose::Start, run);
            let mut near = B.clone();
            let push: Vec<f64> = (0..16).map(|_| stream.normal()).collect();
            near.iter_mut().zip(&push).for_each(|(b, p)| *b += 0.01 * p / norm(&push));
            let end = P.value(&minimised(&P, near, run)).objective;
            let wanted = if stays { 2.0 } else { 0.0 };
            assert!((end - wanted).abs() < 1e-6, "δ = {delta}, run {run}: {end}");
        }
    }
}

#[test]
fn at_the_spurious_minimum_of_the_pairs_G_goes_down_to_the_teacher() {
    let (target, B) = spurious(0.3);
    let a = [1.0, 2.3, 2.3, 2.3];
    let sigma = RELU.hermite(5);
    let (mu, lambda) = (largest_mu(&a), smallest_lambda_orthonormal(&a, sigma[4]));
    let G = Designed::orthonormal(target, 4, sigma[4], mu, lambda).unwrap();
    for run in 0..20 {
        let mut stream = Stream::new(33, Purpose::Start, run);
        let near: Vec<f64> = B.iter().map(|b| b + 0.001 * stream.normal()).collect();
        let end = Matrix::from_vec(4, 4, minimised(&G, near, run));
        let scaled =
            Matrix::from_fn(4, 4, |i, j| if i == j { minimal_row_norm(a[i], sigma[4], mu, lambda) } else { 0.0 });
        assert!(worst_row(&end, &scaled) < 1e-7, "run {run}: {:e}", worst_row(&end, &scaled));
    }
    // Along the turn of the last row, (e_4 − e_3)/√2, nothing but −12μc₂a x² is left of the curvature: x² = ½.
    let c_2 = sigma[4].abs() / (2.0 * 6.0_f64.sqrt());
    let (least, _) = curvatures(&G, &B);
    assert!((least + 6.0 * mu * c_2 * 2.3).abs() < 1e-14, "{least:e}");
}
