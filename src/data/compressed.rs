//! Text compressed with gzip or Zstandard, read as it is decompressed.
//!
//! The name says which it is, and the first bytes must agree. Nothing is held but the table: a stream that expands
//! without end is given up at a limit.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::table::Table;
use crate::error::{Error, Result, TableProblem};

/// How a text is compressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Compression {
    Gzip,
    Zstandard,
}

/// Bytes of text that any file may expand to: 2 GiB.
const BYTES_FOR_FREE: u64 = 1 << 31;
/// Bytes of text that each byte of a file may expand to beyond that; gzip reaches as much on a constant text.
const BYTES_PER_BYTE: u64 = 1 << 10;

impl Compression {
    fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstandard => "Zstandard",
        }
    }

    fn first_bytes(self) -> &'static [u8] {
        match self {
            Compression::Gzip => b"\x1f\x8b",
            Compression::Zstandard => b"\x28\xb5\x2f\xfd",
        }
    }

    fn text(self, input: BufReader<File>) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
            Compression::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(input)?),
        })
    }
}

/// Read a table from compressed CSV text.
pub(super) fn read(file: File, compression: Compression, path: &Path) -> Result<Table> {
    let bytes = file.metadata().map_err(|source| Error::io(path, source))?.len();
    let mut input = BufReader::new(file);
    let start = input.fill_buf().map_err(|source| Error::io(path, source))?;
    if start.is_empty() {
        return Err(Error::table(path, TableProblem::Empty));
    }
    let format = compression.name();
    if !start.starts_with(compression.first_bytes()) {
        let reason = format!("the first bytes are not those of {format}");
        return Err(Error::table(path, TableProblem::Damaged { format, reason }));
    }
    let text = compression.text(input).map_err(|source| Error::io(path, source))?;
    let most = BYTES_FOR_FREE.saturating_add(bytes.saturating_mul(BYTES_PER_BYTE));
    let mut text = Expanding { text, left: most, failure: None };
    let table = Table::read_csv(&mut text, path);
    match text.failure {
        None => table,
        Some(ExpansionFailure::Broken(reason)) => Err(Error::table(path, TableProblem::Damaged { format, reason })),
        Some(ExpansionFailure::Endless) => Err(Error::table(path, TableProblem::Endless { bytes, most })),
    }
}

/// A text that remembers why it could not be read on.
struct Expanding {
    text: Box<dyn Read>,
    left: u64,
    failure: Option<ExpansionFailure>,
}

enum ExpansionFailure {
    Broken(String),
    Endless,
}

impl Read for Expanding {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match self.text.read(buffer) {
            Ok(read) => read,
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.failure = Some(ExpansionFailure::Broken(error.to_string()));
                }
                return Err(error);
            }
        };
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                self.failure = Some(ExpansionFailure::Endless);
                return Err(io::Error::other("the text does not end"));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_end_is_given_up_at_its_limit() {
        let mut text = Expanding { text: Box::new(io::repeat(b'1')), left: 100_000, failure: None };
        let mut read = Vec::new();
        assert!(text.read_to_end(&mut read).is_err());
        assert!(matches!(text.failure, Some(ExpansionFailure::Endless)) && read.len() <= 100_000);
    }
}
