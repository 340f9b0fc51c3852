//! The polynomial activations: αz² + βz + γ and Σ c_r h_r(z).
//!
//! A polynomial next to one of its roots is a small difference of large terms. Both families are therefore evaluated
//! with every product and sum carried to twice the working precision. What remains is
//!
//! * quadratic: 4 ulp everywhere. Points where twice the precision could fail (terms that cancel to less than 2⁻⁴⁰ of
//!   their size, arguments near the ends of the range) go to exact arithmetic.
//! * Hermite: 4 ulp, or an absolute error of 2⁻⁹⁸·S, whichever is larger, with S the sum of |c_r h_r(z)| over r where
//!   |h_r(z)| counts at least as much as its neighbours |h_{r±1}(z)|, so that S does not vanish at a root. The second
//!   bound is the larger one only for z within about 2⁻⁴⁸|z| of a root.
//!
//! Hermite sums run by Clenshaw's recurrence in the monic polynomials, He_{r+1} = z He_r − r He_{r−1}, whose
//! coefficients are integers; the irrational 1/√(r!) enters the coefficients a_r = c_r/√(r!), held as sums of two
//! doubles. Since He_r' = r He_{r−1}, the derivatives have the coefficients r a_r and r(r−1) a_r.

use std::f64::consts::FRAC_1_SQRT_2;

use super::arithmetic::{fast_two_sum, fma, scaled, two_product, two_sum};
use super::jets::{Block, Jet, LANES, constant};

/// αz²: no cancellation, hence no care.
pub(super) struct Square {
    pub(super) alpha: f64,
}

impl Jet for Square {
    const CHEAP: bool = true;

    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        // (αz)z, not α(z²): z² may overflow where αz² does not.
        ([self.alpha * z * z, 2.0 * self.alpha * z, constant(2.0 * self.alpha, z)], false)
    }
}

/// αz² + βz + γ
pub(super) struct Quadratic {
    pub(super) alpha: f64,
    pub(super) beta: f64,
    pub(super) gamma: f64,
}

/// Between these |z|, with coefficients in the range `FromStr` allows, no error term underflows and nothing overflows.
const PLAIN: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
/// Terms that cancel to less than this part of their size go to exact arithmetic.
const CANCELLATION: f64 = 1.0 / (1u64 << 40) as f64;

impl Jet for Quadratic {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let Quadratic { alpha, beta, gamma } = *self;
        let (product, product_low) = two_product::<FMA>(alpha, z);
        let (inner, inner_low) = two_sum(product, beta);
        let (outer, outer_low) = two_product::<FMA>(inner, z);
        let (sum, sum_low) = two_sum(outer, gamma);
        let value = sum + (fma::<FMA>(product_low + inner_low, z, outer_low) + sum_low);
        let (slope, slope_low) = two_sum(2.0 * product, beta);
        let slope = slope + (slope_low + 2.0 * product_low);
        let size = (product * z).abs() + (beta * z).abs() + gamma.abs();
        let distance = z.abs();
        let outside = (distance > *PLAIN.end()) | ((distance < *PLAIN.start()) & (distance > 0.0));
        ([value, slope, constant(2.0 * alpha, z)], outside | (value.abs() < CANCELLATION * size))
    }

    #[cold]
    fn rescue(&self, z: f64) -> [f64; 3] {
        let Quadratic { alpha, beta, gamma } = *self;
        [exact_quadratic(alpha, beta, gamma, z), exact_quadratic(0.0, 2.0 * alpha, beta, z), 2.0 * alpha]
    }
}

/// m and e with x = m·2ᵉ and 1 ≤ |m| < 2, for finite x ≠ 0.
fn mantissa_and_exponent(x: f64) -> (f64, i64) {
    const UP: i32 = 64;
    let (x, lift) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(UP), UP) } else { (x, 0) };
    let biased = (x.to_bits() >> 52) & 0x7ff;
    let mantissa = f64::from_bits((x.to_bits() & !(0x7ff << 52)) | (1023 << 52));
    (mantissa, biased as i64 - 1023 - i64::from(lift))
}

/// αz² + βz + γ from exact products and an exact sum.
///
/// Terms are scaled by the exponent of the largest. One that is 600 binary orders smaller matters only if the others
/// cancel exactly: a sum of products of three doubles is zero or above 2⁻²⁰⁰ of its largest term.
fn exact_quadratic(alpha: f64, beta: f64, gamma: f64, z: f64) -> f64 {
    const NEGLIGIBLE: i64 = 600;
    if z == 0.0 || alpha == 0.0 && beta == 0.0 {
        return gamma;
    }
    if z.is_infinite() {
        return if alpha != 0.0 { alpha * f64::INFINITY } else { beta * z };
    }
    let (m, e) = mantissa_and_exponent(z);
    let terms = [(alpha, 2), (beta, 1), (gamma, 0)].map(|(coefficient, power)| {
        let (mantissa, exponent) =
            if coefficient == 0.0 { (0.0, i64::MIN / 2) } else { mantissa_and_exponent(coefficient) };
        (mantissa, power, exponent + power * e)
    });
    let top = terms.iter().map(|term| term.2).max().unwrap_or(0);
    let near = |term: &(f64, i64, i64)| top - term.2 <= NEGLIGIBLE;
    let mut sum = Exact::default();
    for (mantissa, power, exponent) in terms.into_iter().filter(near) {
        sum.add_product(scaled(mantissa, exponent - top), m, power);
    }
    match sum.rounded() {
        0.0 => {
            let far = |k: usize| if near(&terms[k]) { 0.0 } else { [alpha, beta, gamma][k] };
            if near(&terms[0]) && near(&terms[1]) && near(&terms[2]) {
                0.0
            } else {
                exact_quadratic(far(0), far(1), far(2), z)
            }
        }
        total => scaled(total, top),
    }
}

/// An exact sum of doubles: components that do not overlap, smallest first (Shewchuk).
#[derive(Default)]
struct Exact(Vec<f64>);

impl Exact {
    fn add(&mut self, x: f64) {
        let mut carry = x;
        for component in &mut self.0 {
            (carry, *component) = two_sum(carry, *component);
        }
        self.0.push(carry);
        self.0.retain(|&component| component != 0.0);
    }

    /// Adds c·mᵖ for p ≤ 2.
    fn add_product(&mut self, c: f64, m: f64, power: i64) {
        match power {
            0 => self.add(c),
            1 => {
                let (high, low) = two_product::<false>(c, m);
                self.add(low);
                self.add(high);
            }
            _ => {
                let (high, low) = two_product::<false>(m, m);
                self.add_product(low, c, 1);
                self.add_product(high, c, 1);
            }
        }
    }

    fn rounded(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// The most coefficients a Hermite activation may have.
pub(super) const MAX_COEFFICIENTS: usize = INVERSE_ROOT_FACTORIAL.len();
/// Beyond, Clenshaw's recurrence may overflow and runs with explicit exponents.
const CLENSHAW_LIMIT: f64 = 2048.0;
/// Below, error terms may underflow, and the coefficients are lifted by 2⁴⁰⁰ first.
const CLENSHAW_TINY: f64 = 1e-100;
const LIFT: i64 = 400;

/// Σ a_r He_r(z) with coefficients (high, low).
#[derive(Clone, Copy)]
struct Series {
    coefficients: [(f64, f64); MAX_COEFFICIENTS],
    count: usize,
}

impl Series {
    /// Σ c_r h_r(z); trailing zeros are dropped, coefficients beyond the table are ignored.
    fn new(c: &[f64]) -> Self {
        let mut series = Series { coefficients: [(0.0, 0.0); MAX_COEFFICIENTS], count: 0 };
        for (r, &c) in c.iter().enumerate().take(MAX_COEFFICIENTS) {
            series.coefficients[r] = times(INVERSE_ROOT_FACTORIAL[r], c);
            if c != 0.0 {
                series.count = r + 1;
            }
        }
        series
    }

    /// The derivative: Σ r a_r He_{r−1}.
    fn derivative(&self) -> Self {
        let mut series = Series { coefficients: [(0.0, 0.0); MAX_COEFFICIENTS], count: self.count.saturating_sub(1) };
        for r in 1..self.count {
            series.coefficients[r - 1] = times(self.coefficients[r], r as f64);
        }
        series
    }

    /// b_r = a_r + z b_{r+1} − (r+1) b_{r+2}; the sum is b_0.
    #[inline(always)]
    fn sum<const FMA: bool, const L: usize>(&self, z: &[f64; L]) -> [f64; L] {
        // 0·z makes a constant NaN where z is.
        let zero: [f64; L] = std::array::from_fn(|lane| 0.0 * z[lane]);
        let (mut next, mut next_low) = (zero, zero);
        let (mut after, mut after_low) = (zero, zero);
        for r in (0..self.count).rev() {
            let (a, a_low) = self.coefficients[r];
            let k = (r + 1) as f64;
            for lane in 0..L {
                let (p, p_low) = two_product::<FMA>(next[lane], z[lane]);
                let p_low = fma::<FMA>(next_low[lane], z[lane], p_low);
                let (q, q_low) = two_product::<FMA>(after[lane], k);
                let q_low = fma::<FMA>(after_low[lane], k, q_low);
                (after[lane], after_low[lane]) = (next[lane], next_low[lane]);
                let (sum, low_1) = two_sum(p, -q);
                let (sum, low_2) = two_sum(sum, a);
                (next[lane], next_low[lane]) = two_sum(sum, ((low_1 + low_2) + (p_low - q_low)) + a_low);
            }
        }
        next
    }

    /// The same for |z| < [`CLENSHAW_TINY`].
    fn sum_tiny(&self, z: f64) -> f64 {
        let lifted = self.coefficients.map(|(high, low)| (scaled(high, LIFT), scaled(low, LIFT)));
        scaled(Series { coefficients: lifted, count: self.count }.sum::<false, 1>(&[z])[0], -LIFT)
    }

    /// The same for |z| > [`CLENSHAW_LIMIT`], finite or not: b_r·2^{−(n−r)j} with z = m·2ʲ stays in range.
    fn sum_far(&self, z: f64) -> f64 {
        let Some(degree) = self.count.checked_sub(1) else { return 0.0 };
        if degree == 0 || z.is_infinite() {
            return self.coefficients[degree].0 * if degree == 0 { 1.0 } else { z.powi(degree as i32) };
        }
        let (m, j) = mantissa_and_exponent(z);
        let (mut next, mut after) = ((0.0, 0.0), (0.0, 0.0));
        for r in (0..=degree).rev() {
            let shift = -j * (degree - r) as i64;
            let a = (scaled(self.coefficients[r].0, shift), scaled(self.coefficients[r].1, shift));
            let p = times(next, m);
            let q = times(after, (r + 1) as f64);
            let (sum, low_1) = two_sum(p.0, -scaled(q.0, -2 * j));
            let (sum, low_2) = two_sum(sum, a.0);
            let low = ((low_1 + low_2) + (p.1 - scaled(q.1, -2 * j))) + a.1;
            after = next;
            next = two_sum(sum, low);
        }
        scaled(next.0, j * degree as i64)
    }
}

/// Whether plain arithmetic does not do.
#[inline(always)]
fn is_extreme(z: f64) -> bool {
    (z.abs() > CLENSHAW_LIMIT) | ((z.abs() < CLENSHAW_TINY) & (z != 0.0))
}

/// (high + low)·x
fn times((high, low): (f64, f64), x: f64) -> (f64, f64) {
    let (product, error) = two_product::<false>(high, x);
    fast_two_sum(product, error + low * x)
}

/// Σ c_r h_r(z) with its first two derivatives
pub(super) struct Hermite([Series; 3]);

impl Hermite {
    pub(super) fn new(coefficients: &[f64]) -> Self {
        let value = Series::new(coefficients);
        let slope = value.derivative();
        Hermite([value, slope, slope.derivative()])
    }
}

impl Jet for Hermite {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        (self.0.each_ref().map(|series| series.sum::<FMA, 1>(&[z])[0]), is_extreme(z))
    }

    #[inline(always)]
    fn block<const FMA: bool, const ORDERS: usize>(&self, z: &[f64; LANES]) -> Block {
        let mut jets = [[0.0; LANES]; 3];
        for order in 0..ORDERS {
            jets[order] = self.0[order].sum::<FMA, LANES>(z);
        }
        (jets, z.iter().fold(false, |any, &z| any | is_extreme(z)))
    }

    #[cold]
    fn rescue(&self, z: f64) -> [f64; 3] {
        self.0.each_ref().map(|series| if z.abs() > 1.0 { series.sum_far(z) } else { series.sum_tiny(z) })
    }
}

/// 1/√(r!) as an unevaluated sum of two doubles.
const INVERSE_ROOT_FACTORIAL: [(f64, f64); 64] = [
    (1.0, 0.0),
    (1.0, 0.0),
    (FRAC_1_SQRT_2, -4.833646656726457e-17),
    (0.408248290463863, -8.638255191177819e-19),
    (0.2041241452319315, -4.3191275955889094e-19),
    (0.09128709291752768, 6.506028413001901e-18),
    (0.037267799624996496, -1.34811214096702e-18),
    (0.014085904245475277, -7.521926408925142e-19),
    (0.004980119205559973, 7.77884172336513e-20),
    (0.0016600397351866577, 9.820961724358406e-20),
    (0.00052495065695726, 2.187557776045008e-20),
    (0.00015827857841616382, -2.4385644677807892e-21),
    (4.569108992776174e-05, -1.3238971417811574e-21),
    (1.2672428274337011e-05, 8.420254026477364e-22),
    (3.3868489186454308e-06, 1.577832764974794e-22),
    (8.744806305356235e-07, 1.482696386721663e-24),
    (2.1862015763390587e-07, 3.7067409668041577e-25),
    (5.3023176577281006e-08, -2.9696539866677658e-24),
    (1.2497682572615703e-08, 3.641415867790623e-25),
    (2.867165019077962e-09, 2.818278943651024e-27),
    (6.411175885367804e-10, -1.2282615703102942e-26),
    (1.3990332756368328e-10, -1.5003219619416965e-27),
    (2.9827489657110896e-11, -2.1347205493418814e-27),
    (6.219461528645936e-12, 8.0902610573281e-30),
    (1.2695422683377338e-12, -8.32799946850479e-29),
    (2.5390845366754677e-13, -1.665599893700958e-29),
    (4.9795544612191934e-14, 2.9847201944614564e-30),
    (9.583157028764344e-15, 6.99850354828188e-31),
    (1.8110464480707937e-15, -2.3575901439399998e-32),
    (3.3630288262885465e-16, -2.190017239235024e-32),
    (6.140022498994532e-17, -1.164532924766715e-33),
    (1.1027805953831061e-17, -4.049916549063211e-34),
    (1.9494590928908317e-18, -1.7151127222544881e-34),
    (3.3935726927195697e-19, -7.91922776104387e-36),
    (5.819929153796601e-20, -3.291571583247707e-36),
    (9.837475773099465e-21, -5.7857349419371866e-37),
    (1.6395792955165774e-21, 2.8957148388757553e-38),
    (2.6954517578975646e-22, -1.5020255618264036e-39),
    (4.37260014755555e-23, -1.5773034079263058e-40),
    (7.001763889559218e-24, 5.7069763581147186e-40),
    (1.1070760764863387e-24, 5.919136890347703e-41),
    (1.728962355617497e-25, 1.0790470999311128e-41),
    (2.667846834301295e-26, -2.6995181443168657e-42),
    (4.0684282809731265e-27, 3.2596305268199654e-43),
    (6.133386406572035e-28, -1.0067075455418942e-44),
    (9.143112624912156e-29, -3.9536825231474255e-45),
    (1.3480784107615843e-29, 1.3963622644273011e-45),
    (1.9663744592423373e-30, -1.678891891683209e-46),
    (2.83821705842792e-31, 1.9394021271305192e-47),
    (4.054595797754172e-32, 4.2465069892839174e-49),
    (5.734064367124909e-33, -1.3735413912421661e-49),
    (8.029296133819685e-34, -3.8994859448423584e-50),
    (1.113463035245063e-34, -2.39749275645559e-52),
    (1.5294591045728086e-35, 1.014368754834055e-51),
    (2.0813302159207996e-36, -1.0709251747107307e-52),
    (2.8064650906287857e-37, 1.5904349073902917e-53),
    (3.75029672752657e-38, -1.9007185537161343e-54),
    (4.967389364204088e-39, -3.0656580500720045e-55),
    (6.5225017803896396e-40, 3.3133179448831474e-56),
    (8.49157403659412e-41, -3.1150229844935813e-59),
    (1.0962574942272106e-41, 3.0749356997658394e-58),
    (1.4036138916390676e-42, -6.131298532697691e-60),
    (1.7825914249739322e-43, -7.489668018310235e-60),
    (2.2458540951034655e-44, 1.267839788405036e-60),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_quadratics_find_what_remains_when_the_large_terms_cancel() {
        // z² − 2z + 1 at 1 + 2⁻⁵² is 2⁻¹⁰⁴.
        assert_eq!(exact_quadratic(1.0, -2.0, 1.0, 1.0 + f64::EPSILON), f64::EPSILON * f64::EPSILON);
        // The first two terms cancel exactly, the third is 900 binary orders below them.
        assert_eq!(exact_quadratic(1e100, -1e100, 3e-100, 1.0), 3e-100);
        let z = 2f64.powi(600);
        assert_eq!(exact_quadratic(1.0, -z, 7.0, z), 7.0);
        assert_eq!(exact_quadratic(1.0, 1.0, 0.0, f64::MAX), f64::INFINITY);
        assert_eq!(exact_quadratic(1.0, 0.0, 0.0, 0.0), 0.0);
    }

    #[test]
    fn far_and_near_sums_of_a_hermite_series_agree_where_both_work() {
        let coefficients: Vec<f64> = (0..20).map(|r| 1.0 / (1.0 + r as f64)).collect();
        let series = Series::new(&coefficients);
        for z in [300.0, -800.0, 2000.0] {
            assert_eq!(series.sum_far(z), series.sum::<false, 1>(&[z])[0]);
        }
        for z in [1e-60, -1e-80] {
            assert_eq!(series.sum_tiny(z), series.sum::<false, 1>(&[z])[0]);
        }
    }
}
