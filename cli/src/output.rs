//! Data on standard output, words on standard error.

use std::io::{self, Write};
use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

pub use shallows::account::words::{brief, number, without_idle_zeros};
use shallows::error::Error;

use crate::Common;
use crate::failure::Failure;

/// Refuse, before the work is done, a destination that could not be written or that would replace the input.
pub fn check_destination(path: &Path, input: &Path) -> Result<(), Failure> {
    check_destination_of("-o", path, input)
}

/// [`check_destination`] of a verb that names its output by another option.
pub fn check_destination_of(option: &str, path: &Path, input: &Path) -> Result<(), Failure> {
    let shown = path.display();
    if path.canonicalize().is_ok_and(|path| path.is_file() && input.canonicalize().is_ok_and(|input| input == path)) {
        let message = format!("{shown}: the output would replace the input");
        return Err(Failure::with_hint(message, format!("name another file with {option} FILE")));
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => Err(Failure::with_hint(
            format!("{shown}: there is no folder {}", folder.display()),
            "make the folder first, or name another",
        )),
        _ if path.is_dir() => Err(Failure::with_hint(format!("{shown}: this is a folder"), "name a file in it")),
        _ => Ok(()),
    }
}

/// Make a folder for figures, or say that it cannot be.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    if folder.exists() && !folder.is_dir() {
        let message = format!("{}: this is a file", folder.display());
        return Err(Failure::with_hint(message, "-o names a folder for several figures"));
    }
    std::fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.to_owned(), source }.into())
}

/// Print text or bytes to standard output.
pub fn bytes(text: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(())
}

/// Print one JSON document to standard output.
pub fn json(document: &serde_json::Value) -> Result<(), Failure> {
    bytes(format!("{document:#}\n").as_bytes())
}

/// A remark on standard error.
pub fn remark(common: &Common, words: &str) {
    if !common.quiet {
        eprintln!("{words}");
    }
}

/// Rows that nothing can be learned from or checked on.
pub fn left_out(rows: usize, target: &str) -> String {
    let rows = if rows == 1 { "1 row".into() } else { format!("{rows} rows") };
    format!("{rows} without {} left out", shallows::error::excerpt(target))
}

/// A name from a table, without codes that a terminal would obey.
pub fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A plain table; columns after the first are numbers.
pub fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().copied());
    table.add_rows(rows);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if at == 0 { 2 } else { 3 }, 0));
        column.set_cell_alignment(if at == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.trim_fmt()
}

/// Text broken at spaces into lines of about 118 characters; all but the first are indented.
pub fn wrapped(text: &str, indent: usize) -> String {
    const WIDTH: usize = 118;
    let mut lines = vec![String::new()];
    let mut used = indent;
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if used + length > WIDTH {
            lines.push(" ".repeat(indent));
            used = indent;
        } else if used > indent {
            lines.iter_mut().last().into_iter().for_each(|line| line.push(' '));
        }
        lines.iter_mut().last().into_iter().for_each(|line| line.push_str(word));
        used += length;
    }
    lines.join("\n")
}
