//! `shallows landscape`, by running it.

#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, json, succeeds, verdict};
use serde_json::Value;
use tempfile::TempDir;

fn landscape(folder: &TempDir, arguments: &str) -> Value {
    json(folder, &format!("landscape {arguments} --json"))
}

fn close(value: &Value, expected: f64) {
    assert!((value.as_f64().unwrap() - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{value} is not {expected}");
}

#[test]
fn levels_indices_and_barrier_are_those_of_the_formulas() {
    let folder = TempDir::new().unwrap();
    let found = landscape(&folder, "--inputs 3 --width 4 --spectrum 3,2,1");
    close(&found["barrier"], 1.25);
    let barriers: Vec<&Value> = found["barriers"].as_array().unwrap().iter().collect();
    [14.0 + 18.0, 5.0 + 3.0, 1.25, 0.0].iter().zip(&barriers).for_each(|(expected, found)| close(found, *expected));
    let levels = found["levels"].as_array().unwrap();
    assert_eq!((levels.len(), &found["critical_levels"]), (8, &Value::from(8)));
    assert_eq!(levels[0]["subset"], serde_json::json!([1, 2, 3]));
    assert_eq!((&levels[0]["index"], &levels[0]["level"]), (&Value::from(0), &Value::from(0.0)));
    assert_eq!(levels[1]["subset"], serde_json::json!([1, 2]));
    // (4 − 2)(3 − 2) free directions, no exchange.
    assert_eq!(levels[1]["index"], 2);
    close(&levels[1]["level"], 1.25);
    close(&levels[1]["curvature"], -4.0 * 1.25);
    let highest = levels.last().unwrap();
    assert_eq!((&highest["subset"], &highest["index"]), (&serde_json::json!([]), &Value::from(12)));
    close(&highest["level"], 32.0);
    assert_eq!(verdict(&found, "energy-barrier"), "holds");
    assert_eq!(found["start"]["name"], "trace");
    let words = succeeds(&folder, "landscape --inputs 3 --width 4 --spectrum 3,2,1");
    assert!(words.contains("Barrier   1.2500") && words.contains("8 critical levels"), "{words}");
}

#[test]
fn starts_are_judged_and_unsafe_ones_get_no_promise() {
    let folder = TempDir::new().unwrap();
    let teacher = "--inputs 3 --width 4 --spectrum 3,2.9,2.8";
    for (start, safe) in [("trace", true), ("spectral --samples 100000", true), ("zero", false), ("paper", false)] {
        let found = landscape(&folder, &format!("{teacher} --start {start}"));
        assert_eq!(found["start"]["safe"], safe, "{start}: {found}");
        assert_eq!(verdict(&found, "safe-start") == "holds", safe, "{start}");
        let words = succeeds(&folder, &format!("landscape {teacher} --start {start}"));
        assert_eq!(words.contains("no promise"), !safe, "{words}");
    }
    let random = landscape(&folder, "--inputs 3 --width 3000 --start width");
    assert_eq!(verdict(&random, "safe-start-gaussian"), "holds");
    let small = landscape(&folder, "--inputs 3 --width 30 --start paper");
    assert_eq!(verdict(&small, "safe-start-gaussian"), "fails");
}

#[test]
fn a_teacher_and_a_start_from_files_and_data() {
    let folder = TempDir::new().unwrap();
    succeeds(
        &folder,
        "teach -a quadratic --inputs 3 --width 5 --spectrum 4,2,1 --samples 400 -o p.csv --save-teacher t.safetensors",
    );
    let found = landscape(&folder, "--teacher t.safetensors --start t.safetensors --data p.csv -o out");
    close(&found["barrier"], 1.25);
    assert!(found["start"]["risk"].as_f64().unwrap() < 1e-20 && found["start"]["safe"] == true, "{found}");
    for name in ["levels", "slice", "slice-data", "line", "descent"] {
        let svg = fs::read_to_string(folder.path().join(format!("out/{name}.svg"))).unwrap();
        assert!(roxmltree::Document::parse(&svg).is_ok() && !svg.contains("NaN"), "{name}");
        let png = fs::read(folder.path().join(format!("out/{name}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{name}");
    }
    landscape(&folder, "--teacher t.safetensors --start spectral --data p.csv");
    succeeds(
        &folder,
        "teach -a quadratic --inputs 3 --width 6 --outputs signs --samples 10 -o q.csv --save-teacher s.safetensors",
    );
    let signed = landscape(&folder, "--teacher s.safetensors");
    assert!(signed["barrier"].is_null() && signed["levels"][0]["index"].is_null());
    assert_eq!(verdict(&signed, "safe-start"), "fails");
}

#[test]
fn degenerate_narrow_and_large_landscapes_are_shown() {
    let folder = TempDir::new().unwrap();
    let narrow = landscape(&folder, "--spectrum 3,2,1 --student-width 2 -o narrow");
    assert_eq!(narrow["critical_levels"], 7);
    assert_eq!(verdict(&narrow, "safe-start"), "fails");
    let equal = landscape(&folder, "--spectrum 1,1,1,1 --width 5 -o equal");
    assert_eq!(equal["critical_levels"], 5);
    assert_eq!(equal["levels"][1]["copies"], 4.0);
    let singular = landscape(&folder, "--inputs 3 --width 4 --spectrum 2,1 -o singular");
    close(&singular["barrier"], 0.0);
    assert_eq!(verdict(&singular, "energy-barrier"), "undecided");
    landscape(&folder, "--spectrum 2 -o one");
    landscape(&folder, "--spectrum 0,0 --width 2 -o nothing");
    let many = landscape(&folder, "--inputs 40 --width 60 --levels 5 -o many");
    assert_eq!(many["levels"].as_array().unwrap().len(), 10);
    assert!(many["critical_levels"].is_null());
}

#[test]
fn what_cannot_be_shown_is_refused_in_one_line() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    fs::write(folder.path().join("bad.csv"), "a,y\n1,2\n").unwrap();
    succeeds(&folder, "teach -a relu --inputs 3 --width 2 --samples 10 -o r.csv --save-teacher r.safetensors");
    for (arguments, expected) in [
        ("", "no teacher"),
        ("--spectrum 3,-1,2", "at least 0"),
        ("--spectrum 3,nan,2", "at least 0"),
        ("--spectrum 3,x,2", "invalid"),
        ("--inputs 2 --width 4 --spectrum 3,2,1", "number of eigenvalues"),
        ("--inputs 3 --width 2 --spectrum 3,2,1", "number of eigenvalues"),
        ("--inputs 0 --width 4", "at least 1"),
        ("--inputs 100000 --width 100000", "too large"),
        ("--teacher missing.safetensors", "missing.safetensors"),
        ("--teacher r.safetensors", "must be quadratic"),
        ("--teacher r.safetensors --inputs 3", "cannot be used with"),
        ("--spectrum 3,2 --start nowhere", "is not a start"),
        ("--spectrum 3,2 --start missing.safetensors", "missing.safetensors"),
        ("--spectrum 3,2 --start r.safetensors", "must be quadratic"),
        ("--spectrum 3,2 --data missing.csv", "missing.csv"),
        ("--spectrum 3,2 --data bad.csv", "2 inputs"),
        ("--spectrum 3,2 --student-width 0", "has no units"),
        ("--spectrum 3,2 --samples 0", "samples"),
        ("--spectrum 3,2 -o file", "this is a file"),
        ("--spectrum 3,2 -o file/below", "file/below"),
    ] {
        let error = fails(&folder, &format!("landscape {arguments}"));
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn what_is_proved_about_a_start_is_written_and_verified_without_a_table() {
    let folder = TempDir::new().unwrap();
    let found = landscape(&folder, "--inputs 3 --width 3000 --start width --certificate c.json");
    assert!(found["certificate"]["path"].as_str().unwrap().ends_with("c.json"));
    let again = json(&folder, "verify c.json --json");
    for theorem in ["energy-barrier", "safe-start", "safe-start-gaussian"] {
        assert_eq!(verdict(&again, theorem), "holds");
    }
    let text = fs::read_to_string(folder.path().join("c.json")).unwrap();
    fs::write(folder.path().join("forged.json"), text.replacen("\"barrier\": ", "\"barrier\": 9", 1)).unwrap();
    assert!(fails(&folder, "verify forged.json").contains("energy-barrier is not confirmed"));
    fs::write(folder.path().join("t.csv"), "a,y\n1,2\n").unwrap();
    assert!(fails(&folder, "verify c.json t.csv").contains("about no rows"));
    fs::write(folder.path().join("t.csv"), "x,y\n1,3\n2,12\n").unwrap();
    succeeds(&folder, "fit t.csv --activation quadratic --certificate fitted.json");
    let needed = fails(&folder, "verify fitted.json");
    assert!(needed.contains("no table is given"), "{needed}");
}
