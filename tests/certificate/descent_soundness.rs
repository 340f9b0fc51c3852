//! The constants behind the theorems about descent, and verdicts next to where they change, against 120 digits.

#![allow(non_snake_case, clippy::unwrap_used)]

use serde_json::Value;
use shallows::certificate::{
    Check, Judgement, Verdict, both_layers_converge, descent_converges, descent_converges_printed, random_features,
    relu_descent_converges, relu_descent_converges_printed,
};
use shallows::data::Data;
use shallows::linalg::Matrix;
use shallows::network::Network;
use shallows::random::{Purpose, Stream};

fn references() -> Value {
    serde_json::from_str(include_str!("../references/descent.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let read = |bits: &str| f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
    value.as_str().unwrap().split_whitespace().map(read).collect()
}

fn size(case: &Value, name: &str) -> usize {
    case[name].as_u64().unwrap() as usize
}

fn network(case: &Value) -> Network {
    let (d, k, W) = (size(case, "d"), size(case, "k"), numbers(&case["W"]));
    let activation = case["activation"].as_str().unwrap().parse().unwrap();
    Network::new(activation, Matrix::from_fn(k, d, |l, j| W[l * d + j]), numbers(&case["v"])).unwrap()
}

fn data(case: &Value, y: Vec<f64>, weights: Option<Vec<f64>>) -> Data {
    let (n, d, X) = (size(case, "n"), size(case, "d"), numbers(&case["X"]));
    let names = (0..d).map(|j| format!("x{j}")).collect();
    Data::builder(Matrix::from_fn(n, d, |i, j| X[i * d + j]), y).names(names).weights(weights).build().unwrap()
}

fn weights(case: &Value) -> Option<Vec<f64>> {
    Some(numbers(&case["weights"])).filter(|weights| !weights.is_empty())
}

/// The ends of an exact number; none where there is no such number.
fn exact(value: &Value) -> Option<(f64, f64)> {
    let ends = numbers(value);
    (!ends.is_empty()).then(|| (ends[0], ends[1]))
}

/// Counts facts, and how far the worst of the benign ones is from the truth.
#[derive(Default)]
struct Tally {
    facts: usize,
    /// Bounds that do not exist, because a number over- or underflows.
    missing: usize,
    loosest: f64,
}

impl Tally {
    fn at_most(&mut self, certificate: &Judgement, fact: &str, exact: (f64, f64), case: &Value) {
        let found = certificate.fact(fact).unwrap();
        assert!(found <= exact.1, "{} says {fact} {found:e}, but it is {:e}: {case}", certificate.theorem, exact.1);
        self.judge(1.0 - found / exact.0, case);
    }

    fn at_least(&mut self, certificate: &Judgement, fact: &str, exact: (f64, f64), case: &Value) {
        // A bound that is not finite is no fact; of benign numbers there must be one.
        let Some(found) = certificate.fact(fact) else {
            assert_ne!(case["kind"], "benign", "{} does not bound {fact}: {case}", certificate.theorem);
            self.missing += 1;
            return;
        };
        assert!(!(found < exact.0), "{} says {fact} {found:e}, but it is {:e}: {case}", certificate.theorem, exact.0);
        self.judge(found / exact.0 - 1.0, case);
    }

    fn judge(&mut self, slack: f64, case: &Value) {
        self.facts += 1;
        if case["kind"] == "benign" {
            assert!(slack < 1e-6, "a bound is loose by {slack:e}: {case}");
            self.loosest = self.loosest.max(slack);
        }
    }
}

#[test]
fn no_bound_is_on_the_wrong_side_of_the_exact_constant() {
    let mut tally = Tally::default();
    let (mut certified, mut instances) = (0, 0);
    for case in references()["instances"].as_array().unwrap() {
        instances += 1;
        let (network, data) = (network(case), data(case, numbers(&case["y"]), weights(case)));
        let smooth = descent_converges(&network, &data).unwrap();
        let kinked = relu_descent_converges(&network, &data).unwrap();
        let both = both_layers_converge(&network, &data).unwrap();
        let features = random_features(&network, &data).unwrap();
        let [hidden, with_outputs, of_features] =
            ["hidden", "both", "features"].map(|part| [0, 1].map(|end| exact(&case[part][end]).unwrap()));
        let parts = [(&smooth, hidden), (&kinked, hidden), (&both, with_outputs)];
        // A row of weight zero does not count, but the references have it: it adds nothing to the norm and to the residual, makes
        // σ_min zero, and may be the longest.
        let all_count = case["kind"] != "unweighted row";
        for (guarantee, [sigma, norm]) in parts {
            let certificate = &guarantee.judgement;
            if !all_count {
                assert_eq!(sigma, (0.0, 0.0), "{case}");
            } else if sigma.0 > 0.0 || certificate.fact("sigma") != Some(0.0) {
                tally.at_most(certificate, "sigma", sigma, case);
            }
            tally.at_least(certificate, "jacobian_norm", norm, case);
            tally.at_least(certificate, "residual", exact(&case["residual"]).unwrap(), case);
            certified += usize::from(certificate.verdict() == Verdict::Holds);
            // σ_min = 0 is never positive.
            assert!(!all_count || sigma.1 > 0.0 || certificate.checks[1].verdict() != Verdict::Holds, "{case}");
        }
        if !all_count {
            continue;
        }
        if let Some(lipschitz) = exact(&case["lipschitz"]) {
            tally.at_least(&smooth.judgement, "lipschitz", lipschitz, case);
        }
        if of_features[0].0 > 0.0 || features.fact("sigma") != Some(0.0) {
            tally.at_most(&features, "sigma", of_features[0], case);
        }
        tally.at_least(&features, "sigma_at_most", of_features[0], case);
        assert!(of_features[0].1 > 0.0 || features.verdict() != Verdict::Holds, "{case}");
    }
    let Tally { facts, missing, loosest } = tally;
    println!("{instances} instances, {facts} facts, {missing} missing, {certified} certified, {loosest:.1e} loose");
    assert!(20 * missing < facts, "too little is bounded: {missing} of {facts} facts are missing");
    assert!(certified > 20, "the test does not bite: {certified}");
}

#[test]
fn an_eigensolvers_word_is_not_enough() {
    let all = references();
    let case = all["instances"].as_array().unwrap().iter().find(|case| case["kind"] == "counterexample").unwrap();
    let (network, data) = (network(case), data(case, numbers(&case["y"]), None));
    let found = descent_converges(&network, &data).unwrap();
    assert_ne!(found.judgement.verdict(), Verdict::Holds);
    assert_eq!(found.judgement.fact("sigma"), Some(0.0));
    assert!(exact(&case["hidden"][0]).unwrap().0 > 0.0);
}

#[test]
fn next_to_equality_no_verdict_is_wrong() {
    // For the condition on γ and for the others, how many of the given excess were decided: [met and proved, met, not met and
    // refuted, not met].
    let mut decided = [(); 2].map(|()| std::collections::BTreeMap::<i32, [u32; 4]>::new());
    for base in references()["boundary"].as_array().unwrap() {
        let network = network(base);
        for case in base["cases"].as_array().unwrap() {
            let data = data(base, numbers(&case["y"]), None);
            let excess = numbers(&case["excess"])[0];
            let verdict = match case["which"].as_str().unwrap() {
                "printed" => descent_converges_printed(&network, &data).unwrap().checks[2].verdict(),
                "first" => descent_converges(&network, &data).unwrap().judgement.checks[2].verdict(),
                _ => descent_converges(&network, &data).unwrap().judgement.checks[3].verdict(),
            };
            // The step that is claimed is by 1e-9 of itself shorter than the longest, which the references have, so that every
            // checker allows it. 1 − γ ≤ 9/32 is proportional to it, so γ is larger by at most 1e-9·(9/32)/(23/32) of itself.
            let is_about_gamma = case["which"] == "second";
            let excess_of_step = if is_about_gamma { 4e-10 } else { 0.0 };
            match verdict {
                Verdict::Holds => {
                    assert!(excess <= excess_of_step, "{excess:e} above equality, and it holds: {case} {base}")
                }
                Verdict::Fails => assert!(excess > 0.0, "{excess:e} above equality, and it fails: {case} {base}"),
                Verdict::Undecided => {}
            }
            let count = decided[usize::from(is_about_gamma)].entry(excess.abs().log10().round() as i32).or_default();
            let at = if excess > 0.0 { 2 } else { 0 };
            count[at] += u32::from(verdict != Verdict::Undecided);
            count[at + 1] += 1;
        }
    }
    println!("{decided:?}");
    let far = |which: usize| {
        decided[which].range(-11..).fold([0; 4], |all, (_, count)| std::array::from_fn(|at| all[at] + count[at]))
    };
    for [proved, met, refuted, not_met] in [far(0), far(1)] {
        assert!(10 * (proved + refuted) >= 9 * (met + not_met), "the test does not bite: {decided:?}");
    }
}

#[test]
fn a_negative_gamma_is_not_taken_for_a_small_ratio() {
    for base in references()["boundary"].as_array().unwrap() {
        let network = network(base);
        for power in [2, 4, 8, 40, 140] {
            let y = numbers(&base["cases"][0]["y"]).iter().map(|y| y * 10.0_f64.powi(power)).collect();
            let data = data(base, y, None);
            let found = descent_converges(&network, &data).unwrap();
            let verdicts: Vec<Verdict> = found.judgement.checks.iter().map(Check::verdict).collect();
            // The fifth hypothesis is about the step, which is claimed so that it holds.
            assert!(verdicts[2..4].iter().all(|verdict| *verdict != Verdict::Holds), "10^{power}: {verdicts:?}");
            assert!(found.proven.is_none());
            assert!(both_layers_converge(&network, &data).unwrap().proven.is_none(), "10^{power}");
        }
    }
}

/// ‖J(W') − J(W)‖, rows multiplied by √wᵢ.
fn distance(network: &Network, W: &Matrix, data: &Data) -> f64 {
    let (n, k) = (data.n(), network.width());
    let slopes = |W: &Matrix, i: usize| {
        let z: Vec<f64> = (0..k).map(|l| shallows::linalg::dot(W.row(l), data.X.row(i))).collect();
        let (mut values, mut slopes) = (vec![0.0; k], vec![0.0; k]);
        network.activation.slopes(&z, &mut values, &mut slopes);
        slopes
    };
    let change = Matrix::from_row_fn(n, k, |i, out| {
        let (before, after) = (slopes(&network.W, i), slopes(W, i));
        (0..k).for_each(|l| out[l] = network.v[l] * (after[l] - before[l]));
    });
    let root = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i].sqrt());
    let dot = shallows::linalg::dot;
    let entry =
        |i: usize, j: usize| dot(change.row(i), change.row(j)) * dot(data.X.row(i), data.X.row(j)) * root(i) * root(j);
    shallows::spectrum::extremes(&Matrix::from_fn(n, n, entry)).unwrap().largest.max(0.0).sqrt()
}

#[test]
fn no_start_nearby_changes_a_kinked_jacobian_by_more_than_was_counted() {
    let (mut searched, mut moved, mut closest) = (0, 0, 0.0_f64);
    for (index, case) in references()["instances"].as_array().unwrap().iter().enumerate() {
        let kinked = ["relu", "abs", "leaky-relu:-0.3"].contains(&case["activation"].as_str().unwrap());
        if !kinked || ["subnormal", "inputs", "outputs", "huge"].contains(&case["kind"].as_str().unwrap()) {
            continue;
        }
        let network = network(case);
        // Labels of several sizes give balls of several sizes.
        for share in [1e-6, 1e-3, 0.1, 1.0] {
            let outputs = {
                let given = data(case, numbers(&case["y"]), None);
                network.predict(&given.X).unwrap()
            };
            let y = outputs.iter().zip(numbers(&case["y"])).map(|(f, y)| f + share * y).collect();
            let data = data(case, y, weights(case));
            let ours = relu_descent_converges(&network, &data).unwrap().judgement;
            let printed = relu_descent_converges_printed(&network, &data).unwrap();
            let reached = |ours: &Judgement| Some(6.0 * ours.fact("residual")? / ours.fact("sigma")?);
            for (certificate, radius) in [(&ours, ours.fact("radius")), (&printed, reached(&ours))] {
                let (Some(radius), Some(bound)) = (radius, certificate.fact("perturbation")) else { continue };
                if !(radius.is_finite() && bound.is_finite()) {
                    continue;
                }
                searched += 1;
                let mut stream = Stream::new(5, Purpose::Probe, index as u64);
                for trial in 0..60 {
                    let W = nearby(&network, &data, radius, trial, &mut stream);
                    let found = distance(&network, &W, &data);
                    moved += usize::from(found > 0.0);
                    closest = closest.max(if bound > 0.0 { found / bound } else { 0.0 });
                    assert!(found <= bound * (1.0 + 1e-10) + 1e-300, "{found:e} > {bound:e} within {radius:e}: {case}");
                }
            }
        }
    }
    println!("{searched} balls, {moved} starts that change J, the bound is reached up to {closest:.3}");
    assert!(searched > 100 && moved > 500 && closest > 0.5, "the test does not bite");
}

/// Hidden weights within `radius`: in a random direction, or with as many units as possible turned over on one row.
fn nearby(network: &Network, data: &Data, radius: f64, trial: usize, stream: &mut Stream) -> Matrix {
    let (k, d) = (network.width(), network.inputs());
    let mut W = network.W.clone();
    if trial.is_multiple_of(3) {
        let D = Matrix::from_fn(k, d, |_, _| stream.normal());
        let share = radius / shallows::linalg::norm(D.as_slice());
        return Matrix::from_fn(k, d, |l, j| W[(l, j)] + share * D[(l, j)]);
    }
    let x = data.X.row(trial % data.n());
    let square = shallows::linalg::dot(x, x);
    let mut order: Vec<(f64, usize)> = (0..k).map(|l| (shallows::linalg::dot(W.row(l), x), l)).collect();
    order.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let mut left = radius * radius;
    for (z, l) in order {
        // To the other side by a hair.
        let share = -z * (1.0 + 1e-9) / square;
        left -= share * share * square;
        if !(left > 0.0 && square > 0.0) {
            break;
        }
        W.row_mut(l).iter_mut().zip(x).for_each(|(w, x)| *w += share * x);
    }
    W
}
