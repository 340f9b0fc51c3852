//! Virtual environments with pinned packages, made once per list of packages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Result, Runner, command, make_folder, output, said, target, works};

/// The Python of the environment `target/venv/NAME`, which is made if its list of packages is new.
pub fn environment(name: &str, requirements: &Path, run: Runner<'_>) -> Result<PathBuf> {
    let folder = target().join("venv").join(name);
    let python = folder.join("bin").join("python");
    let stamp = folder.join("requirements.txt");
    let wanted = fs::read_to_string(requirements).map_err(|error| said(requirements, error))?;
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    eprintln!("making {} from {} (once)", folder.display(), requirements.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| said(&folder, error))?;
    }
    make_folder(&folder)?;
    require_python(run)?;
    run(command("python3", ["-m", "venv"]).arg(&folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    run(command(&python, install).arg(requirements))?;
    // Last, so that an interrupted installation is not taken for a finished one.
    fs::write(&stamp, wanted).map_err(|error| said(&stamp, error))?;
    Ok(python)
}

/// The same, made anew: what is installed on top of its packages is then nothing old.
pub fn fresh_environment(name: &str, requirements: &Path, run: Runner<'_>) -> Result<PathBuf> {
    let folder = target().join("venv").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| said(&folder, error))?;
    }
    environment(name, requirements, run)
}

/// Make sure that there is a Python that can make environments; Debian ships the two apart.
fn require_python(run: Runner<'_>) -> Result<()> {
    let missing = if !works("python3", &["--version"]) {
        vec!["python3", "python3-venv"]
    } else if !works("python3", &["-c", "import venv, ensurepip"]) {
        vec!["python3-venv"]
    } else {
        return Ok(());
    };
    let is_root = output(&mut command("id", ["-u"])).is_ok_and(|id| id.trim() == "0");
    if !(is_root && works("apt-get", &["--version"])) {
        let names = missing.join(" and ");
        return Err(format!(
            "the Python checks need {names}: install them (on Debian: apt-get install {})",
            missing.join(" ")
        ));
    }
    eprintln!("installing {} with apt-get", missing.join(" "));
    run(&mut command("apt-get", ["update", "-q"]))?;
    let install = ["install", "-q", "-y", "--no-install-recommends"];
    run(command("apt-get", install).args(&missing).env("DEBIAN_FRONTEND", "noninteractive"))?;
    if works("python3", &["-c", "import venv, ensurepip"]) {
        Ok(())
    } else {
        Err("python3 still cannot make virtual environments".into())
    }
}

/// Run a Python program to the end.
pub fn script(python: &Path, path: &Path, run: Runner<'_>, arguments: &[&Path]) -> Result<()> {
    run(command(python, [path]).args(arguments))
}
