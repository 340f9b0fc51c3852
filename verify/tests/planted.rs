//! Theorems about planted networks: energy-barrier, safe-start, safe-start-gaussian, designed-landscape and approximate-recovery.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

mod exact;

use exact::{Numbers, floats, is_definite};
use shallows_verify::theorem::{
    approximate_recovery, designed_landscape, energy_barrier, safe_start, safe_start_gaussian,
};
use shallows_verify::{Matrix, Network, Verdict};

fn ones(W: Vec<f64>, d: usize) -> Network {
    let k = W.len() / d;
    Network { W: Matrix::from_vec(k, d, W).unwrap(), v: vec![1.0; k], ..Network::zero(d) }
}

/// WᵀW of a matrix with two columns.
fn gram(W: &[i64]) -> [i128; 3] {
    let sum = |a: usize, b: usize| -> i64 { W.chunks(2).map(|w| w[a] * w[b]).sum() };
    [sum(0, 0), sum(0, 1), sum(1, 1)].map(i128::from)
}

#[test]
fn a_barrier_is_confirmed_exactly_where_determinants_say_so() {
    use energy_barrier::{Claim, Proof, judge};
    let mut numbers = Numbers::new(11);
    let mut seen = [0; 3];
    for _ in 0..4000 {
        let k = 1 + numbers.below(4);
        let W = numbers.list(2 * k, 3);
        // μ in eighths.
        let eighths = 1 + i128::from(numbers.next(20).unsigned_abs());
        let [a, b, c] = gram(&W).map(|x| 8 * x);
        let truth = k >= 2 && is_definite([a - eighths, b, c - eighths]);
        let (mu, x) = (eighths as f64 / 8.0, floats(&numbers.list(2, 2)));
        let proof = Proof { smallest: mu, vector: Some(x.clone()) };
        let judgement = judge(&ones(floats(&W), 2), &Claim {}, &proof).unwrap();
        let verdict = judgement.verdict();
        assert_eq!(verdict == Verdict::Holds, truth);
        assert_eq!(verdict == Verdict::Fails, k < 2, "a Rayleigh quotient never proves a zero");
        if k >= 2 {
            assert_eq!(judgement.fact("smallest_square"), Some(if truth { mu } else { 0.0 }));
            assert!(judgement.fact("barrier").unwrap() <= 4.0 / 3.0 * mu * mu);
            // λ_min ≤ xᵀGx/xᵀx, and the fact is a bound that is no better than that.
            let [a, b, c] = gram(&W).map(|x| x as f64);
            let quotient = (a * x[0] * x[0] + 2.0 * b * x[0] * x[1] + c * x[1] * x[1]) / (x[0] * x[0] + x[1] * x[1]);
            match judgement.fact("barrier_high") {
                Some(high) => {
                    assert!((0.0..=1e-12 * (1.0 + high)).contains(&(high - 4.0 / 3.0 * quotient * quotient).max(0.0)))
                }
                None => assert_eq!(x, [0.0, 0.0]),
            }
        }
        seen[verdict as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 200), "{seen:?}");
}

#[test]
fn a_barrier_wants_unit_outputs_and_no_affine_part() {
    use energy_barrier::{Claim, Proof, judge};
    let verdict =
        |network: &Network| judge(network, &Claim {}, &Proof { smallest: 0.5, vector: None }).unwrap().verdict();
    let good = ones(vec![1.0, 0.0, 0.0, 1.0], 2);
    assert_eq!(verdict(&good), Verdict::Holds);
    assert_eq!(verdict(&Network { v: vec![1.0, 2.0], ..good.clone() }), Verdict::Fails);
    assert_eq!(verdict(&Network { intercept: Some(1.0), ..good.clone() }), Verdict::Fails);
    assert_eq!(verdict(&Network { linear: Some(vec![0.0, 1.0]), ..good.clone() }), Verdict::Fails);
    assert_eq!(verdict(&ones(vec![1.0, 1.0, 1.0, 1.0], 2)), Verdict::Undecided);
    let wrong = |vector| judge(&good, &Claim {}, &Proof { smallest: 0.5, vector });
    assert!(wrong(Some(vec![1.0])).is_err() && wrong(Some(vec![f64::NAN, 1.0])).is_err());
}

#[test]
fn safe_starts_are_confirmed_exactly_where_whole_numbers_say_so() {
    use safe_start::{Claim, Proof, judge};
    let mut numbers = Numbers::new(13);
    let mut seen = [0; 3];
    for _ in 0..6000 {
        let (W_star, mut W) = (numbers.list(4, 4), numbers.list(4, 1));
        // Starts near the teacher now and then.
        W.iter_mut().zip(&W_star).for_each(|(w, star)| *w += star);
        let eighths = i128::from(1 + numbers.next(100).unsigned_abs());
        let (G, H) = (gram(&W), gram(&W_star));
        let A = [0, 1, 2].map(|i| G[i] - H[i]);
        // 2L and the barrier in 64ths: L < (4/3)μ², μ = eighths/8.
        let twice_risk = 2 * (A[0] * A[0] + 2 * A[1] * A[1] + A[2] * A[2]) + (A[0] + A[2]) * (A[0] + A[2]);
        let proved = is_definite([8 * H[0] - eighths, 8 * H[1], 8 * H[2] - eighths]);
        let truth = proved && 3 * 64 * twice_risk < 8 * eighths * eighths;
        let proof = Proof { smallest: eighths as f64 / 8.0, vector: Some(vec![1.0, -1.0]) };
        let judgement = judge(&ones(floats(&W), 2), &ones(floats(&W_star), 2), &Claim {}, &proof).unwrap();
        // Refuted where L is above (4/3)(xᵀHx/xᵀx)²: 3·4·2L > 8(xᵀHx)².
        let quotient = H[0] - 2 * H[1] + H[2];
        let refuted = 3 * twice_risk * 4 > 8 * quotient * quotient;
        assert!((judgement.verdict() == Verdict::Holds) == truth, "{W:?} {W_star:?} {eighths}");
        assert!((judgement.verdict() == Verdict::Fails) <= refuted || quotient == 0, "{W:?} {W_star:?}");
        assert!(2.0 * judgement.fact("risk").unwrap() >= twice_risk as f64);
        seen[judgement.verdict() as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}

#[test]
fn a_safe_start_wants_each_of_its_hypotheses() {
    use safe_start::{Claim, Proof, judge};
    let (start, teacher) = (ones(vec![0.9, 0.0, 0.0, 0.9], 2), ones(vec![1.0, 0.0, 0.0, 1.0], 2));
    let verdict = |start: &Network, teacher: &Network, smallest: f64| {
        judge(start, teacher, &Claim {}, &Proof { smallest, vector: None }).unwrap().verdict()
    };
    assert_eq!(verdict(&start, &teacher, 0.99), Verdict::Holds);
    assert_eq!(verdict(&start, &teacher, 1.01), Verdict::Undecided, "μ too large");
    assert_eq!(verdict(&Network { v: vec![1.0, 0.5], ..start.clone() }, &teacher, 0.99), Verdict::Fails);
    assert_eq!(verdict(&Network { intercept: Some(0.1), ..start.clone() }, &teacher, 0.99), Verdict::Fails);
    assert_eq!(verdict(&ones(vec![0.9, 0.0], 2), &teacher, 0.99), Verdict::Fails);
    assert_eq!(verdict(&start, &Network { v: vec![1.0, 0.5], ..teacher.clone() }, 0.99), Verdict::Fails);
    assert_eq!(verdict(&ones(vec![3.0, 0.0, 0.0, 3.0], 2), &teacher, 0.99), Verdict::Undecided, "no bound from above");
    assert!(judge(&ones(vec![1.0], 1), &teacher, &Claim {}, &Proof { smallest: 0.5, vector: None }).is_err());
}

#[test]
fn gaussian_teachers_want_width_and_a_deviation_that_fits() {
    use safe_start_gaussian::{Claim, Proof, judge};
    let judge = |units, gamma, deviation| judge(&Claim { units, inputs: 3, gamma, deviation }, &Proof {}).unwrap();
    let judgement = judge(1_000_000, 1e6, 3.0);
    assert_eq!(judgement.verdict(), Verdict::Holds);
    // 1 − 4e^{−9/2}
    let probability = judgement.fact("probability").unwrap();
    assert!((0.0..1e-12).contains(&(1.0 - 4.0 * (-4.5_f64).exp() - probability)), "{probability}");
    assert_eq!(judge(2, 2.0, 3.0).verdict(), Verdict::Fails, "fewer units than inputs");
    assert_eq!(judge(20, 20.0, 3.0).verdict(), Verdict::Fails, "√m − √d − t < 0");
    assert_eq!(judge(1_000_000, 1e6, 500.0).verdict(), Verdict::Fails, "too far");
    assert_eq!(judge(1_000_000, 2e6, 3.0).verdict(), Verdict::Fails, "another start");
    assert_eq!(judge(1_000_000, 1e6, 1.66).verdict(), Verdict::Fails, "nothing is said with probability 0");
    assert_eq!(judge(1_000_000, 1e6, 1.67).verdict(), Verdict::Holds);
}

#[test]
fn the_designed_landscape_wants_each_of_its_hypotheses() {
    use designed_landscape::{Claim, Proof, judge};
    let verdict = |v: &[f64], second: [f64; 3], (sigma, mu, lambda): (f64, f64, f64), smallest: f64| {
        let W = Matrix::from_rows(&[vec![1.0, 0.0, 0.0], second.to_vec()], 3).unwrap();
        let teacher = Network { W, v: v.to_vec(), ..Network::zero(3) };
        let claim = Claim { fourth_coefficient: sigma, mu, lambda };
        judge(&teacher, &claim, &Proof { smallest }).unwrap().verdict()
    };
    let (v, b, F) = ([1.0, 2.0], [0.0, 1.0, 1.0], (0.1, 0.5, 1.0));
    assert_eq!(verdict(&v, b, F, 0.9), Verdict::Holds);
    assert_eq!(verdict(&[1.0, 0.0], b, F, 0.9), Verdict::Fails);
    assert_eq!(verdict(&v, [2.0, 0.0, 0.0], F, 0.9), Verdict::Undecided, "dependent");
    assert_eq!(verdict(&v, b, F, 1.1), Verdict::Undecided, "μ too large");
    assert_eq!(verdict(&v, b, (0.0, 0.5, 1.0), 0.9), Verdict::Fails);
    assert_eq!(verdict(&v, b, (0.1, 0.0, 1.0), 0.9), Verdict::Fails);
    assert_eq!(verdict(&v, b, (0.1, 12.0, 1.0), 0.9), Verdict::Fails);
    // μc₂/a_min = 0.5·0.1/(2√6) = 0.010206…
    assert_eq!(verdict(&v, b, (0.1, 0.5, 0.0102), 0.9), Verdict::Fails);
    assert_eq!(verdict(&v, b, (0.1, 0.5, 0.010207), 0.9), Verdict::Holds);
    // Three units in two dimensions are dependent.
    let W = Matrix::from_fn(3, 2, |i, j| (i + j) as f64);
    let teacher = Network { W, v: vec![1.0; 3], ..Network::zero(2) };
    let claim = Claim { fourth_coefficient: 0.1, mu: 0.5, lambda: 1.0 };
    assert_eq!(judge(&teacher, &claim, &Proof { smallest: 0.1 }).unwrap().verdict(), Verdict::Fails);
}

fn recovery() -> approximate_recovery::Claim {
    approximate_recovery::Claim {
        units: 3,
        least_output: 1.0,
        largest_output: 1.0,
        fourth_coefficient: 0.2,
        mu: 0.5,
        lambda: 10.0,
        gradient: 1e-6,
        curvature: 1e-6,
    }
}

#[test]
fn approximate_recovery_wants_each_of_its_hypotheses() {
    use approximate_recovery::{Claim, Proof, judge};
    let verdict = |claim: Claim, first_delta: f64| judge(&claim, &Proof { first_delta }).unwrap().verdict();
    assert_eq!(verdict(recovery(), 0.03), Verdict::Holds);
    assert_eq!(verdict(recovery(), 0.001), Verdict::Undecided, "δ₀ too small");
    assert_eq!(verdict(recovery(), 0.0), Verdict::Undecided);
    assert_eq!(verdict(recovery(), 1.0), Verdict::Undecided, "another δ₀ would do");
    assert_eq!(verdict(Claim { gradient: 0.0, curvature: 0.0, ..recovery() }, 0.0), Verdict::Holds);
    assert_eq!(verdict(Claim { least_output: 2.0, ..recovery() }, 0.03), Verdict::Fails);
    assert_eq!(verdict(Claim { least_output: 0.0, ..recovery() }, 0.03), Verdict::Fails);
    assert_eq!(verdict(Claim { fourth_coefficient: 0.0, ..recovery() }, 0.03), Verdict::Fails);
    assert_eq!(verdict(Claim { mu: 0.0, ..recovery() }, 0.03), Verdict::Fails);
    assert_eq!(verdict(Claim { mu: 12.0, ..recovery() }, 0.03), Verdict::Fails);
    assert_eq!(verdict(Claim { lambda: 0.01, ..recovery() }, 0.03), Verdict::Fails);
    assert_eq!(verdict(Claim { curvature: 25.0, ..recovery() }, 9.0), Verdict::Fails);
    assert_eq!(verdict(Claim { gradient: 0.3, ..recovery() }, 1.9), Verdict::Fails);
}

#[test]
fn what_is_refuted_about_recovery_holds_for_no_first_delta() {
    use approximate_recovery::{Claim, Proof, judge};
    let mut numbers = Numbers::new(31);
    let mut refuted = 0;
    for _ in 0..400 {
        let mut small = || 2.0_f64.powi(-(numbers.below(24) as i32));
        let claim = Claim { gradient: small(), curvature: small(), lambda: 8.0 * small(), ..recovery() };
        let verdict = |first_delta: f64| judge(&claim, &Proof { first_delta }).unwrap().verdict();
        let all: Vec<Verdict> = (-40..8).map(|e| verdict(2.0_f64.powf(0.5 * f64::from(e)))).collect();
        assert!(!(all.contains(&Verdict::Holds) && all.contains(&Verdict::Fails)), "{claim:?}");
        refuted += usize::from(all.contains(&Verdict::Fails));
    }
    assert!((50..400).contains(&refuted), "{refuted}");
}
