//! What the tests of the command share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Run the binary in a folder.
pub fn shallows(folder: &TempDir, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shallows"))
        .args(arguments.split_whitespace())
        .current_dir(folder.path())
        .output()
        .unwrap()
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Standard output of a command that must succeed.
#[track_caller]
pub fn succeeds(folder: &TempDir, arguments: &str) -> String {
    let output = shallows(folder, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "shallows {arguments}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Status 2, nothing on standard output, one line `error: …` and perhaps one line `hint: …`.
#[track_caller]
pub fn fails(folder: &TempDir, arguments: &str) -> String {
    let output = shallows(folder, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "shallows {arguments}: {error}");
    assert!(output.stdout.is_empty(), "shallows {arguments} printed data");
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("error: ") && lines.len() <= 2, "shallows {arguments}: {error}");
    assert!(lines.len() < 2 || lines[1].starts_with("hint: "), "shallows {arguments}: {error}");
    error
}

/// What a command that must succeed says with `--json`, which is among its arguments.
#[track_caller]
pub fn json(folder: &TempDir, arguments: &str) -> Value {
    parsed(&succeeds(folder, arguments))
}

/// A document.
#[track_caller]
pub fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The verdict of a theorem among the certificates of a document.
#[track_caller]
pub fn verdict<'a>(document: &'a Value, theorem: &str) -> &'a str {
    let all = document["certificates"].as_array().unwrap();
    all.iter().find(|one| one["theorem"] == theorem).unwrap()["verdict"].as_str().unwrap()
}
