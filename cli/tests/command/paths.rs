//! Names of files that are not Unicode.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use crate::support::{repository, succeeds};
use serde_json::Value;
use tempfile::TempDir;

/// `name` behind a byte that is not part of any text.
fn odd(name: &str) -> OsString {
    OsString::from_vec([b"\xff", name.as_bytes()].concat())
}

#[test]
fn documents_name_files_that_are_not_unicode() {
    let folder = TempDir::new().unwrap();
    succeeds(&folder, "teach -d 2 -k 2 -n 30 -o data.csv --activation quadratic");
    fs::rename(folder.path().join("data.csv"), folder.path().join(odd("data.csv"))).unwrap();
    let quick = fs::read_to_string(repository().join("examples/sweeps/quick.toml")).unwrap();
    let small = quick.replace("trials = 10", "trials = 1").replace("iterations = 3000", "iterations = 20");
    assert_ne!(small, quick);
    fs::write(folder.path().join(odd("s.toml")), small).unwrap();
    let calls: [(&[&str], &[&str]); 11] = [
        (&["check", "*data.csv", "-a", "quadratic", "--rival", "*r"], &["data", "path"]),
        (&["landscape", "--spectrum", "3,2", "-o", "*folder"], &["figures"]),
        (
            &["fit", "*data.csv", "-a", "quadratic", "-o", "*m.safetensors", "--certificate", "*c.json"],
            &["model", "path"],
        ),
        (&["certify", "*m.safetensors", "*data.csv", "--certificate", "*d.json"], &["certificate", "path"]),
        (&["verify", "*c.json", "*data.csv"], &["certificate", "path"]),
        (&["explain", "*m.safetensors", "*data.csv", "-o", "*e.svg"], &["figure", "path"]),
        (&["export", "*m.safetensors", "-o", "*m.onnx"], &["path"]),
        (&["predict", "*m.safetensors", "*data.csv", "-o", "*p.csv"], &[]),
        (&["sweep", "*s.toml", "--store", "*s.db"], &["store"]),
        (&["plot", "*s.db", "-o", "*folder"], &["store"]),
        (&["figure", "barrier", "--quick", "-o", "*folder"], &["figures"]),
    ];
    for (words, place) in calls {
        let words = words.iter().map(|word| word.strip_prefix('*').map_or(word.into(), odd));
        let mut command = Command::new(env!("CARGO_BIN_EXE_shallows"));
        let output = command.args(words.clone()).arg("--json").current_dir(folder.path()).output().unwrap();
        let words: Vec<OsString> = words.collect();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some_and(|code| code < 2), "{words:?}: {error}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = place.iter().fold(&document, |part, key| &part[*key]);
        assert!(place.is_empty() || !found.is_null(), "{words:?}: {document}");
    }
}
