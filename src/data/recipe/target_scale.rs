//! The scale on which a target is fitted.
//!
//! A skewed positive target, such as a price, is often easier to learn as ln y: factors become sums, and rows with large
//! targets no longer outweigh all others. What is fitted, certified and compared is then ln y; predictions are exp f(x).
//! Where the noise of ln y is symmetric, exp f(x) estimates the median of y, which is less than its mean.
//!
//! ln is computed here with additions, multiplications and divisions alone, so that it has the same bits on every
//! machine, as the fingerprints of certificates need. With y = 2ᵉ(1+g), ½√2 < 1+g ≤ √2 and s = g/(2+g),
//! ln(1+g) = 2 artanh s = g − s(g − R), R = 2Σ_{j≥1} s²ʲ/(2j+1). It is within one unit in the last place.

use serde::{Deserialize, Serialize};

/// On which scale a target is fitted.
///
/// ```
/// use shallows::data::TargetScale;
///
/// let y = 20.0;
/// assert!((TargetScale::Log.original(TargetScale::Log.scaled(y)) - y).abs() < 1e-12);
/// assert_eq!(TargetScale::Identity.scaled(y), y);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetScale {
    /// As it is.
    #[default]
    Identity,
    /// ln y, for y > 0.
    Log,
}

/// A target is skewed when its largest value is this many times its median, …
const FAR_ABOVE_MEDIAN: f64 = 10.0;
/// … and when taking logarithms reduces its skewness at least to this share.
const REDUCED_SKEWNESS: f64 = 0.5;

impl TargetScale {
    /// As files and options call it.
    pub fn name(self) -> &'static str {
        match self {
            TargetScale::Identity => "identity",
            TargetScale::Log => "log",
        }
    }

    /// What a network is fitted to; NaN where y has no place on the scale.
    pub fn scaled(self, y: f64) -> f64 {
        match self {
            TargetScale::Identity => y,
            TargetScale::Log => ln(y),
        }
    }

    /// The way back, which keeps the order.
    pub fn original(self, f: f64) -> f64 {
        match self {
            TargetScale::Identity => f,
            TargetScale::Log => f.exp(),
        }
    }

    /// What is fitted, by a name that none of the inputs has.
    pub(super) fn target(self, name: &str, inputs: &[String]) -> String {
        match self {
            TargetScale::Identity => name.to_owned(),
            TargetScale::Log => {
                let mut scaled = format!("ln({name})");
                while inputs.contains(&scaled) {
                    scaled.push('′');
                }
                scaled
            }
        }
    }

    /// Whether positive targets lie so far above their median that [`TargetScale::Log`] is worth a try.
    pub fn is_log_worth_a_try(y: &[f64]) -> bool {
        if y.len() < 2 || !y.iter().all(|y| *y > 0.0 && y.is_finite()) {
            return false;
        }
        let mut sorted = y.to_vec();
        let (_, median, above) = sorted.select_nth_unstable_by(y.len() / 2, f64::total_cmp);
        let largest = above.iter().fold(*median, |most, y| most.max(*y));
        let logarithms: Vec<f64> = y.iter().map(|y| ln(*y)).collect();
        largest / *median > FAR_ABOVE_MEDIAN && skewness(&logarithms).abs() <= REDUCED_SKEWNESS * skewness(y).abs()
    }
}

/// The mean cube of the standardised numbers.
fn skewness(numbers: &[f64]) -> f64 {
    // In units of the largest, so that no cube overflows.
    let unit = numbers.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
    let mean_of =
        |term: &dyn Fn(f64) -> f64| numbers.iter().map(|x| term(x / unit)).sum::<f64>() / numbers.len() as f64;
    let mean = mean_of(&|x| x);
    let variance = mean_of(&|x| (x - mean).powi(2));
    if variance > 0.0 { mean_of(&|x| ((x - mean) / variance.sqrt()).powi(3)) } else { 0.0 }
}

/// ln 2 = high + low, where e·high is exact for the exponent e of any double (fdlibm, e_log.c).
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// ln y for y > 0, NaN otherwise.
fn ln(y: f64) -> f64 {
    const TERMS: u32 = 11; // s² ≤ 0.0295, and 0.0295¹² is far below 2⁻⁵³.
    const MANTISSA: u64 = (1 << 52) - 1;
    const BIAS: u64 = 1023;
    const SUBNORMAL_SHIFT: i32 = 54;
    if !(y > 0.0 && y.is_finite()) {
        return f64::NAN;
    }
    let (normal, shift) =
        if y < f64::MIN_POSITIVE { (y * (1_u64 << SUBNORMAL_SHIFT) as f64, SUBNORMAL_SHIFT) } else { (y, 0) };
    let bits = normal.to_bits();
    let mut exponent = (bits >> 52) as i32 - BIAS as i32 - shift;
    let mut mantissa = f64::from_bits((bits & MANTISSA) | (BIAS << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let g = mantissa - 1.0;
    let s = g / (2.0 + g);
    let square = s * s;
    let series = (1..=TERMS).rev().fold(0.0, |sum, j| square * (2.0 / f64::from(2 * j + 1) + sum));
    let e = f64::from(exponent);
    e * LN_2_HIGH - ((s * (g - series) - e * LN_2_LOW) - g)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn ln_is_within_a_unit_in_the_last_place_of_any_double() {
        let mut stream = Stream::new(1, Purpose::Probe, 0);
        let random = (0..200_000).map(|_| {
            let bits = ((stream.below(0x7ff << 20) as u64) << 32) | stream.below(1 << 32) as u64;
            f64::from_bits(bits.max(1))
        });
        let near_one = (-2000..2000).map(|i| 1.0 + f64::from(i) * 1e-4 / 3.0);
        let special = [f64::from_bits(1), f64::MIN_POSITIVE, f64::MAX, 1.0, 2.0, 0.5, 1.0_f64.next_up(), 10.0];
        for y in random.chain(near_one).chain(special) {
            let (ours, libm) = (ln(y), y.ln());
            let ulp = libm.abs().next_up() - libm.abs();
            assert!((ours - libm).abs() <= 1.5 * ulp, "{y:e}: {ours:e} and {libm:e}");
        }
        assert_eq!(ln(1.0).to_bits(), 0);
        assert!([0.0, -0.0, -1.0, f64::INFINITY, f64::NAN].iter().all(|y| ln(*y).is_nan()));
    }

    /// The same everywhere, or certificates would not travel.
    #[test]
    fn ln_has_these_bits() {
        let pairs: [(f64, u64); 5] = [
            (0.1, 0xc002_6bb1_bbb5_5515),
            (3.0, 0x3ff1_93ea_7aad_030a),
            (1234.5, 0x401c_7943_6f81_8745),
            (1e300, 0x4085_9634_47f8_7fb5),
            (5e-324, 0xc087_4385_446d_71c3),
        ];
        pairs.iter().for_each(|(y, bits)| assert_eq!(ln(*y).to_bits(), *bits, "ln {y:e}"));
    }

    #[test]
    fn a_name_that_is_taken_is_not_taken_twice() {
        let inputs = ["ln(y)".to_owned(), "ln(y)′".to_owned()];
        assert_eq!(TargetScale::Log.target("y", &inputs[..1]), "ln(y)′");
        assert_eq!(TargetScale::Log.target("y", &inputs), "ln(y)′′");
        assert_eq!(TargetScale::Log.target("y", &[]), "ln(y)");
        assert_eq!(TargetScale::Identity.target("y", &inputs), "y");
    }

    #[test]
    fn only_skewed_positive_targets_are_worth_a_try() {
        let mut stream = Stream::new(2, Purpose::Noise, 0);
        let normal: Vec<f64> = (0..2000).map(|_| stream.normal()).collect();
        let lognormal: Vec<f64> = normal.iter().map(|x| x.exp()).collect();
        assert!(TargetScale::is_log_worth_a_try(&lognormal));
        assert!(TargetScale::is_log_worth_a_try(&lognormal.iter().map(|y| 1e250 * y).collect::<Vec<_>>()));
        assert!(!TargetScale::is_log_worth_a_try(&normal));
        assert!(!TargetScale::is_log_worth_a_try(&normal.iter().map(|x| x + 10.0).collect::<Vec<_>>()));
        let with_zero: Vec<f64> = lognormal.iter().copied().chain([0.0]).collect();
        assert!(!TargetScale::is_log_worth_a_try(&with_zero));
        assert!(!TargetScale::is_log_worth_a_try(&[]) && !TargetScale::is_log_worth_a_try(&[1.0]));
        assert!(!TargetScale::is_log_worth_a_try(&[3.0; 100]));
    }
}
