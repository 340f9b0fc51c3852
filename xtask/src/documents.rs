//! The shell blocks of the documents, run as a reader would run them.
//!
//! A block that opens with ```` ```sh ```` is run, all blocks of a document one after another in one scratch folder that
//! holds `examples/`, with the built command in the path; a command that fails is an error. A block that cannot be run
//! in a test opens with ```` ```sh no-run REASON ````. Transcripts open with ```` ```console ```` and are not run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Result, Runner, command, make_folder, root, said};

/// A shell block of a document.
#[derive(Debug, PartialEq)]
struct ShellBlock {
    /// Of its first command, as editors count.
    line: usize,
    /// What is typed.
    commands: String,
}

/// Run the shell blocks of a document with the program that lies in `folder`.
pub fn run_blocks(document: &Path, program_folder: &Path, scratch: &Path, run: Runner<'_>) -> Result<()> {
    let text = fs::read_to_string(document).map_err(|error| said(document, error))?;
    let name = document.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = scratch.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| said(&folder, error))?;
    }
    copy_tree(&root().join("examples"), &folder.join("examples"))?;
    let path = path_with(program_folder)?;
    for ShellBlock { line, commands } in blocks(&text).map_err(|reason| format!("{name} {reason}"))? {
        let mut shell = command("sh", ["-e", "-x", "-c", &commands]);
        run(shell.current_dir(&folder).env("PATH", &path))
            .map_err(|_| format!("{name} line {line}: a command fails"))?;
    }
    Ok(())
}

/// The blocks that are to be run; one that is not must say why.
fn blocks(text: &str) -> Result<Vec<ShellBlock>> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        match info.split(' ').collect::<Vec<_>>()[..] {
            ["sh"] => found.push(ShellBlock { line: at + 2, commands: inside.join("\n") }),
            ["sh", "no-run", _, ..] => {}
            ["sh", ..] | [""] => {
                return Err(format!("line {}: a block is ```sh, or ```sh no-run with a reason", at + 1));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The search path with a folder before all others.
fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let others = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = [folder.to_owned()].into_iter().chain(env::split_paths(&others)).collect();
    env::join_paths(folders).map_err(|error| error.to_string())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    make_folder(to)?;
    for entry in fs::read_dir(from).map_err(|error| said(from, error))? {
        let path = entry.map_err(|error| said(from, error))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_tree(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(|error| said(&path, error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_blocks_are_found_and_others_left_alone() {
        let text = "a\n```sh\nls\npwd\n```\n```console\n$ rm -r /\n```\n```sh no-run too long\nsleep 9\n```\n";
        assert_eq!(blocks(text), Ok(vec![ShellBlock { line: 3, commands: "ls\npwd".into() }]));
    }

    #[test]
    fn a_block_that_is_not_run_says_why_and_every_block_says_what_it_is() {
        assert!(blocks("```sh no-run\nsleep 9\n```\n").is_err());
        assert!(blocks("```\nls\n```\n").is_err());
    }
}
