//! What can be wrong with a table, a cell, a set of samples: each sentence and its way out, side by side.

use std::fmt;

use super::text::{cut, excerpt};

/// Where in a file: the line of a text, the row of an array.
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

/// What is wrong with one cell.
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
    },
    /// Bytes that are not text.
    #[error("the cell is not UTF-8 text")]
    NotUtf8,
}

impl CellProblem {
    /// A way out.
    pub fn hint(&self) -> &'static str {
        match self {
            CellProblem::Missing => "fill the missing value, or remove the row or the column",
            CellProblem::NotANumber { text } => hint_for_text(text),
            CellProblem::NotFinite { .. } => "replace it by a finite number, or remove the row",
            CellProblem::NotExact { .. } => {
                "an identifier? remove the column; otherwise rescale it and store it as floats"
            }
            CellProblem::NotUtf8 => SAVE_AS_UTF8,
        }
    }
}

const SAVE_AS_UTF8: &str = "save the file as UTF-8 text";

/// What a text in place of a number probably is.
fn hint_for_text(text: &str) -> &'static str {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let holds = |characters: &[char]| text.contains(characters);
    if ["na", "n/a", "null", "none", "?", "-", "missing", "#n/a"].contains(&text.to_lowercase().as_str()) {
        "a missing value: fill it, or remove the row or the column"
    } else if is_number(&text.replace(',', ".")) {
        "write decimals with a point, and put semicolons or tabs between columns"
    } else if is_number(&text.replace([',', ' ', '\'', '_'], "")) {
        "remove the separators between digits; columns are separated by commas, semicolons or tabs"
    } else if holds(&['-', '/', ':', '.']) && text.chars().filter(char::is_ascii_digit).count() >= 3 {
        "a date or time? turn it into a number, such as days since a start, or remove the column"
    } else {
        "turn categories into numbers, such as one 0/1 column for each, or remove the column"
    }
}

/// What is wrong with a file that should be a table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TableProblem {
    /// Not a byte, or not a column.
    #[error("the file is empty")]
    Empty,
    /// Names, but no numbers under them.
    #[error("there are column names but no rows")]
    NoRows,
    /// The first line holds only numbers.
    #[error("the first line holds numbers where column names should be")]
    NoHeader,
    /// A row that is shorter or longer than the header.
    #[error("line {line} has {found} cells, but the header has {expected}")]
    Ragged {
        /// The line, from 1.
        line: u64,
        /// Cells in the header.
        expected: usize,
        /// Cells in that line.
        found: usize,
    },
    /// An empty line before the last row.
    #[error("line {line} is empty")]
    BlankLine {
        /// The line, from 1.
        line: u64,
    },
    /// A quotation mark that is not closed, or closed too early.
    #[error("line {line} has a stray quotation mark")]
    Quote {
        /// The line, from 1.
        line: u64,
    },
    /// A header that is not text.
    #[error("line {line} is not UTF-8 text")]
    NotUtf8 {
        /// The line, from 1.
        line: u64,
    },
    /// Two columns with one name.
    #[error("two columns are called {}", excerpt(name))]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A column with an empty name.
    #[error("column {position} has no name")]
    UnnamedColumn {
        /// Which column, from 1.
        position: usize,
    },
    /// A file name that does not say what the file is.
    #[error("{} is not a kind of table", excerpt(extension))]
    UnknownFormat {
        /// What follows the last dot, with the dot.
        extension: String,
    },
    /// Parquet in a build without it.
    #[error("this build cannot read or write Parquet")]
    NotBuilt,
    /// A file that breaks its own format, or was cut off.
    #[error("not a sound {format} file: {}", cut(reason, LONGEST_REASON))]
    Damaged {
        /// NPY or Parquet.
        format: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// An array that is not a matrix.
    #[error("the array has {dimensions} dimensions, a table has 2")]
    Dimensions {
        /// How many it has.
        dimensions: usize,
    },
    /// An array whose entries are not numbers.
    #[error("the array holds entries of type {}, not numbers", excerpt(kind))]
    EntryKind {
        /// NumPy's name for the type.
        kind: String,
    },
    /// A Parquet column that does not hold numbers.
    #[error("column {} is of type {kind}, not a number", excerpt(column))]
    ColumnKind {
        /// The column.
        column: String,
        /// Parquet's name for the type.
        kind: String,
    },
    /// A compression that is not compiled in.
    #[error("column {} is compressed with {codec}, which is not supported", excerpt(column))]
    Codec {
        /// The column.
        column: String,
        /// The compression.
        codec: String,
    },
    /// A small file that claims to be a huge table.
    #[error("{bytes} bytes claim to hold {rows} rows of {columns} columns")]
    Implausible {
        /// The length of the file.
        bytes: u64,
        /// The rows it claims.
        rows: u64,
        /// Its columns.
        columns: usize,
    },
}

/// Characters of another library's reason that a message shows.
const LONGEST_REASON: usize = 120;

impl TableProblem {
    /// A way out, where one is known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            TableProblem::Empty | TableProblem::NoRows => {
                "a table is a line of names and a line of numbers for each row"
            }
            TableProblem::NoHeader => {
                "add a line of column names at the top (if these are names, put a letter before them)"
            }
            TableProblem::Ragged { .. } => {
                "give every row one cell for each column, and quote cells that hold a separator"
            }
            TableProblem::BlankLine { .. } => "delete the line, or fill it in",
            TableProblem::Quote { .. } => "close each quotation mark, and write \"\" for one inside a quoted cell",
            TableProblem::NotUtf8 { .. } => SAVE_AS_UTF8,
            TableProblem::DuplicateName { .. } => "give each column its own name",
            TableProblem::UnnamedColumn { .. } => "name it in the header, or remove it if it only numbers the rows",
            TableProblem::UnknownFormat { .. } => {
                "files end in .csv, .tsv, .txt, .npy, .parquet or .pq; - is CSV on standard input"
            }
            TableProblem::NotBuilt => "build with --features parquet, or convert the table to CSV",
            TableProblem::Damaged { .. } => "write the file again: it may have been cut off or renamed",
            TableProblem::Dimensions { dimensions: 1 } => "make it one row for each sample: array.reshape(-1, 1)",
            TableProblem::Dimensions { .. } => "make it one row for each sample: array.reshape(len(array), -1)",
            TableProblem::EntryKind { .. } => "convert it first: numpy.save(name, array.astype(float))",
            TableProblem::ColumnKind { .. } => "turn the column into numbers, or remove it",
            TableProblem::Codec { .. } => "write the file with snappy, gzip or no compression",
            TableProblem::Implausible { .. } => "write the file again, or as CSV",
        };
        Some(hint.to_owned())
    }
}

/// What is wrong with samples in memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DataProblem {
    /// No sample.
    #[error("there are no rows")]
    NoRows,
    /// No input.
    #[error("there is no input column besides the target")]
    NoInputs,
    /// A NaN or an infinity.
    #[error("row {row} (counted from 0), column {}: {value} is not finite", excerpt(column))]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column's name.
        column: String,
        /// The value.
        value: f64,
    },
    /// A weight that is negative, NaN or infinite.
    #[error("row {row} (counted from 0): the weight {value} is not a finite number ≥ 0")]
    Weight {
        /// The row, from 0.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// Weights that cannot be normalised.
    #[error("the weights sum to {sum}")]
    WeightSum {
        /// Their sum.
        sum: f64,
    },
    /// Two columns with one name.
    #[error("two columns are called {}", excerpt(name))]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// One column in two roles.
    #[error("column {} is both the target and the weight", excerpt(name))]
    TargetIsWeight {
        /// The name.
        name: String,
    },
    /// A single sample.
    #[error("there is only one row to learn from")]
    OneRow,
    /// Nothing to explain.
    #[error("the target {} is {value} in every row", excerpt(name))]
    ConstantTarget {
        /// The target's name.
        name: String,
        /// Its value.
        value: f64,
    },
}

impl DataProblem {
    /// A way out.
    pub fn hint(&self) -> &'static str {
        match self {
            DataProblem::NoRows => "give at least one row",
            DataProblem::NoInputs => "a table needs the target and at least one more column",
            DataProblem::NotFinite { .. } => "replace it by a finite number, or remove the row",
            DataProblem::Weight { .. } => "a weight counts how often a row is meant: 0 leaves it out",
            DataProblem::WeightSum { .. } => {
                "at least one weight must be positive, and their sum must fit into a double"
            }
            DataProblem::DuplicateName { .. } => "give each column its own name",
            DataProblem::TargetIsWeight { .. } => "choose different columns for the target and the weight",
            DataProblem::OneRow => "give at least two rows of positive weight",
            DataProblem::ConstantTarget { .. } => "there is nothing to learn: is this the right target column?",
        }
    }
}
