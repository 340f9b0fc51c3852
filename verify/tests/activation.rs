//! Activations against values in hundreds of digits; make_elementary.py writes the references.

#![allow(clippy::unwrap_used, clippy::expect_used, non_snake_case)]

use shallows_verify::Activation;
use shallows_verify::arithmetic::Enclosure;

fn bits(text: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(text, 16).unwrap())
}

fn named(name: &str) -> Activation {
    name.parse().unwrap_or_else(|()| panic!("{name}"))
}

const NAMES: [&str; 18] = [
    "quadratic",
    "quadratic:-0.75,1.3,0.4",
    "softplus",
    "softplus:0.3",
    "softplus:7",
    "sigmoid",
    "sigmoid:0.3",
    "sigmoid:7",
    "tanh",
    "erf",
    "gelu",
    "cos",
    "hermite:0.5,-0.25,0,1",
    "hermite:0,0,0.3,0,-0.1,0,0,0,0.7",
    "relu",
    "leaky-relu",
    "leaky-relu:-0.3",
    "abs",
];

/// Whether a number that is nearest to `high`, and high + low in twice the precision, is between the two bounds.
fn contains(x: Enclosure, high: f64, low: f64) -> bool {
    (x.low < high || (x.low == high && low >= 0.0)) && (x.high > high || (x.high == high && low <= 0.0))
}

#[test]
fn values_and_slopes_contain_the_true_ones_and_are_narrow() {
    let mut lines = 0;
    for line in include_str!("activation.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (activation, z) = (named(words[0]), bits(words[1]));
        assert!(NAMES.contains(&words[0]));
        let at = Enclosure::exactly(z);
        for (found, first) in [(activation.value(at), 2), (activation.slope(at), 5)] {
            let (high, low) = (bits(words[first]), bits(words[first + 1]));
            assert!(contains(found, high, low), "{activation} at {z:e}: {found:?} without {high:e}");
            // Hermite polynomials grow, and so does what their recurrence loses.
            let (power, share) = if words[0].starts_with("hermite") { (8, 1e-12) } else { (2, 2e-13) };
            let scale = if activation.jump().is_some() { 1.0 } else { (1.0 + z.abs()).powi(power) };
            let kink = if activation == Activation::Abs && z == 0.0 { 2.0 } else { 0.0 };
            assert!(found.high - found.low <= share * scale + kink, "{activation} at {z:e}: {found:?}");
        }
        lines += 1;
    }
    assert!(lines > 2000);
}

#[test]
fn the_mean_value_theorem_holds_for_every_pair_of_points() {
    for name in NAMES {
        let activation = named(name);
        for (a, b) in [(-3.0, -2.9), (-0.5, 0.25), (-1e-9, 1e-9), (0.1, 0.1000001), (1.0, 4.0), (-30.0, 50.0)] {
            let [fa, fb] = [a, b].map(|z| activation.value(Enclosure::exactly(z)));
            let rise = fb - fa;
            let bound =
                activation.slope(Enclosure { low: a, high: b }) * (Enclosure::exactly(b) - Enclosure::exactly(a));
            assert!(bound.low <= rise.high && bound.high >= rise.low, "{name}: {a} {b}");
            let all = activation.value(Enclosure { low: a, high: b });
            for part in 0..=10 {
                let value = activation.value(Enclosure::exactly(a + (b - a) * f64::from(part) / 10.0));
                assert!(all.low <= value.high && all.high >= value.low, "{name}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_tangent_is_within_half_the_curvature_times_the_square_of_the_distance() {
    for name in NAMES {
        let activation = named(name);
        let (slopes, bends) = (activation.slope_bound(), activation.curvature_bound());
        let mut steepest = 0.0_f64;
        let mut bend = 0.0_f64;
        for i in -4000..=4000 {
            let (z, step) = (f64::from(i) / 128.0, 1.0 / 1024.0);
            let [value, slope] = [activation.value(Enclosure::exactly(z)), activation.slope(Enclosure::exactly(z))];
            let next = activation.value(Enclosure::exactly(z + step));
            let off = next - value - step * slope;
            if bends.is_finite() {
                assert!(
                    off.low <= 0.5 * bends * step * step && off.high >= -0.5 * bends * step * step,
                    "{name} at {z}"
                );
                bend = bend.max(2.0 * off.low.max(-off.high) / (step * step));
            }
            assert!(slope.low.max(-slope.high) <= slopes, "{name} at {z}");
            steepest = steepest.max(slope.high.max(-slope.low));
        }
        // The bounds are suprema.
        assert!(!slopes.is_finite() || steepest >= 0.999 * slopes, "{name}: {steepest} of {slopes}");
        assert!(!bends.is_finite() || bend >= 0.98 * bends, "{name}: {bend} of {bends}");
    }
}

#[test]
fn both_slopes_are_possible_where_a_kink_may_be_met() {
    let around = Enclosure { low: -1e-300, high: 1e-300 };
    assert_eq!(Activation::Relu.slope(around), Enclosure { low: 0.0, high: 1.0 });
    assert_eq!(Activation::Relu.slope(Enclosure::exactly(0.0)), Enclosure::exactly(0.0));
    assert_eq!(Activation::Abs.slope(Enclosure::exactly(0.0)), Enclosure { low: -1.0, high: 1.0 });
    assert_eq!(named("leaky-relu:3").slope(around), Enclosure { low: 1.0, high: 3.0 });
    assert_eq!(Activation::Relu.slope(Enclosure { low: 1e-300, high: 1.0 }), Enclosure::exactly(1.0));
    assert!(Activation::Relu.slope(Enclosure { low: f64::NAN, high: 1.0 }).high.is_nan());
    assert!(Activation::Relu.slope(Enclosure { low: -1.0, high: f64::NAN }).high.is_nan());
}

#[test]
fn what_is_no_number_stays_none() {
    for name in NAMES {
        for z in [Enclosure { low: f64::NAN, high: 0.5 }, Enclosure { low: -0.5, high: f64::NAN }] {
            let (value, slope) = (named(name).value(z), named(name).slope(z));
            assert!(!(value.high - value.low).is_finite(), "{name}: {value:?}");
            let constant = matches!(named(name), Activation::Hermite { .. });
            assert!(constant || !(slope.high - slope.low).is_finite(), "{name}: {slope:?}");
        }
    }
}
