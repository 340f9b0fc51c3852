//! The records of a CSV text: lines, comments, separators, quotation marks.

use std::collections::VecDeque;
use std::io::BufRead;

use super::trouble;
use crate::error::Result;

/// What Unicode text may start with.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Separators, the preferred ones first.
const SEPARATORS: [char; 3] = [',', ';', '\t'];
/// Where a cell may start before the separator is known: `|` separates where none of the others is in the header.
const ANY: [char; 4] = [',', ';', '\t', '|'];
/// Any number of blanks.
const BLANK: char = ' ';
/// Bytes of a record at most, or a file without line breaks would fill the memory.
const MOST_BYTES: usize = 64 << 20;

/// The records of a CSV text.
pub(super) struct Records<R> {
    text: R,
    /// The last line that was read, from 1.
    pub(super) line: usize,
    pub(super) separator: char,
    /// Cells of a row; a line that starts with # and has another number is a comment.
    pub(super) width: Option<usize>,
    /// Lines that were looked at before it was their turn.
    ahead: VecDeque<String>,
}

impl<R: BufRead> Records<R> {
    /// Before the header.
    pub(super) fn new(text: R) -> Self {
        Records { text, line: 0, separator: ',', width: None, ahead: VecDeque::new() }
    }

    /// One line without its end; `None` after the last.
    fn read_line(&mut self) -> Result<Option<String>> {
        self.line += 1;
        if let Some(line) = self.ahead.pop_front() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        let mut limited = std::io::Read::take(&mut self.text, MOST_BYTES as u64);
        let read = limited.read_until(b'\n', &mut bytes).map_err(|error| trouble(self.line, &error.to_string()))?;
        if read == MOST_BYTES {
            return Err(trouble(self.line, "the line is too long"));
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        let line = String::from_utf8(bytes).map_err(|_| trouble(self.line, "not UTF-8"))?;
        Ok((read > 0).then_some(line))
    }

    /// Put a line back.
    fn unread(&mut self, line: String) {
        self.ahead.push_front(line);
        self.line -= 1;
    }

    /// A record as it stands: this line, and those after it as long as a quoted cell is open.
    fn rest_of(&mut self, mut record: String, separators: &[char]) -> Result<String> {
        let (started, mut quotes) = (self.line, Quotes::new(separators));
        let mut is_open = quotes.is_open_after(&record);
        while is_open {
            let Some(more) = self.read_line()? else { return Err(trouble(started, "a quotation mark is not closed")) };
            is_open = quotes.is_open_after("\n") && quotes.is_open_after(&more);
            record = record + "\n" + &more;
            if record.len() > MOST_BYTES {
                return Err(trouble(started, "the row is too long"));
            }
        }
        Ok(record)
    }

    /// The names of the columns; sets the separator.
    pub(super) fn header(&mut self) -> Result<Option<Vec<String>>> {
        let declared = self.declared_separator()?;
        let Some(line) = self.first_line(declared)? else { return Ok(None) };
        let record = self.rest_of(line, &ANY)?;
        self.separator = match declared.or_else(|| separator_of(&record)) {
            Some(separator) => separator,
            None if self.has_blanks_between(&record)? => BLANK,
            None => ',',
        };
        self.split(&record).map(Some)
    }

    /// What a first line such as `sep=;` says that separates the cells; any other line is put back.
    fn declared_separator(&mut self) -> Result<Option<char>> {
        let Some(line) = self.read_line()? else { return Ok(None) };
        let line = line.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(line);
        let plain = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&line);
        let start = plain.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("sep="));
        let found = ANY.into_iter().find(|separator| start && plain[4..].chars().eq([*separator]));
        if found.is_none() {
            self.unread(line);
        }
        Ok(found)
    }

    /// The line of the header: the first that does not start with #, or the one before it, where that has as many cells
    /// and the next one has a number.
    fn first_line(&mut self, declared: Option<char>) -> Result<Option<String>> {
        let mut comment: Option<String> = None;
        while let Some(line) = self.read_line()? {
            if line.starts_with('#') {
                comment = Some(line);
                continue;
            }
            let Some(comment) = comment else { return Ok(Some(line)) };
            return match names_in_comment(&comment, &line, declared) {
                Some(true) => {
                    self.unread(line);
                    Ok(Some(comment))
                }
                Some(false) => Ok(Some(line)),
                None => Err(trouble(self.line - 1, "a comment, or the names of the columns?")),
            };
        }
        Ok(None)
    }

    /// Whether the header and the first row are clearly words with blanks between them.
    fn has_blanks_between(&mut self, header: &str) -> Result<bool> {
        let Some(names) = words(header).filter(|words| words.len() > 1) else { return Ok(false) };
        let (mut seen, mut clear) = (vec![], false);
        while let Some(line) = self.read_line()? {
            let is_comment = line.starts_with('#');
            if !is_comment && let Some(cells) = words(&line) {
                let more = cells.len().checked_sub(names.len());
                clear = matches!(more, Some(0 | 1)) && cells.iter().any(|cell| is_number(cell));
            }
            seen.push(line);
            if !is_comment {
                break;
            }
        }
        let line = self.line;
        seen.into_iter().rev().for_each(|line| self.unread(line));
        // The end of the text was counted as a line, too, where it was met.
        self.line = self.line.min(line);
        Ok(clear)
    }

    /// The cells of the next row. Empty lines may only be at the end.
    pub(super) fn next(&mut self) -> Result<Option<Vec<String>>> {
        let is_blank = |line: &str| line.trim().is_empty() && !line.contains('\t');
        let line = loop {
            match self.read_line()? {
                None => return Ok(None),
                Some(line) if self.is_comment(&line) => {}
                Some(line) => break line,
            }
        };
        if is_blank(&line) {
            let blank = self.line;
            while let Some(more) = self.read_line()? {
                if !more.trim().is_empty() {
                    return Err(trouble(blank, "an empty line between rows"));
                }
            }
            return Ok(None);
        }
        let record = self.rest_of(line, &[self.separator])?;
        self.split(&record).map(Some)
    }

    /// Whether a line starts with # and does not have the cells of a row, whose first may start so, too.
    fn is_comment(&self, line: &str) -> bool {
        let is_row = || cells_of_line(line, self.separator).is_none_or(|cells| Some(cells.len()) == self.width);
        line.starts_with('#') && (self.separator == BLANK || !is_row())
    }

    fn split(&self, record: &str) -> Result<Vec<String>> {
        let cells = if self.separator == BLANK { cells_between_blanks(record) } else { cells(record, self.separator) };
        cells.map_err(|problem| trouble(self.line, problem))
    }
}

/// The first of those that are there most often, outside of quoted cells; `|` where there is no other.
fn separator_of(header: &str) -> Option<char> {
    let count = |separator: char| {
        let mut quotes = Quotes::new(&ANY);
        header.chars().filter(|c| quotes.is_outside(*c) && *c == separator).count()
    };
    let most = SEPARATORS.into_iter().rev().max_by_key(|separator| count(*separator));
    most.into_iter().chain(['|']).find(|separator| count(*separator) > 0)
}

/// The cells of one line as they stand there; `None` where a quoted cell is open at its end.
fn cells_of_line(line: &str, separator: char) -> Option<Vec<&str>> {
    let separators = [separator];
    let mut quotes = Quotes::new(&separators);
    let (mut cells, mut start) = (vec![], 0);
    for (at, c) in line.char_indices() {
        if quotes.is_outside(c) && c == separator {
            cells.push(&line[start..at]);
            start = at + c.len_utf8();
        }
    }
    cells.push(&line[start..]);
    (!quotes.is_open_after("")).then_some(cells)
}

/// The words of one line.
fn words(line: &str) -> Option<Vec<&str>> {
    Some(cells_of_line(line, BLANK)?.into_iter().filter(|word| !word.is_empty()).collect())
}

/// Whether a cell is a number, quoted or not, perhaps with a decimal comma.
fn is_number(cell: &str) -> bool {
    let text = cell.trim().trim_matches('"').trim().replacen(',', ".", 1);
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a line that starts with # holds the names and the next a row; `None` where the next may be the header.
fn names_in_comment(comment: &str, next: &str, declared: Option<char>) -> Option<bool> {
    let separator = declared.or_else(|| separator_of(comment)).unwrap_or(',');
    let (names, row) = (cells_of_line(comment, separator), cells_of_line(next, separator));
    let (Some(names), Some(row)) = (names, row) else { return Some(false) };
    let has_number = row.iter().any(|cell| is_number(cell));
    match names.len() == row.len() {
        false => Some(false),
        true if has_number || names.len() == 1 => Some(has_number),
        true => None,
    }
}

/// Where quoted cells open and close; a quotation mark opens one only where a cell starts.
struct Quotes<'a> {
    separators: &'a [char],
    quoted: bool,
    starts: bool,
}

impl<'a> Quotes<'a> {
    /// Before the first character of a record.
    fn new(separators: &'a [char]) -> Quotes<'a> {
        Quotes { separators, quoted: false, starts: true }
    }

    /// Whether the next character is outside of quoted cells.
    fn is_outside(&mut self, c: char) -> bool {
        let was_quoted = self.quoted;
        let separates = !was_quoted && self.separators.contains(&c);
        // A doubled mark inside a quoted cell closes it and opens it again.
        let (opens, closes) = (!was_quoted && self.starts && c == '"', was_quoted && c == '"');
        self.quoted = (was_quoted || opens) && !closes;
        self.starts = separates || closes || (self.starts && c == ' ');
        !was_quoted
    }

    /// Whether a quoted cell is still open after more of the record. Every character is looked at once.
    fn is_open_after(&mut self, text: &str) -> bool {
        text.chars().for_each(|c| {
            self.is_outside(c);
        });
        self.quoted
    }
}

/// The cells of a record.
pub(super) fn cells(record: &str, separator: char) -> std::result::Result<Vec<String>, &'static str> {
    const STRAY: &str = "a quotation mark in the wrong place";
    let (mut cells, mut rest) = (vec![], record);
    loop {
        let trimmed = rest.trim_start_matches(' ');
        let after = match trimmed.strip_prefix('"') {
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                cells.push(rest[..end].to_owned());
                &rest[end..]
            }
            Some(mut quoted) => {
                let mut text = String::new();
                loop {
                    let end = quoted.find('"').ok_or(STRAY)?;
                    text += &quoted[..end];
                    quoted = &quoted[end + 1..];
                    let Some(more) = quoted.strip_prefix('"') else { break };
                    text.push('"');
                    quoted = more;
                }
                cells.push(text);
                quoted.trim_start_matches(' ')
            }
        };
        match after.strip_prefix(separator) {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(cells),
            None => return Err(STRAY),
        }
    }
}

/// The cells of a record, blanks between them.
fn cells_between_blanks(record: &str) -> std::result::Result<Vec<String>, &'static str> {
    let (mut found, mut rest) = (vec![], record.trim_start_matches(BLANK));
    while !rest.is_empty() {
        // A quoted cell ends where its quotation mark is followed by a blank or by nothing.
        let end = {
            let mut quotes = Quotes::new(&[BLANK]);
            rest.char_indices().find(|(_, c)| quotes.is_outside(*c) && *c == BLANK).map_or(rest.len(), |(at, _)| at)
        };
        let cell = cells(&rest[..end], '\n')?;
        found.extend(if rest.starts_with('"') { cell } else { vec![rest[..end].to_owned()] });
        rest = rest[end..].trim_start_matches(BLANK);
    }
    Ok(found)
}
