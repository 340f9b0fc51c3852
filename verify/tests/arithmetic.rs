//! Factorisations and sums against exact whole numbers.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

mod exact;

use exact::Numbers;
use shallows_verify::arithmetic::{CompensatedSum, power_of_two, proves_definite, two_product};
use shallows_verify::rows::ProofRows;
use shallows_verify::{Matrix, Rows};

/// Whether a symmetric matrix of whole numbers is positive definite: fraction-free elimination, no rounding.
fn is_definite(A: &[Vec<i128>]) -> bool {
    let mut A = A.to_vec();
    let (d, mut previous) = (A.len(), 1);
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

/// BᵀB for `rank` rows of whole numbers.
fn gram(numbers: &mut Numbers, rank: usize, d: usize, most: i64) -> Vec<Vec<i128>> {
    let B: Vec<Vec<i128>> = (0..rank).map(|_| (0..d).map(|_| i128::from(numbers.next(most))).collect()).collect();
    (0..d).map(|i| (0..d).map(|j| B.iter().map(|row| row[i] * row[j]).sum()).collect()).collect()
}

#[test]
fn exactly_singular_matrices_are_never_accepted() {
    for seed in 0..6000 {
        let mut numbers = Numbers::new(seed);
        let (d, most) = (2 + numbers.below(5), [1, 5, 100, 10_000][numbers.below(4)]);
        let A = gram(&mut numbers, d - 1, d, most);
        let scale = power_of_two(numbers.below(400) as i32 - 200);
        assert!(!proves_definite(&floats(&A, scale), 0.0), "{A:?}");
    }
}

#[test]
fn exactly_singular_matrices_of_many_rows_are_never_accepted() {
    for seed in 0..300 {
        let mut numbers = Numbers::new(5_000_000 + seed);
        let (d, most) = (8 + numbers.below(80), [1, 5, 100, 10_000][numbers.below(4)]);
        let rank = d - 1 - numbers.below(2);
        let A = gram(&mut numbers, rank, d, most);
        let scales: Vec<f64> = (0..d).map(|_| power_of_two(numbers.below(40) as i32 - 20)).collect();
        let scaled = Matrix::from_fn(d, d, |i, j| scales[i] * A[i][j] as f64 * scales[j]);
        assert!(!proves_definite(&scaled, 0.0), "{seed}");
    }
}

#[test]
fn what_is_accepted_is_definite_and_most_of_what_is_definite_is_accepted() {
    let (mut accepted, mut definite) = (0, 0);
    for seed in 0..6000 {
        let mut numbers = Numbers::new(10_000 + seed);
        let (d, most) = (1 + numbers.below(4), [2, 20, 200][numbers.below(3)]);
        let mut A = gram(&mut numbers, d, d, most);
        // One off the diagonal makes nearly singular matrices, definite or not.
        A[d - 1][d - 1] += i128::from(numbers.next(1));
        let (exact, proved) = (is_definite(&A), proves_definite(&floats(&A, 1.0), 0.0));
        assert!(exact || !proved, "{A:?}");
        accepted += u32::from(proved);
        definite += u32::from(exact);
    }
    assert!(accepted * 10 > definite * 9, "{accepted} of {definite}");
}

#[test]
fn the_radius_is_subtracted_and_nothing_that_is_not_a_number_passes() {
    for seed in 0..500 {
        let mut numbers = Numbers::new(20_000 + seed);
        let d = 2 + numbers.below(4);
        let mut A = gram(&mut numbers, d - 1, d, 50);
        let shift = 1 + numbers.below(1000) as i128;
        (0..d).for_each(|i| A[i][i] += shift);
        // λ_min = shift exactly: a ball of that radius reaches a singular matrix.
        assert!(!proves_definite(&floats(&A, 1.0), shift as f64));
        assert!(proves_definite(&floats(&A, 1.0), 0.5 * shift as f64));
    }
    let with = |corner: f64, beside: f64| Matrix::from_fn(2, 2, |i, j| if i != j { beside } else { [1.0, corner][i] });
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        assert!(!proves_definite(&with(bad, 0.0), 0.0));
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(!proves_definite(&with(1.0, 0.0), bad));
    }
    assert!(!proves_definite(&with(1.0, f64::NAN), 0.0));
    assert!(!proves_definite(&floats(&[vec![1, 1], vec![1, 1]], 1e-320), 0.0));
}

#[test]
fn compensated_sums_enclose_the_exact_value_under_cancellation() {
    for seed in 0..3000 {
        let mut numbers = Numbers::new(30_000 + seed);
        let count = 1 + numbers.below(60);
        let mut whole = || i128::from(numbers.next(1 << 25)) << 25;
        let mut terms: Vec<(i128, i128)> = (0..count).map(|_| (whole() + 1, whole() + 3)).collect();
        // Cancel nearly everything.
        let mirrored: Vec<(i128, i128)> = terms.iter().map(|(a, b)| (-a, b + i128::from(numbers.next(1)))).collect();
        terms.extend(mirrored);
        let exact: i128 = terms.iter().map(|(a, b)| a * b).sum();
        let mut sum = CompensatedSum::default();
        terms.iter().for_each(|(a, b)| sum.add_product(*a as f64, *b as f64));
        let (high, low, error) = sum.wide();
        assert!((exact - high as i128 - low as i128).abs() as f64 <= error + 1.0);
        assert!(sum.down() as i128 <= exact + 1 && exact - 1 <= sum.up() as i128);
        assert!(sum.abs_up() >= exact.abs() as f64 * (1.0 - 1e-15));
    }
}

#[test]
fn wide_products_keep_both_parts() {
    for seed in 0..2000 {
        let mut numbers = Numbers::new(40_000 + seed);
        let [a, b, c] = [0; 3].map(|_| (i128::from(numbers.next(1 << 21)) << 21) + 1);
        let mut sum = CompensatedSum::default();
        sum.add_wide_product(two_product(a as f64, b as f64), c as f64);
        sum.add_wide_product(two_product(-a as f64, c as f64), (b - 1) as f64);
        // abc − ac(b − 1) = ac.
        let exact = (a * c) as f64;
        assert!(sum.down() <= exact && exact <= sum.up() || (a * c).abs() > 1 << 53);
        let (value, error) = sum.value();
        assert!((value - exact).abs() <= error + exact.abs() * 1e-15);
    }
}

#[test]
fn outer_sums_lie_within_their_radius() {
    for seed in 0..400 {
        let mut numbers = Numbers::new(50_000 + seed);
        let (n, d) = ([1, 7, 64, 65, 300][numbers.below(5)], 1 + numbers.below(4));
        let X: Vec<i128> = (0..n * d).map(|_| i128::from(numbers.next(1 << 26))).collect();
        let mut theta: Vec<i128> = (0..n).map(|_| (i128::from(numbers.next(1 << 25)) << 25) + 1).collect();
        if n > 1 {
            theta[n - 1] = -theta[0];
        }
        let scale = [-27, 0, 27][numbers.below(3)];
        let scaled: Vec<f64> = X.iter().map(|x| *x as f64 * power_of_two(scale)).collect();
        let labels = vec![0.0; n];
        let rows = ProofRows::new(Rows::new(&scaled, d, &labels, None).expect("sound rows"), 1.0).expect("some count");
        let ball = rows.outer_sum(&theta.iter().map(|t| *t as f64).collect::<Vec<_>>());
        let unscale = power_of_two(-2 * scale);
        for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
            let exact: i128 = (0..n).map(|i| theta[i] * X[i * d + a] * X[i * d + b]).sum();
            let off = ((exact - (ball.center[(a, b)] * unscale) as i128) as f64).abs();
            assert!(off <= ball.radius * unscale, "{off:e} {:e}", ball.radius * unscale);
        }
    }
}
