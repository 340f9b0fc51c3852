//! `certify`, `verify` and `theorems` as a user runs them.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{repository, shallows};
use serde_json::Value;
use tempfile::TempDir;

#[track_caller]
fn status(folder: &TempDir, arguments: &str, expected: i32) -> (String, String) {
    let output = shallows(folder, arguments);
    let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(expected), "shallows {arguments}: {texts:?}");
    let [out, error] = texts;
    if expected == 2 {
        assert!(out.is_empty() && error.starts_with("error: ") && error.lines().count() <= 2, "{error}");
    }
    (out, error)
}

/// A planted quadratic network without noise, which no other network can beat.
fn planted() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let teach = "teach --activation quadratic --inputs 3 --width 3 --samples 100 --seed 3 -o planted.csv --save-teacher teacher.safetensors";
    status(&folder, teach, 0);
    folder
}

#[test]
fn a_teacher_is_certified_and_verified() {
    let folder = planted();
    let certify = "certify teacher.safetensors planted.csv --no-linear --no-intercept --certificate c.json --json";
    let (out, _) = status(&folder, certify, 0);
    let document: Value = serde_json::from_str(&out).unwrap();
    let certificate = &document["certificates"][0];
    assert_eq!(certificate["theorem"], "global-optimum");
    assert_eq!(certificate["verdict"], "holds");
    assert_eq!(certificate["class"]["bounded"], false);
    for key in ["objective", "lower_bound", "relative_gap"] {
        assert!(certificate[key].is_number(), "{key}");
    }
    for check in certificate["checks"].as_array().unwrap() {
        assert!(check["hypothesis"].is_string() && check["margin"].is_number() && check["error"].is_number());
        assert_eq!(check["verdict"], "holds");
    }
    status(&folder, "verify c.json planted.csv", 0);
    status(&folder, "verify c.json planted.csv teacher.safetensors", 0);
    let (again, _) = status(&folder, "verify c.json planted.csv --json --threads 1", 0);
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap()["certificates"], document["certificates"]);
}

#[test]
fn a_network_that_is_not_optimal_is_said_to_be_so() {
    let folder = planted();
    status(&folder, "teach --activation quadratic --inputs 3 --width 3 --samples 100 --seed 4 -o other.csv", 0);
    let (out, _) = status(&folder, "certify teacher.safetensors other.csv --certificate c.json --json", 1);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["certificates"][0]["verdict"], "fails");
    let file: Value = serde_json::from_str(&fs::read_to_string(folder.path().join("c.json")).unwrap()).unwrap();
    assert!(file["certificates"][0]["proof"]["improvement"]["W"].is_array());
    // The certificate is right, and what it says is that the claim fails.
    status(&folder, "verify c.json other.csv", 1);
    status(&folder, "certify teacher.safetensors planted.csv --theorem wide-quadratic", 1);
}

#[test]
fn a_certificate_about_some_rows_is_about_a_table_of_so_many() {
    let folder = planted();
    status(&folder, "fit planted.csv -a quadratic --decay 0.1 --holdout 0.2", 0);
    status(&folder, "verify planted.certificate.json planted.csv", 0);
    let text = fs::read_to_string(folder.path().join("planted.certificate.json")).unwrap();
    for other in ["\"table_rows\": 99", "\"table_rows\": 1000"] {
        fs::write(folder.path().join("altered.json"), text.replacen("\"table_rows\": 100", other, 1)).unwrap();
        let (_, error) = status(&folder, "verify altered.json planted.csv", 2);
        assert!(error.contains("rows") && error.contains("hint: "), "{error}");
    }
}

#[test]
fn altered_tables_models_and_certificates_are_refused_with_a_reason() {
    let folder = planted();
    let path = |name: &str| folder.path().join(name);
    status(&folder, "certify teacher.safetensors planted.csv --certificate c.json", 0);
    let table = fs::read_to_string(path("planted.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    let mut swapped = lines.clone();
    swapped.swap(1, 2);
    let renamed = table.replacen("x1", "z1", 1);
    let digit = |text: &str| text.replacen('1', "2", 1);
    let tables = [
        swapped.join("\n"),
        renamed,
        lines[..99].join("\n"),
        format!("{}\n{}", lines[0], digit(&lines[1..].join("\n"))),
    ];
    for (at, text) in tables.iter().enumerate() {
        fs::write(path("altered.csv"), text).unwrap();
        let (_, error) = status(&folder, "verify c.json altered.csv", 2);
        let other = "not the one that the certificate was issued for";
        let reason = [other, "lacks \"x1\"", "rows", other][at];
        assert!(error.contains(reason) && error.contains("hint: "), "{at}: {error}");
    }
    let mut model = fs::read(path("teacher.safetensors")).unwrap();
    let last = model.len() - 4;
    model[last] ^= 1;
    fs::write(path("altered.safetensors"), model).unwrap();
    let (_, error) = status(&folder, "verify c.json planted.csv altered.safetensors", 2);
    assert!(error.contains("network"), "{error}");
    let text = fs::read_to_string(path("c.json")).unwrap();
    let altered = text.replacen("\"lower_bound\": ", "\"lower_bound\": 1", 1);
    fs::write(path("altered.json"), altered).unwrap();
    let (_, error) = status(&folder, "verify altered.json planted.csv", 2);
    assert!(error.contains("global-optimum is not confirmed") && error.contains("lower_bound"), "{error}");
    status(&folder, "verify planted.csv planted.csv", 2);
    status(&folder, "verify nowhere.json planted.csv", 2);
    status(&folder, "certify teacher.safetensors planted.csv --decay -1", 2);
    status(&folder, "certify teacher.safetensors planted.csv --theorem nothing", 2);
    status(&folder, "certify teacher.safetensors planted.csv --target x1", 2);
}

#[test]
fn weights_and_targets_are_found_again_by_name() {
    let folder = planted();
    let table = fs::read_to_string(folder.path().join("planted.csv")).unwrap();
    let mut lines = table.lines();
    let mut text = format!("w,{}\n", lines.next().unwrap());
    lines.enumerate().for_each(|(at, line)| text += &format!("{},{line}\n", at % 3));
    fs::write(folder.path().join("weighted.csv"), text).unwrap();
    status(&folder, "certify teacher.safetensors weighted.csv --weight w --certificate c.json", 0);
    status(&folder, "verify c.json weighted.csv", 0);
    let stored = fs::read_to_string(folder.path().join("c.json")).unwrap();
    fs::write(folder.path().join("c.json"), stored.replacen("\"weight\": \"w\"", "\"weight\": \"x1\"", 1)).unwrap();
    status(&folder, "verify c.json weighted.csv", 2);
}

#[test]
fn a_fit_is_a_minimum_by_two_theorems_and_an_exact_teacher_is_no_saddle() {
    let folder = planted();
    let theorems = "--theorem approximate-minimum --theorem full-rank-stationary";
    let noisy = "teach --activation quadratic --inputs 3 --width 3 --samples 100 --seed 3 --noise 0.1 -o noisy.csv";
    status(&folder, noisy, 0);
    status(&folder, "fit noisy.csv -a quadratic --decay 0 --no-linear --no-intercept -o fitted.safetensors", 0);
    let certify = format!("certify fitted.safetensors noisy.csv {theorems} --certificate c.json --json");
    let (out, _) = status(&folder, &certify, 0);
    let document: Value = serde_json::from_str(&out).unwrap();
    for certificate in document["certificates"].as_array().unwrap() {
        assert_eq!(certificate["verdict"], "holds");
        assert!(certificate["facts"]["bound"].as_f64().unwrap() < 1e-8, "{certificate}");
        assert!(certificate["checks"].as_array().unwrap().len() >= 2);
    }
    status(&folder, "verify c.json noisy.csv fitted.safetensors", 0);
    // Where the fit is exact, no bound above the objective is news.
    let (out, _) = status(&folder, "certify teacher.safetensors planted.csv --theorem approximate-minimum", 1);
    assert!(out.contains("is not below the objective itself"), "{out}");
    let (out, _) = status(&folder, "certify teacher.safetensors planted.csv --theorem strict-saddle", 1);
    assert!(out.starts_with("strict-saddle (not proved, ") && !out.contains("holds"), "{out}");
    // Three inputs, three units of one sign, a hundred rows.
    let (out, _) = status(&folder, "certify teacher.safetensors planted.csv --theorem planted-quadratic", 1);
    assert!(out.starts_with("planted-quadratic (not proved, fails)"), "{out}");
    assert!(out.contains("\n  holds      there is no decay\n"), "{out}");
}

#[test]
fn a_saddle_is_proved_with_its_direction_and_a_larger_decrease_is_not_confirmed() {
    let folder = planted();
    // On the labels of another teacher this one is not a minimum.
    let other = "teach --activation quadratic --inputs 3 --width 3 --samples 100 --seed 4 -o other.csv";
    status(&folder, other, 0);
    let certify = "certify teacher.safetensors other.csv --theorem strict-saddle --certificate c.json --json";
    let output = shallows(&folder, certify);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let certificate = &document["certificates"][0];
    assert_eq!(output.status.code(), Some(i32::from(certificate["verdict"] != "holds")));
    let facts = &certificate["facts"];
    assert_eq!(certificate["verdict"], "holds", "{certificate}");
    assert!(facts["curvature"].as_f64().unwrap() < 0.0 && facts["decrease"].as_f64().unwrap() > 0.0);
    status(&folder, "verify c.json other.csv", 0);
    status(&folder, "verify c.json other.csv --threads 1", 0);
    let path = folder.path().join("c.json");
    let text = fs::read_to_string(&path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["certificates"][0]["proof"]["down"]["direction"].as_array().unwrap().len(), 3);
    fs::write(&path, text.replacen("\"decrease\": ", "\"decrease\": 9", 1)).unwrap();
    let (_, error) = status(&folder, "verify c.json other.csv", 2);
    assert!(error.contains("strict-saddle is not confirmed") && error.contains("decrease"), "{error}");
}

#[test]
fn the_catalogue_is_listed_and_unknown_theorems_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = status(&folder, "theorems", 0);
    assert!(out.contains("global-optimum") && out.contains("wide-quadratic"));
    let (one, _) = status(&folder, "theorems wide-quadratic", 0);
    assert!(!one.contains("global-optimum:"));
    let (markdown, _) = status(&folder, "theorems --markdown", 0);
    assert_eq!(markdown, fs::read_to_string(repository().join("THEOREMS.md")).unwrap());
    let (json, _) = status(&folder, "theorems --json", 0);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["theorems"][0]["id"], "global-optimum");
    let (_, error) = status(&folder, "theorems nothing", 2);
    assert!(error.contains("hint: one of"));
}
