//! A published figure again.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::{Value, json};

use crate::draw::Figure;
use crate::error::{Error, RequestProblem, Result};
use crate::file::write_atomically;
use crate::job::words;
use crate::lab::studies::{Drawn, Finding, STUDIES, Study};
use crate::lab::{Specification, Store, Trial, Watch, sweep};

/// A study that was made.
pub struct Made {
    /// Which.
    pub study: &'static Study,
    /// The figure and its numbers.
    pub drawn: Drawn,
    /// Trainings behind it.
    pub trainings: usize,
    /// What it took.
    pub seconds: f64,
    /// What was written.
    pub files: Vec<PathBuf>,
}

/// The study of a name.
pub fn study(name: &str) -> Result<&'static Study> {
    let known = || STUDIES.iter().map(|study| study.name).collect::<Vec<_>>().join(", ");
    let unknown = || Error::Request(RequestProblem::Figure { name: name.to_owned(), known: known() });
    crate::lab::studies::study(name).ok_or_else(unknown)
}

/// The studies there are.
pub fn list() -> Value {
    let entry = |study: &Study| {
        let Study { name, source, shows, published, .. } = study;
        json!({ "name": name, "source": source, "shows": shows, "published": published })
    };
    STUDIES.iter().map(entry).collect()
}

/// Train what is missing, draw, and write to a folder; nothing when it was interrupted. What is in a store is kept.
pub fn make(study: &'static Study, folder: &Path, is_quick: bool, watch: Watch<'_>) -> Result<Option<Made>> {
    let since = Instant::now();
    let mut files = Vec::new();
    let mut sweeps: Vec<(Specification, Vec<Trial>)> = Vec::new();
    for specification in study.specifications(is_quick)? {
        let Some(trials) = trained(&specification, folder, watch, &mut files)? else { return Ok(None) };
        sweeps.push((specification, trials));
    }
    if let Some(settings) = study.settings(is_quick) {
        let path = folder.join(format!("{}.toml", study.name));
        write_atomically(&path, |out| out.write_all(settings.as_bytes()))?;
        files.push(path);
    }
    let Some(drawn) = study.draw(&sweeps, is_quick, watch)? else { return Ok(None) };
    save(folder, study.name, &drawn.figure, &mut files)?;
    let path = folder.join(format!("{}.csv", study.name));
    write_atomically(&path, |out| out.write_all(drawn.table.csv().as_bytes()))?;
    files.push(path);
    let trainings = sweeps.iter().map(|(_, trials)| trials.len()).sum::<usize>() + drawn.trainings;
    Ok(Some(Made { study, drawn, trainings, seconds: since.elapsed().as_secs_f64(), files }))
}

/// All trainings of a sweep; nothing when it was interrupted.
fn trained(
    specification: &Specification,
    folder: &Path,
    watch: Watch<'_>,
    files: &mut Vec<PathBuf>,
) -> Result<Option<Vec<Trial>>> {
    let [text, database] = ["toml", "db"].map(|ending| folder.join(format!("{}.{ending}", specification.name)));
    let mut store = Store::open(&database, specification)?;
    write_atomically(&text, |out| out.write_all(specification.text.as_bytes()))?;
    let progress = sweep(&mut store, watch)?;
    files.extend([text, database]);
    if progress.done < progress.total && watch.interrupted.load(Ordering::SeqCst) {
        return Ok(None);
    }
    Ok(Some(store.trials()?))
}

/// Write a figure as SVG and, where that is built in, as PNG, and note the files.
pub fn save(folder: &Path, name: &str, figure: &Figure, files: &mut Vec<PathBuf>) -> Result<()> {
    let endings: &[&str] = if cfg!(feature = "png") { &["svg", "png"] } else { &["svg"] };
    for ending in endings {
        let path = folder.join(format!("{name}.{ending}"));
        figure.save(&path)?;
        files.push(path);
    }
    Ok(())
}

impl Made {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let finding = |finding: &Finding| {
            json!({
                "what": finding.what, "value": finite(finding.value), "low": finite(finding.low),
                "high": finite(finding.high), "published": finding.published, "gap": finding.is_gap,
            })
        };
        let Made { study, drawn, trainings, seconds, files } = self;
        json!({
            "name": study.name, "source": study.source, "published": study.published,
            "findings": drawn.findings.iter().map(finding).collect::<Vec<_>>(),
            "trainings": trainings, "seconds": seconds, "files": files.iter().map(words::path).collect::<Vec<_>>(),
        })
    }
}
