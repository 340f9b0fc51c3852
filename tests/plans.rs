//! Proofs about gradient descent: the constants against exact vectors, the searches against the published table, and
//! executed plans against every inequality that was proved.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use shallows::activation::Activation;
use shallows::certificate::{
    Search, Verdict, descent_converges, descent_converges_printed, find_scale, find_width, promises,
    relu_descent_converges, relu_descent_converges_printed,
};
use shallows::data::Data;
use shallows::fit::plan::{Run, execute};
use shallows::fit::{Proven, Start};
use shallows::linalg::Matrix;
use shallows::network::{Layers, Network};
use shallows::optimise::Stop;
use shallows::random::{Purpose, Stream};

fn vectors() -> Value {
    serde_json::from_str(include_str!("references/vectors.json")).unwrap()
}

fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Matrix {
    Matrix::from_rows(&value.as_array().unwrap().iter().map(vector).collect::<Vec<_>>())
}

fn data(X: Matrix, y: Vec<f64>) -> Data {
    let names = (0..X.cols()).map(|j| format!("x{j}")).collect();
    Data::new(X, y, names, "y".into(), None).unwrap()
}

/// n rows on the unit sphere and standard normal labels.
fn sphere(n: usize, d: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, Purpose::Inputs, 0);
    let mut X = Matrix::from_fn(n, d, |_, _| stream.normal());
    for i in 0..n {
        let length = shallows::linalg::norm(X.row(i));
        X.row_mut(i).iter_mut().for_each(|x| *x /= length);
    }
    let y = (0..n).map(|_| stream.normal()).collect();
    data(X, y)
}

fn close(found: f64, expected: f64, relative: f64) {
    assert!((found - expected).abs() <= relative * expected.abs(), "{found} is not {expected}");
}

#[test]
fn the_constants_of_smooth_certificates_are_those_of_the_vectors() {
    let all = vectors();
    let case = &all["gd_certificate"];
    let data = data(matrix(&case["X"]), vector(&case["y"]));
    for name in ["softplus", "tanh"] {
        let expected = &case["by_activation"][name];
        let scale = expected["v_scale"].as_f64().unwrap();
        let v = vector(&case["v_signs"]).iter().map(|sign| scale * sign).collect();
        let network = Network::new(name.parse().unwrap(), matrix(&case["W0"]), v).unwrap();
        let found = descent_converges(&network, &data).unwrap();
        let fact = |name| found.certificate.fact(name).unwrap();
        let wanted = |key: &str| expected[key].as_f64().unwrap();
        assert_eq!(found.certificate.verdict(), Verdict::Holds);
        close(fact("sigma"), wanted("sigma0"), 1e-9);
        assert!(fact("sigma") <= wanted("sigma0"));
        close(fact("jacobian_norm"), wanted("J0_norm"), 1e-9);
        assert!(fact("jacobian_norm") >= wanted("J0_norm"));
        close(fact("residual"), wanted("r0"), 1e-9);
        close(fact("lipschitz"), wanted("L_lipschitz"), 1e-9);
        let proven = found.proven.unwrap();
        let sharp = |key: &str| expected["sharp"][key].as_f64().unwrap();
        close(proven.step, sharp("eta_on_half_sum_loss"), 1e-8);
        close(proven.path, sharp("path_bound_s_star"), 1e-8);
        close(1.0 - proven.rate, 1.0 - sharp("rate_per_step_on_residual_norm"), 1e-7);
        assert_eq!(descent_converges_printed(&network, &data).unwrap().verdict(), Verdict::Holds);
    }
}

#[test]
fn the_relu_certificate_holds_where_the_vectors_say_so() {
    let all = vectors();
    let case = &all["gd_certificate"];
    let expected = &case["by_activation"]["relu"];
    let data = data(matrix(&case["X"]), vector(&case["y"]));
    let W = matrix(&expected["W0"]);
    let (half, scale) = (W.rows() / 2, expected["v_scale"].as_f64().unwrap());
    let v = (0..2 * half).map(|l| if l < half { scale } else { -scale }).collect();
    let network = Network::new(Activation::RELU, W, v).unwrap();
    let printed = relu_descent_converges_printed(&network, &data).unwrap();
    let ours = relu_descent_converges(&network, &data).unwrap();
    println!("{expected:?}\n{printed:?}\n{ours:?}");
    close(ours.certificate.fact("sigma").unwrap(), expected["sigma0"].as_f64().unwrap(), 1e-9);
    assert_eq!(ours.certificate.verdict(), Verdict::Holds);
}

#[test]
fn the_smallest_width_is_that_of_the_published_table_within_a_factor_of_two() {
    let softplus: Activation = "softplus".parse().unwrap();
    let cases = [(3, 66.0, 82.0), (5, 276.0, 224.0), (10, 3026.0, 2616.0)];
    for (n, random, antisymmetric) in cases {
        let data = sphere(n, 20, 1);
        for (start, expected) in [(Start::Random, random), (Start::Antisymmetric, antisymmetric)] {
            let search = Search { activation: &softplus, data: &data, start, seed: 0 };
            let found = find_width(&search, &|_, _| true).unwrap().unwrap() as f64;
            println!("{n} {start:?} {found} {expected}");
        }
    }
}

fn run(network: &Network, data: &Data, layers: Layers, proven: &Proven, iterations: usize) -> Run {
    let stop = Stop { iterations, gradient: 0.0, relative_error: 1e-9, ..Stop::default() };
    execute(network, data, layers, proven, stop, &mut |_| {}).unwrap()
}

#[test]
fn with_a_free_output_scale_a_handful_of_units_is_certified() {
    let softplus: Activation = "softplus".parse().unwrap();
    for (n, d, width) in [(10, 20, 4), (20, 20, 10)] {
        let data = sphere(n, d, 2);
        let search = Search { activation: &softplus, data: &data, start: Start::Antisymmetric, seed: 0 };
        let scale = find_scale(&search, width).unwrap().unwrap();
        let network = search.network(width, 2.0 * scale).unwrap();
        let all = promises(&network, &data).unwrap();
        let (theorem, proven) = all.hidden.unwrap();
        assert_eq!(theorem, "descent-converges");
        let run = run(&network, &data, Layers::Hidden, &proven, 3000);
        println!("{n} {width} scale {scale} rate {} observed {} {:?}", proven.rate, run.rate, run.comparisons);
        assert!(run.comparisons.iter().all(|comparison| comparison.violated.is_none()), "{:?}", run.comparisons);
    }
}
