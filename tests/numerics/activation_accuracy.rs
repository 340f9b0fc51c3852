//! φ, φ', φ'' against references of 150 digits, on every path this processor can take.
//!
//! tests/references/make_activation.py writes the references.

// A test that cannot read its references should stop there; X is a matrix.
#![allow(clippy::unwrap_used, non_snake_case)]

use std::fmt::Write;

use shallows::activation::{Activation, Instructions, Smooth};
use shallows::random::{Purpose, Stream};

const REFERENCES: &str = include_str!("../references/activation.txt");

/// What `activation.rs` promises for all but erf and gelu.
const ULPS: f64 = 4.0;
/// What it promises for erf and gelu: absolute, and relative in the tails.
const GAUSSIAN_ABSOLUTE: f64 = 1e-15;
const GAUSSIAN_RELATIVE: f64 = 1e-13;

/// One activation with rows of z, φ, φ', φ''.
fn sections() -> Vec<(Activation, Vec<[f64; 4]>)> {
    let mut out: Vec<(Activation, Vec<[f64; 4]>)> = Vec::new();
    for line in REFERENCES.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words.len() == 1 {
            out.push((line.parse().unwrap(), Vec::new()));
        } else {
            let row = std::array::from_fn(|i| f64::from_bits(u64::from_str_radix(words[i], 16).unwrap()));
            out.last_mut().unwrap().1.push(row);
        }
    }
    out
}

/// The distance from the reference in units of the spacing of doubles at the reference.
fn ulps(value: f64, reference: f64) -> f64 {
    if value == reference || value.is_nan() && reference.is_nan() {
        return 0.0;
    }
    if !value.is_finite() || !reference.is_finite() {
        // Next to the largest double, one rounding may decide between it and ∞.
        let finite = if value.is_finite() { value } else { reference };
        return if value.signum() == reference.signum() && finite.abs() > f64::MAX * (1.0 - 1e-15) {
            1.0
        } else {
            f64::INFINITY
        };
    }
    let spacing = reference.abs().next_up() - reference.abs();
    // Both are multiples of the spacing up to a power of two, so the quotient is exact; scaled to avoid underflow.
    let lift = 2f64.powi(600);
    if spacing < 1e-290 {
        (value * lift - reference * lift).abs() / (spacing * lift)
    } else {
        (value - reference).abs() / spacing
    }
}

fn jets(activation: &Activation, path: Instructions, z: &[f64]) -> [Vec<f64>; 3] {
    let mut out = [vec![0.0; z.len()], vec![0.0; z.len()], vec![0.0; z.len()]];
    let [phi, dphi, ddphi] = &mut out;
    activation.curvatures_on(path, z, phi, dphi, ddphi);
    out
}

/// Σ|c_r h_r(z)| over the terms of a derivative of a Hermite sum, |h_r| taken with its neighbours.
fn hermite_size(coefficients: &[f64], order: usize, z: f64) -> f64 {
    let mut h = vec![1.0, z];
    for r in 1..=coefficients.len() {
        h.push((z * h[r] - (r as f64).sqrt() * h[r - 1]) / ((r + 1) as f64).sqrt());
    }
    let mut sum = 0.0;
    for r in order..coefficients.len() {
        let factor: f64 = (0..order).map(|k| ((r - k) as f64).sqrt()).product();
        let s = r - order;
        let neighbours = [s.saturating_sub(1), s, s + 1].map(|s| h[s].abs());
        sum += coefficients[r].abs() * factor * neighbours.into_iter().fold(0.0, f64::max);
    }
    sum
}

/// Whether a value is as near to its reference as `activation.rs` promises.
fn is_near(activation: &Activation, order: usize, z: f64, value: f64, reference: f64) -> bool {
    if ulps(value, reference) <= ULPS {
        return true;
    }
    match activation {
        Activation::Smooth(Smooth::Erf | Smooth::Gelu) => {
            let error = (value - reference).abs();
            error <= GAUSSIAN_ABSOLUTE && (error <= GAUSSIAN_RELATIVE * reference.abs() || z.abs() < 2.0)
        }
        Activation::Smooth(Smooth::Hermite { coefficients }) => {
            (value - reference).abs() <= 2f64.powi(-200) * hermite_size(coefficients, order, z)
        }
        _ => false,
    }
}

#[test]
fn every_value_slope_and_curvature_is_as_near_its_reference_as_promised() {
    let mut failures = String::new();
    for path in Instructions::available() {
        for (activation, rows) in sections() {
            let z: Vec<f64> = rows.iter().map(|row| row[0]).collect();
            let found = jets(&activation, path, &z);
            let mut worst = [(0.0, 0.0); 3];
            for order in 0..3 {
                for (i, row) in rows.iter().enumerate() {
                    let (value, reference) = (found[order][i], row[order + 1]);
                    let distance = ulps(value, reference);
                    if distance > worst[order].0 {
                        worst[order] = (distance, z[i]);
                    }
                    if !is_near(&activation, order, z[i], value, reference) {
                        let name = activation.to_string();
                        let name: String = name.chars().take(40).collect();
                        writeln!(
                            failures,
                            "{path:?} {name} order {order} at {:e}: {value:e}, not {reference:e}, {distance:.1} ulp",
                            z[i]
                        )
                        .unwrap();
                    }
                }
            }
            let name: String = activation.to_string().chars().take(40).collect();
            let text: Vec<String> = worst.iter().map(|(ulps, z)| format!("{ulps:.2} at {z:e}")).collect();
            println!("{path:?} {name}: {}", text.join(", "));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn not_a_number_stays_one() {
    for path in Instructions::available() {
        for activation in Activation::examples() {
            for found in jets(&activation, path, &[f64::NAN; 3]) {
                assert!(found.iter().all(|x| x.is_nan()), "{activation} on {path:?}: {found:?}");
            }
        }
    }
}

#[test]
fn infinities_go_to_their_limits() {
    let inf = f64::INFINITY;
    let limits: [(&str, [f64; 3], [f64; 3]); 17] = [
        ("quadratic", [inf, -inf, 2.0], [inf, inf, 2.0]),
        ("quadratic:-1,1e100,3", [-inf, inf, -2.0], [-inf, -inf, -2.0]),
        ("relu", [0.0, 0.0, 0.0], [inf, 1.0, 0.0]),
        ("leaky-relu:0.5", [-inf, 0.5, 0.0], [inf, 1.0, 0.0]),
        ("leaky-relu:0", [0.0, 0.0, 0.0], [inf, 1.0, 0.0]),
        ("abs", [inf, -1.0, 0.0], [inf, 1.0, 0.0]),
        ("softplus", [0.0, 0.0, 0.0], [inf, 1.0, 0.0]),
        ("softplus:1e-100", [0.0, 0.0, 0.0], [inf, 1.0, 0.0]),
        ("sigmoid", [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ("sigmoid:1e100", [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ("tanh", [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ("erf", [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ("gelu", [0.0, 0.0, 0.0], [inf, 1.0, 0.0]),
        ("cos", [f64::NAN; 3], [f64::NAN; 3]),
        ("hermite:3", [3.0, 0.0, 0.0], [3.0, 0.0, 0.0]),
        ("hermite:1,-2", [inf, -2.0, 0.0], [-inf, -2.0, 0.0]),
        ("hermite:0,1e100,0,-1e-100", [inf, -inf, inf], [-inf, -inf, -inf]),
    ];
    for path in Instructions::available() {
        for (name, left, right) in limits {
            let found = jets(&name.parse().unwrap(), path, &[-inf, inf]);
            for order in 0..3 {
                assert_eq!(
                    ulps(found[order][0], left[order]),
                    0.0,
                    "{name} order {order} at −∞ on {path:?}: {found:?}"
                );
                assert_eq!(
                    ulps(found[order][1], right[order]),
                    0.0,
                    "{name} order {order} at ∞ on {path:?}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn kinks_have_the_documented_slope() {
    for path in Instructions::available() {
        for (name, slope) in [("relu", 0.0), ("leaky-relu:0.25", 0.25), ("abs", 0.0)] {
            let found = jets(&name.parse().unwrap(), path, &[0.0, -0.0]);
            assert_eq!(found, [vec![0.0; 2], vec![slope; 2], vec![0.0; 2]], "{name} on {path:?}");
        }
    }
}

/// Doubles of every exponent, with many of moderate size.
fn random_arguments(count: usize) -> Vec<f64> {
    let mut stream = Stream::new(7, Purpose::Probe, 0);
    (0..count)
        .map(|i| match i % 4 {
            0 => 3.0 * stream.normal(),
            1 => stream.sign() * 10f64.powf(6.0 * stream.uniform() - 3.0),
            2 => stream.sign() * 2f64.powf(2097.0 * stream.uniform() - 1074.0),
            _ => 800.0 * (2.0 * stream.uniform() - 1.0),
        })
        .collect()
}

#[test]
fn all_paths_agree_on_a_million_arguments() {
    let z = random_arguments(1_000_000);
    for activation in Activation::examples() {
        let reference = jets(&activation, Instructions::Portable, &z);
        for path in Instructions::available() {
            let found = jets(&activation, path, &z);
            for order in 0..3 {
                let mut worst = (0.0, 0.0);
                for i in 0..z.len() {
                    let (value, other) = (found[order][i], reference[order][i]);
                    let distance = ulps(value, other);
                    if distance > worst.0 {
                        worst = (distance, z[i]);
                    }
                    assert!(
                        is_near(&activation, order, z[i], value, other),
                        "{activation} order {order} at {:e}: {value:e} on {path:?}, {other:e} portable, {distance} ulp",
                        z[i]
                    );
                }
                println!("{activation} order {order} {path:?}: {:.1} ulp at {:e}", worst.0, worst.1);
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_position_length_or_how_many_derivatives_are_asked_for() {
    let mut z = random_arguments(1000);
    z.extend([f64::NAN, f64::INFINITY, 0.0, -0.0, 1e300]);
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    for path in Instructions::available() {
        for activation in Activation::examples() {
            let whole = jets(&activation, path, &z);
            let mut start = 0;
            for length in (1..).take_while(|length| length * (length + 1) / 2 <= z.len()) {
                let part = jets(&activation, path, &z[start..start + length]);
                for order in 0..3 {
                    assert_eq!(bits(&part[order]), bits(&whole[order][start..start + length]), "{activation} {path:?}");
                }
                start += length;
            }
            let (mut phi, mut again, mut dphi) = (vec![0.0; z.len()], vec![0.0; z.len()], vec![0.0; z.len()]);
            activation.values_on(path, &z, &mut phi);
            activation.slopes_on(path, &z, &mut again, &mut dphi);
            assert_eq!(bits(&phi), bits(&whole[0]), "{activation} {path:?}");
            assert_eq!(bits(&again), bits(&whole[0]), "{activation} {path:?}");
            assert_eq!(bits(&dphi), bits(&whole[1]), "{activation} {path:?}");
        }
    }
}
