//! `wide-optimum` against optima in 500 bits, and its hypotheses one by one.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, non_snake_case, dead_code)]

#[path = "../examples/campaign/precise.rs"]
mod precise;
#[path = "../examples/campaign/random.rs"]
mod random;
#[path = "../examples/campaign/wide.rs"]
mod wide;

use shallows_verify::theorem::wide_optimum::{Claim, LayerLaw, Proof, WideLayer, WideNetwork, judge};
use shallows_verify::{Rows, Verdict};
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

/// One affine layer on raw inputs.
fn affine(offset: f64, alpha: Vec<f64>) -> WideNetwork {
    let layer = WideLayer { law: LayerLaw::Affine, signal: 1.0, scales: vec![], bias: 0.0 };
    let (kept, mean, deviation) = (vec![0], vec![0.0], vec![1.0]);
    WideNetwork { kept, ranks: None, mean, deviation, offset, layers: vec![layer], alpha }
}

/// What the gap is relative to comes from the rows: a constant far from all targets makes no gap small.
#[test]
fn an_offset_far_from_the_targets_does_not_raise_the_floor() {
    for offset in [0.0, 1e8, 1e20] {
        let claim = Claim { network: affine(offset, vec![0.0, 0.0]), decay: 1.0, tolerance: 1e-5 };
        let judgement = judge(Rows::new(&[1.0, 2.0], 1, &[0.0, 1.0], None).unwrap(), &claim, &Proof {}).unwrap();
        assert!(judgement.fact("measure") <= judgement.fact("objective"));
        assert_eq!(judgement.verdict(), Verdict::Fails, "{offset}: {judgement:?}");
    }
    // Nothing is left of P: the floor is that of the best constant, ½·¼·1e-22, and the sentence says so.
    let claim = Claim { network: affine(-1.0, vec![0.0, 0.5]), decay: f64::MIN_POSITIVE, tolerance: 1e-5 };
    let judgement = judge(Rows::new(&[1.0, 3.0], 1, &[1.0, 4.0], None).unwrap(), &claim, &Proof {}).unwrap();
    let floor = 0.5 * 2.25 * 1e-22;
    assert!((judgement.fact("measure").unwrap() / floor - 1.0).abs() < 1e-12, "{judgement:?}");
    assert!(judgement.statement.contains("of the floor of what that is relative to"), "{}", judgement.statement);
}

#[test]
fn predictions_on_rows_of_weight_zero_are_not_spoken_of() {
    let claim = Claim { network: affine(0.0, vec![0.25, 0.0]), decay: 1.0, tolerance: 0.1 };
    let said = |weights: Option<&[f64]>| {
        let rows = Rows::new(
            &[1.0, 2.0, 1e9][..weights.map_or(2, <[f64]>::len)],
            1,
            &[1.0, 1.0, 5.0][..weights.map_or(2, <[f64]>::len)],
            weights,
        );
        judge(rows.unwrap(), &claim, &Proof {}).unwrap().statement
    };
    assert!(said(None).contains("predictions on these rows are within"));
    assert!(said(Some(&[1.0, 1.0, 0.0])).contains("predictions on these rows, but those of weight 0, are within"));
}
