//! A column as a file holds it: numbers, words, gaps.

use std::collections::HashMap;

use shallows_verify::date::{of_number, written};
pub(super) use shallows_verify::table::number_name as name_of;
use shallows_verify::table::{Cell as TextCell, GapCells};

use super::unread::UnreadCells;
#[cfg(feature = "arrow")]
use crate::error::CellProblem;

/// What a cell holds. [`Column`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Missing,
    /// A finite number.
    Number(f64),
    /// Anything else.
    Word(&'a str),
}

/// The cells of a column.
///
/// ```
/// use shallows::data::{Cell, Column};
///
/// let column = Column::of_texts([Some("1.5"), Some("NA"), Some("red")]);
/// assert_eq!([0, 1, 2].map(|i| column.cell(i)), [Cell::Number(1.5), Cell::Missing, Cell::Word("red")]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// NaN where there is no number; empty when there is none at all.
    numbers: Vec<f64>,
    /// Which of `levels`, `NONE` where there is no word; empty when there is none at all.
    words: Vec<u32>,
    /// The different words, in the order in which they first occur.
    levels: Vec<String>,
    /// Whether a number was written with a decimal point.
    pub(super) points: bool,
    /// Whether the numbers are moments: microseconds since the beginning of 1970-01-01, of a file that has a type for dates.
    pub(super) are_moments: bool,
    /// Whether these moments are in UTC: the file knows a time zone.
    pub(super) in_utc: bool,
    /// What the column holds where that is neither numbers nor words.
    pub(super) unreadable: Option<String>,
    /// Cells of a file that cannot be read.
    pub(super) unread: UnreadCells,
}

/// No word here.
const NONE: u32 = u32::MAX;

impl Column {
    /// Numbers, with NaN for a gap. An infinity is the word `inf` or `-inf`, as in a text.
    pub fn of_numbers(numbers: Vec<f64>) -> Self {
        if numbers.iter().any(|x| x.is_infinite()) {
            let mut builder = Builder::default();
            numbers.into_iter().for_each(|x| builder.push_number(x));
            return builder.finish();
        }
        let some = numbers.iter().any(|x| !x.is_nan());
        Column { numbers: if some { numbers } else { vec![] }, ..Column::default() }
    }

    /// Dates or times, in whole microseconds since the beginning of 1970-01-01, with NaN for a gap.
    pub fn of_moments(moments: Vec<f64>) -> Self {
        Column { are_moments: true, ..Column::of_numbers(moments) }
    }

    /// Texts, as a file would hold them: numbers, words, and gaps where there is no text or one that means a gap.
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut builder = Builder::default();
        for text in texts {
            match text {
                Some(text) => builder.push_text(text),
                None => builder.push_missing(),
            }
        }
        builder.finish()
    }

    /// The same with cells that cannot be read, for which it has gaps.
    pub(super) fn with_unread(self, unread: UnreadCells) -> Self {
        Column { unread, ..self }
    }

    /// The number of cells; `None` for gaps alone, of which nothing is kept.
    pub(super) fn length(&self) -> Option<usize> {
        let some = |length: usize| (length > 0).then_some(length);
        some(self.numbers.len()).or(some(self.words.len()))
    }

    /// A column of a kind that is neither numbers nor words.
    #[cfg(feature = "arrow")]
    pub(super) fn unreadable(kind: String) -> Self {
        Column { unreadable: Some(kind), ..Column::default() }
    }

    /// Cell i.
    pub fn cell(&self, i: usize) -> Cell<'_> {
        match (self.words.get(i), self.numbers.get(i)) {
            (Some(&code), _) if code != NONE => Cell::Word(&self.levels[code as usize]),
            (_, Some(&number)) if !number.is_nan() => Cell::Number(number),
            _ => Cell::Missing,
        }
    }

    /// Cell i as a number, NaN where there is none.
    pub(super) fn number(&self, i: usize) -> f64 {
        self.numbers.get(i).copied().unwrap_or(f64::NAN)
    }

    /// The position in `levels` of the word in cell i.
    pub(super) fn word(&self, i: usize) -> Option<usize> {
        self.words.get(i).filter(|code| **code != NONE).map(|code| *code as usize)
    }

    /// Cell i as a text: a date for a moment, nothing for a gap.
    pub(super) fn text(&self, i: usize) -> String {
        match self.cell(i) {
            Cell::Missing => String::new(),
            Cell::Number(x) if self.are_moments => of_number(x).map_or_else(|| name_of(x), written),
            Cell::Number(x) => name_of(x),
            Cell::Word(word) => word.to_owned(),
        }
    }

    /// Whether cell i is a gap.
    pub fn is_missing(&self, i: usize) -> bool {
        self.cell(i) == Cell::Missing
    }

    /// The different words, in the order in which they first occur.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The same with gaps in place of these words and numbers.
    pub(super) fn with_gaps(&self, gaps: &GapCells<'_>) -> Column {
        let Some(rows) = self.length() else { return self.clone() };
        let is_gap = |cell: Cell<'_>| gaps.contains(text_cell(cell));
        let mut builder = Builder::default();
        for cell in (0..rows).map(|i| self.cell(i)) {
            match cell {
                Cell::Number(x) if !is_gap(cell) => builder.push_number(x),
                Cell::Word(word) if !is_gap(cell) => builder.push_word(word),
                _ => builder.push_missing(),
            }
        }
        let (points, are_moments, in_utc, unread) = (self.points, self.are_moments, self.in_utc, self.unread.clone());
        Column { points, are_moments, in_utc, unread, ..builder.finish() }
    }

    /// The same so many cells with true and false in place of 1 and 0, and how many of these there are; `None` where there are
    /// none, or other numbers.
    pub(super) fn digits_as_truths(&self, rows: usize) -> Option<(Column, usize)> {
        let are_digits = self.numbers.iter().all(|x| x.is_nan() || *x == 0.0 || *x == 1.0);
        let count = self.numbers.iter().filter(|x| !x.is_nan()).count();
        if count == 0 || !are_digits || self.are_moments {
            return None;
        }
        let mut builder = Builder::default();
        for cell in (0..rows).map(|i| self.cell(i)) {
            match cell {
                Cell::Missing => builder.push_missing(),
                Cell::Number(x) => builder.push_word(if x == 0.0 { "false" } else { "true" }),
                Cell::Word(word) => builder.push_word(word),
            }
        }
        Some((builder.finish().with_unread(self.unread.clone()), count))
    }

    /// The same cells, so many, to be read by the checker alone.
    pub(super) fn for_checker(&self, rows: usize) -> shallows_verify::table::Column {
        let mut column = shallows_verify::table::Column::default();
        (0..rows).for_each(|i| column.push(text_cell(self.cell(i))));
        column.with_points(self.points)
    }

    /// Its numbers, where all cells are.
    pub(super) fn into_numbers(self) -> Vec<f64> {
        self.numbers
    }

    /// Whether some cell is a number.
    pub(super) fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Whether every number is a whole one.
    pub(super) fn has_whole_numbers(&self) -> bool {
        self.numbers.iter().all(|x| x.is_nan() || x.fract() == 0.0)
    }

    /// Whether every number is a whole one without a sign or a point.
    pub(super) fn has_only_digits(&self) -> bool {
        !self.points && self.numbers.iter().all(|x| x.is_nan() || (*x >= 0.0 && x.fract() == 0.0))
    }

    /// The words as the numbers that `read` finds in them; every word must be one.
    pub(super) fn words_to_numbers(&mut self, read: impl Fn(&str) -> Option<f64>) {
        let values: Vec<f64> = self.levels.iter().map(|word| read(word).unwrap_or(f64::NAN)).collect();
        if self.numbers.is_empty() {
            self.numbers = vec![f64::NAN; self.words.len()];
        }
        for (number, &code) in self.numbers.iter_mut().zip(&self.words) {
            *number = if code == NONE { *number } else { values[code as usize] };
        }
        (self.words, self.levels) = (vec![], vec![]);
    }
}

/// A column that grows cell by cell.
#[derive(Default)]
pub(super) struct Builder {
    column: Column,
    rows: usize,
    codes: HashMap<String, u32>,
}

impl Builder {
    /// Add a cell by its text: a number, a word, or one of the texts that mean a gap.
    pub(super) fn push_text(&mut self, text: &str) {
        match cell_of(text) {
            Cell::Missing => self.push_missing(),
            Cell::Number(x) => {
                self.column.points |= text.contains('.');
                self.push_number(x);
            }
            Cell::Word(word) => self.push_word(word),
        }
    }

    /// Add a number, or NaN for a gap; an infinity is a word.
    pub(super) fn push_number(&mut self, x: f64) {
        if x.is_infinite() {
            return self.push_word(&name_of(x));
        }
        if self.column.numbers.is_empty() && !x.is_nan() {
            self.column.numbers = vec![f64::NAN; self.rows];
        }
        self.push(x, NONE);
    }

    /// Add a gap.
    pub(super) fn push_missing(&mut self) {
        self.push(f64::NAN, NONE);
    }

    /// Add a cell that cannot be read.
    #[cfg(feature = "arrow")]
    pub(super) fn push_unread(&mut self, problem: CellProblem) {
        self.column.unread.note(self.rows, problem);
        self.push_missing();
    }

    fn push_word(&mut self, word: &str) {
        if self.column.words.is_empty() {
            self.column.words = vec![NONE; self.rows];
        }
        let code = match self.codes.get(word) {
            Some(code) => *code,
            None => {
                // A table of 2³² rows does not fit into memory.
                let code = self.column.levels.len() as u32;
                self.column.levels.push(word.to_owned());
                self.codes.insert(word.to_owned(), code);
                code
            }
        };
        self.push(f64::NAN, code);
    }

    fn push(&mut self, number: f64, code: u32) {
        if !self.column.numbers.is_empty() || !number.is_nan() {
            self.column.numbers.push(number);
        }
        if !self.column.words.is_empty() || code != NONE {
            self.column.words.push(code);
        }
        self.rows += 1;
    }

    /// The column.
    pub(super) fn finish(self) -> Column {
        self.column
    }

    /// The column, whose numbers are moments, in UTC or in a time that the file does not name.
    #[cfg(feature = "arrow")]
    pub(super) fn finish_moments(self, in_utc: bool) -> Column {
        Column { are_moments: true, in_utc, ..self.column }
    }
}

/// What a text in a cell is. Space around it does not matter; truth values are the words true and false in any case. Digits
/// after a zero are a word: 007 is not 7 where it is a name.
pub(super) fn cell_of(text: &str) -> Cell<'_> {
    match TextCell::read(text) {
        TextCell::Number(x) => Cell::Number(x),
        TextCell::Word(word) => Cell::Word(word),
        TextCell::Gap => Cell::Missing,
    }
}

/// The cell as the checker knows it.
fn text_cell(cell: Cell<'_>) -> TextCell<'_> {
    match cell {
        Cell::Number(x) => TextCell::Number(x),
        Cell::Word(word) => TextCell::Word(word),
        Cell::Missing => TextCell::Gap,
    }
}

/// The texts that mean a gap, nothing at all among them.
#[cfg(feature = "onnx")]
pub(crate) fn gap_texts() -> impl Iterator<Item = &'static str> {
    [""].into_iter().chain(shallows_verify::table::GAPS)
}

/// Other texts that mean the same word in a cell and that programs write: `3.0` for 3, `True` for true.
#[cfg(feature = "onnx")]
pub(crate) fn spellings(word: &str) -> Vec<String> {
    let texts = [format!("{word}.0"), "True".into(), "TRUE".into(), "False".into(), "FALSE".into()];
    let means = |text: &String| match cell_of(text) {
        Cell::Number(x) => name_of(x) == word,
        Cell::Word(found) => found == word && text != word,
        Cell::Missing => false,
    };
    texts.into_iter().filter(means).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "onnx")]
    #[test]
    fn words_have_the_spellings_of_other_programs() {
        assert_eq!(spellings("3"), ["3.0"]);
        assert_eq!(spellings("true"), ["True", "TRUE"]);
        assert!(["red", "2.5", "True", ""].iter().all(|word| spellings(word).is_empty()));
    }

    fn column(cells: &[&str]) -> Column {
        let mut builder = Builder::default();
        cells.iter().for_each(|text| builder.push_text(text));
        builder.finish()
    }

    #[test]
    fn cells_come_back_whatever_came_before_them() {
        let texts = ["", "red", " 2.5", "NA", "blue", "red ", "-0", "1e999"];
        for start in 0..texts.len() {
            let turned: Vec<&str> = [&texts[start..], &texts[..start]].concat();
            let column = column(&turned);
            for (i, text) in turned.iter().enumerate() {
                assert_eq!(column.cell(i), cell_of(text), "{text} at {i}");
            }
        }
    }

    #[test]
    fn gaps_truth_values_and_numbers_have_many_spellings() {
        for text in shallows_verify::table::GAPS.iter().chain(&["", "  "]) {
            assert_eq!(cell_of(text), Cell::Missing, "{text}");
        }
        assert_eq!([cell_of("TRUE"), cell_of("False")], [Cell::Word("true"), Cell::Word("false")]);
        assert_eq!([cell_of("none"), cell_of("inf")], [Cell::Word("none"), Cell::Word("inf")]);
        for text in ["1", "1.0", "+1e0", " 1 "] {
            let Cell::Number(x) = cell_of(text) else { panic!("{text}") };
            assert_eq!(name_of(x), "1");
        }
        assert_eq!([cell_of("01"), cell_of("00")], [Cell::Word("01"), Cell::Word("00")]);
        assert_eq!([cell_of("0"), cell_of("0.5"), cell_of("-01")], [0.0, 0.5, -1.0].map(Cell::Number));
        assert_eq!([name_of(-0.0), name_of(2.5), name_of(1e300)], ["0", "2.5", "1e300"]);
    }
}
