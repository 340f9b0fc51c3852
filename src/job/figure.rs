//! `figure`: a published figure, reproduced with intervals.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::{Error, RequestProblem, Result};
use crate::file::{make_folder, write_atomically};
use crate::job::words;
use crate::lab::studies::{Drawn, STUDIES, Study, StudyFinding};
use crate::lab::{Extent, Specification, StoreWriter, Trial, sweep};
use crate::watch::Watch;

/// A study, how much of it is run, and where its files go.
///
/// ```no_run
/// use shallows::job::figure::{FigureJob, study};
/// use shallows::lab::Extent;
/// use shallows::watch::Watch;
///
/// let job = FigureJob { study: study("sjl-2a")?, folder: "figures-quick".into(), extent: Extent::Quick };
/// if let Some(outcome) = job.run(Watch::silent())? {
///     println!("{}", outcome.document());
/// }
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone)]
pub struct FigureJob {
    /// Which.
    pub study: &'static Study,
    /// Where its files go; made where it is missing.
    pub folder: PathBuf,
    /// All of it, or its quick version.
    pub extent: Extent,
}

/// A study that was made. [`FigureJob`] shows its use.
pub struct FigureOutcome {
    /// Which.
    pub study: &'static Study,
    /// The figure and its numbers.
    pub drawn: Drawn,
    /// Runs behind it.
    pub runs: usize,
    /// How long it took.
    pub seconds: f64,
    /// What was written.
    pub files: Vec<PathBuf>,
}

/// The study of a name.
///
/// # Errors
/// When there is none of this name; the error lists the names.
///
/// ```
/// use shallows::job::figure::study;
///
/// assert_eq!(study("sjl-2a")?.name, "sjl-2a");
/// assert!(study("no-such-study").is_err());
/// # Ok::<(), shallows::Error>(())
/// ```
pub fn study(name: &str) -> Result<&'static Study> {
    let known = || STUDIES.iter().map(|study| study.name).collect::<Vec<_>>().join(", ");
    let unknown = || Error::Request(RequestProblem::Figure { name: name.to_owned(), known: known() });
    crate::lab::studies::study(name).ok_or_else(unknown)
}

/// All studies, as a script reads them.
///
/// ```
/// let list = shallows::job::figure::list_document();
/// assert!(list.to_string().contains("sjl-2a"));
/// ```
pub fn list_document() -> Value {
    let entry = |study: &Study| {
        let Study { name, source, shows, published, .. } = study;
        json!({ "name": name, "source": source, "shows": shows, "published": published })
    };
    STUDIES.iter().map(entry).collect()
}

impl FigureJob {
    /// Make the runs that are missing, draw, and write; nothing when it was interrupted. What is in a store is kept.
    ///
    /// # Errors
    /// When a store or a file cannot be written.
    pub fn run(&self, watch: Watch<'_>) -> Result<Option<FigureOutcome>> {
        let since = Instant::now();
        let FigureJob { study, folder, extent } = self;
        make_folder(folder)?;
        let mut files = Vec::new();
        let mut sweeps: Vec<(Specification, Vec<Trial>)> = Vec::new();
        for specification in study.specifications(*extent)? {
            let Some(trials) = self.swept(&specification, watch, &mut files)? else { return Ok(None) };
            sweeps.push((specification, trials));
        }
        if let Some(settings) = study.settings(*extent)? {
            files.push(self.write("toml", &settings)?);
        }
        let Some(drawn) = study.draw(&sweeps, *extent, watch)? else { return Ok(None) };
        files.extend(drawn.figure.save_in(folder, study.name)?);
        files.push(self.write("csv", &drawn.table.csv())?);
        let runs = sweeps.iter().map(|(_, trials)| trials.len()).sum::<usize>() + drawn.runs;
        Ok(Some(FigureOutcome { study, drawn, runs, seconds: since.elapsed().as_secs_f64(), files }))
    }

    /// Write a file of the study.
    fn write(&self, ending: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(format!("{}.{ending}", self.study.name));
        write_atomically(&path, |out| out.write_all(text.as_bytes()))?;
        Ok(path)
    }

    /// All runs of a sweep; nothing when it was interrupted.
    fn swept(
        &self,
        specification: &Specification,
        watch: Watch<'_>,
        files: &mut Vec<PathBuf>,
    ) -> Result<Option<Vec<Trial>>> {
        let place = |ending: &str| self.folder.join(format!("{}.{ending}", specification.name));
        let (text, database) = (place("toml"), place("db"));
        let mut store = StoreWriter::open(&database, specification)?;
        write_atomically(&text, |out| out.write_all(specification.text.as_bytes()))?;
        let progress = sweep(&mut store, watch)?;
        files.extend([text, database]);
        if progress.done < progress.total && watch.is_over() {
            return Ok(None);
        }
        Ok(Some(store.reader().trials()?))
    }
}

impl FigureOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let finding = |finding: &StudyFinding| {
            json!({
                "what": finding.what, "value": finite(finding.value), "low": finite(finding.low),
                "high": finite(finding.high), "published": finding.published, "gap": finding.is_gap,
            })
        };
        let FigureOutcome { study, drawn, runs, seconds, files } = self;
        json!({
            "name": study.name, "source": study.source, "published": study.published,
            "findings": drawn.findings.iter().map(finding).collect::<Vec<_>>(),
            "trainings": runs, "seconds": seconds, "files": files.iter().map(words::path).collect::<Vec<_>>(),
        })
    }
}
