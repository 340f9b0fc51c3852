//! Tables: CSV text, and columns of numbers and words.
//!
//! FORMAT.md §9 says what is read how. Nothing is repaired: a row that is too long or too short, a quotation mark in the
//! wrong place, an empty line between rows are errors.

mod records;

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use crate::error::{Error, Result};
use records::Records;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A finite number.
    Number(f64),
    /// Anything else.
    Word(&'a str),
    /// Nothing.
    Gap,
}

/// The texts that mean a gap, besides nothing at all.
const GAPS: [&str; 10] = ["NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"];

/// One column of a table.
///
/// ```
/// use shallows_verify::table::{Cell, Column};
///
/// let mut column = Column::default();
/// ["1.5", " red ", "NA"].iter().for_each(|text| column.push(Cell::read(text)));
/// assert_eq!([column.cell(0), column.cell(1), column.cell(2)], [Cell::Number(1.5), Cell::Word("red"), Cell::Gap]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// NaN where there is no number.
    numbers: Vec<f64>,
    /// For each row 1 + the number of its word, 0 without one; empty while there are no words.
    codes: Vec<u32>,
    words: Vec<String>,
    known: HashMap<String, u32>,
    /// Whether a number was written with a point.
    points: bool,
}

impl<'a> Cell<'a> {
    /// What a text means; blanks around it do not matter. Digits after a zero are a word: `007` is not `7`.
    pub fn read(text: &'a str) -> Cell<'a> {
        let text = text.trim();
        match text.parse::<f64>() {
            Ok(_) if is_padded(text) => Cell::Word(text),
            Ok(x) if x.is_finite() => Cell::Number(x),
            _ if text.is_empty() || GAPS.contains(&text) => Cell::Gap,
            _ if text.eq_ignore_ascii_case("true") => Cell::Word("true"),
            _ if text.eq_ignore_ascii_case("false") => Cell::Word("false"),
            _ => Cell::Word(text),
        }
    }

    /// The same by the rules of a format.
    pub(crate) fn under(self, rules: TextRules) -> Cell<'a> {
        match self {
            Cell::Word(word) if rules == TextRules::UpTo4 && is_padded(word) => {
                written_number(word).map_or(self, Cell::Number)
            }
            cell => cell,
        }
    }

    /// The number that a cell is or writes out.
    pub(crate) fn number(self, rules: TextRules) -> Option<f64> {
        match self.under(rules) {
            Cell::Number(x) => Some(x),
            Cell::Word(word) if rules == TextRules::Since5 => written_number(word),
            Cell::Word(_) | Cell::Gap => None,
        }
    }
}

/// How texts are read, by the format of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRules {
    /// `007` is the number 7, and nothing but plain numbers is one.
    UpTo4,
    /// `007` is a word of its own in a category; as a number it is 7, and `1,000`, `$5` and `12%` are numbers too.
    Since5,
}

/// Whether a text is a zero and further digits.
pub fn is_padded(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Column {
    /// A column of numbers; NaN is a gap.
    pub fn of_numbers(numbers: Vec<f64>) -> Column {
        Column { numbers, ..Column::default() }
    }

    /// One more cell.
    pub fn push(&mut self, cell: Cell<'_>) {
        let (number, code) = match cell {
            Cell::Number(x) => (x, 0),
            Cell::Gap => (f64::NAN, 0),
            Cell::Word(word) => (f64::NAN, self.code(word)),
        };
        if code > 0 && self.codes.is_empty() {
            self.codes = vec![0; self.numbers.len()];
        }
        self.numbers.push(number);
        if code > 0 || !self.codes.is_empty() {
            self.codes.push(code);
        }
    }

    fn code(&mut self, word: &str) -> u32 {
        if let Some(code) = self.known.get(word) {
            return *code;
        }
        self.words.push(word.to_owned());
        let code = self.words.len() as u32;
        self.known.insert(word.to_owned(), code);
        code
    }

    /// The cell in row i.
    pub fn cell(&self, i: usize) -> Cell<'_> {
        match self.codes.get(i).copied().unwrap_or(0) {
            0 if self.numbers[i].is_nan() => Cell::Gap,
            0 => Cell::Number(self.numbers[i]),
            code => Cell::Word(&self.words[code as usize - 1]),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.len()
    }

    /// The same with gaps in place of these words and numbers.
    fn with_gaps(&self, gap_words: &[String]) -> Column {
        let gaps: Vec<Cell<'_>> = gap_words.iter().map(|word| Cell::read(word)).collect();
        let mut column = Column { points: self.points, ..Column::default() };
        (0..self.rows()).map(|i| self.cell(i)).for_each(|cell| {
            column.push(if gaps.contains(&cell) { Cell::Gap } else { cell });
        });
        column
    }

    /// Whether no two cells are equal and none is a gap.
    fn is_all_different(&self) -> bool {
        let (mut numbers, mut words) = (HashSet::new(), HashSet::new());
        (0..self.rows()).all(|i| match self.cell(i) {
            Cell::Gap => false,
            Cell::Number(x) => numbers.insert((x + 0.0).to_bits()),
            Cell::Word(word) => words.insert(word),
        })
    }

    /// Whether the words are numbers with decimal commas, or whole numbers among these: `Some(true)` where one can be nothing else.
    fn has_decimal_commas(&self) -> Option<bool> {
        let commas = self.words.iter().filter(|word| !is_padded(word));
        let clear: Option<Vec<bool>> = commas.map(|word| decimal_comma(word).map(|(_, clear)| clear)).collect();
        clear.filter(|clear| !clear.is_empty()).map(|clear| clear.contains(&true))
    }

    /// Words that are numbers with decimal commas become these numbers.
    fn read_decimal_commas(&mut self) {
        let value = |word: &String| decimal_comma(word).map(|(x, _)| x).or_else(|| written_number(word));
        let values: Vec<f64> = self.words.iter().map(|word| value(word).unwrap_or(f64::NAN)).collect();
        for (number, code) in self.numbers.iter_mut().zip(&self.codes).filter(|(_, code)| **code > 0) {
            *number = values[*code as usize - 1];
        }
        (self.codes, self.words) = (vec![], vec![]);
        self.known.clear();
    }
}

/// A number with a decimal comma, and whether it can be nothing else: 1,234 may have a thousands separator.
fn decimal_comma(text: &str) -> Option<(f64, bool)> {
    const THOUSANDS: usize = 3;
    let (whole, rest) = text.trim_start_matches(['+', '-']).split_once(',')?;
    let fraction = rest.split(['e', 'E']).next().unwrap_or(rest);
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if fraction.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let clear = fraction.len() != THOUSANDS || whole.len() > THOUSANDS || whole.is_empty() || whole.starts_with('0');
    let value = text.replacen(',', ".", 1).parse::<f64>().ok().filter(|x| x.is_finite())?;
    Some((value, clear))
}

/// A number that is not written as programs do: digits in groups of three after commas, a sign of a currency before or after, or
/// a percent sign after it, which changes nothing.
///
/// ```
/// use shallows_verify::table::written_number;
///
/// let texts = ["1,234,567.5", "$1,000", "−12 %", "007", "(5)", "1,00"];
/// assert_eq!(texts.map(written_number), [Some(1234567.5), Some(1000.0), Some(-12.0), Some(7.0), None, None]);
/// ```
pub fn written_number(text: &str) -> Option<f64> {
    const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];
    let (mut is_negative, mut rest) = (false, text.trim());
    if let Some(after) = rest.strip_prefix(['-', '−', '+']) {
        (is_negative, rest) = (!rest.starts_with('+'), after.trim_start());
    }
    let marked =
        rest.strip_prefix(CURRENCIES).or_else(|| rest.strip_suffix(CURRENCIES)).or_else(|| rest.strip_suffix('%'));
    let number = marked.unwrap_or(rest).trim();
    let (whole, decimals) = number.split_once('.').map_or((number, None), |(whole, rest)| (whole, Some(rest)));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split(',');
    let first = groups.next().is_some_and(|group| digits(group) && (group.len() <= 3 || !whole.contains(',')));
    let is_sound = first && groups.all(|group| digits(group) && group.len() == 3) && decimals.is_none_or(digits);
    let value = number.replace(',', "").parse::<f64>().ok().filter(|x| is_sound && x.is_finite())?;
    Some(if is_negative { -value } else { value })
}

/// The name of a number that serves as a word: the same for 1, 1.0 and 01.
pub fn number_name(x: f64) -> String {
    const PLAIN: std::ops::Range<f64> = 1e-5..1e15;
    // −0 is the number 0.
    let x = x + 0.0;
    if x == 0.0 || PLAIN.contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// Named columns of equal length.
///
/// ```
/// use shallows_verify::table::{Cell, Table};
///
/// let table = Table::read("a,b\n1,red\n2,\n".as_bytes())?;
/// assert_eq!((table.rows(), table.column("b")?.cell(1)), (2, Cell::Gap));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Column>,
    rows: usize,
    /// Where each name is, `None` if in several places.
    places: HashMap<String, Option<usize>>,
    /// Whether commas separate no columns.
    may_have_decimal_commas: bool,
}

impl Table {
    /// Columns with their names, of so many rows each.
    pub fn new(names: Vec<String>, columns: Vec<Column>, rows: usize) -> Result<Table> {
        let uneven = columns.iter().map(Column::rows).find(|found| *found != rows);
        if names.len() != columns.len() {
            return Err(Error::Shape { what: "names of columns", expected: columns.len(), found: names.len() });
        }
        match uneven {
            Some(found) => Err(Error::Shape { what: "rows of a column", expected: rows, found }),
            None => Ok(Table { places: places(&names), names, columns, rows, may_have_decimal_commas: false }),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column by its name, which no other may have.
    pub fn column(&self, name: &str) -> Result<&Column> {
        let problem = |problem: &str| Err(Error::Table { place: format!("column {name:?}"), problem: problem.into() });
        match self.places.get(name) {
            Some(Some(j)) => Ok(&self.columns[*j]),
            Some(None) => problem("there are several of that name"),
            None => problem("there is none of that name"),
        }
    }

    /// The same with gaps in place of these words and numbers, in every column. What is left may show that commas are decimal.
    pub fn with_gaps(&self, gap_words: &[String]) -> Result<Table> {
        let columns = self.columns.iter().map(|column| column.with_gaps(gap_words)).collect();
        let (names, places) = (self.names.clone(), self.places.clone());
        let mut table =
            Table { names, columns, rows: self.rows, places, may_have_decimal_commas: self.may_have_decimal_commas };
        if table.may_have_decimal_commas {
            table.settle_decimal_commas()?;
        }
        Ok(table)
    }

    /// Read CSV text.
    pub fn read(text: impl BufRead) -> Result<Table> {
        let mut records = Records::new(text);
        let Some(header) = records.header()? else { return Err(trouble(1, "the file is empty")) };
        let mut names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        records.width = Some(names.len());
        let mut columns = vec![Column::default(); names.len()];
        let (mut rows, mut has_row_names) = (0, false);
        while let Some(cells) = records.next()? {
            if rows == 0 && starts_with_row_name(&cells, &names) {
                has_row_names = true;
                names.insert(0, String::new());
                columns.push(Column::default());
                records.width = Some(names.len());
            }
            if cells.len() != names.len() {
                let problem = format!("{} cells in place of {}", cells.len(), names.len());
                return Err(trouble(records.line, &problem));
            }
            for (column, text) in columns.iter_mut().zip(&cells) {
                let cell = Cell::read(text);
                column.points |= matches!(cell, Cell::Number(_)) && text.contains('.');
                column.push(cell);
            }
            rows += 1;
        }
        if has_row_names && (rows < 2 || !columns[0].is_all_different()) {
            let problem = "the rows have one cell more than the header, and the first is no name of a row".into();
            return Err(Error::Table { place: "the first column".into(), problem });
        }
        name_index(&mut names);
        let may_have_decimal_commas = records.separator != ',';
        let mut table = Table { places: places(&names), columns, names, rows, may_have_decimal_commas };
        if table.may_have_decimal_commas {
            table.settle_decimal_commas()?;
        }
        Ok(table)
    }

    /// Where commas do not separate columns they may be decimal.
    fn settle_decimal_commas(&mut self) -> Result<()> {
        let found: Vec<Option<bool>> = self.columns.iter().map(Column::has_decimal_commas).collect();
        if !found.contains(&Some(true)) {
            return Ok(());
        }
        if let Some(point) = self.columns.iter().position(|column| column.points) {
            let place = format!("column {:?}", self.names[point]);
            return Err(Error::Table {
                place,
                problem: "a decimal point, where other columns have decimal commas".into(),
            });
        }
        let columns = self.columns.iter_mut().zip(found).filter(|(_, found)| found.is_some());
        columns.for_each(|(column, _)| column.read_decimal_commas());
        Ok(())
    }
}

fn places(names: &[String]) -> HashMap<String, Option<usize>> {
    let mut places = HashMap::new();
    for (j, name) in names.iter().enumerate() {
        places.entry(name.clone()).and_modify(|place| *place = None).or_insert(Some(j));
    }
    places
}

/// Whether a row has a name before the cells of the columns, as R writes it.
fn starts_with_row_name(cells: &[String], names: &[String]) -> bool {
    let filled = |cell: Option<&String>| cell.is_some_and(|cell| !cell.trim().is_empty());
    let all_named = names.iter().all(|name| !name.is_empty());
    all_named && cells.len() == names.len() + 1 && filled(cells.first()) && filled(cells.last())
}

/// The first of several columns may be without a name: it is called index, or index1, index2, … where others are called so.
fn name_index(names: &mut [String]) {
    let Some((first, others)) = names.split_first_mut() else { return };
    if first.is_empty() && !others.is_empty() {
        let mut candidates = ["index".to_owned()].into_iter().chain((1..).map(|number| format!("index{number}")));
        *first = candidates.find(|name| !others.contains(name)).unwrap_or_default();
    }
}

fn trouble(line: usize, problem: &str) -> Error {
    Error::Table { place: format!("line {line}"), problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<Table> {
        Table::read(text.as_bytes())
    }

    #[test]
    fn cells_may_be_quoted_and_hold_separators_and_line_breaks() -> Result<()> {
        let table = table("\u{feff}a, \"b,\nc\" ,d\r\n1, \"x \"\"y\"\", z\" ,NA\r\n2,\"3\",\"line\nbreak\"\r\n\r\n")?;
        assert_eq!(table.names, ["a", "b,\nc", "d"]);
        assert_eq!(table.columns[1].cell(0), Cell::Word("x \"y\", z"));
        assert_eq!([table.columns[1].cell(1), table.columns[2].cell(0)], [Cell::Number(3.0), Cell::Gap]);
        assert_eq!((table.columns[2].cell(1), table.rows()), (Cell::Word("line\nbreak"), 2));
        Ok(())
    }

    #[test]
    fn commas_are_decimal_where_a_column_shows_it_and_no_other_has_points() -> Result<()> {
        let clear = table("a;b\n1,5;1,234\n2;3,25\n")?;
        assert_eq!([clear.columns[0].cell(0), clear.columns[1].cell(0)], [Cell::Number(1.5), Cell::Number(1.234)]);
        let open = table("a;b\n1,234;x\n")?;
        assert_eq!(open.columns[0].cell(0), Cell::Word("1,234"));
        assert!(table("a;b\n1,5;2.5\n").is_err());
        Ok(())
    }

    #[test]
    fn the_first_column_may_be_without_a_name_and_rows_may_have_names() -> Result<()> {
        let names = |text: &str| table(text).map(|table| table.names);
        assert_eq!(names(",a,y\n0,1,2\n")?, ["index", "a", "y"]);
        assert_eq!(names(",index,y\n0,1,2\n")?, ["index1", "index", "y"]);
        assert_eq!(names("a,y\nu,1,2\nv,1,3\n")?, ["index", "a", "y"]);
        let r = table("\"a b\" \"y\"\n\"1\" 1.5 \"x y\"\n# said twice\n\"2\"   2 NA\n")?;
        assert_eq!((&r.names[..], r.rows()), (&["index".to_owned(), "a b".into(), "y".into()][..], 2));
        assert_eq!([r.columns[2].cell(0), r.columns[2].cell(1)], [Cell::Word("x y"), Cell::Gap]);
        for text in ["a,y\nu,1,2\nu,1,3\n", "a,y\n1,2,\n", "a,y\n1,2,3\n4,5\n", "a,y\n1,2\n3,4,5\n"] {
            assert!(table(text).is_err(), "{text:?}");
        }
        Ok(())
    }

    #[test]
    fn lines_of_comment_are_skipped_and_headers_and_rows_may_start_with_the_same_sign() -> Result<()> {
        let found = |text: &str| table(text).map(|table| (table.names.join(" "), table.rows()));
        assert_eq!(found("# by hand\n# 2020\na|y\n1|2\n# so far\n3|4\n")?, ("a y".into(), 2));
        assert_eq!(found("#,name,y\n1,x,2\n#2,y,3\n")?, ("# name y".into(), 2));
        assert_eq!(found("\u{feff}# a\n#id,y\n1,2\n")?, ("#id y".into(), 1));
        assert!(table("# x, y\na,y\n1,2\n").is_err());
        Ok(())
    }

    #[test]
    fn nothing_is_repaired() {
        for text in ["", "a,b\n1\n", "a,b\n1,2,3\n", "a\n\"1\n", "a\n\"1\"2\n", "a\n1\n\n2\n"] {
            assert!(table(text).is_err(), "{text:?}");
        }
        assert!(Table::read(&b"a\n\xff\n"[..]).is_err());
        assert!(table("a,a\n1,2\n").is_ok_and(|table| table.column("a").is_err() && table.column("b").is_err()));
    }
}
