//! `plot`: what a sweep has found, drawn.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::draw::{Figure, file_names};
use crate::error::Result;
use crate::file::{Destinations, FileRole, make_folder};
use crate::job::sweep::threshold_document;
use crate::job::words;
use crate::lab::plot::{Plot, PlotTable, PlotView};
use crate::lab::{By, CellCount, Expression, Line, Rule, StoreReader, Threshold};
use crate::watch::Watch;

/// A store, what is to be seen of it, and where figures and tables go.
///
/// ```no_run
/// use shallows::job::plot::PlotJob;
/// use shallows::lab::plot::PlotView;
/// use shallows::watch::Watch;
///
/// let job = PlotJob { store: "mine.db".into(), view: PlotView::default(), folder: Some("mine".into()) };
/// let outcome = job.run(Watch::silent())?;
/// println!("{} files", outcome.files.len());
/// # Ok::<(), shallows::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlotJob {
    /// A store that a sweep has written, or is writing.
    pub store: PathBuf,
    /// What is to be seen.
    pub view: PlotView,
    /// Where figures and tables go; made where it is missing. Nothing is written without.
    pub folder: Option<PathBuf>,
}

/// What was drawn. [`PlotJob`] shows its use.
#[derive(Clone, Debug)]
pub struct PlotOutcome {
    /// The store.
    pub store: PathBuf,
    /// What counts as a success.
    pub rule: Rule,
    /// What is counted.
    pub by: By,
    /// Successes by cell.
    pub counts: Vec<CellCount>,
    /// Cells along the first axis, with the threshold on each.
    pub lines: Vec<(Line, Option<Threshold>)>,
    /// On which all cells are to lie on one curve.
    pub expression: Expression,
    /// The threshold of all cells on the expression.
    pub collapse: Option<Threshold>,
    /// What can be seen, by name.
    pub figures: Vec<(String, Figure)>,
    /// What was written.
    pub files: Vec<PathBuf>,
}

impl PlotJob {
    /// Draw and write.
    ///
    /// # Errors
    /// When the store cannot be read, nothing can be drawn of it, or a file cannot be written.
    pub fn run(&self, _watch: Watch<'_>) -> Result<PlotOutcome> {
        let planned = Destinations::default().reads(FileRole::Store, &self.store);
        planned.clone().may_fill(FileRole::Figures, self.folder.as_ref()).check()?;
        let store = StoreReader::open(&self.store)?;
        let trials = store.trials()?;
        let plot = Plot::new(self.view.clone(), store.specification(), &trials, &self.store)?;
        let (figures, mut files) = (plot.figures(), Vec::new());
        if let Some(folder) = &self.folder {
            let names = figures.iter().flat_map(|(name, _)| file_names(name));
            let tables = plot.tables();
            let names = names.chain(tables.iter().map(PlotTable::file_name));
            planned.may_fill_with(FileRole::Figures, Some(folder), names).check()?;
            make_folder(folder)?;
            for (name, figure) in &figures {
                files.extend(figure.save_in(folder, name)?);
            }
            for table in tables {
                files.push(table.save(folder)?);
            }
        }
        let Plot { rule, by, counts, lines, expression, collapse, .. } = plot;
        Ok(PlotOutcome { store: self.store.clone(), rule, by, counts, lines, expression, collapse, figures, files })
    }
}

impl PlotOutcome {
    /// What a script reads.
    pub fn document(&self) -> Value {
        let on_line =
            |(line, found): &(Line, Option<Threshold>)| threshold_document(&line.name(), line.axis.name(), found);
        json!({
            "store": words::path(&self.store),
            "rule": self.rule,
            "all_starts": self.by == By::Network,
            "thresholds": self.lines.iter().map(on_line).collect::<Vec<_>>(),
            "collapse": threshold_document("", &self.expression.to_string(), &self.collapse),
            "files": self.files.iter().map(words::path).collect::<Vec<_>>(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}
