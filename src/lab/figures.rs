//! The published figures, and some that were not: each a [`Study`] with its sweeps, its drawing and its numbers.
//!
//! A study is a list of specifications (the TOML files beside this one) and of readings: which rule of success, counted how,
//! against what. `# quick: VALUE` behind a key is its value in the quick version. What was published is drawn in, dashed, and
//! so is theory; what is found has an interval.
//!
//! | file | what is there |
//! |---|---|
//! | `catalogue.rs` | the studies |
//! | `curves.rs` | success along a size or an expression |
//! | `maps.rs` | success over k and d |
//! | `errors.rs` | what is left of the error |
//! | `starts.rs` | starts below the barrier, and the barrier itself |
//! | `parts.rs` | what plots share |

mod catalogue;
mod curves;
mod errors;
mod maps;
mod parts;
mod starts;

use std::fmt::Write;
use std::path::Path;

use super::record::Trial;
use super::specification::Specification;
use crate::error::Result;
use crate::figure::Figure;

pub use catalogue::STUDIES;
pub use parts::{fitted, mark, upright};

/// A figure: what it shows, what was published, how ours is made.
pub struct Study {
    /// On the command line and in file names.
    pub name: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What it shows, in one line.
    pub shows: &'static str,
    /// The published number, in words.
    pub published: &'static str,
    /// How it is made, in sentences.
    pub protocol: &'static str,
    /// Why ours differs, in sentences.
    pub reasons: &'static str,
    plan: Plan,
}

/// How a study is drawn.
enum Plan {
    Curves(curves::Curves),
    Map(maps::Map),
    Errors(errors::Errors),
    SafeStart,
    Barrier,
}

/// A figure with its numbers.
pub struct Drawn {
    /// The picture.
    pub figure: Figure,
    /// What is behind it.
    pub table: Table,
    /// What it says.
    pub findings: Vec<Finding>,
}

/// Numbers, each row with a name.
pub struct Table {
    /// The names of the columns; the first is that of the names of the rows.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<(String, Vec<f64>)>,
}

/// A number with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub what: String,
    /// The number.
    pub value: f64,
    /// Lower end of its 95 % interval; may be infinite.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What was published.
    pub published: Option<f64>,
    /// Whether the interval is a gap without trials between failures and successes.
    pub is_gap: bool,
}

impl Study {
    /// The specifications of its sweeps; the name of each is that of its files.
    pub fn specifications(&self, is_quick: bool) -> Result<Vec<Specification>> {
        let parse = |text: &&str| {
            let text = if is_quick { quick(text) } else { full(text) };
            Specification::parse(&text, Path::new(&format!("{}.toml", self.name)))
        };
        self.texts().iter().map(parse).collect()
    }

    fn texts(&self) -> Vec<&'static str> {
        match &self.plan {
            Plan::Curves(curves) => curves.sweeps.to_vec(),
            Plan::Map(map) => map.sweeps.to_vec(),
            Plan::Errors(errors) => vec![errors.sweep],
            Plan::SafeStart | Plan::Barrier => vec![],
        }
    }

    /// Draw what its sweeps have found: of each its specification and its trainings.
    ///
    /// # Errors
    /// When a number of the study makes no sense.
    pub fn draw(&self, sweeps: &[(Specification, Vec<Trial>)], is_quick: bool) -> Result<Drawn> {
        match &self.plan {
            Plan::Curves(curves) => curves.draw(sweeps),
            Plan::Map(map) => map.draw(sweeps),
            Plan::Errors(errors) => errors.draw(sweeps),
            Plan::SafeStart => starts::safe_start(is_quick),
            Plan::Barrier => starts::barrier(is_quick),
        }
    }
}

/// The study of a name.
pub fn study(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|study| study.name == name)
}

const QUICK: &str = "  # quick: ";

/// The text with the values of the quick version.
fn quick(text: &str) -> String {
    let line = |line: &str| match (line.split_once(QUICK), line.split_once(" = ")) {
        (Some((_, value)), Some((key, _))) => format!("{key} = {value}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The text without them.
fn full(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.split_once(QUICK).map_or(line, |(full, _)| full))).collect()
}

impl Table {
    /// As CSV; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut out = format!("{}\n", self.columns.join(","));
        for (name, numbers) in &self.rows {
            let _ = write!(out, "\"{}\"", name.replace('"', "\"\""));
            for x in numbers {
                let _ = if x.is_nan() { write!(out, ",") } else { write!(out, ",{x}") };
            }
            out.push('\n');
        }
        out
    }
}

impl Finding {
    /// A number without an interval.
    fn exact(what: impl Into<String>, value: f64) -> Self {
        Finding { what: what.into(), value, low: value, high: value, published: None, is_gap: false }
    }
}
