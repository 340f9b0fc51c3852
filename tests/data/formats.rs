//! One table in many kinds of files is one table. `formats/make.py` wrote the files with pandas, polars and pyarrow.

#![allow(clippy::expect_used)]

use std::path::Path;

use shallows::data::{Column, FrameIndex, Reading, Roles, Table};

fn table(name: &str) -> Table {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats");
    Table::read(&folder.join(name)).expect(name)
}

/// All cells as text.
fn cells(table: &Table) -> Vec<Vec<String>> {
    let column = |column: &Column| (0..table.rows()).map(|i| format!("{:?}", column.cell(i))).collect();
    table.columns.iter().map(column).collect()
}

#[test]
fn every_kind_of_file_gives_the_same_samples() {
    let plain = table("plain.csv");
    let hash = |table: &Table| Reading::default().learned(table).expect("samples").data.hash();
    for name in [
        "bars.psv",
        "text.csv.gz",
        "text.csv.zst",
        "pandas-zstd.parquet",
        "pandas-lz4.parquet",
        "pandas-brotli.parquet",
        "pandas-snappy.parquet",
        "pandas-gzip.parquet",
        "pandas-none.parquet",
        "pandas-category.parquet",
        "pandas.feather",
        "pandas-zstd.feather",
        "polars.parquet",
        "polars.arrow",
        "polars-lz4.ipc",
        "polars-category.arrow",
    ] {
        let other = table(name);
        assert_eq!((&other.names, &other.index), (&plain.names, &FrameIndex::default()), "{name}");
        assert_eq!(cells(&other), cells(&plain), "{name}");
        assert_eq!(hash(&other), hash(&plain), "{name}");
    }
}

#[test]
fn the_index_of_a_data_frame_comes_first_in_text_and_in_parquet() {
    let (plain, numbered) = (table("plain.csv"), table("index.csv"));
    assert_eq!((numbered.names[0].as_str(), &numbered.index.unnamed[..]), ("index", &[0][..]));
    assert_eq!(cells(&numbered)[1..], cells(&plain));
    let (text, columns) = (table("index-words.csv"), table("pandas-index.parquet"));
    assert_eq!((&columns.names, &columns.index.unnamed[..]), (&text.names, &[0][..]));
    assert_eq!(cells(&columns), cells(&text));
}

#[test]
fn dates_times_decimals_and_durations_become_numbers() {
    let gap = f64::NAN;
    let expected = [
        ("date", Column::of_moments(vec![-86_400e6, 1_709_164_800e6, gap])),
        ("millis", Column::of_moments(vec![-1e3, 1_709_209_800_250e3, gap])),
        ("micros", Column::of_moments(vec![-1.0, 1_709_209_800_250e3, gap])),
        ("nanos", Column::of_moments(vec![-1.0, 1_709_209_800_250e3, gap])),
        ("elapsed", Column::of_numbers(vec![0.5, -1.0, gap])),
        ("clock", Column::of_numbers(vec![6.5, 0.0, gap])),
        ("decimal", Column::of_numbers(vec![12.3, -0.01, gap])),
        ("small", Column::of_numbers(vec![12.3, -0.01, gap])),
        ("half", Column::of_numbers(vec![0.5, -2.0, gap])),
        ("nothing", Column::of_numbers(vec![])),
        ("y", Column::of_numbers(vec![1.0, 2.0, 3.0])),
    ];
    for name in ["types.parquet", "types-small.parquet", "types.feather"] {
        let table = table(name);
        for (column, wanted) in &expected {
            let found = &table.columns[table.position(column).expect("a column")];
            // These alone have a time zone.
            let wanted = format!("{wanted:?}").replace("in_utc: false", &format!("in_utc: {}", *column == "micros"));
            assert_eq!(format!("{found:?}"), wanted, "{name}: {column}");
        }
        let remarks = "column \"elapsed\": durations, taken as numbers of days; \
                       column \"clock\": times of day, taken as numbers of hours";
        assert_eq!(table.remarks.join("; "), remarks, "{name}");
    }
    let old = table("int96.parquet");
    assert_eq!(format!("{:?}", old.columns[0]), format!("{:?}", expected[2].1));
}

#[test]
fn a_column_that_is_neither_numbers_nor_words_is_refused_only_where_it_is_needed() {
    for name in ["types.parquet", "types.feather"] {
        let table = table(name);
        let reading = |drop: &[&str]| {
            let drop = drop.iter().map(|name| (*name).to_owned()).collect();
            Reading { roles: Roles { drop, ..Roles::default() }, ..Reading::default() }.learned(&table)
        };
        let error = reading(&["date", "bytes"]).expect_err("a list");
        assert!(error.to_string().contains("column \"list\" is of type List"), "{error}");
        assert!(reading(&["date", "millis", "micros", "nanos", "list", "bytes"]).is_ok());
    }
}
