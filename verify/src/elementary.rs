//! Elementary functions between two bounds that are proved: exp, ln, sine, cosine, tanh, erf.
//!
//! Functions of the standard library come without a bound on their error, so none is used. Every function here reduces its
//! argument exactly, or with an error that is counted, sums a series in plain arithmetic, and moves the result outwards by at
//! least twice what it can be off. u = 2⁻⁵³; every operation is off by a factor 1 + δ, |δ| ≤ u, or by 2⁻¹⁰⁷⁵ where it
//! underflows. Factors 1 + O(u) of bounds are not written; the bounds have more room than that.
//!
//! | function | half the width is at most |
//! |---|---|
//! | `exp` | 2⁻⁴⁸ of the value |
//! | `exp_m1`, `ln_1p` | 2⁻⁴⁶ of the value |
//! | `tanh` | 2⁻⁴⁵ of the value |
//! | `ln` | 2⁻⁵² of the value |
//! | `sin`, `cos` | 2⁻⁴⁸; nothing but −1 and 1 is known beyond \|x\| = 2²⁰ |
//! | `erf` | 2⁻⁴⁴ of the value |
//!
//! and 2⁻¹⁰⁶⁸ besides. NaN gives NaN.
//!
//! **Horner's rule** for Σ_{j<N} c_j rʲ, with c_j rounded once: term j meets its coefficient's rounding, j multiplications and at
//! most j + 1 additions, so the sum is off by at most Σ(2j + 2)u|c_j||r|ʲ (Higham, ASNA 2002, §5.1). If r itself is off by
//! the factor 1 + δ, term j is off by jδ more.
//!
//! **exp.** k is x/ln 2 rounded, |k| ≤ 1077, and r = x − k·ln 2, |r| ≤ 0.35. ln 2 = L₁ + L₂ + ℓ with L₁ of 38 bits, a multiple of 2⁻³⁸,
//! and |ℓ| ≤ 1.01·10⁻²⁸. k·L₁ is exact. For k = 0 r = x. Otherwise |x| ≥ ¼, so x and k·L₁ are multiples of 2⁻⁵⁴, and their difference,
//! below ½, is exact. Subtracting fl(k·L₂), |k·L₂| ≤ 2·10⁻⁹, leaves r off by at most 0.36u. Horner: Σ(2j + 2)u·0.35ʲ/j! =
//! 2·1.35·e^0.35·u ≤ 3.84u, that is 5.45u of eʳ ≥ 0.704. The rest of the series after 14 terms is below 0.07u. Together 6u ≤ 2⁻⁵⁰.
//!
//! **exp_m1.** For |x| ≤ 0.35 x·g(x), g(x) = Σ xʲ/(j + 1)! ≥ 0.84: Horner 2e^0.35·u, that is 3.4u of g, one product, a rest below 0.01u:
//! 5u ≤ 2⁻⁵⁰. Otherwise exp(x) − 1, whose size is at least e^x/3.4 for x > 0 and e^x/2.4 for x < 0.
//!
//! **ln** in pairs of doubles, high + low with |low| ≤ u|high|. A sum of pairs loses at most 4u²(|a| + |b|), a product or quotient
//! at most 16u² of its size. y = m·2ᵉ with m between √½ and √2; m − 1 is exact; s = (m − 1)/(m + 1), |s| ≤ 0.172;
//! ln m = 2s·Σ_{j<25} tʲ/(2j + 1), t = s² ≤ 0.0295, with a rest below 10⁻³⁹. t is off by 50u², and since a level of
//! Horner's rule is multiplied by t ≤ 0.03, the sum is off by less than 30u², ln m by less than 100u². e·L₁ is exact, e(L₂ + ℓ) off by 20u² of 2·10⁻⁹. Where e ≠ 0
//! |ln y| ≥ 0.34 and |ln m| ≤ 0.35, so the last sum is off by at most 4u²(|ln y| + 0.7). Everything is below 512u² ≤ 2⁻⁹⁶ of ln y.
//! So [`ln_nearest`] is the nearest double unless ln y is within 2⁻⁹⁶ of its size of the middle between two, and always one of the two next to
//! ln y: [`ln`] is between its neighbours.
//!
//! **ln_1p** for 0 ≤ x ≤ 1: 2s·Σ tʲ/(2j + 1), s = x/(2 + x) ≤ ⅓ off by 2u, t = s² off by 5u: term j off by 7j + 2, Σ(7j + 2)u·9⁻ʲ/(2j + 1) ≤
//! 2.4u, s and the product 3u; the rest after 17 terms is below 0.02u: 6u ≤ 2⁻⁵⁰. Beyond 1: ln(1 + x).
//!
//! **sin, cos** for |x| ≤ 2²⁰. n is 2x/π rounded, |n| < 2²⁰, r = x − nπ/2, |r| ≤ 0.79. π/2 = P₁ + P₂ + P₃ + p with P₁, P₂ of 33 bits, so that n·P₁ and n·P₂ are exact, and
//! |p| ≤ 10⁻³¹. P₁ is a multiple of 2⁻³²; where n ≠ 0, |x| ≥ ½ is a multiple of 2⁻⁵³ and x − n·P₁, below 1, is exact. Two more subtractions: r is off by less than 2u.
//! t = r² ≤ 0.63, off by u; term j by 3j + 2: sine 0.79(Σ(3j + 2)tʲ/(2j + 1)! + 1)u ≤ 2.9u, cosine Σ(3j + 2)tʲ/(2j)! u ≤ 3.8u; the rests after 9 terms are below
//! 0.03u. Together with r: 6u ≤ 2⁻⁵⁰, not relative to the value.
//!
//! **tanh x** = q/(q + 2), q = exp_m1(2x), for 0 ≤ x < 20; beyond 1 − tanh x ≤ 2e⁻⁴⁰ < u.
//!
//! **erf x** for |x| < 2 = (2/√π)e^{−t}·Σ_n x(2t)ⁿ/(1·3·…·(2n + 1)), t = x². The same rounded t̂ in both factors means erf(√t̂)x/√t̂, off by u/2 at most, as
//! s·d/ds ln(erf(s)/s) is between −1 and 0. Terms have one sign; term n is off by 2nu, and n averages to less than 6 with the terms as weights; fewer than 48
//! are added (each is at most 8/(2n + 1) times the one before); what follows a term below 2⁻⁶⁰ of the sum with n ≥ 8 is less than that term. So the sum is off by at most
//! 60u, with the constant 62u ≤ 2⁻⁴⁷. For 2 ≤ x < 6, 1 − erf x = e^{−x²}/(√π·y), y = x + ½/(x + 1/(x + (3/2)/(x + …))) (Laplace): the tail from level m on is between x and
//! x + (m/2)/x, and every level is a decreasing function of the next, computed with directed rounding. Beyond 6: erfc 6 < 2.2·10⁻¹⁷ < u.

pub mod packs;

use std::f64::consts::{FRAC_2_PI, FRAC_2_SQRT_PI, LOG2_E, SQRT_2};

use crate::arithmetic::{Enclosure, add_down, add_up, div_down, div_up, power_of_two, two_product, two_sum};

/// ln 2 in parts: the first has 38 bits, and the three miss it by less than 2⁻¹⁴⁰.
const LN_2: [f64; 3] = [0.6931471805582987, 1.6465949582897082e-12, -1.0077949135905144e-28];
/// π/2 in parts: the first two have 33 bits.
const HALF_PI: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21];
/// Up to here sine and cosine are looked at.
const FARTHEST_ANGLE: f64 = 1_048_576.0;
/// exp and exp_m1 sum their series up to here.
const EXPONENTIAL_NEAR: f64 = 0.35;
/// tanh is 1 up to u beyond.
const TANH_IS_ONE: f64 = 20.0;
/// erf is a series below, and one minus a continued fraction above.
const ERF_NEAR: f64 = 2.0;
/// erf is 1 up to u beyond.
const ERF_IS_ONE: f64 = 6.0;
/// Levels of the continued fraction: enough for 2⁻⁵³ at [`ERF_NEAR`].
const LEVELS: usize = 48;
/// What a result is moved by besides its relative error: more than underflow can lose.
const LEAST: f64 = f64::MIN_POSITIVE / (1_u64 << 48) as f64;

/// 2⁻ᵏ
const fn part(k: u32) -> f64 {
    1.0 / (1_u64 << k) as f64
}

/// 1/0!, 1/1!, …; 18! is a double.
const INVERSE_FACTORIALS: [f64; 19] = {
    let (mut inverse, mut factorial, mut j) = ([1.0; 19], 1.0, 1);
    while j < 19 {
        factorial *= j as f64;
        inverse[j] = 1.0 / factorial;
        j += 1;
    }
    inverse
};

/// 1, 1/3, 1/5, …
const INVERSE_ODD: [f64; 17] = {
    let (mut inverse, mut j) = ([1.0; 17], 0);
    while j < 17 {
        inverse[j] = 1.0 / (2 * j + 1) as f64;
        j += 1;
    }
    inverse
};

/// Σ c_j rʲ
fn horner(r: f64, coefficients: impl DoubleEndedIterator<Item = f64>) -> f64 {
    coefficients.rev().fold(0.0, |sum, c| sum * r + c)
}

/// What is within half of `relative` of a computed value, and 2⁻¹⁰⁷¹.
fn around(value: f64, relative: f64) -> Enclosure {
    let off = value.abs() * relative + LEAST;
    Enclosure { low: (value - off).next_down(), high: (value + off).next_up() }
}

const NOTHING: Enclosure = Enclosure { low: f64::NAN, high: f64::NAN };

/// An increasing function of a number between two bounds.
pub fn increasing(f: impl Fn(f64) -> Enclosure, x: Enclosure) -> Enclosure {
    if x.low == x.high { f(x.low) } else { Enclosure { low: f(x.low).low, high: f(x.high).high } }
}

/// A decreasing function of a number between two bounds.
pub fn decreasing(f: impl Fn(f64) -> Enclosure, x: Enclosure) -> Enclosure {
    if x.low == x.high { f(x.low) } else { Enclosure { low: f(x.high).low, high: f(x.low).high } }
}

/// A function that changes by at most `bound` times as much as its argument.
pub fn lipschitz(f: impl Fn(f64) -> Enclosure, bound: f64, x: Enclosure) -> Enclosure {
    let (middle, radius) = middle_and_radius(x);
    let off = (bound * radius).next_up();
    let value = f(middle);
    if radius == 0.0 { value } else { Enclosure { low: add_down(value.low, -off), high: add_up(value.high, off) } }
}

/// The middle, about, and how far the ends are from it at most.
pub(crate) fn middle_and_radius(x: Enclosure) -> (f64, f64) {
    if x.low == x.high {
        return (x.low, 0.0);
    }
    let middle = 0.5 * x.low + 0.5 * x.high;
    let (up, down) = (add_up(x.high, -middle), add_up(middle, -x.low));
    (middle, if up >= down { up } else { down })
}

fn negated(x: Enclosure) -> Enclosure {
    Enclosure { low: -x.high, high: -x.low }
}

/// f(−x) = −f(x)
fn odd(f: impl Fn(f64) -> Enclosure, x: f64) -> Enclosure {
    match x {
        0.0 => Enclosure::exactly(0.0),
        x if x < 0.0 => negated(f(-x)),
        x => f(x),
    }
}

/// eˣ
pub fn exp(x: f64) -> Enclosure {
    if x > 710.0 {
        return Enclosure { low: f64::MAX, high: f64::INFINITY };
    }
    if x < -746.0 {
        return Enclosure { low: 0.0, high: f64::from_bits(1) };
    }
    if x.is_nan() {
        return NOTHING;
    }
    let k = (x * LOG2_E).round();
    let r = (x - k * LN_2[0]) - k * LN_2[1];
    let mantissa = around(horner(r, INVERSE_FACTORIALS[..14].iter().copied()), part(49));
    let half = k as i32 / 2;
    let scaled = |x: f64| x * power_of_two(half) * power_of_two(k as i32 - half);
    Enclosure { low: scaled(mantissa.low).next_down().max(0.0), high: scaled(mantissa.high).next_up() }
}

/// eˣ − 1
pub fn exp_m1(x: f64) -> Enclosure {
    match x {
        0.0 => Enclosure::exactly(0.0),
        x if x.abs() <= EXPONENTIAL_NEAR => around(x * horner(x, INVERSE_FACTORIALS[1..15].iter().copied()), part(49)),
        x => exp(x) - Enclosure::exactly(1.0),
    }
}

/// A pair high + low.
type Pair = (f64, f64);

fn pair_sum(a: Pair, b: Pair) -> Pair {
    let (sum, lost) = two_sum(a.0, b.0);
    two_sum(sum, lost + (a.1 + b.1))
}

fn pair_product(a: Pair, b: Pair) -> Pair {
    let (product, lost) = two_product(a.0, b.0);
    two_sum(product, lost + (a.0 * b.1 + a.1 * b.0))
}

fn pair_quotient(a: Pair, b: Pair) -> Pair {
    let first = a.0 / b.0;
    let rest = pair_sum(a, pair_product((-first, 0.0), b));
    two_sum(first, rest.0 / b.0)
}

/// ln y rounded to a double: the same on every machine. NaN unless y is positive and finite.
///
/// ```
/// use shallows_verify::elementary::ln_nearest;
///
/// assert_eq!((ln_nearest(1.0), ln_nearest(2.0)), (0.0, std::f64::consts::LN_2));
/// assert!(ln_nearest(0.0).is_nan());
/// ```
pub fn ln_nearest(y: f64) -> f64 {
    if !(y > 0.0 && y.is_finite()) {
        return f64::NAN;
    }
    /// Terms of the series.
    const TERMS: usize = 25;
    /// 2⁵⁴ brings a subnormal number among the others.
    const LIFT: i32 = 54;
    let (y, lift) = if y.is_normal() { (y, 0) } else { (y * power_of_two(LIFT), LIFT) };
    let exponent = crate::arithmetic::exponent(y);
    let mantissa = y * power_of_two(-exponent / 2) * power_of_two(-exponent - -exponent / 2);
    let (m, e) = if mantissa > SQRT_2 { (0.5 * mantissa, exponent + 1) } else { (mantissa, exponent) };
    let s = pair_quotient((m - 1.0, 0.0), two_sum(m, 1.0));
    let t = pair_product(s, s);
    let inverse = |j: usize| pair_quotient((1.0, 0.0), ((2 * j + 1) as f64, 0.0));
    let series = (0..TERMS).rev().fold((0.0, 0.0), |sum, j| pair_sum(pair_product(sum, t), inverse(j)));
    let of_mantissa = pair_product((2.0 * s.0, 2.0 * s.1), series);
    let e = f64::from(e - lift);
    let of_exponent = pair_product((e, 0.0), (LN_2[1], LN_2[2]));
    pair_sum((e * LN_2[0], 0.0), pair_sum(of_exponent, of_mantissa)).0
}

/// ln y; NaN unless y is positive and finite.
pub fn ln(y: f64) -> Enclosure {
    let nearest = ln_nearest(y);
    if y == 1.0 {
        return Enclosure::exactly(0.0);
    }
    Enclosure { low: nearest.next_down(), high: nearest.next_up() }
}

/// ln(1 + x); NaN unless x ≥ 0.
pub fn ln_1p(x: f64) -> Enclosure {
    match x {
        0.0 => Enclosure::exactly(0.0),
        x if x > 1.0 => increasing(ln, Enclosure::exactly(1.0) + Enclosure::exactly(x)),
        x if x > 0.0 => {
            let s = x / (2.0 + x);
            around(2.0 * s * horner(s * s, INVERSE_ODD.into_iter()), part(49))
        }
        _ => NOTHING,
    }
}

/// Bounds of the value at an argument that was rounded, moved by so much of themselves.
fn widened(x: Enclosure, relative: f64) -> Enclosure {
    Enclosure { low: around(x.low, relative).low, high: around(x.high, relative).high }
}

/// sin x and cos x.
pub fn sin_cos(x: f64) -> (Enclosure, Enclosure) {
    let unknown = Enclosure { low: -1.0, high: 1.0 };
    if x.is_nan() {
        return (NOTHING, NOTHING);
    }
    if !(x.abs() <= FARTHEST_ANGLE) {
        return (unknown, unknown);
    }
    let n = (x * FRAC_2_PI).round();
    let r = ((x - n * HALF_PI[0]) - n * HALF_PI[1]) - n * HALF_PI[2];
    let t = -(r * r);
    let sine = r * horner(t, INVERSE_FACTORIALS.into_iter().skip(1).step_by(2));
    let cosine = horner(t, INVERSE_FACTORIALS[..17].iter().copied().step_by(2));
    let (sine, cosine) = match (n as i64).rem_euclid(4) {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    };
    let within =
        |value: f64| Enclosure { low: add_down(value, -part(49)).max(-1.0), high: add_up(value, part(49)).min(1.0) };
    (within(sine), within(cosine))
}

/// sin x
pub fn sin(x: f64) -> Enclosure {
    sin_cos(x).0
}

/// cos x
pub fn cos(x: f64) -> Enclosure {
    sin_cos(x).1
}

/// tanh x
pub fn tanh(x: f64) -> Enclosure {
    let positive = |x: f64| {
        if x >= TANH_IS_ONE {
            return Enclosure { low: 1.0_f64.next_down(), high: 1.0 };
        }
        let q = exp_m1(2.0 * x);
        let ratio = q / (q + Enclosure::exactly(2.0));
        Enclosure { low: ratio.low.max(0.0), high: ratio.high.min(1.0) }
    };
    if x.is_nan() { NOTHING } else { odd(positive, x) }
}

/// erf x = (2/√π)∫₀ˣ e^{−s²}ds
pub fn erf(x: f64) -> Enclosure {
    let positive = |x: f64| {
        if x < ERF_NEAR {
            erf_series(x)
        } else if x < ERF_IS_ONE {
            let one = Enclosure::exactly(1.0);
            one - erfc_fraction(x)
        } else {
            Enclosure { low: 1.0_f64.next_down(), high: 1.0 }
        }
    };
    if x.is_nan() { NOTHING } else { odd(positive, x) }
}

/// erf x for 0 < x < 2.
fn erf_series(x: f64) -> Enclosure {
    let t = x * x;
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while n < 8.0 || term > part(60) * sum {
        n += 1.0;
        term = term * (2.0 * t) / (2.0 * n + 1.0);
        sum += term;
    }
    exp(-t) * around(FRAC_2_SQRT_PI * sum, part(46))
}

/// 1 − erf x for x ≥ 2.
fn erfc_fraction(x: f64) -> Enclosure {
    let numerator = |level: usize| 0.5 * level as f64;
    let tail = Enclosure { low: x, high: add_up(x, div_up(numerator(LEVELS), x)) };
    let y = (1..LEVELS).rev().fold(tail, |y, level| Enclosure {
        low: add_down(x, div_down(numerator(level), y.high)),
        high: add_up(x, div_up(numerator(level), y.low)),
    });
    let square = Enclosure::exactly(x).squared();
    let gaussian = decreasing(|square| exp(-square), square);
    gaussian * widened(Enclosure::exactly(0.5 * FRAC_2_SQRT_PI), part(52)) / y
}
