//! How a text separates its cells, and which of its first lines is the header.

use super::records::QUOTE;

/// Separators, the preferred ones first.
const SEPARATORS: [u8; 3] = *b",;\t";
/// The separator of a header that has none of them.
const BAR: u8 = b'|';
/// Any number of blanks, as R's `write.table` writes one.
pub(super) const BLANK: u8 = b' ';
/// Where a cell may start before the separator is known.
const ANY: &[u8] = b",;\t|";

/// Where quoted cells open and close; a quotation mark opens one only where a cell starts.
pub(super) struct Quotes<'a> {
    separators: &'a [u8],
    quoted: bool,
    /// Nothing but spaces since the last separator.
    cell_starts: bool,
}

impl<'a> Quotes<'a> {
    fn new(separators: &'a [u8]) -> Self {
        Quotes { separators, quoted: false, cell_starts: true }
    }

    /// Before the separator is known.
    pub(super) fn of_header() -> Quotes<'static> {
        Quotes::new(ANY)
    }

    /// Whether the next byte is outside of quoted cells.
    fn is_outside(&mut self, byte: u8) -> bool {
        let was_quoted = self.quoted;
        let separates = !was_quoted && self.separators.contains(&byte);
        // A doubled mark inside a quoted cell closes it and opens it again.
        let opens = !was_quoted && self.cell_starts && byte == QUOTE;
        let closes = was_quoted && byte == QUOTE;
        self.quoted = (was_quoted || opens) && !closes;
        self.cell_starts = separates || closes || (self.cell_starts && byte == b' ');
        !was_quoted
    }

    /// Go on over these bytes.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| {
            self.is_outside(*byte);
        });
    }

    /// Whether a quoted cell is open.
    pub(super) fn is_open(&self) -> bool {
        self.quoted
    }
}

/// The separator that is most frequent in the header, outside quotation marks; `None` where there is none.
pub(super) fn separator(header: &[u8]) -> Option<u8> {
    let count = |separator: u8| {
        let mut quotes = Quotes::of_header();
        header.iter().filter(|byte| quotes.is_outside(**byte) && **byte == separator).count()
    };
    let counts = SEPARATORS.map(count);
    let most = counts.iter().max().copied().unwrap_or(0);
    match counts.iter().position(|count| *count == most).filter(|_| most > 0) {
        Some(which) => Some(SEPARATORS[which]),
        None => (count(BAR) > 0).then_some(BAR),
    }
}

/// What a line says that separates the cells, as Excel writes and reads it before the header: `sep=;`, perhaps quoted.
pub(super) fn declared_separator(line: &[u8]) -> Option<u8> {
    let line = line.strip_prefix(&[QUOTE]).and_then(|line| line.strip_suffix(&[QUOTE])).unwrap_or(line);
    let (&separator, start) = line.split_last()?;
    (start.eq_ignore_ascii_case(b"sep=") && ANY.contains(&separator)).then_some(separator)
}

/// Whether a line holds the ends of others: a carriage return that nothing but a line feed may follow, outside of quoted cells.
pub(super) fn has_bare_returns(line: &[u8]) -> bool {
    let mut quotes = Quotes::of_header();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    line.iter().any(|byte| quotes.is_outside(*byte) && *byte == b'\r')
}

/// The cells of one line as they stand there; `None` where a quoted cell is open at its end.
pub(super) fn cells(line: &[u8], separator: u8) -> Option<Vec<&[u8]>> {
    let separators = [separator];
    let mut quotes = Quotes::new(&separators);
    let (mut cells, mut start) = (vec![], 0);
    for (at, byte) in line.iter().enumerate() {
        if quotes.is_outside(*byte) && *byte == separator {
            cells.push(&line[start..at]);
            start = at + 1;
        }
    }
    cells.push(&line[start..]);
    (!quotes.is_open()).then_some(cells)
}

/// The words of one line, blanks between them; `None` where a quotation mark is not closed.
pub(super) fn words(line: &[u8]) -> Option<Vec<&[u8]>> {
    Some(cells(line, BLANK)?.into_iter().filter(|word| !word.is_empty()).collect())
}

/// Whether a cell is a number, quoted or not, perhaps with a decimal comma.
fn is_number(cell: &[u8]) -> bool {
    let text = std::str::from_utf8(cell).unwrap_or_default();
    let text = text.trim().trim_matches('"').trim().replacen(',', ".", 1);
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a header and the first row have one word for each column, a number among those of the row; the row may have
/// a name before them.
pub(super) fn are_words_of_rows(header: &[u8], row: &[u8]) -> bool {
    let (Some(names), Some(cells)) = (words(header), words(row)) else { return false };
    let more = cells.len().checked_sub(names.len());
    matches!(more, Some(0 | 1)) && cells.iter().any(|cell| is_number(cell))
}

/// Whether the line that starts with # holds the names of the columns, and the next one, which does not, is a row. It
/// does where it has as many cells and the next one has a number among them. `None` where the next one may as well be the
/// header.
pub(super) fn names_in_comment(comment: &[u8], next: &[u8], declared: Option<u8>) -> Option<bool> {
    let separator = declared.or_else(|| separator(comment)).unwrap_or(b',');
    let (Some(names), Some(row)) = (cells(comment, separator), cells(next, separator)) else { return Some(false) };
    if names.len() != row.len() {
        return Some(false);
    }
    let has_number = row.iter().any(|cell| is_number(cell));
    if has_number || names.len() == 1 { Some(has_number) } else { None }
}
