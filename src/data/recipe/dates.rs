//! What becomes of a column of dates.
//!
//! Days since the first are what a trend needs. Month, weekday and hour are inputs of their own where they can say more:
//!
//! | part | by default |
//! |---|---|
//! | month | where the dates span at least two years |
//! | weekday | where they span at least two weeks and a quarter of the days in between occur |
//! | hour | where times of day differ |

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use shallows_verify::date::{DAY, DateOrder, DatePart, Offsets, of_number};

use super::{Gaps, Treatment};
use crate::data::column::Column;

/// What becomes of columns of dates.
///
/// ```
/// use shallows::data::recipe::DateUse;
///
/// assert_eq!("parts".parse(), Ok(DateUse::Parts));
/// assert!("weeks".parse::<DateUse>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateUse {
    /// Days since the first, and month, weekday and hour where they can say more.
    #[default]
    Auto,
    /// Days since the first.
    Number,
    /// Days since the first, and month, weekday and hour where they differ.
    Parts,
    /// Nothing.
    Drop,
}

impl FromStr for DateUse {
    type Err = UnknownDateUse;

    fn from_str(text: &str) -> Result<Self, UnknownDateUse> {
        match text {
            "auto" => Ok(DateUse::Auto),
            "number" => Ok(DateUse::Number),
            "parts" => Ok(DateUse::Parts),
            "drop" => Ok(DateUse::Drop),
            _ => Err(UnknownDateUse),
        }
    }
}

/// Not one of the four. [`DateUse`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDateUse;

impl fmt::Display for UnknownDateUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither auto, number, parts nor drop")
    }
}

impl std::error::Error for UnknownDateUse {}

/// A month can recur from here on.
const TWO_YEARS: i64 = 730;
/// A weekday recurs from here on.
const TWO_WEEKS: i64 = 14;
/// Stamps are daily where at least one day in so many occurs.
const DAYS_FOR_A_DAILY_ONE: i64 = 4;

/// Whether a text that names a moment is a time of day without a date.
pub(super) fn is_time_of_day(text: &str) -> bool {
    text.trim().split_once(':').is_some_and(|(hours, _)| hours.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text that names a moment says how far its time is from UTC.
pub(super) fn has_offset(text: &str) -> bool {
    let time = text.find(':').map_or("", |colon| &text[colon..]).trim_end();
    time.contains(['+', '-']) || ["Z", "z", "UTC", "GMT"].iter().any(|zone| time.ends_with(zone))
}

/// Which of the texts of a column give an offset from UTC; moments of a file all do, or none does.
pub(super) fn offsets(column: &Column) -> Offsets {
    let with_offset = column.levels().iter().filter(|word| has_offset(word)).count();
    match with_offset {
        0 if column.in_utc => Offsets::Always,
        0 => Offsets::Never,
        all if all == column.levels().len() => Offsets::Always,
        _ => Offsets::Sometimes,
    }
}

/// Inputs for a column of moments, of which at least two differ.
pub(super) fn date(
    column: &Column,
    rows: &[usize],
    (order, offsets): (DateOrder, Offsets),
    wanted: DateUse,
) -> Treatment {
    let mut moments: Vec<i64> = rows.iter().filter_map(|&i| of_number(column.number(i))).collect();
    moments.sort_unstable();
    let Some((&first, &last)) = moments.first().zip(moments.last()) else { return Treatment::GapsOnly };
    let origin = first.div_euclid(DAY) * DAY;
    let parts = if last < origin + DAY { vec![DatePart::Hour] } else { parts(&moments, origin, wanted) };
    // The middle one, or the earlier of two.
    let median = Some(moments[(moments.len() - 1) / 2]);
    Treatment::Date { order, offsets, origin, parts, median, gaps: Gaps::Never }
}

/// Days, and the parts that are wanted of sorted moments.
fn parts(moments: &[i64], origin: i64, wanted: DateUse) -> Vec<DatePart> {
    let varies = |part: DatePart| {
        let values: HashSet<u64> = moments.iter().map(|moment| part.of(*moment, origin).to_bits()).collect();
        values.len() > 1
    };
    let mut days: Vec<i64> = moments.iter().map(|moment| moment.div_euclid(DAY)).collect();
    days.dedup();
    let span = days.last().zip(days.first()).map_or(0, |(last, first)| last - first);
    let is_daily = DAYS_FOR_A_DAILY_ONE * days.len() as i64 >= span;
    let is_wanted = |part: &DatePart| match (wanted, part) {
        (DateUse::Number | DateUse::Drop, _) => false,
        (DateUse::Auto, DatePart::Month) => span >= TWO_YEARS,
        (DateUse::Auto, DatePart::Weekday) => span >= TWO_WEEKS && is_daily,
        (DateUse::Auto | DateUse::Parts, _) => true,
    };
    let further = [DatePart::Month, DatePart::Weekday, DatePart::Hour];
    let further = further.into_iter().filter(|part| is_wanted(part) && varies(*part));
    [DatePart::Days].into_iter().chain(further).collect()
}
