//! Theorems about one quadratic network on rows: wide-quadratic, strict-saddle, approximate-minimum, full-rank-stationary and
//! planted-quadratic.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

mod exact;

use exact::{Numbers, floats, is_definite};
use shallows_verify::theorem::{
    approximate_minimum, full_rank_stationary, planted_quadratic, strict_saddle, wide_quadratic,
};
use shallows_verify::{Matrix, Network, Rows, Signs, Verdict};

fn network(W: &[&[f64]], v: &[f64]) -> Network {
    let rows: Vec<Vec<f64>> = W.iter().map(|row| row.to_vec()).collect();
    let d = W[0].len();
    Network { W: Matrix::from_rows(&rows, d).unwrap(), v: v.to_vec(), ..Network::zero(d) }
}

#[test]
fn a_zero_output_weight_counts_for_neither_sign() {
    use wide_quadratic::{Claim, Proof, judge};
    let W: [&[f64]; 4] = [&[1.0, 0.0]; 4];
    let verdict = |v: [f64; 4]| judge(&network(&W, &v), &Claim {}, &Proof {}).unwrap().verdict();
    assert_eq!(verdict([1.0, 1.0, -1.0, -1.0]), Verdict::Holds);
    assert_eq!(verdict([1.0, 0.0, -1.0, -1.0]), Verdict::Fails);
    assert_eq!(verdict([1.0, 1.0, 1.0, -1.0]), Verdict::Fails);
    let mut biased = network(&W, &[1.0, 1.0, -1.0, -1.0]);
    biased.bias = Some(vec![0.0, 0.0, 1.0, 0.0]);
    assert!(judge(&biased, &Claim {}, &Proof {}).is_err());
}

/// A network of two units on rows, all of whole numbers, without affine part.
struct Instance {
    W: [i64; 4],
    v: [i64; 2],
    X: Vec<i64>,
    y: Vec<i64>,
    decay: i64,
}

impl Instance {
    fn new(numbers: &mut Numbers) -> Instance {
        let n = 1 + numbers.below(4);
        let mut four = || [0; 4].map(|_| numbers.next(2));
        let W = four();
        let v = [numbers.next(2), numbers.next(2)];
        Instance { W, v, X: numbers.list(2 * n, 2), y: numbers.list(n, 12), decay: numbers.next(1).max(0) }
    }

    fn network(&self) -> Network {
        let W = Matrix::from_vec(2, 2, floats(&self.W)).unwrap();
        Network { W, v: floats(&self.v), ..Network::zero(2) }
    }

    fn residuals(&self, W: [i64; 4]) -> Vec<i64> {
        let unit = |l: usize, x: &[i64]| self.v[l] * (W[2 * l] * x[0] + W[2 * l + 1] * x[1]).pow(2);
        self.X.chunks(2).zip(&self.y).map(|(x, y)| unit(0, x) + unit(1, x) - y).collect()
    }

    /// 2n·P
    fn objective(&self, W: [i64; 4]) -> i64 {
        let n = self.y.len() as i64;
        let square = |l: usize| self.v[l].abs() * (W[2 * l].pow(2) + W[2 * l + 1].pow(2));
        self.residuals(W).iter().map(|r| r * r).sum::<i64>() + 2 * n * self.decay * (square(0) + square(1))
    }

    /// n·S
    fn moment(&self) -> [i128; 3] {
        let residuals = self.residuals(self.W);
        let entry =
            |a: usize, b: usize| -> i64 { self.X.chunks(2).zip(&residuals).map(|(x, r)| r * x[a] * x[b]).sum() };
        [entry(0, 0), entry(0, 1), entry(1, 1)].map(i128::from)
    }
}

#[test]
fn a_way_down_is_confirmed_exactly_where_whole_numbers_say_so() {
    use strict_saddle::{Claim, Proof, WayDown, judge};
    let mut numbers = Numbers::new(3);
    let mut seen = [0; 3];
    for _ in 0..4000 {
        let instance = Instance::new(&mut numbers);
        let (U, t) = ([0; 4].map(|_| numbers.next(2)), numbers.next(2));
        let at = |t: i64| instance.objective([0, 1, 2, 3].map(|i| instance.W[i] + t * U[i]));
        // The quartic through five points: 24·c₂ = −P(−2) + 16P(−1) − 30P(0) + 16P(1) − P(2).
        let curvature = -at(-2) + 16 * at(-1) - 30 * at(0) + 16 * at(1) - at(2);
        let truth = curvature < 0 && at(t) < at(0);
        let (X, y) = (floats(&instance.X), floats(&instance.y));
        let rows = Rows::new(&X, 2, &y, None).unwrap();
        let direction = floats(&U).chunks(2).map(<[f64]>::to_vec).collect();
        let down = Some(WayDown { direction, step: t as f64 });
        let claim = Claim { decay: instance.decay as f64 };
        let judgement = judge(&instance.network(), rows, &claim, &Proof { down }).unwrap();
        assert_eq!(judgement.verdict() == Verdict::Holds, truth);
        assert_ne!(judgement.verdict(), Verdict::Fails, "another direction may do");
        if let Some(decrease) = judgement.fact("decrease") {
            assert!(decrease * 2.0 * y.len() as f64 <= (at(0) - at(t)) as f64);
        }
        seen[judgement.verdict() as usize] += 1;
        // No direction at all: only where S ± τI say so.
        let [a, b, c] = instance.moment();
        let shift = instance.y.len() as i128 * i128::from(instance.decay);
        let none = judge(&instance.network(), rows, &claim, &Proof { down: None }).unwrap().verdict();
        let up = instance.v.iter().all(|v| *v <= 0) || is_definite([a + shift, b, c + shift]);
        let low = instance.v.iter().all(|v| *v >= 0) || is_definite([shift - a, -b, shift - c]);
        assert_eq!(none, if up && low { Verdict::Fails } else { Verdict::Undecided });
        seen[2] += usize::from(up && low);
        assert!(!(up && low && curvature < 0));
    }
    assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
}

#[test]
fn a_saddle_needs_the_right_direction_and_a_step_that_fits() {
    use strict_saddle::{Claim, Proof, WayDown, judge};
    let network = network(&[&[0.0, 0.0]], &[1.0]);
    // P falls along the first axis and rises along the second.
    let rows = Rows::new(&[1.0, 0.0, 0.0, 1.0], 2, &[1.0, -1.0], None).unwrap();
    let judge = |direction: [f64; 2], step: f64| {
        let down = Some(WayDown { direction: vec![direction.to_vec()], step });
        judge(&network, rows, &Claim { decay: 0.0 }, &Proof { down }).unwrap()
    };
    let judgement = judge([1.0, 0.0], 1.0);
    assert_eq!(judgement.verdict(), Verdict::Holds);
    assert!(judgement.fact("curvature").unwrap() >= -1.0 && judgement.fact("decrease").unwrap() <= 0.25);
    assert_eq!(judge([0.0, 1.0], 1.0).verdict(), Verdict::Undecided);
    assert_eq!(judge([1.0, 0.0], 2.0).verdict(), Verdict::Undecided, "too long a step");
    assert_eq!(judge([0.0, 0.0], 1.0).verdict(), Verdict::Undecided);
}

#[test]
fn no_competitor_beats_the_bound_and_no_excess_too_small_is_believed() {
    use approximate_minimum::{Claim, Proof, judge};
    let mut numbers = Numbers::new(7);
    let (mut proved, mut held) = (0, 0);
    for _ in 0..3000 {
        let instance = Instance::new(&mut numbers);
        let n = instance.y.len() as i128;
        // In 64ths, sometimes just what is needed.
        let excess = i128::from(numbers.next(300).unsigned_abs());
        let signs = [Signs::Any, Signs::Positive, Signs::Negative][numbers.below(3)];
        let [a, b, c] = instance.moment().map(|x| 64 * x);
        let shift = n * (64 * i128::from(instance.decay) + excess);
        let above = signs == Signs::Negative || is_definite([a + shift, b, c + shift]);
        let below = signs == Signs::Positive || is_definite([shift - a, -b, shift - c]);
        let (X, y) = (floats(&instance.X), floats(&instance.y));
        let rows = Rows::new(&X, 2, &y, None).unwrap();
        let claim = Claim { signs, decay: instance.decay as f64, size: 3.0, tolerance: 0.1 };
        let judgement = judge(&instance.network(), rows, &claim, &Proof { excess: excess as f64 / 64.0 }).unwrap();
        assert_eq!(judgement.fact("sigma").is_some(), above && below);
        proved += usize::from(above && below);
        held += usize::from(judgement.verdict() == Verdict::Holds);
        let Some(bound) = judgement.fact("bound") else { continue };
        for _ in 0..20 {
            // A competitor of size at most 3: one unit (w, v) with |v|‖w‖² ≤ 3.
            let (w, sign) = ([numbers.next(1), numbers.next(1)], numbers.next(1));
            let allowed = match signs {
                Signs::Any => true,
                Signs::Positive => sign >= 0,
                Signs::Negative => sign <= 0,
            };
            if !allowed {
                continue;
            }
            let other = Instance {
                v: [sign, 0],
                W: [w[0], w[1], 0, 0],
                X: instance.X.clone(),
                y: instance.y.clone(),
                ..instance
            };
            let gap = (instance.objective(instance.W) - other.objective(other.W)) as f64 / (2.0 * n as f64);
            assert!(gap <= bound * (1.0 + 1e-12) + 1e-12, "{gap} {bound}");
        }
    }
    assert!(proved > 500, "{proved} {held}");
}

#[test]
fn approximate_minimum_wants_signs_a_small_bound_and_one_below_the_objective() {
    use approximate_minimum::{Claim, Proof, judge};
    let network = network(&[&[1.0]], &[3.0]);
    let judge = |y: &[f64], signs, size, excess| {
        let rows = Rows::new(&[1.0, -1.0], 1, y, None).unwrap();
        let claim = Claim { signs, decay: 0.0, size, tolerance: 1e-3 };
        judge(&network, rows, &claim, &Proof { excess }).unwrap().verdict()
    };
    assert_eq!(judge(&[4.0, 2.0], Signs::Any, 10.0, 1e-6), Verdict::Holds);
    assert_eq!(judge(&[4.0, 2.0], Signs::Negative, 10.0, 1e-6), Verdict::Fails);
    assert_eq!(judge(&[4.0, 2.0], Signs::Any, 10.0, 1e-1), Verdict::Undecided, "more than the tolerance");
    assert_eq!(judge(&[4.0, 2.5], Signs::Any, 10.0, 1e-6), Verdict::Undecided, "the excess is too small");
    assert_eq!(judge(&[0.0, 2.0], Signs::Any, 10.0, 3.0), Verdict::Fails, "far from stationary");
    assert_eq!(judge(&[0.0, 2.0], Signs::Any, 10.0, 0.0), Verdict::Fails, "whatever the excess");
    // A fit: P = 0, and that it cannot fall by more than a tiny number is no news.
    assert_ne!(judge(&[3.0, 3.0], Signs::Any, 10.0, 1e-12), Verdict::Holds);
}

#[test]
fn full_rank_stationary_wants_each_of_its_hypotheses() {
    use full_rank_stationary::{Claim, Proof, judge};
    let X = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0];
    let verdict = |network: &Network, y: [f64; 4], decay: f64, smallest: f64| {
        let rows = Rows::new(&X, 2, &y, None).unwrap();
        judge(network, rows, &Claim { decay, size: 4.0, tolerance: 1e-3 }, &Proof { smallest }).unwrap()
    };
    let good = network(&[&[1.0, 0.0], &[0.0, 1.0]], &[3.0, -2.0]);
    let labels = [4.0, 2.0, -1.0, -3.0];
    let judgement = verdict(&good, labels, 0.0, 0.9);
    assert_eq!(judgement.verdict(), Verdict::Holds);
    assert!(judgement.fact("bound").unwrap() < 1e-12);
    // Both signs, and decay.
    assert_eq!(verdict(&good, labels, 0.1, 0.9).verdict(), Verdict::Fails);
    // Too few units.
    assert_eq!(verdict(&network(&[&[1.0, 0.0], &[0.0, 1.0]], &[3.0, 0.0]), labels, 0.0, 0.9).verdict(), Verdict::Fails);
    assert_eq!(verdict(&network(&[&[1.0, 0.0], &[0.0, 0.0]], &[3.0, 1.0]), labels, 0.0, 0.9).verdict(), Verdict::Fails);
    // Rank one: nothing is proved, whatever the proof says.
    let flat = network(&[&[1.0, 1.0], &[2.0, 2.0]], &[1.0, 1.0]);
    for smallest in [1e-300, 1e-12, 1.0, -1.0] {
        let judgement = verdict(&flat, labels, 0.0, smallest);
        assert!(judgement.verdict() != Verdict::Holds && judgement.fact("bound").is_none());
    }
    // Too large a claim about the least singular value.
    assert_eq!(verdict(&good, labels, 0.0, 1.0 + 1e-9).verdict(), Verdict::Undecided);
    // Not stationary.
    assert_ne!(verdict(&good, [4.0, 2.5, -1.0, -3.0], 0.0, 0.9).verdict(), Verdict::Holds);
}

#[test]
fn planted_quadratic_by_rows_wants_each_of_its_hypotheses() {
    use planted_quadratic::{Claim, Proof, judge};
    let judge = |v: &[f64], X: &[f64], decay: f64| {
        let W = Matrix::zeros(v.len(), 2);
        let network = Network { W, v: v.to_vec(), ..Network::zero(2) };
        let y = vec![1.0; X.len() / 2];
        judge(&network, None, Rows::new(X, 2, &y, None).unwrap(), &Claim { decay }, &Proof {}).unwrap().verdict()
    };
    let v = [1.0, 1.0, -1.0, -1.0];
    let X = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    assert_eq!(judge(&v, &X, 0.0), Verdict::Holds);
    assert_eq!(judge(&v, &X, 0.1), Verdict::Fails);
    assert_eq!(judge(&[1.0, 1.0, 1.0, -1.0], &X, 0.0), Verdict::Fails);
    assert_eq!(judge(&v, &[1.0, 0.0, -1.0, 0.0, 1.0, 1.0], 0.0), Verdict::Fails, "equal up to sign");
    assert_eq!(judge(&v, &[1.0, 0.0, 0.0, 0.0, 1.0, 1.0], 0.0), Verdict::Fails, "a zero row");
    assert_eq!(judge(&v, &[X.as_slice(), &[1.0, 2.0]].concat(), 0.0), Verdict::Fails, "too many rows");
    assert_eq!(
        judge(&v, &[1.0, 0.0, 0.0, 1.0, 2.0, 0.0], 0.0),
        Verdict::Undecided,
        "multiples are not recognised here"
    );
}

#[test]
fn independence_of_rows_is_proved_exactly_where_whole_numbers_say_so() {
    use planted_quadratic::{Claim, Proof, judge};
    let mut numbers = Numbers::new(23);
    let v = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0];
    let mut held = 0;
    for _ in 0..3000 {
        let n = 1 + numbers.below(6);
        let X = numbers.list(3 * n, 2);
        let products: Vec<Vec<i128>> = X
            .chunks(3)
            .map(|x| (0..3).flat_map(|a| (a..3).map(move |b| (a, b))).map(|(a, b)| i128::from(x[a] * x[b])).collect())
            .collect();
        let truth = exact::rank_and_kernel(&products, 6).0 == n;
        let network = Network { W: Matrix::zeros(6, 3), v: v.to_vec(), ..Network::zero(3) };
        let (X, y) = (floats(&X), vec![0.0; n]);
        let judgement =
            judge(&network, None, Rows::new(&X, 3, &y, None).unwrap(), &Claim { decay: 0.0 }, &Proof {}).unwrap();
        assert_eq!(judgement.verdict() == Verdict::Holds, truth);
        held += usize::from(truth);
    }
    assert!((500..2500).contains(&held), "{held}");
}

#[test]
fn planted_quadratic_by_a_network_wants_each_of_its_hypotheses() {
    use planted_quadratic::{Claim, Proof, judge};
    let teacher = network(&[&[1.0, 1.0]], &[2.0]);
    let student = network(&[&[0.0, 0.0], &[1.0, 0.0]], &[1.0, 1.0]);
    let rows = Rows::new(&[1.0, 0.0, 0.0, 1.0], 2, &[2.0, 4.0], None).unwrap();
    let judge = |student: &Network, teacher: &Network, decay: f64| {
        judge(student, Some(teacher), rows, &Claim { decay }, &Proof {}).unwrap()
    };
    let judgement = judge(&student, &teacher, 0.0);
    assert_eq!(judgement.verdict(), Verdict::Holds);
    // ½·(0² + 2²)/2 = 1
    assert!((1.0..1.0 + 1e-12).contains(&judgement.fact("loss").unwrap()));
    assert_eq!(judge(&student, &teacher, 0.5).verdict(), Verdict::Fails);
    let mixed = network(&[&[1.0, 1.0], &[1.0, 0.0]], &[2.0, -1.0]);
    assert_eq!(judge(&student, &mixed, 0.0).verdict(), Verdict::Fails);
    let other = |v: &[f64; 2]| network(&[&[0.0, 0.0], &[1.0, 0.0]], v);
    assert_eq!(judge(&other(&[1.0, 0.0]), &teacher, 0.0).verdict(), Verdict::Fails, "too few");
    assert_eq!(judge(&other(&[1.0, -1.0]), &teacher, 0.0).verdict(), Verdict::Fails, "one of the other sign");
    let lifted = Network { intercept: Some(1.0), ..teacher.clone() };
    assert_eq!(judge(&student, &lifted, 0.0).verdict(), Verdict::Fails, "another affine part");
    let zero = Network { intercept: Some(-0.0), linear: Some(vec![0.0; 2]), ..teacher };
    assert_eq!(judge(&student, &zero, 0.0).verdict(), Verdict::Holds);
}

#[test]
fn rows_of_weight_zero_do_not_count() {
    use planted_quadratic::{Claim, Proof, judge};
    let network = Network { W: Matrix::zeros(2, 1), v: vec![1.0, -1.0], ..Network::zero(1) };
    let verdict = |weights: &[f64]| {
        let rows = Rows::new(&[1.0, 2.0], 1, &[1.0, 7.0], Some(weights)).unwrap();
        judge(&network, None, rows, &Claim { decay: 0.0 }, &Proof {}).map(|judgement| judgement.verdict())
    };
    assert_eq!(verdict(&[1.0, 0.0]), Ok(Verdict::Holds));
    assert_eq!(verdict(&[1.0, 1e-300]), Ok(Verdict::Fails));
    assert!(verdict(&[0.0, 0.0]).is_err());
}
