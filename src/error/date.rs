//! Why a date could be two, and what would decide it.

/// What is open about a date.
///
/// ```
/// use shallows::error::{CellProblem, DateDoubt, DateStart};
///
/// let problem = CellProblem::OpenDate { text: "1/2/2004".into(), doubt: DateDoubt::Order };
/// assert!(problem.to_string().contains("no day is above 12"));
/// let problem = CellProblem::OtherDateOrder { text: "1/13/2004".into(), start: DateStart::Day };
/// assert_eq!(problem.to_string(), "\"1/13/2004\" is no date with the day first, as in the rows of the fit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateDoubt {
    /// Whether the day or the month comes first: 1/2/2004.
    Order,
    /// Whether a year of two digits comes first or last: 13-11-12.
    ShortYear,
    /// Whether the number beside a month is a year or a day: Oct-12.
    ShortMonth,
}

/// What comes first in a date of numbers. [`DateDoubt`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateStart {
    /// As in 29.2.2004.
    Day,
    /// As in 2/29/2004.
    Month,
}

impl DateDoubt {
    /// What would have to be known about a column to learn from.
    pub(super) fn words(self) -> &'static str {
        match self {
            DateDoubt::Order => "no day is above 12, so that day and month could be exchanged",
            DateDoubt::ShortYear => "a year of two digits could come first or last",
            DateDoubt::ShortMonth => "the number beside the month could be a year of two digits or a day",
        }
    }

    /// The same of new rows.
    pub(super) fn words_of_new_rows(self) -> &'static str {
        match self {
            DateDoubt::Order => "the rows of the fit do not say whether the day or the month comes first",
            DateDoubt::ShortYear | DateDoubt::ShortMonth => self.words(),
        }
    }
}

impl DateStart {
    /// In a word.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DateStart::Day => "day",
            DateStart::Month => "month",
        }
    }
}
