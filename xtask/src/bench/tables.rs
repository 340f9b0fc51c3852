//! `cargo xtask bench tables`: accuracy and time of the automatic fit on public tables.

use std::fs;
use std::path::Path;

use super::on_threads;
use crate::run::{Result, command, finish, root, said};

/// Build the program, and let the script run it and the peers on the same splits.
pub fn run(python: &Path, folder: &Path, threads: usize, quick: bool) -> Result<()> {
    let program = super::built_program()?;
    forget_older_results(folder, &program)?;
    let mut script = command(python, [root().join("benches").join("tables.py")]);
    script.arg(&program).arg(folder);
    if quick {
        script.args(["--splits", "2", "--methods", "wide,quick,normal,mlp,polynomial,boosting"]);
    }
    finish(on_threads(&mut script, threads))
}

/// Results of another build are not this one's.
fn forget_older_results(folder: &Path, program: &Path) -> Result<()> {
    let results = folder.join("results.jsonl");
    let changed =
        |path: &Path| fs::metadata(path).and_then(|about| about.modified()).map_err(|error| said(path, error));
    if results.exists() && changed(&results)? < changed(program)? {
        fs::remove_file(&results).map_err(|error| said(&results, error))?;
    }
    Ok(())
}
