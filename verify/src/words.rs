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

/// Digits of what a sentence says; a file has them all.
const SPOKEN_DIGITS: usize = 5;

/// An upper bound as a sentence says it: in five digits, and still one.
///
/// ```
/// use shallows_verify::words::{no_less, no_more};
///
/// assert_eq!((no_more(0.2565496723976), no_less(0.2565496723977)), ("0.25654".into(), "0.25655".into()));
/// assert_eq!((no_more(5.582258e-4), no_less(37137.273)), ("5.5822e-4".into(), "37138".into()));
/// ```
pub fn no_less(bound: f64) -> String {
    plain(&rounded_up(bound, SPOKEN_DIGITS))
}

/// A lower bound as a sentence says it. [`no_less`] shows its use.
pub fn no_more(bound: f64) -> String {
    plain(&rounded_down(bound, SPOKEN_DIGITS))
}

/// A number that is given, as a sentence says it: what it is, or what it is near to.
///
/// ```
/// use shallows_verify::words::equation;
///
/// assert_eq!((equation("τ", 0.01), equation("τ", 1.686546540130277e-8)), ("τ = 0.01".into(), "τ ≈ 1.6865e-8".into()));
/// ```
pub fn equation(name: &str, x: f64) -> String {
    let exact = format!("{x:e}");
    let digits = exact.split('e').next().map_or(0, |mantissa| mantissa.bytes().filter(u8::is_ascii_digit).count());
    match digits <= SPOKEN_DIGITS {
        true => format!("{name} = {}", plain(&exact)),
        false => format!("{name} ≈ {}", plain(&format!("{:.*e}", SPOKEN_DIGITS - 1, x))),
    }
}

/// A number in scientific notation, without it where that is as short.
fn plain(scientific: &str) -> String {
    const SHORT: std::ops::RangeInclusive<i32> = -3..=5;
    let Some((number, exponent)) = scientific.split_once('e') else { return scientific.to_owned() };
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |number| ("-", number));
    let Some(exponent) = exponent.parse().ok().filter(|exponent| SHORT.contains(exponent)) else {
        return scientific.to_owned();
    };
    let digits = number.replace('.', "");
    let text = match usize::try_from(exponent) {
        Err(_) => format!("{}{digits}", "0.000".split_at((1 - exponent) as usize).0),
        Ok(exponent) if digits.len() <= exponent + 1 => format!("{digits:0<width$}", width = exponent + 1),
        Ok(exponent) => format!("{}.{}", &digits[..=exponent], &digits[exponent + 1..]),
    };
    format!("{sign}{text}")
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
    fn what_a_sentence_says_is_a_bound_in_five_digits() {
        for x in [0.1, 0.3, 0.2565496723976, 0.99999999, 9.9999951, 123456.5, 999999.9, 1234567.5, 1e-3, 9.99999e-4] {
            let (above, below) = (no_less(x), no_more(x));
            let [high, low] = [&above, &below].map(|text| text.parse::<f64>().unwrap());
            assert!(high >= x && x >= low && high - low <= 2e-4 * x, "{x} {above} {below}");
            for text in [above, below] {
                let digits = text.split('e').next().unwrap().trim_start_matches(['0', '.']).replace('.', "");
                assert!(digits.trim_end_matches('0').len() <= SPOKEN_DIGITS, "{text}");
            }
        }
        assert_eq!((no_less(0.2), no_more(-0.00125)), ("0.20001".into(), "-0.0012501".into()));
        assert_eq!((no_less(0.0), no_less(0.5), no_less(f64::INFINITY)), ("0".into(), "0.5".into(), "inf".into()));
        assert_eq!((no_less(120000.0), no_less(1.5), no_less(2e6)), ("120000".into(), "1.5".into(), "2e6".into()));
    }

    #[test]
    fn given_numbers_are_exact_or_said_to_be_near() {
        assert_eq!((equation("τ", 1.0), equation("τ", 1e-4)), ("τ = 1".into(), "τ = 1e-4".into()));
        assert_eq!(equation("ρ", 2.0 / 3.0), "ρ ≈ 0.66667");
    }
}
