//! Intervals cover what they say they cover; the logistic is the one of greatest likelihood.

#![cfg(feature = "lab")]
#![allow(clippy::unwrap_used)]

use std::path::Path;

use shallows::lab::{By, GridCell, Specification, Symbol, Trial, TrialOutcome, threshold, thresholds_by_rule};
use shallows::optimise::{LADDER, StopReason};
use shallows::random::{Purpose, Stream};
use shallows::statistics::intervals::wilson;
use shallows::statistics::logistic::{Curve, Sample, bootstrap, fit};

fn sample(x: f64, successes: usize, trials: usize) -> Sample {
    let groups = (0..trials).map(|i| (usize::from(i < successes), 1)).collect();
    Sample { x, groups }
}

fn samples(counts: &[(f64, usize, usize)]) -> Vec<Sample> {
    counts.iter().map(|&(x, successes, trials)| sample(x, successes, trials)).collect()
}

fn probability(half: f64, slope: f64, x: f64) -> f64 {
    1.0 / (1.0 + (-slope * (x - half)).exp())
}

/// What a sweep along k = 4, …, 14 would see.
fn drawn(stream: &mut Stream, (half, slope): (f64, f64), trials: usize) -> Vec<Sample> {
    let successes = |p: f64, stream: &mut Stream| (0..trials).filter(|_| stream.uniform() < p).count();
    (4..=14).map(|k| sample(f64::from(k), successes(probability(half, slope, f64::from(k)), stream), trials)).collect()
}

#[test]
fn wilson_agrees_with_the_equation_that_defines_it() {
    // The ends solve (p̂ − p)² = z² p(1 − p)/m.
    let z2 = 1.959_963_984_540_054_f64.powi(2);
    for (successes, trials) in [(0, 10), (1, 10), (5, 10), (9, 10), (10, 10), (37, 50), (999, 1000)] {
        let (low, high) = wilson(successes, trials);
        assert!(0.0 <= low && low < high && high <= 1.0);
        let share = successes as f64 / trials as f64;
        for end in [low, high].into_iter().filter(|end| *end > 0.0 && *end < 1.0) {
            let gap = (share - end).powi(2) - z2 * end * (1.0 - end) / trials as f64;
            assert!(gap.abs() < 1e-14, "{successes} of {trials}: {end}");
        }
    }
    assert_eq!(wilson(0, 0), (0.0, 1.0));
}

#[test]
fn wilson_intervals_cover_the_truth_about_as_often_as_they_say() {
    // Exact, by summing the binomial law: on average over p the coverage is 95 %, and it never falls far below.
    for trials in [10_usize, 50] {
        let coverage = |p: f64| -> f64 {
            let mut mass = (1.0 - p).powi(trials as i32);
            let mut covered = 0.0;
            for successes in 0..=trials {
                let (low, high) = wilson(successes, trials);
                covered += if low <= p && p <= high { mass } else { 0.0 };
                mass *= (trials - successes) as f64 / (successes + 1) as f64 * p / (1.0 - p);
            }
            covered
        };
        let all: Vec<f64> = (1..200).map(|i| coverage(f64::from(i) / 200.0)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - 0.95).abs() < 0.015, "{trials}: {mean}");
        assert!(all.iter().all(|coverage| *coverage > 0.82), "{trials}");
    }
}

#[test]
fn the_logistic_is_the_best_of_all_on_a_fine_grid() {
    let counts = [(4.0, 0, 20), (6.0, 3, 20), (7.0, 2, 10), (8.0, 9, 20), (10.0, 17, 20), (12.0, 20, 20)];
    for turned in [false, true] {
        let counts = counts.map(|(x, s, m)| (if turned { -x } else { x }, s, m));
        let Curve::Fitted { half, slope } = fit(&samples(&counts)) else { panic!() };
        assert_eq!(slope < 0.0, turned);
        let likelihood = |half: f64, slope: f64| -> f64 {
            let term = |&(x, s, m): &(f64, usize, usize)| {
                let p = probability(half, slope, x);
                let ln = |p: f64, count: usize| if count == 0 { 0.0 } else { count as f64 * p.ln() };
                ln(p, s) + ln(1.0 - p, m - s)
            };
            counts.iter().map(term).sum()
        };
        let best = likelihood(half, slope);
        for i in -200..=200 {
            for j in -200..=200 {
                let (other_half, other_slope) = (half + 0.02 * f64::from(i), slope * (1.0 + 0.004 * f64::from(j)));
                assert!(likelihood(other_half, other_slope) <= best + 1e-9, "{other_half} {other_slope}");
            }
        }
        // Near the top the likelihood is flat: the place itself is tested by the steps beside it.
        assert!(likelihood(half + 1e-4, slope) < best && likelihood(half - 1e-4, slope) < best);
    }
}

#[test]
fn fits_do_not_depend_on_the_units_of_x() {
    let counts = [(4.0, 1, 20), (6.0, 3, 20), (8.0, 9, 20), (10.0, 17, 20)];
    let Curve::Fitted { half, slope } = fit(&samples(&counts)) else { panic!() };
    let scaled = counts.map(|(x, s, m)| (1e6 + 1e-3 * x, s, m));
    let Curve::Fitted { half: other, slope: steeper } = fit(&samples(&scaled)) else { panic!() };
    assert!((1e3 * (other - 1e6) - half).abs() < 1e-4 && (1e-3 * steeper - slope).abs() < 1e-4);
}

#[test]
fn bootstrap_intervals_cover_the_true_threshold_about_as_often_as_they_say() {
    const RUNS: u64 = 600;
    for (trials, truth) in [(10, (9.3, 1.2)), (50, (8.7, 0.8)), (20, (9.0, -1.5))] {
        let mut covered = 0;
        for run in 0..RUNS {
            let mut stream = Stream::new(run, Purpose::Probe, trials as u64);
            let samples = drawn(&mut stream, truth, trials);
            let (low, high) = match bootstrap(&samples, 300, run) {
                Some(interval) => interval,
                None => threshold(&samples, run).map(|found| (found.low, found.high)).unwrap(),
            };
            covered += u64::from(low <= truth.0 && truth.0 <= high);
        }
        let coverage = covered as f64 / RUNS as f64;
        // Standard error 0.009; percentile intervals of small samples are a little short.
        assert!((0.91..=0.985).contains(&coverage), "{trials} trials: {coverage}");
    }
}

#[test]
fn starts_of_one_network_do_not_count_as_independent() {
    // Ten starts that always agree are one observation: the interval must be that of the networks.
    let mut stream = Stream::new(5, Purpose::Probe, 0);
    let single = drawn(&mut stream, (9.0, 1.0), 20);
    let tenfold: Vec<Sample> = single
        .iter()
        .map(|sample| Sample { x: sample.x, groups: sample.groups.iter().map(|(s, m)| (10 * s, 10 * m)).collect() })
        .collect();
    let (low, high) = bootstrap(&tenfold, 1000, 1).unwrap();
    let (single_low, single_high) = bootstrap(&single, 1000, 1).unwrap();
    let ratio = (high - low) / (single_high - single_low);
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn separated_data_have_a_gap_and_no_slope() {
    let found = fit(&samples(&[(4.0, 0, 10), (6.0, 0, 10), (9.0, 10, 10), (10.0, 10, 10)]));
    assert_eq!(found, Curve::Separated { half: 7.5, from: 6.0, to: 9.0, rising: true });
    let found = fit(&samples(&[(4.0, 10, 10), (6.0, 0, 10)]));
    assert_eq!(found, Curve::Separated { half: 5.0, from: 4.0, to: 6.0, rising: false });
    // One mixed cell: half of the way is where a straight line passes one half.
    let found = fit(&samples(&[(4.0, 0, 10), (6.0, 4, 10), (8.0, 10, 10)]));
    let Curve::Separated { half, from, to, rising: true } = found else { panic!("{found:?}") };
    assert!((from, to) == (4.0, 8.0) && (half - (6.0 + 2.0 * 0.1 / 0.6)).abs() < 1e-12);
    // A mixed cell at the end: nothing is known beyond.
    let found = threshold(&samples(&[(4.0, 0, 10), (6.0, 4, 10)]), 0).unwrap();
    assert_eq!((found.low, found.high), (4.0, f64::INFINITY));
    // Less than half of them: the threshold lies beyond all cells, on either side.
    for (cells, half) in [
        (&[(4.0, 0, 10), (5.0, 0, 10), (6.0, 1, 10)], f64::INFINITY),
        (&[(4.0, 10, 10), (5.0, 10, 10), (6.0, 9, 10)], f64::INFINITY),
        (&[(4.0, 9, 10), (5.0, 10, 10), (6.0, 10, 10)], f64::NEG_INFINITY),
        (&[(4.0, 1, 10), (5.0, 0, 10), (6.0, 0, 10)], f64::NEG_INFINITY),
    ] {
        let found = threshold(&samples(cells), 0).unwrap();
        assert!(found.is_beyond && found.half == half, "{cells:?}: {found:?}");
    }
    let found = threshold(&samples(&[(4.0, 0, 10), (5.0, 10, 10)]), 0).unwrap();
    assert_eq!((found.half, found.low, found.high), (4.5, 4.0, 5.0));
}

#[test]
fn without_a_transition_there_is_no_threshold() {
    for counts in [&[][..], &[(4.0, 0, 10), (5.0, 0, 10)], &[(4.0, 10, 10), (5.0, 10, 10)], &[(4.0, 5, 10)]] {
        assert_eq!(fit(&samples(counts)), Curve::Flat);
        assert_eq!(threshold(&samples(counts), 0), None);
    }
    let beyond = threshold(&samples(&[(4.0, 1, 50), (5.0, 2, 50), (6.0, 3, 50)]), 0).unwrap();
    assert!(beyond.is_beyond && beyond.half > 6.0);
}

#[test]
fn the_bootstrap_gives_the_same_interval_again_and_another_for_another_seed() {
    let samples = drawn(&mut Stream::new(1, Purpose::Probe, 0), (9.0, 1.0), 20);
    assert_eq!(bootstrap(&samples, 200, 7), bootstrap(&samples, 200, 7));
    assert_ne!(bootstrap(&samples, 200, 7), bootstrap(&samples, 200, 8));
}

#[test]
fn the_threshold_moves_with_tolerance_and_iterations_as_the_trainings_do() {
    // Rung i is reached after 2^(10 + i − k) units of 1000 iterations: within 2^j of them just for k ≥ 10 + i − j.
    let text = "trials = 1\n[grid]\nn = 100\nk = \"1..=20\"\nd = 10\n[student]\nactivation = \"tanh\"\n\
                [training]\niterations = 32000\ntolerance = 1e-3";
    let specification = Specification::parse(text, Path::new("")).unwrap();
    let trial = |k: usize| {
        let crossing = |i: usize| Some(1000.0 * 2.0_f64.powi((10 + i) as i32 - k as i32)).filter(|t| *t <= 32_000.0);
        let mut crossings = [None; LADDER.len()];
        (0..LADDER.len()).for_each(|i| crossings[i] = crossing(i).map(|t| t as usize));
        let outcome = TrialOutcome {
            crossings,
            iterations: 32_000,
            reason: StopReason::Iterations,
            objective: 0.0,
            relative_error: 0.0,
            long_run: None,
            teacher_error: None,
            fingerprint: String::new(),
        };
        Trial {
            id: k as u64,
            cell: GridCell { n: 100, k, d: 10 },
            network: 0,
            start: 0,
            seed: 0,
            outcome,
            seconds: 0.0,
        }
    };
    let trials: Vec<Trial> = (1..=20).map(trial).collect();
    let all = thresholds_by_rule(&specification, &trials, Symbol::K, By::Run);
    // The five rungs down to 1e-3, which is where descent would have ended, and 1000, …, 32000 iterations.
    assert_eq!(all.len(), 5 * 6);
    for rule in &all {
        let i = LADDER.iter().position(|tolerance| *tolerance == rule.tolerance).unwrap() as f64;
        let j = (rule.within as f64 / 1000.0).log2();
        assert_eq!(rule.threshold.unwrap().half, 10.0 + i - j - 0.5, "{rule:?}");
    }
}
