//! Tables that are broken, by accident or on purpose.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use shallows::data::{Data, Table};
use shallows::error::{Error, TableProblem};

/// A file of `tables/`, how the error must end after the file's name, and what the hint holds.
const BROKEN: &[(&str, &str, &str)] = &[
    ("empty.csv", ": the file is empty", "line of names"),
    ("only-blank-lines.csv", ": the file is empty", "line of names"),
    ("header-only.csv", ": there are column names but no rows", "line of names"),
    ("short-row.csv", ": line 3 has 2 cells, but the header has 3", "every row"),
    ("long-row.csv", ": line 3 has 3 cells, but the header has 2", "every row"),
    ("trailing-separator.csv", ": line 2 has 3 cells, but the header has 2", "every row"),
    ("text.csv", " line 18, column \"age\": \"abc\" is not a number", "Category"),
    ("text-crlf.csv", " line 4, column \"age\": \"abc\" is not a number", "Category"),
    ("text-after-quoted-newline.csv", " line 4, column \"a\\nge\": \"abc\" is not a number", "Category"),
    ("infinity.csv", " line 2, column \"b\": \"-inf\" is not a finite number, as the target has to be", "GapWords"),
    ("overflow.csv", " line 2, column \"b\": \"1e999\" is not a finite number, as the target has to be", "GapWords"),
    ("no-header.csv", ": the first line holds numbers where column names should be", "add a line"),
    ("no-header-with-gap.csv", ": the first line holds numbers where column names should be", "add a line"),
    ("duplicate.csv", ": two columns are called \"a\"", "own name"),
    ("unnamed.csv", ": column 2 has no name", "only the first"),
    ("all-unnamed.csv", ": column 1 has no name", "only the first"),
    (
        "header-or-comment.csv",
        ": line 2 starts with # and has as many cells as the next: a comment, or the names of the columns?",
        "delete the line",
    ),
    ("names-of-rows-repeated.csv", ": line 2 has 3 cells, but the header has 2", "every row"),
    ("names-of-rows-then-none.csv", ": line 3 has 2 cells, but the rows before it have 3", "every row"),
    ("latin1-header.csv", ": line 1: the byte 0xf6 is not UTF-8 text", "UTF-8"),
    ("latin1-cell.csv", " line 3, column \"a\": the byte 0xe4 is not UTF-8 text", "UTF-8"),
    ("utf16.csv", ": this is UTF-16 text", "iconv"),
    ("quoted-decimal-comma.csv", ": 2 cells are not numbers, such as \"1,5\" (line 2), \"2,5\" (line 3)", "point"),
    ("ambiguous-comma.csv", ": 2 cells are not numbers, such as \"1,234\" (line 2), \"2,345\" (line 3)", "point"),
    ("commas-and-points.csv", ": column \"a\" has decimal commas, but column \"b\" has points", "point"),
    ("percent.csv", ": \"45%\" has another unit than the column's other numbers", "one unit"),
    ("text-target.csv", " line 2, column \"y\": \"x\" is not a number, as the target has to be", "correct the cell"),
    ("no-target.csv", "the target \"y\" is missing in every row", "AnotherTarget"),
    ("nothing-of-use.csv", "no usable input column: \"a\" (all missing), \"b\" (constant)", "varies"),
    ("thousands.csv", " line 2, column \"a\": \"1'234'567\" is not a number", "separators between digits"),
    (
        "date.csv",
        "day and month could be exchanged), such as \"1/2/2024\" (line 2), \"3/4/2024\" (line 3)",
        "DateColumn",
    ),
    ("unclosed-quote.csv", ": line 3 has a stray quotation mark", "close"),
    ("stray-quote.csv", ": line 3 has a stray quotation mark", "close"),
    ("blank-line.csv", ": line 3 is empty", "delete the line"),
    ("escape-codes.csv", "column \"a\": \"\\u{1b}[2J\\u{7}\\u{0}\\u{202e}x\" is not a number", "Category"),
    ("escape-codes-in-name.csv", "column \"\\u{1b}]0;owned\\u{7}\": \"x\" is not a number", "Category"),
    ("long-cell.csv", "xxxxxxxx…\" is not a number", "Category"),
    ("space-separated.txt", ": line 4 has 2 cells, but the header has 3", "every row"),
    ("spreadsheet.xlsx", ": \".xlsx\" is not a kind of table", ".csv"),
    ("no-extension", ": \"\" is not a kind of table", ".csv"),
    ("not-numpy.npy", ": not a sound NPY file: the first bytes are not those of NumPy", "write the file again"),
    #[cfg(feature = "parquet")]
    ("not-parquet.parquet", "", "write the file again"),
    #[cfg(not(feature = "parquet"))]
    ("not-parquet.parquet", ": this build cannot read or write such files", "BuildParquet"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks/tables")
}

/// The error of a table that must not be read, after the checks that hold for all of them.
fn refused(path: &Path) -> Error {
    let error = Table::read(path).and_then(|table| Data::from_table(&table, None, None)).map(|_| ());
    let error = error.expect_err(&path.to_string_lossy());
    let sentence = error.to_string();
    assert!(!sentence.chars().any(char::is_control), "{sentence:?}");
    assert!(sentence.chars().count() < 250 + path.to_string_lossy().chars().count(), "{sentence}");
    let hint = error.hint().expect("a hint");
    assert!(!hint.shared_words().is_some_and(|words| words.chars().any(char::is_control)), "{sentence}: {hint:?}");
    error
}

#[test]
fn every_broken_file_is_refused_with_its_place_and_a_way_out() {
    for (name, ending, hint) in BROKEN {
        let error = refused(&folder().join(name));
        assert!(error.to_string().ends_with(ending), "{name}: {error}");
        assert!(error.hint().is_some_and(|found| format!("{found:?}").contains(hint)), "{name}: {:?}", error.hint());
    }
}

#[test]
fn every_file_of_the_folder_is_in_the_list() {
    for entry in fs::read_dir(folder()).expect("the folder") {
        let name = entry.expect("an entry").file_name();
        assert!(BROKEN.iter().any(|(known, ..)| name == *known), "{name:?}");
    }
}

#[test]
fn a_file_that_is_not_there_and_a_folder_are_refused() {
    assert!(refused(Path::new("no/such\nfile.csv")).to_string().starts_with("no/such\\nfile.csv: "));
    let folder = tempfile::Builder::new().suffix(".csv").tempdir().expect("a folder");
    assert!(matches!(refused(folder.path()), Error::Io { .. }));
}

#[test]
fn every_prefix_of_a_csv_file_is_read_or_refused() {
    let whole = b"\xef\xbb\xbf\"a\"\"b\n\",c\r\n1,\"2\"\r\n\" 3\n\",4e0\r\n";
    for length in 0..whole.len() {
        if let Err(error) = Table::read_csv(&whole[..length], Path::new("prefix.csv")) {
            assert!(error.hint().is_some() && !error.to_string().contains('\n'));
        }
    }
}

/// An NPY file with any header and any numbers.
fn npy(header: &str, numbers: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers);
    bytes
}

/// The header of an array of some type and shape.
fn npy_header(kind: &str, shape: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}")
}

/// The error of some bytes in a file with this ending.
fn refused_bytes(ending: &str, bytes: &[u8]) -> Error {
    let file = tempfile::Builder::new().suffix(ending).tempfile().expect("a file");
    fs::write(file.path(), bytes).expect("writing");
    refused(file.path())
}

#[test]
fn arrays_that_are_not_tables_of_numbers_are_refused() {
    for kind in ["|O", "<c16", "<U5", "|S3", "<M8[ns]", "<f16", "<f2", "", "é", "V8"] {
        let error = refused_bytes(".npy", &npy(&npy_header(kind, "(1, 1)"), &[0; 8]));
        assert!(matches!(error, Error::Table { problem: TableProblem::EntryKind { .. }, .. }), "{error}");
    }
    let records = "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (1,), }";
    assert!(refused_bytes(".npy", &npy(records, &[0; 16])).to_string().contains("not numbers"));
    for (shape, dimensions) in [("()", 0), ("(1,)", 1), ("(1, 1, 1)", 3)] {
        let error = refused_bytes(".npy", &npy(&npy_header("<f8", shape), &[0; 8]));
        assert!(error.to_string().ends_with(&format!("has {dimensions} dimensions, a table has 2")), "{error}");
    }
    let error = refused_bytes(".npy", &npy(&npy_header("<f8", "(0, 3)"), &[]));
    assert!(error.to_string().ends_with("no rows"), "{error}");
}

#[test]
fn arrays_that_claim_more_than_the_file_holds_are_refused_without_allocating() {
    for shape in [
        "(1000000000000000, 1)",
        "(4294967296, 4294967296)",
        "(2305843009213693952, 8)",
        "(18446744073709551615, 18446744073709551615)",
        "(0, 18446744073709551615)",
        "(99999999999999999999999, 1)",
        "(-1, 1)",
        "(1, 2)",
    ] {
        let error = refused_bytes(".npy", &npy(&npy_header("<f8", shape), &[0; 8]));
        assert!(matches!(error, Error::Table { problem: TableProblem::Damaged { .. }, .. }), "{shape}: {error}");
    }
}

#[test]
fn deep_nesting_and_long_headers_are_refused() {
    let nested = format!("{{'descr': {}, 'fortran_order': False, 'shape': (1, 1), }}", "[".repeat(60_000));
    refused_bytes(".npy", &npy(&nested, &[0; 8]));
    refused_bytes(".npy", &npy(&"(".repeat(9_000), &[0; 8]));
    let mut long = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    long.extend([b' '; 100]);
    refused_bytes(".npy", &long);
}

#[test]
fn integers_beyond_2_to_the_53_and_values_that_are_not_finite_are_refused_with_their_place() {
    let beyond = (1_i64 << 53) + 1;
    let cases: [(&str, Vec<u8>); 5] = [
        ("<i8", [0_i64.to_le_bytes(), (-beyond).to_le_bytes()].concat()),
        (">u8", [0_u64.to_be_bytes(), (beyond as u64).to_be_bytes()].concat()),
        ("<i8", [0_i64.to_le_bytes(), i64::MIN.to_le_bytes()].concat()),
        ("<f8", [0_f64.to_le_bytes(), f64::INFINITY.to_le_bytes()].concat()),
        (">f4", [0_f32.to_be_bytes(), f32::INFINITY.to_be_bytes()].concat()),
    ];
    for (kind, numbers) in cases {
        let error = refused_bytes(".npy", &npy(&npy_header(kind, "(2, 1)"), &numbers));
        assert!(error.to_string().contains(" row 1 (counted from 0), column \"x1\": "), "{error}");
    }
}

#[test]
fn every_prefix_of_an_array_is_refused() {
    let whole = npy(&npy_header("<f8", "(2, 2)"), &[0; 32]);
    (0..whole.len()).for_each(|length| drop(refused_bytes(".npy", &whole[..length])));
    refused_bytes(".npy", &[whole, vec![0]].concat());
}

#[test]
fn samples_that_cannot_be_learned_from_are_refused() {
    let data = |text: &str, target, weight| {
        let table = Table::read_csv(text.as_bytes(), Path::new("data.csv"))?;
        Data::from_table(&table, target, weight)
    };
    let sentence = |result: Result<Data, Error>| {
        let error = result.expect_err("an error");
        format!(
            "{error} | {}",
            error.hint().and_then(|hint| hint.shared_words().map(str::to_owned)).unwrap_or_default()
        )
    };
    assert!(
        sentence(data("age,y\n1,2\n", Some("agee"), None))
            .starts_with("data.csv has no column \"agee\" | did you mean \"age\"?")
    );
    assert!(sentence(data("age,y\n1,2\n", Some("income"), None)).ends_with("its columns are \"age\", \"y\""));
    assert!(sentence(data("y\n1\n", None, None)).starts_with("there is no input column"));
    assert!(sentence(data("w\n1\n", None, Some("w"))).starts_with("there is no input column"));
    assert!(sentence(data("a,y\n1,2\n", Some("y"), Some("y"))).starts_with("column \"y\" is both"));
    assert!(sentence(data("a,w,y\n1,-1,2\n", None, Some("w"))).starts_with("row 0 (counted from 0): the weight -1"));
    assert!(sentence(data("a,w,y\n1,0,2\n", None, Some("w"))).starts_with("the weights sum to 0"));
    assert!(sentence(data("a,w,y\n1,1e308,2\n3,1e308,2\n", None, Some("w"))).starts_with("the weights sum to inf"));
    let unfit = |text, weight| data(text, None, weight).and_then(|data| data.check_fittable().map(|()| data));
    assert!(sentence(unfit("a,y\n1,2\n", None)).starts_with("there is only one row"));
    assert!(sentence(unfit("a,w,y\n1,0,2\n2,1,3\n", Some("w"))).starts_with("there is only one row"));
    assert!(sentence(unfit("a,y\n1,2\n3,2\n", None)).starts_with("the target \"y\" is 2 in every row"));
    assert!(sentence(unfit("a,w,y\n1,1,2\n3,1,2\n4,0,9\n", Some("w"))).starts_with("the target \"y\" is 2"));
    assert!(unfit("a,y\n1,2\n3,4\n", None).is_ok());
}

#[test]
fn a_row_without_end_is_refused_before_it_fills_the_memory() {
    let endless =
        |start: &'static str, byte| Table::read_csv(start.as_bytes().chain(std::io::repeat(byte)), Path::new("t.csv"));
    for (start, byte, line) in
        [("", 0, 1), ("a,y\n1,2\n", b'1', 3), ("a,y\n\"", b'x', 2), ("\"", b'x', 1), ("a,y\n1,2\n", b'"', 3)]
    {
        let error = endless(start, byte).expect_err("a table without end");
        assert_eq!(error.to_string(), format!("t.csv: line {line}: this row is longer than 64 MiB"));
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.shared_words().is_some_and(|words| words.starts_with("is this a table?")))
        );
    }
    // A cell in quotation marks may hold line breaks, but not forever.
    for start in ["\"", "a,y\n\""] {
        assert!(endless(start, b'\n').is_err_and(|error| error.to_string().ends_with("longer than 64 MiB")));
    }
}

#[cfg(feature = "parquet")]
#[path = "parquet.rs"]
mod parquet;

#[cfg(all(feature = "arrow", feature = "compressed"))]
#[path = "formats.rs"]
mod formats;
