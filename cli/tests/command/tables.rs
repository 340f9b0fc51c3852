//! Tables as they come: with words, gaps, commas, and everything that can be wrong with them.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, repository, shallows, succeeds};
use serde_json::Value;
use shallows::data::{Cell, Column, Table};
use tempfile::TempDir;

fn write(folder: &TempDir, name: &str, content: impl AsRef<[u8]>) {
    fs::write(folder.path().join(name), content).unwrap();
}

/// Standard error of a command that must succeed.
#[track_caller]
fn remarks(folder: &TempDir, arguments: &str) -> String {
    let output = shallows(folder, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "shallows {arguments}: {error}");
    error
}

const HEADER: [&str; 6] = ["id", "colour", "size", "flag", "always", "y"];

/// Houses: an identifier, a colour with a rare one and gaps, a size with gaps, a truth value, a constant, the price.
fn houses(rows: usize) -> Vec<[String; 6]> {
    (0..rows)
        .map(|i| {
            let colour = match i % 10 {
                0 => "",
                1..=4 => "red",
                5..=7 => "blue",
                8 if i < 30 => ["mauve", "taupe", "ochre"][i / 10],
                _ => "dark, \"green\"",
            };
            let size = (i * 37 % 101) as f64;
            let effect = [("red", 3.0), ("blue", -2.0)].iter().find(|(name, _)| *name == colour).map_or(0.5, |it| it.1);
            let y = 0.1 * size + effect + if i % 3 == 0 { 1.0 } else { 0.0 } + (i * 71 % 13) as f64 / 100.0;
            let size = if i % 7 == 2 { "NA".into() } else { size.to_string() };
            let flag = if i % 3 == 0 { "True" } else { "False" };
            [format!("house{i}"), colour.into(), size, flag.into(), "5".into(), y.to_string()]
        })
        .collect()
}

/// The table as CSV, with the columns in this order.
fn csv(rows: &[[String; 6]], order: &[usize], separator: &str) -> String {
    let quoted = |cell: &str| {
        let special = cell.contains([',', ';', '"', '\n']);
        if special { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
    };
    let line = |cells: Vec<String>| cells.join(separator) + "\n";
    let header = line(order.iter().map(|&j| HEADER[j].to_owned()).collect());
    header + &rows.iter().map(|row| line(order.iter().map(|&j| quoted(&row[j])).collect())).collect::<String>()
}

const FIT: &str = "-a quadratic --decay 1e-3";

#[test]
fn a_table_with_words_and_gaps_is_fitted_and_predicted_in_any_order_of_columns() {
    let folder = tempfile::tempdir().unwrap();
    let rows = houses(300);
    write(&folder, "h.csv", csv(&rows, &[0, 1, 2, 3, 4, 5], ","));
    let said = succeeds(&folder, &format!("fit h.csv {FIT}"));
    for words in
        ["Columns   ", "\"id\" (all different)", "\"always\" (constant)", "2 categories (4 + 2 levels)", "gaps in 2"]
    {
        assert!(said.contains(words), "{words} is missing in {said}");
    }
    let model: Value = serde_json::from_str(&succeeds(&folder, "export h.safetensors")).unwrap();
    let names = [
        "colour=blue",
        "colour=dark, \"green\"",
        "colour=other",
        "colour missing",
        "size",
        "size missing",
        "flag=true",
    ];
    assert_eq!(model["inputs"], serde_json::json!(names));
    let plain = succeeds(&folder, "predict h.safetensors h.csv");
    for (order, separator) in [([5, 3, 1, 4, 0, 2], ";"), ([2, 4, 0, 1, 5, 3], "\t")] {
        write(&folder, "shuffled.csv", csv(&rows, &order, separator));
        assert_eq!(succeeds(&folder, "predict h.safetensors shuffled.csv"), plain);
    }
    // What was dropped need not be there, and what the fit does not need either.
    write(&folder, "needed.csv", csv(&rows, &[1, 3, 2], ","));
    assert_eq!(succeeds(&folder, "predict h.safetensors needed.csv"), plain);
    assert!(fails(&folder, &format!("fit h.csv {FIT} --missing error")).contains("column \"colour\""));
}

#[test]
fn words_and_gaps_that_the_training_had_not_are_remarked_on() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder, "h.csv", csv(&houses(300), &[1, 2, 3, 5], ","));
    succeeds(&folder, &format!("fit h.csv {FIT}"));
    write(&folder, "new.csv", "colour,size,flag\nteal,3,TRUE\nmauve,3,true\nred,4,\n");
    let said = remarks(&folder, "predict h.safetensors new.csv");
    assert!(said.contains("column \"colour\": 2 rare or unknown, such as \"teal\", taken as \"other\""), "{said}");
    assert!(said.contains("column \"flag\": 1 missing, taken as \"false\""), "{said}");
    let out = succeeds(&folder, "predict h.safetensors new.csv");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1], lines[2]);
    write(&folder, "less.csv", "colour,size\nred,3\n");
    let error = fails(&folder, "predict h.safetensors less.csv");
    assert!(error.contains("lacks \"flag\"") && error.contains("--fill flag="), "{error}");
    write(&folder, "whole.csv", "colour,size,flag\nred,3,True\n");
    let filled = succeeds(&folder, "predict h.safetensors less.csv --fill flag=TRUE");
    assert_eq!(filled, succeeds(&folder, "predict h.safetensors whole.csv"));
    fails(&folder, "predict h.safetensors less.csv --fill flag");
    fails(&folder, "predict h.safetensors whole.csv --fill flag=true");
    write(&folder, "words.csv", "colour,size,flag\nred,large,True\n");
    let error = fails(&folder, "predict h.safetensors words.csv");
    assert!(error.contains("\"large\" is not a number, but the model was fitted on numbers"), "{error}");
}

#[test]
fn a_certificate_on_a_table_with_words_verifies_and_its_recipe_cannot_be_altered() {
    let folder = tempfile::tempdir().unwrap();
    let rows = houses(120);
    write(&folder, "h.csv", csv(&rows, &[0, 1, 2, 3, 4, 5], ","));
    succeeds(&folder, &format!("fit h.csv {FIT} --holdout 0.25 --calibrate 0.2"));
    let verified = succeeds(&folder, "verify h.certificate.json h.csv h.safetensors");
    assert!(verified.contains("global-optimum (holds)"), "{verified}");
    write(&folder, "shuffled.csv", csv(&rows, &[3, 5, 2, 4, 0, 1], ";"));
    assert_eq!(succeeds(&folder, "verify h.certificate.json shuffled.csv"), verified);
    let text = fs::read_to_string(folder.path().join("h.certificate.json")).unwrap();
    for (old, new) in [
        ("\"reference\": \"red\"", "\"reference\": \"rot\""),
        ("\"gaps\": \"input\"", "\"gaps\": \"never\""),
        ("\"median\": ", "\"median\": 1"),
    ] {
        assert!(text.contains(old), "{old}");
        write(&folder, "altered.json", text.replacen(old, new, 1));
        fails(&folder, "verify altered.json h.csv");
    }
    // Words that the recipe does not name count as the reference: the inputs are the same, and it is said.
    write(&folder, "altered.json", text.replacen("\"reference\": \"false\"", "\"reference\": \"no\"", 1));
    let said = remarks(&folder, "verify altered.json h.csv");
    assert!(said.contains("words that the recipe does not name count as \"no\""), "{said}");
    // A gap where the rows had none is refused.
    let mut gap = rows.clone();
    gap[7][1] = "".into();
    write(&folder, "gap.csv", csv(&gap, &[0, 1, 2, 3, 4, 5], ","));
    fails(&folder, "verify h.certificate.json gap.csv");
    let mut other = rows.clone();
    other[7][1] = "green".into();
    other[3][1] = "green".into();
    write(&folder, "other.csv", csv(&other, &[0, 1, 2, 3, 4, 5], ","));
    assert!(
        fails(&folder, "verify h.certificate.json other.csv")
            .contains("not the one that the certificate was issued for")
    );
    succeeds(&folder, "fit h.csv -a quadratic --decay 0 -o free.safetensors");
    succeeds(&folder, "certify free.safetensors shuffled.csv --certificate free.json");
    succeeds(&folder, "verify free.json h.csv");
}

#[test]
fn rows_without_a_target_are_left_out_and_rows_keep_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = houses(90);
    for i in [0, 17, 88] {
        rows[i][5] = ["", "NA", "nan"][i % 3].into();
    }
    write(&folder, "h.csv", csv(&rows, &[1, 2, 3, 5], ","));
    write(&folder, "held.txt", "1 2 17 3 4 5");
    let said = remarks(&folder, &format!("fit h.csv {FIT} --holdout held.txt"));
    assert!(said.contains("3 rows without \"y\" left out"), "{said}");
    let text = succeeds(&folder, &format!("fit h.csv {FIT} --holdout held.txt --json"));
    let fit: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&fit["train"]["rows"], &fit["test"]["rows"]), (&Value::from(82), &Value::from(5)));
    succeeds(&folder, "verify h.certificate.json h.csv");
    let certificate = fs::read_to_string(folder.path().join("h.certificate.json")).unwrap();
    let certificate: Value = serde_json::from_str(&certificate).unwrap();
    assert_eq!(certificate["rows"]["selected"][0], 6);
    assert_eq!(
        (&certificate["rows"]["count"], &certificate["rows"]["table_rows"]),
        (&Value::from(82), &Value::from(90))
    );
}

#[test]
fn numbers_can_be_categories_and_columns_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| format!("{},{},2024-01-{:02},{}\n", i % 4, i % 11, 1 + i % 28, [5, 1, 9, 2][i % 4]);
    write(&folder, "a.csv", "zone,x,day,y\n".to_owned() + &(0..80).map(line).collect::<String>());
    let text = succeeds(&folder, &format!("fit a.csv {FIT} --drop day --categorical zone --json"));
    let fit: Value = serde_json::from_str(&text).unwrap();
    assert!(fit["train"]["rmse"].as_f64().unwrap() < 0.1, "{fit}");
    let model: Value = serde_json::from_str(&succeeds(&folder, "export a.safetensors")).unwrap();
    assert_eq!(model["inputs"], serde_json::json!(["zone=1", "zone=2", "zone=3", "x"]));
    write(&folder, "new.csv", "x,zone\n1,2.0\n1,2\n");
    let out = succeeds(&folder, "predict a.safetensors new.csv");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1], lines[2]);
    fails(&folder, "fit a.csv --drop nothing");
    fails(&folder, "fit a.csv --drop y --target y");
    fails(&folder, "fit a.csv --drop day --categorical nothing");
}

#[test]
fn what_is_said_about_a_column_must_not_contradict_itself() {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| format!("{},{},{}\n", ["low", "mid", "high"][i % 3], i % 7, i % 5);
    write(&folder, "a.csv", "c,x,y\n".to_owned() + &(0..60).map(line).collect::<String>());
    for (options, told) in [
        ("--ordered c=low<mid<high --ordered c=high<mid<low", "two orders are given for the words of column \"c\""),
        ("--ordered c=low<mid<high --ordered c=low<mid<high", "two orders are given"),
        ("--ordered c=low<mid<high --categorical c", "\"c\" are to be ordered, and also categories without an order"),
        ("--categorical y", "column \"y\" is the target, and also to be words"),
        ("--target x --ordered x=0<1<2<3<4<5<6", "column \"x\" is the target, and also to be words"),
        ("--target x --drop x", "column \"x\" is the target or the weight, and also to be left out"),
    ] {
        let error = fails(&folder, &format!("fit a.csv {FIT} {options}"));
        assert!(error.contains(told) && error.contains("hint: "), "{options}: {error}");
    }
    succeeds(&folder, &format!("fit a.csv {FIT} --ordered c=low<mid<high --categorical x"));
}

#[test]
fn what_cannot_be_read_one_way_only_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &[&str]); 9] = [
        ("mixed", b"age,y\n1,2\n2,3\nold,4\n4,5\n", &["line 4", "\"age\"", "\"old\"", "--categorical age"]),
        ("gaps", b"code,y\n1,2\n-,3\n2,4\n7,5\n", &["line 3", "\"-\"", "--gaps -", "--categorical code"]),
        ("latin1", b"city,y\nUlm,1\nK\xf6ln,2\n", &["line 3", "0xf6", "UTF-8"]),
        ("thousands", b"a;y\n1,234;2\n5,678;3\n", &["line 2", "\"1,234\"", "point"]),
        ("both", b"a;b;y\n1,5;1.234;2\n2,5;3.5;1\n", &["\"a\"", "\"b\"", "point"]),
        ("date", b"when,y\n1/2/2024,2\n5/3/2024,3\n", &["2 cells could be two dates", "line 2", "--drop when"]),
        ("empty", b"a,b,y\n,1,1\n,1,2\nNA,1,3\n", &["all missing", "constant"]),
        ("single", b"a,y\nred,1\nred,2\nred,4\n", &["constant"]),
        ("keys", b"name,y\nAnn,1\nBob,2\nCid,4\n", &["all different"]),
    ];
    for (name, content, words) in cases {
        write(&folder, &format!("{name}.csv"), content);
        let error = fails(&folder, &format!("fit {name}.csv"));
        assert!(words.iter().all(|word| error.contains(word)), "{name}: {error}");
        assert!(error.contains("hint: "), "{name}: {error}");
    }
    let files = fs::read_dir(folder.path()).unwrap();
    assert!(files.into_iter().all(|file| file.unwrap().path().extension().is_some_and(|end| end == "csv")));
}

/// An NPY file of these rows of doubles or 64-bit integers.
fn npy<const B: usize>(kind: &str, rows: &[[[u8; B]; 3]]) -> Vec<u8> {
    let header = format!("{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({}, 3), }}", rows.len());
    let header = format!("{header:117}\n");
    let start = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    [start, rows.iter().flatten().flatten().copied().collect()].concat()
}

#[test]
fn infinities_and_integers_beyond_doubles_are_refused_where_they_are_used_and_otherwise_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let formats = repository().join("tests/data/formats");
    let floats: Vec<[[u8; 8]; 3]> = (0..40)
        .map(|i| {
            let k = [1.0, 2.0, f64::INFINITY, 4.0, f64::NEG_INFINITY][i % 5];
            [k, i as f64, (i as f64).cos()].map(f64::to_le_bytes)
        })
        .collect();
    write(&folder, "odd.npy", npy("f8", &floats));
    let integers: Vec<[[u8; 8]; 3]> =
        (0..40).map(|i: i64| [(1 << 60) + 3 * i, i * i % 7, i * 5 % 11].map(i64::to_le_bytes)).collect();
    write(&folder, "long.npy", npy("i8", &integers));
    for name in ["odd.parquet", "odd.feather"] {
        fs::copy(formats.join(name), folder.path().join(name)).unwrap();
    }
    let infinite = "16 cells are not finite numbers, such as \"inf\" (row 2), \"-inf\" (row 4), \"inf\" (row 7)";
    let inexact = "40 integers are beyond 2^53, where doubles skip integers, such as \"1152921504606846976\" (row 0), \
                   \"1152921504606846979\" (row 1), \"1152921504606846982\" (row 2)";
    for (file, column, id) in
        [("odd.parquet", "k", "--drop id"), ("odd.feather", "k", "--drop id"), ("odd.npy", "x1", "")]
    {
        let error = fails(&folder, &format!("fit {file} {FIT} {id}"));
        assert!(error.contains(&format!("column \"{column}\": {infinite}")), "{file}: {error}");
        assert!(error.contains("hint: gaps? --gaps inf,-inf takes such cells as gaps"), "{file}: {error}");
        assert!(remarks(&folder, &format!("fit {file} {FIT} {id} --drop {column}")).is_empty());
        let told = remarks(&folder, &format!("fit {file} {FIT} {id} --gaps inf,-inf -o m.safetensors"));
        assert!(told.contains("16 cells count as gaps as asked: \"inf\" 8, \"-inf\" 8"), "{file}: {told}");
        // The checker finds the same rows, in the same file and in the text of its cells.
        succeeds(&folder, &format!("verify m.certificate.json {file} m.safetensors"));
        let table = Table::read(&folder.path().join(file)).unwrap();
        let cell = |i: usize| {
            let text = |column: &Column| match column.cell(i) {
                Cell::Missing => String::new(),
                Cell::Number(x) => x.to_string(),
                Cell::Word(word) => word.to_owned(),
            };
            table.columns.iter().map(text).collect::<Vec<_>>().join(",") + "\n"
        };
        write(&folder, "odd.csv", table.names.join(",") + "\n" + &(0..table.rows()).map(cell).collect::<String>());
        succeeds(&folder, "verify m.certificate.json odd.csv m.safetensors");
    }
    for (file, column, others) in
        [("odd.parquet", "id", "--drop k"), ("odd.feather", "id", "--drop k"), ("long.npy", "x1", "")]
    {
        let error = fails(&folder, &format!("fit {file} {FIT} {others}"));
        assert!(error.contains(&format!("column \"{column}\": {inexact}")), "{file}: {error}");
        assert!(error.contains(&format!("hint: an identifier? --drop {column} leaves the column out")), "{error}");
        succeeds(&folder, &format!("fit {file} {FIT} {others} --drop {column}"));
        fails(&folder, &format!("fit {file} {FIT} {others} --gaps 1152921504606846976"));
        fails(&folder, &format!("fit {file} {FIT} {others} --categorical {column}"));
    }
}

#[test]
fn far_too_many_columns_are_refused_with_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let line = |cell: &dyn Fn(usize) -> String| (0..100_001).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let header = line(&|j| format!("c{j}"));
    let rows: String = (0..5).map(|i| line(&|j| ((i + 1) * (j + 3) * 7919 % 1_000_003).to_string())).collect();
    write(&folder, "wide.csv", header + &rows);
    let error = fails(&folder, "fit wide.csv");
    assert!(error.contains("inputs are more than can be handled"), "{error}");
}

#[test]
fn the_same_table_in_many_spellings_is_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let plain = "size,kind,y\n1.5,a,2\n2,b,3.5\n3.25,a,4\n4,b,5.5\n,a,1\n0.5,b,1.25\n7,a,2\n8,b,9\n2,a,1\n3,b,4\n";
    let hash = |content: &[u8]| -> Value {
        write(&folder, "a.csv", content);
        let fit: Value = serde_json::from_str(&succeeds(&folder, &format!("fit a.csv {FIT} --json"))).unwrap();
        fit["data"]["hash"].clone()
    };
    let expected = hash(plain.as_bytes());
    let comma = plain.replace(',', ";").replace('.', ",");
    for text in [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.replace(',', ";"),
        plain.replace(',', "\t"),
        comma.clone(),
        comma.replace(';', "\t"),
        plain.replace(",a,", ",\"a\",").replace("2,b,3.5", "\"2\", b ,3.50"),
        plain.replace("\n,a,", "\nNA,a,"),
        plain.replace("\n,a,", "\nnull,a,"),
    ] {
        assert_eq!(hash(text.as_bytes()), expected, "{text}");
    }
    // A line break inside quotation marks is part of the word, and lines are still counted as an editor does.
    let broken = plain.replace(",b,", ",\"b\nor so\",");
    assert_ne!(hash(broken.as_bytes()), expected);
    write(&folder, "b.csv", broken.replace("3,\"b", "x,\"b"));
    assert!(fails(&folder, "fit b.csv").contains("line 15, column \"size\": \"x\""));
}
