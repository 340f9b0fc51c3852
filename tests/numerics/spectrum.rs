//! Spectra against full decompositions, sampling, reference values and definitions.

// A test that cannot read its references should stop there; A, X, … are matrices.
#![allow(clippy::unwrap_used, non_snake_case)]

use crate::references::{matrix, vector, vectors};
use std::f64::consts::PI;

use shallows::activation::Activation;
use shallows::linalg::{Matrix, dot, gram, norm, symmetric_eigen, symmetric_eigenvalues};
use shallows::network::{Layers, Layout, Network};
use shallows::random::{Purpose, Stream};
use shallows::spectrum::{
    Case, Extremes, SlopeCase, average_curvature, average_slope, curvature_case, extremes, extremes_of_operator,
    hidden_kernel, inputs, jacobian_gram, kappa, khatri_rao_gram, khatri_rao_smallest, output_kernel, separation,
    series_hidden_kernel, series_output_kernel, series_tail, slope_case,
};

fn random(rows: usize, cols: usize, index: u64) -> Matrix {
    let mut stream = Stream::new(17, Purpose::Probe, index);
    Matrix::from_fn(rows, cols, |_, _| stream.normal())
}

fn unit_rows(n: usize, d: usize, index: u64) -> Matrix {
    let X = random(n, d, index);
    Matrix::from_fn(n, d, |i, j| X[(i, j)] / norm(X.row(i)))
}

fn largest_difference(A: &Matrix, B: &Matrix) -> f64 {
    assert_eq!((A.rows(), A.cols()), (B.rows(), B.cols()));
    A.as_slice().iter().zip(B.as_slice()).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
}

/// Q diag(values) Qᵀ for a random orthogonal Q.
fn with_spectrum(values: &[f64], index: u64) -> Matrix {
    let n = values.len();
    let (Q, _) = shallows::linalg::orthogonal_factors(&random(n, n, index));
    let scaled = Matrix::from_fn(n, n, |i, j| Q[(i, j)] * values[j]);
    let A = scaled.times(&Q.transposed());
    Matrix::from_fn(n, n, |i, j| 0.5 * (A[(i, j)] + A[(j, i)]))
}

fn check_extremes(A: &Matrix, found: &Extremes, what: &str) {
    let values = symmetric_eigenvalues(A).unwrap();
    let n = A.rows();
    let size = values[0].abs().max(values[n - 1].abs());
    let tolerance = n as f64 * f64::EPSILON * size;
    assert!((found.smallest - values[0]).abs() <= tolerance, "{what}: {} not {}", found.smallest, values[0]);
    assert!((found.largest - values[n - 1]).abs() <= tolerance, "{what}: {} not {}", found.largest, values[n - 1]);
    for (value, x, residual) in [
        (found.smallest, &found.smallest_vector, found.smallest_residual),
        (found.largest, &found.largest_vector, found.largest_residual),
    ] {
        assert!((norm(x) - 1.0).abs() < 1e-12, "{what}: a vector of length {}", norm(x));
        // In units of A, whose squares may overflow.
        let unit = if size > 0.0 { size } else { 1.0 };
        let left = A.times_vector(x).iter().zip(x).map(|(a, x)| a / unit - value / unit * x).collect::<Vec<f64>>();
        assert!(norm(&left) <= 1e-8, "{what}: a residual of {:e}", norm(&left));
        assert!((norm(&left) - residual / unit).abs() <= tolerance / unit, "{what}: {residual} not {}", norm(&left));
    }
}

#[test]
fn extremes_are_those_of_the_full_decomposition() {
    let spread = |n: usize, low: f64, high: f64| -> Vec<f64> {
        (0..n).map(|i| low + (high - low) * (i as f64 / (n - 1) as f64)).collect()
    };
    let geometric =
        |n: usize, last: f64| -> Vec<f64> { (0..n).map(|i| last.powf(i as f64 / (n - 1) as f64)).collect() };
    let mut cases = vec![
        ("1×1".to_string(), Matrix::from_rows(&[[-3.0]])),
        ("a zero".into(), Matrix::zeros(1, 1)),
        ("zeros".into(), Matrix::zeros(200, 200)),
        ("the identity".into(), Matrix::identity(300)),
        ("a diagonal".into(), Matrix::from_fn(250, 250, |i, j| if i == j { 1.0 + i as f64 } else { 0.0 })),
        ("an indefinite diagonal".into(), Matrix::from_fn(9, 9, |i, j| if i == j { i as f64 - 4.0 } else { 0.0 })),
        ("a kernel".into(), output_kernel(&Activation::RELU, &unit_rows(500, 10, 1)).matrix),
        ("another kernel".into(), hidden_kernel(&Activation::RELU, &unit_rows(400, 30, 2)).matrix),
        ("a singular Gram matrix".into(), gram(&random(50, 300, 3))),
        ("a negative one".into(), {
            let G = gram(&random(50, 300, 3));
            Matrix::from_fn(300, 300, |i, j| -G[(i, j)])
        }),
        ("nearly singular".into(), with_spectrum(&geometric(260, 1e-14), 4)),
        ("ill-conditioned".into(), with_spectrum(&geometric(260, 1e-9), 5)),
        ("evenly spread".into(), with_spectrum(&spread(300, 1.0, 2.0), 6)),
        ("evenly spread about zero".into(), with_spectrum(&spread(300, -1.0, 1.0), 7)),
        ("all equal but two".into(), with_spectrum(&[vec![-2.0], vec![1.0; 250], vec![5.0]].concat(), 8)),
        ("a tiny negative one".into(), with_spectrum(&[vec![-1e-9], vec![1.0; 250]].concat(), 9)),
        ("two nearly equal".into(), with_spectrum(&[vec![1.0, 1.0 + 1e-9], spread(250, 1.5, 4.0)].concat(), 10)),
    ];
    for n in [2, 40, 200, 333] {
        let B = random(n, n, n as u64);
        cases.push((format!("random {n}"), Matrix::from_fn(n, n, |i, j| B[(i, j)] + B[(j, i)])));
    }
    for scale in [1e-180, 1e200] {
        let B = random(200, 200, 0);
        cases.push((format!("of size {scale:e}"), Matrix::from_fn(200, 200, |i, j| scale * (B[(i, j)] + B[(j, i)]))));
    }
    for (what, A) in cases {
        check_extremes(&A, &extremes(&A).unwrap(), &what);
    }
}

#[test]
fn what_is_empty_or_not_finite_has_no_extremes() {
    assert!(extremes(&Matrix::zeros(0, 0)).is_none());
    for n in [2, 300] {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut A = Matrix::identity(n);
            A[(1, 1)] = bad;
            assert!(extremes(&A).is_none());
        }
    }
    let broken = extremes_of_operator(5, &|_, out| out.fill(f64::NAN), 5);
    assert!(broken.smallest.is_nan() && broken.largest.is_nan());
    assert!(extremes_of_operator(0, &|_, _| {}, 5).smallest.is_nan());
}

#[test]
fn extremes_have_the_same_bits_on_one_and_three_threads() {
    let X = unit_rows(300, 12, 20);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let kernel = output_kernel(&Activation::TANH, &X).matrix;
            let found = extremes(&kernel).unwrap();
            (kernel, found, separation(&X))
        })
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn an_operator_gives_what_its_matrix_gives_and_its_residuals_are_honest() {
    let B = random(400, 300, 30);
    let A = gram(&B);
    let multiply = |x: &[f64], out: &mut [f64]| out.copy_from_slice(&A.times_vector(x));
    let values = symmetric_eigenvalues(&A).unwrap();
    let full = extremes_of_operator(300, &multiply, 300);
    check_extremes(&A, &full, "all steps");
    let short = extremes_of_operator(300, &multiply, 25);
    assert!(short.smallest >= values[0] - 1e-10 && short.largest <= values[299] + 1e-10);
    for (value, residual) in [(short.smallest, short.smallest_residual), (short.largest, short.largest_residual)] {
        let nearest = values.iter().map(|v| (v - value).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest <= residual + 1e-10, "{value} is {nearest} from an eigenvalue, {residual} was claimed");
    }
    assert!(short.largest_residual < 0.1 * short.largest);
    let one = extremes_of_operator(1, &|x, out| out[0] = -2.0 * x[0], 9);
    assert_eq!((one.smallest, one.largest), (-2.0, -2.0));
}

#[test]
fn kernels_and_khatri_rao_products_agree_with_the_reference() {
    let vectors = vectors();
    let reference = &vectors["kernels"];
    let X = matrix(&reference["X"]);
    for (key, name) in [
        ("relu", "relu"),
        ("softplus", "softplus"),
        ("sigmoid", "sigmoid"),
        ("tanh", "tanh"),
        ("erf", "erf"),
        ("half_square", "quadratic:0.5,0,0"),
    ] {
        let activation: Activation = name.parse().unwrap();
        for (found, matrix_key, least_key) in [
            (hidden_kernel(&activation, &X), "Sigma", "lambda"),
            (output_kernel(&activation, &X), "Sigma_tilde", "lambda_tilde"),
        ] {
            let expected = matrix(&reference["by_activation"][key][matrix_key]);
            let least = reference["by_activation"][key][least_key].as_f64().unwrap();
            assert!(found.truncation < 1e-12);
            for i in 0..X.rows() {
                for j in 0..X.rows() {
                    // The reference took the angle of a row with itself from an arccosine, which costs half the digits.
                    let tolerance = if i == j && name == "relu" { 1e-8 } else { 1e-12 };
                    let (found, expected) = (found.matrix[(i, j)], expected[(i, j)]);
                    assert!((found - expected).abs() <= tolerance, "{name} {matrix_key} {i} {j}: {found} {expected}");
                }
            }
            let smallest = extremes(&found.matrix).unwrap().smallest;
            let tolerance = if name == "relu" { 1e-8 } else { 1e-12 };
            assert!((smallest - least).abs() < tolerance, "{name} {least_key}: {smallest} {least}");
        }
    }
    let least = reference["smin_khatri_rao"].as_f64().unwrap();
    assert!((khatri_rao_smallest(&X, 2).unwrap() / least - 1.0).abs() < 1e-11);
    let size = reference["op_norm_X"].as_f64().unwrap();
    assert!((inputs(&X).unwrap().singular_values[0] / size - 1.0).abs() < 1e-14);
    let expected = (3.0_f64 / 5.0).sqrt() * size / (least * least);
    assert!((kappa(&X).unwrap() / expected - 1.0).abs() < 1e-10);
}

#[test]
fn kernels_agree_with_a_million_samples() {
    let X = unit_rows(4, 3, 40);
    let n = X.rows();
    let samples = 1_000_000;
    let W = random(samples, 3, 41);
    let z: Vec<Vec<f64>> = (0..n).map(|i| (0..samples).map(|s| dot(W.row(s), X.row(i))).collect()).collect();
    let (mut phi, mut slope) = (vec![vec![0.0; samples]; n], vec![vec![0.0; samples]; n]);
    for activation in Activation::examples() {
        (0..n).for_each(|i| activation.slopes(&z[i], &mut phi[i], &mut slope[i]));
        let (hidden, output) = (hidden_kernel(&activation, &X), output_kernel(&activation, &X));
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            for (factor, values, found) in [(dot(X.row(i), X.row(j)), &slope, &hidden), (1.0, &phi, &output)] {
                let products: Vec<f64> = values[i].iter().zip(&values[j]).map(|(a, b)| factor * a * b).collect();
                let mean = products.iter().sum::<f64>() / samples as f64;
                let variance = products.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / samples as f64;
                let error = (variance / samples as f64).sqrt();
                let entry = found.matrix[(i, j)];
                assert!(
                    (mean - entry).abs() <= 5.0 * error + found.truncation + 1e-12,
                    "{activation} {i} {j}: {entry}, sampled {mean} ± {error}"
                );
            }
        }
    }
}

#[test]
fn series_and_closed_forms_agree_within_the_truncation() {
    let X = unit_rows(40, 6, 50);
    for activation in Activation::examples() {
        if activation.kernel().is_none() {
            continue;
        }
        let (hidden, output) = (hidden_kernel(&activation, &X), output_kernel(&activation, &X));
        assert_eq!((hidden.truncation, output.truncation), (0.0, 0.0));
        for order in [0, 1, 2, 3, 5, 8, 20, 150] {
            for (closed, series) in [
                (&hidden, series_hidden_kernel(&activation, &X, order)),
                (&output, series_output_kernel(&activation, &X, order)),
            ] {
                let rest = Matrix::from_fn(40, 40, |i, j| closed.matrix[(i, j)] - series.matrix[(i, j)]);
                let values = symmetric_eigenvalues(&rest).unwrap();
                let rounding = 1e-12 * (1.0 + norm(closed.matrix.as_slice()));
                assert!(values[0] >= -rounding, "{activation} {order}: the series is above by {:e}", values[0]);
                assert!(
                    values[39] <= series.truncation + rounding,
                    "{activation} {order}: {:e} was cut, {:e} was claimed",
                    values[39],
                    series.truncation
                );
            }
        }
    }
}

#[test]
fn no_tail_weighs_more_than_its_bound_and_for_smooth_activations_not_much_less() {
    for activation in Activation::examples() {
        let long = activation.hermite(3000);
        for order in [0, 1, 2, 3, 4, 5, 7, 10, 17, 30, 50, 80, 120, 300, 900] {
            let tail = series_tail(&activation, order);
            let rest = long.iter().enumerate().skip(order);
            let (values, slopes) = rest.fold((0.0, 0.0), |(v, s), (r, c)| (v + c * c, s + r as f64 * c * c));
            // Coefficients carry about 1e-16, so that their squares vanish below 1e-32; polynomials end exactly.
            let floor = 1e-27;
            assert!(values <= tail.values + floor, "{activation} {order}: {values:e} above {:e}", tail.values);
            assert!(slopes <= tail.slopes + floor, "{activation} {order}: {slopes:e} above {:e}", tail.slopes);
            if matches!(activation, Activation::Smooth(_)) && values > 1e-20 && tail.values.is_finite() {
                assert!(tail.values < 1e4 * values.max(1e-9), "{activation} {order}: {values:e}, {:e}", tail.values);
            }
        }
    }
}

#[test]
fn series_are_cut_where_nothing_is_left_and_say_so_where_they_cannot() {
    let X = unit_rows(30, 5, 60);
    for name in ["softplus", "softplus:7", "sigmoid:0.3", "sigmoid:7", "tanh", "gelu"] {
        let activation: Activation = name.parse().unwrap();
        for (found, series) in [
            (hidden_kernel(&activation, &X), series_hidden_kernel(&activation, &X, 3000)),
            (output_kernel(&activation, &X), series_output_kernel(&activation, &X, 3000)),
        ] {
            assert!(found.truncation <= 1e-13, "{name}: {:e}", found.truncation);
            assert!(largest_difference(&found.matrix, &series.matrix) < 1e-13 + found.truncation, "{name}");
        }
    }
    let sharp = Activation::sigmoid(1e6).unwrap();
    assert!(output_kernel(&sharp, &X).truncation >= 1.0);
}

#[test]
fn kernels_of_nearly_parallel_rows_keep_their_digits() {
    for tilt in [1e-4_f64, 1e-8, 1e-11] {
        let X = Matrix::from_rows(&[[1.0, 0.0], [tilt.cos(), tilt.sin()], [-tilt.cos(), tilt.sin()]]);
        let S = hidden_kernel(&Activation::RELU, &X).matrix;
        assert!((S[(0, 1)] - tilt.cos() * (PI - tilt) / (2.0 * PI)).abs() < 2e-16);
        assert!((S[(0, 2)] / (-tilt.cos() * tilt / (2.0 * PI)) - 1.0).abs() < 1e-14);
    }
}

#[test]
fn khatri_rao_grams_are_the_products_of_their_factors() {
    let X = random(7, 3, 70);
    let square = Matrix::from_fn(7, 9, |i, j| X[(i, j / 3)] * X[(i, j % 3)]);
    assert!(largest_difference(&khatri_rao_gram(&X, 2), &square.times(&square.transposed())) < 1e-13);
    let cube = Matrix::from_fn(7, 27, |i, j| square[(i, j / 3)] * X[(i, j % 3)]);
    assert!(largest_difference(&khatri_rao_gram(&X, 3), &cube.times(&cube.transposed())) < 1e-12);
    assert_eq!(khatri_rao_gram(&X, 0), Matrix::from_fn(7, 7, |_, _| 1.0));
    assert_eq!(kappa(&random(7, 3, 71)), Some(f64::INFINITY));
    assert!(kappa(&random(6, 3, 72)).unwrap().is_finite());
    assert_eq!(kappa(&Matrix::zeros(0, 3)), None);
}

#[test]
fn separation_finds_planted_neighbours_and_opposites() {
    let mut X = unit_rows(700, 8, 80);
    let brute = |X: &Matrix| {
        let mut best = f64::INFINITY;
        for i in 0..X.rows() {
            for j in 0..i {
                for sign in [1.0, -1.0] {
                    let gap: f64 = X.row(i).iter().zip(X.row(j)).map(|(x, y)| (x - sign * y).powi(2)).sum();
                    best = best.min(gap.sqrt());
                }
            }
        }
        best
    };
    let found = separation(&X).unwrap();
    assert_eq!(found.distance, brute(&X));
    for (gap, sign, pair) in
        [(1e-6, 1.0, (3, 650)), (1e-10, -1.0, (130, 500)), (1e-13, 1.0, (300, 301)), (0.0, -1.0, (0, 699))]
    {
        let mut row: Vec<f64> = X.row(pair.0).iter().map(|x| sign * x).collect();
        row[2] += gap;
        X.row_mut(pair.1).copy_from_slice(&row);
        let found = separation(&X).unwrap();
        assert_eq!((found.pair, found.opposite), (pair, sign < 0.0));
        assert!((found.distance - gap).abs() < 1e-3 * gap + 1e-16, "{gap:e}: {:e}", found.distance);
    }
    assert!(separation(&Matrix::zeros(1, 3)).is_none());
    assert!(separation(&Matrix::from_rows(&[[1.0], [f64::NAN]])).is_none());
    let two = separation(&Matrix::from_rows(&[[3.0, 0.0], [0.0, 4.0]])).unwrap();
    assert_eq!((two.distance, two.pair, two.opposite), (5.0, (0, 1), false));
}

#[test]
fn the_dependencies_of_the_columns_of_a_table_are_found() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/energy.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').take(8).map(|cell| cell.parse().unwrap()).collect()).collect();
    let X = Matrix::from_rows(&rows);
    let found = inputs(&X).unwrap();
    assert_eq!((found.rank, found.dependencies.len(), found.singular_values.len()), (7, 1, 8));
    // surface = wall + 2 roof
    let expected = [0.0, -0.5, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0];
    for (c, wanted) in found.dependencies[0].iter().zip(expected) {
        assert!((c - wanted).abs() < 1e-9 && (wanted != 0.0 || *c == 0.0), "{:?}", found.dependencies);
    }
    let values = symmetric_eigenvalues(&gram(&X)).unwrap();
    assert!((found.singular_values[0] / values[7].sqrt() - 1.0).abs() < 1e-13);
}

#[test]
fn dependencies_come_apart_and_do_not_mind_units() {
    let B = random(40, 4, 90);
    // x1 = 10⁶·x0, x4 = x2 − 3x3, x5 = 0
    let X = Matrix::from_fn(40, 6, |i, j| match j {
        1 => 1e6 * B[(i, 0)],
        2 => B[(i, 1)],
        3 => 1e-5 * B[(i, 2)],
        4 => B[(i, 1)] - 3e-5 * B[(i, 2)],
        5 => 0.0,
        _ => B[(i, 0)],
    });
    let found = inputs(&X).unwrap();
    assert_eq!((found.rank, found.dependencies.len()), (3, 3));
    for c in &found.dependencies {
        let used: Vec<usize> = (0..6).filter(|&j| c[j] != 0.0).collect();
        assert!([vec![0, 1], vec![2, 3, 4], vec![5]].contains(&used), "{c:?}");
        assert_eq!(c.iter().fold(0.0_f64, |m, x| if x.abs() > m.abs() { *x } else { m }), 1.0);
        assert!(norm(&X.times_vector(c)) < 1e-8);
    }
    assert_eq!(inputs(&random(50, 5, 91)).unwrap().dependencies, Vec::<Vec<f64>>::new());
    let wide = inputs(&random(3, 5, 92)).unwrap();
    assert_eq!((wide.rank, wide.dependencies.len(), wide.singular_values.len()), (3, 2, 3));
    assert!(inputs(&Matrix::from_rows(&[[f64::INFINITY, 1.0]])).is_none());
    assert_eq!(inputs(&Matrix::zeros(0, 2)).unwrap().dependencies.len(), 2);
    assert_eq!(inputs(&Matrix::zeros(3, 0)).unwrap().rank, 0);
}

#[test]
fn the_gram_matrix_of_the_jacobian_is_that_of_its_products() {
    for (activation, k) in [("tanh", 6), ("relu", 1100), ("quadratic:1,0.5,0", 3), ("softplus", 0)] {
        for parts in 0..4 {
            let (n, d) = (140, 3);
            let X = random(n, d, 100);
            let mut network =
                Network::new(activation.parse().unwrap(), random(k, d, 101), random(k, 1, 102).into_vec()).unwrap();
            network.bias = (parts % 2 == 1).then(|| random(k, 1, 103).into_vec());
            network.intercept = (parts >= 2).then_some(0.3);
            network.linear = (parts == 3).then(|| vec![1.0; d]);
            for layers in [Layers::Hidden, Layers::HiddenAndAffine, Layers::Output, Layers::Both] {
                let rows: Vec<Vec<f64>> = (0..n)
                    .map(|i| {
                        let row = X.select_rows(&[i]);
                        network.jacobian_transpose_product(layers, &row, &[1.0]).unwrap()
                    })
                    .collect();
                let J = Matrix::from_vec(n, Layout::new(&network, layers).len(), rows.concat());
                let expected = J.times(&J.transposed());
                let found = jacobian_gram(&network, &X, layers);
                let size = 1.0 + expected.as_slice().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(largest_difference(&found, &expected) < 1e-13 * size, "{activation} {parts} {layers:?}");
            }
        }
    }
}

#[test]
fn the_jacobian_of_the_reference_is_found() {
    let vectors = vectors();
    let reference = &vectors["gd_certificate"];
    let X = matrix(&reference["X"]);
    for name in ["softplus", "tanh"] {
        let case = &reference["by_activation"][name];
        let scale = case["v_scale"].as_f64().unwrap();
        let v = vector(&reference["v_signs"]).iter().map(|sign| sign * scale).collect();
        let network = Network::new(name.parse().unwrap(), matrix(&reference["W0"]), v).unwrap();
        let K = jacobian_gram(&network, &X, Layers::Hidden);
        let expected = matrix(&case["JJt"]);
        let size = expected.as_slice().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(largest_difference(&K, &expected) < 1e-10 * size, "{name}");
        let found = extremes(&K).unwrap();
        assert!((found.smallest.sqrt() / case["sigma0"].as_f64().unwrap() - 1.0).abs() < 1e-9);
        assert!((found.largest.sqrt() / case["J0_norm"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn average_slopes_and_curvatures_agree_with_samples_and_with_differences() {
    let samples = 400_000;
    let g = random(samples, 1, 110).into_vec();
    let (mut phi, mut slope, mut curvature) = (vec![0.0; samples], vec![0.0; samples], vec![0.0; samples]);
    let mean_and_error = |x: &mut dyn Iterator<Item = f64>| {
        let (sum, square) = x.fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
        let mean = sum / samples as f64;
        (mean, ((square / samples as f64 - mean * mean).max(0.0) / samples as f64).sqrt())
    };
    for activation in Activation::examples() {
        for sigma in [0.0, 0.3, 1.0, 1.7] {
            let z: Vec<f64> = g.iter().map(|g| sigma * g).collect();
            activation.curvatures(&z, &mut phi, &mut slope, &mut curvature);
            if sigma > 0.0 || matches!(activation, Activation::Smooth(_)) {
                let (mean, error) = mean_and_error(&mut slope.iter().copied());
                let found = average_slope(&activation, sigma);
                assert!((found - mean).abs() <= 5.0 * error + 1e-9, "{activation} {sigma}: {found}, {mean} ± {error}");
            }
            let found = average_curvature(&activation, sigma);
            if let Activation::Smooth(_) = activation {
                let (mean, error) = mean_and_error(&mut curvature.iter().copied());
                assert!((found - mean).abs() <= 5.0 * error + 1e-9, "{activation} {sigma}: {found}, {mean} ± {error}");
            } else if sigma > 0.0 {
                // σγ(σ) = E gφ'(σg), which needs no second derivative.
                let (mean, error) = mean_and_error(&mut slope.iter().zip(&g).map(|(slope, g)| slope * g / sigma));
                assert!((found - mean).abs() <= 5.0 * error + 1e-9, "{activation} {sigma}: {found}, {mean} ± {error}");
            }
            if sigma > 0.0 {
                // d/dσ E φ(σg) = σγ(σ): with the exact mean of a wider and a narrower Gaussian.
                let h = 1e-3;
                let difference = (mean_of(&activation, sigma + h) - mean_of(&activation, sigma - h)) / (2.0 * h);
                let scale = 1.0 + difference.abs();
                assert!(
                    (sigma * found - difference).abs() < 2e-4 * scale,
                    "{activation} {sigma}: {found} {difference}"
                );
            }
        }
    }
}

/// E φ(σg) by Simpson's rule on both sides of a possible kink.
fn mean_of(activation: &Activation, sigma: f64) -> f64 {
    let (reach, steps) = (10.0, 4000_usize);
    let h = reach / steps as f64;
    let mut sum = 0.0;
    for side in [-1.0, 1.0] {
        let x: Vec<f64> = (0..=steps).map(|i| side * h * i as f64).collect();
        let z: Vec<f64> = x.iter().map(|x| sigma * x).collect();
        let mut phi = vec![0.0; z.len()];
        activation.values(&z, &mut phi);
        for i in 0..=steps {
            let weight = if i == 0 || i == steps { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
            sum += weight * h / 3.0 * (-0.5 * x[i] * x[i]).exp() / (2.0 * PI).sqrt() * phi[i];
        }
    }
    sum
}

#[test]
fn the_cases_are_those_the_averages_show() {
    for activation in Activation::examples() {
        let grid: Vec<f64> = (1..600).map(|i| 0.005 * f64::from(i)).collect();
        let shown = |values: Vec<f64>| {
            if values.iter().all(|x| *x == 0.0) {
                SlopeCase::Zero
            } else if values.iter().all(|x| *x > 0.0) || values.iter().all(|x| *x < 0.0) {
                SlopeCase::Nonzero
            } else {
                SlopeCase::Neither
            }
        };
        let slopes = shown(grid.iter().map(|s| average_slope(&activation, *s)).collect());
        assert_eq!(slope_case(&activation), slopes, "{activation}: μ");
        let curvatures = match shown(grid.iter().map(|s| average_curvature(&activation, *s)).collect()) {
            SlopeCase::Nonzero => Case::Curved,
            SlopeCase::Zero => Case::Flat,
            SlopeCase::Neither => Case::Neither,
        };
        assert_eq!(curvature_case(&activation), curvatures, "{activation}: γ");
    }
    let case = |name: &str| {
        let activation = name.parse::<Activation>().unwrap();
        (slope_case(&activation), curvature_case(&activation))
    };
    assert_eq!(case("softplus:4"), (SlopeCase::Nonzero, Case::Curved));
    assert_eq!(case("erf"), (SlopeCase::Nonzero, Case::Flat));
    assert_eq!(case("leaky-relu:-1"), (SlopeCase::Zero, Case::Curved));
    assert_eq!(case("leaky-relu:1"), (SlopeCase::Nonzero, Case::Flat));
    assert_eq!(case("hermite:1"), (SlopeCase::Zero, Case::Flat));
    // γ ∝ 2 + 0.1(σ² − 1): its zero lies where σ² would be negative.
    assert_eq!(case("hermite:0,0,2,0,0.1"), (SlopeCase::Zero, Case::Curved));
    // γ ∝ 1 − 2t + 1.2t² in suitable units, t = σ² − 1: no real zero, although the signs alternate.
    let c4 = -2.0 * 2f64.sqrt() / (12f64.sqrt() * 0.5f64.sqrt());
    let c6 = 1.2 * 2f64.sqrt() / (30f64.sqrt() * (0.375f64).sqrt());
    assert_eq!(case(&format!("hermite:0,0,1,0,{c4},0,{c6}")).1, Case::Curved);
    // With t² alone lowered there are two.
    let c6 = 0.9 * 2f64.sqrt() / (30f64.sqrt() * (0.375f64).sqrt());
    assert_eq!(case(&format!("hermite:0,0,1,0,{c4},0,{c6}")).1, Case::Neither);
}

#[test]
fn the_smallest_eigenvector_shows_a_planted_dependence() {
    let mut X = unit_rows(260, 40, 120);
    let twin: Vec<f64> = X.row(7).to_vec();
    X.row_mut(200).copy_from_slice(&twin);
    let K = hidden_kernel(&Activation::TANH, &X).matrix;
    let found = extremes(&K).unwrap();
    let (values, _) = symmetric_eigen(&K).unwrap();
    assert!(found.smallest.abs() < 1e-12 && values[1] > 1e-6);
    for (i, x) in found.smallest_vector.iter().enumerate() {
        let wanted = if i == 7 || i == 200 { 0.5_f64.sqrt() } else { 0.0 };
        assert!((x.abs() - wanted).abs() < 1e-6, "{i}: {x}");
    }
}
