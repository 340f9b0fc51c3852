//! What the columns of a Parquet file hold.

use ::parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};

use crate::data::temporal::ClockUnit;

/// How a column's values become cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CellKind {
    Text,
    Boolean,
    Signed32,
    Unsigned32,
    Signed64,
    Unsigned64,
    Half,
    Float,
    Double,
    /// Integers of 32 bits over a power of ten.
    Decimal32(i32),
    /// The same of 64 bits.
    Decimal64(i32),
    /// The same of at most sixteen bytes, the highest first.
    DecimalBytes(i32),
    /// The same, all of one length.
    DecimalFixed(i32),
    Date,
    Moment(ClockUnit),
    /// The same, of a file that knows the time zone.
    MomentInUtc(ClockUnit),
    /// Nanoseconds of a Julian day, in 96 bits.
    JulianMoment,
    Time32(ClockUnit),
    Time64(ClockUnit),
    Duration(ClockUnit),
    /// Gaps alone.
    Nothing,
}

impl CellKind {
    /// Whether the numbers are moments.
    pub(super) fn is_moment(self) -> bool {
        matches!(self, CellKind::Date | CellKind::Moment(_) | CellKind::JulianMoment) || self.is_in_utc()
    }

    /// Whether they are in UTC.
    pub(super) fn is_in_utc(self) -> bool {
        matches!(self, CellKind::MomentInUtc(_))
    }
}

/// A column of the table.
pub(super) struct TableField {
    pub(super) name: String,
    /// Where its values are; of a nested one the first of several places.
    pub(super) leaf: usize,
    /// What they are, or the name of a type that we do not read.
    pub(super) kind: Result<CellKind, String>,
}

/// The columns of the table; `durations` are those of which only another schema knows.
pub(super) fn fields(schema: &SchemaDescriptor, durations: &[(String, ClockUnit)]) -> Vec<TableField> {
    let mut fields = Vec::with_capacity(schema.num_columns());
    let mut leaf = 0;
    for field in schema.root_schema().get_fields() {
        let (name, first) = (field.name().trim().to_owned(), leaf);
        leaf += leaves(field);
        let flat = field.is_primitive() && field.get_basic_info().repetition() != Repetition::REPEATED;
        let kind = if flat { kind_of_flat(&schema.column(first), durations) } else { Err(nested_in_words(field)) };
        fields.push(TableField { name, leaf: first, kind });
    }
    fields
}

fn leaves(field: &Type) -> usize {
    if field.is_primitive() { 1 } else { field.get_fields().iter().map(|inner| leaves(inner)).sum() }
}

fn nested_in_words(field: &Type) -> String {
    match field.get_basic_info().logical_type_ref() {
        Some(LogicalType::List) => "List".to_owned(),
        Some(LogicalType::Map) => "Map".to_owned(),
        _ if field.is_primitive() => "List".to_owned(),
        _ => "Struct".to_owned(),
    }
}

fn kind_of_flat(column: &ColumnDescriptor, durations: &[(String, ClockUnit)]) -> Result<CellKind, String> {
    let kind = kind_of(column).ok_or_else(|| kind_in_words(column))?;
    let duration = durations.iter().find(|(name, _)| name == column.name()).map(|(_, unit)| *unit);
    Ok(duration.filter(|_| kind == CellKind::Signed64).map_or(kind, CellKind::Duration))
}

fn kind_of(column: &ColumnDescriptor) -> Option<CellKind> {
    use ConvertedType as Old;
    let physical = column.physical_type();
    let when = |wanted: Physical, kind: CellKind| (physical == wanted).then_some(kind);
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::String | LogicalType::Enum), _) | (None, Old::UTF8 | Old::ENUM) => {
            when(Physical::BYTE_ARRAY, CellKind::Text)
        }
        (Some(LogicalType::Integer(integer)), _) => plain(physical, integer.is_signed),
        (Some(LogicalType::Date), _) | (None, Old::DATE) => when(Physical::INT32, CellKind::Date),
        (Some(LogicalType::Timestamp(time)), _) => {
            let moment = if time.is_adjusted_to_u_t_c { CellKind::MomentInUtc } else { CellKind::Moment };
            when(Physical::INT64, moment(unit(&time.unit)?))
        }
        (None, Old::TIMESTAMP_MILLIS) => when(Physical::INT64, CellKind::Moment(ClockUnit::Milliseconds)),
        (None, Old::TIMESTAMP_MICROS) => when(Physical::INT64, CellKind::Moment(ClockUnit::Microseconds)),
        (Some(LogicalType::Time(time)), _) => match physical {
            Physical::INT32 => Some(CellKind::Time32(unit(&time.unit)?)),
            _ => when(Physical::INT64, CellKind::Time64(unit(&time.unit)?)),
        },
        (None, Old::TIME_MILLIS) => when(Physical::INT32, CellKind::Time32(ClockUnit::Milliseconds)),
        (None, Old::TIME_MICROS) => when(Physical::INT64, CellKind::Time64(ClockUnit::Microseconds)),
        (Some(LogicalType::Decimal(decimal)), _) => of_decimal(column, decimal.scale),
        (None, Old::DECIMAL) => of_decimal(column, column.type_scale()),
        (Some(LogicalType::Float16), _) => when(Physical::FIXED_LEN_BYTE_ARRAY, CellKind::Half),
        (Some(LogicalType::Unknown), _) => when(Physical::INT32, CellKind::Nothing),
        (None, Old::NONE) if physical == Physical::INT96 => Some(CellKind::JulianMoment),
        (None, Old::NONE | Old::INT_8 | Old::INT_16 | Old::INT_32 | Old::INT_64) => plain(physical, true),
        (None, Old::UINT_8 | Old::UINT_16 | Old::UINT_32 | Old::UINT_64) => plain(physical, false),
        _ => None,
    }
}

fn plain(physical: Physical, signed: bool) -> Option<CellKind> {
    match (physical, signed) {
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

fn of_decimal(column: &ColumnDescriptor, scale: i32) -> Option<CellKind> {
    const MOST_BYTES: i32 = 16;
    match column.physical_type() {
        Physical::INT32 => Some(CellKind::Decimal32(scale)),
        Physical::INT64 => Some(CellKind::Decimal64(scale)),
        Physical::BYTE_ARRAY => Some(CellKind::DecimalBytes(scale)),
        Physical::FIXED_LEN_BYTE_ARRAY if column.type_length() <= MOST_BYTES => Some(CellKind::DecimalFixed(scale)),
        _ => None,
    }
}

fn unit(unit: &TimeUnit) -> Option<ClockUnit> {
    match unit {
        TimeUnit::MILLIS => Some(ClockUnit::Milliseconds),
        TimeUnit::MICROS => Some(ClockUnit::Microseconds),
        TimeUnit::NANOS => Some(ClockUnit::Nanoseconds),
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
