//! Σ c_r h_r(z), h_r the normalised Hermite polynomials, with its first two derivatives.
//!
//! The sums run by Clenshaw's recurrence in the monic polynomials, He_{r+1} = z He_r − r He_{r−1}, whose coefficients are
//! integers; the irrational 1/√(r!) enters the coefficients a_r = c_r/√(r!). Since He_r' = r He_{r−1}, the derivatives
//! have the coefficients r a_r and r(r−1) a_r. Every number is a sum of two doubles; where the last step cancels, next
//! to a root, the recurrence is repeated with four.
//!
//! The result is within 4 ulp, or within an absolute 2⁻²⁰⁰·S, whichever is larger: S is the sum over r of |c_r| times the
//! largest of |h_{r−1}(z)|, |h_r(z)|, |h_{r+1}(z)|. The second bound is the larger one only when coefficients differ by
//! 2¹⁰⁰ or more and z is a root of the dominant terms.

use std::f64::consts::FRAC_1_SQRT_2;

use super::arithmetic::{fast_two_sum, fma, scaled, two_product, two_sum};
use super::exact::{ExactSum, mantissa_and_exponent};
use super::jets::{Jet, JetBlock, LANES};

/// The most coefficients a Hermite activation may have.
pub(super) const MAX_COEFFICIENTS: usize = INVERSE_ROOT_FACTORIAL.len();
/// Beyond, Clenshaw's recurrence may overflow and runs with explicit exponents.
const CLENSHAW_LIMIT: f64 = 2048.0;
/// Below, error terms may underflow, and the coefficients are lifted by 2⁴⁰⁰ first.
const CLENSHAW_TINY: f64 = 1e-100;
const LIFT: i64 = 400;
/// A sum below this part of the size of its terms is repeated with [`PARTS`] doubles for every number.
const CANCELLATION: f64 = 1.0 / (1u64 << 40) as f64;
/// The same where the size is that of the terms of the last step alone, which may be smaller than those before.
const LAST_CANCELLATION: f64 = 1.0 / (1u64 << 24) as f64;
/// Up to so many coefficients the last step tells enough.
const SHORT: usize = 8;
/// The doubles that make up a number in that repetition: 212 digits.
const PARTS: usize = 4;

/// Σ a_r He_r(z) with coefficients (high, low).
#[derive(Clone, Copy)]
struct HermiteSeries {
    coefficients: [(f64, f64); MAX_COEFFICIENTS],
    count: usize,
}

impl HermiteSeries {
    /// Σ c_r h_r(z); trailing zeros are dropped, coefficients beyond the table are ignored.
    fn new(c: &[f64]) -> Self {
        let mut series = HermiteSeries { coefficients: [(0.0, 0.0); MAX_COEFFICIENTS], count: 0 };
        for (r, &c) in c.iter().enumerate().take(MAX_COEFFICIENTS) {
            series.coefficients[r] = times((INVERSE_ROOT_FACTORIAL[r][0], INVERSE_ROOT_FACTORIAL[r][1]), c);
            if c != 0.0 {
                series.count = r + 1;
            }
        }
        series
    }

    /// The derivative: Σ r a_r He_{r−1}.
    fn derivative(&self) -> Self {
        let mut series =
            HermiteSeries { coefficients: [(0.0, 0.0); MAX_COEFFICIENTS], count: self.count.saturating_sub(1) };
        for r in 1..self.count {
            series.coefficients[r - 1] = times(self.coefficients[r], r as f64);
        }
        series
    }

    /// The sum at every z, and whether the terms cancelled at any.
    #[inline(always)]
    fn sum<const FMA: bool, const L: usize>(&self, z: &[f64; L]) -> ([f64; L], bool) {
        if self.count <= SHORT {
            let (sum, size) = self.clenshaw::<FMA, false, L>(z, &[]);
            return (sum, (0..L).fold(false, |any, lane| any | (sum[lane].abs() < LAST_CANCELLATION * size[lane])));
        }
        let mut weights = [[1.0; L]; MAX_COEFFICIENTS];
        weights[1] = *z;
        for r in 2..self.count {
            for lane in 0..L {
                weights[r][lane] = z[lane] * weights[r - 1][lane] - (r - 1) as f64 * weights[r - 2][lane];
            }
        }
        let (sum, size) = self.clenshaw::<FMA, true, L>(z, &weights);
        (sum, (0..L).fold(false, |any, lane| any | (sum[lane].abs() < CANCELLATION * size[lane])))
    }

    /// b_r = a_r + z b_{r+1} − (r+1) b_{r+2}; the sum is b_0.
    ///
    /// An error in b_r reaches the sum times He_r(z). With these as weights, the second result is the weighted sum of the
    /// sizes of all terms; without, the size of the terms of the last step.
    #[inline(always)]
    fn clenshaw<const FMA: bool, const WEIGHTED: bool, const L: usize>(
        &self,
        z: &[f64; L],
        weights: &[[f64; L]],
    ) -> ([f64; L], [f64; L]) {
        // 0·z makes a constant NaN where z is.
        let zero: [f64; L] = std::array::from_fn(|lane| 0.0 * z[lane]);
        let (mut next, mut next_low) = (zero, zero);
        let (mut after, mut after_low) = (zero, zero);
        let mut size = zero;
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
                let terms = p.abs() + q.abs() + a.abs();
                size[lane] = if WEIGHTED { size[lane] + terms * weights[r][lane].abs() } else { terms };
            }
        }
        (next, size)
    }

    /// The same for |z| < [`CLENSHAW_TINY`].
    fn sum_tiny(&self, z: f64) -> (f64, bool) {
        let lifted = self.coefficients.map(|(high, low)| (scaled(high, LIFT), scaled(low, LIFT)));
        let (sum, cancelled) = HermiteSeries { coefficients: lifted, count: self.count }.sum::<false, 1>(&[z]);
        (scaled(sum[0], -LIFT), cancelled)
    }

    /// The same for |z| > [`CLENSHAW_LIMIT`], finite or not: b_r·2^{−(n−r)j} with z = m·2ʲ stays in range.
    fn sum_far(&self, z: f64) -> (f64, bool) {
        let Some(degree) = self.count.checked_sub(1) else { return (0.0, false) };
        if degree == 0 || z.is_infinite() {
            return (self.coefficients[degree].0 * if degree == 0 { 1.0 } else { z.powi(degree as i32) }, false);
        }
        let (m, j) = mantissa_and_exponent(z);
        let (mut next, mut after) = ((0.0, 0.0), (0.0, 0.0));
        let mut size = 0.0;
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
            // He_r(z) is zʳ here, up to a factor near 1.
            size += (p.0.abs() + scaled(q.0, -2 * j).abs() + a.0.abs()) * m.powi(r as i32).abs();
        }
        (scaled(next.0, j * degree as i64), next.0.abs() < CANCELLATION * size)
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
pub(super) struct Hermite<'a> {
    c: &'a [f64],
    orders: [HermiteSeries; 3],
}

impl<'a> Hermite<'a> {
    pub(super) fn new(c: &'a [f64]) -> Self {
        let value = HermiteSeries::new(c);
        let slope = value.derivative();
        Hermite { c, orders: [value, slope, slope.derivative()] }
    }

    /// a_r of a derivative, to [`PARTS`] doubles: c_s·s(s−1)…/√(s!) with s = r + order.
    fn coefficient(&self, order: usize, r: usize) -> [f64; PARTS] {
        let s = r + order;
        let falling: f64 = (0..order).map(|k| (s - k) as f64).product();
        product(&product(&INVERSE_ROOT_FACTORIAL[s], self.c[s]), falling)
    }

    /// Clenshaw's recurrence once more with [`PARTS`] doubles for every number.
    fn precise(&self, order: usize, z: f64) -> f64 {
        let Some(degree) = self.orders[order].count.checked_sub(1) else { return 0.0 };
        let (m, j) = if z.abs() > CLENSHAW_LIMIT { mantissa_and_exponent(z) } else { (z, 0) };
        let lift = if z.abs() < CLENSHAW_TINY { LIFT } else { 0 };
        let (mut next, mut after) = ([0.0; PARTS], [0.0; PARTS]);
        for r in (0..=degree).rev() {
            let mut sum = ExactSum::default();
            let shift = lift - j * (degree - r) as i64;
            self.coefficient(order, r).iter().for_each(|&a| sum.add(scaled(a, shift)));
            next.iter().for_each(|&b| sum.add_product(b, m, 1));
            after.iter().for_each(|&b| sum.add_product(scaled(b, -2 * j), -((r + 1) as f64), 1));
            after = next;
            next = sum.leading();
        }
        scaled(next[0], j * degree as i64 - lift)
    }
}

/// A number of several parts times x.
fn product(parts: &[f64; PARTS], x: f64) -> [f64; PARTS] {
    let mut sum = ExactSum::default();
    parts.iter().for_each(|&part| sum.add_product(part, x, 1));
    sum.leading()
}

impl Jet for Hermite<'_> {
    #[inline(always)]
    fn at<const FMA: bool>(&self, z: f64) -> ([f64; 3], bool) {
        let sums = self.orders.each_ref().map(|series| series.sum::<FMA, 1>(&[z]));
        (sums.map(|(sum, _)| sum[0]), is_extreme(z) | sums.iter().any(|(_, cancelled)| *cancelled))
    }

    #[inline(always)]
    fn block<const FMA: bool, const ORDERS: usize>(&self, z: &[f64; LANES]) -> JetBlock {
        let mut jets = [[0.0; LANES]; 3];
        let mut hard = z.iter().fold(false, |any, &z| any | is_extreme(z));
        for order in 0..ORDERS {
            let (sums, cancelled) = self.orders[order].sum::<FMA, LANES>(z);
            jets[order] = sums;
            hard |= cancelled;
        }
        (jets, hard)
    }

    /// Each derivative is rescued for itself, so that its bits do not depend on which others were asked for.
    #[cold]
    fn rescue<const FMA: bool>(&self, z: f64) -> [f64; 3] {
        std::array::from_fn(|order| {
            let series = &self.orders[order];
            let (sum, cancelled) = if z.abs() > CLENSHAW_LIMIT {
                series.sum_far(z)
            } else if is_extreme(z) {
                series.sum_tiny(z)
            } else {
                let (sum, cancelled) = series.sum::<FMA, 1>(&[z]);
                (sum[0], cancelled)
            };
            if cancelled { self.precise(order, z) } else { sum }
        })
    }
}

/// 1/√(r!) as an unevaluated sum of four doubles.
const INVERSE_ROOT_FACTORIAL: [[f64; PARTS]; 64] = [
    [1.0, 0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0, 0.0],
    [FRAC_1_SQRT_2, -4.833646656726457e-17, 2.0693376543497068e-33, 2.4677734957341755e-50],
    [0.408248290463863, -8.638255191177819e-19, -6.908130015799012e-36, 6.276782637017913e-52],
    [0.2041241452319315, -4.3191275955889094e-19, -3.454065007899506e-36, 3.1383913185089564e-52],
    [0.09128709291752768, 6.506028413001901e-18, -1.6194675178913078e-34, 1.7732022463232855e-51],
    [0.037267799624996496, -1.34811214096702e-18, -1.3992237920188254e-36, -7.710419363202758e-53],
    [0.014085904245475277, -7.521926408925142e-19, 1.439045353259044e-35, -1.0843546241581046e-51],
    [0.004980119205559973, 7.77884172336513e-20, 3.004970023924329e-36, 8.669811526798996e-53],
    [0.0016600397351866577, 9.820961724358406e-20, -3.010697376165298e-36, -1.938310207516863e-52],
    [0.00052495065695726, 2.187557776045008e-20, 6.831798772208446e-37, 1.816596525306339e-53],
    [0.00015827857841616382, -2.4385644677807892e-21, 6.45624817177715e-38, 3.407330744826728e-54],
    [4.569108992776174e-05, -1.3238971417811574e-21, 9.275999387259274e-39, -3.9955451016380756e-55],
    [1.2672428274337011e-05, 8.420254026477364e-22, -4.2783878588184015e-38, -1.0246792790004463e-54],
    [3.3868489186454308e-06, 1.577832764974794e-22, 5.6492511096888343e-39, 9.295231580701968e-56],
    [8.744806305356235e-07, 1.482696386721663e-24, -6.484165018770053e-41, -3.322573952726023e-57],
    [2.1862015763390587e-07, 3.7067409668041577e-25, -1.6210412546925133e-41, -8.306434881815057e-58],
    [5.3023176577281006e-08, -2.9696539866677658e-24, 9.104744536699845e-41, 2.20010170534973e-57],
    [1.2497682572615703e-08, 3.641415867790623e-25, 2.1081662046098504e-42, 1.0266492490126876e-58],
    [2.867165019077962e-09, 2.818278943651024e-27, -1.3077234323761527e-43, -5.073556453701644e-60],
    [6.411175885367804e-10, -1.2282615703102942e-26, 4.3663665374829145e-43, 4.7797846966099e-60],
    [1.3990332756368328e-10, -1.5003219619416965e-27, 7.948693876780474e-44, 2.3749389514215113e-60],
    [2.9827489657110896e-11, -2.1347205493418814e-27, 1.4595468818467883e-43, 7.661492506640574e-60],
    [6.219461528645936e-12, 8.0902610573281e-30, -2.1237549502011607e-46, 1.1628570336447894e-62],
    [1.2695422683377338e-12, -8.32799946850479e-29, -2.8799048811304437e-45, 1.6053965082317674e-61],
    [2.5390845366754677e-13, -1.665599893700958e-29, -1.5461590496161872e-47, 9.928537753296379e-64],
    [4.9795544612191934e-14, 2.9847201944614564e-30, -2.624782699805173e-47, -1.993204648836543e-63],
    [9.583157028764344e-15, 6.99850354828188e-31, 2.59618790625292e-47, 1.3861459267041873e-64],
    [1.8110464480707937e-15, -2.3575901439399998e-32, 1.1476459158992932e-48, -5.761883706415917e-67],
    [3.3630288262885465e-16, -2.190017239235024e-32, 1.8704110562353514e-49, 1.4026547375252438e-65],
    [6.140022498994532e-17, -1.164532924766715e-33, -4.33584681472261e-50, -3.3019825359448713e-66],
    [1.1027805953831061e-17, -4.049916549063211e-34, -9.865165071041288e-51, -2.737012040105126e-68],
    [1.9494590928908317e-18, -1.7151127222544881e-34, -6.580675604572737e-51, 3.77262233530824e-67],
    [3.3935726927195697e-19, -7.91922776104387e-36, -4.477687225317914e-52, -8.328740307102842e-69],
    [5.819929153796601e-20, -3.291571583247707e-36, 3.1353834610943237e-52, 1.606016937729894e-68],
    [9.837475773099465e-21, -5.7857349419371866e-37, -3.5051518410399373e-53, -1.2585960727284695e-69],
    [1.6395792955165774e-21, 2.8957148388757553e-38, -6.216761606677428e-55, 7.570285770429498e-72],
    [2.6954517578975646e-22, -1.5020255618264036e-39, -6.609121712856671e-56, 1.4772885516885e-72],
    [4.37260014755555e-23, -1.5773034079263058e-40, 1.502125874570657e-57, 1.3175249101844469e-73],
    [7.001763889559218e-24, 5.7069763581147186e-40, -1.6740363488610366e-56, 8.51929267108472e-73],
    [1.1070760764863387e-24, 5.919136890347703e-41, 2.3195358768549009e-57, 1.9015817566272124e-74],
    [1.728962355617497e-25, 1.0790470999311128e-41, 2.9784051939527775e-58, 1.7405551166773438e-74],
    [2.667846834301295e-26, -2.6995181443168657e-42, -1.2514164814255548e-58, -3.308127628347637e-75],
    [4.0684282809731265e-27, 3.2596305268199654e-43, 1.7853129175599259e-59, -8.069708912618952e-77],
    [6.133386406572035e-28, -1.0067075455418942e-44, -6.291955176703353e-62, 6.007984844864145e-79],
    [9.143112624912156e-29, -3.9536825231474255e-45, -1.0245479117827105e-61, 4.710683981339694e-78],
    [1.3480784107615843e-29, 1.3963622644273011e-45, -3.829448463033295e-63, 8.106149806131413e-80],
    [1.9663744592423373e-30, -1.678891891683209e-46, -1.1631930827548028e-64, -2.8506628792177654e-81],
    [2.83821705842792e-31, 1.9394021271305192e-47, 2.072378074446656e-64, 3.4179863286525103e-81],
    [4.054595797754172e-32, 4.2465069892839174e-49, 2.9605401063523655e-65, 1.0906950722778172e-81],
    [5.734064367124909e-33, -1.3735413912421661e-49, 6.815790006441973e-66, -2.6909553297761506e-82],
    [8.029296133819685e-34, -3.8994859448423584e-50, -1.5165124820722087e-66, -1.934701515520004e-83],
    [1.113463035245063e-34, -2.39749275645559e-52, -3.209977582599915e-69, -2.7283361110449598e-86],
    [1.5294591045728086e-35, 1.014368754834055e-51, 1.4093303570951756e-68, 9.629990128833662e-85],
    [2.0813302159207996e-36, -1.0709251747107307e-52, -9.163937739593411e-69, -3.804401168356496e-85],
    [2.8064650906287857e-37, 1.5904349073902917e-53, 5.810588768250508e-70, -2.3853014298839784e-87],
    [3.75029672752657e-38, -1.9007185537161343e-54, 1.3458391769881846e-70, -5.936191063033565e-87],
    [4.967389364204088e-39, -3.0656580500720045e-55, -3.008619923728329e-72, -1.9533007374970913e-88],
    [6.5225017803896396e-40, 3.3133179448831474e-56, 1.2507973208768682e-72, -3.361759853688914e-89],
    [8.49157403659412e-41, -3.1150229844935813e-59, 3.864991891343434e-76, -1.025409268803368e-92],
    [1.0962574942272106e-41, 3.0749356997658394e-58, 1.3642209949198762e-74, 2.72795399357015e-91],
    [1.4036138916390676e-42, -6.131298532697691e-60, 3.2263079629136725e-77, 5.65977137996333e-94],
    [1.7825914249739322e-43, -7.489668018310235e-60, -1.2686467646991912e-76, -8.078657604807534e-94],
    [2.2458540951034655e-44, 1.267839788405036e-60, 4.997088505001516e-77, 3.4496597099063723e-93],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_and_near_sums_of_a_hermite_series_agree_where_both_work() {
        let coefficients: Vec<f64> = (0..20).map(|r| 1.0 / (1.0 + r as f64)).collect();
        let series = HermiteSeries::new(&coefficients);
        let hermite = Hermite::new(&coefficients);
        for z in [300.0, -800.0, 2000.0] {
            assert_eq!(series.sum_far(z).0, series.sum::<false, 1>(&[z]).0[0]);
            assert_eq!(hermite.precise(0, z), series.sum::<false, 1>(&[z]).0[0]);
        }
        for z in [1e-60, -1e-80] {
            assert_eq!(series.sum_tiny(z).0, series.sum::<false, 1>(&[z]).0[0]);
            assert_eq!(hermite.precise(0, z), series.sum::<false, 1>(&[z]).0[0]);
        }
    }
}
