//! What a word in a table may have been meant to be: a number written otherwise, a date, or a word.

use shallows_verify::date::{parts, weekday_called};

/// What a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// Digits with separators, a currency sign, a percent sign or in brackets.
    Number,
    /// A date or a time of day.
    Date,
    /// A word.
    Word,
}

impl TextKind {
    /// Of a text that is not a finite number.
    pub(super) fn guess(text: &str) -> TextKind {
        if is_date(text) {
            TextKind::Date
        } else if is_class(text) {
            TextKind::Word
        } else if text.parse::<f64>().is_ok() || is_almost_a_number(text) {
            TextKind::Number
        } else {
            TextKind::Word
        }
    }
}

/// Whether a text names many numbers: 3+, <5, ≥ 100, 10-19.
pub(super) fn is_class(text: &str) -> bool {
    let is_number = |part: &str| {
        let part = part.trim();
        part.starts_with(|c: char| c.is_ascii_digit()) && part.parse::<f64>().is_ok_and(f64::is_finite)
    };
    let beyond = text.strip_prefix(['<', '>', '≤', '≥']).map(|rest| rest.strip_prefix('=').unwrap_or(rest));
    let ends = text.split_once(['-', '–']);
    text.strip_suffix('+').or(beyond).is_some_and(is_number)
        || ends.is_some_and(|(least, most)| is_number(least) && is_number(most))
}

fn is_almost_a_number(text: &str) -> bool {
    const SIGNS: [char; 9] = ['+', '-', '−', '$', '€', '£', '¥', '%', ' '];
    const SEPARATORS: [char; 7] = ['.', ',', '\'', '’', '_', ' ', '\u{a0}'];
    let in_brackets = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let core = in_brackets.unwrap_or(text).trim_matches(SIGNS);
    let digits = core.chars().filter(char::is_ascii_digit).count();
    digits > 0
        && core.chars().all(|c| c.is_ascii_digit() || SEPARATORS.contains(&c))
        && core.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',')
}

/// Numeric dates with or without a time (2024-02-29T12:00, 29.2.2024, 2/29/24), dates with a month's name
/// (Thu, 29 Feb 2024, 29Feb2024, Feb-24), times (12:30, 12:30:59.5 pm).
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_once([' ', 'T', 't']).unwrap_or((text, ""));
    let numeric = ['-', '/', '.'].iter().any(|between| is_numeric_date(day, *between));
    (numeric && (time.is_empty() || starts_like_a_time(time))) || is_time(text) || has_month(text)
}

fn is_numeric_date(text: &str, between: char) -> bool {
    let parts: Vec<&str> = text.split(between).collect();
    let digits = parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    digits && matches!(lengths[..], [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 2 | 4])
}

fn starts_like_a_time(text: &str) -> bool {
    let (hours, rest) = text.trim_start().split_once(':').unwrap_or(("", ""));
    (1..=2).contains(&hours.len())
        && hours.bytes().all(|b| b.is_ascii_digit())
        && rest.len() >= 2
        && rest.bytes().take(2).all(|b| b.is_ascii_digit())
}

fn is_time(text: &str) -> bool {
    let core = text.trim_end_matches(['a', 'A', 'p', 'P', 'm', 'M', ' ']);
    starts_like_a_time(core) && core.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
}

fn has_month(text: &str) -> bool {
    let parts = parts(text);
    let (is_after_weekday, parts) = match parts.split_first() {
        Some((first, rest)) if weekday_called(first).is_some() => (true, rest),
        _ => (false, &parts[..]),
    };
    let is_number = |part: &&&str| part.len() <= 4 && is_digits(part);
    let months = parts.iter().filter(|part| is_month(part)).count();
    let numbers = parts.iter().filter(is_number).count();
    let is_long_enough = parts.len() == 3 || parts.len() == 2 && !is_after_weekday;
    is_long_enough && months == 1 && numbers + 1 == parts.len()
}

/// Whether a text is a month and a number that could be a year or a day: Oct-75.
pub(super) fn is_short_month(text: &str) -> bool {
    let is_short = |part: &str| part.len() <= 2 && is_digits(part);
    matches!(parts(text)[..], [a, b] if is_month(a) && is_short(b) || is_short(a) && is_month(b))
}

fn is_month(part: &str) -> bool {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    part.chars().all(char::is_alphabetic)
        && part.get(..3).is_some_and(|start| MONTHS.iter().any(|month| start.eq_ignore_ascii_case(month)))
}

fn is_digits(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_times_and_numbers_in_disguise_are_seen() {
        for text in [
            "2024-02-29",
            "2024/2/9",
            "29.02.2024",
            "2/29/24",
            "2024-02-29T12:00:00Z",
            "2024-02-29 12:00:00.5+01:00",
            "12:30",
            "9:05 pm",
            "23:59:59.99",
            "29 Feb 2024",
            "Feb-24",
            "Feb 29, 2024",
            "3 September 1999",
            "03Jan2019",
            "Thu, 03 Jan 2019",
            "Oct75",
        ] {
            assert_eq!(TextKind::guess(text), TextKind::Date, "{text}");
        }
        for text in [
            "1,5",
            "1,234,567",
            "1 000",
            "12'000",
            "45%",
            "$1,200.50",
            "($537)",
            "€ 5",
            "1.234,56",
            "-3,5",
            "inf",
            "1.2.3.4",
        ] {
            assert_eq!(TextKind::guess(text), TextKind::Number, "{text}");
        }
        for text in ["3+", "60 +", "<5", ">= 100", "≥100", "10-19", "0 – 9"] {
            assert!(is_class(text) && TextKind::guess(text) == TextKind::Word, "{text}");
        }
        for text in ["3", "+3", "-3", "1e5", "2004-01-31", "3++", "<", "+", "a+", "<a", "-1-2"] {
            assert!(!is_class(text), "{text}");
        }
        for text in ["red", "A1", "1st", "3+3", "May", "mayor 5 ways", "B-12", "ratio 1:2", "", "-", "$", "2-3"] {
            assert_eq!(TextKind::guess(text), TextKind::Word, "{text}");
        }
    }
}
