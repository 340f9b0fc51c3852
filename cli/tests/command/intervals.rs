//! `fit --calibrate` and `predict --interval` as a user runs them.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, shallows, succeeds};
use serde_json::Value;
use tempfile::TempDir;

/// A calibrated network on 400 rows, and 2000 fresh rows of the same kind.
fn calibrated() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let teach = "teach -a tanh -d 3 -k 2 --noise 0.3 --seed 5";
    succeeds(&folder, &format!("{teach} -n 2400 -o all.csv"));
    let text = fs::read_to_string(folder.path().join("all.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(folder.path().join("a.csv"), lines[..401].join("\n")).unwrap();
    fs::write(folder.path().join("new.csv"), [&lines[..1], &lines[401..]].concat().join("\n")).unwrap();
    succeeds(&folder, "fit a.csv -a tanh -k 4 --decay 1e-3 --calibrate 0.3");
    folder
}

#[test]
fn intervals_cover_the_promised_share_of_fresh_rows() {
    let folder = calibrated();
    let text = succeeds(&folder, "predict a.safetensors new.csv --interval 0.9 --json");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["interval"]["level"], 0.9);
    assert_eq!(document["interval"]["guarantee"], 0.9);
    assert!(document["interval"]["statement"].as_str().unwrap().contains("120 calibration rows"));
    let numbers = |key: &str| serde_json::from_value::<Vec<f64>>(document[key].clone()).unwrap();
    let (lower, upper) = (numbers("lower"), numbers("upper"));
    let table = fs::read_to_string(folder.path().join("new.csv")).unwrap();
    let labels = table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
    let covered = labels.enumerate().filter(|(i, y)| lower[*i] <= *y && *y <= upper[*i]).count();
    // The coverage given 120 calibration rows has a standard deviation of 0.027.
    assert!((1640..=1960).contains(&covered), "{covered} of 2000");
}

#[test]
fn intervals_are_columns_and_their_meaning_is_said() {
    let folder = calibrated();
    let output = shallows(&folder, "predict a.safetensors new.csv --interval 0.8");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("80 % of new rows") && error.contains("exchangeable"), "{error}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("prediction,lower,upper\n"), "{text}");
    for line in text.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert!(row[1] < row[0] && row[0] < row[2]);
    }
}

#[test]
fn what_cannot_be_promised_is_refused() {
    let folder = calibrated();
    assert!(fails(&folder, "predict a.safetensors new.csv --interval 0.999").contains("too few rows"));
    fails(&folder, "predict a.safetensors new.csv --interval 1");
    fails(&folder, "predict a.safetensors new.csv --interval -0.5");
    succeeds(&folder, "fit a.csv -a tanh -k 2 --decay 1e-3 -o plain.safetensors");
    let error = fails(&folder, "predict plain.safetensors new.csv --interval 0.9");
    assert!(error.contains("--calibrate 0.2"), "{error}");
    for arguments in
        ["--calibrate 0", "--calibrate 1", "--calibrate nan", "--calibrate 0.0001", "--calibrate 0.5 --weight x1"]
    {
        fails(&folder, &format!("fit a.csv -a tanh {arguments} -o never.safetensors"));
    }
    assert!(!folder.path().join("never.safetensors").exists());
}
