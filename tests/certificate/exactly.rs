//! The rules of the checker's arithmetic against exact integers.

use serde_json::Value;
use shallows::certificate::{Check, Verdict};
use shallows::random::{Purpose, Stream};
use shallows_verify::Matrix;
use shallows_verify::Monomial;
use shallows_verify::arithmetic::{power_of_two, proves_definite};
use shallows_verify::optimum::basis::Basis;
use shallows_verify::optimum::dual::{Demand, Dual};
use shallows_verify::optimum::function::QuadraticFunction;
use shallows_verify::rows::{ProofRows, Rows};

fn stream(index: u64) -> Stream {
    Stream::new(5, Purpose::Probe, index)
}

fn integer(stream: &mut Stream, most: usize) -> i128 {
    stream.below(2 * most + 1) as i128 - most as i128
}

/// Whether a symmetric matrix of integers is positive definite: fraction-free elimination, no rounding.
fn is_definite(A: &[Vec<i128>]) -> bool {
    let mut A = A.to_vec();
    let d = A.len();
    let mut previous = 1;
    for k in 0..d {
        if A[k][k] <= 0 {
            return false;
        }
        for i in k + 1..d {
            for j in k + 1..d {
                A[i][j] = (A[i][j] * A[k][k] - A[i][k] * A[k][j]) / previous;
            }
        }
        previous = A[k][k];
    }
    true
}

fn floats(A: &[Vec<i128>], scale: f64) -> Matrix {
    Matrix::from_fn(A.len(), A.len(), |i, j| A[i][j] as f64 * scale)
}

/// BᵀB for `rank` random rows of integers.
fn integer_gram(stream: &mut Stream, rank: usize, d: usize, most: usize) -> Vec<Vec<i128>> {
    let B: Vec<Vec<i128>> = (0..rank).map(|_| (0..d).map(|_| integer(stream, most)).collect()).collect();
    (0..d).map(|i| (0..d).map(|j| B.iter().map(|row| row[i] * row[j]).sum()).collect()).collect()
}

#[test]
fn exactly_singular_integer_matrices_are_never_accepted() {
    for index in 0..6000 {
        let mut stream = stream(index);
        let d = 2 + stream.below(5);
        let most = [1, 5, 100, 10_000][stream.below(4)];
        let A = integer_gram(&mut stream, d - 1, d, most);
        let scale = power_of_two(stream.below(400) as i32 - 200);
        assert!(!proves_definite(&floats(&A, scale), 0.0), "{A:?}");
    }
}

#[test]
fn exactly_singular_integer_matrices_of_many_rows_are_never_accepted() {
    for index in 0..300 {
        let mut stream = stream(5_000_000 + index);
        let d = 8 + stream.below(80);
        let most = [1, 5, 100, 10_000][stream.below(4)];
        let rank = d - 1 - stream.below(2);
        let A = integer_gram(&mut stream, rank, d, most);
        let scales: Vec<f64> = (0..d).map(|_| power_of_two(stream.below(40) as i32 - 20)).collect();
        let scaled = Matrix::from_fn(d, d, |i, j| scales[i] * A[i][j] as f64 * scales[j]);
        assert!(!proves_definite(&scaled, 0.0), "{index}");
    }
}

#[test]
fn products_of_exactly_dependent_whole_numbers_are_never_accepted() {
    for index in 0..300 {
        let mut stream = stream(6_000_000 + index);
        let n = 6 + stream.below(30);
        let rows: Vec<Vec<i128>> = (0..n)
            .map(|_| {
                let [a, b] = [0; 2].map(|_| integer(&mut stream, 20));
                // x₃² = x₁² + x₂² in every row.
                vec![a * a - b * b, 2 * a * b, a * a + b * b]
            })
            .collect();
        let pairs: Vec<(usize, usize)> = (0..3).flat_map(|a| (a..3).map(move |b| (a, b))).collect();
        let product = |x: &[i128], (a, b): (usize, usize)| x[a] * x[b];
        let A: Vec<Vec<i128>> = pairs
            .iter()
            .map(|p| pairs.iter().map(|q| rows.iter().map(|x| product(x, *p) * product(x, *q)).sum()).collect())
            .collect();
        assert!(!proves_definite(&floats(&A, power_of_two(-30)), 0.0), "{A:?}");
    }
}

#[test]
fn what_is_accepted_is_definite_by_exact_elimination_and_most_of_what_is_definite_is_accepted() {
    let (mut accepted, mut definite) = (0, 0);
    for index in 0..6000 {
        let mut stream = stream(10_000 + index);
        let d = 1 + stream.below(4);
        let most = [2, 20, 200][stream.below(3)];
        let mut A = integer_gram(&mut stream, d, d, most);
        // One off the diagonal makes nearly singular matrices, definite or not.
        A[d - 1][d - 1] += integer(&mut stream, 1);
        let exact = is_definite(&A);
        let proved = proves_definite(&floats(&A, 1.0), 0.0);
        assert!(exact || !proved, "{A:?}");
        accepted += u32::from(proved);
        definite += u32::from(exact);
    }
    assert!(accepted * 10 > definite * 9, "{accepted} of {definite}");
}

#[test]
fn dual_values_are_below_the_exact_ones_and_close() {
    for index in 0..2000 {
        let mut stream = stream(60_000 + index);
        let n = 1 + stream.below(40);
        let y: Vec<i128> = (0..n).map(|_| integer(&mut stream, 1 << 50)).collect();
        let theta: Vec<i128> = (0..n).map(|_| integer(&mut stream, 1 << 45)).collect();
        let weighted = stream.below(2) == 0;
        // Weights that are powers of two with sum 1 or less are their own normalisation.
        let weights = weighted.then(|| (0..n).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect::<Vec<f64>>());
        let X: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let labels: Vec<f64> = y.iter().map(|y| *y as f64).collect();
        let rows = ProofRows::new(Rows::new(&X, 1, &labels, weights.as_deref()).unwrap(), 1.0).unwrap();
        let kept = rows.n();
        let point: Vec<f64> = theta[..kept].iter().map(|t| *t as f64).collect();
        let dual = Dual::new(&rows, None, Demand::Above, 0.0, &[0]);
        // ω = 1/kept in both cases.
        let twice: i128 = (0..kept).map(|i| -2 * theta[i] * y[i] - kept as i128 * theta[i] * theta[i]).sum();
        let size: i128 = (0..kept).map(|i| (2 * theta[i] * y[i]).abs() + kept as i128 * theta[i] * theta[i]).sum();
        let value = 2.0 * dual.value(&point);
        assert!((value as i128) <= twice, "{value} {twice}");
        assert!(twice as f64 - value <= 1e-13 * size as f64);
    }
}

#[test]
fn a_shift_along_the_weights_is_of_no_use_with_an_intercept() {
    let mut stream = stream(70_000);
    let X: Vec<f64> = (0..40).map(|_| stream.normal()).collect();
    let y: Vec<f64> = (0..20).map(|_| stream.normal()).collect();
    let rows = ProofRows::new(Rows::new(&X, 2, &y, None).unwrap(), 1.0).unwrap();
    let basis = Basis::prove(&rows, &[Monomial::One], 1).unwrap();
    let omega = rows.weighted(&[1.0; 20]);
    // The vector itself is provably far from {1ᵀθ = 0} …
    assert!(basis.distance(&rows, &omega) >= 1.0 - 1e-12);
    // … and what is left of it there is nothing.
    let left = basis.projected(&rows, &omega);
    assert!(left.iter().all(|t| t.abs() < 1e-16), "{left:?}");
    // Used all the same, it proves nothing positive.
    let dual = Dual::new(&rows, Some(basis), Demand::Above, 0.0, &[0, 0]);
    for delta in [1.0, 1e3, 1e6] {
        let theta: Vec<f64> = omega.iter().map(|t| delta * t).collect();
        assert!(dual.lower_bound(&theta, None, None).is_none_or(|bound| bound <= 0.0));
    }
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    let numbers = |value: &Value| value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    value.as_array().unwrap().iter().map(numbers).collect()
}

#[test]
fn the_duality_vectors_are_reproduced() {
    let vectors: Value = serde_json::from_str(include_str!("../references/vectors.json")).unwrap();
    let duality = &vectors["duality"];
    let y: Vec<f64> = duality["y"].as_array().unwrap().iter().map(|y| y.as_f64().unwrap()).collect();
    let X = matrix(&duality["X"]).concat();
    let rows = ProofRows::new(Rows::new(&X, 3, &y, None).unwrap(), 1.0).unwrap();
    let affine = [Monomial::One, Monomial::Input(0), Monomial::Input(1), Monomial::Input(2)];
    for (name, demand, basis) in [
        ("nuclear", Demand::Between, None),
        ("psd", Demand::Above, None),
        ("nuclear_with_intercept_and_linear", Demand::Between, Basis::prove(&rows, &affine, 2)),
    ] {
        let case = &duality[name];
        let number = |key: &str| case[key].as_f64().unwrap();
        let M = matrix(&case["M"]);
        let triangle = M.iter().enumerate().map(|(a, row)| row[..=a].to_vec()).collect();
        let function = QuadraticFunction { M: triangle, b: vec![0.0; 3], c: 0.0, low: None };
        let dual = Dual::new(&rows, basis, demand, number("tau"), &[0; 3]);
        // The scale that is just feasible, less what rounding takes.
        let theta = dual.point_of(&function, 1.0, number("s") * (1.0 - 1e-12));
        let (bound, expected) = (dual.lower_bound(&theta, None, None).unwrap(), number("dual"));
        assert!(bound <= expected * (1.0 + 1e-14) && bound > expected * (1.0 - 1e-10), "{name}: {bound} {expected}");
    }
}

#[test]
fn a_margin_without_an_upper_end_is_not_a_pass() {
    let verdict = |least: f64, most: f64| Check::between("", least, most).verdict();
    assert_eq!(verdict(-5.0, f64::INFINITY), Verdict::Undecided);
    assert_eq!(verdict(0.0, f64::INFINITY), Verdict::Undecided);
    assert_eq!(verdict(f64::NEG_INFINITY, 5.0), Verdict::Undecided);
    assert_eq!(verdict(f64::NEG_INFINITY, f64::INFINITY), Verdict::Undecided);
    assert_eq!(verdict(f64::MAX, f64::MAX), Verdict::Holds);
    assert_eq!(verdict(-f64::MAX, -f64::MAX), Verdict::Fails);
    assert_eq!(verdict(1.0, 2.0), Verdict::Holds);
    assert_eq!(verdict(-1.0, 2.0), Verdict::Undecided);
    assert_eq!(verdict(-2.0, -1.0), Verdict::Fails);
}
