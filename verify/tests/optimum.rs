//! What `global-optimum` concludes, held against optima that are known exactly, and against forged proofs.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

use shallows_verify::Monomial::{self, Input, One, Product};
use shallows_verify::residuals;
use shallows_verify::rows::ProofRows;
use shallows_verify::theorem::global_optimum::{
    Claim, Class, MeasureProof, Proof, QuadraticFunction, Relation, Span, judge,
};
use shallows_verify::{Error, Judgement, Matrix, Network, Rows, Signs, StoredNetwork, Verdict};

/// Numbers that follow no pattern.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// −limit … limit
    fn whole(&mut self, limit: i64) -> i64 {
        self.below(2 * limit as u64 + 1) as i64 - limit
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / (1_u64 << 29) as f64 - 1.0
    }
}

fn claim(d: usize, linear: bool, intercept: bool) -> Claim {
    let (signs, class) = (Signs::Any, Class::default());
    Claim { signs, decay: 0.0, linear, intercept, exponents: vec![0; d], tolerance: 1e-6, class }
}

fn span(columns: Vec<Monomial>) -> Span {
    Span { columns, relations: vec![], groups: vec![], passes: 2 }
}

fn affine_columns(d: usize, linear: bool, intercept: bool) -> Vec<Monomial> {
    let inputs = (0..d).filter(|_| linear).map(Input);
    intercept.then_some(One).into_iter().chain(inputs).collect()
}

/// 1 and the inputs as far as allowed, and all products.
fn all_columns(d: usize, linear: bool, intercept: bool) -> Vec<Monomial> {
    let mut columns = affine_columns(d, linear, intercept);
    columns.extend((0..d).flat_map(|b| (0..=b).map(move |a| Product(a, b))));
    columns
}

/// The proof that −ωy, with everything unpenalised projected away, is the best dual point.
fn free_proof(d: usize, span: Span) -> Proof {
    Proof {
        centre: vec![0.0; d],
        shifts: vec![0; d],
        span: Some(span),
        free: true,
        function: QuadraticFunction::zero(d),
        scale: 1.0,
        excess: 0.0,
        measure: MeasureProof::Objective {},
        improvement: None,
    }
}

/// A proof that projects nothing away.
fn plain_proof(d: usize) -> Proof {
    Proof { span: None, free: false, ..free_proof(d, span(vec![])) }
}

fn units(W: &[&[f64]], v: &[f64]) -> Network {
    let d = W[0].len();
    Network { W: Matrix::from_fn(W.len(), d, |l, j| W[l][j]), v: v.to_vec(), ..Network::zero(d) }
}

fn bound(judgement: &Judgement) -> f64 {
    judgement.fact("lower_bound").unwrap_or(f64::NAN)
}

fn stored(network: &Network) -> Option<StoredNetwork> {
    Some(StoredNetwork::new(network))
}

const POINTS: [f64; 6] = [0.0, 1.0, 2.0, 3.0, -1.0, -2.0];
const LABELS: [f64; 6] = [-1.0, 2.5, 7.0, 12.5, -3.5, -4.0];

/// ½x² + 3x − 1, close to [`LABELS`].
fn parabola() -> Network {
    Network { linear: Some(vec![3.0]), intercept: Some(-1.0), ..units(&[&[1.0]], &[0.5]) }
}

#[test]
fn the_least_squares_fit_holds_and_no_scale_gives_more() {
    let (x, y) = ([1.0, 1.0, 2.0, 2.0], [2.0, 0.0, 5.0, 3.0]);
    let rows = Rows::new(&x, 1, &y, None).unwrap();
    let (network, claim) = (units(&[&[1.0]], &[1.0]), claim(1, false, false));
    let proof = free_proof(1, span(vec![Product(0, 0)]));
    let judgement = judge(&network, rows, &claim, &proof).unwrap();
    assert_eq!(judgement.verdict(), Verdict::Holds);
    let fact = |name: &str| judgement.fact(name).unwrap();
    assert!(fact("objective") >= 0.5 && fact("lower_bound") <= 0.5 && fact("measure") <= 0.5);
    assert!(fact("relative_gap") < 1e-12);
    for scale in [-3.0, 0.0, 0.5, 0.999, 1.001, 2.0, 1e100] {
        let proof = Proof { scale, ..proof.clone() };
        assert!(bound(&judge(&network, rows, &claim, &proof).unwrap()) <= 0.5);
    }
}

#[test]
fn a_penalised_optimum_holds_for_every_sign_and_a_scale_that_is_too_large_proves_nothing() {
    // One row x = 1, y = ±1, τ = ¼: M = ±¾ is the best, P = 1/32 + 3/16.
    for (signs, y, v) in [(Signs::Any, 1.0, 0.75), (Signs::Positive, 1.0, 0.75), (Signs::Negative, -1.0, -0.75)] {
        let label = [y];
        let rows = Rows::new(&[1.0], 1, &label, None).unwrap();
        let network = units(&[&[1.0]], &[v]);
        let claim = Claim { signs, decay: 0.25, ..claim(1, false, false) };
        let function = QuadraticFunction { M: vec![vec![v]], ..QuadraticFunction::zero(1) };
        let proof = Proof { function, scale: 1.0 - 1e-12, ..plain_proof(1) };
        let judgement = judge(&network, rows, &claim, &proof).unwrap();
        assert_eq!(judgement.verdict(), Verdict::Holds, "{}", judgement.statement);
        assert!(bound(&judgement) <= 0.21875 && bound(&judgement) > 0.2187499);
        for scale in [1.0, 1.0 + 1e-15, 1.5, 4.0] {
            let judgement = judge(&network, rows, &claim, &Proof { scale, ..proof.clone() }).unwrap();
            assert!(bound(&judgement) <= 0.21875);
            assert!(scale < 1.1 || judgement.verdict() == Verdict::Undecided);
        }
        let other = if signs == Signs::Negative { Signs::Positive } else { Signs::Negative };
        let other = Claim { signs: other, ..claim };
        assert_eq!(judge(&network, rows, &other, &proof).unwrap().verdict(), Verdict::Fails);
    }
}

#[test]
fn every_hypothesis_can_fail() {
    let rows = Rows::new(&POINTS, 1, &LABELS, None).unwrap();
    let proof = free_proof(1, span(all_columns(1, true, true)));
    let (network, allowed) = (parabola(), claim(1, true, true));
    let fails = |claim: &Claim, network: &Network, proof: &Proof| {
        let judgement = judge(network, rows, claim, proof).unwrap();
        judgement.checks.iter().map(|check| check.verdict() == Verdict::Fails).collect::<Vec<_>>()
    };
    assert_eq!(fails(&allowed, &network, &proof), [false; 3]);
    let negative = Claim { signs: Signs::Negative, ..allowed.clone() };
    assert_eq!(fails(&negative, &network, &proof), [true, false, false]);
    for (linear, intercept) in [(false, true), (true, false), (false, false)] {
        assert_eq!(fails(&claim(1, linear, intercept), &network, &proof), [false, true, false]);
    }
    let better = Proof { improvement: stored(&network), ..proof };
    assert_eq!(fails(&allowed, &Network::zero(1), &better), [false, false, true]);
}

#[test]
fn an_improvement_outside_the_class_refutes_nothing() {
    let rows = Rows::new(&POINTS, 1, &LABELS, None).unwrap();
    let proof = Proof { improvement: stored(&parabola()), ..plain_proof(1) };
    let limited = |nuclear, linear, intercept| Claim {
        class: Class { nuclear: Some(nuclear), linear: Some(linear), intercept: Some(intercept) },
        ..claim(1, true, true)
    };
    let verdict = |claim: Claim| judge(&Network::zero(1), rows, &claim, &proof).unwrap().verdict();
    assert_eq!(verdict(limited(0.51, 3.01, 1.0)), Verdict::Fails);
    assert_eq!(verdict(limited(0.49, 3.01, 1.0)), Verdict::Undecided);
    assert_eq!(verdict(limited(0.51, 2.99, 1.0)), Verdict::Undecided);
    assert_eq!(verdict(limited(0.51, 3.01, 0.99)), Verdict::Undecided);
    assert_eq!(verdict(claim(1, true, false)), Verdict::Undecided);
    assert_eq!(verdict(claim(1, false, true)), Verdict::Undecided);
    assert_eq!(verdict(Claim { signs: Signs::Negative, ..claim(1, true, true) }), Verdict::Undecided);
    let biased = Proof { improvement: stored(&Network { bias: Some(vec![1.0]), ..parabola() }), ..proof.clone() };
    assert!(judge(&Network::zero(1), rows, &claim(1, true, true), &biased).is_err());
    // A network that is not better by more than the tolerance refutes nothing either.
    let itself = judge(&parabola(), rows, &claim(1, true, true), &proof).unwrap();
    assert_eq!(itself.verdict(), Verdict::Undecided);
}

#[test]
fn without_a_span_nothing_is_concluded_where_an_affine_part_is_free() {
    // y is affine: P is zero at the best, ½Σωy² without an affine part.
    let y = POINTS.map(|x| 2.0 * x + 1.0);
    let rows = Rows::new(&POINTS, 1, &y, None).unwrap();
    let base = plain_proof(1);
    for (linear, intercept) in [(true, true), (true, false), (false, true)] {
        let claim = Claim { decay: 1e3, ..claim(1, linear, intercept) };
        let judgement = judge(&Network::zero(1), rows, &claim, &base).unwrap();
        assert_eq!((judgement.verdict(), bound(&judgement)), (Verdict::Undecided, 0.0));
        for columns in [vec![], vec![One], vec![Input(0)], vec![Product(0, 0)]] {
            let enough = (!intercept || columns == [One]) && (!linear || columns == [Input(0)]);
            let proof = Proof { span: Some(span(columns)), ..base.clone() };
            assert!(enough || bound(&judge(&Network::zero(1), rows, &claim, &proof).unwrap()) == 0.0);
        }
    }
    let claim = Claim { decay: 1e3, ..claim(1, false, false) };
    assert_eq!(judge(&Network::zero(1), rows, &claim, &base).unwrap().verdict(), Verdict::Holds);
    // With `free` the products must be in the span as well.
    let rows = Rows::new(&POINTS, 1, &LABELS, None).unwrap();
    for span in [None, Some(span(vec![])), Some(span(vec![One, Input(0)]))] {
        let proof = Proof { span, free: true, ..base.clone() };
        assert_eq!(bound(&judge(&Network::zero(1), rows, &claim, &proof).unwrap()), 0.0);
    }
}

#[test]
fn limits_of_the_class_are_paid_for() {
    // y = 1 everywhere: with |c| ≤ R the best constant leaves ½(1 − R)² for R ≤ 1; x = 0, so that units do nothing.
    let (x, y) = ([0.0; 4], [1.0; 4]);
    let rows = Rows::new(&x, 1, &y, None).unwrap();
    let proof = plain_proof(1);
    for R in [0.0, 0.25, 0.5, 0.9, 1.0, 3.0] {
        let class = Class { intercept: Some(R), ..Class::default() };
        let claim = Claim { class, decay: 1.0, ..claim(1, false, true) };
        let least = 0.5 * (1.0_f64 - R).max(0.0).powi(2);
        for scale in [0.1, 0.5, 1.0 - R, 1.0] {
            let found = bound(&judge(&Network::zero(1), rows, &claim, &Proof { scale, ..proof.clone() }).unwrap());
            assert!(found <= least, "{R} {scale}");
            assert!(scale != 1.0 - R || R >= 1.0 || found > least - 1e-12, "{R}: {found} {least}");
        }
        // Where no intercept is allowed, no limit is paid for; where it is unlimited, there is no bound.
        let none = Claim { intercept: false, ..claim.clone() };
        assert!(bound(&judge(&Network::zero(1), rows, &none, &proof).unwrap()) > 0.49);
        let unlimited = Claim { class: Class::default(), ..claim };
        assert_eq!(bound(&judge(&Network::zero(1), rows, &unlimited, &proof).unwrap()), 0.0);
    }
    // The same for a linear part in scaled inputs: y = x, |b| ≤ R/2^e.
    let x = [1.0, -1.0, 1.0, -1.0];
    let rows = Rows::new(&x, 1, &x, None).unwrap();
    for (R, e, shift) in [(0.25, 0, 0), (1.0, 2, 1), (0.125, -1, -3), (4.0, 2, 0)] {
        let class = Class { linear: Some(R), ..Class::default() };
        let claim = Claim { class, decay: 1.0, exponents: vec![e], ..claim(1, true, false) };
        let b = R * 2_f64.powi(-e);
        let least = 0.5 * (1.0 - b).max(0.0).powi(2);
        let proof = Proof { shifts: vec![shift], scale: 1.0 - b, ..proof.clone() };
        let found = bound(&judge(&Network::zero(1), rows, &claim, &proof).unwrap());
        assert!(found <= least && found >= least - 1e-12, "{R} {e}: {found} {least}");
    }
}

#[test]
fn an_excess_needs_a_limit_on_the_units_and_is_paid_for() {
    // x = 1, y = 1, τ = 0, Σ|v|‖w‖² ≤ R: the best leaves ½(1 − R)².
    let rows = Rows::new(&[1.0], 1, &[1.0], None).unwrap();
    let proof = Proof { excess: 0.5000001, scale: 0.5, ..plain_proof(1) };
    let bounded = |R| Claim { class: Class { nuclear: Some(R), ..Class::default() }, ..claim(1, false, false) };
    let found = bound(&judge(&Network::zero(1), rows, &bounded(0.5), &proof).unwrap());
    assert!(found <= 0.125 && found > 0.1249);
    assert!(matches!(judge(&Network::zero(1), rows, &claim(1, false, false), &proof), Err(Error::Unsuitable { .. })));
    for excess in [0.0, 0.4999] {
        let proof = Proof { excess, ..proof.clone() };
        assert_eq!(bound(&judge(&Network::zero(1), rows, &bounded(0.5), &proof).unwrap()), 0.0);
    }
    assert!(judge(&Network::zero(1), rows, &bounded(0.5), &Proof { excess: -1.0, ..proof.clone() }).is_err());
    assert!(judge(&Network::zero(1), rows, &bounded(-1.0), &proof).is_err());
}

#[test]
fn a_centre_needs_an_affine_part_and_coordinates_must_be_exact() {
    let rows = Rows::new(&POINTS, 1, &LABELS, None).unwrap();
    let centred = |centre: f64, shift: i32| Proof {
        centre: vec![centre],
        shifts: vec![shift],
        ..free_proof(1, span(all_columns(1, true, true)))
    };
    let network = parabola();
    let is_err = |claim: &Claim, proof: &Proof| judge(&network, rows, claim, proof).is_err();
    let plain = bound(&judge(&network, rows, &claim(1, true, true), &centred(0.0, 0)).unwrap());
    for proof in [centred(1.0, 0), centred(-0.5, 3), centred(0.0, -900)] {
        let found = bound(&judge(&network, rows, &claim(1, true, true), &proof).unwrap());
        assert!(found == 0.0 || (found - plain).abs() < 1e-9 * plain, "{found} {plain}");
    }
    assert!(is_err(&claim(1, true, false), &centred(1.0, 0)));
    assert!(is_err(&claim(1, false, true), &centred(1.0, 0)));
    let limited = Claim { class: Class { linear: Some(1.0), ..Class::default() }, ..claim(1, true, true) };
    assert!(is_err(&limited, &centred(1.0, 0)));
    assert!(is_err(&claim(1, true, true), &centred(1e-30, 0)), "x − m is rounded");
    assert!(is_err(&claim(1, true, true), &centred(0.0, 1001)));
    assert!(is_err(&claim(1, true, true), &centred(f64::NAN, 0)));
    let small = [1e-300, 3e-300];
    let rows = Rows::new(&small, 1, &[1.0, 2.0], None).unwrap();
    let proof = free_proof(1, span(vec![Product(0, 0)]));
    assert!(judge(&network, rows, &claim(1, true, true), &Proof { shifts: vec![-100], ..proof }).is_err());
}

#[test]
fn dependent_columns_prove_nothing() {
    let x: Vec<f64> = POINTS.iter().flat_map(|x| [*x, 2.0 * x]).collect();
    let rows = Rows::new(&x, 2, &LABELS, None).unwrap();
    let claim = claim(2, false, false);
    for columns in [all_columns(2, false, false), vec![Product(0, 0), Product(0, 0)], all_columns(2, true, true)] {
        for passes in [1, 2, 8] {
            let span = Span { passes, ..span(columns.clone()) };
            assert_eq!(bound(&judge(&Network::zero(2), rows, &claim, &free_proof(2, span)).unwrap()), 0.0);
        }
    }
    for passes in [0, 9] {
        let span = Span { passes, ..span(vec![Product(0, 0)]) };
        assert!(judge(&Network::zero(2), rows, &claim, &free_proof(2, span)).is_err());
    }
}

/// Rows of a, b and c = 2a − b + 1, all whole, and labels.
fn related(count: usize) -> (Vec<f64>, Vec<f64>) {
    let mut numbers = Numbers(5);
    let mut row = || {
        let (a, b) = (numbers.whole(9) as f64, numbers.whole(9) as f64);
        [a, b, 2.0 * a - b + 1.0]
    };
    let x = (0..count).flat_map(|_| row()).collect();
    (x, (0..count).map(|i| ((i * 7) % 5) as f64).collect())
}

fn with_relation(relation: &Relation<i64>, columns: &[Monomial]) -> Span {
    Span { relations: vec![relation.clone()], ..span(columns.to_vec()) }
}

#[test]
fn a_relation_stands_for_an_input_and_its_products_only_if_it_is_true() {
    let (x, y) = related(40);
    let rows = Rows::new(&x, 3, &y, None).unwrap();
    let relation = Relation { input: 2, factor: 1, terms: vec![(0, 2), (1, -1)], constant: 1 };
    let columns = all_columns(2, true, true);
    let found =
        |claim: &Claim, span: Span| judge(&Network::zero(3), rows, claim, &free_proof(3, span)).map(|j| bound(&j));
    let affine = claim(3, true, true);
    let good = found(&affine, with_relation(&relation, &columns)).unwrap();
    assert!(good > 0.1);
    let scaled = Relation { factor: -3, terms: vec![(0, -6), (1, 3)], constant: -3, ..relation.clone() };
    assert_eq!(found(&affine, with_relation(&scaled, &columns)).unwrap(), good);
    let wrong = [
        Relation { constant: 2, ..relation.clone() },
        Relation { constant: 0, ..relation.clone() },
        Relation { factor: 2, ..relation.clone() },
        Relation { terms: vec![(0, 2)], ..relation.clone() },
        Relation { terms: vec![(0, 2), (1, -1), (1, 1)], ..relation.clone() },
        Relation { terms: vec![], ..relation.clone() },
    ];
    for relation in wrong {
        assert_eq!(found(&affine, with_relation(&relation, &columns)), Ok(0.0));
    }
    let unreadable = [
        Relation { factor: 0, terms: vec![], constant: 0, ..relation.clone() },
        Relation { terms: vec![(2, 1)], constant: 0, ..relation.clone() },
        Relation { terms: vec![(7, 1)], ..relation.clone() },
        Relation { input: 3, ..relation.clone() },
        Relation { factor: (1 << 53) + 1, ..relation.clone() },
        Relation { constant: i64::MIN, ..relation.clone() },
    ];
    for relation in unreadable {
        assert!(found(&affine, with_relation(&relation, &columns)).is_err());
    }
    // Each column is needed.
    for at in 0..columns.len() {
        let mut fewer = columns.clone();
        fewer.remove(at);
        assert_eq!(found(&affine, with_relation(&relation, &fewer)), Ok(0.0), "{at}");
    }
    // With a constant in the relation, products of input 2 are no combinations of products alone, nor of these and 1.
    for (linear, intercept) in [(false, false), (false, true), (true, false)] {
        let columns = all_columns(2, linear, intercept);
        assert_eq!(found(&claim(3, linear, intercept), with_relation(&relation, &columns)), Ok(0.0));
    }
}

#[test]
fn in_centred_coordinates_a_relation_without_a_constant_has_one() {
    let (x, y) = related(40);
    let x: Vec<f64> = x.chunks(3).flat_map(|row| [row[0], row[1], row[0] + row[1]]).collect();
    let rows = Rows::new(&x, 3, &y, None).unwrap();
    let sum = Relation { input: 2, factor: 1, terms: vec![(0, 1), (1, 1)], constant: 0 };
    let found = |claim: &Claim, centre: [f64; 3], columns: &[Monomial]| {
        let proof = Proof { centre: centre.to_vec(), ..free_proof(3, with_relation(&sum, columns)) };
        bound(&judge(&Network::zero(3), rows, claim, &proof).unwrap())
    };
    let (affine, columns) = (claim(3, true, true), all_columns(2, true, true));
    let raw = found(&affine, [0.0; 3], &columns);
    let centred = found(&affine, [3.0, 0.0, -1.0], &columns);
    assert!(raw > 0.1 && (raw - centred).abs() < 1e-9);
    assert!(found(&claim(3, false, false), [0.0; 3], &all_columns(2, false, false)) > 0.1);
}

#[test]
fn relations_are_exact_also_where_floats_are_not() {
    // 3x rounds to the second column in every row, but is not equal to it.
    let x: Vec<f64> = (1..30).flat_map(|i| [f64::from(i) * 0.1, 3.0 * (f64::from(i) * 0.1)]).collect();
    let y: Vec<f64> = (1..30).map(|i| f64::from(i % 4)).collect();
    let triple = Relation { input: 1, factor: 1, terms: vec![(0, 3)], constant: 0 };
    let (claim, proof) = (claim(2, false, false), free_proof(2, with_relation(&triple, &[Product(0, 0)])));
    let bound_of =
        |x: &[f64]| bound(&judge(&Network::zero(2), Rows::new(x, 2, &y, None).unwrap(), &claim, &proof).unwrap());
    assert_eq!(bound_of(&x), 0.0);
    let mut exact: Vec<f64> = (1..30).flat_map(|i| [f64::from(i) * 0.125, f64::from(i) * 0.375]).collect();
    assert!(bound_of(&exact) > 0.1);
    exact[7] = exact[7].next_up();
    assert_eq!(bound_of(&exact), 0.0);
}

#[test]
fn groups_are_counted() {
    // Three indicators of four levels: 4 joint values, so that 1 and the indicators span all their functions.
    let mut numbers = Numbers(6);
    let mut row = || {
        let level = numbers.below(4);
        let indicator = |l: u64| f64::from(u8::from(level == l));
        [indicator(1), indicator(2), indicator(3), numbers.whole(5) as f64]
    };
    let x: Vec<f64> = (0..50).flat_map(|_| row()).collect();
    let y: Vec<f64> = (0..50).map(|i| f64::from(i * 5 % 7)).collect();
    let rows = Rows::new(&x, 4, &y, None).unwrap();
    let found = |columns: &[Monomial], groups: Vec<Vec<usize>>| {
        let proof = free_proof(4, Span { groups, ..span(columns.to_vec()) });
        judge(&Network::zero(4), rows, &claim(4, true, true), &proof).map(|j| bound(&j))
    };
    let mut columns = affine_columns(4, true, true);
    columns.extend([Product(0, 3), Product(1, 3), Product(2, 3), Product(3, 3)]);
    assert!(found(&columns, vec![vec![0, 1, 2]]).unwrap() > 0.01);
    assert_eq!(found(&columns, vec![]), Ok(0.0));
    assert_eq!(found(&columns, vec![vec![0, 1]]), Ok(0.0));
    assert_eq!(found(&columns, vec![vec![0, 1, 2, 3]]), Ok(0.0));
    assert_eq!(found(&columns, vec![vec![0], vec![1], vec![2]]), Ok(0.0), "that x_0 x_1 = 0 is not looked for");
    assert!(found(&columns, vec![vec![0, 1], vec![1, 2]]).is_err());
    assert!(found(&columns, vec![vec![0, 4]]).is_err());
    columns.retain(|column| *column != Input(1));
    assert_eq!(found(&columns, vec![vec![0, 1, 2]]), Ok(0.0));
}

#[test]
fn an_offset_of_the_target_does_not_make_a_constant_optimal() {
    let mut numbers = Numbers(3);
    let x: Vec<f64> = (0..40).map(|_| 2.0 * numbers.unit()).collect();
    let y: Vec<f64> = x.iter().map(|x| 1e9 + x * x).collect();
    let rows = Rows::new(&x, 1, &y, None).unwrap();
    let constant = Network { intercept: Some(y.iter().sum::<f64>() / 40.0), ..Network::zero(1) };
    let best = Network { intercept: Some(1e9), ..units(&[&[1.0]], &[1.0]) };
    let claim = Claim { tolerance: 0.1, ..claim(1, true, true) };
    let affine = span(affine_columns(1, true, true));
    let measures = [
        MeasureProof::Objective {},
        MeasureProof::Least {},
        MeasureProof::WithoutUnits { span: affine.clone() },
        MeasureProof::WithoutUnits { span: span(vec![]) },
        MeasureProof::WithoutUnits { span: span(vec![One]) },
        MeasureProof::Rounding { span: affine.clone() },
        MeasureProof::Rounding { span: span(vec![One]) },
        MeasureProof::Rounding { span: span(vec![]) },
    ];
    for measure in measures {
        let refutes = matches!(&measure, MeasureProof::WithoutUnits { span } if *span == affine);
        let proof = Proof { measure, ..free_proof(1, span(all_columns(1, true, true))) };
        assert_ne!(judge(&constant, rows, &claim, &proof).unwrap().verdict(), Verdict::Holds);
        let proof = Proof { improvement: stored(&best), ..proof };
        let verdict = judge(&constant, rows, &claim, &proof).unwrap().verdict();
        assert!(verdict != Verdict::Holds && (!refutes || verdict == Verdict::Fails), "{verdict}");
        assert_ne!(judge(&best, rows, &claim, &proof).unwrap().verdict(), Verdict::Fails);
    }
}

#[test]
fn weights_are_exact_however_different() {
    // 2^53, 1, 1, …: their sum is not what floats add up to. The row of the large weight is fitted exactly by v = 0.
    let n = 2000;
    let mut numbers = Numbers(9);
    let x: Vec<f64> = (0..n).map(|i| if i == 0 { 0.0 } else { 1.0 + numbers.below(9) as f64 }).collect();
    let y: Vec<f64> = (0..n).map(|i| if i == 0 { 0.0 } else { numbers.whole(9) as f64 }).collect();
    let mut w = vec![1.0; n];
    w[0] = (1_u64 << 53) as f64;
    let rows = Rows::new(&x, 1, &y, Some(&w)).unwrap();
    let integers = |values: &[f64]| values.iter().map(|x| *x as i128).collect::<Vec<_>>();
    let q: Vec<i128> = integers(&x).iter().map(|x| x * x).collect();
    let (labels, weights) = (integers(&y), integers(&w));
    let ((numerator, denominator), _) = least_squares(&[q], &labels, &weights).unwrap();
    let N: i128 = weights.iter().sum();
    let exact = (numerator, 2 * N * denominator);
    let proof = free_proof(1, span(vec![Product(0, 0)]));
    let judgement = judge(&units(&[&[1.0]], &[0.1]), rows, &claim(1, false, false), &proof).unwrap();
    assert!(is_at_most(bound(&judgement), exact) && bound(&judgement) > 0.999 * no_less_than(exact));
    // The same rows repeated instead of weighted.
    let weighted = Rows::new(&[1.0, 2.0, 3.0], 1, &[1.0, 5.0, 4.0], Some(&[0.25, 0.75, 0.25])).unwrap();
    let repeated = Rows::new(&[1.0, 2.0, 2.0, 2.0, 3.0], 1, &[1.0, 5.0, 5.0, 5.0, 4.0], None).unwrap();
    let bounds = [weighted, repeated]
        .map(|rows| bound(&judge(&Network::zero(1), rows, &claim(1, false, false), &proof).unwrap()));
    assert!((bounds[0] - bounds[1]).abs() < 1e-12 * bounds[1]);
}

#[test]
fn a_measure_is_never_above_what_it_names() {
    let rows = Rows::new(&POINTS, 1, &LABELS, None).unwrap();
    let size = |claim: &Claim, measure: MeasureProof| {
        let proof = Proof { measure, ..free_proof(1, span(all_columns(1, true, true))) };
        judge(&Network::zero(1), rows, claim, &proof).unwrap().fact("measure").unwrap_or(0.0)
    };
    let half_mean = |less: f64| LABELS.iter().map(|y| 0.5 * (y - less).powi(2) / 6.0).sum::<f64>();
    let (zero, constant) = (half_mean(0.0), half_mean(LABELS.iter().sum::<f64>() / 6.0));
    let without = |columns| MeasureProof::WithoutUnits { span: span(columns) };
    let rounding = |columns| MeasureProof::Rounding { span: span(columns) };
    let close = |a: f64, b: f64| a <= b * (1.0 + 1e-15) && a >= b * (1.0 - 1e-12);
    assert!(close(size(&claim(1, false, false), MeasureProof::Objective {}), zero));
    assert!(close(size(&claim(1, false, false), without(vec![])), 1e-10 * zero));
    assert!(close(size(&claim(1, false, true), without(vec![One])), 1e-10 * constant));
    assert_eq!(size(&claim(1, false, true), without(vec![])), 0.0);
    assert_eq!(size(&claim(1, true, true), without(vec![One])), 0.0);
    let affine = size(&claim(1, true, true), without(vec![One, Input(0)]));
    assert!(affine > 0.0 && affine < 1e-10 * constant);
    assert!(close(size(&claim(1, true, true), rounding(vec![One])), 1e-24 * zero));
    assert_eq!(size(&claim(1, true, true), rounding(vec![])), 0.0);
    let generous = Claim { tolerance: 0.1, ..claim(1, true, true) };
    assert!(close(size(&generous, rounding(vec![One])), 1e-29 * zero));
    assert_eq!(size(&generous, MeasureProof::Least {}), 1e-290);
}

#[test]
fn unknown_missing_and_repeated_keys_are_refused() {
    let proof = free_proof(1, span(vec![One, Input(0), Product(0, 0)]));
    let text = serde_json::to_string(&proof).unwrap();
    assert_eq!(serde_json::from_str::<Proof>(&text).unwrap(), proof);
    assert!(text.contains(r#""columns":[[],[0],[0,0]]"#) && text.contains(r#""measure":{"kind":"objective"}"#));
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        serde_json::from_str::<Proof>(&text.replace(from, to)).is_err()
    };
    assert!(refused(r#""free":true,"#, ""));
    assert!(refused(r#","improvement":null"#, ""));
    assert!(refused(r#""free":true,"#, r#""free":true,"free":true,"#));
    assert!(refused(r#""free":true,"#, r#""free":true,"more":1,"#));
    assert!(refused(r#"{"kind":"objective"}"#, r#"{"kind":"objective","span":null}"#));
    assert!(refused(r#"{"kind":"objective"}"#, r#"{"kind":"objective","kind":"objective"}"#));
    assert!(refused(r#"{"kind":"objective"}"#, r#"{"kind":"without-units"}"#));
    assert!(refused(r#"{"kind":"objective"}"#, r#"{"kind":"other"}"#));
    assert!(refused("[0,0]", "[1,0]") && refused("[0,0]", "[0,0,0]"));
    assert!(refused(r#""passes":2"#, r#""passes":2,"passes":2"#));
    let claim = serde_json::to_string(&claim(1, true, true)).unwrap();
    assert!(claim.contains(r#""class":{"nuclear":null,"linear":null,"intercept":null}"#));
    assert!(serde_json::from_str::<Claim>(&claim.replace(r#""nuclear":null,"#, "")).is_err());
}

/// Σw(y − Zβ)² at its least, as a fraction, and the columns that are independent. Everything is whole.
fn least_squares(Z: &[Vec<i128>], y: &[i128], w: &[i128]) -> Option<((i128, i128), Vec<usize>)> {
    let dot = |a: &[i128], b: &[i128]| (0..w.len()).map(|i| w[i] * a[i] * b[i]).sum::<i128>();
    let mut all: Vec<&[i128]> = Z.iter().map(Vec::as_slice).collect();
    all.push(y);
    let m = all.len();
    let mut G: Vec<Vec<i128>> = (0..m).map(|i| (0..m).map(|j| dot(all[i], all[j])).collect()).collect();
    // Bareiss: every division is exact. A zero pivot of a semidefinite matrix has a zero row.
    let (mut last, mut independent) = (1, vec![]);
    for p in 0..m - 1 {
        if G[p][p] == 0 {
            continue;
        }
        independent.push(p);
        for i in p + 1..m {
            for j in p + 1..m {
                let cross = G[i][j].checked_mul(G[p][p])?.checked_sub(G[i][p].checked_mul(G[p][j])?)?;
                assert_eq!(cross % last, 0);
                G[i][j] = cross / last;
            }
        }
        last = G[p][p];
    }
    Some(((G[m - 1][m - 1], last), independent))
}

/// A fraction as a float, a little more than it.
fn no_less_than((numerator, denominator): (i128, i128)) -> f64 {
    numerator as f64 / denominator as f64 * (1.0 + 8.0 * f64::EPSILON)
}

/// Whether a float that is not negative is at most a fraction: exactly where whole numbers are large enough for that.
fn is_at_most(x: f64, (numerator, denominator): (i128, i128)) -> bool {
    if x == 0.0 {
        return numerator >= 0;
    }
    // x = mantissa·2^exponent
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1075;
    let mantissa = ((x.to_bits() & ((1 << 52) - 1)) | (1 << 52)) as i128;
    let power = (0..126).contains(&-exponent).then(|| 1_i128 << -exponent);
    let exact = power.and_then(|power| Some((mantissa.checked_mul(denominator)?, numerator.checked_mul(power)?)));
    exact.map_or(x <= no_less_than((numerator, denominator)), |(left, right)| left <= right)
}

fn integer(column: Monomial, x: &[i128]) -> i128 {
    match column {
        One => 1,
        Input(j) => x[j],
        Product(a, b) => x[a] * x[b],
    }
}

fn floats(values: &[i128]) -> Vec<f64> {
    values.iter().map(|x| *x as f64).collect()
}

#[test]
fn the_bound_is_never_above_the_exact_optimum_of_random_instances() {
    let mut numbers = Numbers(1);
    let (mut proved, mut sharp, mut forged) = (0, 0, 0);
    for instance in 0..3000 {
        let d = 1 + numbers.below(3) as usize;
        let n = 1 + numbers.below(14) as usize;
        let (linear, intercept) = (numbers.below(2) == 0, numbers.below(2) == 0);
        let size = if d == 3 && linear { 1 } else { [6, 3, 2][d - 1] };
        let mut x: Vec<Vec<i128>> = (0..n).map(|_| (0..d).map(|_| numbers.whole(size).into()).collect()).collect();
        let constant = if linear && intercept { numbers.whole(1) } else { 0 };
        let is_related = d > 1 && numbers.below(4) == 0;
        if is_related {
            x.iter_mut().for_each(|x| x[d - 1] = x[0] + i128::from(constant));
        }
        // Far from zero compared with their spread.
        let (offset, label_offset) = if numbers.below(3) == 0 { (200, 3000) } else { (0, 0) };
        if d == 1 {
            x.iter_mut().flatten().for_each(|x| *x += offset);
        }
        let y: Vec<i128> = (0..n).map(|_| label_offset + i128::from(numbers.whole(9))).collect();
        let w: Vec<i128> = (0..n).map(|_| if instance % 2 == 0 { 1 } else { numbers.below(4).into() }).collect();
        let N: i128 = w.iter().sum();
        let columns = all_columns(d, linear, intercept);
        let Z: Vec<Vec<i128>> = columns.iter().map(|z| x.iter().map(|x| integer(*z, x)).collect()).collect();
        let Some(((least, denominator), independent)) = least_squares(&Z, &y, &w).filter(|_| N > 0) else { continue };
        let optimum = (least, 2 * N * denominator);

        let mut span = span(independent.iter().map(|at| columns[*at]).collect());
        if numbers.below(2) == 0 {
            span.groups = vec![(0..d).collect()];
        }
        if is_related {
            span.relations = vec![Relation { input: d - 1, factor: 1, terms: vec![(0, 1)], constant }];
        }
        span.passes = 1 + numbers.below(3) as usize;
        forged += 1;
        match numbers.below(8) {
            0 if !span.columns.is_empty() => {
                let at = numbers.below(span.columns.len() as u64) as usize;
                span.columns.remove(at);
            }
            1 if is_related => span.relations[0].terms[0].1 = numbers.whole(3),
            2 if is_related => span.relations[0].constant += 1,
            3 => span.groups = vec![vec![numbers.below(d as u64) as usize]],
            4 => span.columns = columns.clone(),
            _ => forged -= 1,
        }
        let mut proof = free_proof(d, span);
        proof.shifts = (0..d).map(|_| numbers.whole(3) as i32).collect();
        if linear && intercept {
            proof.centre = (0..d).map(|_| numbers.whole(2) as f64).collect();
        }
        if numbers.below(4) == 0 {
            proof.scale = 1.0 + 0.2 * numbers.unit();
            proof.function.M.iter_mut().flatten().for_each(|m| *m = numbers.unit());
        }
        let (X, labels, weights) = (floats(&x.concat()), floats(&y), floats(&w));
        let rows = Rows::new(&X, d, &labels, Some(&weights)).unwrap();
        let signs = [Signs::Any, Signs::Positive, Signs::Negative][numbers.below(3) as usize];
        let claim = Claim { signs, decay: numbers.below(2) as f64, ..claim(d, linear, intercept) };
        let found = bound(&judge(&Network::zero(d), rows, &claim, &proof).unwrap());
        assert!(is_at_most(found, optimum), "{instance}: {found} {optimum:?}");
        proved += usize::from(found > 0.0);
        sharp += usize::from(least > 0 && found > no_less_than(optimum) * (1.0 - 1e-10));
    }
    assert!(proved > 500 && sharp > 400 && forged > 500, "{proved} {sharp} {forged}");
}

#[test]
fn the_bound_is_never_above_the_exact_penalised_optimum_in_one_input() {
    let mut numbers = Numbers(2);
    let (mut sharp, mut tried) = (0, 0);
    for instance in 0..3000 {
        let n = 1 + numbers.below(8) as usize;
        let x: Vec<i128> = (0..n).map(|_| numbers.whole(5).into()).collect();
        let y: Vec<i128> = (0..n).map(|_| numbers.whole(20).into()).collect();
        let q: Vec<i128> = x.iter().map(|x| x * x).collect();
        let intercept = numbers.below(2) == 0;
        let count = n as i128;
        // n·Σab, and with an intercept the covariance.
        let cross = |a: &[i128], b: &[i128]| {
            let products: i128 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            count * products - i128::from(intercept) * a.iter().sum::<i128>() * b.iter().sum::<i128>()
        };
        let (a, b, s) = (cross(&q, &q), cross(&q, &y), cross(&y, &y));
        let signs = [Signs::Any, Signs::Positive, Signs::Negative][instance % 3];
        // τ·4^e = eighths/8, and P = (aM² − 2bM + s)/(2n²) + τ4^e|M|.
        let (eighths, e) = (numbers.below(40) as i128, numbers.whole(2) as i32);
        let decay = eighths as f64 / 8.0 * 4_f64.powi(-e);
        let pull = match signs {
            Signs::Any => b.abs(),
            Signs::Positive => b,
            Signs::Negative => -b,
        };
        let gain = (8 * pull - eighths * count * count).max(0);
        let (numerator, denominator) = if a == 0 { (s, 1) } else { (64 * a * s - gain * gain, 64 * a) };
        let optimum = (numerator, denominator * 2 * count * count);
        let M = if a == 0 { 0.0 } else { gain as f64 / (8 * a) as f64 };
        let M = if signs == Signs::Negative || (signs == Signs::Any && b < 0) { -M } else { M };
        let mean = |a: &[i128]| a.iter().sum::<i128>() as f64 / n as f64;
        let c = if intercept { mean(&y) - M * mean(&q) } else { 0.0 };

        let (X, labels) = (floats(&x), floats(&y));
        let rows = Rows::new(&X, 1, &labels, None).unwrap();
        let shift = numbers.whole(3) as i32;
        let less = [0.0, 1e-15, 1e-12, 1e-9, -1e-14, -1e-9, -0.5][numbers.below(7) as usize];
        let proof = Proof {
            span: intercept.then(|| span(vec![One])),
            function: QuadraticFunction { M: vec![vec![M * 4_f64.powi(-shift)]], c, ..QuadraticFunction::zero(1) },
            scale: 1.0 - less,
            shifts: vec![shift],
            ..plain_proof(1)
        };
        let claim = Claim { signs, decay, exponents: vec![e], ..claim(1, false, intercept) };
        let network = Network { intercept: intercept.then_some(c), ..units(&[&[1.0]], &[M]) };
        let judgement = judge(&network, rows, &claim, &proof).unwrap();
        assert!(is_at_most(bound(&judgement), optimum), "{instance}: {} {optimum:?}", bound(&judgement));
        assert!(judgement.fact("objective").unwrap() >= no_less_than(optimum) * (1.0 - 1e-14), "{instance}");
        assert_ne!(judgement.verdict(), Verdict::Fails);
        let is_safe = less > 1e-13 && numerator > 0;
        tried += usize::from(is_safe);
        sharp += usize::from(is_safe && bound(&judgement) > no_less_than(optimum) * (1.0 - 1e-6));
    }
    assert!(5 * sharp > 3 * tried, "{sharp} of {tried}");
}

#[test]
fn the_bound_is_never_above_any_competitor_found() {
    let mut numbers = Numbers(4);
    let mut proved = 0;
    for instance in 0..400 {
        let d = 2 + numbers.below(2) as usize;
        let n = 4 + numbers.below(12) as usize;
        let X: Vec<f64> = (0..n * d).map(|_| numbers.unit()).collect();
        let y: Vec<f64> = (0..n).map(|_| numbers.unit()).collect();
        let rows = Rows::new(&X, d, &y, None).unwrap();
        let [linear, intercept, linear_limit, intercept_limit] = [(); 4].map(|()| numbers.below(2) == 0);
        let signs = [Signs::Any, Signs::Positive, Signs::Negative][instance % 3];
        let class = Class {
            nuclear: (instance % 2 == 0).then_some(1.0),
            linear: linear_limit.then_some(0.5),
            intercept: intercept_limit.then_some(0.25),
        };
        let exponents: Vec<i32> = (0..d).map(|_| numbers.whole(2) as i32).collect();
        let decay = 0.01 * numbers.below(20) as f64;
        let claim = Claim { signs, decay, exponents, class, ..claim(d, linear, intercept) };
        let free = affine_columns(d, linear && !linear_limit, intercept && !intercept_limit);
        let proof = Proof {
            span: (!free.is_empty()).then(|| span(free)),
            excess: if class.nuclear.is_some() { 0.05 } else { 0.0 },
            scale: [1.0, 0.5, 0.2, 0.05, 0.01][numbers.below(5) as usize],
            ..plain_proof(d)
        };
        let found = bound(&judge(&Network::zero(d), rows, &claim, &proof).unwrap());
        proved += usize::from(found > 0.0);
        let proof_rows = ProofRows::new(rows, 1.0).unwrap();
        let scale: Vec<f64> = claim.exponents.iter().map(|e| 2_f64.powi(-e)).collect();
        for _ in 0..40 {
            let mut output = || match signs {
                Signs::Any => numbers.unit(),
                Signs::Positive => numbers.unit().abs(),
                Signs::Negative => -numbers.unit().abs(),
            };
            let v = [output(), output()];
            // Σ|v|‖Sw‖² ≤ 1, ‖Sb‖ ≤ ½, |c| ≤ ¼.
            let size = (2.0 * d as f64).sqrt();
            let mut vector = || (0..d).map(|j| numbers.unit() * scale[j] / size).collect::<Vec<f64>>();
            let (W, b) = ([vector(), vector()], vector());
            let competitor = Network {
                intercept: intercept.then_some(0.25 * numbers.unit()),
                linear: linear.then(|| b.iter().map(|b| 0.5 * b).collect()),
                ..units(&[&W[0], &W[1]], &v)
            };
            let objective = residuals::objective(&competitor, &proof_rows, claim.decay, &claim.exponents);
            assert!(found <= objective.high, "{instance}");
        }
    }
    assert!(proved > 60, "{proved}");
}

#[test]
#[ignore = "takes a minute and a gigabyte"]
fn a_million_rows_of_a_hundred_inputs_are_judged() {
    let (n, d, k) = (1_000_000, 100, 20);
    let mut numbers = Numbers(8);
    let X: Vec<f64> = (0..n * d).map(|_| numbers.unit()).collect();
    let W: Vec<Vec<f64>> = (0..k).map(|_| (0..d).map(|_| numbers.unit()).collect()).collect();
    let W: Vec<&[f64]> = W.iter().map(Vec::as_slice).collect();
    let v: Vec<f64> = (0..k).map(|_| numbers.unit()).collect();
    let network = Network { linear: Some(vec![0.1; d]), intercept: Some(1.0), ..units(&W, &v) };
    let label = |x: &[f64], noise: f64| {
        let unit = |l: usize| v[l] * W[l].iter().zip(x).map(|(w, x)| w * x).sum::<f64>().powi(2);
        (0..k).map(unit).sum::<f64>() + 0.1 * x.iter().sum::<f64>() + 1.0 + noise
    };
    let y: Vec<f64> = X.chunks(d).map(|x| label(x, numbers.unit())).collect();
    let rows = Rows::new(&X, d, &y, None).unwrap();
    let entry = |i: usize, j: usize| (0..k).map(|l| v[l] * W[l][i] * W[l][j]).sum::<f64>();
    let M: Vec<Vec<f64>> = (0..d).map(|i| (0..=i).map(|j| entry(i, j)).collect()).collect();
    let claim = Claim { decay: 1e-2, tolerance: 0.1, ..claim(d, true, true) };
    let proof = Proof {
        span: Some(Span { passes: 1, ..span(affine_columns(d, true, true)) }),
        function: QuadraticFunction { M, b: vec![0.1; d], c: 1.0, low: None },
        ..plain_proof(d)
    };
    let start = std::time::Instant::now();
    let judgement = judge(&network, rows, &claim, &proof).unwrap();
    println!("{:.1} s: {}", start.elapsed().as_secs_f64(), judgement.statement);
    assert!(bound(&judgement) > 0.1);
}
