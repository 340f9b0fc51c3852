//! exp and arcsine of a few numbers side by side, in plain arithmetic without branches, which a compiler turns into vectors.
//!
//! No enclosures: values with a bound on their error that is known beforehand. u = 2⁻⁵³, and Horner's rule as in `elementary`.
//!
//! **e⁻ᵗ** for 0 ≤ t, with 700 in place of what is larger: off by at most 6u of the value at min(t, 700). The steps are those of
//! [`exp`](super::exp), whose proof is there, and 2ᵏ, k ≥ −1011, is a normal number and so is the product. k comes from adding 1.5·2⁵², where numbers are whole: it is
//! x·log₂e rounded, up to the rounding of that product, so |r| ≤ (½ + 2⁻⁴²)ln 2 ≤ 0.35. The last twelve bits of the sum are
//! those of k.
//!
//! **arcsine** for |x| ≤ 1: off by at most 9u. Q(t) = Σ c_j tʲ with c_j = (2j)!/(4ʲ(j!)²(2j + 1)). Up to ½, arcsin|x| = w·Q(t) with w = |x|, t = w²;
//! beyond it is π/2 − 2w·Q(t) with t = (1 − |x|)/2, which is exact, and w = √t. So t ≤ ¼. c_j is made with 2j + 1 roundings, so Horner's rule is off by
//! Σ(5j + 4)u·c_j 4⁻ʲ ≤ 4.5u of Q ≥ 1 (4 + 0.375 + 0.066 + 0.014 + …), and what follows 24 terms is below c₂₄4⁻²⁴·4/3 ≤ 0.11u. Up to ½ a t off by u adds 0.06u and the product u:
//! 5.7u of at most π/6. Beyond, w and the product add 2u: 6.7u of 2w·Q ≤ π/3 is 7.1u; π/2 is off by 0.6u, and the difference, below 2, by u.
//!
//! NaN gives NaN.

use std::f64::consts::{FRAC_PI_2, LOG2_E};

use super::{INVERSE_FACTORIALS, LN_2};

/// Numbers side by side.
pub const PACK: usize = 8;
/// So many numbers.
pub type Pack = [f64; PACK];

/// e⁻ᵗ is that of 700 beyond: about 10⁻³⁰⁴.
pub const FARTHEST: f64 = 700.0;
/// Numbers of this size are whole.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// 1023, the exponent of 1, in its place.
const ONE: u64 = 1023 << 52;
/// Terms of the series of the exponential.
const TERMS: usize = 14;

/// c_j of the arcsine.
const ARCSINE: [f64; 24] = {
    let (mut c, mut binomial, mut j) = ([1.0; 24], 1.0, 1);
    while j < 24 {
        binomial *= (2 * j - 1) as f64 / (2 * j) as f64;
        c[j] = binomial / (2 * j + 1) as f64;
        j += 1;
    }
    c
};

#[inline(always)]
pub(crate) fn each(f: impl Fn(usize) -> f64) -> Pack {
    let mut out = [0.0; PACK];
    for lane in 0..PACK {
        out[lane] = f(lane);
    }
    out
}

/// Σ c_j tʲ
#[inline(always)]
fn horner<const N: usize>(c: &[f64; N], t: Pack) -> Pack {
    let mut sum = [c[N - 1]; PACK];
    for j in (0..N - 1).rev() {
        sum = each(|i| sum[i] * t[i] + c[j]);
    }
    sum
}

/// e⁻ᵗ for t ≥ 0.
#[inline(always)]
pub fn exp_of_minus(t: Pack) -> Pack {
    const SERIES: [f64; TERMS] = {
        let (mut c, mut j) = ([0.0; TERMS], 0);
        while j < TERMS {
            c[j] = INVERSE_FACTORIALS[j];
            j += 1;
        }
        c
    };
    let x = each(|i| if t[i] > FARTHEST { -FARTHEST } else { -t[i] });
    let shifted = each(|i| x[i] * LOG2_E + WHOLE);
    let r = each(|i| {
        let k = shifted[i] - WHOLE;
        (x[i] - k * LN_2[0]) - k * LN_2[1]
    });
    let mantissa = horner(&SERIES, r);
    each(|i| mantissa[i] * f64::from_bits((shifted[i].to_bits() << 52).wrapping_add(ONE)))
}

/// arcsin x for |x| ≤ 1.
#[inline(always)]
pub fn arcsine(x: Pack) -> Pack {
    let size = each(|i| x[i].abs());
    let t = each(|i| if size[i] > 0.5 { 0.5 * (1.0 - size[i]) } else { size[i] * size[i] });
    let w = each(|i| if size[i] > 0.5 { t[i].sqrt() } else { size[i] });
    let series = horner(&ARCSINE, t);
    each(|i| {
        let near = w[i] * series[i];
        let value = if size[i] > 0.5 { FRAC_PI_2 - 2.0 * near } else { near };
        if x[i] < 0.0 { -value } else { value }
    })
}
