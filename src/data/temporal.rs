//! Dates, times and durations of binary files, and decimal numbers, as doubles.
//!
//! A moment becomes microseconds since the beginning of 1970-01-01 (UTC where the file knows a zone), nanoseconds rounded
//! down; a double holds each of them exactly for 285 years around 1970, and to the nearest beyond. A duration becomes a
//! number of days, a time of day a number of hours.

/// What a file counts time in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ClockUnit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

const MICROSECONDS_PER_DAY: i128 = 86_400_000_000;
const NANOSECONDS_PER_MICROSECOND: i64 = 1000;
const SECONDS_PER_DAY: f64 = 86_400.0;
const SECONDS_PER_HOUR: f64 = 3600.0;
/// 1970-01-01 as a Julian day.
#[cfg(feature = "parquet")]
const EPOCH: i64 = 2_440_588;

impl ClockUnit {
    fn per_second(self) -> f64 {
        match self {
            ClockUnit::Seconds => 1.0,
            ClockUnit::Milliseconds => 1e3,
            ClockUnit::Microseconds => 1e6,
            ClockUnit::Nanoseconds => 1e9,
        }
    }

    /// A moment, in microseconds.
    pub(super) fn moment(self, value: i64) -> f64 {
        match self {
            ClockUnit::Seconds => (i128::from(value) * 1_000_000) as f64,
            ClockUnit::Milliseconds => (i128::from(value) * 1000) as f64,
            ClockUnit::Microseconds => value as f64,
            ClockUnit::Nanoseconds => value.div_euclid(NANOSECONDS_PER_MICROSECOND) as f64,
        }
    }

    /// A duration, in days.
    pub(super) fn days(self, value: i64) -> f64 {
        value as f64 / (self.per_second() * SECONDS_PER_DAY)
    }

    /// A time of day, in hours.
    pub(super) fn hours(self, value: i64) -> f64 {
        value as f64 / (self.per_second() * SECONDS_PER_HOUR)
    }
}

/// The beginning of a day counted from 1970-01-01, in microseconds.
pub(super) fn date(days: i32) -> f64 {
    (i128::from(days) * MICROSECONDS_PER_DAY) as f64
}

/// A moment as old Spark and Impala write it: nanoseconds in three words and a Julian day, in microseconds.
#[cfg(feature = "parquet")]
pub(super) fn julian_moment(nanoseconds: i64, julian_day: u32) -> f64 {
    let microseconds = i128::from(nanoseconds.div_euclid(NANOSECONDS_PER_MICROSECOND));
    ((i128::from(julian_day) - i128::from(EPOCH)) * MICROSECONDS_PER_DAY + microseconds) as f64
}

/// The double nearest to an integer over a power of ten.
pub(super) fn decimal(unscaled: i128, scale: i32) -> f64 {
    format!("{unscaled}e{}", -i64::from(scale)).parse().unwrap_or(f64::NAN)
}

/// What is said about a column of durations.
pub(super) fn duration_remark(column: &str) -> String {
    format!("column {}: durations, taken as numbers of days", crate::error::excerpt(column))
}

/// What is said about a column of times of day.
pub(super) fn time_remark(column: &str) -> String {
    format!("column {}: times of day, taken as numbers of hours", crate::error::excerpt(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_microseconds_rounded_down() {
        assert_eq!([date(-1), date(1)], [-86_400e6, 86_400e6]);
        assert_eq!([ClockUnit::Nanoseconds.moment(1999), ClockUnit::Nanoseconds.moment(-1)], [1.0, -1.0]);
        assert_eq!([ClockUnit::Seconds.moment(2), ClockUnit::Milliseconds.moment(-3)], [2e6, -3e3]);
        assert_eq!([ClockUnit::Seconds.days(43_200), ClockUnit::Nanoseconds.hours(1_800_000_000_000)], [0.5, 0.5]);
        assert_eq!([decimal(1230, 2), decimal(-1, 1), decimal(5, -2)], [12.3, -0.1, 500.0]);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn julian_days_begin_at_noon_but_files_count_them_from_midnight() {
        assert_eq!(julian_moment(1_500, 2_440_588), 1.0);
        assert_eq!(julian_moment(0, 2_440_587), -86_400e6);
    }
}
