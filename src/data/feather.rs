//! Feather, which is Arrow's file format: columns of numbers, words, truth values, moments.
//!
//! What a column holds becomes cells as in Parquet. The file is read whole, and every length in it is compared with the
//! bytes that are there before the decoder sees it: blocks, and what compressed buffers claim to expand to. The decoder
//! checks the rest; should it panic on hostile bytes, that becomes an error like any other.

mod cells;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, RecordBatch as BatchHeader, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema};

use super::column::{Builder, Column};
use super::table::Table;
use super::untrusted::{most_cells, plausible_rows, without_panic};
use super::{index, temporal};
use crate::error::{Error, Result, TableProblem};

const MAGIC: &[u8] = b"ARROW1";
const FIRST_FEATHER: &[u8] = b"FEA1";
/// What a stream starts with, and a block of a file.
const CONTINUES: &[u8] = &[0xff; 4];
/// The length of the footer and the magic, at the end.
const ENDING: usize = 4 + MAGIC.len();
const BYTES_PER_CELL: u64 = 8;

/// Read a table from a Feather file.
pub(super) fn read(mut file: File, path: &Path) -> Result<Table> {
    let mut contents = Vec::new();
    file.read_to_end(&mut contents).map_err(|source| Error::io(path, source))?;
    if contents.is_empty() {
        return Err(Error::table(path, TableProblem::Empty));
    }
    if contents.starts_with(FIRST_FEATHER) {
        return Err(Error::table(path, TableProblem::OldFeather));
    }
    if contents.starts_with(CONTINUES) {
        return Err(Error::table(path, TableProblem::ArrowStream));
    }
    if !contents.starts_with(MAGIC) {
        return Err(damaged(path, "the first bytes are not those of Arrow"));
    }
    let contents = Buffer::from_vec(contents);
    let attempt = without_panic(|| read_trusting(&contents, path));
    attempt.unwrap_or_else(|| Err(damaged(path, "its bytes contradict each other")))
}

fn damaged(path: &Path, reason: &str) -> Error {
    Error::table(path, TableProblem::Damaged { format: "Feather", reason: reason.to_owned() })
}

fn read_trusting(contents: &Buffer, path: &Path) -> Result<Table> {
    let foreign = |failure: ArrowError| damaged(path, &failure.to_string());
    let footer = footer_bytes(contents).ok_or_else(|| damaged(path, "the file ends too early"))?;
    let footer = root_as_footer(footer).map_err(|failure| damaged(path, &failure.to_string()))?;
    let schema = footer.schema().ok_or_else(|| damaged(path, "it has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(damaged(path, "its bytes are in the order of other machines"));
    }
    let schema = Arc::new(try_fb_to_schema(schema).map_err(foreign)?);
    let readable: Vec<usize> = (0..schema.fields().len()).filter(|&j| kind_of(&schema, j).is_readable()).collect();
    let mut decoder = FileDecoder::new(schema.clone(), footer.version()).with_projection(readable.clone());
    let mut expanded = 0;
    for block in footer.dictionaries().iter().flatten() {
        let found = sound_block(contents, block, &mut expanded).ok_or_else(|| damaged(path, "a block is unsound"))?;
        decoder.read_dictionary(block, &found.bytes).map_err(foreign)?;
    }
    let blocks: Vec<&Block> = footer.recordBatches().iter().flatten().collect();
    let mut found = Vec::with_capacity(blocks.len());
    for block in &blocks {
        found.push(sound_block(contents, block, &mut expanded).ok_or_else(|| damaged(path, "a block is unsound"))?);
    }
    let claimed = found.iter().try_fold(0_u64, |sum, block| sum.checked_add(block.rows));
    let rows = plausible_rows(claimed.unwrap_or(u64::MAX), schema.fields().len(), contents.len() as u64, path)?;
    let mut builders: Vec<Builder> = readable.iter().map(|_| Builder::default()).collect();
    let mut row = 0;
    for (block, found) in blocks.into_iter().zip(&found) {
        let Some(batch) = decoder.read_record_batch(block, &found.bytes).map_err(foreign)? else { continue };
        for (at, builder) in builders.iter_mut().enumerate() {
            cells::push(batch.column(at).as_ref(), builder);
        }
        row += batch.num_rows();
    }
    if row != rows {
        return Err(damaged(path, "its row counts contradict each other"));
    }
    table(&schema, &readable, builders, rows, path)
}

/// The footer, whose length stands behind it.
fn footer_bytes(contents: &[u8]) -> Option<&[u8]> {
    let (before, ending) = contents.split_at_checked(contents.len().checked_sub(ENDING)?)?;
    let length = i32::from_le_bytes(ending.first_chunk().copied()?);
    let start = before.len().checked_sub(usize::try_from(length).ok()?)?;
    ending.ends_with(MAGIC).then(|| &before[start..])
}

/// A block that is in the file.
struct SoundBlock {
    bytes: Buffer,
    /// The rows that it claims.
    rows: u64,
}

/// The bytes of a block, where they are in the file and do not claim to expand beyond measure; `expanded` counts what
/// all blocks claim.
fn sound_block(contents: &Buffer, block: &Block, expanded: &mut u64) -> Option<SoundBlock> {
    let (offset, header) = (usize::try_from(block.offset()).ok()?, usize::try_from(block.metaDataLength()).ok()?);
    let length = header.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
    if offset.checked_add(length)? > contents.len() {
        return None;
    }
    let bytes = contents.slice_with_length(offset, length);
    let (message, body) = bytes.split_at_checked(header)?;
    let start = if message.starts_with(CONTINUES) { 8 } else { 4 };
    let message = root_as_message(message.get(start..)?).ok()?;
    let batch = match message.header_as_record_batch() {
        Some(batch) => batch,
        None => message.header_as_dictionary_batch()?.data()?,
    };
    *expanded = expanded.checked_add(claimed_bytes(&batch, body)?)?;
    let most = most_cells(contents.len() as u64).saturating_mul(BYTES_PER_CELL);
    let rows = u64::try_from(batch.length()).ok()?;
    (*expanded <= most).then_some(SoundBlock { bytes, rows })
}

/// What the buffers of a batch claim to take in memory.
fn claimed_bytes(batch: &BatchHeader<'_>, body: &[u8]) -> Option<u64> {
    let is_compressed = batch.compression().is_some();
    let mut claimed = 0_u64;
    for buffer in batch.buffers().iter().flatten() {
        let (offset, length) = (usize::try_from(buffer.offset()).ok()?, usize::try_from(buffer.length()).ok()?);
        let bytes = body.get(offset..offset.checked_add(length)?)?;
        let size = match bytes.first_chunk().map(|size| i64::from_le_bytes(*size)) {
            // −1 marks a buffer that was not worth compressing.
            Some(size) if is_compressed && size != -1 => u64::try_from(size).ok()?,
            _ => length as u64,
        };
        claimed = claimed.checked_add(size)?;
    }
    Some(claimed)
}

/// What becomes of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Plain,
    Moments,
    Durations,
    Times,
    Unreadable,
}

impl Kind {
    fn is_readable(self) -> bool {
        self != Kind::Unreadable
    }

    fn of(kind: &DataType) -> Kind {
        match kind {
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Kind::Moments,
            DataType::Duration(_) => Kind::Durations,
            DataType::Time32(_) | DataType::Time64(_) => Kind::Times,
            DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => Kind::of(values),
            DataType::Null | DataType::Boolean | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Kind::Plain
            }
            DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => Kind::Plain,
            kind if kind.is_integer() || kind.is_floating() => Kind::Plain,
            _ => Kind::Unreadable,
        }
    }
}

/// Whether moments have a time zone.
fn is_in_utc(kind: &DataType) -> bool {
    match kind {
        DataType::Timestamp(_, zone) => zone.is_some(),
        DataType::Dictionary(_, values) => is_in_utc(values),
        _ => false,
    }
}

fn kind_of(schema: &Schema, j: usize) -> Kind {
    Kind::of(schema.field(j).data_type())
}

/// The columns that were read and those that were not, in the order of the file.
fn table(schema: &Schema, readable: &[usize], builders: Vec<Builder>, rows: usize, path: &Path) -> Result<Table> {
    let mut columns: Vec<Column> =
        schema.fields().iter().map(|field| Column::unreadable(words(field.data_type()))).collect();
    let mut remarks = vec![];
    for (&j, builder) in readable.iter().zip(builders) {
        let name = schema.field(j).name();
        columns[j] = match kind_of(schema, j) {
            Kind::Moments => builder.finish_moments(is_in_utc(schema.field(j).data_type())),
            kind => {
                remarks.extend((kind == Kind::Durations).then(|| temporal::duration_remark(name)));
                remarks.extend((kind == Kind::Times).then(|| temporal::time_remark(name)));
                builder.finish()
            }
        };
    }
    let names = schema.fields().iter().map(|field| field.name().trim().to_owned()).collect();
    let pandas = schema.metadata().get(index::PANDAS).map(String::as_str);
    let (names, columns, index) = index::of_frame(names, columns, pandas);
    Ok(Table::new(path, names, columns, rows)?.with_index(index).with_remarks(remarks))
}

/// Arrow's own name of a type, without its parameters.
fn words(kind: &DataType) -> String {
    format!("{kind:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect()
}

/// The columns of 64-bit integers that a program wrote as durations, by the schema that it kept in a Parquet file.
#[cfg(feature = "parquet")]
pub(super) fn durations(schema: &str) -> Option<Vec<(String, temporal::ClockUnit)>> {
    let bytes = base64(schema)?;
    let schema = arrow_ipc::convert::try_schema_from_ipc_buffer(&bytes).ok()?;
    let durations = schema.fields().iter().filter_map(|field| match field.data_type() {
        DataType::Duration(unit) => Some((field.name().clone(), cells::unit(unit))),
        _ => None,
    });
    Some(durations.collect())
}

/// Bytes written with 64 letters.
#[cfg(feature = "parquet")]
fn base64(text: &str) -> Option<Vec<u8>> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len() / 4 * 3), 0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|known| *known == letter)?;
        bits = (bits << 6 | value as u32) & 0x3fff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    #[test]
    fn base64_is_read_as_others_write_it() {
        assert_eq!(super::base64("aGVsbG8sIHdvcmxkIQ==").as_deref(), Some(&b"hello, world!"[..]));
        assert_eq!(super::base64("/+8=").as_deref(), Some(&[0xff, 0xef][..]));
        assert_eq!(super::base64("a b"), None);
    }
}
