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
pub const GAPS: [&str; 10] = ["NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?"];

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
    /// Whether a comma in a word need not separate thousands.
    are_commas_open: bool,
}

/// Texts that mean a gap, read as cells.
///
/// ```
/// use shallows_verify::table::{Cell, GapCells};
///
/// let texts = ["-99,9".to_owned(), "k.A.".to_owned()];
/// let gaps = GapCells::new(&texts, true);
/// assert!(gaps.contains(Cell::Number(-99.9)) && gaps.contains(Cell::Word("k.A.")) && !gaps.contains(Cell::Word("k")));
/// ```
#[derive(Debug, Default)]
pub struct GapCells<'a> {
    words: HashSet<&'a str>,
    /// The bits of numbers.
    numbers: HashSet<u64>,
}

impl<'a> GapCells<'a> {
    /// Where commas are decimal, a text is also the number that it is with such a comma.
    pub fn new(texts: &'a [String], are_commas_decimal: bool) -> GapCells<'a> {
        let mut gaps = GapCells::default();
        for text in texts {
            let number = match Cell::read(text) {
                Cell::Number(x) => Some(x),
                Cell::Word(word) => {
                    gaps.words.insert(word);
                    decimal_comma(word).map(|(x, _)| x).filter(|_| are_commas_decimal)
                }
                Cell::Gap => None,
            };
            gaps.numbers.extend(number.map(bits));
        }
        gaps
    }

    /// Whether a cell is a gap.
    pub fn contains(&self, cell: Cell<'_>) -> bool {
        match cell {
            Cell::Number(x) => self.numbers.contains(&bits(x)),
            Cell::Word(word) => self.words.contains(word),
            Cell::Gap => true,
        }
    }
}

/// The same for 0 and −0.
fn bits(x: f64) -> u64 {
    (x + 0.0).to_bits()
}

/// What a comma in a number is.
///
/// ```
/// use shallows_verify::table::{Cell, Column, Commas, Table};
///
/// let mut column = Column::default();
/// ["1,5", "1,234"].iter().for_each(|text| column.push(Cell::read(text)));
/// let table = Table::new(vec!["x".to_owned()], vec![column], 2)?.with_commas(Commas::Open)?;
/// assert_eq!(table.column("x")?.cell(1), Cell::Number(1.234));
/// # Ok::<(), shallows_verify::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Commas {
    /// A separator of thousands: it separates cells too, or there is no text.
    #[default]
    Thousands,
    /// No cell has shown that it is decimal.
    Open,
    /// A decimal point.
    Decimal,
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
}

/// How texts are read, by the format of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRules {
    /// `007` is the number 7, and nothing but plain numbers is one. The input of all other words is called `other`.
    UpTo4,
    /// `007` is a word of its own in a category; as a number it is 7, and `1,000`, `$5` and `12%` are numbers too. A word `other` of
    /// the column is not all other words.
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

    /// The same, where a number was written with a point, or none.
    pub fn with_points(self, points: bool) -> Column {
        Column { points, ..self }
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

    /// The number that the cell in row i is or writes out.
    pub(crate) fn number(&self, i: usize, rules: TextRules) -> Option<f64> {
        match self.cell(i).under(rules) {
            Cell::Number(x) => Some(x),
            Cell::Word(word) if rules == TextRules::Since5 && !(self.are_commas_open && word.contains(',')) => {
                written_number(word)
            }
            Cell::Word(_) | Cell::Gap => None,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.len()
    }

    /// The same with gaps in place of these words and numbers.
    fn with_gaps(&self, gaps: &GapCells<'_>) -> Column {
        let mut column = Column { points: self.points, ..Column::default() };
        (0..self.rows()).map(|i| self.cell(i)).for_each(|cell| {
            column.push(if gaps.contains(cell) { Cell::Gap } else { cell });
        });
        column
    }

    /// Whether no two cells are equal and none is a gap.
    fn is_all_different(&self) -> bool {
        let (mut numbers, mut words) = (HashSet::new(), HashSet::new());
        (0..self.rows()).all(|i| match self.cell(i) {
            Cell::Gap => false,
            Cell::Number(x) => numbers.insert(bits(x)),
            Cell::Word(word) => words.insert(word),
        })
    }

    /// Whether one of the words has a comma that is not decimal: two of them, or a point.
    fn has_thousands(&self) -> bool {
        let shows = |word: &String| word.contains(',') && (word.matches(',').count() > 1 || word.contains('.'));
        self.words.iter().any(shows)
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
///
/// ```
/// use shallows_verify::table::decimal_comma;
///
/// assert_eq!(["-0,125", "1,234"].map(decimal_comma), [Some((-0.125, true)), Some((1.234, false))]);
/// assert_eq!(["1,234,567", "1.234,5", "3,"].map(decimal_comma), [None; 3]);
/// ```
pub fn decimal_comma(text: &str) -> Option<(f64, bool)> {
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

/// Whether a word of a recipe can be that of a cell: `1.0`, `True` and `NA` cannot, since such cells are the word `1`, the word
/// `true` and a gap.
///
/// ```
/// use shallows_verify::table::{TextRules, is_word_of_cell};
///
/// let words = ["red", "1", "true", "007", "1.0", "True", "NA", " red"];
/// let found = words.map(|word| is_word_of_cell(word, TextRules::Since5));
/// assert_eq!(found, [true, true, true, true, false, false, false, false]);
/// ```
pub fn is_word_of_cell(word: &str, rules: TextRules) -> bool {
    match Cell::read(word).under(rules) {
        Cell::Number(x) => number_name(x) == word,
        Cell::Word(read) => read == word,
        Cell::Gap => false,
    }
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
    commas: Commas,
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
            None => Ok(Table { places: places(&names), names, columns, rows, commas: Commas::Thousands }),
        }
    }

    /// The same where this is known of commas.
    pub fn with_commas(self, commas: Commas) -> Result<Table> {
        let mut table = Table { commas, ..self };
        table.settle_commas()?;
        Ok(table)
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
        let gaps = GapCells::new(gap_words, self.commas == Commas::Decimal);
        let columns = self.columns.iter().map(|column| column.with_gaps(&gaps)).collect();
        let (names, places) = (self.names.clone(), self.places.clone());
        let mut table = Table { names, columns, rows: self.rows, places, commas: self.commas };
        table.settle_commas()?;
        Ok(table)
    }

    /// Read CSV text.
    pub fn read(text: impl BufRead) -> Result<Table> {
        let mut records = Records::new(text);
        let Some(header) = records.header()? else { return Err(trouble(1, "the file is empty")) };
        let mut names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
        records.width = Some(names.len());
        let mut columns = vec![Column::default(); names.len()];
        let (mut rows, mut has_row_names, mut is_last_blank) = (0, false, true);
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
            is_last_blank &= cells.last().is_some_and(|text| text.trim().is_empty());
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
        // A separator at the end of every line makes no column.
        if names.len() > 1 && is_last_blank && names.last().is_some_and(String::is_empty) {
            names.pop();
            columns.pop();
        }
        name_index(&mut names);
        let commas = if records.separator == ',' { Commas::Thousands } else { Commas::Open };
        let mut table = Table { places: places(&names), columns, names, rows, commas };
        table.settle_commas()?;
        Ok(table)
    }

    /// Where commas do not separate cells, a column that can be nothing else shows that they are decimal in all columns that
    /// can be read so. Otherwise a point in the table, or what has two commas or a point in the column, shows that they are not.
    fn settle_commas(&mut self) -> Result<()> {
        if self.commas == Commas::Thousands {
            return Ok(());
        }
        let found: Vec<Option<bool>> = self.columns.iter().map(Column::has_decimal_commas).collect();
        let point = self.columns.iter().position(|column| column.points);
        if self.commas == Commas::Decimal || found.contains(&Some(true)) {
            self.commas = Commas::Decimal;
            if let Some(point) = point {
                let place = format!("column {:?}", self.names[point]);
                let problem = "a decimal point, where other columns have decimal commas".into();
                return Err(Error::Table { place, problem });
            }
            let columns = self.columns.iter_mut().zip(found).filter(|(_, found)| found.is_some());
            columns.for_each(|(column, _)| column.read_decimal_commas());
        }
        for column in &mut self.columns {
            column.are_commas_open = point.is_none() && (self.commas == Commas::Decimal || !column.has_thousands());
        }
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

/// The first columns, but not the last, may be without a name: they are called index, index1, … as far as no other is called so.
fn name_index(names: &mut [String]) {
    let most = names.len().saturating_sub(1);
    let unnamed = names[..most].iter().take_while(|name| name.is_empty()).count();
    let known: HashSet<String> = names.iter().cloned().collect();
    let candidates = ["index".to_owned()].into_iter().chain((1..).map(|number| format!("index{number}")));
    let free = candidates.filter(|name| !known.contains(name));
    names[..unnamed].iter_mut().zip(free).for_each(|(name, free)| *name = free);
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
    fn commas_mean_one_thing_in_a_table_also_beside_gaps() -> Result<()> {
        let number = |text: &str, gaps: &[&str], i: usize| -> Result<Option<f64>> {
            let gaps: Vec<String> = gaps.iter().map(|gap| (*gap).to_owned()).collect();
            let table = table(text)?;
            let table = if gaps.is_empty() { table } else { table.with_gaps(&gaps)? };
            Ok(table.columns[0].number(i, TextRules::Since5))
        };
        // Thousands or thousandths: nobody knows.
        assert_eq!(number("a;y\n1,234;0\n2,750;1\n", &[], 0)?, None);
        assert_eq!(number("a|y\n1,234|0\n2,750|1\n", &[], 0)?, None);
        // Another column shows it, whatever stands in place of gaps.
        assert_eq!(number("a;b\n1,234;1,5\nk.A.;2,5\n", &["k.A."], 0)?, Some(1.234));
        assert_eq!(number("a;b\n1,234;1,5\n-99,9;2,5\n", &["-99,9"], 1)?, None);
        assert_eq!(number("a;b\n1,234;2.5\n", &[], 0)?, Some(1234.0));
        assert_eq!(number("a;b\n3,433,047;1\n671,590;2\n", &[], 1)?, Some(671_590.0));
        // Not both in one table.
        assert_eq!(number("a;b\n3,433,047;0,3\n671,590;0,5\n", &[], 1)?, None);
        assert_eq!(number("a,b\n\"1,234\",0\n", &[], 0)?, Some(1234.0));
        Ok(())
    }

    #[test]
    fn the_first_column_may_be_without_a_name_and_rows_may_have_names() -> Result<()> {
        let names = |text: &str| table(text).map(|table| table.names);
        assert_eq!(names(",a,y\n0,1,2\n")?, ["index", "a", "y"]);
        assert_eq!(names(",index,y\n0,1,2\n")?, ["index1", "index", "y"]);
        assert_eq!(names(",,index1,y\n0,1,2,3\n")?, ["index", "index2", "index1", "y"]);
        assert_eq!(names(",\n0,1\n")?, ["index", ""]);
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
    fn a_first_line_may_name_the_separator_and_lines_may_end_in_one() -> Result<()> {
        let found = |text: &str| table(text).map(|table| (table.names.join(" "), table.rows()));
        assert_eq!(found("\u{feff}sep=;\na,b;y\n1,5;2\n")?, ("a,b y".into(), 1));
        assert_eq!(found("\"SEP=|\"\r\n# said\na|y\n1|2\n")?, ("a y".into(), 1));
        assert_eq!(found("sep=\t\na,b\n1,2\n")?, ("a,b".into(), 1));
        assert_eq!(found("sep=\n1\n")?, ("sep=".into(), 1));
        assert_eq!(found("a,y,\n1,2,\n3,4, \n")?, ("a y".into(), 2));
        assert_eq!(found("a,y,\n1,2,\n3,4,NA\n")?.0, "a y ");
        assert!(table("a,y,\n1,2,\n3,4\n").is_err() && table("sep=;\n").is_err());
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
