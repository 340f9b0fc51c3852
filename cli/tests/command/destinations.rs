//! No verb replaces a file that it reads, and no output replaces another: refused before any work.
#![allow(clippy::unwrap_used)]

use std::fs;

use crate::support::{fails, repository, shallows, succeeds};
use tempfile::TempDir;

/// A table, a model, a plan, a list of rows, a specification and a model named like an export.
fn prepared() -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    succeeds(&folder, "teach -a quadratic -d 2 -k 2 -n 40 -o d.csv --save-teacher m.safetensors");
    fs::write(at("rows.txt"), "0 1 2 3\n").unwrap();
    fs::write(at("plan.json"), "{}").unwrap();
    fs::write(at("covariance.csv"), "a,b\n1,0\n0,1\n").unwrap();
    fs::copy(at("m.safetensors"), at("k.onnx")).unwrap();
    fs::copy(at("m.safetensors"), at("m.svg")).unwrap();
    fs::copy(at("m.safetensors"), at("levels.svg")).unwrap();
    fs::copy(at("d.csv"), at("r.first.csv")).unwrap();
    fs::copy(repository().join("examples/sweeps/quick.toml"), at("s.toml")).unwrap();
    fs::write(at("file"), "a file").unwrap();
    folder
}

/// The names and contents of all files.
fn contents(folder: &TempDir) -> Vec<(String, Vec<u8>)> {
    let read = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    let mut all: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| read(entry.unwrap())).collect();
    all.sort();
    all
}

#[test]
fn two_files_of_one_command_in_one_place_are_refused() {
    let folder = prepared();
    let before = contents(&folder);
    let refused = [
        ("certify m.safetensors d.csv --certificate d.csv", "the certificate would replace the table"),
        ("certify m.safetensors d.csv --certificate m.safetensors", "the certificate would replace the model"),
        ("fit d.csv -a quadratic -o F --certificate F", "the certificate would replace the model"),
        ("fit d.csv -o F.html --report F.html", "the report would replace the model"),
        ("fit d.csv -o F.svg --residuals F.svg", "the figure of residuals would replace the model"),
        ("fit d.csv --plan plan.json -o plan.json", "the model would replace the plan"),
        ("fit d.csv --plan P.svg --curves P.svg", "the figure of curves would replace the plan"),
        ("fit d.csv --plan plan.json --curves Q.svg -o Q.svg", "the figure of curves would replace the model"),
        ("fit d.csv --holdout rows.txt -o rows.txt", "the model would replace the list of held-out rows"),
        ("fit d.csv -o ./d.csv", "the model would replace the table"),
        ("export k.onnx -o k.onnx", "the exported model would replace the model"),
        ("predict m.safetensors d.csv -o d.csv", "the predictions would replace the table"),
        ("predict m.safetensors d.csv -o m.safetensors", "the predictions would replace the model"),
        ("explain m.svg d.csv -o m.svg", "the figure would replace the model"),
        ("check d.csv --plan d.csv", "the plan would replace the table"),
        ("check d.csv -a quadratic --plan p --rival p", "the second network would replace the plan"),
        ("check r.first.csv -a quadratic --rival r.csv", "the first network would replace the table"),
        ("recover d.csv -o d.csv", "the model would replace the table"),
        ("recover d.csv --teacher m.safetensors -o m.safetensors", "the model would replace the teacher"),
        ("teach -o t.csv --save-teacher t.csv", "the teacher would replace the samples"),
        ("teach -d 2 --design covariance.csv -o covariance.csv", "the samples would replace the covariance matrix"),
        ("sweep s.toml --store s.toml", "the store would replace the specification"),
        ("landscape --spectrum 3,2 --start levels.svg -o .", "levels.svg: the figures would replace the start"),
        ("landscape --teacher levels.svg -o .", "levels.svg: the figures would replace the teacher"),
        ("landscape --spectrum 3,2 -o file", "file: this is a file"),
        ("figure barrier --quick -o file", "file: this is a file"),
        ("plot s.db -o file", "file: this is a file"),
    ];
    for (command, words) in refused {
        let error = fails(&folder, command);
        assert!(error.contains(words), "{command}: {error}");
        assert!(contents(&folder) == before, "{command} changed a file");
    }
}

#[test]
fn a_certificate_that_a_fit_leaves_as_it_was_is_named() {
    let folder = prepared();
    let told = |arguments: &str| {
        let output = shallows(&folder, arguments);
        assert!(output.status.success(), "{arguments}");
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("F.certificate.json was there before: this fit did not write it")
    };
    assert!(!told("fit d.csv -a tanh -k 2 --iterations 3 -o F.safetensors"));
    assert!(!told("fit d.csv -a quadratic --decay 1e-3 -o F.safetensors"));
    assert!(!told("fit d.csv -a quadratic --decay 1e-3 -o F.safetensors --certificate ./F.certificate.json"));
    assert!(told("fit d.csv -a tanh -k 2 --iterations 3 -o F.safetensors"));
    assert!(told("fit d.csv -a quadratic --decay 1e-2 -o F.safetensors --certificate other.json"));
    assert!(!told("fit d.csv -a tanh -k 2 --iterations 3 -o F.safetensors -q"));
}

#[test]
fn a_folder_that_is_not_there_is_refused_before_the_input_is_read() {
    let folder = prepared();
    let commands = [
        "fit no.csv -o no/m.safetensors",
        "fit no.csv --certificate no/c.json",
        "fit no.csv --report no/r.html",
        "fit no.csv --residuals no/r.svg",
        "predict no.safetensors no.csv -o no/p.csv",
        "explain no.safetensors no.csv -o no/e.svg",
        "export no.safetensors -o no/e.onnx",
        "certify no.safetensors no.csv --certificate no/c.json",
        "check no.csv --plan no/p.json",
        "recover no.csv -o no/m.safetensors",
        "teach -o no/t.csv",
        "sweep s.toml --store no/s.db",
    ];
    for command in commands {
        let error = fails(&folder, command);
        assert!(error.contains("there is no folder no"), "{command}: {error}");
    }
}

#[test]
fn files_of_a_fit_are_named_after_its_model() {
    let folder = TempDir::new().unwrap();
    succeeds(&folder, "teach -a quadratic -d 2 -k 2 -n 40 -o t.csv");
    fs::create_dir(folder.path().join("sub")).unwrap();
    let names = |out: &str, files: &[&str]| {
        succeeds(&folder, &format!("fit t.csv -a quadratic --decay 0 {out}"));
        for file in files {
            assert!(folder.path().join(file).is_file(), "{out}: {file}");
        }
    };
    names("-o sub/b.safetensors", &["sub/b.safetensors", "sub/b.certificate.json"]);
    names("-o b.v2", &["b.v2", "b.v2.certificate.json"]);
    assert!(!folder.path().join("t.certificate.json").exists(), "a fit named otherwise wrote it");
    names("", &["t.safetensors", "t.certificate.json"]);
}
