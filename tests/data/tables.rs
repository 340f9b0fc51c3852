//! Tables in and out: what is written reads back bit for bit, and the fingerprint sees every difference.

// X is a matrix, as in the library.
#![allow(non_snake_case, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use shallows::data::{Data, Reading, Recipe, Roles, Table, write_columns};
use shallows::error::Error;
use shallows::linalg::Matrix;

/// The kinds of files that this build writes.
const ENDINGS: &[&str] =
    if cfg!(feature = "parquet") { &["csv", "tsv", "npy", "parquet"] } else { &["csv", "tsv", "npy"] };

fn csv(text: &str) -> Table {
    Table::read_csv(text.as_bytes(), Path::new("data.csv")).expect("a table")
}

fn matrix(table: &Table) -> Matrix {
    table.matrix().expect("numbers")
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

/// Write columns and read them again.
fn round_trip(ending: &str, names: &[String], columns: &[Vec<f64>]) -> Table {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("table.{ending}"));
    write_columns(&path, names, columns).expect("writing");
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1);
    Table::read(&path).expect("reading")
}

fn any_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let value = prop_oneof![NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE, -10.0..10.0];
    (1..5_usize, 1..20_usize)
        .prop_flat_map(move |(p, n)| prop::collection::vec(prop::collection::vec(value.clone(), n), p))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_finite_double_survives_every_kind_of_file(columns in any_columns()) {
        let names: Vec<String> = (0..columns.len()).map(|j| format!("name, \"{j}\"\n;")).collect();
        for ending in ENDINGS {
            let table = round_trip(ending, &names, &columns);
            let plain: Vec<String> = (1..=columns.len()).map(|j| format!("x{j}")).collect();
            prop_assert_eq!(&table.names, if *ending == "npy" { &plain } else { &names });
            prop_assert_eq!(table.named, *ending != "npy");
            let cells = table.matrix().expect("numbers");
            for (j, column) in columns.iter().enumerate() {
                let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(&cells.column(j)), bits(column), "{}", ending);
            }
        }
    }
}

#[test]
fn separators_line_ends_marks_and_quotes_do_not_matter() {
    let plain = csv("a,b\n1,-2.5\n3,4e2\n");
    assert_eq!(matrix(&plain), Matrix::from_rows(&[[1.0, -2.5], [3.0, 400.0]]));
    for text in [
        "a;b\n1;-2.5\n3;4e2",
        "a\tb\r\n1\t-2.5\r\n3\t4e2\r\n",
        "\u{feff}a,b\n1,-2.5\n3,4e2\n",
        "\"a\",\"b\"\n\"1\",\"-2.5\"\n3,400",
        " a , \"b\" \n 1 ,\t-2.5 \n+3., \"4E+2\" \n\n  \n",
    ] {
        assert_eq!((csv(text).names, matrix(&csv(text))), (plain.names.clone(), matrix(&plain)), "{text:?}");
    }
    assert_eq!(csv("\"a,\"\"x\n\";b\n1;2\n").names, ["a,\"x", "b"]);
    assert_eq!(csv("alone\n1\n2\n").rows(), 2);
}

/// An NPY file of a 2×3 array, whose entries are 0, 1, … 5 in the order of the file.
fn array(kind: &str, column_major: &str, numbers: Vec<u8>) -> Table {
    let header = format!("{{'descr': '{kind}', 'fortran_order': {column_major}, 'shape': (2, 3), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers);
    let file = tempfile::Builder::new().suffix(".npy").tempfile().expect("a file");
    fs::write(file.path(), bytes).expect("writing");
    Table::read(file.path()).expect("reading")
}

#[test]
fn arrays_of_every_number_type_and_order_are_read() {
    let rows = Matrix::from_rows(&[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]);
    let of = |bytes: fn(u8) -> Vec<u8>| (0..6).flat_map(bytes).collect::<Vec<u8>>();
    let cases: [(&str, Vec<u8>); 12] = [
        ("<f8", of(|x| f64::from(x).to_le_bytes().to_vec())),
        (">f8", of(|x| f64::from(x).to_be_bytes().to_vec())),
        ("<f4", of(|x| f32::from(x).to_le_bytes().to_vec())),
        (">f4", of(|x| f32::from(x).to_be_bytes().to_vec())),
        ("<i8", of(|x| i64::from(x).to_le_bytes().to_vec())),
        (">u8", of(|x| u64::from(x).to_be_bytes().to_vec())),
        ("<i4", of(|x| i32::from(x).to_le_bytes().to_vec())),
        (">u4", of(|x| u32::from(x).to_be_bytes().to_vec())),
        ("<i2", of(|x| i16::from(x).to_le_bytes().to_vec())),
        (">u2", of(|x| u16::from(x).to_be_bytes().to_vec())),
        ("|i1", of(|x| vec![x])),
        ("|u1", of(|x| vec![x])),
    ];
    for (kind, numbers) in cases {
        assert_eq!(matrix(&array(kind, "False", numbers)), rows, "{kind}");
    }
    let column_major = matrix(&array("|i1", "True", vec![0, 1, 2, 3, 4, 5]));
    assert_eq!(column_major, Matrix::from_rows(&[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]));
    let negative = matrix(&array("<i2", "False", [-1_i16; 6].iter().flat_map(|x| x.to_le_bytes()).collect()));
    assert_eq!(negative.as_slice(), [-1.0; 6]);
    assert_eq!(matrix(&array("|b1", "False", vec![0, 1, 1, 0, 0, 1])).as_slice(), [0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn entries_of_an_array_that_are_no_numbers_are_refused_only_where_they_are_used() {
    let learned = |table: &Table, gaps: &[&str], drop: &[&str]| {
        let roles = Roles { gap_words: strings(gaps), drop: strings(drop), ..Roles::default() };
        Reading { roles, ..Reading::default() }.learned(table)
    };
    let floats = [f64::INFINITY, 1.0, 2.0, 3.0, 4.0, 5.0].map(f64::to_le_bytes).concat();
    let infinite = array("<f8", "False", floats);
    let error = learned(&infinite, &[], &[]).unwrap_err();
    assert!(
        error.to_string().ends_with("row 0 (counted from 0), column \"x1\": \"inf\" is not a finite number"),
        "{error}"
    );
    assert_eq!(learned(&infinite, &[], &["x1"]).unwrap().recipe.input_names(), ["x2"]);
    assert_eq!(learned(&infinite, &["+Inf"], &["x2"]).unwrap().recipe.input_names(), ["x1 missing"]);
    for column_major in ["False", "True"] {
        let long = (1 << 60) + 1;
        let numbers = if column_major == "True" { [long, -long, 1, 2, 3, 5] } else { [long, 1, 3, -long, 2, 5] };
        let table = array("<i8", column_major, numbers.map(i64::to_le_bytes).concat());
        let error = learned(&table, &[], &[]).unwrap_err();
        let shown = "column \"x1\": 2 integers are beyond 2^53, where doubles skip integers, such as \"1152921504606846977\" (row 0), \
                     \"-1152921504606846977\" (row 1) (rows counted from 0)";
        assert!(error.to_string().ends_with(shown), "{error}");
        assert_eq!(learned(&table, &[], &["x1"]).unwrap().data.X.as_slice(), [1.0, 2.0]);
    }
}

#[test]
fn the_target_is_the_last_column_unless_named_and_weights_leave_the_inputs() {
    let table = csv("a,b,w\n1,2,3\n4,5,1\n");
    let data = Data::from_table(&table, None, None).expect("data");
    assert_eq!((data.names, data.target.as_str(), data.y), (strings(&["a", "b"]), "w", vec![3.0, 1.0]));
    let data = Data::from_table(&table, None, Some("w")).expect("data");
    assert_eq!((data.n(), data.d(), data.target.as_str()), (2, 1, "b"));
    assert_eq!(data.omega(), [0.75, 0.25]);
    let data = Data::from_table(&table, Some("a"), None).expect("data");
    assert_eq!(data.X, Matrix::from_rows(&[[2.0, 3.0], [5.0, 1.0]]));
    assert_eq!(data.omega(), [0.5, 0.5]);
    let reversed = data.select(&[1, 0, 1]);
    assert_eq!((reversed.X.row(0), reversed.y.clone()), ([5.0, 1.0].as_slice(), vec![4.0, 1.0, 4.0]));
}

#[test]
fn data_refuses_what_does_not_fit_together() {
    let X = Matrix::from_rows(&[[1.0], [2.0]]);
    let data = |y: &[f64], names: &[&str], w: Option<Vec<f64>>| {
        Data::builder(X.clone(), y.to_vec()).names(strings(names)).weights(w).build().map(|_| ())
    };
    assert!(data(&[1.0, 2.0], &["a"], None).is_ok());
    assert!(matches!(data(&[1.0], &["a"], None), Err(Error::Shape { expected: 2, found: 1, .. })));
    assert!(matches!(data(&[1.0, 2.0], &["a", "b"], None), Err(Error::Shape { expected: 1, found: 2, .. })));
    assert!(matches!(data(&[1.0, 2.0], &["a"], Some(vec![1.0])), Err(Error::Shape { .. })));
    assert!(matches!(data(&[1.0, 2.0], &["y"], None), Err(Error::Data(_))));
    assert!(matches!(data(&[1.0, f64::NAN], &["a"], None), Err(Error::Data(_))));
    assert!(matches!(data(&[1.0, 2.0], &["a"], Some(vec![1.0, f64::NAN])), Err(Error::Data(_))));
    let empty = Data::builder(Matrix::zeros(0, 1), vec![]).names(strings(&["a"])).build();
    assert!(matches!(empty, Err(Error::Data(_))));
}

#[test]
fn inputs_are_found_by_name_in_any_order_and_the_rest_is_listed() {
    let table = csv("y,b,extra,a\n1,2,3,4\n5,6,7,8\n");
    let inputs = Recipe::plain(strings(&["a", "b"])).inputs(&table).expect("inputs");
    assert_eq!(inputs.X, Matrix::from_rows(&[[4.0, 2.0], [8.0, 6.0]]));
    assert_eq!(inputs.ignored, ["y", "extra"]);
    let error = Recipe::plain(strings(&["a", "roof", "b", "wall"])).inputs(&table).expect_err("an error");
    assert_eq!(error.to_string(), "the model expects 4 inputs, but data.csv lacks \"roof\", \"wall\"");
}

#[test]
fn columns_of_an_array_are_inputs_by_position_when_their_number_is_right() {
    let table = array("|u1", "False", vec![0, 1, 2, 3, 4, 5]);
    let inputs = Recipe::plain(strings(&["a", "x1", "c"])).inputs(&table).expect("inputs");
    assert_eq!((inputs.X, inputs.ignored.len()), (matrix(&table), 0));
    let error = Recipe::plain(strings(&["x1", "x2"])).inputs(&table).expect_err("an error");
    assert!(error.to_string().starts_with("the model expects 2 inputs, but "), "{error}");
    assert!(error.to_string().ends_with(" has 3 columns"), "{error}");
}

fn example() -> Data {
    Data::from_table(&csv("x1,x2,x3\n1,2,3\n-0.5,0,1e-9\n"), None, None).expect("data")
}

#[test]
fn the_fingerprint_is_the_same_for_every_kind_of_file_and_for_ever() {
    let data = example();
    let columns = [data.X.column(0), data.X.column(1), data.y.clone()];
    for ending in ENDINGS {
        let table = round_trip(ending, &strings(&["x1", "x2", "x3"]), &columns);
        assert_eq!(Data::from_table(&table, None, None).expect("data").hash(), data.hash(), "{ending}");
    }
    // Computed from the documented layout by another program.
    assert_eq!(data.hash(), "f29ffa6d4df69c4ba85719a78fa0ef5d8289c5de8d663005555daf2f3d127f9f");
}

#[test]
fn the_fingerprint_sees_every_difference_but_the_sign_of_zero() {
    let data = example();
    let mut other = data.clone();
    other.X[(1, 1)] = -0.0;
    assert_eq!(other.hash(), data.hash());
    for bit in 0..63 {
        let mut other = data.clone();
        other.X[(0, 1)] = f64::from_bits(other.X[(0, 1)].to_bits() ^ (1 << bit));
        assert_ne!(other.hash(), data.hash(), "bit {bit}");
    }
    let changes: [fn(&mut Data); 6] = [
        |data| data.y[0] = 3.0_f64.next_up(),
        |data| data.names[0] = "X1".to_owned(),
        |data| data.target = "y".to_owned(),
        |data| data.names = vec!["x1x".to_owned(), "2".to_owned()],
        |data| data.weights = Some(vec![1.0, 1.0]),
        |data| *data = data.select(&[1, 0]),
    ];
    for change in changes {
        let mut other = data.clone();
        change(&mut other);
        assert_ne!(other.hash(), data.hash());
    }
    let weighted = |w| Data { weights: Some(w), ..example() }.hash();
    assert_ne!(weighted(vec![1.0, 2.0]), weighted(vec![2.0, 1.0]));
}

#[test]
fn columns_that_do_not_fit_are_not_written() {
    let path = PathBuf::from("never.csv");
    assert!(write_columns(&path, &strings(&["a", "b"]), &[vec![1.0]]).is_err());
    assert!(write_columns(&path, &strings(&["a", "b"]), &[vec![1.0], vec![]]).is_err());
    assert!(write_columns(Path::new("never.xlsx"), &strings(&["a"]), &[vec![1.0]]).is_err());
    assert!(!path.exists());
}
