//! Whether a column is one of numbers or one of words.

use crate::data::column::{Cell, name_of};
use crate::data::table::Table;
use crate::data::text_kind::TextKind;
use crate::error::{CellProblem, Result};

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Numbers,
    Words,
}

/// By its cells; a column that is a bit of both, or one of dates, is an error that names a cell.
pub(super) fn column_kind(table: &Table, j: usize) -> Result<ColumnKind> {
    let column = &table.columns[j];
    if column.levels().is_empty() {
        return Ok(ColumnKind::Numbers);
    }
    let kinds: Vec<TextKind> = column.levels().iter().map(|word| TextKind::guess(word)).collect();
    let kind_of = |i: usize| match column.word(i) {
        Some(level) => Some(kinds[level]),
        None => column.has_numbers().then(|| column.number(i)).filter(|x| !x.is_nan()).map(|_| TextKind::Number),
    };
    let count = |wanted: TextKind| (0..table.rows()).filter(|&i| kind_of(i) == Some(wanted)).count();
    let (numbers, words, dates) = (count(TextKind::Number), count(TextKind::Word), count(TextKind::Date));
    if words > 0 && numbers == 0 {
        return Ok(ColumnKind::Words);
    }
    // What to complain about: a cell of the smaller party, or one that only kinds like a number.
    let suspect = |i: &usize| match (words, dates) {
        (0, 0) => column.word(*i).is_some(),
        (0, _) => kind_of(*i) == Some(TextKind::Date),
        _ if words > numbers => kind_of(*i) == Some(TextKind::Number),
        _ => kind_of(*i) == Some(TextKind::Word),
    };
    let at = (0..table.rows()).find(suspect).unwrap_or(0);
    let problem = match column.cell(at) {
        Cell::Number(x) => CellProblem::NumberAmongWords { text: name_of(x) },
        Cell::Word(word) if words > numbers => CellProblem::NumberAmongWords { text: word.to_owned() },
        Cell::Word(word) if word.parse::<f64>().is_ok() => CellProblem::NotFinite { text: word.to_owned() },
        Cell::Word(word) => CellProblem::NotANumber { text: word.to_owned() },
        Cell::Missing => CellProblem::Missing,
    };
    Err(table.cell_error(at, j, problem))
}
