//! Commas in numbers, in tables whose columns are separated by something else.
//!
//! A cell such as 3,5 can only be a number with a decimal comma; 1,234 could as well be one thousand two hundred and
//! thirty-four. A column is read with decimal commas where one of its cells is of the first kind, or where none is but
//! another column shows what commas mean in this file. Where commas are decimal, no number has a separator of thousands. What
//! stays open is left as words, to be refused where it is used. FORMAT.md §9 has the rule.

use std::path::Path;

use shallows_verify::table::{Commas, decimal_comma, is_padded, written_number};

use super::column::Column;
use crate::error::{Error, Result, TableProblem};

/// Find out what commas are where that is open, and turn words with decimal commas into numbers.
pub(super) fn settle(path: &Path, names: &[String], columns: &mut [Column], commas: &mut Commas) -> Result<()> {
    if *commas == Commas::Thousands {
        return Ok(());
    }
    let numbers = |column: &Column| -> Option<bool> {
        // Whole numbers that begin with a zero are words, too.
        let commas = column.levels().iter().filter(|word| !is_padded(word));
        let clear: Vec<bool> = commas.map(|word| decimal_comma(word).map(|(_, clear)| clear)).collect::<Option<_>>()?;
        (!clear.is_empty()).then_some(clear.contains(&true))
    };
    let found: Vec<Option<bool>> = columns.iter().map(numbers).collect();
    let comma = found.iter().position(|clear| *clear == Some(true));
    if *commas == Commas::Open && comma.is_none() {
        return Ok(());
    }
    *commas = Commas::Decimal;
    // Where commas are decimal, points are not: 1.234 would be read as something else than was meant.
    if let (Some(comma), Some(point)) = (comma, columns.iter().position(|column| column.points)) {
        let (comma, point) = (names[comma].clone(), names[point].clone());
        return Err(Error::table(path, TableProblem::MixedDecimals { comma, point }));
    }
    for column in columns.iter_mut().zip(found).filter(|(_, found)| found.is_some()).map(|(column, _)| column) {
        column.words_to_numbers(|word| decimal_comma(word).map(|(value, _)| value).or_else(|| written_number(word)));
    }
    Ok(())
}
