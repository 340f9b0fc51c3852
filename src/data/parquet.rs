//! Parquet: flat tables of numbers and words, column by column.
//!
//! Integers and floats are converted without loss or refused where their column is used; decimals become the nearest double;
//! truth values are words; strings are read as in CSV; dates and times are moments. A file's own counts are never trusted
//! with memory: columns grow by what was decoded, a dictionary may not claim more entries than its page has bits, and a
//! table may not claim far more cells than its file has bytes. The decoder may panic on hostile bytes; such a panic is caught and becomes an error
//! like any other.

mod chunk;
mod kind;
mod writing;

use std::fs::File;
use std::path::Path;

use ::parquet::basic::Compression;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, ParquetMetaData};
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use super::column::{Builder, Column};
use super::table::Table;
use super::untrusted::{plausible_rows, without_panic};
use super::{feather, index, temporal};
use crate::error::{Error, Result, TableProblem};
use chunk::{ColumnFailure, read_chunk};
use kind::{CellKind, TableField, fields};
pub(super) use writing::write;

/// Under which key programs keep the schema of their data frame.
const ARROW_SCHEMA: &str = "ARROW:schema";

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
    let note = |key| noted(metadata.file_metadata(), key);
    let durations = note(ARROW_SCHEMA).and_then(feather::durations).unwrap_or_default();
    let fields = fields(metadata.file_metadata().schema_descr(), &durations);
    let rows = agreed_rows(metadata, &fields, bytes, path)?;
    let (mut columns, mut remarks) = (Vec::with_capacity(fields.len()), vec![]);
    for field in &fields {
        columns.push(match &field.kind {
            Ok(kind) => read_column(&reader, field.leaf, *kind, path)?,
            Err(kind) => Column::unreadable(kind.clone()),
        });
        match field.kind {
            Ok(CellKind::Duration(_)) => remarks.push(temporal::duration_remark(&field.name)),
            Ok(CellKind::Time32(_) | CellKind::Time64(_)) => remarks.push(temporal::time_remark(&field.name)),
            _ => {}
        }
    }
    let names = fields.into_iter().map(|field| field.name).collect();
    let (names, columns, index) = index::of_frame(names, columns, note(index::PANDAS));
    Ok(Table::new(path, names, columns, rows)?.with_index(index).with_remarks(remarks))
}

/// What programs keep in a file besides the table.
fn noted<'a>(metadata: &'a FileMetaData, key: &str) -> Option<&'a str> {
    metadata.key_value_metadata()?.iter().find(|pair| pair.key == key)?.value.as_deref()
}

fn damaged(path: &Path, reason: &str) -> Error {
    Error::table(path, TableProblem::Damaged { format: "Parquet", reason: reason.to_owned() })
}

fn foreign(path: &Path, failure: &ParquetError) -> Error {
    damaged(path, &failure.to_string())
}

/// The number of rows, where all counts agree and the file is long enough to mean it.
fn agreed_rows(metadata: &ParquetMetaData, fields: &[TableField], bytes: u64, path: &Path) -> Result<usize> {
    let leaves = metadata.file_metadata().schema_descr().num_columns();
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        let counts =
            |field: &TableField| field.kind.is_err() || group.column(field.leaf).num_values() == group.num_rows();
        let agree = group.num_columns() == leaves && fields.iter().all(counts);
        let claimed = u64::try_from(group.num_rows()).ok().filter(|_| agree);
        rows = claimed
            .and_then(|claimed| rows.checked_add(claimed))
            .ok_or_else(|| damaged(path, "its row counts contradict each other"))?;
        let read = fields.iter().filter(|field| field.kind.is_ok());
        read.map(|field| group.column(field.leaf)).try_for_each(|column| check_compression(column, path))?;
    }
    plausible_rows(rows, fields.len(), bytes, path)
}

fn check_compression(column: &ColumnChunkMetaData, path: &Path) -> Result<()> {
    match column.compression() {
        Compression::LZO => {
            let (column, codec) = (column.column_descr().name().to_owned(), "LZO".to_owned());
            Err(Error::table(path, TableProblem::Codec { column, codec }))
        }
        _ => Ok(()),
    }
}

/// Column j of all row groups.
fn read_column(reader: &SerializedFileReader<File>, j: usize, kind: CellKind, path: &Path) -> Result<Column> {
    let column = reader.metadata().file_metadata().schema_descr().column(j);
    let mut cells = Builder::default();
    for at in 0..reader.num_row_groups() {
        let group = reader.get_row_group(at).map_err(|failure| foreign(path, &failure))?;
        read_chunk(group.as_ref(), j, kind, &column, &mut cells).map_err(|failure| match failure {
            ColumnFailure::Decoder(failure) => foreign(path, &failure),
            ColumnFailure::Short => damaged(path, "a column ends too early"),
        })?;
    }
    Ok(if kind.is_moment() { cells.finish_moments(kind.is_in_utc()) } else { cells.finish() })
}
