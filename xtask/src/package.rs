//! The Python package as a wheel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, Runner, command, files, said, target};

/// Build the wheel with a profile of cargo, and install it in the environment of this Python.
pub fn install(python: &Path, profile: &str, run: Runner<'_>) -> Result<()> {
    let wheels = target().join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| said(&wheels, error))?;
    }
    let build = ["-m", "maturin", "build", "--profile", profile, "--out"];
    run(with_cargo(command(python, build).arg(&wheels).arg("--target-dir").arg(target())))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall"];
    run(command(python, install).args(files(&wheels, "shallows-", ".whl")?))
}

/// A program that calls cargo finds ours.
fn with_cargo(command: &mut Command) -> &mut Command {
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let folder = cargo.as_deref().and_then(Path::parent).map(Path::to_owned);
    let known = std::env::var_os("PATH").unwrap_or_default();
    let all = folder.into_iter().chain(std::env::split_paths(&known));
    match std::env::join_paths(all) {
        Ok(path) => command.env("PATH", path),
        Err(_) => command,
    }
}
