//! Text as programs write it: an index without a name, names of rows, comments, other separators.

#![allow(clippy::expect_used)]

use std::path::Path;

use proptest::prelude::*;
use shallows::data::{Cell, FrameIndex, Table};

fn csv(text: &str) -> Table {
    Table::read_csv(text.as_bytes(), Path::new("data.csv")).expect("a table")
}

/// The names, and the cells as text.
fn shown(text: &str) -> (String, Vec<String>) {
    let table = csv(text);
    let cell = |i: usize, j: usize| match table.columns[j].cell(i) {
        Cell::Missing => "·".to_owned(),
        Cell::Number(x) => x.to_string(),
        Cell::Word(word) => word.to_owned(),
    };
    let row = |i| (0..table.names.len()).map(|j| cell(i, j)).collect::<Vec<_>>().join(" ");
    (table.names.join(" "), (0..table.rows()).map(row).collect())
}

#[test]
fn a_first_column_without_a_name_is_the_index() {
    for (text, names) in [
        (",a,y\n0,5,2\n1,6,3\n", "index a y"),
        ("\"\",a,y\n\"0\",5,2\n\"1\",6,3\n", "index a y"),
        ("\u{feff};a;y\n0;5;2\n1;6;3\n", "index a y"),
        (",index,y\n0,5,2\n1,6,3\n", "index1 index y"),
        ("Unnamed: 0,a,y\n0,5,2\n1,6,3\n", "Unnamed: 0 a y"),
        (",0,1\n0,5,2\n1,6,3\n", "index 0 1"),
        ("a,y\n0,5,2\n1,6,3\n", "index a y"),
        ("\"a\" \"y\"\n\"0\" 5 2\n\"1\" 6 3\n", "index a y"),
        ("a\ty\n0\t5\t2\n1\t6\t3\n", "index a y"),
        ("sep=;\n;a;y\n0;5;2\n1;6;3\n", "index a y"),
        (",a,y,\n0,5,2,\n1,6,3,\n", "index a y"),
    ] {
        assert_eq!(shown(text), (names.to_owned(), vec!["0 5 2".into(), "1 6 3".into()]), "{text:?}");
        assert_eq!(csv(text).index.unnamed, [0], "{text:?}");
    }
    assert_eq!(csv("a,y\n1,2\n").index, FrameIndex::default());
}

#[test]
fn several_first_columns_may_be_without_a_name() {
    let text = ",,a,y\n0,u,5,2\n1,v,6,3\n";
    assert_eq!(shown(text), ("index index1 a y".into(), vec!["0 u 5 2".into(), "1 v 6 3".into()]));
    assert_eq!(csv(text).index, FrameIndex { unnamed: vec![0, 1], named: vec![] });
    assert_eq!(csv(",Unnamed: 0,a,y\n0,7,5,2\n").index.unnamed, [0, 1]);
    assert_eq!(csv(",,index1,y\n0,u,5,2\n").names, ["index", "index2", "index1", "y"]);
    for text in ["a,,y\n1,2,3\n", ",a,\n0,1,2\n"] {
        let refused = Table::read_csv(text.as_bytes(), Path::new("t.csv")).expect_err(text).to_string();
        assert!(refused.contains("name"), "{refused}");
    }
    agree(text);
}

#[test]
fn a_first_line_may_say_what_separates_and_lines_may_end_in_a_separator() {
    let text = "\u{feff}sep=;\r\na,b;y\r\nu;2\r\nv;3\r\n";
    assert_eq!(shown(text), ("a,b y".into(), vec!["u 2".into(), "v 3".into()]));
    assert_eq!(csv(text).remarks, ["the first line, which says that ; separates, skipped"]);
    assert_eq!(shown("\"SEP=|\"\na|y\n1|2\n"), ("a y".into(), vec!["1 2".into()]));
    assert_eq!(csv("sep=\ta\n1\t2\n").names, ["sep=", "a"]);
    let ends = "a;y;\n1;2;\n3;4; \n";
    assert_eq!(shown(ends), ("a y".into(), vec!["1 2".into(), "3 4".into()]));
    assert_eq!(csv(ends).remarks, ["a last column without a name and without cells skipped"]);
    // A cell of it is a column that needs a name.
    assert!(Table::read_csv("a;y;\n1;2;\n3;4;5\n".as_bytes(), Path::new("t.csv")).is_err());
    for text in [text, ends, "sep=;\n", "sep=;\n\na;b\n1;2\n", "sep=,\n# a;b\n1;2\n"] {
        agree(text);
    }
}

#[test]
fn bars_and_blanks_separate_where_nothing_else_does() {
    assert_eq!(shown("a|y\n1|\"x|y\"\n|2\n"), ("a y".into(), vec!["1 x|y".into(), "· 2".into()]));
    assert_eq!(csv("p(a|b),y\n1,2\n").names, ["p(a|b)", "y"]);
    let blanks = "  a   \"b c\" y \n1.5 \"x  \"\"z\"\"\"   3\n 2 NA  -4e1\n";
    assert_eq!(shown(blanks), ("a b c y".into(), vec!["1.5 x  \"z\" 3".into(), "2 · -40".into()]));
    // One column, whose name and cells happen to have blanks.
    assert_eq!(csv("home town\nNew York\nAnn Arbor\n").names, ["home town"]);
    assert_eq!(csv("roof area\n1.5\n").names, ["roof area"]);
    assert_eq!(shown("a y\n1,5 2,25\n"), ("a y".into(), vec!["1.5 2.25".into()]));
}

#[test]
fn lines_of_comment_are_skipped_and_counted_and_other_lines_keep_their_numbers() {
    let text = "# measured by hand\n# \"so, it, said\na,y\n1,2\n# later, then, on\n3,4\n# end\n";
    assert_eq!(shown(text), ("a y".into(), vec!["1 2".into(), "3 4".into()]));
    assert_eq!(csv(text).remarks, ["4 lines that start with # skipped"]);
    assert_eq!(csv("a,y\n1,2\n# so far\n").remarks, ["1 line that starts with # skipped"]);
    let broken = Table::read_csv("# by hand\n# twice\na,y\n# x\n1,2\n# y\n3\n".as_bytes(), Path::new("t.csv"));
    assert_eq!(broken.expect_err("a short row").to_string(), "t.csv: line 7 has 1 cells, but the header has 2");
    let gap = csv("# by hand\n# twice\na,y\n# x\n1,2\n# y\n,3\n").matrix().expect_err("a gap");
    assert!(gap.to_string().starts_with("data.csv line 7, column \"a\""), "{gap}");
}

#[test]
fn a_header_and_a_first_cell_may_start_with_the_sign_of_a_comment() {
    assert_eq!(shown("#,name,y\n1,x,2\n3,z,4\n"), ("# name y".into(), vec!["1 x 2".into(), "3 z 4".into()]));
    assert_eq!(shown("# written by NumPy\n# a,y\n1,2\n"), ("# a y".into(), vec!["1 2".into()]));
    assert_eq!(
        shown("colour,y\n#ff0000,1\n\"#00ff00\",2\n"),
        ("colour y".into(), vec!["#ff0000 1".into(), "#00ff00 2".into()])
    );
    assert!(csv("colour,y\n#ff0000,1\n").remarks.is_empty());
}

/// Whether the checker reads a text as the library does, where the library reads it.
fn agree(text: &str) {
    use shallows_verify::table as checked;
    let Ok(table) = Table::read_csv(text.as_bytes(), Path::new("t.csv")) else { return };
    let other = checked::Table::read(text.as_bytes()).expect(text);
    assert_eq!(other.rows(), table.rows(), "{text:?}");
    for (name, column) in table.names.iter().zip(&table.columns) {
        let found = other.column(name).expect(text);
        for i in 0..table.rows() {
            let cell = match found.cell(i) {
                checked::Cell::Gap => Cell::Missing,
                checked::Cell::Number(x) => Cell::Number(x),
                checked::Cell::Word(word) => Cell::Word(word),
            };
            assert_eq!(cell, column.cell(i), "{text:?}, column {name:?}, row {i}");
        }
    }
}

/// Lines of a few pieces, which make tables of every dialect, and texts that are none.
fn any_text() -> impl Strategy<Value = String> {
    let first = prop::sample::select(vec!["", "", "sep=;\n", "\"sep=,\"\n", "SEP=|\n", "sep=x\n", "\u{feff}sep=\t\n"]);
    let piece =
        prop::sample::select(vec!["a", "b c", "1", "2,5", "-3.5", "#", "# ", "\"", "\"x\"", "\"# y\"", "", "NA", "ä"]);
    let separator = prop::sample::select(vec![",", ";", "\t", "|", " ", "  "]);
    (
        (first, prop::bool::weighted(0.2)),
        separator,
        1..4_usize,
        prop::collection::vec(prop::collection::vec(piece, 4), 2..6),
        prop::collection::vec(-1..2_isize, 6),
    )
        .prop_map(|((first, ends_in_one), separator, width, lines, more)| {
            let line = |(pieces, more): (&Vec<&str>, &isize)| {
                let more = if *more == 1 { 1 } else { 0 };
                let end = if ends_in_one { separator } else { "" };
                pieces[..(width + more).min(pieces.len())].join(separator) + end + "\n"
            };
            first.to_owned() + &lines.iter().zip(&more).map(line).collect::<String>()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_checker_reads_every_text_as_the_library_does(text in any_text()) {
        agree(&text);
    }
}
