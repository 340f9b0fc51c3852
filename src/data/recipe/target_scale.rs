//! The scale on which a target is fitted.
//!
//! Numbers far from zero are fitted as their differences from a number in their midst: see `centre.rs`.
//!
//! A skewed positive target, such as a price, is often easier to learn as ln y: factors become sums, and rows with large
//! targets no longer outweigh all others. What is fitted, certified and compared is then ln y; predictions are exp f(x).
//! Where the noise of ln y is symmetric, exp f(x) estimates the median of y, which is less than its mean.
//!
//! ln is that of the checker, rounded to the nearest double: FORMAT.md demands it, and fingerprints depend on every bit.

use serde::{Deserialize, Serialize};
use shallows_verify::elementary::ln_nearest;
use shallows_verify::recipe::less_centre;

/// On which scale a target is fitted.
///
/// ```
/// use shallows::data::TargetScale;
///
/// let y = 20.0;
/// assert!((TargetScale::Log.original(TargetScale::Log.scaled(y)) - y).abs() < 1e-12);
/// assert_eq!(TargetScale::Identity.scaled(y), y);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetScale {
    /// As it is.
    #[default]
    Identity,
    /// y less this centre: the way in which targets far from zero are fitted that are to be fitted as they are.
    Centred(f64),
    /// ln y, for y > 0.
    Log,
}

/// A target is skewed when its largest value is this many times its median, …
const FAR_ABOVE_MEDIAN: f64 = 10.0;
/// … and when taking logarithms reduces its skewness at least to this share.
const REDUCED_SKEWNESS: f64 = 0.5;

impl TargetScale {
    /// As options call it: a centre changes no distance.
    pub fn name(self) -> &'static str {
        match self {
            TargetScale::Identity | TargetScale::Centred(_) => "identity",
            TargetScale::Log => "log",
        }
    }

    /// What a network is fitted to; NaN where y has no place on the scale.
    pub fn scaled(self, y: f64) -> f64 {
        match self {
            TargetScale::Identity => y,
            TargetScale::Centred(centre) => y - centre,
            TargetScale::Log => ln_nearest(y),
        }
    }

    /// The way back, which keeps the order.
    pub fn original(self, f: f64) -> f64 {
        match self {
            TargetScale::Identity => f,
            TargetScale::Centred(centre) => f + centre,
            TargetScale::Log => f.exp(),
        }
    }

    /// What is fitted, by a name that none of the inputs has.
    pub(super) fn target(self, name: &str, inputs: &[String]) -> String {
        let mut scaled = match self {
            TargetScale::Identity => return name.to_owned(),
            TargetScale::Centred(centre) => less_centre(name, centre),
            TargetScale::Log => format!("ln({name})"),
        };
        while inputs.contains(&scaled) {
            scaled.push('′');
        }
        scaled
    }

    /// What is taken from the target.
    pub fn centre(self) -> Option<f64> {
        match self {
            TargetScale::Centred(centre) => Some(centre),
            TargetScale::Identity | TargetScale::Log => None,
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
        let logarithms: Vec<f64> = y.iter().map(|y| ln_nearest(*y)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    /// The same everywhere, and the nearest ones, or certificates would not travel.
    #[test]
    fn ln_has_these_bits() {
        let pairs: [(f64, u64); 6] = [
            (0.1, 0xc002_6bb1_bbb5_5515),
            (6.75, 0x3ffe_8d7c_710c_cf31),
            (3.0, 0x3ff1_93ea_7aad_030b),
            (1234.5, 0x401c_7943_6f81_8745),
            (1e300, 0x4085_9634_47f8_7fb5),
            (5e-324, 0xc087_4385_446d_71c3),
        ];
        pairs.iter().for_each(|(y, bits)| assert_eq!(TargetScale::Log.scaled(*y).to_bits(), *bits, "ln {y:e}"));
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
