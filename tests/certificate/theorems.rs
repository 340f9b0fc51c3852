//! Every theorem about a start: an instance where it holds, and for each hypothesis one that breaks it.
//!
//! Some hypotheses cannot be broken alone: without a bound on φ'' there is no Lipschitz constant either, and with
//! σ_min(J₀) = 0 no inequality against it can be proved. The tests name all that are not met.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::certificate::descent::Start;
use shallows::certificate::{
    Check, Judgement, Search, Verdict, both_layers_converge, descent_converges, descent_converges_printed, find_scale,
    guarantee, promises, random_features, relu_descent_converges, relu_descent_converges_printed, sgd_converges,
    wide_enough, wide_quadratic,
};
use shallows::data::Data;
use shallows::linalg::Matrix;
use shallows::network::{Layers, Network};
use shallows::random::{Purpose, Stream};

fn data(X: Matrix, y: Vec<f64>) -> Data {
    let names = (0..X.cols()).map(|j| format!("x{j}")).collect();
    Data::builder(X, y).names(names).build().unwrap()
}

fn named(activation: &str) -> Activation {
    activation.parse().unwrap()
}

/// Three rows of the identity.
fn orthonormal() -> Data {
    data(Matrix::from_fn(3, 3, |i, j| f64::from(u8::from(i == j))), vec![0.6, -0.8, 0.3])
}

/// The same, the last row equal to the first.
fn repeated() -> Data {
    data(Matrix::from_fn(3, 3, |i, j| f64::from(u8::from(i % 2 == j))), vec![0.6, -0.8, 0.3])
}

/// An antisymmetric start.
fn start(activation: &str, width: usize, scale: f64) -> Network {
    Start::Antisymmetric.network(&named(activation), width, 3, scale, 1).unwrap()
}

/// The least output scale, to 2 %, that `find_scale` certifies.
fn least_scale(activation: &str) -> f64 {
    let (activation, data) = (named(activation), orthonormal());
    let search = Search { activation: &activation, data: &data, start: Start::Antisymmetric, seed: 1 };
    find_scale(&search, 8).unwrap().unwrap()
}

fn holds(certificate: &Judgement) {
    assert_eq!(certificate.verdict(), Verdict::Holds, "{certificate:?}");
}

/// Exactly the named hypotheses are not met, or not known to be; that about the step, which is chosen for the theorem, aside.
fn misses(certificate: &Judgement, expected: &[usize]) {
    let open = |check: &Check| check.verdict() != Verdict::Holds && !check.hypothesis.starts_with("η ≤");
    let open: Vec<usize> = (0..certificate.checks.len()).filter(|&index| open(&certificate.checks[index])).collect();
    assert_eq!(open, expected, "{certificate:?}");
    assert_ne!(certificate.verdict(), Verdict::Holds);
}

#[test]
fn descent_converges_needs_each_of_its_hypotheses() {
    let (scale, data) = (least_scale("softplus"), orthonormal());
    let judged = |network: &Network, data: &Data| descent_converges(network, data).unwrap().judgement;
    holds(&judged(&start("softplus", 8, scale), &data));
    misses(&judged(&start("relu", 8, scale), &data), &[0, 2, 3]);
    misses(&judged(&start("hermite:0,0,0,1", 8, scale), &data), &[0, 2, 3]);
    misses(&judged(&start("softplus", 8, scale), &repeated()), &[1, 2, 3]);
    misses(&judged(&start("softplus", 8, scale / 2.0), &data), &[2, 3]);
    // 2·Lip·‖r₀‖ is 0.72σ₀² or so at the least scale, and inversely proportional to it.
    misses(&judged(&start("softplus", 8, 0.85 * scale), &data), &[3]);
}

#[test]
fn the_published_condition_for_descent_needs_each_of_its_hypotheses() {
    let (scale, data) = (8.0 * least_scale("softplus"), orthonormal());
    let judged = |network: &Network, data: &Data| descent_converges_printed(network, data).unwrap();
    holds(&judged(&start("softplus", 8, scale), &data));
    misses(&judged(&start("abs", 8, scale), &data), &[0, 2]);
    misses(&judged(&start("softplus", 8, scale), &repeated()), &[1, 2]);
    misses(&judged(&start("softplus", 8, scale / 2.0), &data), &[2]);
}

#[test]
fn relu_descent_converges_needs_each_of_its_hypotheses() {
    for activation in ["relu", "abs", "leaky-relu:-0.3", "leaky-relu:0.1"] {
        let (scale, data) = (least_scale(activation), orthonormal());
        let judged = |network: &Network, data: &Data| relu_descent_converges(network, data).unwrap().judgement;
        let printed = |network: &Network, data: &Data| relu_descent_converges_printed(network, data).unwrap();
        holds(&judged(&start(activation, 8, scale), &data));
        holds(&printed(&start(activation, 8, 100.0 * scale), &data));
        misses(&judged(&start("gelu", 8, scale), &data), &[0, 2]);
        misses(&printed(&start("gelu", 8, 100.0 * scale), &data), &[0, 2]);
        misses(&judged(&start(activation, 8, scale), &repeated()), &[1, 2]);
        misses(&printed(&start(activation, 8, 100.0 * scale), &repeated()), &[1, 2]);
        misses(&judged(&start(activation, 8, scale / 4.0), &data), &[2]);
        misses(&printed(&start(activation, 8, scale / 4.0), &data), &[2]);
    }
}

#[test]
fn both_layers_converge_needs_each_of_its_hypotheses() {
    let data = orthonormal();
    let judged = |network: &Network, data: &Data| both_layers_converge(network, data).unwrap().judgement;
    let verdict = |scale: f64| judged(&start("softplus", 8, scale), &data).verdict();
    let (mut low, mut high) = (1e-3, 1e6);
    assert_eq!((verdict(low), verdict(high)), (Verdict::Undecided, Verdict::Holds));
    while high > 1.001 * low {
        let middle = (low * high).sqrt();
        if verdict(middle) == Verdict::Holds { high = middle } else { low = middle }
    }
    holds(&judged(&start("softplus", 8, high), &data));
    misses(&judged(&start("relu", 8, high), &data), &[0, 2, 3, 5]);
    misses(&judged(&start("softplus", 8, high), &repeated()), &[1, 2, 3, 5]);
    misses(&judged(&start("softplus", 8, high / 3.0), &data), &[2, 3, 5]);
    // Just too small: the smallest ball has a Lipschitz constant that would do, but is left by the path.
    misses(&judged(&start("softplus", 8, low), &data), &[5]);
}

#[test]
fn random_features_need_full_rank() {
    holds(&random_features(&start("softplus", 8, 1.0), &orthonormal()).unwrap());
    misses(&random_features(&start("softplus", 2, 1.0), &orthonormal()).unwrap(), &[0, 1]);
    misses(&random_features(&start("softplus", 8, 1.0), &repeated()).unwrap(), &[1]);
    // Eight units, but every one twice: four different ones do, two do not.
    misses(&random_features(&start("softplus", 4, 1.0), &orthonormal()).unwrap(), &[1]);
}

#[test]
fn random_features_do_not_depend_on_weights() {
    let mut weighted = orthonormal();
    let network = start("softplus", 8, 1.0);
    let sigma = |data: &Data| random_features(&network, data).unwrap().fact("sigma").unwrap();
    let plain = sigma(&weighted);
    weighted.weights = Some(vec![100.0; 3]);
    assert_eq!(sigma(&weighted), plain);
}

#[test]
fn wide_enough_needs_each_of_its_hypotheses() {
    let (softplus, data_) = (named("softplus"), orthonormal());
    holds(&wide_enough(&softplus, &data_, 100_000_000).unwrap());
    misses(&wide_enough(&named("quadratic"), &data_, 100_000_000).unwrap(), &[0, 4, 5]);
    misses(&wide_enough(&named("relu"), &data_, 100_000_000).unwrap(), &[0, 3, 4, 5]);
    misses(&wide_enough(&softplus, &data_, 100_000_001).unwrap(), &[1]);
    let mut longer = data_.clone();
    longer.X.as_mut_slice()[0] = 1.0 + 1e-8;
    // λ(X) is looked at for unit rows only.
    misses(&wide_enough(&softplus, &longer, 100_000_000).unwrap(), &[2, 3, 4, 5]);
    let weighted = Data { weights: Some(vec![1.0, 2.0, 1.0]), ..data_.clone() };
    misses(&wide_enough(&softplus, &weighted, 100_000_000).unwrap(), &[7]);
    misses(&wide_enough(&softplus, &repeated(), 100_000_000).unwrap(), &[3, 4, 5]);
    misses(&wide_enough(&softplus, &data_, 100_000).unwrap(), &[4]);
    misses(&wide_enough(&softplus, &data_, 10).unwrap(), &[4, 5]);
}

#[test]
fn rows_at_the_edge_of_norm_one_are_not_judged_by_rounding() {
    let verdict = |length: f64| {
        let mut edge = orthonormal();
        edge.X.as_mut_slice()[0] = length;
        wide_enough(&named("softplus"), &edge, 100_000_000).unwrap().checks[2].verdict()
    };
    // The first two are within 1e-9 of 1 by less than a last digit, the last is not.
    for length in [1.0 + 9.999_999e-10, 1.0 - 9.999_999e-10, 1.0 - 1.000_000_05e-9] {
        assert_eq!(verdict(length), Verdict::Undecided, "{length}");
    }
    assert_eq!([1.0 + 9.999e-10, 1.0 + 1.001e-9, 1e100].map(verdict), [Verdict::Holds, Verdict::Fails, Verdict::Fails]);
}

#[test]
fn sgd_converges_is_never_decided_and_each_other_hypothesis_is_needed() {
    let (softplus, data_) = (named("softplus"), orthonormal());
    let certificate = sgd_converges(&softplus, &data_, 1000).unwrap();
    misses(&certificate, &[4]);
    assert_eq!(certificate.verdict(), Verdict::Undecided);
    misses(&sgd_converges(&named("quadratic"), &data_, 1000).unwrap(), &[0, 4]);
    let mut longer = data_.clone();
    longer.X.as_mut_slice()[0] = 1.0 + 1e-8;
    misses(&sgd_converges(&softplus, &longer, 1000).unwrap(), &[1, 3, 4]);
    let weighted = Data { weights: Some(vec![1.0, 2.0, 1.0]), ..data_.clone() };
    misses(&sgd_converges(&softplus, &weighted, 1000).unwrap(), &[4, 5]);
    for odd in ["tanh", "erf", "sigmoid"] {
        misses(&sgd_converges(&named(odd), &data_, 1000).unwrap(), &[2, 4]);
        assert_eq!(sgd_converges(&named(odd), &data_, 1000).unwrap().verdict(), Verdict::Fails);
    }
    misses(&sgd_converges(&softplus, &repeated(), 1000).unwrap(), &[3, 4]);
    let circle = |i: usize, j: usize| if j == 0 { (i as f64).cos() } else { (i as f64).sin() };
    let crowded = data(Matrix::from_fn(4, 2, circle), vec![1.0; 4]);
    misses(&sgd_converges(&softplus, &crowded, 1000).unwrap(), &[3, 4]);
}

#[test]
fn a_small_mean_curvature_is_not_taken_for_none() {
    let certificate = sgd_converges(&named("softplus:1e-14"), &orthonormal(), 1000).unwrap();
    assert_ne!(certificate.checks[2].verdict(), Verdict::Fails);
}

#[test]
fn wide_quadratic_needs_each_of_its_hypotheses() {
    let network = |v: &[f64]| {
        let W = Matrix::from_fn(v.len(), 2, |l, j| (l + 2 * j) as f64);
        wide_quadratic(&Network::new(named("quadratic"), W, v.to_vec()).unwrap()).unwrap()
    };
    holds(&network(&[1.0, 2.0, -1.0, -1e-300]));
    misses(&network(&[1.0, 0.0, -1.0, -2.0]), &[0]);
    misses(&network(&[1.0, 2.0, -0.0, -2.0]), &[1]);
}

#[test]
fn what_is_not_known_is_not_positive() {
    // Nothing is known about the rank: φ is too large, has no bounded curvature, or there are too many rows.
    let equal = data(Matrix::from_fn(2, 1, |_, _| 1e160), vec![1.0, 2.0]);
    let W = Matrix::from_fn(4, 1, |l, _| 1.0 + l as f64);
    for activation in ["quadratic", "hermite:0,0,0,1"] {
        let network = Network::new(named(activation), W.clone(), vec![1.0, -1.0, 1.0, -1.0]).unwrap();
        assert_ne!(random_features(&network, &equal).unwrap().verdict(), Verdict::Holds, "{activation}");
        assert!(promises(&network, &equal).unwrap().judgements.iter().all(|one| one.verdict() != Verdict::Holds));
    }
    let ones = data(Matrix::from_fn(2, 1, |_, _| 1.0), vec![1.0, 2.0]);
    let network = Network::new(named("hermite:0,0,0,1"), W, vec![1.0, -1.0, 1.0, -1.0]).unwrap();
    assert_ne!(random_features(&network, &ones).unwrap().verdict(), Verdict::Holds);
    let many = data(Matrix::from_fn(5001, 1, |_, _| 1.0), vec![1.0; 5001]);
    let W = Matrix::from_fn(5001, 1, |_, _| 1.0);
    let network = Network::new(named("relu"), W, vec![1.0; 5001]).unwrap();
    assert_ne!(random_features(&network, &many).unwrap().verdict(), Verdict::Holds);
    let certificate = wide_enough(&named("softplus"), &many, 1 << 40).unwrap();
    assert!(certificate.checks[3..6].iter().all(|check| check.verdict() != Verdict::Holds), "{certificate:?}");
}

#[test]
fn a_certified_step_is_a_positive_number_at_every_scale() {
    let mut stream = Stream::new(3, Purpose::Probe, 0);
    let mut certified = 0;
    for activation in ["softplus", "tanh", "gelu", "cos", "quadratic", "relu", "abs", "leaky-relu:1.0"] {
        for power in (-160..=160).step_by(4) {
            for layers in [Layers::Hidden, Layers::Both] {
                let X = Matrix::from_fn(1, 1, |_, _| 10.0_f64.powi(power) * (1.0 + stream.uniform()));
                let y = vec![1e-40 * stream.normal()];
                let data = data(X, y);
                for outputs in [-150, -77, 0, 77, 100, 153, 154] {
                    let W = Matrix::from_fn(2, 1, |_, _| 10.0_f64.powi(-power));
                    let v = 10.0_f64.powi(outputs);
                    let network = Network::new(named(activation), W, vec![v, -v]).unwrap();
                    let found = guarantee(&network, &data, layers).unwrap();
                    let Some(proven) = found.proven else { continue };
                    certified += 1;
                    assert!(proven.step > 0.0 && proven.step.is_finite(), "{activation} {power} {outputs} {proven:?}");
                    assert!(proven.rate <= 1.0 && proven.path >= 0.0 && proven.slope > 0.0, "{proven:?}");
                    // One unit twice: J₀ = √2·v·φ'(1)·x and σ₀ = ‖J₀‖ (hidden layer), so η·σ₀² is a number.
                    let sigma = found.judgement.fact("sigma").unwrap();
                    let norm = found.judgement.fact("jacobian_norm").unwrap();
                    assert!(sigma <= norm, "{activation} {power} {outputs}");
                }
            }
        }
    }
    assert!(certified > 300, "the test does not bite: {certified}");
}

#[test]
fn verdicts_of_a_certificate_are_those_of_its_checks() {
    let all = promises(&start("softplus", 8, 1e4), &orthonormal()).unwrap();
    for certificate in &all.judgements {
        let worst = certificate.checks.iter().map(Check::verdict).max();
        assert_eq!(Some(certificate.verdict()), worst);
        assert!(!certificate.statement.is_empty());
    }
}
