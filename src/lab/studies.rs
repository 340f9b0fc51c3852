//! The published figures, and some that were not: each a [`Study`] with its sweeps, its drawing and its numbers.
//!
//! A study has one file, named by its id. It is a list of specifications (the TOML files beside it) and of readings: which
//! rule of success, counted how, against what; or it is made of runs that no sweep can make, with settings in a TOML file
//! of its own. The table `[quick]` of such a file holds the values of the quick version. What was published is drawn in,
//! dashed, and so is theory; what is found has an interval.
//!
//! | file | what is there |
//! |---|---|
//! | `sjl_2a.rs` … `sjl_4b.rs`, `os_2a.rs` … `os_collapse.rs`, `identifiability.rs` | studies of sweeps |
//! | `sjl_local.rs`, `os_path.rs`, `glm_1.rs`, `glm_2.rs`, `glm_3.rs`, `safe_start.rs`, `barrier.rs` | studies of runs |
//! | `success_curves.rs` | how sweeps are drawn: success along a size or an expression |
//! | `success_map.rs` | success over k and d |
//! | `remaining_errors.rs` | what is left of the error |
//! | `study_runs.rs` | how runs are made: settings, progress, times of observation |
//! | `fresh_samples.rs` | stochastic descent on fresh samples |
//! | `threshold_marks.rs` | shares and thresholds as marks of a plot |

mod barrier;
mod fresh_samples;
mod glm_1;
mod glm_2;
mod glm_3;
mod identifiability;
mod os_2_relu;
mod os_2a;
mod os_2b;
mod os_collapse;
mod os_path;
mod remaining_errors;
mod safe_start;
mod sjl_2a;
mod sjl_2b;
mod sjl_3a;
mod sjl_3b;
mod sjl_4a;
mod sjl_4b;
mod sjl_local;
mod study_runs;
mod success_curves;
mod success_map;
mod threshold_marks;

use std::fmt::Write;
use std::path::Path;

use super::specification::{Extent, Specification};
use super::trial::Trial;
use crate::draw::Figure;
use crate::error::{Error, Result};
use crate::watch::Watch;

pub(crate) use threshold_marks::{fitted, mark, upright};

/// All studies, in the order of their publications.
pub const STUDIES: &[Study] = &[
    sjl_2a::STUDY,
    sjl_2b::STUDY,
    sjl_3a::STUDY,
    sjl_3b::STUDY,
    sjl_4a::STUDY,
    sjl_4b::STUDY,
    sjl_local::STUDY,
    os_2a::STUDY,
    os_2b::STUDY,
    os_2_relu::STUDY,
    os_collapse::STUDY,
    os_path::STUDY,
    glm_1::STUDY,
    glm_2::STUDY,
    glm_3::STUDY,
    identifiability::STUDY,
    safe_start::STUDY,
    barrier::STUDY,
];

/// A figure: what it shows, what was published, how ours is made. [`study`] shows its use.
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
    layout: StudyLayout,
}

/// How a study is drawn.
enum StudyLayout {
    Curves(success_curves::Curves),
    Map(success_map::Map),
    Errors(remaining_errors::Errors),
    Runs(study_runs::Runs),
}

/// A figure with its numbers. [`study`] shows its use.
pub struct Drawn {
    /// The picture.
    pub figure: Figure,
    /// What is behind it.
    pub table: StudyTable,
    /// What it says.
    pub findings: Vec<StudyFinding>,
    /// Runs that were made for it besides those of its sweeps.
    pub runs: usize,
}

/// Numbers, each row with a name. [`study`] shows its use.
pub struct StudyTable {
    /// The names of the columns; the first is that of the names of the rows.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<(String, Vec<f64>)>,
}

/// A number with its interval. [`study`] shows its use.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyFinding {
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
    pub fn specifications(&self, extent: Extent) -> Result<Vec<Specification>> {
        let path = format!("{}.toml", self.name);
        let parse = |text: &&str| Specification::parse(text, Path::new(&path))?.at_extent(extent, Path::new(&path));
        self.texts().iter().map(parse).collect()
    }

    fn texts(&self) -> Vec<&'static str> {
        match &self.layout {
            StudyLayout::Curves(curves) => curves.sweeps.to_vec(),
            StudyLayout::Map(map) => map.sweeps.to_vec(),
            StudyLayout::Errors(errors) => vec![errors.sweep],
            StudyLayout::Runs(_) => vec![],
        }
    }

    /// The settings of its runs, a TOML file, where it is made of runs rather than of sweeps.
    ///
    /// # Errors
    /// When the table `[quick]` of the settings is not one.
    pub fn settings(&self, extent: Extent) -> Result<Option<String>> {
        match &self.layout {
            StudyLayout::Runs(runs) => study_runs::settings_text(runs.text, extent).map(Some),
            _ => Ok(None),
        }
    }

    /// Draw what its sweeps have found, of each its specification and its runs; or make its runs and draw those.
    /// Nothing when it was interrupted: runs are not kept.
    ///
    /// # Errors
    /// When a number of the study makes no sense.
    pub fn draw(
        &self,
        sweeps: &[(Specification, Vec<Trial>)],
        extent: Extent,
        watch: Watch<'_>,
    ) -> Result<Option<Drawn>> {
        let drawn = match &self.layout {
            StudyLayout::Curves(curves) => curves.draw(sweeps),
            StudyLayout::Map(map) => map.draw(sweeps),
            StudyLayout::Errors(errors) => errors.draw(sweeps),
            StudyLayout::Runs(runs) => return self.draw_from(&study_runs::settings_text(runs.text, extent)?, watch),
        };
        drawn.map(Some)
    }

    /// Make runs with settings like those of [`Study::settings`] and draw them; nothing when it was interrupted.
    ///
    /// # Errors
    /// When the study is not made of runs, or the settings are not such settings.
    pub fn draw_from(&self, settings: &str, watch: Watch<'_>) -> Result<Option<Drawn>> {
        let StudyLayout::Runs(runs) = &self.layout else {
            return Err(Error::unsuitable("the study", "one that is made of runs", self.name));
        };
        let drawn = (runs.draw)(settings, watch);
        Ok(if watch.is_over() { None } else { Some(drawn?) })
    }
}

/// The study of a name.
///
/// ```
/// use shallows::lab::Extent;
/// use shallows::lab::studies::study;
///
/// let study = study("sjl-2a").expect("a study of this name");
/// println!("{}: {}", study.source, study.shows);
/// // The quick version is the same experiment with fewer runs.
/// let runs = |extent| study.specifications(extent).map(|all| all.iter().map(|one| one.total()).sum::<usize>());
/// assert!(runs(Extent::Quick)? < runs(Extent::Full)?);
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn study(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|study| study.name == name)
}

impl StudyTable {
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

impl StudyFinding {
    /// A number without an interval.
    fn exact(what: impl Into<String>, value: f64) -> Self {
        StudyFinding { what: what.into(), value, low: value, high: value, published: None, is_gap: false }
    }
}
