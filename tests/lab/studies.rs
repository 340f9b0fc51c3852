//! The studies of the published figures: their specifications, and numbers that follow from theorems.

#![cfg(feature = "lab")]
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use shallows::lab::Extent;
use shallows::lab::studies::{STUDIES, study};
use shallows::watch::Watch;

const QUIET: Watch<'_> = Watch::silent();

#[test]
fn every_specification_is_valid_and_its_quick_version_is_shorter() {
    let mut names = HashSet::new();
    for study in STUDIES {
        let (full, quick) = (study.specifications(Extent::Full).unwrap(), study.specifications(Extent::Quick).unwrap());
        assert_eq!(full.len(), quick.len());
        for (full, quick) in full.iter().zip(&quick) {
            assert!(full.name.starts_with(study.name), "{}: {}", study.name, full.name);
            assert_eq!(full.name, quick.name);
            assert!(names.insert(full.name.clone()), "two sweeps are called {}", full.name);
            assert!(quick.total() < full.total(), "{}: quick is not quick", full.name);
            assert!(full.text.contains("[quick]") && !quick.text.contains("[quick]"), "{}: {}", full.name, quick.text);
            assert_eq!((full.seed, &full.activation), (quick.seed, &quick.activation));
        }
    }
}

/// The names in the first column of the table of figures.
fn names_in_table(readme: &str) -> Vec<&str> {
    let table = readme.split("\n| name | what it shows |\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let first = table.lines().skip(1).map(|row| row.split('|').nth(1).unwrap());
    first.flat_map(|names| names.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_readme_tells_of_every_study_and_of_no_other() {
    let readme = include_str!("../../README.md");
    let mut told = names_in_table(readme);
    let mut names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
    told.sort_unstable();
    names.sort_unstable();
    assert_eq!(told, names);
}

#[test]
fn a_name_belongs_to_one_study_and_others_to_none() {
    let names: HashSet<&str> = STUDIES.iter().map(|study| study.name).collect();
    assert_eq!(names.len(), STUDIES.len());
    assert!(names.iter().all(|name| study(name).is_some_and(|study| study.name == *name)));
    assert!(study("sjl-2").is_none() && study("").is_none());
}

#[test]
fn a_study_without_trainings_is_drawn_empty_and_claims_nothing() {
    for study in STUDIES.iter().filter(|study| !study.specifications(Extent::Quick).unwrap().is_empty()) {
        let sweeps: Vec<_> =
            study.specifications(Extent::Quick).unwrap().into_iter().map(|sweep| (sweep, vec![])).collect();
        let drawn = study.draw(&sweeps, Extent::Quick, QUIET).unwrap().unwrap();
        assert!(drawn.findings.is_empty() && drawn.table.rows.is_empty(), "{}", study.name);
    }
}

#[test]
fn descent_over_deficient_matrices_finds_the_barrier_and_nothing_below() {
    let drawn = study("barrier").unwrap().draw(&[], Extent::Quick, QUIET).unwrap().unwrap();
    let column = |name: &str| drawn.table.columns.iter().position(|column| *column == name).unwrap() - 1;
    let (rank, least, barrier) = (column("rank"), column("least"), column("barrier"));
    for (name, row) in &drawn.table.rows {
        let ratio = row[least] / row[barrier];
        assert!(ratio >= 1.0 - 1e-9, "{name}, rank {}: {ratio}", row[rank]);
        assert!(name != "descent" || ratio < 1.0 + 1e-6, "rank {}: descent ends at {ratio}", row[rank]);
    }
    // (d + 2)/(d + 1) with d = 8.
    let factor = drawn.findings.iter().find(|finding| finding.what.contains("published bound")).unwrap();
    assert!((factor.value - 10.0 / 9.0).abs() < 1e-9, "{}", factor.value);
}

#[test]
fn the_start_of_the_paper_needs_twice_the_width() {
    let drawn = study("safe-start").unwrap().draw(&[], Extent::Quick, QUIET).unwrap().unwrap();
    let half = |name: &str| drawn.findings.iter().find(|finding| finding.what.ends_with(name)).unwrap().clone();
    for d in [10, 20] {
        let (near, paper) = (half(&format!("γ = m, d = {d}")), half(&format!("γ = m + 4d, d = {d}")));
        assert!(near.low < near.value && near.value < near.high);
        assert!(paper.low > 1.8 * near.high, "d = {d}: {} and {}", near.value, paper.value);
    }
}
