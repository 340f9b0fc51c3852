//! Folders and processes.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a chore gives, or why it failed, in words.
pub type Result<T> = std::result::Result<T, String>;

/// How the steps of a chore are run: with their output in a log, or seen by whoever waits.
pub type Runner<'a> = &'a dyn Fn(&mut Command) -> Result<()>;

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    here.and_then(|xtask| xtask.parent().map(Path::to_owned)).unwrap_or_else(|| PathBuf::from("."))
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    let chosen = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(chosen.unwrap_or_else(|| "target".into()))
}

/// A program to be run in the root of the repository.
pub fn command<S: AsRef<OsStr>>(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// The cargo that runs us.
pub fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Run to the end with all output appended to a file.
pub fn run_logged(command: &mut Command, log: &Path) -> Result<()> {
    let file = File::options().create(true).append(true).open(log).map_err(|error| said(log, error))?;
    let second = file.try_clone().map_err(|error| said(log, error))?;
    finish(command.stdin(Stdio::null()).stdout(file).stderr(second))
}

/// Run to the end; what it writes goes where ours goes.
pub fn finish(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|error| format!("{}: {error}", words(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` ended with {status}", words(command))) }
}

/// Run to the end and give back what it wrote to standard output.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("{}: {error}", words(command)))?;
    if !output.status.success() {
        return Err(format!("`{}` ended with {}", words(command), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// True when the program exists and this call of it succeeds.
pub fn works(program: &str, arguments: &[&str]) -> bool {
    let quiet =
        |command: &mut Command| command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet(&mut command(program, arguments)).is_ok_and(|status| status.success())
}

/// Make a folder and those above it.
pub fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| said(path, error))
}

/// What the system said about a file.
pub fn said(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// The files of a folder with such names, in order; none when there is no folder.
pub fn files(folder: &Path, start: &str, end: &str) -> Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(vec![]);
    }
    let entries = fs::read_dir(folder).map_err(|error| said(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok()).map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(start) && name.ends_with(end)
    });
    paths.sort();
    Ok(paths)
}

fn words(command: &Command) -> String {
    let all: Vec<_> =
        [command.get_program()].into_iter().chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    all.join(" ")
}
