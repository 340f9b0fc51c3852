//! `designed-landscape` holds where it should, needs each of its hypotheses, and says what happens.

#![allow(non_snake_case, clippy::unwrap_used)]

use crate::support::*;
use Verdict::{Fails, Holds, Undecided};
use shallows::certificate::Range;
use shallows::certificate::{Check, Judgement, Verdict, approximate_recovery, designed_landscape};
use shallows::linalg::{Matrix, norm, symmetric_eigenvalues};
use shallows::network::Network;
use shallows::optimise::{Monitor, Newton, Stop, newton};
use shallows::random::{Purpose, Stream};
use shallows::recover::designed::{Designed, Target, read_general};
use shallows::risk::Objective;

const SIGMA_4: f64 = -0.08143375198381998;
/// 2√6
const ROOT: f64 = 4.898979485566356;

fn verdicts(certificate: &Judgement) -> Vec<Verdict> {
    certificate.checks.iter().map(Check::verdict).collect()
}

fn teacher(a: &[f64], B: &Matrix) -> Network {
    Network::new(RELU, B.clone(), a.to_vec()).unwrap()
}

#[test]
fn the_landscape_needs_each_of_its_hypotheses() {
    let (a, B) = ([0.5, 1.0, 2.0], independent_rows(3, 4, 1));
    let judged = |a: &[f64], B: &Matrix, sigma_4: f64, mu: f64, lambda: f64| {
        verdicts(&designed_landscape(&teacher(a, B), sigma_4, mu, lambda).unwrap())
    };
    assert_eq!(judged(&a, &B, SIGMA_4, 0.1, 1.0), [Holds; 6]);
    for wrong in [-1.0, 0.0] {
        assert_eq!(judged(&[0.5, 1.0, wrong], &B, SIGMA_4, 0.1, 1.0), [Fails, Holds, Holds, Holds, Holds, Undecided]);
    }
    // Two equal rows, and more rows than inputs.
    let equal = B.select_rows(&[0, 1, 1]);
    assert_eq!(judged(&a, &equal, SIGMA_4, 0.1, 1.0), [Holds, Undecided, Holds, Holds, Holds, Holds]);
    let many = independent_rows(3, 3, 1);
    let many = Matrix::from_fn(3, 2, |i, j| many[(i, j)]);
    assert_eq!(judged(&a, &many, SIGMA_4, 0.1, 1.0), [Holds, Fails, Holds, Holds, Holds, Holds]);
    assert_eq!(judged(&a, &B, 0.0, 0.1, 1.0), [Holds, Holds, Fails, Holds, Holds, Holds]);
    for mu in [0.0, -0.1] {
        assert_eq!(judged(&a, &B, SIGMA_4, mu, 1.0), [Holds, Holds, Holds, Fails, Holds, Holds]);
    }
    for mu in [12.0, 12.1] {
        assert_eq!(judged(&a, &B, SIGMA_4, mu, 1.0), [Holds, Holds, Holds, Holds, Fails, Holds]);
    }
    let bound = 0.1 * SIGMA_4.abs() / (ROOT * 0.5);
    assert_eq!(judged(&a, &B, SIGMA_4, 0.1, bound * (1.0 + 1e-14)), [Holds; 6]);
    assert_eq!(judged(&a, &B, SIGMA_4, 0.1, bound * (1.0 - 1e-14))[5], Fails);
    assert_eq!(judged(&a, &B, SIGMA_4, 0.1, bound)[5], Undecided);
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(designed_landscape(&teacher(&a, &B), SIGMA_4, bad, 1.0).is_err());
        assert!(designed_landscape(&teacher(&a, &B), SIGMA_4, 0.1, bad).is_err());
        assert!(designed_landscape(&teacher(&a, &B), bad, 0.1, 1.0).is_err());
    }
}

#[test]
fn scales_beyond_the_floats_are_not_certified() {
    let B = independent_rows(3, 3, 2);
    for scale in [1e-170, 1e170] {
        let scaled = Matrix::from_fn(3, 3, |i, j| scale * B[(i, j)]);
        let certificate = designed_landscape(&teacher(&[1.0; 3], &scaled), SIGMA_4, 0.1, 1.0).unwrap();
        assert_eq!(certificate.checks[1].verdict(), Undecided, "{certificate:?}");
    }
    // c₂μ/a_min overflows.
    let tiny = designed_landscape(&teacher(&[1e-310, 1.0, 1.0], &B), SIGMA_4, 10.0, 1.0).unwrap();
    assert_ne!(tiny.verdict(), Holds);
}

/// Where F of a certified teacher ends from a random start, in white coordinates.
fn end(target: &Target, k: usize, (mu, lambda): (f64, f64), run: u64) -> Matrix {
    let F = Designed::general(target.clone(), k, SIGMA_4, mu, lambda).unwrap();
    let mut stream = Stream::new(41, Purpose::Start, run);
    let start = (0..k * k).map(|_| stream.normal() / (k as f64).sqrt()).collect();
    let mut monitor = Monitor::new(Stop { gradient: 1e-11, iterations: 1000, ..Stop::default() });
    Matrix::from_vec(k, k, newton(&F, start, &Newton { seed: run, ..Newton::default() }, &mut monitor))
}

#[test]
fn in_the_whole_certified_range_random_starts_end_at_the_teacher() {
    let mut worst = 0.0_f64;
    for run in 0..120 {
        let mut stream = Stream::new(42, Purpose::Teacher, run);
        let (d, k) = (6, 2 + stream.below(5));
        // Output weights over two decades, far beyond what the published theorem allows for these μ.
        let a: Vec<f64> = (0..k).map(|_| 10.0_f64.powf(2.0 * stream.uniform() - 1.0)).collect();
        let B_star = independent_rows(k, d, run);
        let mu = [0.1, 1.0, 6.0, 11.0][run as usize % 4];
        let least = a.iter().fold(f64::INFINITY, |least, a| least.min(*a));
        let lambda = [1.5, 20.0][run as usize / 4 % 2] * mu * SIGMA_4.abs() / (ROOT * least);
        let certificate = designed_landscape(&teacher(&a, &B_star), SIGMA_4, mu, lambda).unwrap();
        assert_eq!(certificate.verdict(), Holds, "{certificate:?}");
        let (target, whitening) = Target::of_teacher(&a, &B_star).unwrap().whitened(k).unwrap();
        let B = whitening.unwhitened(&end(&target, k, (mu, lambda), run));
        let units = read_general(&B, SIGMA_4, mu, lambda).unwrap();
        worst = worst.max(worst_row(&units.B, &B_star));
        assert!(worst < 1e-5, "run {run}, μ = {mu}: {worst:e}");
    }
    println!("rows within {worst:.1e}");
}

/// For the teacher e_1, e_2 with output weights 1, two rows √s·e_1: stationary, with the curvature γ into the empty column.
fn both_on_one(mu: f64, lambda: f64) -> (Designed, Vec<f64>, f64) {
    let target = Target::of_teacher(&[1.0, 1.0], &Matrix::identity(2)).unwrap();
    let F = Designed::general(target, 2, SIGMA_4, mu, lambda).unwrap();
    let (c_1, beta) = (6.0_f64.sqrt() * SIGMA_4.abs(), mu * SIGMA_4.abs() / ROOT);
    let s = lambda / (lambda + c_1 - beta);
    (F, vec![s.sqrt(), 0.0, s.sqrt(), 0.0], 4.0 * (beta - c_1) * s)
}

#[test]
fn beyond_12_there_are_minima_that_are_not_the_teacher_and_up_to_12_the_same_point_is_a_saddle() {
    for (mu, saddle) in [(11.9, true), (12.1, false)] {
        let (F, B, curvature) = both_on_one(mu, 2.0);
        let mut gradient = vec![0.0; 4];
        F.gradient(&B, &mut gradient);
        assert!(norm(&gradient) < 1e-15, "{gradient:?}");
        let mut H = Matrix::zeros(4, 4);
        for i in 0..4 {
            let mut direction = [0.0; 4];
            direction[i] = 1.0;
            F.hessian_product(&B, &direction, H.row_mut(i));
        }
        let least = symmetric_eigenvalues(&H).unwrap()[0];
        assert!((least - curvature).abs() < 1e-13, "{least} instead of {curvature}");
        assert_eq!(least < 0.0, saddle);
    }
}

fn range(units: usize, mu: f64, lambda: f64) -> Range {
    Range { units, outputs: (1.0, 2.0), sigma_4: SIGMA_4, mu, lambda }
}

fn approximate(range: &Range, epsilon: f64, tau: f64) -> Vec<Verdict> {
    verdicts(&approximate_recovery(range, epsilon, tau).unwrap())
}

#[test]
fn approximate_recovery_needs_each_of_its_hypotheses() {
    let good = range(4, 6.0, 1.0);
    assert_eq!(approximate(&good, 1e-5, 1e-5), [Holds; 8]);
    // The first four are needed to say what the others are.
    let only = |at: usize| -> Vec<Verdict> {
        (0..8).map(|i| if i == at { Fails } else { [Holds, Undecided][usize::from(i > 3)] }).collect()
    };
    assert_eq!(approximate(&Range { outputs: (2.0, 1.0), ..good }, 1e-5, 1e-5), only(0));
    assert_eq!(approximate(&Range { outputs: (0.0, 1.0), ..good }, 1e-5, 1e-5), only(0));
    assert_eq!(approximate(&Range { sigma_4: 0.0, ..good }, 1e-5, 1e-5), only(1));
    assert_eq!(approximate(&Range { mu: 0.0, ..good }, 1e-5, 1e-5), only(2));
    assert_eq!(approximate(&Range { mu: 12.5, ..good }, 1e-5, 1e-5), only(3));
    // Just beyond a boundary nothing is refuted: the margins are those of one δ₀, and a smaller one might do. Refuted is only what no δ₀
    // allows, which a checker knows from half of the one given (FORMAT.md §19).
    let missed = |range: &Range, epsilon: f64, tau: f64| -> Vec<usize> {
        let verdicts = approximate(range, epsilon, tau);
        (0..8).filter(|i| verdicts[*i] != Holds).collect()
    };
    // β_max = 0.0997
    assert_eq!(approximate(&range(4, 6.0, 0.0999), 1e-9, 1e-9), [Holds; 8]);
    assert_eq!(missed(&range(4, 6.0, 0.0995), 1e-9, 1e-9), [4]);
    // A row that may be small, two rows on one unit, and one row that may be nowhere in particular.
    let light = Range { outputs: (0.005, 0.005), ..range(4, 0.78, 6.5) };
    assert_eq!(approximate(&light, 0.04, 0.0), [Holds; 8]);
    assert_eq!(missed(&light, 0.045, 0.0), [5]);
    assert_eq!(missed(&good, 1e-3, 1e-5), [6]);
    let wide = Range { outputs: (0.04, 18.0), ..range(1, 0.5, 18.0) };
    assert_eq!(approximate(&wide, 1e-6, 8e-8), [Holds; 8]);
    assert_eq!(missed(&wide, 4e-5, 8e-8), [7]);
    // Far beyond, none does.
    assert_eq!(approximate(&good, 1.0, 1.0)[6], Fails);
    assert_eq!(approximate(&wide, 1.0, 8e-8)[7], Fails);
    for bad in [f64::NAN, -1e-9, f64::INFINITY] {
        assert!(approximate_recovery(&good, bad, 0.0).is_err() && approximate_recovery(&good, 0.0, bad).is_err());
    }
    assert!(approximate_recovery(&range(0, 6.0, 1.0), 0.0, 0.0).is_err());
    assert!(approximate_recovery(&range(4, f64::NAN, 1.0), 0.0, 0.0).is_err());
}

#[test]
fn with_nothing_left_of_gradient_and_negative_curvature_the_teacher_is_met_exactly() {
    for (units, mu) in [(2, 0.01), (8, 1.0), (50, 11.9)] {
        let exact = approximate_recovery(&range(units, mu, 5.0), 0.0, 0.0).unwrap();
        assert_eq!(exact.verdict(), Holds, "{exact:?}");
        assert!(exact.fact("delta").unwrap() < 1e-300 && exact.fact("eta").unwrap() < 1e-300, "{exact:?}");
    }
}

/// Minima of F with a disturbed tensor are nearly stationary for F itself: what the theorem says of them is true.
#[test]
fn minima_of_disturbed_objectives_are_as_near_the_teacher_as_promised() {
    let mut closest = f64::INFINITY;
    let mut proved = 0;
    for run in 0..200 {
        let mut stream = Stream::new(43, Purpose::Teacher, run);
        let k = 2 + stream.below(4);
        let a: Vec<f64> = (0..k).map(|_| 1.0 + stream.uniform()).collect();
        let (mu, lambda) = ([3.0, 6.0, 9.0][run as usize % 3], 1.0);
        // White coordinates from the start: units √(1/a)·e_i with output weights a have M = I.
        let units = Matrix::from_fn(k, k, |i, j| if i == j { a[i].sqrt().recip() } else { 0.0 });
        let target = Target::of_teacher(&a, &units).unwrap();
        let mut T = target.fourth();
        let size = 10.0_f64.powf(-5.0 + 3.5 * stream.uniform());
        T.as_mut_slice().iter_mut().for_each(|t| *t += size * stream.normal());
        let disturbed = Target::of_moments(target.second().clone(), T).unwrap();
        let C = end(&disturbed, k, (mu, lambda), run);
        let F = Designed::general(target, k, SIGMA_4, mu, lambda).unwrap();
        let mut gradient = vec![0.0; k * k];
        F.gradient(C.as_slice(), &mut gradient);
        let epsilon = gradient.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
        let tau = (0..k).map(|s| -row_curvature(&F, &C, s)).fold(0.0, f64::max);
        let outputs = a.iter().fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), a| (least.min(*a), most.max(*a)));
        let range = Range { units: k, outputs, sigma_4: SIGMA_4, mu, lambda };
        let certificate = approximate_recovery(&range, epsilon, tau).unwrap();
        if certificate.verdict() != Holds {
            continue;
        }
        proved += 1;
        let [delta, eta] = ["delta", "eta"].map(|name| certificate.fact(name).unwrap());
        for i in 0..k {
            let column = C.column(i);
            let own = (0..k).max_by(|j, l| column[*j].abs().total_cmp(&column[*l].abs())).unwrap();
            let t = 1.0 / (1.0 - mu * SIGMA_4.abs() / (ROOT * a[i] * lambda));
            assert!((column[own] * column[own] / t - 1.0).abs() <= eta + 1e-15, "run {run}");
            for j in (0..k).filter(|j| *j != own) {
                assert!(column[j].abs() <= delta, "run {run}: {} beyond {delta}", column[j]);
                closest = closest.min(delta / column[j].abs());
            }
        }
    }
    println!("proved for {proved} of 200; the bound was at least {closest:.2} times what it bounds");
    assert!(proved >= 50, "{proved}");
}

/// The smallest eigenvalue of the Hessian of one row.
fn row_curvature(F: &Designed, C: &Matrix, s: usize) -> f64 {
    let k = C.cols();
    let mut H = Matrix::zeros(k, k);
    for i in 0..k {
        let (mut direction, mut product) = (vec![0.0; k * k], vec![0.0; k * k]);
        direction[s * k + i] = 1.0;
        F.hessian_product(C.as_slice(), &direction, &mut product);
        H.row_mut(i).copy_from_slice(&product[s * k..(s + 1) * k]);
    }
    symmetric_eigenvalues(&H).unwrap()[0]
}
