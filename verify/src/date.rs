//! Dates and times of day as texts: FORMAT.md §9.
//!
//! The proleptic Gregorian calendar, days of 86 400 seconds. A moment is the number of microseconds since the beginning of
//! 1970-01-01; a time without a date is one of that day. An offset from UTC is subtracted.

use serde::{Deserialize, Serialize};

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;
/// A longer text is no date.
const LONGEST: usize = 60;
/// Microseconds of an hour.
const HOUR: i64 = 3600 * SECOND;
/// Microseconds of a day.
pub const DAY: i64 = 86_400 * SECOND;

/// The order of day and month in a date of numbers. One that begins with a year of four digits has year, month, day in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    /// 29.2.2024
    DayFirst,
    /// 2/29/2024
    MonthFirst,
    /// Nobody has said: only what both orders read alike, or one of them alone, is a date.
    #[serde(rename = "none")]
    Unsaid,
}

/// Which of the texts that were read as dates said how far their times are from UTC: no date depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offsets {
    /// None of them.
    Never,
    /// Some of them.
    Sometimes,
    /// All of them.
    Always,
}

/// What is taken of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatePart {
    /// Days since the origin.
    Days,
    /// 1 to 12.
    Month,
    /// 0, Monday, to 6.
    Weekday,
    /// Hours since midnight.
    Hour,
}

impl DatePart {
    /// The number that it takes of a moment: a count of microseconds as the nearest double, divided by those of a day or an hour.
    pub fn of(self, moment: i64, origin: i64) -> f64 {
        let (day, time) = (moment.div_euclid(DAY), moment.rem_euclid(DAY));
        match self {
            DatePart::Days => (moment - origin) as f64 / DAY as f64,
            DatePart::Month => civil(day).1 as f64,
            // The first day of 1970 was a Thursday.
            DatePart::Weekday => (day + 3).rem_euclid(7) as f64,
            DatePart::Hour => time as f64 / HOUR as f64,
        }
    }

    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            DatePart::Days => "days",
            DatePart::Month => "month",
            DatePart::Weekday => "weekday",
            DatePart::Hour => "hour",
        }
    }

    /// The name of the input, of a column with this name.
    pub fn input(self, column: &str, origin: i64) -> String {
        match self {
            DatePart::Days => format!("{column} − {}", written(origin)),
            DatePart::Month | DatePart::Weekday | DatePart::Hour => format!("{column} {}", self.name()),
        }
    }
}

/// The day of a moment, `2004-01-31`.
pub fn written(moment: i64) -> String {
    let (year, month, day) = civil(moment.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// The moment that a whole number of microseconds is.
pub fn of_number(x: f64) -> Option<i64> {
    // Half of what fits: differences of two moments fit, too.
    let is_moment = x.fract() == 0.0 && x.abs() <= (i64::MAX / 2) as f64;
    is_moment.then_some(x as i64)
}

/// The moment that a text names; `None` where it names none.
///
/// ```
/// use shallows_verify::date::{DAY, DateOrder, read, written};
///
/// let moment = |text| read(text, DateOrder::DayFirst);
/// assert_eq!(moment("1970-01-02 12:00"), Some(DAY + DAY / 2));
/// assert_eq!(moment("29.2.2024").map(written).as_deref(), Some("2024-02-29"));
/// assert_eq!(moment("29.2.2023"), None);
/// // Where no order is known, 1/2 could be two days, and 1/13 only one.
/// assert_eq!(["1/2/2024", "1/13/2024"].map(|text| read(text, DateOrder::Unsaid).is_some()), [false, true]);
/// ```
pub fn read(text: &str, order: DateOrder) -> Option<i64> {
    if order == DateOrder::Unsaid {
        return match [DateOrder::DayFirst, DateOrder::MonthFirst].map(|order| read(text, order)) {
            [Some(day_first), Some(month_first)] => (day_first == month_first).then_some(day_first),
            [day_first, month_first] => day_first.or(month_first),
        };
    }
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    if let Some(time) = time_of_day(text) {
        return Some(time);
    }
    // The time comes after the date, and has the first colon.
    let split = text.find(':').and_then(|colon| text[..colon].rfind([' ', 'T', 't']));
    let (date, time) = split.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])));
    let (time, offset) = time.map_or(Some((0, 0)), time_with_offset)?;
    let date = date.trim();
    let days = day_of_numbers(date, order).or_else(|| first_of_quarter(date)).or_else(|| day_of_month_name(date))?;
    Some(days * DAY + time - offset)
}

/// Three numbers with their lengths, and what stands between them.
fn numbers(date: &str) -> Option<([(i64, usize); 3], char)> {
    let between = ['-', '/', '.'].into_iter().find(|between| date.contains(*between))?;
    let mut parts = date.split(between);
    let mut part = || parts.next().and_then(|part| Some((whole(part, 4)?, part.len())));
    let three = [part()?, part()?, part()?];
    parts.next().is_none().then_some((three, between))
}

/// A date of numbers: 2024-02-29, 2024-02, 29.2.2024, 2/29/24.
fn day_of_numbers(date: &str, order: DateOrder) -> Option<i64> {
    if let Some((year, month)) = date.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2) {
        return day_number(whole(year, 4)?, whole(month, 2)?, 1);
    }
    let (parts, between) = numbers(date)?;
    match parts {
        [(year, 4), (month, 1 | 2), (day, 1 | 2)] => day_number(year, month, day),
        [(first, 1 | 2), (second, 1 | 2), (year, length @ (2 | 4))] => {
            let year = if length == 4 { year } else { full_year(year) };
            match order {
                DateOrder::MonthFirst if between != '.' => day_number(year, first, second),
                _ => day_number(year, second, first),
            }
        }
        _ => None,
    }
}

/// The first day of a quarter: 2004Q1, 2004-Q1, 2004 Q1, Q1 2004.
fn first_of_quarter(date: &str) -> Option<i64> {
    let (before, after) = date.split_once(['Q', 'q'])?;
    let (year, quarter) = match before {
        "" => after.split_once(['-', ' ']).map(|(quarter, year)| (year, quarter))?,
        before => (before.trim_end_matches(['-', ' ']), after),
    };
    let quarter = whole(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
    (year.len() == 4).then(|| day_number(whole(year, 4)?, 3 * quarter - 2, 1))?
}

/// The words and numbers of a date in which a month has a name: 29 Feb 2024, 29Feb2024, Thu, 29 Feb 2024.
pub fn parts(date: &str) -> Vec<&str> {
    let between = |c: char| matches!(c, ' ' | '-' | '/' | ',' | '.');
    // Digits and letters are parted, too.
    let change = |pair: &[u8]| {
        (pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic())
            || (pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit())
    };
    let (mut parts, mut rest) = (vec![], date);
    while let Some(at) = rest.as_bytes().windows(2).position(change) {
        parts.extend(rest[..=at].split(between));
        rest = &rest[at + 1..];
    }
    parts.extend(rest.split(between));
    parts.retain(|part| !part.is_empty());
    parts
}

/// A date with the name of a month: 29 Feb 2024, Feb 29, 2024, 29-Feb-24, 29Feb2024, February 2024; perhaps after its weekday.
fn day_of_month_name(date: &str) -> Option<i64> {
    let parts = parts(date);
    match parts.split_first().and_then(|(first, rest)| Some((weekday_called(first)?, rest))) {
        // The first day of 1970 was a Thursday.
        Some((weekday, rest)) => named_day(rest).filter(|day| (day + 3).rem_euclid(7) == weekday),
        None => named_day(&parts),
    }
}

/// The day that these words and numbers name.
fn named_day(parts: &[&str]) -> Option<i64> {
    let at = parts.iter().position(|part| month_called(part).is_some())?;
    let month = month_called(parts[at])?;
    let rest: Vec<&str> = parts.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, part)| *part).collect();
    match (at, &rest[..]) {
        // Without a day a year of two digits could be one.
        (0 | 1, [year]) if year.len() == 4 => day_number(whole(year, 4)?, month, 1),
        (0 | 1, [day, year]) if day.len() <= 2 && matches!(year.len(), 2 | 4) => {
            let number = whole(year, 4)?;
            day_number(if year.len() == 4 { number } else { full_year(number) }, month, whole(day, 2)?)
        }
        (1, [year, day]) if year.len() == 4 && day.len() <= 2 => day_number(whole(year, 4)?, month, whole(day, 2)?),
        _ => None,
    }
}

/// The weekday of an English name, in full or its first three letters, in any case; 0 is Monday.
pub fn weekday_called(name: &str) -> Option<i64> {
    const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    called(name, &NAMES)
}

/// The month of an English name, in full or its first three letters, in any case.
fn month_called(name: &str) -> Option<i64> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let at = called(name, &NAMES).or(name.eq_ignore_ascii_case("sept").then_some(8))?;
    Some(at + 1)
}

/// Which of these names it is, in full or its first three letters, in any case.
fn called(name: &str, names: &[&str]) -> Option<i64> {
    let name = name.to_ascii_lowercase();
    let is_called = |full: &&str| name == **full || (name.len() == 3 && full.starts_with(&name));
    names.iter().position(is_called).map(|at| at as i64)
}

/// 12:30, 9:05 pm, 23:59:59.5, in microseconds since midnight.
fn time_of_day(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let halves = [("am", 0), ("pm", 12)];
    let half = halves.iter().find_map(|(suffix, hours)| Some((lower.strip_suffix(suffix)?.trim_end(), *hours)));
    let (clock, half) = half.map_or((lower.as_str(), None), |(clock, hours)| (clock, Some(hours)));
    let parts: Vec<&str> = clock.split(':').collect();
    let (hour, minute, second) = match parts[..] {
        [hour, minute] => (hour, minute, "00"),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    if minute.len() != 2 {
        return None;
    }
    let hour = match (whole(hour, 2)?, half) {
        (hour @ 0..24, None) => hour,
        (hour @ 1..=12, Some(hours)) => hour % 12 + hours,
        _ => return None,
    };
    let minute = whole(minute, 2).filter(|minute| *minute < 60)?;
    Some((hour * 60 + minute) * 60 * SECOND + microseconds(second)?)
}

/// Seconds of two digits with up to nine decimals, in microseconds; finer ones are cut off.
fn microseconds(text: &str) -> Option<i64> {
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if seconds.len() != 2 || decimals.is_empty() || decimals.len() > 9 || !is_digits(decimals) {
        return None;
    }
    let six: String = decimals.chars().chain("000000".chars()).take(6).collect();
    Some(whole(seconds, 2).filter(|seconds| *seconds < 60)? * SECOND + whole(&six, 6)?)
}

/// A time of day and its offset from UTC: 12:30Z, 12:30 UTC, 12:30:00+01:00.
fn time_with_offset(text: &str) -> Option<(i64, i64)> {
    let text = text.trim();
    let is_utc = |suffix: &&str| text.len() > suffix.len() && text.is_char_boundary(text.len() - suffix.len());
    let zero = ["Z", "z", " UTC", " GMT"].into_iter().filter(is_utc).find_map(|suffix| text.strip_suffix(suffix));
    if let Some(clock) = zero {
        return Some((time_of_day(clock)?, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((time_of_day(text)?, 0)) };
    let (clock, offset) = text.split_at(at);
    let size = offset_size(&offset[1..])?;
    let offset = if offset.starts_with('-') { -size } else { size };
    Some((time_of_day(clock.trim_end())?, offset))
}

/// 01, 0100 or 01:00, in microseconds.
fn offset_size(text: &str) -> Option<i64> {
    let digits = match text.split_once(':') {
        Some((hours, minutes)) if hours.len() == 2 && minutes.len() == 2 => format!("{hours}{minutes}"),
        Some(_) => return None,
        None => text.to_owned(),
    };
    let number = whole(&digits, 4)?;
    let (hours, minutes) = match digits.len() {
        2 => (number, 0),
        4 => (number / 100, number % 100),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) * 60 * SECOND)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A whole number of so many digits at most.
fn whole(text: &str, most: usize) -> Option<i64> {
    let digits = !text.is_empty() && text.len() <= most && is_digits(text);
    if digits { text.parse().ok() } else { None }
}

/// A year of two digits is one from 1969 to 2068.
fn full_year(year: i64) -> i64 {
    if year < 69 { 2000 + year } else { 1900 + year }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01; `None` where there is no such day.
fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=days_of_month(year, month)).contains(&day) {
        return None;
    }
    let before = |year: i64| 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let months: i64 = (1..month).map(|month| days_of_month(year, month)).sum();
    Some(before(year - 1) - before(1969) + months + day - 1)
}

/// Year, month and day of a day.
fn civil(day: i64) -> (i64, i64, i64) {
    // 400 years have 146 097 days; the year that this gives is right or one off.
    let guess = 1970 + (400 * day).div_euclid(146_097) + 1;
    let first = |year: i64| day_number(year, 1, 1).unwrap_or(i64::MAX);
    let year = (guess - 3..=guess).rev().find(|year| first(*year) <= day).unwrap_or(guess);
    let mut rest = day - first(year);
    let mut month = 1;
    while month < 12 && rest >= days_of_month(year, month) {
        rest -= days_of_month(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}
