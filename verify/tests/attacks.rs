//! Attacks on the checker that once succeeded, or nearly: each must be refused.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(non_snake_case)]

use shallows_verify::theorem::global_optimum::{Claim, Class, MeasureProof, Proof, QuadraticFunction, judge};
use shallows_verify::theorem::strict_saddle;
use shallows_verify::{Matrix, Network, Result, Rows, Signs, Verdict};

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
