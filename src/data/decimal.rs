//! Decimal commas, in tables whose columns are separated by something else.
//!
//! A cell such as 3,5 can only be a number with a decimal comma; 1,234 could as well be one thousand two hundred and
//! thirty-four. A column is read with decimal commas where one of its cells is of the first kind, or where none is but
//! another column shows what commas mean in this file. What stays open is left as words, to be refused where it is used.

use std::path::Path;

use shallows_verify::table::{is_padded, written_number};

use super::column::Column;
use super::text_kind::decimal_comma;
use crate::error::{Error, Result, TableProblem};

/// Turn words with decimal commas into numbers.
pub(super) fn settle(path: &Path, names: &[String], columns: &mut [Column]) -> Result<()> {
    let numbers = |column: &Column| -> Option<bool> {
        // Whole numbers that begin with a zero are words, too.
        let commas = column.levels().iter().filter(|word| !is_padded(word));
        let clear: Vec<bool> = commas.map(|word| decimal_comma(word).map(|(_, clear)| clear)).collect::<Option<_>>()?;
        (!clear.is_empty()).then_some(clear.contains(&true))
    };
    let found: Vec<Option<bool>> = columns.iter().map(numbers).collect();
    let Some(comma) = found.iter().position(|clear| *clear == Some(true)) else { return Ok(()) };
    // Where commas are decimal, points are not: 1.234 would be read as something else than was meant.
    if let Some(point) = columns.iter().position(|column| column.points) {
        let (comma, point) = (names[comma].clone(), names[point].clone());
        return Err(Error::table(path, TableProblem::MixedDecimals { comma, point }));
    }
    for column in columns.iter_mut().zip(found).filter(|(_, found)| found.is_some()).map(|(column, _)| column) {
        column.words_to_numbers(|word| decimal_comma(word).map(|(value, _)| value).or_else(|| written_number(word)));
    }
    Ok(())
}
