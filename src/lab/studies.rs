//! The published figures, and some that were not: each a [`Study`] with its sweeps, its drawing and its numbers.
//!
//! A study is a list of specifications (the TOML files beside this one) and of readings: which rule of success, counted how,
//! against what; or it is made of runs that no sweep can make, with settings in a TOML file of its own. `# quick: VALUE`
//! behind a key is its value in the quick version. What was published is drawn in, dashed, and so is theory; what is
//! found has an interval.
//!
//! | file | what is there |
//! |---|---|
//! | `catalogue.rs`, `followed.rs` | the studies: of sweeps, and of runs |
//! | `curves.rs` | success along a size or an expression |
//! | `maps.rs` | success over k and d |
//! | `errors.rs` | what is left of the error |
//! | `starts.rs` | starts below the barrier, and the barrier itself |
//! | `local.rs` | the rate near a planted network, and from how far it attracts |
//! | `path.rs` | how far descent goes |
//! | `plain.rs`, `hermite.rs`, `landscape.rs` | the three objectives of Ge, Lee and Ma |
//! | `fresh.rs`, `runs.rs` | fresh samples; what figures of runs share |
//! | `parts.rs` | what plots share |

mod catalogue;
mod followed;
mod fresh_samples;
mod glm_1;
mod glm_2;
mod glm_3;
mod os_path;
mod remaining_errors;
mod sjl_local;
mod starts;
mod study_runs;
mod success_curves;
mod success_map;
mod threshold_marks;

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::Ordering;

use super::record::Trial;
use super::specification::Specification;
use super::sweep::Watch;
use crate::draw::Figure;
use crate::error::{Error, Result};

pub use catalogue::STUDIES;
pub use threshold_marks::{fitted, mark, upright};

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
    Curves(success_curves::Curves),
    Map(success_map::Map),
    Errors(remaining_errors::Errors),
    Runs(study_runs::Runs),
}

/// A figure with its numbers.
pub struct Drawn {
    /// The picture.
    pub figure: Figure,
    /// What is behind it.
    pub table: Table,
    /// What it says.
    pub findings: Vec<Finding>,
    /// Trainings that were made for it besides those of its sweeps.
    pub trainings: usize,
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
            Plan::Runs(_) => vec![],
        }
    }

    /// The settings of its runs, a TOML file, where it is made of runs rather than of sweeps.
    pub fn settings(&self, is_quick: bool) -> Option<String> {
        match &self.plan {
            Plan::Runs(runs) => Some(if is_quick { quick(runs.text) } else { full(runs.text) }),
            _ => None,
        }
    }

    /// Draw what its sweeps have found, of each its specification and its trainings; or make its runs and draw those.
    /// Nothing when it was interrupted: runs are not kept.
    ///
    /// # Errors
    /// When a number of the study makes no sense.
    pub fn draw(
        &self,
        sweeps: &[(Specification, Vec<Trial>)],
        is_quick: bool,
        watch: Watch<'_>,
    ) -> Result<Option<Drawn>> {
        let drawn = match &self.plan {
            Plan::Curves(curves) => curves.draw(sweeps),
            Plan::Map(map) => map.draw(sweeps),
            Plan::Errors(errors) => errors.draw(sweeps),
            Plan::Runs(_) => return self.draw_from(&self.settings(is_quick).unwrap_or_default(), watch),
        };
        drawn.map(Some)
    }

    /// Make runs with settings like those of [`Study::settings`] and draw them; nothing when it was interrupted.
    ///
    /// # Errors
    /// When the study is not made of runs, or the settings are not such settings.
    pub fn draw_from(&self, settings: &str, watch: Watch<'_>) -> Result<Option<Drawn>> {
        let Plan::Runs(runs) = &self.plan else {
            let (name, requirement) = ("the study", "one that is made of runs");
            return Err(Error::Parameter { name, requirement, value: self.name.to_owned() });
        };
        let drawn = (runs.draw)(settings, watch);
        Ok(if watch.interrupted.load(Ordering::SeqCst) { None } else { Some(drawn?) })
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
