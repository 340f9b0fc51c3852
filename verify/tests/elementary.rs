//! Elementary functions against values in hundreds of digits; make_elementary.py writes the references.

#![allow(clippy::unwrap_used, clippy::expect_used, non_snake_case)]

use shallows_verify::arithmetic::Enclosure;
use shallows_verify::elementary::*;

fn bits(text: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(text, 16).unwrap())
}

/// Whether a number that is nearest to `high`, and high + low in twice the precision, is between the two bounds.
fn contains(x: Enclosure, high: f64, low: f64) -> bool {
    (x.low < high || (x.low == high && low >= 0.0)) && (x.high > high || (x.high == high && low <= 0.0))
}

fn two_to(k: i32) -> f64 {
    2.0_f64.powi(k)
}

#[test]
fn every_enclosure_contains_the_true_value_and_is_as_narrow_as_claimed() {
    let mut counted = std::collections::BTreeMap::<&str, usize>::new();
    for line in include_str!("elementary.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [x, high, low] = [1, 2, 3].map(|at| bits(words[at]));
        let (found, relative, absolute) = match words[0] {
            "exp" => (exp(x), two_to(-48), 0.0),
            "exp_m1" => (exp_m1(x), two_to(-46), 0.0),
            "ln" => (ln(x), two_to(-52), 0.0),
            "ln_1p" => (ln_1p(x), two_to(-46), 0.0),
            "tanh" => (tanh(x), two_to(-45), 0.0),
            "erf" => (erf(x), two_to(-44), 0.0),
            "sin" => (sin(x), 0.0, two_to(-48)),
            "cos" => (cos(x), 0.0, two_to(-48)),
            other => panic!("{other}"),
        };
        assert!(contains(found, high, low), "{}({x:e}): {found:?} without {high:e}", words[0]);
        let width = found.high - found.low;
        let claimed = 2.0 * (relative * high.abs() + absolute + f64::MIN_POSITIVE / two_to(46));
        // Where the value overflows the width is infinite.
        assert!(width <= claimed || high > 1e308, "{}({x:e}): {:e} wide", words[0], width / high);
        if words[0] == "ln" {
            assert_eq!(ln_nearest(x), high, "{x:e}");
        }
        *counted.entry(words[0]).or_default() += 1;
    }
    assert!(counted.len() == 8 && counted.values().all(|count| *count > 300), "{counted:?}");
}

#[test]
fn what_is_no_number_or_outside_the_domain_decides_nothing() {
    for f in [exp, exp_m1, ln, ln_1p, sin, cos, tanh, erf] {
        let x = f(f64::NAN);
        assert!(x.low.is_nan() && x.high.is_nan());
    }
    for x in [ln(0.0), ln(-1.0), ln(f64::INFINITY), ln_1p(-0.5)] {
        assert!(x.low.is_nan() && x.high.is_nan());
    }
    assert_eq!(sin(1e7), Enclosure { low: -1.0, high: 1.0 });
}

#[test]
fn infinities_and_overflow_have_their_limits() {
    assert_eq!(exp(f64::INFINITY), Enclosure { low: f64::MAX, high: f64::INFINITY });
    assert_eq!(exp(f64::NEG_INFINITY).low, 0.0);
    assert!(exp(709.79).low <= f64::MAX && exp(709.79).high == f64::INFINITY);
    assert!(exp(-745.5).low == 0.0 && exp(-745.5).high > 0.0);
    for f in [tanh, erf] {
        assert!(f(f64::INFINITY).high == 1.0 && f(-300.0).low == -1.0 && f(f64::NEG_INFINITY).high < -0.999);
    }
}

#[test]
fn functions_of_enclosures_contain_the_values_at_both_ends() {
    let z = Enclosure { low: -0.3, high: 0.4 };
    let found = increasing(exp, z);
    assert!(found.low <= exp(-0.3).low && found.high >= exp(0.4).high);
    let found = decreasing(|x| exp(-x), z);
    assert!(found.low <= exp(-0.4).low && found.high >= exp(0.3).high);
    let found = lipschitz(sin, 1.0, z);
    assert!(found.low <= sin(-0.3).low && found.high >= sin(0.4).high);
    let nothing = lipschitz(sin, 1.0, Enclosure { low: f64::NAN, high: 1.0 });
    assert!(nothing.low.is_nan() && nothing.high.is_nan());
}
