//! What can be wrong with a cell: each sentence and its way out, side by side.

use std::fmt;
use std::path::PathBuf;

use super::date::{DateDoubt, DateStart};
use super::hint::{Hint, TextGuess};
use super::table::SAVE_AS_UTF8;
use super::text::{LONGEST_REASON, cut, excerpt, list, shown};

/// Where in a file: the line of a text, the row of an array. [`CellProblem`] shows its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The line of a text file, the header being line 1, as editors count.
    Line(u64),
    /// The row of an array or a Parquet file, counted from 0, as in a hold-out file.
    Row(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row} (counted from 0)"),
        }
    }
}

/// A cell that has the problem of others: its place, and what it holds. [`CellProblem`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct CellExample {
    /// Where it is.
    pub place: Place,
    /// What is wrong with it.
    pub problem: CellProblem,
}

/// Cells of a column that have the same problem. [`CellProblem`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyCells {
    /// The file.
    pub path: PathBuf,
    /// The column's name.
    pub column: String,
    /// What is wrong with the first of them.
    pub problem: CellProblem,
    /// How many there are.
    pub count: usize,
    /// Where some of them are, and what they hold.
    pub examples: Vec<CellExample>,
    /// Those that hold something else than the ones before, the first few.
    pub different: Vec<CellProblem>,
}

impl ManyCells {
    /// Cells that a message shows.
    pub(crate) const EXAMPLES: usize = 3;
    /// Different cells that a way out considers.
    pub(crate) const DIFFERENT: usize = 20;

    /// A way out for all of them: texts that mean gaps are named together, and are not the way out where others stand beside them.
    pub(super) fn hint(&self) -> Hint {
        let gaps: Option<Vec<String>> = self.different.iter().map(CellProblem::gap_word).collect();
        let is_other = |problem: &&CellProblem| problem.gap_word().is_none();
        match gaps.filter(|texts| !texts.is_empty()) {
            Some(texts) => self.problem.gap_hint(&self.column, texts),
            None => self.different.iter().find(is_other).unwrap_or(&self.problem).hint(&self.column),
        }
    }
}

/// Such as: t.csv, column "b": 17 cells are not numbers, such as "abc" (line 4), "-" (line 9), "n.a." (line 12)
impl fmt::Display for ManyCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |place: Place| match place {
            Place::Line(line) => format!("line {line}"),
            Place::Row(row) => format!("row {row}"),
        };
        let example = |example: &CellExample| match example.problem.content() {
            Some(content) => format!("{content} ({})", place(example.place)),
            None => place(example.place),
        };
        let are_rows = self.examples.iter().any(|example| matches!(example.place, Place::Row(_)));
        let counted = if are_rows { " (rows counted from 0)" } else { "" };
        let examples: Vec<String> = self.examples.iter().map(example).collect();
        let (path, column, what) = (shown(&self.path), excerpt(&self.column), self.problem.of_many());
        write!(f, "{path}, column {column}: {} {what}, such as {}{counted}", self.count, examples.join(", "))
    }
}

/// What is wrong with one cell.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::error::{CellProblem, Error, Place};
///
/// let table = Table::read_csv("x,y\n1,1\n,2\n".as_bytes(), Path::new("t.csv"))?;
/// let Err(Error::Cell { place, column, problem, .. }) = table.matrix() else { panic!("a gap is no number") };
/// assert_eq!((place, column.as_str(), problem), (Place::Line(3), "x", CellProblem::Missing));
/// # Ok::<(), shallows::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CellProblem {
    /// Nothing is in it.
    #[error("the value is missing")]
    Missing,
    /// Something is in it that is not a number.
    #[error("{} is not a number", excerpt(text))]
    NotANumber {
        /// What it holds.
        text: String,
    },
    /// A number with a decimal comma in a table whose commas separate cells or thousands.
    #[error("{} is not a number", excerpt(text))]
    DecimalComma {
        /// What it holds.
        text: String,
    },
    /// NaN, an infinity, or a number too large for a double.
    #[error("{} is not a finite number", excerpt(text))]
    NotFinite {
        /// What it holds.
        text: String,
    },
    /// An integer that a double may not represent.
    #[error("the integer {text} is beyond 2^53, where doubles skip integers")]
    NotExact {
        /// The integer.
        text: String,
        /// What the column is for, where it is no input.
        role: Option<&'static str>,
    },
    /// A decimal with more digits than are read.
    #[error("a decimal of more than 38 digits cannot be read")]
    LongDecimal,
    /// Bytes that are not text.
    #[error("the byte {byte:#04x} is not UTF-8 text")]
    NotUtf8 {
        /// The first such byte.
        byte: u8,
    },
    /// A number with a sign of per cent or of a currency in a column where others have none, or another.
    #[error("{} has another unit than the column's other numbers", excerpt(text))]
    MixedUnits {
        /// What it holds.
        text: String,
    },
    /// Something in a column of dates that is none, or cannot be read as one.
    #[error("{} is not a date that can be read", excerpt(text))]
    NotADate {
        /// What it holds.
        text: String,
    },
    /// A date of which day, month or year could be exchanged.
    #[error("{} could be two dates: {}", excerpt(text), doubt.words())]
    OpenDate {
        /// What it holds.
        text: String,
        /// What is open about it.
        doubt: DateDoubt,
    },
    /// The same in rows that a model is applied to.
    #[error("{} could be two dates: {}", excerpt(text), doubt.words_of_new_rows())]
    OpenNewDate {
        /// What it holds.
        text: String,
        /// What is open about it.
        doubt: DateDoubt,
    },
    /// A date that is none in the order of those that the model was fitted to.
    #[error("{} is no date with the {} first, as in the rows of the fit", excerpt(text), start.name())]
    OtherDateOrder {
        /// What it holds.
        text: String,
        /// What came first in the rows of the fit.
        start: DateStart,
    },
    /// A word that is not one of an ordered list.
    #[error("{} is none of {}", excerpt(text), cut(list, LONGEST_REASON))]
    NotInOrder {
        /// The word.
        text: String,
        /// The list.
        list: String,
    },
    /// A word of a column of which the model knows none.
    #[error("{} is none of the words of the fit: {}", excerpt(text), list(known))]
    UnknownWord {
        /// The word.
        text: String,
        /// Those of the fit.
        known: Vec<String>,
    },
    /// A word or an infinity in a column that cannot do without numbers.
    #[error("{} is not a {}, as {role} has to be", excerpt(text), if is_infinite(text) { "finite number" } else { "number" })]
    Needed {
        /// What it holds.
        text: String,
        /// What the column is for.
        role: &'static str,
    },
    /// A row that belongs nowhere.
    #[error("the value is missing, and {role} has to be known")]
    DependenceMissing {
        /// What the column is for.
        role: &'static str,
    },
    /// Something that has no place in an order of times.
    #[error("{} is neither a number nor a date", excerpt(text))]
    NotATime {
        /// What it holds.
        text: String,
    },
    /// A target that has no logarithm.
    #[error("{value} has no logarithm, but ln of the target is fitted")]
    NotPositive {
        /// The target.
        value: f64,
    },
    /// A word where the model knows numbers or dates.
    #[error("{} is not a {kind}, but the model was fitted on {kind}s", excerpt(text))]
    NotLikeTraining {
        /// What it holds.
        text: String,
        /// What the model knows: number or date.
        kind: &'static str,
    },
}

impl CellProblem {
    /// What several cells are that have the problem, after their number.
    pub(super) fn of_many(&self) -> String {
        match self {
            CellProblem::Missing => "values are missing".into(),
            CellProblem::NotANumber { .. } | CellProblem::DecimalComma { .. } => "cells are not numbers".into(),
            CellProblem::LongDecimal => "decimals have more than 38 digits and cannot be read".into(),
            CellProblem::NotFinite { .. } => "cells are not finite numbers".into(),
            CellProblem::NotExact { .. } => "integers are beyond 2^53, where doubles skip integers".into(),
            CellProblem::NotUtf8 { .. } => "cells are not UTF-8 text".into(),
            CellProblem::MixedUnits { .. } => "cells have another unit than the column's other numbers".into(),
            CellProblem::NotADate { .. } => "cells are not dates that can be read".into(),
            CellProblem::OpenDate { doubt, .. } => format!("cells could be two dates each ({})", doubt.words()),
            CellProblem::OpenNewDate { doubt, .. } => {
                format!("cells could be two dates each ({})", doubt.words_of_new_rows())
            }
            CellProblem::OtherDateOrder { start, .. } => {
                format!("cells are no dates with the {} first, as in the rows of the fit", start.name())
            }
            CellProblem::NotInOrder { list, .. } => format!("cells are none of {}", cut(list, LONGEST_REASON)),
            CellProblem::UnknownWord { known, .. } => {
                format!("cells are none of the words of the fit ({})", list(known))
            }
            CellProblem::Needed { text, role } if is_infinite(text) => {
                format!("cells are not finite numbers, as {role} has to be")
            }
            CellProblem::Needed { role, .. } => format!("cells are not numbers, as {role} has to be"),
            CellProblem::DependenceMissing { role } => format!("values are missing, and {role} has to be known"),
            CellProblem::NotATime { .. } => "cells are neither numbers nor dates".into(),
            CellProblem::NotPositive { .. } => "targets have no logarithm, but ln of the target is fitted".into(),
            CellProblem::NotLikeTraining { .. } => "cells are not what the model was fitted on".into(),
        }
    }

    /// What the cell holds, where something is in it that can be shown.
    pub(super) fn content(&self) -> Option<String> {
        match self {
            CellProblem::Missing
            | CellProblem::NotUtf8 { .. }
            | CellProblem::LongDecimal
            | CellProblem::DependenceMissing { .. } => None,
            CellProblem::NotPositive { value } => Some(value.to_string()),
            CellProblem::NotANumber { text }
            | CellProblem::NotFinite { text }
            | CellProblem::DecimalComma { text }
            | CellProblem::NotExact { text, .. }
            | CellProblem::MixedUnits { text }
            | CellProblem::NotATime { text }
            | CellProblem::NotADate { text }
            | CellProblem::OpenDate { text, .. }
            | CellProblem::OpenNewDate { text, .. }
            | CellProblem::OtherDateOrder { text, .. }
            | CellProblem::UnknownWord { text, .. }
            | CellProblem::NotInOrder { text, .. }
            | CellProblem::Needed { text, .. }
            | CellProblem::NotLikeTraining { text, .. } => Some(excerpt(text)),
        }
    }

    /// The text of the cell, where it probably stands for nothing and the column may have gaps.
    fn gap_word(&self) -> Option<String> {
        match self {
            CellProblem::NotANumber { text } | CellProblem::NotADate { text } if is_gap_like(text) => {
                Some(text.clone())
            }
            CellProblem::NotFinite { text } => Some(text.clone()),
            CellProblem::Needed { text, role: TARGET } if is_gap_like(text) || is_infinite(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// These texts as gaps. The target is neither categories nor can it be left out.
    fn gap_hint(&self, column: &str, texts: Vec<String>) -> Hint {
        let is_input = !matches!(self, CellProblem::Needed { .. });
        Hint::GapWords { column: is_input.then(|| column.to_owned()), texts }
    }

    /// A way out, for a cell of this column.
    pub fn hint(&self, column: &str) -> Hint {
        if let Some(text) = self.gap_word() {
            return self.gap_hint(column, vec![text]);
        }
        let text_column = |guess| Hint::TextColumn { column: column.to_owned(), guess };
        match self {
            CellProblem::NotANumber { text } => {
                separator_hint(text).map_or_else(|| text_column(text_guess(text)), Hint::plain)
            }
            CellProblem::NotADate { .. } | CellProblem::OpenDate { .. } => {
                Hint::DateColumn { column: column.to_owned() }
            }
            CellProblem::NotPositive { .. } => Hint::PositiveTarget,
            CellProblem::NotExact { role: None, .. } => Hint::Identifiers { column: column.to_owned() },
            CellProblem::LongDecimal => Hint::ConvertColumn { column: column.to_owned() },
            CellProblem::Needed { text, .. } => {
                Hint::plain(separator_hint(text).unwrap_or("correct the cell, or name another column"))
            }
            _ => Hint::plain(self.advice()),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            CellProblem::DecimalComma { .. } => {
                "write decimals with a point, or separate the columns by semicolons or tabs: a comma is decimal only where commas \
                 do not separate cells"
            }
            CellProblem::MixedUnits { .. } => "write all of them in one unit, without a sign",
            CellProblem::OpenNewDate { .. } | CellProblem::OtherDateOrder { .. } => {
                "write dates as 2004-01-31, and months as 2004-01"
            }
            CellProblem::UnknownWord { .. } => {
                "write the words as in the rows of the fit; leave a cell empty if its word is not known"
            }
            CellProblem::NotInOrder { .. } => "name every word of the column in its order, or correct the cell",
            CellProblem::Missing => "fill the gap, or remove the row or the column",
            CellProblem::DependenceMissing { role: "the group" } => {
                "fill the gap (a value of its own makes the row a group of its own), or remove the row"
            }
            CellProblem::DependenceMissing { .. } => "fill the gap, or remove the row",
            CellProblem::NotATime { .. } => "times are numbers, or dates such as 2004-01-31 or 2004-01-31T12:30",
            CellProblem::NotExact { .. } => "write it as text where it is a name, or rescale it and store it as floats",
            CellProblem::NotUtf8 { .. } => SAVE_AS_UTF8,
            CellProblem::NotLikeTraining { .. } => "correct the cell, or leave it empty if the value is not known",
            _ => "correct the cell, or name another column",
        }
    }
}

/// What a target is called where a cell is needed; its gaps leave rows out.
const TARGET: &str = "the target";

/// For a number with separators in it.
fn separator_hint(text: &str) -> Option<&'static str> {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    if is_number(&text.replace(',', ".")) {
        Some(
            "write decimals with a point and digits without separators. A comma between digits is decimal where another cell of the \
             file shows it, such as 1,5, and separates thousands where one shows that, such as 1,234,567 or 2.5",
        )
    } else if is_number(&text.replace([',', ' ', '\'', '_', '’', '\u{a0}'], "")) {
        Some("remove the separators between digits; columns are separated by commas, semicolons or tabs")
    } else {
        None
    }
}

/// Whether a text is an infinity in one of its spellings, or a number that is too large.
fn is_infinite(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Whether a text in place of a number probably stands for nothing.
pub(crate) fn is_gap_like(text: &str) -> bool {
    const TEXTS: [&str; 13] =
        ["na", "nat", "n.a.", "-", "--", "---", ".", "..", "*", "missing", "unknown", "none", "not available"];
    TEXTS.contains(&text.to_lowercase().as_str())
}

/// What a text in place of a number probably is.
fn text_guess(text: &str) -> TextGuess {
    const SIGNS: [char; 5] = ['%', '€', '$', '£', '¥'];
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let bare: String = text.chars().filter(|c| !SIGNS.contains(c) && *c != ' ').collect();
    if is_negative(&bare) {
        TextGuess::Negative
    } else if digits > 0 && (text.ends_with(SIGNS) || text.starts_with(SIGNS)) {
        TextGuess::Currency
    } else if text.contains(['-', '/', ':', '.']) && digits >= 3 {
        TextGuess::Date
    } else {
        TextGuess::Category
    }
}

/// Whether a text without its unit is a negative number in one of the forms of accounts: −5, 5− and (5).
fn is_negative(text: &str) -> bool {
    let in_brackets = || text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let digits = text.strip_prefix(['-', '−']).or_else(|| text.strip_suffix(['-', '−'])).or_else(in_brackets);
    digits.is_some_and(|digits| {
        digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    })
}
