//! A column of dates in rows that a recipe is applied to: what is read, what could be two dates, what is to be said.
//!
//! The order of day and month is that of the rows of the fit. Where they did not show one, a date whose day and month could be
//! exchanged is refused, and so is one of three short numbers where no cell shows which of them is the year.

use shallows_verify::date::{DateOrder, Offsets, of_number, read};

use super::column_kind::{are_short_years_open, short_year};
use super::dates::{has_offset, is_time_of_day};
use crate::data::column::Column;
use crate::data::text_kind::is_short_month;
use crate::error::{CellProblem, DateDoubt, DateStart, excerpt};

/// What the words of a column are as dates.
pub(super) struct NewDates<'a> {
    column: &'a Column,
    order: DateOrder,
    /// What the rows of the fit had.
    offsets: Offsets,
    /// Whether the dates are times of day without a date.
    are_times: bool,
    /// The moment of each word.
    moments: Vec<Option<i64>>,
    /// Whether each word says how far it is from UTC.
    has_offset: Vec<bool>,
    /// Whether a year of two digits could come first or last, and nothing decides it.
    are_years_open: bool,
}

impl<'a> NewDates<'a> {
    pub(super) fn new(column: &'a Column, order: DateOrder, offsets: Offsets, are_times: bool) -> Self {
        let words = column.levels();
        let are_years_open = order == DateOrder::Unsaid && are_short_years_open(words);
        let is_other = |word: &str| {
            // A time of day is of no date.
            !are_times && is_time_of_day(word) || are_years_open && short_year(word).is_some()
        };
        let moments = words.iter().map(|word| read(word, order).filter(|_| !is_other(word))).collect();
        let has_offset = words.iter().map(|word| has_offset(word)).collect();
        NewDates { column, order, offsets, are_times, moments, has_offset, are_years_open }
    }

    /// The moment in a row, in which something is.
    pub(super) fn moment(&self, i: usize) -> Option<i64> {
        match self.column.word(i) {
            Some(level) => self.moments[level],
            None => of_number(self.column.number(i)).filter(|_| self.column.are_moments),
        }
    }

    /// Why the cell in a row is no moment.
    pub(super) fn problem(&self, i: usize) -> CellProblem {
        let text = self.column.text(i);
        let other = CellProblem::NotLikeTraining { text: text.clone(), kind: "date" };
        if self.column.word(i).is_none() || !self.are_times && is_time_of_day(&text) {
            return other;
        }
        let [day_first, month_first] = [DateOrder::DayFirst, DateOrder::MonthFirst].map(|order| read(&text, order));
        let open = |doubt| CellProblem::OpenNewDate { text: text.clone(), doubt };
        let start = |start| CellProblem::OtherDateOrder { text: text.clone(), start };
        match self.order {
            _ if is_short_month(&text) => open(DateDoubt::ShortMonth),
            DateOrder::Unsaid if self.are_years_open && short_year(&text).is_some() => open(DateDoubt::ShortYear),
            DateOrder::Unsaid if day_first.is_some() && month_first.is_some() => open(DateDoubt::Order),
            DateOrder::DayFirst if month_first.is_some() => start(DateStart::Day),
            DateOrder::MonthFirst if day_first.is_some() => start(DateStart::Month),
            DateOrder::Unsaid | DateOrder::DayFirst | DateOrder::MonthFirst => other,
        }
    }

    /// How these rows are read, where a person might have meant something else than the rows of the fit.
    pub(super) fn remarks(&self, rows: impl Iterator<Item = usize>) -> Vec<String> {
        self.order_in_words().into_iter().chain(self.offsets_in_words(rows)).collect()
    }

    fn order_in_words(&self) -> Option<String> {
        let words = self.column.levels();
        let by = |word: &str| [DateOrder::DayFirst, DateOrder::MonthFirst].map(|order| read(word, order));
        // A day above 12 says which is the month, and is refused where the training rows said otherwise.
        let is_settled = |word: &String| by(word).contains(&None);
        let is_open = |word: &&String| matches!(by(word), [day_first, month_first] if day_first != month_first);
        let open = words.iter().find(is_open).filter(|_| !words.iter().any(is_settled))?;
        let part = match self.order {
            DateOrder::DayFirst => DateStart::Day,
            DateOrder::MonthFirst => DateStart::Month,
            DateOrder::Unsaid => return None,
        };
        Some(format!("dates such as {} are read with the {} first", excerpt(open), part.name()))
    }

    /// How many cells say how far they are from UTC, or do not, other than the rows of the fit.
    fn offsets_in_words(&self, rows: impl Iterator<Item = usize>) -> Option<String> {
        let has_offset = |i: usize| self.column.word(i).map_or(self.column.in_utc, |level| self.has_offset[level]);
        let is_remarkable = |i: &usize| match self.offsets {
            Offsets::Never => has_offset(*i),
            Offsets::Sometimes | Offsets::Always => !has_offset(*i),
        };
        let mut strange = rows.filter(|&i| !self.column.is_missing(i)).filter(is_remarkable).peekable();
        let example = excerpt(&self.column.text(*strange.peek()?));
        let count = strange.count();
        let cells = if count == 1 { format!("1 cell, {example},") } else { format!("{count} cells such as {example}") };
        let has = if count == 1 { "has" } else { "have" };
        Some(match self.offsets {
            Offsets::Never => {
                format!("{cells} {has} an offset from UTC and count in UTC, but the rows of the fit had no offsets")
            }
            Offsets::Sometimes => format!("{cells} {has} no offset from UTC and count as UTC"),
            Offsets::Always => {
                format!("{cells} {has} no offset from UTC and count as UTC, but all rows of the fit had one")
            }
        })
    }
}
