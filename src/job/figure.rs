//! `figure`: published figures, reproduced with intervals.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::{Error, RequestProblem, Result};
use crate::file::{Destinations, FileRole, make_folder, write_atomically};
use crate::job::words;
use crate::lab::studies::{Drawn, STUDIES, Study, StudyFinding};
use crate::lab::{Extent, Specification, StoreWriter, Trial, sweep};
use crate::watch::Watch;

/// Studies, how much of them is run, and where their files go.
///
/// ```no_run
/// use shallows::job::figure::{FigureJob, study};
/// use shallows::lab::Extent;
/// use shallows::watch::Watch;
///
/// let job = FigureJob { studies: vec![study("sjl-2a")?], extent: Extent::Quick, ..FigureJob::default() };
/// let outcome = job.run(Watch::silent())?;
/// if outcome.is_complete {
///     println!("{}", outcome.document());
/// }
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone)]
pub struct FigureJob {
    /// Which.
    pub studies: Vec<&'static Study>,
    /// Where their files go; made where it is missing. A folder in the current one when `None`.
    pub folder: Option<PathBuf>,
    /// All of them, or their quick versions.
    pub extent: Extent,
    /// Whether there is to be a page about all of them, which is left to whoever tells the outcome.
    pub page: bool,
}

/// Studies of which some may be made already. [`FigureJob`] shows its use.
pub struct BegunFigures {
    left: VecDeque<&'static Study>,
    folder: PathBuf,
    extent: Extent,
    page: Option<PathBuf>,
    made: Vec<MadeFigure>,
}

/// The studies that were made. [`FigureJob`] shows its use.
pub struct FigureOutcome {
    /// In the order in which they were asked for.
    pub figures: Vec<MadeFigure>,
    /// All of them, or their quick versions.
    pub extent: Extent,
    /// Where the page about them goes, where one was asked for.
    pub page: Option<PathBuf>,
    /// Whether all were made; otherwise it was interrupted, and what is in a store is kept.
    pub is_complete: bool,
}

/// A study that was made. [`FigureJob`] shows its use.
pub struct MadeFigure {
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

impl Default for FigureJob {
    /// All studies, with a page about them.
    fn default() -> Self {
        FigureJob { studies: STUDIES.iter().collect(), folder: None, extent: Extent::Full, page: true }
    }
}

impl FigureJob {
    /// Make the runs that are missing, draw, and write. What is in a store when it is interrupted is kept.
    ///
    /// # Errors
    /// When a store or a file cannot be written.
    pub fn run(self, watch: Watch<'_>) -> Result<FigureOutcome> {
        let mut begun = self.begin()?;
        while begun.make_next(watch)?.is_some() {}
        Ok(begun.finish())
    }

    /// Plan the files, so that each figure can be told of when it is made.
    ///
    /// # Errors
    /// When the folder cannot be one.
    pub fn begin(self) -> Result<BegunFigures> {
        let folder = self.folder_path();
        Destinations::default().may_fill(FileRole::Figures, Some(&folder)).check()?;
        let page = self.page.then(|| folder.join("index.html"));
        Ok(BegunFigures { left: self.studies.into(), folder, extent: self.extent, page, made: vec![] })
    }

    /// Where the files go. Stores of the quick and of the full version are not the same, and neither are their folders.
    pub fn folder_path(&self) -> PathBuf {
        let usual = match self.extent {
            Extent::Full => "figures",
            Extent::Quick => "figures-quick",
        };
        self.folder.clone().unwrap_or_else(|| usual.into())
    }
}

impl BegunFigures {
    /// The study whose turn it is; nothing when all are made.
    pub fn next_study(&self) -> Option<&'static Study> {
        self.left.front().copied()
    }

    /// Make it; nothing when all are made, or when it was interrupted.
    ///
    /// # Errors
    /// When a store or a file cannot be written.
    pub fn make_next(&mut self, watch: Watch<'_>) -> Result<Option<&MadeFigure>> {
        let Some(study) = self.next_study() else { return Ok(None) };
        let work = StudyWork { study, folder: &self.folder, extent: self.extent };
        let Some(figure) = work.made(watch)? else { return Ok(None) };
        self.left.pop_front();
        self.made.push(figure);
        Ok(self.made.last())
    }

    /// What was made.
    pub fn finish(self) -> FigureOutcome {
        let is_complete = self.left.is_empty();
        FigureOutcome { figures: self.made, extent: self.extent, page: self.page, is_complete }
    }
}

/// One study and where its files go.
struct StudyWork<'a> {
    study: &'static Study,
    folder: &'a Path,
    extent: Extent,
}

impl StudyWork<'_> {
    /// The figure; nothing when it was interrupted.
    fn made(&self, watch: Watch<'_>) -> Result<Option<MadeFigure>> {
        let since = Instant::now();
        let StudyWork { study, folder, extent } = self;
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
        Ok(Some(MadeFigure { study, drawn, runs, seconds: since.elapsed().as_secs_f64(), files }))
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
        json!({
            "quick": self.extent == Extent::Quick,
            "figures": self.figures.iter().map(MadeFigure::document).collect::<Vec<_>>(),
            "page": self.page.as_ref().map(words::path),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

impl MadeFigure {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let finding = |finding: &StudyFinding| {
            json!({
                "what": finding.what, "value": finite(finding.value), "low": finite(finding.low),
                "high": finite(finding.high), "published": finding.published, "gap": finding.is_gap,
            })
        };
        let MadeFigure { study, drawn, runs, seconds, files } = self;
        json!({
            "name": study.name, "source": study.source, "published": study.published,
            "findings": drawn.findings.iter().map(finding).collect::<Vec<_>>(),
            "trainings": runs, "seconds": seconds, "files": files.iter().map(words::path).collect::<Vec<_>>(),
        })
    }
}
