//! Data on standard output, words on standard error.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

pub use shallows::job::words::{brief, number, without_idle_zeros};

use crate::GlobalArgs;
use crate::failure::Failure;

/// How pages of HTML look.
pub const PAGE_STYLE: &str = include_str!("page.css");

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
pub fn remark(common: &GlobalArgs, words: &str) {
    if !common.quiet {
        eprintln!("{words}");
    }
}

/// A name from a table, without codes that a terminal would obey.
pub fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// "1 unit", "2 units".
pub fn units(count: usize) -> String {
    format!("{count} {}", if count == 1 { "unit" } else { "units" })
}

/// R² with so many decimals, or "–" where the target does not vary; one that is far below zero in few digits.
pub fn r2_words(r2: Option<f64>, decimals: usize) -> String {
    const FAR_BELOW: f64 = -100.0;
    match r2 {
        None => "–".into(),
        Some(r2) if r2 > FAR_BELOW => format!("{r2:.decimals$}"),
        Some(r2) => number(r2),
    }
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
