//! `fit --group` and `fit --time` as a user runs them.

#![allow(clippy::unwrap_used)]

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{fails, json, shallows, succeeds};

/// 30 patients with six rows each; the place is a row's own, the dose that of the patient.
fn trial() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |i: usize| {
        let (patient, visit) = (i % 30, i / 30);
        let dose = ((patient * 7) % 30) as f64 / 10.0;
        let y = ((patient * 11) % 13) as f64 + 0.1 * ((i * 17) % 7) as f64;
        format!("p{patient},{dose},{visit},2004-01-{:02},{y},{}\n", 1 + i / 9, 1 + i % 3)
    };
    let rows: String = (0..180).map(line).collect();
    let header = "patient,dose,visit,day,y,w\n";
    fs::write(folder.path().join("t.csv"), format!("{header}{rows}")).unwrap();
    // New patients, whose names nobody has to know.
    fs::write(folder.path().join("new.csv"), "dose,visit\n0.5,1\n2.1,3\n").unwrap();
    folder
}

#[test]
fn groups_are_told_and_are_no_input() {
    let folder = trial();
    let fit = "fit t.csv -t y --drop day --drop w --effort quick";
    let by_row = json(&folder, &format!("{fit} --json -o r.safetensors"));
    assert!(by_row["data"]["group"].is_null() && by_row["data"]["time"].is_null());
    let document = json(&folder, &format!("{fit} --group patient --holdout 0.2 --json -o g.safetensors"));
    assert_eq!(document["data"]["group"], serde_json::json!({ "column": "patient", "groups": 30 }));
    // Six of thirty patients, with all of their rows.
    assert_eq!((&document["test"]["rows"], &document["data"]["inputs"]), (&Value::from(36), &Value::from(2)));
    let dropped = &document["data"]["columns"]["dropped"];
    assert!(dropped.to_string().contains("\"reason\":\"group\""), "{dropped}");
    let text = succeeds(&folder, &format!("{fit} --group patient -o g.safetensors"));
    assert!(text.contains("Groups    30 groups by \"patient\""), "{text}");
    let predicted = json(&folder, "predict g.safetensors new.csv --interval 0.8 --json");
    let interval = &predicted["interval"];
    assert!(interval["statement"].as_str().unwrap().contains("new \"patient\""), "{interval}");
    assert_eq!(interval["of"], serde_json::json!({ "group": "patient" }));
    assert!((interval["guarantee"].as_f64().unwrap() - 0.6).abs() < 1e-12);
}

#[test]
fn calibration_groups_prove_the_level_for_a_new_group() {
    let folder = trial();
    succeeds(&folder, "fit t.csv -t y --drop day --drop w --group patient -a quadratic --decay 0.1 --calibrate 0.4");
    let document = json(&folder, "predict t.safetensors new.csv --interval 0.9 --json");
    let statement = document["interval"]["statement"].as_str().unwrap();
    assert!(
        statement.contains("12 calibration groups with 72 rows") && statement.contains("new \"patient\""),
        "{statement}"
    );
    assert_eq!(document["interval"]["guarantee"], 0.9);
    // Twelve groups are too few for more.
    fails(&folder, "predict t.safetensors new.csv --interval 0.95");
}

#[test]
fn the_latest_rows_are_held_out_and_nothing_is_proved_in_time() {
    let folder = trial();
    let fit = "fit t.csv -t y --drop day --drop patient --drop w -a quadratic --decay 0.1";
    let document = json(&folder, &format!("{fit} --time day --holdout 0.2 --calibrate 0.25 --folds 3 --json"));
    assert_eq!(document["data"]["time"], serde_json::json!({ "column": "day", "times": 20 }));
    assert_eq!((&document["test"]["rows"], &document["train"]["rows"]), (&Value::from(36), &Value::from(108)));
    assert_eq!(document["folds"].as_array().unwrap().len(), 3);
    let document = json(&folder, "predict t.safetensors new.csv --interval 0.9 --json");
    assert_eq!(
        (&document["interval"]["guarantee"], &document["interval"]["of"]["time"]),
        (&Value::from(0.0), &"day".into())
    );
    assert!(document["interval"]["statement"].as_str().unwrap().contains("nothing is proved"));
    // The column of numbers stays an input.
    let document = json(&folder, "fit t.csv -t y --drop day --drop patient --drop w -a quadratic --time visit --json");
    assert_eq!(document["data"]["inputs"], 2);
}

#[test]
fn what_cannot_be_grouped_or_ordered_is_refused_in_one_line() {
    let folder = trial();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("one.csv", "g,x,y\na,1,2\na,2,3\na,3,5\n");
    write("gaps.csv", "g,x,y\na,1,2\n,2,3\nb,3,5\n");
    write("words.csv", "g,x,y\nmonday,1,2\ntuesday,2,3\nfriday,3,5\n");
    write("rows.txt", "0 1 2 3 4 5 6 7\n");
    write("early.txt", "0 1 2 3 4 5 6 7 8 9 10\n");
    for (arguments, wanted) in [
        ("fit t.csv -t y --group patent", "no column \"patent\""),
        ("fit t.csv -t y --group y", "also the group"),
        ("fit t.csv -t y --weight w --group w", "also the group"),
        ("fit t.csv -t y --time y", "also the time"),
        ("fit one.csv --group g", "one value in column \"g\""),
        ("fit one.csv --time g --drop g", "3 cells are neither numbers nor dates, such as \"a\""),
        ("fit gaps.csv --group g", "line 3"),
        ("fit gaps.csv --time g --drop g", "line 3"),
        ("fit words.csv --time g --drop g", "3 cells are neither numbers nor dates, such as \"monday\""),
        (
            "fit t.csv -t y --drop day --group patient --holdout rows.txt",
            "8 groups are on both sides, by column \"patient\": \"p0\", \"p1\", \"p2\"",
        ),
        ("fit t.csv -t y --drop day --drop patient --time day --holdout early.txt", "is later"),
        ("fit t.csv -t y --drop day --group patient --holdout 0.01", "keeps 30 of 30 groups"),
        ("fit t.csv -t y --drop day --group patient --folds 31 -a quadratic --decay 1", "at least 2 and at most 30"),
        ("fit t.csv -t y --drop day --group patient --time visit", "cannot be used with"),
    ] {
        let error = fails(&folder, arguments);
        assert!(error.contains(wanted), "{arguments}: {error}");
    }
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("safetensors")), "{names:?}");
}

#[test]
fn groups_of_one_row_each_are_remarked_on() {
    let folder = trial();
    let rows: String = (0..40).map(|i| format!("{i},{},{}\n", i % 7, (i * i) % 11)).collect();
    fs::write(folder.path().join("ids.csv"), format!("id,x,y\n{rows}")).unwrap();
    let output = shallows(&folder, "fit ids.csv --group id -a quadratic --decay 1");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && error.contains("every row has a \"id\" of its own"), "{error}");
}

#[test]
fn rows_of_weight_0_are_of_no_group() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |of: &dyn Fn(usize) -> usize| -> String {
        (0..30).map(|i| format!("{},{},{},{}\n", i / 10, i, (i * i) % 17, of(i))).collect()
    };
    // Only the last of three groups counts.
    fs::write(folder.path().join("t.csv"), format!("g,x,y,w\n{}", rows(&|i| usize::from(i >= 20)))).unwrap();
    let said = fails(&folder, "fit t.csv -t y --weight w --group g -a quadratic --decay 0 -o m.safetensors");
    assert!(said.contains("have one value in column \"g\""), "{said}");
}

#[test]
fn a_lead_on_one_row_is_not_told_as_none() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("{},{},{}\n", 1 + i / 29, i as f64 / 7.0 - 2.0, (i as f64 / 7.0 - 2.0).powi(2));
    fs::write(folder.path().join("t.csv"), format!("t,x,y\n{}", (0..30).map(row).collect::<String>())).unwrap();
    let said = succeeds(&folder, "fit t.csv --effort quick --time t -o m.safetensors");
    assert!(!said.contains("is no better"), "{said}");
}
