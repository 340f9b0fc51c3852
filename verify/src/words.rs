//! Bounds in few digits that are still bounds: rounded to the safe side.

/// An upper bound below 1 in few digits that is still one.
///
/// ```
/// use shallows_verify::words::rate_words;
///
/// assert_eq!(rate_words(0.12344), "0.1235");
/// assert!(rate_words(1.0 - 1e-6).starts_with("1 − 9.99"));
/// ```
pub fn rate_words(rate: f64) -> String {
    if rate > 0.999 { format!("1 − {}", at_least(1.0 - rate)) } else { format!("{:.4}", rate + 5e-5) }
}

/// What four digits can add or take away.
const FOUR_DIGITS: f64 = 5.1e-4;

/// An upper bound in four digits that is still one.
///
/// ```
/// use shallows_verify::words::{at_least, at_most};
///
/// // Rounded to the safe side.
/// assert_eq!((at_least(2.0 / 3.0), at_most(2.0 / 3.0)), ("6.663e-1".into(), "6.670e-1".into()));
/// ```
pub fn at_most(bound: f64) -> String {
    format!("{:.3e}", bound + FOUR_DIGITS * bound.abs())
}

/// A lower bound in four digits that is still one. [`at_most`] shows its use.
pub fn at_least(bound: f64) -> String {
    format!("{:.3e}", bound - FOUR_DIGITS * bound.abs())
}

/// Significant digits of the longest double in decimal notation.
const MOST_DIGITS: usize = 767;
/// A double is the only one within half a unit of so many digits.
const ENOUGH_DIGITS: usize = 20;

/// An upper bound in so many digits that is still one, and no larger than need be.
///
/// Of 1.6336e-13 in two digits it is 1.7e-13.
pub fn rounded_up(bound: f64, digits: usize) -> String {
    rounded(bound, digits, bound > 0.0)
}

/// A lower bound in so many digits that is still one, and no smaller than need be: 1.6e-13 of 1.6336e-13.
pub fn rounded_down(bound: f64, digits: usize) -> String {
    rounded(bound, digits, bound < 0.0)
}

/// The shortest text that reads back as this double and, read as a decimal number, is not below it.
pub fn no_less(bound: f64) -> String {
    shortest(bound, rounded_up)
}

/// The shortest text that reads back as this double and, read as a decimal number, is not above it.
pub fn no_more(bound: f64) -> String {
    shortest(bound, rounded_down)
}

fn shortest(bound: f64, round: fn(f64, usize) -> String) -> String {
    let mut texts = (1..=ENOUGH_DIGITS).map(|digits| round(bound, digits));
    texts.find(|text| text.parse() == Ok(bound)).unwrap_or_else(|| format!("{bound:e}"))
}

/// The digits of |x| cut off, or with `away` from zero the next number of so many digits unless nothing was cut off.
fn rounded(x: f64, digits: usize, away: bool) -> String {
    if !x.is_finite() || x == 0.0 {
        return format!("{x:e}");
    }
    // All digits of a double: nothing is rounded here.
    let exact = format!("{:.*e}", MOST_DIGITS, x.abs());
    let (mantissa, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let mut exponent: i32 = exponent.parse().unwrap_or(0);
    let all: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    let (kept, rest) = all.split_at(digits.clamp(1, all.len()));
    let mut kept = kept.to_vec();
    if away && rest.iter().any(|digit| *digit > 0) {
        let nines = kept.iter().rev().take_while(|digit| **digit == 9).count();
        let last = kept.len() - nines;
        kept[last..].fill(0);
        match last {
            0 => {
                kept.insert(0, 1);
                exponent += 1;
            }
            _ => kept[last - 1] += 1,
        }
    }
    let used = kept.iter().rposition(|digit| *digit > 0).map_or(1, |last| last + 1);
    let text: String = kept[..used].iter().map(|digit| char::from(b'0' + digit)).collect();
    let sign = if x < 0.0 { "-" } else { "" };
    let (first, others) = text.split_at(1);
    let point = if others.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{others}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_in_words_are_rounded_to_the_safe_side() {
        assert_eq!(rounded_up(1.6336e-13, 2), "1.7e-13");
        assert_eq!(rounded_up(1.6e-13, 2), "1.6e-13", "the double is below its shortest decimal");
        assert_eq!(rounded_up(9.96, 2), "1e1");
        assert_eq!(rounded_up(0.5, 2), "5e-1");
        assert_eq!(rounded_up(-1.66, 2), "-1.6e0");
        assert_eq!(rounded_down(1.66, 2), "1.6e0");
        assert_eq!(rounded_down(-1.61, 2), "-1.7e0");
        assert_eq!((rounded_up(0.0, 2), rounded_up(5e-324, 2)), ("0e0".into(), "5e-324".into()));
        assert_eq!(rounded_up(f64::INFINITY, 2), "inf");
    }

    #[test]
    fn the_shortest_safe_text_reads_back_as_the_same_double() {
        // 0.1 is above one tenth, 0.3 below three tenths.
        assert_eq!((no_more(0.1), no_less(0.3)), ("1e-1".into(), "3e-1".into()));
        assert_eq!((no_less(0.1), no_more(0.3)), ("1.0000000000000001e-1".into(), "2.9999999999999998e-1".into()));
        let mut x: f64 = 1.2345e-300;
        while x < 1e300 {
            for text in [no_less(x), no_more(x), no_less(-x)] {
                assert_eq!(text.parse::<f64>().map(f64::abs), Ok(x), "{text}");
            }
            x *= 37.77;
        }
    }
}
