//! One table in many kinds of files is one table. `formats/make.py` wrote the files with pandas, polars and pyarrow.

#![allow(clippy::expect_used)]

use std::path::Path;

use shallows::data::{Column, FrameIndex, Reading, Roles, Table};
use shallows::error::Hint;

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

#[test]
fn infinities_are_gaps_on_request_and_harm_nobody_in_a_column_that_is_left_out() {
    for name in ["odd.parquet", "odd.feather"] {
        let table = table(name);
        let learned = |gaps: &[&str], drop: &[&str]| {
            let [gap_words, drop] = [gaps, drop].map(|words| words.iter().map(|word| (*word).to_owned()).collect());
            Reading { roles: Roles { gap_words, drop, ..Roles::default() }, ..Reading::default() }.learned(&table)
        };
        let error = learned(&[], &["id"]).expect_err("infinities");
        let shown = "column \"k\": 16 cells are not finite numbers, such as \"inf\" (row 2), \"-inf\" (row 4), \"inf\" (row 7) (rows counted from 0)";
        assert!(error.to_string().ends_with(shown), "{error}");
        let texts = vec!["inf".to_owned(), "-inf".to_owned()];
        assert_eq!(error.hint(), Some(Hint::GapWords { column: Some("k".into()), texts }));
        let samples = learned(&["Infinity", "-INF"], &["id"]).expect("gaps");
        assert_eq!(samples.recipe.input_names(), ["k", "k missing", "a"]);
        assert!(samples.remark().expect("a remark").contains("16 cells count as gaps as asked: \"inf\" 8, \"-inf\" 8"));
        // New rows are read by the words of the recipe.
        assert_eq!(samples.recipe.inputs(&table).expect("inputs").X, samples.data.X);
        assert_eq!(learned(&[], &["id", "k"]).expect("one input").recipe.input_names(), ["a"]);
        let of_target = Roles { target: Some("k".into()), drop: vec!["id".into()], ..Roles::default() };
        let error = of_target.labelled(&table).expect_err("an infinite target");
        assert!(matches!(error.hint(), Some(Hint::GapWords { column: None, .. })), "{error}");
    }
}

#[test]
fn a_model_of_numbers_takes_neither_infinities_nor_inexact_integers_for_gaps() {
    let text = "k,id,y\n1,10,1\n,20,4\n3,,9\n4,40,16\n";
    let known = Table::read_csv(text.as_bytes(), Path::new("known.csv")).expect("a table");
    let learned = |drop: &str| {
        let roles = Roles { drop: vec![drop.to_owned()], ..Roles::default() };
        Reading { roles, ..Reading::default() }.learned(&known).expect("samples").recipe
    };
    for name in ["odd.parquet", "odd.feather"] {
        let refusal = |drop| learned(drop).inputs(&table(name)).expect_err("cells that are no numbers").to_string();
        assert!(
            refusal("id").contains("16 cells are not what the model was fitted on, such as \"inf\" (row 2)"),
            "{}",
            refusal("id")
        );
        assert!(refusal("k").contains("40 integers are beyond 2^53"), "{}", refusal("k"));
    }
}

#[test]
fn integers_that_doubles_do_not_hold_are_refused_only_where_they_are_used() {
    for name in ["odd.parquet", "odd.feather"] {
        let table = table(name);
        let refusal = |roles: Roles| Reading { roles, ..Reading::default() }.learned(&table).expect_err(name);
        let error = refusal(Roles { drop: vec!["k".into()], ..Roles::default() });
        let shown = "column \"id\": 40 integers are beyond 2^53, where doubles skip integers, such as \"1152921504606846976\" (row 0)";
        assert!(error.to_string().contains(shown), "{error}");
        assert_eq!(error.hint(), Some(Hint::Identifiers { column: "id".into() }));
        // A target is not left out.
        let error = refusal(Roles { target: Some("id".into()), drop: vec!["k".into()], ..Roles::default() });
        assert!(error.to_string().contains("40 integers") && matches!(error.hint(), Some(Hint::Plain(_))), "{error}");
        let drop = vec!["id".into(), "k".into()];
        assert!(Reading { roles: Roles { drop, ..Roles::default() }, ..Reading::default() }.learned(&table).is_ok());
    }
}
