//! What can be wrong with a file that should be a table: each sentence and its way out, side by side.

use super::hint::Hint;
use super::text::{LONGEST_REASON, cut, excerpt};

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

/// For bytes that are not UTF-8.
pub(super) const SAVE_AS_UTF8: &str = "save the file as UTF-8 text (it may be Latin-1 or Windows-1252 now)";

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
