//! What activations let moments see, and the output weights and signs that follow from moments and from samples.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::references::{matrix, vector, vectors};
use shallows::activation::{Activation, Smooth};
use shallows::linalg::{Matrix, dot, norm};
use shallows::random::{Purpose, Stream};
use shallows::recover::{
    Information, OddPart, RecoveryOutlook, Refusal, SignsFrom, TeacherRows, from_first_moment, from_samples,
    from_second_moment,
};

fn random(rows: usize, cols: usize, index: u64) -> Matrix {
    let mut stream = Stream::new(73, Purpose::Teacher, index);
    Matrix::from_fn(rows, cols, |_, _| stream.normal())
}

fn unit_rows(rows: usize, cols: usize, index: u64) -> Matrix {
    let B = random(rows, cols, index);
    Matrix::from_fn(rows, cols, |i, j| B[(i, j)] / norm(B.row(i)))
}

/// Σ a_i σ(b_i·x) for every row x.
fn labels(activation: &Activation, X: &Matrix, B: &Matrix, a: &[f64]) -> Vec<f64> {
    let mut phi = vec![0.0; a.len()];
    let label = |i: usize| {
        activation.values(&B.times_vector(X.row(i)), &mut phi);
        dot(&phi, a)
    };
    (0..X.rows()).map(label).collect()
}

/// Every row with another sign, as a search for directions may find it.
fn with_signs(B: &Matrix, signs: &[f64]) -> Matrix {
    Matrix::from_fn(B.rows(), B.cols(), |i, j| signs[i] * B[(i, j)])
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance), "{found:?} is not {expected:?}");
}

#[test]
fn each_activation_has_its_outlook() {
    use RecoveryOutlook::{Directions, Refused};
    for (name, expected) in [
        ("relu", Directions(SignsFrom::FirstMoment)),
        ("leaky-relu", Directions(SignsFrom::FirstMoment)),
        ("softplus", Directions(SignsFrom::FirstMoment)),
        ("gelu", Directions(SignsFrom::FirstMoment)),
        ("abs", Directions(SignsFrom::Nothing)),
        ("cos", Directions(SignsFrom::Nothing)),
        ("hermite:0,0,1,0,1", Directions(SignsFrom::Nothing)),
        ("hermite:0,0,1,1,1", Directions(SignsFrom::Regression)),
        ("quadratic", Refused(Refusal::Quadratic)),
        ("quadratic:1.0,0.5,0.0", Refused(Refusal::Quadratic)),
        ("leaky-relu:1.0", Refused(Refusal::Affine)),
        ("hermite:1,1", Refused(Refusal::Affine)),
        ("tanh", Refused(Refusal::Odd)),
        ("erf", Refused(Refusal::Odd)),
        ("sigmoid", Refused(Refusal::Odd)),
        ("hermite:0.5,1,0,0.25", Refused(Refusal::Odd)),
        ("hermite:0,1,1,1", Refused(Refusal::NoFourthDegree)),
        ("hermite:0,1,0,1,1", Refused(Refusal::NoSecondDegree)),
        ("hermite:0,1,0,1,0,0,1", Refused(Refusal::NoEvenDegree)),
        // Exact, but beneath what a coefficient is computed to.
        ("hermite:0,1,1,1,1e-16", Refused(Refusal::NoFourthDegree)),
    ] {
        let found = Information::of(&name.parse::<Activation>().unwrap());
        assert_eq!(found.outlook, expected, "{name}");
        if let Refused(refusal) = found.outlook {
            assert!(!refusal.reason().is_empty() && !refusal.reason().contains(". "), "{name}");
        }
    }
}

#[test]
fn odd_plus_linear_is_odd_and_refused() {
    // erf z + z up to degree 13: the "erf plus linear".
    let mut coefficients = Activation::ERF.hermite(14);
    coefficients[1] += 1.0;
    let activation = Activation::hermite_series(coefficients).unwrap();
    assert_eq!(Information::of(&activation).outlook, RecoveryOutlook::Refused(Refusal::Odd));
}

#[test]
fn coefficients_are_those_of_the_reference_and_what_vanishes_is_exactly_zero() {
    let found = Information::of(&Activation::RELU);
    let table = [0.3989422804014327, 0.5, 0.28209479177387814, 0.0, -0.08143375198381998];
    assert_close(&found.coefficients, &table, 1e-16);
    for activation in Activation::examples() {
        let found = Information::of(&activation);
        let all = activation.hermite(5);
        for r in 0..5 {
            assert!((found.coefficient(r) - all[r]).abs() <= found.negligible);
            assert!(found.coefficient(r) == 0.0 || found.coefficient(r).abs() > found.negligible);
        }
        let both = found.coefficient(2) != 0.0 && found.coefficient(4) != 0.0;
        assert_eq!(both, matches!(found.outlook, RecoveryOutlook::Directions(_)), "{activation}");
    }
}

#[test]
fn the_odd_part_is_what_it_is_said_to_be() {
    let z: Vec<f64> = (1..40).map(|i| 0.1 * f64::from(i)).collect();
    let minus: Vec<f64> = z.iter().map(|z| -z).collect();
    let (mut right, mut left) = (vec![0.0; z.len()], vec![0.0; z.len()]);
    for activation in Activation::examples() {
        activation.values(&z, &mut right);
        activation.values(&minus, &mut left);
        let slopes: Vec<f64> = (0..z.len()).map(|i| (right[i] - left[i]) / (2.0 * z[i])).collect();
        let scale = right.iter().chain(&left).fold(1.0_f64, |most, x| most.max(x.abs()));
        let (zero, constant) = (
            slopes.iter().all(|s| s.abs() < 1e-13 * scale),
            slopes.iter().all(|s| (s - slopes[0]).abs() < 1e-13 * scale),
        );
        let expected = match (zero, constant) {
            (true, _) => OddPart::Zero,
            (_, true) => OddPart::Linear,
            _ => OddPart::Curved,
        };
        assert_eq!(Information::of(&activation).odd_part, expected, "{activation}");
    }
}

#[test]
fn refused_networks_really_have_twins() {
    let X = random(30, 2, 1);
    let rotation = Matrix::from_rows(&[[0.6, 0.8], [-0.8, 0.6]]);
    let square = |B: &Matrix| labels(&Activation::SQUARE, &X, B, &[1.0, 1.0]);
    assert_close(&square(&Matrix::identity(2)), &square(&rotation), 1e-12);
    // An affine activation: 0.6e₁ + 0.8e₂ is one unit or two.
    let line = Activation::Smooth(Smooth::Quadratic { alpha: 0.0, beta: 2.0, gamma: 0.0 });
    assert_eq!(Information::of(&line).outlook, RecoveryOutlook::Refused(Refusal::Affine));
    let two = labels(&line, &X, &Matrix::identity(2), &[0.6, 0.8]);
    assert_close(&two, &labels(&line, &X, &Matrix::from_rows(&[[0.6, 0.8]]), &[1.0]), 1e-12);
}

#[test]
fn population_moments_of_the_reference_give_its_output_weights_and_signs() {
    let reference = &vectors()["glm_F"];
    let (B_star, a_star) = (matrix(&reference["Bstar_unit_rows"]), vector(&reference["astar"]));
    let hermite = Activation::RELU.hermite(3);
    let B = with_signs(&B_star, &[-1.0, 1.0, -1.0]);
    let mean_yx = vector(&reference["population_E[yx]"]);
    let found = from_first_moment(&B, TeacherRows::Independent, &mean_yx, hermite[1]).unwrap();
    assert_close(&found.a, &a_star, 1e-10);
    assert_eq!(found.B, B_star);
    let second = matrix(&reference["population_M2=E[y(xx^T-I)]"]);
    let M = Matrix::from_fn(3, 3, |i, j| second[(i, j)] / (2.0_f64.sqrt() * hermite[2]));
    assert_close(&from_second_moment(&B, &M).unwrap(), &a_star, 1e-10);
    assert_close(M.as_slice(), matrix(&reference["M"]).as_slice(), 1e-10);
}

#[test]
fn output_weights_of_either_sign_come_from_the_second_moment_also_with_more_units_than_inputs() {
    for (m, d) in [(3, 6), (6, 4), (1, 1)] {
        let B = unit_rows(m, d, 10 + m as u64);
        let a: Vec<f64> = (0..m).map(|i| if i % 2 == 0 { 1.0 + i as f64 } else { -0.5 }).collect();
        let M = Matrix::from_fn(d, d, |i, j| (0..m).map(|k| a[k] * B[(k, i)] * B[(k, j)]).sum());
        assert_close(&from_second_moment(&B, &M).unwrap(), &a, 1e-11);
    }
    let twice = Matrix::from_rows(&[[0.6, 0.8], [-0.6, -0.8]]);
    assert!(from_second_moment(&twice, &Matrix::identity(2)).is_err());
    assert!(from_second_moment(&twice, &Matrix::identity(3)).is_err());
}

/// b_i = e_i + shift·(1, …, 1)/√m, at length 1: the rows, and how far they are from e_i.
fn leaning(m: usize, shift: f64) -> (Matrix, f64) {
    let each = shift / (m as f64).sqrt();
    let leaned = Matrix::from_fn(m, m, |i, j| each + if i == j { 1.0 } else { 0.0 });
    let B = Matrix::from_fn(m, m, |i, j| leaned[(i, j)] / norm(leaned.row(i)));
    let away: Vec<f64> = (0..m).map(|j| B[(0, j)] - if j == 0 { 1.0 } else { 0.0 }).collect();
    (B, norm(&away))
}

fn worst_error(B: &Matrix, rows: TeacherRows, a_star: &[f64]) -> f64 {
    let mean_yx: Vec<f64> = a_star.iter().map(|a| 0.5 * a).collect();
    let found = from_first_moment(B, rows, &mean_yx, 0.5).unwrap();
    found.a.iter().zip(a_star).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

#[test]
fn an_error_in_orthonormal_rows_costs_at_most_the_length_of_a_and_more_than_its_largest_entry() {
    let a_star = [1.0; 16];
    let (B, delta) = leaning(16, 0.1);
    let error = worst_error(&B, TeacherRows::Orthonormal, &a_star);
    // The printed bound δ·max a* = δ is broken, the corrected one δ‖a*‖₂ = 4δ holds.
    assert!(delta < 0.101 && error > 3.5 * delta && error <= 4.0 * delta, "{error} {delta}");
    for trial in 0..200 {
        let noise = random(6, 6, 100 + trial);
        let leaned = Matrix::from_fn(6, 6, |i, j| 0.05 * noise[(i, j)] + if i == j { 1.0 } else { 0.0 });
        let B = Matrix::from_fn(6, 6, |i, j| leaned[(i, j)] / norm(leaned.row(i)));
        let distance = |i: usize| norm(&(0..6).map(|j| B[(i, j)] - if i == j { 1.0 } else { 0.0 }).collect::<Vec<_>>());
        let delta = (0..6).map(distance).fold(0.0, f64::max);
        let a_star: Vec<f64> = (0..6).map(|i| 1.0 + 0.2 * i as f64).collect();
        assert!(worst_error(&B, TeacherRows::Orthonormal, &a_star) <= delta * norm(&a_star) + 1e-14);
    }
}

#[test]
fn the_least_squares_form_does_not_share_that_bound_but_has_its_own() {
    let a_star = [1.0; 16];
    let (B, delta) = leaning(16, -0.1);
    let error = worst_error(&B, TeacherRows::Independent, &a_star);
    assert!(error > delta * norm(&a_star), "{error} {delta}");
    // B = (I − (0.1/4)·11ᵀ)/length: its smallest singular value is (1 − 0.4)/length.
    let smallest = (1.0 - 0.4) * B[(0, 0)] / (1.0 - 0.1 / 4.0);
    assert!(error <= delta * 16.0 / smallest);
    // With exact rows both are exact.
    for rows in [TeacherRows::Orthonormal, TeacherRows::Independent] {
        assert!(worst_error(&Matrix::identity(16), rows, &a_star) < 1e-15);
    }
}

#[test]
fn the_first_moment_of_samples_gives_output_weights_up_to_their_noise() {
    let (m, d, n) = (3, 5, 200_000);
    let (B_star, a_star) = (unit_rows(m, d, 20), [1.0, 2.0, 1.5]);
    let X = random(n, d, 21);
    for activation in [Activation::RELU, "softplus".parse().unwrap(), Activation::GELU] {
        let y = labels(&activation, &X, &B_star, &a_star);
        let mean_yx: Vec<f64> = (0..d).map(|j| (0..n).map(|i| y[i] * X[(i, j)]).sum::<f64>() / n as f64).collect();
        let B = with_signs(&B_star, &[1.0, -1.0, -1.0]);
        let first = activation.hermite(2)[1];
        let found = from_first_moment(&B, TeacherRows::Independent, &mean_yx, first).unwrap();
        assert_eq!(found.B, B_star);
        assert_close(&found.a, &a_star, 0.15);
    }
}

#[test]
fn regression_on_both_signs_finds_them_with_output_weights_of_either_sign() {
    let (m, d, n) = (4, 6, 4000);
    let (B_star, a_star) = (unit_rows(m, d, 30), [1.0, -2.0, 1.5, 0.25]);
    let signs = [-1.0, 1.0, -1.0, 1.0];
    let X = random(n, d, 31);
    for name in ["relu", "leaky-relu", "softplus", "gelu", "hermite:0,0,1,1,1", "hermite:0,0.5,1,0,1"] {
        let activation: Activation = name.parse().unwrap();
        let y = labels(&activation, &X, &B_star, &a_star);
        let found = from_samples(&X, &y, &with_signs(&B_star, &signs), &activation).unwrap();
        assert_eq!(found.B, B_star, "{name}");
        assert_close(&found.a, &a_star, 1e-9);
    }
    for name in ["abs", "cos"] {
        let activation: Activation = name.parse().unwrap();
        let y = labels(&activation, &X, &B_star, &a_star);
        let found = from_samples(&X, &y, &with_signs(&B_star, &signs), &activation).unwrap();
        assert_eq!(found.B, with_signs(&B_star, &signs), "{name}");
        assert_close(&found.a, &a_star, 1e-9);
    }
}

#[test]
fn dependent_units_and_other_shapes_are_errors() {
    let X = random(50, 2, 40);
    let y = vec![1.0; 50];
    let twice = Matrix::from_rows(&[[1.0, 0.0], [1.0, 0.0]]);
    assert!(from_samples(&X, &y, &twice, &Activation::RELU).is_err());
    assert!(from_first_moment(&twice, TeacherRows::Independent, &[1.0, 1.0], 0.5).is_err());
    // Three units in the plane: the signs of a relu cannot all be read off.
    assert!(from_samples(&X, &y, &unit_rows(3, 2, 41), &Activation::RELU).is_err());
    assert!(from_first_moment(&unit_rows(3, 2, 41), TeacherRows::Independent, &[1.0, 1.0], 0.5).is_err());
    let B = Matrix::identity(2);
    assert!(from_samples(&X, &y[1..], &B, &Activation::RELU).is_err());
    assert!(from_samples(&X, &y, &Matrix::identity(3), &Activation::RELU).is_err());
    assert!(from_samples(&X, &[f64::NAN; 50], &B, &Activation::RELU).is_err());
    assert!(from_first_moment(&B, TeacherRows::Independent, &[1.0], 0.5).is_err());
    assert!(from_first_moment(&B, TeacherRows::Independent, &[1.0, 1.0], 0.0).is_err());
    assert!(from_first_moment(&B, TeacherRows::Orthonormal, &[1.0, f64::NAN], 0.5).is_err());
}
