//! What a column is: numbers, words or dates.
//!
//! A column of which all cells are of one kind is of that kind; digits after a zero make whole numbers words. One of words
//! and numbers, or of words and dates, is one of words where that is what most programs would make of it and little can be
//! lost: at least one cell in twenty is a word that means something, or one is a class of numbers such as 3+, and more than half
//! of the different values are words, or there are at most twenty different values that recur, or at most twenty with a class among
//! them. Everything else is refused, with the cells that are in the way.

use std::borrow::Cow;
use std::collections::HashSet;

use shallows_verify::date::{DateOrder, read};
use shallows_verify::table::is_padded;

use super::Roles;
use super::dates::is_time_of_day;
use crate::data::cell_numbers::CellNumbers;
use crate::data::column::Column;
use crate::data::table::Table;
use crate::data::text_kind::{TextKind, is_class, is_short_month};
use crate::error::{CellProblem, DateDoubt, Error, Result, is_gap_like};

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) enum ColumnKind {
    Numbers,
    Words,
    /// Dates, with the order of day and month that they show.
    Dates(DateOrder),
}

/// A column and what it is: numbers and moments are no longer texts.
#[derive(Clone, Debug)]
pub(in crate::data) struct Understood<'a> {
    pub(in crate::data) column: Cow<'a, Column>,
    pub(in crate::data) kind: ColumnKind,
}

/// A column with words is one of words if at least one cell in so many is a word, or one a class of numbers, …
const CELLS_FOR_A_WORD: usize = 20;
/// … and, where no more than half of the different values are words, if there are at most so many of them, …
const FEW_VALUES: usize = 20;
/// … each so many times on average.
const CELLS_OF_A_VALUE: usize = 5;

/// Column j, by its cells and by what was said about it; an error that counts the cells that do not fit.
pub(in crate::data) fn understood<'a>(table: &'a Table, roles: &Roles, j: usize) -> Result<Understood<'a>> {
    table.readable(j)?;
    let (name, column) = (&table.names[j], &table.columns[j]);
    let as_it_is = |kind| Ok(Understood { column: Cow::Borrowed(column), kind });
    if roles.categorical.contains(name) || roles.order_of(name).is_some() {
        return as_it_is(ColumnKind::Words);
    }
    if column.are_moments {
        let infinite = (0..table.rows()).filter(|&i| column.word(i).is_some());
        let problem = |i: usize| CellProblem::NotFinite { text: column.text(i) };
        let infinite = if column.levels().is_empty() { None } else { table.cells_error(j, infinite, problem) };
        return infinite.map_or_else(|| as_it_is(ColumnKind::Dates(DateOrder::Unsaid)), Err);
    }
    if column.levels().is_empty() {
        return as_it_is(ColumnKind::Numbers);
    }
    if column.has_only_digits() && column.levels().iter().all(|word| is_padded(word)) {
        return as_it_is(ColumnKind::Words);
    }
    let cells = CellNumbers::new(table, j);
    if cells.is_whole() {
        let numbers = (0..table.rows()).map(|i| cells.at(i)).collect();
        return Ok(Understood { column: Cow::Owned(Column::of_numbers(numbers)), kind: ColumnKind::Numbers });
    }
    if !column.has_numbers()
        && let Some(order) = date_order(table, j)?
    {
        let column = Cow::Owned(moments(column, table.rows(), order));
        return Ok(Understood { column, kind: ColumnKind::Dates(order) });
    }
    let counts = Counts::new(table, j);
    if counts.are_words() { as_it_is(ColumnKind::Words) } else { Err(refusal(table, j, &cells, &counts)) }
}

/// The moments that the words of a column are; gaps where they are none.
pub(super) fn moments(column: &Column, rows: usize, order: DateOrder) -> Column {
    // Years of four digits are less than 2⁵⁹ microseconds away, of which a double holds all but the last digits far from now.
    let moment = |word: &String| read(word, order).map_or(f64::NAN, |moment| moment as f64);
    let of_levels: Vec<f64> = column.levels().iter().map(moment).collect();
    Column::of_moments((0..rows).map(|i| column.word(i).map_or(f64::NAN, |level| of_levels[level])).collect())
}

/// The order of day and month in a column of which every word is a date; `None` where one is not, an error where both are
/// possible and not the same.
fn date_order(table: &Table, j: usize) -> Result<Option<DateOrder>> {
    let levels = table.columns[j].levels();
    let all = |order| levels.iter().map(|word| read(word, order)).collect::<Option<Vec<i64>>>();
    let (day_first, month_first) = (all(DateOrder::DayFirst), all(DateOrder::MonthFirst));
    // A time of day is of no date: among dates it would be one of 1970.
    let times = levels.iter().filter(|word| is_time_of_day(word)).count();
    if (1..levels.len()).contains(&times) {
        return Ok(None);
    }
    let open = |doubt, is_open: &dyn Fn(&str) -> bool| {
        let column = &table.columns[j];
        let rows = (0..table.rows()).filter(|&i| column.word(i).is_some_and(|level| is_open(&levels[level])));
        table.cells_error(j, rows, |i| CellProblem::OpenDate { text: column.text(i), doubt })
    };
    let order = match (day_first, month_first) {
        (None, None) => return Ok(None),
        (Some(day_first), Some(month_first)) if day_first != month_first => {
            let differs = |word: &str| read(word, DateOrder::DayFirst) != read(word, DateOrder::MonthFirst);
            return open(DateDoubt::Order, &differs).map_or(Ok(None), Err);
        }
        (None, Some(_)) => DateOrder::MonthFirst,
        (Some(_), None) => DateOrder::DayFirst,
        (Some(_), Some(_)) => DateOrder::Unsaid,
    };
    if are_short_years_open(levels) {
        return open(DateDoubt::ShortYear, &|word| short_year(word).is_some()).map_or(Ok(Some(order)), Err);
    }
    Ok(Some(order))
}

/// Whether there are dates of three short numbers, and the year could come first in each of them.
pub(super) fn are_short_years_open(words: &[String]) -> bool {
    let mut short = words.iter().filter_map(|word| short_year(word)).peekable();
    short.peek().is_some() && short.all(is_year_first)
}

/// The three numbers of a date that are of two digits at most, so that the year could be the first or the last. With dots the day
/// is first in any case.
pub(super) fn short_year(text: &str) -> Option<[&str; 3]> {
    let date = text.trim().split([' ', 'T', 't']).next()?;
    let parts: Vec<&str> = date.split(['-', '/']).collect();
    let is_short = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    <[&str; 3]>::try_from(parts).ok().filter(|parts| parts.iter().all(is_short))
}

/// Whether three such numbers are a year, a month and a day.
fn is_year_first([year, month, day]: [&str; 3]) -> bool {
    read(&format!("20{year:0>2}-{month}-{day}"), DateOrder::DayFirst).is_some()
}

/// What the cells of a column look like.
struct Counts {
    kinds: Vec<TextKind>,
    numbers: usize,
    dates: usize,
    words: usize,
    /// Whether every word stands for nothing.
    only_gap_like: bool,
    /// Whether a word is a class of numbers, which nobody writes by mistake.
    has_classes: bool,
    different_words: usize,
    different: usize,
}

impl Counts {
    fn new(table: &Table, j: usize) -> Counts {
        let column = &table.columns[j];
        let kinds: Vec<TextKind> = column.levels().iter().map(|word| TextKind::guess(word)).collect();
        let has_classes = column.levels().iter().any(|word| is_class(word));
        let (numbers, dates, words, different_words, different) = (0, 0, 0, 0, 0);
        let mut counts =
            Counts { numbers, dates, words, only_gap_like: true, has_classes, different_words, different, kinds };
        let mut different_numbers = HashSet::new();
        for i in (0..table.rows()).filter(|&i| !column.is_missing(i)) {
            match counts.kind(column, i) {
                TextKind::Word => counts.words += 1,
                TextKind::Date => counts.dates += 1,
                TextKind::Number => counts.numbers += 1,
            }
            if column.word(i).is_none() {
                different_numbers.insert(column.number(i).to_bits());
            }
        }
        let clear = || column.levels().iter().zip(&counts.kinds).filter(|(_, kind)| **kind == TextKind::Word);
        (counts.only_gap_like, counts.different_words) = (clear().all(|(word, _)| is_gap_like(word)), clear().count());
        counts.different = column.levels().len() + different_numbers.len();
        counts
    }

    /// What cell i looks like, in which something is.
    fn kind(&self, column: &Column, i: usize) -> TextKind {
        column.word(i).map_or(TextKind::Number, |level| self.kinds[level])
    }

    fn are_words(&self) -> bool {
        if self.numbers + self.dates == 0 {
            return true;
        }
        // What is almost a number beside classes of numbers may be a mistake.
        let are_classes = self.has_classes && self.kinds.iter().all(|kind| *kind == TextKind::Word);
        if are_classes && self.different <= FEW_VALUES {
            return true;
        }
        let present = self.numbers + self.dates + self.words;
        let share = CELLS_FOR_A_WORD * self.words >= present && self.words > 0 && !self.only_gap_like;
        let many = share || are_classes;
        let recur = self.different <= FEW_VALUES && CELLS_OF_A_VALUE * self.different <= present;
        many && (2 * self.different_words > self.different || recur)
    }
}

/// A column that is a bit of several kinds, or of numbers and dates that cannot be read: the cells of the smaller party.
fn refusal(table: &Table, j: usize, cells: &CellNumbers<'_>, counts: &Counts) -> Error {
    let column = &table.columns[j];
    let are_dates = counts.dates > counts.numbers;
    let order = best_order(column);
    let is_day = |word: &str| read(word, order).is_some() && !is_time_of_day(word);
    let has_days = column.levels().iter().any(|word| is_day(word));
    let is_moment = |word: &str| if has_days { is_day(word) } else { read(word, order).is_some() };
    let is_wrong = |i: &usize| match counts.kind(column, *i) {
        _ if column.is_missing(*i) => false,
        _ if are_dates => column.word(*i).is_none_or(|level| !is_moment(&column.levels()[level])),
        _ => cells.at(*i).is_nan(),
    };
    let problem = |i: usize| match cells.problem(i) {
        CellProblem::NotANumber { text } if are_dates && is_short_month(&text) => {
            CellProblem::OpenDate { text, doubt: DateDoubt::ShortMonth }
        }
        CellProblem::NotANumber { text } if are_dates => CellProblem::NotADate { text },
        problem => problem,
    };
    let wrong = (0..table.rows()).filter(is_wrong);
    table.cells_error(j, wrong, problem).unwrap_or_else(|| table.cell_error(0, j, CellProblem::Missing))
}

/// The order that more words of a column can have.
fn best_order(column: &Column) -> DateOrder {
    let count = |order| column.levels().iter().filter(|word| read(word, order).is_some()).count();
    if count(DateOrder::MonthFirst) > count(DateOrder::DayFirst) { DateOrder::MonthFirst } else { DateOrder::DayFirst }
}
