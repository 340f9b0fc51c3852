//! CSV: a line of names, then a line of cells for each row.
//!
//! The columns are separated by whichever of comma, semicolon and tab is most frequent in the header. Cells may
//! be quoted and then hold anything, line breaks included. The records are split here rather than by a general
//! reader, because every message names the line as an editor counts it, and because nothing may be skipped or
//! repaired in silence: an empty line between rows, a quotation mark in the wrong place, a row too long.

use std::io::{BufRead, Read};
use std::path::Path;

use super::column::{Builder, Column};
use super::decimal;
use super::table::{Lines, Table};
use crate::error::{CellProblem, Error, Place, Result, TableProblem};

/// What Unicode text may start with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const QUOTE: u8 = b'"';
/// Bytes of a record at most, or a file without line breaks would fill the memory: 20 000 columns may take 3 kB each.
const MOST_RECORD_BYTES: usize = 64 << 20;
/// Separators, the preferred ones first.
const SEPARATORS: [u8; 3] = *b",;\t";

/// Read a table from CSV text.
pub(super) fn read(text: impl BufRead, path: &Path) -> Result<Table> {
    let mut records = Records::start(text, path)?;
    if !records.advance()? {
        return Err(Error::table(path, TableProblem::Empty));
    }
    let names = header(&records)?;
    let mut columns: Vec<Builder> = names.iter().map(|_| Builder::default()).collect();
    let mut lines = Lines::default();
    let mut rows = 0;
    while records.advance()? {
        let (line, expected, found) = (records.line, names.len(), records.ends.len());
        if found != expected {
            return Err(Error::table(path, TableProblem::Ragged { line, expected, found }));
        }
        lines.note(rows, line);
        for (j, column) in columns.iter_mut().enumerate() {
            let text = std::str::from_utf8(records.cell(j)).map_err(|error| Error::Cell {
                path: path.to_owned(),
                place: Place::Line(line),
                column: names[j].clone(),
                problem: CellProblem::NotUtf8 { byte: records.cell(j)[error.valid_up_to()] },
            })?;
            column.push_text(text);
        }
        rows += 1;
    }
    let mut columns: Vec<Column> = columns.into_iter().map(Builder::finish).collect();
    if records.separator != b',' {
        decimal::settle(path, &names, &mut columns)?;
    }
    let may_have_decimal_commas = records.separator != b',';
    Ok(Table::new(path, names, columns, rows)?.with_lines(lines).with_decimal_commas(may_have_decimal_commas))
}

/// The names in the first record.
fn header<R: BufRead>(records: &Records<'_, R>) -> Result<Vec<String>> {
    let refuse = |problem| Err(Error::table(records.path, problem));
    let mut names = Vec::with_capacity(records.ends.len());
    for j in 0..records.ends.len() {
        match std::str::from_utf8(records.cell(j)) {
            Ok(name) => names.push(name.trim().to_owned()),
            Err(error) => {
                let byte = records.cell(j)[error.valid_up_to()];
                return refuse(TableProblem::NotUtf8 { line: records.line, byte });
            }
        }
    }
    let filled = || names.iter().filter(|name| !name.is_empty());
    if filled().next().is_some() && filled().all(|name| name.parse::<f64>().is_ok()) {
        return refuse(TableProblem::NoHeader);
    }
    Ok(names)
}

/// The records of a CSV text, one at a time.
struct Records<'a, R> {
    text: R,
    path: &'a Path,
    separator: u8,
    /// The line on which the current record starts, from 1.
    line: u64,
    /// Lines read so far.
    lines: u64,
    /// The first line is read ahead, to find the separator.
    read_ahead: bool,
    /// The current line as it stands in the file, without its end.
    raw: Vec<u8>,
    /// The cells of the current record, without quotation marks, one after another.
    cells: Vec<u8>,
    /// Where each cell ends in `cells`, and how far it is to the start of the next.
    ends: Vec<usize>,
    gap: usize,
}

impl<'a, R: BufRead> Records<'a, R> {
    fn start(text: R, path: &'a Path) -> Result<Self> {
        let (raw, cells, ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut records =
            Records { text, path, separator: b',', line: 0, lines: 0, read_ahead: false, raw, cells, ends, gap: 0 };
        records.read_ahead = records.read_line()?;
        if records.raw.starts_with(BYTE_ORDER_MARK) {
            records.raw.drain(..BYTE_ORDER_MARK.len());
        }
        records.separator = records.separator_of_header()?;
        Ok(records)
    }

    /// The separator that is most frequent in the header, outside quotation marks. A quoted name may hold line
    /// breaks: the header is read to its end.
    fn separator_of_header(&mut self) -> Result<u8> {
        let mut scan = Scan { counts: [0; SEPARATORS.len()], quoted: false, cell_starts: true };
        scan.bytes(&self.raw);
        while scan.quoted {
            self.raw.push(b'\n');
            let start = self.raw.len();
            if !self.append_line()? {
                return Err(Error::table(self.path, TableProblem::Quote { line: 1 }));
            }
            scan.bytes(b"\n");
            scan.bytes(&self.raw[start..]);
        }
        let most = scan.counts.iter().max().copied().unwrap_or(0);
        let which = scan.counts.iter().position(|count| *count == most).unwrap_or(0);
        Ok(SEPARATORS[which])
    }

    /// Cell j of the current record.
    fn cell(&self, j: usize) -> &[u8] {
        let start = if j == 0 { 0 } else { self.ends[j - 1] + self.gap };
        &self.cells[start..self.ends[j]]
    }

    /// Go to the next record. Empty lines may only be at the end of the file.
    fn advance(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.read_ahead) {
            self.line = 1;
        } else if self.read_line()? {
            self.line = self.lines;
        } else {
            return Ok(false);
        }
        if self.raw.trim_ascii().is_empty() && !self.raw.contains(&b'\t') {
            while self.read_line()? {
                if !self.raw.trim_ascii().is_empty() {
                    return Err(Error::table(self.path, TableProblem::BlankLine { line: self.line }));
                }
            }
            return Ok(false);
        }
        self.ends.clear();
        if self.raw.contains(&QUOTE) {
            self.split_quoted()?;
        } else {
            self.split_plain();
        }
        Ok(true)
    }

    fn read_line(&mut self) -> Result<bool> {
        self.raw.clear();
        self.append_line()
    }

    /// Read a line and drop its end, LF or CR LF.
    fn append_line(&mut self) -> Result<bool> {
        let room = MOST_RECORD_BYTES.saturating_sub(self.raw.len());
        let mut text = self.text.by_ref().take(room as u64 + 1);
        let read = text.read_until(b'\n', &mut self.raw).map_err(|source| Error::io(self.path, source))?;
        self.lines += 1;
        if read > room {
            return Err(self.too_long());
        }
        if read > 0 && self.raw.last() == Some(&b'\n') {
            self.raw.pop();
            if read > 1 && self.raw.last() == Some(&b'\r') {
                self.raw.pop();
            }
        }
        Ok(read > 0)
    }

    fn too_long(&self) -> Error {
        let problem = TableProblem::LongRecord { line: self.lines, most: MOST_RECORD_BYTES >> 20 };
        Error::table(self.path, problem)
    }

    /// Without quotation marks the line itself holds the cells, separators in between.
    fn split_plain(&mut self) {
        std::mem::swap(&mut self.cells, &mut self.raw);
        let separator = self.separator;
        self.ends.extend(self.cells.iter().enumerate().filter(|(_, byte)| **byte == separator).map(|(at, _)| at));
        self.ends.push(self.cells.len());
        self.gap = 1;
    }

    /// With quotation marks the cells are copied without them; a quoted cell may span several lines.
    fn split_quoted(&mut self) -> Result<()> {
        self.cells.clear();
        self.gap = 0;
        let mut at = 0;
        loop {
            let blanks = self.raw[at..].iter().take_while(|byte| **byte == b' ').count();
            if self.raw.get(at + blanks) == Some(&QUOTE) {
                at = self.quoted_cell(at + blanks + 1)?;
            } else {
                let rest = &self.raw[at..];
                let length = rest.iter().position(|byte| *byte == self.separator).unwrap_or(rest.len());
                self.cells.extend_from_slice(&rest[..length]);
                at += length;
            }
            self.ends.push(self.cells.len());
            if at == self.raw.len() {
                return Ok(());
            }
            at += 1;
        }
    }

    /// Copy a cell whose text starts at `at`, after its quotation mark; returns where its separator is.
    fn quoted_cell(&mut self, mut at: usize) -> Result<usize> {
        let path = self.path;
        let stray = |line| Error::table(path, TableProblem::Quote { line });
        loop {
            match (self.raw.get(at), self.raw.get(at + 1)) {
                (Some(&QUOTE), Some(&QUOTE)) => {
                    self.cells.push(QUOTE);
                    at += 2;
                }
                (Some(&QUOTE), _) => break,
                (Some(&byte), _) => {
                    self.cells.push(byte);
                    at += 1;
                }
                (None, _) => {
                    self.cells.push(b'\n');
                    if self.cells.len() > MOST_RECORD_BYTES {
                        return Err(self.too_long());
                    }
                    if !self.read_line()? {
                        return Err(stray(self.line));
                    }
                    at = 0;
                }
            }
        }
        at += 1;
        at += self.raw[at..].iter().take_while(|byte| **byte == b' ').count();
        let ends = self.raw.get(at).is_none_or(|byte| *byte == self.separator);
        if ends { Ok(at) } else { Err(stray(self.lines)) }
    }
}

/// A first look at the header, before the separator is known.
struct Scan {
    counts: [usize; SEPARATORS.len()],
    quoted: bool,
    /// Nothing but spaces since the last separator: a quotation mark opens a quoted cell only here.
    cell_starts: bool,
}

impl Scan {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let separator = SEPARATORS.iter().position(|separator| *separator == byte).filter(|_| !self.quoted);
            if let Some(which) = separator {
                self.counts[which] += 1;
            }
            // A doubled mark inside a quoted cell closes it and opens it again.
            let opens = !self.quoted && self.cell_starts && byte == QUOTE;
            let closes = self.quoted && byte == QUOTE;
            self.quoted = (self.quoted || opens) && !closes;
            self.cell_starts = separator.is_some() || closes || (self.cell_starts && byte == b' ');
        }
    }
}
