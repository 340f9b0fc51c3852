//! Columns of doubles as Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, Repetition, Type as Physical};
use ::parquet::data_type::DoubleType;
use ::parquet::errors::Result as ParquetResult;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;

/// Write columns of doubles, none of them optional, in row groups of a million rows.
pub(in crate::data) fn write(out: &mut (dyn Write + Send), names: &[String], columns: &[&[f64]]) -> io::Result<()> {
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
