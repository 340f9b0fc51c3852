//! The rules of the trusted core against exact integers.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod exactly {

    use serde_json::Value;

    use crate::certificate::arithmetic::rows::ProofRows;
    use crate::certificate::arithmetic::{CompensatedSum, power_of_two, proves_definite, two_product};
    use crate::certificate::optimum::basis::{Basis, Monomial};
    use crate::certificate::optimum::dependence::independent;
    use crate::certificate::optimum::dual::{Demand, Dual};
    use crate::certificate::proposal::candidates;
    use crate::convex::{self, Cone, Limits, Program};
    use crate::data::Data;
    use crate::linalg::Matrix;
    use crate::random::{Purpose, Stream};

    fn stream(index: u64) -> Stream {
        Stream::new(5, Purpose::Probe, index)
    }

    fn integer(stream: &mut Stream, most: usize) -> i128 {
        stream.below(2 * most + 1) as i128 - most as i128
    }

    fn data(X: Matrix, y: Vec<f64>, weights: Option<Vec<f64>>) -> Data {
        let names = (1..=X.cols()).map(|j| format!("x{j}")).collect();
        Data::builder(X, y).names(names).weights(weights).build().unwrap()
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
    fn the_radius_is_subtracted_and_nothing_that_is_not_a_number_passes() {
        for index in 0..500 {
            let mut stream = stream(20_000 + index);
            let d = 2 + stream.below(4);
            let mut A = integer_gram(&mut stream, d - 1, d, 50);
            let shift = 1 + stream.below(1000) as i128;
            (0..d).for_each(|i| A[i][i] += shift);
            // λ_min = shift exactly: a ball of that radius reaches a singular matrix.
            assert!(!proves_definite(&floats(&A, 1.0), shift as f64));
            assert!(proves_definite(&floats(&A, 1.0), 0.5 * shift as f64));
        }
        for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            assert!(!proves_definite(&Matrix::from_rows(&[[1.0, 0.0], [0.0, bad]]), 0.0));
            assert!(!proves_definite(&Matrix::from_rows(&[[bad]]), 0.0));
        }
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(!proves_definite(&Matrix::identity(2), bad));
        }
        assert!(!proves_definite(&Matrix::from_rows(&[[1.0, f64::NAN], [f64::NAN, 1.0]]), 0.0));
        assert!(!proves_definite(&floats(&[vec![1, 1], vec![1, 1]], 1e-320), 0.0));
    }

    #[test]
    fn compensated_sums_enclose_the_exact_value_under_cancellation() {
        for index in 0..3000 {
            let mut stream = stream(30_000 + index);
            let n = 1 + stream.below(60);
            let mut terms: Vec<(i128, i128)> =
                (0..n).map(|_| (integer(&mut stream, 1 << 50), integer(&mut stream, 1 << 50))).collect();
            // Cancel nearly everything.
            let mirrored: Vec<(i128, i128)> = terms.iter().map(|(a, b)| (-a, b + integer(&mut stream, 1))).collect();
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
        for index in 0..2000 {
            let mut stream = stream(40_000 + index);
            let [a, b, c] = [0; 3].map(|_| integer(&mut stream, 1 << 42));
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
        for index in 0..400 {
            let mut stream = stream(50_000 + index);
            let (n, d) = ([1, 7, 64, 65, 300][stream.below(5)], 1 + stream.below(4));
            let X: Vec<Vec<i128>> = (0..n).map(|_| (0..d).map(|_| integer(&mut stream, 1 << 26)).collect()).collect();
            let mut theta: Vec<i128> = (0..n).map(|_| integer(&mut stream, 1 << 50)).collect();
            if n > 1 {
                theta[n - 1] = -theta[0];
            }
            let scale = [1e-8, 1.0, 1e8].map(|s: f64| s.log2().round() as i32)[stream.below(3)];
            let Xf = Matrix::from_fn(n, d, |i, j| X[i][j] as f64 * power_of_two(scale));
            let table = data(Xf, vec![0.0; n], None);
            let rows = ProofRows::new(&table, 1.0);
            let ball = rows.outer_sum(&theta.iter().map(|t| *t as f64).collect::<Vec<_>>());
            let unscale = power_of_two(-2 * scale);
            let mut worst: f64 = 0.0;
            for a in 0..d {
                for b in 0..d {
                    let exact: i128 = (0..n).map(|i| theta[i] * X[i][a] * X[i][b]).sum();
                    let found = ball.center[(a, b)] * unscale;
                    worst = worst.max(((exact - found as i128) as f64).abs());
                }
            }
            assert!(worst <= ball.radius * unscale, "{worst:e} {:e}", ball.radius * unscale);
        }
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
            let table = data(Matrix::from_fn(n, 1, |i, _| i as f64), y.iter().map(|y| *y as f64).collect(), weights);
            let rows = ProofRows::new(&table, 1.0);
            let kept = rows.n();
            let point: Vec<f64> = theta[..kept].iter().map(|t| *t as f64).collect();
            let dual = Dual::new(&rows, Demand::Above, None, 0.0, &[0]);
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
        let X = Matrix::from_fn(20, 2, |_, _| stream.normal());
        let y: Vec<f64> = (0..20).map(|_| stream.normal()).collect();
        let table = data(X, y, None);
        let rows = ProofRows::new(&table, 1.0);
        let basis = Basis::of(&rows, vec![Monomial::One]).unwrap();
        let omega = rows.weighted(&[1.0; 20]);
        // The vector itself is provably far from {1ᵀθ = 0} …
        assert!(basis.distance(&rows, &omega) >= 1.0 - 1e-12);
        // … and what is left of it there is nothing.
        let left = basis.projected(&rows, &omega);
        assert!(left.iter().all(|t| t.abs() < 1e-16), "{left:?}");
        // Used all the same, it proves nothing positive.
        let dual = Dual::new(&rows, Demand::Above, Some(basis), 0.0, &[0, 0]);
        for delta in [1.0, 1e3, 1e6] {
            let theta: Vec<f64> = omega.iter().map(|t| delta * t).collect();
            assert!(dual.lower_bound(&theta).is_none_or(|bound| bound <= 0.0));
        }
    }

    #[test]
    fn only_exact_dependence_drops_columns() {
        let mut stream = stream(80_000);
        let n = 60;
        let base: Vec<[f64; 2]> =
            (0..n).map(|_| [stream.below(1000) as f64 / 8.0, stream.below(1000) as f64 / 8.0]).collect();
        let table = |error: f64| {
            let third = |i: usize| (base[i][0] - 3.0 * base[i][1] + 7.0) / 2.0 + if i == n - 1 { error } else { 0.0 };
            let X = Matrix::from_fn(n, 3, |i, j| if j < 2 { base[i][j] } else { third(i) });
            data(X, vec![0.0; n], None)
        };
        let (on, off) = (table(0.0), table(1e-12));
        let exact = ProofRows::new(&on, 1.0).balanced();
        let affine = [Monomial::One, Monomial::Input(0), Monomial::Input(1), Monomial::Input(2)];
        assert_eq!(independent(&exact, &affine).len(), 3);
        assert_eq!(independent(&ProofRows::new(&off, 1.0).balanced(), &affine).len(), 4);
        assert!(Basis::of(&exact, affine.to_vec()).is_some());
        // Without an intercept the constant 7 is out of reach.
        assert_eq!(independent(&exact, &affine[1..]).len(), 3);
    }

    #[test]
    fn columns_of_few_values_are_counted() {
        let mut stream = stream(90_000);
        let n = 50;
        let X = Matrix::from_fn(n, 2, |_, j| if j == 0 { f64::from(stream.below(2) == 0) } else { stream.normal() });
        let table = data(X, vec![0.0; n], None);
        let rows = ProofRows::new(&table, 1.0).balanced();
        let mut columns = vec![Monomial::One, Monomial::Input(0), Monomial::Input(1)];
        columns.extend([Monomial::Product(0, 0), Monomial::Product(0, 1), Monomial::Product(1, 1)]);
        assert_eq!(Basis::of(&rows, columns).unwrap().columns.len(), 5);
    }

    fn duality_vectors() -> (Value, Data) {
        let vectors: Value = serde_json::from_str(include_str!("../../tests/references/vectors.json")).unwrap();
        let duality = vectors["duality"].clone();
        let y = duality["y"].as_array().unwrap().iter().map(|y| y.as_f64().unwrap()).collect();
        let table = data(matrix(&duality["X"]), y, None);
        (duality, table)
    }

    fn matrix(value: &Value) -> Matrix {
        let numbers =
            |value: &Value| value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
        Matrix::from_rows(&value.as_array().unwrap().iter().map(numbers).collect::<Vec<_>>())
    }

    /// xᵢᵀMxᵢ − yᵢ
    fn residuals(M: &Matrix, rows: &ProofRows<'_>) -> Vec<f64> {
        let d = rows.d();
        let value = |x: &[f64]| (0..d).map(|a| (0..d).map(|b| M[(a, b)] * x[a] * x[b]).sum::<f64>()).sum::<f64>();
        (0..rows.n()).map(|i| value(rows.X.row(i)) - rows.y[i]).collect()
    }

    #[test]
    fn the_duality_vectors_are_reproduced() {
        let (duality, table) = duality_vectors();
        let rows = ProofRows::new(&table, 1.0);
        let affine = || vec![Monomial::One, Monomial::Input(0), Monomial::Input(1), Monomial::Input(2)];
        for (name, demand, basis) in [
            ("nuclear", Demand::Between, None),
            ("psd", Demand::Above, None),
            ("nuclear_with_intercept_and_linear", Demand::Between, Basis::of(&rows, affine())),
        ] {
            let case = &duality[name];
            let r = residuals(&matrix(&case["M"]), &rows);
            let dual = Dual::new(&rows, demand, basis, case["tau"].as_f64().unwrap(), &[0; 3]);
            let bound = candidates::best(&dual, &[r]).unwrap();
            let expected = case["dual"].as_f64().unwrap();
            assert!(
                bound <= expected * (1.0 + 1e-14) && bound > expected * (1.0 - 1e-10),
                "{name}: {bound} {expected}"
            );
        }
    }

    #[test]
    fn without_a_penalty_the_shift_along_ones_is_that_of_the_duality_vectors() {
        let (duality, table) = duality_vectors();
        let rows = ProofRows::new(&table, 1.0);
        let case = &duality["psd_tau0_shift"];
        let number = |name: &str| case[name].as_f64().unwrap();
        let r = residuals(&matrix(&case["M"]), &rows);
        let n = rows.n() as f64;
        let primal = r.iter().map(|r| r * r).sum::<f64>() / (2.0 * n);
        assert!((primal / number("primal") - 1.0).abs() < 1e-14);

        let theta = rows.weighted(&r);
        let ones = vec![1.0; rows.n()];
        let delta = candidates::shift(&rows, &theta, &ones).unwrap();
        let expected = number("delta_shift_along_ones");
        // From above, as close as the search for it goes.
        assert!(delta >= expected * (1.0 - 1e-12) && delta < 1.002 * expected, "{delta} {expected}");

        // There the best scale is not positive, so that nothing but P ≥ 0 follows.
        let dual = Dual::new(&rows, Demand::Above, None, 0.0, &[0; 3]);
        let moved: Vec<f64> = theta.iter().map(|t| t + delta).collect();
        assert_eq!(candidates::best_scale(&dual, &moved).unwrap().max(0.0), number("s"));
        assert_eq!(dual.lower_bound(&moved).map_or(0.0, |bound| bound.max(0.0)), number("dual"));

        let cone = Cone::Positive;
        let program = Program { data: &table, cone, decay: 0.0, linear: false, intercept: false };
        let optimum =
            convex::solve(&program, &Limits::default(), crate::watch::Watch::silent()).unwrap().state.objective;
        let bound = candidates::best(&dual, &[r]).unwrap_or(0.0);
        assert!(bound <= optimum * (1.0 + 1e-12), "{bound} {optimum}");
    }
}

#[cfg(test)]
mod verdicts {
    use crate::certificate::{Check, Verdict};

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
}
