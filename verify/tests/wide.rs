//! `wide-optimum` against optima in 500 bits, and its hypotheses one by one.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, non_snake_case, dead_code)]

#[path = "../examples/campaign/precise.rs"]
mod precise;
#[path = "../examples/campaign/random.rs"]
mod random;
#[path = "../examples/campaign/wide.rs"]
mod wide;

use shallows_verify::Rows;
use shallows_verify::theorem::wide_optimum::{Claim, LayerLaw, Proof, WideLayer, WideNetwork, judge};
use wide::{WideInstance, WideTally, mistakes, wide_one, wide_truth};

#[test]
fn no_bound_and_no_verdict_is_on_the_wrong_side_of_the_optimum() {
    let mut tally = WideTally::default();
    (0..3000).for_each(|index| tally.add(wide_one(7, index)));
    assert!(tally.wrong.is_empty(), "{tally}");
    let held = tally.count("best", "holds");
    println!("{tally}");
    assert!(2 * held > tally.count("best", "undecided"), "{tally}");
    assert!(tally.count("zero", "fails") > 20, "{tally}");
}

/// 1e250·κ(z₁, z₂) = 1e250·1e100·(2e-324·2.2e102) is 4e128: nothing of it may be lost because z₁/1e100 is no double.
#[test]
fn an_input_that_vanishes_when_it_is_scaled_is_not_zero() {
    for law in [LayerLaw::Relu, LayerLaw::Quadratic, LayerLaw::Erf] {
        let layer = WideLayer { law, signal: 1e100, scales: vec![1e100], bias: 0.0 };
        let network = WideNetwork {
            kept: vec![0],
            ranks: None,
            mean: vec![0.0],
            deviation: vec![1.0],
            offset: 0.0,
            layers: vec![layer],
            alpha: vec![1e250, 0.0],
        };
        let claim = Claim { network, decay: 1e-160, tolerance: 1e-9 };
        // e₁ = 0 with y₁ = ρα₁/ω₁.
        let (X, y) = (vec![2e-224, 2.2e202], vec![2e90, 0.0]);
        let judgement = judge(Rows::new(&X, 1, &y, None).unwrap(), &claim, &Proof {}).unwrap();
        let instance = WideInstance { d: 1, X, y, weights: None, claim, source: "" };
        let wrong = mistakes(&judgement, &wide_truth(&instance), 1e-9);
        assert!(wrong.is_empty(), "{law:?}: {wrong:?} {judgement:?}");
    }
}
