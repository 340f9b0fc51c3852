//! `cargo xtask bench certificates` and `zoo`: on how many of the tables that packages bundle the global optimum is proved, and how
//! well rows of them that were held out are predicted.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::on_threads;
use crate::python;
use crate::run::{Result, command, finish, root, said};

/// Build the program, and let the script of this work fit the tables with it; what it measured.
pub fn run(work: &str, folder: &Path, threads: usize, quick: bool) -> Result<Value> {
    let requirements = root().join("benches").join("certificates.txt");
    // Only the data of the packages are wanted: ISLP alone would bring PyTorch and Lightning with it.
    let python =
        python::environment("bench-certificates", &requirements, &|step| finish(step.env("PIP_NO_DEPS", "1")))?;
    let program = super::built_program()?;
    let mut script = command(&python, [root().join("benches").join(format!("{work}.py"))]);
    script.arg(&program).arg(folder);
    if quick {
        script.arg("--quick");
    }
    finish(on_threads(&mut script, threads))?;
    let results = folder.join("results.json");
    let text = fs::read_to_string(&results).map_err(|error| said(&results, error))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", results.display()))
}
