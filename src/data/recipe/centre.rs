//! Numbers far from zero, less a number in their midst.
//!
//! Years, densities near 1 and times in seconds vary by little beside their size. A network on such inputs, and a network
//! with such a target, is a small difference of large terms: what rounding takes from its weights is lost from its
//! predictions. Where the affine part is free, shifted inputs and a shifted target leave the networks, their penalty and
//! their errors as they are, so the model is about x − m: a round number m, for which x − m is exact in every training row.

/// Beyond so many standard deviations from zero numbers are far from it.
const FAR: f64 = 100.0;

/// A round number in the midst of numbers that are far from zero, if every one of them less it is exact.
pub(super) fn far_centre(numbers: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let (mut least, mut most, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for x in numbers.clone() {
        (least, most, count) = (least.min(x), most.max(x), count + 1.0);
    }
    let middle = 0.5 * least + 0.5 * most;
    // Differences from the middle are small where this matters, and so are the errors of their squares.
    let square: f64 = numbers.clone().map(|x| (x - middle).powi(2)).sum::<f64>() / count;
    let deviation = square.sqrt();
    if !(deviation > 0.0 && middle.abs() > FAR * deviation && middle.is_finite()) {
        return None;
    }
    let centre = rounded(middle, deviation);
    numbers.clone().all(|x| is_exact(x, centre)).then_some(centre)
}

/// To a multiple of the power of ten at or below the deviation.
fn rounded(middle: f64, deviation: f64) -> f64 {
    let exponent = deviation.log10().floor() as i32;
    // Through decimal digits: a product with a power of ten would not be round.
    let places = (middle.abs().log10().floor() as i32 - exponent).clamp(0, 16) as usize;
    format!("{middle:.places$e}").parse().unwrap_or(middle)
}

/// Whether x − m is a double: the two parts of what rounding took from it (D. E. Knuth, TAOCP 2, §4.2.2) are zero.
fn is_exact(x: f64, m: f64) -> bool {
    let difference = x - m;
    let near_x = difference + m;
    let near_m = near_x - difference;
    (x - near_x) + (near_m - m) == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn centre(numbers: &[f64]) -> Option<f64> {
        far_centre(numbers.iter().copied())
    }

    #[test]
    fn years_and_densities_are_far_from_zero_and_areas_are_not() {
        assert_eq!(centre(&[1962.0, 1969.0, 1972.0, 1977.0]), Some(1970.0));
        assert_eq!(centre(&[0.9951, 0.9967, 0.998, 0.9949]), Some(0.996));
        assert_eq!(centre(&[-1962.0, -1969.0, -1972.0, -1977.0]), Some(-1970.0));
        assert_eq!(centre(&[1e10 + 0.5, 1e10 - 1.25, 1e10 + 2.75]), Some(1e10 + 1.0));
        assert_eq!(centre(&[514.5, 808.5, 612.5, 563.5]), None);
        assert_eq!(centre(&[0.0, 1e300, -1e300]), None);
    }

    #[test]
    fn nothing_is_made_of_constants_and_of_nothing() {
        assert_eq!(centre(&[]), None);
        assert_eq!(centre(&[7.0, 7.0]), None);
        assert_eq!(centre(&[f64::MAX, f64::MAX]), None);
        assert_eq!(centre(&[f64::from_bits(1), 0.0]), None);
    }

    #[test]
    fn a_centre_is_given_only_where_every_difference_is_exact() {
        // A million rows near 1e9 are far from zero, whatever one more row holds.
        let mut numbers: Vec<f64> = (0..1_000_000).map(|i| 1e9 + f64::from(i % 3)).collect();
        assert_eq!(centre(&numbers), Some(1e9 + 1.0));
        numbers[0] = 0.999e9 + 2_f64.powi(-23);
        assert!(centre(&numbers).is_some());
        numbers[0] = 0.4e9 + 2_f64.powi(-24);
        assert_eq!(centre(&numbers), None);
        assert!(is_exact(1.5, 1.0) && is_exact(0.0, 0.1) && is_exact(0.1, 0.1));
        assert!(!is_exact(1.0, 2_f64.powi(-60)) && !is_exact(f64::MAX, -f64::MAX));
    }
}
