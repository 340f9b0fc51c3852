//! Parquet: flat tables of numbers and words, column by column.
//!
//! Integers and floats are converted without loss or refused; truth values are words; strings are read as in CSV. A file's own counts are never trusted with
//! memory: columns grow by what was decoded, a dictionary may not claim more entries than its page has bits, and a
//! table may not claim far more cells than its file has bytes. The decoder may panic on hostile bytes; such a panic
//! is caught here and becomes an error like any other.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Once};

use ::parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, Type};

use super::column::{Builder, Column};
use super::number::{exact, exact_signed, finite};
use super::table::Table;
use crate::error::{CellProblem, Error, Place, Result, TableProblem};

/// Cells that any file may claim: 2 GiB of doubles.
const CELLS_FOR_FREE: u64 = 1 << 28;
/// Cells that each byte of a file may claim beyond that; repeated values compress this well, and far better only
/// when the whole table is constant.
const CELLS_PER_BYTE: u64 = 1 << 10;
/// Rows decoded at a time.
const ROWS_AT_ONCE: usize = 1 << 13;

/// Read a table from a Parquet file.
pub(super) fn read(file: File, path: &Path) -> Result<Table> {
    let bytes = file.metadata().map_err(|source| Error::io(path, source))?.len();
    if bytes == 0 {
        return Err(Error::table(path, TableProblem::Empty));
    }
    let attempt = without_panic(|| read_trusting(file, bytes, path));
    attempt.unwrap_or_else(|| Err(damaged(path, "its bytes contradict each other")))
}

fn read_trusting(file: File, bytes: u64, path: &Path) -> Result<Table> {
    let reader = SerializedFileReader::new(file).map_err(|failure| foreign(path, &failure))?;
    let metadata = reader.metadata();
    let kinds = kinds_of_columns(metadata, path)?;
    let rows = plausible_rows(metadata, bytes, path)?;
    let mut columns = Vec::with_capacity(kinds.len());
    for (j, kind) in kinds.into_iter().enumerate() {
        columns.push(match kind {
            Ok(kind) => read_column(&reader, j, kind, path)?,
            Err(kind) => Column::unreadable(kind),
        });
    }
    let schema = metadata.file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name().trim().to_owned()).collect();
    Table::new(path, names, columns, rows)
}

fn damaged(path: &Path, reason: &str) -> Error {
    Error::table(path, TableProblem::Damaged { format: "Parquet", reason: reason.to_owned() })
}

fn foreign(path: &Path, failure: &ParquetError) -> Error {
    damaged(path, &failure.to_string())
}

/// How a column's values become cells.
#[derive(Clone, Copy)]
enum CellKind {
    Text,
    Boolean,
    Signed32,
    Unsigned32,
    Signed64,
    Unsigned64,
    Float,
    Double,
}

/// The kind of every column, or the name of a type we do not read; a nested column is an error.
fn kinds_of_columns(metadata: &ParquetMetaData, path: &Path) -> Result<Vec<std::result::Result<CellKind, String>>> {
    let schema = metadata.file_metadata().schema_descr();
    for field in schema.root_schema().get_fields() {
        let flat = field.is_primitive() && field.get_basic_info().repetition() != Repetition::REPEATED;
        if !flat {
            let (column, kind) = (field.name().to_owned(), "a nested type".to_owned());
            return Err(Error::table(path, TableProblem::ColumnKind { column, kind }));
        }
    }
    Ok(schema.columns().iter().map(|column| kind_of(column).ok_or_else(|| kind_in_words(column))).collect())
}

fn kind_of(column: &ColumnDescriptor) -> Option<CellKind> {
    use ConvertedType::{ENUM, INT_8, INT_16, INT_32, INT_64, NONE, UINT_8, UINT_16, UINT_32, UINT_64, UTF8};
    let signed = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::String | LogicalType::Enum), _) | (None, UTF8 | ENUM) => {
            return (column.physical_type() == Physical::BYTE_ARRAY).then_some(CellKind::Text);
        }
        (Some(LogicalType::Integer(integer)), _) => integer.is_signed,
        (None, NONE | INT_8 | INT_16 | INT_32 | INT_64) => true,
        (None, UINT_8 | UINT_16 | UINT_32 | UINT_64) => false,
        _ => return None,
    };
    match (column.physical_type(), signed) {
        (Physical::BOOLEAN, _) => Some(CellKind::Boolean),
        (Physical::INT32, true) => Some(CellKind::Signed32),
        (Physical::INT32, false) => Some(CellKind::Unsigned32),
        (Physical::INT64, true) => Some(CellKind::Signed64),
        (Physical::INT64, false) => Some(CellKind::Unsigned64),
        (Physical::FLOAT, _) => Some(CellKind::Float),
        (Physical::DOUBLE, _) => Some(CellKind::Double),
        _ => None,
    }
}

/// Parquet's own name for what a column holds: the logical type where there is one.
fn kind_in_words(column: &ColumnDescriptor) -> String {
    match (column.logical_type_ref(), column.converted_type()) {
        // Its Debug form starts with the name and continues with parameters.
        (Some(logical), _) => {
            let words = format!("{logical:?}");
            words.chars().take_while(|letter| letter.is_alphanumeric()).collect()
        }
        (None, ConvertedType::NONE) => column.physical_type().to_string(),
        (None, converted) => converted.to_string(),
    }
}

/// The number of rows, where all counts agree and the file is long enough to mean it.
fn plausible_rows(metadata: &ParquetMetaData, bytes: u64, path: &Path) -> Result<usize> {
    let columns = metadata.file_metadata().schema_descr().num_columns();
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        let agree = group.num_columns() == columns
            && group.columns().iter().all(|column| column.num_values() == group.num_rows());
        let claimed = u64::try_from(group.num_rows()).ok().filter(|_| agree);
        rows = claimed
            .and_then(|claimed| rows.checked_add(claimed))
            .ok_or_else(|| damaged(path, "its row counts contradict each other"))?;
        check_compression(group.columns(), path)?;
    }
    let most = CELLS_FOR_FREE.saturating_add(bytes.saturating_mul(CELLS_PER_BYTE));
    let cells = rows.checked_mul(columns as u64).filter(|cells| *cells <= most);
    match cells.and_then(|_| usize::try_from(rows).ok()) {
        Some(rows) => Ok(rows),
        None => Err(Error::table(path, TableProblem::Implausible { bytes, rows, columns })),
    }
}

fn check_compression(columns: &[::parquet::file::metadata::ColumnChunkMetaData], path: &Path) -> Result<()> {
    for column in columns {
        let codec = match column.compression() {
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) => continue,
            other => other.to_string(),
        };
        let name = codec.chars().take_while(|letter| *letter != '(').collect();
        let column = column.column_descr().name().to_owned();
        return Err(Error::table(path, TableProblem::Codec { column, codec: name }));
    }
    Ok(())
}

/// Why a column could not be read.
enum ColumnFailure {
    Cell(usize, CellProblem),
    Decoder(ParquetError),
    Short,
}

impl From<ParquetError> for ColumnFailure {
    fn from(failure: ParquetError) -> Self {
        ColumnFailure::Decoder(failure)
    }
}

/// Column j of all row groups.
fn read_column(reader: &SerializedFileReader<File>, j: usize, kind: CellKind, path: &Path) -> Result<Column> {
    let column = reader.metadata().file_metadata().schema_descr().column(j);
    let mut cells = Cells::default();
    for at in 0..reader.num_row_groups() {
        let group = reader.get_row_group(at).map_err(|failure| foreign(path, &failure))?;
        read_chunk(group.as_ref(), j, kind, &column, &mut cells).map_err(|failure| match failure {
            ColumnFailure::Decoder(failure) => foreign(path, &failure),
            ColumnFailure::Short => damaged(path, "a column ends too early"),
            ColumnFailure::Cell(row, problem) => {
                Error::Cell { path: path.to_owned(), place: Place::Row(row), column: column.name().to_owned(), problem }
            }
        })?;
    }
    Ok(cells.column.finish())
}

/// The cells read so far.
#[derive(Default)]
struct Cells {
    column: Builder,
    rows: usize,
}

/// Column j of one row group, by kind.
fn read_chunk(
    group: &dyn RowGroupReader,
    j: usize,
    kind: CellKind,
    column: &ColumnDescPtr,
    cells: &mut Cells,
) -> std::result::Result<(), ColumnFailure> {
    let rows = usize::try_from(group.metadata().num_rows()).map_err(|_| ColumnFailure::Short)?;
    let pages = Box::new(SoundPages(group.get_column_page_reader(j)?));
    let column = column.clone();
    match kind {
        CellKind::Text => decode::<ByteArrayType>(column, pages, rows, text, cells),
        CellKind::Boolean => {
            let truth = |x: bool, column: &mut Builder| {
                column.push_text(if x { "true" } else { "false" });
                Ok(())
            };
            decode::<BoolType>(column, pages, rows, truth, cells)
        }
        CellKind::Signed32 => decode::<Int32Type>(column, pages, rows, number(|x| Ok(f64::from(x))), cells),
        CellKind::Unsigned32 => decode::<Int32Type>(column, pages, rows, number(|x| Ok(f64::from(x as u32))), cells),
        CellKind::Signed64 => decode::<Int64Type>(column, pages, rows, number(exact_signed), cells),
        CellKind::Unsigned64 => decode::<Int64Type>(column, pages, rows, number(|x| exact(x as u64)), cells),
        CellKind::Float => decode::<FloatType>(column, pages, rows, number(|x| finite(f64::from(x))), cells),
        CellKind::Double => decode::<DoubleType>(column, pages, rows, number(finite), cells),
    }
}

/// What comes of adding one cell to a column.
type Added = std::result::Result<(), CellProblem>;

/// Add a value that becomes a number.
fn number<T>(convert: fn(T) -> std::result::Result<f64, CellProblem>) -> impl Fn(T, &mut Builder) -> Added {
    move |value, column| {
        column.push_number(convert(value)?);
        Ok(())
    }
}

/// Add a string.
fn text(value: ByteArray, column: &mut Builder) -> Added {
    let bytes = value.data();
    match std::str::from_utf8(bytes) {
        Ok(text) => column.push_text(text),
        Err(error) => return Err(CellProblem::NotUtf8 { byte: bytes[error.valid_up_to()] }),
    }
    Ok(())
}

/// Add `rows` cells; a null is a gap.
fn decode<T: DataType>(
    column: ColumnDescPtr,
    pages: Box<dyn PageReader>,
    rows: usize,
    add: impl Fn(T::T, &mut Builder) -> Added,
    cells: &mut Cells,
) -> std::result::Result<(), ColumnFailure> {
    let full = column.max_def_level();
    let mut reader = ColumnReaderImpl::<T>::new(column, pages);
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut left = rows;
    while left > 0 {
        values.clear();
        levels.clear();
        let (read, ..) = reader.read_records(left.min(ROWS_AT_ONCE), Some(&mut levels), None, &mut values)?;
        // A column that cannot have gaps comes without levels.
        levels.resize(if full == 0 { read } else { levels.len() }, full);
        let present = levels.iter().filter(|level| **level == full).count();
        if read == 0 || levels.len() != read || values.len() != present {
            return Err(ColumnFailure::Short);
        }
        let mut values = values.drain(..);
        for level in &levels {
            match (*level == full).then(|| values.next()).flatten() {
                Some(value) => {
                    add(value, &mut cells.column).map_err(|problem| ColumnFailure::Cell(cells.rows, problem))?
                }
                None => cells.column.push_missing(),
            }
            cells.rows += 1;
        }
        left -= read;
    }
    Ok(())
}

/// Pages whose dictionaries do not claim more entries than they have bits, since the decoder allocates by the claim.
struct SoundPages(Box<dyn PageReader>);

impl PageReader for SoundPages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        let page = self.0.get_next_page()?;
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page
            && u64::from(*num_values) > 8 * buf.len() as u64
        {
            return Err(ParquetError::General("a dictionary is shorter than it claims".to_owned()));
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.0.skip_next_page()
    }
}

impl Iterator for SoundPages {
    type Item = ParquetResult<Page>;
    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

thread_local! {
    static PANICS_ARE_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// What `act` returns, or `None` if it panics, in which case nothing is printed.
///
/// The process's panic hook is wrapped once; it stays silent only on a thread that is inside this function.
fn without_panic<T>(act: impl FnOnce() -> T) -> Option<T> {
    static WRAPPED: Once = Once::new();
    WRAPPED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !PANICS_ARE_EXPECTED.get() {
                usual(panic);
            }
        }));
    });
    PANICS_ARE_EXPECTED.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(act));
    PANICS_ARE_EXPECTED.set(false);
    outcome.ok()
}

/// Write columns of doubles, none of them optional, in row groups of a million rows.
pub(super) fn write(out: &mut (dyn Write + Send), names: &[String], columns: &[&[f64]]) -> io::Result<()> {
    const ROWS_PER_GROUP: usize = 1 << 20;
    let field = |name: &String| {
        Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let fields = names.iter().map(field).collect::<ParquetResult<Vec<_>>>()?;
    let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build()?);
    let settings = WriterProperties::builder().set_compression(Compression::SNAPPY).set_dictionary_enabled(false);
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(settings.build()))?;
    let rows = columns.first().map_or(0, |column| column.len());
    for start in (0..rows).step_by(ROWS_PER_GROUP) {
        let mut group = writer.next_row_group()?;
        for column in columns {
            let some = &column[start..rows.min(start + ROWS_PER_GROUP)];
            if let Some(mut chunk) = group.next_column()? {
                chunk.typed::<DoubleType>().write_batch(some, None, None)?;
                chunk.close()?;
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}
