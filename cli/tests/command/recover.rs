//! `shallows recover`, by running it.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, shallows, succeeds};
use serde_json::Value;
use tempfile::TempDir;

/// The record and the exit status.
fn record(folder: &TempDir, arguments: &str) -> (Value, i32) {
    let output = shallows(folder, &format!("recover {arguments} --json"));
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_str(&text).unwrap_or_else(|_| panic!("{arguments}: {error}")), output.status.code().unwrap())
}

fn planted(arguments: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    succeeds(&folder, &format!("teach {arguments} -o planted.csv --save-teacher teacher.safetensors"));
    folder
}

#[test]
fn planted_weights_are_found_and_compared_with_the_teacher() {
    let folder = planted("-d 10 -k 5 -n 3000 --orthogonal --outputs uniform:1:2");
    let (found, status) = record(&folder, "planted.csv --teacher teacher.safetensors");
    assert_eq!((status, &found["verdict"], &found["exact"]), (0, &"recovered".into(), &true.into()));
    assert_eq!(found["units"].as_array().unwrap().len(), 5);
    assert!(found["match"]["error"].as_f64().unwrap() < 1e-8 && found["match"]["signs_right"] == true, "{found}");
    assert!(found["match"]["output_error"].as_f64().unwrap() < 1e-8);
    assert_eq!(found["warnings"].as_array().unwrap().len(), 0, "{}", found["warnings"]);
    // The saved model predicts what the teacher said.
    succeeds(&folder, "predict planted.recovered.safetensors planted.csv --ignore-extra -o p.csv");
    let numbers = |name: &str, column: usize| -> Vec<f64> {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        text.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
    };
    let (y, p) = (numbers("planted.csv", 10), numbers("p.csv", 0));
    assert!(y.iter().zip(&p).all(|(y, p)| (y - p).abs() < 1e-9));
    let words = succeeds(&folder, "recover planted.csv --teacher teacher.safetensors -o other.safetensors");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in ["5 stand out", "Recovered: 5 units", "all signs right", "evidence, not proof", "other.safetensors"]
    {
        assert!(words.contains(expected), "{expected}: {words}");
    }
}

#[test]
fn with_noise_units_have_standard_errors() {
    let folder = planted("-d 6 -k 3 -n 5000 --orthogonal --outputs uniform:1:2 --noise 0.2");
    let (found, status) = record(&folder, "planted.csv --teacher teacher.safetensors");
    assert_eq!((status, &found["verdict"], &found["exact"]), (0, &"recovered".into(), &false.into()));
    assert!((found["evidence"]["noise"].as_f64().unwrap() - 0.2).abs() < 0.02, "{}", found["evidence"]);
    for pair in found["match"]["units"].as_array().unwrap() {
        let unit = &found["units"][pair["unit"].as_u64().unwrap() as usize];
        let (angle, error) = (pair["angle"].as_f64().unwrap(), unit["direction_error"].as_f64().unwrap());
        assert!(angle < 4.0 * error && error < 0.05, "{angle} against {error}");
    }
}

#[test]
fn what_cannot_be_recovered_is_refused_and_nothing_is_written() {
    let folder = planted("-a tanh -d 5 -k 3 -n 1000");
    for (arguments, verdict, reason) in [
        ("planted.csv -a tanh", "refused", "odd function"),
        ("planted.csv -a quadratic", "refused", "quadratic polynomial"),
        ("planted.csv -a relu", "not-recovered", ""),
        ("planted.csv -a relu --units 6", "not-recovered", "at most 5"),
    ] {
        let (found, status) = record(&folder, arguments);
        assert_eq!((status, found["verdict"].as_str().unwrap()), (1, verdict), "{arguments}");
        assert!(found["reason"].as_str().unwrap().contains(reason), "{}", found["reason"]);
        assert_eq!(found["model"], Value::Null);
        assert!(!folder.path().join("planted.recovered.safetensors").exists(), "{arguments}");
    }
    let words = shallows(&folder, "recover planted.csv -a tanh");
    assert_eq!(words.status.code(), Some(1));
    assert!(String::from_utf8(words.stdout).unwrap().contains("Refused:"));
}

#[test]
fn correlated_inputs_are_whitened_unless_told_otherwise() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("c.csv"), "a,b,c\n1,0.8,0.5\n0.8,1,0.8\n0.5,0.8,1\n").unwrap();
    succeeds(&folder, "teach -d 3 -k 2 -n 3000 --orthogonal --design c.csv -o p.csv --save-teacher t.safetensors");
    let (found, _) = record(&folder, "p.csv --teacher t.safetensors");
    assert_eq!((&found["inputs"]["whitened"], &found["verdict"]), (&true.into(), &"recovered".into()));
    assert!(found["match"]["error"].as_f64().unwrap() < 1e-8);
    let (found, _) = record(&folder, "p.csv --inputs standard");
    assert!(found["warnings"][0].as_str().unwrap().contains("covariance"), "{}", found["warnings"]);
}

#[test]
fn bad_tables_get_one_line_and_status_2() {
    let folder = planted("-d 3 -k 2 -n 200");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("empty.csv", "");
    write("header.csv", "a,b,y\n");
    write("word.csv", &format!("a,b,y\n{}", "1,red,2\n".repeat(60)));
    write("nan.csv", &format!("a,b,y\n1,NaN,2\n{}", "1,2,3\n".repeat(60)));
    write("one.csv", "y\n1\n2\n");
    let rows = |row: &dyn Fn(usize) -> String| (0..200).map(row).collect::<String>();
    let wave = |i: usize| (i as f64 * 0.7).sin();
    write("constant.csv", &format!("a,b,y\n{}", rows(&|i| format!("{},5,{}\n", wave(i), i))));
    write("twin.csv", &format!("a,b,y\n{}", rows(&|i| format!("{0},{0},{1}\n", wave(i), i))));
    write("flat.csv", &format!("a,b,y\n{}", rows(&|i| format!("{},{},1\n", wave(i), wave(3 * i + 1)))));
    for name in ["empty", "header", "word", "nan", "one", "constant", "twin", "flat", "missing"] {
        let error = fails(&folder, &format!("recover {name}.csv"));
        assert!(!error.contains("panicked"), "{name}: {error}");
    }
    fails(&folder, "recover planted.csv --units 0");
    fails(&folder, "recover planted.csv --activation sine");
    fails(&folder, "recover planted.csv --teacher planted.csv");
    fails(&folder, "recover planted.csv -o planted.csv");
    fails(&folder, "recover planted.csv --drop x1 --teacher teacher.safetensors");
    fails(&folder, "recover planted.csv --target nobody");
    // Rows that repeat one another, and a discrete column: a verdict, not a crash.
    write("repeat.csv", &format!("a,b,y\n{}", rows(&|i| format!("{},{},{}\n", wave(i % 5), wave(i % 5 + 9), i % 5))));
    write("coin.csv", &format!("a,b,y\n{}", rows(&|i| format!("{},{},{}\n", wave(i), i % 2, wave(i + 2)))));
    for name in ["repeat", "coin"] {
        let status = shallows(&folder, &format!("recover {name}.csv")).status.code();
        assert!(matches!(status, Some(1 | 2)), "{name}: {status:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let folder = planted("-d 6 -k 3 -n 2000 --noise 0.1");
    let saved = |threads: u8| {
        succeeds(&folder, &format!("recover planted.csv --threads {threads} -o m{threads}.safetensors"));
        fs::read(folder.path().join(format!("m{threads}.safetensors"))).unwrap()
    };
    assert!(saved(1) == saved(2));
}
