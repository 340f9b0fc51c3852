//! An option that does not apply is refused by its name; nothing is written.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, succeeds};
use tempfile::TempDir;

/// A table and two models.
fn prepared() -> TempDir {
    let folder = TempDir::new().unwrap();
    succeeds(&folder, "teach -a quadratic -d 2 -k 2 -n 60 -o d.csv --save-teacher m.safetensors");
    succeeds(&folder, "teach -a quadratic -d 2 -k 2 -n 4 -o few.csv");
    let inputs: String = fs::read_to_string(folder.path().join("d.csv")).unwrap();
    let inputs = inputs.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect::<String>();
    fs::write(folder.path().join("inputs.csv"), inputs).unwrap();
    folder
}

#[test]
fn options_without_an_effect_are_refused_by_name() {
    let folder = prepared();
    let names = || {
        let mut all: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        all.sort();
        all
    };
    let before = names();
    let refused = [
        ("fit d.csv -a tanh --certificate c.json", "the file of the certificate"),
        ("fit d.csv -a tanh --tolerance 1e-6", "the tolerance of the certificate"),
        ("fit d.csv -a quadratic -m lbfgs --certificate c.json", "the file of the certificate"),
        ("fit d.csv -m lbfgs --certificate c.json", "the file of the certificate"),
        ("fit d.csv -m lbfgs --tolerance 1e-3", "the tolerance of the certificate"),
        // Before any work: the table is not even looked for.
        ("fit none.csv --tolerance 0.5", "the tolerance must be above 0 and at most 0.1"),
        ("fit none.csv -a quadratic --tolerance 0", "the tolerance must be above 0 and at most 0.1"),
        ("certify m.safetensors none.csv --tolerance 0.5", "the tolerance must be above 0 and at most 0.1"),
        ("fit d.csv -m lbfgs --one-standard-error", "the rule of one standard error"),
        ("fit d.csv --effort best --width 5", "the effort"),
        ("fit d.csv --effort normal --signs positive", "the effort"),
        ("fit d.csv --effort quick --no-linear", "the effort"),
        ("fit d.csv --effort quick --no-intercept", "the effort"),
        ("fit d.csv --effort quick --no-scaling", "the effort"),
        ("explain m.safetensors --repeats 10", "the number of repeats"),
        ("explain m.safetensors --seed 0", "the seed of the shuffles"),
        ("explain m.safetensors inputs.csv --repeats 5", "the number of repeats"),
        ("export m.safetensors --precision f32", "the precision"),
        ("export m.safetensors --precision f64 -o n.json", "the precision"),
        ("export m.safetensors --precision f32 -o n.safetensors", "the precision"),
        ("check d.csv --affine", "the affine part"),
        ("check d.csv -a tanh --affine", "the affine part"),
        ("check d.csv --rows raw --radius 20", "the radius"),
        ("check d.csv --rows unit --radius 20", "the radius"),
        ("check d.csv --find-width --find-scale", "--find-scale"),
        ("landscape --spectrum 3,2 --start paper --samples 10000", "the number of samples for the start"),
        ("landscape --spectrum 3,2 --start m.safetensors --samples 9", "the number of samples for the start"),
        ("landscape --spectrum 3,2 --data d.csv --samples 9", "the number of samples for the start"),
        ("theorems wide-quadratic --markdown", "--markdown"),
        ("export m.safetensors --seed 3 -o n.onnx", "the seed of the units applies only with a width"),
        ("export m.safetensors --width 20 -o n.onnx", "the width applies only with infinitely wide networks"),
        ("export m.safetensors --width 0 -o n.onnx", "the width applies only with infinitely wide networks"),
        ("figure --list --quick", "--quick"),
        ("figure --list -o somewhere", "--output"),
    ];
    for (command, name) in refused {
        let error = fails(&folder, command);
        assert!(error.contains(name), "{command}: {error}");
        assert!(names() == before, "{command} wrote a file");
    }
}

#[test]
fn options_that_have_an_effect_are_taken() {
    let folder = prepared();
    let taken = [
        "fit few.csv --certificate c.json",
        "fit d.csv -k 2 --certificate c.json --tolerance 1e-3",
        "fit d.csv -a quadratic --one-standard-error --certificate c.json",
        "explain m.safetensors d.csv --repeats 3 --seed 4",
        "export m.safetensors --precision f32 -o n.onnx",
        "landscape --spectrum 3,2 --start spectral --samples 9",
        "landscape --spectrum 3,2 --start paper --data d.csv",
    ];
    for command in taken {
        succeeds(&folder, command);
    }
}

#[test]
fn a_report_of_the_automatic_fit_has_its_certificate_where_it_was_named() {
    let folder = prepared();
    let printed = succeeds(&folder, "fit d.csv --effort quick --certificate c.json --json --quiet");
    assert!(folder.path().join("c.json").is_file(), "{printed}");
}

#[test]
fn findings_are_had_without_a_report() {
    let folder = prepared();
    let fit = "fit d.csv -a quadratic --decay 0.01 --findings --quiet";
    let document: serde_json::Value = serde_json::from_str(&succeeds(&folder, &format!("{fit} --json"))).unwrap();
    assert!(document["learning_curve"]["linear"].is_array());
    assert_eq!(document["importance"]["columns"].as_array().unwrap().len(), 2);
    let words = succeeds(&folder, fit);
    assert!(words.contains("\nLearning  ") && words.contains("\nMatters   "), "{words}");
}
