//! What the tests of the command share.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
