//! The cells of an array.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, OffsetSizeTrait};
use arrow_schema::{DataType, TimeUnit};

use crate::data::column::Builder;
use crate::data::number::{Added, Number, decimal, exact, exact_signed};
use crate::data::temporal::{self, ClockUnit};

/// Adds the cell of a row, which is not null.
type Add<'a> = Box<dyn Fn(usize, &mut Builder) -> Added + 'a>;

/// Add all cells of an array; what cannot be read is refused where the column is used.
pub(super) fn push(array: &dyn Array, column: &mut Builder) {
    let Some(add) = adder(array) else {
        return (0..array.len()).for_each(|_| column.push_missing());
    };
    for i in 0..array.len() {
        if array.is_null(i) {
            column.push_missing();
        } else if let Err(problem) = add(i, column) {
            column.push_unread(problem);
        }
    }
}

/// Arrow's unit of time.
pub(super) fn unit(unit: &TimeUnit) -> ClockUnit {
    match unit {
        TimeUnit::Second => ClockUnit::Seconds,
        TimeUnit::Millisecond => ClockUnit::Milliseconds,
        TimeUnit::Microsecond => ClockUnit::Microseconds,
        TimeUnit::Nanosecond => ClockUnit::Nanoseconds,
    }
}

/// How the cells of an array are added; `None` where all of them are gaps.
fn adder(array: &dyn Array) -> Option<Add<'_>> {
    match array.data_type() {
        DataType::Utf8 => Some(strings::<i32>(array)),
        DataType::LargeUtf8 => Some(strings::<i64>(array)),
        DataType::Utf8View => {
            let texts = array.as_string_view();
            Some(Box::new(|i, column| text(texts.value(i), column)))
        }
        DataType::Boolean => {
            let truths = array.as_boolean();
            Some(Box::new(|i, column| text(if truths.value(i) { "true" } else { "false" }, column)))
        }
        DataType::Dictionary(..) => of_dictionary(array),
        DataType::Timestamp(..) | DataType::Duration(_) | DataType::Time32(_) | DataType::Time64(_) => of_time(array),
        _ => of_numbers(array),
    }
}

fn text(text: &str, column: &mut Builder) -> Added {
    column.push_text(text);
    Ok(())
}

fn strings<O: OffsetSizeTrait>(array: &dyn Array) -> Add<'_> {
    let texts = array.as_string::<O>();
    Box::new(|i, column| text(texts.value(i), column))
}

/// Cells that are entries of a dictionary.
fn of_dictionary(array: &dyn Array) -> Option<Add<'_>> {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values().as_ref();
    if values.is_empty() {
        return None;
    }
    let (keys, add) = (dictionary.normalized_keys(), adder(values)?);
    Some(Box::new(move |i, column| {
        if values.is_null(keys[i]) {
            column.push_missing();
            return Ok(());
        }
        add(keys[i], column)
    }))
}

/// Numbers of one type.
fn numbers<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    read: impl Fn(T::Native) -> Number + 'a,
) -> Option<Add<'a>> {
    let values = array.as_primitive_opt::<T>()?;
    Some(Box::new(move |i, column| {
        column.push_number(read(values.value(i))?);
        Ok(())
    }))
}

fn of_numbers(array: &dyn Array) -> Option<Add<'_>> {
    match *array.data_type() {
        DataType::Int8 => numbers::<Int8Type>(array, |x| Ok(f64::from(x))),
        DataType::Int16 => numbers::<Int16Type>(array, |x| Ok(f64::from(x))),
        DataType::Int32 => numbers::<Int32Type>(array, |x| Ok(f64::from(x))),
        DataType::Int64 => numbers::<Int64Type>(array, exact_signed),
        DataType::UInt8 => numbers::<UInt8Type>(array, |x| Ok(f64::from(x))),
        DataType::UInt16 => numbers::<UInt16Type>(array, |x| Ok(f64::from(x))),
        DataType::UInt32 => numbers::<UInt32Type>(array, |x| Ok(f64::from(x))),
        DataType::UInt64 => numbers::<UInt64Type>(array, exact),
        DataType::Float16 => numbers::<Float16Type>(array, |x| Ok(x.to_f64())),
        DataType::Float32 => numbers::<Float32Type>(array, |x| Ok(f64::from(x))),
        DataType::Float64 => numbers::<Float64Type>(array, Ok),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, scale),
        DataType::Date32 => numbers::<Date32Type>(array, |x| Ok(temporal::date(x))),
        DataType::Date64 => numbers::<Date64Type>(array, |x| Ok(ClockUnit::Milliseconds.moment(x))),
        _ => None,
    }
}

fn decimals<T: ArrowPrimitiveType>(array: &dyn Array, scale: i8) -> Option<Add<'_>>
where
    T::Native: Into<i128>,
{
    numbers::<T>(array, move |x| decimal(x.into(), i32::from(scale)))
}

fn of_time(array: &dyn Array) -> Option<Add<'_>> {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            numbers::<TimestampSecondType>(array, |x| Ok(ClockUnit::Seconds.moment(x)))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            numbers::<TimestampMillisecondType>(array, |x| Ok(ClockUnit::Milliseconds.moment(x)))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            numbers::<TimestampMicrosecondType>(array, |x| Ok(ClockUnit::Microseconds.moment(x)))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            numbers::<TimestampNanosecondType>(array, |x| Ok(ClockUnit::Nanoseconds.moment(x)))
        }
        DataType::Duration(TimeUnit::Second) => {
            numbers::<DurationSecondType>(array, |x| Ok(ClockUnit::Seconds.days(x)))
        }
        DataType::Duration(TimeUnit::Millisecond) => {
            numbers::<DurationMillisecondType>(array, |x| Ok(ClockUnit::Milliseconds.days(x)))
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            numbers::<DurationMicrosecondType>(array, |x| Ok(ClockUnit::Microseconds.days(x)))
        }
        DataType::Duration(TimeUnit::Nanosecond) => {
            numbers::<DurationNanosecondType>(array, |x| Ok(ClockUnit::Nanoseconds.days(x)))
        }
        DataType::Time32(TimeUnit::Second) => {
            numbers::<Time32SecondType>(array, |x| Ok(ClockUnit::Seconds.hours(i64::from(x))))
        }
        DataType::Time32(_) => {
            numbers::<Time32MillisecondType>(array, |x| Ok(ClockUnit::Milliseconds.hours(i64::from(x))))
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            numbers::<Time64MicrosecondType>(array, |x| Ok(ClockUnit::Microseconds.hours(x)))
        }
        DataType::Time64(_) => numbers::<Time64NanosecondType>(array, |x| Ok(ClockUnit::Nanoseconds.hours(x))),
        _ => None,
    }
}
