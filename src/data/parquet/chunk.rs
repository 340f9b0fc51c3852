//! The values of a column in one group of rows, as cells.

use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type, Int96, Int96Type,
};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::reader::RowGroupReader;
use ::parquet::schema::types::ColumnDescPtr;

use super::kind::CellKind;
use crate::data::column::Builder;
use crate::data::number::{Added, Number, decimal, exact, exact_signed};
use crate::data::temporal;
use crate::error::CellProblem;

/// Rows decoded at a time.
const ROWS_AT_ONCE: usize = 1 << 13;

/// Why a column could not be read.
pub(super) enum ColumnFailure {
    Decoder(ParquetError),
    Short,
}

impl From<ParquetError> for ColumnFailure {
    fn from(failure: ParquetError) -> Self {
        ColumnFailure::Decoder(failure)
    }
}

/// Column j of one row group, by kind.
pub(super) fn read_chunk(
    group: &dyn RowGroupReader,
    j: usize,
    kind: CellKind,
    column: &ColumnDescPtr,
    cells: &mut Builder,
) -> std::result::Result<(), ColumnFailure> {
    let rows = usize::try_from(group.metadata().num_rows()).map_err(|_| ColumnFailure::Short)?;
    let pages = Box::new(SoundPages(group.get_column_page_reader(j)?));
    let column = column.clone();
    match kind {
        CellKind::Text => decode::<ByteArrayType>(column, pages, rows, text, cells),
        CellKind::Boolean => decode::<BoolType>(column, pages, rows, truth, cells),
        CellKind::Double => decode::<DoubleType>(column, pages, rows, number(Ok), cells),
        CellKind::Float => decode::<FloatType>(column, pages, rows, number(|x| Ok(f64::from(x))), cells),
        CellKind::Half => decode::<FixedLenByteArrayType>(column, pages, rows, number(half), cells),
        CellKind::JulianMoment => decode::<Int96Type>(column, pages, rows, number(|x| Ok(julian(&x))), cells),
        CellKind::DecimalBytes(scale) => {
            let read = |x: ByteArray| decimal_of_bytes(x.data(), scale);
            decode::<ByteArrayType>(column, pages, rows, number(read), cells)
        }
        CellKind::DecimalFixed(scale) => {
            let read = |x: FixedLenByteArray| decimal_of_bytes(x.data(), scale);
            decode::<FixedLenByteArrayType>(column, pages, rows, number(read), cells)
        }
        kind => match of_32_bits(kind) {
            Some(read) => decode::<Int32Type>(column, pages, rows, number(read), cells),
            None => decode::<Int64Type>(column, pages, rows, number(of_64_bits(kind)), cells),
        },
    }
}

/// Numbers stored in 32 bits; `None` of other kinds.
fn of_32_bits(kind: CellKind) -> Option<Box<dyn Fn(i32) -> Number>> {
    Some(match kind {
        CellKind::Signed32 => Box::new(|x| Ok(f64::from(x))),
        CellKind::Unsigned32 => Box::new(|x| Ok(f64::from(x as u32))),
        CellKind::Decimal32(scale) => Box::new(move |x| decimal(i128::from(x), scale)),
        CellKind::Date => Box::new(|x| Ok(temporal::date(x))),
        CellKind::Time32(unit) => Box::new(move |x| Ok(unit.hours(i64::from(x)))),
        CellKind::Nothing => Box::new(|_| Ok(f64::NAN)),
        _ => return None,
    })
}

/// Numbers stored in 64 bits.
fn of_64_bits(kind: CellKind) -> Box<dyn Fn(i64) -> Number> {
    match kind {
        CellKind::Unsigned64 => Box::new(|x| exact(x as u64)),
        CellKind::Decimal64(scale) => Box::new(move |x| decimal(i128::from(x), scale)),
        CellKind::Moment(unit) | CellKind::MomentInUtc(unit) => Box::new(move |x| Ok(unit.moment(x))),
        CellKind::Time64(unit) => Box::new(move |x| Ok(unit.hours(x))),
        CellKind::Duration(unit) => Box::new(move |x| Ok(unit.days(x))),
        _ => Box::new(exact_signed),
    }
}

/// A float of two bytes.
fn half(value: FixedLenByteArray) -> Number {
    Ok(value.data().first_chunk().map_or(f64::NAN, |bytes| half::f16::from_le_bytes(*bytes).to_f64()))
}

/// Nanoseconds in the first two of three words, a Julian day in the third.
fn julian(value: &Int96) -> f64 {
    let &[low, high, day] = value.data() else { return f64::NAN };
    temporal::julian_moment((u64::from(high) << 32 | u64::from(low)) as i64, day)
}

/// A number in two's complement, the highest byte first, over a power of ten.
fn decimal_of_bytes(bytes: &[u8], scale: i32) -> Number {
    const MOST_BYTES: usize = 16;
    let is_negative = bytes.first().is_some_and(|byte| *byte >= 0x80);
    let filling = if is_negative { 0xff } else { 0 };
    // Bytes beyond sixteen may only repeat the sign.
    let (beyond, kept) = bytes.split_at(bytes.len().saturating_sub(MOST_BYTES));
    let mut whole = [filling; MOST_BYTES];
    whole[MOST_BYTES - kept.len()..].copy_from_slice(kept);
    let unscaled = i128::from_be_bytes(whole);
    if beyond.iter().any(|byte| *byte != filling) || (unscaled < 0) != is_negative {
        return Err(CellProblem::LongDecimal);
    }
    decimal(unscaled, scale)
}

/// Add a value that becomes a number.
fn number<T>(convert: impl Fn(T) -> Number) -> impl Fn(T, &mut Builder) -> Added {
    move |value, column| {
        column.push_number(convert(value)?);
        Ok(())
    }
}

/// Add a truth value, as the word that CSV has for it.
fn truth(value: bool, column: &mut Builder) -> Added {
    column.push_text(if value { "true" } else { "false" });
    Ok(())
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

/// Add `rows` cells; a null is a gap, and what cannot be read is refused where the column is used.
fn decode<T: DataType>(
    column: ColumnDescPtr,
    pages: Box<dyn PageReader>,
    rows: usize,
    add: impl Fn(T::T, &mut Builder) -> Added,
    cells: &mut Builder,
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
                    if let Err(problem) = add(value, cells) {
                        cells.push_unread(problem);
                    }
                }
                None => cells.push_missing(),
            }
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
