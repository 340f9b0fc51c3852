//! Columns out, by extension: CSV, NPY or Parquet, written whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::table::TableFormat;
use crate::error::{Error, Result, TableProblem};
use crate::file::write_atomically;

/// Write columns under their names; `-` is CSV on standard output.
///
/// Numbers in CSV are the shortest that read back as the same bits. An NPY file has no place for the names: it is
/// the matrix of the columns.
///
/// ```
/// use shallows::Table;
/// use shallows::data::write_columns;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("t.csv");
/// write_columns(&path, &["x".into(), "y".into()], &[[0.1, 0.2], [1.0, 2.0]])?;
/// // Numbers are written so that they read back as the same.
/// assert_eq!(Table::read(&path)?.matrix()?.row(1), [0.2, 2.0]);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn write_columns<C: AsRef<[f64]>>(path: &Path, names: &[String], columns: &[C]) -> Result<()> {
    let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
    check_shapes(names, &columns)?;
    match TableFormat::of(path)? {
        TableFormat::Csv if path == Path::new("-") => {
            let mut out = BufWriter::new(io::stdout().lock());
            write_csv(&mut out, b',', names, &columns)
                .and_then(|()| out.flush())
                .map_err(|source| Error::io(Path::new("standard output"), source))
        }
        TableFormat::Csv => write_atomically(path, |out| write_csv(out, separator_for(path), names, &columns)),
        TableFormat::Npy => write_atomically(path, |out| write_npy(out, &columns)),
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => write_atomically(path, |out| super::parquet::write(out, names, &columns)),
        #[cfg(not(feature = "parquet"))]
        TableFormat::Parquet => Err(Error::table(path, TableProblem::NotBuilt)),
        TableFormat::Gzip | TableFormat::Zstandard | TableFormat::Feather => {
            Err(Error::table(path, TableProblem::NotWritten))
        }
    }
}

fn check_shapes(names: &[String], columns: &[&[f64]]) -> Result<()> {
    let refuse = |what, expected, found| Err(Error::Shape { what, expected, found });
    if names.len() != columns.len() {
        return refuse("columns to write", names.len(), columns.len());
    }
    let rows = number_of_rows(columns);
    match columns.iter().find(|column| column.len() != rows) {
        Some(column) => refuse("rows to write", rows, column.len()),
        None => Ok(()),
    }
}

/// The rows of columns of one length.
fn number_of_rows(columns: &[&[f64]]) -> usize {
    columns.first().map_or(0, |column| column.len())
}

fn separator_for(path: &Path) -> u8 {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tsv")) { b'\t' } else { b',' }
}

fn write_csv(out: &mut dyn Write, separator: u8, names: &[String], columns: &[&[f64]]) -> io::Result<()> {
    for (j, name) in names.iter().enumerate() {
        if j > 0 {
            out.write_all(&[separator])?;
        }
        out.write_all(quoted_if_needed(name).as_bytes())?;
    }
    out.write_all(b"\n")?;
    for i in 0..number_of_rows(columns) {
        for (j, column) in columns.iter().enumerate() {
            if j > 0 {
                out.write_all(&[separator])?;
            }
            // Debug rather than Display: 1e300 instead of three hundred zeros; both are shortest.
            write!(out, "{:?}", column[i])?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A name that reads back as it is.
fn quoted_if_needed(name: &str) -> String {
    if name.contains([',', ';', '\t', '|', '"', '\n', '\r']) || name.starts_with('#') || name.is_empty() {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// The dictionary is padded so that the numbers start at a multiple of 64 bytes, as NumPy wants it.
fn write_npy(out: &mut dyn Write, columns: &[&[f64]]) -> io::Result<()> {
    const ALIGNMENT: usize = 64;
    const BEFORE_TEXT: usize = 10;
    let rows = number_of_rows(columns);
    let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {}), }}", columns.len());
    let length = (BEFORE_TEXT + text.len() + 1).next_multiple_of(ALIGNMENT) - BEFORE_TEXT;
    text.push_str(&" ".repeat(length - 1 - text.len()));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    // Two sizes of at most 20 digits: the text has far less than 65536 bytes.
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    for i in 0..rows {
        for column in columns {
            out.write_all(&column[i].to_le_bytes())?;
        }
    }
    Ok(())
}
