//! What can be wrong with a table or a cell: each sentence and its way out, side by side.

use std::fmt;
use std::path::PathBuf;

use super::date::{DateDoubt, DateStart};
use super::hint::{Hint, TextGuess};
use super::text::{cut, excerpt, list, shown};

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
}

/// Such as: t.csv, column "b": 17 cells are not numbers, such as "abc" (line 4), "-" (line 9), "n.a." (line 12)
impl fmt::Display for ManyCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let example = |example: &CellExample| match example.problem.content() {
            Some(content) => format!("{content} ({})", example.place),
            None => example.place.to_string(),
        };
        let examples: Vec<String> = self.examples.iter().map(example).collect();
        let (path, column, what) = (shown(&self.path), excerpt(&self.column), self.problem.of_many());
        write!(f, "{path}, column {column}: {} {what}, such as {}", self.count, examples.join(", "))
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
    /// A word in a column that cannot do without numbers.
    #[error("{} is not a number, as {role} has to be", excerpt(text))]
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
            CellProblem::NotANumber { .. } => "cells are not numbers".into(),
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
            CellProblem::Missing | CellProblem::NotUtf8 { .. } | CellProblem::DependenceMissing { .. } => None,
            CellProblem::NotPositive { value } => Some(value.to_string()),
            CellProblem::NotANumber { text }
            | CellProblem::NotFinite { text }
            | CellProblem::NotExact { text }
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

    /// A way out, for a cell of this column.
    pub fn hint(&self, column: &str) -> Hint {
        let gap_word = |text: &String| Hint::GapWord { column: column.to_owned(), text: text.clone() };
        let text_column = |guess| Hint::TextColumn { column: column.to_owned(), guess };
        match self {
            CellProblem::NotANumber { text } | CellProblem::NotADate { text } | CellProblem::Needed { text, .. }
                if is_gap_like(text) =>
            {
                gap_word(text)
            }
            CellProblem::NotANumber { text } => {
                separator_hint(text).map_or_else(|| text_column(text_guess(text)), Hint::plain)
            }
            CellProblem::MixedUnits { .. } => Hint::plain("write all of them in one unit, without a sign"),
            CellProblem::NotADate { .. } | CellProblem::OpenDate { .. } => {
                Hint::DateColumn { column: column.to_owned() }
            }
            CellProblem::OpenNewDate { .. } | CellProblem::OtherDateOrder { .. } => {
                Hint::plain("write dates as 2004-01-31, and months as 2004-01")
            }
            CellProblem::UnknownWord { .. } => {
                Hint::plain("write the words as in the rows of the fit; leave a cell empty if its word is not known")
            }
            CellProblem::NotInOrder { .. } => {
                Hint::plain("name every word of the column in its order, or correct the cell")
            }
            CellProblem::NotPositive { .. } => Hint::PositiveTarget,
            CellProblem::Missing => Hint::plain("fill the gap, or remove the row or the column"),
            CellProblem::DependenceMissing { role: "the group" } => {
                Hint::plain("fill the gap (a value of its own makes the row a group of its own), or remove the row")
            }
            CellProblem::DependenceMissing { .. } => Hint::plain("fill the gap, or remove the row"),
            CellProblem::NotATime { .. } => {
                Hint::plain("times are numbers, or dates such as 2004-01-31 or 2004-01-31T12:30")
            }
            CellProblem::NotFinite { text } => gap_word(text),
            CellProblem::NotExact { .. } => {
                Hint::plain("an identifier? remove the column; otherwise rescale it and store it as floats")
            }
            CellProblem::NotUtf8 { .. } => Hint::plain(SAVE_AS_UTF8),
            CellProblem::Needed { text, .. } => {
                Hint::plain(separator_hint(text).unwrap_or("correct the cell, or name another column"))
            }
            CellProblem::NotLikeTraining { .. } => {
                Hint::plain("correct the cell, or leave it empty if the value is not known")
            }
        }
    }
}

const SAVE_AS_UTF8: &str = "save the file as UTF-8 text (it may be Latin-1 or Windows-1252 now)";

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

/// Whether a text in place of a number probably stands for nothing.
pub(crate) fn is_gap_like(text: &str) -> bool {
    const TEXTS: [&str; 12] =
        ["na", "n.a.", "-", "--", "---", ".", "..", "*", "missing", "unknown", "none", "not available"];
    TEXTS.contains(&text.to_lowercase().as_str())
}

/// What a text in place of a number probably is.
fn text_guess(text: &str) -> TextGuess {
    const SIGNS: [char; 5] = ['%', '€', '$', '£', '¥'];
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if text.contains(['-', '/', ':', '.']) && digits >= 3 {
        TextGuess::Date
    } else if digits > 0 && (text.ends_with(SIGNS) || text.starts_with(SIGNS)) {
        TextGuess::Currency
    } else {
        TextGuess::Category
    }
}

/// What is wrong with a file that should be a table.
///
/// ```
/// use std::path::Path;
/// use shallows::Table;
/// use shallows::error::{Error, TableProblem};
///
/// let read = Table::read_csv("x,y\n1,1\n2\n".as_bytes(), Path::new("t.csv"));
/// let Err(Error::Table { problem, .. }) = read else { panic!("the third line has one cell") };
/// assert_eq!(problem, TableProblem::Ragged { line: 3, expected: 2, found: 1 });
/// ```
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
    /// A row that is shorter or longer than the first, which has a name before its cells.
    #[error("line {line} has {found} cells, but the rows before it have {expected}")]
    Uneven {
        /// The line, from 1.
        line: u64,
        /// Cells in the rows before.
        expected: usize,
        /// Cells in that line.
        found: usize,
    },
    /// A line that starts with # and may be a comment or the header.
    #[error("line {line} starts with # and has as many cells as the next: a comment, or the names of the columns?")]
    HeaderOrComment {
        /// The line, from 1.
        line: u64,
    },
    /// Lines that end as on the first Macintosh.
    #[error("its lines end with a carriage return and no line feed, so that the file is one line")]
    CarriageReturns,
    /// Text of two bytes for each letter.
    #[error("this is UTF-16 text")]
    Utf16,
    /// A file of another kind under the name of a text.
    #[error("this is not text but {kind}")]
    NotText {
        /// What it is.
        kind: &'static str,
    },
    /// A record that does not end.
    #[error("line {line}: this row is longer than {most} MiB")]
    LongRecord {
        /// The line, from 1.
        line: u64,
        /// What a row may take, in MiB.
        most: usize,
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
    #[error("line {line}: the byte {byte:#04x} is not UTF-8 text")]
    NotUtf8 {
        /// The line, from 1.
        line: u64,
        /// The first such byte.
        byte: u8,
    },
    /// Decimal commas and decimal points in one file.
    #[error("column {} has decimal commas, but column {} has points", excerpt(comma), excerpt(point))]
    MixedDecimals {
        /// A column with commas.
        comma: String,
        /// A column with points.
        point: String,
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
    /// Parquet, Feather or compressed text in a build without it.
    #[error("this build cannot read or write such files")]
    NotBuilt,
    /// A kind of file that is read, but not written.
    #[error("tables are read from such files, but not written to them")]
    NotWritten,
    /// The first version of Feather.
    #[error("this is the first version of Feather, which is no longer written")]
    OldFeather,
    /// Arrow's stream format.
    #[error("this is a stream of Arrow, not a file")]
    ArrowStream,
    /// A compressed text that expands beyond measure.
    #[error("{bytes} bytes expand to more than {most}")]
    Endless {
        /// The length of the file.
        bytes: u64,
        /// The bytes after which it was given up.
        most: u64,
    },
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
    /// A Parquet column that holds neither numbers nor words.
    #[error("column {} is of type {kind}, neither numbers nor words", excerpt(column))]
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
    /// A way out.
    pub fn hint(&self) -> Hint {
        match self {
            TableProblem::NotBuilt => Hint::BuildParquet,
            TableProblem::UnknownFormat { extension } => Hint::plain(conversion(extension)),
            TableProblem::ColumnKind { column, .. } => Hint::ConvertColumn { column: column.clone() },
            _ => Hint::plain(self.advice()),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            TableProblem::Empty | TableProblem::NoRows => "a table is a line of names and a line of cells for each row",
            TableProblem::NoHeader => {
                "add a line of column names at the top (if these are names, put a letter before them)"
            }
            TableProblem::HeaderOrComment { .. } => "delete the line, or the # at its beginning",
            TableProblem::NotText { .. } => {
                "let its name end in what it is: .csv.gz, .csv.zst, .parquet, .feather, .npy or .xlsx"
            }
            TableProblem::Utf16 => "save the file as UTF-8: iconv -f UTF-16 -t UTF-8 old.csv > new.csv",
            TableProblem::CarriageReturns => "convert it: tr '\\r' '\\n' < old.csv > new.csv",
            TableProblem::Ragged { .. } | TableProblem::Uneven { .. } => {
                "give every row one cell for each column, and quote cells that hold a separator"
            }
            TableProblem::LongRecord { .. } => "is this a table? each row has its own line",
            TableProblem::BlankLine { .. } => "delete the line, or fill it in",
            TableProblem::Quote { .. } => "close each quotation mark, and write \"\" for one inside a quoted cell",
            TableProblem::NotUtf8 { .. } => SAVE_AS_UTF8,
            TableProblem::DuplicateName { .. } => "give each column its own name",
            TableProblem::UnnamedColumn { .. } => {
                "name it in the header; only the first columns, and an empty last one, may be unnamed"
            }
            TableProblem::NotWritten => "name a file that ends in .csv, .tsv, .npy or .parquet",
            TableProblem::OldFeather => {
                "write it again: pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)"
            }
            TableProblem::ArrowStream => "write it as a file: polars.read_ipc_stream(old).write_ipc(new)",
            TableProblem::Endless { .. } => "if that is what it should hold, decompress it first",
            TableProblem::Damaged { .. } => "write the file again: it may have been cut off or renamed",
            TableProblem::Dimensions { dimensions: 1 } => "make it one row for each sample: array.reshape(-1, 1)",
            TableProblem::Dimensions { .. } => "make it one row for each sample: array.reshape(len(array), -1)",
            TableProblem::EntryKind { .. } => "convert it first: numpy.save(name, array.astype(float))",
            TableProblem::MixedDecimals { .. } => "write all decimals with a point, and digits without separators",
            TableProblem::Codec { .. } => "write the file with zstd, snappy, gzip or no compression",
            _ => "write the file again, or as CSV",
        }
    }
}

/// How a file of another kind becomes a table.
fn conversion(extension: &str) -> &'static str {
    match extension {
        ".xlsx" | ".xls" | ".xlsm" | ".ods" => {
            "save it as CSV from the spreadsheet, or with pandas: read_excel(old).to_csv(\"new.csv\", index=False)"
        }
        ".json" | ".jsonl" | ".ndjson" => {
            "convert it with pandas: read_json(old).to_parquet(\"new.parquet\"); lines=True for one object per line"
        }
        ".dta" | ".sav" | ".sas7bdat" | ".xpt" => {
            "convert it with pandas: read_stata, read_spss or read_sas, then .to_parquet(\"new.parquet\")"
        }
        ".rds" | ".rda" | ".rdata" => "convert it in R: write.csv(readRDS(old), \"new.csv\", row.names = FALSE)",
        ".npz" => "save one array: numpy.save(\"new.npy\", numpy.load(old)[name])",
        ".pkl" | ".pickle" | ".h5" | ".hdf5" | ".hdf" | ".db" | ".sqlite" => {
            "write the data frame with .to_parquet(\"new.parquet\") or .to_csv(\"new.csv\")"
        }
        ".zip" | ".bz2" | ".xz" | ".7z" | ".tgz" => {
            "decompress it first; of text, .csv.gz and .csv.zst are read as they are"
        }
        compressed if compressed.ends_with(".gz") || compressed.ends_with(".zst") => {
            "decompress it first; of text, .csv.gz and .csv.zst are read as they are"
        }
        _ => {
            "files end in .csv, .tsv, .psv or .txt (with .gz or .zst after it), .npy, .parquet or .feather; - is CSV on standard input"
        }
    }
}
