//! Attacks on the checker that once succeeded, or nearly: each must be refused.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

use std::time::{Duration, Instant};

use shallows_verify::matrix::use_threads;
use shallows_verify::theorem::global_optimum::{Claim, Class, MeasureProof, Proof, QuadraticFunction, Span, judge};
use shallows_verify::theorem::{determined, relu_descent_converges, sgd_converges, strict_saddle};
use shallows_verify::{
    Certificate, Judgement, Matrix, Monomial, Network, Relation, Result, Rows, Signs, StoredNetwork, Verdict,
};

fn power(e: i32) -> f64 {
    2_f64.powi(e)
}

/// w·x is 2³⁸⁰ for the row of ones, and a compensated sum says 0: what it is off by must be counted, though v is so small that
/// u²|v| underflows.
fn hidden_by_cancellation() -> Network {
    let second = power(440) * (1.0 + f64::EPSILON);
    let w = [power(500), second, power(380), -power(500), -second];
    Network { W: Matrix::from_fn(1, 5, |_, j| w[j]), v: vec![power(-990)], ..Network::zero(5) }
}

#[test]
fn an_error_that_meets_a_tiny_output_weight_is_not_lost() -> Result<()> {
    let network = hidden_by_cancellation();
    let rows = Rows::new(&[1.0; 5], 5, &[0.0], None)?;
    let claim = Claim {
        signs: Signs::Any,
        decay: 0.0,
        linear: false,
        intercept: false,
        exponents: vec![0; 5],
        tolerance: 0.1,
        class: Class::default(),
    };
    let proof = Proof {
        centre: vec![0.0; 5],
        shifts: vec![0; 5],
        span: None,
        free: false,
        function: QuadraticFunction::zero(5),
        scale: 1.0,
        excess: 0.0,
        measure: MeasureProof::Least {},
        improvement: None,
    };
    let judgement = judge(&network, rows, &claim, &proof)?;
    // f = 2⁻⁹⁹⁰·2⁷⁶⁰, so P = ½·2⁻⁴⁶⁰.
    let objective = judgement.fact("objective");
    assert!(objective.is_none_or(|objective| objective >= power(-461)), "{objective:?}");
    assert_ne!(judgement.verdict(), Verdict::Holds);
    let saddle = strict_saddle::judge(
        &network,
        rows,
        &strict_saddle::Claim { decay: 0.0 },
        &strict_saddle::Proof { down: None },
    )?;
    // ∇P = 2v r(w·x)x, of length 2·2⁻⁹⁹⁰·2⁻²³⁰·2³⁸⁰·√5.
    let gradient = saddle.fact("gradient");
    assert!(gradient.is_none_or(|gradient| gradient >= power(-838)), "{gradient:?}");
    Ok(())
}

/// Σθᵢx̂ᵢx̂ᵢᵀ is off by what Σ|θᵢ|‖x̂ᵢ‖² is a measure of, also where the square of x̂ alone would underflow.
#[test]
fn a_dual_point_is_not_feasible_because_squares_underflow() -> Result<()> {
    // 64 equal rows: P = ½(M − y)² + 2⁴⁹⁵t|M| with y = 2¹³·2⁴⁹⁵ has the minimum 2⁹⁹⁰(2¹³t − t²/2).
    let y = [power(508); 64];
    let rows = Rows::new(&[1.0; 64], 1, &y, None)?;
    let network = Network::zero(1);
    let mut judged = 0;
    for j in 0..16 {
        let t = 1.0 + f64::from(j) * f64::EPSILON;
        let claim = Claim {
            signs: Signs::Any,
            decay: t * power(-105),
            linear: false,
            intercept: false,
            exponents: vec![300],
            tolerance: 0.1,
            class: Class::default(),
        };
        let proof = Proof {
            centre: vec![0.0],
            shifts: vec![-600],
            span: None,
            free: false,
            function: QuadraticFunction::zero(1),
            // The sum of 64 times this is rounded downwards again and again.
            scale: (1.0 + 15.0 * f64::EPSILON) * power(-13),
            excess: 0.0,
            measure: MeasureProof::Objective {},
            improvement: None,
        };
        let bound = judge(&network, rows, &claim, &proof)?.fact("lower_bound").unwrap_or(0.0);
        // In units of 2⁸⁸⁵ both are whole numbers.
        let whole = i128::from((1_i64 << 52) + i64::from(j));
        let exact = (1 << 14) * whole * (1 << 52) - whole * whole;
        assert!((bound * power(-885)) as i128 <= exact, "{j}: {bound:e}");
        judged += i32::from(bound > 0.0);
    }
    assert_eq!(judged, 0, "16 is less than 64 terms may be rounded by");
    Ok(())
}

/// Rows of two inputs, the second equal to the first but in the last row.
fn nearly_equal_columns(n: usize) -> (Vec<f64>, Vec<f64>) {
    let X = (0..n).flat_map(|i| [i as f64, if i + 1 < n { i as f64 } else { -1.0 }]).collect();
    (X, (0..n).map(|i| (i % 7) as f64).collect())
}

fn affine_claim(d: usize) -> Claim {
    Claim {
        signs: Signs::Any,
        decay: 0.0,
        linear: true,
        intercept: true,
        exponents: vec![0; d],
        tolerance: 0.1,
        class: Class::default(),
    }
}

fn with_span(d: usize, span: Span) -> Proof {
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

/// The shortest of a few runs.
fn shortest(run: impl Fn()) -> Duration {
    let time = || {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..5).map(|_| time()).min().unwrap_or_default()
}

#[test]
fn a_list_of_false_relations_takes_hardly_longer_than_one() -> Result<()> {
    let (X, y) = nearly_equal_columns(3000);
    let rows = Rows::new(&X, 2, &y, None)?;
    let relation = Relation { input: 1, factor: 1, terms: vec![(0, 1)], constant: 0 };
    let columns = vec![Monomial::One, Monomial::Input(0), Monomial::Product(0, 0)];
    let proof = |count: usize| {
        with_span(
            2,
            Span { columns: columns.clone(), relations: vec![relation.clone(); count], groups: vec![], passes: 1 },
        )
    };
    let (one, many) = (proof(1), proof(20_000));
    let judged = |proof: &Proof| judge(&Network::zero(2), rows, &affine_claim(2), proof).unwrap().fact("lower_bound");
    assert_eq!(
        (judged(&one), judged(&many)),
        (Some(0.0), Some(0.0)),
        "a relation that is false in one row proves nothing"
    );
    let [one, many] = [one, many].map(|proof| shortest(|| assert!(judged(&proof).is_some())));
    assert!(many < 200 * one, "20000 relations: {many:?}, one: {one:?}");
    Ok(())
}

#[test]
fn columns_that_are_more_than_the_rows_prove_nothing_however_many_groups_there_are() -> Result<()> {
    let d = 400;
    let X: Vec<f64> = (0..3 * d).map(|i| (i % 5) as f64).collect();
    let rows = Rows::new(&X, d, &[1.0, 2.0, 3.0], None)?;
    let products = (0..d).flat_map(|b| (0..=b).map(move |a| Monomial::Product(a, b)));
    let groups = (0..d).map(|j| vec![j]).collect();
    let span = Span { columns: products.collect(), relations: vec![], groups, passes: 8 };
    let judgement = judge(&Network::zero(d), rows, &affine_claim(d), &with_span(d, span))?;
    assert_eq!((judgement.fact("lower_bound"), judgement.verdict()), (Some(0.0), Verdict::Undecided));
    Ok(())
}

#[test]
fn a_rival_too_wide_to_be_evaluated_exactly_refutes_nothing() -> Result<()> {
    let d = 300;
    // x_1 is 0 in both rows, so that 0 and x_1² agree there and differ elsewhere. The other units are zero.
    let X: Vec<f64> = (0..2 * d).map(|at| if at % d == 1 { 0.0 } else { (at % 11) as f64 }).collect();
    let rows = Rows::new(&X, d, &[0.0, 0.0], None)?;
    let second = |k: usize| {
        let W = Matrix::from_fn(k, d, |l, j| if (l, j) == (0, 1) { 1.0 } else { 0.0 });
        StoredNetwork::new(&Network {
            v: (0..k).map(|l| if l == 0 { 1.0 } else { 0.0 }).collect(),
            W,
            ..Network::zero(d)
        })
    };
    let rank = |k: usize| {
        let rival = determined::Rival {
            first: StoredNetwork::new(&Network::zero(d)),
            second: second(k),
            point: (0..d).map(|j| if j == 1 { 1.0 } else { 0.0 }).collect(),
        };
        let proof = determined::Proof {
            independence: None,
            relations: vec![],
            groups: vec![],
            vanishing: vec![],
            rival: Some(rival),
        };
        let judgement = determined::judge(rows, &determined::Claim { affine: false }, &proof).unwrap();
        judgement.checks[1].verdict()
    };
    assert_eq!((rank(1), rank(6000)), (Verdict::Fails, Verdict::Holds));
    Ok(())
}

#[test]
fn a_certificate_of_a_thousand_claims_is_refused() {
    let claim = r#"{"theorem": "separated-data", "claim": {}, "proof": {"parallel": null}, "facts": {}, "verdict": "undecided",
        "checks": [], "statement": ""}"#;
    let text = |count: usize| {
        let claims = vec![claim; count].join(",");
        format!(
            r#"{{"format": "shallows certificate", "format_version": 3, "writer": "", "rows": null, "network": null,
                "teacher": null, "certificates": [{claims}]}}"#
        )
    };
    assert!(Certificate::read(&text(21)).is_ok());
    let refusal = Certificate::read(&text(1000)).unwrap_err().to_string();
    assert!(refusal.contains("at most 100"), "{refusal}");
}

/// A network on more rows than are looked at must not pass for one none of whose units changes sides.
#[test]
fn rows_that_are_too_many_to_look_at_leave_the_perturbation_unknown() -> Result<()> {
    let n = 5001;
    let X: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
    let rows = Rows::new(&X, 1, &X, None)?;
    let network = Network {
        activation: shallows_verify::Activation::Relu,
        W: Matrix::from_fn(n, 1, |_, _| 1.0),
        v: vec![1.0; n],
        ..Network::zero(1)
    };
    let claim = relu_descent_converges::Claim { step: 1e-9, tolerance: 0.1 };
    let spectrum =
        shallows_verify::descent::SpectrumProof { smallest: 1.0, largest: None, inputs: None, direction: None };
    let proof = relu_descent_converges::Proof { spectrum, radius: 1e9 };
    let judgement = relu_descent_converges::judge(&network, rows, &claim, &proof)?;
    assert_eq!((judgement.fact("perturbation"), judgement.verdict()), (None, Verdict::Undecided));
    Ok(())
}

/// ‖x‖ was bounded from above only: rows shorter than 1 − 1e-9 passed, and rows a hair within 1 + 1e-9 were refuted.
#[test]
fn unit_rows_next_to_the_limit_are_neither_passed_nor_refuted_by_rounding() -> Result<()> {
    for (start, sign) in [(1.0 + 1e-9, 1.0), (1.0 - 1e-9, -1.0)] {
        let mut x: f64 = start;
        (0..20).for_each(|_| x = x.next_down());
        for _ in 0..40 {
            let rows = [x];
            let claim = sgd_converges::Claim { activation: "softplus".into(), width: 10 };
            let judgement = sgd_converges::judge(
                Rows::new(&rows, 1, &[1.0], None)?,
                &claim,
                &sgd_converges::Proof { smallest: 0.0 },
            )?;
            // The difference of doubles this near is exact, and so is the comparison.
            let is_unit = sign * (x - 1.0) <= 1e-9;
            let found = judgement.checks[1].verdict();
            assert_ne!(found, if is_unit { Verdict::Fails } else { Verdict::Holds }, "{x:e}");
            x = x.next_up();
        }
    }
    Ok(())
}

#[test]
fn a_judgement_has_the_same_bits_on_one_and_on_five_threads() -> Result<()> {
    let (n, d) = (3000, 4);
    let mut state = 3_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 44) as f64 / f64::from(1 << 18) - 2.0
    };
    let X: Vec<f64> = (0..n * d).map(|_| next()).collect();
    let y: Vec<f64> = (0..n).map(|_| next()).collect();
    let rows = Rows::new(&X, d, &y, None)?;
    let columns = Monomial::all(d, true);
    let proof = with_span(d, Span { columns, relations: vec![], groups: vec![], passes: 2 });
    let independence = Some(determined::Independence { shifts: vec![0; d], rows: None, passes: 1 });
    let of_rows = determined::Proof { independence, relations: vec![], groups: vec![], vanishing: vec![], rival: None };
    let judged = |threads: usize| -> Result<[Judgement; 2]> {
        use_threads(threads);
        Ok([
            judge(&Network::zero(d), rows, &affine_claim(d), &proof)?,
            determined::judge(rows, &determined::Claim { affine: true }, &of_rows)?,
        ])
    };
    let one = judged(1)?;
    assert!(one[0].fact("lower_bound") > Some(0.0) && one[1].verdict() == Verdict::Holds, "{one:?}");
    assert_eq!(one, judged(5)?);
    Ok(())
}
