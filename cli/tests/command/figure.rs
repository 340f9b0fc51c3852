//! `shallows figure`, by running it.

#![cfg(feature = "lab")]
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, succeeds};
use serde_json::Value;
use shallows::lab::{By, Rule, Specification, StoreReader, cells};
use tempfile::TempDir;

#[test]
fn a_figure_is_written_with_its_numbers_and_goes_on_from_its_stores() {
    let folder = TempDir::new().unwrap();
    let record: Value = serde_json::from_str(&succeeds(&folder, "figure identifiability --quick -o f --json")).unwrap();
    let figure = &record["figures"][0];
    let file = |name: &str| folder.path().join("f").join(name);

    // Teachers of full rank: every n below n* = 55 fails, every n from there on succeeds.
    let findings = figure["findings"].as_array().unwrap();
    let full = findings.iter().find(|finding| finding["published"] == 55.0).unwrap();
    assert_eq!((full["low"].as_f64(), full["high"].as_f64()), (Some(54.0), Some(55.0)));
    let ranks: Vec<f64> = findings.iter().map(|finding| finding["value"].as_f64().unwrap()).collect();
    assert!(ranks.len() == 4 && ranks.is_sorted(), "{ranks:?}");

    // The picture is one, and says what was published.
    let svg = fs::read_to_string(file("identifiability.svg")).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert!(document.descendants().any(|node| node.text().is_some_and(|text| text.contains("n* = d(d + 1)/2 = 55"))));
    assert_eq!(cfg!(feature = "png"), file("identifiability.png").exists());

    // The rows of the table are the counts of the stores.
    let table = fs::read_to_string(file("identifiability.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let rule: Rule = "recovers-teacher".parse().unwrap();
    let mut expected = Vec::new();
    for (part, name) in [("1", "rank 1"), ("2", "rank 2"), ("5", "rank 5"), ("full", "rank 10 = d")] {
        let store = StoreReader::open(&file(&format!("identifiability-{part}.db"))).unwrap();
        let written = Specification::read(&file(&format!("identifiability-{part}.toml"))).unwrap();
        assert_eq!(&written, store.specification());
        for count in cells(&store.trials().unwrap(), &rule, 1) {
            let ((successes, runs), (share, low, high)) = (count.runs(), count.share(By::Run));
            let sizes = [count.cell.n, count.cell.k, count.cell.d, count.cell.n, runs, successes, count.undecided];
            let numbers = sizes.iter().map(|x| *x as f64).chain([share, low, high]);
            expected.push((format!("\"{name}\""), numbers.collect::<Vec<f64>>()));
        }
    }
    let numbers = |row: &[&str]| row.iter().map(|text| text.parse().unwrap()).collect::<Vec<f64>>();
    let found: Vec<(String, Vec<f64>)> = rows.iter().map(|row| (row[0].to_owned(), numbers(&row[1..]))).collect();
    assert_eq!(found, expected);

    // Made again from the stores, nothing is trained and nothing changes.
    let before = StoreReader::open(&file("identifiability-1.db")).unwrap().trials().unwrap();
    succeeds(&folder, "figure identifiability --quick -o f");
    assert_eq!(before, StoreReader::open(&file("identifiability-1.db")).unwrap().trials().unwrap());
    assert_eq!(table, fs::read_to_string(file("identifiability.csv")).unwrap());

    // The full version has other stores.
    assert!(fails(&folder, "figure identifiability -o f").contains("identifiability-1.db"));
}

#[test]
fn figures_without_stores_are_the_same_on_one_and_two_threads() {
    let folder = TempDir::new().unwrap();
    for name in ["barrier", "safe-start", "os-path"] {
        succeeds(&folder, &format!("figure {name} --quick -o one --threads 1"));
        succeeds(&folder, &format!("figure {name} --quick -o two --threads 2"));
        let table = |part: &str| fs::read_to_string(folder.path().join(part).join(format!("{name}.csv"))).unwrap();
        assert_eq!(table("one"), table("two"));
    }
}

#[test]
fn the_list_names_what_can_be_made_and_other_names_are_refused() {
    let folder = TempDir::new().unwrap();
    let list = succeeds(&folder, "figure --list");
    for name in ["sjl-2a", "os-2a", "identifiability", "k½ = 11.40"] {
        assert_eq!(list.contains(name), name != "{name}: {list}");
    }
    assert!(fails(&folder, "figure sjl-9").contains("sjl-2a, sjl-2b"));
    fails(&folder, "figure");
    fails(&folder, "figure sjl-2a --all");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
