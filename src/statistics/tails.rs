//! Tails of the laws that test statistics follow: normal, gamma and χ², F.
//!
//! The incomplete gamma and beta functions by their series and continued fractions (Abramowitz and Stegun, 6.5.29,
//! 6.5.31 and 26.5.8). Both converge in a multiple of √a steps, and the logarithm of a factor of size e^{a ln a} costs
//! about a·ln a·2⁻⁵³ of relative accuracy: ten digits where a is a million, thirteen where it is a hundred. What is
//! small is computed as it is, never as one minus what is large.

/// A bound on the steps of a series; parameters of 10⁷ need a few thousand.
const MOST_STEPS: usize = 1_000_000;
/// Where a step of a continued fraction would divide by nothing.
const TINY: f64 = 1e-300;

/// P(|g| > |z|) for standard normal g.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(χ² > x) with `freedom` degrees of freedom.
pub(crate) fn chi_squared(x: f64, freedom: f64) -> f64 {
    gamma(0.5 * x, 0.5 * freedom)
}

/// P(G > x) for G of the gamma law with this shape and scale 1: Γ(a, x)/Γ(a).
pub(crate) fn gamma(x: f64, shape: f64) -> f64 {
    if x.is_nan() || !(shape > 0.0) {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    let factor = (shape * x.ln() - x - libm::lgamma(shape)).exp();
    if x < shape + 1.0 { 1.0 - factor * gamma_series(x, shape) } else { factor * gamma_fraction(x, shape) }
}

/// Σ_k x^k/(a(a+1)…(a+k))
fn gamma_series(x: f64, a: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    for k in 1..MOST_STEPS {
        term *= x / (a + k as f64);
        sum += term;
        if term <= sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// 1/(x + 1 − a − 1(1−a)/(x + 3 − a − 2(2−a)/(…)))
fn gamma_fraction(x: f64, a: f64) -> f64 {
    fraction(x + 1.0 - a, |k| (-k * (k - a), x + 2.0 * k + 1.0 - a))
}

/// P(F > f) of Fisher's law with d1 and d2 degrees of freedom: I_{d2/(d2 + d1f)}(d2/2, d1/2).
pub(crate) fn fisher(f: f64, d1: f64, d2: f64) -> f64 {
    if f.is_nan() || !(d1 > 0.0 && d2 > 0.0) {
        return f64::NAN;
    }
    if f <= 0.0 {
        return 1.0;
    }
    let total = d2 + d1 * f;
    if total == f64::INFINITY {
        return 0.0;
    }
    beta((d2 / total, d1 * f / total), 0.5 * d2, 0.5 * d1)
}

/// I_x(a, b), given both x and y = 1 − x, so that neither is lost where it is small.
fn beta((x, y): (f64, f64), a: f64, b: f64) -> f64 {
    let logarithm = |x: f64, y: f64| if y < 0.5 { (-y).ln_1p() } else { x.ln() };
    let scale = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let factor = (a * logarithm(x, y) + b * logarithm(y, x) + scale).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        factor / a * beta_fraction(x, a, b)
    } else {
        1.0 - factor / b * beta_fraction(y, b, a)
    }
}

/// 1/(1 + c_1/(1 + c_2/(1 + …)))
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    fraction(1.0, |k| {
        let m = (0.5 * k).floor();
        let odd = k % 2.0 == 1.0;
        let above = if odd { -(a + m) * (a + b + m) } else { m * (b - m) };
        (above * x / ((a + k - 1.0) * (a + k)), 1.0)
    })
}

/// 1/(b_0 + a_1/(b_1 + a_2/(b_2 + …))), `step(k)` = (a_k, b_k), by Lentz's method.
fn fraction(first: f64, step: impl Fn(f64) -> (f64, f64)) -> f64 {
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut value = away(first);
    let (mut above, mut below) = (value, 0.0);
    for k in 1..MOST_STEPS {
        let (a, b) = step(k as f64);
        below = 1.0 / away(b + a * below);
        above = away(b + a / above);
        let change = above * below;
        value *= change;
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    1.0 / value
}

/// From here on the asymptotic series of ψ and ψ' have all their digits.
const ASYMPTOTIC: f64 = 16.0;

/// ψ(x) = (ln Γ)'(x) for x > 0.
pub(crate) fn digamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < ASYMPTOTIC {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = 1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0)));
    sum + x.ln() - 0.5 / x - square * series
}

/// ψ'(x) for x > 0.
pub(crate) fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < ASYMPTOTIC {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series =
        1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square * (1.0 / 30.0 - square * (5.0 / 66.0))));
    sum + 1.0 / x + 0.5 * square + square / x * series
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Within a relative error, which for small tails is what counts.
    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found / expected - 1.0).abs() <= tolerance, "{found:e} is not {expected:e}");
    }

    #[test]
    fn gamma_tails_agree_with_forty_digits() {
        for (shape, x, expected, tolerance) in [
            (0.5, 0.1, 0.654720846018577, 1e-14),
            (0.5, 30.0, 9.485737571073848e-15, 1e-13),
            (3.0, 2.5, 0.5438131158833295, 1e-14),
            (105.0, 140.25, 0.0008215789325102707, 1e-12),
            (770.0, 770.0, 0.4952076715789269, 1e-11),
            (770.0, 1000.0, 1.5449233372916366e-14, 1e-11),
            (85850.0, 86200.0, 0.11622918844316767, 1e-9),
            (85850.0, 88000.0, 1.6865035636580006e-13, 1e-9),
        ] {
            assert_close(gamma(x, shape), expected, tolerance);
            assert_close(chi_squared(2.0 * x, 2.0 * shape), expected, tolerance);
        }
    }

    #[test]
    fn fisher_tails_agree_with_forty_digits() {
        for (f, d1, d2, expected, tolerance) in [
            (1.5, 3.0, 10.0, 0.27377655597859676, 1e-13),
            (4.0, 1.0, 5.0, 0.10193947882985836, 1e-13),
            (0.25, 20.0, 80.0, 0.9995115148365973, 1e-13),
            (2.5, 20.0, 80.0, 0.002079687845522688, 1e-12),
            (1.75, 20.0, 1e6, 0.02010586011963052, 1e-8),
            (12.0, 5.0, 45.0, 2.0719153136718895e-7, 1e-12),
            (0.5, 100.0, 2.0, 0.8592873846667603, 1e-12),
        ] {
            assert_close(fisher(f, d1, d2), expected, tolerance);
        }
    }

    #[test]
    fn normal_tails_and_the_derivatives_of_ln_gamma_agree_with_forty_digits() {
        for (z, expected) in [(0.5, 0.6170750774519738), (-3.25, 0.001154050084781534), (12.0, 3.552964224155358e-33)] {
            assert_close(normal_two_sided(z), expected, 1e-13);
        }
        for (x, first, second) in [
            (0.5, -1.9635100260214235, 4.934802200544679),
            (1.5, 0.03648997397857652, 0.9348022005446793),
            (25.0, 3.198742512851974, 0.04081066325722558),
            (500000.5, 13.122363377404495, 1.9999999999993333e-6),
        ] {
            assert!((digamma(x) - first).abs() <= 1e-14, "{x}");
            assert_close(trigamma(x), second, 1e-14);
        }
    }

    #[test]
    fn the_ends_of_the_line_and_nan_have_their_tails() {
        assert_eq!([gamma(-1.0, 2.0), gamma(f64::INFINITY, 2.0)], [1.0, 0.0]);
        assert_eq!([fisher(0.0, 2.0, 3.0), fisher(f64::INFINITY, 2.0, 3.0)], [1.0, 0.0]);
        assert!(gamma(f64::NAN, 2.0).is_nan() && gamma(1.0, f64::NAN).is_nan());
        assert!(fisher(f64::NAN, 2.0, 3.0).is_nan() && normal_two_sided(f64::NAN).is_nan());
    }
}
