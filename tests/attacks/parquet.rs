//! Parquet files that are broken: the decoder is not ours, so it is attacked by the thousand.

use std::fs;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArrayType, DoubleType, Int32Type, Int64Type};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use rand::{RngExt, SeedableRng};
use shallows::data::{Cell, DependenceColumn, Reading, Roles, Table};
use shallows::error::Hint;
use shallows::job::fit::FitRequest;
use shallows::{Quadratic, Watch};

use super::{refused, refused_bytes};

/// A file of one double, one optional 64-bit integer and one 32-bit integer column, five rows in each of two groups.
fn sound(compression: Compression, version: WriterVersion, dictionary: bool) -> Vec<u8> {
    let column = |name, kind, repetition| {
        Arc::new(Type::primitive_type_builder(name, kind).with_repetition(repetition).build().expect("a column"))
    };
    let fields = vec![
        column("a", Physical::DOUBLE, Repetition::REQUIRED),
        column("b", Physical::INT64, Repetition::OPTIONAL),
        column("y", Physical::INT32, Repetition::REQUIRED),
    ];
    let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build().expect("a schema"));
    let settings = WriterProperties::builder().set_compression(compression).set_writer_version(version);
    let settings = Arc::new(settings.set_dictionary_enabled(dictionary).build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, settings).expect("a writer");
    for _ in 0..2 {
        let mut group = writer.next_row_group().expect("a group");
        let mut chunk = group.next_column().expect("a column").expect("a column");
        chunk.typed::<DoubleType>().write_batch(&[0.5, 1.5, 0.5, -2.0, 1e300], None, None).expect("writing");
        chunk.close().expect("closing");
        let mut chunk = group.next_column().expect("a column").expect("a column");
        chunk.typed::<Int64Type>().write_batch(&[1, 2, 3, 2, 1], Some(&[1; 5]), None).expect("writing");
        chunk.close().expect("closing");
        let mut chunk = group.next_column().expect("a column").expect("a column");
        chunk.typed::<Int32Type>().write_batch(&[-1, 2, 3, 2, 1], None, None).expect("writing");
        chunk.close().expect("closing");
        group.close().expect("closing");
    }
    writer.close().expect("closing");
    bytes
}

fn sound_files() -> Vec<Vec<u8>> {
    vec![
        sound(Compression::SNAPPY, WriterVersion::PARQUET_1_0, true),
        sound(Compression::GZIP(Default::default()), WriterVersion::PARQUET_2_0, false),
        sound(Compression::UNCOMPRESSED, WriterVersion::PARQUET_2_0, true),
        sound(Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, false),
        sound(Compression::ZSTD(Default::default()), WriterVersion::PARQUET_1_0, true),
        sound(Compression::LZ4_RAW, WriterVersion::PARQUET_2_0, false),
        sound(Compression::BROTLI(Default::default()), WriterVersion::PARQUET_1_0, true),
    ]
}

/// Read bytes as a file: what is accepted is finite, what is refused is refused in good form.
fn attack(bytes: &[u8], path: &std::path::Path) {
    fs::write(path, bytes).expect("writing");
    match Table::read(path) {
        Ok(table) => {
            let cells = table.columns.iter().flat_map(|column| (0..table.rows()).map(|i| column.cell(i)));
            assert!(cells.into_iter().all(|cell| !matches!(cell, Cell::Number(x) if !x.is_finite())));
        }
        Err(_) => drop(refused(path)),
    }
}

#[test]
fn the_files_to_be_broken_are_sound() {
    for bytes in sound_files() {
        let file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
        fs::write(file.path(), bytes).expect("writing");
        let table = Table::read(file.path()).expect("a table");
        assert_eq!(table.names, ["a", "b", "y"]);
        let cells = table.matrix().expect("numbers");
        assert_eq!(cells.rows(), 10);
        assert_eq!(cells.row(5), [0.5, 1.0, -1.0]);
        assert_eq!(cells.row(9), [1e300, 1.0, 1.0]);
    }
}

#[test]
fn every_prefix_of_a_parquet_file_is_refused() {
    for bytes in sound_files() {
        (0..bytes.len()).for_each(|length| drop(refused_bytes(".parquet", &bytes[..length])));
    }
}

#[test]
fn thousands_of_damaged_bytes_never_cause_a_panic() {
    let file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
    for (which, bytes) in sound_files().into_iter().enumerate() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(which as u64);
        for _ in 0..2_500 {
            let mut broken = bytes.clone();
            for _ in 0..random.random_range(1..4) {
                let at = random.random_range(0..broken.len());
                broken[at] =
                    if random.random() { random.random() } else { broken[at] ^ (1 << random.random_range(0..8)) };
            }
            attack(&broken, file.path());
        }
    }
}

/// The bytes of a file with one column of text-like or annotated values.
fn one_column(field: Type, write: impl FnOnce(&mut ::parquet::file::writer::SerializedColumnWriter<'_>)) -> Vec<u8> {
    let schema = Type::group_type_builder("table").with_fields(vec![Arc::new(field)]).build().expect("a schema");
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Default::default()).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let mut chunk = group.next_column().expect("a column").expect("a column");
    write(&mut chunk);
    chunk.close().expect("closing");
    group.close().expect("closing");
    writer.close().expect("closing");
    bytes
}

fn field(name: &str, kind: Physical, repetition: Repetition, logical: Option<LogicalType>) -> Type {
    Type::primitive_type_builder(name, kind)
        .with_repetition(repetition)
        .with_logical_type(logical)
        .build()
        .expect("a field")
}

/// The table of one column.
fn read(bytes: &[u8]) -> Table {
    let file = tempfile::Builder::new().suffix(".pq").tempfile().expect("a file");
    fs::write(file.path(), bytes).expect("writing");
    Table::read(file.path()).expect("a table")
}

#[test]
fn strings_truth_values_and_nulls_are_words_and_gaps() {
    let city = field("city", Physical::BYTE_ARRAY, Repetition::OPTIONAL, Some(LogicalType::String));
    let table = read(&one_column(city, |chunk| {
        let words = ["Ulm".into(), "7".into(), "NA".into(), "Ulm".into()];
        chunk.typed::<ByteArrayType>().write_batch(&words, Some(&[1, 0, 1, 1, 1]), None).expect("writing");
    }));
    let cells: Vec<Cell<'_>> = (0..5).map(|i| table.columns[0].cell(i)).collect();
    let ulm = Cell::Word("Ulm");
    assert_eq!(cells, [ulm, Cell::Missing, Cell::Number(7.0), Cell::Missing, ulm]);
    let flag = field("flag", Physical::BOOLEAN, Repetition::REQUIRED, None);
    let table = read(&one_column(flag, |chunk| {
        chunk.typed::<BoolType>().write_batch(&[true, false], None, None).expect("writing");
    }));
    assert_eq!([0, 1].map(|i| table.columns[0].cell(i)), [Cell::Word("true"), Cell::Word("false")]);
    let number = field("a", Physical::DOUBLE, Repetition::OPTIONAL, None);
    let table = read(&one_column(number, |chunk| {
        chunk.typed::<DoubleType>().write_batch(&[1.0, f64::NAN], Some(&[1, 0, 1]), None).expect("writing");
    }));
    assert_eq!([0, 1, 2].map(|i| table.columns[0].cell(i)), [Cell::Number(1.0), Cell::Missing, Cell::Missing]);
}

#[test]
fn columns_of_other_kinds_are_refused_by_name_and_type() {
    let document = field("notes", Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::Bson));
    let error = refused_bytes(
        ".pq",
        &one_column(document, |chunk| {
            chunk.typed::<ByteArrayType>().write_batch(&["x".into()], None, None).expect("writing");
        }),
    );
    assert!(error.to_string().ends_with("column \"notes\" is of type Bson, neither numbers nor words"), "{error}");
    assert_eq!(error.hint(), Some(Hint::ConvertColumn { column: "notes".into() }));
    let list = field("many", Physical::INT32, Repetition::REPEATED, None);
    let error = refused_bytes(
        ".pq",
        &one_column(list, |chunk| {
            chunk.typed::<Int32Type>().write_batch(&[1, 2], Some(&[1, 1]), Some(&[0, 1])).expect("writing");
        }),
    );
    assert!(error.to_string().ends_with("column \"many\" is of type List, neither numbers nor words"), "{error}");
    let latin = field("city", Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String));
    let error = refused_bytes(
        ".pq",
        &one_column(latin, |chunk| {
            let word: &[u8] = b"M\xfcnster";
            chunk.typed::<ByteArrayType>().write_batch(&[word.to_vec().into()], None, None).expect("writing");
        }),
    );
    assert!(
        error.to_string().ends_with("row 0 (counted from 0), column \"city\": the byte 0xfc is not UTF-8 text"),
        "{error}"
    );
}

#[test]
fn large_integers_and_infinities_are_refused_with_their_place() {
    let wide = field("id", Physical::INT64, Repetition::REQUIRED, None);
    let error = refused_bytes(
        ".pq",
        &one_column(wide, |chunk| {
            chunk.typed::<Int64Type>().write_batch(&[1 << 53, -(1 << 53) - 1], None, None).expect("writing");
        }),
    );
    assert!(
        error.to_string().contains(" row 1 (counted from 0), column \"id\": the integer -9007199254740993"),
        "{error}"
    );
    let plain = field("a", Physical::DOUBLE, Repetition::REQUIRED, None);
    let error = refused_bytes(
        ".pq",
        &one_column(plain, |chunk| {
            chunk.typed::<DoubleType>().write_batch(&[1.0, f64::INFINITY], None, None).expect("writing");
        }),
    );
    assert!(
        error.to_string().contains(" row 1 (counted from 0), column \"a\": \"inf\" is not a finite number"),
        "{error}"
    );
}

/// Twelve rows: an optional 64-bit integer and a target.
fn twelve(integers: &[Option<i64>; 12]) -> Table {
    let column = |name, kind, repetition| Arc::new(field(name, kind, repetition, None));
    let fields =
        vec![column("id", Physical::INT64, Repetition::OPTIONAL), column("y", Physical::DOUBLE, Repetition::REQUIRED)];
    let schema = Arc::new(Type::group_type_builder("table").with_fields(fields).build().expect("a schema"));
    let file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
    let mut writer =
        SerializedFileWriter::new(file.reopen().expect("opening"), schema, Default::default()).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let present: Vec<i64> = integers.iter().flatten().copied().collect();
    let levels: Vec<i16> = integers.iter().map(|cell| i16::from(cell.is_some())).collect();
    let mut chunk = group.next_column().expect("a column").expect("a column");
    chunk.typed::<Int64Type>().write_batch(&present, Some(&levels), None).expect("writing");
    chunk.close().expect("closing");
    let targets: Vec<f64> = (0..12).map(|i| f64::from(i * i)).collect();
    let mut chunk = group.next_column().expect("a column").expect("a column");
    chunk.typed::<DoubleType>().write_batch(&targets, None, None).expect("writing");
    chunk.close().expect("closing");
    group.close().expect("closing");
    writer.close().expect("closing");
    Table::read(file.path()).expect("a table")
}

#[test]
fn integers_that_cannot_be_read_never_pass_for_gaps() {
    let integers: [Option<i64>; 12] = std::array::from_fn(|i| (i % 4 > 0).then_some(i as i64));
    let with_gaps = twelve(&integers);
    let samples = Reading::default().learned(&with_gaps).expect("samples");
    assert_eq!(samples.recipe.input_names(), ["id", "id missing"]);
    let request = FitRequest { fit: Quadratic::new().decay(0.01).into(), ..FitRequest::default() };
    let outcome = request.run_on(samples.clone(), Watch::silent()).expect("a fit");
    let certificate = outcome.certificate.expect("a certificate");
    assert_eq!(certificate.data(&with_gaps).expect("the same rows").hash(), samples.data.hash());
    let inexact = twelve(&integers.map(|cell| cell.or(Some(i64::MAX))));
    // A recipe, a certificate and a role of the column: each says what is wrong, and none takes a gap for it.
    let is_told = |error: &shallows::Error| {
        error.to_string().contains(
            "3 integers are beyond 2^53, where doubles skip integers, such as \"9223372036854775807\" (row 0)",
        )
    };
    for error in [
        samples.recipe.inputs(&inexact).expect_err("inputs"),
        samples.recipe.data(&inexact, "y", None, None).expect_err("samples"),
        certificate.data(&inexact).expect_err("the rows of a certificate"),
        Reading::default().learned(&inexact).expect_err("a recipe"),
        Roles { target: Some("id".into()), ..Roles::default() }.labelled(&inexact).expect_err("a target"),
        inexact.matrix().expect_err("a matrix"),
    ] {
        assert!(is_told(&error), "{error}");
    }
    for dependence in [DependenceColumn::Group("id".into()), DependenceColumn::Time("id".into())] {
        let roles = Roles { dependence: Some(dependence), ..Roles::default() };
        let error = Reading { roles, ..Reading::default() }.learned(&inexact).expect_err("dependence");
        assert!(is_told(&error), "{error}");
    }
    for categorical in [true, false] {
        // Neither a text that means a gap nor a word hides them.
        let gap_words = vec!["9223372036854775807".to_owned()];
        let categorical = if categorical { vec!["id".to_owned()] } else { vec![] };
        let roles = Roles { gap_words, categorical, ..Roles::default() };
        assert!(is_told(&Reading { roles, ..Reading::default() }.learned(&inexact).expect_err("a recipe")));
    }
    let summary = &inexact.summaries()[0];
    assert_eq!((summary.missing, summary.unread), (0, 3));
}

#[test]
fn unsigned_integers_are_not_read_as_negative() {
    let unsigned = field("a", Physical::INT32, Repetition::REQUIRED, Some(LogicalType::integer(32, false)));
    let file = tempfile::Builder::new().suffix(".PQ").tempfile().expect("a file");
    let bytes = one_column(unsigned, |chunk| {
        chunk.typed::<Int32Type>().write_batch(&[-1, 1], None, None).expect("writing");
    });
    fs::write(file.path(), bytes).expect("writing");
    assert_eq!(Table::read(file.path()).expect("a table").matrix().expect("numbers").as_slice(), [4294967295.0, 1.0]);
}

#[test]
fn a_short_file_that_claims_a_huge_table_is_refused_without_allocating() {
    use ::parquet::file::metadata::ParquetMetaDataWriter;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    let bytes = sound(Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, true);
    let file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
    fs::write(file.path(), &bytes).expect("writing");
    let reader = SerializedFileReader::new(file.reopen().expect("opening")).expect("a reader");
    let metadata = reader.metadata().clone();
    for rows in [11, 1 << 20, 1 << 40, i64::MAX - 5] {
        let mut builder = metadata.clone().into_builder();
        let mut groups = builder.take_row_groups();
        let last = groups.pop().expect("a group");
        let columns = last
            .columns()
            .iter()
            .map(|column| column.clone().into_builder().set_num_values(rows).build().expect("a column"));
        let columns = columns.collect();
        groups.push(last.into_builder().set_num_rows(rows).set_column_metadata(columns).build().expect("a group"));
        let mut broken = bytes.clone();
        ParquetMetaDataWriter::new(&mut broken, &builder.set_row_groups(groups).build()).finish().expect("writing");
        let error = refused_bytes(".parquet", &broken);
        let implausible = error.to_string().contains("bytes claim to hold");
        assert!(implausible || rows <= 1 << 20, "{rows}: {error}");
    }
}

/// Change every place where `from` stands.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty(), "the pattern is in the file");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

#[test]
fn the_compression_that_nobody_writes_is_named_and_refused() {
    // Thrift writes the path ["a"] as 19 18 01 61 and then, as field 4, the codec in zigzag: 1 for snappy is 02, 3 for LZO 06.
    let bytes = sound(Compression::SNAPPY, WriterVersion::PARQUET_1_0, true);
    let broken = patched(bytes, &[0x18, 1, b'a', 0x15, 2], &[0x18, 1, b'a', 0x15, 6]);
    let error = refused_bytes(".parquet", &broken);
    assert!(error.to_string().ends_with("column \"a\" is compressed with LZO, which is not supported"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.shared_words().is_some_and(|words| words.contains("snappy"))));
}
