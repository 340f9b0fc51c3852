//! The records of a CSV text, one at a time.

use std::collections::VecDeque;
use std::io::{BufRead, Read};
use std::path::Path;

use super::dialect::{self, BLANK, Quotes};
use crate::error::{Error, Result, TableProblem};

/// What Unicode text may start with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// What text of two bytes for each letter starts with.
const WIDE_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
/// What files start with that are no text, and what they are.
const OTHER_FILES: [(&[u8], &str); 6] = [
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet"),
    (b"PAR1", "Parquet"),
    (b"ARROW1\0", "Feather"),
    (b"\x93NUMPY", "NPY"),
];
pub(super) const QUOTE: u8 = b'"';
/// What a line of comment starts with.
const COMMENT: u8 = b'#';
/// Bytes of a record at most, or a file without line breaks would fill the memory: 20 000 columns may take 3 kB each.
const MOST_RECORD_BYTES: usize = 64 << 20;

/// A separator in a sentence.
fn name(separator: u8) -> String {
    if separator == b'\t' { "a tab".to_owned() } else { char::from(separator).to_string() }
}

/// A text as records; the first is the header.
pub(super) struct Records<'a, R> {
    text: R,
    pub(super) path: &'a Path,
    separator: u8,
    /// The line on which the current record starts, from 1.
    pub(super) line: u64,
    /// Lines read so far.
    lines: u64,
    /// The header is read before the first record is asked for.
    read_ahead: bool,
    /// Lines that were looked at before it was their turn.
    ahead: VecDeque<Vec<u8>>,
    /// Cells of a row, once the header is known.
    width: Option<usize>,
    /// Lines of comment skipped so far.
    comments: u64,
    /// What the first line says that separates the cells, where it says nothing else.
    declared: Option<u8>,
    /// The current line as it stands in the file, without its end.
    raw: Vec<u8>,
    /// The cells of the current record, without quotation marks, one after another.
    cells: Vec<u8>,
    /// Where each cell ends in `cells`, and how far it is to the start of the next.
    ends: Vec<usize>,
    gap: usize,
}

impl<'a, R: BufRead> Records<'a, R> {
    /// Read up to the header and find out how it separates its names.
    pub(super) fn start(text: R, path: &'a Path) -> Result<Self> {
        let mut records = Records {
            text,
            path,
            separator: b',',
            line: 0,
            lines: 0,
            read_ahead: false,
            ahead: VecDeque::new(),
            width: None,
            comments: 0,
            declared: None,
            raw: Vec::new(),
            cells: Vec::new(),
            ends: Vec::new(),
            gap: 0,
        };
        records.read_ahead = records.read_line()?;
        if WIDE_MARKS.iter().any(|mark| records.raw.starts_with(mark)) {
            return Err(Error::table(path, TableProblem::Utf16));
        }
        if let Some((_, kind)) = OTHER_FILES.iter().find(|(start, _)| records.raw.starts_with(start)) {
            return Err(Error::table(path, TableProblem::NotText { kind }));
        }
        if records.raw.starts_with(BYTE_ORDER_MARK) {
            records.raw.drain(..BYTE_ORDER_MARK.len());
        }
        if dialect::has_bare_returns(&records.raw) {
            return Err(Error::table(path, TableProblem::CarriageReturns));
        }
        records.declared = dialect::declared_separator(&records.raw);
        if records.declared.is_some() {
            records.read_ahead = records.read_line()?;
        }
        records.skip_first_comments()?;
        records.line = records.lines;
        records.separator = records.separator_of_header()?;
        Ok(records)
    }

    /// Go to the header: the first line that is no comment, or the one before it, where that has the names.
    fn skip_first_comments(&mut self) -> Result<()> {
        let mut last = None;
        while self.raw.first() == Some(&COMMENT) {
            last = Some(std::mem::take(&mut self.raw));
            self.comments += 1;
            self.read_ahead = self.read_line()?;
        }
        let Some(comment) = last else { return Ok(()) };
        match dialect::names_in_comment(&comment, &self.raw, self.declared) {
            Some(true) => {
                self.ahead.push_back(std::mem::replace(&mut self.raw, comment));
                (self.lines, self.comments) = (self.lines - 1, self.comments - 1);
                Ok(())
            }
            Some(false) => Ok(()),
            None => Err(Error::table(self.path, TableProblem::HeaderOrComment { line: self.lines - 1 })),
        }
    }

    /// How the header separates its names. A quoted name may hold line breaks: the header is read to its end.
    fn separator_of_header(&mut self) -> Result<u8> {
        let mut quotes = Quotes::of_header();
        quotes.pass(&self.raw);
        while quotes.is_open() {
            self.raw.push(b'\n');
            let start = self.raw.len();
            if !self.append_line()? {
                return Err(Error::table(self.path, TableProblem::Quote { line: self.line }));
            }
            quotes.pass(b"\n");
            quotes.pass(&self.raw[start..]);
        }
        match self.declared.or_else(|| dialect::separator(&self.raw)) {
            Some(separator) => Ok(separator),
            None => Ok(if self.has_blanks_between()? { BLANK } else { b',' }),
        }
    }

    /// Whether the header and the first row are clearly words with blanks between them.
    fn has_blanks_between(&mut self) -> Result<bool> {
        if dialect::words(&self.raw).is_none_or(|words| words.len() < 2) {
            return Ok(false);
        }
        let header = std::mem::take(&mut self.raw);
        let (lines, mut seen) = (self.lines, VecDeque::new());
        while self.read_line()? {
            let is_comment = self.raw.first() == Some(&COMMENT);
            seen.push_back(std::mem::take(&mut self.raw));
            if !is_comment {
                break;
            }
        }
        let clear = seen.back().is_some_and(|row| dialect::are_words_of_rows(&header, row));
        seen.append(&mut self.ahead);
        (self.ahead, self.lines, self.raw) = (seen, lines, header);
        Ok(clear)
    }

    pub(super) fn separator(&self) -> u8 {
        self.separator
    }

    /// What is said about lines that were skipped.
    pub(super) fn remarks(&self) -> Vec<String> {
        let separator = |separator| format!("the first line, which says that {} separates, skipped", name(separator));
        let comments = match self.comments {
            0 => None,
            1 => Some("1 line that starts with # skipped".to_owned()),
            lines => Some(format!("{lines} lines that start with # skipped")),
        };
        self.declared.map(separator).into_iter().chain(comments).collect()
    }

    /// From here on rows have so many cells; a line that starts with # and has another number is a comment.
    pub(super) fn set_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// Cells in the current record.
    pub(super) fn width_found(&self) -> usize {
        self.ends.len()
    }

    /// Cell j of the current record.
    pub(super) fn cell(&self, j: usize) -> &[u8] {
        let start = if j == 0 { 0 } else { self.ends[j - 1] + self.gap };
        &self.cells[start..self.ends[j]]
    }

    /// Go to the next record. Empty lines may only be at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        if !std::mem::take(&mut self.read_ahead) {
            loop {
                if !self.read_line()? {
                    return Ok(false);
                }
                if !self.is_comment() {
                    break;
                }
                self.comments += 1;
            }
            self.line = self.lines;
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
        if self.separator == BLANK {
            self.split_words()?;
        } else if self.raw.contains(&QUOTE) {
            self.split_quoted()?;
        } else {
            self.split_plain();
        }
        Ok(true)
    }

    /// Whether the current line is a comment: it starts with # and does not have the cells of a row, whose first may
    /// start so, too.
    fn is_comment(&self) -> bool {
        let is_row = || dialect::cells(&self.raw, self.separator).is_none_or(|cells| Some(cells.len()) == self.width);
        self.raw.first() == Some(&COMMENT) && (self.separator == BLANK || !is_row())
    }

    fn read_line(&mut self) -> Result<bool> {
        self.raw.clear();
        self.append_line()
    }

    /// Read a line and drop its end, LF or CR LF.
    fn append_line(&mut self) -> Result<bool> {
        if let Some(line) = self.ahead.pop_front() {
            self.raw.extend_from_slice(&line);
            self.lines += 1;
            return Ok(true);
        }
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

    /// Words with blanks between them.
    fn split_words(&mut self) -> Result<()> {
        self.cells.clear();
        self.gap = 0;
        let mut at = 0;
        loop {
            at += self.raw[at..].iter().take_while(|byte| **byte == BLANK).count();
            match self.raw.get(at) {
                None => return Ok(()),
                Some(&QUOTE) => at = self.quoted_cell(at + 1)?,
                Some(_) => {
                    let word = self.raw[at..].split(|byte| *byte == BLANK).next().unwrap_or_default();
                    self.cells.extend_from_slice(word);
                    at += word.len();
                }
            }
            self.ends.push(self.cells.len());
        }
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
        let blanks = self.raw[at..].iter().take_while(|byte| **byte == b' ').count();
        at += blanks;
        let separates = |byte: &u8| if self.separator == BLANK { blanks > 0 } else { *byte == self.separator };
        let ends = self.raw.get(at).is_none_or(separates);
        if ends { Ok(at) } else { Err(stray(self.lines)) }
    }
}
