//! What the columns of a table hold, in a line each.

use std::fmt::Write;

use shallows::data::{ColumnContent, ColumnSummary};
use shallows::draw::escaped;

use super::{Page, number, with_minus};
use crate::output::without_idle_zeros;

/// Columns of the table that are described.
const MOST_COLUMNS: usize = 200;

impl Page<'_> {
    /// A row for each column; the target is marked.
    pub(super) fn columns(&self) -> String {
        let (samples, columns) = (&self.outcome.samples, &self.outcome.columns);
        let mut rows = String::new();
        for column in columns.iter().take(MOST_COLUMNS) {
            let chosen = if column.name == samples.target { " class=\"chosen\"" } else { "" };
            let cells = cells(column, samples.table_rows);
            let described = cells.len() == 3;
            let cell = |(at, cell): (usize, &String)| {
                let span = if described && at == 2 { " colspan=\"3\"" } else { "" };
                format!("<td{span}>{}</td>", escaped(cell))
            };
            let _ = writeln!(rows, "<tr{chosen}>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>());
        }
        let more = columns.len().saturating_sub(MOST_COLUMNS);
        let more = if more > 0 { format!(" {more} further columns are not listed.") } else { String::new() };
        format!(
            "<div class=\"wide\"><table>\n<tr><th>column</th><th>missing</th><th>least</th><th>median</th><th>most</th></tr>\n{rows}\
             </table></div>\n<p class=\"soft\">All {} rows of the table; the target is marked.{more}</p>\n",
            samples.table_rows
        )
    }
}

/// Name, gaps, least, median, most; words are described in place of the numbers.
fn cells(column: &ColumnSummary, rows: usize) -> Vec<String> {
    let mut cells = vec![column.name.clone(), column.missing.to_string()];
    match &column.content {
        _ if column.unread > 0 => cells.push(format!("{} cells cannot be read without loss", column.unread)),
        ColumnContent::Numbers { least, median, most } => cells.extend([*least, *median, *most].map(short)),
        ColumnContent::Words { different, frequent, count } => {
            let share = 100.0 * *count as f64 / rows.max(1) as f64;
            cells.push(format!("{different} different words, most often \"{frequent}\" ({share:.0} %)"));
        }
        ColumnContent::Nothing => cells.push("no values".into()),
    }
    cells
}

/// Whole numbers as they are, others with five digits at most.
fn short(x: f64) -> String {
    const EXACT: f64 = 1e9;
    let is_whole = x.fract() == 0.0 && x.abs() < EXACT;
    if is_whole { with_minus(&format!("{x:.0}")) } else { without_idle_zeros(number(x)) }
}
