//! No promise about a start that exact arithmetic would not make.

#![allow(non_snake_case, clippy::unwrap_used)]

use shallows::activation::Activation;
use shallows::certificate::{Verdict, energy_barrier, safe_start};
use shallows::linalg::Matrix;
use shallows::network::Network;
use shallows::random::{Purpose, Stream};

fn stream(index: u64) -> Stream {
    Stream::new(64, Purpose::Probe, index)
}

fn ones(W: Matrix) -> Network {
    let m = W.rows();
    Network::new(Activation::SQUARE, W, vec![1.0; m]).unwrap()
}

/// The best rank-deficient networks lie on the barrier up to rounding, and exactly rank-deficient ones never below it.
#[test]
fn the_lowest_rank_deficient_networks_are_never_called_safe() {
    for trial in 0..4000 {
        let mut stream = stream(trial);
        let d = 1 + stream.below(5);
        let m = d + stream.below(3);
        let scale = 2.0_f64.powi(stream.below(60) as i32 - 30);
        let roots: Vec<f64> = (0..d).map(|i| scale * if i + 1 < d { 1.0 + stream.uniform() } else { 1.0 }).collect();
        let t = roots[d - 1] * roots[d - 1] / (d as f64 + 1.0);
        let nudge = |stream: &mut Stream| 1.0 + (stream.below(9) as f64 - 4.0) * f64::EPSILON;
        let lengths: Vec<f64> =
            (0..d - 1).map(|i| (roots[i] * roots[i] + t).sqrt() * nudge(&mut stream)).chain([0.0]).collect();
        let diagonal = |entries: &[f64]| Matrix::from_fn(m, d, |i, j| if i == j { entries[i] } else { 0.0 });
        let certificate = safe_start(&ones(diagonal(&lengths)), &ones(diagonal(&roots))).unwrap();
        assert_ne!(certificate.checks[7].verdict(), Verdict::Holds, "{trial}: {certificate:?}");
        assert!(certificate.fact("risk").unwrap() >= certificate.fact("barrier").unwrap());
        // A little below the barrier it is decided the other way.
        let near: Vec<f64> =
            roots.iter().enumerate().map(|(i, root)| if i + 1 < d { *root } else { 0.9 * root }).collect();
        assert_eq!(safe_start(&ones(diagonal(&near)), &ones(diagonal(&roots))).unwrap().verdict(), Verdict::Holds);
    }
}

/// Integers, so that everything is known exactly.
#[test]
fn risk_and_barrier_enclose_the_exact_ones() {
    for trial in 0..2000 {
        let mut stream = stream(10_000 + trial);
        let (d, m, k) = (1 + stream.below(4), 1 + stream.below(90), 1 + stream.below(90));
        let reach = [3, 1000, 1 << 20][stream.below(3)];
        let mut integers = |rows: usize| -> Vec<Vec<i128>> {
            (0..rows).map(|_| (0..d).map(|_| stream.below(2 * reach + 1) as i128 - reach as i128).collect()).collect()
        };
        let (W, W_star) = (integers(k), integers(m));
        let entry = |W: &[Vec<i128>], a: usize, b: usize| W.iter().map(|w| w[a] * w[b]).sum::<i128>();
        let A = |a: usize, b: usize| entry(&W, a, b) - entry(&W_star, a, b);
        let trace: i128 = (0..d).map(|a| A(a, a)).sum();
        let squares: i128 = (0..d).flat_map(|a| (0..d).map(move |b| (a, b))).map(|(a, b)| A(a, b) * A(a, b)).sum();
        let twice = 2 * squares + trace * trace;
        let floats = |W: &[Vec<i128>]| Matrix::from_fn(W.len(), d, |i, j| W[i][j] as f64);
        let certificate = safe_start(&ones(floats(&W)), &ones(floats(&W_star))).unwrap();
        let found = certificate.fact("risk").unwrap();
        // Twice an f64 of this size is compared exactly as an integer rounded down.
        assert!((2.0 * found).ceil() as i128 >= twice, "{trial}: {found} {twice}");
        assert!(2.0 * found <= twice as f64 * (1.0 + 1e-9) + 1e-3 * (reach * reach) as f64, "{trial}: {found} {twice}");
        if d == 1 && m > 0 {
            let s = entry(&W_star, 0, 0);
            let barrier = energy_barrier(&ones(floats(&W_star))).unwrap();
            let [low, high] = ["barrier", "barrier_high"].map(|name| barrier.fact(name).unwrap());
            assert!((2.0 * low).floor() as i128 <= 3 * s * s && (2.0 * high).ceil() as i128 >= 3 * s * s, "{trial}");
        }
    }
}
