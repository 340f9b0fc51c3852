//! No lower bound exceeds the objective of any competitor.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::support::{
    descent, exact_objective, least_squares, network_of, random_claim, random_data, stored_optimum, stream,
};
use shallows::certificate::{Claim, Signs, Verdict};
use shallows::data::Data;
use shallows::linalg::Matrix;
use shallows::network::Network;

const INSTANCES: u64 = 20_000;

fn size(network: &Network, exponents: &[i32]) -> [f64; 3] {
    let scaled = |w: &[f64]| w.iter().zip(exponents).map(|(w, e)| (w * 2.0_f64.powi(*e)).powi(2)).sum::<f64>();
    let nuclear = network.v.iter().enumerate().map(|(l, v)| v.abs() * scaled(network.W.row(l))).sum();
    let linear = network.linear.as_ref().map_or(0.0, |b| scaled(b).sqrt());
    [nuclear, linear, network.intercept.unwrap_or(0.0).abs()]
}

#[test]
fn the_lower_bound_never_exceeds_the_objective_of_any_competitor() {
    let (mut tight, mut all, mut bounded, mut failed) = (0, 0, 0, 0);
    for index in 0..INSTANCES {
        let mut stream = stream(index);
        let data = random_data(&mut stream);
        let claim = random_claim(&mut stream, &data);
        let mut competitors = vec![descent(&data, &claim, if index % 10 == 0 { 1500 } else { 150 })];
        let zeros = vec![0.0; data.d()];
        competitors.push(network_of(&Matrix::zeros(data.d(), data.d()), &zeros, 0.0, &claim));
        if claim.signs == Signs::Any {
            competitors.extend([1e-6, 1e-11, 1e-15].map(|share| least_squares(&data, &claim, share)));
        }
        competitors.retain(|network| network.check().is_ok() && exact_objective(network, &data, &claim).1.is_finite());
        let objectives: Vec<(f64, f64)> =
            competitors.iter().map(|network| exact_objective(network, &data, &claim)).collect();
        let best = (0..competitors.len()).min_by(|a, b| objectives[*a].1.total_cmp(&objectives[*b].1));
        let given = if index % 4 == 0 { stream.below(competitors.len()) } else { best.unwrap() };
        let optimum = stored_optimum(&competitors[given], &data, &claim, None, 1e-6);
        let context = format!("instance {index}: {claim:?} {data:?} {optimum:?}");
        assert!(optimum.objective >= objectives[given].0, "objective too low, {context}");
        for (network, (_, objective)) in competitors.iter().zip(&objectives) {
            let limits = size(network, &claim.exponents).into_iter().zip(optimum.class);
            let inside = limits.into_iter().all(|(size, limit)| limit.is_none_or(|limit| size <= limit));
            assert!(!inside || optimum.lower_bound <= *objective, "{objective:e}, {context}");
        }
        if let Some(better) = optimum.improvement.as_ref().filter(|_| optimum.verdict == Verdict::Fails) {
            failed += 1;
            assert!(exact_objective(better, &data, &claim).0 < objectives[given].1, "improvement, {context}");
        }
        tight += u32::from(optimum.relative_gap < 1e-6);
        all += u32::from(optimum.class == [None; 3] && optimum.lower_bound > 0.0);
        bounded += u32::from(optimum.class != [None; 3]);
    }
    println!("{tight} tight, {all} with a positive bound over all, {bounded} over a bounded class, {failed} improved");
    assert!(tight > INSTANCES as u32 / 5 && all > INSTANCES as u32 / 5, "the test does not bite");
}

/// One row that weighs as much as all floats up to it can count, and many that weigh 1.
fn one_heavy_row(n: usize) -> Data {
    let mut stream = stream(1);
    let X = Matrix::from_fn(n, 1, |_, _| stream.normal());
    let y = (0..n).map(|i| X[(i, 0)].powi(2) + 0.1 * stream.normal()).collect();
    let weights = (0..n).map(|i| if i == 0 { 2.0_f64.powi(53) } else { 1.0 }).collect();
    Data::builder(X, y).names(vec!["x".into()]).weights(Some(weights)).build().unwrap()
}

#[test]
fn a_sum_of_weights_that_is_no_double_is_bounded_from_both_sides() {
    let data = one_heavy_row(20_000);
    let claim = Claim { signs: Signs::Any, decay: 0.0, linear: true, intercept: true, exponents: vec![0] };
    let network = least_squares(&data, &claim, 1e-15);
    let optimum = stored_optimum(&network, &data, &claim, None, 1e-6);
    let (low, high) = exact_objective(&network, &data, &claim);
    assert!(optimum.relative_gap < 1e-6, "the test does not bite: {optimum:?}");
    assert!(optimum.lower_bound <= high, "{:e} is above {high:e}", optimum.lower_bound);
    assert!(optimum.objective >= low, "{:e} is below {low:e}", optimum.objective);
}

#[test]
fn weights_of_very_different_sizes_keep_the_bounds() {
    let mut tight = 0;
    for index in 0..1000 {
        let mut stream = stream(100_000 + index);
        let mut data = random_data(&mut stream);
        let weight = |_| 2.0_f64.powi(stream.below(120) as i32 - 60) * (1.0 + stream.uniform());
        data.weights = Some((0..data.n()).map(weight).collect());
        let claim = random_claim(&mut stream, &data);
        let network = least_squares(&data, &claim, 1e-15);
        if network.check().is_err() || !exact_objective(&network, &data, &claim).1.is_finite() {
            continue;
        }
        let optimum = stored_optimum(&network, &data, &claim, None, 1e-6);
        let (low, high) = exact_objective(&network, &data, &claim);
        let member = optimum.verdicts[..2] == [Verdict::Holds; 2];
        assert!(!member || optimum.lower_bound <= high, "instance {index}: {claim:?} {data:?} {optimum:?}");
        assert!(optimum.objective >= low, "instance {index}: {claim:?} {data:?} {optimum:?}");
        tight += u32::from(optimum.relative_gap < 1e-6);
    }
    assert!(tight > 200, "the test does not bite: {tight}");
}
