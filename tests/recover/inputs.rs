//! Tests of Gaussian inputs are right about Gaussians and see what is not Gaussian; whitening goes back and forth.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::error::{DataProblem, Error, RecoverProblem};
use shallows::linalg::{Matrix, dot, gram, norm};
use shallows::random::{Purpose, Stream};
use shallows::recover::{InputTests, MOST_SKEWNESS_INPUTS, Whitening, input_tests};

fn filled(n: usize, d: usize, index: u64, draw: impl Fn(&mut Stream, usize) -> f64) -> Matrix {
    let mut stream = Stream::new(71, Purpose::Inputs, index);
    Matrix::from_fn(n, d, |_, j| draw(&mut stream, j))
}

fn gaussian(n: usize, d: usize, index: u64) -> Matrix {
    filled(n, d, index, |stream, _| stream.normal())
}

/// Every x as Ax + c, with an A that mixes all inputs.
fn affine(X: &Matrix) -> Matrix {
    let d = X.cols();
    let A = Matrix::from_fn(d, d, |i, j| if i == j { 2.0 + i as f64 } else { 0.5 / (1 + i + 2 * j) as f64 });
    Matrix::from_fn(X.rows(), d, |i, j| dot(A.row(j), X.row(i)) + 3.0 - j as f64)
}

/// Of `trials` independent p-values at most `level` are to be counted binomially; four standard deviations are allowed.
fn assert_uniform(name: &str, p: &[f64], levels: &[f64]) {
    let trials = p.len() as f64;
    for level in levels {
        let rate = p.iter().filter(|p| *p < level).count() as f64 / trials;
        let deviation = (level * (1.0 - level) / trials).sqrt();
        assert!((rate - level).abs() < 4.0 * deviation, "{name}: {rate} rejected at {level}");
    }
}

#[test]
fn p_values_of_gaussian_inputs_are_uniform() {
    let tests: Vec<InputTests> = (0..500).map(|seed| input_tests(&gaussian(1200, 4, seed)).unwrap()).collect();
    let levels = [0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9];
    let all = |p: &dyn Fn(&InputTests) -> f64| tests.iter().map(p).collect::<Vec<f64>>();
    assert_uniform("mean", &all(&|test| test.mean.p), &levels);
    assert_uniform("covariance", &all(&|test| test.covariance.p), &levels);
    assert_uniform("skewness", &all(&|test| test.skewness.unwrap().p), &levels);
    assert_uniform("kurtosis", &all(&|test| test.kurtosis.p), &levels);
}

#[test]
fn mean_and_covariance_are_judged_rightly_with_a_third_as_many_inputs_as_rows() {
    let tests: Vec<InputTests> = (0..600).map(|seed| input_tests(&gaussian(60, 20, 1000 + seed)).unwrap()).collect();
    let levels = [0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9];
    assert_uniform("mean", &tests.iter().map(|test| test.mean.p).collect::<Vec<_>>(), &levels);
    assert_uniform("covariance", &tests.iter().map(|test| test.covariance.p).collect::<Vec<_>>(), &levels);
}

#[test]
fn shape_tests_reject_gaussians_in_small_samples_no_more_often_than_documented() {
    let tests: Vec<InputTests> = (0..600).map(|seed| input_tests(&gaussian(50, 5, 2000 + seed)).unwrap()).collect();
    // Documented: about 7 in 100 at 5 %. 0.07 and four standard deviations of 600 trials.
    let most = 0.07 + 4.0 * (0.07_f64 * 0.93 / 600.0).sqrt();
    for p in [|test: &InputTests| test.skewness.unwrap().p, |test: &InputTests| test.kurtosis.p] {
        let rate = tests.iter().filter(|test| p(test) < 0.05).count() as f64 / 600.0;
        assert!(rate < most, "{rate}");
    }
}

const LEVEL: f64 = 1e-3;

#[test]
fn inputs_that_are_not_gaussian_are_rejected_by_the_test_for_what_is_wrong() {
    let laplace = |stream: &mut Stream| -stream.sign() * (1.0 - stream.uniform()).ln() / 2.0_f64.sqrt();
    let student5 = |stream: &mut Stream| {
        let chi: f64 = (0..5).map(|_| stream.normal().powi(2)).sum();
        stream.normal() / (chi / 5.0).sqrt() * 0.6_f64.sqrt()
    };
    let (n, d) = (2000, 4);
    let uniform = filled(n, d, 1, |stream, _| 12.0_f64.sqrt() * (stream.uniform() - 0.5));
    let two_valued = filled(n, d, 2, |stream, j| if j == 2 { stream.sign() } else { stream.normal() });
    for (name, X) in [
        ("uniform", uniform),
        ("laplace", filled(n, d, 3, |stream, _| laplace(stream))),
        ("t5", filled(n, d, 4, |stream, _| student5(stream))),
        ("a column of signs", two_valued),
    ] {
        let test = input_tests(&X).unwrap();
        assert!(test.kurtosis.rejects(LEVEL) && !test.gaussian(LEVEL) && !test.standard(LEVEL), "{name}: {test:?}");
        assert!(test.objections(LEVEL).contains(&"the tails of the inputs are not those of a Gaussian"), "{name}");
    }
    let exponential = filled(n, d, 5, |stream, _| -(1.0 - stream.uniform()).ln() - 1.0);
    assert!(input_tests(&exponential).unwrap().skewness.unwrap().rejects(LEVEL));
}

#[test]
fn shifted_and_correlated_gaussians_are_gaussian_but_not_standard() {
    let X = gaussian(800, 3, 6);
    let plain = input_tests(&X).unwrap();
    assert!(plain.standard(LEVEL) && plain.objections(LEVEL).is_empty(), "{plain:?}");
    let shifted = input_tests(&Matrix::from_fn(800, 3, |i, j| X[(i, j)] + if j == 1 { 0.25 } else { 0.0 })).unwrap();
    assert!(shifted.gaussian(LEVEL) && shifted.mean.rejects(LEVEL) && !shifted.covariance.rejects(LEVEL));
    let mixed = |i: usize, j: usize| if j == 0 { 0.96 * X[(i, 0)] + 0.28 * X[(i, 1)] } else { X[(i, j)] };
    let correlated = input_tests(&Matrix::from_fn(800, 3, mixed)).unwrap();
    assert!(correlated.gaussian(LEVEL) && !correlated.mean.rejects(LEVEL) && correlated.covariance.rejects(LEVEL));
}

#[test]
fn what_has_the_first_four_moments_of_a_gaussian_passes() {
    // ±√3 with probability 1/6 each, else 0: skewness 0, kurtosis 3. A test refutes; it does not prove.
    let three = |stream: &mut Stream| match stream.below(6) {
        0 => 3.0_f64.sqrt(),
        1 => -(3.0_f64.sqrt()),
        _ => 0.0,
    };
    assert!(input_tests(&filled(3000, 4, 7, |stream, _| three(stream))).unwrap().standard(LEVEL));
}

#[test]
fn mardias_statistics_agree_with_their_definition_and_do_not_change_under_affine_maps() {
    let X = filled(40, 5, 8, |stream, _| stream.normal() + stream.uniform().powi(2));
    let found = input_tests(&X).unwrap();
    let Z = Whitening::of(&X).unwrap().whitened(&X).unwrap();
    let g = Z.times(&Z.transposed());
    let b1 = g.as_slice().iter().map(|g| g.powi(3)).sum::<f64>() / 1600.0;
    let b2 = (0..40).map(|i| g[(i, i)].powi(2)).sum::<f64>() / 40.0;
    assert!((found.skewness.unwrap().statistic / b1 - 1.0).abs() < 1e-12);
    assert!((found.kurtosis.statistic / b2 - 1.0).abs() < 1e-12);
    let moved = input_tests(&affine(&X)).unwrap();
    assert!((moved.skewness.unwrap().p / found.skewness.unwrap().p - 1.0).abs() < 1e-9);
    assert!((moved.kurtosis.p / found.kurtosis.p - 1.0).abs() < 1e-9);
    assert!(moved.mean.rejects(1e-9) && moved.covariance.rejects(1e-9));
}

#[test]
fn mean_and_covariance_statistics_agree_with_their_definition() {
    let X = affine(&gaussian(30, 2, 9));
    let found = input_tests(&X).unwrap();
    let mean: Vec<f64> = (0..2).map(|j| X.column(j).iter().sum::<f64>() / 30.0).collect();
    let centred = Matrix::from_fn(30, 2, |i, j| X[(i, j)] - mean[j]);
    let S = gram(&centred);
    let [a, b, c] = [S[(0, 0)], S[(0, 1)], S[(1, 1)]].map(|s| s / 29.0);
    let determinant = a * c - b * b;
    let T2 = 30.0 * (c * mean[0] * mean[0] - 2.0 * b * mean[0] * mean[1] + a * mean[1] * mean[1]) / determinant;
    assert!((found.mean.statistic / T2 - 1.0).abs() < 1e-12);
    let u = 29.0 * (a + c - determinant.ln() - 2.0);
    assert!((found.covariance.statistic / u - 1.0).abs() < 1e-12);
}

#[test]
fn many_inputs_leave_the_skewness_out_and_say_so() {
    let d = MOST_SKEWNESS_INPUTS + 1;
    let test = input_tests(&gaussian(3 * d, d, 10)).unwrap();
    assert!(test.skewness.is_none() && test.kurtosis.p > LEVEL);
}

#[test]
fn the_tests_have_the_same_bits_on_one_and_three_threads() {
    let X = gaussian(5000, 7, 11);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (input_tests(&X).unwrap(), Whitening::of(&X).unwrap().whitened(&X).unwrap()))
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn inputs_that_cannot_be_looked_at_are_refused_by_name() {
    let X = gaussian(20, 3, 12);
    let with = |column: usize, value: &dyn Fn(usize) -> f64| {
        input_tests(&Matrix::from_fn(20, 3, |i, j| if j == column { value(i) } else { X[(i, j)] }))
    };
    let constant = with(1, &|_| 0.1).unwrap_err();
    assert!(matches!(constant, Error::Recover(RecoverProblem::ConstantInput { column: 1, .. })), "{constant}");
    let dependent = with(2, &|i| 1e6 * X[(i, 0)] - 3.0 * X[(i, 1)] + 7.0).unwrap_err();
    assert!(matches!(dependent, Error::Recover(RecoverProblem::DependentInput { column: 2 })), "{dependent}");
    let nan = with(0, &|i| if i == 4 { f64::NAN } else { X[(i, 0)] }).unwrap_err();
    assert!(matches!(nan, Error::Data(DataProblem::NotFinite { row: 4, .. })), "{nan}");
    let huge = with(0, &|i| 1e200 * X[(i, 0)]).unwrap_err();
    assert!(matches!(huge, Error::NotFinite { .. }), "{huge}");
    let few = input_tests(&gaussian(4, 3, 13)).unwrap_err();
    assert!(matches!(few, Error::Recover(RecoverProblem::TooFewRows { rows: 4, needed: 5, .. })), "{few}");
    assert!(few.hint().is_some() && input_tests(&gaussian(5, 3, 13)).is_ok());
    assert!(input_tests(&Matrix::zeros(5, 0)).is_err() && input_tests(&Matrix::zeros(0, 2)).is_err());
}

#[test]
fn whitened_inputs_have_mean_zero_and_covariance_one_also_far_from_zero_and_on_other_scales() {
    let X = gaussian(400, 4, 14);
    let scale = [1e-6, 1.0, 1e4, 1e8];
    let raw = Matrix::from_fn(400, 4, |i, j| scale[j] * (X[(i, j)] + 0.5 * X[(i, 0)] + 1e4));
    let Z = Whitening::of(&raw).unwrap().whitened(&raw).unwrap();
    let covariance = gram(&Z);
    for i in 0..4 {
        assert!((Z.column(i).iter().sum::<f64>() / 400.0).abs() < 1e-10);
        for j in 0..4 {
            let expected = if i == j { 1.0 } else { 0.0 };
            assert!((covariance[(i, j)] / 400.0 - expected).abs() < 1e-9, "{i} {j}");
        }
    }
}

#[test]
fn weights_go_to_raw_coordinates_and_back() {
    let X = affine(&gaussian(50, 3, 15));
    let B = gaussian(2, 3, 16);
    let sigma = Matrix::from_rows(&[[4.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]]);
    let given = Whitening::given(vec![1.0, -2.0, 0.5], &sigma).unwrap();
    for whitening in [Whitening::of(&X).unwrap(), given, Whitening::identity(3)] {
        let Z = whitening.whitened(&X).unwrap();
        let (W, u) = whitening.raw_weights(&B).unwrap();
        for i in 0..50 {
            for j in 0..2 {
                let (there, here) = (dot(B.row(j), Z.row(i)), dot(W.row(j), X.row(i)) + u[j]);
                assert!((there - here).abs() < 1e-12 * (1.0 + norm(X.row(i)) * norm(W.row(j))));
            }
        }
        let (back, offsets) = whitening.whitened_weights(&W).unwrap();
        assert!(back.as_slice().iter().zip(B.as_slice()).all(|(a, b)| (a - b).abs() < 1e-13));
        assert!(offsets.iter().zip(&u).all(|(a, b)| (a + b).abs() < 1e-12));
    }
}

#[test]
fn a_given_covariance_is_the_one_that_is_whitened_and_others_are_refused() {
    let sigma = Matrix::from_rows(&[[4.0, 1.0], [1.0, 2.0]]);
    let whitening = Whitening::given(vec![0.0; 2], &sigma).unwrap();
    let L = whitening.factor();
    let product = L.times(&L.transposed());
    assert!(product.as_slice().iter().zip(sigma.as_slice()).all(|(a, b)| (a - b).abs() < 1e-15));
    for bad in
        [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, f64::NAN]], [[-1.0, 0.0], [0.0, 1.0]]]
    {
        assert!(Whitening::given(vec![0.0; 2], &Matrix::from_rows(&bad)).is_err(), "{bad:?}");
    }
    assert!(Whitening::given(vec![f64::NAN, 0.0], &sigma).is_err());
    assert!(Whitening::given(vec![0.0; 3], &sigma).is_err());
    assert!(whitening.whitened(&Matrix::zeros(2, 3)).is_err() && whitening.raw_weights(&Matrix::zeros(2, 3)).is_err());
}
