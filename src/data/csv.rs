//! CSV: a line of names, then a line of cells for each row.
//!
//! The columns are separated by whichever of comma, semicolon and tab is most frequent in the header, by `|` where none of
//! them is there, and by blanks where it is clear. Cells may be quoted and then hold anything, line breaks included. The
//! records are split here rather than by a general reader, because every message names the line as an editor counts it,
//! and because nothing may be skipped or repaired in silence: an empty line between rows, a quotation mark in the wrong
//! place, a row too long. Lines of comment are skipped, and counted.
//!
//! The first columns need not have a name: that is how data frames are written with the numbers or names of their rows. A
//! first line such as `sep=;` says what separates the columns, and an empty column at the end is none.

mod dialect;
mod records;

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use shallows_verify::table::Commas;

use super::column::{Builder, Cell, Column};
use super::table::{FrameIndex, Lines, Table};
use super::{decimal, index};
use crate::error::{CellProblem, Error, Place, Result, TableProblem, excerpt};
use records::Records;

/// Read a table from CSV text.
pub(super) fn read(text: impl BufRead, path: &Path) -> Result<Table> {
    let mut records = Records::start(text, path)?;
    if !records.advance()? {
        return Err(Error::table(path, TableProblem::Empty));
    }
    let names = header(&records)?;
    let mut remarks: Vec<String> = numbers_in_words(&names).into_iter().collect();
    let Body { mut names, mut columns, rows, lines, row_names, is_last_blank } = Body::read(&mut records, names)?;
    // Names of rows are all different, which one row does not show; otherwise it is the header that is too short.
    if let Some(line) = row_names.filter(|_| rows < 2 || !all_different(&columns[0], rows)) {
        let (expected, found) = (names.len() - 1, names.len());
        return Err(Error::table(path, TableProblem::Ragged { line, expected, found }));
    }
    // A separator at the end of every line makes no column.
    if names.len() > 1 && is_last_blank && names.last().is_some_and(String::is_empty) {
        names.pop();
        columns.pop();
        remarks.push("a last column without a name and without cells skipped".to_owned());
    }
    let mut commas = if records.separator() == b',' { Commas::Thousands } else { Commas::Open };
    decimal::settle(path, &names, &mut columns, &mut commas)?;
    let index = FrameIndex { unnamed: index::named(&mut names), named: vec![] };
    remarks.extend(records.remarks());
    let table = Table::new(path, names, columns, rows)?.with_lines(lines).with_index(index).with_remarks(remarks);
    Ok(table.with_commas(commas))
}

/// What stands below the header.
struct Body {
    /// Those of the header, and before them an empty one where rows have names.
    names: Vec<String>,
    columns: Vec<Column>,
    rows: usize,
    lines: Lines,
    /// The line of the first row, where rows have names.
    row_names: Option<u64>,
    /// Whether every cell of the last column is empty.
    is_last_blank: bool,
}

impl Body {
    fn read<R: BufRead>(records: &mut Records<'_, R>, mut names: Vec<String>) -> Result<Body> {
        let header_width = names.len();
        records.set_width(header_width);
        let mut columns: Vec<Builder> = names.iter().map(|_| Builder::default()).collect();
        let (mut rows, mut lines, mut row_names, mut is_last_blank) = (0, Lines::default(), None, true);
        while records.advance()? {
            if rows == 0 && starts_with_row_name(records, &names) {
                row_names = Some(records.line);
                names.insert(0, String::new());
                columns.push(Builder::default());
                records.set_width(names.len());
            }
            let (line, found) = (records.line, records.width_found());
            if found != names.len() {
                let problem = match row_names {
                    Some(_) => TableProblem::Uneven { line, expected: names.len(), found },
                    None => TableProblem::Ragged { line, expected: header_width, found },
                };
                return Err(Error::table(records.path, problem));
            }
            lines.note(rows, line);
            push_row(records, &names, &mut columns)?;
            is_last_blank &= is_blank(records.cell(found - 1));
            rows += 1;
        }
        let columns = columns.into_iter().map(Builder::finish).collect();
        Ok(Body { names, columns, rows, lines, row_names, is_last_blank })
    }
}

/// Whether there is no letter in a cell.
fn is_blank(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|text| text.trim().is_empty())
}

fn push_row<R: BufRead>(records: &Records<'_, R>, names: &[String], columns: &mut [Builder]) -> Result<()> {
    for (j, column) in columns.iter_mut().enumerate() {
        let text = std::str::from_utf8(records.cell(j)).map_err(|error| Error::Cell {
            path: records.path.to_owned(),
            place: Place::Line(records.line),
            column: names[j].clone(),
            problem: CellProblem::NotUtf8 { byte: records.cell(j)[error.valid_up_to()] },
        })?;
        column.push_text(text);
    }
    Ok(())
}

/// The names in the first record.
fn header<R: BufRead>(records: &Records<'_, R>) -> Result<Vec<String>> {
    let refuse = |problem| Err(Error::table(records.path, problem));
    let mut names = Vec::with_capacity(records.width_found());
    for j in 0..records.width_found() {
        match std::str::from_utf8(records.cell(j)) {
            Ok(name) => names.push(name.trim().to_owned()),
            Err(error) => {
                let byte = records.cell(j)[error.valid_up_to()];
                return refuse(TableProblem::NotUtf8 { line: records.line, byte });
            }
        }
    }
    let filled = || names.iter().filter(|name| !name.is_empty());
    if filled().next().is_some() && filled().all(|name| name.parse::<f64>().is_ok()) && !numbers_columns(&names) {
        return refuse(TableProblem::NoHeader);
    }
    Ok(names)
}

/// That a line was taken as names which may have been a row.
fn numbers_in_words(names: &[String]) -> Option<String> {
    let mut words = names.iter().filter(|name| !name.is_empty() && name.parse::<f64>().is_err());
    let numbers = names.iter().filter(|name| name.parse::<f64>().is_ok()).count();
    let word = words.next().filter(|_| numbers > 0 && words.next().is_none())?;
    Some(format!("the first line is taken as names, although all of them but {} are numbers", excerpt(word)))
}

/// Whether the names are what pandas gives to columns without names, after an index: nothing, 0, 1, 2, …
fn numbers_columns(names: &[String]) -> bool {
    let counted = names.iter().skip(1).enumerate().all(|(j, name)| *name == j.to_string());
    names[0].is_empty() && names.len() > 2 && counted
}

/// Whether the first row has one cell more than the header, as R's `write.table` leaves it: the name of the row comes
/// first. A separator at the end of the row would look the same, but for an empty last cell.
fn starts_with_row_name<R: BufRead>(records: &Records<'_, R>, names: &[String]) -> bool {
    let filled = |j: usize| !is_blank(records.cell(j));
    let all_named = names.iter().all(|name| !name.is_empty());
    all_named && records.width_found() == names.len() + 1 && filled(0) && filled(names.len())
}

/// Whether no two cells of a column are equal and none is a gap.
fn all_different(column: &Column, rows: usize) -> bool {
    let mut numbers = HashSet::new();
    let mut words = HashSet::new();
    (0..rows).all(|i| match column.cell(i) {
        Cell::Missing => false,
        Cell::Number(x) => numbers.insert((x + 0.0).to_bits()),
        Cell::Word(word) => words.insert(word),
    })
}
