//! Laws every activation keeps: the tests loop over `Activation::examples()`, so a new one is held to them at once.

// A test that cannot read its references should stop there; X is a matrix.
#![allow(clippy::unwrap_used, non_snake_case)]

use crate::references::{matrix, vector, vectors};
use std::f64::consts::PI;

use shallows::activation::{Activation, Bound, Correlation, Kernel, Kinked, Smooth};
use shallows::error::Error;
use shallows::linalg::{Matrix, symmetric_eigen};
use shallows::random::{Purpose, Stream};

fn jet(activation: &Activation, z: f64) -> [f64; 3] {
    let (mut phi, mut dphi, mut ddphi) = ([0.0], [0.0], [0.0]);
    activation.curvatures(&[z], &mut phi, &mut dphi, &mut ddphi);
    [phi[0], dphi[0], ddphi[0]]
}

/// log₁₀ of the fall of the Taylor remainder of derivative `order` when h falls tenfold; 2 where φ is smooth.
fn remainder_order(activation: &Activation, order: usize, z: f64) -> Option<f64> {
    let remainder = |h: f64| {
        let (here, there) = (jet(activation, z), jet(activation, z + h));
        (there[order] - here[order] - h * here[order + 1]).abs()
    };
    let (coarse, fine) = (remainder(1e-2), remainder(1e-3));
    // A remainder of rounding errors alone has no order.
    (fine > 1e-11).then(|| (coarse / fine).log10())
}

#[test]
fn slopes_and_curvatures_are_the_derivatives_of_what_they_follow() {
    for activation in Activation::examples() {
        let mut orders = Vec::new();
        // No point lies within 1e-2 of a kink.
        for i in -20..20 {
            let z = f64::from(i) * 0.17 + 0.085;
            orders.extend((0..2).filter_map(|order| remainder_order(&activation, order, z)));
            let h = 1e-5;
            for order in 0..2 {
                let difference = (jet(&activation, z + h)[order] - jet(&activation, z - h)[order]) / (2.0 * h);
                let slope = jet(&activation, z)[order + 1];
                assert!((difference - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{activation} order {order} at {z}");
            }
        }
        orders.sort_by(f64::total_cmp);
        if let Activation::Smooth(_) = activation {
            let median = orders[orders.len() / 2];
            assert!((median - 2.0).abs() < 0.1, "{activation}: the remainder falls with order {median}");
        } else {
            assert!(orders.is_empty(), "{activation} is linear off its kink");
        }
    }
}

#[test]
fn no_point_exceeds_the_claimed_bounds_and_some_point_comes_near() {
    for activation in Activation::examples() {
        let grid: Vec<f64> = (-400_000..=400_000).map(|i| f64::from(i) * 1e-4).collect();
        let mut out = [vec![0.0; grid.len()], vec![0.0; grid.len()], vec![0.0; grid.len()]];
        let [phi, dphi, ddphi] = &mut out;
        activation.curvatures(&grid, phi, dphi, ddphi);
        let largest = |values: &[f64]| values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let check = |bound: Bound, found: f64, what: &str| match bound {
            // The values themselves carry a few ulp.
            Bound::Finite(bound) => {
                assert!(found <= bound * (1.0 + 1e-15), "{activation}: sup|{what}| is {found}, above {bound}");
                assert!(found >= bound * (1.0 - 1e-5), "{activation}: sup|{what}| is {found}, far below {bound}");
            }
            Bound::Unbounded => assert!(found > 10.0, "{activation}: |{what}| stays below {found}"),
        };
        check(activation.slope_bound(), largest(dphi), "φ'");
        if let Activation::Smooth(smooth) = &activation {
            check(smooth.curvature_bound(), largest(ddphi), "φ''");
        }
    }
}

#[test]
fn bounds_are_those_of_the_reference_rounded_up() {
    let vectors = vectors();
    let reference = &vectors["hermite"]["bounds"];
    for name in ["softplus", "sigmoid", "tanh", "erf", "relu"] {
        let activation: Activation = name.parse().unwrap();
        let at_least = |bound: Bound, key: &str| {
            let expected = reference[name][key].as_f64().unwrap();
            let Bound::Finite(bound) = bound else { panic!("{name} is bounded") };
            assert!((bound - expected).abs() <= 4e-16 && bound >= expected * (1.0 - 2.3e-16), "{name} {key}: {bound}");
        };
        at_least(activation.slope_bound(), "B");
        if let Activation::Smooth(smooth) = &activation {
            at_least(smooth.curvature_bound(), "M");
        }
    }
}

#[test]
fn polynomials_know_whether_their_derivatives_are_bounded() {
    let bounds = |name: &str| match name.parse().unwrap() {
        Activation::Smooth(smooth) => (smooth.slope_bound(), smooth.curvature_bound()),
        Activation::Kinked(_) => panic!("{name} is smooth"),
    };
    assert_eq!(bounds("hermite:3"), (Bound::Finite(0.0), Bound::Finite(0.0)));
    assert_eq!(bounds("hermite:3,-2,0"), (Bound::Finite(2.0), Bound::Finite(0.0)));
    assert_eq!(bounds("hermite:0,0,0,1"), (Bound::Unbounded, Bound::Unbounded));
    assert_eq!(bounds("quadratic:-3,1,1"), (Bound::Unbounded, Bound::Finite(6.0)));
    let (_, Bound::Finite(curvature)) = bounds("hermite:0,0,5") else { panic!("bounded") };
    assert!(curvature >= 5.0 * 2f64.sqrt() && curvature < 7.0710678118655);
}

#[test]
fn names_are_read_back_exactly() {
    for activation in Activation::examples() {
        assert_eq!(activation.to_string().parse::<Activation>().unwrap(), activation);
    }
    let odd = [0.1 + 0.2, 1e100, -1e-100, 1.0 / 3.0, 123456789.0];
    for x in odd {
        let activation = Activation::hermite_series(vec![0.0, x]).unwrap();
        assert_eq!(activation.to_string().parse::<Activation>().unwrap(), activation);
    }
    for (text, canonical) in [
        ("quadratic:1,0,0", "quadratic"),
        ("softplus:1.0", "softplus"),
        ("sigmoid:1e0", "sigmoid"),
        ("leaky-relu:0.01", "leaky-relu"),
        ("quadratic:0.5, -1, 2e90", "quadratic:0.5,-1,2e90"),
    ] {
        assert_eq!(text.parse::<Activation>().unwrap().to_string(), canonical);
    }
    assert_eq!("quadratic".parse::<Activation>().unwrap(), Activation::SQUARE);
}

#[test]
fn parameters_out_of_range_are_refused_and_unknown_names_list_the_known() {
    let many = format!("hermite:{}", vec!["1"; 65].join(","));
    for text in [
        "softplus:0",
        "softplus:-1",
        "softplus:nan",
        "softplus:inf",
        "softplus:1e101",
        "softplus:",
        "softplus:1,2",
        "sigmoid:1e-101",
        "quadratic:0,1,1",
        "quadratic:1,1",
        "quadratic:1,1,1e-200",
        "quadratic:a,b,c",
        "leaky-relu:inf",
        "hermite:",
        "hermite:1,1e101",
        "hermite:nan",
        &many,
    ] {
        let error = text.parse::<Activation>().unwrap_err();
        assert!(matches!(error, Error::Parameter { .. }), "{text}: {error:?}");
    }
    for text in ["", "swish", "tanh:2", "RELU", "relu:1"] {
        let error = text.parse::<Activation>().unwrap_err();
        assert!(matches!(&error, Error::UnknownActivation { .. }), "{text}: {error:?}");
        assert!(error.hint().unwrap().shared_words().unwrap().contains("leaky-relu"));
    }
}

/// h_0(x), …, h_{count−1}(x)
fn hermite_polynomials(count: usize, x: f64) -> Vec<f64> {
    let mut h = vec![1.0, x];
    for r in 1..count {
        h.push((x * h[r] - (r as f64).sqrt() * h[r - 1]) / ((r + 1) as f64).sqrt());
    }
    h
}

/// E f(g)h_r(g) by Simpson's rule on both sides of 0: another rule than the library's, and blind to a kink.
fn quadrature(count: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    let (reach, steps) = (14.0, 28_000);
    let h = reach / f64::from(steps);
    let mut sums = vec![0.0; count];
    for side in [-1.0, 1.0] {
        for i in 0..=steps {
            let weight = if i == 0 || i == steps { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
            // One-sided limits at the kink.
            let x = if i == 0 { side * 1e-300 } else { side * h * f64::from(i) };
            let mass = weight * h / 3.0 * (-0.5 * x * x).exp() / (2.0 * PI).sqrt() * f(x);
            hermite_polynomials(count, x).iter().zip(&mut sums).for_each(|(h, sum)| *sum += mass * h);
        }
    }
    sums
}

#[test]
fn hermite_coefficients_agree_with_an_independent_quadrature_and_with_those_of_the_derivative() {
    let count = 14;
    let mut activations = Activation::examples();
    activations.extend(["softplus:60", "sigmoid:60", "softplus:1e-3", "sigmoid:1.5"].map(|name| name.parse().unwrap()));
    for activation in activations {
        let coefficients = activation.hermite(count);
        let expected = quadrature(count, |x| jet(&activation, x)[0]);
        let slopes = quadrature(count - 1, |x| jet(&activation, x)[1]);
        let size = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        for r in 0..count {
            assert!(
                (coefficients[r] - expected[r]).abs() < 2e-12 * size,
                "{activation} r = {r}: {} {}",
                coefficients[r],
                expected[r]
            );
        }
        for r in 0..count - 1 {
            let from_value = ((r + 1) as f64).sqrt() * coefficients[r + 1];
            assert!((from_value - slopes[r]).abs() < 2e-11, "{activation} φ' r = {r}: {from_value} {}", slopes[r]);
        }
        assert!(activation.hermite(0).is_empty() && activation.hermite(1).len() == 1);
        assert_eq!(activation.hermite(3), coefficients[..3]);
    }
}

#[test]
fn hermite_coefficients_agree_with_the_reference_values() {
    let vectors = vectors();
    for name in ["relu", "softplus", "sigmoid", "tanh", "erf"] {
        let activation: Activation = name.parse().unwrap();
        let expected = vector(&vectors["hermite"][name]["phi_hat_0_to_12"]);
        let slopes = vector(&vectors["hermite"][name]["dphi_hat"]);
        let found = activation.hermite(expected.len() + 1);
        for r in 0..expected.len() {
            assert!((found[r] - expected[r]).abs() < 3e-16, "{name} r = {r}: {} not {}", found[r], expected[r]);
        }
        for r in 0..slopes.len().min(expected.len()) {
            let slope = ((r + 1) as f64).sqrt() * found[r + 1];
            assert!((slope - slopes[r]).abs() < 1e-15, "{name} φ' r = {r}: {slope} not {}", slopes[r]);
        }
    }
}

#[test]
fn sharp_softplus_and_sigmoid_have_the_coefficients_of_the_ramp_and_the_step() {
    let ramp = Activation::RELU.hermite(41);
    let softplus = Activation::softplus(1e60).unwrap().hermite(40);
    let sigmoid = Activation::sigmoid(1e60).unwrap().hermite(40);
    for r in 0..40 {
        assert!((softplus[r] - ramp[r]).abs() < 1e-15, "r = {r}: {} not {}", softplus[r], ramp[r]);
        let step = ((r + 1) as f64).sqrt() * ramp[r + 1];
        assert!((sigmoid[r] - step).abs() < 1e-15, "r = {r}: {} not {step}", sigmoid[r]);
    }
    // E log(1 + e^{bg})/b at b = 20 and 10⁻³, by 40-digit quadrature.
    for (b, mean) in [(20.0, 0.40057817853050365), (1e-3, 693.1473055599297)] {
        let found = Activation::softplus(b).unwrap().hermite(1)[0];
        assert!((found / mean - 1.0).abs() < 4e-16, "b = {b}: {found} not {mean}");
    }
}

#[test]
fn series_kernels_and_closed_forms_agree() {
    for activation in Activation::examples() {
        let Some(kernel) = activation.kernel() else { continue };
        let series = activation.kernel_series(120);
        for i in -6..=6 {
            let between = Correlation::at_angle(PI / 2.0 + 0.1 * f64::from(i));
            let (value, slope) = (kernel.value(between), kernel.slope(between));
            assert!((value - series.value(between)).abs() < 1e-13 * (1.0 + value.abs()), "{activation} {between:?}");
            assert!((slope - series.slope(between)).abs() < 1e-12 * (1.0 + slope.abs()), "{activation} {between:?}");
        }
    }
}

#[test]
fn kernels_agree_with_half_a_million_samples() {
    let samples = 500_000;
    let mut stream = Stream::new(11, Purpose::Probe, 3);
    let (mut a, mut b) = (vec![0.0; samples], vec![0.0; samples]);
    stream.fill_normal(&mut a);
    stream.fill_normal(&mut b);
    let mean_and_error = |x: &[f64], y: &[f64]| {
        let n = x.len() as f64;
        let mean = x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() / n;
        let variance = x.iter().zip(y).map(|(x, y)| (x * y - mean).powi(2)).sum::<f64>() / n;
        (mean, (variance / n).sqrt())
    };
    for (angle, activation) in
        [0.4, 2.3].into_iter().flat_map(|t: f64| Activation::examples().into_iter().map(move |a| (t, a)))
    {
        let turned: Vec<f64> = a.iter().zip(&b).map(|(a, b)| angle.cos() * a + angle.sin() * b).collect();
        let mut out = [vec![0.0; samples], vec![0.0; samples], vec![0.0; samples], vec![0.0; samples]];
        let [phi_x, dphi_x, phi_y, dphi_y] = &mut out;
        activation.slopes(&a, phi_x, dphi_x);
        activation.slopes(&turned, phi_y, dphi_y);
        let kernel = activation.kernel().unwrap_or_else(|| activation.kernel_series(300));
        let between = Correlation::at_angle(angle);
        for (x, y, found) in [(&phi_x, &phi_y, kernel.value(between)), (&dphi_x, &dphi_y, kernel.slope(between))] {
            let (mean, error) = mean_and_error(x, y);
            assert!(
                (mean - found).abs() <= 5.0 * error + 1e-12,
                "{activation} at {angle}: {found}, sampled {mean} ± {error}"
            );
        }
    }
}

fn least_eigenvalue(matrix: &Matrix) -> f64 {
    symmetric_eigen(matrix).unwrap().0[0]
}

#[test]
fn kernel_matrices_and_their_least_eigenvalues_agree_with_the_reference() {
    let vectors = vectors();
    let X = matrix(&vectors["kernels"]["X"]);
    let orders =
        [("relu", 0), ("softplus", 110), ("sigmoid", 110), ("tanh", 320), ("erf", 0), ("quadratic:0.5,0,0", 0)];
    for (name, order) in orders {
        let activation: Activation = name.parse().unwrap();
        let kernel = activation.kernel().unwrap_or_else(|| activation.kernel_series(order));
        let key = if name.starts_with("quadratic") { "half_square" } else { name };
        let reference = &vectors["kernels"]["by_activation"][key];
        for (found, matrix_key, least_key) in
            [(kernel.slopes(&X), "Sigma", "lambda"), (kernel.values(&X), "Sigma_tilde", "lambda_tilde")]
        {
            let mut expected = matrix(&reference[matrix_key]);
            let least = reference[least_key].as_f64().unwrap();
            assert!((least_eigenvalue(&found) / least - 1.0).abs() < 1e-7, "{name} {least_key}");
            if name == "relu" {
                // The reference took the angle of a row with itself from an arccosine, which costs half the digits.
                for i in 0..X.rows() {
                    assert!((expected[(i, i)] - 0.5).abs() < 1e-8);
                    expected[(i, i)] = 0.5;
                }
            } else {
                assert!((least_eigenvalue(&found) / least - 1.0).abs() < 1e-10, "{name} {least_key}");
            }
            for (x, y) in found.as_slice().iter().zip(expected.as_slice()) {
                assert!((x - y).abs() <= 1e-12 * y.abs() + 1e-15, "{name} {matrix_key}: {x} not {y}");
            }
            assert!((least_eigenvalue(&found) / least_eigenvalue(&expected) - 1.0).abs() < 1e-10, "{name} {least_key}");
        }
    }
}

#[test]
fn only_the_logistic_family_and_gelu_lack_a_closed_kernel() {
    for activation in Activation::examples() {
        let open = matches!(
            activation,
            Activation::Smooth(Smooth::Softplus { .. } | Smooth::Sigmoid { .. } | Smooth::Tanh | Smooth::Gelu)
        );
        assert_eq!(activation.kernel().is_none(), open, "{activation}");
    }
}

#[test]
fn the_angle_between_nearly_parallel_rows_keeps_all_its_digits() {
    let relu: Kernel = Activation::Kinked(Kinked::Relu).kernel().unwrap();
    for tilt in [1e-3, 1e-7, 1e-9, 1e-12] {
        let x = [1.0, 0.0];
        let y = [f64::cos(tilt), f64::sin(tilt)];
        let between = Correlation::of(&x, &y);
        assert!(
            (between.angle() / tilt - 1.0).abs() < 1e-15 + 1e-16 / tilt.powi(2).max(1e-1),
            "{tilt}: {}",
            between.angle()
        );
        assert!((relu.slope(between) - (0.5 - tilt / (2.0 * PI))).abs() < 1.2e-16);
        let opposite = Correlation::of(&x, &[-y[0], -y[1]]);
        assert!((relu.slope(opposite) * 2.0 * PI / tilt - 1.0).abs() < 1e-15);
    }
    let x = [0.6, -0.64, 0.48];
    assert_eq!(Correlation::of(&x, &x), Correlation::SAME);
    assert_eq!(relu.slope(Correlation::SAME), 0.5);
    assert_eq!(relu.value(Correlation::SAME), 0.5);
    assert_eq!(Correlation::of(&x, &x.map(|x| -x)).rho(), -1.0);
}
