//! Arcsine and arccosine, as branch-free bodies the compiler can vectorise.
//!
//! Up to ½ the arcsine is a polynomial; beyond, asin x = π/2 − 2 asin √((1 − x)/2), whose argument is at most ½. The
//! subtraction 1 − x is exact there, so what is lost next to 1 was lost when x was rounded.

use std::f64::consts::{FRAC_PI_2, PI};

use super::arithmetic::{fma, horner, select};

/// (asin x/x − 1)/x² as a polynomial in x², interpolated at the 14 Chebyshev nodes of [0, ¼]; off by 3e-18.
pub(crate) const ARCSINE: [f64; 14] = [
    0.16666666666666666,
    0.07500000000000118,
    0.044642857142551895,
    0.03038194447553234,
    0.02237215744350722,
    0.017352816540325496,
    0.01396378001220357,
    0.011566459612121669,
    0.009621842970100282,
    0.009319560794767446,
    0.0030448799094556773,
    0.019554513336123378,
    -0.01924167174674304,
    0.02961201126495512,
];

/// asin of |x| where |x| ≤ ½, of √((1 − |x|)/2) beyond; and which.
#[inline(always)]
fn reduced<const FMA: bool>(x: f64) -> (f64, bool) {
    let size = x.abs();
    let beyond = size > 0.5;
    let square = select(beyond, 0.5 * (1.0 - size), size * size);
    let root = select(beyond, square.sqrt(), size);
    (fma::<FMA>(root * square, horner::<FMA, _>(square, &ARCSINE), root), beyond)
}

/// asin x for |x| ≤ 1.
#[inline(always)]
pub(crate) fn arcsine<const FMA: bool>(x: f64) -> f64 {
    let (arc, beyond) = reduced::<FMA>(x);
    select(beyond, fma::<FMA>(-2.0, arc, FRAC_PI_2), arc).copysign(x)
}

/// acos x for |x| ≤ 1.
#[inline(always)]
pub(crate) fn arccosine<const FMA: bool>(x: f64) -> f64 {
    let (arc, beyond) = reduced::<FMA>(x);
    let acute = select(beyond, 2.0 * arc, FRAC_PI_2 - arc);
    select(x < 0.0, PI - acute, acute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_agree_with_those_of_the_system_within_two_units_in_the_last_place() {
        for step in -10_000..=10_000 {
            let x = f64::from(step) / 10_000.0;
            for (arcsine, arccosine) in
                [(arcsine::<true>(x), arccosine::<true>(x)), (arcsine::<false>(x), arccosine::<false>(x))]
            {
                assert!((arcsine - x.asin()).abs() <= 2.0 * f64::EPSILON * x.asin().abs(), "asin {x}");
                assert!((arccosine - x.acos()).abs() <= 2.0 * f64::EPSILON * x.acos().max(1e-300), "acos {x}");
            }
        }
        assert_eq!((arcsine::<true>(-1.0), arccosine::<true>(-1.0), arccosine::<true>(1.0)), (-FRAC_PI_2, PI, 0.0));
    }
}
